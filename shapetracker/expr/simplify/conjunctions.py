"""Rules for conjunctions: each condition is read under the others."""

from __future__ import annotations

from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, Ge, Lt
from shapetracker.expr.simplify.facts import Facts, Range, learn
from shapetracker.expr.simplify.rules import canonical, rule


@rule("a & a → a", And)
def condition_twice(e: Expr, facts: Facts) -> Expr | None:
    """Saying it once is enough."""
    once = tuple(dict.fromkeys(e.args))
    return And.build(once) if len(once) < len(e.args) else None


@rule("(x ≥ a) & (x ≥ b) → x ≥ max(a, b);  (x < a) & (x < b) → x < min(a, b);  (x ≥ a) & (x < a + 1) → x = a", And)
def tightest_limits(e: Expr, facts: Facts) -> Expr | None:
    """Limits on one form make one range."""
    limits: dict[Expr, tuple[int | None, int | None]] = {}
    rest: list[Expr] = []
    for part in e.args:
        if type(part) in (Ge, Lt) and type(part.args[1]) is Const:
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
    parts: list[Expr] = []
    for x in dict.fromkeys(rest):
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
        if after is not part and after.operations() < part.operations():
            parts[k] = after
    after = And.build(tuple(parts))
    return None if after is e else after
