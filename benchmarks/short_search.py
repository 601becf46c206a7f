"""A search for short equal forms that knows no laws: it compares values at every point.

All forms of up to two operations over the variables and a few constants are tabulated by their values; a longer form is
then a sum of two of them, or one of them divided, multiplied or compared. What it finds is right, and it misses much.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from shapetracker.expr import And, Const, Expr, FloorDiv, Mod, Product, Variable, evaluate_box

MOST_CONSTANTS = 12
MOST_POINTS = 192


@dataclass(slots=True)
class Table:
    """Values of the cheapest forms: one row a form, no row twice."""

    forms: list[Any]
    rows: np.ndarray
    costs: np.ndarray
    place: dict[bytes, int]


def constants(e: Expr) -> list[int]:
    """The numbers that a short form is likely to need: those that occur, their products and quotients, small ones."""
    seen: set[int] = set()

    def walk(x: Expr) -> None:
        if isinstance(x, Const):
            seen.add(abs(x.value))
        for y in x.args:
            walk(y)

    walk(e)
    for v in e.variables():
        seen |= {v.max, v.max + 1}
    ratios = {a // b for a in seen for b in seen if b and a % b == 0} | {math.gcd(a, b) for a in seen for b in seen}
    products = {a * b for a in seen for b in seen if a * b < 1000}
    ordered = [*sorted(seen), *sorted(ratios - seen), *sorted(products - seen - ratios)]
    return [n for n in dict.fromkeys([1, 2, 3, *ordered]) if n > 0][:MOST_CONSTANTS]


def table(e: Expr, points: np.ndarray, numbers: list[int]) -> Table:
    """Leaves, then two rounds of one more operation."""
    variables = e.variables()
    result = Table([], np.empty((0, points.shape[1]), np.int64), np.empty(0, np.int64), {})
    leaves: list[tuple[Any, Any]] = [(v, points[k]) for k, v in enumerate(variables)]
    leaves += [(Const(n), np.full(points.shape[1], n)) for n in (0, *numbers, *(-n for n in numbers))]
    _add(result, [form for form, _ in leaves], np.array([row for _, row in leaves]), 0)
    simple = len(variables)
    begin = 0
    end = simple  # nothing is made of numbers alone
    for cost in (1, 2):
        for form, rows in list(_one_more(result, begin, end, simple, numbers)):
            _add(result, form, rows, cost)
        begin, end = (len(leaves) if cost == 1 else end), len(result.forms)
    return result


def _one_more(
    t: Table, begin: int, end: int, simple: int, numbers: list[int]
) -> Iterator[tuple[list[Any], np.ndarray]]:
    old, rows = t.forms[begin:end], t.rows[begin:end]
    for n in numbers:
        yield [(f, "+", n) for f in old], rows + n
        yield [(f, "+", -n) for f in old], rows - n
        if n > 1:
            yield [(f, "*", n) for f in old], rows * n
            yield [(f, "//", n) for f in old], rows // n
            yield [(f, "%", n) for f in old], rows % n
    for k in range(simple):
        v = t.forms[k]
        yield [(f, "+", v) for f in old], rows + t.rows[k]
        yield [(v, "-", f) for f in old], t.rows[k] - rows
        yield [(f, "-", v) for f in old], rows - t.rows[k]


def _add(t: Table, forms: list[Any], rows: np.ndarray, cost: int) -> None:
    new = []
    for k, row in enumerate(rows):
        key = row.tobytes()
        if key not in t.place:
            t.place[key] = len(t.forms)
            t.forms.append(forms[k])
            new.append(k)
    if new:
        t.rows = np.concatenate([t.rows, rows[new]])
        t.costs = np.concatenate([t.costs, np.full(len(new), cost)])


def shorter(e: Expr, cost: int) -> tuple[int, Any] | None:
    """A form with fewer operations than `cost` that agrees with `e` at every point; None where none was found."""
    values = evaluate_box(e).reshape(-1)
    axes = np.meshgrid(*[np.arange(v.min, v.max + 1) for v in e.variables()], indexing="ij")
    points = np.array([axis.reshape(-1) for axis in axes], np.int64)
    if len(values) > MOST_POINTS:  # a first look at some of the points; what is found is tried at all of them
        some = np.random.default_rng(0).permutation(len(values))[:MOST_POINTS]
    else:
        some = np.arange(len(values))
    numbers = constants(e)
    t = table(e, points[:, some], numbers)
    best: tuple[int, Any] | None = None
    for total, form in _matches(t, values[some], cost, numbers, len(e.variables())):
        if total < (best[0] if best else cost) and (value(form, e.variables(), points) == values).all():
            best = total, form
    return best


def _matches(t: Table, values: np.ndarray, cost: int, numbers: list[int], simple: int) -> Iterator[tuple[int, Any]]:
    if (hit := t.place.get(values.tobytes())) is not None:
        yield int(t.costs[hit]), t.forms[hit]
    if set(np.unique(values)) <= {0, 1}:
        yield from _conditions(t, values, cost, numbers)
    useful = t.costs + 1 < cost
    for sign in (1, -1):
        for k, row in enumerate(values - sign * t.rows):
            if not useful[k]:
                continue
            if (hit := t.place.get(row.tobytes())) is not None and t.costs[k] + t.costs[hit] + 1 < cost:
                yield int(t.costs[k] + t.costs[hit]) + 1, (t.forms[hit], "+" if sign == 1 else "-", t.forms[k])
            for n in numbers:  # a multiple of a tabulated form beside it
                if n > 1 and not (row % n).any() and (hit := t.place.get((row // n).tobytes())) is not None:
                    total = int(t.costs[k] + t.costs[hit]) + 2
                    if total < cost:
                        yield total, ((t.forms[hit], "*", n), "+" if sign == 1 else "-", t.forms[k])
    for n in numbers:
        if n < 2 or cost <= 3:
            continue
        for op, rows in (("//", t.rows // n), ("%", t.rows % n)):
            for k in np.flatnonzero((rows == values).all(axis=1)):
                yield int(t.costs[k]) + 1, (t.forms[k], op, n)


def _conditions(t: Table, values: np.ndarray, cost: int, numbers: list[int]) -> Iterator[tuple[int, Any]]:
    """One comparison, or two at once."""
    holds = values.astype(bool)
    if not holds.any() or holds.all():
        return
    inside, outside = t.rows[:, holds], t.rows[:, ~holds]
    least, most = inside.min(axis=1), inside.max(axis=1)
    for k in np.flatnonzero(least > outside.max(axis=1)):
        yield int(t.costs[k]) + 1, (t.forms[k], ">=", int(least[k]))
    for k in np.flatnonzero(most < outside.min(axis=1)):
        yield int(t.costs[k]) + 1, (t.forms[k], "<=", int(most[k]))
    for k in np.flatnonzero((least == most) & (outside != least[:, None]).all(axis=1)):
        yield int(t.costs[k]) + 1, (t.forms[k], "==", int(least[k]))
    # two limits: what each of them leaves out must be all that is outside
    keep = np.flatnonzero(t.costs + 3 < cost)
    masks = [((t.forms[k], ">=", int(least[k])), outside[k] < least[k], int(t.costs[k]) + 1) for k in keep]
    masks += [((t.forms[k], "<=", int(most[k])), outside[k] > most[k], int(t.costs[k]) + 1) for k in keep]
    distinct: dict[bytes, tuple[Any, np.ndarray, int]] = {}
    for form, out, total in masks:
        if out.any():
            old = distinct.get(out.tobytes())
            if old is None or total < old[2]:
                distinct[out.tobytes()] = form, out, total
    entries = sorted(distinct.values(), key=lambda entry: (-int(entry[1].sum()), entry[2]))[:1500]
    stack = np.array([out for _, out, _ in entries], bool)
    for a, (form, out, total) in enumerate(entries):
        for b in np.flatnonzero((stack | out).all(axis=1)):
            if total + entries[b][2] + 1 < cost:
                yield total + entries[b][2] + 1, (form, "and", entries[b][0])
        if a > 400:
            break


def value(form: Any, variables: tuple[Variable, ...], points: np.ndarray) -> Any:
    """The values of a form at the points (variable, point)."""
    if isinstance(form, Variable):
        return points[variables.index(form)]
    if not isinstance(form, tuple):
        return np.full(points.shape[1], int(form))
    left, op, right = form
    a, b = value(left, variables, points), value(right, variables, points)
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//":
            return a // b
        case "%":
            return a % b
        case ">=":
            return (a >= b).astype(np.int64)
        case "<=":
            return (a <= b).astype(np.int64)
        case "==":
            return (a == b).astype(np.int64)
    return a * b


def text(form: Any) -> str:
    """The form as Python text."""
    if isinstance(form, tuple):
        return f"({text(form[0])} {form[1]} {text(form[2])})"
    return str(form)


__all__ = ["And", "FloorDiv", "Mod", "Product", "shorter", "text"]
