"""The builder refuses what would silently mean something else."""

import numpy as np
import pytest

from gpuemu import UnaryOps, dtypes
from gpuemu.kernels.builder import Builder
from gpuemu.kernels.errors import BuilderError


@pytest.fixture
def k() -> Builder:
    return Builder("errors")


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda k, x: x + Builder("other").special("l", 0, 4), "is of another builder, 'other'"),
        (lambda k, x: x * 0.5, "0.5 is no number of int32; cast the value that it meets to a float first"),
        (lambda k, x: k.buffer("out", dtypes.float32)[0.5], "0.5 is no number of int32"),
        (lambda k, x: k.loop(2.5).__enter__(), "2.5 is no number of int32"),
        (lambda k, x: list(k.buffer("out", dtypes.float32)), "<Memory out of float32> has no elements to go through"),
        (lambda k, x: k.alu("TAN", x), r"alu\('TAN', …\): there is no such operation; there are EXP2, LOG2"),
        (lambda k, x: k.alu(None, x), r"alu\(None, …\): there is no such operation"),
        (lambda k, x: k.alu("ADD", x), "ADD takes 2 values; got 1"),
        (lambda k, x: k.where(x < 2, x), "where takes a condition and two values; got 2"),
        (lambda k, x: k.if_(True).__enter__(), r"if_\(True\): the condition is known; choose in Python"),
        (lambda k, x: x.cast("float32"), r"cast\('float32'\): expected one of gpuemu.dtypes"),
        (lambda k, x: k.vector([]), r"vector\(\[\]\): expected at least one value"),
        (lambda k, x: k.const("2", dtypes.int32), r"const\('2'\): a str; expected a number"),
    ],
)
def test_what_would_mean_something_else_is_refused(k, use, message):
    with pytest.raises(BuilderError, match=message):
        use(k, k.special("l", 0, 4))


def test_an_operation_may_be_given_by_its_name(k):
    out, lane = k.buffer("out", dtypes.float32, writable=True), k.special("l", 0, 4)
    out[lane] = k.alu("SQRT", lane.cast(dtypes.float32)) + k.alu(UnaryOps.SQRT, k.const(9, dtypes.float32))
    found = np.zeros(4, np.float32)
    k.program()(found, local_size=(4,))
    np.testing.assert_array_equal(found, np.sqrt(np.arange(4, dtype=np.float32)) + 3)
