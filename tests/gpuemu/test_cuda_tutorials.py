"""Kernels of the kind that tutorials of Numba's CUDA show, written anew, each against numpy."""

import math

import numpy as np
import pytest

from gpuemu import cuda
from gpuemu.cuda import float32, float64, int32, uint32

TPB = 8
FILTER = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32) / 16


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@cuda.jit
def increment_by_one(array):
    thread, block, width = cuda.threadIdx.x, cuda.blockIdx.x, cuda.blockDim.x
    pos = thread + block * width
    if pos < array.size:
        array[pos] += 1


@cuda.jit
def increment_2d(array):
    pos = cuda.grid(2)
    if pos[0] < array.shape[0] and pos[1] < array.shape[1]:
        array[pos] += 1


def test_increments():
    x = rng().normal(size=100).astype(np.float32)
    y = cuda.to_device(x)
    increment_by_one[math.ceil(x.size / 32), 32](y)
    assert np.array_equal(y.copy_to_host(), x + 1)
    z = x.reshape(10, 10).copy().T
    threads = (16, 16)
    blocks = (math.ceil(z.shape[0] / threads[0]), math.ceil(z.shape[1] / threads[1]))
    increment_2d[blocks, threads](z)
    assert np.array_equal(z, x.reshape(10, 10).T + 1)


@cuda.jit("void(float32[:,:], float32[:,:], float32[:,:])")
def matmul(a, b, c):
    """c = a · b, one element a lane."""
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        tmp = 0.0
        for k in range(a.shape[1]):
            tmp += a[i, k] * b[k, j]
        c[i, j] = tmp


@cuda.jit
def fast_matmul(a, b, c):
    """Tiles in shared memory, and matrices whose sizes no tiles fill."""
    s_a = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    s_b = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    bpg = cuda.gridDim.x
    tmp = float32(0.0)
    for i in range(bpg):
        s_a[ty, tx] = 0
        s_b[ty, tx] = 0
        if y < a.shape[0] and (tx + i * TPB) < a.shape[1]:
            s_a[ty, tx] = a[y, tx + i * TPB]
        if x < b.shape[1] and (ty + i * TPB) < b.shape[0]:
            s_b[ty, tx] = b[ty + i * TPB, x]
        cuda.syncthreads()
        for j in range(TPB):
            tmp += s_a[ty, j] * s_b[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = tmp


@pytest.mark.parametrize("order", ["C", "F"])
def test_matrix_products(order):
    a = np.array(rng(1).integers(-4, 5, (23, 17)), np.float32, order=order)
    b = np.array(rng(2).integers(-4, 5, (17, 22)), np.float32, order=order)
    found = np.zeros((23, 22), np.float32)
    matmul[(3, 3), (8, 8)](a, b, found)
    assert np.array_equal(found, a @ b)
    found = np.zeros((23, 22), np.float32)
    blocks = math.ceil(max(a.shape[0], b.shape[1], a.shape[1]) / TPB)
    fast_matmul[(blocks, blocks), (TPB, TPB)](cuda.to_device(a), cuda.to_device(b), found)
    assert np.array_equal(found, a @ b)


@cuda.jit
def array_sum(data):
    tid = cuda.threadIdx.x
    size = len(data)
    if tid < size:
        i = cuda.grid(1)
        shr = cuda.shared.array(32, int32)
        shr[tid] = data[i]
        cuda.syncthreads()
        s = 1
        while s < cuda.blockDim.x:
            if tid % (2 * s) == 0:
                shr[tid] += shr[tid + s]
            s *= 2
            cuda.syncthreads()
        if tid == 0:
            data[tid] = shr[tid]


def test_a_reduction_in_shared_memory():
    data = rng(3).permutation(32)
    wanted = data.sum()
    array_sum[1, 32](data)
    assert data[0] == wanted


@cuda.jit
def sum_per_block(arr, partial):
    """Grid-stride, then halves in shared memory."""
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    s_block = cuda.shared.array((64,), float32)
    tid = cuda.threadIdx.x
    total = float32(0)
    for i in range(start, arr.shape[0], stride):
        total += arr[i]
    s_block[tid] = total
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if tid < half:
            s_block[tid] += s_block[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        partial[cuda.blockIdx.x] = s_block[0]


@cuda.jit
def sum_by_warps(arr, total):
    i = cuda.grid(1)
    value = arr[i] if i < arr.size else 0
    offset = cuda.warpsize >> 1
    while offset:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset >>= 1
    if cuda.laneid == 0:
        cuda.atomic.add(total, 0, value)


def test_sums():
    x = rng(4).permutation(1000).astype(np.float32)
    partial = cuda.device_array(4, np.float32)
    sum_per_block[4, 64](cuda.to_device(x), partial)
    assert partial.copy_to_host().sum() == x.sum()
    total = np.zeros(1, np.int64)
    sum_by_warps[8, 128](x.astype(np.int64), total)
    assert total[0] == x.sum()


@cuda.jit
def solve_heat_equation(buf_0, buf_1, steps, k):
    """Two buffers in turns, one block."""
    i = cuda.grid(1)
    for step in range(steps):
        if step % 2 == 0:
            data, next_data = 0, 1
        else:
            data, next_data = 1, 0
        cuda.syncthreads()
        if i < buf_0.size:
            current = buf_0[i] if data == 0 else buf_1[i]
            if i == 0 or i == buf_0.size - 1:
                new = current
            elif data == 0:
                new = current + k * (buf_0[i - 1] - 2 * buf_0[i] + buf_0[i + 1])
            else:
                new = current + k * (buf_1[i - 1] - 2 * buf_1[i] + buf_1[i + 1])
            if next_data == 0:
                buf_0[i] = new
            else:
                buf_1[i] = new


def test_the_heat_equation():
    x = np.zeros(101)
    x[50] = 10_000
    wanted = x.copy()
    for _ in range(20):
        wanted[1:-1] = wanted[1:-1] + 0.25 * (wanted[:-2] - 2 * wanted[1:-1] + wanted[2:])
    buffers = cuda.to_device(x), cuda.to_device(x)
    solve_heat_equation.forall(x.size)(*buffers, 20, 0.25)
    assert np.allclose(buffers[0].copy_to_host(), wanted)


@cuda.jit
def game_of_life(old, new):
    """A torus of cells."""
    row, col = cuda.grid(2)
    rows, cols = old.shape
    if row >= rows or col >= cols:
        return
    alive = 0
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            if dr == 0 and dc == 0:
                continue
            alive += old[(row + dr) % rows, (col + dc) % cols]
    new[row, col] = 1 if alive == 3 or (old[row, col] and alive == 2) else 0


@cuda.jit
def life_with_offsets(old, new):
    row, col = cuda.grid(2)
    rows, cols = old.shape
    if row < rows and col < cols:
        alive = -old[row, col]
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                alive += old[(row + dr + rows) % rows, (col + dc + cols) % cols]
        new[row, col] = alive == 3 or (alive == 2 and old[row, col] == 1)


@pytest.mark.parametrize("kernel", [game_of_life, life_with_offsets])
def test_the_game_of_life(kernel):
    cells = rng(5).integers(0, 2, (13, 10)).astype(np.uint8)
    new = np.zeros_like(cells)
    kernel[(2, 2), (8, 8)](cells, new)
    shifts = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
    alive = sum(np.roll(cells, shift, (0, 1)).astype(int) for shift in shifts)
    assert np.array_equal(new, (alive == 3) | ((cells == 1) & (alive == 2)))


@cuda.jit(device=True)
def next_random(state):
    """The generator of Park and Miller, and its state as a number from 0 to 1."""
    state = state * 48271 % 2147483647
    return state, state / 2147483647.0


@cuda.jit
def monte_carlo_pi(seeds, draws, out):
    gid = cuda.grid(1)
    if gid < seeds.size:
        state = seeds[gid]
        inside = 0
        for _ in range(draws):
            state, x = next_random(state)
            state, y = next_random(state)
            if x**2 + y**2 <= 1.0:
                inside += 1
        out[gid] = 4.0 * inside / draws


@cuda.jit
def xorshift(states, out):
    """Marsaglia's 32 bits, kept to 32 by hand."""
    i = cuda.grid(1)
    x = states[i]
    for k in range(3):
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        out[i, k] = x


@cuda.jit
def xorshift_by_casts(states, out):
    i = cuda.grid(1)
    x = states[i]
    for k in range(3):
        x = uint32(x ^ uint32(x << 13))
        x = uint32(x ^ (x >> 17))
        x = uint32(x ^ uint32(x << uint32(5)))
        out[i, k] = x


def test_random_numbers_by_hand():
    seeds = np.arange(1, 65, dtype=np.int32) * 7919
    out = np.zeros(64)
    monte_carlo_pi[2, 32](seeds, 20, out)
    for seed, found in list(zip(seeds.tolist(), out.tolist(), strict=True))[::9]:
        numbers, state = [], seed
        for _ in range(40):
            state = state * 48271 % 2147483647
            numbers.append(state / 2147483647.0)
        assert found == sum(x * x + y * y <= 1 for x, y in zip(numbers[::2], numbers[1::2], strict=True)) * 4 / 20
    states = np.arange(1, 33, dtype=np.uint32) * np.uint32(2654435761)
    wanted = np.zeros((32, 3), np.uint32)
    for i in range(32):
        x = int(states[i])
        for k in range(3):
            x ^= x << 13 & 0xFFFFFFFF
            x ^= x >> 17
            x ^= x << 5 & 0xFFFFFFFF
            wanted[i, k] = x
    for kernel in (xorshift, xorshift_by_casts):
        found = np.zeros((32, 3), np.uint32)
        kernel[1, 32](states, found)
        assert np.array_equal(found, wanted)


@cuda.jit
def histogram(x, xmin, xmax, out):
    nbins = out.shape[0]
    bin_width = (xmax - xmin) / nbins
    start, stride = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, x.shape[0], stride):
        bin_number = int((x[i] - xmin) / bin_width)
        if 0 <= bin_number < nbins:
            cuda.atomic.add(out, bin_number, 1)


@cuda.jit
def histogram_in_shared(data, out):
    bins = cuda.shared.array(16, int32)
    tid = cuda.threadIdx.x
    if tid < 16:
        bins[tid] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), len(data), cuda.gridsize(1)):
        cuda.atomic.add(bins, data[i] // 16, 1)
    cuda.syncthreads()
    if tid < 16:
        cuda.atomic.add(out, tid, bins[tid])


def test_histograms():
    x = rng(6).normal(size=500).astype(np.float32)
    out = np.zeros(10, np.int32)
    histogram[4, 32](x, np.float32(-4.0), np.float32(4.0), out)
    assert out.tolist() == np.histogram(x, 10, (-4, 4))[0].tolist()
    data = rng(7).integers(0, 256, 500).astype(np.uint8)
    out = np.zeros(16, np.int32)
    histogram_in_shared[3, 32](data, out)
    assert out.tolist() == np.bincount(data // 16, minlength=16).tolist()


@cuda.jit
def gray(rgb, out):
    x, y = cuda.grid(2)
    if x < rgb.shape[1] and y < rgb.shape[0]:
        out[y, x] = (rgb[y, x, 0] + rgb[y, x, 1] + rgb[y, x, 2]) // 3


@cuda.jit
def blur(image, out, radius):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        total = 0
        count = 0
        for j in range(max(0, y - radius), min(height, y + radius + 1)):
            for i in range(max(0, x - radius), min(width, x + radius + 1)):
                total += image[j, i]
                count += 1
        out[y, x] = total // count


def test_sums_of_bytes_do_not_wrap():
    rgb = rng(8).integers(0, 256, (9, 7, 3)).astype(np.uint8)
    out = np.zeros((9, 7), np.uint8)
    gray[(1, 2), (8, 8)](rgb, out)
    assert np.array_equal(out, rgb.astype(int).sum(2) // 3)
    blur[(1, 2), (8, 8)](rgb[:, :, 1], out, 1)
    wanted = [[rgb[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2, 1].astype(int) for x in range(7)] for y in range(9)]
    assert out.tolist() == [[int(part.sum()) // part.size for part in row] for row in wanted]


@cuda.jit
def filtered(image, out):
    """A filter in constant memory, a tile with a halo in shared memory."""
    weights = cuda.const.array_like(FILTER)
    tile = cuda.shared.array((TPB + 2, TPB + 2), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    height, width = image.shape
    for j in range(ty, TPB + 2, TPB):
        for i in range(tx, TPB + 2, TPB):
            row = cuda.blockIdx.y * TPB + j - 1
            column = cuda.blockIdx.x * TPB + i - 1
            inside = 0 <= row < height and 0 <= column < width
            tile[j, i] = image[row, column] if inside else 0.0
    cuda.syncthreads()
    if y < height and x < width:
        total = 0.0
        for j in range(3):
            for i in range(3):
                total += weights[j, i] * tile[ty + j, tx + i]
        out[y, x] = total


def test_a_stencil_with_constant_weights():
    image = rng(9).integers(0, 99, (11, 14)).astype(np.float32)
    out = np.zeros_like(image)
    filtered[(2, 2), (TPB, TPB)](image, out)
    padded = np.pad(image, 1)
    wanted = sum(FILTER[j, i] * padded[j : j + 11, i : i + 14] for j in range(3) for i in range(3))
    assert np.array_equal(out, wanted)


@cuda.jit(device=True)
def mandel(x, y, max_iters):
    """How many steps stay near 0, in complex numbers by hand."""
    zr, zi = 0.0, 0.0
    for i in range(max_iters):
        zr, zi = zr * zr - zi * zi + x, 2 * zr * zi + y
        if zr * zr + zi * zi >= 4:
            return i
    return max_iters


@cuda.jit
def mandel_kernel(min_x, max_x, min_y, max_y, image, iters):
    height, width = image.shape
    pixel_size_x = (max_x - min_x) / width
    pixel_size_y = (max_y - min_y) / height
    start_x, start_y = cuda.grid(2)
    grid_x = cuda.gridDim.x * cuda.blockDim.x
    grid_y = cuda.gridDim.y * cuda.blockDim.y
    for x in range(start_x, width, grid_x):
        real = min_x + x * pixel_size_x
        for y in range(start_y, height, grid_y):
            imag = min_y + y * pixel_size_y
            image[y, x] = mandel(real, imag, iters)


@cuda.jit(device=True)
def mandel_complex(x, y, max_iters):
    c = complex(x, y)
    z = 0.0j
    for i in range(max_iters):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) >= 4:
            return i
    return max_iters


@cuda.jit
def mandel_complex_kernel(min_x, max_x, min_y, max_y, image, iters):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        real = min_x + x * (max_x - min_x) / width
        image[y, x] = mandel_complex(real, min_y + y * (max_y - min_y) / height, iters)


@pytest.mark.parametrize("kernel", [mandel_kernel, mandel_complex_kernel])
def test_mandelbrot(kernel):
    image = np.zeros((10, 15), np.uint8)
    kernel[(2, 2), (8, 8)](-2.0, 1.0, -1.0, 1.0, image, 20)
    for y, x in np.ndindex(image.shape):
        c, z, wanted = complex(-2.0 + x * (1.0 - -2.0) / 15, -1.0 + y * (1.0 - -1.0) / 10), 0j, 20
        for i in range(20):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                wanted = i
                break
        assert abs(int(image[y, x]) - wanted) <= (kernel is mandel_kernel)


@cuda.jit(device=True)
def cnd(d):
    """The normal distribution by a polynomial."""
    k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    ret = 0.39894228040143267793994605993438 * math.exp(-0.5 * d * d) * poly
    if d > 0:
        ret = 1.0 - ret
    return ret


@cuda.jit
def black_scholes(call, put, price, strike, years, riskless, volatility):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i >= price.shape[0]:
        return
    sqrt_t = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (riskless + 0.5 * volatility * volatility) * years[i]) / (
        volatility * sqrt_t
    )
    d2 = d1 - volatility * sqrt_t
    exp_rt = math.exp((-1.0 * riskless) * years[i])
    call[i] = price[i] * cnd(d1) - strike[i] * exp_rt * cnd(d2)
    put[i] = strike[i] * exp_rt * (1.0 - cnd(d2)) - price[i] * (1.0 - cnd(d1))


def test_black_scholes():
    price, strike, years = rng(10).uniform(5, 30, 50), rng(11).uniform(1, 100, 50), rng(12).uniform(0.25, 10, 50)
    call, put = np.zeros(50), np.zeros(50)
    black_scholes[2, 32](call, put, price, strike, years, 0.02, 0.3)
    d1 = (np.log(price / strike) + (0.02 + 0.045) * years) / (0.3 * np.sqrt(years))
    normal = [np.array([0.5 * (1 + math.erf(x / math.sqrt(2))) for x in d]) for d in (d1, d1 - 0.3 * np.sqrt(years))]
    wanted = price * normal[0] - strike * np.exp(-0.02 * years) * normal[1]
    assert np.allclose(call, wanted, atol=1e-4)
    assert np.allclose(call - put, price - strike * np.exp(-0.02 * years), atol=1e-4)


@cuda.jit
def transposed(a, out):
    tile = cuda.shared.array((TPB, TPB + 1), dtype=float64)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * TPB + tx, cuda.blockIdx.y * TPB + ty
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * TPB + tx, cuda.blockIdx.x * TPB + ty
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = tile[tx, ty]


def test_transposition():
    a = rng(13).normal(size=(13, 10))
    out = np.zeros((10, 13))
    transposed[(2, 2), (TPB, TPB)](a, out)
    assert np.array_equal(out, a.T)


@cuda.jit
def jacobi_relax(a, a_new, error):
    err_sm = cuda.shared.array((TPB, TPB), dtype=float64)
    ty, tx = cuda.threadIdx.x, cuda.threadIdx.y
    n, m = a.shape
    i, j = cuda.grid(2)
    err_sm[ty, tx] = 0
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        a_new[i, j] = 0.25 * (a[i, j + 1] + a[i, j - 1] + a[i - 1, j] + a[i + 1, j])
        err_sm[ty, tx] = abs(a_new[i, j] - a[i, j])
    cuda.syncthreads()
    t = TPB // 2
    while t > 0:
        if ty < t:
            err_sm[ty, tx] = max(err_sm[ty, tx], err_sm[ty + t, tx])
        t //= 2
        cuda.syncthreads()
    t = TPB // 2
    while t > 0:
        if tx < t and ty == 0:
            err_sm[ty, tx] = max(err_sm[ty, tx], err_sm[ty, tx + t])
        t //= 2
        cuda.syncthreads()
    if tx == 0 and ty == 0:
        error[cuda.blockIdx.x, cuda.blockIdx.y] = err_sm[0, 0]


def test_laplace():
    a = rng(14).normal(size=(16, 16))
    new, error = a.copy(), np.zeros((2, 2))
    jacobi_relax[(2, 2), (TPB, TPB)](a, new, error)
    wanted = a.copy()
    wanted[1:-1, 1:-1] = 0.25 * (a[1:-1, 2:] + a[1:-1, :-2] + a[:-2, 1:-1] + a[2:, 1:-1])
    assert np.array_equal(new, wanted)
    assert error.max() == abs(wanted - a).max()


@cuda.jit
def odd_even_sort(data):
    """One block; neighbours change places."""
    i = cuda.threadIdx.x
    for phase in range(len(data)):
        left = 2 * i + (phase & 1)
        if left + 1 < len(data) and data[left] > data[left + 1]:
            data[left], data[left + 1] = data[left + 1], data[left]
        cuda.syncthreads()


def test_sorting():
    data = rng(15).permutation(21)
    odd_even_sort[1, 16](data)
    assert data.tolist() == list(range(21))


@cuda.jit(device=True)
def clamp(x, low=0.0, high=1.0):
    return min(max(x, low), high)


@cuda.jit(device=True)
def dot(u, v):
    total = 0.0
    for k in range(len(u)):
        total += u[k] * v[k]
    return total


@cuda.jit(device=True)
def order(a, b):
    if a > b:
        return b, a
    return a, b


@cuda.jit
def rows(a, b, out):
    """Rows and parts of arrays, given to functions."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        low, high = order(dot(a[i], b[:, i]), dot(a[i, 1:], b[1:, i]))
        out[i, 0], out[i, 1] = low, high
        out[i, 2] = clamp(low, high=3.0)
        out[i, 3] = dot(a[i, ::2], b[::-2, i])


def test_functions_of_rows_columns_and_parts():
    a, b = rng(16).integers(-5, 6, (2, 7, 7)).astype(np.float64)
    out = np.zeros((7, 4))
    rows[1, 8](a, b, out)
    for i in range(7):
        low, high = sorted([a[i] @ b[:, i], a[i, 1:] @ b[1:, i]])
        assert out[i].tolist() == [low, high, min(max(low, 0.0), 3.0), a[i, ::2] @ b[::-2, i]]


@cuda.jit
def k_means_labels(points, centres, labels, moved):
    i = cuda.grid(1)
    inside = i < points.shape[0]
    best = -1
    if inside:
        least = math.inf
        for c in range(centres.shape[0]):
            distance = 0.0
            for axis in range(points.shape[1]):
                distance += (points[i, axis] - centres[c, axis]) ** 2
            if distance < least:
                least, best = distance, c
    changed = cuda.syncthreads_count(inside and best != labels[i])
    if inside:
        labels[i] = best
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(moved, 0, changed)


def test_k_means():
    points, centres = rng(17).normal(size=(50, 3)), rng(18).normal(size=(4, 3))
    labels, moved = np.zeros(50, np.int32), np.zeros(1, np.int32)
    k_means_labels[2, 32](points, centres, labels, moved)
    wanted = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
    assert labels.tolist() == wanted.tolist()
    assert moved[0] == np.count_nonzero(wanted)


@cuda.jit
def axpy_of_windows(out, x, weights):
    i = cuda.grid(1)
    if i + weights.size <= x.size:
        total = 0.0
        for w, v in zip(weights, x[i : i + weights.size]):  # noqa: B905 (Numba's zip has no strict)
            total += w * v
        largest = x[i]
        for v in x[i : i + weights.size]:
            largest = max(largest, v)
        out[0, i], out[1, i] = total, largest


def test_windows_of_an_array():
    x, weights = rng(19).integers(-9, 10, 40).astype(np.float64), np.array([1.0, -2.0, 3.0])
    out = np.zeros((2, 38))
    axpy_of_windows[2, 32](out, x, weights)
    windows = np.lib.stride_tricks.sliding_window_view(x, 3)
    assert np.array_equal(out, [windows @ weights, windows.max(1)])
