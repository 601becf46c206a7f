"""Exact questions about a stack of boxes: fixed steps, masked axes, the greatest index.

Each is answered from the stack's independent blocks. A block of more points than are looked at is answered by ranges:
a mask that no index reaches hides nothing, and an axis with stride 0 changes nothing. Where that does not decide, the
answer is the one that promises less: no fixed step, masked, and a bound on the greatest index.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import prod

from shapetracker.box import Box, index_range, merge_axes
from shapetracker.components import Block, Table, TooLargeError, tabulate
from shapetracker.values import Line, Values, extremes


def fixed_strides(boxes: tuple[Box, ...]) -> tuple[int | None, ...]:
    """The step of the memory index between valid points along each axis; None where it is not the same everywhere.

    Along an axis on which no two valid points lie, the step is 0.

    >>> inner = Box((4, 6), (1, 4), 0, ((0, 4), (0, 6)))
    >>> fixed_strides((inner, Box((24,), (1,), 0, ((0, 24),))))
    (None,)
    >>> fixed_strides((inner, Box((2, 12), (12, 1), 0, ((0, 2), (0, 12)))))
    (2, None)
    """
    if len(boxes) == 1:
        return boxes[0].strides
    blocks = _blocks(boxes)
    steps: list[int | None] = [0] * len(boxes[-1].shape)
    if blocks is None:
        return tuple([None if step else 0 for step in boxes[-1].strides])
    for block, values in blocks:
        for place, axis in enumerate(block.axes):
            if isinstance(values, Line):
                steps[axis] = values.step
            else:
                steps[axis] = None if values is None else _step_along(block, values, place)
    return tuple(steps)


def masked_axes(boxes: tuple[Box, ...]) -> tuple[bool, ...]:
    """Whether validity depends on each axis: some valid point has an invalid one on its line along the axis.

    >>> masked_axes((Box((4, 6), (6, 1), 0, ((0, 4), (1, 6))),))
    (False, True)
    """
    outer = boxes[-1]
    masked = [bounds != (0, size) for bounds, size in zip(outer.bounds, outer.shape, strict=True)]
    if nothing_valid(boxes):
        return (False,) * len(masked)
    blocks = _blocks(boxes)
    if blocks is None:
        hides = _by_ranges(boxes)[1]
        return tuple([known or (hides and step != 0) for known, step in zip(masked, outer.strides, strict=True)])
    for block, values in blocks:
        for place, axis in enumerate(block.axes):
            if values is None:
                masked[axis] = masked[axis] or _by_ranges(boxes)[1]
            elif isinstance(values, list) and None in values:
                lines = _lines(block, values, place)
                masked[axis] = masked[axis] or any(0 < line.count(None) < len(line) for line in lines)
    return tuple(masked)


def some_invalid(boxes: tuple[Box, ...]) -> bool:
    """Whether some point is invalid.

    >>> some_invalid((Box((4,), (1,), 0, ((0, 4),)),))
    False
    """
    outer = boxes[-1]
    if any(bounds != (0, size) for bounds, size in zip(outer.bounds, outer.shape, strict=True)):
        return True
    if 0 in outer.shape:
        return False
    if nothing_valid(boxes):
        return True
    blocks = _blocks(boxes)
    if blocks is not None and any(isinstance(values, list) and None in values for _, values in blocks):
        return True
    return (blocks is None or any(values is None for _, values in blocks)) and _by_ranges(boxes)[1]


def nothing_valid(boxes: tuple[Box, ...]) -> bool:
    """Whether no point is valid (as far as tables and ranges tell).

    >>> nothing_valid((Box((4,), (0,), 0, ((0, 0),)),))
    True
    """
    return _blocks(boxes) is _NOTHING


def greatest_index(boxes: tuple[Box, ...]) -> int | None:
    """The greatest memory index that a valid point reads, or None where no point is valid.

    >>> inner = Box((100,), (1,), 0, ((0, 100),))
    >>> greatest_index((Box((150,), (1,), 0, ((0, 100),)), Box((15, 10), (10, 1), 0, ((0, 15), (0, 10)))))
    99
    """
    blocks = _blocks(boxes)
    if blocks is _NOTHING:
        return None
    if blocks is None or any(values is None for _, values in blocks):
        bound = _by_ranges(boxes)[0]
        return None if bound is None else bound[1]
    table = _table(boxes)
    return (table.constant if table else 0) + sum(extremes(values)[1] for _, values in blocks if values is not None)


_NOTHING: tuple[tuple[Block, Values | None], ...] = ((Block((), (), ()), []),)


def _table(boxes: tuple[Box, ...]) -> Table | None:
    outer = boxes[-1]
    return None if outer.empty or any(box.empty for box in boxes) else tabulate(boxes, outer.bounds)


@lru_cache(maxsize=256)
def _blocks(boxes: tuple[Box, ...]) -> tuple[tuple[Block, Values | None], ...] | None:
    """The blocks with all their values, None for those of too many points; `_NOTHING` where no point is valid.

    None instead of the blocks where finding them would already look at too many points.
    """
    if _by_ranges(boxes)[0] is None:
        return _NOTHING
    try:
        table = _table(boxes)
    except TooLargeError:
        return None
    found = () if table is None else tuple([(block, _values(block)) for block in table.blocks])
    if table is None or any(isinstance(values, list) and values.count(None) == len(values) for _, values in found):
        return _NOTHING
    return found


def _values(block: Block) -> Values | None:
    try:
        return block.values()
    except TooLargeError:
        return None


def _by_ranges(boxes: tuple[Box, ...]) -> tuple[tuple[int, int] | None, bool]:
    """Bounds on the memory index of valid points, None where there is none; and whether a lower mask may hide points.

    Each box is looked up with a range of flat indices, which reaches a range of the box's first axis.
    """
    span, hides = index_range(boxes[-1]), False
    for inner in reversed(boxes[:-1]):
        if span is None:
            break
        shape, strides, offset, bounds = merge_axes(inner)
        if shape:
            place = prod(shape[1:])
            first, last = span[0] // place, span[1] // place
            (begin, end), *others = bounds
            hides = (
                hides
                or begin > first
                or end <= last
                or any(bound != (0, size) for bound, size in zip(others, shape[1:], strict=True))
            )
            bounds = ((max(begin, first), min(end, last + 1)), *others)
        span = index_range(Box(shape, strides, offset, bounds))
    return span, hides


def _lines(block: Block, values: list[int | None], place: int) -> Iterator[list[int | None]]:
    """The values along one axis of a block, line by line."""
    count, step = block.counts[place], prod(block.counts[place + 1 :])
    for start in range(0, len(values), count * step):
        for inner in range(start, start + step):
            yield values[inner : inner + count * step : step]


def _step_along(block: Block, values: list[int | None], place: int) -> int | None:
    step: int | None = None
    for line in _lines(block, values, place):
        valid = [(position, value) for position, value in enumerate(line) if value is not None]
        for (p, low), (q, high) in pairwise(valid):
            if step is None:
                step, rest = divmod(high - low, q - p)
                if rest:
                    return None
            if high - low != step * (q - p):
                return None
    return 0 if step is None else step
