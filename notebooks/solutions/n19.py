"""Solutions of notebook 19."""

SOLUTIONS = {"window-strides": (18, 2, 9, 1), "how-many-windows": 25}

WRONG = [
    ("window-strides", (18, 2, 18, 2), "step of the image"),
    ("how-many-windows", 16, "without padding"),
]
