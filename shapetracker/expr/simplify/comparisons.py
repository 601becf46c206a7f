"""Rules for comparisons. The canonical ones are X ≥ k, X < k, X = k and X ≠ k.

X is a linear form without constant, its coefficients have no common factor, and its first one is positive.
"""

from __future__ import annotations

from math import gcd

from shapetracker.expr.nodes import Comparison, Const, Eq, Expr, FloorDiv, Ge, Gt, Le, Lt, Mod, Ne, Sum
from shapetracker.expr.simplify.canonical import canonical
from shapetracker.expr.simplify.facts import Facts, quiet
from shapetracker.expr.simplify.limits import coarse_limit, decided, standard
from shapetracker.expr.simplify.linear import Form, Terms, from_linear, linear, plus
from shapetracker.expr.simplify.rules import COMPOUND, CONDITION, QUOTIENT, REMAINDER, SEVERAL, rule


def _difference(a: Expr, b: Expr) -> Form:
    if type(b) is Const:
        terms, constant = linear(a)
        return terms, constant - b.value
    return plus(linear(a), linear(b), -1)


@rule("a < b → 1 where a < b for every value, → 0 where for none; so for each comparison", Comparison, direct=True)
def comparison_is_decided(e: Expr, facts: Facts) -> Expr | None:
    """By the least and the greatest difference, or by relations that are known to hold."""
    verdict = decided(type(e), *_difference(*e.args), facts)
    return None if verdict is None else Const(verdict)


@rule("a < b → X < k, with everything that varies on the left, divided by its common factor", Comparison, direct=True)
def standard_comparison(e: Expr, facts: Facts) -> Expr | None:
    """g·X + c ≥ 0 means X ≥ ceil(−c/g); of integers, a ≤ b means a − b < 1."""
    terms, constant = _difference(*e.args)
    if not terms:
        return None
    found = standard(type(e), terms, constant)
    if isinstance(found, int):
        return Const(found)
    kind, terms, limit = found
    after = kind.build((from_linear(terms, 0), Const(limit)))
    return None if after is e else after


def _limit(e: Expr) -> tuple[Terms, int] | None:
    """Form and limit of a canonical comparison."""
    if type(e.args[1]) is not Const:
        return None
    return linear(e.args[0])[0], e.args[1].value


@rule("g·a + b ≥ k → a ≥ ceil((k − b)/g), where that is one number for every b", Ge, Lt, needs=SEVERAL, direct=True)
def drop_the_fine_part_of_a_comparison(e: Expr, facts: Facts) -> Expr | None:
    """What is too small to carry into the multiples of g does not matter."""
    parts = _limit(e)
    coarse = parts and coarse_limit(*parts, facts)
    if not coarse:
        return None
    return type(e).build((from_linear(coarse[0], 0), Const(coarse[1])))  # type: ignore[attr-defined, no-any-return]


@rule("x // n + a ≥ k → x + n·a ≥ n·k, where that is no longer; likewise for <", Ge, Lt, needs=QUOTIENT)
def compare_the_dividend(e: Expr, facts: Facts) -> Expr | None:
    """floor(x/n) ≥ q holds exactly when x ≥ n·q."""
    parts = _limit(e)
    if parts is None:
        return None
    terms, k = parts
    at_least = type(e) is Ge
    for atom, c in terms.items():
        if type(atom) is not FloorDiv or c not in (1, -1):
            continue
        n = atom.args[1]
        if type(n) is not Const or n.value < 1:
            continue
        others = {t: d for t, d in terms.items() if t is not atom}
        # c = 1: x // n against k − others; c = −1: x // n against others − k + 1, the other way round
        right = plus(({}, k), (others, 0), -1) if c == 1 else plus((others, -k), ({}, 1))
        kind = Ge if at_least == (c == 1) else Lt
        after = canonical(kind.build((atom.args[0], from_linear(*right) * n)), quiet(facts))
        if after.operations() <= e.operations():
            return after
    return None


@rule("(y // p) % q ≥ k → y % (p·q) ≥ p·k; likewise for <", Ge, Lt, needs=REMAINDER)
def compare_the_whole_remainder(e: Expr, facts: Facts) -> Expr | None:
    """The digits below do not reach the next multiple of p."""
    parts = _limit(e)
    if parts is None or len(parts[0]) != 1:
        return None
    ((atom, c),) = parts[0].items()
    if c != 1 or type(atom) is not Mod or type(atom.args[1]) is not Const:
        return None
    inner, offset = linear(atom.args[0])
    if len(inner) != 1:
        return None
    ((digit, d),) = inner.items()
    if d != 1 or type(digit) is not FloorDiv or type(digit.args[1]) is not Const or digit.args[1].value < 1:
        return None
    p, q = digit.args[1].value, atom.args[1].value
    after = (digit.args[0] + offset * p) % (p * q)
    return type(e).build((after, Const(parts[1] * p)))  # type: ignore[attr-defined, no-any-return]


@rule("(x + k) % n ≥ k → x % n < n − k, and (x + k) % n < k → x % n ≥ n − k", Ge, Lt, needs=REMAINDER)
def offset_leaves_a_compared_remainder(e: Expr, facts: Facts) -> Expr | None:
    """Turning the period by k turns its last n − k values into its first."""
    parts = _limit(e)
    if parts is None or len(parts[0]) != 1:
        return None
    ((atom, c),) = parts[0].items()
    k = parts[1]
    if c != 1 or type(atom) is not Mod or type(atom.args[1]) is not Const:
        return None
    n = atom.args[1].value
    inner, offset = linear(atom.args[0])
    if not 0 < k < n or not offset or (offset - k) % n:
        return None
    return (Lt if type(e) is Ge else Ge).build((from_linear(inner, 0) % n, Const(n - k)))


_OF_A_CONDITION = {(Ge, 1): True, (Eq, 1): True, (Ne, 0): True, (Lt, 1): False, (Eq, 0): False, (Ne, 1): False}


@rule("c ≥ 1 → c, where c is 0 or 1; c < 1 → not c, where c is a comparison", Ge, Lt, Eq, Ne, needs=COMPOUND)
def comparison_of_a_condition(e: Expr, facts: Facts) -> Expr | None:
    """What is 0 or 1 is a condition, and says itself whether it is 1."""
    c, limit = e.args
    meaning = _OF_A_CONDITION.get((type(e), limit.value)) if type(limit) is Const else None
    if meaning is None:
        return None
    if meaning:
        return c if c.min == 0 and c.max == 1 else None
    return negated(c) if isinstance(c, Comparison) else None


@rule("1 − c → not c, for a comparison c", Sum, needs=CONDITION)
def one_less_a_comparison(e: Expr, facts: Facts) -> Expr | None:
    """A comparison is 1 where its opposite is 0."""
    terms, constant = linear(e)
    if constant != 1 or len(terms) != 1:
        return None
    ((c, times_it),) = terms.items()
    return negated(c) if times_it == -1 and isinstance(c, Comparison) else None


@rule("g·a + t ≥ g·q + 1 → a + t ≥ q + 1, where t is 0 or 1; likewise for <", Ge, Lt, needs=SEVERAL)
def carry_in_a_comparison(e: Expr, facts: Facts) -> Expr | None:
    """With t = 0 both say a > q, with t = 1 both say a ≥ q."""
    parts = _limit(e)
    if parts is None:
        return None
    terms, k = parts
    fine = [t for t, c in terms.items() if c == 1 and facts.within(t) == (0, 1)]
    for t in fine:
        g = gcd(*[c for other, c in terms.items() if other is not t])
        if g > 1 and (k - 1) % g == 0:
            coarse = {other: c // g for other, c in terms.items() if other is not t}
            return type(e).build((from_linear(coarse | {t: 1}, 0), Const((k - 1) // g + 1)))  # type: ignore[attr-defined, no-any-return]
    return None


_OPPOSITE: dict[type[Expr], type[Comparison]] = {Lt: Ge, Ge: Lt, Le: Gt, Gt: Le, Eq: Ne, Ne: Eq}


def negated(e: Expr) -> Expr | None:
    """The opposite comparison.

    >>> from shapetracker.expr.nodes import Variable
    >>> negated(Variable("i", 0, 3) < 2)
    i >= 2
    """
    opposite = _OPPOSITE.get(type(e))
    return None if opposite is None else opposite.build(e.args)


@rule("x = k → x ≥ k, where k is the greatest x, and x < k + 1, where it is the least, if that is shorter", Eq, Ne)
def equality_at_an_end(e: Expr, facts: Facts) -> Expr | None:
    """At the end of its range, one comparison says it; of a quotient only the dividend is compared then."""
    parts = _limit(e)
    if parts is None:
        return None
    terms, k = parts
    low, high = facts.within_sum(terms, 0)
    if k not in (low, high):
        return None
    # X = high is X ≥ high, X ≠ high is X < high; X = low is X < low + 1, X ≠ low is X ≥ low + 1
    at_least = (k == high) == (type(e) is Eq)
    limit = k if k == high else k + 1
    after = canonical((Ge if at_least else Lt).build((e.args[0], Const(limit))), quiet(facts))
    return after if after.operations() < e.operations() else None
