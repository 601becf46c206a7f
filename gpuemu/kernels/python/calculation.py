"""Arithmetic of a kernel as Python's: true division, floors, remainders, powers.

Powers and remainders of float32 and narrower types are computed in float64 and rounded once.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import BinaryOps, UnaryOps
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Kind, as_type, dtype_of, kind_of, settled

_SIMPLE = {"+": BinaryOps.ADD, "-": BinaryOps.SUB, "*": BinaryOps.MUL}
_BITS = {"&": BinaryOps.AND, "|": BinaryOps.OR, "^": BinaryOps.XOR}
_SHIFTS = {"<<": BinaryOps.SHL, ">>": BinaryOps.SHR}
LARGEST_POWER = 8  # by multiplication; beyond it, by logarithms
WHOLE = 2.0**52  # from here on each float64 is a whole number


def of_two(t: Translator, node: ast.AST, sign: str, left: Any, right: Any, kind: Kind) -> Value:
    """An operator on two scalars that meet in a type."""
    dtype = settled(kind)
    if sign == "/" and not dtype.is_float:
        dtype = dtypes.float64
    if sign == "**":
        return _power(t, node, left, right, dtype)
    if dtype == dtypes.int64 and _small(sign, left, right):
        dtype = dtypes.int32  # the result is the same, and addresses stay narrow
    if dtype.is_float and (sign in _BITS or sign in _SHIFTS):
        word = {"&": "; `and` joins conditions", "|": "; `or` joins conditions"}.get(sign, "")
        raise t.error(node, f"{sign} of {describe(left)} and {describe(right)}; it works on the bits of integers{word}")
    x, y = as_type(t.k, left, dtype), as_type(t.k, right, dtype)
    if sign in _SIMPLE:
        return t.k.alu(_SIMPLE[sign], x, y)
    if sign in _BITS:
        return t.k.alu(_BITS[sign], x, y)
    if sign in _SHIFTS:
        return t.k.alu(_SHIFTS[sign], x, y)
    if sign == "/":
        return t.k.divide(x, y)
    if right == 0 and not isinstance(right, Value) and dtype.is_integer:
        raise t.error(node, f"{sign} by 0")
    if dtype.is_float:
        return rounded(lambda a, b: _floats_divided(sign, a, b), x, y)
    quotient, remainder = t.k.floor_divide(x, y)
    return quotient if sign == "//" else remainder


def _small(sign: str, left: Any, right: Any) -> bool:
    """Whether operands and result are numbers of 32 bits, by what is known of the largest."""
    if sign in ("<<", "**", "/"):
        return False
    x, y = _most(left), _most(right)
    return x is not None and y is not None and {"+": x + y, "*": x * y}.get(sign, 0) < 1 << 31


def _most(x: Any) -> int | None:
    """The largest that an operand can be; None where it may be negative, or needs more than 32 bits."""
    if not isinstance(x, Value):
        return x if isinstance(x, int) and 0 <= x < 1 << 31 else None
    return x.most if x.dtype == dtypes.int32 and x.nonnegative else None


def _power(t: Translator, node: ast.AST, left: Any, right: Any, dtype: DType) -> Value:
    base = as_type(t.k, left, dtypes.int64 if dtype == dtypes.bool else dtype)
    if isinstance(right, int) and abs(right) <= LARGEST_POWER:
        if right < 0:
            base = base if base.dtype.is_float else base.cast(dtypes.float64)
        result = t.k.const(1.0 if base.dtype.is_float else 1, base.dtype)
        for number in range(abs(right)):
            result = base if number == 0 else result * base
        return 1.0 / result if right < 0 else result
    if right == 0.5:
        return root(base)
    if not base.dtype.is_float:
        if isinstance(right, Value) and right.dtype.is_integer:
            raise t.error(node, "an integer to a power that is not known; multiply in a loop, or make it a float")
        base = base.cast(dtypes.float64)
    return rounded(_raised, base, as_type(t.k, right, base.dtype))


def _raised(x: Value, y: Value) -> Value:
    """A power by logarithms; of a negative number where the exponent is whole."""
    k = x.builder
    size = k.alu(UnaryOps.EXP2, k.alu(UnaryOps.LOG2, absolute(x)) * y)
    half = y * 0.5
    odd = floor(half).ne(half)
    whole = k.where(odd, -size, size)
    below = k.where(floor(y).eq(y), whole, _nan(x))
    result = k.where(x < 0.0, below, size)
    return k.where(y.eq(0.0) | x.eq(1.0), k.const(1.0, x.dtype), result)


def _nan(x: Value) -> Value:
    """No number, in the type of a value."""
    return x.builder.const(math.nan, x.dtype)


def compare(sign: str, left: Value, right: Value) -> Value:
    """A comparison of two values of one type."""
    match sign:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left.eq(right)
    return left.ne(right)


def conversion(t: Translator, node: ast.Call, target: Any, arguments: list[Any]) -> Any:
    """A number as a type: ``float32(x)``, ``int(x)``."""
    try:
        dtype = dtype_of(target)
    except TypeError as error:
        raise t.error(node, str(error)) from None
    if len(arguments) != 1:
        raise t.error(node, f"{ast.unparse(node.func)} takes one number; got {len(arguments)}")
    operand = t.number(arguments[0], node, "what is converted")
    if target in (int, float, bool) and not isinstance(operand, Value):
        return t.fold(node, target, operand)
    return as_type(t.k, operand, dtype)


# --- pieces of functions ---------------------------------------------------------------------------------------------


def floating(t: Translator, x: Any) -> Value:
    """A number as a float: integers as float64."""
    kind = kind_of(x)
    dtype = kind if isinstance(kind, DType) and kind.is_float else dtypes.float64
    return as_type(t.k, x, dtype)


def rounded(function: Callable[..., Value], *values: Value) -> Value:
    """A function computed in float64, rounded to the type of its values."""
    return function(*(value.cast(dtypes.float64) for value in values)).cast(values[0].dtype)


def root(x: Value) -> Value:
    """The square root."""
    x = x if x.dtype.is_float else x.cast(dtypes.float64)
    return x.builder.alu(UnaryOps.SQRT, x)


def floor(x: Value) -> Value:
    """The largest whole number that is not above x, as a float."""
    k, wide = x.builder, x.cast(dtypes.float64)
    whole = wide.cast(dtypes.int64).cast(dtypes.float64)
    below = k.where(wide < whole, whole - 1.0, whole)
    return k.where(absolute(wide) < WHOLE, below, wide).cast(x.dtype)


def truncated(x: Value) -> Value:
    """The whole number next to x towards 0, as a float."""
    k, wide = x.builder, x.cast(dtypes.float64)
    return k.where(absolute(wide) < WHOLE, wide.cast(dtypes.int64).cast(dtypes.float64), wide).cast(x.dtype)


def absolute(x: Value) -> Value:
    """The number without its sign."""
    if x.dtype.kind in ("bool", "unsigned"):
        return x
    k = x.builder
    if x.dtype.is_float:
        return k.maximum(x, -x)
    return k.where(x < 0, -x, x)


def negative(x: Value) -> Value:
    """Whether the sign of a float64 is minus, that of −0 too."""
    return x.builder.bitcast(x, dtypes.int64) < 0


def _halves(x: Value) -> tuple[Value, Value]:
    """Two float64 of 26 bits whose sum is x (T. J. Dekker, 1971)."""
    big = x * (2.0**27 + 1.0)
    high = big - (big - x)
    return high, x - high


def fmod(x: Value, y: Value) -> Value:
    """The remainder of two float64 with the sign of x; exact while the quotient is below 2⁵²."""
    k, a, b = x.builder, absolute(x), absolute(y)
    quotient = truncated(a / b)
    product = quotient * b
    (qh, ql), (bh, bl) = _halves(quotient), _halves(b)
    error = ((qh * bh - product) + qh * bl + ql * bh) + ql * bl  # of the product, exactly
    rest = (a - product) - error
    rest = k.where(rest < 0.0, rest + b, rest)
    rest = k.where(rest < b, rest, rest - b)
    rest = k.where(b.eq(math.inf) & (a < math.inf), a, rest)
    return k.where(negative(x), -rest, rest)


def _floats_divided(sign: str, x: Value, y: Value) -> Value:
    """``//`` and ``%`` of float64 as Python's, from the exact remainder."""
    k, rest = x.builder, fmod(x, y)
    other = rest.ne(0.0) & (negative(rest) ^ negative(y))
    rest = k.where(other, rest + y, rest)
    if sign == "%":
        return rest
    quotient = (x - rest) / y
    near = floor(quotient)
    return k.where(quotient - near > 0.5, near + 1.0, near)
