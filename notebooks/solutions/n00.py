"""Solutions of notebook 00."""

SOLUTIONS = {"first-address": 20, "first-lane": 6}

WRONG = [
    ("first-address", 15, "before it was transposed"),
    ("first-lane", 8, "count in pairs"),
]
