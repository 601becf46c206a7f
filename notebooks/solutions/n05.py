"""Solutions of notebook 05."""

SOLUTIONS = {"middle-digit": "n // 3 % 4", "shortest": "j", "range-of-the-rule": lambda n: n - 1}

WRONG = [
    ("middle-digit", "n // 4 % 3", "You exchanged the sizes"),
    ("middle-digit", "n // 3", "through all blocks"),
    ("shortest", "(i * 3 + j) % 3", "it takes 3 operations; 0 are enough"),
    ("shortest", "i", "i moves whole blocks"),
    ("range-of-the-rule", lambda n: n, "one less"),
]
