"""Notebook 14: tests that notice, and the checker."""

from exercises.define import Fragment, Mistake, Number, define

define(
    name="tests-that-notice",
    notebook="14",
    asked=(
        "A kernel forgets the + 8: rows 8 to 15 of A are read as rows 0 to 7. Which matrices A notice it? 0: all ones, "
        "1: the identity, 2: a symmetric matrix of random numbers, 3: numbered rows, 4: random integers."
    ),
    start='mine = None  # the numbers of the matrices, in a tuple\ncheck(mine, "tests-that-notice")',
    kind=Number(any_order=True),
    inputs=lambda rng: {},
    wanted=lambda: (1, 2, 3, 4),
    mistakes=(
        Mistake(
            "That is who notices a transposed load. This is another mistake.",
            lambda: (3, 4),
        ),
        Mistake(
            "All ones notices nothing at all: each row is like every other.",
            fits=lambda answer: 0 in answer,
        ),
        Mistake("The identity notices too: its row 8 is not its row 0.", fits=lambda answer: 1 not in answer),
        Mistake("A symmetric matrix hides a transposition, and nothing else.", fits=lambda answer: 2 not in answer),
        Mistake("Numbered rows notice it: row 8 holds eights, row 0 zeros.", fits=lambda answer: 3 not in answer),
        Mistake("Random integers notice it: no two of their rows are alike.", fits=lambda answer: 4 not in answer),
    ),
    hints=(
        "A matrix hides the mistake if its row m + 8 is its row m.",
        "Only one of the five has equal rows.",
    ),
)

define(
    name="repair-c",
    notebook="14",
    asked='Repair the formula of C of m16n8k16: "lane/4 + 8*(i % 2), 2*(lane % 4) + i/2".',
    start='mine = "lane/4 + 8*(i % 2), 2*(lane % 4) + i/2"\ncheck(mine, "repair-c")',
    kind=Fragment("m16n8k16", "c"),
    inputs=lambda rng: {},
    wanted=lambda: None,
    hints=(
        "Elements 0 and 1 of a lane are neighbours in a row.",
        "Which digit of i moves 8 rows, and which one a column?",
        "Exchange i % 2 and i / 2.",
    ),
)
