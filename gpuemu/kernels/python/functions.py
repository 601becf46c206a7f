"""Functions of Python and of its math module that a kernel may call."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python import calculation, complex_numbers, mathematics
from gpuemu.kernels.python.intrinsics import Handler, Intrinsic, scalar_kind
from gpuemu.kernels.python.names import BUILTINS
from gpuemu.kernels.python.operators import binary
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, Complex, as_type, join, kind_of, meeting, settled, typed


def builtin(function: Any, name: str, *counts: int) -> Callable[[Handler], Intrinsic]:
    """Make a handler the meaning of a function of Python."""

    def register(handler: Handler) -> Intrinsic:
        BUILTINS[function] = found = Intrinsic(name, handler, counts)
        return found

    return register


def _extreme(t: Translator, node: ast.Call, of_python: Any, arguments: tuple[Any, ...]) -> Any:
    for operand in arguments:
        t.number(operand, node, "an operand of min, max")
    if not any(isinstance(operand, Value) for operand in arguments):
        return of_python(arguments)
    kind = meeting(*arguments)
    values = [as_type(t.k, operand, settled(kind)) for operand in arguments]
    result = values[0]
    for value in values[1:]:
        result = t.k.minimum(result, value) if of_python is min else t.k.maximum(result, value)
    return typed(result, kind)


@builtin(min, "min", *range(2, 9))
def _min(t: Translator, node: ast.Call, *arguments: Any) -> Any:
    """The smallest."""
    return _extreme(t, node, min, arguments)


@builtin(max, "max", *range(2, 9))
def _max(t: Translator, node: ast.Call, *arguments: Any) -> Any:
    """The largest."""
    return _extreme(t, node, max, arguments)


@builtin(abs, "abs", 1)
def _abs(t: Translator, node: ast.Call, x: Any) -> Any:
    """The number without its sign."""
    if isinstance(x, Complex):
        return complex_numbers.size_of(t, x, lambda op, y, z: binary(t, node, op, y, z))
    operand = t.number(x, node, "the operand of abs")
    if not isinstance(operand, Value):
        return abs(operand)
    return typed(calculation.absolute(operand), scalar_kind(t, node, operand))


@builtin(complex, "complex", 1, 2)
def _complex(t: Translator, node: ast.Call, real: Any, imag: Any = 0.0) -> Complex:
    """A complex number of two floats."""
    parts = [t.number(part, node, "a part of a complex number") for part in (real, imag)]
    real, imag = (
        float(x) if not isinstance(x, Value) else typed(calculation.floating(t, x), kind_of(x) or "float")
        for x in parts
    )
    return Complex(real, imag)


@builtin(len, "len", 1)
def _len(t: Translator, node: ast.Call, x: Any) -> Any:
    """The length of the first axis, or of a tuple."""
    if isinstance(x, Array) and x.shape:
        return x.shape[0]
    if isinstance(x, tuple):
        return len(x)
    raise t.error(node, f"len of {describe(x)}; expected an array or a tuple")


@builtin(math.pow, "math.pow", 2)
def _pow(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """x to the power y."""
    for operand in (x, y):
        t.number(operand, node, "an operand of pow")
    if not isinstance(x, Value) and not isinstance(y, Value):
        return t.fold(node, math.pow, x, y)
    kind = join(join(kind_of(x), kind_of(y)), "float")  # type: ignore[arg-type]
    return typed(calculation.of_two(t, node, "**", x, y, kind), kind)


def _of_math(function: Callable[..., Any], count: int, of_values: Callable[..., Value]) -> None:
    name = f"math.{function.__name__}"

    @builtin(function, name, count)
    def _(t: Translator, node: ast.Call, *numbers: Any) -> Any:
        for operand in numbers:
            t.number(operand, node, f"the operand of {name}")
        if not any(isinstance(operand, Value) for operand in numbers):
            return t.fold(node, function, *numbers)
        kind: Any = reduce(join, [scalar_kind(t, node, operand) for operand in numbers])
        strong = isinstance(kind, DType) and kind.is_float
        values = [as_type(t.k, x, kind if strong else dtypes.float64) for x in numbers]
        return typed(of_values(*values), kind if strong else "float")


for _function in mathematics.OF_ONE:
    _of_math(_function, 1, mathematics.OF_ONE[_function])
for _function in mathematics.OF_TWO:
    _of_math(_function, 2, mathematics.OF_TWO[_function])
for _alias, _function in mathematics.OF_NUMPY.items():
    BUILTINS[_alias] = BUILTINS[_function]
BUILTINS.update({np.minimum: _min, np.maximum: _max, np.abs: _abs, operator.abs: _abs, np.power: _pow})


@builtin(pow, "pow", 2)
def _pow_of_python(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """x ** y."""
    return binary(t, node, ast.Pow(), x, y)


@builtin(divmod, "divmod", 2)
def _divmod(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """x // y and x % y."""
    return binary(t, node, ast.FloorDiv(), x, y), binary(t, node, ast.Mod(), x, y)


@builtin(round, "round", 1)
def _round(t: Translator, node: ast.Call, x: Any) -> Any:
    """The nearest integer; of two, the even one."""
    operand = t.number(x, node, "the operand of round")
    if not isinstance(operand, Value):
        return t.fold(node, round, operand)
    if not operand.dtype.is_float:
        return operand
    wide = operand.cast(dtypes.float64)
    below = calculation.floor(wide)
    half = wide - below
    even = calculation.floor(below * 0.5).eq(below * 0.5)
    up = (half > 0.5) | (half.eq(0.5) & -even)
    return t.k.where(up, below + 1.0, below).cast(dtypes.int64)


@builtin(math.ldexp, "math.ldexp", 2)
def _ldexp(t: Translator, node: ast.Call, x: Any, power: Any) -> Any:
    """x times 2 to a power."""
    two = _pow.handler(t, node, 2.0, power)
    return binary(t, node, ast.Mult(), x, two)


@builtin(math.modf, "math.modf", 1)
def _modf(t: Translator, node: ast.Call, x: Any) -> Any:
    """What stands behind the point, and before it."""
    operand = t.number(x, node, "the operand of math.modf")
    if not isinstance(operand, Value):
        return t.fold(node, math.modf, operand)
    value = calculation.floating(t, operand)
    whole = typed(calculation.truncated(value), scalar_kind(t, node, operand))
    return binary(t, node, ast.Sub(), operand, whole), whole


def _of_loops(function: Any) -> None:
    @builtin(function, function.__name__, *range(1, 9))
    def _(t: Translator, node: ast.Call, *_: Any) -> Any:
        raise t.error(node, f"{function.__name__} stands in `for … in {function.__name__}(…)` alone")


for _function in (range, enumerate, zip):
    _of_loops(_function)
