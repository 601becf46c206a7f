"""Expressions of a kernel: operands from a part of the syntax tree.

An operand is a number (known while translating), a value of each lane, an array, a tuple of operands, or a Python
object that the source names: a module, a function, a type.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import reduce
from types import ModuleType
from typing import Any

import numpy as np

from gpuemu import dtypes
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python import calculation
from gpuemu.kernels.python.hints import alike, uncallable, untranslatable
from gpuemu.kernels.python.indexing import cut, picked
from gpuemu.kernels.python.names import BUILTINS, Callee, Computed, Indexed, Namespace
from gpuemu.kernels.python.operators import binary, both, choose, compared, unary
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, Complex, is_type, settled, typed


def evaluate(t: Translator, node: ast.expr) -> Any:
    """The operand of an expression.

    Raises
    ------
    KernelError
        Which points to the part that cannot be translated.
    """
    t.at(node)
    translate = _TRANSLATE.get(type(node))
    if translate is None:
        words = _words(node)
        raise t.error(node, f"{words} cannot be translated; {untranslatable(words)}")
    return translate(t, node)


def _words(node: ast.AST) -> str:
    """A kind of expression in words."""
    names = {
        "ListComp": "a list comprehension",
        "List": "a list",
        "Dict": "a dict",
        "Set": "a set",
        "Lambda": "a lambda",
        "JoinedStr": "an f-string",
        "GeneratorExp": "a generator",
        "DictComp": "a dict comprehension",
        "Await": "await",
        "Yield": "yield",
        "Starred": "a star",
        "Slice": "a slice",
    }
    return names.get(type(node).__name__, type(node).__name__)


def _constant(t: Translator, node: ast.Constant) -> Any:
    if isinstance(node.value, complex):
        return Complex(node.value.real, node.value.imag)
    return node.value


def plain(x: Any) -> Any:
    """numpy's scalars as Python's."""
    return x.item() if isinstance(x, np.generic) else x


def _name(t: Translator, node: ast.Name) -> Any:
    return _global(t, node, t.read(node.id, node), node.id)


def _global(t: Translator, node: ast.AST, x: Any, name: str) -> Any:
    if isinstance(x, Computed):
        return x.operand(t)
    if isinstance(x, np.ndarray):
        raise t.error(
            node,
            f"{name} is an array outside the kernel; give it as an argument, or write cuda.const.array_like({name})",
        )
    if isinstance(x, list | dict | set):
        raise t.error(node, f"{name} is a {type(x).__name__} outside the kernel; give an array as an argument")
    return plain(x)


def outside(t: Translator, node: ast.expr) -> Any:
    """What an expression of names means in Python, an array too."""
    if isinstance(node, ast.Name):
        return t.read(node.id, node)
    if isinstance(node, ast.Attribute) and hasattr(base := outside(t, node.value), node.attr):
        return getattr(base, node.attr)
    return evaluate(t, node)


def _attribute(t: Translator, node: ast.Attribute) -> Any:
    base = evaluate(t, node.value)
    if isinstance(base, Array):
        return _of_array(t, node, base)
    if isinstance(base, Complex) and node.attr in ("real", "imag"):
        return base.real if node.attr == "real" else base.imag
    if isinstance(base, Namespace):
        try:
            return base.attribute(t, node.attr)
        except AttributeError:
            hint = alike(node.attr, dir(base), f"{ast.unparse(node.value)}.")
            raise t.error(node, f"there is no {ast.unparse(node)}{hint}") from None
    if isinstance(base, ModuleType | type):
        if not hasattr(base, node.attr):
            hint = alike(node.attr, dir(base), f"{ast.unparse(node.value)}.")
            raise t.error(node, f"there is no {ast.unparse(node)}{hint}")
        return _global(t, node, getattr(base, node.attr), ast.unparse(node))
    hint = "; a type casts a number, as in float32(x)" if isinstance(base, Value) else ""
    raise t.error(node, f".{node.attr} of {describe(base)}; expected an array, cuda or math before the dot{hint}")


def _of_array(t: Translator, node: ast.Attribute, array: Array) -> Any:
    match node.attr:
        case "shape":
            return array.shape
        case "size":
            return reduce(lambda x, y: binary(t, node, ast.Mult(), x, y), array.shape, 1)
        case "ndim":
            return len(array.shape)
        case "dtype":
            return array.dtype
        case "T":
            return Array(array.name, array.memory, array.shape[::-1], array.strides[::-1], array.offset, array.writable)
    raise t.error(node, f"{array.name}.{node.attr}: an array in a kernel has shape, size, ndim, dtype and T")


def _tuple(t: Translator, node: ast.Tuple) -> tuple[Any, ...]:
    return tuple(t.kept(evaluate(t, part)) for part in node.elts)


def _binary(t: Translator, node: ast.BinOp) -> Any:
    left = t.kept(evaluate(t, node.left)) if has_effects(node.right) else evaluate(t, node.left)
    return binary(t, node, node.op, left, evaluate(t, node.right))


def _unary(t: Translator, node: ast.UnaryOp) -> Any:
    return unary(t, node, evaluate(t, node.operand))


def _compare(t: Translator, node: ast.Compare) -> Any:
    """A chain of comparisons; each middle operand is computed once."""
    changes = any(has_effects(part) for part in node.comparators)
    left, result = evaluate(t, node.left), None
    for op, part in zip(node.ops, node.comparators, strict=True):
        left = t.kept(left) if changes else left
        right = evaluate(t, part)
        here = compared(t, node, op, left, right)
        result = here if result is None else both(result, here)
        left = right
    return result


def _bool_op(t: Translator, node: ast.BoolOp) -> Any:
    """``and`` and ``or``: the rest is computed by the lanes alone that need it."""
    first, *rest = node.values
    left = evaluate(t, first)
    if not rest:
        return left
    others = ast.copy_location(ast.BoolOp(node.op, rest), rest[0]) if len(rest) > 1 else rest[0]
    is_or = isinstance(node.op, ast.Or)
    condition = t.truth(left, first)
    if not isinstance(condition, Value):
        return left if condition == is_or else evaluate(t, others)
    if not has_effects(others):
        right = evaluate(t, others)
        t.number(right, others, "an operand of and, or")
        return choose(t, node, condition, left if is_or else right, right if is_or else left)
    left = t.kept(left)
    needed = t.kept(-condition if is_or else condition)
    return _in_lanes(t, node, needed, lambda: evaluate(t, others), lambda: left)


def _if_exp(t: Translator, node: ast.IfExp) -> Any:
    condition = t.truth(evaluate(t, node.test), node.test)
    if not isinstance(condition, Value):
        return evaluate(t, node.body if condition else node.orelse)
    if has_effects(node.body) or has_effects(node.orelse):
        condition = t.kept(condition)
        return _in_lanes(t, node, condition, lambda: evaluate(t, node.body), lambda: evaluate(t, node.orelse))
    return choose(t, node, condition, evaluate(t, node.body), evaluate(t, node.orelse))


def _in_lanes(t: Translator, node: ast.expr, condition: Value, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """A choice of which each lane computes its own side alone: a variable without a name, and an if."""
    name = f"choice at {node.lineno}:{node.col_offset}"
    t.scope.changing |= {name}
    known = t.kinds.get((t.scope.path, name))
    t.scope.variables[name] = t.k.variable(0, settled(known) if known else dtypes.int64)
    for lanes, side in ((condition, yes), (-condition, no)):
        with t.k.if_(lanes):
            operand = side()
            t.number(operand, node, "a choice")
            t.assign(name, operand, node)
    return t.kept(typed(t.scope.variables[name].value, t.kinds[t.scope.path, name]))


def has_effects(node: ast.expr) -> bool:
    """Whether computing an expression in a lane that does not need it could do harm: an access, a call, a division."""
    harmful = (ast.Subscript, ast.Call, ast.FloorDiv, ast.Mod, ast.NamedExpr)
    return any(isinstance(part, harmful) for part in ast.walk(node))


def _subscript(t: Translator, node: ast.Subscript) -> Any:
    base = evaluate(t, node.value)
    if isinstance(base, tuple):
        index = None if isinstance(node.slice, ast.Slice) else evaluate(t, node.slice)
        if not isinstance(index, int):
            return _of_tuple(t, node, base, index)
        return t.fold(node, operator.getitem, base, index) if -len(base) <= index < len(base) else _past(t, node, base)
    if isinstance(base, Indexed):
        return base.load(t, node, evaluate(t, node.slice))
    if not isinstance(base, Array):
        raise t.error(node, f"[…] of {describe(base)}; expected an array{_why_not_indexed(base)}")
    place = element(t, node, base)
    if place.shape:
        return place
    t.at(node)
    return place.memory.load(place.offset)


def _why_not_indexed(base: Any) -> str:
    if isinstance(base, Callee):
        return ": a kernel launches no kernel, it calls functions with @cuda.jit(device=True)"
    return "" if not isinstance(base, Value) else ": one number has no elements"


def _of_tuple(t: Translator, node: ast.Subscript, base: tuple[Any, ...], index: Any) -> Any:
    """The number of a tuple at an index of each lane: its numbers are constants in memory."""
    if isinstance(node.slice, ast.Slice):
        bounds = [None if part is None else evaluate(t, part) for part in (node.slice.lower, node.slice.upper)]
        if any(isinstance(bound, Value) for bound in bounds) or node.slice.step:
            raise t.error(node, "a part of a tuple is cut out by two numbers that are written out")
        return t.fold(node, lambda *between: base[slice(*between)], *bounds)
    if not base or not all(isinstance(x, bool | int | float) for x in base):
        raise t.error(
            node, "a tuple's index must be known while the kernel is translated, unless it holds known numbers"
        )
    whole = all(isinstance(x, int) for x in base)
    numbers = np.array(base, np.int64 if whole else np.float64)
    place = picked(t, node, t.constant(ast.unparse(node.value), numbers), [index])
    value = place.memory.load(place.offset)
    return value if whole else typed(value, "float")


def _past(t: Translator, node: ast.Subscript, base: tuple[Any, ...]) -> Any:
    has = f"of a tuple of {len(base)}; its indices are 0 … {len(base) - 1}" if base else "of a tuple without parts"
    raise t.error(node, f"{ast.unparse(node)} {has}")


def element(t: Translator, node: ast.Subscript, array: Array) -> Array:
    """The element, or the smaller array, that an index picks."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(parts) > len(array.shape):
        raise t.error(node, f"{len(parts)} indices into {array.name}, which has {len(array.shape)} axes")
    operands = [_part_of_axis(t, part, array, axis) for axis, part in enumerate(parts)]
    if len(operands) == 1 and isinstance(operands[0], tuple):
        operands = list(operands[0])
    return picked(t, node, array, operands)


def _part_of_axis(t: Translator, node: ast.expr, array: Array, axis: int) -> Any:
    """An index of an axis; None for all of it."""
    if not isinstance(node, ast.Slice):
        return evaluate(t, node)
    if not (node.lower or node.upper or node.step):
        return None
    bounds = [None if part is None else evaluate(t, part) for part in (node.lower, node.upper, node.step)]
    return cut(t, node, array.shape[axis], *bounds)


def _call(t: Translator, node: ast.Call) -> Any:
    function = evaluate(t, node.func)
    read = outside if getattr(function, "of_python", False) else evaluate
    arguments: list[Any] = []
    for part in node.args:
        if isinstance(part, ast.Starred):
            arguments += _parts(t, part)
        else:
            arguments.append(t.kept(read(t, part)))
    keywords = {part.arg or "": evaluate(t, part.value) for part in node.keywords}
    t.at(node)
    try:
        known = function if isinstance(function, Callee) else BUILTINS.get(function)
    except TypeError:
        known = None
    if known is not None:
        return known.call(t, node, arguments, keywords)
    if is_type(function):
        return calculation.conversion(t, node, function, arguments)
    text = ast.unparse(node.func)
    if isinstance(function, Value | int | float):
        raise t.error(node, f"{text} is a number; write it without the brackets behind it")
    raise t.error(node, uncallable(function, text))


def _parts(t: Translator, node: ast.Starred) -> tuple[Any, ...]:
    operand = t.kept(evaluate(t, node.value))
    if not isinstance(operand, tuple):
        raise t.error(node, f"a star before {describe(operand)}; expected a tuple, whose parts are the arguments")
    return operand


def _named(t: Translator, node: ast.NamedExpr) -> Any:
    operand = t.kept(evaluate(t, node.value))
    t.assign(node.target.id, operand, node)
    return operand


_TRANSLATE: dict[type[ast.expr], Callable[[Translator, Any], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _tuple,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.IfExp: _if_exp,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.NamedExpr: _named,
}
