"""Rules for sums, of quotients that belong to remainders, and for the least and the greatest."""

from __future__ import annotations

from collections.abc import Iterator

from shapetracker.expr.nodes import Const, Expr, FloorDiv, Max, Min, Mod, Sum
from shapetracker.expr.simplify.canonical import canonical, remainder_of
from shapetracker.expr.simplify.facts import Facts, quiet
from shapetracker.expr.simplify.linear import Form, Terms, from_linear, linear, plus
from shapetracker.expr.simplify.rules import QUOTIENT, REMAINDER, SHARED, rule

_TWO = Const(2)


def _divisions(terms: Terms, kind: type[Expr]) -> Iterator[tuple[Expr, int, Expr, int]]:
    """Atom, coefficient, dividend and divisor of each quotient (remainder) by a number."""
    for atom, c in terms.items():
        if type(atom) is kind:
            a, n = atom.args
            if type(n) is Const:
                yield atom, c, a, n.value


def _quotient(a: Form, n: int, facts: Facts) -> Form:
    """The canonical form of a // n, looking ahead; most often it is there already."""
    return linear(canonical(from_linear(*a) // n, quiet(facts)))


def _cheaper(new: Form, old: Expr) -> Expr | None:
    after = from_linear(*new)
    return after if after.operations() < old.operations() else None


def _meets(terms: Terms, *others: Terms) -> bool:
    """Whether a form has an atom in common with others: only then can terms cancel."""
    return any(t in terms for other in others for t in other)


@rule("c·(x % n) + d·(x // n) → c·x + (d − c·n)·(x // n), where that is shorter", Sum, needs=REMAINDER | SHARED)
def remainder_meets_its_quotient(e: Expr, facts: Facts) -> Expr | None:
    """x % n = x − n·(x // n)."""
    terms, constant = linear(e)
    if len(terms) < 2:
        return None
    for atom, c, a, n in _divisions(terms, Mod):
        rest = plus((terms, constant), ({atom: 1}, 0), -c)
        for x, sign, more, _ in _remainder_read(a, n, terms):
            whole = _quotient(x, n, facts)
            if _meets(terms, whole[0], x[0]):
                new = plus(plus(rest, x, c * sign), whole, -c * sign * n)
                after = _cheaper((new[0], new[1] + c * more), e)
                if after is not None:
                    return after
    return None


def _remainder_read(a: Expr, n: int, terms: Terms) -> Iterator[tuple[Form, int, int, Expr | None]]:
    """Other readings of a % n, as sign·(x % n) + more, where the sum has a quotient x // n, or its last digit.

    Congruent dividends have one remainder; where x is congruent to −a − 1, a % n is n − 1 − x % n. A quotient may stand
    by itself, or be a further digit: in (y + x // n) % m it is that of x + n·y.
    """
    own = linear(a)
    mirrored = plus(({}, -1), own, -1)
    yield own, 1, 0, None
    for x, digit in _dividends_of_quotients(n, terms):
        if _congruent(x, own, n):
            yield x, 1, 0, digit
        elif _congruent(x, mirrored, n):
            yield x, -1, n - 1, digit


def _dividends_of_quotients(n: int, terms: Terms) -> Iterator[tuple[Form, Expr | None]]:
    """Each x of which the sum has x // n, and the term that is a digit of that, where it is one."""
    for _, _, x, m in _divisions(terms, FloorDiv):
        if m == n:
            yield linear(x), None
    for digit, _, digits, base in _divisions(terms, Mod):
        form = linear(digits)
        for quotient, c, x, m in _divisions(form[0], FloorDiv):
            if m == n and c in (1, -1):
                y = plus(form, ({quotient: 1}, 0), -c)
                mirrored = plus(({}, n - 1), linear(x), -1)  # −(x // n) is (n − 1 − x) // n
                yield plus(linear(x) if c == 1 else mirrored, y, n), digit
                if base == 2:  # there 1 and −1 are the same
                    yield plus(mirrored if c == 1 else linear(x), y, n), digit


def _congruent(a: Form, b: Form, n: int) -> bool:
    difference = plus(a, b, -1)
    return difference[1] % n == 0 and all(c % n == 0 for c in difference[0].values())


@rule("a·((x + 1) // 2) → a·x − a·(x // 2), where that is shorter", Sum, needs=QUOTIENT | SHARED)
def the_other_half(e: Expr, facts: Facts) -> Expr | None:
    """Of two neighbours one is even: x // 2 + (x + 1) // 2 = x."""
    terms, constant = linear(e)
    if len(terms) < 2:
        return None
    for atom, c in terms.items():
        if type(atom) is FloorDiv and atom.args[1] is _TWO:
            a = atom.args[0]
            x = plus(linear(a), ({}, -1))
            whole = _quotient(x, 2, facts)
            if _meets(terms, whole[0], x[0]):
                new = plus(plus(plus((terms, constant), ({atom: 1}, 0), -c), x, c), whole, -c)
                after = _cheaper(new, e)
                if after is not None:
                    return after
    return None


@rule("c·x − c·n·(x // n) → c·(x % n), where that is shorter", Sum, needs=QUOTIENT | SHARED)
def multiple_meets_its_quotient(e: Expr, facts: Facts) -> Expr | None:
    """x − n·(x // n) = x % n."""
    terms, constant = linear(e)
    if len(terms) < 2:
        return None
    for atom, d, a, n in _divisions(terms, FloorDiv):
        for dividend, divisor in _readings(atom, a, n, terms, facts):
            if d % divisor:
                continue
            c = d // divisor
            x = linear(dividend)
            rest = remainder_of(x, divisor, facts)
            if _meets(terms, x[0], rest[0]):
                new = plus((terms, constant), ({atom: 1}, 0), -d)
                after = _cheaper(plus(plus(new, x, c), rest, -c), e)
                if after is not None:
                    return after
    return None


def _readings(atom: Expr, a: Expr, n: int, terms: Terms, facts: Facts) -> Iterator[tuple[Expr, int]]:
    """x // (m·n) is also (x // m) // n, where another term x // m is there."""
    yield a, n
    for other, _, _, m in _divisions(terms, FloorDiv):
        if other is not atom and n % m == 0 and canonical(other // (n // m), quiet(facts)) is atom:
            yield other, n // m


@rule(
    "d·(x % n) + c·n·((x // n) % m) → c·(x % (n·m)) + (d − c)·(x % n), where that is shorter",
    Sum,
    needs=REMAINDER | SHARED,
)
def two_digits_become_one(e: Expr, facts: Facts) -> Expr | None:
    """The last digit and the one before it are the last two."""
    terms, constant = linear(e)
    if len(terms) < 2:
        return None
    for atom, _, a, n in _divisions(terms, Mod):
        for other, d, _, m in _divisions(terms, Mod):
            if other is atom:
                continue
            for form, sign, more, digit in _remainder_read(a, n, terms):
                upper = ({other: 1}, 0) if digit is other else remainder_of(_quotient(form, n, facts), m, facts)
                if other not in upper[0] or d % (n * upper[0][other]):
                    continue
                c = d // (n * upper[0][other])
                both = remainder_of(form, n * m, facts)
                new = plus(plus((terms, constant + c * sign * more), upper, -c * n), both, c)
                after = _cheaper(plus(new, ({atom: 1}, 0), -c * sign), e)
                if after is not None:
                    return after
    return None


@rule("x // n + (x + 1) // n + … + (x + n − 1) // n → x", Sum, needs=QUOTIENT | SHARED)
def hermites_identity(e: Expr, facts: Facts) -> Expr | None:
    """Of n consecutive offsets, x % n carry into the next multiple of n (Hermite, 1884)."""
    terms, constant = linear(e)
    for atom, c, a, n in _divisions(terms, FloorDiv):
        if not 2 <= n <= len(terms):
            continue
        inner, offset = linear(a)
        quotients = [_quotient((inner, k), n, facts) for k in range(n)]
        if not any(atom in q[0] for q in quotients) or offset not in range(n):
            continue
        new: Form = terms, constant
        for q in quotients:
            new = plus(new, q, -c)
        after = _cheaper(plus(new, (inner, 0), c), e)
        if after is not None:
            return after
    return None


@rule("min(a, b) → a, where a ≤ b for every value", Min)
def least_is_known(e: Expr, facts: Facts) -> Expr | None:
    """An operand that never is the least, or is there twice, can go."""
    return _without(e, facts, 1)


@rule("max(a, b) → a, where a ≥ b for every value", Max)
def greatest_is_known(e: Expr, facts: Facts) -> Expr | None:
    """An operand that never is the greatest, or is there twice, can go."""
    return _without(e, facts, -1)


def _without(e: Expr, facts: Facts, sign: int) -> Expr | None:
    for k, x in enumerate(e.args):
        for m, y in enumerate(e.args):
            if k != m and facts.nonnegative(*linear(canonical((y - x) * sign, quiet(facts)))):
                return type(e).build(e.args[:m] + e.args[m + 1 :])  # type: ignore[attr-defined, no-any-return]
    return None
