"""Solutions of notebook 10."""

SOLUTIONS = {
    "who-holds-b": (13, 2),
    "b-by-lane": "lane % 4 * 2 + i % 2 + i // 2 * 8, lane // 4",
    "rdna3-copies": (5, 21),
}

WRONG = [
    ("who-holds-b", (9, 3), "a map of its own"),
    ("who-holds-b", (13, 0), "k = 10 is 8 further"),
    ("who-holds-b", 13, "2 numbers in a tuple"),
    ("b-by-lane", "lane // 4, lane % 4 * 2 + i % 2", "2 columns instead of 2 rows"),
    ("b-by-lane", 7, "a text"),
    ("rdna3-copies", (5,), "held twice"),
]
