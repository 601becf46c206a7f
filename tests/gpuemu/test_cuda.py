"""The dialect of Numba's CUDA: what Python means, computed by every lane."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import UOps, cuda, dtypes
from gpuemu.cuda import float32, int32
from gpuemu.errors import LaunchError

SCALE = 3
OFFSETS = (10, 20)


def test_global_numbers_and_tuples_are_constants():
    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        out[i] = i * SCALE + OFFSETS[1]

    out = np.zeros(3, np.int32)
    kernel[1, 3](out)
    assert out.tolist() == [20, 23, 26]


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[1:, ::-1], lambda x: x[:, :1]])
def test_arrays_of_any_strides_are_read_and_written_in_place(view):
    @cuda.jit
    def kernel(out, a):
        row, column = cuda.grid(2)
        if row < a.shape[0] and column < a.shape[1]:
            out[row, column] = a[row, column] + 1

    x = np.arange(30, dtype=np.float32).reshape(5, 6)
    target = np.zeros((5, 6), np.float32)
    kernel[(2, 2), (4, 4)](view(target), view(x))
    assert np.array_equal(view(target), view(x) + 1)
    assert np.count_nonzero(target) == view(x).size


def test_short_circuit_guards_an_access():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if i < a.size and a[i] > 2:
            out[i] = 1
        if i >= a.size or a[i] < 2:
            out[i] = 2

    out = np.zeros(6, np.int32)
    kernel[1, 6](out, np.array([1, 2, 3, 4], np.int32))
    assert out.tolist() == [2, 0, 1, 1, 2, 2]


def test_a_conditional_expression_reads_on_one_side_alone():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        out[i] = a[i] if i < a.size else -1

    out = np.zeros(4, np.int32)
    kernel[1, 4](out, np.array([5, 6], np.int32))
    assert out.tolist() == [5, 6, -1, -1]


def test_and_or_give_their_operands_as_in_python():
    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        out[i, 0] = a[i] or 7
        out[i, 1] = a[i] and 7

    a = np.array([0, 3, -1], np.int32)
    out = np.zeros((3, 2), np.int32)
    kernel[1, 3](out, a)
    assert out.tolist() == [[int(x) or 7, int(x) and 7] for x in a]


@settings(max_examples=20, deadline=None)
@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-4, 4).filter(bool))
def test_ranges_count_as_in_python(start, end, step):
    found = np.zeros(1, np.int64)
    ranged[1, 1](found, start, end, step)
    wanted = 0
    for i in range(start, end, step):
        wanted = wanted * 3 + i
    assert found[0] == wanted


@cuda.jit
def ranged(out, start, end, step):
    total = 0
    for i in range(start, end, step):
        total = total * 3 + i
    out[0] = total


@cuda.jit
def arithmetic(out, x, y):
    out[0] = x // y
    out[1] = x % y
    out[2] = x / y
    out[3] = x * y - x + y
    out[4] = abs(x)
    out[5] = min(x, y, 3)
    out[6] = max(x, y, 3)
    out[7] = -x
    out[8] = (x < y) + (x <= y) * 2 + (x == y) * 4 + (x != y) * 8 + (x >= y) * 16
    out[9] = -3 < x <= y
    out[10] = x**3
    out[11] = not x


@settings(max_examples=30, deadline=None)
@given(st.integers(-20, 20), st.integers(-20, 20).filter(bool), st.booleans())
def test_arithmetic_is_pythons(x, y, floats):
    if floats:
        x, y = x / 2, y / 4
    out = np.zeros(12, np.float64)
    arithmetic[1, 1](out, x, y)
    wanted = [
        *(x // y, x % y, x / y, x * y - x + y, abs(x), min(x, y, 3), max(x, y, 3), -x),
        (x < y) + (x <= y) * 2 + (x == y) * 4 + (x != y) * 8 + (x >= y) * 16,
        *(-3 < x <= y, x**3, not x),
    ]
    assert np.allclose(out, np.array(wanted, float), rtol=1e-12, atol=1e-12)


def test_bits_of_integers():
    @cuda.jit
    def kernel(out, x):
        out[0] = x & 6
        out[1] = x | 8
        out[2] = x ^ 5
        out[3] = ~x
        out[4] = x << 2
        out[5] = x >> 1
        out[6] = cuda.popc(x)

    out = np.zeros(7, np.int64)
    kernel[1, 1](out, 13)
    assert out.tolist() == [13 & 6, 13 | 8, 13 ^ 5, ~13, 13 << 2, 13 >> 1, 3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_math(dtype):
    @cuda.jit
    def kernel(out, x):
        i = cuda.threadIdx.x
        out[0, i] = math.sqrt(x[i])
        out[1, i] = math.exp(-x[i])
        out[2, i] = math.log(x[i])
        out[3, i] = math.sin(x[i])
        out[4, i] = math.cos(x[i])
        out[5, i] = math.tanh(x[i])
        out[6, i] = math.floor(-x[i])
        out[7, i] = math.ceil(x[i])
        out[8, i] = x[i] ** 0.5
        out[9, i] = math.pow(x[i], 1.5)
        out[10, i] = math.log2(x[i]) + math.log10(x[i])
        out[11, i] = math.fabs(-x[i]) + math.pi

    x = np.array([0.25, 1.5, 3.0, 7.75], dtype)
    out = np.zeros((12, 4), dtype)
    kernel[1, 4](out, x)
    w = x.astype(np.float64)
    wanted = [
        *(np.sqrt(w), np.exp(-w), np.log(w), np.sin(w), np.cos(w), np.tanh(w), np.floor(-w), np.ceil(w)),
        *(np.sqrt(w), w**1.5, np.log2(w) + np.log10(w), w + math.pi),
    ]
    assert np.allclose(out, wanted, rtol=4 * np.finfo(dtype).eps, atol=4 * np.finfo(dtype).eps)


def test_a_number_in_the_source_takes_the_type_that_it_meets():
    @cuda.jit
    def kernel(out, x):
        total = 0.0
        for i in range(4):
            total += 2 * x[i]
        out[0] = total

    program = kernel[1, 1].program(np.zeros(1, np.float32), np.zeros(4, np.float32))
    assert dtypes.float64 not in {line.dtype for line in program.lines}


def test_a_variable_takes_the_type_in_which_its_values_meet():
    @cuda.jit
    def kernel(out, x, n):
        value = 1
        if n > 0:
            value = x[0]
        out[0] = value / 2

    out = np.zeros(1, np.float64)
    kernel[1, 1](out, np.array([0.5]), 1)
    assert out[0] == 0.25
    kernel[1, 1](out, np.array([0.5]), 0)
    assert out[0] == 0.5


def test_while_break_continue():
    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        n = 0
        total = 0
        while True:
            n += 1
            if n % 2 == 0:
                continue
            if n > 2 * i + 3:
                break
            total += n
        out[i] = total

    out = np.zeros(5, np.int64)
    kernel[1, 5](out)
    assert out.tolist() == [sum(range(1, 2 * i + 4, 2)) for i in range(5)]


def test_a_return_leaves_loops_and_ifs():
    @cuda.jit
    def kernel(out, a):
        i = cuda.threadIdx.x
        for row in range(3):
            for column in range(4):
                if a[row, column] == i:
                    out[i] = row * 10 + column
                    return
        if i == 13:
            if a[0, 0] == 5:
                return
            out[i] = -2
        out[i] = out[i] - 1

    a = np.random.default_rng(0).permutation(12).reshape(3, 4)
    out = np.zeros(14, np.int64)
    kernel[1, 14](out, a)
    wanted = [int(np.argwhere(a == i)[0] @ [10, 1]) for i in range(12)]
    assert out.tolist() == [*wanted, -1, -3 if a[0, 0] != 5 else 0]


def test_device_functions_are_inlined_with_variables_of_their_own():
    @cuda.jit(device=True)
    def sign(x):
        if x < 0:
            return -1
        if x == 0:
            return 0
        return 1

    @cuda.jit(device=True)
    def swapped(x, y):
        total = x
        total += y
        return y, total

    @cuda.jit
    def kernel(out, a):
        i = cuda.threadIdx.x
        total = 100
        left, both = swapped(a[i], total)
        out[i] = sign(a[i]) * 1000 + left + both

    a = np.array([-2, 0, 3], np.int64)
    out = np.zeros(3, np.int64)
    kernel[1, 3](out, a)
    assert out.tolist() == [int(np.sign(x)) * 1000 + 100 + x + 100 for x in a.tolist()]


def test_tuples_swap_and_unpack():
    @cuda.jit
    def kernel(out):
        a, b = 1, 2
        a, b = b, a
        (c, d), e = (a + 1, b + 1), 5
        out[0], out[1], out[2] = a * 10 + b, c * 10 + d, e

    out = np.zeros(3, np.int64)
    kernel[1, 1](out)
    assert out.tolist() == [21, 32, 5]


def test_a_name_keeps_the_value_that_it_was_given():
    @cuda.jit
    def kernel(out):
        x = 1
        x += 1
        before = x
        x += 10
        out[0] = before
        out[1] = x

    out = np.zeros(2, np.int64)
    kernel[1, 1](out)
    assert out.tolist() == [2, 12]


def test_rows_and_transposes_of_arrays():
    @cuda.jit
    def kernel(out, a):
        i = cuda.threadIdx.x
        row = a[i]
        out[i] = row[1] + a.T[0, i] + a[:, 2][i] + len(a) + a.ndim

    a = np.arange(12, dtype=np.int32).reshape(4, 3) ** 2
    out = np.zeros(4, np.int32)
    kernel[1, 4](out, a)
    assert out.tolist() == (a[:, 1] + a[:, 0] + a[:, 2] + 4 + 2).tolist()


def test_scalars_of_every_kind():
    @cuda.jit
    def kernel(out, a, b, c, d):
        out[0] = a + b + c
        out[1] = 1 if d else 2

    out = np.zeros(2, np.float64)
    kernel[1, 1](out, 2, 0.5, np.float32(0.25), False)
    assert out.tolist() == [2.75, 2]


def test_local_arrays_belong_to_the_lane():
    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        mine = cuda.local.array((2, 2), int32)
        for k in range(4):
            mine[k // 2, k % 2] = i * 10 + k
        cuda.syncthreads()
        out[i] = mine[1, 0]

    out = np.zeros(4, np.int32)
    kernel[1, 4](out)
    assert out.tolist() == [2, 12, 22, 32]


def test_shared_memory_of_the_launch():
    @cuda.jit
    def kernel(out):
        tile = cuda.shared.array(0, float32)
        i = cuda.threadIdx.x
        tile[i] = i
        cuda.syncthreads()
        out[i] = tile[tile.size - 1 - i]

    out = np.zeros(4, np.float32)
    kernel[1, 4, 0, 16](out)
    assert out.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("add", [1, 2, 3, 4], 15),
        ("sub", [1, 2, 3, 4], -5),
        ("max", [3, 9, 2, 4], 9),
        ("min", [3, 9, -2, 4], -2),
        ("and_", [7, 6, 13, 15], 4),
        ("or_", [1, 2, 8, 0], 15 & 15 | 5),
        ("xor", [1, 2, 4, 8], 10),
    ],
)
def test_atomics(name, values, wanted):
    change = getattr(cuda.atomic, name)

    @cuda.jit
    def kernel(total, a):
        change(total, (0, 0), a[cuda.grid(1)])

    total = np.full((1, 1), 5, np.int64)
    kernel[2, 2](total, np.array(values, np.int64))
    expected = {"or_": 5 | 1 | 2 | 8, "and_": 5 & 7 & 6 & 13 & 15, "xor": 5 ^ 1 ^ 2 ^ 4 ^ 8}.get(name, wanted)
    assert total[0, 0] == expected


def test_exchange_and_compare_and_swap_give_the_old_value():
    @cuda.jit
    def kernel(lock, out):
        i = cuda.threadIdx.x
        out[i] = cuda.atomic.cas(lock, 0, 0, i + 1)
        out[4 + i] = cuda.atomic.exch(lock, 1, i)
        cuda.atomic.compare_and_swap(lock, 1, 9)

    lock, out = np.array([0, 7], np.int64), np.zeros(8, np.int64)
    kernel[1, 4](lock, out)
    assert lock.tolist() == [9, 3]
    assert out.tolist() == [0, 1, 1, 1, 7, 0, 1, 2]


def test_shuffles_and_votes():
    @cuda.jit
    def kernel(out, a):
        i = cuda.threadIdx.x
        x = a[i]
        out[0, i] = cuda.shfl_down_sync(0xFFFFFFFF, x, 1)
        out[1, i] = cuda.shfl_up_sync(-1, x, 2)
        out[2, i] = cuda.shfl_xor_sync(0xFFFFFFFF, x, 16)
        out[3, i] = cuda.shfl_sync(0xFFFFFFFF, x, 5)
        out[4, i] = cuda.ballot_sync(0xFFFFFFFF, x > 16)
        out[5, i] = cuda.any_sync(0xFFFFFFFF, x == 3)
        out[6, i] = cuda.all_sync(0xFFFFFFFF, x > 0)
        if i < 4:
            out[7, i] = cuda.activemask()
        cuda.syncwarp()

    a = (np.random.default_rng(0).permutation(32) + 1).astype(np.int64)
    out = np.zeros((8, 32), np.int64)
    kernel[1, 32](out, a)
    lanes = np.arange(32)
    wanted = [
        a[np.minimum(lanes + 1, 31)],
        a[np.where(lanes >= 2, lanes - 2, lanes)],
        a[lanes ^ 16],
        np.full(32, a[5]),
        np.full(32, sum(1 << i for i in range(32) if a[i] > 16)),
        np.ones(32),
        np.ones(32),
        np.where(lanes < 4, 15, 0),
    ]
    assert out.tolist() == np.array(wanted, np.int64).tolist()


def test_positions_in_three_dimensions():
    @cuda.jit
    def kernel(out):
        x, y, z = cuda.grid(3)
        sx, sy, sz = cuda.gridsize(3)
        out[z, y, x] = (z * sy + y) * sx + x + cuda.blockDim.z * cuda.gridDim.y + cuda.laneid * 0 + sz * 0

    out = np.zeros((6, 4, 2), np.int64)
    kernel[(1, 2, 3), (2, 2, 2)](out)
    assert out.ravel().tolist() == (np.arange(48) + 4).tolist()


def test_device_arrays_are_copies_until_they_are_copied_back():
    @cuda.jit
    def kernel(a):
        a[cuda.grid(1)] += 1

    host = np.arange(4)
    device = cuda.to_device(host)
    kernel[1, 4](device)
    assert host.tolist() == [0, 1, 2, 3]
    assert device.copy_to_host().tolist() == [1, 2, 3, 4]
    device.copy_to_host(host)
    cuda.synchronize()
    assert host.tolist() == [1, 2, 3, 4]
    assert cuda.device_array_like(device).copy_to_host().tolist() == [0, 0, 0, 0]
    device.copy_to_device(np.zeros(4, host.dtype))
    assert (len(device), device[2], device[1:].shape) == (4, 0, (3,))
    with pytest.raises(LaunchError, match=r"copy_to_host: got an array \(2,\) of int32; expected \(4,\)"):
        device.copy_to_host(np.zeros(2, np.int32))


def test_types_of_numpy_by_name_and_of_the_array():
    @cuda.jit
    def kernel(out, a):
        tile = cuda.shared.array(4, dtype=a.dtype)
        wide = cuda.shared.array(shape=4, dtype="float64")
        i = cuda.threadIdx.x
        tile[i] = a[i]
        wide[i] = np.float64(a[i]) / 3
        cuda.syncthreads()
        out[i] = tile[3 - i] + wide[i] + int(2.7) + float32(0.5)

    a = np.arange(4, dtype=np.float32)
    out = np.zeros(4, np.float64)
    kernel[1, 4](out, a)
    assert np.allclose(out, a[::-1] + a.astype(np.float64) / 3 + 2.5)


def test_each_uop_remembers_its_line():
    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        out[i] = i * 5

    compiled = kernel[1, 4].compile(np.zeros(4, np.int32))
    (store,) = [n for n, line in enumerate(compiled.program.lines) if line.uop is UOps.STORE]
    assert compiled.where([store])[0].text.strip() == "out[i] = i * 5"


def test_a_picture_shows_each_line_above_what_it_became():
    @cuda.jit
    def kernel(out, n):
        i = cuda.threadIdx.x
        out[i] = i * n

    compiled = kernel[1, 4].compile(np.zeros(4, np.int32), 3)
    text = str(compiled.draw())
    lines = text.split("\n")
    assert "the arguments" in lines
    source = next(n for n, line in enumerate(lines) if line.endswith("out[i] = i * n"))
    store = next(n for n, line in enumerate(lines) if "STORE" in line)
    assert source < store
    assert "out[i] = i * n" in compiled._repr_html_()
    assert repr(compiled) == f"<Compiled kernel(out: int32, n: int64): {len(compiled.program.lines)} lines>"


def test_forall_gives_a_grid_of_enough_lanes():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = i

    out = np.zeros(300, np.int64)
    kernel.forall(out.size)(out)
    assert out.tolist() == list(range(300))


def test_a_kernel_is_translated_once_for_arguments_of_the_same_kinds():
    @cuda.jit
    def kernel(out, n):
        out[0] = n

    launch, out = kernel[1, 1], np.zeros(1, np.int64)
    assert launch.compile(out, 1) is launch.compile(out, 2)
    assert launch.compile(out, 1) is not launch.compile(out, 1.5)


def test_reprs():
    @cuda.jit(device=True)
    def helper(x):
        return x

    @cuda.jit("void(float32[:])")
    def kernel(out):
        out[0] = helper(1)

    assert (repr(kernel), repr(helper)) == ("<kernel kernel(out)>", "<device function helper(x)>")
    assert repr(cuda.syncthreads) == "<cuda.syncthreads>"
