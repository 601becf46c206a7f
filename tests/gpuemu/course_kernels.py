"""Kernels of the kind that puzzles and courses teach, in the dialect of Numba's CUDA, each with its answer by numpy.

With NUMBA_ENABLE_CUDASIM=1 in the environment the same functions run on Numba's simulator.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
    from numba import cuda, float32, int32
else:
    from gpuemu import cuda
    from gpuemu.cuda import float32, int32


@dataclass(frozen=True)
class Case:
    """A kernel, its grid, its arguments, and what its outputs must be.

    `build` gives the arguments and the expected outputs by the position of their argument.
    """

    kernel: Any
    blocks: Any
    threads: Any
    build: Callable[[np.random.Generator], tuple[list[Any], dict[int, np.ndarray]]]
    tolerance: float = 0.0

    @property
    def name(self) -> str:
        return getattr(self.kernel, "__name__", None) or self.kernel.py_func.__name__

    def run(self, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
        """What came out, and what should have, for each output."""
        arguments, expected = self.build(np.random.default_rng(seed))
        self.kernel[self.blocks, self.threads](*arguments)
        return [(arguments[place], wanted) for place, wanted in expected.items()]


CASES: list[Case] = []


def case(kernel: Any, blocks: Any, threads: Any, tolerance: float = 0.0) -> Callable[[Any], Any]:
    def register(build: Any) -> Any:
        CASES.append(Case(kernel, blocks, threads, build, tolerance))
        return build

    return register


def distinct(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers that all differ, small enough that sums are exact."""
    return (rng.permutation(math.prod(shape)) + 1).astype(np.float32).reshape(shape)


# --- fourteen puzzles ------------------------------------------------------------------------------------------------


@cuda.jit
def map_add(out, a):
    i = cuda.threadIdx.x
    out[i] = a[i] + 10


@case(map_add, 1, 8)
def _(rng):
    a = distinct(rng, 8)
    return [np.zeros_like(a), a], {0: a + 10}


@cuda.jit
def zip_add(out, a, b):
    i = cuda.threadIdx.x
    out[i] = a[i] + b[i]


@case(zip_add, 1, 8)
def _(rng):
    a, b = distinct(rng, 8), distinct(rng, 8) * 100
    return [np.zeros_like(a), a, b], {0: a + b}


@cuda.jit
def map_guard(out, a, size):
    i = cuda.threadIdx.x
    if i < size:
        out[i] = a[i] * 2


@case(map_guard, 1, 8)
def _(rng):
    a = distinct(rng, 5)
    return [np.zeros_like(a), a, 5], {0: a * 2}


@cuda.jit
def map_2d(out, a, size):
    row = cuda.threadIdx.x
    column = cuda.threadIdx.y
    if row < size and column < size:
        out[row, column] = a[row, column] + 10


@case(map_2d, 1, (3, 4))
def _(rng):
    a = distinct(rng, 2, 2)
    return [np.zeros_like(a), a, 2], {0: a + 10}


@cuda.jit
def broadcast(out, a, b):
    row = cuda.threadIdx.x
    column = cuda.threadIdx.y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, 0] + b[0, column]


@case(broadcast, 1, (5, 4))
def _(rng):
    a, b = distinct(rng, 4, 1), distinct(rng, 1, 3) * 100
    return [np.zeros((4, 3), np.float32), a, b], {0: a + b}


@cuda.jit
def map_blocks(out, a, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + 10


@case(map_blocks, 3, 4)
def _(rng):
    a = distinct(rng, 9)
    return [np.zeros_like(a), a, 9], {0: a + 10}


@cuda.jit
def map_blocks_2d(out, a, size):
    row, column = cuda.grid(2)
    if row < size and column < size:
        out[row, column] = a[row, column] + 10


@case(map_blocks_2d, (2, 3), (3, 2))
def _(rng):
    a = distinct(rng, 5, 5)
    return [np.zeros_like(a), a, 5], {0: a + 10}


@cuda.jit
def through_shared(out, a, size):
    tile = cuda.shared.array(4, float32)
    i = cuda.grid(1)
    here = cuda.threadIdx.x
    if i < size:
        tile[here] = a[i]
    cuda.syncthreads()
    neighbour = 3 - here
    if i < size and cuda.blockIdx.x * 4 + neighbour < size:
        out[i] = tile[neighbour]


@case(through_shared, 2, 4)
def _(rng):
    a = distinct(rng, 8)
    return [np.zeros_like(a), a, 8], {0: a.reshape(2, 4)[:, ::-1].ravel()}


@cuda.jit
def pooling(out, a, size):
    tile = cuda.shared.array(8, float32)
    i = cuda.grid(1)
    here = cuda.threadIdx.x
    if i < size:
        tile[here] = a[i]
    cuda.syncthreads()
    if i < size:
        total = 0.0
        for back in range(3):
            if here >= back:
                total += tile[here - back]
        out[i] = total


@case(pooling, 1, 8)
def _(rng):
    a = distinct(rng, 8)
    return [np.zeros_like(a), a, 8], {0: np.convolve(a, [1, 1, 1])[:8]}


@cuda.jit
def dot_product(out, a, b, size):
    products = cuda.shared.array(8, float32)
    here = cuda.threadIdx.x
    products[here] = a[here] * b[here] if here < size else 0.0
    cuda.syncthreads()
    if here == 0:
        total = 0.0
        for k in range(8):
            total += products[k]
        out[0] = total


@case(dot_product, 1, 8)
def _(rng):
    a, b = distinct(rng, 7), distinct(rng, 7)
    return [np.zeros(1, np.float32), a, b, 7], {0: np.array([a @ b])}


MOST_TAPS = 4
BLOCK = 8


@cuda.jit
def convolution_1d(out, a, taps, size, width):
    tile = cuda.shared.array(BLOCK + MOST_TAPS, float32)
    weights = cuda.shared.array(MOST_TAPS, float32)
    i = cuda.grid(1)
    here = cuda.threadIdx.x
    if i < size:
        tile[here] = a[i]
    else:
        tile[here] = 0
    if here < width:
        weights[here] = taps[here]
        tile[BLOCK + here] = a[i + BLOCK] if i + BLOCK < size else 0
    cuda.syncthreads()
    total = 0.0
    for k in range(width):
        total += tile[here + k] * weights[k]
    if i < size:
        out[i] = total


@case(convolution_1d, 2, BLOCK)
def _(rng):
    a, taps = distinct(rng, 15), distinct(rng, 3)
    padded = np.concatenate([a, np.zeros(3, np.float32)])
    wanted = np.array([padded[i : i + 3] @ taps for i in range(15)])
    return [np.zeros_like(a), a, taps, 15, 3], {0: wanted}


@cuda.jit
def block_sums(out, a, size):
    tile = cuda.shared.array(8, float32)
    i = cuda.grid(1)
    here = cuda.threadIdx.x
    tile[here] = a[i] if i < size else 0.0
    cuda.syncthreads()
    reach = 1
    while reach < 8:
        if here % (2 * reach) == 0:
            tile[here] += tile[here + reach]
        cuda.syncthreads()
        reach *= 2
    if here == 0:
        out[cuda.blockIdx.x] = tile[0]


@case(block_sums, 2, 8)
def _(rng):
    a = distinct(rng, 15)
    return [np.zeros(2, np.float32), a, 15], {0: np.array([a[:8].sum(), a[8:].sum()])}


@cuda.jit
def axis_sum(out, a, size):
    tile = cuda.shared.array(8, float32)
    here = cuda.threadIdx.x
    batch = cuda.blockIdx.y
    tile[here] = a[batch, here] if here < size else 0.0
    cuda.syncthreads()
    if here == 0:
        total = 0.0
        for k in range(size):
            total += tile[k]
        out[batch, 0] = total


@case(axis_sum, (1, 4), 8)
def _(rng):
    a = distinct(rng, 4, 6)
    return [np.zeros((4, 1), np.float32), a, 6], {0: a.sum(1, keepdims=True)}


TILE = 3


@cuda.jit
def tiled_puzzle(out, a, b, size):
    a_tile = cuda.shared.array((TILE, TILE), float32)
    b_tile = cuda.shared.array((TILE, TILE), float32)
    row, column = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for start in range(0, size, TILE):
        a_tile[x, y] = a[row, start + y] if row < size and start + y < size else 0.0
        b_tile[x, y] = b[start + x, column] if column < size and start + x < size else 0.0
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[x, k] * b_tile[k, y]
        cuda.syncthreads()
    if row < size and column < size:
        out[row, column] = total


@case(tiled_puzzle, (3, 3), (TILE, TILE))
def _(rng):
    a, b = distinct(rng, 8, 8), distinct(rng, 8, 8)
    return [np.zeros_like(a), a, b, 8], {0: a @ b}


# --- fifteen of courses ----------------------------------------------------------------------------------------------


@cuda.jit
def transpose_padded(out, a):
    tile = cuda.shared.array((8, 9), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if y < a.shape[0] and x < a.shape[1]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 8 + tx
    y = cuda.blockIdx.x * 8 + ty
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = tile[tx, ty]


@case(transpose_padded, (3, 2), (8, 8))
def _(rng):
    a = distinct(rng, 13, 19)
    return [np.zeros((19, 13), np.float32), a], {0: a.T}


@cuda.jit
def histogram(bins, values):
    local = cuda.shared.array(16, int32)
    here = cuda.threadIdx.x
    if here < 16:
        local[here] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(local, values[i] % 16, 1)
    cuda.syncthreads()
    if here < 16:
        cuda.atomic.add(bins, here, local[here])


@case(histogram, 2, 32)
def _(rng):
    values = (rng.permutation(200) ** 2).astype(np.int32)
    return [np.zeros(16, np.int32), values], {0: np.bincount(values % 16, minlength=16)}


@cuda.jit
def warp_sum(out, a):
    lane = cuda.threadIdx.x
    value = a[cuda.grid(1)]
    reach = 16
    while reach > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, reach)
        reach //= 2
    if lane == 0:
        out[cuda.blockIdx.x] = value


@case(warp_sum, 3, 32)
def _(rng):
    a = distinct(rng, 96)
    return [np.zeros(3, np.float32), a], {0: a.reshape(3, 32).sum(1)}


@cuda.jit
def scan_hillis_steele(out, a):
    buffers = cuda.shared.array((2, 16), float32)
    here = cuda.threadIdx.x
    buffers[0, here] = a[here]
    cuda.syncthreads()
    source = 0
    reach = 1
    while reach < 16:
        target = 1 - source
        if here >= reach:
            buffers[target, here] = buffers[source, here] + buffers[source, here - reach]
        else:
            buffers[target, here] = buffers[source, here]
        cuda.syncthreads()
        source = target
        reach *= 2
    out[here] = buffers[source, here]


@case(scan_hillis_steele, 1, 16)
def _(rng):
    a = distinct(rng, 16)
    return [np.zeros_like(a), a], {0: np.cumsum(a)}


@cuda.jit
def scan_blelloch(out, a):
    tile = cuda.shared.array(16, float32)
    here = cuda.threadIdx.x
    tile[2 * here] = a[2 * here]
    tile[2 * here + 1] = a[2 * here + 1]
    offset = 1
    count = 8
    while count > 0:
        cuda.syncthreads()
        if here < count:
            tile[offset * (2 * here + 2) - 1] += tile[offset * (2 * here + 1) - 1]
        offset *= 2
        count //= 2
    if here == 0:
        tile[15] = 0
    count = 1
    while count < 16:
        offset //= 2
        cuda.syncthreads()
        if here < count:
            left = offset * (2 * here + 1) - 1
            right = offset * (2 * here + 2) - 1
            moved = tile[left]
            tile[left] = tile[right]
            tile[right] += moved
        count *= 2
    cuda.syncthreads()
    out[2 * here] = tile[2 * here]
    out[2 * here + 1] = tile[2 * here + 1]


@case(scan_blelloch, 1, 8)
def _(rng):
    a = distinct(rng, 16)
    return [np.zeros_like(a), a], {0: np.cumsum(a) - a}


@cuda.jit
def stencil(out, a):
    x, y = cuda.grid(2)
    height, width = a.shape
    if x == 0 or y == 0 or x >= width - 1 or y >= height - 1:
        return
    out[y, x] = a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1] - 4 * a[y, x]


@case(stencil, (2, 2), (8, 8))
def _(rng):
    a = distinct(rng, 12, 14)
    wanted = np.zeros_like(a)
    wanted[1:-1, 1:-1] = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]
    return [np.zeros_like(a), a], {0: wanted}


@cuda.jit
def saxpy(y, a, x):
    first = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(first, x.size, stride):
        y[i] = a * x[i] + y[i]


@case(saxpy, 2, 16)
def _(rng):
    x, y = distinct(rng, 100), distinct(rng, 100)
    return [y.copy(), 3.0, x], {0: 3 * x + y}


GEMM = 8


@cuda.jit
def tiled_gemm(c, a, b):
    a_tile = cuda.shared.array((GEMM, GEMM), float32)
    b_tile = cuda.shared.array((GEMM, GEMM), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range((a.shape[1] + GEMM - 1) // GEMM):
        k = tile * GEMM
        if y < a.shape[0] and k + tx < a.shape[1]:
            a_tile[ty, tx] = a[y, k + tx]
        else:
            a_tile[ty, tx] = 0
        if x < b.shape[1] and k + ty < b.shape[0]:
            b_tile[ty, tx] = b[k + ty, x]
        else:
            b_tile[ty, tx] = 0
        cuda.syncthreads()
        for i in range(GEMM):
            total += a_tile[ty, i] * b_tile[i, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@case(tiled_gemm, (3, 2), (GEMM, GEMM))
def _(rng):
    a, b = distinct(rng, 13, 18), distinct(rng, 18, 20)
    return [np.zeros((13, 20), np.float32), a, b], {0: a @ b}


@cuda.jit
def softmax(out, x):
    partial = cuda.shared.array(16, float32)
    row = cuda.blockIdx.x
    here = cuda.threadIdx.x
    largest = -math.inf
    for i in range(here, x.shape[1], cuda.blockDim.x):
        largest = max(largest, x[row, i])
    partial[here] = largest
    cuda.syncthreads()
    reach = 8
    while reach > 0:
        if here < reach:
            partial[here] = max(partial[here], partial[here + reach])
        cuda.syncthreads()
        reach //= 2
    largest = partial[0]
    cuda.syncthreads()
    total = 0.0
    for i in range(here, x.shape[1], cuda.blockDim.x):
        total += math.exp(x[row, i] - largest)
    partial[here] = total
    cuda.syncthreads()
    reach = 8
    while reach > 0:
        if here < reach:
            partial[here] += partial[here + reach]
        cuda.syncthreads()
        reach //= 2
    for i in range(here, x.shape[1], cuda.blockDim.x):
        out[row, i] = math.exp(x[row, i] - largest) / partial[0]


@case(softmax, 4, 16, 1e-5)
def _(rng):
    x = distinct(rng, 4, 37) / 10
    powers = np.exp(x - x.max(1, keepdims=True), dtype=np.float64)
    return [np.zeros_like(x), x], {0: powers / powers.sum(1, keepdims=True)}


@cuda.jit
def layer_norm(out, x, gain, shift, epsilon):
    row = cuda.grid(1)
    if row >= x.shape[0]:
        return
    count = x.shape[1]
    mean = 0.0
    for i in range(count):
        mean += x[row, i]
    mean /= count
    variance = 0.0
    for i in range(count):
        away = x[row, i] - mean
        variance += away * away
    scale = 1.0 / math.sqrt(variance / count + epsilon)
    for i in range(count):
        out[row, i] = (x[row, i] - mean) * scale * gain[i] + shift[i]


@case(layer_norm, 2, 4, 1e-5)
def _(rng):
    x, gain, shift = distinct(rng, 6, 10), distinct(rng, 10), distinct(rng, 10)
    wide = x.astype(np.float64)
    wanted = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * gain + shift
    return [np.zeros_like(x), x, gain, shift, 1e-5], {0: wanted}


HEAD = 4
KEYS = 8


@cuda.jit
def flash_attention(out, q, k, v, scale):
    keys = cuda.shared.array((KEYS, HEAD), float32)
    values = cuda.shared.array((KEYS, HEAD), float32)
    total = cuda.local.array(HEAD, float32)
    row = cuda.grid(1)
    here = cuda.threadIdx.x
    for d in range(HEAD):
        total[d] = 0
    largest = -math.inf
    weight = 0.0
    for start in range(0, k.shape[0], KEYS):
        for d in range(HEAD):
            keys[here, d] = k[start + here, d]
            values[here, d] = v[start + here, d]
        cuda.syncthreads()
        for j in range(KEYS):
            score = 0.0
            for d in range(HEAD):
                score += q[row, d] * keys[j, d]
            score *= scale
            above = max(largest, score)
            shrink = math.exp(largest - above)
            power = math.exp(score - above)
            for d in range(HEAD):
                total[d] = total[d] * shrink + power * values[j, d]
            weight = weight * shrink + power
            largest = above
        cuda.syncthreads()
    for d in range(HEAD):
        out[row, d] = total[d] / weight


@case(flash_attention, 2, KEYS, 1e-5)
def _(rng):
    q, k, v = (distinct(rng, 16, HEAD) / 20 for _ in range(3))
    scores = q.astype(np.float64) @ k.T * 0.5
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return [np.zeros_like(q), q, k, v, 0.5], {0: powers / powers.sum(1, keepdims=True) @ v}


@cuda.jit
def bitonic_sort(a):
    tile = cuda.shared.array(32, float32)
    here = cuda.threadIdx.x
    tile[here] = a[here]
    cuda.syncthreads()
    size = 2
    while size <= 32:
        reach = size // 2
        while reach > 0:
            other = here ^ reach
            if other > here:
                upwards = (here & size) == 0
                if (tile[here] > tile[other]) == upwards:
                    moved = tile[here]
                    tile[here] = tile[other]
                    tile[other] = moved
            cuda.syncthreads()
            reach //= 2
        size *= 2
    a[here] = tile[here]


@case(bitonic_sort, 1, 32)
def _(rng):
    a = distinct(rng, 32)
    return [a.copy()], {0: np.sort(a)}


@cuda.jit(device=True)
def escapes(real, imaginary, limit):
    x = 0.0
    y = 0.0
    for step in range(limit):
        x, y = x * x - y * y + real, 2 * x * y + imaginary
        if x * x + y * y > 4.0:
            return step
    return limit


@cuda.jit
def mandelbrot(out, left, top, step, limit):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = escapes(left + x * step, top + y * step, limit)


@case(mandelbrot, (2, 2), (8, 8))
def _(rng):
    left, top, step, limit = -2.0, -1.25, 0.25, 40
    c = (left + step * np.arange(12)) + 1j * (top + step * np.arange(11))[:, None]
    wanted = np.full(c.shape, limit)
    for place, number in np.ndenumerate(c):
        z = 0j
        for n in range(limit):
            z = z * z + number
            if abs(z) ** 2 > 4:
                wanted[place] = n
                break
    return [np.zeros((11, 12), np.int32), left, top, step, limit], {0: wanted}


@cuda.jit
def n_body(velocity, position, mass, dt):
    i = cuda.grid(1)
    if i < position.shape[0]:
        ax = 0.0
        ay = 0.0
        for j in range(position.shape[0]):
            if j == i:
                continue
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            square = dx * dx + dy * dy + 0.01
            pull = mass[j] / (square * math.sqrt(square))
            ax += dx * pull
            ay += dy * pull
        velocity[i, 0] += ax * dt
        velocity[i, 1] += ay * dt


@case(n_body, 2, 8, 1e-5)
def _(rng):
    position, mass, velocity = distinct(rng, 11, 2), distinct(rng, 11), distinct(rng, 11, 2)
    away = position[None].astype(np.float64) - position[:, None]
    square = (away**2).sum(-1) + 0.01
    pull = mass / (square * np.sqrt(square))
    return [velocity.copy(), position, mass, 0.125], {0: velocity + (away * pull[..., None]).sum(1) * 0.125}


@cuda.jit
def sparse_times_vector(out, starts, columns, values, x):
    row = cuda.grid(1)
    if row < out.size:
        total = 0.0
        for i in range(starts[row], starts[row + 1]):
            total += values[i] * x[columns[i]]
        out[row] = total


@case(sparse_times_vector, 2, 8)
def _(rng):
    dense = distinct(rng, 10, 7) * (rng.random((10, 7)) < 0.4)
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(11)).astype(np.int32)
    x = distinct(rng, 7)
    out = np.zeros(10, np.float32)
    return [out, starts, columns.astype(np.int32), dense[rows, columns].astype(np.float32), x], {0: dense @ x}
