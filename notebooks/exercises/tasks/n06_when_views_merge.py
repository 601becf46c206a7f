"""Notebook 06: when views merge."""

from exercises.define import Mistake, Number, define

define(
    name="stride-that-merges",
    notebook="06",
    asked=(
        "A view of shape ({rows}, {columns}) has the strides (s, 2). For which s can it be read as one "
        "line, as one view?"
    ),
    start='mine = None  # a number\ncheck(mine, "stride-that-merges")',
    kind=Number(),
    inputs=lambda rng: {"rows": int(rng.integers(4, 7)), "columns": int(rng.choice([3, 7]))},
    wanted=lambda rows, columns: 2 * columns,
    mistakes=(
        Mistake(
            "The right size counts, not the left: one row has as many steps as there are columns.",
            gives=lambda rows, columns: 2 * rows,
        ),
        Mistake("That would do if the columns were 1 apart; they are 2 apart.", gives=lambda rows, columns: columns),
        Mistake(
            "With equal strides the rows overlap: the step to the next row is one row long.",
            gives=lambda rows, columns: 2,
        ),
        Mistake(
            "From the last element of a row to the next row is one more step of 2.",
            gives=lambda rows, columns: 2 * (columns - 1),
        ),
    ),
    hints=(
        "How far is the last element of a row from the first of the next, if nobody is to notice?",
        "left stride = right size · right stride",
    ),
)

define(
    name="odd-step",
    notebook="06",
    asked=(
        "A grid of {rows} rows and {columns} columns is transposed and read as one line. Its steps in memory are "
        "{columns}, {columns}, … and then one that is different. Which?"
    ),
    start='mine = None  # a number\ncheck(mine, "odd-step")',
    kind=Number(),
    inputs=lambda rng: {"rows": int(rng.integers(3, 5)), "columns": int(rng.integers(5, 8))},
    wanted=lambda rows, columns: 1 - (rows - 1) * columns,
    mistakes=(
        Mistake(
            "From the foot of a column to the head of the next is backwards: negative.",
            gives=lambda rows, columns: (rows - 1) * columns - 1,
        ),
        Mistake(
            "The next column begins one further: you came back to the head of the same one.",
            gives=lambda rows, columns: -(rows - 1) * columns,
        ),
        Mistake(
            "A column has as many elements as there are rows, so one step fewer.",
            gives=lambda rows, columns: 1 - rows * columns,
        ),
        Mistake("You exchanged rows and columns.", gives=lambda rows, columns: 1 - (columns - 1) * rows),
        Mistake(
            "The next column begins one cell after the head of this one; but the walk stands at its foot.",
            gives=lambda rows, columns: 1,
        ),
    ),
    hints=("Which addresses do the last element of the first column and the first of the second have?",),
)

define(
    name="how-many-shapes",
    notebook="06",
    asked=(
        "The transpose of a 3 × 4 grid has the shape (4, 3). Of the eight shapes (12,) (2, 6) (6, 2) "
        "(3, 4) (4, 3) (2, 2, 3) "
        "(2, 3, 2) (3, 2, 2), how many can it be reshaped to with one view?"
    ),
    start='mine = None  # a number\ncheck(mine, "how-many-shapes")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 2,
    mistakes=(
        Mistake("Splitting always works, merging rarely: the two axes of a transpose do not merge.", gives=lambda: 8),
        Mistake(
            "Its own shape is one; an axis that is split is another. Which axis has a split in this list?",
            gives=lambda: 1,
        ),
        Mistake(
            "The border between 4 and 3 must stay: which of the shapes have a border after 4 elements?",
            fits=lambda answer: 2 < answer < 8,
        ),
        Mistake("Its own shape is one of them: it need not change at all.", gives=lambda: 0),
    ),
    hints=("The border between the two axes cannot be crossed.", "(4, 3) itself, and 4 split into 2 · 2."),
)
