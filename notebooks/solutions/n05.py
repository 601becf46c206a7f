"""Solutions of notebook 05."""

SOLUTIONS = {"middle-digit": "n // 3 % 4", "shortest": "j", "range-of-the-rule": lambda n: n - 1}
