"""Numbers of Python kernels: integers that do not wrap, division and powers as Python's, functions, bits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import cuda
from gpuemu.cuda import float32, int8, int32, int64, uint8, uint32

QUICK = settings(max_examples=30, deadline=None)


def run(kernel, *arguments, lanes=1, dtype=np.float64, size=8):
    """What a kernel writes into its first argument."""
    out = np.zeros(size, dtype)
    kernel[1, lanes](out, *arguments)
    return out


@cuda.jit
def integers(out, x, y):
    out[0] = x + y
    out[1] = x - y
    out[2] = x * y
    out[3] = -x
    out[4] = (x + y) // 2
    out[5] = x << 4
    out[6] = ~x
    total = 0
    for _ in range(3):
        total += x
    out[7] = total


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integers_of_any_width_do_not_wrap_in_between(dtype):
    x, y = int(np.iinfo(dtype).max) if dtype != np.int64 else 2**40, 3
    wanted = [x + y, x - y, x * y, -x, (x + y) // 2, x << 4, ~x, 3 * x]
    assert run(integers, dtype(x), dtype(y), dtype=np.int64).tolist() == wanted


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_unsigned_integers_of_any_width_do_not_wrap_in_between(dtype):
    x, y = int(np.iinfo(dtype).max), 3
    wanted = [x + y, x - y, x * y, -x % 2**64, (x + y) // 2, x << 4, ~x % 2**64, 3 * x]
    assert run(integers, dtype(x), dtype(y), dtype=np.uint64).tolist() == wanted


def test_addresses_that_are_known_to_be_small_stay_narrow():
    @cuda.jit
    def kernel(out):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        out[i % 4 + i // 4] = i

    program = kernel[2, 4].program(np.zeros(8, np.int32))
    assert {str(line.dtype) for line in program.lines if line.dtype is not None} == {"int32"}


@cuda.jit
def floats_divided(out, x, y):
    out[0] = x // y
    out[1] = x % y
    out[2] = math.fmod(x, y)
    quotient, rest = divmod(x, y)
    out[3], out[4] = quotient, rest


finite = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-3)


@QUICK
@given(finite, finite.filter(bool))
def test_floats_are_divided_as_in_python(x, y):
    assert run(floats_divided, x, y)[:5].tolist() == [x // y, x % y, math.fmod(x, y), *divmod(x, y)]


def test_a_tenth_does_not_fit_ten_times():
    assert run(floats_divided, 1.0, 0.1)[:2].tolist() == [1.0 // 0.1, 1.0 % 0.1]


@cuda.jit
def powers(out, x, y):
    out[0] = x**2
    out[1] = x**-1
    out[2] = x**-3
    out[3] = x**y
    out[4] = math.pow(x, y)
    out[5] = pow(x, 3)
    out[6] = y**0


@pytest.mark.parametrize(("x", "y"), [(-2.0, 3.0), (-1.5, 2.0), (2.0, -1.5), (3.0, 0.0), (1.0, 1e9)])
def test_powers(x, y):
    wanted = [x**2, x**-1, x**-3, x**y, x**y, x**3, 1.0]
    assert np.allclose(run(powers, x, y)[:7], wanted, rtol=1e-14)


def test_a_broken_power_of_a_negative_number_is_nan():
    assert math.isnan(run(powers, -2.0, 0.5)[3])


@cuda.jit
def rounding(out, x):
    out[0] = round(x)
    out[1] = int(x)
    out[2] = math.trunc(x)
    out[3] = math.floor(x)
    out[4] = math.ceil(x)
    out[5], out[6] = math.modf(x)
    out[7] = math.ldexp(x, 3)


@pytest.mark.parametrize("x", [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.25, -7.75, 0.0, 1e15])
def test_rounding(x):
    wanted = [round(x), int(x), math.trunc(x), math.floor(x), math.ceil(x), *math.modf(x), math.ldexp(x, 3)]
    assert run(rounding, x).tolist() == wanted


@cuda.jit
def casts(out, x):
    out[0] = np.int8(x)
    out[1] = uint8(x)
    out[2] = float32(x)
    out[3] = int64(x) + int32(1)
    out[4] = np.float64(x) / 3
    out[5] = float(int(x))
    out[6] = bool(x)
    out[7] = int8(uint8(200))


def test_casts():
    x = 300.7
    wanted = [44, 44, float(np.float32(x)), 301, x / 3, 300.0, 1, -56]
    assert run(casts, x).tolist() == wanted


# --- functions -------------------------------------------------------------------------------------------------------

WIDE, POSITIVE, UNIT = np.linspace(-6, 6, 25), np.linspace(0.05, 30, 25), np.linspace(-1, 1, 21)
FUNCTIONS = {
    **dict.fromkeys(("exp", "exp2", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh"), WIDE),
    **dict.fromkeys(("cbrt", "erf", "erfc", "degrees", "radians", "fabs"), WIDE),
    **dict.fromkeys(("sqrt", "log", "log2", "log10", "log1p", "gamma", "lgamma"), POSITIVE),
    **dict.fromkeys(("asin", "acos"), UNIT),
    "atanh": UNIT[1:-1],
    "acosh": 1 + POSITIVE,
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_of_the_math_module(name):
    function, x = getattr(math, name), FUNCTIONS[name]

    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        out[i] = function(x[i])

    for dtype, error in ((np.float64, 2e-14), (np.float32, 1.2e-7)):
        given = x.astype(dtype)
        out = np.zeros_like(given)
        kernel[1, x.size](out, given)
        wanted = np.array([function(v) for v in given.tolist()])
        assert np.allclose(out, wanted, rtol=error, atol=error * 0.1), name


def test_functions_at_the_ends_of_their_domain():
    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        out[0, i] = math.atan(x[i])
        out[1, i] = math.tanh(x[i])
        out[2, i] = math.erf(x[i])
        out[3, i] = math.erfc(x[i])
        out[4, i] = math.expm1(x[i])
        out[5, i] = math.sinh(x[i])
        out[6, i] = math.asinh(x[i])
        out[7, i] = math.cbrt(x[i])

    x = np.array([-math.inf, -0.0, 0.0, math.inf])
    out = np.zeros((8, 4))
    kernel[1, 4](out, x)
    functions = (math.atan, math.tanh, math.erf, math.erfc, math.expm1, math.sinh, math.asinh, math.cbrt)
    assert np.allclose(out, [[f(v) for v in x.tolist()] for f in functions], rtol=1e-15, atol=0)


@QUICK
@given(st.floats(-100, 100), st.floats(-100, 100))
def test_functions_of_two_numbers(y, x):
    @cuda.jit
    def kernel(out, y, x):
        out[0] = math.atan2(y, x)
        out[1] = math.hypot(x, y)
        out[2] = math.copysign(x, y)

    wanted = [math.atan2(y, x), math.hypot(x, y), math.copysign(x, y)]
    assert np.allclose(run(kernel, y, x)[:3], wanted, rtol=1e-14, atol=1e-300)


def test_functions_of_numpy_on_numbers():
    @cuda.jit
    def kernel(out, x):
        out[0] = np.sqrt(x) + np.exp(x) + np.arctan2(x, 2.0)
        out[1] = np.maximum(x, 3.0) + np.minimum(x, 3.0) + np.abs(-x)

    assert np.allclose(run(kernel, 1.5)[:2], [math.sqrt(1.5) + math.exp(1.5) + math.atan2(1.5, 2), 6.0])


def test_what_is_finite():
    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        out[i] = math.isfinite(x[i]) + 2 * math.isinf(x[i]) + 4 * math.isnan(x[i])

    assert run(kernel, np.array([1.0, math.inf, math.nan]), lanes=3)[:3].tolist() == [1, 2, 4]


def test_one_rounding_of_a_product_and_a_sum():
    @cuda.jit
    def kernel(out, x, y, z):
        out[0] = cuda.fma(x, y, z)
        out[1] = x * y + z

    x = np.float32(1 + 2**-12)
    found = run(kernel, x, x, np.float32(-1), dtype=np.float32)
    assert found[0] == np.float32(float(x) * float(x) - 1) != found[1]


@cuda.jit
def bits(out, x):
    i = cuda.grid(1)
    out[i, 0] = cuda.popc(x[i])
    out[i, 1] = cuda.clz(x[i])
    out[i, 2] = cuda.ffs(x[i])
    out[i, 3] = cuda.brev(x[i])


@pytest.mark.parametrize("dtype", [np.uint32, np.int32, np.uint64, np.int64])
def test_bits_of_integers(dtype):
    width = 8 * np.dtype(dtype).itemsize
    x = np.array([0, 1, 6, 40, 2 ** (width - 2) + 1, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    out = np.zeros((x.size, 4), np.uint64)
    bits[1, x.size](out, x)
    for value, row in zip(x.tolist(), out.tolist(), strict=True):
        text = f"{value % 2**width:0{width}b}"
        lowest = len(text) - text.rindex("1") if "1" in text else 0
        turned = int(text[::-1], 2)
        assert row[:3] == [text.count("1"), (text + "1").index("1"), lowest]
        assert row[3] % 2**width == turned


def test_hashes_of_32_bits():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        h = uint32(2166136261)
        for k in range(4):
            h = uint32((h ^ ((i >> (8 * k)) & 255)) * 16777619)
        out[i] = h

    def fnv(i):
        h = 2166136261
        for k in range(4):
            h = (h ^ (i >> 8 * k & 255)) * 16777619 % 2**32
        return h

    assert run(kernel, lanes=8).tolist() == [fnv(i) for i in range(8)]
