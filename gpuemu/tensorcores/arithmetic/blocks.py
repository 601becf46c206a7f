"""NVIDIA's way to add: a block of products and one addend, aligned, truncated, summed, and rounded once.

Sources: Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 7:e330, 2021);
Khattak and Mikaitis, arXiv 2512.07004; Xie et al., "MMA-Sim", arXiv 2511.10909. `HalfPairs` is this project's own
result, worked out from the instructions that NVIDIA's assembler emits for fp8 on Hopper and Blackwell.
"""

from __future__ import annotations

import functools
import math
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuemu.tensorcores.arithmetic.formats import FLOATS, Floats, Format, round_to_nearest

NO_EXPONENT = -400
"""The exponent of zero: even with the greatest (127) below that of every product of two numbers (-252)."""

Exponents = NDArray[np.int16] | NDArray[np.int8]
Singles = NDArray[np.float32]


class Formats(NamedTuple):
    """The formats of a, b and of c and the result."""

    a: Format
    b: Format
    out: Format


@functools.cache
def _exponent_table(least: int) -> Exponents:
    """The exponent that each sign and biased exponent of a float64 means, indexed by the two as a signed number."""
    biased = np.arange(4096) & 0x7FF
    return np.where(biased == 0, NO_EXPONENT, np.maximum(biased - 1023, least)).astype(np.int16)


def exponents(values: Floats, least: int) -> Exponents:
    """The exponent of each value, not below `least`; `NO_EXPONENT` for zero. No value is a subnormal float64.

    >>> exponents(np.array([1.5, -0.25, 2.0**-20, 0.0]), least=-14).tolist()
    [0, -2, -14, -400]
    """
    return np.asarray(_exponent_table(least)[values.view(np.int64) >> 52])


_POWERS = np.concatenate([np.exp2(np.arange(1024.0)), [np.nan, np.nan], np.exp2(np.arange(-1022.0, 0.0))])
"""2^e at index e, negative ones counted from the end."""


def power_of_two(exponent: NDArray[Any]) -> Floats:
    """2 to each exponent from -1022 to 1023.

    >>> power_of_two(np.array([-1, 3])).tolist()
    [0.5, 8.0]
    """
    return np.asarray(_POWERS[exponent])


def cut_to_float32(values: Floats, fraction_bits: int) -> Floats:
    """`values` rounded toward zero to float32's range with so many fraction bits (23: float32 itself).

    >>> cut_to_float32(np.array([1 + 2.0**-23 + 2.0**-24, 2.0**-150, 2.0**128]), 23).tolist()
    [1.0000001192092896, 0.0, inf]
    """
    kept = (values.view(np.int64) & np.int64(-(1 << (52 - fraction_bits)))).view(np.float64)
    size = np.abs(values)
    if size.min() < 2.0**-126:  # subnormal: a fixed last place
        last_place = 2.0 ** (-126 - fraction_bits)
        kept = np.where(size < 2.0**-126, np.trunc(values / last_place) * last_place, kept)
    if size.max() >= 2.0**128:
        kept = np.where(size >= 2.0**128, np.copysign(np.inf, values), kept)
    return kept


class Aligned(NamedTuple):
    """A block on its common scale: whole numbers, of which `per_unit` make 1."""

    products: Floats
    addend: Floats
    per_unit: Floats
    """2^(F − emax), a power of two."""


def align(a: Floats, b: Floats, c: Floats, of_products: Exponents, of_c: Exponents, fraction_bits: int) -> Aligned:
    """The products a[i]·b[i] and c, each truncated to a multiple of 2^(emax − F), as whole numbers of that unit.

    Parameters
    ----------
    a, b : shape (L, …), finite; they broadcast to (L, *c.shape)
    c : the addend, finite
    of_products, of_c : the exponents of the products (that of a plus that of b, not normalised) and of c
    fraction_bits : F

    >>> one = np.array([1.0])
    >>> exponent = exponents(one, -14)
    >>> align(one[None], 1.75 * one, 6 * one, exponent[None], exponent + np.int16(2), 2).products
    array([[1.]])
    """
    greatest = np.maximum(of_products.max(axis=0), of_c)
    per_unit = power_of_two(np.int16(fraction_bits) - greatest)
    products = a * b
    products *= per_unit
    return Aligned(np.trunc(products, out=products), np.trunc(c * per_unit), per_unit)


def any_special(*arrays: Floats) -> bool:
    """Is an infinity or a NaN among the values?"""
    return not all(np.isfinite(one).all() for one in arrays)


def ieee_sum(products: Floats, c: Floats) -> Floats:
    """Products and c added as IEEE 754 has it: infinite or NaN where the block's result is.

    What is finite beside an infinity does not matter, and the sum of finite products is finite in float64.
    """
    with np.errstate(all="ignore"):
        return np.asarray(products.sum(axis=0) + c)


def finite_or_zero(x: Floats) -> Floats:
    """The values, with 0 for infinities and NaN."""
    return np.where(np.isfinite(x), x, 0.0)


_SPECIAL = np.int8(127)
"""Stands for the exponent of an infinity or a NaN."""
_ZERO_NARROW = np.int8(-64)
"""Of a factor that is 0: a product with it is below every other, and a sum of two still fits."""
_LEAST_NARROW = np.int8(-28)
"""The exponent of the least product of two half numbers: each is a multiple of 2^-14 times its significand."""


def is_narrow(formats: Formats) -> bool:
    """Whether factors are half or fp8, and the result is float32."""
    return formats.out.name == "fp32" and min(formats.a.least_exponent, formats.b.least_exponent) >= -14


@functools.cache
def _narrow_tables(fmt: Format) -> tuple[Singles, Exponents]:
    """The value and the exponent of each pattern of bits of a type of 8 or 16; bytes, as products add them up."""
    size = fmt.storage.itemsize
    values = np.arange(256**size).astype(f"u{size}").view(fmt.storage).astype(np.float64)
    finite = np.isfinite(values)
    finite_values = np.where(finite, values, 0.0)
    of_values = np.where(finite, np.maximum(exponents(finite_values, fmt.least_exponent), _ZERO_NARROW), _SPECIAL)
    return finite_values.astype(np.float32), of_values.astype(np.int8)


def narrow(stored: NDArray[Any], fmt: Format) -> tuple[Singles, Exponents] | None:
    """Numbers of a type of 8 or 16 bits as float32, and their exponents; None where one is infinite or NaN.

    >>> values, of_values = narrow(np.array([1.5, 2.0**-24], np.float16), FLOATS["fp16"])
    >>> values.tolist(), of_values.tolist()
    ([1.5, 5.960464477539063e-08], [0, -14])
    """
    bits = stored.view(f"u{stored.itemsize}")
    value_of, exponent_of = _narrow_tables(fmt)
    values, of_values = value_of.take(bits), exponent_of.take(bits)
    return None if of_values.size and of_values.max() == _SPECIAL else (values, of_values)


class _Room(threading.local):
    """Room for the products of one block, kept from block to block: an allocator may give so much back each time.

    The pages that it then takes anew cost up to three times what the block's arithmetic does.
    """

    def __init__(self, kind: type[np.generic]) -> None:
        self._kept: NDArray[Any] = np.empty(0, kind)

    def of(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """An array of any content, until the next call."""
        size = math.prod(shape)
        if self._kept.size < size:
            self._kept = np.empty(size, self._kept.dtype)
        return self._kept[:size].reshape(shape)


_singles, _whole = _Room(np.float32), _Room(np.int32)


@dataclass(frozen=True, slots=True)
class FusedBlocks:
    """Blocks of up to `length` products in order of k; each takes the last one's result as its addend."""

    length: int
    """L: products a block."""
    fraction_bits: int
    """F: bits kept below the greatest exponent."""
    result_fraction_bits: int = 23
    """Of a float32 result: 23, or 13 for native fp8."""

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        if any_special(a, b):
            return self._accumulate_specials(a, b, c, formats)
        of_a, of_b = exponents(a, formats.a.least_exponent), exponents(b, formats.b.least_exponent)
        if is_narrow(formats):
            singles = (x.astype(np.float32) for x in (a, b, c))
            return self.accumulate_narrow(next(singles), of_a, next(singles), of_b, next(singles)).astype(np.float64)
        for start in range(0, len(a), self.length):
            part = slice(start, start + self.length)
            finite = np.isfinite(c)
            known = finite.all()
            regular = self.block(
                a[part], b[part], c if known else np.where(finite, c, 0.0), of_a[part] + of_b[part], formats.out
            )
            c = regular if known else np.where(finite, regular, c)  # finite products leave an infinite c as it is
        return c

    def block(self, a: Floats, b: Floats, c: Floats, of_products: Exponents, out: Format) -> Floats:
        """One block of finite numbers, with the exponents of its products."""
        aligned = align(a, b, c, of_products, exponents(c, out.least_exponent), self.fraction_bits)
        total = aligned.products.sum(axis=0)
        total += aligned.addend
        total += 0.0  # a sum of zeros is +0, whatever their signs
        total /= aligned.per_unit
        return self.finish(total, out)

    def accumulate_narrow(self, a: Singles, of_a: Exponents, b: Singles, of_b: Exponents, c: Singles) -> Singles:
        """As `accumulate`, in float32 and whole numbers, with the exponents of a and b given.

        The factors are finite half or fp8 numbers, whose products are exact in float32; the result is float32.
        """
        for start in range(0, len(a), self.length):
            part = slice(start, start + self.length)
            finite = np.isfinite(c)
            known = finite.all()
            addend = c if known else np.where(finite, c, np.float32(0))
            regular = self._block_narrow(a[part], b[part], addend, of_a[part] + of_b[part])
            c = regular if known else np.where(finite, regular, c)
        return c

    def _block_narrow(self, a: Singles, b: Singles, c: Singles, of_products: Exponents) -> Singles:
        """As `block`, for a float32 result. A cast to an integer truncates; the sum of the whole numbers is exact."""
        of_c = (((c.view(np.int32) >> 23) & 0xFF) - 127).astype(np.int8)  # of finite numbers: at most 127
        greatest = np.maximum(of_products.max(axis=0), of_c)
        nothing = greatest < _LEAST_NARROW  # the products are all 0, and c is the result
        any_nothing = nothing.any()
        if any_nothing:
            greatest = np.maximum(greatest, _LEAST_NARROW)
        scale = self.fraction_bits - greatest.astype(np.int32)
        per_unit = ((127 + scale) << 23).view(np.float32)
        shape = (len(a), *c.shape)
        products = np.multiply(a, b, out=_singles.of(shape))
        products *= per_unit
        truncated = _whole.of(shape)
        np.copyto(truncated, products, casting="unsafe")
        largest = self.length * 4 << self.fraction_bits  # a factor's significand is below 2
        whole = np.int32 if largest + (2 << self.fraction_bits) < 2**31 else np.int64
        total = np.add.reduce(truncated, axis=0, dtype=whole)
        total += (c * per_unit).astype(np.int32)
        exact = np.multiply(total, ((127 - scale) << 23).view(np.float32), dtype=np.float64)
        kept = (exact.view(np.int64) & np.int64(-(1 << (52 - self.result_fraction_bits)))).view(np.float64)
        if any_nothing:
            kept = np.where(nothing, cut_to_float32(c.astype(np.float64) + 0.0, self.result_fraction_bits), kept)
        single: Singles = kept.astype(np.float32)
        return single

    def finish(self, exact: Floats, out: Format) -> Floats:
        """The one rounding of an exact sum: toward zero for float32, to nearest even for half."""
        if out.name == "fp32":
            return cut_to_float32(exact, self.result_fraction_bits)
        return round_to_nearest(exact, out)

    def _accumulate_specials(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """Block by block, since what is infinite in one block stays so in the next."""
        for start in range(0, len(a), self.length):
            part = slice(start, start + self.length)
            with np.errstate(invalid="ignore"):
                special = ieee_sum(a[part] * b[part], c)
            finite = finite_or_zero(a[part]), finite_or_zero(b[part]), finite_or_zero(c)
            c = np.where(np.isfinite(special), self.accumulate(*finite, formats), special)
        return c


@dataclass(frozen=True, slots=True)
class HalfPairs:
    """fp8 by `mma.sync` on sm_90, sm_100, sm_103 and sm_110: two half HMMAs and an addition.

    There is no such unit. The assembler converts the low two bytes of each 4-byte register to half and runs an HMMA
    with addend 0; the high two bytes, with that result as addend; then it adds c, rounded to nearest even. All of it
    happens in the type of the result, so a half sum overflows before c is added.
    """

    inner: FusedBlocks
    instruction_k: int = 32

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        halves = Formats(FLOATS["fp16"], FLOATS["fp16"], formats.out)
        for start in range(0, len(a), self.instruction_k):
            part_a, part_b = a[start : start + self.instruction_k], b[start : start + self.instruction_k]
            low = np.arange(len(part_a)) % 4 < 2
            total = self.inner.accumulate(part_a[low], part_b[low], np.zeros_like(c), halves)
            total = self.inner.accumulate(part_a[~low], part_b[~low], total, halves)
            c = add_rounded(total, c, formats.out)
        return c


def add_rounded(x: Floats, y: Floats, out: Format) -> Floats:
    """x + y of two numbers of the format, rounded once to it.

    >>> add_rounded(np.array([2048.0]), np.array([1.0]), FLOATS["fp16"])
    array([2048.])
    """
    with np.errstate(all="ignore"):
        if out.name == "fp32":
            return (x.astype(np.float32) + y.astype(np.float32)).astype(np.float64)
        return round_to_nearest(x + y, out)  # the sum of two halves is exact in float64
