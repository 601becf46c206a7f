"""One view looked up in another, where their parts hold expressions: a view that serves every binding."""

from __future__ import annotations

from functools import lru_cache

from shapetracker.expr import Expr, as_expr
from shapetracker.symbolic import SymbolicView, as_symbolic, symbolic
from shapetracker.symbolic_fit import Parts, each_binding, fit_view, with_values
from shapetracker.symbolic_lookup import look_up
from shapetracker.symbolic_stack import unbind_views
from shapetracker.symbolic_values import greatest, least, need, row_major, same, simple
from shapetracker.view import View


def symbolic_sum(inner: View, outer: View) -> View | None:
    """The elements of `outer` looked up in `inner`, where that is one view for every binding.

    None where it is not one view for some binding. None, too, where no closed form tells, and there are more than
    `shapetracker.symbolic_fit.BINDINGS` bindings, or their views have no common form that is found.

    >>> from shapetracker.expr import Variable
    >>> i = Variable("i", 1, 6)
    >>> symbolic_sum(View.create((i, 4), offset=3), View.create((4, i), (1, 4)))
    View(shape=(4, i), strides=(1, 4), offset=3)
    >>> symbolic_sum(View.create((4, i)).permute((1, 0)), View.create((i, 4)).flip(0))
    View(shape=(i, 4), strides=(-1, i), offset=i - 1)
    """
    one, other = as_symbolic(inner), as_symbolic(outer)
    guards = (*one.guards, *other.guards, *_in_range(one, other))
    if other.contiguous and same(one.size(), other.size()):
        found = one.reshape(other.shape)
        if found is not None:
            made = as_symbolic(found)
            return symbolic(made.shape, made.strides, made.offset, made.mask, (*guards, *made.guards))
    if one.mask is None and all(map(same, one.strides, row_major(one.shape))):
        return symbolic(other.shape, other.strides, other.offset + one.offset, other.mask, guards)
    parts = look_up(
        (one.shape, one.strides, one.offset, one.bounds()), (other.strides, other.offset, other.bounds()), guards
    ) or _fitted(one, other)
    return None if parts is None else symbolic(other.shape, *parts, guards)


@lru_cache(maxsize=256)
def _fitted(inner: SymbolicView, outer: SymbolicView) -> Parts | None:
    """The strides, offset and bounds that the sum has in each binding."""
    views, values = unbind_views((inner, outer))
    one, other = map(as_symbolic, views)
    guards = (*one.guards, *other.guards)
    samples = each_binding(one.vars() | other.vars(), lambda at: one.bind(at) + other.bind(at), guards)
    if samples is None:
        return None
    found = fit_view(other.bounds(), [*one.parts(), *other.parts()], samples)
    return None if found is None else with_values(found, values)


def _in_range(inner: SymbolicView, outer: SymbolicView) -> tuple[Expr, ...]:
    """Guards: every valid point of `outer` looks inside of `inner`, or no point is valid."""
    low = high = as_expr(outer.offset)
    counts = []
    for step, (begin, end) in zip(outer.strides, outer.bounds(), strict=True):
        ends = as_expr(step * begin), as_expr(step * (end - 1))
        low, high = low + least(*ends), high + greatest(*ends)
        counts.append(simple(end - begin))
    size = inner.size()
    told = f"view {outer} reads the elements {simple(low)} … {simple(high)} of a view of shape {inner.shape}"
    nothing = [as_expr(count <= 0) for count in counts if as_expr(count).min <= 0]
    return tuple(
        guard
        for condition in (low >= 0, high < size)
        for guard in need(sum(nothing, start=as_expr(condition)) >= 1, told)
    )
