"""Kernels that would never end, or numbers that would never be done, are refused at once and point to the place."""

import numpy as np
import pytest

from gpuemu import Limits, cuda
from gpuemu.errors import LaunchError, LimitError
from gpuemu.kernels.errors import KernelError
from gpuemu.program import Program


@cuda.jit(device=True)
def never_done(x):
    while True:
        x += 1
    return x


@cuda.jit
def calls_it(out):
    out[0] = never_done(3)


@cuda.jit
def forgets_to_count(out):
    i = 0
    while i < 10:
        out[i] = i


@cuda.jit
def leaves_the_inner_loop(out):
    while 1:
        for i in range(3):
            if out[i] > 0:
                break


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (calls_it, "this loop never ends: nothing in it breaks or returns"),
        (forgets_to_count, "this loop never ends: i < 10 is always true here, and nothing in it breaks or returns"),
        (leaves_the_inner_loop, "this loop never ends: nothing in it breaks or returns"),
    ],
)
def test_a_loop_that_nothing_ends_is_refused(kernel, message):
    with pytest.raises(KernelError, match=message) as caught:
        kernel[1, 1](np.zeros(10))
    assert "while" in str(caught.value)


@cuda.jit
def breaks(out):
    while True:
        out[0] += 1
        if out[0] > 5:
            break


@cuda.jit
def returns(out):
    while 1:
        for _ in range(2):
            out[0] += 1
            if out[0] > 5:
                return


@cuda.jit
def never_begins(out):
    while False:
        out[0] = 1
    out[0] += 6


@pytest.mark.parametrize("kernel", [breaks, returns, never_begins])
def test_a_loop_without_end_may_be_left(kernel):
    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 6


@cuda.jit
def waits(out):
    while out[0] < 1:
        pass


def test_a_loop_that_waits_for_ever_is_stopped():
    out = np.zeros(1)
    program = waits[1, 1].program(out)
    with pytest.raises(LimitError, match="does its loop end"):
        Program(program.name, program.lines, limits=Limits(steps=1000))(out)
    assert "9223372036854775807" in program.to_text()


@cuda.jit
def towers(out):
    out[0] = 10**10**9


@cuda.jit
def shifts_far(out):
    out[0] = 1 << 10**10


@cuda.jit
def large_but_whole(out):
    out[0] = 10**30 // 10**29 + 1**10**9 + (2 << 3)


@pytest.mark.parametrize("kernel", [towers, shifts_far])
def test_a_number_without_end_is_refused(kernel):
    with pytest.raises(KernelError, match="the result has more than 4096 bits; a kernel's integers have 64 at most"):
        kernel[1, 1](np.zeros(1))


def test_large_numbers_on_the_way_are_exact():
    out = np.zeros(1, np.int64)
    large_but_whole[1, 1](out)
    assert out[0] == 27


@cuda.jit
def counts(out, n):
    for i in range(n):
        if i % 2:
            out[0] += 1


def test_a_launch_may_be_allowed_more_or_less():
    out = np.zeros(1)
    with pytest.raises(LimitError) as caught:
        counts[1, 1](out, 400, limits=cuda.Limits(steps=1000))
    assert "counts[blocks, threads](…, limits=cuda.Limits(steps=…)) allows more" in str(caught.value)
    assert "for i in range(n):" in str(caught.value)
    out[:] = 0
    counts[1, 1](out, 400, limits=cuda.Limits(steps=100_000))
    assert out[0] == 200
    with pytest.raises(LaunchError, match="counts: limits is 3; expected cuda"):
        counts[1, 1](out, 400, limits=3)
