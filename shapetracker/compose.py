"""When do stacked boxes make one box? The exact decision."""

from __future__ import annotations

from itertools import product

from shapetracker.box import Bounds, Box, canonical, lookup_stack, volume

LIMIT = 1 << 20


def compose(boxes: tuple[Box, ...]) -> Box | None:
    """The one box that a stack (innermost first) is, or None when it is not one."""
    outer = boxes[-1]
    if volume(outer.bounds) > LIMIT:
        return None
    points = {}
    for point in product(*(range(begin, end) for begin, end in outer.bounds)):
        index = lookup_stack(boxes, point)
        if index is not None:
            points[point] = index
    return _one_box(outer.shape, points)


def _one_box(shape: tuple[int, ...], points: dict[tuple[int, ...], int]) -> Box | None:
    rank = len(shape)
    if not points:
        return canonical(shape, (0,) * rank, 0, ((0, 0),) * rank) if rank else None
    bounds: Bounds = tuple((min(p[d] for p in points), max(p[d] for p in points) + 1) for d in range(rank))
    if volume(bounds) != len(points):
        return None
    first = tuple(begin for begin, _ in bounds)
    base = points[first]
    strides = tuple(
        points[(*first[:d], begin + 1, *first[d + 1 :])] - base if end - begin > 1 else 0
        for d, (begin, end) in enumerate(bounds)
    )
    offset = base - sum(s * f for s, f in zip(strides, first, strict=True))
    for point, index in points.items():
        if index != offset + sum(s * p for s, p in zip(strides, point, strict=True)):
            return None
    return canonical(shape, strides, offset, bounds)
