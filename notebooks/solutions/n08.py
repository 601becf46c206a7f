"""Solutions of notebook 08."""

SOLUTIONS = {"address-of-b-transposed": "column * 5 + k", "loads-of-the-launch": lambda m, n, k: 2 * m * n * k}
