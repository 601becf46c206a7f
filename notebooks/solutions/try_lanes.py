"""Solutions of the lane explorer's tasks."""

SOLUTIONS = {
    "who-holds-c": (14, 3),
    "lanes-of-row-5": (20, 21, 22, 23),
    "which-register": (1, 0),
    "three-lanes": (6, 10, 5),
    "first-wrong-lane": 16,
}

WRONG = [
    ("who-holds-c", (14, 1), "lower half of C"),
    ("who-holds-c", (14, 2), "left neighbour"),
    ("lanes-of-row-5", (20,), "columns 0 and 1 alone"),
    ("which-register", (2, 0), "down by 8 rows first"),
    ("three-lanes", (5, 5, 5), "step 13 needs others"),
    ("first-wrong-lane", 4, "It is right"),
]
