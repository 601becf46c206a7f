"""Arithmetic of a kernel as Python's: true division, floors, powers, and the functions of the math module.

Transcendental functions of float32 and narrower types are computed in float64 and rounded once.
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
    if dtype == dtypes.bool and sign not in _BITS:
        dtype = dtypes.int64
    if dtype.is_float and (sign in _BITS or sign in _SHIFTS):
        raise t.error(node, f"{sign} of {describe(left)} and {describe(right)}; it works on the bits of integers")
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
        whole = floor(x / y)
        return whole if sign == "//" else x - whole * y
    quotient, remainder = t.k.floor_divide(x, y)
    return quotient if sign == "//" else remainder


def _power(t: Translator, node: ast.AST, left: Any, right: Any, dtype: DType) -> Value:
    base = as_type(t.k, left, dtypes.int64 if dtype == dtypes.bool else dtype)
    if isinstance(right, int) and 0 <= right <= LARGEST_POWER:
        result = t.k.const(1.0 if base.dtype.is_float else 1, base.dtype)
        for number in range(right):
            result = base if number == 0 else result * base
        return result
    if right == 0.5:
        return root(base)
    if not base.dtype.is_float:
        if isinstance(right, Value) and right.dtype.is_integer:
            raise t.error(node, "an integer to a power that is not known; multiply in a loop, or make it a float")
        base = base.cast(dtypes.float64)
    exponent = as_type(t.k, right, base.dtype)
    return _rounded(lambda x, y: t.k.alu(UnaryOps.EXP2, t.k.alu(UnaryOps.LOG2, x) * y), base, exponent)


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


# --- the functions of the math module --------------------------------------------------------------------------------


def floating(t: Translator, x: Any) -> Value:
    """A number as a float: integers as float64."""
    kind = kind_of(x)
    dtype = kind if isinstance(kind, DType) and kind.is_float else dtypes.float64
    return as_type(t.k, x, dtype)


def _rounded(function: Callable[..., Value], *values: Value) -> Value:
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


def absolute(x: Value) -> Value:
    """The number without its sign."""
    if x.dtype.kind in ("bool", "unsigned"):
        return x
    k = x.builder
    if x.dtype.is_float:
        return k.maximum(x, -x)
    return k.where(x < 0, -x, x)


def exp(x: Value) -> Value:
    """e to the power x."""
    return _rounded(lambda y: y.builder.alu(UnaryOps.EXP2, y * math.log2(math.e)), x)


def log(x: Value) -> Value:
    """The natural logarithm."""
    return _rounded(lambda y: y.builder.alu(UnaryOps.LOG2, y) * math.log(2), x)


def _tanh(x: Value) -> Value:
    """Through the exponential of −2·|x|, which never overflows."""

    def wide(y: Value) -> Value:
        k = y.builder
        small = k.alu(UnaryOps.EXP2, absolute(y) * (-2 * math.log2(math.e)))
        size = (1.0 - small) / (1.0 + small)
        return k.where(y < 0.0, -size, size)

    return _rounded(wide, x)


def _is_nan(x: Value) -> Value:
    return x.ne(x)


def _is_infinite(x: Value) -> Value:
    return absolute(x).eq(math.inf)


OF_ONE: dict[Callable[..., Any], Callable[[Value], Value]] = {
    math.sqrt: root,
    math.exp: exp,
    math.log: log,
    math.log2: lambda x: _rounded(lambda y: y.builder.alu(UnaryOps.LOG2, y), x),
    math.log10: lambda x: _rounded(lambda y: y.builder.alu(UnaryOps.LOG2, y) * math.log10(2), x),
    math.sin: lambda x: _rounded(lambda y: y.builder.alu(UnaryOps.SIN, y), x),
    math.cos: lambda x: _rounded(lambda y: y.builder.alu(UnaryOps.SIN, y + math.pi / 2), x),
    math.tan: lambda x: _rounded(
        lambda y: y.builder.alu(UnaryOps.SIN, y) / y.builder.alu(UnaryOps.SIN, y + math.pi / 2), x
    ),
    math.tanh: _tanh,
    math.fabs: absolute,
    math.isnan: _is_nan,
    math.isinf: _is_infinite,
    math.floor: lambda x: floor(x).cast(dtypes.int64),
    math.ceil: lambda x: (-floor(-x)).cast(dtypes.int64),
}
"""The functions of one number that a kernel may call, by Python's own."""
