"""Notebook 16: the catalogue."""

from exercises.define import Fragment, Mistake, Number, define

define(
    name="mfma-place",
    notebook="16",
    asked="Which element [m, n] of C is element 5 of lane 40, for v_mfma_f32_32x32x8_f16 (64 lanes, 16 elements each)?",
    start='mine = None  # (m, n)\ncheck(mine, "mfma-place")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: (8 * (5 // 4) + 4 * (40 // 32) + 5 % 4, 40 % 32),
    mistakes=(
        Mistake("Row and column are exchanged: here a lane holds a piece of a column.", lambda: (8, 13)),
        Mistake("That is lane 8: the upper half of the lanes is 4 rows lower.", lambda: (9, 8)),
        Mistake(
            "The elements do not go down in one run: after four of them come the four rows of the other half.",
            lambda: (5, 8),
        ),
        Mistake("You put the upper half of the lanes 16 rows lower; they interleave by 4.", lambda: (21, 8)),
    ),
    hints=(
        "The column is lane % 32.",
        "Elements 0 to 3 are four rows; then the other half of the lanes holds four.",
        "m = 8 · (i // 4) + 4 · (lane // 32) + i % 4",
    ),
)

define(
    name="c-of-rdna4",
    notebook="16",
    asked="Write the map of C of RDNA4 (gfx1200, 16×16×16, 32 lanes) as a formula of lane and i (0 to 7).",
    start='mine = None  # such as "i * 2 + lane // 16, lane % 16", which is RDNA3\'s\ncheck(mine, "c-of-rdna4")',
    kind=Fragment("gfx1200.wmma_f32_16x16x16_f16.w32", "c"),
    inputs=lambda rng: {},
    wanted=lambda: None,
    hints=(
        "Look at the first column of the picture: which rows has lane 0?",
        "The lower half of the lanes holds the upper eight rows.",
        "m = lane // 16 * 8 + i",
    ),
)
