"""The registry of rules, and which of them a node's features admit.

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
from shapetracker.expr.simplify.facts import Facts
from shapetracker.expr.simplify.linear import Terms, linear

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
TANGLED = 32768  # a variable occurs in two terms, or a term has three operations
_ALL = 65535
_OF_COMPOUND = QUOTIENT | REMAINDER | DIVISION | CONDITION | COMPOUND


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule: its name, its law in words, the function, and the features that it needs.

    A direct one states a law that `canonical` applies to linear forms already: what is left need not be tried by it.
    """

    name: str
    law: str
    rewrite: Rewrite
    needs: int = 0
    direct: bool = False


_COMPARISONS = frozenset(Comparison.__subclasses__())
_KINDS = (Const, Variable, Bound, Sum, Product, FloorDiv, Mod, Min, Max, And, *Comparison.__subclasses__())
Table = dict[type[Expr], list[Rule]]

# By kind of node, in the order of trying. Canonical forms may be longer than what they came from; the second table
# holds what makes a canonical form short.
RULES: Table = {}
SHORTENING: Table = {}
# What a node's kind and features admit, found once: of both tables, and of the first without direct ones.
_CHOSEN: tuple[dict[int, tuple[Rule, ...]], ...] = ({}, {}, {})
# By kind, the features that some rule asks for, and above them the number of the kind.
_ASKED: dict[type[Expr], int] = {}
# Kinds none of whose rules asks for a feature: all of them, of the first table and of the second.
_UNASKED: tuple[dict[type[Expr], tuple[Rule, ...]], dict[type[Expr], tuple[Rule, ...]]] = ({}, {})
# By kind of quotient or remainder, what may apply to one by a number, of terms that have no variable in common: first
# where there are only variables.
_LEFT: dict[type[Expr], tuple[tuple[Rule, ...], tuple[Rule, ...]]] = {}


def _register(
    table: Table, law: str, kinds: tuple[type[Expr], ...], needs: int, direct: bool = False
) -> Callable[[Rewrite], Rewrite]:
    def register(rewrite: Rewrite) -> Rewrite:
        entry = Rule(rewrite.__name__, law, rewrite, needs, direct)
        for kind in kinds:
            for each in kind.__subclasses__() or (kind,):
                table.setdefault(each, []).append(entry)
        if _ASKED:  # a rule that comes later than all those of this package
            prepare()
        return rewrite

    return register


def rule(law: str, *kinds: type[Expr], needs: int = 0, direct: bool = False) -> Callable[[Rewrite], Rewrite]:
    """Register a rule of the canonical form, with its law in words, for these kinds of node."""
    return _register(RULES, law, kinds, needs, direct)


def shortening(law: str, *kinds: type[Expr], needs: int = 0) -> Callable[[Rewrite], Rewrite]:
    """Register a rule that makes a canonical form short."""
    return _register(SHORTENING, law, kinds, needs)


def forget(name: str) -> None:
    """Take the rules of this name out again: for a rule that was registered to be tried."""
    for table in (RULES, SHORTENING):
        for kind in table:
            table[kind] = [entry for entry in table[kind] if entry.name != name]
    prepare()


def prepare() -> None:
    """Find, by kind of node, what the registered rules ask for; once they are all there."""
    for chosen in _CHOSEN:
        chosen.clear()
    for kind in _KINDS:
        _ASKED[kind] = ~_ALL | (COMPOUND | SHARED if kind is Sum else 0)  # these two are asked for elsewhere
        for entry in [*RULES.get(kind, ()), *SHORTENING.get(kind, ())]:
            _ASKED[kind] |= entry.needs
    for table, unasked in zip((RULES, SHORTENING), _UNASKED, strict=True):
        unasked.clear()
        for kind in _KINDS:
            entries = table.get(kind, [])
            if not any(entry.needs for entry in entries):
                unasked[kind] = tuple(entries)
    for kind in (FloorDiv, Mod):
        left = [e for e in RULES.get(kind, ()) if not e.direct and not e.needs & (OTHER | SIZE | SHARED)]
        _LEFT[kind] = tuple(e for e in left if not e.needs & _OF_COMPOUND), tuple(left)


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
                if atom._cost > (2 if c == 1 or c == -1 else 1):
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
    e.__dict__["_features"] = found = found & _ASKED[kind]
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
    unasked = _UNASKED[shorten].get(type(e))
    if unasked is not None:
        return unasked
    found = e._features
    if found < 0:
        found = features(e)
    found |= more
    chosen = _CHOSEN[shorten].get(found)
    if chosen is None:
        entries = (SHORTENING if shorten else RULES).get(type(e), ())
        chosen = _CHOSEN[shorten][found] = tuple(entry for entry in entries if entry.needs & found == entry.needs)
    return chosen


def remaining(e: Expr) -> tuple[Rule, ...]:
    """The rules that a node's kind and features admit, without the direct ones."""
    found = features(e)
    chosen = _CHOSEN[2].get(found)
    if chosen is None:
        chosen = _CHOSEN[2][found] = tuple(entry for entry in applicable(e, False, 0) if not entry.direct)
    return chosen


def left_for(kind: type[Expr], plain: bool) -> tuple[Rule, ...]:
    """The rules, without the direct ones, for a division by a number, of terms that have no variable in common.

    Parameters
    ----------
    kind : FloorDiv or Mod
    plain : whether the terms are variables alone
    """
    variables_alone, any_terms = _LEFT[kind]
    return variables_alone if plain else any_terms


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
