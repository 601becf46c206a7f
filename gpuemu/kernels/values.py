"""What a builder hands out: values of each lane with Python's operators, memories, variables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any

from gpuemu import dtypes
from gpuemu.alu import BinaryOps, UnaryOps
from gpuemu.dtypes import DType
from gpuemu.kernels.errors import BuilderError
from gpuemu.uops import UOps

if TYPE_CHECKING:
    from gpuemu.kernels.builder import Builder

Number = bool | int | float
LARGEST_POWER = 8
"""Of a value that is multiplied by itself."""


class Value:
    """A value of each lane: the number of the line that makes it, and its type.

    Operators take values of one type, and Python numbers, which become constants of that type. ``//`` and ``%`` are
    Python's: rounded down. ``==`` compares objects; use `eq` and `ne`.

    Attributes
    ----------
    nonnegative
        Whether it is known to be at least 0, so that ``//`` and ``%`` need no correction.
    most
        The largest integer that it can be, where that is known and it is not negative.
    """

    __slots__ = ("builder", "dtype", "most", "nonnegative", "number")

    def __init__(
        self, builder: Builder, number: int, dtype: DType, nonnegative: bool = False, most: int | None = None
    ) -> None:
        self.most = most
        self.builder = builder
        self.number = number
        self.dtype = dtype
        self.nonnegative = nonnegative

    def __add__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.ADD, self, other)

    def __radd__(self, other: Number) -> Value:
        return self.builder.alu(BinaryOps.ADD, other, self)

    def __sub__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.SUB, self, other)

    def __rsub__(self, other: Number) -> Value:
        return self.builder.alu(BinaryOps.SUB, other, self)

    def __mul__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.MUL, self, other)

    def __rmul__(self, other: Number) -> Value:
        return self.builder.alu(BinaryOps.MUL, other, self)

    def __truediv__(self, other: Value | Number) -> Value:
        return self.builder.divide(self, other)

    def __rtruediv__(self, other: Number) -> Value:
        return self.builder.divide(other, self)

    def __floordiv__(self, other: Value | Number) -> Value:
        return self.builder.floor_divide(self, other)[0]

    def __rfloordiv__(self, other: Number) -> Value:
        return self.builder.floor_divide(other, self)[0]

    def __mod__(self, other: Value | Number) -> Value:
        return self.builder.floor_divide(self, other)[1]

    def __rmod__(self, other: Number) -> Value:
        return self.builder.floor_divide(other, self)[1]

    def __pow__(self, power: Any) -> Value:
        if not isinstance(power, int) or not 1 <= power <= LARGEST_POWER:
            raise BuilderError(f"{self} ** {power!r}: the power is a whole number from 1 to {LARGEST_POWER}")
        return reduce(mul, [self] * power)

    def __neg__(self) -> Value:
        return self.builder.alu(UnaryOps.NEG, self)

    def __invert__(self) -> Value:
        return ~self._bits() if self.dtype.kind == "float" else self.builder.invert(self)

    def __lt__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.CMPLT, self, other)

    def __gt__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.CMPLT, other, self)

    def __le__(self, other: Value | Number) -> Value:
        return self.builder.at_most(self, other)

    def __ge__(self, other: Value | Number) -> Value:
        return self.builder.at_most(other, self)

    def eq(self, other: Value | Number) -> Value:
        """Whether the two are equal, a bool."""
        return self.builder.alu(BinaryOps.CMPEQ, self, other)

    def ne(self, other: Value | Number) -> Value:
        """Whether the two differ, a bool."""
        return self.builder.alu(BinaryOps.CMPNE, self, other)

    def __and__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.AND, self, other)

    def __or__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.OR, self, other)

    def __xor__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.XOR, self, other)

    def __lshift__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.SHL, self, other)

    def __rshift__(self, other: Value | Number) -> Value:
        return self.builder.alu(BinaryOps.SHR, self, other)

    def __bool__(self) -> bool:
        raise BuilderError(
            f"{self} is a value of each lane and has no truth while the program is written; use `with k.if_(value):`, "
            "k.where(value, …), & or |"
        )

    def _bits(self) -> Value:
        raise BuilderError(f"~{self}: a float has no bits to invert; bitcast it first")

    def cast(self, dtype: DType) -> Value:
        """The value in another type."""
        return self.builder.cast(self, dtype)

    def element(self, number: int) -> Value:
        """One element of a vector."""
        return self.builder.value(UOps.GEP, self.dtype.scalar(), (self,), number)

    def __repr__(self) -> str:
        return f"<Value %{self.number}: {self.dtype}>"


class Memory:
    """A buffer or local memory: read with ``m[index]``, written with ``m[index] = value``."""

    __slots__ = ("builder", "dtype", "name", "number")

    def __init__(self, builder: Builder, number: int, dtype: DType, name: str) -> None:
        self.builder = builder
        self.number = number
        self.dtype = dtype
        self.name = name

    def __getitem__(self, index: Value | int) -> Value:
        return self.load(index)

    def __setitem__(self, index: Value | int, value: Value | Number) -> None:
        self.store(index, value)

    def __iter__(self) -> Iterator[Value]:  # without it Python would count the index up for ever
        raise BuilderError(f"{self!r} has no elements to go through while the program is written; use `with k.loop(…)`")

    def load(self, index: Value | int, gate: Value | None = None, otherwise: Value | Number = 0) -> Value:
        """The element at an index; `otherwise`, and no access made, where the gate is false."""
        k = self.builder
        sources = [self.number, k.as_value(index, dtypes.int32).number]
        if gate is not None:
            sources += [gate.number, k.as_value(otherwise, self.dtype).number]
        return Value(k, k.line(UOps.LOAD, self.dtype, sources), self.dtype)

    def store(self, index: Value | int, value: Value | Number, gate: Value | None = None) -> None:
        """Write the element at an index, where the gate is true."""
        k = self.builder
        stored = k.as_value(value, self.dtype)
        if stored.dtype.scalar() != self.dtype:
            raise BuilderError(f"{self.name}[…] = {stored}: the memory holds {self.dtype}; cast the value")
        sources = [self.number, k.as_value(index, dtypes.int32).number, stored.number]
        k.line(UOps.STORE, None, sources + ([gate.number] if gate is not None else []))

    def __repr__(self) -> str:
        return f"<Memory {self.name} of {self.dtype}>"


class Variable:
    """A value that changes: an accumulator. `value` is its present one, `set` gives it another."""

    __slots__ = ("builder", "dtype", "number")

    def __init__(self, builder: Builder, number: int, dtype: DType) -> None:
        self.builder = builder
        self.number = number
        self.dtype = dtype

    @property
    def value(self) -> Value:
        """The present value. What arithmetic took from it stays; use `copy` to keep the value itself."""
        return Value(self.builder, self.number, self.dtype)

    def copy(self) -> Value:
        """The present value, which stays when the variable is set again."""
        return Value(self.builder, self.builder.line(UOps.CAST, self.dtype, [self.number]), self.dtype)

    def set(self, value: Value | Number) -> None:
        """Give the variable a value, in the lanes that are active."""
        given = self.builder.as_value(value, self.dtype)
        if given.dtype != self.dtype:
            raise BuilderError(f"{self!r} = {given}: cast the value to {self.dtype}")
        self.builder.changing.add(
            self.builder.line(UOps.PHI, self.dtype, [self.number, given.number, *self.builder.loops])
        )

    def __repr__(self) -> str:
        return f"<Variable %{self.number}: {self.dtype}>"
