"""What the laws of quotients and remainders make of a linear form divided by a number n > 1.

Rules apply these laws to nodes, one at a time; `canonical` applies them to forms, without a node for each step.
"""

from __future__ import annotations

from itertools import product
from math import gcd

from shapetracker.expr.bounds import find_bounds
from shapetracker.expr.nodes import Const, FloorDiv, Mod, Variable
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import Form, Terms, linear, plus, rank

MOST_CHOICES = 4  # terms whose two nearest coefficients are all tried; more are rare, and each doubles the work


def survey(terms: Terms, constant: int, n: int) -> tuple[int, int, Terms, int, int, bool, bool]:
    """What the ranges say of a form, and of its nearest terms: those with each coefficient nearest to 0 modulo n.

    Returns
    -------
    low, high : the least and the greatest value of the form
    near : the nearest terms
    least, width : the least value of the nearest terms, and by how much they vary
    plain : whether there are only variables
    shares : whether a coefficient has a factor in common with n, without being a multiple of it
    """
    low = high = constant
    least = width = 0
    plain, shares = True, False
    near: Terms = {}
    for atom, c in terms.items():
        if type(atom) is not Variable:
            plain = False
        a, b, _, _ = atom._bounds or find_bounds(atom)
        if c > 0:
            low += c * a
            high += c * b
        else:
            low += c * b
            high += c * a
        r = c % n
        if r:
            if r + r > n:
                r -= n
                least += r * b
                width -= r * (b - a)
            else:
                least += r * a
                width += r * (b - a)
            near[atom] = r
            if r != 1 and gcd(r, n) > 1:
                shares = True
    return low, high, near, least, width, plain, shares


def inside_one_period(near: Terms, constant: int, n: int, facts: Facts) -> Form | None:
    """A form equal modulo n whose values all lie in 0 … n − 1, among the two nearest coefficients of each term.

    Parameters
    ----------
    near : the terms with the nearest coefficients
    """
    if not near or len(near) > MOST_CHOICES:
        return None
    low, high = facts.within_sum(near, constant)
    if high - low >= n:
        return None
    if low // n == high // n:
        return near, constant - low // n * n
    return second_nearest(near, constant, n, facts)


def second_nearest(near: Terms, constant: int, n: int, facts: Facts) -> Form | None:
    """Such a form where the nearest coefficients themselves give none."""
    if len(near) > MOST_CHOICES:
        return None
    ordered = sorted(near, key=rank) if len(near) > 1 else near
    for coefficients in product(*[(c, c - n if c > 0 else c + n) for c in [near[t] for t in ordered]]):
        chosen = dict(zip(ordered, coefficients, strict=True))
        low, high = facts.within_sum(chosen, constant)
        if low // n == high // n:
            return chosen, constant - low // n * n
    return None


def without_multiples(terms: Terms, constant: int, n: int) -> tuple[Form, Form] | None:
    """The form as n times a whole form and a rest with coefficients below n; None where there is no multiple of n."""
    kept: Terms = {}
    outside: Terms = {}
    for t, c in terms.items():
        if -n < c < n:
            kept[t] = c
            continue
        part = c % n if c > 0 else -(-c % n)
        if part:
            kept[t] = part
        outside[t] = (c - part) // n
    if not outside and 0 <= constant < n:
        return None
    return (outside, constant // n), (kept, constant % n)


def nearest(terms: Terms, n: int) -> Terms:
    """Each coefficient nearest to 0 among those equal modulo n."""
    found: Terms = {}
    for atom, c in terms.items():
        r = c % n
        if r:
            found[atom] = r if 2 * r <= n else r - n
    return found


def without_inner_remainder(terms: Terms, constant: int, n: int) -> Form | None:
    """The form with x for some x % m, where that only changes it by a multiple of n."""
    for atom, c in terms.items():
        if type(atom) is Mod and type(atom.args[1]) is Const and c * atom.args[1].value % n == 0:
            rest = plus((terms, constant), ({atom: 1}, 0), -c)
            return plus(rest, linear(atom.args[0]), c)
    return None


def coarse_and_fine(terms: Terms, constant: int, n: int, facts: Facts) -> tuple[int, Terms, int, int] | None:
    """A divisor g of n with a = g·coarse + fine and fine inside one period of g: (g, coarse, its constant, g's count).

    Gives g, the coarse terms (divided by g), and the period k: k·g ≤ fine < (k + 1)·g.
    """
    if len(terms) == 1:
        ((t, c),) = terms.items()
        g = gcd(n, c)
        return None if g == 1 else (g, {t: c // g}, constant // g, constant)
    shared = {gcd(n, c) for c in terms.values()}
    for g in sorted(shared, reverse=True) if len(shared) > 1 else shared:
        if g == 1:
            return None
        fine = {t: c for t, c in terms.items() if c % g}
        low, high = facts.within_sum(fine, constant)
        if low // g == high // g:
            return g, {t: c // g for t, c in terms.items() if not c % g}, low // g, low
    return None


def dividend_of_the_quotient(terms: Terms, constant: int) -> tuple[Form, int] | None:
    """x + c·m and m, where the form is x // m + c for a number m > 0."""
    if len(terms) != 1:
        return None
    ((atom, c),) = terms.items()
    if type(atom) is not FloorDiv or c != 1 or type(atom.args[1]) is not Const:
        return None
    m = atom.args[1].value
    return (plus(linear(atom.args[0]), ({}, constant * m)), m) if m > 0 else None


def digits_of_the_remainder(terms: Terms, constant: int, n: int) -> tuple[Form, int] | None:
    """x and m, where the form is x % (m·n)."""
    if constant or len(terms) != 1:
        return None
    ((atom, c),) = terms.items()
    if type(atom) is not Mod or c != 1 or type(atom.args[1]) is not Const:
        return None
    whole = atom.args[1].value
    return (linear(atom.args[0]), whole // n) if whole > 0 and whole % n == 0 else None
