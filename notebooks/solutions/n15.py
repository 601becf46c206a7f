"""Solutions of notebook 15."""

SOLUTIONS = {"where-half-stops": 4096, "exact-integers": 256}

WRONG = [
    ("where-half-stops", 65504, "largest half"),
    ("exact-integers", 2048, "far above"),
]
