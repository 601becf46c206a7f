"""Solutions of notebook 01."""

SOLUTIONS = {"address": 15}

WRONG = [
    ("address", 20, "the other way round"),
    ("address", 20, "the other way round"),
    ("address", 60, "counted bytes"),
]
