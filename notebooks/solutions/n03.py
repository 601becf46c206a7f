"""Solutions of notebook 03."""


def window_of_padding(n, total, window):
    return -1, 1, n + 1


SOLUTIONS = {
    "window-of-padding": window_of_padding,
    "is-there-anything": "1 <= r and c < 4",
    "blur-two": lambda n: n - 2,
}

WRONG = [
    ("window-of-padding", lambda n, total, window: (-2, 2, n + 2), "mask of the whole padded row"),
    ("window-of-padding", lambda n, total, window: (-1, 1, n), "The end is not inside"),
    ("is-there-anything", "r >= 1 and c <= 4", "the end is not inside"),
    ("is-there-anything", "r >= 1", "The columns are missing"),
    ("blur-two", lambda n: n, "The first two positions read nothing"),
]
