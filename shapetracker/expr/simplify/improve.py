"""Round after round, by several ways, as long as the expression gets shorter."""

from __future__ import annotations

from collections.abc import Iterable

from shapetracker.expr.nodes import And, Comparison, Expr, Operation, Sum
from shapetracker.expr.simplify import comparisons, conjunctions, divisions, ends, sums, tables  # noqa: F401  (they register rules)
from shapetracker.expr.simplify.canonical import canonical, rebuild
from shapetracker.expr.simplify.divisions import WITHOUT_REMAINDERS, without_remainders
from shapetracker.expr.simplify.facts import Facts, Step, facts_from
from shapetracker.expr.simplify.linear import precedes
from shapetracker.expr.simplify.rules import COMPOUND, features, prepare
from shapetracker.expr.simplify.short import short

prepare()

_NOTHING = Facts()  # no condition, no trace: every memo then lies in the nodes


def simplify(e: Expr, assuming: Iterable[Expr] = ()) -> Expr:
    """The shortest equal expression that the rules find; never a longer one.

    Parameters
    ----------
    e : Expr
    assuming : comparisons that hold, such as ``j < n``

    Examples
    --------
    >>> from shapetracker.expr.nodes import Variable
    >>> i = Variable("i", 0, 59)
    >>> simplify(i // 12 * 12 + i // 4 % 3 * 4 + i % 4)
    i
    """
    if assuming != ():
        conditions = tuple(assuming)
        if conditions:
            return improve(e, facts_from(conditions))
    known = e._simple
    if known is None:
        known = canonical(e, _NOTHING)
        if known._cost > 1 or (known is not e and known._cost >= e._cost):  # else nothing shorter can be found
            known = improve(e, _NOTHING)
        e.__dict__["_simple"] = True if known is e else known
        known.__dict__["_simple"] = True
    return e if known is True else known  # type: ignore[return-value]


def improve(e: Expr, facts: Facts) -> Expr:
    """Round after round, as long as the result gets shorter, or comes earlier in the order of equally short ones."""
    trace = facts.trace
    while not _settled(e, facts):
        for attempt in (_as_a_whole, _part_by_part, _by_quotients_alone):
            steps = 0 if trace is None else len(trace)
            candidate = attempt(e, facts)
            if candidate is not e and (candidate._cost < e._cost or _earlier(candidate, e)):
                e = candidate
                break
            if trace is not None:
                del trace[steps:]  # what was tried in vain is no step
        else:
            break
    return e


def _settled(e: Expr, facts: Facts = _NOTHING) -> bool:
    """Whether it is one operation at most, and canonical: only a constant or a variable would be shorter.

    What is canonical is so by the ranges alone; more facts may say more.
    """
    if facts.ranges or e._canonical is not True:
        return False
    if e._simple is True or e._cost < 2:
        return True
    return type(e) is Sum and not features(e) & COMPOUND and short(e, _NOTHING) is e


def _as_a_whole(e: Expr, facts: Facts) -> Expr:
    if e._short is True and not facts.ranges and facts.trace is None:
        return e
    return short(canonical(e, facts), facts)


def _part_by_part(e: Expr, facts: Facts) -> Expr:
    """Where the canonical form of the whole is too long, better parts may still help."""
    if not isinstance(e, Operation) or e._cost < 2:
        return e
    plain = not facts.ranges and facts.trace is None
    args = tuple([(x if x._simple is True else simplify(x)) if plain else improve(x, facts) for x in e.args])
    return e if args == e.args else rebuild(e, args)


_LONG = 5  # operations from which on a second form is worth its time


def _by_quotients_alone(e: Expr, facts: Facts) -> Expr:
    """Remainders written as quotients, so that more can meet."""
    if e._cost < _LONG or isinstance(e, Comparison | And):
        return e
    quotients = without_remainders(e)
    if quotients is e:
        return e
    if facts.trace is not None:
        facts.trace.append(Step("without_remainders", WITHOUT_REMAINDERS, e, quotients))
    after = _as_a_whole(_as_a_whole(quotients, facts), facts)  # what met in the first round meets more in the second
    return after if after._cost < e._cost else e


def _earlier(a: Expr, b: Expr) -> bool:
    cost, other = a._cost, b._cost
    return cost < other or (cost == other and precedes(a, b))
