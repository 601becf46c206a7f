"""A fragment in its place: one operand as a tile of a larger matrix, which lies in memory as any view says."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from gpuemu import tensorcores
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.base import axis_names
from gpuemu.tensorcores.notation.formulas import expressions
from shapetracker import ShapeTracker, View
from shapetracker.arrays import index_arrays
from shapetracker.box import index_range

LARGEST = 1 << 16
"""Elements of memory that are drawn."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One operand of an instruction as a tile of a matrix in memory.

    Attributes
    ----------
    instruction, lane_map
        What holds it.
    tracker
        The whole matrix, two axes, simplified.
    corner
        Row and column of the matrix where the tile begins.
    addresses
        int64 array (rows, columns): where each element of the tile lies in memory; −1 where it is masked.
    size, row
        Elements of memory, and how many of them stand in a row of its picture.
    formula
        (label, expression): the address by lane and i, and when there is one.
    """

    instruction: Instruction
    lane_map: LaneMap
    tracker: ShapeTracker
    corner: tuple[int, int]
    addresses: IntArray = field(compare=False, repr=False)
    size: int
    row: int
    formula: tuple[tuple[str, str], ...]


def place(
    instruction: Instruction | str,
    operand: str = "c",
    matrix: ShapeTracker | View | tuple[int, int] | None = None,
    corner: tuple[int, int] = (0, 0),
) -> Placed:
    """Put one operand of an instruction into a matrix.

    Parameters
    ----------
    instruction
        An instruction, or a name as `tensorcores.instruction` takes it.
    operand
        ``a``, ``b``, ``c`` or ``d``.
    matrix
        A view or a stack of views with two axes: transposed, padded, strided, as you like. A shape is a row-major
        matrix. By default one of two by two tiles.
    corner
        Row and column of the matrix where the tile begins.

    Raises
    ------
    FragmentError
        No lane holds the operand, it is sparse or has several blocks, the matrix has not two axes, or the tile does
        not lie inside of it.

    Examples
    --------
    >>> transposed = ShapeTracker.from_shape((32, 48)).permute((1, 0))
    >>> placed = place("m16n8k16", "c", transposed, (16, 8))
    >>> int(placed.addresses[3, 6])  # element [19, 14] of the transposed matrix
    691
    >>> from shapetracker import parse
    >>> name, formula = placed.formula[0]
    >>> name, parse(formula, {"lane": (0, 31), "i": (0, 3)}).evaluate({"lane": 15, "i": 0})  # the lane that holds it
    ('address', 691)
    """
    found = instruction if isinstance(instruction, Instruction) else tensorcores.instruction(instruction)
    call = f"explore_fragment({found.short_name}, {operand!r})"
    lane_map = found.maps.get(operand)
    if lane_map is None:
        raise FragmentError(f"{call}: lanes hold {', '.join(found.maps)} of this instruction")
    if lane_map.blocks > 1 or lane_map.not_a_view is not None:
        what = f"{lane_map.blocks} blocks" if lane_map.blocks > 1 else "sparse"
        raise FragmentError(f"{call}: the operand is {what}; a tile of one matrix is expected")
    tracker = _matrix(call, matrix, lane_map)
    ends = tuple(begin + size for begin, size in zip(corner, (lane_map.rows, lane_map.columns), strict=True))
    if min(corner) < 0 or any(end > size for end, size in zip(ends, tracker.shape, strict=True)):
        size = f"{lane_map.rows} × {lane_map.columns}"
        raise FragmentError(f"{call}: a tile of {size} at {corner} does not lie inside of a matrix {tracker.shape}")
    index, valid = index_arrays(tracker.shrink(tuple(zip(corner, ends, strict=True))).views)
    memory = _memory(call, tracker)
    addresses = np.where(valid, index, -1)
    return Placed(found, lane_map, tracker, corner, addresses, *memory, _formula(tracker, lane_map, corner))


def _matrix(call: str, matrix: Any, lane_map: LaneMap) -> ShapeTracker:
    if matrix is None:
        matrix = (2 * lane_map.rows, 2 * lane_map.columns)
    if isinstance(matrix, View):
        matrix = ShapeTracker((matrix,))
    elif not isinstance(matrix, ShapeTracker):
        matrix = ShapeTracker.from_shape(tuple(matrix))
    if len(matrix.shape) != 2:
        raise FragmentError(f"{call}: the matrix has shape {matrix.shape}; two axes are expected")
    simplified: ShapeTracker = matrix.simplify()
    return simplified


def _memory(call: str, tracker: ShapeTracker) -> tuple[int, int]:
    """How many elements memory has, as far as the views reach, and how many make a row of it."""
    inner = tracker.views[0]
    reach = index_range(inner.box) if prod(inner.shape) else None
    size = reach[1] + 1 if reach else 1
    if size > LARGEST:
        raise FragmentError(f"{call}: memory of {size} elements; up to {LARGEST} are drawn")
    steps = {abs(s) for s, n in zip(inner.strides, inner.shape, strict=True) if n > 1 and abs(s) > 1}
    row = min(steps, key=lambda s: max(s * s / size, size / (s * s)), default=max(2, -(-size // 8)))
    return size, min(row, 256)


def _formula(tracker: ShapeTracker, lane_map: LaneMap, corner: tuple[int, int]) -> tuple[tuple[str, str], ...]:
    found = expressions(lane_map)
    if found is None:
        return ()
    at = [found[name] + begin for name, begin in zip(axis_names(lane_map), corner, strict=True)]
    index, valid = (e.simplify() for e in tracker.expr_idxs(at))
    condition = {"1": "always", "0": "never"}.get(text := valid.render(), text)
    return ("address", index.render()), ("valid if", condition)
