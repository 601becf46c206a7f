"""Solutions of notebook 00."""

SOLUTIONS = {"first-address": 20, "first-lane": 6}
