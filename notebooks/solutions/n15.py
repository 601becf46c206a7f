"""Solutions of notebook 15."""

SOLUTIONS = {"where-half-stops": 4096, "exact-integers": 256}
