"""Reshape where sizes hold expressions: groups of axes with equal products, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shapetracker.expr import Expr
from shapetracker.expr.nodes import IntLike
from shapetracker.symbolic_values import full, same, simple
from shapetracker.view import View

Axis = tuple[IntLike, IntLike, tuple[IntLike, IntLike]]
Found = tuple[list[IntLike], IntLike, list[tuple[IntLike, IntLike]] | None]


def regroup(
    shape: Sequence[IntLike],
    strides: Sequence[IntLike],
    mask: Sequence[tuple[IntLike, IntLike]] | None,
    sizes: Sequence[IntLike],
) -> Found | None:
    """The strides of the new shape, what is added to the offset, and the mask; None where they are not found.

    Both shapes are cut, from the right, wherever the products of their sizes agree in every binding. A group of
    integers is an ordinary reshape. A group with expressions must act as one axis. That may be masked where the new
    group is a single axis; else its stride gives the others.

    >>> from shapetracker.expr import Variable
    >>> i = Variable("i", 1, 6)
    >>> regroup((i, 4, 6), (24, 1, 4), None, (i, 2, 2, 6))
    ([24, 2, 1, 4], 0, None)
    """
    if any(same(size, 0) for size in sizes):
        return [0] * len(sizes), 0, None
    bounds = [(0, size) for size in shape] if mask is None else list(mask)
    steps: list[IntLike] = []
    found: list[tuple[IntLike, IntLike]] = []
    moved: IntLike = 0
    for old, new in _groups(shape, sizes):
        group = _one_group(shape[old], strides[old], bounds[old], sizes[new])
        if group is None:
            return None
        steps += group[0]
        moved = moved + group[1]
        found += group[2] or [(0, size) for size in sizes[new]]
    return steps, moved, None if mask is None else found


def _groups(old: Sequence[IntLike], new: Sequence[IntLike]) -> list[tuple[slice, slice]]:
    """The finest cuts of both shapes into groups with equal products; the first group takes what is left."""
    groups: list[tuple[slice, slice]] = []
    a, b, end_a, end_b = len(old), len(new), len(old), len(new)
    left: IntLike = 1
    right: IntLike = 1
    while a and b:
        if end_a == a:
            a -= 1
            left = left * old[a]
        if end_b == b:
            b -= 1
            right = right * new[b]
        while not same(left, right) and (a or b):
            if a and (not b or _may_grow(left, right)):
                a -= 1
                left = left * old[a]
            else:
                b -= 1
                right = right * new[b]
        groups.append((slice(a, end_a), slice(b, end_b)))
        end_a, end_b, left, right = a, b, 1, 1
    if groups and (a or b):
        last_a, last_b = groups[-1]
        groups[-1] = (slice(0, last_a.stop), slice(0, last_b.stop))
    elif a or b:
        groups.append((slice(0, a), slice(0, b)))
    return groups[::-1]


def _may_grow(left: IntLike, right: IntLike) -> bool:
    """Whether the left product is to take an axis: it is smaller, or divides less of the right one."""
    low = left.max if isinstance(left, Expr) else left
    high = right.max if isinstance(right, Expr) else right
    return low < high or (low == high and not isinstance(left, Expr) and isinstance(right, Expr))


def _one_group(
    shape: Sequence[Any], strides: Sequence[Any], bounds: Sequence[tuple[Any, Any]], sizes: Sequence[Any]
) -> Found | None:
    parts = [*shape, *strides, *(x for pair in bounds for x in pair), *sizes]
    if not any(isinstance(part, Expr) for part in parts):
        view = View.create(shape, strides, 0, bounds).reshape(sizes)
        return (
            None if view is None else (list(view.strides), view.offset, None if view.mask is None else list(view.mask))
        )
    axes = [axis for axis, size in enumerate(shape) if not (same(size, 1) and full(bounds[axis], 1))]
    run = _as_one_axis([(shape[axis], strides[axis], bounds[axis]) for axis in axes])
    if run is None:
        return None
    (size, step, bound), moved = run
    wide = [axis for axis, other in enumerate(sizes) if not same(other, 1)] or [0][: len(sizes)]
    if len(wide) == 1:
        found: list[tuple[IntLike, IntLike]] = [(0, 1)] * len(sizes)
        found[wide[0]] = bound
        return [step if axis == wide[0] else 0 for axis in range(len(sizes))], moved, found
    if not full(bound, size):
        return None
    steps: list[IntLike] = []
    for other in reversed(sizes):
        steps.append(step)
        step = step * other
    return steps[::-1], moved, None


def _as_one_axis(axes: Sequence[Axis]) -> tuple[Axis, IntLike] | None:
    """The one axis that neighbouring axes act as, and what the offset gains."""
    moved: IntLike = 0
    one: Axis = axes[0] if axes else (1, 0, (0, 1))
    for axis in axes[1:]:
        found = join(one, axis)
        if found is None:
            return None
        one, more = found
        moved = moved + more
    return one, moved


def join(one: Axis, other: Axis) -> tuple[Axis, IntLike] | None:
    """The axis that two neighbours act as, and what the offset gains; None where they are not seen to act as one.

    The laws are those of `shapetracker.box.merge_axes`, where they are seen to hold in every binding.

    >>> join((2, 12, (0, 2)), (3, 4, (0, 3)))
    ((6, 4, (0, 6)), 0)
    """
    n, step, (begin, end) = one
    m, pace, (first, last) = other
    if same(end - begin, 1):
        return (simple(n * m), pace, (simple(begin * m + first), simple(begin * m + last))), simple(
            (step - pace * m) * begin
        )
    if full((first, last), m) and (same(step, m * pace) or same(m, 1)):
        return (simple(n * m), step if same(m, 1) else pace, (simple(begin * m), simple(end * m))), 0
    return None
