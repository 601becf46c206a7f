"""Rules that look at every value of one variable: what is short only when it is seen as a table.

The law is that two functions are equal when they agree at every point. Tables are short (at most 256 values), and made
only of what is left after the other rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, compress, pairwise, product
from math import prod

from shapetracker.expr.evaluate import values_at, values_on_a_line
from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, Ge, Lt, Ne, Sum, Variable
from shapetracker.expr.simplify.canonical import remainder_of
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import from_linear, linear, plus
from shapetracker.expr.simplify.rules import COMPOUND, SHARED, TANGLED, rule, shortening

_MOST_VALUES = 256
_MOST_TOGETHER = 4  # conditions of which each selection is tried
_MOST_POINTS = 1024
_LEAST_SEPARATE = 4  # operations of a condition on two variables, or more, from which on a table is worth its time
_LEAST_COST = 3  # what costs less has no shorter form that a table could show


def _table(e: Expr, v: Variable, facts: Facts) -> tuple[int, list[int]] | None:
    """The least value of the variable, and the values of the expression from there on."""
    low, high = facts.within(v)
    if not 1 < high - low + 1 <= _MOST_VALUES:
        return None
    return low, values_on_a_line(e, v, low, high)


@rule(
    "f(x) → u·x + d·((x + s) // n) + c, where the table of f has equal steps but at every n-th",
    Sum,
    needs=COMPOUND | TANGLED,
)
def table_of_steps(e: Expr, facts: Facts) -> Expr | None:
    """The terms in one variable, taken together, agree with the short form at each of its values."""
    if e.operations() < _LEAST_COST:
        return None
    terms, constant = linear(e)
    for v in e.names.values():
        mine = {t: c for t, c in terms.items() if len(t.names) == 1 and v.name in t.names}
        if sum([t.operations() for t in mine]) + len(mine) <= 2:
            continue  # at most one division, or variables alone
        part = from_linear(mine, 0)
        if part.operations() < _LEAST_COST:
            continue
        found = _table(part, v, facts)
        short = found and _steps(v, *found)
        if short and short[0].operations() < part.operations():
            rest = {t: c for t, c in terms.items() if t not in mine}
            after = from_linear(*plus((rest, constant), linear(short[0])))
            if after.operations() < e.operations():
                return after
    return None


def _steps(v: Variable, low: int, values: list[int]) -> tuple[Expr] | None:
    """The short form, in a tuple (an expression has no truth value)."""
    steps = [b - a for a, b in pairwise(values)]
    distinct = sorted(set(steps), key=steps.count)
    if len(distinct) == 1:
        return (from_linear({v: distinct[0]} if distinct[0] else {}, values[0] - distinct[0] * low),)
    if len(distinct) > 2:
        return None
    rare, usual = distinct
    jumps = [low + k + 1 for k, step in enumerate(steps) if step == rare]
    period = _period(jumps, low, low + len(steps))
    if period is None:
        return None
    quotient = from_linear({v: 1}, -jumps[0] % period) // period
    terms = {quotient: rare - usual, v: usual}
    before = usual * low + (rare - usual) * ((low + -jumps[0] % period) // period)
    return (from_linear({t: c for t, c in terms.items() if c}, values[0] - before),)


def _period(jumps: list[int], low: int, high: int) -> int | None:
    """The n with a jump at every n-th value and nowhere else between low + 1 and high."""
    first, last = jumps[0], jumps[-1]
    if len(jumps) == 1:
        # any n that brings no second jump; the place of the jump itself, if it will do, needs no offset
        least = max(first - low, high - first + 1)
        return first if first >= least else least
    n = jumps[1] - first
    regular = all(b - a == n for a, b in pairwise(jumps))
    return n if regular and first - n <= low and last + n > high else None


@rule(
    "a·x − m·q + c → (a·x + s) % m + c − s, where 0 ≤ a·x + s − m·q < m at each x, if that is shorter",
    Sum,
    needs=COMPOUND | SHARED,
)
def table_of_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """A remainder by m is what is left between 0 and m when multiples of m are taken away, whatever q is made of."""
    terms, constant = linear(e)
    for q, d in terms.items():
        v = next(iter(q.names.values()), None)
        if v is None or len(q.names) > 1 or q is v or v not in terms or abs(d) < 2:
            continue
        found = _table(q, v, facts)
        if found is None:
            continue
        m, sign = abs(d), -1 if d > 0 else 1
        a = sign * terms[v]
        gaps = [m * value - a * x for x, value in enumerate(found[1], found[0])]
        least, most = max(gaps), min(gaps) + m - 1
        if least > most:
            continue
        shift = next((s for s in (0, sign * constant, least) if least <= s <= most), least)
        remainder = remainder_of(({v: a}, shift), m, facts)
        rest = {t: c for t, c in terms.items() if t is not q and t is not v}
        after = from_linear(*plus((rest, constant - sign * shift), remainder, sign))
        if after.operations() < e.operations():
            return after
    return None


@rule("c(x) → x < k, x ≥ k, x = k, x ≠ k, or (x + s) % n < k, where the table of c says so", And, Ge, Lt, Eq, Ne)
def table_of_a_condition(e: Expr, facts: Facts) -> Expr | None:
    """The conditions on one variable, taken together, hold at the same values as the short form."""
    if e.operations() < _LEAST_COST - 1:
        return None
    parts = e.args if type(e) is And else (e,)
    for v in e.names.values():
        mine = [x for x in parts if len(x.names) == 1 and v.name in x.names]
        low, high = facts.within(v)
        if all(x is v or x.args[0] is v for x in mine) or not 1 < high - low + 1 <= _MOST_VALUES:
            continue  # limits on the variable itself are already the tightest ones
        tables = [values_on_a_line(x, v, low, high) for x in mine]
        for chosen in _choices(len(mine)):
            cost = sum([mine[k].operations() for k in chosen]) + len(chosen) - 1
            holds = [all(column) for column in zip(*[tables[k] for k in chosen], strict=True)]
            short = _runs(v, low, holds)
            if short and short[0].operations() < cost:
                gone = [mine[k] for k in chosen]
                return And.build((*[x for x in parts if x not in gone], short[0]))
    return None


@shortening(
    "c(x, y) → c₁(x) & c₂(y), where the points at which c holds are all pairs of some x and some y", And, Comparison
)
def table_of_separate_conditions(e: Expr, facts: Facts) -> Expr | None:
    """As many points hold as there are pairs of an x and a y that occur: then each pair of them holds."""
    variables = e.variables()
    if e.operations() < _LEAST_SEPARATE or len(variables) < 2:
        return None
    lines = [range(low, high + 1) for low, high in map(facts.within, variables)]
    count = prod([len(line) for line in lines])
    if count > _MOST_POINTS:
        return None
    columns = [list(column) for column in zip(*product(*lines), strict=True)]
    holds = values_at(e, {v.name: column for v, column in zip(variables, columns, strict=True)}, count)
    occurring = [set(compress(column, holds)) for column in columns]
    if sum(holds) != prod([len(values) for values in occurring]):
        return None
    parts: list[Expr] = []
    for v, line, values in zip(variables, lines, occurring, strict=True):
        short = _runs(v, line[0], [x in values for x in line])
        if short is None:
            return None
        parts += short
    after = And.build(tuple(parts))
    return after if after.operations() < e.operations() else None


def _choices(count: int) -> Iterator[tuple[int, ...]]:
    """Which conditions are read together: all, then fewer; of many conditions only all."""
    yield tuple(range(count))
    if count <= _MOST_TOGETHER:
        for size in range(count - 1, 0, -1):
            yield from combinations(range(count), size)


def _runs(v: Variable, low: int, holds: list[bool]) -> tuple[Expr] | None:
    """The short form, in a tuple (an expression has no truth value)."""
    high = low + len(holds) - 1
    starts = [low + k for k, (a, b) in enumerate(pairwise([False, *holds])) if b and not a]
    ends = [low + k for k, (a, b) in enumerate(pairwise([*holds, False])) if a and not b]
    if not starts:
        return (Const(0),)
    if len(starts) == 1:
        first, last = starts[0], ends[0]
        if first == last and low < high:
            return (Eq.build((v, Const(first))),)
        parts = ([Ge.build((v, Const(first)))] if first > low else []) + (
            [Lt.build((v, Const(last + 1)))] if last < high else []
        )
        return (And.build(tuple(parts)),)
    if holds.count(False) == 1:
        return (Ne.build((v, Const(low + holds.index(False)))),)
    n = starts[-1] - starts[-2]
    k = ends[-2] - starts[-2] + 1
    begin = starts[-1]
    if k < n and holds == [(x - begin) % n < k for x in range(low, high + 1)]:
        if (begin + k) % n == 0:
            return (Ge.build((v % n, Const(n - k))),)
        return (Lt.build((from_linear({v: 1}, -begin % n) % n, Const(k))),)
    return None
