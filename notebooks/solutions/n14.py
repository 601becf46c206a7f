"""Solutions of notebook 14."""

SOLUTIONS = {"tests-that-notice": (1, 2, 3, 4), "repair-c": "lane/4 + 8*(i/2), 2*(lane % 4) + i%2"}

WRONG = [
    ("tests-that-notice", (3, 4), "transposed load"),
    ("tests-that-notice", (1, 3, 4), "and nothing else"),
    ("repair-c", "lane/4 + 8*(i % 2), 2*(lane % 4) + i/2", "wrong order"),
]
