"""A sheet for the wall: one instruction on one printed page, with its picture and its formulas."""

from __future__ import annotations

from html import escape

from gpuemu.drawing.copies import draw_memory_and_lanes
from gpuemu.drawing.lanes import draw_instruction
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.matrix_copy import MatrixCopy
from gpuemu.tensorcores.notation import notations
from shapetracker.drawing.layout import Beside, Stack
from shapetracker.drawing.palette import LIGHT
from shapetracker.drawing.picture import Picture

SHOWN = ("formula", "C function", "View", "CuTe layout")
"""The notations that have a place on the sheet."""
ROOM = (190, 200)
"""Millimetres that are left for the picture, about: width, height."""

_STYLE = """
@page { size: A4 portrait; margin: 10mm }
body { font: 9pt/1.35 Helvetica, Arial, sans-serif; color: #16181b; background: #fff; margin: 0 }
main { width: 190mm; height: 276mm; display: flex; flex-direction: column; overflow: hidden; margin: 0 auto }
h1 { font: 600 12pt/1.3 ui-monospace, Menlo, Consolas, monospace; margin: 0 0 1mm; overflow-wrap: anywhere }
p { margin: 0 0 3mm; color: #586069 }
.picture { flex: 1; min-height: 0 }
.picture svg { width: 100%; height: 100% }
table { border-collapse: collapse; width: 100%; margin-top: 3mm; table-layout: fixed }
td, th { text-align: left; vertical-align: top; padding: 0.6mm 2mm 0.6mm 0; font-weight: 400 }
tr { border-top: 1px solid #dfe2e5 }
th { width: 24mm; color: #586069 }
td { font: 7pt/1.3 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
tr.names td { font: 600 9pt/1.3 Helvetica, Arial, sans-serif }
"""


def sheet(instruction: Instruction | MatrixCopy) -> str:
    """An HTML document that prints as one A4 page and loads nothing.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> page = sheet(tensorcores.instruction("m16n8k16"))
    >>> page[:15], "lane//4" in page, "src=" in page
    ('<!doctype html>', True, False)
    """
    picture = _picture(instruction).svg("light")
    name = escape(instruction.short_name)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{name}</title><style>{_STYLE}</style></head>\n"
        f"<body><main><h1>{escape(instruction.name)}</h1><p>{escape(_facts(instruction))}</p>"
        f'<div class="picture">{picture[picture.index("<svg") :]}</div>{_formulas(instruction)}</main></body></html>\n'
    )


def _picture(instruction: Instruction | MatrixCopy) -> Picture:
    """The lanes under the matrices in rows, or all side by side: whichever prints larger."""
    if isinstance(instruction, MatrixCopy):
        return draw_memory_and_lanes(instruction)
    drawn = draw_instruction(instruction)
    stacks = [part for part in drawn.parts if isinstance(part, Stack)]
    lanes = [grid for stack in stacks for row in stack.parts if isinstance(row, Beside) for grid in row.parts]
    above = [part for part in drawn.parts if not isinstance(part, Stack)]
    beside = Picture(drawn.title, (*above, Beside(tuple(lanes))))
    return max((drawn, beside), key=_scale)


def _scale(picture: Picture) -> float:
    scenes = [part.scene(LIGHT) for part in picture.parts]
    return min(ROOM[0] / max(scene.width for scene in scenes), ROOM[1] / sum(scene.height for scene in scenes))


def _facts(x: Instruction | MatrixCopy) -> str:
    if isinstance(x, MatrixCopy):
        size = f"{x.matrices} × 8 × 8 elements of 16 bits"
    else:
        blocks = f", {x.blocks} blocks" if x.blocks > 1 else ""
        types = ", ".join(f"{operand.upper()} {lane_map.dtype}" for operand, lane_map in x.maps.items())
        types += f", scales {x.scales.a.dtype} for {x.scales.block} along k each" if x.scales else ""
        size = f"m = {x.m}, n = {x.n}, k = {x.k}{blocks} · {types}"
    return f"{x.vendor} {x.arch} · {size} · {x.lanes} lanes · {x.source} (confidence: {x.confidence})"


def _formulas(instruction: Instruction | MatrixCopy) -> str:
    """One column an operand, one row a notation."""
    maps = {operand: lane_map for operand, lane_map in instruction.maps.items() if operand != "d"}
    found = [{x.name: x for x in notations(lane_map)} for lane_map in maps.values()]
    rows = [_row("names", "", [x.upper() if len(x) == 1 else x for x in maps])]
    for name in SHOWN:
        rows.append(_row("", name, [x[name].text or f"({x[name].why_not})" for x in found]))
    registers = [f"{x.registers[0]} … {x.registers[-1]}" if x.elements > 1 else x.registers[0] for x in maps.values()]
    return f"<table>{''.join(rows)}{_row('', 'registers', registers)}</table>"


def _row(kind: str, head: str, cells: list[str]) -> str:
    return f'<tr class="{kind}"><th>{escape(head)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
