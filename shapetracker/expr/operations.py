"""The operations: sums, products, quotients, remainders, extremes, comparisons, conjunctions.

Calling a class builds the node as it was written: nested operands are taken in, constants fold.
"""

from __future__ import annotations

import operator
from typing import Any, ClassVar

from shapetracker.errors import ExprError
from shapetracker.expr.base import Expr, IntLike
from shapetracker.expr.interning import node, node_of_two, node_with_another
from shapetracker.expr.leaves import Const, as_expr


class Operation(Expr):
    """What has operands. Calling the class builds the node as written, and folds constants."""

    arity: ClassVar[int | None] = 2

    def __new__(cls, *operands: IntLike) -> Expr:  # type: ignore[misc]
        args = tuple([x if isinstance(x, Expr) else as_expr(x) for x in operands])
        if cls.arity is not None and len(args) != cls.arity:
            raise ExprError(f"{cls.__name__} of {len(args)} operands: it takes {cls.arity}")
        return cls.build(args)

    @classmethod
    def build(cls, args: tuple[Expr, ...]) -> Expr:
        """The node with these operands, constants folded."""
        raise NotImplementedError


class Associative(Operation):
    """Sum, product, conjunction, minimum, maximum: any number of operands, nested ones taken in."""

    arity = None
    neutral: ClassVar[int | None] = None
    absorbing: ClassVar[int | None] = None
    fold: ClassVar[Any]  # what two constants make

    @classmethod
    def build(cls, args: tuple[Expr, ...]) -> Expr:
        if len(args) == 2:  # the usual cases: nothing to fold
            left, right = args
            kind = type(left)
            if kind is not Const:
                other = type(right)
                if other is Const:
                    plain = not 0 <= right.value <= 1  # type: ignore[attr-defined]  # neither neutral nor absorbing
                    if kind is cls and plain:
                        plain = Const not in map(type, left.args)
                else:
                    plain = other is not cls
                if plain:
                    return node_with_another(left, right) if kind is cls else node_of_two(cls, left, right)
        flat: list[Expr] = []
        place = -1  # where the first constant stood: all constants fold into it
        constant = 0
        for x in args:
            for y in x.args if type(x) is cls else (x,):
                if type(y) is not Const:
                    flat.append(y)
                elif place < 0:
                    place, constant = len(flat), y.value
                    flat.append(y)
                else:
                    constant = cls.fold(constant, y.value)
        if place >= 0:
            if constant == cls.absorbing:
                return Const(constant)
            if constant == cls.neutral:
                del flat[place]
            else:
                flat[place] = Const(constant)
        if len(flat) > 1:
            return node(cls, tuple(flat))
        if flat:
            return flat[0]
        if cls.neutral is None:
            raise ExprError(f"{cls.__name__} of no operands: it takes at least one")
        return Const(cls.neutral)


class Sum(Associative):
    """A sum of any number of terms.

    >>> from shapetracker.expr import Variable
    >>> Sum(Variable("i", 0, 3), 2, 3)
    i + 5
    """

    neutral = 0
    fold = staticmethod(operator.add)


class Product(Associative):
    """A product of any number of factors.

    >>> from shapetracker.expr import Variable
    >>> Product(Variable("i", 0, 3), 2, 3)
    i*6
    """

    neutral = 1
    absorbing = 0
    fold = staticmethod(operator.mul)
    _free = Const(-1)


class Min(Associative):
    """The least of its operands.

    >>> from shapetracker.expr import Variable
    >>> Min(Variable("i", 0, 3), 2)
    min(i, 2)
    """

    fold = staticmethod(min)


class Max(Associative):
    """The greatest of its operands.

    >>> from shapetracker.expr import Variable
    >>> Max(Variable("i", 0, 3), 2)
    max(i, 2)
    """

    fold = staticmethod(max)


class And(Associative):
    """A conjunction of conditions (0/1 expressions): 1 where all of them hold.

    >>> from shapetracker.expr import Variable
    >>> i = Variable("i", 0, 3)
    >>> And(i < 3, i >= 1, 1)
    (i < 3) & (i >= 1)
    """

    neutral = 1
    absorbing = 0
    fold = staticmethod(operator.and_)

    @classmethod
    def build(cls, args: tuple[Expr, ...]) -> Expr:
        for x in args:
            if not isinstance(x, Comparison | And) and (x.min < 0 or x.max > 1):
                raise ExprError(f"& with {x!r}, which lies in {x.min}..{x.max}: a condition (0 or 1) was expected")
        return super().build(args)


def _check_divisor(kind: str, a: Expr, b: Expr) -> None:
    low, high = b.min, b.max
    if low <= 0 <= high:
        told = f"{_told(a)} {kind} {_told(b)}"
        if low == high:
            raise ExprError(f"{told}: division by zero")
        raise ExprError(f"{told}: the divisor lies in {low}..{high} and may be zero")


def _told(e: Expr) -> str:
    return f"({e!r})" if isinstance(e, Operation) else repr(e)


class FloorDiv(Operation):
    """The quotient rounded down, as Python's ``//``.

    >>> FloorDiv(-21, 5)
    -5
    """

    @classmethod
    def build(cls, args: tuple[Expr, ...]) -> Expr:
        a, b = args
        if type(b) is not Const or not b.value:
            _check_divisor("//", a, b)
        elif type(a) is Const:
            return Const(a.value // b.value)
        return node_of_two(FloorDiv, a, b)


class Mod(Operation):
    """The remainder of the quotient rounded down, as Python's ``%``: it has the divisor's sign.

    >>> Mod(-21, 5)
    4
    """

    @classmethod
    def build(cls, args: tuple[Expr, ...]) -> Expr:
        a, b = args
        if type(b) is not Const or not b.value:
            _check_divisor("%", a, b)
        elif type(a) is Const:
            return Const(a.value % b.value)
        return node_of_two(Mod, a, b)


class Comparison(Operation):
    """A comparison: 1 where it holds, else 0."""

    symbol: ClassVar[str]
    holds: ClassVar[Any]  # the comparison of two numbers, or of two arrays

    @classmethod
    def build(cls, args: tuple[Expr, ...]) -> Expr:
        a, b = args
        if type(a) is Const and type(b) is Const:
            return Const(int(cls.holds(a.value, b.value)))
        return node_of_two(cls, a, b)


class Lt(Comparison):
    """Less than."""

    symbol = "<"
    holds = staticmethod(operator.lt)


class Le(Comparison):
    """At most."""

    symbol = "<="
    holds = staticmethod(operator.le)


class Gt(Comparison):
    """Greater than."""

    symbol = ">"
    holds = staticmethod(operator.gt)


class Ge(Comparison):
    """At least."""

    symbol = ">="
    holds = staticmethod(operator.ge)


class Eq(Comparison):
    """Equal in value."""

    symbol = "=="
    holds = staticmethod(operator.eq)


class Ne(Comparison):
    """Different in value."""

    symbol = "!="
    holds = staticmethod(operator.ne)
