"""Pictures of lane maps: the matrix with the lane that holds each element, and the lanes with their registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from gpuemu.drawing.quadrant import Quadrant, flowing
from gpuemu.drawing.registers import Places, places, spoken
from gpuemu.errors import LaneMapError
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Words
from shapetracker.drawing.picture import Part, Picture

By = Literal["lane", "register", "k"]
CellOf = Callable[[int, int], Cell]
Integers = npt.NDArray[np.int64]
Holder = tuple[int, int]
"""A lane, and the number of the element inside it."""

WIDTH = 980
"""Pixels beside one another."""
BLOCKS_SHOWN = 4
_SAYS = {"lane": "the lane that holds it", "register": "its number inside the lane", "k": "its k"}
_FIGURE_SPACE = "\u2007"


def draw_lane_map(lane_map: LaneMap, by: By = "lane") -> Picture:
    """One operand as a matrix and as lanes × registers.

    Parameters
    ----------
    lane_map : LaneMap
    by : "lane", "register" or "k"
        What the number and the colour of a matrix cell say.

    Raises
    ------
    LaneMapError
        When `by` is something else.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(str(draw_lane_map(tensorcores.instruction("m16n8k16").c)).split("\\n\\n")[0])
    C  16 × 8 fp32: the lane that holds it
         0  1  2  3  4  5  6  7
     0   0  0  1  1  2  2  3  3
     1   4  4  5  5  6  6  7  7
     2   8  8  9  9 10 10 11 11
     3  12 12 13 13 14 14 15 15
     4  16 16 17 17 18 18 19 19
     5  20 20 21 21 22 22 23 23
     6  24 24 25 25 26 26 27 27
     7  28 28 29 29 30 30 31 31
     8   0  0  1  1  2  2  3  3
     9   4  4  5  5  6  6  7  7
    10   8  8  9  9 10 10 11 11
    11  12 12 13 13 14 14 15 15
    12  16 16 17 17 18 18 19 19
    13  20 20 21 21 22 22 23 23
    14  24 24 25 25 26 26 27 27
    15  28 28 29 29 30 30 31 31
    """
    _check(by)
    matrices = [_matrix(lane_map, by, block) for block in range(min(lane_map.blocks, BLOCKS_SHOWN))]
    parts: list[Part] = [flowing(matrices, WIDTH)]
    if lane_map.blocks > BLOCKS_SHOWN:
        parts.append(Words(f"… the first {BLOCKS_SHOWN} of {lane_map.blocks} blocks"))
    both = 2 if lane_map.blocks == 1 else 0  # who compares the two need not scroll
    return Picture(f"lane map of {lane_map.operand.upper()}", (*parts, _registers(lane_map)), flows=both)


def draw_instruction(instruction: Instruction, by: By = "lane") -> Picture:
    """The operands of an instruction, A left of C and B above C, and what each lane holds.

    Where an instruction multiplies several blocks, the first is drawn.

    Parameters
    ----------
    instruction : Instruction
    by : "lane", "register" or "k"
        What the number and the colour of a matrix cell say.

    Raises
    ------
    LaneMapError
        When `by` is something else.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> picture = draw_instruction(tensorcores.instruction("m16n8k16"))
    >>> picture
    Picture('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32')
    >>> print(str(picture).split("\\n\\n")[0])
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32  nvidia sm_80, 32 lanes: D[m, n] = Σ A[m, k]·B[k, n] + C[m, n]
    """
    _check(by)
    size = f"{instruction.vendor} {instruction.arch}, {instruction.lanes} lanes"
    many = f"; block 0 of {instruction.blocks}" if instruction.blocks > 1 else ""
    parts: list[Part] = [Words(f"{size}: {_sum(instruction)}{many}", bold=instruction.name)]
    parts.append(Quadrant(*_aligned(instruction, by)))
    held = [lane_map for lane_map in (instruction.a, instruction.b, instruction.c) if lane_map is not None]
    parts.append(flowing([_registers(lane_map) for lane_map in held], WIDTH))
    if (scales := instruction.scales) is not None:
        both = (("scales of A", scales.a), ("scales of B", scales.b))
        grids = [_matrix(lane_map, "lane", 0, name) for name, lane_map in both]
        parts.append(flowing([*grids, *(_registers(lane_map, name) for name, lane_map in both)], WIDTH))
    return Picture(instruction.name, tuple(parts))


def _sum(instruction: Instruction) -> str:
    """What is computed; the scales s and t of A and B serve a block along k each."""
    if instruction.scales is None:
        return "D[m, n] = Σ A[m, k]·B[k, n] + C[m, n]"
    block = f"k//{instruction.scales.block}"
    return f"D[m, n] = Σ s[m, {block}]·A[m, k] · t[{block}, n]·B[k, n] + C[m, n], s and t the scales"


def _check(by: str) -> None:
    if by not in get_args(By):
        raise LaneMapError(f"draw(by={by!r}): expected one of {', '.join(map(repr, get_args(By)))}")


def _aligned(instruction: Instruction, by: By) -> tuple[Grid, Grid, Grid]:
    """A, B and C with margins and cells of one width each, so that they stand in line."""
    m, n, k = instruction.m, instruction.n, instruction.k
    operands = (("A", instruction.a, m, k), ("B", instruction.b, k, n), ("C", instruction.c, m, n))
    wide = any(lane_map is not None and lane_map.duplicates for _, lane_map, _, _ in operands)
    digits = len(str(max(m, k) - 1))
    grids = []
    for name, lane_map, rows, columns in operands:
        if lane_map is None:
            why = "no lane holds it" if instruction.vendor == "nvidia" else "its lane map is not published"
            grids.append(_grid(rows, columns, _unheld_cell, name, f"{rows} × {columns}: {why}", wide, digits))
        else:
            cell = _cell(lane_map, by, 0, name)
            caption = f"{rows} × {columns} {lane_map.dtype}: {_says(lane_map, by)}"
            grids.append(_grid(rows, columns, cell, name, caption, wide, digits))
    a, b, c = grids
    return a, b, c


def _says(lane_map: LaneMap, by: By) -> str:
    return "the lanes that hold it" if by == "lane" and lane_map.duplicates else _SAYS[by]


def _grid(rows: int, columns: int, cell: CellOf, title: str, caption: str, wide: bool, digits: int) -> Grid:
    return Grid(
        rows,
        columns,
        cell,
        title=title,
        caption=caption,
        row_labels=[
            *map(str, range(rows - 1)),
            str(rows - 1).rjust(digits, _FIGURE_SPACE),
        ],  # the widest sets the margin
        width=36 if wide else 26,
        height=18,
        gaps=(8 if rows > 8 else 0, 8 if columns > 8 else 0),
    )


def _matrix(lane_map: LaneMap, by: By, block: int, name: str = "") -> Grid:
    name = name or lane_map.operand.upper()
    title = f"{name}, block {block}" if lane_map.blocks > 1 else name
    caption = f"{lane_map.rows} × {lane_map.columns} {lane_map.dtype}: {_says(lane_map, by)}"
    digits = len(str(lane_map.rows - 1))
    cell = _cell(lane_map, by, block, name)
    return _grid(lane_map.rows, lane_map.columns, cell, title, caption, lane_map.duplicates and by == "lane", digits)


def _cell(lane_map: LaneMap, by: By, block: int, name: str) -> CellOf:
    """Makes the matrix cell at (row, column)."""
    where, held = places(lane_map), holders(lane_map)
    elements = [f"element {i}, {spoken(register)}" for i, register in enumerate(lane_map.registers)]

    def cell(row: int, column: int) -> Cell:
        found = held.at(block, row, column)
        if not found:
            return Cell("", masked=True, tip=f"{name}[{row}, {column}]: no lane holds it")
        tip = "; ".join([f"lane {lane}, {elements[i]}" for lane, i in found])
        text, group, place = _look(lane_map, where, by, found, (row, column))
        return Cell(text, group, place, tip=f"{name}[{row}, {column}]: {tip}")

    return cell


def _unheld_cell(row: int, column: int) -> Cell:
    return Cell("", masked=True)


@dataclass(frozen=True, slots=True)
class Holders:
    """Who holds each element, sorted by element once and looked up where a cell is drawn."""

    lane_map: LaneMap
    elements: int
    """Of a lane."""
    first: list[int]
    """The holders of cell c, counted block by block and row by row, are sorted[first[c]] … sorted[first[c + 1] − 1]."""
    sorted: list[int]
    """lane · elements + element."""

    def at(self, block: int, row: int, column: int) -> list[Holder]:
        """Each (lane, element) that holds the element at (row, column) of the block; lanes ascend."""
        cell = (block * self.lane_map.rows + row) * self.lane_map.columns + column
        return [divmod(place, self.elements) for place in self.sorted[self.first[cell] : self.first[cell + 1]]]


def holders(lane_map: LaneMap) -> Holders:
    """Who holds the element at (block, row, column).

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> holders(tensorcores.instruction("v_wmma_f32_16x16x16_f16", "gfx1100", 32).a).at(0, 5, 3)
    [(5, 3), (21, 3)]
    """
    coordinates = lane_map.coordinates()
    row, column, *block = coordinates.reshape(-1, coordinates.shape[-1]).T
    cells = (sum(block) * lane_map.rows + row) * lane_map.columns + column
    order = np.argsort(cells, kind="stable")
    count = lane_map.blocks * lane_map.rows * lane_map.columns
    first = np.searchsorted(cells[order], np.arange(count + 1))
    held = order // (len(order) // (lane_map.lanes * lane_map.elements))
    return Holders(lane_map, lane_map.elements, first.tolist(), held.tolist())


def _look(
    lane_map: LaneMap, where: Places, by: By, found: list[Holder], at: tuple[int, int]
) -> tuple[str, int | Literal["ordered"] | None, float]:
    """Text, group and place of a matrix cell: the number is what the colour says."""
    lane, element = found[0]
    if by == "lane":
        lanes = [str(lane) for lane, _ in found]
        text = ",".join(lanes) if len(lanes) <= 2 else f"{lanes[0]},…"
        return text, lane // 4, lane % 4 / 3
    if by == "register":
        place = where.slot[element] / max(1, where.per_register - 1) * 0.75 if where.per_register > 1 else 0.3
        return str(element), where.register[element], place
    if lane_map.operand in "cd":
        return "", None, 0.0
    k, size = (at[1], lane_map.columns) if lane_map.operand == "a" else (at[0], lane_map.rows)
    return str(k), "ordered", k / max(1, size - 1)


def _registers(lane_map: LaneMap, name: str = "") -> Grid:
    """Lanes × elements, with the coordinates of what each holds."""
    where, coordinates = places(lane_map), lane_map.coordinates()
    sparse = coordinates.ndim == 4
    name = name or lane_map.operand.upper()
    registers = [spoken(register) for register in lane_map.registers]

    def cell(lane: int, element: int) -> Cell:
        first = coordinates[lane, element].reshape(-1, coordinates.shape[-1])
        row, column, *block = first[0].tolist()
        text = f"{row},{column}…{first[-1][1]}" if sparse else f"{row},{column}"
        text = f"{block[0]}:{text}" if block else text
        tip = f"lane {lane}, {registers[element]}: {name}[{row}, {column}]"
        tip += f" of block {block[0]}" if block else ""
        return Cell(text, lane // 4, lane % 4 / 3, tip=f"{tip} … {first[-1][1]}, two of four" if sparse else tip)

    per = where.per_register
    size = f"{where.registers} register{'s' * (where.registers > 1)}"
    what = f"{lane_map.elements} {'groups of four candidates' if sparse else f'× {lane_map.dtype}'}"
    texts = (len(cell(lane, element).text) for lane in (0, lane_map.lanes - 1) for element in range(lane_map.elements))
    return Grid(
        lane_map.lanes,
        lane_map.elements,
        cell,
        title=f"lanes of {name}",
        caption=f"{what} in {size}: {'block:' * (lane_map.blocks > 1)}row,column",
        row_axis="lane ↓",
        width=max(26, 7 * max(texts) + 8),
        height=17,
        gaps=(4, per if 1 < per < lane_map.elements else 4 if lane_map.elements > 8 else 0),
    )
