"""Integers that are written out keep their value, whatever narrow type they meet."""

import numpy as np
import pytest

from gpuemu import cuda
from gpuemu.kernels.errors import KernelError

TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64]


@cuda.jit
def compared(out, x):
    out[0] = x[0] < 300
    out[1] = x[0] > -1
    out[2] = x[0] == 2**40
    out[3] = x[0] <= 70_000
    out[4] = min(x[0], -200)
    out[5] = max(x[0], 2**40)
    out[6] = x[0] if x[0] > 2**40 else -(2**40)
    out[7] = cuda.selp(x[0] > 5, x[0], 2**33)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", [5, 100])
def test_what_does_not_fit_the_other_operand_keeps_its_value(dtype, value):
    out = np.zeros(8, np.int64)
    compared[1, 1](out, np.array([value], dtype))
    large = value if value > 5 else 2**33
    assert out.tolist() == [1, 1, 0, 1, -200, 2**40, -(2**40), large]


@cuda.jit
def beyond(out, x):
    out[0] = x[0] < -1
    out[1] = x[0] >= -(2**40)
    out[2] = -5 != x[0]  # noqa: SIM300
    out[3] = x[0] < 2**64
    out[4] = 2**63 <= x[0]  # noqa: SIM300


@pytest.mark.parametrize(
    ("value", "dtype"), [(2**63, np.uint64), (2**64 - 1, np.uint64), (-3, np.int64), (7, np.uint8)]
)
def test_comparisons_with_numbers_beyond_the_type_are_those_of_integers(value, dtype):
    out = np.zeros(5, np.int64)
    beyond[1, 1](out, np.array([value], dtype))
    assert out.tolist() == [value < -1, True, True, True, value >= 2**63]


@cuda.jit
def held_in_a_variable(out, x):
    last = 2**40
    for i in range(3):
        out[i] = last
        last = x[i]
    for each in (x[0], 300, -1):
        out[3] += each


@pytest.mark.parametrize("dtype", TYPES)
def test_a_variable_holds_every_number_that_it_is_given(dtype):
    out = np.zeros(4, np.int64)
    held_in_a_variable[1, 1](out, np.array([7, 8, 9], dtype))
    assert out.tolist() == [2**40, 7, 8, 306]


def test_what_fits_keeps_the_narrow_type():
    text = compared[1, 1].program(np.zeros(8, np.int64), np.zeros(1, np.int32)).to_text()
    assert "CONST int32 : 300" in text


@cuda.jit
def too_long(out):
    out[0] = 2**70


@cuda.jit
def endless_number(out):
    out[0] = 1e400


def test_what_no_integer_holds_is_refused():
    with pytest.raises(KernelError, match="1180591620717411303424 has more than 64 bits"):
        too_long[1, 1](np.zeros(1, np.int64))
    with pytest.raises(KernelError, match="inf is no number of int64"):
        endless_number[1, 1](np.zeros(1, np.int64))
    out = np.zeros(2)
    too_long[1, 1](out[:1])
    endless_number[1, 1](out[1:])
    assert out.tolist() == [2.0**70, np.inf]
