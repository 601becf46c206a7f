"""Typical wrong kernels with lanes and workgroups; each with a part of the sentence that it must get."""

import numpy as np

from gpuemu import cuda
from gpuemu.cuda import float32
from solutions.n18 import add_ten_blocks

# --- notebook 17 ---


@cuda.jit
def x_for_the_row(out, a, factor):
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        out[y, x] = a[y, x] * factor


@cuda.jit
def last_block_stays(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[cuda.grid(1)] if cuda.grid(1) < a.size else 0.0
    cuda.syncthreads()
    reach = 4
    while reach > 0:
        if i < reach:
            tile[i] = max(tile[i], tile[i + reach])
        cuda.syncthreads()
        reach //= 2
    if i == 0:
        out[0] = tile[0]


@cuda.jit
def no_barrier(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[cuda.grid(1)] if cuda.grid(1) < a.size else 0.0
    reach = 4
    while reach > 0:
        if i < reach:
            tile[i] = max(tile[i], tile[i + reach])
        reach //= 2
    if i == 0:
        cuda.atomic.max(out, 0, tile[0])


# --- notebook 18 ---


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


WRONG = [
    ("scale", x_for_the_row, "it is the column"),
    ("largest", last_block_stays, "Use cuda.atomic.max"),
    ("largest", no_barrier, "A barrier is missing"),
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
]
