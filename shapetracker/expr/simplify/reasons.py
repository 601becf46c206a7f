"""Why a law applies to an expression: what must hold for it, with the numbers of the case at hand.

A law says "where k·g ≤ b < (k + 1)·g"; its reason says "j is 0 … 3, from 0 up to less than 4". The numbers come from
the same facts that the rule asked.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from shapetracker.expr.nodes import And, Comparison, Const, Expr, FloorDiv, Gt, Le, Mod, Sum, Variable
from shapetracker.expr.simplify.divisions import coarse_and_fine
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import from_linear, linear, plus

Reason = Callable[[Expr, Expr, Facts], str | None]
_REASONS: dict[str, Reason] = {}


def because(rule: str, before: Expr, after: Expr, facts: Facts) -> str:
    """Why the rule of this name makes `after` of `before`, under these facts.

    Examples
    --------
    >>> j = Variable("j", 0, 7)
    >>> because("remainder_within_one_period", j % 8, j, Facts())
    'j is 0 … 7, less than 8'
    """
    find = _REASONS.get(rule)
    found = find(before, after, facts) if find else None
    return found or _shorter(before, after) or _ranges(before, facts)


def _of(*rules: str) -> Callable[[Reason], Reason]:
    """Register the reason of these rules."""

    def register(find: Reason) -> Reason:
        _REASONS.update(dict.fromkeys(rules, find))
        return find

    return register


def _lies(e: Expr, facts: Facts) -> str:
    low, high = facts.within(e)
    if low == high:
        return f"{e!r} is {low}"
    return f"{e!r} {'is' if type(e) is Variable else 'lies in'} {low} … {high}"


def _ranges(e: Expr, facts: Facts) -> str:
    return ", ".join(_lies(v, facts) for v in e.variables())


def _shorter(before: Expr, after: Expr) -> str | None:
    less = before.operations() - after.operations()
    return (
        f"{_count(before)} become{'s' if before.operations() == 1 else ''} {after.operations()}" if less > 0 else None
    )


def _count(e: Expr) -> str:
    return f"{e.operations()} operation{'' if e.operations() == 1 else 's'}"


def _number(e: Expr) -> int | None:
    return e.value if type(e) is Const else None


@_of("fixed_variable")
def _one_value(before: Expr, after: Expr, facts: Facts) -> str:
    return f"{before!r} can only be {after!r}"


@_of("quotient_is_constant")
def _one_quotient(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    q, size = _number(after), _number(n)
    if q is None or size is None:
        return None
    limits = sorted((q * size, (q + 1) * size))
    return f"{_lies(a, facts)}, from {limits[0]} up to less than {limits[1]}" if size > 0 else _lies(a, facts)


@_of("remainder_within_one_period")
def _one_period(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    size = _number(n)
    low, high = facts.within(a)
    if size is None or size < 1 or low // size != high // size:
        return None
    q = low // size
    return f"{_lies(a, facts)}, " + (f"from {q * size} up to less than {(q + 1) * size}" if q else f"less than {size}")


@_of("divisor_of_a_quotient_above_one", "divisor_of_a_remainder_above_one")
def _sign_of_the_divisor(before: Expr, after: Expr, facts: Facts) -> str:
    return _lies(before.args[1], facts) if _number(before.args[1]) is None else f"the divisor is {before.args[1]!r}"


@_of("pull_multiples_out_of_a_quotient", "quotient_by_a_symbolic_size")
def _multiples_outside(before: Expr, after: Expr, facts: Facts) -> str:
    a, n = before.args
    outside = linear(after)
    for atom in outside[0]:
        if type(atom) is FloorDiv and atom.args[1] is n:
            outside = plus(outside, ({atom: 1}, 0), -outside[0][atom])
            break
    whole = (from_linear(*outside) * n).simplify()
    rest = from_linear(*plus(linear(a), linear(whole), -1))
    if outside == linear(after):
        return (
            f"{n!r} divides {whole!r}, and what is left lies below it: {_lies(rest, facts)}"
            if linear(whole)[0]
            else _lies(a, facts)
        )
    return f"{n!r} divides {whole!r}"


@_of("drop_multiples_from_a_remainder", "remainder_by_a_symbolic_size")
def _multiples_gone(before: Expr, after: Expr, facts: Facts) -> str:
    a, n = before.args
    left = after.args[0] if type(after) is Mod and after.args[1] is n else after
    return f"{n!r} divides {from_linear(*plus(linear(a), linear(left), -1))!r}"


@_of("drop_inner_remainder")
def _same_remainder(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    for atom, c in linear(a)[0].items():
        m = _number(atom.args[1]) if type(atom) is Mod else None
        if m is not None and c * m % n.max == 0:
            times = "" if c == 1 else f"{c} times "
            return f"{atom!r} and {atom.args[0]!r} differ by multiples of {m}, and {n!r} divides {times}{m}"
    return None


@_of("drop_the_fine_part_of_a_quotient", "take_the_fine_part_out_of_a_remainder")
def _too_fine(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    size = _number(n)
    terms, constant = linear(a)
    found = coarse_and_fine(terms, constant, size, facts) if size else None
    if found is None:
        return None
    g, _, k, _ = found
    fine = from_linear({t: c for t, c in terms.items() if c % g}, constant)
    coarse = from_linear({t: c for t, c in terms.items() if c % g == 0}, 0)
    if type(fine) is Const:
        return f"{g} divides {coarse!r} and {size}" + (f", and {fine!r} is less than {g}" if 0 < fine.value < g else "")
    return f"{g} divides {coarse!r} and {size}, and {_lies(fine, facts)}, from {k * g} up to less than {(k + 1) * g}"


@_of("digits_in_a_quotient", "digits_in_a_remainder", "remainder_meets_its_quotient", "multiple_meets_its_quotient")
def _digits(before: Expr, after: Expr, facts: Facts) -> str | None:
    terms = linear(before.args[0] if type(before) in (FloorDiv, Mod) else before)[0]
    for atom in terms:
        if type(atom) in (FloorDiv, Mod):
            x, n = atom.args
            mirror = (x % n) if type(atom) is FloorDiv else (x // n)
            quotient, rest = (atom, mirror) if type(atom) is FloorDiv else (mirror, atom)
            if mirror in terms or x in terms or not set(linear(x)[0]).isdisjoint(terms):
                return f"{x!r} = {quotient!r}·{n!r} + {rest!r}"
    return None


@_of("quotient_of_a_quotient", "quotient_of_a_quotient_by_symbolic_sizes")
def _rounded_once(before: Expr, after: Expr, facts: Facts) -> str | None:
    divisor = after.args[1] if type(after) is FloorDiv else None
    inner = next((t for t in linear(before.args[0])[0] if type(t) is FloorDiv), None)
    if divisor is None or inner is None:
        return None
    return f"rounding down by {inner.args[1]!r} and then by {before.args[1]!r} is rounding down by {divisor!r}"


@_of("quotient_of_a_remainder")
def _digits_of_a_remainder(before: Expr, after: Expr, facts: Facts) -> str | None:
    whole, n = _number(before.args[0].args[1]), _number(before.args[1])
    return None if whole is None or not n else f"{whole} is {n} times {whole // n}"


@_of("sign_of_a_quotient", "sign_of_a_remainder")
def _counts_down(before: Expr, after: Expr, facts: Facts) -> str:
    return f"the first term of {before.args[0]!r} has a factor below 0"


@_of("collect_like_terms")
def _terms(before: Expr, after: Expr, facts: Facts) -> str:
    if any(
        type(x) is Sum for y in (before, *before.args) for x in y.args if y is not before or type(before) is not Sum
    ):
        return "the factor goes to each term"
    return _shorter(before, after) or "terms stand in one order, the constant last"


@_of("the_other_half")
def _halves(before: Expr, after: Expr, facts: Facts) -> str:
    return "of two neighbours one is even, so one half is exact and the other is rounded"


@_of("least_is_known", "greatest_is_known")
def _order(before: Expr, after: Expr, facts: Facts) -> str:
    return ", ".join(_lies(x, facts) for x in before.args if type(x) is not Const)


@_of("comparison_is_decided")
def _decided(before: Expr, after: Expr, facts: Facts) -> str:
    a, b = before.args
    if type(b) is Const and not facts.ranges:
        return _lies(a, facts)
    return _lies((a - b).simplify(), facts)


@_of("standard_comparison")
def _standard(before: Expr, after: Expr, facts: Facts) -> str:
    scale = gcd(*plus(linear(before.args[0]), linear(before.args[1]), -1)[0].values())
    if scale > 1:
        return f"{scale} divides each factor"
    if type(before) in (Le, Gt):
        return f"for integers, {before!r} and {after!r} say the same"
    return "what varies goes to the left, where its first term is above 0"


@_of("carry_in_a_comparison")
def _carry(before: Expr, after: Expr, facts: Facts) -> str:
    return ", ".join(_lies(t, facts) for t, c in linear(before.args[0])[0].items() if c == 1)


@_of("tightest_limits")
def _tightest(before: Expr, after: Expr, facts: Facts) -> str | None:
    if after is Const(0):
        return "no value keeps both limits"
    return "the tighter limit says the other one, too" if len(after.args) < len(before.args) else None


@_of("without_remainders")
def _quotients_alone(before: Expr, after: Expr, facts: Facts) -> str:
    return "among quotients alone more terms meet"


@_of("drop_the_fine_part_of_a_comparison")
def _fine_part_of_a_comparison(before: Expr, after: Expr, facts: Facts) -> str | None:
    kept = linear(after.args[0])[0] if isinstance(after, Comparison) else {}
    fine = {t: c for t, c in linear(before.args[0])[0].items() if t not in kept}
    return f"{_lies(from_linear(fine, 0), facts)}: too little to reach the next multiple" if fine else None


@_of("compare_the_dividend")
def _compared_dividend(before: Expr, after: Expr, facts: Facts) -> str | None:
    for atom in linear(before.args[0])[0]:
        if type(atom) is FloorDiv:
            return f"{atom!r} grows by 1 where {atom.args[0]!r} reaches a multiple of {atom.args[1]!r}"
    return None


@_of("equality_at_an_end", "quotient_of_two_values", "comparison_of_a_condition", "no_factor_at_an_end")
def _end(before: Expr, after: Expr, facts: Facts) -> str:
    return _lies(before.args[0] if isinstance(before, Comparison) else before, facts)


@_of("each_under_the_others")
def _under_the_others(before: Expr, after: Expr, facts: Facts) -> str | None:
    others = [x for x in before.args if type(after) is And and x in after.args]
    return f"only points at which {others[0]!r} count" if len(others) == 1 else None


@_of("table_of_steps", "table_of_a_condition", "table_of_a_remainder", "table_of_separate_conditions")
def _tried(before: Expr, after: Expr, facts: Facts) -> str:
    return f"both agree at every point: {_ranges(before, facts)}"
