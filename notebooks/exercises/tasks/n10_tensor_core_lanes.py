"""Notebook 10: which lane holds what."""

from exercises.define import Fragment, Mistake, Number, define

define(
    name="who-holds-b",
    notebook="10",
    asked="Which lane of m16n8k16 holds B[10, 3], and as which of its elements?",
    start='mine = None  # (lane, element)\ncheck(mine, "who-holds-b")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (3 * 4 + 1, 2),
    mistakes=(
        Mistake(
            "That is who holds A[10, 3] and C[10, 3]; B has a map of its own, in which columns take the place of rows.",
            gives=lambda: (9, 3),
        ),
        Mistake(
            "The lane is right. Element 0 has k = 2; k = 10 is 8 further, in the second register.", lambda: (13, 0)
        ),
        Mistake(
            "The lane is right, but its second element is k = 3: both halves of a register are neighbours along k.",
            lambda: (13, 1),
        ),
        Mistake("The lane is right, but element 3 is k = 11, the upper half of that register.", lambda: (13, 3)),
    ),
    hints=(
        "B is [k, n]: 10 is k, and 3 is the column.",
        "In B the column is lane // 4. Which lanes have column 3?",
        "k = 2 · (lane % 4) + (i % 2) + 8 · (i // 2)",
    ),
)

define(
    name="b-by-lane",
    notebook="10",
    asked="Write the map of B of m16n8k16 as a formula: k, the row, and n, the column, from lane and i (0 to 3).",
    start='mine = None  # such as "lane // 4, lane % 4"\ncheck(mine, "b-by-lane")',
    kind=Fragment("m16n8k16", "b"),
    inputs=lambda rng: {},
    wanted=lambda: None,
    hints=(
        "Ask mma.b.coordinates()[0] and [1]: what does one step of the lane do?",
        "n takes one digit of the lane alone: lane // 4.",
        "k = lane % 4 * 2, and one step of i, and 8 for every second step of i.",
    ),
)

define(
    name="rdna3-copies",
    notebook="10",
    asked="Which lanes of RDNA3 (gfx1100, 32 lanes) hold A[5, 3]?",
    start='mine = None  # the lanes, in a tuple\ncheck(mine, "rdna3-copies")',
    kind=Number(any_order=True),
    inputs=lambda rng: {},
    wanted=lambda: (5, 21),
    mistakes=(
        Mistake("That is one of them; A is held twice.", lambda: (5,)),
        Mistake("That is one of them; A is held twice.", lambda: (21,)),
        Mistake("These lanes hold A[3, 5]: the lane is the row of A.", lambda: (3, 19)),
        Mistake("A row lies in the lanes l and l + 16, not in neighbours.", lambda: (5, 6)),
    ),
    hints=("The row of A is lane % 16.", "Lanes that differ by 16 hold the same."),
)
