"""The lockstep engine beside three that run kernels in Python, on the kernels that the tests check.

They are the interpreter it grew from (tinygrad 0.9.0), Triton's interpreter and Numba's CUDA simulator; in each, the
kernel does the same work in the same workgroups.
"""

import math
import statistics
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import numba_peer, seed, triton_peer
from benchmarks.measure import cpu_seconds, human, table
from gpuemu import BinaryOps, Program, UnaryOps, UOps, dtypes

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "gpuemu"))

import plain_kernels
import wmma_kernels

Case = tuple[str, Program, list[np.ndarray], dict[str, tuple[int, ...]], Callable[[], np.ndarray], float]


def floats(*shape: int) -> np.ndarray:
    """Random float32 in [−1, 1)."""
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def tree(k: plain_kernels.KernelLines, op: BinaryOps, shared: int, lane: int, size: int) -> int:
    """The line with one value of all elements of a local memory, which each lane reads at the end.

    A tree halves them, with gates in place of IF: the seed ignores IF, and would leave the buffer.
    """
    k.add(UOps.BARRIER, None, [])
    half = size // 2
    while half:
        gate = k.add(UOps.ALU, dtypes.bool, [lane, k.const(half)], BinaryOps.CMPLT)
        other = k.load(shared, k.plus(lane, k.const(half)), gate, k.const(0.0, dtypes.float32))
        total = k.floats(op, k.load(shared, lane), other)
        k.add(UOps.STORE, None, [shared, lane, total, gate])
        k.add(UOps.BARRIER, None, [])
        half //= 2
    return k.load(shared, k.const(0))


def reduction(rows: int, columns: int) -> plain_kernels.Kernel:
    """The sum of each row: a workgroup to a row, a lane to an element."""
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    shared = k.add(UOps.DEFINE_LOCAL, dtypes.float32, [], ("partial_sums", columns))
    row, lane = k.special(0, "gidx0", rows), k.special(0, "lidx0", columns)
    k.store(shared, lane, k.load(x, k.plus(k.times(row, columns), lane)))
    total = tree(k, BinaryOps.ADD, shared, lane, columns)
    first = k.add(UOps.ALU, dtypes.bool, [lane, k.const(1)], BinaryOps.CMPLT)
    k.add(UOps.STORE, None, [out, row, total, first])
    return k.lines, {"global_size": (rows, 1, 1), "local_size": (columns, 1, 1)}


def row_softmax(rows: int, columns: int) -> plain_kernels.Kernel:
    """Each row's softmax: a workgroup to a row, a lane to an element."""
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    largest, sums = (k.add(UOps.DEFINE_LOCAL, dtypes.float32, [], (name, columns)) for name in ("largest", "sums"))
    row, lane = k.special(0, "gidx0", rows), k.special(0, "lidx0", columns)
    i = k.plus(k.times(row, columns), lane)
    mine = k.load(x, i)
    k.store(largest, lane, mine)
    above = k.floats(BinaryOps.SUB, mine, tree(k, BinaryOps.MAX, largest, lane, columns))
    power = k.floats(UnaryOps.EXP2, k.floats(BinaryOps.MUL, above, k.const(1.4426950408889634, dtypes.float32)))
    k.store(sums, lane, power)
    k.store(out, i, k.floats(BinaryOps.DIV, power, tree(k, BinaryOps.ADD, sums, lane, columns)))
    return k.lines, {"global_size": (rows, 1, 1), "local_size": (columns, 1, 1)}


def plain_cases() -> list[Case]:
    """Name, program, buffers (the output first), launch sizes, what numpy says, the tolerance."""
    a, b, x = floats(128, 128), floats(128, 128)[::-1].copy(), floats(64, 128)
    long, wide = floats(1 << 20), floats(64, 256)
    powers = np.exp(x - x.max(axis=1, keepdims=True))

    def softmax() -> np.ndarray:
        return powers / powers.sum(axis=1, keepdims=True)

    sources: list[tuple[str, Any, list[np.ndarray], Callable[[], np.ndarray], float]] = [
        ("vector add, 1M float32", plain_kernels.vector_add(1 << 20), [long, long], lambda: long + long, 0),
        ("matmul 128, naive", plain_kernels.matmul(128), [a, b], lambda: a @ b, 1e-4),
        ("matmul 128, tiled 16 × 16", plain_kernels.tiled_matmul(128), [a, b], lambda: a @ b, 1e-4),
        ("softmax 64 × 128, a lane a row", plain_kernels.softmax(64, 128), [x], softmax, 1e-5),
        ("softmax 64 × 128, a workgroup a row", row_softmax(64, 128), [x], softmax, 1e-5),
        ("reduction 64 × 256", reduction(64, 256), [wide], lambda: wide.sum(axis=1), 1e-4),
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


def our_seconds(case: Case) -> float:
    """The median of some launches; the output is checked."""
    _, program, buffers, sizes, _, _ = case
    seconds = cpu_seconds(lambda: program(*buffers, **sizes), repeats=11).median
    check(case, buffers)
    return seconds


def row(case: Case, *, alone: bool = False) -> list[str]:
    """One kernel: our CPU time, and that of each peer with how many times ours it is.

    A peer takes seconds, in which a shared machine is now faster and now slower, and we take milliseconds. So ours is
    measured before and after each peer, and the median counts; of a peer the fastest run.
    """
    ours = [our_seconds(case)]
    found: list[Seconds] = []
    for peer in () if alone else (seed_seconds, triton_seconds, numba_seconds):
        found.append(peer(case))
        ours.append(our_seconds(case))
    mine = statistics.median(ours)
    cells = [
        cell for one in found for cell in ([one, ""] if isinstance(one, str) else [one[1], f"{one[0] / mine:.0f} ×"])
    ]
    return [case[0], human(mine), *(cells or [""] * 6)]


def inputs(case: Case) -> list[np.ndarray]:
    """The kernel's buffers anew: zeros for the output, and the inputs."""
    return [np.zeros_like(case[2][0]), *case[2][1:]]


Seconds = tuple[float, str] | str
"""A peer's CPU seconds, and how the table writes them; or why there are none."""


def seed_seconds(case: Case) -> Seconds:
    """The seed's; it cannot do half on Python 3.11, and gets the same values as float32."""
    if not seed.available():
        return "not installed"
    out, *rest = inputs(case)
    theirs = [out, *(buffer.astype(np.float32) for buffer in rest)]
    seconds = cpu_seconds(seed.seed_call(case[1], theirs, **case[3]), repeats=2).least
    check(case, theirs)
    return seconds, human(seconds)


def triton_seconds(case: Case) -> Seconds:
    """Triton's interpreter's."""
    known = triton_peer.kernels()
    if case[0] not in known:
        return "–" if known else "not installed"
    theirs = inputs(case)
    seconds = cpu_seconds(triton_peer.call(known[case[0]], theirs), repeats=2).least
    check(case, theirs)
    return seconds, human(seconds)


def numba_seconds(case: Case) -> Seconds:
    """Numba's simulator's, from some of the workgroups where all would take minutes."""
    known = numba_peer.kernels()
    if case[0] not in known:
        return "–" if known else "not installed"
    peer, theirs = known[case[0]], inputs(case)
    seconds = cpu_seconds(peer.call(theirs), repeats=1).least * peer.scale
    peer.check(theirs[0], case[4](), max(case[5], 1e-5))
    return seconds, human(seconds) + (f" (1 of {peer.scale})" if peer.scale > 1 else "")


def vector_add_case(size: int) -> Case:
    """The sum of two vectors."""
    lines, sizes = plain_kernels.vector_add(size)
    a, name = floats(size), f"vector add, {size >> 20}M float32"
    return name, Program(name, lines), [np.zeros_like(a), a, a], sizes, lambda: a + a, 0


def growth(small: Case, large: Case, trips: tuple[int, int] = (1, 1)) -> list[str]:
    """CPU seconds a workgroup (and an iteration of its loop) of two sizes; memory beyond the buffers of each."""
    seconds, peaks = [math.inf, math.inf], []
    for _ in range(3):  # in turn, since a shared machine is now faster and now slower
        for i, (case, iterations) in enumerate(zip((small, large), trips, strict=True)):
            _, program, buffers, sizes, _, _ = case
            groups = math.prod(sizes["global_size"]) * iterations
            least = cpu_seconds(lambda p=program, b=buffers, s=sizes: p(*b, **s), repeats=5).least  # type: ignore[misc]
            seconds[i] = min(seconds[i], least / groups)
    for case in (small, large):
        _, program, buffers, sizes, _, _ = case
        check(case, buffers)
        tracemalloc.start()
        program(*buffers, **sizes)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    memory = f"{peaks[0] / 2**20:.0f} → {peaks[1] / 2**20:.0f} MiB"
    return [f"{small[0]} → {large[0]}", *map(human, seconds), f"{seconds[1] / seconds[0]:.2f} ×", memory]


SOFTMAX = """
Softmax is there twice. A workgroup a row, with trees in local memory, is how it is written for a GPU, in Triton and in
Numba too. A lane a row, with loops, is what tinygrad 0.9.0 makes of it without a GPU's optimizations; with 64 lanes and
no barrier it is a small task for Numba's simulator too, and numpy's exponentials take a quarter of our time.
"""


def run() -> str:
    """The table of kernels beside the peers, and how time and memory grow with the size."""
    rows = [row(case) for case in plain_cases()]
    rows += [row(tensor_core_case(target)) for target in wmma_kernels.SEED_ARGS]
    rows.append(row(tensor_core_case("CUDA", 512), alone=True))
    title = "The machine, CPU time, default checks on; (1 of n): that share of the workgroups was run, and scaled"
    peers = ["tinygrad 0.9.0", "ratio", "Triton's interpreter", "ratio", "Numba's simulator", "ratio"]
    beside = table(title, ["kernel", "lanewise", *peers], rows)
    rows = [
        growth(tensor_core_case("CUDA"), tensor_core_case("CUDA", 512), (128 // 16, 512 // 16)),
        growth(vector_add_case(1 << 20), vector_add_case(1 << 24)),
    ]
    header = ["kernel", "a workgroup and iteration", "of the large", "growth", "memory beyond the buffers"]
    return beside + "\n" + SOFTMAX + "\n" + table("How the machine's CPU time grows with the size", header, rows)
