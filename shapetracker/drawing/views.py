"""Pictures of views: memory order beside logical order, joined by colour, and the expressions between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from shapetracker.drawing.grid import Cell, Grid, Ring
from shapetracker.drawing.layout import Beside, Code, Stack, Words
from shapetracker.drawing.memory import Buffer, Jump, MemoryStrip, minus, tuple_text
from shapetracker.drawing.picture import Part, Picture

if TYPE_CHECKING:
    from shapetracker.tracker import ShapeTracker
    from shapetracker.view import View
    from shapetracker.why import Why

Marks = Mapping[tuple[int, ...], Ring]
"""The elements that have a ring."""

BLOCKS = 8
"""Blocks of a 3-D or 4-D view drawn along one direction; of more, the first and last few."""


def draw_view(view: "View", buffer: Sequence[int] | None = None) -> Picture:
    """The picture of one view; see `draw_tracker`.

    Examples
    --------
    >>> from shapetracker import View
    >>> print(draw_view(View.create((2, 2), strides=(1, 2))))
    memory  as far as the view reads: 0 … 3
    0 1 2 3
    one step along an axis is a jump in memory: axis 0: +1, axis 1: +2
    <BLANKLINE>
    view  shape (2, 2), strides (1, 2)
       0 1  axis 1 →
    0  0 2
    1  1 3
    axis 0 ↓
    <BLANKLINE>
    index     idx0 + idx1*2
    valid if  always
    """
    from shapetracker.tracker import ShapeTracker

    return draw_tracker(ShapeTracker((view,)), buffer)


def draw_tracker(tracker: "ShapeTracker", buffer: Sequence[int] | None = None) -> Picture:
    """The picture of a stack of views.

    Memory as a strip; each view as a grid whose numbers and colours are the memory addresses that its elements read;
    the expression that computes the address, and the one that says whether there is one.

    Parameters
    ----------
    tracker : ShapeTracker
    buffer : tuple of int, optional
        The shape of the buffer, which names its size and its rows. Without it both are read off the innermost view,
        and the picture says that memory is shown as far as the view reads.

    Returns
    -------
    Picture
    """
    memory = _buffer(tracker.views[0], buffer)
    parts: list[Part] = [MemoryStrip(memory, tuple(jumps(tracker.views)))]
    for number, view in enumerate(tracker.views):
        title = "view" if len(tracker.views) == 1 else f"view {number + 1}"
        parts.append(_drawn(tracker.views[: number + 1], memory, title, _caption(view)))
    parts.append(expressions(tracker))
    return Picture(f"shape {tracker.shape}", tuple(parts))


def draw_why(why: "Why") -> Picture:
    """The evidence that two views are not one: the unequal steps over memory, or the hole in the box.

    Examples
    --------
    >>> from shapetracker import View
    >>> from shapetracker.why import why_not_reshape
    >>> print(draw_why(why_not_reshape(View.create((2, 3), (1, 2)), (6,))))
    reshape (2, 3) to (6,) is not one view: the steps of axis 0 differ. From (0,) to (1,) the memory index goes from
    0 to 2, a step of 2; from (2,) to (3,) it goes from 4 to 1, a step of -3.
    <BLANKLINE>
    memory  as far as the view reads: 0 … 5
    0 1 2 3 4 5
    two steps along axis 0: +2, −3
    <BLANKLINE>
    the line of 6  read through both views
      0   1 2  3  4 5  axis 0 →
    [0] [2] 4! 1! 3 5
    <BLANKLINE>
    Black frames, [ ] in text: one step. Red, ! in text: the step that differs.
    """
    from shapetracker.witness import Hole, Steps

    memory = _buffer(why.inner, None)
    marks: dict[tuple[int, ...], Ring] = {}
    strip, legend = MemoryStrip(memory), ""
    match why.evidence:
        case Steps() as steps:
            jumped = []
            for start, odd in ((steps.one, False), (steps.other, True)):
                end = tuple(i + (d == steps.axis) for d, i in enumerate(start))
                marks |= {start: "error" if odd else "ink", end: "error" if odd else "ink"}
                here, there = why.index(start), why.index(end)
                if here is not None and there is not None:
                    jumped.append(Jump(here, there, "", odd))
            strip = MemoryStrip(memory, tuple(jumped), f"two steps along axis {steps.axis}: ")
            legend = "Black frames, [ ] in text: one step. Red, ! in text: the step that differs."
        case Hole() as hole:
            marks |= dict.fromkeys(hole.around, "ink")
            marks[hole.point] = "error"
            legend = "Black frames, [ ] in text: valid elements around the hole. Red: the masked element among them."
    shape = why.outer.shape
    title = f"the line of {shape[0]}" if len(shape) == 1 else f"shape {tuple_text(shape)}"
    grid = _drawn((why.inner, why.outer), memory, title, "read through both views", marks)
    return Picture(why.question, (Words(str(why)), strip, grid, *([Words(legend)] if legend else [])))


def expressions(tracker: "ShapeTracker") -> Code:
    """The index expression as the views build it and simplified, and when it is valid."""
    index, valid = tracker.expr_idxs()
    built, simple = index.render(), index.simplify().render()
    condition = {"1": "always", "0": "never"}.get(text := valid.simplify().render(), text)
    lines = [("index", built)] if built == simple else [("as built", built), ("simplified", simple)]
    return Code((*lines, ("valid if", condition)))


def addresses(views: "Sequence[View]", index: Sequence[int]) -> list[int | None]:
    """The flat index that an element has in each view below, ending in memory; None from where it is masked.

    Outermost first. The outermost view's own index comes in as `index`.

    Examples
    --------
    >>> from shapetracker import ShapeTracker
    >>> addresses(ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,)).views, (5,))
    [5, 7]
    """
    found: list[int | None] = []
    for level, view in enumerate(reversed(views)):
        if view.mask and not all(b <= i < e for i, (b, e) in zip(index, view.mask, strict=True)):
            return found + [None] * (len(views) - level)
        below = view.offset + sum(i * s for i, s in zip(index, view.strides, strict=True))
        found.append(below)
        if level + 1 < len(views):
            index = unravel(below, views[-level - 2].shape)
    return found


def unravel(flat: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The row-major digits of a flat index.

    Examples
    --------
    >>> unravel(13, (4, 6))
    (2, 1)
    """
    digits = []
    for size in reversed(shape):
        flat, digit = divmod(flat, size)
        digits.append(digit)
    return tuple(reversed(digits))


def jumps(views: "Sequence[View]") -> Iterator[Jump]:
    """One step along each axis, from the first element that has a valid neighbour along all of them."""
    shape = views[-1].shape
    if not shape or 0 in shape:
        return
    box = views[-1].mask or tuple((0, size) for size in shape)
    start = tuple(begin for begin, _ in box)
    here = addresses(views, start)[-1]
    if here is None:
        return
    for axis in range(len(shape)):
        step = tuple(i + (d == axis) for d, i in enumerate(start))
        there = addresses(views, step)[-1] if step[axis] < box[axis][1] else None
        if there is not None and there != here:
            yield Jump(here, there, f"axis {axis}: ")


def _buffer(inner: "View", shape: Sequence[int] | None) -> Buffer:
    """The size and the row of the buffer: given, or as far as the innermost view reaches and steps."""
    from shapetracker.box import index_range

    if shape is not None:
        size = prod(shape)
        return Buffer(size, shape[-1] if len(shape) > 1 and shape[-1] > 1 else _eighth(size))
    reach = index_range(inner.box) if prod(inner.shape) else None
    size = reach[1] + 1 if reach else 0
    steps = {abs(s) for s, n in zip(inner.strides, inner.shape, strict=True) if n > 1 and abs(s) > 1}
    if not steps or size < 2:
        return Buffer(size, _eighth(size), known=False)
    row = min(steps, key=lambda s: max(s * s / size, size / (s * s)))  # the squarest: likely a row
    return Buffer(size, row, known=False)


def _eighth(size: int) -> int:
    return max(2, -(-size // 8))


def _caption(view: "View") -> str:
    words = [f"shape {tuple_text(view.shape)}", f"strides {tuple_text(view.strides)}"]
    if view.offset:
        words.append(f"offset {minus(view.offset)}")
    if view.mask is not None:
        words.append(f"mask {tuple_text(view.mask)}")
    return ", ".join(words)


def _drawn(views: "Sequence[View]", memory: Buffer, title: str, caption: str, marks: "Marks | None" = None) -> Part:
    """The grid of a view; of three and four axes a grid of grids, of more the leading ones together."""
    shape = views[-1].shape
    if prod(shape) == 0:
        return Words(f"{caption}\nNo elements: an axis has size 0.", bold=title)
    if len(shape) <= 2:
        return _block(views, memory, (), title, caption, marks)
    lead = shape[:-2]
    across = lead[-1]
    lines: list[Part] = []
    for prefix in product(*(_some(size) for size in lead[:-1])):
        if None in prefix:
            lines.append(Words("…"))
            continue
        blocks: list[Part] = [
            Words("…") if b is None else _block(views, memory, (*prefix, b), "", "", marks) for b in _some(across)
        ]
        lines.append(Beside(tuple(blocks), 14))
    return Stack((Words(caption, bold=title), *lines))


def _some(size: int) -> list[int | None]:
    return list(range(size)) if size <= BLOCKS else [0, 1, 2, None, size - 2, size - 1]


def _block(
    views: "Sequence[View]",
    memory: Buffer,
    prefix: Sequence[int | None],
    title: str,
    caption: str,
    marks: "Marks | None",
) -> Grid:
    """The last two axes as a grid; a view of one axis is one row, a view of none one cell."""
    shape = views[-1].shape
    flat = len(shape) < 2
    rows, columns = (1, shape[0] if shape else 1) if flat else shape[-2:]

    def cell(row: int, column: int) -> Cell:
        index = ((column,) if shape else ()) if flat else (*prefix, row, column)
        address = addresses(views, index)[-1]  # type: ignore[arg-type]
        words = "is masked" if address is None else f"reads memory[{address}]"
        ring = (marks or {}).get(index)  # type: ignore[arg-type]
        return replace(memory.cell(address, f"[{', '.join(map(str, index))}] {words}"), ring=ring)

    wide = max(26, 8 * len(str(memory.size)) + 6)
    return Grid(
        rows,
        columns,
        cell,
        title=title,
        caption=f"[{', '.join(map(str, prefix))}, ·, ·]" if prefix else caption,
        row_labels=() if flat else None,
        column_labels=None if shape else (),
        row_axis="" if flat or prefix else "axis 0 ↓",
        column_axis="" if prefix or not shape else f"axis {len(shape) - 1} →",
        width=wide,
    )
