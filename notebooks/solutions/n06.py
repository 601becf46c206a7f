"""Solutions of notebook 06."""

SOLUTIONS = {
    "stride-that-merges": lambda rows, columns: 2 * columns,
    "odd-step": lambda rows, columns: 1 - (rows - 1) * columns,
    "how-many-shapes": 2,
}

WRONG = [
    ("stride-that-merges", lambda rows, columns: 2 * rows, "The right size counts"),
    ("stride-that-merges", lambda rows, columns: columns, "they are 2 apart"),
    ("odd-step", lambda rows, columns: -(rows - 1) * columns, "head of the same one"),
    ("odd-step", lambda rows, columns: (rows - 1) * columns - 1, "negative"),
    ("how-many-shapes", 8, "merging rarely"),
]
