"""Notebook 18, the last ten puzzles: from a prefix sum to a matrix product on a tensor core."""

from typing import Any

import numpy as np
import numpy.typing as npt

from exercises.define import Kernel, Mistake, define
from exercises.tasks.n18_puzzles_lanes import NAN, NO_BARRIER, NOT_ALL_ARRIVE, distinct, each_once, one_block
from gpuemu.uops import UOps

Array = npt.NDArray[Any]
TILE = 3
LANES, ELEMENTS = np.arange(32)[:, None], np.arange(8)
NOT_FILLED = "Nobody has written the places that lie outside of the matrix: the tile needs zeros there, by an else."


def up_to_tiles(size: int) -> int:
    """How many tiles cover a size."""
    return -(-size // TILE)


def shifted_sums(a: Array, reach: int) -> Array:
    """Each element with those up to `reach` − 1 places before it."""
    return np.array([a[max(0, i - reach + 1) : i + 1].sum() for i in range(a.size)])


define(
    name="scan",
    notebook="18",
    asked=(
        "Prefix sums: out[i] = a[0] + a[1] + … + a[i]. One block of 8 lanes, 8 elements, three "
        "steps: in a step of reach "
        "r, each place from r on adds what stands r places before it; r is 1, 2, 4."
    ),
    start="""@cuda.jit
def scan(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    cuda.syncthreads()
    # the three steps
    out[i] = tile[i]


check(scan, "scan")""",
    kind=Kernel(grid=one_block(8), most=each_once("a")),
    inputs=lambda rng: {"a": distinct(rng, 8)},
    wanted=np.cumsum,
    mistakes=(
        Mistake("The sums are yet to be made; out is still a.", gives=lambda a: a),
        Mistake(
            "tile[i] += … is a read and a write, and another lane reads that place in the same moment: read, barrier, "
            "write, barrier.",
            hazard="race",
            buffer="tile",
        ),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake("A lane below the reach has nothing before it: test i >= reach.", hazard="out-of-bounds"),
        Mistake("These sums leave out a[i] itself; it belongs to out[i].", gives=lambda a: np.cumsum(a) - a),
        Mistake("A step is missing: the reaches are 1, 2 and 4.", gives=lambda a: shifted_sums(a, 4)),
        Mistake("Two steps are missing: the reaches are 1, 2 and 4.", gives=lambda a: shifted_sums(a, 2)),
    ),
    hints=(
        "Keep what you read in a variable: more = tile[i - reach] if i >= reach else 0.0.",
        "Then cuda.syncthreads(), tile[i] += more, and cuda.syncthreads() again.",
        "The reach doubles: reach = 1; while reach < 8: …; reach *= 2.",
    ),
)

define(
    name="axis-sum",
    notebook="18",
    asked=(
        "out[row] is the sum of that row of a. Each row has a block of its own, of 8 lanes; a row "
        "has up to 8 elements, "
        "and each is read once."
    ),
    start="""@cuda.jit
def row_sums(out, a):
    tile = cuda.shared.array(8, float32)
    row = cuda.blockIdx.x
    i = cuda.threadIdx.x
    # fill, wait, one lane adds


check(row_sums, "axis-sum")""",
    kind=Kernel(grid=lambda inputs: (inputs["a"].shape[0], 8), most=each_once("a")),
    inputs=lambda rng: {"a": distinct(rng, 4, int(rng.integers(5, 8)))},
    wanted=lambda a: a.sum(1),
    mistakes=(
        Mistake(
            "These are the sums of columns: the row is that of the block, the column that of the lane.",
            gives=lambda a: a.sum(0)[:4],
        ),
        Mistake(NO_BARRIER, hazard="race", buffer="tile"),
        Mistake("Several lanes write the sum of one row: let one lane do it, if i == 0.", hazard="race", buffer="out"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "Nobody has written the places beyond the row: give them 0, or do not add them.", hazard="uninitialised"
        ),
        Mistake("A row has fewer elements than the block has lanes: test i < a.shape[1].", hazard="out-of-bounds"),
    ),
    hints=(
        "tile[i] = a[row, i] if i < a.shape[1] else 0.0",
        "After the barrier, lane 0 adds the places of the tile and stores out[row].",
    ),
)

define(
    name="tiled-matmul",
    notebook="18",
    asked=(
        "out = a @ b. A block of 3 × 3 lanes computes a tile of 3 × 3 of the result, and walks along "
        "k in steps of 3: it "
        "loads a tile of a and one of b, then multiplies. So each element is read once for a tile of "
        "the result. No size "
        "need be a multiple of 3."
    ),
    start="""@cuda.jit
def matmul(out, a, b):
    a_tile = cuda.shared.array((3, 3), float32)
    b_tile = cuda.shared.array((3, 3), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for start in range(0, a.shape[1], 3):
        pass  # load, wait, multiply, wait
    # store


check(matmul, "tiled-matmul")""",
    kind=Kernel(
        grid=lambda inputs: (
            (up_to_tiles(inputs["b"].shape[1]), up_to_tiles(inputs["a"].shape[0])),
            (TILE, TILE),
        ),
        most=lambda inputs: {
            ("read", "a"): inputs["a"].size * up_to_tiles(inputs["b"].shape[1]),
            ("read", "b"): inputs["b"].size * up_to_tiles(inputs["a"].shape[0]),
        },
    ),
    inputs=lambda rng: {
        "a": distinct(rng, 5, k := int(rng.choice([7, 8]))),
        "b": distinct(rng, k, int(rng.choice([4, 5]))),
    },
    wanted=lambda a, b: a @ b,
    mistakes=(
        Mistake(
            "A second barrier is missing: a fast lane loads the next tile while a slow one still reads this one. Put "
            "cuda.syncthreads() at the end of the loop too.",
            hazard="race-read-write",
        ),
        Mistake(NO_BARRIER, hazard="race"),
        Mistake(NOT_FILLED, hazard="uninitialised"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "Outside of out nothing is stored: test row and column before the store.",
            hazard="out-of-bounds",
            buffer="out",
        ),
        Mistake("Outside of a and b nothing is loaded: test each axis before the load.", hazard="out-of-bounds"),
        Mistake(
            "The last step along k is missing: the number of steps must be rounded up.",
            gives=lambda a, b: a[:, : a.shape[1] // 3 * 3] @ b[: a.shape[1] // 3 * 3],
        ),
        Mistake(
            "Only the last tile is left: total is set to 0 again in each step.",
            gives=lambda a, b: a[:, (a.shape[1] - 1) // 3 * 3 :] @ b[(a.shape[1] - 1) // 3 * 3 :],
        ),
    ),
    hints=(
        "Lane (x, y) loads a[row, start + x] and b[start + y, column], or 0.0 where there is none.",
        "Two barriers: one when both tiles are full, one when all have multiplied.",
        "for k in range(3): total += a_tile[y, k] * b_tile[k, x]",
    ),
)


def not_turned(a: Array) -> Array:
    """The tiles change places, and are not turned themselves."""
    rows, columns = a.shape
    out = np.full((columns, rows), NAN, np.float32)
    for top in range(0, rows, 32):
        for left in range(0, columns, 32):
            tile = a[top : top + 32, left : left + 32]
            place = out[left : left + 32, top : top + 32]
            height, width = (min(pair) for pair in zip(tile.shape, place.shape, strict=True))
            place[:height, :width] = tile[:height, :width]
    return out


define(
    name="transpose-padded",
    notebook="18",
    asked=(
        "out is a with rows and columns exchanged, through a tile of 32 × 32: read along rows, write "
        "along rows, and turn "
        "in between. No two lanes of a warp may ask one bank of the tile for two words; a bank is a column of 32."
    ),
    start="""@cuda.jit
def transpose(out, a):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + x, cuda.blockIdx.y * 32 + y
    # load, wait, store with the blocks exchanged


check(transpose, "transpose-padded")""",
    kind=Kernel(
        grid=lambda inputs: ((2, 2), (32, 32)),
        most=each_once("a"),
        most_ways=1,
        uses={UOps.DEFINE_LOCAL: "not through a tile: the columns of a are read, or those of out written"},
        drawn=(),
    ),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(33, 36)), int(rng.integers(36, 40)))},
    wanted=lambda a: a.T,
    mistakes=(
        Mistake(NO_BARRIER, hazard="race", buffer="tile"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "The block's place must be exchanged too: the tile of block (x, y) goes to rows 32 · x, columns 32 · y.",
            hazard="out-of-bounds",
            buffer="out",
        ),
        Mistake(
            "The last blocks are not full: test each axis of a before the load.", hazard="out-of-bounds", buffer="a"
        ),
        Mistake(
            "Every lane reads what another has written: test each axis of out, not of a, for the store.",
            hazard="uninitialised",
        ),
        Mistake("The tiles are in their places, and are not turned themselves: read tile[x, y].", gives=not_turned),
    ),
    hints=(
        "Load tile[y, x] = a[row, column]. For the store exchange the blocks: column = blockIdx.y * 32 + x, row = "
        "blockIdx.x * 32 + y.",
        "Store out[row, column] = tile[x, y], with the guards of out.",
        "A column of the tile lies in one bank, as rows are 32 long. What if they were 33 long?",
    ),
)

define(
    name="histogram",
    notebook="18",
    asked=(
        "Count how often each remainder by 16 occurs: out[r] is the number of values with values[i] "
        "% 16 == r. Two blocks "
        "of 32 lanes, and more values than lanes; out holds zeros before."
    ),
    start="""@cuda.jit
def histogram(out, values):
    first, step = cuda.grid(1), cuda.gridsize(1)
    # a loop, and an addition that no lane can disturb


check(histogram, "histogram")""",
    kind=Kernel(grid=lambda inputs: (2, 32), start=0.0, drawn=()),
    inputs=lambda rng: {"values": (rng.permutation(150 + int(rng.integers(9))) ** 2).astype(np.int32)},
    wanted=lambda values: np.bincount(values % 16, minlength=16).astype(np.int32),
    mistakes=(
        Mistake(
            "out[…] += 1 reads and then writes: two lanes read the same old count, and one of them is lost. "
            "cuda.atomic.add lets nobody come between.",
            hazard="race",
            buffer="out",
        ),
        Mistake(NO_BARRIER, hazard="race"),
        Mistake("A tile holds anything at first: set it to 0, with a barrier behind.", hazard="uninitialised"),
        Mistake(
            "Only the first 64 values are counted, one for each lane: let each lane go on in steps of "
            "cuda.gridsize(1).",
            gives=lambda values: np.bincount(values[:64] % 16, minlength=16),
        ),
        Mistake("The bin is the remainder: values[i] % 16.", hazard="out-of-bounds", buffer="out"),
        Mistake("More lanes than values are left in the last round: test the index first.", hazard="out-of-bounds"),
        Mistake(
            "Each block counts all values: let a lane begin at cuda.grid(1).",
            gives=lambda values: 2 * np.bincount(values % 16, minlength=16),
        ),
    ),
    hints=(
        "for i in range(first, values.size, step): each lane takes every 64th value.",
        "cuda.atomic.add(out, values[i] % 16, 1)",
    ),
)


def shuffled_down(a: Array) -> Array:
    """What lanes hold that sum by shfl_down: beyond the last lane, a lane gets its own value."""
    value = a.copy()
    for reach in (16, 8, 4, 2, 1):
        value = value + np.where(np.arange(32) + reach < 32, np.roll(value, -reach), value)
    return value


define(
    name="shuffle-sum",
    notebook="18",
    asked=(
        "One warp, 32 elements: every lane stores the sum of all of them. No shared memory: lanes "
        "give each other values "
        "by shuffles, in five steps."
    ),
    start="""@cuda.jit
def warp_sum(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    # five steps
    out[lane] = value


check(warp_sum, "shuffle-sum")""",
    kind=Kernel(
        grid=one_block(32),
        most=each_once("a"),
        uses={UOps.SHUFFLE: "without a shuffle"},
    ),
    inputs=lambda rng: {"a": distinct(rng, 32)},
    wanted=lambda a: np.full(32, a.sum()),
    mistakes=(
        Mistake("Nothing is added yet; out is still a.", gives=lambda a: a),
        Mistake(
            "Lane 0 alone has the sum: by shfl_down the upper lanes get nothing new. "
            "cuda.shfl_xor_sync gives it to all.",
            gives=shuffled_down,
        ),
        Mistake(
            "The two halves of the warp have not met: the distances are 16, 8, 4, 2 and 1.",
            gives=lambda a: np.repeat(a.reshape(2, 16).sum(1), 16),
        ),
        Mistake(
            "Neighbours have not met: the last distance is 1.",
            gives=lambda a: np.tile([a[0::2].sum(), a[1::2].sum()], 16),
        ),
    ),
    hints=(
        "Who is 16 away from lane 3? Lane 19; and for lane 19 it is lane 3: lane XOR 16.",
        "value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 16), then 8, 4, 2, 1.",
    ),
)

define(
    name="ballot",
    notebook="18",
    asked=(
        "One warp: put the elements above 0 to the front of out, in their order; the rest of out "
        "stays 0. A lane's place "
        "is the number of lanes before it that have such an element; a ballot tells every lane who has."
    ),
    start="""@cuda.jit
def to_the_front(out, a):
    lane = cuda.threadIdx.x
    value = a[lane]
    who = cuda.ballot_sync(0xFFFFFFFF, value > 0)  # bit j: lane j has one
    # how many of the bits below mine are set?


check(to_the_front, "ballot")""",
    kind=Kernel(grid=one_block(32), start=0.0, most=each_once("a"), uses={UOps.VOTE: "without a ballot"}),
    inputs=lambda rng: {"a": distinct(rng, 32) * rng.choice([-1, 1], 32).astype(np.float32)},
    wanted=lambda a: np.concatenate([a[a > 0], np.zeros((a <= 0).sum(), a.dtype)]),
    mistakes=(
        Mistake(
            "Every element stays in its place: a lane's place is the number of set bits below its own.",
            gives=lambda a: np.where(a > 0, a, 0),
        ),
        Mistake(
            "One place too far: count the bits below your own, (1 << lane) − 1, without your own.",
            gives=lambda a: np.concatenate([[0], a[a > 0], np.zeros((a <= 0).sum())])[:32],
        ),
        Mistake(
            "Two lanes have the same place: lanes whose element is not above 0 must not store.",
            hazard="race",
            buffer="out",
        ),
    ),
    hints=(
        "(1 << lane) - 1 has a 1 for every lane below mine.",
        "place = cuda.popc(who & ((1 << lane) - 1)); only lanes with value > 0 store there.",
    ),
)


def held(rows: Array, columns: Array) -> Any:
    """What lanes hold if they read these rows and columns of a."""
    return lambda a: a[rows, columns].astype(np.float32)


ROWS, KS = LANES // 4 + 8 * (ELEMENTS // 2 % 2), 2 * (LANES % 4) + ELEMENTS % 2 + 8 * (ELEMENTS // 4)

define(
    name="fragment",
    notebook="18",
    asked=(
        "Load the operand A of m16n8k16 by hand: lane l keeps 8 values of the 16 × 16 matrix a, and stores value e in "
        "out[l, e]. Which row and which column is it?"
    ),
    start="""@cuda.jit
def fragment_a(out, a):
    lane = cuda.threadIdx.x
    for e in range(8):
        row = 0
        column = e
        out[lane, e] = a[row, column]


check(fragment_a, "fragment")""",
    kind=Kernel(grid=one_block(32), drawn=()),
    inputs=lambda rng: {"a": (distinct(rng, 16, 16) - 1).astype(np.float16)},
    wanted=held(ROWS, KS),
    mistakes=(
        Mistake("This is the operand read by columns: the row and the column are exchanged.", gives=held(KS, ROWS)),
        Mistake(
            "Values 2, 3 and 4, 5 are exchanged: the second pair is 8 rows further down, the third 8 "
            "columns to the right.",
            gives=held(LANES // 4 + 8 * (ELEMENTS // 4), 2 * (LANES % 4) + ELEMENTS % 2 + 8 * (ELEMENTS // 2 % 2)),
        ),
        Mistake(
            "The lower half is missing: the second and the fourth pair are 8 rows further down.",
            gives=held(LANES // 4 + 0 * ELEMENTS, KS),
        ),
        Mistake(
            "The right half is missing: the last four values are 8 columns further.",
            gives=held(ROWS, 2 * (LANES % 4) + ELEMENTS % 2),
        ),
        Mistake(
            "The row is lane // 4: four neighbouring lanes share one.",
            gives=held(LANES % 8 + 8 * (ELEMENTS // 2 % 2), 2 * (LANES // 8) + ELEMENTS % 2 + 8 * (ELEMENTS // 4)),
        ),
        Mistake(
            "That is half a row a lane, as in memory; a fragment is dealt out in pairs.",
            gives=held(LANES // 2 + 0 * ELEMENTS, LANES % 2 * 8 + ELEMENTS),
        ),
    ),
    hints=(
        "Four lanes share a row, and each has two neighbours of it: row lane // 4, columns 2 · (lane "
        "% 4) and the next.",
        "e has three digits: e % 2 walks along the pair, e // 2 % 2 is 8 rows, e // 4 is 8 columns.",
    ),
)


def copied(row: Array, column: Array) -> Any:
    """What lanes get from ldmatrix.x4 if they give these rows and columns."""
    matrix, inside = ELEMENTS // 2, ELEMENTS % 2
    giver = 8 * matrix + LANES // 4
    return lambda a: a[row[giver], column[giver] + 2 * (LANES % 4) + inside].astype(np.float32)


LANE = np.arange(32)

define(
    name="ldmatrix",
    notebook="18",
    asked=(
        "The same fragment, by one instruction: ldmatrix.x4 loads four 8 × 8 matrices from shared "
        "memory. Lane 8 · i + r "
        "does not say what it wants: it says where row r of matrix i begins. The four are, in the order of A's values: "
        "upper left, lower left, upper right, lower right."
    ),
    start="""@cuda.jit
def fragment_a(out, a):
    tile = cuda.shared.array((16, 16), float16)
    lane = cuda.threadIdx.x
    for i in range(lane, 256, 32):
        tile[i // 16, i % 16] = a[i // 16, i % 16]
    cuda.syncthreads()
    row = 0
    column = 0
    left = cuda.wmma.fragment("a", "m16n8k16")
    cuda.wmma.ldmatrix(left, "ldmatrix.x4", tile, row, column)
    out[lane, 0], out[lane, 1], out[lane, 2], out[lane, 3] = left[0], left[1], left[2], left[3]
    out[lane, 4], out[lane, 5], out[lane, 6], out[lane, 7] = left[4], left[5], left[6], left[7]


check(fragment_a, "ldmatrix")""",
    kind=Kernel(grid=one_block(32), drawn=(), uses={UOps.LDMATRIX: "without ldmatrix"}),
    inputs=lambda rng: {"a": (distinct(rng, 16, 16) - 1).astype(np.float16)},
    wanted=held(ROWS, KS),
    mistakes=(
        Mistake(
            "Every lane points at one row: lane 8 · i + r has to give row r of matrix i.",
            gives=copied(0 * LANE, 0 * LANE),
        ),
        Mistake(
            "The two middle matrices are exchanged: the second is the lower left one, so the row is lane % 16.",
            gives=copied(LANE % 8 + 8 * (LANE // 16), 8 * (LANE // 8 % 2)),
        ),
        Mistake(
            "All four are the upper left one: lanes 8 to 31 give the rows of the others.",
            gives=copied(LANE % 8, 0 * LANE),
        ),
        Mistake("Both halves are the left one: lanes 16 to 31 begin at column 8.", gives=copied(LANE % 16, 0 * LANE)),
        Mistake(
            "That is where the lane's own element lies. Who gives an address is not who gets the "
            "data: give where a row of "
            "8 begins.",
            hazard="misaligned",
        ),
    ),
    hints=(
        "Lanes 0 to 15 give the 16 rows of the left half, in order.",
        "Lanes 16 to 31 give the same rows again, 8 columns further.",
        "row = lane % 16, column = lane // 16 * 8",
    ),
)

define(
    name="tensor-core-matmul",
    notebook="18",
    asked=(
        "out = a @ b on a tensor core: 13 × 40 times 40 × 6, by m16n8k16, in one warp. The instruction knows no edges: "
        "copy each step's tiles into shared memory, with zeros where the matrices end, and copy the result out of it."
    ),
    start="""@cuda.jit
def matmul(out, a, b):
    a_tile = cuda.shared.array((16, 16), float16)
    b_tile = cuda.shared.array((16, 8), float16)
    c_tile = cuda.shared.array((16, 8), float32)
    lane = cuda.threadIdx.x
    left = cuda.wmma.fragment("a", "m16n8k16")
    right = cuda.wmma.fragment("b", "m16n8k16")
    total = cuda.wmma.fragment("c", "m16n8k16")  # holds 0
    for start in range(0, a.shape[1], 16):
        pass  # fill both tiles, wait, load, multiply, wait
    cuda.wmma.store_matrix_sync(c_tile, 0, 0, total)
    cuda.syncthreads()
    # copy what lies inside of out


check(matmul, "tensor-core-matmul")""",
    kind=Kernel(grid=one_block(32), drawn=(), most=each_once("a", "b"), uses={UOps.WMMA: "without a tensor core"}),
    inputs=lambda rng: {
        "a": distinct(rng, 13, k := int(rng.choice([37, 40]))).astype(np.float16),
        "b": distinct(rng, k, 6).astype(np.float16),
    },
    wanted=lambda a, b: a.astype(np.float32) @ b.astype(np.float32),
    mistakes=(
        Mistake(
            "A second barrier is missing: a fast lane fills the next tile while a slow one still reads this one.",
            hazard="race-read-write",
        ),
        Mistake(NO_BARRIER, hazard="race"),
        Mistake(NOT_FILLED, hazard="uninitialised"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "Outside of out nothing is stored: test row and column before the store.",
            hazard="out-of-bounds",
            buffer="out",
        ),
        Mistake("Outside of a and b nothing is loaded: test each axis before the load.", hazard="out-of-bounds"),
        Mistake(
            "The product is still 0: the loop has to multiply.", gives=lambda a, b: np.zeros((a.shape[0], b.shape[1]))
        ),
        Mistake(
            "The last step along k is missing: 40 is not a multiple of 16, so the steps must be rounded up.",
            gives=lambda a, b: a[:, :32].astype(np.float32) @ b[:32].astype(np.float32),
        ),
        Mistake(
            "Only the last step is left: total must be set to 0 once, before the loop.",
            gives=lambda a, b: a[:, 32:].astype(np.float32) @ b[32:].astype(np.float32),
        ),
    ),
    hints=(
        "for i in range(lane, 256, 32): row, column = i // 16, i % 16; a_tile[row, column] is an element of a, or 0.",
        "cuda.wmma.load_matrix_sync(left, a_tile, 0, 0), the same for right, then "
        "cuda.wmma.mma_sync(total, left, right, "
        "total); a barrier before and one after.",
        "At the end: for i in range(lane, 128, 32): store c_tile[i // 8, i % 8] where it lies inside of out.",
    ),
)
