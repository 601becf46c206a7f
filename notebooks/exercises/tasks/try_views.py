"""The tasks beside notebook 01: views to build."""

import numpy as np

from exercises.define import Mistake, Views, define
from exercises.exercise import Inputs

define(
    name="thirds",
    notebook="try_views",
    asked=(
        "Of a line of n elements, take every third, starting with the last. Predict shape, stride and offset before "
        "you run the cell."
    ),
    start="""def thirds(n):
    return ShapeTracker.from_shape((n,)).stride((3,))  # change this line


check(thirds, "thirds")""",
    kind=Views(),
    inputs=lambda rng: {"n": int(rng.choice([10, 11, 12, 14]))},
    wanted=lambda n: np.arange(n)[::-3],
    mistakes=(
        Mistake("That begins at the front; a negative step begins at the end.", gives=lambda n: np.arange(n)[::3]),
        Mistake(
            "Every third first, and then from the end: that begins at the last of the thirds, not at the last of all.",
            gives=lambda n: np.arange(n)[::3][::-1],
        ),
        Mistake("All of them, from the end; only every third is wanted.", gives=lambda n: np.arange(n)[::-1]),
    ),
    hints=("One operation does both.", "stride takes a negative step."),
)


def windows(n: int, width: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """All windows of neighbours, one a row."""
    return np.arange(n - width + 1)[:, None] + np.arange(width)


def sizes(rng: np.random.Generator) -> Inputs:
    """The length of the line and of a window."""
    return {"n": int(rng.integers(7, 10)), "width": int(rng.choice([3, 4]))}


define(
    name="windows",
    notebook="try_views",
    asked=(
        "From a line of n elements, make all windows of width neighbours, one a row: 0 1 2, then 1 2 3, and so on. "
        "Rows share addresses, and nothing is copied. In the end it is one view: simplify() finds it. (Harder.)"
    ),
    start="""def windows(n, width):
    count = n - width + 1
    line = ShapeTracker.from_shape((n,)).shrink(((0, count),))
    return line.reshape((count, 1)).expand((count, width))  # change these lines


check(windows, "windows")""",
    kind=Views(single=True),
    inputs=sizes,
    wanted=windows,
    mistakes=(
        Mistake(
            "A row repeats one element: a step to the right must be one address further, as a step down is.",
            gives=lambda n, width: np.repeat(np.arange(n - width + 1)[:, None], width, 1),
        ),
        Mistake(
            "All rows are the first window: each must start one later.",
            gives=lambda n, width: np.repeat(np.arange(width)[None], n - width + 1, 0),
        ),
    ),
    hints=(
        "Repeat the line with expand, one copy under the other, and read all of them as one long line.",
        "Cut that long line into rows of n + 1: each row then starts one later.",
        "Keep width columns, and simplify.",
    ),
)
