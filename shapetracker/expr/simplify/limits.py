"""Comparisons of linear forms: whether the ranges decide them, and the one way in which they are written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import gcd

from shapetracker.expr.nodes import Comparison, Eq, Expr, Ge, Gt, Le, Lt, Ne
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import Terms, leads_negative, turned

Limit = tuple[type[Comparison], Terms, int]  # kind, X and k of X ≥ k, X < k, X = k or X ≠ k


def decided(kind: type[Expr], terms: Terms, constant: int, facts: Facts) -> int | None:
    """1 where the form compares with 0 in this way for every value, 0 where for none, None where the ends differ."""
    low, high = facts.within_sum(terms, constant)
    if kind is Lt or kind is Ge:
        below = 1 if high < 0 else 0 if low >= 0 else _by_relation(terms, constant, facts) if facts.ranges else None
        return below if kind is Lt or below is None else 1 - below
    if kind is Le or kind is Gt:
        below = 1 if high <= 0 else 0 if low > 0 else _by_relation(terms, constant - 1, facts) if facts.ranges else None
        return below if kind is Le or below is None else 1 - below
    if low == high == 0 or low > 0 or high < 0:
        return int((low == high == 0) == (kind is Eq))
    return None


def _by_relation(terms: Terms, constant: int, facts: Facts) -> int | None:
    """Whether the form is below 0, by relations alone; None where they do not tell."""
    if facts.nonnegative(terms, constant):
        return 0
    return 1 if facts.nonnegative(turned(terms), -constant - 1) else None


def standard(kind: type[Expr], terms: Terms, constant: int) -> Limit | int:
    """The comparison of a form with 0 as a limit on X, which has no constant, no common factor, and leads positive.

    A number where no integer has the value.
    """
    g = gcd(*terms.values())
    if kind is Le or kind is Gt:
        constant -= 1
    at_least = kind is Ge or kind is Gt
    same = kind is Eq or kind is Ne
    if leads_negative(terms):
        terms = turned(terms)
        constant = -constant
        if not same:  # c − X ≥ 0 means X < c + 1
            constant -= 1
            at_least = not at_least
    if g > 1:
        terms = {t: c // g for t, c in terms.items()}
    if same:
        if constant % g:
            return int(kind is Ne)
        return (Eq if kind is Eq else Ne), terms, -constant // g
    return (Ge if at_least else Lt), terms, -(constant // g)


def coarse_limit(terms: Terms, limit: int, facts: Facts) -> tuple[Terms, int] | None:
    """The limit on the multiples of some g, divided by g, where the other terms do not carry into them."""
    if len(terms) < 2:
        return None
    for g in _scales(terms):
        fine = {t: c for t, c in terms.items() if c % g}
        if not fine:
            continue
        low, high = facts.within_sum(fine, 0)
        if (low - limit) // g == (high - limit) // g:
            return {t: c // g for t, c in terms.items() if not c % g}, -((low - limit) // g)
    return None


def _scales(terms: Terms) -> Iterator[int]:
    """The factors that some of the coefficients share, greatest first."""
    coefficients = {abs(c) for c in terms.values()}
    shared = coefficients | {gcd(a, b) for a, b in combinations(coefficients, 2)}
    yield from sorted(shared - {1}, reverse=True)
