"""From the canonical form to a short one: common factors, offsets in quotients, both sides of comparisons."""

from __future__ import annotations

from shapetracker.expr.nodes import (
    Comparison,
    Const,
    Expr,
    FloorDiv,
    Ge,
    Gt,
    Le,
    Lt,
    Mod,
    Product,
    Sum,
    node,
)
from shapetracker.expr.simplify.canonical import canonical, rebuild
from shapetracker.expr.simplify.facts import Facts, Step, quiet
from shapetracker.expr.simplify.linear import Terms, from_linear, linear, plus, rank, term
from shapetracker.expr.simplify.rules import (
    COMPOUND,
    DIVISION,
    QUOTIENT,
    REMAINDER,
    SEVERAL,
    SHARED,
    applicable,
    features,
    shortening,
)


def short(e: Expr, facts: Facts) -> Expr:
    """A shorter equal form of a canonical expression, innermost parts first."""
    if facts.ranges or facts.trace is not None:
        found = facts.short_forms.get(e)
        if found is None:
            found = facts.short_forms[e] = _shorten(e, facts)
        return found
    known = e._short
    if known is None:
        result = _shorten(e, facts)
        e.__dict__["_short"] = True if result is e else result
        if result is e and type(e) is Sum and not features(e) & COMPOUND:
            e.__dict__["_simple"] = True  # over variables alone there is nothing that other ways could find
        return result
    return e if known is True else known  # type: ignore[return-value]


def _shorten(e: Expr, facts: Facts) -> Expr:
    if e._cost < 2:
        return e
    plain = not facts.ranges and facts.trace is None
    args = tuple([x if x._cost < 2 or (plain and x._short is True) else short(x, facts) for x in e.args])
    if args != e.args:
        e = rebuild(e, args)
    for entry in applicable(e, True, 0):
        after = entry.rewrite(e, facts)
        if after is not None and after is not e:
            if facts.trace is not None:
                facts.trace.append(Step(entry.name, entry.law, e, after))
            kind, e = type(e), after
            if type(e) is not kind:
                break
    return e


@shortening("a·(x // n) + a·c → a·((x + c·n) // n), and a·n·c·y likewise, where that is shorter", Sum, needs=QUOTIENT)
def offset_goes_into_a_quotient(e: Expr, facts: Facts) -> Expr | None:
    """A whole number beside a quotient is a multiple of the divisor inside it."""
    terms, constant = linear(e)
    if not constant and not features(e) & SHARED:
        return None
    best = e
    for atom, a in terms.items():
        if type(atom) is not FloorDiv or type(atom.args[1]) is not Const:
            continue
        n = atom.args[1].value
        inner = linear(atom.args[0])
        if not constant and not any(t in inner[0] for t in terms):
            continue
        others: Terms = {t: c for t, c in terms.items() if t is not atom}
        left = constant
        inside = inner
        for t, c in list(others.items()):
            if c % a == 0 and t in inner[0]:
                moved = plus(inside, ({t: 1}, 0), c // a * n)
                if _cost(*moved) + _cost({k: v for k, v in others.items() if k is not t}, left) + 1 <= _cost(
                    *inside
                ) + _cost(others, left):
                    inside = moved
                    del others[t]
        if left % a == 0:
            inside, left = (inside[0], inside[1] + left // a * n), 0
        else:
            # only part of the constant: so much that none is left inside
            shift = -inside[1] // n if inside[1] % n == 0 else 0
            inside, left = (inside[0], inside[1] + shift * n), left - shift * a
        new = plus((others, left), ({node(FloorDiv, (from_linear(*inside), atom.args[1])): a}, 0))
        after = from_linear(*new)
        if after.operations() < best.operations():
            best = after
    return best


def _cost(terms: Terms, constant: int) -> int:
    return from_linear(terms, constant).operations()


@shortening(
    "n − 1 − (x − c − 1) % n → (c − x) % n, where that is shorter; likewise for a quotient", Sum, needs=DIVISION
)
def sign_goes_into_a_division(e: Expr, facts: Facts) -> Expr | None:
    """The laws that made the first term positive, read backwards."""
    terms, constant = linear(e)
    best = e
    for atom, a in terms.items():
        if type(atom) not in (FloorDiv, Mod) or type(atom.args[1]) is not Const:
            continue
        n = atom.args[1].value
        inner, offset = linear(atom.args[0])
        # an operation is saved where a constant vanishes, inside or outside
        if offset != n - 1 and (type(atom) is FloorDiv or constant != a * (1 - n)):
            continue
        turned = {t: -c for t, c in inner.items()}
        others = ({t: c for t, c in terms.items() if t is not atom}, constant)
        if type(atom) is Mod:
            new = plus(others, ({from_linear(turned, (-offset - 1) % n) % n: -a}, a * (n - 1)))
        else:  # x // n = −((n − 1 − x) // n)
            new = plus(others, ({from_linear(turned, n - 1 - offset) // n: -a}, 0))
        after = from_linear(*new)
        if after.operations() < best.operations():
            best = after
    return best


_TWO_VALUES = "x // n → x ≥ n, where 0 ≤ x < 2·n, if that is shorter; 1 − x // n → x < n likewise"


@shortening(_TWO_VALUES, FloorDiv)
@shortening(_TWO_VALUES, Sum, needs=QUOTIENT)
def quotient_of_two_values(e: Expr, facts: Facts) -> Expr | None:
    """A quotient that is 0 or 1 says on which side of n its dividend lies; a comparison needs no offset."""
    terms, _ = linear(e)
    if len(terms) != 1 or facts.within(e) != (0, 1):
        return None
    ((atom, c),) = terms.items()
    if type(atom) is not FloorDiv or type(atom.args[1]) is not Const or atom.args[1].value < 1:
        return None
    limit = Const((facts.within(atom)[0] + 1) * atom.args[1].value)
    kind = Ge if c == 1 else Lt
    after = short(canonical(kind.build((atom.args[0], limit)), quiet(facts)), quiet(facts))
    return after if after.operations() < e.operations() else None


_FACTOR_INSIDE = "c·((a·x) % n) → (c·a·x) % (c·n), where that is shorter"


@shortening(_FACTOR_INSIDE, Product)
@shortening(_FACTOR_INSIDE, Sum, needs=REMAINDER)
def factor_goes_into_a_remainder(e: Expr, facts: Facts) -> Expr | None:
    """A remainder and its divisor may be multiplied together; a factor that is there already takes the other one in."""
    terms, constant = linear(e)
    best = e
    for atom, c in terms.items():
        if type(atom) is not Mod or type(atom.args[1]) is not Const or abs(c) == 1:
            continue
        inner, offset = linear(atom.args[0])
        if any(k in (1, -1) for k in inner.values()):
            continue
        size = abs(c)
        whole = node(
            Mod, (from_linear({t: k * size for t, k in inner.items()}, offset * size), Const(atom.args[1].value * size))
        )
        others = {t: k for t, k in terms.items() if t is not atom}
        after = from_linear(*plus((others, constant), ({whole: c // size}, 0)))
        if after.operations() < best.operations():
            best = after
    return best


@shortening("a·x + a·y → (x + y)·a", Sum, needs=SEVERAL)
def common_factor(e: Expr, facts: Facts) -> Expr | None:
    """One multiplication serves all terms with the same coefficient."""
    terms, constant = linear(e)
    if len({abs(c) for c in terms.values()}) == len(terms):
        return None
    groups: dict[int, list[Expr]] = {}
    for t, c in terms.items():
        groups.setdefault(abs(c), []).append(t)
    parts: list[Expr] = []
    left = dict(terms)
    for size, members in groups.items():
        if size == 1 or len(members) < 2:
            continue
        members.sort(key=rank)
        whole = size if terms[members[0]] > 0 else -size
        inside = from_linear({t: terms[t] // whole for t in members}, 0)
        parts.append(node(Product, (inside, Const(whole))))
        for t in members:
            del left[t]
    if not parts:
        return None
    return Sum.build((*_terms(left), *parts, Const(constant)))


def _terms(terms: Terms) -> list[Expr]:
    return [term(t, terms[t]) for t in sorted(terms, key=rank)]


@shortening("(x − 1) % n ≥ k → (−x) % n ≤ n − 1 − k, where that is shorter; likewise for <", Ge, Lt)
def compared_remainder_counts_down(e: Expr, facts: Facts) -> Expr | None:
    """(x − 1) % n and (−x) % n add up to n − 1."""
    remainder, limit = e.args
    if type(remainder) is not Mod or type(limit) is not Const or type(remainder.args[1]) is not Const:
        return None
    n = remainder.args[1].value
    terms, offset = linear(remainder.args[0])
    if n < 2 or (offset + 1) % n:
        return None
    mirrored = from_linear({t: -c for t, c in terms.items()}, 0) % n
    after = (Le if type(e) is Ge else Gt).build((mirrored, Const(n - 1 - limit.value)))
    return after if after.operations() < e.operations() else None


@shortening("(x + s) % n < k → x % b ≥ a, where 0 ≤ x < a + b, and both hold from a to b alone; likewise for ≥", Lt, Ge)
def window_begins_at_no_offset(e: Expr, facts: Facts) -> Expr | None:
    """Below a the remainder by b is x itself, and from b on it counts from 0 again."""
    remainder, k = e.args
    if type(remainder) is not Mod or type(k) is not Const or type(remainder.args[1]) is not Const:
        return None
    n = remainder.args[1].value
    terms, offset = linear(remainder.args[0])
    begin = k.value if type(e) is Ge else 0  # of the remainders at which it holds
    a = (begin - offset) % n
    b = a + (n - begin if type(e) is Ge else k.value)
    low, high = facts.within_sum(terms, 0)
    if n < 2 or not 0 < b - a < n or not offset or low < max(0, b - n) or high >= min(a + n, a + b):
        return None
    after = Ge.build((Mod.build((from_linear(terms, 0), Const(b))), Const(a)))
    return after if after.operations() < e.operations() else None


@shortening("a − b < 0 → a < b, and each term on the side where it is positive", Comparison)
def both_sides(e: Expr, facts: Facts) -> Expr | None:
    """A term may change sides with its sign; of integers, x < k + 1 is x ≤ k."""
    left, right = e.args
    if type(right) is not Const:
        return None
    terms, more = linear(left)
    k = right.value - more
    positive = {t: c for t, c in terms.items() if c > 0}
    negative = {t: -c for t, c in terms.items() if c < 0}
    best = e
    for kind, limit in _readings(type(e), k):
        for a, b, swapped in ((positive, negative, False), (negative, positive, True)):
            if not a:
                continue
            constant = -limit if swapped else limit
            relation = _MIRRORED[kind] if swapped else kind
            sides = (from_linear(a, 0), from_linear(b, constant))
            after = relation.build(sides)
            if after.operations() < best.operations():
                best = after
    return best


_MIRRORED: dict[type[Comparison], type[Comparison]] = {Lt: Gt, Gt: Lt, Le: Ge, Ge: Le}


def _readings(kind: type[Expr], k: int) -> list[tuple[type[Comparison], int]]:
    if kind is Lt:
        return [(Lt, k), (Le, k - 1)]
    if kind is Ge:
        return [(Ge, k), (Gt, k - 1)]
    return [(kind, k)] if kind in _MIRRORED else []
