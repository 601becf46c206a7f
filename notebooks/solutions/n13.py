"""Solutions of notebook 13."""

SOLUTIONS = {"fragment-strides": (1280, 16, 80, 2, 8, 640, 1), "empty-places": 336}
