"""Solutions of notebook 06."""

SOLUTIONS = {
    "stride-that-merges": lambda rows, columns: 2 * columns,
    "odd-step": lambda rows, columns: 1 - (rows - 1) * columns,
    "how-many-shapes": 2,
}
