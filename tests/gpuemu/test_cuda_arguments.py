"""What a launch takes: tuples, forall's sizes, the group of the grid."""

import re

import numpy as np
import pytest

from gpuemu import cuda
from gpuemu.errors import LaunchError
from gpuemu.kernels.errors import KernelError, KernelHazardError


@cuda.jit
def scaled(out, pair, shape):
    x, (factor, offset) = pair
    i = cuda.grid(1)
    if i < shape[0] * shape[1]:
        out[i] = x[i] * factor + offset + len(shape)


def test_a_tuple_holds_numbers_arrays_and_tuples():
    x, out = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    scaled[1, 8](out, (cuda.to_device(x), (np.float32(2), True)), (2, 3))
    assert out.tolist() == (x * 2 + 1 + 2).tolist()
    compiled = scaled[1, 8].compile(out, (x, (2.5, 1)), (2, 3))
    assert repr(compiled).startswith(
        "<Compiled scaled(out: float32, pair: (float32, (float64, int64)), shape: (int64, int64))"
    )
    assert [argument.name for argument in compiled.arguments][1:4] == ["pair[0]", "pair[1][0]", "pair[1][1]"]


@cuda.jit
def writes_both(pair):
    i = cuda.grid(1)
    pair[0][i] = i
    pair[1][i] = -i


def test_an_array_in_a_tuple_is_written_and_reported_by_its_place():
    left, right = np.zeros(3, np.int32), np.zeros((6,), np.int32)[::2]
    writes_both[1, 3]((left, right))
    assert (left.tolist(), right.tolist()) == ([0, 1, 2], [0, -1, -2])
    with pytest.raises(KernelHazardError, match=re.escape("writes element 3 of pair[0], which has 3 elements")):
        writes_both[1, 4]((left, right))


@cuda.jit
def changes_its_tuple(out, pair):
    for _ in range(3):
        pair = (pair[1], pair[0] + pair[1])
    out[0], out[1] = pair


def test_a_tuple_may_change():
    out = np.zeros(2, np.int64)
    changes_its_tuple[1, 1](out, (1, 1))
    assert out.tolist() == [3, 5]


def test_what_is_no_argument_is_named():
    out = np.zeros(2)
    with pytest.raises(LaunchError, match=r"pair is a list; expected .*; np.array\(…\) makes an array of it, tuple"):
        changes_its_tuple[1, 1](out, [1, 1])
    with pytest.raises(LaunchError, match=r"pair\[1\] is a str; expected an array, a number or a tuple of them$"):
        changes_its_tuple[1, 1](out, (1, "1"))
    with pytest.raises(KernelError, match=r"pair\[1\] of a tuple of 1; its indices are 0 … 0"):
        changes_its_tuple[1, 1](out, (1,))
    with pytest.raises(KernelError, match=r"pair\[1\] of a tuple without parts"):
        changes_its_tuple[1, 1](out, ())


@cuda.jit
def numbered(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = i + cuda.blockDim.x * 100


@pytest.mark.parametrize(("options", "threads"), [((), 128), ((0,), 128), ((4,), 4), ((2, cuda.stream(), 64), 2)])
def test_forall_takes_threads_of_a_block(options, threads):
    out = np.zeros(5, np.int64)
    numbered.forall(5, *options)(out)
    assert out.tolist() == [i + threads * 100 for i in range(5)]
    numbered.forall(ntasks=5, tpb=threads)(out)


def test_forall_of_no_tasks_launches_nothing():
    out = np.zeros(5, np.int64)
    numbered.forall(0)(out)
    assert not out.any()


def test_forall_names_what_it_cannot_take():
    with pytest.raises(LaunchError, match=r"^numbered: ntasks of forall is -1; expected an integer from 0 on$"):
        numbered.forall(-1)
    with pytest.raises(LaunchError, match=r"^numbered: tpb of forall is 2\.5; expected an integer from 0 on$"):
        numbered.forall(3, tpb=2.5)
    with pytest.raises(LaunchError, match=r"^numbered: bytes of shared memory is 'a'; expected an integer from 0 on$"):
        numbered[1, 1, 0, "a"]


@cuda.jit
def turned_round(out):
    i, grid = cuda.grid(1), cuda.cg.this_grid()
    tile = cuda.shared.array(8, np.int64)
    tile[i] = i
    grid.sync()
    out[i] = tile[7 - i]


def test_a_grid_of_one_block_waits_for_itself():
    out = np.zeros(8, np.int64)
    turned_round[1, 8](out)
    assert out.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_a_grid_of_several_blocks_cannot_wait():
    with pytest.raises(KernelError, match="the 2 blocks of this grid do not wait for each other here") as caught:
        turned_round[2, 4](np.zeros(8, np.int64))
    assert "grid.sync()" in str(caught.value)
    with pytest.raises(KernelError, match=r"cuda\.cg\.this_grid was called outside a kernel"):
        cuda.cg.this_grid()
