"""Ways to add without a block: float32 in order, a chain of fused multiply-adds, one exact sum, integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gpuemu.tensorcores.arithmetic.blocks import Formats
from gpuemu.tensorcores.arithmetic.formats import SCALED, Floats, Format, round_to_nearest, round_to_odd


@dataclass(frozen=True, slots=True)
class Sequential:
    """Each product rounded to float32 and added in order of k in float32; half and bfloat16 are rounded at the end.

    With float64 on either side, both happen in float64.
    """

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        wide = "fp64" in (formats.a.name, formats.b.name, formats.out.name)
        kind = np.float64 if wide else np.float32
        with np.errstate(all="ignore"):
            total = c.astype(kind)
            # a factor times its scale may lie beyond float32, but in float64 the product of two is exact
            left, right = (x if formats.a is SCALED else x.astype(kind) for x in (a, b))
            for row, column in zip(left, right, strict=True):
                total = total + (row * column).astype(kind, copy=False)
            return round_to_nearest(total.astype(np.float64), formats.out)


@dataclass(frozen=True, slots=True)
class FmaChain:
    """A chain of fused multiply-adds in order of k: each rounds once, to nearest even, in the type of the result."""

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        fused = fma_float64 if formats.out.name == "fp64" else fma_float32
        for row, column in zip(a, b, strict=True):
            c = fused(*np.broadcast_arrays(row, column, c))
        return c


def two_sum(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """x + y as a float64 and its rounding error (Knuth; exact unless the sum overflows)."""
    total = x + y
    other = total - x
    return total, (x - (total - other)) + (y - other)


def fma_float32(a: Floats, b: Floats, c: Floats) -> Floats:
    """a·b + c of float32 numbers (held as float64), rounded once to float32.

    The product is exact in float64; the sum, rounded to odd, survives the second rounding.

    >>> fma_float32(*np.array([[1 + 2.0**-23], [1 - 2.0**-23], [-1.0]]))
    array([-1.42108547e-14])
    """
    with np.errstate(all="ignore"):
        total, rest = two_sum(a * b, c)
        total = np.where(np.isfinite(total), round_to_odd(total, rest), total)
        return total.astype(np.float32).astype(np.float64)


def fma_float64(a: Floats, b: Floats, c: Floats) -> Floats:
    """a·b + c rounded once to float64.

    Error-free transforms where nothing can overflow or underflow on the way (Boldo and Melquiond 2008), fractions
    elsewhere.

    >>> fma_float64(*np.array([[1 + 2.0**-52], [1 - 2.0**-52], [-1.0]]))
    array([-4.93038066e-32])
    """
    with np.errstate(all="ignore"):
        product = a * b
        sizes = np.abs(a), np.abs(b), np.abs(product), np.abs(c)
        zero = product == 0
        safe = (sizes[0] < 2.0**990) & (sizes[1] < 2.0**990) & (sizes[2] < 2.0**1020) & (sizes[3] < 2.0**1020)
        safe &= np.where(zero, (a == 0) | (b == 0), sizes[2] > 2.0**-960)
        below = _product_error(a, b, product)
        first, first_rest = two_sum(c, below)
        second, second_rest = two_sum(product, first)
        tail, tail_rest = two_sum(first_rest, second_rest)
        result = np.where(zero, product + c, second + round_to_odd(tail, tail_rest))
    for index in np.argwhere(~safe):
        at = tuple(index)
        result[at] = _fma_by_fractions(float(a[at]), float(b[at]), float(c[at]))
    return result


def _product_error(a: Floats, b: Floats, product: Floats) -> Floats:
    """a·b − product, exactly (Dekker), by halves of 26 bits each."""
    a_high, b_high = _high_half(a), _high_half(b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _high_half(x: Floats) -> Floats:
    scaled = x * (2.0**27 + 1)
    return scaled - (scaled - x)


def _fma_by_fractions(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        finite_product = math.isfinite(a) and math.isfinite(b)
        return c if finite_product else a * b + c  # a finite product cannot outweigh an infinite c
    return fraction_to_float(Fraction(a) * Fraction(b) + Fraction(c), zero=a * b + c)


def fraction_to_float(exact: Fraction, zero: float) -> float:
    """The float64 nearest to a fraction, ties to even, overflow to infinity; `zero` when it is 0.

    >>> fraction_to_float(Fraction(1, 3), 0.0), fraction_to_float(Fraction(-(10**400)), 0.0)
    (0.3333333333333333, -inf)
    """
    if exact == 0:
        return zero
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@dataclass(frozen=True, slots=True)
class Exact:
    """The exact sum of all products and c, rounded once to nearest even: the reference to hold the units against."""

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        terms = (len(a), *c.shape)
        if formats.a.precision + formats.b.precision > 53:
            return _sum_fractions(np.broadcast_to(a, terms), np.broadcast_to(b, terms), c, formats.out)
        with np.errstate(all="ignore"):
            products = np.broadcast_to(a, terms) * np.broadcast_to(b, terms)
            plain = products.sum(axis=0) + c  # right where it is infinite or NaN, and for the sign of zeros
        columns = np.concatenate([products, c[np.newaxis]]).reshape(len(a) + 1, -1).T
        result = plain.copy()
        flat = result.reshape(-1)
        rest = np.zeros_like(flat)
        finite = np.isfinite(columns).all(axis=1)
        nonzero = finite & (columns != 0).any(axis=1)
        for at in np.flatnonzero(nonzero):
            numbers = columns[at].tolist()
            flat[at] = math.fsum(numbers)
            rest[at] = math.fsum([*numbers, -flat[at]])
        return _round_once(result, rest.reshape(result.shape), formats.out)


def _round_once(rounded: Floats, rest: Floats, out: Format) -> Floats:
    """`rounded + rest` to the format, where `rounded` is that sum to the nearest float64."""
    return rounded if out.name == "fp64" else round_to_nearest(round_to_odd(rounded, rest), out)


def _sum_fractions(a: Floats, b: Floats, c: Floats, out: Format) -> Floats:
    with np.errstate(all="ignore"):
        result = np.asarray((a * b).sum(axis=0) + c)  # right where it is NaN, and for the sign of zeros
    rest = np.zeros_like(result)
    for index in np.ndindex(*c.shape):
        row, column, start = a[(slice(None), *index)].tolist(), b[(slice(None), *index)].tolist(), float(c[index])
        if not all(map(math.isfinite, (*row, *column))):
            result[index] = sum((_special_product(x, y) for x, y in zip(row, column, strict=True)), start)
        elif not math.isfinite(start):
            result[index] = start
        else:
            exact = sum((Fraction(x) * Fraction(y) for x, y in zip(row, column, strict=True)), Fraction(start))
            value = fraction_to_float(exact, zero=float(result[index]) if result[index] == 0 else 0.0)
            result[index] = value
            if math.isfinite(value):
                rest[index] = (exact > value) - (exact < value)
    return _round_once(result, rest, out)


def _special_product(x: float, y: float) -> float:
    """x·y where it is infinite or NaN; a finite product, which may overflow a float64, does not matter beside one."""
    return 0.0 if math.isfinite(x) and math.isfinite(y) else x * y


@dataclass(frozen=True, slots=True)
class IntegerSum:
    """Integers, exact; the sum wraps modulo 2^32, or saturates where the instruction says so.

    Of single bits the product is "and" or "exclusive or", and the sum a population count.
    """

    saturate: bool = False
    of_bits: str = "and"
    """"and" or "xor"; the two differ for the type b1 alone."""

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: object = None) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        total = c
        for row, column in zip(a, b, strict=True):  # float64 holds every whole number up to 2^53
            total = total + self.product(row, column)
        if self.saturate:
            return np.clip(total, -(2.0**31), 2.0**31 - 1)
        return np.mod(total + 2.0**31, 2.0**32) - 2.0**31

    def product(self, a: Floats, b: Floats) -> Floats:
        """Of two numbers, or of two single bits."""
        return a + b - 2 * a * b if self.of_bits == "xor" else a * b
