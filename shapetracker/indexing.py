"""Views as expressions: the memory index and the validity of a point."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from shapetracker.errors import ViewError
from shapetracker.expr import Const, Expr, Variable, as_expr
from shapetracker.movements import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapetracker.view import View


def index_and_valid(views: Sequence[View], idxs: Sequence[Expr | int] | None = None) -> tuple[Expr, Expr]:
    """See `ShapeTracker.expr_idxs`."""
    shape = views[-1].shape
    if idxs is None:
        points: list[Expr] = [_position(axis, size) for axis, size in enumerate(shape)]
    else:
        points = [as_expr(idx) for idx in listed("expr_idxs", idxs, "tuple of indices")]
        if len(points) != len(shape):
            raise ViewError(f"expr_idxs {shape}: {len(points)} indices for {len(shape)} axes")
    if 0 in shape or any((0, 0) in (view.mask or ()) for view in views):
        return Const(0), Const(0)
    conditions: list[Expr] = []
    index = _view_index(views[-1], points, conditions)
    for view in reversed(views[:-1]):
        index = _view_index(view, _digits(index, view.shape), conditions)
    valid: Expr = Const(1)
    if conditions:
        valid = conditions[0]
        for condition in conditions[1:]:
            valid = valid & condition
    return index, valid


def flat_index_and_valid(views: Sequence[View], idx: Expr | int | None = None) -> tuple[Expr, Expr]:
    """See `ShapeTracker.expr_node`."""
    shape = views[-1].shape
    flat = Variable("idx", 0, max(0, as_expr(prod(shape)).max - 1)) if idx is None else as_expr(idx)
    if 0 in shape:
        return Const(0), Const(0)
    return index_and_valid(views, _digits(flat, shape))


def _position(axis: int, size: int) -> Expr:
    most = as_expr(size).max
    return Const(0) if most <= 1 else Variable(f"idx{axis}", 0, most - 1)


def _view_index(view: View, points: Sequence[Expr], conditions: list[Expr]) -> Expr:
    """The flat index of a point in one view; the conditions of its mask are appended."""
    index: Expr | int = 0
    for axis, (point, step) in enumerate(zip(points, view.strides, strict=True)):
        if step != 0:
            index = index + (point if step == 1 else point * step)
        if view.mask is not None:
            begin, end = view.mask[axis]
            if as_expr(begin).max > 0:
                conditions.append(as_expr(point >= begin))
            if as_expr(view.shape[axis] - end).simplify().max > 0:
                conditions.append(as_expr(point < end))
    return as_expr(index + view.offset) if view.offset != 0 else as_expr(index)


def _digits(flat: Expr, shape: Sequence[int]) -> list[Expr]:
    """The row-major digits of a flat index: ``flat // place % size``, without the steps that do nothing."""
    digits: list[Expr] = []
    place = 1
    leading = next((axis for axis, size in enumerate(shape) if size != 1), 0)
    for axis in range(len(shape) - 1, -1, -1):
        size = shape[axis]
        if size == 1:
            digits.append(Const(0))
            continue
        digit = flat if place == 1 else flat // place
        digits.append(as_expr(digit if axis == leading else digit % size))
        place *= size
    return digits[::-1]
