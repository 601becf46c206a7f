"""Rules for quotients and remainders. All laws hold for floor division, negative numbers included.

Quotient and remainder of one dividend are brought to one reduced dividend r (a = n·q + r, each coefficient of r as
small as possible), so that the rules for sums can see that they belong together.
"""

from __future__ import annotations

from collections.abc import Iterator

from shapetracker.expr.nodes import And, Const, Expr, FloorDiv, Mod, Operation, Product, Sum, node
from shapetracker.expr.simplify.canonical import canonical
from shapetracker.expr.simplify.facts import Facts, quiet
from shapetracker.expr.simplify.linear import (
    Form,
    Terms,
    from_linear,
    leads_negative,
    linear,
    plus,
    quotient,
    rank,
    times,
    turned,
)
from shapetracker.expr.simplify.residues import (
    coarse_and_fine,
    digits_of_the_remainder,
    dividend_of_the_quotient,
    inside_one_period,
    nearest,
    without_inner_remainder,
    without_multiples,
)
from shapetracker.expr.simplify.rules import (
    DIVISION,
    FACTOR,
    NARROW,
    NEGATIVE,
    NUMBER,
    OTHER,
    QUOTIENT,
    REDUCIBLE,
    REMAINDER,
    SHARED,
    SIZE,
    rule,
)


def _parts(e: Expr) -> tuple[Terms, int, int] | None:
    """Terms and constant of the dividend, and the divisor, where that is a number above 1."""
    a, n = e.args
    if type(n) is not Const or n.value < 2:
        return None
    return *(a._linear or linear(a)), n.value


@rule("a // n → q, where q·n ≤ a < (q + 1)·n for every value", FloorDiv, needs=NARROW, direct=True)
def quotient_is_constant(e: Expr, facts: Facts) -> Expr | None:
    """The least and the greatest dividend have one quotient."""
    low, high = facts.within(e)
    return Const(low) if low == high else None


@rule("a % n → a − q·n, where q·n ≤ a < (q + 1)·n for every value", Mod, needs=NARROW, direct=True)
def remainder_within_one_period(e: Expr, facts: Facts) -> Expr | None:
    """Between two multiples of n a remainder only counts on."""
    a, n = e.args
    if type(n) is not Const:
        return None
    low, high = facts.within(a)
    q = low // n.value
    if high // n.value != q:
        same = facts.congruent(a, n.value) if facts.ranges else None
        return None if same is None else from_linear(*same)
    return a - q * n.value if q else a


@rule("a // 1 → a;  a // −n → (−a) // n", FloorDiv, needs=OTHER)
def divisor_of_a_quotient_above_one(e: Expr, facts: Facts) -> Expr | None:
    """Both sides of a division may change their sign together."""
    a, n = e.args
    if facts.within(n)[1] < 0:
        return (-a) // (-n)
    return a if n is Const(1) else None


@rule("a % 1 → 0;  a % −n → −((−a) % n)", Mod, needs=OTHER)
def divisor_of_a_remainder_above_one(e: Expr, facts: Facts) -> Expr | None:
    """The remainder has the divisor's sign."""
    a, n = e.args
    if facts.within(n)[1] < 0:
        return -((-a) % (-n))
    return Const(0) if n is Const(1) else None


@rule("(a + n·c) // n → a // n + c", FloorDiv, needs=NUMBER | REDUCIBLE, direct=True)
def pull_multiples_out_of_a_quotient(e: Expr, facts: Facts) -> Expr | None:
    """floor(a/n + c) = floor(a/n) + c for every integer c."""
    parts = _parts(e)
    if parts is None:
        return None
    terms, constant, n = parts
    rest = inside_one_period(nearest(terms, n), constant % n, n, facts)
    if rest is not None:  # what is left has the quotient 0
        whole = plus((terms, constant), rest, -1)
        return from_linear({t: c // n for t, c in whole[0].items()}, whole[1] // n)
    split = without_multiples(terms, constant, n)
    if split is None:
        return None
    outside, kept = split
    return from_linear(*plus(outside, linear(FloorDiv.build((from_linear(*kept), e.args[1])))))


@rule("(a + n·c) % n → a % n", Mod, needs=NUMBER | REDUCIBLE, direct=True)
def drop_multiples_from_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """Multiples of n have no remainder; each coefficient becomes what is nearest to 0."""
    parts = _parts(e)
    if parts is None:
        return None
    terms, constant, n = parts
    near = nearest(terms, n)
    rest = inside_one_period(near, constant % n, n, facts) or (near, constant % n)
    if rest[1] == constant and rest[0] == terms:
        return None
    return Mod.build((from_linear(*rest), e.args[1]))


@rule("(c·(x % m) + a) % n → (c·x + a) % n, where n divides c·m", Mod, needs=NUMBER | REMAINDER, direct=True)
def drop_inner_remainder(e: Expr, facts: Facts) -> Expr | None:
    """c·(x % m) and c·x differ by a multiple of c·m, and so of n."""
    parts = _parts(e)
    if parts is None:
        return None
    plain = without_inner_remainder(*parts)
    return None if plain is None else from_linear(*plain) % parts[2]


def _quotients_inside(terms: Terms, n: int) -> Iterator[tuple[Terms, Terms]]:
    """Pairs of forms that a sum of x, x // m and x % m splits into: multiples of n, and what is left.

    A sum may have put x together from its digits, or written one digit as x less the other; a division by n wants
    the digits, where the upper one is a multiple of n. First each such x by itself, then all of them.
    """
    all_whole: Terms = {}
    all_left = terms
    found = 0
    for atom in terms:
        alone = _split(atom, terms, n)
        if alone is not None:
            yield alone
            together = _split(atom, all_left, n)
            if together is not None:
                found += 1
                all_whole, all_left = plus((all_whole, 0), (together[0], 0))[0], together[1]
    if found > 1:
        yield all_whole, all_left


def _split(atom: Expr, terms: Terms, n: int) -> tuple[Terms, Terms] | None:
    """x written by its digits, where one of them stands beside it, and the upper one is a multiple of n."""
    if type(atom) is not FloorDiv and type(atom) is not Mod:
        return None
    x, m = atom.args
    c, d = terms.get(x, 0), terms.get(atom, 0)
    if type(m) is not Const or not c:
        return None
    if type(atom) is FloorDiv:
        upper, lower = d + c * m.value, c
    else:
        upper, lower = c * m.value, c + d
    if upper % n:
        return None
    left = {t: k for t, k in terms.items() if t is not atom and t is not x}
    return plus(({}, 0), ({x // m: 1}, 0), upper)[0], plus((left, 0), ({x % m: 1}, 0), lower)[0]


@rule(
    "(c·x + d·(x // m) + a) // n → (d + c·m)/n·(x // m) + (c·(x % m) + a) // n, where n divides d + c·m",
    FloorDiv,
    needs=NUMBER | DIVISION | SHARED,
)
def digits_in_a_quotient(e: Expr, facts: Facts) -> Expr | None:
    """x = m·(x // m) + x % m; the multiple of n leaves the quotient, where that is shorter. Likewise beside x % m."""
    parts = _parts(e)
    if parts is None:
        return None
    terms, constant, n = parts
    for whole, left in _quotients_inside(terms, n):
        rest = linear(canonical(from_linear(left, constant) // n, quiet(facts)))
        after = from_linear(*plus(rest, ({t: c // n for t, c in whole.items()}, 0)))
        if after.operations() < e.operations():
            return after
    return None


@rule(
    "(c·x + d·(x // m) + a) % n → (c·(x % m) + a) % n, where n divides d + c·m", Mod, needs=NUMBER | DIVISION | SHARED
)
def digits_in_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """x = m·(x // m) + x % m; the multiple of n has no remainder. Likewise beside x % m. Where that is shorter."""
    parts = _parts(e)
    if parts is None:
        return None
    terms, constant, n = parts
    for _, left in _quotients_inside(terms, n):
        after = canonical(from_linear(left, constant) % n, quiet(facts))
        if after.operations() < e.operations():
            return after
    return None


@rule(
    "(g·a + b) // (g·n) → (a + k) // n, where k·g ≤ b < (k + 1)·g for every value",
    FloorDiv,
    needs=NUMBER | FACTOR,
    direct=True,
)
def drop_the_fine_part_of_a_quotient(e: Expr, facts: Facts) -> Expr | None:
    """floor((g·a + b)/(g·n)) = floor((a + floor(b/g))/n), and floor(b/g) is k."""
    parts = _parts(e)
    found = parts and coarse_and_fine(*parts, facts)
    if not parts or not found:
        return None
    g, coarse, k, _ = found
    return from_linear(coarse, k) // (parts[2] // g)


@rule(
    "(g·a + b) % (g·n) → g·((a + k) % n) + b − k·g, where k·g ≤ b < (k + 1)·g for every value",
    Mod,
    needs=NUMBER | FACTOR,
    direct=True,
)
def take_the_fine_part_out_of_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """What stays below g never carries into the multiples of g."""
    parts = _parts(e)
    found = parts and coarse_and_fine(*parts, facts)
    if not parts or not found:
        return None
    terms, constant, n = parts
    g, coarse, k, _ = found
    fine = {t: c for t, c in terms.items() if c % g}
    upper = Mod.build((from_linear(coarse, k), Const(n // g)))
    return from_linear(*plus((fine, constant - k * g), linear(upper), g))


@rule("(x // m + c) // n → (x + c·m) // (m·n)", FloorDiv, needs=NUMBER | QUOTIENT, direct=True)
def quotient_of_a_quotient(e: Expr, facts: Facts) -> Expr | None:
    """Rounding down twice is rounding down once."""
    parts = _parts(e)
    found = parts and dividend_of_the_quotient(parts[0], parts[1])
    return from_linear(*found[0]) // (found[1] * parts[2]) if parts and found else None


@rule("(x % (m·n)) // n → (x // n) % m", FloorDiv, needs=NUMBER | REMAINDER, direct=True)
def quotient_of_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """The digits of x in base n, from the second on, up to m."""
    parts = _parts(e)
    found = parts and digits_of_the_remainder(*parts)
    return from_linear(*found[0]) // parts[2] % found[1] if parts and found else None


def _leading_positive(terms: Terms, constant: int, facts: Facts) -> Expr | None:
    """The opposite of a form, and a constant; None where its canonical form leads negative too: that has no end."""
    opposite = from_linear(turned(terms), constant)
    return None if leads_negative(linear(canonical(opposite, quiet(facts)))[0]) else opposite


@rule("(c − x) // n → −((x − c + n − 1) // n)", FloorDiv, needs=NUMBER | NEGATIVE, direct=True)
def sign_of_a_quotient(e: Expr, facts: Facts) -> Expr | None:
    """Rounding −x down is rounding x up; the first term of a canonical dividend is positive."""
    parts = _parts(e)
    if parts is None or not leads_negative(parts[0]):
        return None
    terms, constant, n = parts
    opposite = _leading_positive(terms, n - 1 - constant, facts)
    return None if opposite is None else -(opposite // n)


@rule("(c − x) % n → n − 1 − (x − c − 1) % n", Mod, needs=NUMBER | NEGATIVE, direct=True)
def sign_of_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """Counting down from c is counting up, seen from the other end of the period."""
    parts = _parts(e)
    if parts is None or not leads_negative(parts[0]):
        return None
    terms, constant, n = parts
    opposite = _leading_positive(terms, -constant - 1, facts)
    return None if opposite is None else n - 1 - opposite % n


def _divided(terms: Terms, constant: int, n: Expr) -> tuple[Form, Form]:
    """Long division by a symbolic size: a = n·q + r, led by the divisor's highest product."""
    divisor = linear(n)
    lead = max(divisor[0], key=lambda t: (len(t.args) if type(t) is Product else 1, rank(t)))
    whole: Form = {}, 0
    rest: Form = terms, constant
    for _ in range(len(terms) + 8):  # a quotient has no more terms than that, unless the division does not end
        for atom, c in rest[0].items():
            factor = quotient(atom, lead)
            if factor is not None and c % divisor[0][lead] == 0:
                step = times(linear(factor), ({}, c // divisor[0][lead]))
                whole = plus(whole, step)
                rest = plus(rest, times(step, divisor), -1)
                break
        else:
            return whole, rest
    return ({}, 0), (terms, constant)


@rule("(q·n + r) // n → q + r // n, and r // n → 0 where 0 ≤ r < n", FloorDiv, needs=SIZE)
def quotient_by_a_symbolic_size(e: Expr, facts: Facts) -> Expr | None:
    """As for numbers; 0 ≤ r < n comes from the ranges and from the relations that are known to hold."""
    a, n = e.args
    if type(n) is Const or facts.within(n)[0] < 1:
        return None
    whole, rest = _divided(*linear(a), n)
    if _below(rest, n, facts):
        return from_linear(*whole)
    if not whole[0] and not whole[1]:
        return None
    return Sum.build((from_linear(*whole), from_linear(*rest) // n))


@rule("(q·n + r) % n → r % n, and r % n → r where 0 ≤ r < n", Mod, needs=SIZE)
def remainder_by_a_symbolic_size(e: Expr, facts: Facts) -> Expr | None:
    """As for numbers; 0 ≤ r < n comes from the ranges and from the relations that are known to hold."""
    a, n = e.args
    if type(n) is Const or facts.within(n)[0] < 1:
        return None
    whole, rest = _divided(*linear(a), n)
    if _below(rest, n, facts):
        return from_linear(*rest)
    if not whole[0] and not whole[1]:
        return None
    return node(Mod, (from_linear(*rest), n)) if rest[0] else from_linear(*rest) % n


@rule("(x // m) // n → x // (m·n)", FloorDiv, needs=QUOTIENT)
def quotient_of_a_quotient_by_symbolic_sizes(e: Expr, facts: Facts) -> Expr | None:
    """Rounding down twice is rounding down once, for any divisors above 0."""
    a, n = e.args
    if type(a) is not FloorDiv or (type(n) is Const and type(a.args[1]) is Const):
        return None
    if facts.within(n)[0] < 1 or facts.within(a.args[1])[0] < 1:
        return None
    return a.args[0] // (a.args[1] * n)


def _below(rest: Form, n: Expr, facts: Facts) -> bool:
    if not facts.nonnegative(*rest):
        return False
    return facts.nonnegative(*plus(plus(linear(n), rest, -1), ({}, -1)))


WITHOUT_REMAINDERS = "x % n → x − n·(x // n) in every place, where the whole gets shorter"


def without_remainders(e: Expr) -> Expr:
    """The expression over quotients alone, in which more can meet.

    >>> from shapetracker.expr.nodes import Variable
    >>> without_remainders(Variable("i", 0, 9) % 4 * 2)
    (i - i//4*4)*2
    """
    if not isinstance(e, Operation):
        return e
    args = tuple([without_remainders(x) for x in e.args])
    if type(e) is Mod and type(args[1]) is Const:
        return args[0] - args[0] // args[1] * args[1]
    if type(e) is And:  # the bounds of x − n·(x // n) are too wide to tell that it is still 0 or 1
        args = tuple([new if 0 <= new.min <= new.max <= 1 else old for old, new in zip(e.args, args, strict=True)])
    return e if args == e.args else type(e).build(args)
