"""The views that undo a view, or a stack of them."""

from __future__ import annotations

from itertools import product
from math import prod

from shapetracker.box import Box, canonical, index_range, lookup_stack, row_major_strides, volume
from shapetracker.components import LIMIT


def inverse(box: Box) -> Box | None:
    """From memory indices back to flat positions: at memory index p, the position of the box that reads p.

    The result has one axis for each axis of several valid positions, the longest step first. None unless the valid
    points read 0, 1, … each exactly once. A sum of arithmetic progressions does that exactly when, sorted by their
    steps, the first step is 1 and each next one is the step before times its count: the least index that the
    progressions so far do not reach must be the next step.

    >>> inverse(Box((2, 3), (1, 2), 0, ((0, 2), (0, 3))))
    Box(shape=(3, 2), strides=(1, 3), offset=0, bounds=((0, 3), (0, 2)))
    """
    found = index_range(box)
    if found is None:
        return None
    if found[0] != 0:
        return None
    offset, place = 0, 1
    axes = []
    for size, step, (begin, end) in zip(reversed(box.shape), reversed(box.strides), reversed(box.bounds), strict=True):
        offset += place * (begin if step >= 0 else end - 1)
        if end - begin > 1:
            axes.append((abs(step), end - begin, place if step > 0 else -place))
        place *= size
    axes.sort()
    expected = 1
    for pace, count, _ in axes:
        if pace != expected:
            return None
        expected *= count
    axes.reverse()
    shape = tuple([count for _, count, _ in axes])
    full = tuple([(0, count) for count in shape])
    return canonical(shape, tuple([back for _, _, back in axes]), offset, full)


def inverse_stack(boxes: tuple[Box, ...], size: int) -> tuple[Box, ...] | None:
    """The stack that undoes a stack (innermost first), from `size` memory indices to flat positions of the outermost.

    None unless the valid points read 0 … size − 1, each exactly once. Box by box where each of them does so; else
    the stack is looked up point by point (None, too, where it has more than `shapetracker.components.LIMIT` points),
    and the inverse is built from its runs, by `from_runs`.

    >>> twice, shifted = Box((2, 3), (0, 1), 0, ((0, 2), (0, 3))), Box((3,), (1,), 1, ((0, 3),))
    >>> [lookup_stack((twice, shifted), (i,)) for i in range(3)]
    [1, 2, 0]
    >>> back = inverse_stack((twice, shifted), 3)
    >>> [lookup_stack(back, (p,)) for p in range(3)]
    [2, 0, 1]
    """
    backward = _box_by_box(boxes, size)
    if backward is not None:
        return backward
    positions = _positions(boxes, size)
    if positions is None:
        return None
    return from_runs(positions, prod(boxes[-1].shape))


def _box_by_box(boxes: tuple[Box, ...], size: int) -> tuple[Box, ...] | None:
    backward: list[Box] = []
    for box in boxes:
        back = inverse(box) if volume(box.bounds) == size else None
        if back is None:
            return None
        backward.append(back)
        size = prod(box.shape)
    return tuple(reversed(backward))


def _positions(boxes: tuple[Box, ...], size: int) -> list[int] | None:
    """At each memory index, the flat position that reads it; None unless each of 0 … size − 1 is read exactly once."""
    outer = boxes[-1]
    points = volume(outer.bounds)
    if points > LIMIT or points < size:
        return None
    positions = [-1] * size
    places = row_major_strides(outer.shape)
    for point in product(*[range(begin, end) for begin, end in outer.bounds]):
        index = lookup_stack(boxes, point)
        if index is None:
            continue
        if not 0 <= index < size or positions[index] >= 0:
            return None
        positions[index] = sum([at * place for at, place in zip(point, places, strict=True)])
    return None if -1 in positions else positions


def from_runs(values: list[int], size: int) -> tuple[Box, ...]:
    """A stack of boxes over len(values) positions that reads these values, each below `size`: there always is one.

    The values are cut into runs that count up by one. All positions are moved up by `size`, out of the way. From
    there the uppermost run is carried down to where it belongs, by a *jump*, ``x + by·[x ≥ start]``, which moves
    nothing else; then the next one. And a jump is a stack: a box of two rows that overlap, or that lie apart, `by`
    further than their length, is looked up so that the second row begins at `start`. So a stack of two boxes a run
    reads any values at all.

    >>> stack = from_runs([4, 5, 0, 2], 6)
    >>> len(stack), [lookup_stack(stack, (p,)) for p in range(4)]
    (7, [4, 5, 0, 2])
    """
    starts = [p for p in range(len(values)) if not p or values[p] != values[p - 1] + 1]
    if len(starts) == 1:
        return (canonical((len(values),), (1,), values[0], ((0, len(values)),)),)
    top = size + len(values)
    stack = [Box((len(values),), (1,), size, ((0, len(values)),))]
    for start in reversed(starts):
        begin, to = size + start, values[start]
        row = max(begin, top - begin)
        shift = row - begin  # so that a row ends where the run begins
        memory = top if start else size
        padded = Box((shift + max(memory, begin, to + row),), (1,), -shift, ((shift, shift + memory),))
        rows = Box((2, row), (row + to - begin, 1), 0, ((0, 2), (0, row)))
        stack = [padded, rows, stack[0]._replace(offset=stack[0].offset + shift), *stack[1:]]
    return tuple(stack)
