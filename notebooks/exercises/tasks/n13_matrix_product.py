"""Notebook 13: from views to lanes."""

from exercises.define import Mistake, Number, define

define(
    name="fragment-strides",
    notebook="13",
    asked=(
        "A is 64×80, row by row. What are the seven strides of fragment(A, m16n8k16, 'a'): tile down, tile across, two "
        "digits of the lane, three of the register?"
    ),
    start='mine = None  # seven numbers\ncheck(mine, "fragment-strides")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (1280, 16, 80, 2, 8, 640, 1),
    mistakes=(
        Mistake(
            "The last five are those of the lane map, as if rows were 16 long; rows of the matrix are 80 long.",
            lambda: (1280, 16, 16, 2, 8, 128, 1),
        ),
        Mistake(
            "These are the strides of the 32×48 matrix above; this one is 80 wide.", lambda: (768, 16, 48, 2, 8, 384, 1)
        ),
        Mistake(
            "A matrix of 80 columns has rows of 80; you took the 64 rows for the length.",
            lambda: (1024, 16, 64, 2, 8, 512, 1),
        ),
    ),
    hints=(
        "One step down a row is 80.",
        "A tile down is 16 rows; eight rows down is 8 · 80.",
        "What moves along k alone stays as it is in the lane map.",
    ),
)

define(
    name="empty-places",
    notebook="13",
    asked="A is 30×40, and is cut into tiles of 16×16. How many places of the tiles hold no element of A?",
    start='mine = None  # a number\ncheck(mine, "empty-places")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 32 * 48 - 30 * 40,
    mistakes=(
        Mistake("That is how many places there are; take off those that hold an element.", lambda: 32 * 48),
        Mistake("That is how many elements A has.", lambda: 30 * 40),
        Mistake("You counted the rows and the columns, and not the corner.", lambda: 2 * 40 + 8 * 30),
        Mistake("You counted the corner twice.", lambda: 2 * 48 + 8 * 32),
        Mistake(
            "Five tiles would have places enough, but none can be cut: two down and three across are six.",
            lambda: 5 * 16 * 16 - 30 * 40,
        ),
    ),
    hints=("How many tiles are needed, down and across?", "Two tiles down, three across: 32×48 places."),
)
