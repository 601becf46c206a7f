"""A strided masked box as plain data, in its one canonical form: what views and composition both speak of.

A box is a function. A point of the box that lies inside every axis's bounds has the memory index
``offset + Σ stride·position``; every other point is invalid.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

Bounds = tuple[tuple[int, int], ...]


class Box(NamedTuple):
    """A shape with strides, an offset, and the half-open ``(begin, end)`` of the valid positions of each axis."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    bounds: Bounds

    @property
    def empty(self) -> bool:
        """Whether no point is valid."""
        for begin, end in self.bounds:  # noqa: SIM110  (this is asked of every pair, and a loop is faster)
            if begin >= end:
                return True
        return False


def row_major_strides(shape: Iterable[int]) -> tuple[int, ...]:
    """The strides of a contiguous box, with 0 on axes of size 1 (and 0 everywhere when a size is 0).

    >>> row_major_strides((2, 1, 3))
    (3, 0, 1)
    """
    strides: list[int] = []
    step = 1
    for size in reversed(tuple(shape)):
        strides.append(0 if size == 1 else step)
        step *= size
    return tuple(reversed(strides)) if step else (0,) * len(strides)


def contiguous_box(shape: tuple[int, ...]) -> Box:
    """The box that reads 0, 1, 2, … in row-major order.

    >>> contiguous_box((2, 3)).strides
    (3, 1)
    """
    return Box(shape, row_major_strides(shape), 0, tuple((0, size) for size in shape))


def canonical(shape: tuple[int, ...], strides: tuple[int, ...], offset: int, bounds: Bounds) -> Box:
    """The one form that a function has, so that equal functions are equal boxes.

    An axis with a single valid position has stride 0 and its step folded into the offset, because no step along it
    can be observed. A box without a valid point has strides 0, offset 0 and bounds (0, 0), except where a size is 0:
    there is no point to be invalid, so its bounds are full.

    >>> canonical((4, 3), (3, 1), 0, ((2, 3), (0, 3)))
    Box(shape=(4, 3), strides=(0, 1), offset=6, bounds=((2, 3), (0, 3)))
    """
    for begin, end in bounds:
        if end - begin <= 1:
            break
    else:
        return Box(shape, strides, offset, bounds)
    if 0 in shape:
        return Box(shape, (0,) * len(shape), 0, tuple((0, size) for size in shape))
    kept = list(strides)
    for axis, (begin, end) in enumerate(bounds):
        if begin >= end:
            return Box(shape, (0,) * len(shape), 0, ((0, 0),) * len(shape))
        if end - begin == 1:
            offset += kept[axis] * begin
            kept[axis] = 0
    return Box(shape, tuple(kept), offset, bounds)


def index_range(box: Box) -> tuple[int, int] | None:
    """The least and the greatest memory index of a valid point, or None when no point is valid.

    >>> index_range(Box((4,), (-2,), 9, ((1, 4),)))
    (3, 7)
    """
    low = high = box.offset
    for (begin, end), stride in zip(box.bounds, box.strides, strict=True):
        if begin >= end:
            return None
        if stride >= 0:
            low += stride * begin
            high += stride * (end - 1)
        else:
            low += stride * (end - 1)
            high += stride * begin
    return low, high


def lookup(box: Box, point: Iterable[int]) -> int | None:
    """The memory index at a point, or None where the point is invalid.

    >>> lookup(Box((4,), (2,), 5, ((1, 4),)), (3,)), lookup(Box((4,), (2,), 5, ((1, 4),)), (0,))
    (11, None)
    """
    index = box.offset
    for position, stride, (begin, end) in zip(point, box.strides, box.bounds, strict=True):
        if not begin <= position < end:
            return None
        index += position * stride
    return index


def unravel(index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The row-major position of a flat index.

    >>> unravel(7, (2, 3, 4))
    (0, 1, 3)
    """
    digits = []
    for size in reversed(shape):
        index, digit = divmod(index, size)
        digits.append(digit)
    return tuple(reversed(digits))


def lookup_stack(boxes: tuple[Box, ...], point: Iterable[int]) -> int | None:
    """The memory index at a point of the outermost (last) box, looked up through all the others.

    >>> inner, outer = Box((4, 3), (1, 4), 0, ((0, 4), (0, 3))), contiguous_box((12,))
    >>> [lookup_stack((inner, outer), (i,)) for i in range(6)]
    [0, 4, 8, 1, 5, 9]
    """
    index = lookup(boxes[-1], point)
    for box in boxes[-2::-1]:
        if index is None:
            return None
        index = lookup(box, unravel(index, box.shape))
    return index


def volume(bounds: Bounds) -> int:
    """The number of points inside the bounds.

    >>> volume(((1, 3), (0, 5)))
    10
    """
    return prod(max(0, end - begin) for begin, end in bounds)


def merge_axes(box: Box) -> Box:
    """The same flat function with the fewest axes: neighbours that act as one axis become one.

    Two neighbours (n, s, [b, e)) and (m, t, [c, d)) act as one axis of size n·m exactly when

    - only one position of the first is valid: then the valid points are one run with step t; or
    - all positions of the second are valid, and s = m·t (or m = 1): the steps carry over.

    Otherwise the valid points of the joined axis have a gap, or two of its steps differ. A run of axes that acts as
    one does so in each part, so joining greedily from the left reaches the fewest axes.

    >>> merge_axes(Box((2, 3, 4), (12, 4, 1), 5, ((0, 2), (0, 3), (0, 4))))
    Box(shape=(24,), strides=(1,), offset=5, bounds=((0, 24),))
    >>> merge_axes(Box((2, 3), (1, 2), 0, ((0, 2), (0, 3)))).shape
    (2, 3)
    """
    shape, strides, offset, bounds = box
    if len(shape) < 2:
        return box
    if 0 in shape:
        return Box((0,), (0,), 0, ((0, 0),))
    sizes, steps, valid = [shape[0]], [strides[0]], [bounds[0]]
    for m, t, (c, d) in zip(shape[1:], strides[1:], bounds[1:], strict=True):
        n, s, (b, e) = sizes[-1], steps[-1], valid[-1]
        if e - b <= 1:
            offset += s * b - t * b * m
            sizes[-1], steps[-1], valid[-1] = n * m, t, (b * m + c, b * m + d)
        elif d - c == m and (m == 1 or s == m * t):
            sizes[-1], steps[-1], valid[-1] = n * m, (s if m == 1 else t), (b * m, e * m)
        else:
            sizes.append(m)
            steps.append(t)
            valid.append((c, d))
    return canonical(tuple(sizes), tuple(steps), offset, tuple(valid))
