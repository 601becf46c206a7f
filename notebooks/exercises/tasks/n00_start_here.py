"""Notebook 00: a first try."""

from exercises.define import Mistake, Number, define

define(
    name="first-address",
    notebook="00",
    asked="A grid of 4×6 is transposed. Which address does [2, 3] of the transposed grid read?",
    start='mine = None  # a number\ncheck(mine, "first-address")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 20,
    mistakes=(
        Mistake("That is [2, 3] of the grid before it was transposed.", lambda: 15),
        Mistake("You counted from 1; rows, columns and addresses begin at 0.", lambda: 13),
        Mistake("The new strides are (1, 6): the row counts once, and the column six times.", lambda: 2 * 4 + 3),
        Mistake("One step along the new columns is one step down in the grid: 6 cells, not 4.", lambda: 2 + 3 * 4),
        Mistake("Each index is first multiplied by its stride: the row by 1, the column by 6.", lambda: 2 + 3),
        Mistake("The grid has the addresses 0 to 23.", fits=lambda answer: not 0 <= answer < 24),
    ),
    hints=("It is [3, 2] of the grid before.", "Address = row · 1 + column · 6."),
)

define(
    name="first-lane",
    notebook="00",
    asked="Which lane holds C[1, 4] of m16n8k16?",
    start='mine = None  # a number\ncheck(mine, "first-lane")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 6,
    mistakes=(
        Mistake("That is C[0, 4]: row 1 goes on with lane 4.", lambda: 2),
        Mistake("One lane holds two neighbours of a row: count in pairs.", lambda: 8),
        Mistake("That is C[4, 1]: the row stands first.", lambda: 16),
        Mistake("Lane 4 begins row 1: it holds the columns 0 and 1. Column 4 is two pairs further.", lambda: 4),
        Mistake("Lane 5 holds the columns 2 and 3 of row 1; the next pair is the next lane's.", lambda: 5),
        Mistake("Lane 7 holds the columns 6 and 7 of row 1: one pair too far.", lambda: 7),
        Mistake("A warp has the lanes 0 to 31.", fits=lambda answer: not 0 <= answer < 32),
        Mistake("That is the number of the element, counted row by row; a lane holds several.", lambda: 12),
    ),
    hints=("Row 1 begins with lane 4.", "Column 4 is in the third pair of the row."),
)
