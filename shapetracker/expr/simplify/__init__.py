"""Simplification: to a canonical form by laws, and from there to the shortest form that they reach.

The result never takes more operations than what it came from, and simplifying it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shapetracker.expr.nodes import And, Comparison, Expr, Operation, write
from shapetracker.expr.simplify import comparisons, conjunctions, divisions, sums, tables  # noqa: F401  (they register rules)
from shapetracker.expr.simplify.divisions import WITHOUT_REMAINDERS, without_remainders
from shapetracker.expr.simplify.facts import Facts, Step, facts_from
from shapetracker.expr.simplify.linear import rank
from shapetracker.expr.simplify.rules import RULES, SHORTENING, Rule, canonical, rule, shortening
from shapetracker.expr.simplify.short import short

__all__ = ["RULES", "SHORTENING", "Explanation", "Facts", "Rule", "Step", "explain", "rule", "shortening", "simplify"]


def simplify(e: Expr, assuming: Iterable[Expr] = ()) -> Expr:
    """The shortest equal expression that the rules find; never a longer one.

    Parameters
    ----------
    e : Expr
    assuming : comparisons that hold, such as ``j < n``

    Examples
    --------
    >>> from shapetracker.expr.nodes import Variable
    >>> i = Variable("i", 0, 59)
    >>> simplify(i // 12 * 12 + i // 4 % 3 * 4 + i % 4)
    i
    """
    conditions = tuple(assuming)
    if conditions:
        return _improve(e, facts_from(conditions))
    known = e._simple
    if known is None:
        known = _improve(e, Facts())
        write(e, "_simple", True if known is e else known)
        write(known, "_simple", True)
    return e if known is True else known  # type: ignore[return-value]


def _improve(e: Expr, facts: Facts) -> Expr:
    """Round after round, as long as the result gets shorter, or comes earlier in the order of equally short ones."""
    improved = True
    while improved:
        improved = False
        for attempt in (_as_a_whole, _part_by_part, _by_quotients_alone):
            steps = len(facts.trace or ())
            candidate = attempt(e, facts)
            if candidate is not e and _earlier(candidate, e):
                e, improved = candidate, True
                break
            if facts.trace is not None:
                del facts.trace[steps:]  # what was tried in vain is no step
    return e


def _as_a_whole(e: Expr, facts: Facts) -> Expr:
    return short(canonical(e, facts), facts)


def _part_by_part(e: Expr, facts: Facts) -> Expr:
    """Where the canonical form of the whole is too long, better parts may still help."""
    if not isinstance(e, Operation):
        return e
    plain = not facts.ranges and facts.trace is None
    return type(e).build(tuple([simplify(x) if plain else _improve(x, facts) for x in e.args]))


_LONG = 5  # operations from which on a second form is worth its time


def _by_quotients_alone(e: Expr, facts: Facts) -> Expr:
    """Remainders written as quotients, so that more can meet."""
    if e.operations() < _LONG or isinstance(e, Comparison | And):
        return e
    quotients = without_remainders(e)
    if quotients is e:
        return e
    if facts.trace is not None:
        facts.trace.append(Step("without_remainders", WITHOUT_REMAINDERS, e, quotients))
    after = _as_a_whole(_as_a_whole(quotients, facts), facts)  # what met in the first round meets more in the second
    return after if after.operations() < e.operations() else e


def _earlier(a: Expr, b: Expr) -> bool:
    cost, other = a.operations(), b.operations()
    return cost < other or (cost == other and rank(a) < rank(b))


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an expression was simplified.

    Attributes
    ----------
    before, after : Expr
    steps : tuple of Step
        Each with `rule` (its name), `law` (in words), `before` and `after` (the part that changed).
    """

    before: Expr
    after: Expr
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        lines = [f"{self.before!r}"]
        lines += [f"  {step.before!r}  →  {step.after!r}    {step.law}" for step in self.steps]
        return "\n".join([*lines, f"= {self.after!r}"])

    def __repr__(self) -> str:
        return f"Explanation({self.before!r} = {self.after!r}, {len(self.steps)} steps)"

    def draw(self) -> Any:
        """The picture of the steps."""
        from shapetracker.drawing.expressions import draw_explanation

        return draw_explanation(self)

    def _repr_html_(self) -> str:
        html: str = self.draw()._repr_html_()
        return html


def explain(e: Expr, assuming: Iterable[Expr] = ()) -> Explanation:
    """The steps of `simplify`, in the order in which they were taken.

    Examples
    --------
    >>> from shapetracker.expr.nodes import Variable
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> print(explain((i * 8 + j) % 8))
    (i*8 + j)%8
      (i*8 + j)%8  →  j%8    (a + n·c) % n → a % n
      j%8  →  j    a % n → a − q·n, where q·n ≤ a < (q + 1)·n for every value
    = j
    """
    conditions = tuple(assuming)
    steps: list[Step] = []
    after = simplify(e, conditions)
    _improve(e, facts_from(conditions, trace=steps))
    return Explanation(e, after, tuple(steps))
