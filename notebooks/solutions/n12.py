"""Solutions of notebook 12."""

SOLUTIONS = {"row-addresses": "lane % 16 * 24 + lane // 16 * 8", "free-pitches": (8, 24, 40, 56, 72)}
