"""The registry of rules, and the canonical form: rules applied until none fits.

A rule is one function for one or more kinds of node. It returns an equal expression, or None where it does not apply.
Its law in words stands in the decorator: tests prove it, `explain` prints it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shapetracker.expr.nodes import Const, Expr, Operation, Variable, write
from shapetracker.expr.simplify.facts import Facts, Step

Rewrite = Callable[[Expr, Facts], Expr | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule: its name, its law in words, and the function."""

    name: str
    law: str
    rewrite: Rewrite


# By kind of node, in the order of trying. Canonical forms may be longer than what they came from; the second table
# holds what makes a canonical form short.
RULES: dict[type[Expr], list[Rule]] = {}
SHORTENING: dict[type[Expr], list[Rule]] = {}


def _register(
    table: dict[type[Expr], list[Rule]], law: str, kinds: tuple[type[Expr], ...]
) -> Callable[[Rewrite], Rewrite]:
    def register(rewrite: Rewrite) -> Rewrite:
        entry = Rule(rewrite.__name__, law, rewrite)
        for kind in kinds:
            for each in kind.__subclasses__() or (kind,):
                table.setdefault(each, []).append(entry)
        return rewrite

    return register


def rule(law: str, *kinds: type[Expr]) -> Callable[[Rewrite], Rewrite]:
    """Register a rule of the canonical form, with its law in words, for these kinds of node."""
    return _register(RULES, law, kinds)


def shortening(law: str, *kinds: type[Expr]) -> Callable[[Rewrite], Rewrite]:
    """Register a rule that makes a canonical form short."""
    return _register(SHORTENING, law, kinds)


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
    if isinstance(e, Operation):
        plain = not facts.ranges and facts.trace is None
        args = tuple([x if plain and x._canonical is True else canonical(x, facts) for x in e.args])
        if args != e.args:
            rebuilt = type(e).build(args)
            if type(rebuilt) is not type(e):
                return canonical(rebuilt, facts)
            e = rebuilt
    elif type(e) is Const:
        return e
    for entry in RULES.get(type(e), ()):
        after = entry.rewrite(e, facts)
        if after is not None and after is not e:
            if facts.trace is not None:
                facts.trace.append(Step(entry.name, entry.law, e, after))
            return canonical(after, facts)
    return e


@rule("a variable that can have one value only → that value", Variable)
def fixed_variable(e: Expr, facts: Facts) -> Expr | None:
    """Conditions that hold, or its own range, may leave one value."""
    low, high = facts.within(e)
    return Const(low) if low == high else None
