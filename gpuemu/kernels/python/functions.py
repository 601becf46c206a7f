"""Functions of Python and of its math module that a kernel may call."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python import calculation
from gpuemu.kernels.python.expressions import BUILTINS
from gpuemu.kernels.python.intrinsics import Handler, Intrinsic, scalar_kind
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, as_type, join, kind_of, settled, typed


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
    kind = kind_of(arguments[0])
    for operand in arguments[1:]:
        kind = join(kind, kind_of(operand))  # type: ignore[arg-type]
    values = [as_type(t.k, operand, settled(kind)) for operand in arguments]  # type: ignore[arg-type]
    result = values[0]
    for value in values[1:]:
        result = t.k.minimum(result, value) if of_python is min else t.k.maximum(result, value)
    return typed(result, kind)  # type: ignore[arg-type]


@builtin(min, "min", 2, 3, 4)
def _min(t: Translator, node: ast.Call, *arguments: Any) -> Any:
    """The smallest."""
    return _extreme(t, node, min, arguments)


@builtin(max, "max", 2, 3, 4)
def _max(t: Translator, node: ast.Call, *arguments: Any) -> Any:
    """The largest."""
    return _extreme(t, node, max, arguments)


@builtin(abs, "abs", 1)
def _abs(t: Translator, node: ast.Call, x: Any) -> Any:
    """The number without its sign."""
    operand = t.number(x, node, "the operand of abs")
    if not isinstance(operand, Value):
        return abs(operand)
    return typed(calculation.absolute(operand), scalar_kind(t, node, operand))


@builtin(len, "len", 1)
def _len(t: Translator, node: ast.Call, x: Any) -> int:
    """The length of the first axis, or of a tuple."""
    if isinstance(x, Array) and x.shape:
        return x.shape[0]
    if isinstance(x, tuple):
        return len(x)
    raise t.error(node, f"len of {describe(x)}; expected an array or a tuple")


@builtin(range, "range", 1, 2, 3)
def _range(t: Translator, node: ast.Call, *_: Any) -> Any:
    """A range is what a for goes over, and nothing else."""
    raise t.error(node, "a range stands in `for … in range(…)` alone")


@builtin(math.pow, "math.pow", 2)
def _pow(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """x to the power y."""
    for operand in (x, y):
        t.number(operand, node, "an operand of pow")
    if not isinstance(x, Value) and not isinstance(y, Value):
        return t.fold(node, math.pow, x, y)
    kind = join(join(kind_of(x), kind_of(y)), "float")  # type: ignore[arg-type]
    return typed(calculation.of_two(t, node, "**", x, y, kind), kind)


def _of_math(function: Callable[..., Any], of_values: Callable[[Value], Value]) -> None:
    @builtin(function, f"math.{function.__name__}", 1)
    def _(t: Translator, node: ast.Call, x: Any) -> Any:
        operand = t.number(x, node, f"the operand of math.{function.__name__}")
        if not isinstance(operand, Value):
            return t.fold(node, function, operand)
        kind = scalar_kind(t, node, operand)
        strong = isinstance(kind, DType) and kind.is_float
        return typed(of_values(calculation.floating(t, operand)), kind if strong else "float")


for _function, _of_values in calculation.OF_ONE.items():
    _of_math(_function, _of_values)
