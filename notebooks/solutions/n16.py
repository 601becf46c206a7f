"""Solutions of notebook 16."""

SOLUTIONS = {"mfma-place": (13, 8), "c-of-rdna4": "lane // 16 * 8 + i, lane % 16"}

WRONG = [
    ("mfma-place", (5, 8), "in one run"),
    ("c-of-rdna4", "i * 2 + lane // 16, lane % 16", "lane 0"),
]
