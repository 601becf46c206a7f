"""Notebook 12: ldmatrix."""

from exercises.define import Formula, Mistake, Number, define

define(
    name="row-addresses",
    notebook="12",
    asked=(
        "A of m16n8k16 lies in shared memory, 24 halves a row. Which index does lane `lane` give to ldmatrix.x4? "
        "Write it as a formula of lane."
    ),
    start='mine = None  # such as "lane * 8"\ncheck(mine, "row-addresses")',
    kind=Formula(variables=lambda: {"lane": (0, 31)}),
    inputs=lambda rng: {},
    wanted=lambda lane: lane % 16 * 24 + lane // 16 * 8,
    mistakes=(
        Mistake("A row is 24 halves long here, not 16: take the pitch.", lambda lane: lane % 16 * 16 + lane // 16 * 8),
        Mistake(
            "The quarters stand as one reads them; matrix 1 must be the quarter below, matrix 2 the one to the right.",
            lambda lane: (lane % 8 + lane // 16 * 8) * 24 + lane // 8 % 2 * 8,
        ),
        Mistake(
            "The lanes 16 to 31 name the first columns again; they belong 8 columns on.", lambda lane: lane % 16 * 24
        ),
        Mistake(
            "That is where the lane's own pair lies. Who gives the address is not who gets the data.",
            lambda lane: lane // 4 * 24 + lane % 4 * 2,
        ),
        Mistake("There are 16 rows and not 32: half of the lanes name the right half.", lambda lane: lane * 24),
    ),
    hints=(
        "Lanes 0 to 15 name the rows 0 to 15; so do the lanes 16 to 31.",
        "The second half of the lanes starts 8 columns further right.",
        "Row: lane % 16. Column: lane // 16 * 8. Index: row · pitch + column.",
    ),
)

define(
    name="free-pitches",
    notebook="12",
    asked="Of the pitches 8, 16, 24 … 72 halves: which let ldmatrix read its eight rows without a bank conflict?",
    start='mine = None  # the pitches, in a tuple\ncheck(mine, "free-pitches")',
    kind=Number(any_order=True),
    inputs=lambda rng: {},
    wanted=lambda: (8, 24, 40, 56, 72),
    mistakes=(
        Mistake("These are the worst, or nearly: their rows meet in few groups of banks.", lambda: (16, 32, 48, 64)),
        Mistake("Right, but 8 halves a row is free as well: eight rows side by side.", lambda: (24, 40, 56, 72)),
        Mistake("72 is one of them, but not the only one.", lambda: (72,)),
        Mistake(
            "Where pitch / 8 is even, the eight rows start in four groups of banks at most, and two rows meet in one.",
            fits=lambda answer: any(pitch // 8 % 2 == 0 for pitch in answer),
        ),
        Mistake(
            "Those are free, and there are more: try each pitch, (pitch · row / 8) % 8 for the rows 0 to 7.",
            fits=lambda answer: set(answer) < {8, 24, 40, 56, 72},
        ),
    ),
    hints=(
        "A row starts in group (pitch · row / 8) % 8.",
        "The eight groups all differ exactly if pitch / 8 has no factor in common with 8.",
        "So pitch / 8 is odd.",
    ),
)
