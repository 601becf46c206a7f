"""Solutions of notebook 18: the twenty puzzles."""

from gpuemu import cuda
from gpuemu.cuda import float16, float32


@cuda.jit
def add_ten(out, a):
    i = cuda.threadIdx.x
    out[i] = a[i] + 10


@cuda.jit
def add(out, a, b):
    i = cuda.threadIdx.x
    out[i] = a[i] + b[i]


@cuda.jit
def double(out, a):
    i = cuda.threadIdx.x
    if i < a.size:
        out[i] = 2 * a[i]


@cuda.jit
def add_ten_2d(out, a):
    column = cuda.threadIdx.x
    row = cuda.threadIdx.y
    if row < a.shape[0] and column < a.shape[1]:
        out[row, column] = a[row, column] + 10


@cuda.jit
def table(out, a, b):
    column = cuda.threadIdx.x
    row = cuda.threadIdx.y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row] + b[column]


@cuda.jit
def add_ten_blocks(out, a):
    block, lane = cuda.blockIdx.x, cuda.threadIdx.x
    i = block * cuda.blockDim.x + lane
    if i < a.size:
        out[i] = a[i] + 10


@cuda.jit
def ring(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.grid(1)
    lane = cuda.threadIdx.x
    tile[lane] = a[i]
    cuda.syncthreads()
    out[i] = tile[(lane + 7) % 8] + tile[lane] + tile[(lane + 1) % 8]


@cuda.jit
def last_three(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    if i < a.size:
        tile[i] = a[i]
    cuda.syncthreads()
    if i < a.size:
        total = tile[i]
        if i >= 1:
            total += tile[i - 1]
        if i >= 2:
            total += tile[i - 2]
        out[i] = total


@cuda.jit
def dot(out, a, b):
    products = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    products[i] = a[i] * b[i] if i < a.size else 0.0
    cuda.syncthreads()
    if i == 0:
        total = 0.0
        for j in range(8):
            total += products[j]
        out[0] = total


@cuda.jit
def slide(out, a, b):
    i = cuda.threadIdx.x
    if i < out.size:
        total = 0.0
        for j in range(b.size):
            total += a[i + j] * b[j]
        out[i] = total


@cuda.jit
def scan(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    cuda.syncthreads()
    reach = 1
    while reach < 8:
        more = tile[i - reach] if i >= reach else 0.0
        cuda.syncthreads()
        tile[i] += more
        cuda.syncthreads()
        reach *= 2
    out[i] = tile[i]


@cuda.jit
def row_sums(out, a):
    tile = cuda.shared.array(8, float32)
    row = cuda.blockIdx.x
    i = cuda.threadIdx.x
    tile[i] = a[row, i] if i < a.shape[1] else 0.0
    cuda.syncthreads()
    if i == 0:
        total = 0.0
        for j in range(8):
            total += tile[j]
        out[row] = total


@cuda.jit
def matmul(out, a, b):
    a_tile = cuda.shared.array((3, 3), float32)
    b_tile = cuda.shared.array((3, 3), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for start in range(0, a.shape[1], 3):
        a_tile[y, x] = a[row, start + x] if row < a.shape[0] and start + x < a.shape[1] else 0.0
        b_tile[y, x] = b[start + y, column] if start + y < b.shape[0] and column < b.shape[1] else 0.0
        cuda.syncthreads()
        for k in range(3):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


@cuda.jit
def transpose(out, a):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + x, cuda.blockIdx.y * 32 + y
    if row < a.shape[0] and column < a.shape[1]:
        tile[y, x] = a[row, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * 32 + x, cuda.blockIdx.x * 32 + y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]


@cuda.jit
def histogram(out, values):
    first, step = cuda.grid(1), cuda.gridsize(1)
    for i in range(first, values.size, step):
        cuda.atomic.add(out, values[i] % 16, 1)


@cuda.jit
def warp_sum(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    reach = 16
    while reach > 0:
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, reach)
        reach //= 2
    out[lane] = value


@cuda.jit
def to_the_front(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    who = cuda.ballot_sync(0xFFFFFFFF, value > 0)
    if value > 0:
        out[cuda.popc(who & ((1 << lane) - 1))] = value


@cuda.jit
def fragment_a(out, a):
    lane = cuda.threadIdx.x
    for e in range(8):
        row = lane // 4 + 8 * (e // 2 % 2)
        column = 2 * (lane % 4) + e % 2 + 8 * (e // 4)
        out[lane, e] = a[row, column]


@cuda.jit
def fragment_by_ldmatrix(out, a):
    tile = cuda.shared.array((16, 16), float16)
    lane = cuda.threadIdx.x
    for i in range(lane, 256, 32):
        tile[i // 16, i % 16] = a[i // 16, i % 16]
    cuda.syncthreads()
    left = cuda.wmma.fragment("a", "m16n8k16")
    cuda.wmma.ldmatrix(left, "ldmatrix.x4", tile, lane % 16, lane // 16 * 8)
    out[lane, 0], out[lane, 1], out[lane, 2], out[lane, 3] = left[0], left[1], left[2], left[3]
    out[lane, 4], out[lane, 5], out[lane, 6], out[lane, 7] = left[4], left[5], left[6], left[7]


@cuda.jit
def tensor_core_matmul(out, a, b):
    a_tile = cuda.shared.array((16, 16), float16)
    b_tile = cuda.shared.array((16, 8), float16)
    c_tile = cuda.shared.array((16, 8), float32)
    lane = cuda.threadIdx.x
    left = cuda.wmma.fragment("a", "m16n8k16")
    right = cuda.wmma.fragment("b", "m16n8k16")
    total = cuda.wmma.fragment("c", "m16n8k16")
    for start in range(0, a.shape[1], 16):
        for i in range(lane, 256, 32):
            row, k = i // 16, i % 16
            a_tile[row, k] = a[row, start + k] if row < a.shape[0] and start + k < a.shape[1] else 0.0
        for i in range(lane, 128, 32):
            k, column = i // 8, i % 8
            b_tile[k, column] = b[start + k, column] if start + k < b.shape[0] and column < b.shape[1] else 0.0
        cuda.syncthreads()
        cuda.wmma.load_matrix_sync(left, a_tile, 0, 0)
        cuda.wmma.load_matrix_sync(right, b_tile, 0, 0)
        cuda.wmma.mma_sync(total, left, right, total)
        cuda.syncthreads()
    cuda.wmma.store_matrix_sync(c_tile, 0, 0, total)
    cuda.syncthreads()
    for i in range(lane, 128, 32):
        row, column = i // 8, i % 8
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = c_tile[row, column]


SOLUTIONS = {
    "map": add_ten,
    "zip": add,
    "guard": double,
    "map-2d": add_ten_2d,
    "broadcast": table,
    "blocks": add_ten_blocks,
    "share": ring,
    "pooling": last_three,
    "dot": dot,
    "convolution": slide,
    "scan": scan,
    "axis-sum": row_sums,
    "tiled-matmul": matmul,
    "transpose-padded": transpose,
    "histogram": histogram,
    "shuffle-sum": warp_sum,
    "ballot": to_the_front,
    "fragment": fragment_a,
    "ldmatrix": fragment_by_ldmatrix,
    "tensor-core-matmul": tensor_core_matmul,
}
