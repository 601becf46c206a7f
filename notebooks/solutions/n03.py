"""Solutions of notebook 03."""


def window_of_padding(n, total, window):
    return -1, 1, n + 1


SOLUTIONS = {
    "window-of-padding": window_of_padding,
    "is-there-anything": "1 <= r and c < 4",
    "blur-two": lambda n: n - 2,
}
