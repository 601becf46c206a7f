"""A stack of boxes in fewer boxes."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from shapetracker.box import Box, canonical, merge_axes
from shapetracker.compose import Form, Piece, compose, cut, places_of


@lru_cache(maxsize=4096)
def simplify_stack(boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """The same function in fewer boxes (innermost first): no run of neighbours in the result is one box.

    >>> inner = Box((2, 3), (1, 2), 0, ((0, 2), (0, 3)))
    >>> flip, back = Box((6,), (-1,), 5, ((0, 6),)), Box((6,), (-1,), 5, ((0, 6),))
    >>> simplify_stack((inner, flip, back)) == (inner, Box((6,), (1,), 0, ((0, 6),)))
    True
    """
    length = 2
    while length <= len(boxes):
        for start in reversed(range(len(boxes) - length + 1)):
            found = compose(boxes[start : start + length])
            if found is not None:
                boxes = (*boxes[:start], found, *boxes[start + length :])
                length = 2
                break
        else:
            length += 1
    return _without_masks(boxes)


def _without_masks(boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """Fewer boxes by taking the mask of one into the box below, where the box above merges then."""
    for start in range(len(boxes) - 2):
        inner, masked, outer = boxes[start : start + 3]
        taken = take_mask_in(inner, masked)
        if taken is None:
            continue
        merged = compose((taken[1], outer))
        if merged is not None:
            return simplify_stack((*boxes[:start], taken[0], merged, *boxes[start + 3 :]))
    return boxes


def take_mask_in(inner: Box, outer: Box) -> tuple[Box, Box] | None:
    """Two boxes with the same function, of which the outer one has no mask; None where padding cannot express it.

    On its valid box, the outer box gives each piece of inner digits a value that is affine. Continued over the whole
    shape, that value leaves the range of its piece; padding the piece's first digit makes room. It is the same
    function when each position that the mask excludes moves some piece out of its range on its own, whatever the
    other axes do: then it falls on padding.

    >>> inner = Box((4,), (3,), 0, ((0, 4),))
    >>> padded = Box((6,), (1,), -1, ((1, 5),))
    >>> take_mask_in(inner, padded)[1].bounds
    ((0, 6),)
    """
    if (
        outer.empty
        or inner.empty
        or all(bound == (0, size) for bound, size in zip(outer.bounds, outer.shape, strict=True))
    ):
        return None
    digits = merge_axes(inner)
    rank = len(outer.shape)
    counts = [end - begin for begin, end in outer.bounds]
    corner = [begin for begin, _ in outer.bounds]
    first = outer.offset + sum([step * begin for step, begin in zip(outer.strides, corner, strict=True)])
    pieces = cut(places_of(digits.shape), Form(first, list(outer.strides)), counts)
    if not _falls_on_padding(digits, outer, pieces):
        return None
    widths = [(0, 0)] * len(digits.shape)
    for piece in pieces:
        low, high = _reach(piece, outer)
        place = prod(digits.shape[piece.start + 1 : piece.stop])
        widths[piece.start] = (max(0, -(low // place)), max(0, high // place + 1 - digits.shape[piece.start]))
    padded = Box(
        tuple([size + before + after for size, (before, after) in zip(digits.shape, widths, strict=True)]),
        digits.strides,
        digits.offset - sum([step * before for step, (before, _) in zip(digits.strides, widths, strict=True)]),
        tuple([(b + before, e + before) for (b, e), (before, _) in zip(digits.bounds, widths, strict=True)]),
    )
    places = places_of(padded.shape)
    offset, strides = 0, [0] * rank
    for piece in pieces:
        offset += places[piece.start] * widths[piece.start][0]
        place = places[piece.stop - 1]
        offset += place * piece.value.first
        for axis, step in enumerate(piece.value.steps):
            strides[axis] += place * step
    offset -= sum([step * begin for step, begin in zip(strides, corner, strict=True)])
    full = tuple([(0, size) for size in outer.shape])
    return canonical(*padded), canonical(outer.shape, tuple(strides), offset, full)


def _reach(piece: Piece, outer: Box) -> tuple[int, int]:
    """The least and the greatest value of a piece over the whole shape of the outer box, masked or not."""
    low = high = piece.value.first
    for step, size, (begin, _) in zip(piece.value.steps, outer.shape, outer.bounds, strict=True):
        ends = (-step * begin, step * (size - 1 - begin))
        low, high = low + min(ends), high + max(ends)
    return low, high


def _falls_on_padding(digits: Box, outer: Box, pieces: list[Piece]) -> bool:
    """Whether each position that the mask of the outer box excludes moves some piece out of its range on its own."""
    caught = set()
    for piece in pieces:
        moving = [axis for axis, step in enumerate(piece.value.steps) if step]
        if len(moving) != 1:
            continue
        (axis,) = moving
        begin, end = outer.bounds[axis]
        size = prod(digits.shape[piece.start : piece.stop])
        for position in (begin - 1, end):  # the value is monotone, so the nearest excluded position tells
            if not 0 <= piece.value.first + piece.value.steps[axis] * (position - begin) < size:
                caught.add((axis, position))
    return all(
        (begin == 0 or (axis, begin - 1) in caught) and (end == size or (axis, end) in caught)
        for axis, ((begin, end), size) in enumerate(zip(outer.bounds, outer.shape, strict=True))
    )
