"""Complex numbers of a kernel: two floats each, and arithmetic by its schoolbook rules."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.calculation import LARGEST_POWER, root
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Complex

OfNumbers = Callable[[ast.operator, Any, Any], Any]
"""An operator on two real numbers."""


def as_complex(x: Any) -> Complex:
    """A number as a complex one.

    >>> as_complex(2), as_complex(1 - 3j)
    (Complex(real=2, imag=0.0), Complex(real=1.0, imag=-3.0))
    """
    if isinstance(x, Complex):
        return x
    return Complex(x.real, x.imag) if isinstance(x, complex) else Complex(x, 0.0)


def of_two(t: Translator, node: ast.AST, op: ast.operator, left: Any, right: Any, of_numbers: OfNumbers) -> Complex:
    """An operator on two numbers of which one is complex."""
    if isinstance(op, ast.Pow):
        if not isinstance(right, int) or not 1 <= right <= LARGEST_POWER:
            raise t.error(node, f"a complex number to the power {describe(right)}; expected 1 … {LARGEST_POWER}")
        result = base = as_complex(left)
        for _ in range(right - 1):
            result = of_two(t, node, ast.Mult(), result, base, of_numbers)
        return result
    for operand in (left, right):
        if not isinstance(operand, Complex):
            t.number(operand, node, "an operand")
    x, y = as_complex(left), as_complex(right)

    def of(sign: ast.operator, first: Any, second: Any) -> Any:
        return t.kept(of_numbers(sign, first, second))

    add, subtract, times, over = ast.Add(), ast.Sub(), ast.Mult(), ast.Div()
    if isinstance(op, ast.Add | ast.Sub):
        return Complex(of(op, x.real, y.real), of(op, x.imag, y.imag))
    if isinstance(op, ast.Mult):
        return Complex(
            of(subtract, of(times, x.real, y.real), of(times, x.imag, y.imag)),
            of(add, of(times, x.real, y.imag), of(times, x.imag, y.real)),
        )
    if isinstance(op, ast.Div):
        size = of(add, of(times, y.real, y.real), of(times, y.imag, y.imag))
        turned = of_two(t, node, times, x, Complex(y.real, of(subtract, 0.0, y.imag)), of_numbers)
        return Complex(of(over, turned.real, size), of(over, turned.imag, size))
    raise t.error(node, "complex numbers are added, subtracted, multiplied, divided, and raised to known powers")


def size_of(t: Translator, z: Complex, of_numbers: OfNumbers) -> Any:
    """The absolute value."""
    square = of_numbers(ast.Add(), of_numbers(ast.Mult(), z.real, z.real), of_numbers(ast.Mult(), z.imag, z.imag))
    return root(square) if isinstance(square, Value) else square**0.5
