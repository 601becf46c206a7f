"""Notebook 03: masks."""

from exercises.define import Formula, Mistake, Number, define

define(
    name="window-of-padding",
    notebook="03",
    asked=(
        "A row of {n} numbers gets 2 zeros on both sides. From the {total} positions take the window of {window} that "
        "starts at position 1. What are its offset and its mask (begin, end)?"
    ),
    start='mine = None  # (offset, begin, end)\ncheck(mine, "window-of-padding")',
    kind=Number(),
    inputs=lambda rng: {"n": (n := int(rng.integers(4, 8))), "total": n + 4, "window": n + 1},
    wanted=lambda n, total, window: (-1, 1, n + 1),
    mistakes=(
        Mistake(
            "That is the mask of the whole padded row; the window starts one later, so all of it moves by one.",
            gives=lambda n, total, window: (-2, 2, n + 2),
        ),
        Mistake(
            "The end is not inside: it is the first position that is not valid.",
            gives=lambda n, total, window: (-1, 1, n),
        ),
        Mistake(
            "Position 0 would read one before the start: the offset is −1. It may be negative, as the mask guards it.",
            gives=lambda n, total, window: (1, 1, n + 1),
        ),
        Mistake(
            "The window does not move the numbers: position i reads address i − 1.",
            gives=lambda n, total, window: (0, 1, n + 1),
        ),
    ),
    hints=(
        "In the padded row, position i reads address i − 2. In the window it is one position later.",
        "Which positions of the window have a number? The first of them is begin, one after the last is end.",
    ),
)

define(
    name="is-there-anything",
    notebook="03",
    asked=(
        "A grid of 3 × 4 gets one row above and two columns on the right. Write the condition that "
        "[r, c] of the padded "
        "grid has an element: r is 0 … 3, c is 0 … 5."
    ),
    start='mine = None  # such as "r > 0 and c > 0"\ncheck(mine, "is-there-anything")',
    kind=Formula(lambda: {"r": (0, 3), "c": (0, 5)}),
    inputs=lambda rng: {},
    wanted=lambda r, c: (r >= 1) & (c < 4),
    mistakes=(
        Mistake(
            "c ≤ 4 lets in the column 4, which is the first of the padding: the end is not inside.",
            gives=lambda r, c: (r >= 1) & (c <= 4),
        ),
        Mistake(
            "The padded row is above: the rows that have something begin at 1.", gives=lambda r, c: (r < 3) & (c < 4)
        ),
        Mistake("The columns are missing: an element is there when both axes say so.", gives=lambda r, c: r >= 1),
        Mistake("The rows are missing: an element is there when both axes say so.", gives=lambda r, c: c < 4),
        Mistake("That is where nothing is; the question is where something is.", gives=lambda r, c: (r < 1) | (c >= 4)),
        Mistake(
            "The two columns are on the right: they are the columns 4 and 5.", gives=lambda r, c: (r >= 1) & (c >= 2)
        ),
    ),
    hints=("Which rows have something? Which columns?", "Half-open: 1 ≤ r < 4, and 0 ≤ c < 4. What need not be said?"),
)

define(
    name="blur-two",
    notebook="03",
    asked=(
        "A sum over two neighbours on each side needs five views of one row of {n}. The one that is "
        "shifted by two to the "
        "right is `row.pad(((2, 0),)).shrink(((0, {n}),))`. How many of its positions are valid?"
    ),
    start='mine = None  # a number\ncheck(mine, "blur-two")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.integers(6, 12))},
    wanted=lambda n: n - 2,
    mistakes=(
        Mistake("The first two positions read nothing: nobody stands two to the left of them.", gives=lambda n: n),
        Mistake("Shifted by two: two positions are lost, not one.", gives=lambda n: n - 1),
        Mistake("That is how many positions there are before the cut, with padding.", gives=lambda n: n + 2),
        Mistake("Only one side is padded.", gives=lambda n: n - 4),
    ),
    hints=("pad makes it two longer; shrink cuts it to n again. Which elements were cut off?",),
)
