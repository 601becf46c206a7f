"""The picture of one fragment inside a larger matrix: who holds it, and where it lies in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuemu.drawing.lanes import holders
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Beside, Code, Words
from shapetracker.drawing.picture import Part, Picture

if TYPE_CHECKING:
    from gpuemu.tensorcores.placed import Placed


def draw_placed(placed: Placed) -> Picture:
    """A fragment as a tile of lanes, beside memory with the cells that it reads, and the address by lane.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> from gpuemu.tensorcores.placed import place
    >>> print(str(draw_placed(place(tensorcores.instruction("m16n8k16"), "b", (32, 16), (16, 8)))).split("\\n\\n")[0])
    B[0, 0] of m16n8k16.f32.f16 lies at [16, 8] of the matrix of shape (32, 16); a number is the lane that holds it
    """
    lane_map, held = placed.lane_map, holders(placed.lane_map)
    addresses, name = placed.addresses, lane_map.operand.upper()
    reader: dict[int, tuple[int, int]] = {}
    for (row, column), address in np.ndenumerate(addresses):
        reader.setdefault(int(address), (row, column))

    def tile(row: int, column: int) -> Cell:
        lane, address = held.at(0, row, column)[0][0], int(addresses[row, column])
        tip = f"{name}[{row}, {column}]: lane {lane}, "
        if address < 0:
            return Cell("", masked=True, tip=f"{tip}masked")
        return Cell(str(lane), lane // 4, lane % 4 / 3, tip=f"{tip}memory[{address}]")

    def memory(row: int, column: int) -> Cell | None:
        address = row * placed.row + column
        if address >= placed.size:
            return None
        if address not in reader:
            return Cell("", tip=f"memory[{address}]")
        lane = held.at(0, *reader[address])[0][0]
        return Cell(str(lane), lane // 4, lane % 4 / 3, tip=f"memory[{address}]: lane {lane}")

    where = f"{name}[0, 0] of {placed.instruction.short_name} lies at {list(placed.corner)} of the matrix of"
    lines = -(-placed.size // placed.row)
    labels = [str(row * placed.row) for row in range(lines)]
    rows, columns = addresses.shape
    grids: list[Part] = [
        Grid(rows, columns, tile, title=name, caption=f"{rows} × {columns}", width=22, height=17),
        Grid(
            lines,
            placed.row,
            memory,
            title="memory",
            caption=f"{placed.size} elements",
            row_labels=labels,
            width=22,
            height=17,
        ),
    ]
    words = f"{where} shape {placed.tracker.shape}; a number is the lane that holds it"
    return Picture(f"{name} in a larger matrix", (Words(words), Beside(tuple(grids)), Code(placed.formula)))
