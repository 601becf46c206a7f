"""Notebook 02: movement operations."""

import numpy as np

from exercises.define import Mistake, Views, define

GRID = np.arange(24).reshape(4, 6)


def bordered(rows: np.ndarray) -> np.ndarray:
    """The rows with an empty column on their left."""
    return np.pad(rows, ((0, 0), (1, 0)), constant_values=-1)


define(
    name="quarter-turn",
    notebook="02",
    asked="Turn the 4×6 grid by 90° clockwise: its first row then reads 18, 12, 6, 0.",
    start='mine = None  # ShapeTracker.from_shape((4, 6))…\ncheck(mine, "quarter-turn")',
    kind=Views(),
    inputs=lambda rng: {},
    wanted=lambda: np.rot90(GRID, -1),
    mistakes=(
        Mistake("That is a quarter turn the other way round: the other axis must be flipped.", lambda: np.rot90(GRID)),
        Mistake("Rows and columns have changed places, but a turn is a transpose and a flip.", lambda: GRID.T),
        Mistake("That is half a turn: both axes are flipped, none changed places.", lambda: np.rot90(GRID, 2)),
        Mistake(
            "A reshape keeps the order in memory; rows and columns do not change places.", lambda: GRID.reshape(6, 4)
        ),
        Mistake("The transpose is right, and both axes are flipped; flip one.", lambda: GRID.T[::-1, ::-1]),
    ),
    hints=(
        "First make rows of the columns: permute.",
        "Then each row runs the wrong way: flip one axis.",
        ".permute((1, 0)).flip((1,))",
    ),
)

define(
    name="every-second-row",
    notebook="02",
    asked="Every second row of the 4×6 grid, the last one first, with one empty column on the left: shape (2, 7).",
    start='mine = None  # ShapeTracker.from_shape((4, 6))…\ncheck(mine, "every-second-row")',
    kind=Views(),
    inputs=lambda rng: {},
    wanted=lambda: bordered(GRID[::-2]),
    mistakes=(
        Mistake(
            "The order of the steps matters: flip first, then take every second; you begin at row 2.",
            lambda: bordered(GRID[::2][::-1]),
        ),
        Mistake("These are the rows from the first on; the last one is asked for first.", lambda: bordered(GRID[::2])),
        Mistake(
            "The rows are right; the empty column is on the right.",
            lambda: np.pad(GRID[::-2], ((0, 0), (0, 1)), constant_values=-1),
        ),
        Mistake("The rows are right; the empty column is missing.", lambda: GRID[::-2]),
        Mistake("The columns run backwards too; leave their step at 1.", lambda: bordered(GRID[::-2, ::-1])),
    ),
    hints=(
        "stride takes a negative step: from the end.",
        "pad takes (before, after) for each axis.",
        ".stride((-2, 1)).pad(((0, 0), (1, 0)))",
    ),
)
