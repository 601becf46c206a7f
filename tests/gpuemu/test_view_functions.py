"""The functions that people give to kernels from views: what they may give back, and what they are told."""

import numpy as np
import pytest

from gpuemu import dtypes
from gpuemu.errors import GpuEmuError
from gpuemu.kernels.errors import BuilderError, ViewKernelError
from gpuemu.kernels.from_views import elementwise, reduce, windows
from shapetracker import ShapeTracker

S = ShapeTracker.from_shape((2, 3))
X = np.arange(6, dtype=np.float32)


def result(fn, dtype=dtypes.float32, **options):
    out = np.zeros((2, 3), dtype.numpy)
    elementwise(fn, S, S, out_dtype=dtype, **options)(out, X)
    return out.ravel().tolist()


def test_a_function_may_give_a_number():
    assert result(lambda x: 2.5) == [2.5] * 6
    assert result(lambda x: 7, dtypes.int32) == [7] * 6
    out = np.zeros(3, np.float32)
    reduce("ADD", 0, ShapeTracker.from_shape((3,)), S, fn=lambda x: 2)(out, X)
    assert out.tolist() == [4, 4, 4]


def test_a_power_is_a_product():
    assert result(lambda x: x**3) == [0, 1, 8, 27, 64, 125]
    with pytest.raises(BuilderError, match=r"\*\* 0\.5: the power is a whole number from 1 to 8"):
        result(lambda x: x**0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: result(lambda x: x == x), r"fn\(float32\) gives True for all points; x == y is x\.eq\(y\)"),
        (lambda: result(lambda x: None), r"fn\(float32\) gives None; expected a value or a number"),
        (
            lambda: result(lambda x, y: x),
            "missing 1 required positional argument: 'y'; fn takes a value of each operand",
        ),
        (lambda: result(3), "'int' object is not callable; fn takes a value of each operand"),
        (lambda: result(np.sin), r"sin method; fn takes .* x\.builder\.alu\(UnaryOps\.SQRT, x\)"),
        (lambda: elementwise(lambda x: x, S, S, dtype="float32"), "dtype is 'float32'; expected one of gpuemu.dtypes"),
        (lambda: elementwise(lambda x: x, S, S, dtype=[np.int8]), "dtype is .*; expected one of gpuemu.dtypes"),
        (lambda: reduce("ADD", 0.5, S, S), "axis is 0.5; expected an integer, or a list of them"),
        (lambda: reduce("ADD", None, S, S), "axis is None; expected an integer, or a list of them"),
        (lambda: windows(S, "ab"), "windows: kernel is 'ab'; expected two integers, down and across"),
        (lambda: windows(S, (1, 1), step=(1, 1, 1)), r"windows: step is \(1, 1, 1\); expected two integers"),
    ],
)
def test_what_does_not_fit_is_explained(call, message):
    with pytest.raises(ViewKernelError, match=message):
        call()


def test_a_choice_in_python_is_explained():
    with pytest.raises(GpuEmuError, match="has no truth while the program is written"):
        result(lambda x: 1 if x < 3 else 2)
