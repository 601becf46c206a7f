"""Solutions of notebook 14."""

SOLUTIONS = {"tests-that-notice": (1, 2, 3, 4), "repair-c": "lane/4 + 8*(i/2), 2*(lane % 4) + i%2"}
