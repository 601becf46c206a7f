"""ldmatrix and stmatrix: 8×8 matrices of 16-bit elements between shared memory and the registers of a warp."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gpuemu.tensorcores.lanemap import IntArray, LaneMap, Packing, block, column, lane_map, row

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

_SIDE = 8


@dataclass(frozen=True, slots=True, repr=False)
class MatrixCopy:
    """An ldmatrix or stmatrix: each register of a lane holds two neighbours of one of the matrices.

    Attributes
    ----------
    name, kind, vendor, arch
        Its full name, ``ldmatrix`` or ``stmatrix``, ``nvidia``, and the first architecture that has it.
    matrices
        How many 8×8 matrices it moves: 1, 2 or 4.
    trans
        Whether each matrix is transposed on the way.
    lane_map
        Which element each lane holds, the matrices as blocks.
    source
        The document that the rule comes from.
    confidence
        How sure the lane map is.
    """

    name: str
    kind: str
    vendor: str
    arch: str
    matrices: int
    trans: bool
    lane_map: LaneMap
    source: str
    confidence: str = "high"

    @property
    def short_name(self) -> str:
        """A name that is quicker to type.

        Examples
        --------
        >>> _copy("ldmatrix", 4, True).short_name
        'ldmatrix.x4.trans'
        """
        return f"{self.kind}.x{self.matrices}{'.trans' * self.trans}"

    @property
    def lanes(self) -> int:
        """The lanes of the warp."""
        return self.lane_map.lanes

    @property
    def maps(self) -> dict[str, LaneMap]:
        """The one lane map, by the name of what it moves, as `Instruction.maps` gives those of the operands."""
        return {"matrix": self.lane_map}

    @property
    def registers(self) -> tuple[str, ...]:
        """The register bits of each 16-bit half, one text a half."""
        return self.lane_map.registers

    def coordinates(self) -> IntArray:
        """Matrix, row and column of each lane's 16-bit halves; int64, shape (lanes, halves, 3), read-only.

        The row is the row in shared memory, the 16 bytes that one address points to.

        Examples
        --------
        >>> plain, trans = (_copy("ldmatrix", 1, turned) for turned in (False, True))
        >>> plain.coordinates()[5].tolist(), trans.coordinates()[5].tolist()
        ([[0, 1, 2], [0, 1, 3]], [[0, 2, 1], [0, 3, 1]])
        """
        return _coordinates(self.lane_map)

    def row_address_lane(self) -> list[list[int]]:
        """The lane that gives the address of each row, as [matrix][row].

        PTX ISA, "ldmatrix": threads 0–7 hold the addresses of the first matrix, 8–15 of the second, and so on.

        Examples
        --------
        >>> _copy("ldmatrix", 2, False).row_address_lane()
        [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]
        """
        return [[matrix * _SIDE + line for line in range(_SIDE)] for matrix in range(self.matrices)]

    def draw(self) -> Picture:
        """The matrices in shared memory, what each lane holds, and every notation of the map."""
        from gpuemu.drawing.copies import draw_matrix_copy

        return draw_matrix_copy(self)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        return f"<MatrixCopy {self.name}: {self.vendor} {self.arch}, {self.matrices} × 8×8 of 16 bits>"


def copy_instructions() -> tuple[MatrixCopy, ...]:
    """Every ldmatrix (sm_75) and stmatrix (sm_90).

    Examples
    --------
    >>> len(copy_instructions()), copy_instructions()[5]
    (12, <MatrixCopy ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16: nvidia sm_75, 4 × 8×8 of 16 bits>)
    """
    return tuple(
        _copy(kind, matrices, trans)
        for kind in ("ldmatrix", "stmatrix")
        for matrices in (1, 2, 4)
        for trans in (False, True)
    )


def _copy(kind: str, matrices: int, trans: bool) -> MatrixCopy:
    """PTX ISA, "ldmatrix" and "stmatrix", figure for one matrix: lane l holds row l / 4, columns 2·(l % 4) and + 1.

    Register i belongs to matrix i; .trans reads (or writes) the matrix by columns.
    """
    line, along = (column, row) if trans else (row, column)
    return MatrixCopy(
        f"{kind}.sync.aligned.m8n8.x{matrices}{'.trans' * trans}.shared.b16",
        kind,
        "nvidia",
        "sm_75" if kind == "ldmatrix" else "sm_90",
        matrices,
        trans,
        lane_map(
            "matrix",
            _SIDE,
            _SIDE,
            "b16",
            blocks=matrices,
            lane=[line(_SIDE), along(4, 2)],
            element=[block(matrices), along(2)],
            packing=Packing("r", 16),
        ),
        f"PTX ISA, Warp-level matrix {'load' if kind == 'ldmatrix' else 'store'} instruction: {kind}",
    )


@cache
def _coordinates(lane_map: LaneMap) -> IntArray:
    row_col_block = lane_map.coordinates()
    matrix = row_col_block[..., 2:] if lane_map.blocks > 1 else np.zeros_like(row_col_block[..., :1])
    array = np.concatenate([matrix, row_col_block[..., :2]], axis=-1)
    array.flags.writeable = False
    return array
