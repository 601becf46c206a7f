"""What stacks of views mean, worked out point by point with plain loops. Slow and obvious, on purpose."""

from __future__ import annotations

from itertools import product
from typing import Any

INVALID = None


def read(stack: Any, point: tuple[int, ...]) -> int | None:
    """The memory index at a point of the outermost view of a stack (innermost first), None where invalid."""
    index = 0
    for level, view in enumerate(reversed(stack)):
        if level:
            rest, digits = index, []
            for size in reversed(view.shape):
                digits.append(rest % size)
                rest //= size
            point = tuple(reversed(digits))
        index = view.offset
        for axis, position in enumerate(point):
            index += view.strides[axis] * position
            if view.mask is not None and not view.mask[axis][0] <= position < view.mask[axis][1]:
                return INVALID
    return index


def points_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All points of a shape, in row-major order."""
    return list(product(*[range(size) for size in shape]))


def table(stack: Any) -> dict[tuple[int, ...], int | None]:
    """The memory index at each point, None where invalid."""
    return {point: read(stack, point) for point in points_of(stack[-1].shape)}


def is_one_view(values: dict[tuple[int, ...], int | None]) -> bool:
    """Whether the valid points are a box (or none, in a shape with axes) and the index is affine on it."""
    valid = {point: index for point, index in values.items() if index is not None}
    if not valid:
        return () not in values
    rank = len(next(iter(valid)))
    spans = [(min(p[axis] for p in valid), max(p[axis] for p in valid)) for axis in range(rank)]
    box = list(product(*[range(low, high + 1) for low, high in spans]))
    if any(point not in valid for point in box):
        return False
    for axis in range(rank):
        steps = set()
        for point in box:
            after = (*point[:axis], point[axis] + 1, *point[axis + 1 :])
            if after in valid:
                steps.add(valid[after] - valid[point])
        if len(steps) > 1:
            return False
    return True


def fixed_step(values: dict[tuple[int, ...], int | None], axis: int) -> int | None:
    """The step between valid points along an axis, None where it is not the same everywhere; 0 if there is no pair."""
    lines: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for point, index in values.items():
        if index is not None:
            lines.setdefault((*point[:axis], *point[axis + 1 :]), []).append((point[axis], index))
    found = set()
    for line in lines.values():
        for here, low in line:
            found.update((high - low) / (there - here) for there, high in line if there > here)
    if not found:
        return 0
    step = found.pop()
    return None if found or step != int(step) else int(step)


def depends_on_axis(values: dict[tuple[int, ...], int | None], axis: int) -> bool:
    """Whether a valid and an invalid point lie on one line along the axis."""
    lines: dict[tuple[int, ...], set[bool]] = {}
    for point, index in values.items():
        lines.setdefault((*point[:axis], *point[axis + 1 :]), set()).add(index is None)
    return any(len(seen) == 2 for seen in lines.values())
