"""Elements, rows and parts of arrays: from indices to an index into memory, by the strides of the array's view."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.outside import code
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, as_type, kind_of


@dataclass(frozen=True, slots=True)
class Cut:
    """A slice of an axis: where it starts, how many elements it has, and the step between them."""

    start: Any
    size: Any
    step: int


def picked(t: Translator, node: ast.AST, array: Array, operands: list[Any]) -> Array:
    """The element, or the smaller array, at some indices; None for a whole axis, a `Cut` for a part of one."""
    if len(operands) > len(array.shape):
        raise t.error(node, f"{len(operands)} indices into {array.name}, which has {len(array.shape)} axes")
    operands = [_index(t, node, array, axis, operand) for axis, operand in enumerate(operands)]
    operands += [None] * (len(array.shape) - len(operands))
    t.at(node)
    offset = _offset(t, array, operands)
    kept = [axis for axis, operand in enumerate(operands) if operand is None or isinstance(operand, Cut)]
    shape, strides = list(array.shape), list(array.strides)
    for axis, operand in enumerate(operands):
        if isinstance(operand, Cut):
            shape[axis], strides[axis] = operand.size, strides[axis] * operand.step
    part = array.is_part or any(isinstance(operand, Cut) for operand in operands)
    return Array(
        array.name,
        array.memory,
        tuple(shape[a] for a in kept),
        tuple(strides[a] for a in kept),
        offset,
        array.writable,
        part,
    )


def _index(t: Translator, node: ast.AST, array: Array, axis: int, operand: Any) -> Any:
    """An index that is checked; a number below 0 counts from the end, as in Python."""
    if operand is None or isinstance(operand, Cut):
        return operand
    kind = kind_of(operand)
    if kind != "integer" and not (isinstance(kind, DType) and not kind.is_float):
        hint = "; // divides integers into an integer" if isinstance(operand, Value | float) else ""
        raise t.error(node, f"index {axis} of {array.name} is {describe(operand)}; expected an integer{hint}")
    size = array.shape[axis]
    if isinstance(operand, int) and operand < 0:
        if isinstance(size, Value):
            return size + operand
        if size + operand < 0:
            raise t.error(node, f"index {axis} of {array.name} is {operand}, and that axis has {size} elements")
        return size + operand
    return operand


def cut(t: Translator, node: ast.Slice, size: Any, lower: Any, upper: Any, step: Any) -> Cut:
    """A slice as Python means it: bounds below 0 count from the end, and those beyond an end stop there."""
    for bound in (lower, upper, step):
        kind = kind_of(bound)
        if bound is not None and kind != "integer" and not (isinstance(kind, DType) and kind.is_integer):
            raise t.error(node, f"a bound of a slice is {describe(bound)}; expected an integer")
    if isinstance(step, Value) or step == 0:
        raise t.error(node, f"the step of a slice is {describe(step)}; expected a number, not 0, that is written out")
    step = 1 if step is None else step
    if not any(isinstance(bound, Value) for bound in (lower, upper, size)):
        found = range(size)[slice(lower, upper, step)]
        return Cut(found.start, len(found), step)
    if step < 0:
        raise t.error(node, "a slice whose bounds are values steps forwards; take it forwards and index from its end")
    length = as_type(t.k, size, dtypes.int64)
    start, end = (_inside(t, bound, length, default) for bound, default in ((lower, 0), (upper, length)))
    count = t.k.maximum(end - start, t.k.const(0, dtypes.int64))
    return Cut(start, (count + (step - 1)) // step if step > 1 else count, step)


def _inside(t: Translator, bound: Any, length: Value, default: Any) -> Value:
    """A bound of a slice from 0 to the length."""
    zero = t.k.const(0, dtypes.int64)
    place = as_type(t.k, default if bound is None else bound, dtypes.int64)
    if bound is None:
        return place
    if not place.nonnegative:
        place = t.k.maximum(t.k.where(place < 0, place + length, place), zero)
        place.nonnegative = True
    return t.k.minimum(place, length)


def _offset(t: Translator, array: Array, operands: list[Any]) -> Any:
    """The index of an element in memory; where an index leaves its axis, one that no memory has and that says so."""
    outside = [] if array.is_whole else _outside(t, array, operands)
    starts = [operand.start if isinstance(operand, Cut) else operand for operand in operands]
    terms = [(index, step) for index, step in zip(starts, array.strides, strict=True) if index is not None]
    values = [index for index, _ in terms if isinstance(index, Value)]
    values += [array.offset] if isinstance(array.offset, Value) else []
    wide = bool(outside) or any(v.dtype.itemsize == 8 or v.dtype.kind == "unsigned" for v in values)
    dtype = dtypes.int64 if wide else dtypes.int32
    constant = sum(index * step for index, step in terms if not isinstance(index, Value))
    total: Any = None
    for index, step in ((index, step) for index, step in terms if isinstance(index, Value)):
        term = index.cast(dtype) * step if step != 1 else index.cast(dtype)
        total = term if total is None else total + term
    if isinstance(array.offset, Value):
        total = array.offset.cast(dtype) if total is None else total + array.offset.cast(dtype)
    else:
        constant += array.offset
    flat = constant if total is None else total + constant if constant else total
    for condition, elsewhere in reversed(outside):
        flat = t.k.where(condition, as_type(t.k, elsewhere, dtype), as_type(t.k, flat, dtype))
    return flat


def _outside(t: Translator, array: Array, operands: list[Any]) -> list[tuple[Value, Any]]:
    """For each index that may leave its axis: whether it does, and the index into memory that says so."""
    found = []
    for axis, (index, size) in enumerate(zip(operands, array.shape, strict=True)):
        if index is None or isinstance(index, Cut):
            continue
        value = index if isinstance(index, Value) else t.k.const(int(index), dtypes.int64)
        below = not value.nonnegative
        above = isinstance(size, Value) or value.most is None or value.most >= size
        conditions = ([value.cast(dtypes.int64) < 0] if below and value.dtype.kind == "signed" else []) + (
            [value.cast(dtypes.int64) >= size] if above else []
        )
        if conditions:
            condition = conditions[0] | conditions[1] if len(conditions) > 1 else conditions[0]
            known = 0 if isinstance(size, Value) else size
            found.append((condition, value.cast(dtypes.int64) & 0xFFFFFFFF | code(axis, known)))
    return found
