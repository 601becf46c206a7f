"""Expressions fitted to the plain views of all bindings: one view that is each of them, where there is one.

What a view is for each value of its variables is known exactly. Its strides, offset and bounds are looked for as
sums of products of the variables, with whole coefficients, and bounds as the Min or Max of such a sum and the bound
that they had before. What is found is compared with the plain view of every binding, so it is proven, not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from operator import mul
from typing import Any

from shapetracker.errors import ViewError
from shapetracker.expr import Const, Expr, Max, Min, Variable, as_expr
from shapetracker.expr.nodes import IntLike, Product, Sum
from shapetracker.symbolic_values import simple, where_guards_hold
from shapetracker.view import View

BINDINGS = 1024
"""The greatest number of bindings that are tried one by one."""
_FEATURES = 40
"""The greatest number of products of variables that a sum is made of."""
_OPERATIONS = 128
"""The most operations of a value that changes in steps."""

Pairs = tuple[tuple[IntLike, IntLike], ...]
Sample = tuple[dict[str, int], View]
Parts = tuple[list[IntLike], IntLike, Pairs]


def each_binding(
    variables: Iterable[Variable], make: Callable[[dict[Any, int]], View | None], guards: Sequence[Expr] = ()
) -> list[Sample] | None:
    """The plain view of each binding that meets the guards, and for which it can be made.

    None where some binding has no single view, or where there are more than `BINDINGS` bindings.

    >>> i = Variable("i", 1, 2)
    >>> each_binding([i], lambda at: View.create((at["i"],)))
    [({'i': 2}, View(shape=(2,), strides=(1,), offset=0)), ({'i': 1}, View(shape=(1,), strides=(0,), offset=0))]
    """
    names = sorted(variables, key=lambda variable: variable.name)
    ranges = [where_guards_hold(variable, guards) for variable in names]
    if prod(map(len, ranges)) > BINDINGS:
        return None
    samples = []
    for values in product(*[reversed(values) for values in ranges]):  # a "no" comes sooner from large values
        at = {variable.name: value for variable, value in zip(names, values, strict=True)}
        if not all(guard.evaluate(at) for guard in guards):
            continue
        try:
            view = make(at)
        except ViewError:  # it does not fit
            continue
        if view is None:
            return None
        samples.append((at, view))
    return samples


def fit_view(bounds: Pairs, parts: Iterable[IntLike], samples: Sequence[Sample]) -> Parts | None:
    """Strides, offset and bounds that give the plain view of each sample; None where none are found.

    Parameters
    ----------
    bounds : the bounds before the views were joined, within which the valid points lie
    parts : what the sums may be made of: the variables of these, and their quotients, remainders and conditions

    >>> i = Variable("i", 1, 4)
    >>> samples = each_binding([i], lambda at: View.create((at["i"], 4)).flip(0))
    >>> fit_view(((0, i), (0, 4)), [i], samples)
    ([-4, 1], i*4 - 4, ((0, i), (0, 4)))
    """
    rank, parts = len(bounds), list(parts)
    variables = sorted({name for part in parts for name in as_expr(part).variables()}, key=str)
    live = [(at, view) for at, view in samples if view.size() and all(b < e for b, e in view.box.bounds)]
    if not live:
        return [0] * rank, 0, ((0, 0),) * rank
    stages = [(terms, [[_at(term, at) for term in terms] for at, _ in live]) for terms in _terms(parts)]
    steps = next((fitted for terms, rows in stages if (fitted := _steps_and_offset(terms, rows, live))), None)
    if steps is None:
        steps = _steps_and_offset_in_steps(live, variables)
    if steps is None:
        return None
    strides, offset = steps
    places = [(axis, side) for axis in range(rank) for side in (0, 1)]
    forms = [
        _bound_forms(bounds[axis][side], side, [(at, view.box.bounds[axis][side]) for at, view in live], stages)
        for axis, side in places
    ]
    in_full = [[(at, view.box.bounds[axis][side]) for at, view in samples] for axis, side in places]
    for found in _choices(forms, in_full, variables):
        pairs = tuple(zip(found[::2], found[1::2], strict=True))
        if all(_is_view(view, strides, offset, pairs, at) for at, view in samples):
            return strides, offset, pairs
    return None


def _choices(
    forms: Sequence[Sequence[IntLike]],
    in_full: Sequence[Sequence[tuple[Mapping[str, int], int]]],
    variables: Sequence[Variable],
) -> Iterator[list[IntLike]]:
    """Bounds to be tried: the plainest, those that may also leave nothing, some that change in steps."""
    if all(forms):
        yield [some[0] for some in forms]
        yield [some[-1] for some in forms]
    stepped = [in_steps(values, variables) for values in in_full]
    for k in range(1, len(forms), 2):  # one end that says where nothing is valid
        mixed = [
            step if k == place or not some else some[0]
            for place, (some, step) in enumerate(zip(forms, stepped, strict=True))
        ]
        if None not in mixed:
            yield [bound for bound in mixed if bound is not None]
    if None not in stepped:
        yield [bound for bound in stepped if bound is not None]


def with_values(parts: Parts, values: Mapping[Variable, int]) -> Parts:
    """The same parts where variables are bound to values.

    >>> i = Variable("i", 1, 4)
    >>> with_values(([1], i * 2, ((0, i),)), {i: 3})[1].unbind()
    (i*2, {i: 3})
    """
    nodes: dict[Variable, IntLike] = {variable: variable.bind(value) for variable, value in values.items()}

    def put(part: IntLike) -> IntLike:
        return part.substitute(nodes) if nodes and isinstance(part, Expr) else part

    strides, offset, bounds = parts
    return [put(step) for step in strides], put(offset), tuple((put(begin), put(end)) for begin, end in bounds)


def _is_view(view: View, strides: list[IntLike], offset: IntLike, bounds: Pairs, at: Mapping[str, int]) -> bool:
    try:
        mask = [(_at(begin, at), _at(end, at)) for begin, end in bounds]
        return View.create(view.shape, [_at(step, at) for step in strides], _at(offset, at), mask) == view
    except ViewError:  # a bound that lies outside
        return False


def _terms(parts: Iterable[IntLike]) -> Iterator[list[Expr]]:
    """The products of which a sum is made: at first the constant alone, then more and more factors."""
    factors: dict[Expr, None] = {}
    others: dict[Expr, None] = {}
    for part in parts:
        for atom in _atoms(as_expr(part)):
            (factors if isinstance(atom, Variable) else others)[atom] = None
    alone = [*sorted(factors, key=str), *others]
    terms: list[Expr] = [Const(1)]
    for degree in range(4):
        terms += [as_expr(prod(some)) for some in combinations_with_replacement(alone, degree)] if degree else []
        if len(terms) > _FEATURES and degree > 1:
            return
        yield list(terms)


def _atoms(e: Expr) -> Iterator[Expr]:
    """What sums and products are made of: variables, quotients, remainders, conditions."""
    if isinstance(e, (Sum, Product)):
        for part in e.args:
            yield from _atoms(part)
    elif not isinstance(e, Const):
        yield e
        yield from e.variables()


def _steps_and_offset(
    terms: list[Expr], rows: list[list[int]], live: Sequence[Sample]
) -> tuple[list[IntLike], IntLike] | None:
    """The strides where two positions show them, and the offset that the first valid point shows."""
    rank, width = len(live[0][1].shape), len(terms)
    zero = [0] * width
    equations: list[tuple[list[int], int]] = []
    for row, (_, view) in zip(rows, live, strict=True):
        bounds = view.box.bounds
        for axis, (begin, end) in enumerate(bounds):
            if end - begin > 1:
                equations.append(([*zero * (axis + 1), *row, *zero * (rank - 1 - axis)], view.strides[axis]))
        first = view.offset + sum([step * begin for step, (begin, _) in zip(view.strides, bounds, strict=True)])
        equations.append(([*row, *[begin * value for begin, _ in bounds for value in row]], first))
    solution = solve(equations)
    if solution is None:
        return None
    offset, *strides = [_sum_of(solution[k : k + width], terms) for k in range(0, len(solution), width)]
    return strides, offset


def _steps_and_offset_in_steps(
    live: Sequence[Sample], variables: Sequence[Variable]
) -> tuple[list[IntLike], IntLike] | None:
    strides = [
        in_steps([(at, view.strides[axis]) for at, view in live], variables) for axis in range(len(live[0][1].shape))
    ]
    offset = in_steps([(at, view.offset) for at, view in live], variables)
    if offset is None or None in strides:
        return None
    return [step for step in strides if step is not None], offset


def in_steps(values: Sequence[tuple[Mapping[str, int], int]], variables: Sequence[Variable]) -> IntLike | None:
    """An expression of the variables that changes where one reaches a value; None where it would be long.

    >>> in_steps([({"i": 1}, 5), ({"i": 2}, 5), ({"i": 4}, 9)], [Variable("i", 1, 4)])
    (i >= 4)*4 + 5
    """
    points = [(tuple([at[variable.name] for variable in variables]), value) for at, value in values]
    found: IntLike = simple(_in_steps(points, variables))
    return found if _length(found) <= _OPERATIONS else None


def _in_steps(points: Sequence[tuple[tuple[int, ...], int]], variables: Sequence[Variable]) -> IntLike:
    if not variables:
        return points[0][1]
    first, *others = variables
    total = before = None
    for at in sorted({point[0] for point, _ in points}):
        here = _in_steps([(point[1:], value) for point, value in points if point[0] == at], others)
        if total is None or before is None:
            total = here
        elif here != before and _length(total) <= 2 * _OPERATIONS:
            total = total + as_expr(first >= at) * (here - before)
        before = here
    return 0 if total is None else total


def _length(e: IntLike) -> int:
    return e.operations() if isinstance(e, Expr) else 0


def _bound_forms(
    old: IntLike, side: int, values: list[tuple[dict[str, int], int]], stages: list[tuple[list[Expr], list[list[int]]]]
) -> list[IntLike]:
    """Expressions that have these values: the old bound, a sum, and the old bound met by a sum."""
    limits = [_at(old, at) for at, _ in values]
    forms: list[IntLike] = []
    if all(limit == value for limit, (_, value) in zip(limits, values, strict=True)):
        forms.append(old)
    meet, cut = (Min, min) if side else (Max, max)
    moved = [k for k, (limit, (_, value)) in enumerate(zip(limits, values, strict=True)) if limit != value]
    for chosen in ([*range(len(values))], moved) if moved else ():
        for terms, rows in stages:
            solution = solve([(rows[k], values[k][1]) for k in chosen])
            if solution is None:
                continue
            own = [sum(map(mul, row, solution)) for row in rows]
            if all(cut(limit, x) == value for limit, x, (_, value) in zip(limits, own, values, strict=True)):
                form = _sum_of(solution, terms)
                forms += [form, meet(old, form)] if chosen is not moved else [meet(old, form)]
                break
    return forms


def solve(equations: Sequence[tuple[Sequence[int], int]]) -> list[int] | None:
    """Whole numbers x with ``Σ row·x == value`` for each (row, value), as many of them 0 as elimination leaves free.

    None where there are none, or where the ones that elimination gives are no whole numbers.

    >>> solve([((1, 2), 5), ((1, 3), 7)])
    [1, 2]
    >>> solve([((1, 2), 5), ((1, 2), 7)]) is None
    True
    """
    width = len(equations[0][0]) if equations else 0
    pivots: dict[int, list[Fraction]] = {}  # of each pivot column, its row with the value at the end
    x: list[Any] = [0] * width
    while True:
        wrong = next(((row, value) for row, value in equations if sum(map(mul, row, x)) != value), None)
        if wrong is None:
            return [int(value) for value in x] if all(value == int(value) for value in x) else None
        new = [Fraction(value) for value in (*wrong[0], wrong[1])]
        for column, row in pivots.items():
            new = _minus(new, new[column], row)
        place = next((column for column in range(width) if new[column]), None)
        if place is None:
            return None
        new = [value / new[place] for value in new]
        pivots = {column: _minus(row, row[place], new) for column, row in pivots.items()}
        pivots[place] = new
        x = [pivots[column][-1] if column in pivots else 0 for column in range(width)]


def _minus(row: list[Fraction], times: Fraction, other: list[Fraction]) -> list[Fraction]:
    return [a - times * b for a, b in zip(row, other, strict=True)] if times else row


def _sum_of(coefficients: Sequence[int], terms: Sequence[Expr]) -> IntLike:
    total: IntLike = 0
    for coefficient, term in zip(coefficients, terms, strict=True):
        if coefficient:
            total = total + term * coefficient
    found: IntLike = simple(total)
    return found


def _at(part: IntLike, values: Mapping[str, int]) -> Any:
    return part.evaluate(values) if isinstance(part, Expr) else part
