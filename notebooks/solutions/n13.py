"""Solutions of notebook 13."""

SOLUTIONS = {"fragment-strides": (1280, 16, 80, 2, 8, 640, 1), "empty-places": 336}

WRONG = [
    ("fragment-strides", (1280, 16, 16, 2, 8, 128, 1), "80 long"),
    ("empty-places", 1536, "take off"),
]
