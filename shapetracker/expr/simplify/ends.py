"""Conditions that hold only where a form is at one end of its range: then each of its terms is at an end of its own."""

from __future__ import annotations

from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, Ge, Gt, Le, Lt
from shapetracker.expr.simplify.canonical import canonical
from shapetracker.expr.simplify.facts import Facts, quiet
from shapetracker.expr.simplify.linear import Terms, from_linear, linear, plus
from shapetracker.expr.simplify.rules import SEVERAL, shortening


def _at_the_top(e: Expr, facts: Facts) -> Terms | None:
    """Terms with coefficients 1 and −1 of which the condition says that each is as great as it can be."""
    if not isinstance(e, Comparison) or facts.ranges:  # relations may keep the terms from their ends
        return None
    terms, constant = plus(linear(e.args[0]), linear(e.args[1]), -1)
    low, high = facts.within_sum(terms, constant)
    if (type(e), high) in ((Ge, 0), (Gt, 1), (Eq, 0)):
        return {t: 1 if c > 0 else -1 for t, c in terms.items()}
    if (type(e), low) in ((Le, 0), (Lt, -1), (Eq, 0)):
        return {t: 1 if c < 0 else -1 for t, c in terms.items()}
    return None


def _all_at_the_top(terms: Terms, facts: Facts) -> Expr:
    if all(c < 0 for c in terms.values()):
        turned = dict.fromkeys(terms, 1)
        return canonical(Le.build((from_linear(turned, 0), Const(facts.within_sum(turned, 0)[0]))), quiet(facts))
    return canonical(Ge.build((from_linear(terms, 0), Const(facts.within_sum(terms, 0)[1]))), quiet(facts))


@shortening(
    "a·x + b·y ≥ k → x + y ≥ l, where k is the greatest a·x + b·y; likewise at the least", Ge, Lt, Eq, needs=SEVERAL
)
def no_factor_at_an_end(e: Expr, facts: Facts) -> Expr | None:
    """A sum is at its end exactly when each of its terms is, and so is a sum of those terms with other factors."""
    terms = _at_the_top(e, facts)
    if terms is None:
        return None
    after = _all_at_the_top(terms, facts)
    return after if after.operations() < e.operations() else None


@shortening(
    "(x ≥ a) & (y ≥ b) → x + y ≥ a + b, where a is the greatest x and b the greatest y; likewise at the least", And
)
def ends_add_up(e: Expr, facts: Facts) -> Expr | None:
    """A sum is at its end exactly when each of its terms is."""
    together: Terms = {}
    gone: list[Expr] = []
    for part in e.args:
        terms = _at_the_top(part, facts)
        if terms is not None and all(together.get(t, c) == c for t, c in terms.items()):
            together |= terms
            gone.append(part)
    if len(gone) < 2:
        return None
    after = And.build((*[part for part in e.args if part not in gone], _all_at_the_top(together, facts)))
    return after if after.operations() < e.operations() else None
