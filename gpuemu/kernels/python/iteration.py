"""For loops: over a range, a tuple, an array, and enumerate and zip of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.expressions import evaluate
from gpuemu.kernels.python.indexing import picked
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, arithmetic, as_type, kind_of, meeting, settled, typed


@dataclass(frozen=True, slots=True)
class Items:
    """What a for goes over: how many items there are, and the item of a number from 0 on.

    Attributes
    ----------
    start
        Where the item of the counter's number is the counter itself, from which number it counts; else None.
    """

    count: Any
    item: Callable[[Value], Any]
    start: Any = None


def items(t: Translator, node: ast.expr) -> Items:
    """What an expression after `in` stands for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        meaning = _CALLS.get(t.read(node.func.id, node.func))
        if meaning is not None:
            return meaning(t, node)
    operand = t.kept(evaluate(t, node))
    if isinstance(operand, tuple):
        return Items(len(operand), lambda counter: _chosen(t, node, operand, counter))
    if isinstance(operand, Array) and operand.shape:
        return Items(operand.shape[0], lambda counter: _row(t, node, operand, counter))
    raise t.error(node, f"a kernel's for goes over a range, an array or a tuple; got {describe(operand)}")


def _row(t: Translator, node: ast.expr, array: Array, counter: Value) -> Any:
    place = picked(t, node, array, [counter])
    return place if place.shape else place.memory.load(place.offset)


def _chosen(t: Translator, node: ast.expr, parts: tuple[Any, ...], counter: Value) -> Any:
    """The part of a tuple that the counter's number means: one choice after the other."""
    if parts and all(isinstance(part, tuple) and len(part) == len(parts[0]) for part in parts):
        return tuple(_chosen(t, node, column, counter) for column in zip(*parts, strict=True))
    for part in parts:
        t.number(part, node, "an item of the tuple")
    kind = meeting(*parts)
    values = [as_type(t.k, part, settled(kind)) for part in parts]
    found = values[-1]
    for number, value in reversed(list(enumerate(values[:-1]))):
        found = t.k.where(counter.eq(number), value, found)
    return typed(found, kind)


def _enumerate(t: Translator, node: ast.Call) -> Items:
    if not 1 <= len(node.args) <= 2 or node.keywords:
        raise t.error(node, f"enumerate takes what it counts, and where it starts; got {len(node.args)} arguments")
    inner = items(t, node.args[0])
    start = integer(t, node.args[1], "the start of enumerate") if len(node.args) == 2 else 0

    def item(counter: Value) -> Any:
        number = counter.cast(dtypes.int64) + as_type(t.k, start, dtypes.int64) if start != 0 else counter
        return number, inner.item(counter)

    return Items(inner.count, item)


def _zip(t: Translator, node: ast.Call) -> Items:
    if not node.args:
        raise t.error(node, "zip of nothing")
    parts = [items(t, part) for part in node.args]
    count = parts[0].count
    for part in parts[1:]:
        if isinstance(count, Value) or isinstance(part.count, Value):
            count = t.k.minimum(*(as_type(t.k, x, dtypes.int64) for x in (count, part.count)))
        else:
            count = min(count, part.count)
    return Items(count, lambda counter: tuple(part.item(counter) for part in parts))


def integer(t: Translator, node: ast.expr, what: str) -> Any:
    """An integer, known or of each lane."""
    operand = t.kept(evaluate(t, node))
    kind = kind_of(operand)
    if kind != "integer" and not (isinstance(kind, DType) and kind.is_integer):
        hint = "; // divides integers into an integer" if isinstance(operand, Value | float) else ""
        raise t.error(node, f"{what} is {describe(operand)}; expected an integer{hint}")
    return operand


def _range(t: Translator, call: ast.Call) -> Items:
    if not 1 <= len(call.args) <= 3 or call.keywords:
        raise t.error(call, f"range takes one to three integers; got {len(call.args)}")
    bounds = [integer(t, part, "a bound of range") for part in call.args]
    start, end, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    dtype = _counter_type(start, end, step)
    if isinstance(step, int):
        if step == 0:
            raise t.error(call, "range with a step of 0 never ends")
        trips = _trips(t, start, end, step, dtype)
    else:
        upwards = as_type(t.k, step, dtype) > 0
        trips = t.k.where(upwards, _trips(t, start, end, step, dtype), _trips(t, end, start, -step, dtype))
    plain = isinstance(step, int) and step == 1
    return Items(
        as_type(t.k, end, dtype) if plain else trips,
        lambda counter: _at(t, start, step, counter, dtype),
        as_type(t.k, start, dtype) if plain else None,
    )


def _counter_type(*bounds: Any) -> DType:
    """int32 where the bounds are, or fit."""
    kinds = [kind_of(bound) for bound in bounds]
    fits = all(isinstance(b, Value) or -(2**31) <= b < 2**31 for b in bounds)
    typed = [kind for kind in kinds if isinstance(kind, DType)]
    found: Any = dtypes.int32
    for kind in typed:
        found = found if kind == dtypes.int32 else arithmetic(found, kind)
    return found if fits and found.is_integer else dtypes.int64


def _trips(t: Translator, start: Any, end: Any, step: Any, dtype: DType) -> Value:
    """How often a range steps: the distance by the step, rounded up; below 1 for none."""
    if isinstance(step, int) and step < 0:
        return _trips(t, end, start, -step, dtype)
    first, last, size = (as_type(t.k, x, dtype) for x in (start, end, step))
    return t.k.alu(BinaryOps.DIV, last - first + (size - 1), size)


def _at(t: Translator, start: Any, step: Any, counter: Value, dtype: DType) -> Value:
    first, size = (as_type(t.k, x, dtype) for x in (start, step))
    value = first + counter.cast(dtype) * size
    value.nonnegative = value.nonnegative or (
        isinstance(start, int) and isinstance(step, int) and min(start, step) >= 0
    )
    return value


_CALLS: dict[Any, Callable[[Translator, ast.Call], Items]] = {range: _range, enumerate: _enumerate, zip: _zip}
