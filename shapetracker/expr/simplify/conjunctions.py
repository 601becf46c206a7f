"""Rules for conjunctions: each condition is read under the others."""

from __future__ import annotations

from math import lcm

from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, Ge, Lt, Mod, Ne
from shapetracker.expr.simplify.canonical import canonical
from shapetracker.expr.simplify.facts import Facts, Range, learn
from shapetracker.expr.simplify.linear import from_linear, linear
from shapetracker.expr.simplify.rules import rule

_MOST_RESIDUES = 256


@rule("a & a → a", And)
def condition_twice(e: Expr, facts: Facts) -> Expr | None:
    """Saying it once is enough."""
    once = tuple(dict.fromkeys(e.args))
    return And.build(once) if len(once) < len(e.args) else None


@rule(
    "(x ≥ a) & (x ≥ b) → x ≥ max(a, b);  (x < a) & (x < b) → x < min(a, b);  (x ≥ a) & (x < a + 1) → x = a;  "
    "(x ≠ a) & (x ≥ a) → x ≥ a + 1",
    And,
)
def tightest_limits(e: Expr, facts: Facts) -> Expr | None:
    """Limits on one form make one range."""
    limits: dict[Expr, tuple[int | None, int | None]] = {}
    excluded = {(part.args[0], part.args[1]) for part in e.args if type(part) is Ne}
    rest: list[Expr] = []
    limited = {part.args[0] for part in e.args if type(part) in (Ge, Lt) and type(part.args[1]) is Const}
    for part in e.args:
        if part in limited:  # a condition that has limits, too: it holds from 1 on
            least, most = limits.get(part, (None, None))
            limits[part] = 1 if least is None else max(least, 1), most
            rest.append(part)
        elif type(part) in (Ge, Lt) and type(part.args[1]) is Const:
            form, k = part.args[0], part.args[1].value
            least, most = limits.get(form, (None, None))
            if type(part) is Ge:
                least = k if least is None else max(least, k)
            else:
                most = k - 1 if most is None else min(most, k - 1)
            limits[form] = least, most
            rest.append(form)
        else:
            rest.append(part)
    for form, (least, most) in limits.items():
        limits[form] = _past(form, least, 1, excluded), _past(form, most, -1, excluded)
    parts: list[Expr] = []
    for x in dict.fromkeys(rest):
        if type(x) is Ne and x.args[0] in limits:
            least, most = limits[x.args[0]]
            k = x.args[1].max
            if (least is not None and k <= least) or (most is not None and k >= most):
                continue  # the limits say it
        if x not in limits:
            parts.append(x)
            continue
        least, most = limits[x]
        if least is not None and most is not None:
            if least > most:
                return Const(0)
            if least == most:
                parts.append(Eq.build((x, Const(least))))
                continue
        if least is not None:
            parts.append(Ge.build((x, Const(least))))
        if most is not None:
            parts.append(Lt.build((x, Const(most + 1))))
    after = And.build(tuple(parts))
    return None if after is e else after


def _past(form: Expr, limit: int | None, step: int, excluded: set[tuple[Expr, Expr]]) -> int | None:
    """The limit, moved on over values that the form does not take."""
    while limit is not None and (form, Const(limit)) in excluded:
        limit += step
    return limit


def _residue(e: Expr) -> tuple[Expr, int, int] | None:
    """Form without constant, offset and divisor, where the expression is (form + offset) % n."""
    if type(e) is not Mod:
        return None
    x, n = e.args
    if type(n) is not Const or not 1 < n.value <= _MOST_RESIDUES:
        return None
    terms, offset = linear(x)
    return from_linear(terms, 0), offset, n.value


@rule(
    "(x % n ≥ a) & (x % n < b) → (x − a) % n < b − a; so for all conditions on remainders of x by divisors of n",
    And,
)
def limits_on_one_remainder(e: Expr, facts: Facts) -> Expr | None:
    """The remainders at which all of them hold are one run of the period, or none, where this applies."""
    groups: dict[Expr, list[tuple[Expr, int, int]]] = {}
    for part in e.args:
        compared = isinstance(part, Comparison) and type(part.args[1]) is Const
        found = _residue(part.args[0] if compared else part)
        if found is not None:
            groups.setdefault(found[0], []).append((part, *found[1:]))
    for form, members in groups.items():
        n = lcm(*[m for _, _, m in members])
        if len(members) < 2 or n > _MOST_RESIDUES:
            continue
        holds = [all(_holds(part, (r + offset) % m) for part, offset, m in members) for r in range(n)]
        after = _run_of_remainders(form, n, holds)
        gone = [part for part, _, _ in members]
        if after is not None and after.operations() < sum([part.operations() + 1 for part in gone]) - 1:
            return And.build((*[part for part in e.args if part not in gone], after))
    return None


def _holds(part: Expr, remainder: int) -> bool:
    if isinstance(part, Comparison):
        return bool(type(part).holds(remainder, part.args[1].max))
    return bool(remainder)


def _run_of_remainders(form: Expr, n: int, holds: list[bool]) -> Expr | None:
    count = holds.count(True)
    if count in (0, n):
        return Const(int(count == n))
    starts = [r for r in range(n) if holds[r] and not holds[r - 1]]
    if len(starts) != 1:
        return None
    begin = starts[0]
    if begin + count == n:
        return Ge.build((form % n, Const(begin)))
    if count == 1:
        return Eq.build((form % n, Const(begin)))
    if count == n - 1:
        return Ne.build((form % n, Const(begin - 1)))
    return Lt.build(((form - begin) % n, Const(count)))


@rule("a & b → a & b′, where b′ is what is left of b when a holds", And)
def each_under_the_others(e: Expr, facts: Facts) -> Expr | None:
    """Where a is 0 the conjunction is 0 whatever b says, so b may be simplified as if a held."""
    parts = list(e.args)
    for k, part in enumerate(parts):
        ranges: dict[Expr, Range] = dict(facts.ranges)
        for other in parts[:k] + parts[k + 1 :]:
            if isinstance(other, Comparison) and not other.names.keys().isdisjoint(part.names):
                learn(ranges, other)
        if ranges == facts.ranges:
            continue
        after = canonical(part, Facts(ranges))
        # what is 0 or 1 where the others hold may be more where they do not, and then it is no condition
        if after is not part and after.operations() < part.operations() and 0 <= after.min <= after.max <= 1:
            parts[k] = after
    after = And.build(tuple(parts))
    return None if after is e else after
