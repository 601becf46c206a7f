"""Pictures of what the checker found: the wrong places lose their fill and get a frame in the error colour."""

from __future__ import annotations

from dataclasses import dataclass

from gpuemu.drawing.lanes import BLOCKS_SHOWN, WIDTH, holders
from gpuemu.drawing.quadrant import flowing
from gpuemu.tensorcores.checker import Diagnosis
from gpuemu.tensorcores.checker.fragment import NOTHING, place_text
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Words
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.picture import Picture
from shapetracker.drawing.scene import Scene


def draw_diagnosis(diagnosis: Diagnosis) -> Picture:
    """The operand with the lane of each element, the lanes with what they hold, and the words.

    In both grids a wrong place is framed; in text it ends with "!".

    Examples
    --------
    >>> from gpuemu.tensorcores.checker import check_fragment
    >>> found = check_fragment("simdgroup.8x8x8", "a", "4 * (lane // 16) + lane // 2 % 4, 2 * (lane % 2) + i")
    >>> print(str(draw_diagnosis(found)).split("\\n\\n")[1])
    A  8 × 8 fp16: the lane that should hold it, marked where it holds another element
        0  1   2   3   4   5   6   7
    0   0  0   1   1  8!  8!  9!  9!
    1   2  2   3   3 10! 10! 11! 11!
    2   4  4   5   5 12! 12! 13! 13!
    3   6  6   7   7 14! 14! 15! 15!
    4  16 16  17  17 24! 24! 25! 25!
    5  18 18  19  19 26! 26! 27! 27!
    6  20 20  21  21 28! 28! 29! 29!
    7  22 22  23  23 30! 30! 31! 31!
    """
    blocks = range(min(diagnosis.lane_map.blocks, BLOCKS_SHOWN))
    title = f"{diagnosis.instruction.short_name} {diagnosis.operand}, checked"
    matrices = flowing([_matrix(diagnosis, block) for block in blocks], WIDTH)
    both = 2 if len(blocks) == 1 else 0
    return Picture(title, (_Report(str(diagnosis)), matrices, _lanes(diagnosis)), flows=both)


@dataclass(frozen=True, slots=True)
class _Report:
    """Lines of words, close together."""

    words: str

    def text(self) -> str:
        return self.words

    def html(self) -> str:
        return "".join(Words(line).html() for line in self.words.split("\n"))

    def scene(self, theme: Theme) -> Scene:
        return Words(self.words).scene(theme)


def _filled(text: str, lane: int, tip: str, wrong: bool) -> Cell:
    return Cell(text, tip=tip, ring="error") if wrong else Cell(text, lane // 4, lane % 4 / 3, tip=tip)


def _wrong(diagnosis: Diagnosis, lane: int, element: int) -> bool:
    lanes, elements = diagnosis.held.shape[:2]
    if lane >= lanes or element >= elements:
        return True
    return diagnosis.departs(lane, element)


def _matrix(diagnosis: Diagnosis, block: int) -> Grid:
    lane_map, held = diagnosis.lane_map, holders(diagnosis.lane_map)
    name = lane_map.operand.upper()

    def cell(row: int, column: int) -> Cell:
        found = held.at(block, row, column)
        if not found:
            return Cell("", masked=True, tip=f"{name}[{row}, {column}]: no lane holds it")
        lanes = ",".join(str(lane) for lane, _ in found[:2]) + ",…" * (len(found) > 2)
        tip = "; ".join(_tip(diagnosis, lane, element) for lane, element in found)
        return _filled(lanes, found[0][0], tip, any(_wrong(diagnosis, *place) for place in found))

    of = f" of block {block}" if lane_map.blocks > 1 else ""
    lanes = "lanes" if lane_map.duplicates else "lane"
    marks = "" if diagnosis.right else ", marked where it holds another element"
    return Grid(
        lane_map.rows,
        lane_map.columns,
        cell,
        title=f"{name}{of}",
        caption=f"{lane_map.rows} × {lane_map.columns} {lane_map.dtype}: the {lanes} that should hold it{marks}",
        width=40 if lane_map.duplicates else 28,
        gaps=(8 if lane_map.rows > 8 else 0, 8 if lane_map.columns > 8 else 0),
    )


def _tip(diagnosis: Diagnosis, lane: int, element: int) -> str:
    lane_map = diagnosis.lane_map
    right = tuple(lane_map.coordinates()[lane, element].tolist())
    where = f"lane {lane}, element {element}"
    if not _wrong(diagnosis, lane, element):
        return f"{where} holds {place_text(lane_map, right)}"
    inside = lane < diagnosis.held.shape[0] and element < diagnosis.held.shape[1]
    holds = tuple(diagnosis.held[lane, element].tolist()) if inside else (NOTHING,) * len(right)
    return f"{where} holds {place_text(lane_map, holds)}; {place_text(lane_map, right)} belongs there"


def _lanes(diagnosis: Diagnosis) -> Grid:
    lane_map = diagnosis.lane_map
    lanes, elements = diagnosis.held.shape[:2]

    def cell(lane: int, element: int) -> Cell:
        if lane >= lanes or element >= elements:
            return Cell("", masked=True, ring="error", tip=_tip(diagnosis, lane, element))
        row, column, *block = diagnosis.held[lane, element].tolist()
        text = "–" if row == NOTHING == column else ":".join([*map(str, block), f"{row},{column}"])
        return _filled(text, lane, _tip(diagnosis, lane, element), _wrong(diagnosis, lane, element))

    return Grid(
        lane_map.lanes,
        lane_map.elements,
        cell,
        title=f"lanes of {lane_map.operand.upper()}",
        caption=f"{'block:' * (lane_map.blocks > 1)}row,column that each holds in element 0, 1, …",
        row_axis="lane ↓",
        width=48,
        height=18,
        gaps=(4, 0),
    )
