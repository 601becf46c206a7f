"""The registry of rules, and the canonical form: rules applied until none fits.

A rule is one function for one or more kinds of node. It returns an equal expression, or None where it does not apply.
Its law in words stands in the decorator: tests prove it, `explain` prints it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    Operation,
    Product,
    Sum,
    Variable,
    write,
)
from shapetracker.expr.simplify.facts import Facts, Step
from shapetracker.expr.simplify.linear import from_linear, linear

Rewrite = Callable[[Expr, Facts], Expr | None]


# Features of a node, as bits: a rule names those without which it cannot apply, and is not called where one is missing.
# The terms are those of a sum, of the dividend, or of the left side of a comparison.
NUMBER = 1  # the divisor is a number above 1
OTHER = 2  # the divisor is another number, or a symbolic size
SIZE = 4  # the divisor is a symbolic size
DIVISION = 8  # among the terms there is a quotient or a remainder
COMPOUND = 16  # among the terms there is something else than a variable
SEVERAL = 32  # there are at least two terms


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
_CHOSEN: dict[tuple[bool, type[Expr], int], tuple[Rule, ...]] = {}


def _register(table: Table, law: str, kinds: tuple[type[Expr], ...], needs: int) -> Callable[[Rewrite], Rewrite]:
    def register(rewrite: Rewrite) -> Rewrite:
        entry = Rule(rewrite.__name__, law, rewrite, needs)
        for kind in kinds:
            for each in kind.__subclasses__() or (kind,):
                table.setdefault(each, []).append(entry)
        _CHOSEN.clear()
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
    _CHOSEN.clear()


def _features_of_terms(e: Expr) -> int:
    if type(e) is Variable:
        return 0
    terms = (e._linear or linear(e))[0]
    found = SEVERAL if len(terms) > 1 else 0
    for atom in terms:
        found |= _OF_AN_ATOM[type(atom)]
    return found


def applicable(e: Expr, shorten: bool = False) -> tuple[Rule, ...]:
    """The rules, in the order of trying, that the node's kind and features admit."""
    kind = type(e)
    if kind is FloorDiv or kind is Mod:
        a, n = e.args
        divisor = (NUMBER if n.value > 1 else OTHER) if type(n) is Const else OTHER | SIZE
        features = divisor | _features_of_terms(a)
    elif kind is Sum:
        features = _features_of_terms(e)
    elif kind in _COMPARISONS:
        features = _features_of_terms(e.args[0])
    else:
        features = -1  # whatever a rule needs, it finds out by itself
    key = shorten, kind, features
    chosen = _CHOSEN.get(key)
    if chosen is None:
        entries = (SHORTENING if shorten else RULES).get(kind, ())
        chosen = _CHOSEN[key] = tuple(entry for entry in entries if entry.needs & features == entry.needs)
    return chosen


_COMPARISONS = frozenset(Comparison.__subclasses__())
# A product of symbolic sizes may hold a division.
_OF_AN_ATOM: dict[type[Expr], int] = {
    Variable: 0,
    **dict.fromkeys((FloorDiv, Mod, Product), DIVISION | COMPOUND),
    **dict.fromkeys((Bound, Sum, Min, Max, And, *_COMPARISONS), COMPOUND),
}


def canonical(e: Expr, facts: Facts) -> Expr:
    """The canonical form: rules are applied, innermost operands first, until none fits."""
    if facts.ranges or facts.trace is not None:
        found = facts.canonical_forms.get(e)
        if found is None:
            found = facts.canonical_forms[e] = _rewrite(e, facts)
            facts.canonical_forms[found] = found
        return found
    known = e._canonical
    if known is None:
        result = _rewrite(e, facts)
        write(e, "_canonical", True if result is e else result)
        return result
    return e if known is True else known  # type: ignore[return-value]


def _rewrite(e: Expr, facts: Facts) -> Expr:
    kind = type(e)
    if kind is Const:
        return e
    plain = not facts.ranges and facts.trace is None
    if plain and (kind is Sum or kind is Product):
        terms, constant = e._linear or linear(e)
        for atom in terms:
            if type(atom) is not Variable or atom._canonical is not True:
                break
        else:  # over variables alone no rule but that for like terms has anything to do
            if not e._collected:
                e = from_linear(terms, constant)
            if e._canonical is None:
                write(e, "_canonical", True)
            return e
    if isinstance(e, Operation):
        args = tuple([x if plain and x._canonical is True else canonical(x, facts) for x in e.args])
        if args != e.args:
            rebuilt = rebuild(e, args)
            if type(rebuilt) is not type(e):
                return canonical(rebuilt, facts)
            e = rebuilt
    for entry in applicable(e):
        after = entry.rewrite(e, facts)
        if after is not None and after is not e:
            if facts.trace is not None:
                facts.trace.append(Step(entry.name, entry.law, e, after))
            return canonical(after, facts)
    return e


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
