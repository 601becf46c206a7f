"""Notebook 01: strides, offsets, addresses."""

from exercises.define import Mistake, Number, define

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
        Mistake("[2, 3] is row 2 and column 3; you took row 3 and column 2.", gives=lambda: 3 * 6 + 2),
        Mistake("A row has 6 cells; you multiplied the row by 4, the number of rows.", gives=lambda: 2 * 4 + 3),
        Mistake("You counted from 1; the first row and the first column have the number 0.", gives=lambda: 1 * 6 + 2),
        Mistake(
            "Strides here count elements, and you counted bytes: numpy's strides are those of bytes.",
            gives=lambda: 4 * (2 * 6 + 3),
        ),
    ),
    hints=(
        "One step down is how many cells along the line?",
        "Address = row · (stride of the rows) + column · (stride of the columns).",
        "2 · 6 + 3 · 1",
    ),
)
