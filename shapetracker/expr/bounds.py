"""Interval and congruence of an expression: what can be said without looking at single points.

Of each expression four numbers are known: the least and the greatest value, a modulus m and a remainder r with
value ≡ r (mod m). m = 1 says nothing, m = 0 says that the value is r itself. A product by 4 is a multiple of 4;
i·8 + 3 is 3 modulo 8.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Eq,
    Expr,
    FloorDiv,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Ne,
    Product,
    Sum,
    Variable,
)

Bounds = tuple[int, int, int, int]


def find_bounds(e: Expr) -> Bounds:
    """Least value, greatest value, modulus, remainder; remembered in the node.

    Examples
    --------
    >>> find_bounds(Variable("i", 0, 3) * 8 + 3)
    (3, 27, 8, 3)
    """
    known = e._bounds
    if known is None:
        known = _FINDERS[type(e)](e)
        low, high, modulus, residue = known
        if modulus > 1 and low < high:  # both ends move inwards to values that have the remainder
            low += (residue - low) % modulus
            high -= (high - residue) % modulus
            known = low, high, modulus, residue
        if known[0] == known[1]:
            known = known[0], known[0], 0, known[0]
        e.__dict__["_bounds"] = known
    return known


def _sum(e: Expr) -> Bounds:
    low = high = modulus = residue = 0
    for x in e.args:
        a, b, m, r = x._bounds or find_bounds(x)
        low += a
        high += b
        modulus = gcd(modulus, m)
        residue += r
    return low, high, modulus, residue % modulus if modulus else residue


def _product(e: Expr) -> Bounds:
    if len(e.args) == 2 and type(e.args[1]) is Const:
        x, c = e.args[0], e.args[1].value
        a, b, m, r = x._bounds or find_bounds(x)
        m, r = abs(m * c), r * c
        return (a * c, b * c, m, r % m if m else r) if c >= 0 else (b * c, a * c, m, r % m if m else r)
    low, high, modulus, residue = 1, 1, 0, 1
    for x in e.args:
        a, b, m, r = x._bounds or find_bounds(x)
        corners = (low * a, low * b, high * a, high * b)
        low, high = min(corners), max(corners)
        modulus, residue = gcd(modulus * m, modulus * r, residue * m), residue * r
    return low, high, modulus, residue % modulus if modulus else residue


def _floordiv(e: Expr) -> Bounds:
    x, y = e.args
    a, b, m, r = x._bounds or find_bounds(x)
    c, d, _, _ = y._bounds or find_bounds(y)
    corners = (a // c, a // d, b // c, b // d)
    low, high = min(corners), max(corners)
    if c == d and m and m % c == 0:  # (m·t + r)//c = (m/c)·t + r//c
        return low, high, abs(m // c), (r // c) % abs(m // c)
    return low, high, 1, 0


def _mod(e: Expr) -> Bounds:
    x, y = e.args
    a, b, m, r = x._bounds or find_bounds(x)
    c, d, n, s = y._bounds or find_bounds(y)
    if c != d:
        if c > 0:
            return (a, b, m, r) if a >= 0 and b < c else (0, min(b, d - 1) if a >= 0 else d - 1, *_common(m, r, n, s))
        return (a, b, m, r) if b <= 0 and a > d else (max(a, c + 1) if b <= 0 else c + 1, 0, *_common(m, r, n, s))
    if a // c == b // c:
        shift = a // c * c
        return a - shift, b - shift, m, (r - shift) % m if m else r - shift
    g = gcd(m, c)
    return (0, c - 1, g, r % g) if c > 0 else (c + 1, 0, g, r % g)


def _common(m: int, r: int, n: int, s: int) -> tuple[int, int]:
    """The congruence of x % y = x − q·y, for x ≡ r (mod m) and a y that is a multiple of gcd(n, s)."""
    g = gcd(m, n, s)
    return g, r % g if g else r


def _comparison(e: Expr) -> Bounds:
    x, y = e.args
    a, b, m, r = x._bounds or find_bounds(x)
    c, d, n, s = y._bounds or find_bounds(y)
    always, never = _DECIDED[type(e)](a, b, c, d)
    if type(e) in (Eq, Ne):
        g = gcd(m, n)
        apart = (r - s) % g != 0 if g else r != s
        never, always = (never or apart, always) if type(e) is Eq else (never, always or apart)
    return int(always), int(not never), 1, 0


_DECIDED: dict[type[Expr], Callable[[int, int, int, int], tuple[bool, bool]]] = {
    Lt: lambda a, b, c, d: (b < c, a >= d),
    Le: lambda a, b, c, d: (b <= c, a > d),
    Gt: lambda a, b, c, d: (a > d, b <= c),
    Ge: lambda a, b, c, d: (a >= d, b < c),
    Eq: lambda a, b, c, d: (a == b == c == d, b < c or d < a),
    Ne: lambda a, b, c, d: (b < c or d < a, a == b == c == d),
}


def _and(e: Expr) -> Bounds:
    parts = [x._bounds or find_bounds(x) for x in e.args]
    return min(p[0] for p in parts), min(p[1] for p in parts), 1, 0


def _least(e: Expr) -> Bounds:
    parts = [x._bounds or find_bounds(x) for x in e.args]
    return min(p[0] for p in parts), min(p[1] for p in parts), *_either(parts)


def _greatest(e: Expr) -> Bounds:
    parts = [x._bounds or find_bounds(x) for x in e.args]
    return max(p[0] for p in parts), max(p[1] for p in parts), *_either(parts)


def _either(parts: list[Bounds]) -> tuple[int, int]:
    """The congruence of a value that is one of several."""
    _, _, modulus, residue = parts[0]
    for _, _, m, r in parts[1:]:
        modulus = gcd(modulus, m, residue - r)
    return modulus, residue % modulus if modulus else residue


def _known(e: Expr) -> Bounds:
    bounds = (e.args[0] if isinstance(e, Bound) else e)._bounds
    if bounds is None:
        raise AssertionError(f"{type(e).__name__} has its bounds from the start")
    return bounds


_FINDERS: dict[type[Expr], Callable[[Expr], Bounds]] = {
    Const: _known,
    Variable: _known,
    Bound: _known,
    Sum: _sum,
    Product: _product,
    FloorDiv: _floordiv,
    Mod: _mod,
    Min: _least,
    Max: _greatest,
    And: _and,
    **dict.fromkeys((Lt, Le, Gt, Ge, Eq, Ne), _comparison),
}

__all__ = ["Bounds", "Comparison", "find_bounds"]
