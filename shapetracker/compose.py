"""When do stacked boxes make one box? The exact decision.

A point of the outer box has a flat index, which is unravelled, row-major, into the digits of the inner box:
``digit k = ⌊g / place k⌋ mod size k``. The composite is one box exactly when its valid points are a box (or none) and
the memory index is affine on them. Written with floors instead of digits, that index is::

    index = offset + Σ defect k · ⌊g / place k⌋        defect k = stride k − size k+1 · stride k+1

so only the floors with a defect can bend it. Four lemmas decide, each of them an if-and-only-if where it speaks.

- **One floor.** `_floor`: whether ⌊g/A⌋ is affine on a box is read off two corners.
- **Several floors.** `_bends`: with no floor bent, the index is affine; with exactly one bent floor (among those that
  share an axis), it is not; two or more may cancel, which is left to the tables.
- **Masks.** `_tighten`: below an affine floor, ``begin ≤ digit < end`` is a linear constraint. Interval propagation
  shrinks the box and loses no valid point. A smaller box may make further floors affine, so it repeats until nothing
  changes. There, constraints that hold everywhere are no constraints any more; a single one that fails on one side
  only leaves valid points that span the box and an invalid corner inside it: not a box.
- **Independence.** Affine floors cut the digits into pieces; pieces without a common axis do not know each other.
  What stays open is tabulated piece by piece, by `shapetracker.components`, up to `LIMIT` points.

The problem is coNP-hard in the number of axes (a modular subset sum fits into it), so there is a limit, and beyond it
the answer is UNDECIDED and never a false no.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from shapetracker.box import Bounds, Box, canonical, lookup_stack, merge_axes, volume
from shapetracker.components import Block, TooLargeError, tabulate
from shapetracker.fit import Fit, fit
from shapetracker.witness import find_witness

_SMALL = (512, 256)
"""Up to this many points a table costs less than a search for a witness: for two boxes, and for more."""


class Answer(Enum):
    """Why there is no single box: proven, or not decided within the limit."""

    NO = "no"
    UNDECIDED = "undecided"


def compose(boxes: tuple[Box, ...]) -> Box | None:
    """The one box that a stack (innermost first) is, or None where it is not one or that is undecided.

    >>> inner = Box((10, 9, 4), (140, 11, 13), 0, ((0, 10), (0, 9), (0, 4)))
    >>> compose((inner, Box((6,), (9,), 0, ((0, 6),)))).strides
    (35,)
    """
    found = decide(boxes)
    return found if isinstance(found, Box) else None


@lru_cache(maxsize=4096)
def decide(boxes: tuple[Box, ...]) -> Box | Answer:
    """The one box that a stack of canonical boxes (innermost first) is, or why there is none.

    Every valid point of a box must lie inside of the box that it is looked up in.
    """
    outer = boxes[-1]
    if len(boxes) == 1 or 0 in outer.shape:
        return outer
    if not outer.shape:
        index = lookup_stack(boxes, ())
        return Answer.NO if index is None else Box((), (), index, ())
    if outer.empty or any(box.empty for box in boxes):
        return _nothing_valid(outer.shape)
    bounds = outer.bounds
    if len(boxes) == 2:
        found, bounds = by_closed_forms(boxes[0], outer)
        if found is not None:
            return found
    return _by_tables(boxes, bounds)


def _nothing_valid(shape: tuple[int, ...]) -> Box:
    return canonical(shape, (0,) * len(shape), 0, ((0, 0),) * len(shape))


def _by_tables(boxes: tuple[Box, ...], bounds: Bounds) -> Box | Answer:
    """The decision for the valid points of the outermost box inside of `bounds`, by tables of independent parts."""
    if volume(bounds) > _SMALL[len(boxes) > 2] and find_witness(boxes, bounds) is not None:
        return Answer.NO
    shape = boxes[-1].shape
    try:
        table = tabulate(boxes, bounds)
    except TooLargeError:
        return Answer.UNDECIDED
    fits = [] if table is None else [_fit(block) for block in table.blocks]
    if table is None or None in fits:
        return _nothing_valid(shape)
    for answer in (Answer.UNDECIDED, Answer.NO):  # a block that is undecided may be empty, and then all is
        if answer in fits:
            return answer
    offset = table.constant
    valid, strides = list(bounds), [0] * len(shape)
    for block, found in zip(table.blocks, fits, strict=True):
        if isinstance(found, Fit):
            offset += found.first
            for axis, (begin, end), step in zip(block.axes, found.bounds, found.steps, strict=True):
                start = bounds[axis][0]
                valid[axis], strides[axis] = (start + begin, start + end), step
    offset -= sum([step * begin for step, (begin, _) in zip(strides, valid, strict=True)])
    return canonical(shape, tuple(strides), offset, tuple(valid))


def _fit(block: Block) -> Fit | Answer | None:
    try:
        found = fit(block)
    except TooLargeError:
        return Answer.UNDECIDED
    return Answer.NO if isinstance(found, bool) else found


# --- closed forms for two boxes --------------------------------------------------------------------------------------


class Form(NamedTuple):
    """An affine form over the live axes, counted from the first corner of the box: ``first + Σ steps·position``."""

    first: int
    steps: list[int]


class Piece(NamedTuple):
    """Neighbouring digits between two affine floors; their joint value, in units of the last digit, is affine."""

    start: int
    stop: int
    value: Form


def by_closed_forms(inner: Box, outer: Box) -> tuple[Box | Answer | None, Bounds]:
    """One box, a proven no, or None where the closed forms do not decide; and the bounds that masks leave.

    >>> inner = Box((4, 6), (1, 4), 0, ((0, 4), (0, 6)))
    >>> by_closed_forms(inner, Box((24,), (1,), 0, ((0, 24),)))
    (<Answer.NO: 'no'>, ((0, 24),))
    """
    digits = merge_axes(inner)
    places = places_of(digits.shape)
    masked = [k for k, (size, bound) in enumerate(zip(digits.shape, digits.bounds, strict=True)) if bound != (0, size)]
    live = [axis for axis, step in enumerate(outer.strides) if step]
    begins = [outer.bounds[axis][0] for axis in live]
    counts = [end - begin for begin, end in [outer.bounds[axis] for axis in live]]
    steps = [outer.strides[axis] for axis in live]
    still_open = -1
    while still_open < 0:
        first = outer.offset + sum([step * begin for step, begin in zip(steps, begins, strict=True)])
        pieces = cut(places, Form(first, steps), counts)
        found = _meet_masks(digits, places, masked, pieces, begins, counts) if masked else 0
        if found is None:
            return _nothing_valid(outer.shape), outer.bounds
        still_open = found
    left = list(outer.bounds)
    for axis, begin, count in zip(live, begins, counts, strict=True):
        left[axis] = (begin, begin + count)
    bounds = tuple(left)
    if still_open == 1:
        return Answer.NO, bounds  # a single constraint, and it fails on one side only
    if still_open:
        return None, bounds
    bent = [(piece, bends) for piece in pieces if (bends := _bends(digits, piece))]
    if bent:
        return (Answer.NO if _one_bends_alone(bent, counts) else None), bounds
    return _affine(digits, outer.shape, live, pieces, begins, counts, bounds), bounds


def cut(places: list[int], rest: Form, counts: list[int]) -> list[Piece]:
    """Cut the digits of an affine index wherever the floor between two of them is affine on the box.

    The digits of shape (4, 6) for the index 6·i + 2·j are i and 2·j where j has three positions, and one piece where
    it has four.

    >>> [(piece.start, piece.stop) for piece in cut(places_of((4, 6)), Form(0, [6, 2]), [4, 3])]
    [(0, 1), (1, 2)]
    >>> [(piece.start, piece.stop) for piece in cut(places_of((4, 6)), Form(0, [6, 2]), [3, 4])]
    [(0, 2)]
    """
    pieces, start = [], 0
    for k, place in enumerate(places):
        if place == 1:
            pieces.append(Piece(start, k + 1, rest))
            break
        quotient = _floor(rest, counts, place)
        if quotient is None:
            continue
        pieces.append(Piece(start, k + 1, quotient))
        steps = [step - place * up for step, up in zip(rest.steps, quotient.steps, strict=True)]
        rest, start = Form(rest.first - place * quotient.first, steps), k + 1
    return pieces


def _meet_masks(
    digits: Box, places: list[int], masked: list[int], pieces: list[Piece], begins: list[int], counts: list[int]
) -> int | None:
    """Apply each mask below an affine floor to the box.

    Returns None where no point is left, −1 where the box has shrunk, and else how many one-sided constraints are open
    (two for a mask below a bent floor, which is no linear constraint).
    """
    still_open = 0
    for piece in pieces:
        for k in masked:
            if k == piece.start:
                place = places[k] // places[piece.stop - 1]
                begin, end = digits.bounds[k]
                sides = _tighten(piece.value, begin * place, end * place - 1, begins, counts)
                if sides is None or sides < 0:
                    return sides
                still_open += sides
            elif piece.start < k < piece.stop:
                still_open += 2
    return still_open


def places_of(sizes: tuple[int, ...]) -> list[int]:
    """What one step of each digit adds to a row-major flat index.

    >>> places_of((2, 3, 4))
    [12, 4, 1]
    """
    places = [1] * len(sizes)
    for k in range(len(sizes) - 1, 0, -1):
        places[k - 1] = places[k] * sizes[k]
    return places


def _floor(form: Form, counts: list[int], place: int) -> Form | None:
    """``⌊form / place⌋`` where it is affine on the box, else None.

    If it is affine, its step along an axis is what the first step along that axis shows, and what the floor leaves
    lies in [0, place) everywhere. If what those steps leave lies in [0, place) everywhere, they are the floor. What
    they leave is affine, so its two extreme corners tell.
    """
    quotient, left = divmod(form.first, place)
    low = high = left
    steps = []
    for step, count in zip(form.steps, counts, strict=True):
        if count == 1:
            steps.append(0)
            continue
        up = (left + step) // place
        steps.append(up)
        slope = (step - place * up) * (count - 1)
        if slope > 0:
            high += slope
        else:
            low += slope
    return Form(quotient, steps) if low >= 0 and high < place else None


def _tighten(form: Form, low: int, high: int, begins: list[int], counts: list[int]) -> int | None:
    """Shrink the box to where ``low ≤ form ≤ high`` can hold, axis by axis: no valid point is lost.

    Returns None where nothing is left, −1 where the box has shrunk (it must be looked at again), and else the number
    of sides on which the constraint still fails somewhere: 0 says that it holds on the whole box.
    """
    least = most = form.first
    for step, count in zip(form.steps, counts, strict=True):
        if step > 0:
            most += step * (count - 1)
        else:
            least += step * (count - 1)
    if least > high or most < low:
        return None
    sides = (least < low) + (most > high)
    if not sides:
        return 0
    shrunk = False
    for axis, (step, count) in enumerate(zip(form.steps, counts, strict=True)):
        if not step or count == 1:
            continue
        pace, up, down = abs(step), high - least, most - low
        # Along a positive step the first positions may be too low and the last ones too high; else the other way.
        keep_first, keep_last = min(count - 1, up // pace), min(count - 1, down // pace)
        cut_head, cut_tail = count - 1 - keep_last, count - 1 - keep_first
        if step < 0:
            cut_head, cut_tail = cut_tail, cut_head
        if cut_head or cut_tail:
            if cut_head + cut_tail >= count:
                return None
            begins[axis] += cut_head
            counts[axis] -= cut_head + cut_tail
            shrunk = True
    return -1 if shrunk else sides


def _bends(digits: Box, piece: Piece) -> int:
    """The number of bent floors inside of a piece that have a defect, so that they bend the memory index."""
    sizes, strides = digits.shape, digits.strides
    return sum(strides[k] != sizes[k + 1] * strides[k + 1] for k in range(piece.start, piece.stop - 1))


def _one_bends_alone(bent: list[tuple[Piece, int]], counts: list[int]) -> bool:
    """Whether some piece has exactly one bend and shares no axis with another bent piece: nothing can cancel it."""
    touched = [{axis for axis, step in enumerate(piece.value.steps) if step and counts[axis] > 1} for piece, _ in bent]
    return any(
        bends == 1 and not any(touched[this] & other for that, other in enumerate(touched) if that != this)
        for this, (_, bends) in enumerate(bent)
    )


def _affine(
    digits: Box,
    shape: tuple[int, ...],
    live: list[int],
    pieces: list[Piece],
    begins: list[int],
    counts: list[int],
    bounds: Bounds,
) -> Box:
    """The box of an index that is affine: every piece has one stride, that of its last digit."""
    offset, strides = digits.offset, [0] * len(shape)
    for piece in pieces:
        stride = digits.strides[piece.stop - 1]
        offset += stride * piece.value.first
        for axis, step, count in zip(live, piece.value.steps, counts, strict=True):
            if count > 1:
                strides[axis] += stride * step
    offset -= sum([strides[axis] * begin for axis, begin in zip(live, begins, strict=True)])
    return canonical(shape, tuple(strides), offset, bounds)
