"""Tensor cores in the Python front end: fragments, single registers, ldmatrix."""

import numpy as np
import pytest

from gpuemu import cuda
from gpuemu.cuda import KernelError, KernelHazardError, float16, wmma


def gemm(name, m, n, k):
    """A matrix product, a warp to a tile."""

    @cuda.jit
    def kernel(out, a, b):
        row = cuda.blockIdx.y * m
        column = cuda.blockIdx.x * n
        left = wmma.fragment("a", name)
        right = wmma.fragment("b", name)
        total = wmma.fragment("c", name)
        wmma.fill_fragment(total, 0.0)
        for step in range(0, a.shape[1], k):
            wmma.load_matrix_sync(left, a, row, step)
            wmma.load_matrix_sync(right, b, step, column)
            wmma.mma_sync(total, left, right, total)
        wmma.store_matrix_sync(out, row, column, total)

    return kernel


@pytest.mark.parametrize(
    ("name", "m", "n", "k", "dtype"),
    [
        ("m16n8k16", 16, 8, 16, np.float16),
        ("simdgroup.8x8x8", 8, 8, 8, np.float16),
        ("gfx1100.wmma_f32_16x16x16_f16.w32", 16, 16, 16, np.float16),
        ("m16n8k32.s32.s8", 16, 8, 32, np.int8),
    ],
)
def test_matrix_product_by_fragments(name, m, n, k, dtype):
    rng = np.random.default_rng(m * n)
    a = rng.integers(-3, 4, (2 * m, 3 * k)).astype(dtype)
    b = rng.integers(-3, 4, (3 * k, 2 * n)).astype(dtype).T.copy().T  # column-major
    out = np.zeros((2 * m, 2 * n), np.int32 if dtype == np.int8 else np.float32)
    gemm(name, m, n, k)[(2, 2), 32](out, a, b)
    assert np.array_equal(out, a.astype(int) @ b.astype(int))


def test_registers_by_number():
    @cuda.jit
    def kernel(out):
        left = wmma.fragment("a", "m16n8k16")
        right = wmma.fragment("b", "m16n8k16")
        total = wmma.fragment("c", "m16n8k16")
        lane = cuda.threadIdx.x
        for_row = lane // 4
        left[0] = 1.0 if lane % 4 == 0 else 0.0
        right[0] = lane + 1 if lane % 4 == 0 else 0
        total[1] += 5
        wmma.mma_sync(total, left, right, total)
        out[lane, 0] = total[0]
        out[lane, 1] = total[1] + for_row * 0

    out = np.zeros((32, 2), np.float32)
    kernel[1, 32](out)
    # A[row, 0] = 1, B[0, column] = 4·column + 1: so C[row, 2t + i] = 4·(2t + i) + 1, and 5 more in register 1
    lanes = np.arange(32) % 4
    assert out.tolist() == np.stack([8 * lanes + 1, 8 * lanes + 5 + 5], 1).tolist()


def test_ldmatrix_fills_the_fragment_of_a():
    @cuda.jit
    def kernel(out, a, b):
        tile = cuda.shared.array((16, 16), float16)
        lane = cuda.threadIdx.x
        for i in range(lane, 256, 32):
            tile[i // 16, i % 16] = a[i // 16, i % 16]
        cuda.syncthreads()
        left = wmma.fragment("a", "m16n8k16")
        right = wmma.fragment("b", "m16n8k16")
        total = wmma.fragment("d", "m16n8k16")
        wmma.ldmatrix(left, "ldmatrix.x4", tile, lane % 16, lane // 16 * 8)
        wmma.load_matrix_sync(right, b, 0, 0)
        wmma.mma_sync(total, left, right, total)
        wmma.store_matrix_sync(out, 0, 0, total)

    rng = np.random.default_rng(1)
    a, b = rng.integers(-8, 9, (16, 16)).astype(np.float16), rng.integers(-8, 9, (16, 8)).astype(np.float16)
    out = np.zeros((16, 8), np.float32)
    kernel[1, 32](out, a, b)
    assert np.array_equal(out, a.astype(int) @ b.astype(int))


def test_a_tile_that_reaches_over_the_edge_is_out_of_bounds():
    a, b = np.zeros((16, 16), np.float16), np.zeros((16, 8), np.float16)
    with pytest.raises(KernelHazardError, match=r"wmma\.load_matrix_sync"):
        gemm("m16n8k16", 16, 8, 16)[(1, 2), 32](np.zeros((32, 8), np.float32), a, b)


@cuda.jit
def wrong_types(out, a):
    left = wmma.fragment("a", "m16n8k16")
    wmma.load_matrix_sync(left, a, 0, 0)


@cuda.jit
def wrong_operand(out, a):
    right = wmma.fragment("b", "m16n8k16")
    wmma.mma_sync(right, right, right, right)


@cuda.jit
def two_instructions(out, a):
    left, right = wmma.fragment("a", "m16n8k16"), wmma.fragment("b", "m16n8k8")
    total = wmma.fragment("c", "m16n8k16")
    wmma.mma_sync(total, left, right, total)


@cuda.jit
def unknown_instruction(out, a):
    wmma.fragment("a", "m16n8k17")


@cuda.jit
def wide_wave(out, a):
    wmma.fragment("a", "v_mfma_f32_16x16x16f16")


@cuda.jit
def register_by_variable(out, a):
    left = wmma.fragment("a", "m16n8k16")
    left[cuda.threadIdx.x] = 1


@cuda.jit
def operand_e(out, a):
    wmma.fragment("e", "m16n8k16")


@cuda.jit
def one_axis(out, a):
    left = wmma.fragment("a", "m16n8k16")
    wmma.load_matrix_sync(left, a[0], 0, 0)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (wrong_types, "a holds float32; a of m16n8k16 takes float16"),
        (wrong_operand, "got a fragment of b; expected a fragment of c or d"),
        (two_instructions, "fragments of m16n8k16 and m16n8k8; all four are of one instruction"),
        (unknown_instruction, "no tensor-core instruction has the name 'm16n8k17'"),
        (wide_wave, "v_mfma_f32_16x16x16f16 has 64 lanes, and a warp here 32"),
        (register_by_variable, "register int32 of a fragment; a lane holds 0 … 7, by known numbers"),
        (operand_e, "expected 'a', 'b', 'c' or 'd', and a name"),
        (one_axis, "got an array; expected an array of two axes"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_fragments_that_do_not_fit(kernel, message):
    with pytest.raises(KernelError) as error:
        kernel[1, 32](np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32))
    assert message in str(error.value)
