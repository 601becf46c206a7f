"""One view looked up in another, where their parts hold expressions: a view that serves every binding."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod

from shapetracker.errors import ViewError
from shapetracker.expr import Expr, as_expr
from shapetracker.indexing import index_and_valid
from shapetracker.symbolic import SymbolicView, as_symbolic, greatest, least, need, row_major, same, symbolic, whole
from shapetracker.view import View

BINDINGS = 1024
"""The greatest number of bindings that are tried one by one."""


def symbolic_sum(inner: View, outer: View) -> View | None:
    """The elements of `outer` looked up in `inner`, where that is one view for every binding.

    None where it is not one view for some binding. None, too, where no closed form tells, and either `inner` has a
    mask, or a size that may be 0, or there are more than `BINDINGS` bindings.

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
    if one.mask is None and all(as_expr(size).min > 0 for size in one.shape) and _one_view_for_each(one, other):
        return _by_first_steps(one, other, guards)
    return None


def _by_first_steps(inner: SymbolicView, outer: SymbolicView, guards: tuple[Expr, ...]) -> View:
    """The view that the first valid point of `outer` and the steps from there say, if it is one view."""
    corner = [as_expr(begin) for begin, _ in outer.bounds()]

    def read(point: list[Expr]) -> Expr:
        return index_and_valid((inner, outer), point)[0]

    first = read(corner)
    steps = [read([*corner[:axis], at + 1, *corner[axis + 1 :]]) - first for axis, at in enumerate(corner)]
    start = first - sum(step * at for step, at in zip(steps, corner, strict=True))
    return symbolic(outer.shape, steps, start, outer.mask, guards)


@lru_cache(maxsize=256)
def _one_view_for_each(inner: SymbolicView, outer: SymbolicView) -> bool:
    """Whether the concrete sum is one view in each binding in which the parts and their guards hold."""
    variables = sorted(inner.vars() | outer.vars(), key=lambda variable: variable.name)
    if prod(variable.max - variable.min + 1 for variable in variables) > BINDINGS:
        return False
    for values in product(*[range(variable.max, variable.min - 1, -1) for variable in variables]):
        at = dict(zip(variables, values, strict=True))
        try:
            found = inner.bind(at) + outer.bind(at)
        except ViewError:
            continue
        if found is None:
            return False
    return True


def _in_range(inner: SymbolicView, outer: SymbolicView) -> tuple[Expr, ...]:
    """Guards: every valid point of `outer` looks inside of `inner`, or no point is valid."""
    low = high = as_expr(outer.offset)
    counts = []
    for step, (begin, end) in zip(outer.strides, outer.bounds(), strict=True):
        ends = as_expr(step * begin), as_expr(step * (end - 1))
        low, high = low + least(*ends), high + greatest(*ends)
        counts.append(whole(end - begin))
    size = inner.size()
    told = f"view {outer} reads the elements {whole(low)} … {whole(high)} of a view of shape {inner.shape}"
    nothing = [as_expr(count <= 0) for count in counts if as_expr(count).min <= 0]
    return tuple(
        guard
        for condition in (low >= 0, high < size)
        for guard in need(sum(nothing, start=as_expr(condition)) >= 1, told)
    )
