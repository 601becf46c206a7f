"""Notebook 05: simplification."""

from exercises.define import Formula, Mistake, Number, define

define(
    name="middle-digit",
    notebook="05",
    asked=(
        "60 numbers lie in 5 blocks of 4 rows of 3. Number n, 0 … 59, lies in which row of its block? Write a formula."
    ),
    start='mine = None  # such as "n // 2"\ncheck(mine, "middle-digit")',
    kind=Formula(lambda: {"n": (0, 59)}),
    inputs=lambda rng: {},
    wanted=lambda n: n // 3 % 4,
    mistakes=(
        Mistake(
            "You exchanged the sizes: a row has 3 numbers, so divide by 3; a block has 4 rows.",
            gives=lambda n: n // 4 % 3,
        ),
        Mistake("That counts the rows through all blocks; in each block it starts again: % 4.", gives=lambda n: n // 3),
        Mistake("That is the place in the row, the last digit.", gives=lambda n: n % 3),
        Mistake("That is the block, the first digit.", gives=lambda n: n // 12),
        Mistake("That is the place in the block; divide it by the length of a row.", gives=lambda n: n % 12),
    ),
    hints=(
        "A digit is: divide by everything to its right, then take the remainder by its own size.",
        "To its right stands a row of 3; there are 4 rows.",
    ),
)

define(
    name="shortest",
    notebook="05",
    asked=(
        "`(i * 12 + j * 4 + k) // 4 % 3`, where i is 0 … 4, j is 0 … 2 and k is 0 … 3: write it as "
        "short as it can be, with "
        "no operation at all."
    ),
    start='mine = "(i * 12 + j * 4 + k) // 4 % 3"\ncheck(mine, "shortest")',
    kind=Formula(lambda: {"i": (0, 4), "j": (0, 2), "k": (0, 3)}, most_operations=0),
    inputs=lambda rng: {},
    wanted=lambda i, j, k: j,
    mistakes=(
        Mistake("i moves whole blocks of 12, which % 3 takes away after the division by 4.", gives=lambda i, j, k: i),
        Mistake("k is smaller than 4, so the division by 4 takes it away.", gives=lambda i, j, k: k),
    ),
    hints=(
        "Divide first: i · 12 // 4 and j · 4 // 4 come out without a rest, and k // 4 is 0.",
        "(i * 3 + j) % 3 with j below 3",
    ),
)

define(
    name="range-of-the-rule",
    notebook="05",
    asked="`a % {n}` → `a` is a law when a is at least 0 and at most … what?",
    start='mine = None  # a number\ncheck(mine, "range-of-the-rule")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.choice([5, 6, 7, 9]))},
    wanted=lambda n: n - 1,
    mistakes=(
        Mistake("At the divisor itself the remainder is 0: one less.", gives=lambda n: n),
        Mistake(
            "It holds for larger ones too: up to one below the divisor.", fits=lambda answer, n: 0 <= answer < n - 1
        ),
        Mistake("From the divisor on the remainder starts again at 0.", fits=lambda answer, n: answer > n),
    ),
    hints=("Write a and a % n in two rows. Where do they part?",),
)
