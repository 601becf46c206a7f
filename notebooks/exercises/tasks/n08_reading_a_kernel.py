"""Notebook 08: reading a kernel."""

from exercises.define import Formula, Mistake, Number, define

define(
    name="address-of-b-transposed",
    notebook="08",
    asked=(
        "The kernel shall compute A · Bᵀ for a B of 8 rows and 5 columns, row-major. Which element "
        "of B does it load for "
        "column (0 … 7) of the result and k (0 … 4)? It was k * 8 + column."
    ),
    start='mine = "k * 8 + column"\ncheck(mine, "address-of-b-transposed")',
    kind=Formula(lambda: {"column": (0, 7), "k": (0, 4)}),
    inputs=lambda rng: {},
    wanted=lambda column, k: column * 5 + k,
    mistakes=(
        Mistake(
            "That is B as it was: there the columns were neighbours. Exchange the two strides.",
            gives=lambda column, k: k * 8 + column,
        ),
        Mistake(
            "A row of the new B has 5 elements, so the next row is 5 further, not 8.",
            gives=lambda column, k: column * 8 + k,
        ),
        Mistake(
            "It is column that chooses the row of the new B: column · 5, and k along it.",
            gives=lambda column, k: k * 5 + column,
        ),
    ),
    hints=("Bᵀ[k, column] is B[column, k].", "row · (length of a row) + column, for B's own row and column"),
)

define(
    name="loads-of-the-launch",
    notebook="08",
    asked=(
        "The same kernel for A of {m} × {k} and B of {k} × {n}: two loads in the loop, a lane for "
        "each element of the result. "
        "How many loads does the launch make?"
    ),
    start='mine = None  # a number\ncheck(mine, "loads-of-the-launch")',
    kind=Number(),
    inputs=lambda rng: {"m": int(rng.choice([16, 24])), "n": int(rng.choice([12, 20])), "k": int(rng.choice([10, 30]))},
    wanted=lambda m, n, k: 2 * m * n * k,
    mistakes=(
        Mistake(
            "So many different numbers are read, but each of them again and again.", gives=lambda m, n, k: m * k + k * n
        ),
        Mistake("There are two loads in each round: one of A, one of B.", gives=lambda m, n, k: m * n * k),
        Mistake("That is one lane; there is one for each element of the result.", gives=lambda m, n, k: 2 * k),
        Mistake("Each lane runs the loop k times.", gives=lambda m, n, k: 2 * m * n),
        Mistake("That is how many lanes there are; each of them runs the loop.", gives=lambda m, n, k: m * n),
    ),
    hints=("Lanes · rounds of the loop · loads in a round.",),
)
