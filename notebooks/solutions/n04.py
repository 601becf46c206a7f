"""Solutions of notebook 04."""

SOLUTIONS = {
    "column-by-column": "t % 3 * 5 + t // 3",
    "floor-and-remainder": lambda n: (-n // 5, -n % 5),
    "first-carry": lambda n: n,
}

WRONG = [
    ("column-by-column", "t", "row after row"),
    ("column-by-column", "t % 5 * 3 + t // 5", "t is cut into threes"),
    ("column-by-column", "t // 3 * 5 + t % 3", "it is the row that counts 5 times"),
    ("column-by-column", "t / 3", "integer division is written //"),
    ("floor-and-remainder", lambda n: (-(n // 5), -(n % 5)), "This is what C says"),
    ("first-carry", lambda n: n - 1, "nothing is carried yet"),
]
