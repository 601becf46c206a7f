"""Solutions of notebook 12."""

SOLUTIONS = {"row-addresses": "lane % 16 * 24 + lane // 16 * 8", "free-pitches": (8, 24, 40, 56, 72)}

WRONG = [
    ("row-addresses", "lane % 16 * 16 + lane // 16 * 8", "24 halves long"),
    ("row-addresses", "lane // 4 * 24 + lane % 4 * 2", "not who gets the data"),
    ("row-addresses", "lane % 16 * 24", "8 columns on"),
    ("free-pitches", (16, 32, 48, 64), "worst"),
]
