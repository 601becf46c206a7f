"""The registry of rules, and the canonical form: rules applied until none fits.

A rule is one function for one or more kinds of node. It returns an equal expression, or None where it does not apply.
Its law in words stands in the decorator: tests prove it, `explain` prints it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from shapetracker.expr.bounds import find_bounds
from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Expr,
    FloorDiv,
    Max,
    Min,
    Mod,
    Product,
    Sum,
    Variable,
)
from shapetracker.expr.simplify.facts import Facts, Step
from shapetracker.expr.simplify.linear import Terms, from_linear, linear, plus

Rewrite = Callable[[Expr, Facts], Expr | None]


# Features of a node, as bits: a rule names those without which it cannot apply, and is not called where one is missing.
# The terms are those of a sum, of the dividend, or of the left side of a comparison.
NUMBER = 1  # the divisor is a number above 1
OTHER = 2  # the divisor is another number, or a symbolic size
SIZE = 4  # the divisor is a symbolic size
QUOTIENT = 8  # among the terms there is a quotient
REMAINDER = 16  # among the terms there is a remainder
DIVISION = 32  # among the terms there is a quotient, a remainder, or a product that may hold one
CONDITION = 64  # among the terms there is a comparison
COMPOUND = 128  # among the terms there is something else than a variable
SEVERAL = 256  # there are at least two terms
SHARED = 512  # a variable occurs in two terms
NEGATIVE = 1024  # a coefficient is below 0
FACTOR = 2048  # a coefficient has a factor in common with the divisor
UNORDERED = 4096  # a sum or product that is not in the order of a linear form
NARROW = 8192  # the dividend's coefficients, each nearest to 0, let it vary by less than the divisor
REDUCIBLE = 16384  # a coefficient, or the constant, holds a multiple of the divisor; or the dividend is narrow
TANGLED = 32768  # a variable occurs in two terms, or a term has two operations
_ALL = 65535


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule: its name, its law in words, the function, and the features that it needs."""

    name: str
    law: str
    rewrite: Rewrite
    needs: int = 0


Table = dict[type[Expr], list[Rule]]

# By kind of node, in the order of trying. Canonical forms may be longer than what they came from; the second table
# holds what makes a canonical form short.
RULES: Table = {}
SHORTENING: Table = {}
# What a node's kind and features admit, found once: of the first table, and of the second.
_CHOSEN: tuple[dict[int, tuple[Rule, ...]], dict[int, tuple[Rule, ...]]] = ({}, {})


def _register(table: Table, law: str, kinds: tuple[type[Expr], ...], needs: int) -> Callable[[Rewrite], Rewrite]:
    def register(rewrite: Rewrite) -> Rewrite:
        entry = Rule(rewrite.__name__, law, rewrite, needs)
        for kind in kinds:
            for each in kind.__subclasses__() or (kind,):
                table.setdefault(each, []).append(entry)
        _choose_anew()
        return rewrite

    return register


def rule(law: str, *kinds: type[Expr], needs: int = 0) -> Callable[[Rewrite], Rewrite]:
    """Register a rule of the canonical form, with its law in words, for these kinds of node."""
    return _register(RULES, law, kinds, needs)


def shortening(law: str, *kinds: type[Expr], needs: int = 0) -> Callable[[Rewrite], Rewrite]:
    """Register a rule that makes a canonical form short."""
    return _register(SHORTENING, law, kinds, needs)


def forget(name: str) -> None:
    """Take the rules of this name out again: for a rule that was registered to be tried."""
    for table in (RULES, SHORTENING):
        for kind in table:
            table[kind] = [entry for entry in table[kind] if entry.name != name]
    _choose_anew()


def _choose_anew() -> None:
    for chosen in _CHOSEN:
        chosen.clear()


def features(e: Expr) -> int:
    """The features of a node, and above them the number of its kind; remembered in the node."""
    found = e._features
    if found >= 0:
        return found
    kind = type(e)
    divisor = 0
    whose = e  # the node whose terms are looked at
    found = _KIND[kind]
    if kind is FloorDiv or kind is Mod:
        whose, n = e.args
        if type(n) is not Const:
            found |= OTHER | SIZE | NARROW
        elif n.value > 1:
            divisor = n.value
            found |= NUMBER
        else:
            found |= OTHER | NARROW
    elif kind is not Sum:
        if kind in _COMPARISONS:
            whose = e.args[0]
        else:  # whatever a rule needs, it finds out by itself
            found |= _ALL
    if found & _ALL != _ALL:
        terms, constant = whose._linear or linear(whose)
        for atom, c in terms.items():
            if type(atom) is not Variable:
                found |= _OF_AN_ATOM[type(atom)]
                if atom._cost > 1:
                    found |= TANGLED
            if c < 0:
                found |= NEGATIVE
        if divisor:
            found |= _features_of_a_division(terms, constant, divisor, kind is Mod)
        if len(terms) > 1:
            found |= SEVERAL
            if found & COMPOUND and len(whose.names) < sum([len(atom.names) for atom in terms]):
                found |= SHARED | TANGLED
        if kind is Sum and not e._collected:
            found |= UNORDERED
    e.__dict__["_features"] = found
    return found


def _features_of_a_division(terms: Terms, constant: int, n: int, remainder: bool) -> int:
    found = 0 if 0 <= constant < n else REDUCIBLE
    width = 0
    for atom, c in terms.items():
        nearest = c
        if not -n < c + c <= n:
            nearest = c % n
            if nearest + nearest > n:
                nearest -= n
            if remainder or not -n < c < n:
                found |= REDUCIBLE
        if nearest != 1 and gcd(c, n) > 1:
            found |= FACTOR
        if width < n:
            known = atom._bounds or find_bounds(atom)
            width += (known[1] - known[0]) * (nearest if nearest > 0 else -nearest)
    return found | NARROW | REDUCIBLE if width < n else found


def applicable(e: Expr, shorten: bool, more: int) -> tuple[Rule, ...]:
    """The rules, in the order of trying, that the node's kind and its features, with some more, admit."""
    found = e._features
    if found < 0:
        found = features(e)
    found |= more
    chosen = _CHOSEN[shorten].get(found)
    if chosen is None:
        entries = (SHORTENING if shorten else RULES).get(type(e), ())
        chosen = _CHOSEN[shorten][found] = tuple(entry for entry in entries if entry.needs & found == entry.needs)
    return chosen


_COMPARISONS = frozenset(Comparison.__subclasses__())
_KINDS = (Const, Variable, Bound, Sum, Product, FloorDiv, Mod, Min, Max, And, *Comparison.__subclasses__())
_KIND: dict[type[Expr], int] = {kind: (_ALL + 1) * k for k, kind in enumerate(_KINDS)}
# A product of symbolic sizes may hold a division.
_OF_AN_ATOM: dict[type[Expr], int] = {
    Variable: 0,
    FloorDiv: QUOTIENT | DIVISION | COMPOUND,
    Mod: REMAINDER | DIVISION | COMPOUND,
    Product: DIVISION | COMPOUND,
    **dict.fromkeys((Bound, Sum, Min, Max, And), COMPOUND),
    **dict.fromkeys(_COMPARISONS, CONDITION | COMPOUND),
}


def canonical(e: Expr, facts: Facts) -> Expr:
    """The canonical form: rules are applied, innermost operands first, until none fits."""
    if facts.ranges or facts.trace is not None:
        found = facts.canonical_forms.get(e)
        if found is None:
            found = facts.canonical_forms[e] = _rewrite(e, facts, False)
            facts.canonical_forms[found] = found
        return found
    known = e._canonical
    if known is None:
        result = _rewrite(e, facts, True)
        result.__dict__["_canonical"] = True
        if result is not e:
            e.__dict__["_canonical"] = result
        return result
    return e if known is True else known  # type: ignore[return-value]


def _rewrite(e: Expr, facts: Facts, plain: bool) -> Expr:
    kind = type(e)
    if kind is Const:
        return e
    if plain and (kind is Sum or kind is Product):
        e = _collected(e, facts)
        if type(e) is not Sum:
            return e
        if e._canonical is not None:
            return canonical(e, facts)
    elif kind is not Bound:
        for x in e.args:
            if not plain or x._canonical is not True:
                args = tuple([canonical(x, facts) for x in e.args])
                if args != e.args:
                    e = rebuild(e, args)
                    if type(e) is not kind or (plain and e._canonical is not None):
                        return canonical(e, facts)
                break
    for entry in applicable(e, False, 0 if plain else NARROW | REDUCIBLE):
        after = entry.rewrite(e, facts)
        if after is not None and after is not e:
            if facts.trace is not None:
                facts.trace.append(Step(entry.name, entry.law, e, after))
            return canonical(after, facts)
    return e


def _collected(e: Expr, facts: Facts) -> Expr:
    """The sum of like terms, each term with a canonical atom: what operand by operand comes to the same.

    Over variables alone, and for one multiple of an atom, no other rule has anything to do.
    """
    terms, constant = e._linear or linear(e)
    changed: tuple[Terms, int] | None = None
    for atom, c in terms.items():
        if atom is e:
            return _product_of_canonical(e, facts)
        if atom._canonical is not True:
            new = canonical(atom, facts)
            if new is not atom:
                changed = plus(plus(changed or (terms, constant), ({atom: 1}, 0), -c), linear(new), c)
    if changed is not None:
        return from_linear(*changed)
    return e if e._collected else from_linear(terms, constant)


def _product_of_canonical(e: Expr, facts: Facts) -> Expr:
    after = Product.build(tuple([canonical(x, facts) for x in e.args]))
    form = linear(after)
    return after if after in form[0] else canonical(from_linear(*form), facts)


def rebuild(e: Expr, args: tuple[Expr, ...]) -> Expr:
    """The node over operands that are equal to its own where the facts hold.

    Elsewhere they may be anything: a divisor that may be zero there, or no condition. Then the old operand stays.

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
