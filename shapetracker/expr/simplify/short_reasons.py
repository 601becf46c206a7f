"""Why the laws hold that make a form short: those that move what is there from one place to another."""

from __future__ import annotations

from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, FloorDiv, Ge, Gt, Le, Lt, Mod, Ne, Product
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import from_linear, linear, plus
from shapetracker.expr.simplify.reason import added_up, fraction, lies, listed, number, reason_of, span

_MIRRORED: dict[type[Expr], type[Expr]] = {Lt: Gt, Gt: Lt, Le: Ge, Ge: Le, Eq: Eq, Ne: Ne}


def _divisions(e: Expr) -> dict[Expr, int]:
    """The quotients and remainders by a number among the terms, with their factors."""
    return {t: c for t, c in linear(e)[0].items() if type(t) in (FloorDiv, Mod) and number(t.args[1])}


def _new(before: Expr, after: Expr) -> list[Expr]:
    """The divisions of `after` that `before` has not."""
    return [t for t in _divisions(after) if t not in linear(before)[0]]


@reason_of("both_sides")
def _other_side(before: Expr, after: Expr, facts: Facts) -> str:
    subtracted = from_linear({t: -c for t, c in linear(before.args[0])[0].items() if c < 0}, 0)
    strict = type(after) in (type(before), _MIRRORED.get(type(before)))
    counted = "" if strict else f"of integers, {before!r} and {after!r} say the same"
    moved = "" if subtracted is Const(0) else f"{subtracted!r} is added on both sides"
    return "; ".join(part for part in (moved, counted) if part) or "both sides change by the same number"


@reason_of("sign_goes_into_a_division")
def _counts_the_other_way(before: Expr, after: Expr, facts: Facts) -> str | None:
    new = _new(before, after)
    for old in _divisions(before):
        x, n = old.args
        mirrors = [t for t in new if type(t) is type(old) and t.args[1] is n]
        for mirror in mirrors:
            if linear(mirror.args[0])[0] != {t: -c for t, c in linear(x)[0].items()}:
                continue
            if type(old) is Mod:
                return f"{mirror!r} and {old!r} add up to {n.max - 1}: one counts down where the other counts up"
            exact = from_linear(linear(x)[0], linear(x)[1] - n.max + 1)
            return f"{old!r} and -({mirror!r}) both round {fraction(exact, n)} up"
    return None


@reason_of("compared_remainder_counts_down")
def _compared_the_other_way(before: Expr, after: Expr, facts: Facts) -> str:
    down, up = after.args[0], before.args[0]
    return f"{down!r} and {up!r} add up to {up.args[1].max - 1}: one counts down where the other counts up"


@reason_of("compare_the_whole_remainder")
def _digit_of_a_remainder(before: Expr, after: Expr, facts: Facts) -> str | None:
    digit, whole = before.args[0], after.args[0]
    limits = number(before.args[1]), number(after.args[1])
    if type(digit) is not Mod or type(whole) is not Mod or None in limits:
        return None
    p = whole.args[1].max // digit.args[1].max
    return f"{digit!r} is {whole!r}//{p}, and reaches {limits[0]} where {whole!r} reaches {limits[1]}"


@reason_of("offset_leaves_a_compared_remainder")
def _turned(before: Expr, after: Expr, facts: Facts) -> str | None:
    k, whole = number(before.args[1]), after.args[0]
    if k is None or type(whole) is not Mod:
        return None
    n = whole.args[1].max
    return f"where {whole!r} is {span(0, n - k - 1)}, {before.args[0]!r} is {span(k, n - 1)}; else it is below {k}"


@reason_of("window_begins_at_no_offset")
def _window(before: Expr, after: Expr, facts: Facts) -> str:
    x, b = after.args[0].args
    return f"{lies(x, facts)}: below {b!r} it is its own remainder, from {b!r} on the remainder counts from 0 again"


@reason_of("limits_on_one_remainder")
def _one_run(before: Expr, after: Expr, facts: Facts) -> str:
    kept = after.args if type(after) is And else (after,)
    gone = [repr(part) for part in before.args if part not in kept]
    new = [part for part in kept if part not in before.args]
    if not new or type(new[0]) is Const:
        return f"no remainder keeps {listed(gone)}" if after is Const(0) else f"each remainder keeps {listed(gone)}"
    remainder, limit = new[0].args
    x, n = remainder.args
    begin, k, size = -linear(x)[1], limit.max, n.max
    first, count = {
        Lt: (begin, k),
        Ge: (begin + k, size - k),
        Eq: (begin + k, 1),
        Ne: (begin + k + 1, size - 1),
    }[type(new[0])]
    first, last = first % size, (first + count - 1) % size
    run = span(first, last) if first <= last else f"{span(first, size - 1)} or {span(0, last)}"
    return f"{listed(gone)} hold where the remainder of {from_linear(linear(x)[0], 0)!r} by {size} is {run}"


@reason_of("offset_goes_into_a_quotient")
def _into_the_dividend(before: Expr, after: Expr, facts: Facts) -> str | None:
    for new in _new(before, after):
        n = new.args[1].max
        for old in _divisions(before):
            if type(old) is not FloorDiv or old.args[1] is not new.args[1]:
                continue
            terms, constant = plus(linear(new.args[0]), linear(old.args[0]), -1)
            if not any(c % n for c in (*terms.values(), constant)):
                inside = from_linear(terms, constant)
                outside = from_linear({t: c // n for t, c in terms.items()}, constant // n)
                return f"{inside!r} more in a dividend by {n} is {outside!r} more in the quotient"
    return added_up(before)


@reason_of("two_digits_become_one")
def _joined_digits(before: Expr, after: Expr, facts: Facts) -> str:
    said = "a remainder by n and n times the digit above it make one remainder"
    for whole in _new(before, after):
        x, size = whole.args
        for fine in _divisions(before):
            n = fine.args[1].max
            if type(fine) is not Mod or type(whole) is not Mod or size.max == n or size.max % n:
                continue
            if fine.args[0] is x:
                return f"{whole!r} = {fine!r} + {(x // n) % (size.max // n)!r}·{n}"
            said = f"a remainder by {n} and {n} times the digit above it make one remainder by {size!r}"
    return said


@reason_of("common_factor")
def _one_product(before: Expr, after: Expr, facts: Facts) -> str | None:
    parts = after.args if type(after) is not Product else (after,)
    for part in parts:
        if type(part) is Product and part not in before.args and type(part.args[-1]) is Const:
            served = [repr(t) for t in linear(part.args[0])[0]]
            return f"one multiplication by {part.args[-1]!r} serves {listed(served)}"
    return None


@reason_of("factor_goes_into_a_remainder")
def _with_its_divisor(before: Expr, after: Expr, facts: Facts) -> str | None:
    for new in _new(before, after):
        for old in _divisions(before):
            size, rest = divmod(new.args[1].max, old.args[1].max)
            if type(old) is Mod and not rest and from_linear(*plus(({}, 0), linear(old.args[0]), size)) is new.args[0]:
                return f"{size} times a dividend by {size} times its divisor leaves {size} times the remainder"
    return None


@reason_of("one_less_a_comparison")
def _opposite(before: Expr, after: Expr, facts: Facts) -> str:
    (comparison,) = linear(before)[0]
    return f"{comparison!r} is 0 where {after!r} is 1, and 1 where it is 0"


@reason_of("hermites_identity")
def _next_multiples(before: Expr, after: Expr, facts: Facts) -> str | None:
    for atom in _divisions(before):
        if atom not in linear(after)[0]:
            x = from_linear(linear(atom.args[0])[0], 0)
            n = atom.args[1]
            return f"{x % n!r} of the {n!r} quotients are 1 more than {x // n!r}: together they are {x!r}"
    return None


@reason_of("condition_twice")
def _said_once(before: Expr, after: Expr, facts: Facts) -> str:
    twice = dict.fromkeys(repr(x) for x in before.args if before.args.count(x) > 1)
    return f"{listed(list(twice))} stands there twice"


@reason_of("ends_add_up")
def _ends(before: Expr, after: Expr, facts: Facts) -> str | None:
    new = [x for x in (after.args if type(after) is And else (after,)) if x not in before.args]
    if not new or not isinstance(new[0], Comparison):
        return None
    terms, _ = plus(linear(new[0].args[0]), linear(new[0].args[1]), -1)
    return f"{lies(from_linear(terms, 0), facts)}, and is at an end only where each of its terms is"


@reason_of("no_factor_at_an_end")
def _end(before: Expr, after: Expr, facts: Facts) -> str:
    terms, _ = plus(linear(before.args[0]), linear(before.args[1]), -1)
    return f"{lies(from_linear(terms, 0), facts)}, and is at an end only where each of its terms is"
