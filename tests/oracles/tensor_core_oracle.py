"""The arithmetic of tensor cores, one dot product at a time, in fractions: slow and obvious.

It shares no code with gpuemu. Every function takes lists of Python floats and gives a float.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Kind(NamedTuple):
    bits: int
    least: int
    top: int


KINDS = {
    "fp16": Kind(11, -14, 15),
    "bf16": Kind(8, -126, 127),
    "tf32": Kind(11, -126, 127),
    "fp32": Kind(24, -126, 127),
    "fp64": Kind(53, -1022, 1023),
    "e4m3": Kind(4, -6, 8),
    "e5m2": Kind(3, -14, 15),
    "e4m3fnuz": Kind(4, -7, 7),
    "e5m2fnuz": Kind(3, -15, 15),
}
NOTHING = -(10**6)  # the exponent of zero


def exponent(x, least):
    """The exponent of x, not below `least`."""
    if x == 0:
        return NOTHING
    x = abs(Fraction(x))
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** e:
        e -= 1
    return max(e, least)


def rounded(x, kind, way):
    """A fraction to a float of the kind; `way` takes a fraction to a whole number."""
    if x == 0:
        return 0.0
    place = Fraction(2) ** (exponent(x, kind.least) - kind.bits + 1)
    value = way(x / place) * place
    if abs(value) >= Fraction(2) ** (kind.top + 1):
        return math.inf if x > 0 else -math.inf
    return float(abs(value)) * (1 if x > 0 else -1)  # exact: float64 holds every number of every kind


def special(products, c):
    """Infinity or NaN where IEEE 754 gives it, else None."""
    terms = [*products, c]
    if any(t != t for t in terms) or {math.inf, -math.inf} <= set(terms):
        return math.nan
    return next((t for t in terms if t in (math.inf, -math.inf)), None)


def times(a, b):
    """The product as a fraction, or as a float where it is infinite or NaN."""
    if math.isfinite(a) and math.isfinite(b):
        return Fraction(a) * Fraction(b)
    return a * b


def cut(x, exponent_of_place):
    """Toward zero to a multiple of a power of two."""
    place = Fraction(2) ** exponent_of_place
    return math.trunc(x / place) * place


def down(x, exponent_of_place):
    place = Fraction(2) ** exponent_of_place
    return math.floor(x / place) * place


def nvidia_block(a, b, c, a_kind, b_kind, out, fraction_bits, result_bits=24):
    products = [times(x, y) for x, y in zip(a, b, strict=True)]
    odd = special(products, c)
    if odd is not None:
        return odd
    exponents = [
        NOTHING if x == 0 or y == 0 else exponent(x, KINDS[a_kind].least) + exponent(y, KINDS[b_kind].least)
        for x, y in zip(a, b, strict=True)
    ]
    greatest = max([*exponents, exponent(c, KINDS[out].least)])
    if greatest < NOTHING // 2:
        return 0.0
    total = sum((cut(t, greatest - fraction_bits) for t in [*products, Fraction(c)]), Fraction(0))
    if out == "fp32":
        return rounded(total, KINDS["fp32"]._replace(bits=result_bits), math.trunc)
    return rounded(total, KINDS[out], round)


def nvidia(a, b, c, a_kind, b_kind, out, length, fraction_bits, result_bits=24):
    for i in range(0, len(a), length):
        c = nvidia_block(a[i : i + length], b[i : i + length], c, a_kind, b_kind, out, fraction_bits, result_bits)
    return c


def fp8_by_halves(a, b, c, out):
    for i in range(0, len(a), 32):
        low = [k for k in range(i, min(i + 32, len(a))) if k % 4 in (0, 1)]
        high = [k for k in range(i, min(i + 32, len(a))) if k % 4 in (2, 3)]
        t = 0.0
        for half in (low, high):
            if half:
                t = nvidia_block([a[k] for k in half], [b[k] for k in half], t, "fp16", "fp16", out, 25)
        c = add(t, c, out)
    return c


def add(x, y, out):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    total = Fraction(x) + Fraction(y)
    return rounded(total, KINDS[out], round) if total else x + y


def fma(a, b, c, out):
    product = times(a, b)
    odd = special([product], c)
    if odd is not None:
        return odd
    total = product + Fraction(c)
    if total == 0:  # the signs of zeros as IEEE 754 has them
        return a * b + c if product == 0 else 0.0
    return rounded(total, KINDS[out], round)


def chain(a, b, c, out):
    for x, y in zip(a, b, strict=True):
        c = fma(x, y, c, out)
    return c


def exact(a, b, c, out):
    products = [times(x, y) for x, y in zip(a, b, strict=True)]
    odd = special(products, c)
    if odd is not None:
        return odd
    total = sum(products, Fraction(c))
    if total == 0:
        every_zero = all(p == 0 for p in products) and c == 0
        return sum((x * y for x, y in zip(a, b, strict=True)), -0.0) + c if every_zero else 0.0
    return rounded(total, KINDS[out], round)


def float32_in_order(a, b, c, out):
    with np.errstate(all="ignore"):
        total = np.float32(c)
        for x, y in zip(a, b, strict=True):
            total = np.float32(total + np.float32(np.float32(x) * np.float32(y)))
    value = float(total)
    return rounded(Fraction(value), KINDS[out], round) if math.isfinite(value) and value else value


def tree(a, b, c, kind, leaves, flush):
    def flushed(x):
        return np.float32(x * np.float32(0)) if flush and abs(x) < 2.0**-126 else x

    def plus(x, y):
        return flushed(np.float32(x + y))

    if flush:
        a = [0.0 if abs(x) < 2.0 ** KINDS[kind].least else x for x in a]
        b = [0.0 if abs(x) < 2.0 ** KINDS[kind].least else x for x in b]
        c = 0.0 if abs(c) < 2.0**-126 else c
    with np.errstate(all="ignore"):
        total = np.float32(c)
        for i in range(0, len(a), leaves):
            p = [flushed(np.float32(np.float32(a[k]) * np.float32(b[k]))) for k in range(i, i + leaves)]
            total = plus(total, plus(p[0], p[1]) if leaves == 2 else plus(plus(p[0], p[1]), plus(p[2], p[3])))
    return float(total)


def cdna3(a, b, c, a_kind, b_kind, length, groups):
    for i in range(0, len(a), length):
        c = cdna3_block(a[i : i + length], b[i : i + length], c, a_kind, b_kind, groups)
    return c


def cdna3_block(a, b, c, a_kind, b_kind, groups):
    products = [times(x, y) for x, y in zip(a, b, strict=True)]
    large = [math.copysign(math.inf, p) if p == p and abs(p) >= 2**128 else p for p in products]
    odd = special(large, c)
    if odd is not None:
        return odd
    exponents = [
        NOTHING if x == 0 or y == 0 else exponent(x, KINDS[a_kind].least) + exponent(y, KINDS[b_kind].least)
        for x, y in zip(a, b, strict=True)
    ]
    of_c = exponent(c, -126)
    sums = []
    for g in range(groups):
        greatest = max(exponents[g::groups])
        sums.append(sum((cut(p, greatest - 24) for p in products[g::groups] if p), Fraction(0)))
    greatest = max(exponents)
    if groups == 2:
        sums = [down(s, greatest - 24) if s else s for s in sums]
    scale = max(greatest, of_c)
    if scale < NOTHING // 2:
        return 0.0
    total = down(sum(sums), scale - 31)
    if not (groups == 2 and of_c < scale - 25):
        total += down(Fraction(c), scale - 24)
    return rounded(total, KINDS["fp32"], round)


def whole(a, b, c, saturate=False, xor=False):
    total = c + sum(x ^ y if xor else x * y for x, y in zip(a, b, strict=True))
    if saturate:
        return min(max(total, -(2**31)), 2**31 - 1)
    return (total + 2**31) % 2**32 - 2**31
