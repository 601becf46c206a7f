"""The number formats that tensor cores read and write, and exact conversion to and from float64.

Every format here fits into float64 without rounding, and so does the product of two numbers of a format of at most
26 significant bits. The arithmetic of the units works on float64 arrays for that reason.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from gpuemu.errors import UnitError

LONGEST_NAME = 200
"""Characters of a name that is looked up; no name here is half as long, and finding its neighbours takes time."""
Floats: TypeAlias = NDArray[np.float64]
Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Format:
    """A floating-point format: its significant bits, its least normal exponent, and the numpy type that stores it."""

    name: str
    precision: int
    """Significant bits, the hidden one included."""
    least_exponent: int
    """The exponent of the least normal number; subnormal numbers share it."""
    storage: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class IntegerFormat:
    """An integer format: its range, and the numpy type that stores it."""

    name: str
    least: int
    greatest: int
    storage: np.dtype[Any]


def _float_formats() -> tuple[Format, ...]:
    # e4m3fn, e5m2: OCP 8-bit floating point specification. The fnuz types (AMD CDNA3) have a bias greater by one.
    return (
        Format("fp16", 11, -14, np.dtype(np.float16)),
        Format("bf16", 8, -126, np.dtype(ml_dtypes.bfloat16)),
        Format("tf32", 11, -126, np.dtype(np.float32)),  # stored as float32; the unit reads 19 of the 32 bits
        Format("e4m3", 4, -6, np.dtype(ml_dtypes.float8_e4m3fn)),
        Format("e5m2", 3, -14, np.dtype(ml_dtypes.float8_e5m2)),
        Format("e4m3fnuz", 4, -7, np.dtype(ml_dtypes.float8_e4m3fnuz)),
        Format("e5m2fnuz", 3, -15, np.dtype(ml_dtypes.float8_e5m2fnuz)),
        Format("e2m1", 2, 0, np.dtype(ml_dtypes.float4_e2m1fn)),  # the three narrow OCP MX types, one number an element
        Format("e2m3", 4, 0, np.dtype(ml_dtypes.float6_e2m3fn)),
        Format("e3m2", 3, -2, np.dtype(ml_dtypes.float6_e3m2fn)),
        Format("fp32", 24, -126, np.dtype(np.float32)),
        Format("fp64", 53, -1022, np.dtype(np.float64)),
    )


FLOATS = {one.name: one for one in _float_formats()}
INTEGERS = {
    one.name: one
    for one in (
        IntegerFormat("int8", -128, 127, np.dtype(np.int8)),
        IntegerFormat("uint8", 0, 255, np.dtype(np.uint8)),
        IntegerFormat("int4", -8, 7, np.dtype(np.int8)),  # one number an element, not packed
        IntegerFormat("uint4", 0, 15, np.dtype(np.uint8)),
        IntegerFormat("b1", 0, 1, np.dtype(np.uint8)),
        IntegerFormat("int32", -(2**31), 2**31 - 1, np.dtype(np.int32)),
    )
}
SCALES = {
    one.name: one
    for one in (
        Format("ue8m0", 1, -127, np.dtype(ml_dtypes.float8_e8m0fnu)),  # powers of two, and NaN
        Format("ue4m3", 4, -6, np.dtype(ml_dtypes.float8_e4m3fn)),  # its sign bit is not used
    )
}
"""The types of block scales (OCP Microscaling Formats 1.0; PTX ISA, "Block scaling"): none is negative."""
SCALED = Format("scaled", 8, -1022, np.dtype(np.float64))
"""A factor times its scale: 4 significant bits beside a ue8m0, which has 1; 2 beside a ue4m3, which has 4."""
_ALIASES = {
    "half": "fp16",
    "float16": "fp16",
    "f16": "fp16",
    "bfloat16": "bf16",
    "xf32": "tf32",  # AMD's name; the same 19 bits
    "float": "fp32",
    "float32": "fp32",
    "f32": "fp32",
    "double": "fp64",
    "float64": "fp64",
    "f64": "fp64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
    "float4_e2m1fn": "e2m1",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "s8": "int8",
    "u8": "uint8",
    "s4": "int4",
    "u4": "uint4",
    "s32": "int32",
    "int": "int32",
}


def nearest(name: str, known: list[str]) -> str:
    """A hint that names the known text nearest to `name`, or all of them.

    >>> nearest("A10", ["A100", "V100"])
    "did you mean 'A100'?"
    """
    by_lower = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower()[:LONGEST_NAME], list(by_lower), n=1)
    return f"did you mean {by_lower[close[0]]!r}?" if close else f"known: {', '.join(known)}"


def format_of(dtype: object) -> Format | IntegerFormat:
    """The format that a text, a gpuemu dtype or a numpy dtype means.

    >>> format_of("half").name, format_of(np.float32).name, format_of(np.dtype("int8")).name
    ('fp16', 'fp32', 'int8')

    Raises
    ------
    UnitError
        no such format
    """
    if isinstance(dtype, Format | IntegerFormat):
        return dtype
    if isinstance(dtype, type):
        dtype = np.dtype(dtype)
    name = dtype if isinstance(dtype, str) else str(getattr(dtype, "name", dtype))
    name = _ALIASES.get(name, name)
    found = FLOATS.get(name) or INTEGERS.get(name)
    if found is None:
        raise UnitError(f"dtype {name!r}: no number format of tensor cores; {nearest(name, [*FLOATS, *INTEGERS])}")
    return found


def read(operand: str, values: object, fmt: Format | IntegerFormat) -> Floats:
    """`values` as float64, to the bit; tf32 is cut to its 10 fraction bits, as the units do.

    Parameters
    ----------
    operand : the name to use in an error: "a", "b" or "c"
    values : array of any type that holds numbers of the format exactly
    fmt : the format that the numbers are in

    Raises
    ------
    UnitError
        a value is no number of the format

    >>> read("a", [1.0, 0.5], FLOATS["fp16"])
    array([1. , 0.5])
    >>> read("a", [0.1], FLOATS["fp16"])
    Traceback (most recent call last):
    gpuemu.errors.UnitError: a: 0.1 is no fp16 number; round the values first: a.astype('float16')
    """
    given = np.asarray(values)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
        wide = np.asarray(given, dtype=np.float64)
    if given.dtype != fmt.storage or isinstance(fmt, IntegerFormat):
        _check_holds(operand, wide, fmt)
    return _cut_to_tf32(wide) if fmt.name == "tf32" else wide


def read_scales(operand: str, values: object, name: str) -> Floats:
    """Block scales as float64, to the bit.

    Raises
    ------
    UnitError
        a value is no scale of that type

    >>> read_scales("scale_a", [0.5, 4.0], "ue8m0")
    array([0.5, 4. ])
    >>> read_scales("scale_a", [0.0], "ue8m0")
    Traceback (most recent call last):
    gpuemu.errors.UnitError: scale_a: 0.0 is no ue8m0 number; round the values first: scale_a.astype('float8_e8m0fnu')
    """
    wide = read(operand, values, SCALES[name])
    if (wide < 0).any():
        raise UnitError(f"{operand}: {wide[wide < 0].flat[0]} is negative; a scale of type {name} has no sign")
    return wide


def _check_holds(operand: str, wide: Floats, fmt: Format | IntegerFormat) -> None:
    if isinstance(fmt, IntegerFormat):
        wrong = ~((wide >= fmt.least) & (wide <= fmt.greatest) & (np.trunc(wide) == wide))
        hint = f"expected whole numbers from {fmt.least} to {fmt.greatest}"
    else:
        with np.errstate(all="ignore"):
            back = wide.astype(fmt.storage).astype(np.float64)
        wrong = (back != wide) & ~np.isnan(wide)
        hint = f"round the values first: {operand}.astype({fmt.storage.name!r})"
    if wrong.any():
        raise UnitError(f"{operand}: {wide[wrong].flat[0]} is no {fmt.name} number; {hint}")


def _cut_to_tf32(wide: Floats) -> Floats:
    kept = (wide.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF_E000)).view(np.float32).astype(np.float64)
    return np.where(np.isnan(wide), wide, kept)  # a NaN may keep its payload in the bits that are cut


def round_to_odd(rounded: Floats, rest: Floats) -> Floats:
    """The sum `rounded + rest`, where `rounded` is that sum to the nearest float64, with the last bit set if inexact.

    Rounding that to a format of at most 51 significant bits gives what one rounding of the exact sum gives
    (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE Trans. Computers 57(4), 2008).
    """
    move = (rest != 0) & (rounded.view(np.int64) & 1 == 0)
    return np.where(move, np.nextafter(rounded, np.where(rest > 0, np.inf, -np.inf)), rounded)


def round_to_nearest(values: Floats, fmt: Format) -> Floats:
    """`values` rounded once to the format, ties to even, overflow to infinity; still as float64.

    >>> round_to_nearest(np.array([2049.0, 65520.0]), FLOATS["fp16"])
    array([2048.,   inf])
    """
    with np.errstate(all="ignore"):
        if fmt.name == "bf16":  # by way of float32, rounded to odd so that the two roundings are as one
            single = values.astype(np.float32)
            rest = np.where(np.isfinite(single), values - single.astype(np.float64), 0.0)
            move = (rest != 0) & (single.view(np.int32) & 1 == 0)
            toward = np.where(rest > 0, np.float32(np.inf), np.float32(-np.inf))
            single = np.where(move, np.nextafter(single, toward), single)
            return np.asarray(single.astype(ml_dtypes.bfloat16).astype(np.float64))
        return values.astype(fmt.storage).astype(np.float64)
