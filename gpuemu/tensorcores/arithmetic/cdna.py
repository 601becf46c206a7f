"""How AMD's matrix cores add, by MMA-Sim's published rules (Xie et al., arXiv 2511.10909).

No results of AMD hardware are recorded in the open, so nothing here is compared with hardware.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuemu.tensorcores.arithmetic.blocks import (
    NO_EXPONENT,
    Exponents,
    Formats,
    align,
    exponents,
    finite_or_zero,
    ieee_sum,
    power_of_two,
)
from gpuemu.tensorcores.arithmetic.formats import Floats, Format, round_to_nearest

_FINE_BITS = 31
"""Bits below the greatest exponent that the sum of the products keeps when c is added (MMA-Sim's F2)."""


@dataclass(frozen=True, slots=True)
class PairwiseTree:
    """Products rounded to float32, added in pairs, then pairs of pairs; the tree's sum is added to c. (CDNA1, CDNA2.)

    For CDNA1 a later revision of MMA-Sim's code has one exact sum of each group and c in place of the tree, rounded
    once; without recorded results this cannot be settled.

    With `flush`, subnormal inputs count as +0, and subnormal products and sums as a zero of their sign.
    """

    leaves: int
    """Products a tree: 4, or 2 for the older bfloat16 instructions."""
    flush: bool = False

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        if self.flush:
            a, b, c = (_drop_subnormal(x, f) for x, f in zip((a, b, c), formats, strict=True))
        with np.errstate(all="ignore"):
            left, right, total = a.astype(np.float32), b.astype(np.float32), c.astype(np.float32)
            for start in range(0, len(left), self.leaves):
                part = slice(start, start + self.leaves)
                sums = self._flushed(left[part] * right[part])
                while len(sums) > 1:
                    pairs = self._flushed(sums[: len(sums) // 2 * 2 : 2] + sums[1::2])
                    sums = np.concatenate([pairs, sums[len(pairs) * 2 :]])
                total = self._flushed(total + sums[0])
        return np.asarray(total.astype(np.float64))

    def _flushed(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.where(np.abs(x) < np.float32(2.0**-126), x * np.float32(0.0), x) if self.flush else x


def _drop_subnormal(x: Floats, fmt: Format) -> Floats:
    return np.where(np.abs(x) < 2.0**fmt.least_exponent, 0.0, x)


@dataclass(frozen=True, slots=True)
class FusedThenAdded:
    """Products aligned, truncated and summed; then c is added on a second scale, rounded down. (CDNA3.)

    With `groups` 2 (fp8) the even and the odd products are summed apart and brought together rounded down.
    The result is rounded to nearest even.
    """

    length: int
    """Products a block."""
    fraction_bits: int = 24
    groups: int = 1

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""
        left, right = finite_or_zero(a), finite_or_zero(b)
        of_a, of_b = exponents(left, formats.a.least_exponent), exponents(right, formats.b.least_exponent)
        for start in range(0, len(a), self.length):
            part = slice(start, start + self.length)
            with np.errstate(all="ignore"):
                products = a[part] * b[part]
                products = np.where(np.abs(products) >= 2.0**128, np.copysign(np.inf, products), products)
                special = ieee_sum(products, c)
            regular = self.block(left[part], right[part], finite_or_zero(c), of_a[part] + of_b[part], formats.out)
            c = np.where(np.isfinite(special), regular, special)
        return c

    def block(self, a: Floats, b: Floats, c: Floats, of_products: Exponents, out: Format) -> Floats:
        """One block of finite numbers, with the exponents of its products."""
        total, greatest = self._sum_of_products(a, b, c, of_products)
        of_c = exponents(c, out.least_exponent)
        scale = np.maximum(greatest, of_c)
        total = np.floor(total * power_of_two(_FINE_BITS - scale))
        addend = np.floor(c * power_of_two(self.fraction_bits - scale)) * 2.0 ** (_FINE_BITS - self.fraction_bits)
        if self.groups > 1:  # the fp8 adder drops a c that lies wholly below its last place but one
            addend = np.where(of_c < scale - self.fraction_bits - 1, 0.0, addend)
        return round_to_nearest((total + addend) * power_of_two(scale - _FINE_BITS), out)

    def _sum_of_products(self, a: Floats, b: Floats, c: Floats, of_products: Exponents) -> tuple[Floats, Exponents]:
        """The sum of the groups, and the greatest exponent of all products."""
        none = np.full(c.shape, NO_EXPONENT, dtype=np.int16)
        sums = []
        for group in range(self.groups):
            every = slice(group, None, self.groups)
            aligned = align(a[every], b[every], np.zeros_like(c), of_products[every], none, self.fraction_bits)
            sums.append(aligned.products.sum(axis=0) / aligned.per_unit)
        greatest = np.maximum(of_products.max(axis=0), none)
        if self.groups > 1:
            per_unit = power_of_two(self.fraction_bits - greatest)
            sums = [np.floor(one * per_unit) / per_unit for one in sums]
        return sum(sums, np.zeros_like(c)), greatest
