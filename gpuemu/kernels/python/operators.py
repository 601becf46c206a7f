"""Operators of a kernel: what they make of operands that are known, and of values of each lane."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from gpuemu import dtypes
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python import calculation, complex_numbers
from gpuemu.kernels.python.translator import Translator
from gpuemu.kernels.python.types import Complex, arithmetic, as_type, holds, kind_of, meeting, settled, typed

_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
}


def binary(t: Translator, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
    """An operator on two operands."""
    if type(op) not in _OPERATORS:
        raise t.error(node, "@ multiplies whole matrices; a lane computes one element of the product in a loop")
    sign, of_python = _OPERATORS[type(op)]
    if isinstance(left, tuple) and isinstance(right, tuple) and sign == "+":
        return left + right
    if isinstance(left, Complex) or isinstance(right, Complex):
        return complex_numbers.of_two(t, node, op, left, right, lambda o, x, y: binary(t, node, o, x, y))
    for operand in (left, right):
        t.number(operand, node, f"an operand of {sign}")
    t.at(node)
    if not isinstance(left, Value) and not isinstance(right, Value):
        return t.fold(node, of_python, left, right)
    kind = _kind_of_result(sign, _kind(left), _kind(right))
    result = calculation.of_two(t, node, sign, left, right, kind)
    return typed(result, kind if settled(kind).is_float else "float")


def _kind_of_result(sign: str, left: Any, right: Any) -> Any:
    if sign in ("&", "|", "^") and left == right == dtypes.bool:
        return dtypes.bool
    return arithmetic(left, right)


def _kind(x: Any) -> Any:
    return kind_of(x)


def unary(t: Translator, node: ast.UnaryOp, operand: Any) -> Any:
    """A sign, ``not`` or ``~`` before an operand."""
    if isinstance(node.op, ast.Not):
        condition = t.truth(operand, node)
        return -condition if isinstance(condition, Value) else not condition
    if isinstance(operand, Complex) and isinstance(node.op, ast.USub):
        return binary(t, node, ast.Sub(), Complex(0.0, 0.0), operand)
    t.number(operand, node, "an operand")
    if not isinstance(operand, Value):
        signs: dict[type, Callable[[Any], Any]] = {
            ast.USub: operator.neg,
            ast.UAdd: operator.pos,
            ast.Invert: operator.invert,
        }
        return t.fold(node, signs[type(node.op)], operand)
    if isinstance(node.op, ast.Invert):
        if operand.dtype.is_float:
            raise t.error(node, f"~ of {operand.dtype}; it inverts the bits of an integer")
        return ~operand.cast(settled(arithmetic(operand.dtype, operand.dtype)))
    kind = arithmetic(_kind(operand), _kind(operand))
    if not settled(kind).is_float:
        operand = operand.cast(settled(kind))
    return operand if isinstance(node.op, ast.UAdd) else typed(-operand, kind)


def compared(t: Translator, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
    """A comparison of two operands."""
    if type(op) not in _COMPARISONS:
        word = {"Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in"}[type(op).__name__]
        raise t.error(node, f"`{word}` cannot be translated; compare numbers with == or <")
    sign, of_python = _COMPARISONS[type(op)]
    for operand in (left, right):
        t.number(operand, node, f"an operand of {sign}")
    if not isinstance(left, Value) and not isinstance(right, Value):
        return of_python(left, right)
    for value, number in ((left, right), (right, left)):
        integers = isinstance(value, Value) and isinstance(number, int) and value.dtype.is_integer
        if integers and not holds(value.dtype, number):  # it lies beyond all that the other can be
            return of_python(0, number) if value is left else of_python(number, 0)
    dtype = settled(meeting(left, right))
    return calculation.compare(sign, as_type(t.k, left, dtype), as_type(t.k, right, dtype))


def both(left: Any, right: Any) -> Any:
    """Whether two comparisons hold."""
    if isinstance(left, Value) and isinstance(right, Value):
        return left & right
    known, other = (right, left) if isinstance(left, Value) else (left, right)
    return other if known else False


def choose(t: Translator, node: ast.AST, condition: Value, yes: Any, no: Any) -> Any:
    """One of two numbers in each lane, both of which are computed."""
    for operand in (yes, no):
        t.number(operand, node, "a choice")
    kind = meeting(yes, no)
    dtype = settled(kind)
    return typed(t.k.where(condition, as_type(t.k, yes, dtype), as_type(t.k, no, dtype)), kind)
