"""Solutions of notebook 11."""

SOLUTIONS = {"cute-strides": (32, 1, 16, 8, 128), "from-bits": (13, 5)}
