"""The picture of a lane map's notations: a table of name, text, and what stands behind it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

import numpy as np

from gpuemu.drawing.lanes import By, draw_instruction
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from gpuemu.tensorcores.notation import Notation, notations, swizzle
from shapetracker.drawing.layout import MONO_HTML
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.picture import Picture
from shapetracker.drawing.scene import Label, Scene, Shape, text_width

WIDEST = 124
"""Characters of a text in a figure; a longer line goes on in the next."""


def draw_notations(shown: LaneMap | Instruction) -> Picture:
    """Every notation of a lane map; of an instruction, those of each operand, and the swizzle of all of them.

    Each text was read back and compared with the map; the table says at how many places. Where a notation cannot
    express the map it says why.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print("\\n".join(str(draw_notations(tensorcores.instruction("m16n8k16").c)).splitlines()[:6]))
    C  16 × 8 fp32, 32 lanes × 4 elements
    formula              m = lane//4 + i//2*8
                         n = lane%4*2 + i%2
                         the coordinates of element i of a lane; equal at all 128 places
    formula back         lane = m%8*4 + n//2
                         i = m//8*2 + n%2
    """
    if isinstance(shown, LaneMap):
        return Picture(f"notations of {shown.operand.upper()}", (_table(shown),))
    maps = shown.maps
    if "c" in maps and "d" in maps and np.array_equal(maps["c"].coordinates(), maps["d"].coordinates()):
        del maps["d"]
    whole = NotationTable("A, B and C together", "", (swizzle(shown),))
    return Picture(f"notations of {shown.short_name}", (*[_table(lane_map) for lane_map in maps.values()], whole))


def draw_instruction_with_notations(instruction: Instruction, by: By = "lane") -> Picture:
    """The operands of an instruction, what each lane holds, and every notation of its maps.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> text = str(draw_instruction_with_notations(tensorcores.instruction("m16n8k16")))
    >>> [name in text for name in ("lanes of A", "CuTe layout", "F2 bases", "tinygrad swizzle")]
    [True, True, True, True]
    """
    drawn = draw_instruction(instruction, by)
    return Picture(drawn.title, (*drawn.parts, *draw_notations(instruction).parts))


def _table(lane_map: LaneMap) -> NotationTable:
    size = f"{lane_map.rows} × {lane_map.columns} {lane_map.dtype}"
    size += f", {lane_map.blocks} blocks" * (lane_map.blocks > 1)
    held = "elements" if lane_map.not_a_view is None else "groups of four candidates"
    caption = f"{size}, {lane_map.lanes} lanes × {lane_map.elements} {held}"
    name = lane_map.operand.upper() if len(lane_map.operand) == 1 else lane_map.operand
    return NotationTable(name, caption, notations(lane_map))


@dataclass(frozen=True, slots=True)
class NotationTable:
    """One notation a row: its name, its text, and below it how to read it and at how many places it was compared."""

    title: str
    caption: str
    rows: tuple[Notation, ...]

    def text(self) -> str:
        """The texts whole, so that they can be copied."""
        lines = [f"{self.title}  {self.caption}".rstrip()]
        widest = max(len(row.name) for row in self.rows)
        for row in self.rows:
            body = [*(row.text or "").splitlines(), _says(row)]
            lines += [f"{row.name if number == 0 else '':{widest}}  {line}" for number, line in enumerate(body)]
        return "\n".join(lines)

    def html(self) -> str:
        """A table with inline styles; its colours are the page's."""
        cell = "border:0;padding:0 14px 9px 0;text-align:left;vertical-align:top;background:transparent"
        body = ""
        for row in self.rows:
            text = f'<div style="{MONO_HTML};white-space:pre-wrap">{escape(row.text)}</div>' if row.text else ""
            says = f'<div style="font-size:11px;line-height:15px;opacity:.75">{escape(_says(row))}</div>'
            body += (
                f'<tr style="background:transparent"><th scope="row" style="{cell};font-weight:400;white-space:nowrap">'
                f'{escape(row.name)}</th><td style="{cell}">{text}{says}</td></tr>'
            )
        caption = f"<b>{escape(self.title)}</b>&ensp;{escape(self.caption)}"
        style = "caption-side:top;text-align:left;padding:0 0 6px 0;color:inherit"
        table = "border-collapse:collapse;border:0;margin:0;font-size:12px"
        return f'<table style="{table}"><caption style="{style}">{caption}</caption><tbody>{body}</tbody></table>'

    def scene(self, theme: Theme) -> Scene:
        """Names and remarks muted, texts in ink; long lines go on in the next."""
        shapes: list[Shape] = [Label(0, 9, self.title, theme.ink, 13, bold=True)]
        after = text_width(self.title, 13, bold=True) + 10
        shapes.append(Label(after, 9, self.caption, theme.muted, 12))
        left = max(text_width(row.name, 12) for row in self.rows) + 14
        width, y = after + text_width(self.caption, 12), 33.0
        for row in self.rows:
            shapes.append(Label(0, y, row.name, theme.muted, 12))
            for line in _wrapped(row.text or ""):
                shapes.append(Label(left, y, line, theme.ink, 12, mono=True))
                width, y = max(width, left + text_width(line, 12, mono=True)), y + 17
            shapes.append(Label(left, y, _says(row), theme.muted, 11))
            width, y = max(width, left + text_width(_says(row), 11)), y + 24
        return Scene(width, y - 15, tuple(shapes))


def _says(row: Notation) -> str:
    """What stands behind the text, or why there is none."""
    if row.text is None:
        return f"cannot express it: {row.why_not}"
    return f"{row.meaning}; equal at all {row.places:,} places"


def _wrapped(text: str) -> list[str]:
    """The lines of a text, those that are too long cut at spaces and indented."""
    return [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, WIDEST, subsequent_indent="    ", drop_whitespace=False) or [""]
    ]
