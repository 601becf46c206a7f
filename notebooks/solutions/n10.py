"""Solutions of notebook 10."""

SOLUTIONS = {
    "who-holds-b": (13, 2),
    "b-by-lane": "lane % 4 * 2 + i % 2 + i // 2 * 8, lane // 4",
    "rdna3-copies": (5, 21),
}
