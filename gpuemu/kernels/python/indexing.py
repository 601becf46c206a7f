"""Elements and rows of arrays: from indices to an index into memory, by the strides of the array's view."""

from __future__ import annotations

import ast
from typing import Any

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.outside import code
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, as_type, kind_of


def picked(t: Translator, node: ast.AST, array: Array, operands: list[Any]) -> Array:
    """The element, or the smaller array, at some indices; None for a whole axis."""
    if len(operands) > len(array.shape):
        raise t.error(node, f"{len(operands)} indices into {array.name}, which has {len(array.shape)} axes")
    operands = operands + [None] * (len(array.shape) - len(operands))
    for axis, index in enumerate(operands):
        kind = kind_of(index)
        whole = kind == "integer" or (isinstance(kind, DType) and not kind.is_float)
        if index is not None and not whole:
            raise t.error(node, f"index {axis} of {array.name} is {describe(index)}; expected an integer")
        if isinstance(index, int) and index < 0:
            raise t.error(
                node, f"index {axis} of {array.name} is {index}: a negative index does not count from the end here"
            )
    t.at(node)
    offset = _offset(t, array, operands)
    kept = [axis for axis, index in enumerate(operands) if index is None]
    shape, strides = tuple(array.shape[a] for a in kept), tuple(array.strides[a] for a in kept)
    return Array(array.name, array.memory, shape, strides, offset, array.writable)


def _offset(t: Translator, array: Array, operands: list[Any]) -> Any:
    """The index of an element in memory; where an index leaves its axis, one that no memory has and that says so."""
    terms = [(index, step) for index, step in zip(operands, array.strides, strict=True) if index is not None]
    outside = [] if array.is_whole else _outside(t, array, operands)
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
        if index is None:
            continue
        value = index if isinstance(index, Value) else t.k.const(int(index), dtypes.int64)
        below, above = not value.nonnegative, value.most is None or value.most >= size
        conditions = ([value.cast(dtypes.int64) < 0] if below and value.dtype.kind == "signed" else []) + (
            [value.cast(dtypes.int64) >= size] if above else []
        )
        if conditions:
            condition = conditions[0] | conditions[1] if len(conditions) > 1 else conditions[0]
            found.append((condition, value.cast(dtypes.int64) & 0xFFFFFFFF | code(axis, size)))
    return found
