"""Kernels in pictures: from views, from the index to the lane; in Python, each source line with what it became."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING

import numpy as np

from gpuemu.drawing.lanes import draw_lane_map
from gpuemu.drawing.programs import Listing, Row, draw_program, says
from gpuemu.tensorcores import Instruction, LaneMap
from gpuemu.tensorcores.nvidia import shared_operand
from gpuemu.uops import OPS
from shapetracker.drawing.layout import Beside, Code, Stack, Words
from shapetracker.drawing.picture import Part, Picture
from shapetracker.drawing.views import draw_tracker
from shapetracker.expr import Const, Expr

if TYPE_CHECKING:
    from gpuemu.kernels.access import Access
    from gpuemu.kernels.kernel_from_views import KernelFromViews
    from gpuemu.kernels.python.launch import Compiled

LARGEST = 400
"""Elements of a view that is drawn; of a larger one the words must do."""
EXAMPLE = 5
"""The lane, or the point, whose way to memory is followed."""
MOST_ELEMENTS = 8
_OPERANDS = {"out": "d", "a": "a", "b": "b"}


def draw_kernel(kernel: KernelFromViews) -> Picture:
    """The operands with their views and expressions, the lane maps between, and the program.

    Examples
    --------
    >>> from gpuemu.kernels.from_views import elementwise
    >>> from shapetracker import ShapeTracker
    >>> turned = ShapeTracker.from_shape((2, 3)).permute((1, 0))
    >>> kernel = elementwise(lambda x: x * 2, ShapeTracker.from_shape((3, 2)), turned)
    >>> print("\\n".join(str(draw_kernel(kernel)).split("\\n")[:3]))
    elementwise  1×1×1 workgroups of 64×1×1 lanes; each lane computes the addresses below
    <BLANKLINE>
    out  float32, written
    """
    groups, lanes = ("×".join(map(str, size)) for size in (kernel.global_size, kernel.local_size))
    by = f" on {kernel.instruction.name}" if kernel.instruction else ""
    words = Words(f"{groups} workgroups of {lanes} lanes{by}; each lane computes the addresses below", bold=kernel.name)
    parts: list[Part] = [words]
    for number, access in enumerate(kernel.accesses):
        parts.append(_access(kernel, access, number))
    return Picture(kernel.name, (*parts, *draw_program(kernel.program).parts))


def _access(kernel: KernelFromViews, access: Access, number: int) -> Part:
    """An operand: its view, the view of the lanes, the expressions."""
    head = Words(f"{access.dtype}, {'read' if number else 'written'}", bold=access.name)
    lines = [("view", repr(access.tracker))]
    if access.reached != access.tracker:
        lines.append(("seen by lanes", repr(access.reached)))
    lines += [("index as built", access.index.render()), ("index", access.simple_index.render())]
    if access.valid.render() != "1":
        lines += [("valid as built", access.valid.render()), ("valid", access.simple_valid.render())]
    lines += _example(kernel, access)
    pictures: list[Part] = []
    if access.tracker.size <= LARGEST:
        pictures.append(Stack(draw_tracker(access.tracker).parts))
    if kernel.instruction:
        pictures.append(_lanes(kernel.instruction, access.name))
    return Stack((head, Code(tuple(lines)), *([Beside(tuple(pictures))] if pictures else [])))


def _example(kernel: KernelFromViews, access: Access) -> list[tuple[str, str]]:
    """One lane's way to memory: where the elements that it holds lie."""
    shape = access.reached.shape
    if 0 in shape:
        return []
    held = kernel.instruction and _held(kernel.instruction, access.name)
    if not held or len(shape) != 2 + len(held.lane_shape) + len(held.element_shape):
        variables = sorted({*access.index.variables(), *access.valid.variables()}, key=lambda v: v.name)
        values = {v: min(EXAMPLE if v.name in ("idx", "place") else 1, v.max) for v in variables}
        at = ", ".join(f"{v.name} = {value}" for v, value in values.items()) or "the one point"
        number = _number(access.index.substitute(values), access.valid.substitute(values))
        return [("for example", f"{at}: {access.name}[{number}]")]
    lane = min(EXAMPLE, held.lanes - 1)
    digits = np.unravel_index(lane, held.lane_shape)
    elements = islice(np.ndindex(*held.element_shape), MOST_ELEMENTS)
    points = ([Const(int(i)) for i in (0, 0, *digits, *element)] for element in elements)
    places = [_number(*access.reached.expr_idxs(point)) for point in points]
    more = " …" if held.elements > MOST_ELEMENTS else ""
    return [("for example", f"lane {lane} of tile (0, 0) holds {access.name}[{', '.join(places)}{more}]")]


def _number(index: Expr, valid: Expr) -> str:
    """Which element of memory; where there is none, that it is not read."""
    return index.simplify().render() if valid.simplify() == Const(1) else "none"


def _held(instruction: Instruction, name: str) -> LaneMap | None:
    """Which lanes hold an operand; None where it lies in shared memory."""
    if instruction.scales and name.startswith("scale"):
        return instruction.scales.a if name == "scale_a" else instruction.scales.b
    return instruction.maps.get(_OPERANDS[name])


def _lanes(instruction: Instruction, name: str) -> Part:
    """The matrix of an operand with the lane that holds each element; in shared memory, with its place."""
    lane_map = _held(instruction, name)
    if lane_map is not None:
        return draw_lane_map(lane_map).parts[0]
    tile = draw_lane_map(shared_operand(instruction), "register").parts[0]
    return Stack((Words("a tile lies in shared memory; the number of an element is its place there"), tile))


def draw_compiled(compiled: Compiled) -> Picture:
    """A Python kernel: each line of its source above the lines of the program that it became."""
    program = compiled.program
    texts = program.to_text().rstrip("\n").split("\n")[1:]
    parts: list[Part] = [Words(f"{len(texts)} lines from Python", bold=program.name)]
    for source, numbers in groupby(range(len(texts)), key=lambda number: compiled.sources[number]):
        rows = [Row(n, texts[n], says(program.lines, n), OPS[program.lines[n].uop].meaning) for n in numbers]
        words = Words("the arguments") if source is None else Words(source.text.strip(), bold=f"line {source.number}")
        parts.append(Stack((words, Listing(tuple(rows))), gap=4))
    return Picture(program.name, tuple(parts))
