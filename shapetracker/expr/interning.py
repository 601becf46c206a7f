"""The table of nodes: what is built twice is one object, for as long as somebody holds it.

Two nodes that are the same are one object, so ``==`` is a comparison of identities and a memo is a slot.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from shapetracker.errors import ExprError
from shapetracker.expr.base import Expr

if TYPE_CHECKING:
    from shapetracker.expr.leaves import Variable

Key = tuple[Any, ...]


class _Table(dict[Key, weakref.ref["Expr"]]):
    full = 4096  # entries at which the dead are swept out


# Dead references stay until the next sweep. Such an entry does no harm: under its key, where ids may have come to
# stand for other nodes, nothing is found, and the next node with that key takes the place.
_TABLE = _Table()
_find = _TABLE.get
_new = object.__new__
_reference = weakref.ref


def found(key: Key) -> Expr | None:
    """The node that lies under a key."""
    entry = _TABLE.get(key)
    return None if entry is None else entry()


def keep(key: Key, e: Expr) -> None:
    """Put a node into the table, weakly."""
    _TABLE[key] = weakref.ref(e)
    if len(_TABLE) > _TABLE.full:
        sweep()


def sweep() -> int:
    """Take the dead out of the table; how many nodes live."""
    for key in [key for key, entry in list(_TABLE.items()) if entry() is None]:
        del _TABLE[key]
    _TABLE.full = max(_Table.full, 2 * len(_TABLE))
    return len(_TABLE)


def node(cls: type[Expr], args: tuple[Expr, ...]) -> Expr:
    """The one node of this class with exactly these operands, without any folding."""
    # The node that lies under a key keeps its operands alive, and with them their ids. Most nodes have two operands:
    # they are worth a way of their own.
    if len(args) == 2:
        left, right = args
        key: Key = cls, id(left), id(right)
        entry = _find(key)
        if entry is not None:
            known = entry()
            if known is not None:
                return known
        names = left.names
        more = right.names
        if more and more is not names:
            names = _merge(names, more) if names else more
        cost = left._cost + right._cost
        if right is not cls._free and left is not cls._free:
            cost += 1
    else:
        key = cls, *map(id, args)
        entry = _find(key)
        if entry is not None:
            known = entry()
            if known is not None:
                return known
        names = args[0].names
        cost = -1
        for x in args:
            more = x.names
            if more is not names and more:
                names = _merge(names, more) if names else more
            if x is not cls._free:
                cost += x._cost + 1
    e: Expr = _new(cls)
    attributes = e.__dict__
    attributes["args"] = args
    attributes["names"] = names
    attributes["_cost"] = cost
    _TABLE[key] = _reference(e)
    if len(_TABLE) > _TABLE.full:
        sweep()
    return e


def _merge(left: dict[str, Variable], right: dict[str, Variable]) -> dict[str, Variable]:
    """Both tables of names as one; the left one itself where it has everything."""
    merged = left
    for name, variable in right.items():
        other = merged.get(name)
        if other is None:
            if merged is left:
                merged = dict(left)
            merged[name] = variable
        elif other is not variable:
            raise ExprError(
                f"two variables are named {name!r}: {other.describe()} and {variable.describe()}; "
                "give them one range, or two names"
            )
    return merged
