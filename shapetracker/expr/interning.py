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


# Dead references stay until the next sweep. Such an entry does no harm: under its key, where ids may have come to
# stand for other nodes, nothing is found, and the next node with that key takes the place.
_TABLE: dict[Key, weakref.ref[Expr]] = {}
_LEAST = 4096
_FULL = [_LEAST]  # entries at which the dead are swept out
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
    if len(_TABLE) > _FULL[0]:
        sweep()


def sweep() -> int:
    """Take the dead out of the table; how many nodes live."""
    for key in [key for key, entry in list(_TABLE.items()) if entry() is None]:
        del _TABLE[key]
    _FULL[0] = max(_LEAST, 2 * len(_TABLE))
    return len(_TABLE)


def node(cls: type[Expr], args: tuple[Expr, ...]) -> Expr:
    """The one node of this class with exactly these operands, without any folding."""
    if len(args) == 2:
        return node_of_two(cls, args[0], args[1])
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
    return _made(cls, key, args, names, cost)


def node_of_two(cls: type[Expr], left: Expr, right: Expr) -> Expr:
    """The same for two operands, which most nodes have: they are worth a way of their own."""
    # The node that lies under a key keeps its operands alive, and with them their ids.
    key = cls, id(left), id(right)
    entry = _find(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known
    names = left.names
    more = right.names
    if more and more is not names:
        names = _merge(names, more) if names else more
    free = cls._free
    e: Expr = _new(cls)
    attributes = e.__dict__
    attributes["args"] = left, right
    attributes["names"] = names
    attributes["_cost"] = left._cost + right._cost + (right is not free is not left)
    _TABLE[key] = _reference(e)
    if len(_TABLE) > _FULL[0]:
        sweep()
    return e


def node_with_another(left: Expr, right: Expr) -> Expr:
    """The one node with the operands of a node, of two or more, and another one."""
    cls = type(left)
    args = *left.args, right
    key = cls, *map(id, args)
    entry = _find(key)
    if entry is not None:
        known = entry()
        if known is not None:
            return known
    names = left.names
    more = right.names
    if more and more is not names:
        names = _merge(names, more) if names else more
    return _made(cls, key, args, names, left._cost if right is cls._free else left._cost + right._cost + 1)


def _made(cls: type[Expr], key: Key, args: tuple[Expr, ...], names: dict[str, Variable], cost: int) -> Expr:
    """A new node in the table."""
    e: Expr = _new(cls)
    attributes = e.__dict__
    attributes["args"] = args
    attributes["names"] = names
    attributes["_cost"] = cost
    _TABLE[key] = _reference(e)
    if len(_TABLE) > _FULL[0]:
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
