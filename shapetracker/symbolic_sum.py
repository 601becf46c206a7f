"""One view looked up in another, where their parts hold expressions: a view that serves every binding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from shapetracker.compose import compose
from shapetracker.expr import Expr, as_expr
from shapetracker.symbolic import SymbolicView, as_symbolic, symbolic
from shapetracker.symbolic_fit import Parts, each_binding, fit_view, with_values
from shapetracker.symbolic_lookup import look_up
from shapetracker.symbolic_stack import unbind_views
from shapetracker.symbolic_values import greatest, least, need, row_major, same, simple
from shapetracker.view import View, check_in_range


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
    return _one_view((one, other), guards)


def merge_runs(views: Sequence[View]) -> tuple[View, ...]:
    """The same function in fewer views: runs of neighbours merged, where that is one view for every binding.

    >>> from shapetracker.expr import Variable
    >>> i = Variable("i", 1, 6)
    >>> merge_runs([View.create((i, 4)), View.create((i * 4,)), View.create((4, i))])
    (View(shape=(4, i), strides=(i, 1), offset=0),)
    """
    found, length = tuple(views), 2
    while length <= len(found):
        for start in reversed(range(len(found) - length + 1)):
            one = _merged(found[start : start + length])
            if one is not None:
                found, length = (*found[:start], one, *found[start + length :]), 2
                break
        else:
            length += 1
    return found


def joined(views: tuple[SymbolicView, ...], guards: tuple[Expr, ...]) -> Parts | None:
    """The strides, offset and bounds of a stack, where it is one view in each binding that meets the guards.

    >>> from shapetracker.expr import Variable
    >>> i = Variable("i", 1, 6)
    >>> stack = View.create((4, i)).permute((1, 0)), View.create((i, 2, 2))
    >>> joined(tuple(map(as_symbolic, stack)), ())
    ([1, i*2, i], 0, ((0, i), (0, 2), (0, 2)))
    """
    if len(views) == 2:
        one, other = views
        inner, outer = (one.shape, one.strides, one.offset, one.bounds()), (other.strides, other.offset, other.bounds())
        found = look_up(inner, outer, guards)
        if found is not None:
            return found
    return _fitted(views, guards)


@lru_cache(maxsize=256)
def _fitted(views: tuple[SymbolicView, ...], guards: tuple[Expr, ...]) -> Parts | None:
    """The strides, offset and bounds that fit the plain views of all bindings."""
    unbound, values = unbind_views(views)
    free = [as_symbolic(view) for view in unbound]
    conditions = [guard.unbind()[0] for guard in guards]
    variables = {variable for view in free for variable in view.vars()}
    variables |= {variable for guard in conditions for variable in guard.variables()}
    samples = each_binding(variables, lambda at: _plain(free, at), conditions)
    if samples is None:
        return None
    found = fit_view(free[-1].bounds(), [part for view in free for part in view.parts()], samples)
    return None if found is None else with_values(found, values)


def _plain(views: Sequence[View], at: Mapping[Any, int]) -> View | None:
    """The one view of a stack in one binding."""
    bound = [view.bind(at) for view in views]
    for inner, outer in pairwise(bound):
        check_in_range(inner, outer)
    found = compose(tuple(view.box for view in bound))
    return None if found is None else View.from_box(found)


def _merged(views: tuple[View, ...]) -> View | None:
    if len(views) == 2:
        return views[0] + views[1]
    stack = tuple(as_symbolic(view) for view in views)
    guards = [guard for view in stack for guard in view.guards]
    return _one_view(stack, (*guards, *[guard for one, other in pairwise(stack) for guard in _in_range(one, other)]))


def _one_view(views: tuple[SymbolicView, ...], guards: tuple[Expr, ...]) -> View | None:
    parts = joined(views, guards)
    return None if parts is None else symbolic(views[-1].shape, *parts, guards)


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
