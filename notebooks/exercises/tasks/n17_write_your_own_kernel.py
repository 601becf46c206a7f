"""Notebook 17: write your own kernel."""

import numpy as np

from exercises.define import Kernel, Mistake, define
from exercises.tasks.n18_puzzles_lanes import NAN, NO_BARRIER, NOT_ALL_ARRIVE, distinct

define(
    name="scale",
    notebook="17",
    asked=(
        "Multiply each element of a matrix by a number: out[row, column] = a[row, column] · factor. "
        "Blocks have 4 × 4 lanes, "
        "and there are enough of them."
    ),
    start="""@cuda.jit
def scale(out, a, factor):
    x, y = cuda.grid(2)
    # two lines


check(scale, "scale")""",
    kind=Kernel(grid=lambda inputs: ((-(-inputs["a"].shape[1] // 4), -(-inputs["a"].shape[0] // 4)), (4, 4))),
    inputs=lambda rng: {"a": distinct(rng, int(rng.integers(3, 6)), int(rng.integers(6, 9))), "factor": 3.0},
    wanted=lambda a, factor: a * factor,
    mistakes=(
        Mistake(
            "A lane leaves the matrix. x walks along a row: it is the column, y is the row; each needs its own guard.",
            hazard="out-of-bounds",
        ),
        Mistake("The factor is missing.", gives=lambda a, factor: a),
        Mistake(
            "Rows and columns are exchanged in the guard: only a square of the matrix is done.",
            gives=lambda a, factor: np.where(
                (np.arange(a.shape[1]) < a.shape[0]) & (np.arange(a.shape[0])[:, None] < a.shape[1]), a * factor, NAN
            ),
        ),
    ),
    hints=(
        "x counts columns and y counts rows: out[y, x].",
        "if y < out.shape[0] and x < out.shape[1]:",
    ),
)

define(
    name="largest",
    notebook="17",
    asked=(
        "out[0] is the largest element of a; it holds 0 before, and all elements are larger. Blocks "
        "of 8 lanes: each finds "
        "the largest of its eight by a tree in shared memory, and then the blocks meet in out[0]. "
        "The last block is not full."
    ),
    start="""@cuda.jit
def largest(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    # fill the tile, halve it, then one lane of the block tells out


check(largest, "largest")""",
    kind=Kernel(
        grid=lambda inputs: (-(-inputs["a"].size // 8), 8),
        start=0.0,
        most=lambda inputs: {("read", "a"): inputs["a"].size},
    ),
    inputs=lambda rng: {"a": distinct(rng, int(rng.choice([19, 21, 30])))},
    wanted=lambda a: a.max(keepdims=True),
    mistakes=(
        Mistake(
            "The blocks meet in one element, in any order: with out[0] = … the last one stays. Use cuda.atomic.max.",
            hazard="race",
            buffer="out",
        ),
        Mistake(NO_BARRIER, hazard="race", buffer="tile"),
        Mistake(NOT_ALL_ARRIVE, hazard="divergent-barrier"),
        Mistake(
            "The last block is not full: give its idle lanes a 0.0, which is never the largest.", hazard="uninitialised"
        ),
        Mistake("The last block is not full: test the index before the load.", hazard="out-of-bounds"),
        Mistake("out[0] is still 0: some lane has to tell it.", gives=lambda a: np.zeros(1)),
        Mistake("That is the sum; the largest is asked for: max instead of +.", gives=lambda a: a.sum(keepdims=True)),
    ),
    hints=(
        "tile[i] = a[cuda.grid(1)] if cuda.grid(1) < a.size else 0.0, and a barrier.",
        "The tree of the section above, with tile[i] = max(tile[i], tile[i + reach]).",
        "if i == 0: cuda.atomic.max(out, 0, tile[0])",
    ),
)
