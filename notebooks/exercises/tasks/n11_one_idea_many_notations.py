"""Notebook 11: the notations."""

from exercises.define import Mistake, Number, define

define(
    name="cute-strides",
    notebook="11",
    asked="A of m16n8k16 as a CuTe layout is ((4,8),(2,2,2)):((?,?),(?,?,?)). Which five numbers stand there?",
    start='mine = None  # five numbers\ncheck(mine, "cute-strides")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (32, 1, 16, 8, 128),
    mistakes=(
        Mistake(
            "These are the strides of the View, fastest digit first. CuTe counts down the columns.",
            lambda: (2, 16, 1, 128, 8),
        ),
        Mistake(
            "The numbers are right, and the order is that of the View; CuTe has the fastest digit first.",
            lambda: (1, 32, 128, 8, 16),
        ),
        Mistake(
            "These are the strides of the View, slowest digit first: steps in a row-major A.",
            lambda: (16, 2, 8, 128, 1),
        ),
        Mistake("You took a column for 8 numbers; A has 16 rows.", lambda: (16, 1, 8, 8, 64)),
    ),
    hints=(
        "A[m, k] has the number m + 16 · k.",
        "lane % 4 moves two columns, lane // 4 one row.",
        "The digits of the element: one column, 8 rows, 8 columns.",
    ),
)

define(
    name="from-bits",
    notebook="11",
    asked="Lane 22 is 10110 in bits. Which element [m, n] of C of m16n8k16 is its element 3?",
    start='mine = None  # (m, n)\ncheck(mine, "from-bits")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (13, 5),
    mistakes=(
        Mistake("You read the bits from the wrong end: the first vector belongs to the lowest bit.", lambda: (10, 5)),
        Mistake("That is element 0 of the lane: the two bits of the element are missing.", lambda: (5, 4)),
        Mistake("Row and column are exchanged.", lambda: (5, 13)),
        Mistake("That is element 2; the lowest bit of the element moves a column.", lambda: (13, 4)),
        Mistake("That is element 1; the upper bit of the element moves 8 rows.", lambda: (5, 5)),
    ),
    hints=(
        "22 = 16 + 4 + 2: the vectors of the lane's bits 1, 2 and 4.",
        "lane: [0, 4] + [1, 0] + [4, 0].",
        "Element 3 has both bits: [0, 1] + [8, 0].",
    ),
)
