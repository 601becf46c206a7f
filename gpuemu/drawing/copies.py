"""Pictures of ldmatrix and stmatrix: rows in shared memory with the lane that names each, and the lanes' registers."""

from __future__ import annotations

from gpuemu.drawing.notations import draw_notations
from gpuemu.drawing.quadrant import flowing
from gpuemu.drawing.registers import spoken
from gpuemu.tensorcores.matrix_copy import MatrixCopy
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Beside, Words
from shapetracker.drawing.picture import Picture

_SIDE = 8
_TWO_BESIDE = 600
"""Pixels: four matrices stand as the quarters of a tile do."""


def draw_matrix_copy(copy: MatrixCopy) -> Picture:
    """Each matrix with the lane that gives a row's address and the lane that holds an element; then the lanes.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> for line in str(draw_matrix_copy(tensorcores.copy_instruction("ldmatrix.x1"))).splitlines()[2:12]: print(line)
    matrix 0  the lane that gets it     lanes  matrix:row,column
               0  1  2  3  4  5  6  7           0     1
    lane 0 →   0  0  1  1  2  2  3  3    0  0:0,0 0:0,1
    lane 1 →   4  4  5  5  6  6  7  7    1  0:0,2 0:0,3
    lane 2 →   8  8  9  9 10 10 11 11    2  0:0,4 0:0,5
    lane 3 →  12 12 13 13 14 14 15 15    3  0:0,6 0:0,7
    lane 4 →  16 16 17 17 18 18 19 19    4  0:1,0 0:1,1
    lane 5 →  20 20 21 21 22 22 23 23    5  0:1,2 0:1,3
    lane 6 →  24 24 25 25 26 26 27 27    6  0:1,4 0:1,5
    lane 7 →  28 28 29 29 30 30 31 31    7  0:1,6 0:1,7
    """
    return Picture(copy.name, (*draw_memory_and_lanes(copy).parts, *draw_notations(copy.lane_map).parts))


def draw_memory_and_lanes(copy: MatrixCopy) -> Picture:
    """The same without the notations.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> draw_memory_and_lanes(tensorcores.copy_instruction("stmatrix.x4"))
    Picture('stmatrix.sync.aligned.m8n8.x4.shared.b16')
    """
    lanes = "8 lanes" if copy.trans else "4 lanes"
    moves = f"it goes to {lanes}" if copy.kind == "ldmatrix" else f"{lanes} fill it"
    words = f"{copy.vendor} {copy.arch}: the lane on the left gives the address of a row of 8 halves, 16 bytes; {moves}"
    matrices = [_matrix(copy, number) for number in range(copy.matrices)]
    beside = Beside((flowing(matrices, _TWO_BESIDE), _lanes(copy)))
    return Picture(copy.name, (Words(words, bold=copy.name), beside))


def _matrix(copy: MatrixCopy, number: int) -> Grid:
    """A matrix as it lies in shared memory: one row an address."""
    lines = copy.row_address_lane()[number]
    verb = "gets" if copy.kind == "ldmatrix" else "holds"

    def cell(row: int, column: int) -> Cell:
        [(lane, half)] = copy.lane_map.where(row, column, number)
        tip = f"row {row}, column {column}: lane {lines[row]} gives the address, lane {lane} {verb} the element"
        return Cell(str(lane), lane // 4, lane % 4 / 3, tip=f"{tip} in {spoken(copy.registers[half])}")

    return Grid(
        _SIDE,
        _SIDE,
        cell,
        title=f"matrix {number}",
        caption=f"the lane that {verb} it",
        row_labels=[f"lane {lane} →" for lane in lines],
    )


def _lanes(copy: MatrixCopy) -> Grid:
    """What each lane holds: two halves of each matrix, one register a matrix."""
    held = copy.coordinates()

    def cell(lane: int, half: int) -> Cell:
        matrix, row, column = held[lane, half].tolist()
        tip = f"lane {lane}, {spoken(copy.registers[half])}: row {row}, column {column} of matrix {matrix}"
        return Cell(f"{matrix}:{row},{column}", lane // 4, lane % 4 / 3, tip=tip)

    return Grid(
        copy.lanes,
        2 * copy.matrices,
        cell,
        title="lanes",
        caption="matrix:row,column",
        row_axis="lane ↓",
        width=46,
        height=17,
        gaps=(4, 2),
    )
