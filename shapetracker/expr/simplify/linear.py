"""Linear forms: an expression as a sum of integer multiples of atoms, plus a constant.

Atoms are what is not a sum: variables, quotients, remainders, conditions, and products of such (for symbolic sizes).
"""

from __future__ import annotations

from math import gcd
from operator import attrgetter
from typing import Any

from shapetracker.expr.interning import node_of_two
from shapetracker.expr.nodes import (
    And,
    Bound,
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
    as_expr,
    node,
)

Terms = dict[Expr, int]
Form = tuple[Terms, int]  # the terms, and the constant

_KINDS = (Variable, Bound, Product, FloorDiv, Mod, Min, Max, Sum, Lt, Le, Gt, Ge, Eq, Ne, And)
_RANK = attrgetter("_rank")
_ORDER: dict[type[Expr], int] = {kind: k for k, kind in enumerate(_KINDS)} | {Const: 99}


def rank(e: Expr) -> tuple[Any, ...]:
    """A key that orders expressions in the same way in every run: variables first, by name, constants last.

    >>> from shapetracker.expr import Variable
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 3)
    >>> sorted([j // 2, Const(1), j, i * 2, i], key=rank)
    [i, i*2, j, j//2, 1]
    """
    known = e._rank
    if known is None:
        kind = type(e)
        if kind is Product:
            known = (*rank(e.args[0]), *[rank(x) for x in e.args[1:]])
        elif isinstance(e, Const):
            known = (_ORDER[kind], e.value)
        elif isinstance(e, Bound):
            known = (_ORDER[kind], (rank(e.variable), e.value))
        else:
            known = (_ORDER[kind], tuple([x._rank or rank(x) for x in e.args]))
        e.__dict__["_rank"] = known
    return known


def precedes(a: Expr, b: Expr) -> bool:
    """Whether the rank of a is below that of b; most often their kinds already tell.

    >>> from shapetracker.expr import Variable
    >>> i = Variable("i", 0, 3)
    >>> precedes(i // 2, i % 2), precedes(i % 2, i // 2)
    (True, False)
    """
    first = _ORDER[type(a.args[0] if type(a) is Product else a)]  # a product ranks as its first factor
    second = _ORDER[type(b.args[0] if type(b) is Product else b)]
    return first < second if first != second else rank(a) < rank(b)


def linear(e: Expr) -> Form:
    """The terms (atom to coefficient, none of them 0) and the constant; products are multiplied out.

    It is remembered in the node: do not change it.

    >>> from shapetracker.expr import Variable
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 3)
    >>> linear((i + 2) * 3 - j)
    ({i: 3, j: -1}, 6)
    """
    known = e._linear
    if known is None:
        known = _find_linear(e)
        e.__dict__["_linear"] = known
    return known


def _find_linear(e: Expr) -> Form:
    kind = type(e)
    if kind is Const:
        return {}, e.value  # type: ignore[attr-defined]
    if kind is Product:
        args = e.args
        if len(args) == 2 and type(args[1]) is Const and type(args[0]) is not Sum:
            e.__dict__["_collected"] = True
            return {args[0]: args[1].value}, 0
        result: Form = {}, 1
        for x in args:
            result = times(result, linear(x))
        return result
    if kind is not Sum:
        return {e: 1}, 0
    terms: Terms = {}
    constant = 0
    ordered = True  # as `from_linear` would write it
    last: tuple[Any, ...] = ()
    for x in e.args:
        kind = type(x)
        if kind is Const:
            constant += x.value  # type: ignore[attr-defined]
            ordered = ordered and x is e.args[-1]
            continue
        if kind is Product:
            inner, more = x._linear or linear(x)
            constant += more
            ordered = ordered and x._collected and len(inner) == 1
            for atom, c in inner.items():
                terms[atom] = terms.get(atom, 0) + c
        else:
            atom = x
            terms[x] = terms.get(x, 0) + 1
        if ordered:
            place = atom._rank or rank(atom)
            ordered = last < place
            last = place
    if ordered:
        e.__dict__["_collected"] = True
    elif 0 in terms.values():
        terms = {t: c for t, c in terms.items() if c}
    return terms, constant


def times(a: Form, b: Form) -> Form:
    """The product of two linear forms; products of atoms are atoms, their factors in order."""
    (left, p), (right, q) = a, b
    terms: Terms = {}
    for x, c in left.items():
        if q:
            terms[x] = terms.get(x, 0) + c * q
        for y, d in right.items():
            factors = sorted((*_factors(x), *_factors(y)), key=rank)
            atom = node(Product, tuple(factors))
            terms[atom] = terms.get(atom, 0) + c * d
    if p:
        for y, d in right.items():
            terms[y] = terms.get(y, 0) + p * d
    return {t: c for t, c in terms.items() if c}, p * q


def plus(a: Form, b: Form, factor: int = 1) -> Form:
    """a + factor·b."""
    terms = dict(a[0])
    for atom, c in b[0].items():
        total = terms.get(atom, 0) + factor * c
        if total:
            terms[atom] = total
        else:
            terms.pop(atom, None)
    return terms, a[1] + factor * b[1]


def leads_negative(terms: Terms) -> bool:
    """Whether the first term has a coefficient below 0."""
    for c in terms.values():
        if c < 0:
            return terms[min(terms, key=rank)] < 0
    return False


def turned(terms: Terms) -> Terms:
    """The terms with the opposite signs."""
    return {t: -c for t, c in terms.items()}


def quotient(product: Expr, part: Expr) -> Expr | None:
    """product / part as a product of the remaining factors, where part divides it."""
    factors = list(_factors(product))
    for x in _factors(part):
        if x not in factors:
            return None
        factors.remove(x)
    return Product.build(tuple(factors)) if factors else Const(1)


def primitive(terms: Terms) -> tuple[Expr, int]:
    """The form divided by the common factor of its coefficients, the first one positive; and that factor.

    >>> from shapetracker.expr import Variable
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 3)
    >>> primitive({i: -4, j: 6})
    (i*2 - j*3, -2)
    """
    scale = gcd(*terms.values())
    if terms[min(terms, key=rank)] < 0:
        scale = -scale
    return from_linear({t: c // scale for t, c in terms.items()}, 0), scale


def _factors(x: Expr) -> tuple[Expr, ...]:
    return x.args if type(x) is Product else (x,)


def term(atom: Expr, c: int) -> Expr:
    """c·atom as a product with the constant last."""
    if c == 1:
        return atom
    if type(atom) is Product:
        return node(Product, (*atom.args, as_expr(c)))
    return node_of_two(Product, atom, as_expr(c))


def from_linear(terms: Terms, constant: int) -> Expr:
    """The sum in canonical order: terms by rank, the constant last.

    >>> from shapetracker.expr import Variable
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 3)
    >>> from_linear({j: 1, i: 4}, 2)
    i*4 + j + 2
    """
    if not terms:
        return Const(constant)
    if len(terms) == 1:
        ((atom, c),) = terms.items()
        e = atom if c == 1 else term(atom, c)
        if constant:
            e = node_of_two(Sum, e, as_expr(constant))
        if e._linear is not None and (e._collected or e is atom):
            return e
        memo = e.__dict__
        memo["_linear"] = {atom: c}, constant  # a copy: the caller may go on changing its own
        memo["_collected"] = True
        if type(atom) is Variable and atom._canonical is True:
            memo["_canonical"] = memo["_short"] = memo["_simple"] = True  # there is nothing left to do
        return e
    for atom in terms:
        if atom._rank is None:
            rank(atom)
    ordered = sorted(terms, key=_RANK)
    parts = [t if terms[t] == 1 else term(t, terms[t]) for t in ordered]
    if constant:
        parts.append(as_expr(constant))
    e = node(Sum, tuple(parts))
    if e._linear is not None and e._collected:
        return e
    terms = dict(terms) if ordered == list(terms) else {t: terms[t] for t in ordered}
    memo = e.__dict__
    memo["_linear"] = terms, constant
    memo["_collected"] = True
    sizes = set()
    for atom, c in terms.items():
        if type(atom) is not Variable or atom._canonical is not True:
            return e
        sizes.add(abs(c))
    memo["_canonical"] = True  # over variables alone no rule but that for like terms has anything to do
    if len(sizes) == len(terms):  # nor is there a common factor of some
        memo["_short"] = memo["_simple"] = True
    return e
