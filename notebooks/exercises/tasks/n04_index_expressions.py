"""Notebook 04: index expressions."""

from exercises.define import Formula, Mistake, Number, define

define(
    name="column-by-column",
    notebook="04",
    asked=(
        "A matrix of 3 rows and 5 columns, row-major, is read column after column by 15 threads. "
        "Which element does thread t "
        "read? Write a formula."
    ),
    start='mine = None  # such as "t // 2 + 1"\ncheck(mine, "column-by-column")',
    kind=Formula(lambda: {"t": (0, 14)}),
    inputs=lambda rng: {},
    wanted=lambda t: t % 3 * 5 + t // 3,
    mistakes=(
        Mistake("That reads row after row; a thread's number counts down a column first.", gives=lambda t: t),
        Mistake(
            "A column has 3 elements, so t is cut into threes: the row is t % 3, the column t // 3.",
            gives=lambda t: t % 5 * 3 + t // 5,
        ),
        Mistake("The row is t % 3, and it is the row that counts 5 times.", gives=lambda t: t // 3 * 5 + t % 3),
        Mistake("The row is t % 3, and a row is 5 elements long, not 3.", gives=lambda t: t % 3 * 3 + t // 3),
        Mistake("A column has 3 elements: cut t by 3, not by 5.", gives=lambda t: t % 5 * 5 + t // 5),
    ),
    hints=(
        "Threads 0, 1, 2 read the first column: the elements 0, 5, 10.",
        "t has two digits: where in the column, and which column.",
        "row * 5 + column, with row = t % 3",
    ),
)

define(
    name="floor-and-remainder",
    notebook="04",
    asked="What are `-{n} // 5` and `-{n} % 5` in Python?",
    start='mine = None  # (quotient, remainder)\ncheck(mine, "floor-and-remainder")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.choice([11, 12, 13, 21, 22, 23]))},
    wanted=lambda n: (-n // 5, -n % 5),
    mistakes=(
        Mistake("This is what C says: it cuts towards 0. Python rounds down.", gives=lambda n: (-(n // 5), -(n % 5))),
        Mistake(
            "The quotient is rounded down, so the remainder is what is missing from there up to −n, "
            "and never negative.",
            gives=lambda n: (-n // 5, -(n % 5)),
        ),
        Mistake("Down means away from 0 here: one less.", gives=lambda n: (-(n // 5), -n % 5)),
    ),
    hints=("Which multiple of 5 lies just below −n?", "quotient · 5 + remainder = −n, with a remainder of 0 … 4."),
)

define(
    name="first-carry",
    notebook="04",
    asked="`(i * {n} + j) // {n}` is i as long as j stays small. What is the smallest j ≥ 0 for which it is not?",
    start='mine = None  # a number\ncheck(mine, "first-carry")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.integers(6, 13))},
    wanted=lambda n: n,
    mistakes=(
        Mistake("With this j nothing is carried yet; one more is needed.", gives=lambda n: n - 1),
        Mistake("It goes wrong one earlier.", gives=lambda n: n + 1),
        Mistake(
            "i · {n} + {answer} is still below (i + 1) · {n}, so nothing is carried.",
            fits=lambda answer, n: 0 <= answer < n,
        ),
        Mistake(
            "It goes wrong earlier: j may be less than {answer}, and still fill a row.",
            fits=lambda answer, n: answer > n,
        ),
    ),
    hints=("When does j make a whole row?", "Ask equivalent((i * n + j) // n, i) with other ranges of j."),
)
