"""Solutions of notebook 11."""

SOLUTIONS = {"cute-strides": (32, 1, 16, 8, 128), "from-bits": (13, 5)}

WRONG = [
    ("cute-strides", (16, 2, 8, 128, 1), "slowest digit first"),
    ("from-bits", (5, 13), "exchanged"),
    ("from-bits", "13, 5", "A text was given"),
]
