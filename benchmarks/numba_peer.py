"""The kernels of the machine's table in Numba's CUDA Python, on its simulator: a Python thread to a lane.

A launch of many workgroups would take minutes to hours, so a kernel may get fewer of them than ours; each workgroup
does the same work, and the time is scaled by their number.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")  # read when numba is imported

try:
    from numba import cuda, float32
except ImportError:
    cuda = None


@dataclass(frozen=True, slots=True)
class Peer:
    """A kernel for Numba: the function, what part of the grid it is run on, and the whole grid."""

    kernel: Any
    part: tuple[int, ...]
    grid: tuple[int, ...]
    local: tuple[int, ...]

    @property
    def scale(self) -> int:
        """How many times the whole launch is as much as the part."""
        return prod(self.grid) // prod(self.part)

    def call(self, buffers: list[np.ndarray]) -> Callable[[], object]:
        """A call that runs the part on Numba's simulator, in place on the buffers."""
        return lambda: self.kernel[self.part, self.local](*buffers)

    def check(self, found: np.ndarray, want: np.ndarray, tolerance: float) -> None:
        """The elements that the part's workgroups computed are what numpy says; the others are untouched zeros."""
        computed = found.reshape(-1) != 0
        assert computed.sum() * self.scale >= 0.9 * found.size
        np.testing.assert_allclose(
            found.reshape(-1)[computed], want.reshape(-1)[computed], rtol=tolerance, atol=tolerance
        )


def kernels() -> dict[str, Peer]:
    """For each kernel by the name that the table gives it; empty without Numba."""
    if cuda is None:
        return {}

    @cuda.jit
    def vector_add(out, a, b):  # type: ignore[no-untyped-def]
        i = cuda.blockIdx.x * 256 + cuda.threadIdx.x
        out[i] = a[i] + b[i]

    @cuda.jit
    def matmul(out, a, b):  # type: ignore[no-untyped-def]
        column = cuda.blockIdx.x * 16 + cuda.threadIdx.x
        row = cuda.blockIdx.y * 16 + cuda.threadIdx.y
        total = float32(0)
        for k in range(128):
            total += a[row, k] * b[k, column]
        out[row, column] = total

    @cuda.jit
    def tiled_matmul(out, a, b):  # type: ignore[no-untyped-def]
        a_tile = cuda.shared.array((16, 16), float32)
        b_tile = cuda.shared.array((16, 16), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.blockIdx.x * 16 + x, cuda.blockIdx.y * 16 + y
        total = float32(0)
        for first in range(0, 128, 16):
            a_tile[y, x] = a[row, first + x]
            b_tile[y, x] = b[first + y, column]
            cuda.syncthreads()
            for k in range(16):
                total += a_tile[y, k] * b_tile[k, x]
            cuda.syncthreads()
        out[row, column] = total

    @cuda.jit
    def lane_softmax(out, x):  # type: ignore[no-untyped-def]
        row = cuda.threadIdx.x
        largest = float32(-np.inf)
        for i in range(128):
            largest = max(largest, x[row, i])
        total = float32(0)
        for i in range(128):
            total += np.exp(x[row, i] - largest)
        for i in range(128):
            out[row, i] = np.exp(x[row, i] - largest) / total

    @cuda.jit
    def row_softmax(out, x):  # type: ignore[no-untyped-def]
        largest = cuda.shared.array(128, float32)  # the simulator tells shared arrays apart by their lines
        sums = cuda.shared.array(128, float32)
        row, lane = cuda.blockIdx.x, cuda.threadIdx.x
        largest[lane] = x[row, lane]
        cuda.syncthreads()
        half = 64
        while half:
            if lane < half:
                largest[lane] = max(largest[lane], largest[lane + half])
            cuda.syncthreads()
            half //= 2
        power = np.exp(x[row, lane] - largest[0])
        sums[lane] = power
        cuda.syncthreads()
        half = 64
        while half:
            if lane < half:
                sums[lane] += sums[lane + half]
            cuda.syncthreads()
            half //= 2
        out[row, lane] = power / sums[0]

    @cuda.jit
    def reduction(out, x):  # type: ignore[no-untyped-def]
        partial_sums = cuda.shared.array(256, float32)
        row, lane = cuda.blockIdx.x, cuda.threadIdx.x
        partial_sums[lane] = x[row, lane]
        cuda.syncthreads()
        half = 128
        while half:
            if lane < half:
                partial_sums[lane] += partial_sums[lane + half]
            cuda.syncthreads()
            half //= 2
        if lane == 0:
            out[row] = partial_sums[0]

    return {
        "vector add, 1M float32": Peer(vector_add, (16,), (4096,), (256,)),
        "matmul 128, naive": Peer(matmul, (2, 2), (8, 8), (16, 16)),
        "matmul 128, tiled 16 × 16": Peer(tiled_matmul, (1, 1), (8, 8), (16, 16)),
        "softmax 64 × 128, a lane a row": Peer(lane_softmax, (1,), (1,), (64,)),
        "softmax 64 × 128, a workgroup a row": Peer(row_softmax, (4,), (64,), (128,)),
        "reduction 64 × 256": Peer(reduction, (4,), (64,), (256,)),
    }
