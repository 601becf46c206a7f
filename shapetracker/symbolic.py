"""Views whose shape, strides, offset or mask hold expressions: one view for every binding of its variables.

What an operation needs of its arguments becomes a *guard* where it depends on the variables: a condition that the
result carries, and that is checked when it is bound. Binding gives the plain view, and an operation before binding is
the same as after it: ``op(v).bind(values) == op(v.bind(values))``, for each binding that meets the guards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import index
from typing import Any

from shapetracker.errors import UndecidedError, ViewError
from shapetracker.expr import Const, Eq, Expr, Variable, as_expr
from shapetracker.expr.nodes import IntLike
from shapetracker.movements import check_order, check_rank, check_steps, listed, listed_pairs, whole
from shapetracker.symbolic_reshape import regroup
from shapetracker.symbolic_values import given_values, greatest, least, need, row_major, same, simple
from shapetracker.view import View

Pairs = tuple[tuple[IntLike, IntLike], ...]
Values = Mapping[Any, int]


@dataclass(frozen=True, slots=True, repr=False)
class SymbolicView(View):
    """A view with expressions in the places of integers, and the guards that a binding must meet.

    Made by `View.create`, or by a movement operation of a view, where an argument is an expression.

    >>> i = Variable("i", 1, 6)
    >>> window = View.create((4,)).pad(((2, 2),)).shrink(((i, i + 2),))
    >>> window.shape, window.offset
    ((2,), i - 2)
    >>> window.bind({i: 5})
    View(shape=(2,), strides=(0,), offset=3, mask=((0, 1),))
    """

    guards: tuple[Expr, ...] = ()

    # --- variables ---------------------------------------------------------------------------------------------------

    def vars(self) -> set[Variable]:
        """The variables of the shape, strides, offset, mask and guards."""
        return {variable for e in self._expressions() for variable in e.variables()}

    def conditions(self) -> tuple[Expr, ...]:
        """The guards that a binding of the variables must meet."""
        return self.guards

    def unbind(self) -> tuple[View, dict[Variable, int]]:
        """The view over plain variables, and the values that were bound.

        >>> i = Variable("i", 1, 6)
        >>> View.create((i.bind(3), 4)).unbind()
        (View(shape=(i, 4), strides=(4, 1), offset=0), {i: 3})
        """
        values: dict[Variable, int] = {}
        for e in self._expressions():
            for variable, value in e.unbind()[1].items():
                if values.setdefault(variable, value) != value:
                    raise ViewError(f"unbind {self}: {variable} is bound to {values[variable]} and to {value}")
        return self._map(lambda x: x.unbind()[0] if isinstance(x, Expr) else x), values

    def bind(self, values: Values | None = None) -> View:
        """The plain view for given values of all variables (those that are bound already need none).

        Raises
        ------
        ViewError
            Where a variable has no value, or a guard does not hold.
        """
        view, bound = self.unbind()
        at = {variable.name: value for variable, value in bound.items()}
        given = given_values("bind", values)
        at |= {key.name if isinstance(key, Variable) else key: value for key, value in given.items()}
        for variable in sorted(view.vars(), key=lambda v: v.name):
            if variable.name not in at:
                raise ViewError(f"bind {self}: the variable {variable} has no value")
        if not isinstance(view, SymbolicView):
            return view
        for guard in view.guards:
            if not guard.evaluate(at):
                told = ", ".join(f"{v} = {at[v.name]}" for v in guard.variables())
                raise ViewError(f"bind {view}: with {told}, the guard {guard} does not hold")
        found = [_at(part, at) for part in (view.shape, view.strides, view.offset, view.mask)]
        return View.create(*found)

    # --- movement operations -----------------------------------------------------------------------------------------

    def pad(self, widths: Sequence[tuple[IntLike, IntLike]]) -> View:
        """See `View.pad`; a width that may be negative becomes a guard."""
        pairs = self._pairs("pad", widths)
        guards = [
            need(width >= 0, f"pad {self.shape} by {pairs}: the width {width} of axis {axis} cannot be negative")
            for axis, pair in enumerate(pairs)
            for width in pair
        ]
        shape = [size + before + after for size, (before, after) in zip(self.shape, pairs, strict=True)]
        offset = self.offset - sum(before * step for (before, _), step in zip(pairs, self.strides, strict=True))
        mask = [(b + before, e + before) for (b, e), (before, _) in zip(self.bounds(), pairs, strict=True)]
        return symbolic(shape, self.strides, offset, mask, self._guarded(guards))

    def shrink(self, bounds: Sequence[tuple[IntLike, IntLike]]) -> View:
        """See `View.shrink`; bounds that may lie outside become guards."""
        cuts = self._pairs("shrink", bounds)
        guards = []
        for axis, ((begin, end), size) in enumerate(zip(cuts, self.shape, strict=True)):
            told = f"shrink {self.shape} to {cuts}: axis {axis} must keep 0 <= {begin} <= {end} <= {size}"
            guards += [need(begin >= 0, told), need(begin <= end, told), need(end <= size, told)]
        shape = [end - begin for begin, end in cuts]
        offset = self.offset + sum(begin * step for (begin, _), step in zip(cuts, self.strides, strict=True))
        mask = None
        if self.mask is not None:
            both = zip(self.mask, cuts, strict=True)
            mask = [(greatest(b, begin) - begin, least(e, end) - begin) for (b, e), (begin, end) in both]
        return symbolic(shape, self.strides, offset, mask, self._guarded(guards))

    def expand(self, shape: Sequence[IntLike]) -> View:
        """See `View.expand`.

        Raises
        ------
        UndecidedError
            Where a size depends on the variables and may be 1 or not.
        """
        sizes = _integers("expand", listed("expand", shape))
        check_rank("expand", self.shape, sizes)
        guards, new, mask = [need(size >= 0, f"expand to {sizes}: {size} is negative") for size in sizes], [], []
        for axis, (old, size, (begin, end)) in enumerate(zip(self.shape, sizes, self.bounds(), strict=True)):
            if same(old, size):
                new.append(size)
                mask.append((begin, end))
            elif same(old, 1):
                new.append(size)
                mask.append((0, size * as_expr(begin < end)))
            else:
                told = f"expand {self.shape} to {sizes}: axis {axis} has size {old}, and only size 1 can be expanded"
                if as_expr(old).min <= 1 <= as_expr(old).max:
                    raise UndecidedError(f"{told}; whether it is 1 depends on the binding")
                guards.append(need(as_expr(old).eq(size), told))
                new.append(old)
                mask.append((begin, end))
        steps = [0 if same(old, 1) else step for old, step in zip(self.shape, self.strides, strict=True)]
        return symbolic(new, steps, self.offset, mask, self._guarded(guards))

    def permute(self, axes: Sequence[int]) -> View:
        """See `View.permute`."""
        order = whole("permute", axes)
        check_order(self.shape, order)
        mask = None if self.mask is None else [self.mask[axis] for axis in order]
        shape, strides = [self.shape[axis] for axis in order], [self.strides[axis] for axis in order]
        return symbolic(shape, strides, self.offset, mask, self.guards)

    def stride(self, steps: Sequence[int]) -> View:
        """See `View.stride`; the steps are integers."""
        paces = whole("stride", steps)
        check_steps(self.shape, paces)
        offset: IntLike = self.offset
        shape: list[IntLike] = []
        mask: list[tuple[IntLike, IntLike]] = []
        for size, step, pace, (begin, end) in zip(self.shape, self.strides, paces, self.bounds(), strict=True):
            far = abs(pace)
            if pace < 0:
                offset = offset + (size - 1) * step
                begin, end = size - end, size - begin  # noqa: PLW2901  (counted from the end)
            shape.append((size + far - 1) // far)
            mask.append(((begin + far - 1) // far, (end + far - 1) // far))
        strides = [step * pace for step, pace in zip(self.strides, paces, strict=True)]
        return symbolic(shape, strides, offset, mask, self.guards)

    def reshape(self, shape: Sequence[IntLike]) -> View | None:
        """See `View.reshape`; None where no single view is found that serves every binding.

        Where the element counts agree for some bindings only, that they agree is a guard.

        >>> i = Variable("i", 1, 6)
        >>> back = View.create((i, 4)).reshape((8,))
        >>> back.guards
        (i == 2,)
        """
        sizes = _integers("reshape", listed("reshape", shape))
        old, new = simple(prod(self.shape)), simple(prod(sizes))
        told = f"reshape {self.shape} to {sizes}: {old} elements cannot become {new}"
        guards = [need(size >= 0, f"{told}; {size} is negative") for size in sizes]
        if not same(old, new):
            guards.append(need(Eq(old, new), told))
        if len(sizes) == len(self.shape) and all(same(a, b) for a, b in zip(self.shape, sizes, strict=True)):
            return symbolic(sizes, self.strides, self.offset, self.mask, self._guarded(guards))
        found = regroup(self.shape, self.strides, self.mask, sizes)
        if found is not None:
            strides, moved, mask = found
            return symbolic(sizes, strides, self.offset + moved, mask, self._guarded(guards))
        from shapetracker.symbolic_sum import joined

        target = as_symbolic(symbolic(sizes, None, 0, None))
        parts = joined((self, target), self._guarded(guards))
        return None if parts is None else symbolic(sizes, *parts, self._guarded(guards))

    def __add__(self, outer: View) -> View | None:
        """See `View.__add__`; None where no single view is found that serves every binding."""
        if not isinstance(outer, View):
            return NotImplemented
        from shapetracker.symbolic_sum import symbolic_sum

        return symbolic_sum(self, outer)

    def minify(self) -> View:
        """See `View.minify`: bind first."""
        raise ViewError(f"minify {self}: its axes depend on variables; bind them first")

    def invert(self, shape: Sequence[IntLike]) -> View | None:
        """See `View.invert`: bind first."""
        raise ViewError(f"invert {self} to {listed('invert', shape)}: it depends on variables; bind them first")

    def size(self) -> Any:
        """The number of points: an integer or an expression."""
        return simple(prod(self.shape))

    def draw(self) -> Any:
        """The picture of this view: its parts, its expressions and its guards."""
        from shapetracker.drawing.symbolic_views import draw_symbolic_view

        return draw_symbolic_view(self)

    # --- parts -------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        guards = "" if not self.guards else f", guards={self.guards}"
        return f"{View.__repr__(self)[:-1]}{guards})"

    def bounds(self) -> Pairs:
        """The ``(begin, end)`` of each axis, where the mask is None too."""
        return tuple((0, size) for size in self.shape) if self.mask is None else self.mask

    def parts(self) -> list[IntLike]:
        """The shape, strides, offset and mask in one list.

        >>> as_symbolic(View.create((4,))).parts()
        [4, 1, 0]
        """
        return [*self.shape, *self.strides, self.offset, *(x for pair in self.mask or () for x in pair)]

    def _guarded(self, more: Iterable[tuple[Expr, ...]]) -> tuple[Expr, ...]:
        return (*self.guards, *(guard for some in more for guard in some))

    def _pairs(self, call: str, pairs: Sequence[tuple[IntLike, IntLike]]) -> Pairs:
        found = _integer_pairs(call, listed_pairs(call, pairs))
        check_rank(call, self.shape, found)
        return found

    def _expressions(self) -> list[Expr]:
        return [part for part in (*self.parts(), *self.guards) if isinstance(part, Expr)]

    def _map(self, change: Any) -> View:
        mask = None if self.mask is None else [(change(begin), change(end)) for begin, end in self.mask]
        shape, strides = [change(size) for size in self.shape], [change(step) for step in self.strides]
        return symbolic(shape, strides, change(self.offset), mask, tuple(change(guard) for guard in self.guards))


def symbolic(
    shape: Sequence[IntLike],
    strides: Sequence[IntLike] | None,
    offset: IntLike,
    mask: Sequence[tuple[IntLike, IntLike]] | None,
    guards: tuple[Expr, ...] = (),
) -> View:
    """The view of these parts: a plain one where no expression and no guard is left after simplifying.

    >>> x = Variable("x", 0, 6)
    >>> symbolic((x + 1 - x, 4), None, 0, None)
    View(shape=(1, 4), strides=(0, 1), offset=0)
    """
    call = "View.create"
    shape = _integers(call, listed(call, shape))
    strides = None if strides is None else _integers(call, listed(call, strides, "tuple of strides"))
    (offset,) = _integers(call, (offset,))
    mask = None if mask is None else _integer_pairs(call, listed_pairs(f"{call}, mask", mask))
    sizes = tuple(simple(size) for size in shape)
    steps = tuple(simple(step) for step in (row_major(sizes) if strides is None else strides))
    start = simple(offset)
    bounds = None if mask is None else tuple((simple(begin), simple(end)) for begin, end in mask)
    if len(steps) != len(sizes) or (bounds is not None and len(bounds) != len(sizes)):
        raise ViewError(f"View.create: shape {sizes}, strides {steps} and mask {bounds} differ in their number of axes")
    for axis, size in enumerate(sizes):
        if as_expr(size).max < 0:
            raise ViewError(f"View.create: size {size} of axis {axis} in shape {sizes} is negative in every binding")
        begin, end = bounds[axis] if bounds is not None else (0, size)
        if as_expr(begin).max < 0 or as_expr(simple(size - end)).max < 0:
            raise ViewError(f"View.create: mask {(begin, end)} lies outside of axis {axis}, which has size {size}")
    if bounds is not None and all(same(b, 0) and same(e, size) for (b, e), size in zip(bounds, sizes, strict=True)):
        bounds = None
    kept = tuple(dict.fromkeys(guard for guard in guards if not isinstance(guard, Const)))
    parts: list[Any] = [*sizes, *steps, start, *(x for pair in bounds or () for x in pair)]
    if not kept and not any(isinstance(part, Expr) for part in parts):
        return View.create(sizes, steps, start, bounds)
    contiguous = bounds is None and same(start, 0) and all(map(same, steps, row_major(sizes)))
    return SymbolicView(sizes, steps, start, bounds, contiguous, kept)


def as_symbolic(view: View) -> SymbolicView:
    """The same view, with the operations that take expressions.

    >>> as_symbolic(View.create((4,))).guards
    ()
    """
    if isinstance(view, SymbolicView):
        return view
    return SymbolicView(view.shape, view.strides, view.offset, view.mask, view.contiguous)


def _integers(call: str, values: Iterable[Any]) -> tuple[IntLike, ...]:
    """The values, each an integer of Python or an expression; a ViewError where one is neither."""
    found: list[IntLike] = []
    for value in values:
        try:
            found.append(value if isinstance(value, Expr) else index(value))
        except TypeError:
            raise ViewError(f"{call}: {value!r} is no integer and no expression of integers") from None
    return tuple(found)


def _integer_pairs(call: str, pairs: Pairs) -> Pairs:
    whole_pairs = [_integers(call, pair) for pair in pairs]
    return tuple((begin, end) for begin, end in whole_pairs)


def _at(part: Any, values: Mapping[str, int]) -> Any:
    if isinstance(part, tuple):
        return tuple(_at(x, values) for x in part)
    return part.evaluate(values) if isinstance(part, Expr) else part
