"""Notebook 01: strides, offsets, addresses."""

import numpy as np

from exercises.define import Mistake, Number, Views, define

define(
    name="address",
    notebook="01",
    asked="A view of 4 rows and 6 columns has the strides (6, 1). Which address does [2, 3] read?",
    start='mine = None  # a number\ncheck(mine, "address")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 2 * 6 + 3,
    mistakes=(
        Mistake(
            "The row moves the walk by 6 cells, the column by 1; you have them the other way round.",
            gives=lambda: 2 * 1 + 3 * 6,
        ),
        Mistake("A row has 6 cells; you multiplied the row by 4, the number of rows.", gives=lambda: 2 * 4 + 3),
        Mistake("You counted from 1; the first row and the first column have the number 0.", gives=lambda: 1 * 6 + 2),
        Mistake(
            "Strides here count elements, and you counted bytes: numpy's strides are those of bytes.",
            gives=lambda: 4 * (2 * 6 + 3),
        ),
        Mistake("You added the two indices; each is first multiplied by its stride.", gives=lambda: 2 + 3),
        Mistake("The row alone is multiplied by 6; the column's stride is 1.", gives=lambda: (2 + 3) * 6),
        Mistake("The view has 24 elements: their addresses are 0 to 23.", fits=lambda answer: not 0 <= answer < 24),
    ),
    hints=(
        "One step down is how many cells along the line?",
        "Address = row · (stride of the rows) + column · (stride of the columns).",
        "2 · 6 + 3 · 1",
    ),
)

define(
    name="turn",
    notebook="01",
    asked=(
        "Turn a grid by 90° clockwise, without moving anything: the first row of the turned grid is "
        "the first column, read "
        "from below. Write it for any number of rows and columns."
    ),
    start="""def turned(rows, columns):
    grid = ShapeTracker.from_shape((rows, columns))
    return grid.permute((1, 0))  # change this line


check(turned, "turn")""",
    kind=Views(),
    inputs=lambda rng: {"rows": int(rng.integers(3, 6)), "columns": int(rng.integers(6, 8))},
    wanted=lambda rows, columns: np.rot90(np.arange(rows * columns).reshape(rows, columns), -1),
    mistakes=(
        Mistake(
            "This is the transpose: rows and columns changed places, and the corner stayed. A turn "
            "moves it: flip an axis.",
            gives=lambda rows, columns: np.arange(rows * columns).reshape(rows, columns).T,
        ),
        Mistake(
            "This is turned the other way round: flip the other axis.",
            gives=lambda rows, columns: np.rot90(np.arange(rows * columns).reshape(rows, columns), 1),
        ),
        Mistake(
            "The shape is right, the elements are not: reshape keeps the order along the line, it swaps no axes.",
            gives=lambda rows, columns: np.arange(rows * columns).reshape(columns, rows),
        ),
    ),
    hints=(
        "First the transpose; then look where the corner must go.",
        "After permute((1, 0)), the columns must be read from the end.",
        "grid.permute((1, 0)).flip((1,))",
    ),
)

define(
    name="from-the-end",
    notebook="01",
    asked=(
        "A line of {n} elements. You take every third, starting with the last, as a[::-3] does. What are the size, the "
        "stride and the offset of this view?"
    ),
    start='mine = None  # (size, stride, offset)\ncheck(mine, "from-the-end")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.choice([11, 14, 17, 20]))},
    wanted=lambda n: (-(-n // 3), -3, n - 1),
    mistakes=(
        Mistake(
            "The walk cannot start at 0 and go back: it starts at the last element, and the offset says where that is.",
            gives=lambda n: (-(-n // 3), -3, 0),
        ),
        Mistake("The last element is one before the end: numbers begin at 0.", gives=lambda n: (-(-n // 3), -3, n)),
        Mistake("Round up: what is left over at the end is one element more.", gives=lambda n: (n // 3, -3, n - 1)),
        Mistake("A walk backwards has a negative stride.", gives=lambda n: (-(-n // 3), 3, n - 1)),
    ),
    hints=(
        "Write down the addresses that are read, one after the other.",
        "The offset is the first of them, the stride the step to the second.",
    ),
)
