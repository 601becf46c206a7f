"""Solutions of notebook 16."""

SOLUTIONS = {"mfma-place": (13, 8), "c-of-rdna4": "lane // 16 * 8 + i, lane % 16"}
