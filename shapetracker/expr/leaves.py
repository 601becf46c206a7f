"""The leaves of expressions: constants, variables with their ranges, bound variables."""

from __future__ import annotations

import operator
from collections.abc import Callable
from keyword import iskeyword
from typing import Any, TypeVar

from shapetracker.errors import ExprError
from shapetracker.expr.base import Expr, IntLike
from shapetracker.expr.interning import found, keep


def as_expr(value: IntLike) -> Expr:
    """The expression itself, or an integer as a constant.

    Raises
    ------
    ExprError
        When it is neither.

    Examples
    --------
    >>> as_expr(3)
    3
    """
    if type(value) is int:
        small = _SMALL.get(value)
        if small is not None:
            return small
    elif isinstance(value, Expr):
        return value
    try:
        return Const(operator.index(value))
    except TypeError:
        given: object = value
        hint = f"; a name becomes one with Variable({given!r}, least, greatest)" if isinstance(given, str) else ""
        raise ExprError(
            f"{value!r} is a {type(value).__name__}: an integer or an expression was expected{hint}"
        ) from None


_NO_NAMES: dict[str, Any] = {}
_SMALL: dict[int, Const] = {}
Leaf = TypeVar("Leaf", bound=Expr)


def _leaf(key: tuple[Any, ...], cls: type[Leaf], args: tuple[Expr, ...], names: dict[str, Any]) -> Leaf:
    """A new node in the table."""
    e = object.__new__(cls)
    e.__dict__["args"] = args
    e.__dict__["names"] = names
    keep(key, e)
    return e


class Const(Expr):
    """An integer constant.

    >>> Const(3) == 3, int(Const(3))
    (True, 3)
    """

    value: int
    _cost = 0

    def __new__(cls, value: int) -> Const:
        small = _SMALL.get(value)
        if small is not None:
            return small
        value = operator.index(value)
        key = (Const, value)
        known = found(key)
        if known is not None:
            return known  # type: ignore[return-value]
        e = _leaf(key, cls, (), _NO_NAMES)
        e.__dict__["value"] = value
        e.__dict__["_bounds"] = (value, value, 0, value)
        e.__dict__["_canonical"] = True
        e.__dict__["_short"] = True
        e.__dict__["_simple"] = True
        return e

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return Const, (self.value,)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, int) and self.value == other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        return self.value

    def __int__(self) -> int:
        return self.value

    def __bool__(self) -> bool:
        return self.value != 0


_SMALL.update({n: Const(n) for n in range(-64, 1025)})  # kept alive, so that common constants are found and not built


def _variable_rank(name: str) -> tuple[Any, ...]:
    """Variables come first among expressions, by name, idx2 before idx10."""
    head = name.rstrip("0123456789")
    return 0, (head, int(name[len(head) :] or -1), name)


class Variable(Expr):
    """An integer variable with an inclusive range.

    Parameters
    ----------
    name : str
        An identifier.
    min, max : int
        The least and the greatest value.

    Examples
    --------
    >>> i = Variable("i", 0, 3)
    >>> i.min, i.max, i.bind(2)
    (0, 3, i=2)
    """

    name: str
    _cost = 0

    def __new__(cls, name: str, min: int, max: int) -> Variable:
        given: object = name
        if not isinstance(given, str) or not given.isidentifier():
            raise ExprError(f"Variable({name!r}, {min!r}, {max!r}): the name must be an identifier")
        if iskeyword(name):
            raise ExprError(
                f"Variable({name!r}, {min!r}, {max!r}): {name} is a word of Python's own, and could not be read back; "
                f"try {name}_"
            )
        low, high = as_expr(min), as_expr(max)
        if not isinstance(low, Const) or not isinstance(high, Const):
            raise ExprError(
                f"Variable({name!r}, {min!r}, {max!r}): the bounds must be integers; give the widest range, "
                f"and say the relation with simplify(assuming=[{name} <= ...])"
            )
        if low.value > high.value:
            raise ExprError(f"Variable({name!r}, {min}, {max}): the range is empty; the bounds are inclusive")
        key = (Variable, name, low.value, high.value)
        known = found(key)
        if known is not None:
            return known  # type: ignore[return-value]
        names: dict[str, Variable] = {}
        e = _leaf(key, cls, (), names)
        names[name] = e  # the variable itself: a cycle that the garbage collector resolves
        e.__dict__["name"] = name
        modulus, residue = (0, low.value) if low is high else (1, 0)
        e.__dict__["_bounds"] = (low.value, high.value, modulus, residue)
        e.__dict__["_rank"] = _variable_rank(name)
        if low is not high:
            e.__dict__["_canonical"] = True
            e.__dict__["_short"] = True
            e.__dict__["_simple"] = True
            e.__dict__["_linear"] = e.__dict__["_form"] = {e: 1}, 0
        return e

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return Variable, (self.name, self.min, self.max)

    def describe(self) -> str:
        """The text that builds it.

        >>> Variable("i", 0, 3).describe()
        "Variable('i', 0, 3)"
        """
        return f"Variable({self.name!r}, {self.min}, {self.max})"

    def bind(self, value: int) -> Bound:
        """The variable with a value: a new node; the variable itself is unchanged.

        >>> Variable("i", 0, 3).bind(5)
        Traceback (most recent call last):
        ...
        shapetracker.errors.ExprError: i.bind(5): i lies in 0..3
        """
        return Bound(self, value)


class Bound(Expr):
    """A variable with a value. It keeps the variable's range, so what is built of it serves other values too.

    >>> i = Variable("i", 0, 3).bind(2)
    >>> i.value, i.max, (i * 8).evaluate()
    (2, 3, 16)
    """

    value: int
    _cost = 0

    def __new__(cls, variable: Variable, value: int) -> Bound:
        try:
            number = operator.index(value)
        except TypeError:
            raise ExprError(f"{variable.name}.bind({value!r}): an integer was expected") from None
        if not variable.min <= number <= variable.max:
            raise ExprError(f"{variable.name}.bind({number}): {variable.name} lies in {variable.min}..{variable.max}")
        key = (Bound, variable, number)
        known = found(key)
        if known is not None:
            return known  # type: ignore[return-value]
        e = _leaf(key, cls, (variable,), variable.names)
        e.__dict__["value"] = number
        return e

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return Bound, (self.args[0], self.value)

    @property
    def variable(self) -> Variable:
        """The variable itself.

        >>> Variable("i", 0, 3).bind(2).variable
        i
        """
        return self.args[0]  # type: ignore[return-value]
