"""The lockstep engine beside the interpreter it grew from (tinygrad 0.9.0), on the kernels that the tests check."""

import math
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import seed
from benchmarks.measure import cpu_seconds, human, table
from gpuemu import BinaryOps, Program, UOps, dtypes

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "gpuemu"))

import plain_kernels
import wmma_kernels

Case = tuple[str, Program, list[np.ndarray], dict[str, tuple[int, ...]], Callable[[], np.ndarray], float]


def floats(*shape: int) -> np.ndarray:
    """Random float32 in [−1, 1)."""
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def gated_reduction(rows: int, columns: int) -> plain_kernels.Kernel:
    """The sum of each row by a tree, with gates in place of IF: the seed ignores IF, and would leave the buffer."""
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    shared = k.add(UOps.DEFINE_LOCAL, dtypes.float32, [], ("partial_sums", columns))
    row, lane = k.special(0, "gidx0", rows), k.special(0, "lidx0", columns)
    zero = k.const(0.0, dtypes.float32)
    k.store(shared, lane, k.load(x, k.plus(k.times(row, columns), lane)))
    k.add(UOps.BARRIER, None, [])
    half = columns // 2
    while half:
        gate = k.add(UOps.ALU, dtypes.bool, [lane, k.const(half)], BinaryOps.CMPLT)
        other = k.load(shared, k.plus(lane, k.const(half)), gate, zero)
        total = k.floats(BinaryOps.ADD, k.load(shared, lane), other)
        k.add(UOps.STORE, None, [shared, lane, total, gate])
        k.add(UOps.BARRIER, None, [])
        half //= 2
    first = k.add(UOps.ALU, dtypes.bool, [lane, k.const(1)], BinaryOps.CMPLT)
    k.add(UOps.STORE, None, [out, row, k.load(shared, k.const(0)), first])
    return k.lines, {"global_size": (rows, 1, 1), "local_size": (columns, 1, 1)}


def plain_cases() -> list[Case]:
    """Name, program, buffers (the output first), launch sizes, what numpy says, the tolerance."""
    a, b, x = floats(128, 128), floats(128, 128)[::-1].copy(), floats(64, 128)
    long, wide = floats(1 << 20), floats(64, 256)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    sources: list[tuple[str, Any, list[np.ndarray], Callable[[], np.ndarray], float]] = [
        ("vector add, 1M float32", plain_kernels.vector_add(1 << 20), [long, long], lambda: long + long, 0),
        ("matmul 128, naive", plain_kernels.matmul(128), [a, b], lambda: a @ b, 1e-4),
        ("matmul 128, tiled 16 × 16", plain_kernels.tiled_matmul(128), [a, b], lambda: a @ b, 1e-4),
        ("softmax 64 × 128", plain_kernels.softmax(64, 128), [x], lambda: powers / powers.sum(1, keepdims=True), 1e-5),
        ("reduction 64 × 256", gated_reduction(64, 256), [wide], lambda: wide.sum(axis=1), 1e-4),
    ]
    cases = []
    for name, (lines, sizes), inputs, want, tolerance in sources:
        out = np.zeros_like(want())
        cases.append((name, Program(name, lines), [out, *inputs], sizes, want, tolerance))
    return cases


def tensor_core_case(target: str, size: int = 128) -> Case:
    """A half product of size³ on a target's tensor cores, four warps a workgroup."""
    a, b = floats(size, size).astype(np.float16), floats(size, size).T.astype(np.float16).copy()
    lines, sizes = wmma_kernels.matmul(wmma_kernels.SEED_ARGS[target], size, size, size)
    out = np.zeros((size, size), np.float32)
    name = f"tensor-core half {size}³, {target}"
    return name, Program(name, lines), [out, a, b], sizes, lambda: a.astype(np.float32) @ b.astype(np.float32), 1e-3


def check(case: Case, buffers: list[np.ndarray]) -> None:
    """The output is what numpy says."""
    name, _, _, _, want, tolerance = case
    np.testing.assert_allclose(buffers[0], want(), rtol=tolerance, atol=tolerance, err_msg=name)


def row(case: Case, *, with_seed: bool = True) -> list[str]:
    """One kernel: our CPU time, the seed's, and the ratio."""
    name, program, buffers, sizes, _, _ = case
    ours = cpu_seconds(lambda: program(*buffers, **sizes)).least
    check(case, buffers)
    if not with_seed:
        return [name, human(ours), "", ""]
    if not seed.available():
        return [name, human(ours), "not installed", ""]
    # the seed cannot do half on Python 3.11: it gets the same values as float32
    theirs = [np.zeros_like(buffers[0]), *(buffer.astype(np.float32) for buffer in buffers[1:])]
    seconds = cpu_seconds(seed.seed_call(program, theirs, **sizes), repeats=2).least
    check(case, theirs)
    return [name, human(ours), human(seconds), f"{seconds / ours:.0f} ×"]


def vector_add_case(size: int) -> Case:
    """The sum of two vectors."""
    lines, sizes = plain_kernels.vector_add(size)
    a, name = floats(size), f"vector add, {size >> 20}M float32"
    return name, Program(name, lines), [np.zeros_like(a), a, a], sizes, lambda: a + a, 0


def growth(small: Case, large: Case, trips: tuple[int, int] = (1, 1)) -> list[str]:
    """CPU seconds a workgroup (and an iteration of its loop) of two sizes; memory beyond the buffers of each."""
    seconds, peaks = [], []
    for case, iterations in ((small, trips[0]), (large, trips[1])):
        _, program, buffers, sizes, _, _ = case
        groups = math.prod(sizes["global_size"]) * iterations
        seconds.append(cpu_seconds(lambda p=program, b=buffers, s=sizes: p(*b, **s), repeats=7).least / groups)  # type: ignore[misc]
        check(case, buffers)
        tracemalloc.start()
        program(*buffers, **sizes)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    memory = f"{peaks[0] / 2**20:.0f} → {peaks[1] / 2**20:.0f} MiB"
    return [f"{small[0]} → {large[0]}", *map(human, seconds), f"{seconds[1] / seconds[0]:.2f} ×", memory]


def run() -> str:
    """The table of kernels beside the seed, and how time and memory grow with the size."""
    rows = [row(case) for case in plain_cases()]
    rows += [row(tensor_core_case(target)) for target in wmma_kernels.SEED_ARGS]
    rows.append(row(tensor_core_case("CUDA", 512), with_seed=False))
    beside = table("The machine, CPU time, default checks on", ["kernel", "lanewise", "tinygrad 0.9.0", "ratio"], rows)
    rows = [
        growth(tensor_core_case("CUDA"), tensor_core_case("CUDA", 512), (128 // 16, 512 // 16)),
        growth(vector_add_case(1 << 20), vector_add_case(1 << 24)),
    ]
    header = ["kernel", "a workgroup and iteration", "of the large", "growth", "memory beyond the buffers"]
    return beside + "\n" + table("How the machine's CPU time grows with the size", header, rows)
