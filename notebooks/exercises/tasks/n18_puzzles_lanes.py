"""Notebook 18, the first ten puzzles: from one lane an element to shared memory."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from exercises.define import Inputs, Kernel, Mistake, define

Array = npt.NDArray[Any]
NAN = float("nan")


def distinct(rng: np.random.Generator, *shape: int) -> Array:
    """Small whole numbers that all differ."""
    return (rng.permutation(int(np.prod(shape))) + 1).astype(np.float32).reshape(shape)


def one_block(lanes: int | tuple[int, int]) -> Any:
    """A grid of one block."""
    return lambda inputs: (1, lanes)


def blocks_of(lanes: int) -> Any:
    """Enough blocks of so many lanes for the array ``a``."""
    return lambda inputs: (-(-inputs["a"].size // lanes), lanes)


def each_once(*arrays: str) -> Any:
    """Every element of these arrays is read once."""

    def most(inputs: Inputs) -> Mapping[tuple[str, str], int]:
        return {("read", name): inputs[name].size for name in arrays}

    return most


NO_BARRIER = (
    "A barrier is missing: a lane reads what another one has perhaps not written yet; put cuda.syncthreads() between."
)
NOT_ALL_ARRIVE = (
    "Every lane must come to the barrier, also one without work: guard the accesses, and leave cuda.syncthreads() "
    "outside of the if."
)

define(
    name="map",
    notebook="18",
    asked="Add 10 to each element of a. There is one block, with a lane for each element.",
    start="""@cuda.jit
def add_ten(out, a):
    i = cuda.threadIdx.x
    # one line


check(add_ten, "map")""",
    kind=Kernel(grid=lambda inputs: (1, inputs["a"].size)),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(4, 8)))},
    wanted=lambda a: a + 10,
    mistakes=(
        Mistake(
            "out holds nothing yet: take the element of a, and store the sum in out.",
            gives=lambda a: np.full_like(a, NAN),
        ),
        Mistake(
            "10 is added to the number of the lane; it should be added to the element a[i].",
            gives=lambda a: np.arange(a.size) + 10,
        ),
        Mistake(
            "Several lanes write one element: the launch is the loop, and each lane has an element of its own, out[i].",
            hazard="race",
            buffer="out",
        ),
    ),
    hints=(
        "A kernel says what one lane does. Which element is the one of lane i?",
        "Read a[i], add 10, store it in out[i].",
    ),
)

define(
    name="zip",
    notebook="18",
    asked="Add two arrays, element by element: one block, with a lane for each element.",
    start="""@cuda.jit
def add(out, a, b):
    i = cuda.threadIdx.x
    # one line


check(add, "zip")""",
    kind=Kernel(grid=lambda inputs: (1, inputs["a"].size)),
    inputs=lambda rng: {"a": distinct(rng, n := int(rng.integers(4, 8))), "b": 100 * distinct(rng, n)},
    wanted=lambda a, b: a + b,
    mistakes=(
        Mistake("b[0] is one element for all lanes; each lane has its own, b[i].", gives=lambda a, b: a + b[0]),
        Mistake("That adds a to itself; the second array is b.", gives=lambda a, b: a + a),
        Mistake(
            "Several lanes write one element: each lane has an element of its own, out[i].", hazard="race", buffer="out"
        ),
    ),
    hints=("Two loads and one store, all with the same index.", "out[i] = a[i] + b[i]"),
)

define(
    name="guard",
    notebook="18",
    asked="Double each element of a. Now there are more lanes than elements: 8 lanes, and fewer than 8 elements.",
    start="""@cuda.jit
def double(out, a):
    i = cuda.threadIdx.x
    # two lines


check(double, "guard")""",
    kind=Kernel(grid=one_block(8)),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(4, 7)))},
    wanted=lambda a: 2 * a,
    mistakes=(
        Mistake(
            "Lanes without an element must touch nothing: test i < a.size before the load, and before the store.",
            hazard="out-of-bounds",
        ),
        Mistake(
            "The last element is left out: its index is a.size − 1, and i < a.size lets it in.",
            gives=lambda a: np.where(np.arange(a.size) < a.size - 1, 2 * a, NAN),
        ),
    ),
    hints=("Lane 7 has no element. What must it do?", "if i < a.size: and the line of the puzzle before below it."),
)

define(
    name="map-2d",
    notebook="18",
    asked=(
        "Add 10 to each element of a matrix. The block has 8 × 8 lanes, more than there are rows and columns. Let x be "
        "the column and y the row: then neighbouring lanes touch neighbouring elements."
    ),
    start="""@cuda.jit
def add_ten(out, a):
    column = cuda.threadIdx.x
    row = cuda.threadIdx.y
    # two lines


check(add_ten, "map-2d")""",
    kind=Kernel(grid=one_block((8, 8))),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(3, 5)), int(rng.integers(5, 7)))},
    wanted=lambda a: a + 10,
    mistakes=(
        Mistake(
            "Each axis needs a guard of its own: row < a.shape[0] and column < a.shape[1].", hazard="out-of-bounds"
        ),
        Mistake(
            "Only a square of it is done: the columns end at a.shape[1], the rows at a.shape[0].",
            gives=lambda a: np.where(np.arange(a.shape[1]) < a.shape[0], a + 10, NAN),
        ),
    ),
    hints=("Two guards, joined with `and`.", "a.shape is (rows, columns); the element is a[row, column]."),
)

define(
    name="broadcast",
    notebook="18",
    asked="out[row, column] is a[row] + b[column]: a column of numbers and a row of numbers make a table.",
    start="""@cuda.jit
def table(out, a, b):
    column = cuda.threadIdx.x
    row = cuda.threadIdx.y
    # two lines


check(table, "broadcast")""",
    kind=Kernel(grid=one_block((8, 8))),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(3, 5))), "b": 100 * distinct(rng, int(rng.integers(5, 7)))},
    wanted=lambda a, b: a[:, None] + b,
    mistakes=(
        Mistake("a has one element for each row: its index is the row.", hazard="out-of-bounds", buffer="a"),
        Mistake("b has one element for each column: its index is the column.", hazard="out-of-bounds", buffer="b"),
        Mistake("Each axis of out needs a guard of its own.", hazard="out-of-bounds", buffer="out"),
        Mistake(
            "b has one element for each column: its index is the column.",
            gives=lambda a, b: np.repeat((a + b[: a.size])[:, None], b.size, 1),
        ),
    ),
    hints=("A repeated axis has the stride 0: the index just does not speak of it.", "a[row] + b[column]"),
)

define(
    name="blocks",
    notebook="18",
    asked="Add 10 to each element of a, with blocks of 4 lanes: as many blocks as are needed, the last one not full.",
    start="""@cuda.jit
def add_ten(out, a):
    block, lane = cuda.blockIdx.x, cuda.threadIdx.x
    # three lines


check(add_ten, "blocks")""",
    kind=Kernel(grid=blocks_of(4)),
    inputs=lambda rng: {"a": distinct(rng, int(rng.choice([9, 10, 11, 13])))},
    wanted=lambda a: a + 10,
    mistakes=(
        Mistake(
            "Two lanes have the same index: it needs two digits, i = block · (lanes of a block) + lane.",
            hazard="race",
            buffer="out",
        ),
        Mistake(
            "The element that is read has no digit for the block: read a[i], with i = block · 4 + lane.",
            gives=lambda a: a[np.arange(a.size) % 4] + 10,
        ),
        Mistake("The last block is not full: test i < a.size first.", hazard="out-of-bounds"),
    ),
    hints=(
        "Write the element's number with two digits, as 27 is 2 · 10 + 7.",
        "i = block * 4 + lane; 4 is cuda.blockDim.x. (cuda.grid(1) gives the same.)",
    ),
)

define(
    name="share",
    notebook="18",
    asked=(
        "The 8 lanes of a block stand in a ring. Each adds its own element of a and those of its two "
        "neighbours; lane 0 "
        "and lane 7 are neighbours. Read every element of a only once: the lanes share a tile."
    ),
    start="""@cuda.jit
def ring(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.grid(1)
    lane = cuda.threadIdx.x
    # store, wait, read the neighbours


check(ring, "share")""",
    kind=Kernel(grid=blocks_of(8), most=each_once("a")),
    inputs=lambda rng: {"a": distinct(rng, 16)},
    wanted=lambda a: sum(np.roll(a.reshape(-1, 8), step, 1) for step in (-1, 0, 1)).ravel(),
    mistakes=(
        Mistake(NO_BARRIER, hazard="race", buffer="tile"),
        Mistake(NO_BARRIER, hazard="uninitialised"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "The tile belongs to one block and has 8 places: its index is the lane's, between 0 and 7; % 8 closes the "
            "ring.",
            hazard="out-of-bounds",
            buffer="tile",
        ),
        Mistake(
            "A neighbour is missing: there are two, lane + 1 and lane − 1.",
            gives=lambda a: sum(np.roll(a.reshape(-1, 8), step, 1) for step in (0, 1)).ravel(),
        ),
        Mistake(
            "A neighbour is missing: there are two, lane + 1 and lane − 1.",
            gives=lambda a: sum(np.roll(a.reshape(-1, 8), step, 1) for step in (0, -1)).ravel(),
        ),
    ),
    hints=(
        "tile[lane] = a[i], then cuda.syncthreads(), then read other places of the tile.",
        "The neighbours are (lane + 1) % 8 and (lane + 7) % 8.",
    ),
)

define(
    name="pooling",
    notebook="18",
    asked=(
        "out[i] is the sum of the last three elements, a[i − 2] + a[i − 1] + a[i]; what lies before "
        "the start counts as "
        "0. One block of 8 lanes, up to 8 elements, and each is read once."
    ),
    start="""@cuda.jit
def last_three(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    # store, wait, add what there is


check(last_three, "pooling")""",
    kind=Kernel(grid=one_block(8), most=each_once("a")),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(6, 8)))},
    wanted=lambda a: np.convolve(a, [1, 1, 1])[: a.size],
    mistakes=(
        Mistake(NO_BARRIER, hazard="race", buffer="tile"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "Lanes 0 and 1 have no two elements before them: test before reading, tile[−1] does not exist.",
            hazard="out-of-bounds",
            buffer="tile",
        ),
        Mistake("More lanes than elements: test i < a.size before the load.", hazard="out-of-bounds", buffer="a"),
        Mistake("More lanes than elements: test i < a.size before the store.", hazard="out-of-bounds", buffer="out"),
        Mistake(
            "These are the next three; the last three are i, i − 1 and i − 2.",
            gives=lambda a: np.convolve(a, [1, 1, 1])[2:],
        ),
        Mistake("These are the last two; one more is missing.", gives=lambda a: np.convolve(a, [1, 1])[: a.size]),
    ),
    hints=(
        "Every lane comes to the barrier, also one without an element.",
        "Start with total = tile[i]; add tile[i - 1] if i >= 1, and tile[i - 2] if i >= 2.",
    ),
)

define(
    name="dot",
    notebook="18",
    asked="out[0] is the sum of a[i] · b[i]: one block of 8 lanes, up to 8 elements; out[0] is 0 before.",
    start="""@cuda.jit
def dot(out, a, b):
    products = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    # each lane one product; then one lane adds


check(dot, "dot")""",
    kind=Kernel(grid=one_block(8), start=0.0),
    inputs=lambda rng: {"a": distinct(rng, n := int(rng.integers(5, 8))), "b": distinct(rng, n)},
    wanted=lambda a, b: np.array([a @ b]),
    mistakes=(
        Mistake(
            "All lanes add to one element at once: each reads the old sum, and all but one addition are lost. Let one "
            "lane add, or use cuda.atomic.add.",
            hazard="race",
            buffer="out",
        ),
        Mistake(NO_BARRIER, hazard="race", buffer="products"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "Nobody has written the places of the lanes without an element: give them 0, or do not add them.",
            hazard="uninitialised",
        ),
        Mistake("More lanes than elements: test i < a.size before the load.", hazard="out-of-bounds"),
        Mistake("That is one product; the sum of all of them is wanted.", gives=lambda a, b: a[:1] * b[:1]),
        Mistake("That is the last product; the sum of all of them is wanted.", gives=lambda a, b: a[-1:] * b[-1:]),
    ),
    hints=(
        "products[i] is a[i] * b[i] where there is an element, and 0.0 where there is none.",
        "After the barrier, lane 0 loops over the 8 products and stores the sum.",
    ),
)

define(
    name="convolution",
    notebook="18",
    asked=(
        "Slide b along a: out[i] = a[i] · b[0] + a[i + 1] · b[1] + a[i + 2] · b[2], for each place where b fits. One "
        "block of 16 lanes; out has a.size − 2 elements."
    ),
    start="""@cuda.jit
def slide(out, a, b):
    i = cuda.threadIdx.x
    # a guard, a loop, a store


check(slide, "convolution")""",
    kind=Kernel(grid=one_block(16)),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(8, 12))), "b": np.array([1, 10, 100], np.float32)},
    wanted=lambda a, b: np.correlate(a, b, "valid"),
    mistakes=(
        Mistake(
            "b is walked backwards: b[0] belongs to a[i], b[2] to a[i + 2].",
            gives=lambda a, b: np.convolve(a, b, "valid"),
        ),
        Mistake(
            "The last element is missing: b fits at a.size − 2 places.",
            gives=lambda a, b: np.append(np.correlate(a, b)[:-1], NAN),
        ),
        Mistake("The window leaves a: b fits only where i < out.size.", hazard="out-of-bounds"),
    ),
    hints=(
        "Neighbouring windows overlap: they start 1 apart, not 3.",
        "total = 0.0; for j in range(3): total += a[i + j] * b[j].",
    ),
)
