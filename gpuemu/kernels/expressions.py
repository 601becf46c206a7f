"""Index expressions as UOps: what a view says about an address, computed by each lane."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from gpuemu import dtypes
from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Builder, Value
from gpuemu.kernels.errors import ViewKernelError
from shapetracker.expr import (
    And,
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
)


def index_type(*expressions: Expr) -> DType:
    """int32 where it holds every step of the expressions, else int64.

    >>> index_type(Variable("i", 0, 9) * 4), index_type(Variable("i", 0, 9) * 2**30)
    (dtypes.int32, dtypes.int64)
    """
    wide = any(not -(2**31) <= bound < 2**31 for e in expressions for x in _all(e) for bound in (x.min, x.max))
    return dtypes.int64 if wide else dtypes.int32


def _all(e: Expr) -> list[Expr]:
    return [e, *(x for part in e.args for x in _all(part))]


def lines_of(e: Expr) -> int:
    """About how many lines of a program an expression becomes; what it has twice is computed once.

    >>> i = Variable("i", 0, 9)
    >>> lines_of((i % 4 >= 1) & (i % 4 < 3)), lines_of(-i % 4 > 1)  # the remainder of a negative number is corrected
    (5, 10)
    """
    return sum(_own_lines(part) for part in set(_all(e)))


def _own_lines(e: Expr) -> int:
    match e:
        case FloorDiv() | Mod():
            return 1 if e.args[0].min >= 0 and e.args[1].min > 0 else 8
        case Le() | Ge():
            return 2
        case _:
            return max(0, len(e.args) - 1)


class Lowering:
    """Expressions as values of a builder: each variable as the value that stands for it.

    >>> k = Builder("address")
    >>> i = Variable("i", 0, 9)
    >>> address = Lowering(k, {i: k.special("l", 0, 10)}, dtypes.int32)
    >>> address.integer(i * 4 + 1), address.condition(i < 3)
    (<Value %4: int32>, <Value %6: bool>)
    """

    def __init__(self, builder: Builder, values: Mapping[Variable, Value], dtype: DType) -> None:
        self.builder = builder
        self.values = {variable: value.cast(dtype) for variable, value in values.items()}
        self.dtype = dtype

    def integer(self, e: Expr) -> Value:
        """The value of an integer expression."""
        k = self.builder
        match e:
            case Const():
                return k.const(e.value, self.dtype)
            case Variable():
                if e not in self.values:
                    raise ViewKernelError(f"{e.describe()} has no value in this kernel; bind the view's variables")
                return self.values[e]
            case Sum():
                return self._sum([(part, self.integer(part)) for part in e.args])
            case Product():
                return reduce(lambda x, y: x * y, map(self.integer, e.args))
            case Min():
                return reduce(k.minimum, map(self.integer, e.args))
            case Max():
                return reduce(k.maximum, map(self.integer, e.args))
            case FloorDiv() | Mod():
                return self._division(e)
            case _:
                return self.condition(e).cast(self.dtype)

    def _sum(self, parts: list[tuple[Expr, Value]]) -> Value:
        """Terms that are subtracted as a subtraction: i − 1 and not i + −1."""
        total = parts[0][1]
        for part, value in parts[1:]:
            if isinstance(part, Const) and part.value < 0:
                total = total - self.builder.const(-part.value, self.dtype)
            else:
                total = total + value
        return total

    def _division(self, e: Expr) -> Value:
        left, right = (self.integer(part) for part in e.args)
        if e.args[0].min >= 0 and e.args[1].min > 0:  # truncation is Python's floor
            op = BinaryOps.DIV if isinstance(e, FloorDiv) else BinaryOps.MOD
            return self.builder.alu(op, left, right)
        return left // right if isinstance(e, FloorDiv) else left % right

    def condition(self, e: Expr) -> Value:
        """The value of a condition, a bool."""
        k = self.builder
        match e:
            case And():
                return reduce(lambda x, y: x & y, map(self.condition, e.args))
            case Lt() | Le() | Gt() | Ge() | Eq() | Ne():
                left, right = (self.integer(part) for part in e.args)
                compare = {
                    Lt: Value.__lt__,
                    Le: Value.__le__,
                    Gt: Value.__gt__,
                    Ge: Value.__ge__,
                    Eq: Value.eq,
                    Ne: Value.ne,
                }
                return compare[type(e)](left, right)
            case Const():
                return k.const(e.value != 0, dtypes.bool)
            case _:
                return self.integer(e).ne(0)
