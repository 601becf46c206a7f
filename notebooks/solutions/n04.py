"""Solutions of notebook 04."""

SOLUTIONS = {
    "column-by-column": "t % 3 * 5 + t // 3",
    "floor-and-remainder": lambda n: (-n // 5, -n % 5),
    "first-carry": lambda n: n,
}
