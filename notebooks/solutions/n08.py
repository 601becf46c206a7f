"""Solutions of notebook 08."""

SOLUTIONS = {"address-of-b-transposed": "column * 5 + k", "loads-of-the-launch": lambda m, n, k: 2 * m * n * k}

WRONG = [
    ("address-of-b-transposed", "k * 8 + column", "Exchange the two strides"),
    ("address-of-b-transposed", "column * 8 + k", "5 further, not 8"),
    ("loads-of-the-launch", lambda m, n, k: m * k + k * n, "again and again"),
    ("loads-of-the-launch", lambda m, n, k: m * n * k, "two loads in each round"),
]
