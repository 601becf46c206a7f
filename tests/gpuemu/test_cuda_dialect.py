"""The dialect of Numba's CUDA, construct by construct: slices, loops, tuples, complex numbers, blocks, the host."""

import cmath
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import cuda
from gpuemu.cuda import KernelError, KernelHazardError, float32, float64, int32
from gpuemu.errors import LaunchError

STEPS = ((0, 1), (1, 0), (2, -1))
NUMBERS = (3, 1, 4, 1, 5)
HALVES = (0.5, 1.5, 2.5)
TABLE = np.arange(12, dtype=np.int16).reshape(3, 4) ** 2
QUICK = settings(max_examples=30, deadline=None)


def run(kernel, *arguments, lanes=1, dtype=np.float64, size=8):
    """What a kernel writes into its first argument."""
    out = np.zeros(size, dtype)
    kernel[1, lanes](out, *arguments)
    return out


# --- arrays ----------------------------------------------------------------------------------------------------------


@cuda.jit
def parts(out, a, low, high):
    i = cuda.grid(1)
    part = a[low:high]
    if i < len(part):
        out[0, i] = part[i]
    out[1, 0] = part.shape[0] + 100 * part.size
    every = a[low:high:2]
    if i < every.size:
        out[2, i] = every[i]
    middle = a[1:-1][1:]
    if i < len(middle):
        out[3, i] = middle[i]
    turned = a[::-1]
    out[4, i] = turned[i]


@QUICK
@given(st.integers(-12, 12), st.integers(-12, 12))
def test_slices_are_pythons(low, high):
    a = np.arange(8) ** 2 + 1
    out = np.zeros((5, 8), np.int64)
    parts[1, 8](out, a, low, high)
    wanted = np.zeros_like(out)
    for row, part in enumerate((a[low:high], [], a[low:high:2], a[1:-1][1:], a[::-1])):
        wanted[row, : len(part)] = part
    wanted[1, 0] = 101 * len(a[low:high])
    assert out.tolist() == wanted.tolist()


def test_slices_of_several_axes_and_indices_from_the_end():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        block = a[1:3, ::2]
        column = block[:, -1]
        out[i] = column[i] + a[-1, -2] + block.shape[1] * 1000 + a[-2][1:][0] * 10000

    a = np.arange(20).reshape(4, 5)
    found = run(kernel, a, lanes=2, dtype=np.int64)[:2]
    assert found.tolist() == [int(a[1 + i, 4] + a[-1, -2] + 3000 + a[-2, 1] * 10000) for i in range(2)]


def test_parts_of_arrays_are_filled_and_copied():
    @cuda.jit
    def kernel(a, b, start):
        a[0, :] = 7
        a[1, 1:3] = b[2, :2]
        a[2:, 0] = -1
        a[3, start : start + 2] = 9

    a, b = np.zeros((4, 4), np.int64), np.arange(12).reshape(3, 4)
    wanted = a.copy()
    wanted[0], wanted[1, 1:3], wanted[2:, 0], wanted[3, 1:3] = 7, b[2, :2], -1, 9
    kernel[1, 1](a, b, 1)
    assert a.tolist() == wanted.tolist()


def test_an_index_that_leaves_a_part_is_reported_although_the_memory_goes_on():
    @cuda.jit
    def kernel(out, a, n):
        part = a[2:n]
        out[0] = part[cuda.grid(1)]

    with pytest.raises(KernelHazardError, match=r"reads a with index 3 on axis 0"):
        kernel[1, 4](np.zeros(1), np.zeros(9), 5)


def test_an_index_that_is_computed_does_not_count_from_the_end():
    @cuda.jit
    def kernel(out, a):
        out[0] = a[cuda.grid(1) - 1]

    with pytest.raises(KernelHazardError, match="reads element -1 of a"):
        kernel[1, 2](np.zeros(1), np.zeros(4))


def test_strided_arrays_of_the_host():
    @cuda.jit
    def kernel(out, a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[i, j] = a[i, j] * a.ndim + a.size

    whole = np.arange(60, dtype=np.float32).reshape(6, 10)
    for view in (whole.T, whole[::2, 1::3], whole[::-1], whole.reshape(3, 2, 10)[:, 1, ::-2]):
        out = np.zeros(view.shape, np.float32)
        kernel[(2, 2), (8, 8)](out, view)
        assert np.array_equal(out, view * 2 + view.size)


def test_constant_arrays_are_as_they_were_when_the_kernel_was_translated():
    table = np.array([1.0, 2.0, 4.0], np.float32)

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        weights = cuda.const.array_like(table)
        squares = cuda.const.array_like(TABLE)
        out[i] = weights[i] + squares[i, -1] + cuda.const.array_like(TABLE.T)[3, i]

    launch, out = kernel[1, 3], np.zeros(3)
    wanted = [float(table[i]) + 2 * int(TABLE[i, 3]) for i in range(3)]
    launch(out)
    assert out.tolist() == wanted
    table[0] = 99
    launch(out)
    assert out.tolist() == wanted


def test_a_constant_is_not_written():
    @cuda.jit
    def kernel(out):
        table = cuda.const.array_like(TABLE)
        table[0, 0] = 1

    with pytest.raises(KernelError, match="TABLE is read-only"):
        kernel[1, 1](np.zeros(1))


def test_shared_and_local_arrays_of_constant_expressions():
    n = 3

    @cuda.jit
    def kernel(out):
        tile = cuda.shared.array(shape=(n + 1, 2 * n), dtype=int32)
        mine = cuda.local.array(n * n - 1, float64)
        i = cuda.threadIdx.x
        for k in range(len(mine)):
            mine[k] = k * i
        tile[-1, i] = tile.shape[0] * 10 + tile.shape[1]
        cuda.syncthreads()
        out[i] = tile[n, n - i] + mine[-1]

    assert run(kernel, lanes=4)[:4].tolist() == [46, 53, 60, 67]


def test_two_arrays_of_shared_memory_given_by_the_launch():
    @cuda.jit
    def kernel(out):
        tile = cuda.shared.array(0, dtype=float32)
        i = cuda.threadIdx.x
        tile[i] = i * i
        cuda.syncthreads()
        out[i] = tile[cuda.blockDim.x - 1 - i]

    out = np.zeros(4)
    kernel[1, 4, cuda.stream(), 4 * 4](out)
    assert out.tolist() == [9, 4, 1, 0]


# --- loops and names -------------------------------------------------------------------------------------------------


@cuda.jit
def loops(out, a):
    for dr, dc in STEPS:
        out[0] += dr * 10 + dc
    for number in (2.5, 3, -1):
        out[1] += number
    for k, x in enumerate(a):
        out[2] += k * x
    for k, (x, y) in enumerate(zip(a, a[::-1])):  # noqa: B905 (Numba's zip has no strict)
        if k == 1:
            continue
        if k > 2:
            break
        out[3] += (k + 1) * x * y
    for k in range(-3):
        out[4] += k + 1
    for k, j in zip(range(10, 0, -3), range(len(a))):  # noqa: B905
        out[5] += k * j
    for x in ():
        out[6] += x
    for k, x in enumerate((7, 8), 5):
        out[7] += k * x


def test_loops_over_tuples_arrays_enumerate_and_zip():
    a = np.array([3.0, 5.0, 7.0, 11.0])
    wanted = [
        sum(r * 10 + c for r, c in STEPS),
        4.5,
        sum(k * x for k, x in enumerate(a)),
        sum((k + 1) * x * y for k, (x, y) in list(enumerate(zip(a, a[::-1], strict=True)))[:3] if k != 1),
        0,
        sum(k * j for k, j in zip(range(10, 0, -3), range(4), strict=True)),
        0,
        5 * 7 + 6 * 8,
    ]
    assert run(loops, a).tolist() == wanted


def test_rows_of_an_array_in_a_loop():
    @cuda.jit
    def kernel(out, a):
        for k, row in enumerate(a):
            for x in row[1:]:
                out[k] += x

    a = np.arange(12.0).reshape(3, 4)
    assert run(kernel, a)[:3].tolist() == a[:, 1:].sum(1).tolist()


def test_a_tuple_of_numbers_at_the_index_of_a_lane():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        out[i] = NUMBERS[i] * HALVES[i % 3] + len(NUMBERS) + NUMBERS[-1] + NUMBERS[1:3][0]

    wanted = [NUMBERS[i] * HALVES[i % 3] + 5 + 5 + 1 for i in range(5)]
    assert run(kernel, lanes=5)[:5].tolist() == wanted

    @cuda.jit
    def beyond(out):
        out[0] = NUMBERS[cuda.grid(1)]

    with pytest.raises(KernelHazardError, match="reads element 5 of NUMBERS, which has 5 elements"):
        beyond[1, 6](np.zeros(1))


def test_the_walrus_gives_and_keeps():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if (x := a[i]) > 2 and (y := x * 2) < 9:
            out[i] = y
        n = 0
        while (n := n + 1) < 3:
            out[i] += n

    assert run(kernel, np.array([1.0, 3.0, 5.0]), lanes=3)[:3].tolist() == [3.0, 9.0, 3.0]


def test_what_was_read_before_a_walrus_stays():
    @cuda.jit
    def kernel(out, n):
        a = n
        a = a + 1
        out[0] = 1 < a < (a := 30)
        out[1] = a + (a := 4)
        a += (a := 10)
        out[2] = a

    a = 6
    wanted = [1 < a < (a := 30), a + (a := 4)]
    a += (a := 10)
    assert run(kernel, 5)[:3].tolist() == [*wanted, a]


def test_tuples_that_change():
    @cuda.jit
    def kernel(out, a):
        best = (-1, 0.0)
        pair = 1, (2, 3)
        for k in range(len(a)):
            if a[k] > best[1]:
                best = (k, a[k])
            pair = pair[1][0], (pair[1][1], pair[0] + 10)
        out[0], out[1] = best
        out[2] = pair[0] * 10000 + pair[1][0] * 100 + pair[1][1]

    a, pair = np.array([2.0, 9.5, 4.0]), (1, (2, 3))
    for _ in a:
        pair = pair[1][0], (pair[1][1], pair[0] + 10)
    assert run(kernel, a)[:3].tolist() == [1, 9.5, pair[0] * 10000 + pair[1][0] * 100 + pair[1][1]]


@cuda.jit
def complex_arithmetic(out, x, y):
    z, w = complex(x, y), 0.5 - 2j
    results = (z + w, z - w, z * w, z / w, -z, z**3, 2 * z, z + 1.5)
    for k in range(3):
        w = w * z + k
    out[16], out[17] = w.real, w.imag
    out[18] = abs(z)
    out[0], out[1] = results[0].real, results[0].imag
    out[2], out[3] = results[1].real, results[1].imag
    out[4], out[5] = results[2].real, results[2].imag
    out[6], out[7] = results[3].real, results[3].imag
    out[8], out[9] = results[4].real, results[4].imag
    out[10], out[11] = results[5].real, results[5].imag
    out[12], out[13] = results[6].real, results[6].imag
    out[14], out[15] = results[7].real, results[7].imag


def test_complex_numbers():
    z, w = complex(1.25, -0.75), 0.5 - 2j
    wanted = [part for v in (z + w, z - w, z * w, z / w, -z, z**3, 2 * z, z + 1.5) for part in (v.real, v.imag)]
    for k in range(3):
        w = w * z + k
    found = run(complex_arithmetic, z.real, z.imag, size=19)
    assert np.allclose(found, [*wanted, w.real, w.imag, abs(z)], rtol=1e-15)
    assert cmath.isfinite(w)


# --- blocks ----------------------------------------------------------------------------------------------------------


def test_a_barrier_that_counts():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        for k in range(2):
            out[0, i] += cuda.syncthreads_count(a[i] > k)
        out[1, i] = cuda.syncthreads_and(a[i] > 0)
        out[2, i] = cuda.syncthreads_or(a[i] > 8)

    a = np.arange(1, 9)
    out = np.zeros((3, 8), np.int32)
    kernel[1, 8](out, a, checks="all")
    assert out.tolist() == [[15] * 8, [1] * 8, [0] * 8]


def test_a_barrier_that_counts_is_for_all_lanes():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < 3:
            out[i] = cuda.syncthreads_count(1)

    with pytest.raises(KernelHazardError, match=r"out\[i\] = cuda.syncthreads_count\(1\)"):
        kernel[1, 4](np.zeros(4))


def test_masks_of_lanes_below():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        votes = cuda.ballot_sync(0xFFFFFFFF, a[i] > 0)
        if a[i] > 0:
            out[cuda.popc(votes & cuda.lanemask_lt())] = a[i]
        cuda.threadfence()
        cuda.threadfence_block()
        cuda.threadfence_system()

    a = np.where(np.arange(32) % 3 == 1, np.arange(32), -1)
    found = run(kernel, a, lanes=32, size=32)
    assert found[: (a > 0).sum()].tolist() == a[a > 0].tolist()


def test_atomics_give_the_old_value_and_work_in_shared_memory():
    @cuda.jit
    def kernel(out, counts):
        i = cuda.grid(1)
        shared = cuda.shared.array(2, int32)
        if i < 2:
            shared[i] = 10 * i
        cuda.syncthreads()
        out[i] = cuda.atomic.add(shared, i % 2, 1)
        cuda.atomic.max(counts, (0, 1), shared[i % 2])

    counts = np.zeros((1, 2), np.int64)
    assert run(kernel, counts, lanes=4)[:4].tolist() == [0, 10, 1, 11]
    assert counts.tolist() == [[0, 12]]


def test_the_axes_of_a_grid():
    @cuda.jit
    def kernel(out):
        x, y = cuda.grid(2)
        assert_x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if x < out.shape[0] and y < out.shape[1]:
            out[x, y] = (x == assert_x) * (x + 10 * y) + 100 * cuda.gridsize(2)[0]

    out = np.zeros((5, 3), np.int64)
    kernel[(3, 1), (2, 4)](out)
    assert out.tolist() == [[x + 10 * y + 600 for y in range(3)] for x in range(5)]


def test_a_chain_of_comparisons_computes_its_middle_once():
    @cuda.jit
    def kernel(out, counter):
        i = cuda.grid(1)
        out[i] = 0 <= cuda.atomic.add(counter, 0, 1) < 2 != i

    counter = np.zeros(1, np.int32)
    assert run(kernel, counter, lanes=4)[:4].tolist() == [1, 1, 0, 0]
    assert counter[0] == 4


# --- device functions ------------------------------------------------------------------------------------------------


def test_parameters_of_device_functions_by_name_and_default():
    @cuda.jit("float64(float64, float64, float64)", device=True, inline=True)
    def affine(x, /, scale=2.0, offset=1):
        return x * scale + offset

    @cuda.jit
    def kernel(out):
        pair = (3.0, 4.0)
        out[0], out[1] = affine(5.0), affine(5.0, offset=0)
        out[2], out[3] = affine(1.0, offset=2, scale=7.0), affine(*pair)

    assert run(kernel)[:4].tolist() == [11, 10, 9, 13]
    assert affine.py_func(5.0) == 11


# --- the host --------------------------------------------------------------------------------------------------------


@cuda.jit("void(float32[:], float32)", fastmath=True)
def doubled(a, by):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i] *= by


def test_streams_events_and_pinned_memory():
    stream = cuda.stream()
    start, end = cuda.event(timing=True), cuda.event()
    host = cuda.pinned_array(6, np.float32)
    host[:] = np.arange(6)
    with cuda.pinned(host), stream.auto_synchronize():
        start.record(stream)
        device = cuda.to_device(host, stream=stream)
        doubled[2, 3, stream](device, 2)
        end.record(stream)
        device.copy_to_host(host, stream=stream)
    stream.synchronize()
    end.synchronize()
    cuda.synchronize()
    assert cuda.event_elapsed_time(start, end) > 0
    assert host.tolist() == [0, 2, 4, 6, 8, 10]
    assert cuda.is_available()
    assert cuda.warpsize == cuda.get_current_device().WARP_SIZE


def test_device_arrays_are_reshaped_cut_and_filled():
    device = cuda.to_device(np.arange(12.0).reshape(3, 4))
    assert device.reshape(4, 3).shape == device.T.shape == (4, 3)
    assert device.ravel()[2:5].copy_to_host().tolist() == [2, 3, 4]
    device[1] = 0
    device[0, :2] = cuda.to_device([7.0, 8.0])
    assert device.copy_to_host().sum() == 7 + 8 + 2 + 3 + 8 + 9 + 10 + 11
    other = cuda.device_array_like(device)
    cuda.to_device(device.copy_to_host(), to=other)
    assert np.array_equal(other.copy_to_host(), device.copy_to_host())
    doubled[4, 3](device.ravel(), 2)
    with pytest.raises(LaunchError, match=re.escape("copy_to_device: got an array (2,); expected (3, 4)")):
        device.copy_to_device(np.zeros(2))


def test_a_random_index_into_a_constant_inside_a_loop_and_an_if():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        for k in range(3):
            if a[i] > k:
                table = cuda.const.array_like(TABLE)
                out[i] += table[k, a[i] % 4] + NUMBERS[k]

    a = np.array([0, 1, 2, 5])
    wanted = [sum(int(TABLE[k, x % 4]) + NUMBERS[k] for k in range(min(3, x))) for x in a.tolist()]
    assert run(kernel, a, lanes=4)[:4].tolist() == wanted
