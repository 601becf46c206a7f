"""Typical wrong kernels with tiles, warps and tensor cores; each with a part of the sentence that it must get."""

from gpuemu import cuda
from gpuemu.cuda import float16, float32, int32
from solutions.n18 import fragment_a


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
