"""How the types of a kernel meet.

An integer that meets a float becomes that float, as in C. A float that is written out, or given as Python's float,
takes the type of the float that it meets, as in numpy 2: ``0.5 * x[i]`` is float32 where x is. Alone it is float64.

An integer that is written out takes the type of the integer that it meets, where that holds it; else both are int64.

Arithmetic of integers has 64 bits, as Numba's (Numba enhancement proposal 1, "Changes in integer typing"): a sum of
bytes does not wrap. It is unsigned where both operands are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Builder, Memory, Value
from gpuemu.kernels.errors import BuilderError

Kind = DType | Literal["integer", "float"]
"""A type, or that of a number in the source."""

_BY_NUMPY = {dtype.numpy: dtype for dtype in dtypes.SCALARS.values()}


@dataclass(frozen=True, slots=True)
class Array:
    """An array in a kernel: memory, and a view of it.

    Attributes
    ----------
    name
        What it is called in the source.
    shape, strides
        As numpy's, the strides in elements.
    offset
        The index of its first element.
    writable
        Whether a kernel may store to it.
    is_part
        Whether it was cut out of a larger one; then its sizes may be values of each lane.
    """

    name: str
    memory: Memory
    shape: tuple[Any, ...]
    strides: tuple[int, ...]
    offset: Value | int = 0
    writable: bool = True
    is_part: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it is one axis that is all of its memory, whose own bounds say what is outside."""
        flat = len(self.shape) == 1 and self.strides == (1,) and not self.is_part
        return flat and not isinstance(self.offset, Value) and self.offset == 0

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self.memory.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Complex:
    """A complex number: two scalars."""

    real: Any
    imag: Any


class WeakFloat(Value):
    """A float64 that takes the type of the float that it meets."""

    __slots__ = ()


def typed(x: Any, kind: Kind) -> Any:
    """A result whose operands met in a kind: weak, where they were."""
    if kind == "float" and type(x) is Value and x.dtype == dtypes.float64:
        return WeakFloat(x.builder, x.number, x.dtype)
    return x


def kind_of(x: Any) -> Kind | None:
    """The type of a scalar; None where it is none."""
    if isinstance(x, WeakFloat):
        return "float"
    if isinstance(x, Value):
        return x.dtype
    if isinstance(x, bool):
        return dtypes.bool
    if isinstance(x, int):
        return "integer"
    return "float" if isinstance(x, float) else None


def join(left: Kind, right: Kind) -> Kind:
    """The type in which two meet.

    >>> join(dtypes.float32, "float"), join(dtypes.int32, dtypes.float32), join(dtypes.int32, dtypes.int64)
    (dtypes.float32, dtypes.float32, dtypes.int64)
    """
    if left == right:
        return left
    if isinstance(left, str) and isinstance(right, str):
        return "float"
    if isinstance(left, str):
        return join(right, left)
    if right == "integer":
        return dtypes.int64 if left == dtypes.bool else left
    if right == "float":
        return left if left.is_float else "float"
    if left.count > 1 or right.count > 1:
        raise TypeError(f"{left} and {right}")
    if left.is_float != right.is_float:
        return left if left.is_float else right
    if {left.kind, right.kind} == {"signed", "unsigned"} and "int64" in (left.scalar_name, right.scalar_name):
        return dtypes.int64  # numpy goes to float64 here, which holds no 64-bit integers
    return dtype_of(np.promote_types(left.numpy, right.numpy))


def holds(dtype: DType, x: int) -> bool:
    """Whether a type of integers has this number.

    >>> holds(dtypes.uint8, 255), holds(dtypes.int8, 255), holds(dtypes.uint64, -1)
    (True, False, False)
    """
    bits: int = 8 * dtype.itemsize - (dtype.kind == "signed")
    least: int = -(2**bits) if dtype.kind == "signed" else 0
    return least <= x < 1 << bits


def meeting(*operands: Any, known: Kind | None = None) -> Kind:
    """The type in which scalars meet, and what is known; it holds the integers that are written out.

    >>> meeting(1, known=dtypes.uint8), meeting(300, known=dtypes.uint8), meeting(-1, known=dtypes.uint8)
    (dtypes.uint8, dtypes.int64, dtypes.int64)

    Raises
    ------
    TypeError
        Where there is none.
    """
    kind = known
    for x in operands:
        own = kind_of(x)
        if own is None:
            raise TypeError(f"{x!r} is no scalar")
        kind = own if kind is None else join(kind, own)
    narrow = isinstance(kind, DType) and kind.is_integer and kind.itemsize < 8
    if narrow and not all(holds(kind, x) for x in operands if isinstance(x, int)):  # type: ignore[arg-type]
        return dtypes.int64
    if kind is None:
        raise TypeError("no operand")
    return kind


def arithmetic(left: Kind, right: Kind) -> Kind:
    """The type of a sum, a product, a shift … of two: of integers, one of 64 bits.

    >>> arithmetic(dtypes.uint8, dtypes.uint8), arithmetic(dtypes.int32, "integer"), arithmetic(dtypes.half, "integer")
    (dtypes.uint64, dtypes.int64, dtypes.float16)
    """
    kind = join(left, right)
    if isinstance(kind, str) or kind.is_float or kind.itemsize == 8:
        return kind
    both = all(isinstance(x, DType) and x.kind == "unsigned" for x in (left, right))
    return dtypes.uint64 if both else dtypes.int64


def settled(kind: Kind) -> DType:
    """The type of a number that meets no other."""
    if kind == "integer":
        return dtypes.int64
    return dtypes.float64 if isinstance(kind, str) else kind


def dtype_of(x: Any) -> DType:
    """The type that a numpy type, a name, or a type of another library with such a name means.

    >>> dtype_of(np.float32), dtype_of("int8"), dtype_of(dtypes.half)
    (dtypes.float32, dtypes.int8, dtypes.float16)

    Raises
    ------
    TypeError
        Where it means none.
    """
    if isinstance(x, DType):
        return x
    if x is None:  # numpy takes it for float64
        raise TypeError(f"None is no type of a kernel; there are {', '.join(dtypes.SCALARS)}")
    try:
        found = _BY_NUMPY.get(np.dtype(x))
    except TypeError:
        found = dtypes.SCALARS.get(str(x))
    if found is None:
        raise TypeError(f"{x!r} is no type of a kernel; there are {', '.join(dtypes.SCALARS)}")
    return found


def is_type(x: Any) -> bool:
    """Whether a name of the source means a type of numbers.

    >>> is_type(np.float32), is_type(int), is_type(list), is_type("int8")
    (True, True, False, False)
    """
    if not isinstance(x, DType | type | np.dtype):
        return False
    try:
        dtype_of(x)
    except TypeError:
        return False
    return True


def as_type(k: Builder, x: Any, dtype: DType) -> Value:
    """A scalar as a value of a type.

    Raises
    ------
    BuilderError
        Where an integer is to be infinite, or to have more than 64 bits.
    """
    if isinstance(x, Value):
        return k.cast(x, dtype)
    if dtype.is_integer and isinstance(x, float):
        if not math.isfinite(x):
            raise BuilderError(f"{x} is no number of {dtype}")
        x = int(x)
    if dtype.is_integer and not -(2**63) <= x < 2**64:
        raise BuilderError(f"{x} has more than 64 bits")
    return k.const(float(x) if dtype.is_float else bool(x) if dtype.kind == "bool" else x, dtype)
