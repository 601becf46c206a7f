"""The functions of Python's math module, of values: from EXP2, LOG2, SIN, SQRT and arithmetic.

Each is computed in float64 and rounded once to the type of its values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import numpy as np

from gpuemu import dtypes
from gpuemu.alu import UnaryOps
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.calculation import absolute, floor, fmod, negative, root, rounded, truncated

SERIES = 0.5
"""Below it erf is a power series; above it 1 − erfc is exact enough."""
LANCZOS = (
    *(0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059),
    *(12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7),
)
"""C. Lanczos, "A precision approximation of the gamma function" (1964), with g = 7 and nine terms."""


def _exp2(x: Value) -> Value:
    return x.builder.alu(UnaryOps.EXP2, x)


def _log2(x: Value) -> Value:
    return x.builder.alu(UnaryOps.LOG2, x)


def _sin(x: Value) -> Value:
    return x.builder.alu(UnaryOps.SIN, x)


def _cos(x: Value) -> Value:
    return _sin(x + math.pi / 2)


def _exp(x: Value) -> Value:
    return _exp2(x * math.log2(math.e))


def _log(x: Value) -> Value:
    return _log2(x) * math.log(2)


def _polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """The highest power first."""
    return reduce(lambda total, c: total * x + c, coefficients[1:], x.builder.const(coefficients[0], x.dtype))


def _signed(size: Value, like: Value) -> Value:
    """A number with the sign of another."""
    return size.builder.where(like < 0.0, -size, size)


def _expm1(x: Value) -> Value:
    """W. Kahan's way: the error of exp near 1 cancels with that of log."""
    k, u = x.builder, _exp(x)
    less = u - 1.0
    near = less * x / _log(u)
    return k.where(less.eq(0.0), x, k.where(less.eq(-1.0) | absolute(u).eq(math.inf), less, near))


def _log1p(x: Value) -> Value:
    k, u = x.builder, x + 1.0
    return k.where(u.eq(1.0), x, k.where(u.eq(math.inf) | u.eq(0.0), _log(u), _log(u) * x / (u - 1.0)))


def _sinh(x: Value) -> Value:
    e = _expm1(absolute(x))
    return _signed(x.builder.where(e.eq(math.inf), e, (e + e / (e + 1.0)) * 0.5), x)


def _cosh(x: Value) -> Value:
    e = _exp(absolute(x))
    return (e + 1.0 / e) * 0.5


def _tanh(x: Value) -> Value:
    """Through the exponential of −2·|x|, which never overflows."""
    small = _expm1(absolute(x) * -2.0)
    return _signed(-small / (small + 2.0), x)


def _asinh(x: Value) -> Value:
    size = absolute(x)
    big = _log(size) + math.log(2)
    return _signed(
        x.builder.where(size < 2.0**28, _log1p(size + size * size / (root(size * size + 1.0) + 1.0)), big), x
    )


def _acosh(x: Value) -> Value:
    t = x - 1.0
    return x.builder.where(x < 2.0**28, _log1p(t + root(t * 2.0 + t * t)), _log(x) + math.log(2))


def _atanh(x: Value) -> Value:
    size = absolute(x)
    return _signed(_log1p(size * 2.0 / (1.0 - size)) * 0.5, x)


def _atan(x: Value) -> Value:
    """The angle is halved three times, then a power series of it."""
    k, size = x.builder, absolute(x)
    steep = size > 1.0
    y = k.where(steep, 1.0 / size, size)
    for _ in range(3):
        y = y / (root(y * y + 1.0) + 1.0)
    series = _polynomial(y * y, [(-1) ** n / (2 * n + 1) for n in reversed(range(10))])
    angle = y * series * 8.0
    return _signed(k.where(steep, math.pi / 2 - angle, angle), x)


def _asin(x: Value) -> Value:
    return _atan(x / root((1.0 - x) * (x + 1.0)))


def _acos(x: Value) -> Value:
    return _atan(root((1.0 - x) / (x + 1.0))) * 2.0


def _atan2(y: Value, x: Value) -> Value:
    k = y.builder
    angle = _atan(absolute(y) / absolute(x))
    angle = k.where(x.eq(0.0) & y.eq(0.0), 0.0 * angle.builder.const(0.0, x.dtype), angle)
    angle = k.where(absolute(x).eq(math.inf) & absolute(y).eq(math.inf), k.const(math.pi / 4, x.dtype), angle)
    angle = k.where(negative(x), math.pi - angle, angle)
    return k.where(negative(y), -angle, angle)


def _hypot(x: Value, y: Value) -> Value:
    k, a, b = x.builder, absolute(x), absolute(y)
    large, small = k.maximum(a, b), k.minimum(a, b)
    ratio = small / large
    return k.where(large.eq(0.0) | large.eq(math.inf), large, large * root(ratio * ratio + 1.0))


def _copysign(x: Value, y: Value) -> Value:
    size = absolute(x)
    return x.builder.where(negative(y), -size, size)


@cache
def _of_erfc() -> tuple[float, ...]:
    """Chebyshev coefficients of erfc(x)·exp(x²) in u = (x − 2)/(x + 2), for x from 0 to 26."""
    degree = 36
    u = np.cos(np.pi * (np.arange(4 * degree) + 0.5) / (4 * degree)) * 13 / 14 - 1 / 14
    x = 2 * (1 + u) / (1 - u)
    values = np.array([math.erfc(v) * math.exp(v * v) for v in x])
    return tuple(np.polynomial.chebyshev.chebfit(u, values, degree).tolist())


def _erfc_of_size(size: Value) -> Value:
    """erfc of a number that is not negative, by Clenshaw's recurrence."""
    k = size.builder
    u = k.minimum(size, 26.0)
    u = (u - 2.0) / (u + 2.0)
    later, last = k.const(0.0, size.dtype), k.const(0.0, size.dtype)
    first, *rest = _of_erfc()
    for c in reversed(rest):
        later, last = u * 2.0 * later - last + c, later
    return (u * later - last + first) * _exp(-(size * size))


def _erf(x: Value) -> Value:
    k, size = x.builder, absolute(x)
    terms = [2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in reversed(range(13))]
    return k.where(size < SERIES, x * _polynomial(x * x, terms), _signed(1.0 - _erfc_of_size(size), x))


def _erfc(x: Value) -> Value:
    k, size = x.builder, absolute(x)
    far = _erfc_of_size(size)
    return k.where(size < SERIES, 1.0 - _erf(x), k.where(x < 0.0, 2.0 - far, far))


def _lanczos(x: Value) -> tuple[Value, Value]:
    """The sum, and the number whose power it is multiplied by, for x from 1/2 on."""
    first, *rest = LANCZOS
    below = x - 1.0
    terms = [c / (below + float(n)) for n, c in enumerate(rest, 1)]
    return reduce(lambda total, term: total + term, terms, x.builder.const(first, x.dtype)), below + 7.5


def _lgamma(x: Value) -> Value:
    k = x.builder
    reflected = x < 0.5
    z = k.where(reflected, 1.0 - x, x)
    total, base = _lanczos(z)
    result = (z - 0.5) * _log(base) - base + _log(total) + math.log(2 * math.pi) / 2
    result = k.where(z.eq(math.inf), z, result)
    return k.where(reflected, _log(math.pi / absolute(_sin(_phase(x) * math.pi))) - result, result)


def _phase(x: Value) -> Value:
    """The number modulo 2, which has the sines of π·x."""
    return x - floor(x * 0.5) * 2.0


def _gamma(x: Value) -> Value:
    k = x.builder
    reflected = x < 0.5
    z = k.where(reflected, 1.0 - x, x)
    total, base = _lanczos(z)
    half = _exp2((z - 0.5) * 0.5 * _log2(base))  # the power in two halves, so that it does not overflow early
    result = half * _exp(-base) * half * total * math.sqrt(2 * math.pi)
    result = k.where(z.eq(math.inf), z, result)
    return k.where(reflected, math.pi / (_sin(_phase(x) * math.pi) * result), result)


def _cbrt(x: Value) -> Value:
    size = absolute(x)
    y = _exp2(_log2(size) / 3.0)
    y = y - (y * y * y - size) / (y * y * 3.0)  # a step of Newton's
    return _signed(x.builder.where(size.eq(0.0) | size.eq(math.inf), size, y), x)


def _is_nan(x: Value) -> Value:
    return x.ne(x)


def _is_infinite(x: Value) -> Value:
    return absolute(x).eq(math.inf)


def _is_finite(x: Value) -> Value:
    return absolute(x) < math.inf


def _whole(function: Callable[[Value], Value]) -> Callable[[Value], Value]:
    return lambda x: function(x).cast(dtypes.int64)


def _wide(function: Callable[..., Value]) -> Callable[..., Value]:
    return lambda *values: rounded(function, *values)


OF_ONE: dict[Callable[..., Any], Callable[[Value], Value]] = {
    math.sqrt: root,
    math.fabs: absolute,
    math.isnan: _is_nan,
    math.isinf: _is_infinite,
    math.isfinite: _is_finite,
    math.floor: _whole(floor),
    math.ceil: _whole(lambda x: -floor(-x)),
    math.trunc: _whole(truncated),
    **{
        function: _wide(of_values)
        for function, of_values in {
            math.exp: _exp,
            math.exp2: _exp2,
            math.expm1: _expm1,
            math.log: _log,
            math.log2: _log2,
            math.log10: lambda x: _log2(x) * math.log10(2),
            math.log1p: _log1p,
            math.sin: _sin,
            math.cos: _cos,
            math.tan: lambda x: _sin(x) / _cos(x),
            math.asin: _asin,
            math.acos: _acos,
            math.atan: _atan,
            math.sinh: _sinh,
            math.cosh: _cosh,
            math.tanh: _tanh,
            math.asinh: _asinh,
            math.acosh: _acosh,
            math.atanh: _atanh,
            math.cbrt: _cbrt,
            math.erf: _erf,
            math.erfc: _erfc,
            math.gamma: _gamma,
            math.lgamma: _lgamma,
            math.degrees: lambda x: x * (180 / math.pi),
            math.radians: lambda x: x * (math.pi / 180),
        }.items()
    },
}
"""The functions of one number that a kernel may call, by Python's own."""

OF_TWO: dict[Callable[..., Any], Callable[[Value, Value], Value]] = {
    math.atan2: _wide(_atan2),
    math.hypot: _wide(_hypot),
    math.copysign: _wide(_copysign),
    math.fmod: _wide(fmod),
}
"""Those of two numbers."""

OF_NUMPY: dict[Any, Callable[..., Any]] = {
    np.sqrt: math.sqrt,
    np.exp: math.exp,
    np.exp2: math.exp2,
    np.expm1: math.expm1,
    np.log: math.log,
    np.log2: math.log2,
    np.log10: math.log10,
    np.log1p: math.log1p,
    np.sin: math.sin,
    np.cos: math.cos,
    np.tan: math.tan,
    np.arcsin: math.asin,
    np.arccos: math.acos,
    np.arctan: math.atan,
    np.arctan2: math.atan2,
    np.sinh: math.sinh,
    np.cosh: math.cosh,
    np.tanh: math.tanh,
    np.hypot: math.hypot,
    np.fabs: math.fabs,
    np.isnan: math.isnan,
    np.isinf: math.isinf,
    np.isfinite: math.isfinite,
}
"""Functions of numpy that mean one of math's, of a number."""
