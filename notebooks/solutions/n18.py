"""Solutions of the puzzles, and what people write instead."""

import numpy as np

from gpuemu import cuda
from gpuemu.cuda import float16, float32, int32

# --- the twenty solutions --------------------------------------------------------------------------------------------


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


# --- what people write instead ---------------------------------------------------------------------------------------


@cuda.jit
def one_cell(out, a):
    out[0] = a[cuda.threadIdx.x] + 10


@cuda.jit
def adds_to_out(out, a):
    out[cuda.threadIdx.x] += 10


@cuda.jit
def loop_in_each_lane(out, a):
    for i in range(a.size):
        out[i] = a[i] + 10


@cuda.jit
def lane_plus_ten(out, a):
    out[cuda.threadIdx.x] = cuda.threadIdx.x + 10


@cuda.jit
def first_of_b(out, a, b):
    i = cuda.threadIdx.x
    out[i] = a[i] + b[0]


@cuda.jit
def no_guard(out, a):
    i = cuda.threadIdx.x
    out[i] = 2 * a[i]


@cuda.jit
def guard_with_equal(out, a):
    i = cuda.threadIdx.x
    if i <= a.size:
        out[i] = 2 * a[i]


@cuda.jit
def guard_of_the_store_alone(out, a):
    i = cuda.threadIdx.x
    value = 2 * a[i]
    if i < a.size:
        out[i] = value


@cuda.jit
def last_left_out(out, a):
    i = cuda.threadIdx.x
    if i < a.size - 1:
        out[i] = 2 * a[i]


@cuda.jit
def or_for_and(out, a):
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    if row < a.shape[0] or column < a.shape[1]:
        out[row, column] = a[row, column] + 10


@cuda.jit
def sizes_exchanged(out, a):
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    if row < a.shape[1] and column < a.shape[0]:
        out[row, column] = a[row, column] + 10


@cuda.jit
def operands_exchanged(out, a, b):
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[column] + b[row]


@cuda.jit
def row_for_both(out, a, b):
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row] + b[row]


@cuda.jit
def lane_only(out, a):
    lane = cuda.threadIdx.x
    out[lane] = a[lane] + 10


@cuda.jit
def lane_only_on_the_right(out, a):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[cuda.threadIdx.x] + 10


@cuda.jit
def blocks_for_lanes(out, a):
    i = cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x
    if i < a.size:
        out[i] = a[i] + 10


@cuda.jit
def ring_without_barrier(out, a):
    tile = cuda.shared.array(8, float32)
    i, lane = cuda.grid(1), cuda.threadIdx.x
    tile[lane] = a[i]
    out[i] = tile[(lane + 7) % 8] + tile[lane] + tile[(lane + 1) % 8]


@cuda.jit
def ring_not_closed(out, a):
    tile = cuda.shared.array(8, float32)
    i, lane = cuda.grid(1), cuda.threadIdx.x
    tile[lane] = a[i]
    cuda.syncthreads()
    out[i] = tile[lane - 1] + tile[lane] + tile[lane + 1]


@cuda.jit
def ring_from_memory(out, a):
    i, lane = cuda.grid(1), cuda.threadIdx.x
    first = i - lane
    out[i] = a[first + (lane + 7) % 8] + a[i] + a[first + (lane + 1) % 8]


@cuda.jit
def pooling_in_the_if(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    if i < a.size:
        tile[i] = a[i]
        cuda.syncthreads()
        out[i] = tile[i]


@cuda.jit
def pooling_before_the_start(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    if i < a.size:
        tile[i] = a[i]
    cuda.syncthreads()
    if i < a.size:
        out[i] = tile[i] + tile[i - 1] + tile[i - 2]


@cuda.jit
def dot_all_add(out, a, b):
    i = cuda.threadIdx.x
    if i < a.size:
        out[0] += a[i] * b[i]


@cuda.jit
def dot_not_filled(out, a, b):
    products = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    if i < a.size:
        products[i] = a[i] * b[i]
    cuda.syncthreads()
    if i == 0:
        total = 0.0
        for j in range(8):
            total += products[j]
        out[0] = total


@cuda.jit
def dot_early_return(out, a, b):
    products = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    if i >= a.size:
        return
    products[i] = a[i] * b[i]
    cuda.syncthreads()
    if i == 0:
        total = 0.0
        for j in range(a.size):
            total += products[j]
        out[0] = total


@cuda.jit
def slide_backwards(out, a, b):
    i = cuda.threadIdx.x
    if i < out.size:
        out[i] = a[i] * b[2] + a[i + 1] * b[1] + a[i + 2] * b[0]


@cuda.jit
def slide_without_guard(out, a, b):
    i = cuda.threadIdx.x
    out[i] = a[i] * b[0] + a[i + 1] * b[1] + a[i + 2] * b[2]


@cuda.jit
def scan_in_place(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    cuda.syncthreads()
    reach = 1
    while reach < 8:
        if i >= reach:
            tile[i] += tile[i - reach]
        cuda.syncthreads()
        reach *= 2
    out[i] = tile[i]


@cuda.jit
def scan_one_step_short(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    cuda.syncthreads()
    reach = 1
    while reach < 4:
        more = tile[i - reach] if i >= reach else 0.0
        cuda.syncthreads()
        tile[i] += more
        cuda.syncthreads()
        reach *= 2
    out[i] = tile[i]


@cuda.jit
def all_lanes_store(out, a):
    tile = cuda.shared.array(8, float32)
    row, i = cuda.blockIdx.x, cuda.threadIdx.x
    tile[i] = a[row, i] if i < a.shape[1] else 0.0
    cuda.syncthreads()
    total = 0.0
    for j in range(8):
        total += tile[j]
    out[row] = total


@cuda.jit
def matmul_one_barrier(out, a, b):
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
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


@cuda.jit
def matmul_no_first_barrier(out, a, b):
    a_tile = cuda.shared.array((3, 3), float32)
    b_tile = cuda.shared.array((3, 3), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for start in range(0, a.shape[1], 3):
        a_tile[y, x] = a[row, start + x] if row < a.shape[0] and start + x < a.shape[1] else 0.0
        b_tile[y, x] = b[start + y, column] if start + y < b.shape[0] and column < b.shape[1] else 0.0
        for k in range(3):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


@cuda.jit
def matmul_steps_rounded_down(out, a, b):
    a_tile = cuda.shared.array((3, 3), float32)
    b_tile = cuda.shared.array((3, 3), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for step in range(a.shape[1] // 3):
        start = step * 3
        a_tile[y, x] = a[row, start + x] if row < a.shape[0] else 0.0
        b_tile[y, x] = b[start + y, column] if column < b.shape[1] else 0.0
        cuda.syncthreads()
        for k in range(3):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


@cuda.jit
def matmul_without_tiles(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        out[row, column] = total


@cuda.jit
def transpose_with_conflicts(out, a):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + x, cuda.blockIdx.y * 32 + y
    if row < a.shape[0] and column < a.shape[1]:
        tile[y, x] = a[row, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * 32 + x, cuda.blockIdx.x * 32 + y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]


@cuda.jit
def transpose_without_tile(out, a):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[x, y] = a[y, x]


@cuda.jit
def transpose_without_barrier(out, a):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + x, cuda.blockIdx.y * 32 + y
    if row < a.shape[0] and column < a.shape[1]:
        tile[y, x] = a[row, column]
    column, row = cuda.blockIdx.y * 32 + x, cuda.blockIdx.x * 32 + y
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]


@cuda.jit
def lost_counts(out, values):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        out[values[i] % 16] += 1


@cuda.jit
def one_value_a_lane(out, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(out, values[i] % 16, 1)


@cuda.jit
def tile_not_zeroed(out, values):
    tile = cuda.shared.array(16, int32)
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(tile, values[i] % 16, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(out, cuda.threadIdx.x, tile[cuda.threadIdx.x])


@cuda.jit
def sum_by_down(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    reach = 16
    while reach > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, reach)
        reach //= 2
    out[lane] = value


@cuda.jit
def sum_without_sixteen(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    reach = 8
    while reach > 0:
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, reach)
        reach //= 2
    out[lane] = value


@cuda.jit
def in_place(out, a):
    lane = cuda.threadIdx.x
    if a[lane] > 0:
        out[lane] = a[lane]


@cuda.jit
def with_my_own_bit(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    who = cuda.ballot_sync(0xFFFFFFFF, value > 0)
    if value > 0:
        out[cuda.popc(who & ((2 << lane) - 1))] = value


def loaded(row, column):
    """A kernel that loads a fragment by these functions of lane and element."""
    row, column = cuda.jit(row, device=True), cuda.jit(column, device=True)

    @cuda.jit
    def fragment(out, a):
        lane = cuda.threadIdx.x
        for e in range(8):
            out[lane, e] = a[row(lane, e), column(lane, e)]

    return fragment


def the_row(lane, e):
    return lane // 4 + 8 * (e // 2 % 2)


def the_column(lane, e):
    return 2 * (lane % 4) + e % 2 + 8 * (e // 4)


def row_by_the_last_digit(lane, e):
    return lane // 4 + 8 * (e // 4)


def column_by_the_middle_digit(lane, e):
    return 2 * (lane % 4) + e % 2 + 8 * (e // 2 % 2)


def upper_row(lane, e):
    return lane // 4 + 0 * e


def half_a_row(lane, e):
    return lane // 2 + 0 * e


def half_a_column(lane, e):
    return lane % 2 * 8 + e


def pointed(row, column):
    """A kernel in which lanes give these rows and columns to ldmatrix."""
    row, column = cuda.jit(row, device=True), cuda.jit(column, device=True)

    @cuda.jit
    def fragment(out, a):
        tile = cuda.shared.array((16, 16), float16)
        lane = cuda.threadIdx.x
        for i in range(lane, 256, 32):
            tile[i // 16, i % 16] = a[i // 16, i % 16]
        cuda.syncthreads()
        left = cuda.wmma.fragment("a", "m16n8k16")
        cuda.wmma.ldmatrix(left, "ldmatrix.x4", tile, row(lane), column(lane))
        out[lane, 0], out[lane, 1], out[lane, 2], out[lane, 3] = left[0], left[1], left[2], left[3]
        out[lane, 4], out[lane, 5], out[lane, 6], out[lane, 7] = left[4], left[5], left[6], left[7]

    return fragment


def middle_exchanged_row(lane):
    return lane % 8 + 8 * (lane // 16)


def middle_exchanged_column(lane):
    return 8 * (lane // 8 % 2)


def first_eight_rows(lane):
    return lane % 8


def no_column(lane):
    return 0 * lane


def my_own_row(lane):
    return lane // 4


def my_own_column(lane):
    return 2 * (lane % 4)


def wmma_matmul(steps, *, clears=False, guards=True, second_barrier=True):
    """The matrix product with a part of it left out."""

    @cuda.jit
    def product(out, a, b):
        a_tile = cuda.shared.array((16, 16), float16)
        b_tile = cuda.shared.array((16, 8), float16)
        c_tile = cuda.shared.array((16, 8), float32)
        lane = cuda.threadIdx.x
        left = cuda.wmma.fragment("a", "m16n8k16")
        right = cuda.wmma.fragment("b", "m16n8k16")
        total = cuda.wmma.fragment("c", "m16n8k16")
        for step in range(steps):
            start = step * 16
            if clears:
                cuda.wmma.fill_fragment(total, 0.0)
            for i in range(lane, 256, 32):
                row, k = i // 16, i % 16
                if not guards or (row < a.shape[0] and start + k < a.shape[1]):
                    a_tile[row, k] = a[row, start + k]
                else:
                    a_tile[row, k] = 0.0
            for i in range(lane, 128, 32):
                k, column = i // 8, i % 8
                b_tile[k, column] = b[start + k, column] if start + k < b.shape[0] and column < b.shape[1] else 0.0
            cuda.syncthreads()
            cuda.wmma.load_matrix_sync(left, a_tile, 0, 0)
            cuda.wmma.load_matrix_sync(right, b_tile, 0, 0)
            cuda.wmma.mma_sync(total, left, right, total)
            if second_barrier:
                cuda.syncthreads()
        cuda.wmma.store_matrix_sync(c_tile, 0, 0, total)
        cuda.syncthreads()
        for i in range(lane, 128, 32):
            row, column = i // 8, i % 8
            if row < out.shape[0] and column < out.shape[1]:
                out[row, column] = c_tile[row, column]

    return product


WRONG = [
    ("map", one_cell, "each lane has an element of its own"),
    ("map", adds_to_out, "out holds nothing yet"),
    ("map", loop_in_each_lane, "the launch is the loop"),
    ("map", lane_plus_ten, "the number of the lane"),
    ("map", np.add, "write @cuda.jit"),
    ("zip", first_of_b, "b[0] is one element for all lanes"),
    ("guard", no_guard, "Lanes without an element must touch nothing"),
    ("guard", guard_with_equal, "Lanes without an element must touch nothing"),
    ("guard", guard_of_the_store_alone, "Lanes without an element must touch nothing"),
    ("guard", last_left_out, "The last element is left out"),
    ("map-2d", or_for_and, "Each axis needs a guard of its own"),
    ("map-2d", sizes_exchanged, "Each axis needs a guard of its own"),
    ("broadcast", operands_exchanged, "a has one element for each row"),
    ("broadcast", row_for_both, "b has one element for each column"),
    ("blocks", lane_only, "it needs two digits"),
    ("blocks", lane_only_on_the_right, "no digit for the block"),
    ("blocks", blocks_for_lanes, "it needs two digits"),
    ("blocks", add_ten_blocks[2, 4], "never written"),
    ("share", ring_without_barrier, "A barrier is missing"),
    ("share", ring_not_closed, "The tile belongs to one block"),
    ("share", ring_from_memory, "48 reads of a; 16 are enough"),
    ("pooling", pooling_in_the_if, "Every lane must come to the barrier"),
    ("pooling", pooling_before_the_start, "tile[−1] does not exist"),
    ("dot", dot_all_add, "All lanes add to one element at once"),
    ("dot", dot_not_filled, "Nobody has written the places"),
    ("dot", dot_early_return, "Every lane must come to the barrier"),
    ("convolution", slide_backwards, "b is walked backwards"),
    ("convolution", slide_without_guard, "The window leaves a"),
    ("scan", scan_in_place, "a read and a write"),
    ("scan", scan_one_step_short, "A step is missing"),
    ("axis-sum", all_lanes_store, "Several lanes write the sum of one row"),
    ("tiled-matmul", matmul_one_barrier, "A second barrier is missing"),
    ("tiled-matmul", matmul_no_first_barrier, "A barrier is missing"),
    ("tiled-matmul", matmul_steps_rounded_down, "The last step along k is missing"),
    ("tiled-matmul", matmul_without_tiles, "reads of a"),
    ("transpose-padded", transpose_with_conflicts, "32 ways"),
    ("transpose-padded", transpose_without_tile, "not through a tile"),
    ("transpose-padded", transpose_without_barrier, "A barrier is missing"),
    ("histogram", lost_counts, "one of them is lost"),
    ("histogram", one_value_a_lane, "Only the first 64 values"),
    ("histogram", tile_not_zeroed, "set it to 0"),
    ("shuffle-sum", sum_by_down, "Lane 0 alone has the sum"),
    ("shuffle-sum", sum_without_sixteen, "The two halves of the warp have not met"),
    ("ballot", in_place, "Every element stays in its place"),
    ("ballot", with_my_own_bit, "One place too far"),
    ("fragment", loaded(the_column, the_row), "the row and the column are exchanged"),
    ("fragment", loaded(row_by_the_last_digit, column_by_the_middle_digit), "Values 2, 3 and 4, 5 are exchanged"),
    ("fragment", loaded(upper_row, the_column), "The lower half is missing"),
    ("fragment", loaded(half_a_row, half_a_column), "half a row a lane"),
    ("ldmatrix", pointed(middle_exchanged_row, middle_exchanged_column), "The two middle matrices are exchanged"),
    ("ldmatrix", pointed(first_eight_rows, no_column), "All four are the upper left one"),
    ("ldmatrix", pointed(my_own_row, my_own_column), "Who gives an address is not who gets the data"),
    ("ldmatrix", fragment_a, "without ldmatrix"),
    ("tensor-core-matmul", wmma_matmul(2), "The last step along k is missing"),
    ("tensor-core-matmul", wmma_matmul(3, clears=True), "Only the last step is left"),
    ("tensor-core-matmul", wmma_matmul(3, guards=False), "Outside of a and b nothing is loaded"),
    ("tensor-core-matmul", wmma_matmul(3, second_barrier=False), "A second barrier is missing"),
]
