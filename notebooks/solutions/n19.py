"""Solutions of notebook 19."""

SOLUTIONS = {"window-strides": (18, 2, 9, 1), "how-many-windows": 25}
