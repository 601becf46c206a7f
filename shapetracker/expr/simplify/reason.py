"""The registry of reasons, and the words that reasons share."""

from __future__ import annotations

from collections.abc import Callable

from shapetracker.expr.nodes import Const, Expr, Sum, Variable
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import linear

Reason = Callable[[Expr, Expr, Facts], str | None]
REASONS: dict[str, Reason] = {}
"""For each rule, what finds the reason why it makes `after` of `before` under these facts; None where it cannot say."""


def reason_of(*rules: str) -> Callable[[Reason], Reason]:
    """Register the reason of these rules."""

    def register(find: Reason) -> Reason:
        REASONS.update(dict.fromkeys(rules, find))
        return find

    return register


def lies(e: Expr, facts: Facts) -> str:
    """Where the values of an expression lie.

    >>> i = Variable("i", 0, 3)
    >>> lies(i, Facts()), lies(i * 4 + 1, Facts()), lies(i // 4, Facts())
    ('i is 0 … 3', 'i*4 + 1 lies in 1 … 13', 'i//4 is 0')
    """
    low, high = facts.within(e)
    if low == high:
        return f"{e!r} is {low}"
    return f"{e!r} {'is' if type(e) is Variable else 'lies in'} {low} … {high}"


def number(e: Expr) -> int | None:
    """The number that a constant is."""
    return e.value if type(e) is Const else None


def span(low: int, high: int) -> str:
    """A run of numbers.

    >>> span(0, 3), span(7, 7)
    ('0 … 3', '7')
    """
    return str(low) if low == high else f"{low} … {high}"


def listed(parts: list[str]) -> str:
    """Texts as a sentence lists them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def fraction(a: Expr, n: Expr) -> str:
    """The exact quotient, before it is rounded.

    >>> i = Variable("i", 0, 3)
    >>> fraction(i, Const(8)), fraction(i + 1, Const(8))
    ('i/8', '(i + 1)/8')
    """
    return f"{a!r}/{n!r}" if type(a) in (Variable, Const) else f"({a!r})/{n!r}"


def added_up(e: Expr) -> str | None:
    """What stands in several terms of a sum, and what its factors make.

    >>> i = Variable("i", 0, 3)
    >>> added_up(i * 4 + 1 - i)
    'the factors of i add up: 4 + (-1) = 3'
    """
    parts = [linear(x)[0] for x in e.args] if type(e) is Sum else []
    for t in dict.fromkeys(t for part in parts for t in part):
        factors = [part[t] for part in parts if t in part]
        if len(factors) > 1:
            written = " + ".join(str(c) if c >= 0 else f"({c})" for c in factors)
            return f"the factors of {t!r} add up: {written} = {sum(factors)}"
    return None
