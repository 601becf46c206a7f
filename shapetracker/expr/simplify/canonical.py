"""The canonical form: by arithmetic on linear forms where that is all that is needed, else rule by rule.

The laws that most expressions need (like terms, multiples of a divisor, one period, the fine part, signs, limits) are
applied to linear forms, in the order in which the rules that state them are tried, and no node is built for what is
between. What is left becomes a node, and the other rules go on from there. That holds for the ranges alone: under more
facts, and where steps are traced, every law is applied by its rule. Tests hold both ways to one result.
"""

from __future__ import annotations

from shapetracker.expr.interning import node_of_two
from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Eq,
    Expr,
    FloorDiv,
    Mod,
    Ne,
    Product,
    Sum,
    Variable,
    as_expr,
    node,
)
from shapetracker.expr.simplify.facts import Facts, Step, quiet
from shapetracker.expr.simplify.limits import coarse_limit, decided, standard
from shapetracker.expr.simplify.linear import Form, Terms, from_linear, leads_negative, linear, plus, turned
from shapetracker.expr.simplify.residues import (
    MOST_CHOICES,
    coarse_and_fine,
    digits_of_the_remainder,
    dividend_of_the_quotient,
    second_nearest,
    survey,
    without_inner_remainder,
    without_multiples,
)
from shapetracker.expr.simplify.rules import NARROW, REDUCIBLE, UNORDERED, Rule, applicable, left_for, remaining, rule

_NOTHING = Facts()  # the ranges alone
_COMPARISONS = frozenset(Comparison.__subclasses__())


def canonical(e: Expr, facts: Facts) -> Expr:
    """The canonical form: laws are applied, innermost operands first, until none fits."""
    if facts.ranges or facts.trace is not None:
        found = facts.canonical_forms.get(e)
        if found is None:
            found = facts.canonical_forms[e] = _by_rules(e, facts, False)
            facts.canonical_forms[found] = found
        return found
    known = e._canonical
    if known is None:
        return _remember(e, _compared(e) if type(e) in _COMPARISONS else from_linear(*form(e)))
    return e if known is True else known  # type: ignore[return-value]


def _remember(e: Expr, result: Expr) -> Expr:
    result.__dict__["_canonical"] = True
    if result is not e:
        e.__dict__["_canonical"] = result
    return result


def form(e: Expr) -> Form:
    """The linear form of the canonical form, by the ranges alone; remembered in the node."""
    found = e._form
    if found is not None:
        return found
    known = e._canonical
    kind = type(e)
    if known is not None:
        found = linear(e if known is True else known)  # type: ignore[arg-type]
    elif kind is Sum or kind is Product:
        terms: Terms = {}
        found = _settled(terms, _gather(e, 1, terms))
    elif (kind is FloorDiv or kind is Mod) and type(e.args[1]) is Const and e.args[1].value > 0:
        a, n = e.args
        terms, constant = a._form or form(a)
        found = (_quotient if kind is FloorDiv else _remainder)(terms, constant, n.value)  # type: ignore[attr-defined]
    else:
        found = linear(canonical(e, _NOTHING) if kind in _COMPARISONS else _ruled(e))
    e.__dict__["_form"] = found
    return found


def _gather(e: Expr, factor: int, terms: Terms) -> int:
    """Add factor·e to the terms, each atom of it in canonical form; the constant."""
    constant = 0
    for part in e.args if type(e) is Sum else (e,):
        x, c = part, factor
        kind = type(x)
        if kind is Product and len(x.args) == 2:
            x, more = x.args
            if type(x) is Const:  # what is written as 5·x
                x, more = more, x
            if type(more) is Const:
                kind = type(x)
                c *= more.value
            else:
                x = part
        if kind is Variable and x._canonical is True:
            total = terms.get(x, 0) + c
            if total:
                terms[x] = total
            else:
                del terms[x]
        elif kind is Const:
            constant += c * x.value  # type: ignore[attr-defined]
        elif kind is Sum or kind is Product:
            constant += _gather(x, c, terms) if kind is Sum else _gather_product(x, c, terms)
        else:
            constant += _add(x._form or form(x), c, terms)
    return constant


def _gather_product(e: Expr, factor: int, terms: Terms) -> int:
    inner, constant = linear(e)
    if e in inner:
        return _add(_product_of_canonical(e), factor, terms)
    constant *= factor
    for atom, c in inner.items():
        constant += _gather(atom, factor * c, terms)
    return constant


def _add(added: Form, factor: int, terms: Terms) -> int:
    for atom, c in added[0].items():
        total = terms.get(atom, 0) + factor * c
        if total:
            terms[atom] = total
        else:
            del terms[atom]
    return factor * added[1]


def _product_of_canonical(e: Expr) -> Form:
    after = Product.build(tuple([canonical(x, _NOTHING) for x in e.args]))
    found = linear(after)
    return found if after in found[0] else form(from_linear(*found))


def _settled(terms: Terms, constant: int) -> Form:
    """The canonical form of a sum of canonical atoms."""
    return linear(_ruled(from_linear(terms, constant))) if _may_meet(terms) else (terms, constant)


def _may_meet(terms: Terms) -> bool:
    """Whether a rule for sums may apply: terms share a variable, or one is long, or no quotient or remainder."""
    plain = True
    for atom, c in terms.items():
        kind = type(atom)
        if kind is not Variable:
            plain = False
            if (kind is not FloorDiv and kind is not Mod) or atom._cost > (2 if c == 1 or c == -1 else 1):
                return True
    if plain or len(terms) < 2:
        return False
    seen: set[str] = set()
    for atom in terms:
        if not seen.isdisjoint(atom.names):
            return True
        seen.update(atom.names)
    return False


def _remainder(terms: Terms, constant: int, n: int) -> Form:
    """The canonical form of a % n, for a in canonical form."""
    if n == 1:
        return {}, 0
    low, high, near, least, width, plain, shares = survey(terms, constant, n)
    q = low // n
    if high // n == q:
        constant -= q * n
        return (terms, constant) if plain or not q else _settled(terms, constant)
    constant %= n
    if width < n:
        q = (constant + least) // n
        inside: Form | None = near, constant - q * n
        if (constant + least + width) // n != q:
            inside = second_nearest(near, constant, n, _NOTHING)
        if inside is not None:
            return inside if plain else _settled(*inside)
    if not plain:
        if _may_meet(near):
            return linear(_ruled(node(Mod, (from_linear(near, constant), as_expr(n)))))
        less = without_inner_remainder(near, constant, n)
        if less is not None:
            return _remainder(*_settled(*less), n)
    found = coarse_and_fine(near, constant, n, _NOTHING) if shares else None
    if found is not None:
        g, coarse, k, _ = found
        fine = {t: c for t, c in near.items() if c % g}
        return _settled(*plus((fine, constant - k * g), _remainder(coarse, k, n // g), g))
    if leads_negative(near):
        return _settled(*plus(({}, n - 1), _remainder(turned(near), -constant - 1, n), -1))
    return _division(Mod, near, constant, n, plain)


def _quotient(terms: Terms, constant: int, n: int) -> Form:
    """The canonical form of a // n, for a in canonical form."""
    if n == 1:
        return terms, constant
    low, high, near, least, width, plain, shares = survey(terms, constant, n)
    q = low // n
    if high // n == q:
        return {}, q
    if width < n:
        last = constant % n
        q = (last + least) // n
        inside: Form | None = near, last - q * n
        if (last + least + width) // n != q:
            inside = second_nearest(near, last, n, _NOTHING)
        if inside is not None:  # what is left has the quotient 0
            whole, constant = plus((terms, constant), inside, -1)
            whole = {t: c // n for t, c in whole.items()}
            return (whole, constant // n) if plain else _settled(whole, constant // n)
    split = without_multiples(terms, constant, n)
    if split is None or not split[0][0]:  # of the constant alone multiples are taken
        out = constant // n if split else 0
        ends = (low // n - out, high // n - out) if plain else None
        left, more = _quotient_without_multiples(terms, constant - out * n, n, plain, shares, ends)
        return _settled(left, more + out) if out else (left, more)
    outside, kept = split
    if not kept[0]:
        return outside if plain else _settled(*outside)
    if len(kept[0]) > MOST_CHOICES:
        return _settled(*plus(outside, _quotient(*kept, n)))
    return _settled(*plus(outside, _quotient_without_multiples(*kept, n, plain, shares, None)))


def _quotient_without_multiples(
    terms: Terms, constant: int, n: int, plain: bool, shares: bool, ends: tuple[int, int] | None
) -> Form:
    if not plain and _may_meet(terms):
        return linear(_ruled(node(FloorDiv, (from_linear(terms, constant), as_expr(n)))))
    found = coarse_and_fine(terms, constant, n, _NOTHING) if shares else None
    if found is not None:
        g, coarse, k, _ = found
        return _quotient(coarse, k, n // g)
    if not plain and len(terms) == 1:
        inner = dividend_of_the_quotient(terms, constant)
        if inner is not None:
            return _quotient(*_settled(*inner[0]), inner[1] * n)
        digits = digits_of_the_remainder(terms, constant, n)
        if digits is not None:
            return _remainder(*_quotient(*digits[0], n), digits[1])
    if leads_negative(terms):
        return _settled(*plus(({}, 0), _quotient(turned(terms), n - 1 - constant, n), -1))
    return _division(FloorDiv, terms, constant, n, plain, ends)


def _division(
    kind: type[Expr], terms: Terms, constant: int, n: int, plain: bool, ends: tuple[int, int] | None = None
) -> Form:
    """The node that is left when no direct law applies any more, or what the other rules make of it.

    Its least and greatest value may be known: of a quotient of variables alone, which is congruent to nothing else.
    """
    dividend = from_linear(terms, constant)
    if dividend._canonical is not True:
        dividend.__dict__["_canonical"] = True
    e = node_of_two(kind, dividend, as_expr(n))
    if e._canonical is not True:
        if ends is not None:
            e.__dict__["_bounds"] = *ends, 1, 0
        rules = left_for(kind, plain)
        if rules:
            e = _finished(e, rules)
        else:
            e.__dict__["_canonical"] = True
    return e._linear or linear(e)


def _compared(e: Expr) -> Expr:
    """The canonical form of a comparison."""
    kind = type(e)
    a, b = e.args
    terms, constant = a._form or form(a)
    if type(b) is Const:
        constant -= b.value
    else:
        terms, constant = plus((terms, constant), form(b), -1)
    while True:
        verdict = decided(kind, terms, constant, _NOTHING)
        if verdict is not None:
            return Const(verdict)
        found = standard(kind, terms, constant)
        if isinstance(found, int):
            return Const(found)
        kind, terms, limit = found
        meets = _may_meet(terms)
        if meets or kind is Eq or kind is Ne or len(terms) < 2:
            break
        coarse = coarse_limit(terms, limit, _NOTHING)
        if coarse is None:
            break
        terms, constant = coarse[0], -coarse[1]
    left = from_linear(terms, 0)
    after = node_of_two(kind, left, as_expr(limit))
    if meets:
        return _ruled(after)
    left.__dict__["_canonical"] = True
    if after._canonical is True or after._cost < 2:  # no rule has anything to say about a variable and a number
        return after
    return _finished(after, remaining(after))


def _finished(e: Expr, rules: tuple[Rule, ...]) -> Expr:
    """What these rules make of a node to which no direct law applies."""
    for entry in rules:
        after = entry.rewrite(e, _NOTHING)
        if after is not None and after is not e:
            return canonical(after, _NOTHING)
    e.__dict__["_canonical"] = True
    return e


def remainder_of(a: Form, n: int, facts: Facts) -> Form:
    """The canonical form of a % n, for a sum of canonical atoms and n > 1; a look ahead leaves no trace.

    >>> from shapetracker.expr.nodes import Variable
    >>> remainder_of(({Variable("i", 0, 3): 8}, 5), 4, Facts())
    ({}, 1)
    """
    if facts.ranges:
        return linear(canonical(from_linear(*a) % n, quiet(facts)))
    return _remainder(*_settled(*a), n)


def _ruled(e: Expr) -> Expr:
    """The canonical form of a node by the ranges alone, rule by rule."""
    known = e._canonical
    if known is None:
        return _remember(e, _by_rules(e, _NOTHING, True))
    return e if known is True else known  # type: ignore[return-value]


def _by_rules(e: Expr, facts: Facts, plain: bool) -> Expr:
    kind = type(e)
    if kind is Const:
        return e
    if kind is Sum or kind is Product:
        if not plain:  # what is plain has canonical atoms already, each of them once
            e = _collected(e, facts)
            if type(e) is not Sum:
                return e
    elif kind is not Bound:
        args = tuple([canonical(x, facts) for x in e.args])
        new = e if args == e.args else rebuild(e, args)
        if new is not e:
            if plain or type(new) is not kind:
                return canonical(new, facts)
            e = new
    for entry in applicable(e, False, 0 if plain else NARROW | REDUCIBLE):
        after = entry.rewrite(e, facts)
        if after is not None and after is not e:
            if facts.trace is not None:
                facts.trace.append(Step(entry.name, entry.law, e, after))
            return canonical(after, facts)
    return e


_LIKE_TERMS = "a·x + b·x → (a + b)·x;  a·(x + y) → a·x + a·y; terms in order"


@rule(_LIKE_TERMS, Sum, Product, needs=UNORDERED)
def collect_like_terms(e: Expr, facts: Facts) -> Expr | None:
    """Integers add up and distribute over sums."""
    after = from_linear(*linear(e))
    return None if after is e else after


def _collected(e: Expr, facts: Facts) -> Expr:
    """The sum of like terms, each atom of it in canonical form."""
    before = _with_canonical_atoms(e, facts)
    after = collect_like_terms(before, facts)
    if after is None:
        return before
    if facts.trace is not None:
        facts.trace.append(Step(collect_like_terms.__name__, _LIKE_TERMS, before, after))
    return after


def _with_canonical_atoms(e: Expr, facts: Facts) -> Expr:
    if isinstance(e, Sum | Product):
        return type(e).build(tuple([_with_canonical_atoms(x, facts) for x in e.args]))
    return canonical(e, facts)


def rebuild(e: Expr, args: tuple[Expr, ...]) -> Expr:
    """The node over operands that are equal to its own where the facts hold.

    Elsewhere they may be anything: a divisor that may be zero there, or no condition. Then the old operand stays.

    >>> from shapetracker.expr.nodes import Max
    >>> n = Variable("n", 0, 9)
    >>> rebuild(n % Max(n - 2, 1), (n, n - 2))
    n%max(n - 2, 1)
    """
    if isinstance(e, FloorDiv | Mod):
        divisor = args[1]
        if divisor.min <= 0 <= divisor.max:
            args = (args[0], e.args[1])
    elif type(e) is And:
        args = tuple([x if 0 <= x.min <= x.max <= 1 else old for x, old in zip(args, e.args, strict=True)])
    return type(e).build(args)  # type: ignore[attr-defined,no-any-return]


@rule("a variable that can have one value only → that value", Variable)
def fixed_variable(e: Expr, facts: Facts) -> Expr | None:
    """Conditions that hold, or its own range, may leave one value."""
    low, high = facts.within(e)
    return Const(low) if low == high else None
