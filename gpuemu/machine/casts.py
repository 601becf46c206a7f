"""Conversion between the types of values, and the same bits as another type."""

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from gpuemu.dtypes import DType

Array = npt.NDArray[Any]

WITHOUT_NAN = frozenset(
    np.dtype(t) for t in (ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn, ml_dtypes.float4_e2m1fn)
)
"""The types without NaN, which becomes 0 there, and without infinity, which becomes the largest number."""
NARROW = WITHOUT_NAN | frozenset(
    np.dtype(t)
    for t in (
        *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
        *(ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz),
    )
)
"""The types that ml_dtypes brings; it converts to them by way of float32, so a float64 must reach that unharmed."""


def is_float(dtype: "np.dtype[Any]") -> bool:
    """Whether a numpy dtype is one of our floating-point types.

    >>> is_float(np.dtype(ml_dtypes.bfloat16)), is_float(np.dtype(np.int32))
    (True, False)
    """
    return dtype.kind == "f" or dtype in NARROW


def convert(x: Array, dtype: "np.dtype[Any]") -> Array:
    """The values of `x` in another type.

    Float to float rounds once, to nearest even. Float to integer truncates, then wraps modulo 2ⁿ; nan and infinities
    give 0. Integer to integer wraps. Anything to bool is whether it is not 0.

    >>> convert(np.array([2.9, -2.9, 300.0, np.nan, np.inf]), np.dtype(np.uint8))
    array([  2, 254,  44,   0,   0], dtype=uint8)
    >>> convert(np.array([1 + 2**-8 + 2**-40]), np.dtype(ml_dtypes.bfloat16))  # above the tie, so it rounds up
    array([1.00781], dtype=bfloat16)
    """
    if x.dtype == dtype:
        return x
    if dtype == np.bool_:
        return np.not_equal(x, np.zeros((), x.dtype))
    if is_float(dtype):
        return _to_float(x, dtype)
    return _to_integer(x, dtype) if is_float(x.dtype) else x.astype(dtype)


def _to_float(x: Array, dtype: "np.dtype[Any]") -> Array:
    if dtype.itemsize > 2 or (dtype == np.float16 and x.dtype.itemsize < 8):
        return x.astype(dtype)  # numpy rounds these once
    if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
        x = _integer_to_odd_double(x)
    elif x.dtype.kind in "iu" and x.dtype.itemsize == 4:
        x = x.astype(np.float64)
    if x.dtype == np.float64 and dtype != np.float16:
        x = _double_to_odd_single(x)
    if dtype in WITHOUT_NAN and x.dtype not in WITHOUT_NAN and x.dtype.kind not in "iub":
        x = np.where(np.isnan(x), np.zeros((), x.dtype), x)
    return x.astype(dtype)


def _integer_to_odd_double(x: Array) -> Array:
    """A float64 that rounds to any narrower type as the integer does: the bits below the 53rd are or-ed into it."""
    low = x & x.dtype.type(0x7FF)
    kept = np.where(low != 0, (x - low) | x.dtype.type(0x800), x)
    small = (x >= -(2**53)) & (x <= 2**53) if x.dtype.kind == "i" else x <= x.dtype.type(2**53)
    return np.where(small, x, kept).astype(np.float64)


def _double_to_odd_single(x: Array) -> Array:
    """Round to odd: a float32 that rounds to any type of 22 or fewer bits of precision as the float64 does.

    Source of the method: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008.
    """
    single = x.astype(np.float32)
    back = single.astype(np.float64)
    too_far = np.abs(back) > np.abs(x)
    truncated = np.where(too_far, np.nextafter(single, np.float32(0)), single)
    inexact = (back != x) & np.isfinite(x)
    bits = truncated.view(np.uint32) | np.where(inexact, np.uint32(1), np.uint32(0))
    return np.where(inexact, bits.view(np.float32), single)


def _to_integer(x: Array, dtype: "np.dtype[Any]") -> Array:
    # float16 and narrower reach ±65504 or, as bfloat16 does, the range of float32; numpy truncates toward zero.
    wide = x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
    largest = np.abs(wide).max(initial=0)
    if largest < 2**63:  # false for nan too
        direct = dtype if dtype.itemsize == 4 and dtype.kind == "i" and largest < 2**31 else np.dtype(np.int64)
        return wide.astype(direct).astype(dtype)
    finite = np.where(np.isfinite(wide), wide, 0).astype(np.float64)
    wrapped = np.fmod(np.trunc(finite), 2.0**64)  # exact; multiples of 2048 where it is 2**63 or more
    small = np.abs(wrapped) < 2.0**63
    near = np.where(small, wrapped, 0).astype(np.int64).astype(np.uint64)
    far = np.where(small, 0, np.where(wrapped < 0, wrapped + 2.0**64, wrapped)).astype(np.uint64)
    return (near + far).astype(dtype)


def number_in(dtype: DType, value: Any) -> Any:
    """A Python number as one of a dtype: an integer wraps, a float rounds, and as an integer is truncated.

    >>> from gpuemu import dtypes
    >>> number_in(dtypes.uint8, -1), number_in(dtypes.half, 1 / 3), number_in(dtypes.int32, 2.9)
    (np.uint8(255), np.float16(0.3333), np.int32(2))
    """
    if not dtype.is_float and isinstance(value, float):
        value = int(value) if np.isfinite(value) else 0
    if dtype.is_integer:
        bits = 8 * dtype.numpy.itemsize
        value = int(value) % 2**bits
        return np.array(value, f"u{dtype.numpy.itemsize}").view(dtype.numpy)[()]
    if dtype.kind == "bool":
        return np.bool_(value != 0)
    with np.errstate(all="ignore"):
        return convert(_array_of(value), dtype.numpy)[0]


def _array_of(value: Any) -> Array:
    """A number in an array that holds it exactly, where there is one: a detour by float64 would round twice."""
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return np.array([value], np.uint64 if value >= 2**63 else np.int64)
    try:
        return np.array([float(value)])
    except OverflowError:  # an integer beyond float64
        return np.array([np.inf if value > 0 else -np.inf])


def bitcast(x: Array, dtype: "np.dtype[Any]") -> Array:
    """The same bits as another type of the same size.

    >>> bitcast(np.array([1.0], np.float32), np.dtype(np.uint32))
    array([1065353216], dtype=uint32)
    """
    return np.ascontiguousarray(x).view(dtype)
