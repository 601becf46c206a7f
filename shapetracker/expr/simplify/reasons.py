"""Why a law applies to an expression: what must hold for it, with the numbers of the case at hand.

A law says "where k·g ≤ b < (k + 1)·g"; its reason says "j is 0 … 3, from 0 up to less than 4". The numbers come from
the same facts that the rule asked.
"""

from __future__ import annotations

from math import gcd

from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, FloorDiv, Gt, Le, Mod, Ne, Sum
from shapetracker.expr.simplify import short_reasons  # noqa: F401  (its reasons are registered)
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import Terms, from_linear, linear, plus
from shapetracker.expr.simplify.reason import REASONS, added_up, fraction, lies, listed, number, reason_of
from shapetracker.expr.simplify.residues import coarse_and_fine


def because(rule: str, before: Expr, after: Expr, facts: Facts) -> str:
    """Why the rule of this name makes `after` of `before`, under these facts.

    Examples
    --------
    >>> from shapetracker.expr.nodes import Variable
    >>> j = Variable("j", 0, 7)
    >>> because("remainder_within_one_period", j % 8, j, Facts())
    'j is 0 … 7, less than 8'
    """
    find = REASONS.get(rule)
    found = find(before, after, facts) if find else None
    return found or _shorter(before, after) or _ranges(before, facts)


def _ranges(e: Expr, facts: Facts) -> str:
    return ", ".join(lies(v, facts) for v in e.variables())


def _shorter(before: Expr, after: Expr) -> str | None:
    less = before.operations() - after.operations()
    return (
        f"{_count(before)} become{'s' if before.operations() == 1 else ''} {after.operations()}" if less > 0 else None
    )


def _count(e: Expr) -> str:
    return f"{e.operations()} operation{'' if e.operations() == 1 else 's'}"


@reason_of("fixed_variable")
def _one_value(before: Expr, after: Expr, facts: Facts) -> str:
    return f"{before!r} can only be {after!r}"


@reason_of("quotient_is_constant")
def _one_quotient(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    q, size = number(after), number(n)
    if q is None:
        return None
    return _within(a, n, q, facts) if size is None else f"{lies(a, facts)}, {_period(q, size)}"


def _period(q: int, size: int) -> str:
    """Where a quotient by a number is q."""
    if size < 0:
        return f"above {(q + 1) * size} and at most {q * size}"
    return f"from {q * size} up to less than {(q + 1) * size}"


def _within(a: Expr, n: Expr, q: int, facts: Facts) -> str:
    """That the quotient of a by a size, which is n, is q."""
    first, second = (
        "0" if times == 0 else repr(n) if times == 1 else f"-{n!r}" if times == -1 else f"{times}·{n!r}"
        for times in (q, q + 1)
    )
    limits = f"at least {first} and less than {second}" if n.min > 0 else f"at most {first} and above {second}"
    varying = [lies(x, facts) for x in (a, n) if type(x) is not Const]
    return f"{a!r} is {limits}: {listed(varying)}"


@reason_of("remainder_within_one_period")
def _one_period(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    size = number(n)
    low, high = facts.within(a)
    if size is None:
        return _within(a, n, 0, facts) if after is a else None
    if low // size != high // size:
        return None
    q = low // size
    return f"{lies(a, facts)}, " + (_period(q, size) if q or size < 0 else f"less than {size}")


@reason_of("divisor_of_a_quotient_above_one", "divisor_of_a_remainder_above_one")
def _sign_of_the_divisor(before: Expr, after: Expr, facts: Facts) -> str:
    n = before.args[1]
    if number(n) == 1:
        return "dividing by 1 leaves everything, and no remainder"
    which = "the remainder turns its sign" if type(before) is Mod else "the quotient stays"
    return f"{lies(n, facts) if number(n) is None else f'the divisor is {n!r}'}; where both signs turn, {which}"


@reason_of("pull_multiples_out_of_a_quotient", "quotient_by_a_symbolic_size")
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
            f"{n!r} divides {whole!r}"
            + ("" if rest is Const(0) else f", and what is left lies below it: {lies(rest, facts)}")
            if linear(whole)[0]
            else lies(a, facts)
        )
    return f"{n!r} divides {whole!r}"


@reason_of("drop_multiples_from_a_remainder", "remainder_by_a_symbolic_size")
def _multiples_gone(before: Expr, after: Expr, facts: Facts) -> str:
    a, n = before.args
    left = after.args[0] if type(after) is Mod and after.args[1] is n else after
    gone = from_linear(*plus(linear(a), linear(left), -1))
    return f"{n!r} divides {gone!r}" if gone is not Const(0) else _within(a, n, 0, facts)


@reason_of("drop_inner_remainder")
def _same_remainder(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    for atom, c in linear(a)[0].items():
        m = number(atom.args[1]) if type(atom) is Mod else None
        if m is not None and c * m % n.max == 0:
            times = "" if abs(c) == 1 else f"{abs(c)} times "
            return f"{atom!r} and {atom.args[0]!r} differ by multiples of {m}, and {n!r} divides {times}{m}"
    return None


@reason_of("drop_the_fine_part_of_a_quotient", "take_the_fine_part_out_of_a_remainder")
def _too_fine(before: Expr, after: Expr, facts: Facts) -> str | None:
    a, n = before.args
    size = number(n)
    terms, constant = linear(a)
    found = coarse_and_fine(terms, constant, size, facts) if size else None
    if found is None:
        return None
    g, _, k, _ = found
    fine = from_linear({t: c for t, c in terms.items() if c % g}, constant)
    coarse = from_linear({t: c for t, c in terms.items() if c % g == 0}, 0)
    if type(fine) is Const:
        return f"{g} divides {coarse!r} and {size}" + (f", and {fine!r} is less than {g}" if 0 < fine.value < g else "")
    return f"{g} divides {coarse!r} and {size}, and {lies(fine, facts)}, from {k * g} up to less than {(k + 1) * g}"


@reason_of(
    "digits_in_a_quotient", "digits_in_a_remainder", "remainder_meets_its_quotient", "multiple_meets_its_quotient"
)
def _digits(before: Expr, after: Expr, facts: Facts) -> str | None:
    terms = linear(before.args[0] if type(before) in (FloorDiv, Mod) else before)[0]
    changed = [t for t in linear(after)[0] if t not in terms] + [t for t in terms if t not in linear(after)[0]]
    for atom in (*changed, *terms):
        if type(atom) in (FloorDiv, Mod):
            x, n = atom.args
            mirror = (x % n) if type(atom) is FloorDiv else (x // n)
            quotient, rest = (atom, mirror) if type(atom) is FloorDiv else (mirror, atom)
            if mirror in terms or x in terms or not set(linear(x)[0]).isdisjoint(terms):
                return f"{x!r} = {quotient!r}·{n!r} + {rest!r}"
    return _digit_above_digit(terms) or _remainder_gone(terms, after)


def _digit_above_digit(terms: Terms) -> str | None:
    for atom in terms:  # x // p % m beside x // (p·m)
        if type(atom) is Mod and type(atom.args[0]) is FloorDiv:
            (x, p), m = atom.args[0].args, atom.args[1]
            above = x // (p.max * m.max) if type(p) is type(m) is Const else None
            if above in terms:
                return f"{atom.args[0]!r} = {above!r}·{m!r} + {atom!r}"
    return None


def _remainder_gone(terms: Terms, after: Expr) -> str:
    for atom in terms:
        if type(atom) is Mod and atom not in linear(after)[0]:
            x, n = atom.args
            return f"{atom!r} = {x!r} - {x // n!r}·{n!r}"
    return "a dividend is its quotient times the divisor, and its remainder"


@reason_of("quotient_of_a_quotient", "quotient_of_a_quotient_by_symbolic_sizes")
def _rounded_once(before: Expr, after: Expr, facts: Facts) -> str | None:
    divisor = after.args[1] if type(after) is FloorDiv else None
    inner = next((t for t in linear(before.args[0])[0] if type(t) is FloorDiv), None)
    if divisor is None or inner is None:
        return None
    return f"rounding down by {inner.args[1]!r} and then by {before.args[1]!r} is rounding down by {divisor!r}"


@reason_of("quotient_of_a_remainder")
def _digits_of_a_remainder(before: Expr, after: Expr, facts: Facts) -> str | None:
    whole, n = number(before.args[0].args[1]), number(before.args[1])
    return None if whole is None or not n else f"{whole} is {n} times {whole // n}"


@reason_of("sign_of_a_quotient", "sign_of_a_remainder")
def _counts_down(before: Expr, after: Expr, facts: Facts) -> str | None:
    n = before.args[1]
    for mirror in linear(after)[0]:
        if type(mirror) is type(before) and mirror.args[1] is n:
            if type(before) is Mod:
                return f"{before!r} and {mirror!r} add up to {n.max - 1}: one counts down where the other counts up"
            upwards = from_linear(*plus(({}, 0), linear(before.args[0]), -1))
            return f"{before!r} rounds down, and {mirror!r} rounds {fraction(upwards, n)} up, which has the other sign"
    return None


@reason_of("collect_like_terms")
def _terms(before: Expr, after: Expr, facts: Facts) -> str:
    if any(
        type(x) is Sum for y in (before, *before.args) for x in y.args if y is not before or type(before) is not Sum
    ):
        return "the factor goes to each term"
    sum_of_factors = added_up(before)
    if sum_of_factors is not None:
        return sum_of_factors
    if sum(type(x) is Const for x in before.args) > 1:
        return "the numbers make one"
    return "terms stand in one order, the constant last"


@reason_of("the_other_half")
def _halves(before: Expr, after: Expr, facts: Facts) -> str:
    return "of two neighbours one is even, so one half is exact and the other is rounded"


@reason_of("least_is_known", "greatest_is_known")
def _order(before: Expr, after: Expr, facts: Facts) -> str:
    once = dict.fromkeys(before.args)
    if len(once) < len(before.args):
        return f"{listed([repr(x) for x in once if before.args.count(x) > 1])} stands there twice"
    return ", ".join(lies(x, facts) for x in once if type(x) is not Const)


@reason_of("comparison_is_decided")
def _decided(before: Expr, after: Expr, facts: Facts) -> str:
    a, b = before.args
    if type(b) is Const and not facts.ranges:
        return lies(a, facts)
    difference = (a - b).simplify()
    if type(difference) is Const:
        return "both sides are the same" if difference is Const(0) else f"{a!r} - {b!r} is {difference!r}"
    return lies(difference, facts)


@reason_of("standard_comparison")
def _standard(before: Expr, after: Expr, facts: Facts) -> str:
    scale = gcd(*plus(linear(before.args[0]), linear(before.args[1]), -1)[0].values())
    if scale > 1:
        return f"{scale} divides each factor"
    if type(before) in (Le, Gt):
        return f"for integers, {before!r} and {after!r} say the same"
    return "what varies goes to the left, where its first term is above 0"


@reason_of("carry_in_a_comparison")
def _carry(before: Expr, after: Expr, facts: Facts) -> str:
    return ", ".join(lies(t, facts) for t, c in linear(before.args[0])[0].items() if c == 1)


@reason_of("tightest_limits")
def _tightest(before: Expr, after: Expr, facts: Facts) -> str | None:
    if after is Const(0):
        return "no value keeps both limits"
    kept = after.args if type(after) is And else (after,)
    new = [x for x in kept if x not in before.args]
    gone = [repr(x) for x in before.args if x not in kept]
    if new and type(new[0]) is Eq:
        return f"{listed(gone)} leave one value"
    if any(type(x) is Ne for x in before.args if x not in kept):
        return "a value that is excluded at a limit moves it" if new else "the limits exclude that value"
    return (
        f"where {listed([repr(x) for x in kept])} holds, so does {listed(gone)}"
        if len(kept) == 1
        else ("the tighter limit says the other one, too")
    )


@reason_of("without_remainders")
def _quotients_alone(before: Expr, after: Expr, facts: Facts) -> str:
    return "among quotients alone more terms meet"


@reason_of("drop_the_fine_part_of_a_comparison")
def _fine_part_of_a_comparison(before: Expr, after: Expr, facts: Facts) -> str | None:
    kept = linear(after.args[0])[0] if isinstance(after, Comparison) else {}
    fine = {t: c for t, c in linear(before.args[0])[0].items() if t not in kept}
    return f"{lies(from_linear(fine, 0), facts)}: too little to reach the next multiple" if fine else None


@reason_of("compare_the_dividend")
def _compared_dividend(before: Expr, after: Expr, facts: Facts) -> str | None:
    for atom in linear(before.args[0])[0]:
        if type(atom) is FloorDiv:
            return f"{atom!r} grows by 1 where {atom.args[0]!r} reaches a multiple of {atom.args[1]!r}"
    return None


@reason_of("equality_at_an_end", "quotient_of_two_values", "comparison_of_a_condition")
def _end(before: Expr, after: Expr, facts: Facts) -> str:
    return lies(before.args[0] if isinstance(before, Comparison) else before, facts)


@reason_of("each_under_the_others")
def _under_the_others(before: Expr, after: Expr, facts: Facts) -> str | None:
    kept = after.args if type(after) is And else (after,)
    others = [repr(x) for x in before.args if x in kept]
    gone = [repr(x) for x in before.args if x not in kept]
    if after is Const(0):
        return "where the others hold, one of them never does"
    if len(kept) + len(gone) == len(before.args):
        return f"where {listed(others)} holds, so does {listed(gone)}"
    return (
        f"only points at which {listed(others)} count"
        if len(others) < 4
        else "only points at which the others hold count"
    )


@reason_of("table_of_steps", "table_of_a_condition", "table_of_a_remainder", "table_of_separate_conditions")
def _tried(before: Expr, after: Expr, facts: Facts) -> str:
    return f"both agree at every point: {_ranges(before, facts)}"
