"""The tasks of the lane explorer: predictions that it can show, after a guess."""

from exercises.define import Mistake, Number, define

define(
    name="who-holds-c",
    notebook="10",
    asked="Which lane of m16n8k16 holds C[11, 5], and as which of its elements (0 to 3)?",
    start='mine = None  # (lane, element)\ncheck(mine, "who-holds-c")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (14, 3),
    mistakes=(
        Mistake("The lane is right. Row 11 is in the lower half of C: not the elements 0 and 1.", lambda: (14, 1)),
        Mistake("The lane is right. Element 2 is its left neighbour, C[11, 4].", lambda: (14, 2)),
        Mistake("Two neighbours along a row belong to one lane, so a row has four lanes, not eight.", lambda: (29, 3)),
        Mistake(
            "There are the lanes 0 to 31: rows 8 to 15 lie in the lanes of rows 0 to 7, in their other elements.",
            fits=lambda answer: answer[0] > 31,
        ),
    ),
    hints=(
        "Rows 8 to 15 repeat the lanes of rows 0 to 7.",
        "Row 11 is in the lanes 12 to 15, two columns each.",
        "lane = row % 8 · 4 + column // 2, element = row // 8 · 2 + column % 2",
    ),
)

define(
    name="lanes-of-row-5",
    notebook="10",
    asked="Which lanes of m16n8k16 hold row 5 of C?",
    start='mine = None  # the lanes, in a tuple\ncheck(mine, "lanes-of-row-5")',
    kind=Number(any_order=True),
    inputs=lambda rng: {},
    wanted=lambda: (20, 21, 22, 23),
    mistakes=(
        Mistake(
            "A lane holds two neighbours of a row, so eight columns need four lanes.", lambda: tuple(range(40, 48))
        ),
        Mistake("These lanes hold column 5, not row 5.", lambda: tuple(range(2, 32, 4))),
        Mistake("That is the first of them; it holds the columns 0 and 1 alone.", lambda: (20,)),
        Mistake("These lanes hold row 4: row 0 is in the lanes 0 to 3.", lambda: (16, 17, 18, 19)),
        Mistake("Lane 5 holds pieces of row 1: a row takes four lanes, so row 5 begins with lane 20.", lambda: (5,)),
        Mistake("These lanes hold rows 1 and 9: four lanes a row, so row 5 begins with lane 20.", lambda: (4, 5, 6, 7)),
    ),
    hints=(
        "Walk along row 5 in the explorer, and read which lane holds each element.",
        "Row 0 lies in the lanes 0 to 3, row 1 in the lanes 4 to 7.",
    ),
)

define(
    name="which-register",
    notebook="10",
    asked="Lane 13 of m16n8k16 holds A[11, 2]. In which register of A (0 to 3), and in its low (0) or high (1) half?",
    start='mine = None  # (register, half)\ncheck(mine, "which-register")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (1, 0),
    mistakes=(
        Mistake("That register holds A[3, 10]: the registers go down by 8 rows first, then right.", lambda: (2, 0)),
        Mistake("2 is the element. Two elements share a register, so element 2 begins register 1.", lambda: (2, 1)),
        Mistake("The register is right, but its high half holds the neighbour, A[11, 3].", lambda: (1, 1)),
        Mistake("That is where A[3, 2] is, 8 rows above.", lambda: (0, 0)),
    ),
    hints=(
        "Lane 13 holds the rows 3 and 11, and the columns 2, 3, 10 and 11.",
        "With a register selected, one step to the right is the next element: which coordinate changes?",
    ),
)

define(
    name="three-lanes",
    notebook="10",
    asked="C[9, 2] is summed over k. In step k = 13, which lane gives the factor of A, which that of B, which keeps C?",
    start='mine = None  # (lane of A, lane of B, lane of C)\ncheck(mine, "three-lanes")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (6, 10, 5),
    mistakes=(
        Mistake("A and B are exchanged.", lambda: (10, 6, 5)),
        Mistake("One lane holds neither its whole row nor its whole column: step 13 needs others.", lambda: (5, 5, 5)),
        Mistake("Lane 21 follows the map of A. In B the column takes the place of the row.", lambda: (6, 21, 5)),
    ),
    hints=(
        "The factors are A[9, 13] and B[13, 2].",
        "Play C[9, 2], stop at k = 13 ([ and ] step), and read the two lanes in the ledger.",
    ),
)

define(
    name="first-wrong-lane",
    notebook="10",
    asked="Somebody says for C: m = lane // 4 % 4 + i // 2 * 8, n = lane % 4 * 2 + i % 2. Which lane is wrong first?",
    start='mine = None  # the lane\ncheck(mine, "first-wrong-lane")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 16,
    mistakes=(
        Mistake("Lane 4 holds rows 1 and 9, and 4 // 4 % 4 is 1. It is right.", lambda: 4),
        Mistake("Lane 15 holds rows 3 and 11, and 15 // 4 % 4 is 3. It is the last right one.", lambda: 15),
        Mistake("Of lane 0 all four elements are right.", lambda: 0),
        Mistake(
            "Lane {answer} is right: lane // 4 is below 4 there, so % 4 changes nothing.",
            fits=lambda answer: 0 < answer < 16,
        ),
        Mistake("Lane {answer} is wrong, but not the first.", fits=lambda answer: 16 < answer < 32),
    ),
    hints=(
        'Paste both lines into "yours" below the explorer\'s matrices, or set explorer.formula.',
        "lane // 4 goes from 0 to 7; what does % 4 make of 4?",
    ),
)
