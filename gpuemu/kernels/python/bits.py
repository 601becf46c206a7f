"""Bits of integers in a kernel: counted, turned round, found. An integer has the bits of its type, 32 at least."""

from __future__ import annotations

import ast
from typing import Any

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.intrinsics import intrinsic
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import as_type, kind_of, settled

_PAIRS, _FOURS, _BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F


def _operand(t: Translator, node: ast.AST, x: Any) -> tuple[Value, int]:
    """An integer as unsigned bits, and how many they are."""
    kind = kind_of(x)
    dtype = settled(kind) if kind is not None else None
    if dtype is None or not (dtype.is_integer or dtype == dtypes.bool):
        raise t.error(node, f"the bits of {describe(x)}; expected an integer")
    wide = dtype.itemsize == 8
    return as_type(t.k, x, dtypes.uint64 if wide else dtypes.uint32), 64 if wide else 32


def _const(x: Value, number: int) -> Value:
    """A constant cut to the bits of a value."""
    return x.builder.const(number & (2 ** (8 * x.dtype.itemsize) - 1), x.dtype)


def _count(x: Value) -> Value:
    """How many bits are set: sums of two, of four, of eight bits, which one product adds up."""
    x = x - ((x >> 1) & _const(x, _PAIRS))
    x = (x & _const(x, _FOURS)) + ((x >> 2) & _const(x, _FOURS))
    x = (x + (x >> 4)) & _const(x, _BYTES)
    shift = 8 * (x.dtype.itemsize - 1)
    return ((x * _const(x, 0x0101010101010101)) >> shift).cast(dtypes.int32)


@intrinsic("cuda.popc", 1)
def popc(t: Translator, node: ast.Call, value: Any) -> Value:
    """How many bits are set."""
    return _count(_operand(t, node, value)[0])


@intrinsic("cuda.clz", 1)
def clz(t: Translator, node: ast.Call, value: Any) -> Value:
    """How many bits above the highest set one are 0."""
    x, bits = _operand(t, node, value)
    step = 1
    while step < bits:
        x = x | (x >> step)
        step *= 2
    return bits - _count(x)


@intrinsic("cuda.ffs", 1)
def ffs(t: Translator, node: ast.Call, value: Any) -> Value:
    """The place of the lowest set bit, counted from 1; 0 where none is set."""
    x, _ = _operand(t, node, value)
    place = _count((x - 1) & t.k.invert(x)) + 1
    return t.k.where(x.eq(0), t.k.const(0, dtypes.int32), place)


@intrinsic("cuda.brev", 1)
def brev(t: Translator, node: ast.Call, value: Any) -> Value:
    """The bits in the opposite order."""
    x, bits = _operand(t, node, value)
    step = 1
    for mask in (_PAIRS, _FOURS, _BYTES, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF):
        if step < bits:
            kept = _const(x, mask)
            x = ((x >> step) & kept) | ((x & kept) << step)
        step *= 2
    kind = kind_of(value)
    given = kind if isinstance(kind, DType) and kind.itemsize * 8 == bits else dtypes.int64
    return x.cast(given if bits == given.itemsize * 8 else dtypes.uint32)
