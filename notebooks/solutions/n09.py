"""Solutions of notebook 09."""

SOLUTIONS = {
    "steps-and-barriers": lambda n: (n.bit_length() - 1, n.bit_length()),
    "order-decides": lambda n: tuple(range(1, n + 1)),
    "accumulator": lambda start, end: start + 3 * end,
}

WRONG = [
    ("steps-and-barriers", lambda n: (n - 1, n), "a tree halves the lanes"),
    ("steps-and-barriers", lambda n: (n.bit_length() - 1,) * 2, "one more before the first"),
    ("order-decides", lambda n: (1,) + (2,) * (n - 1), "if the lanes run downwards"),
    ("accumulator", lambda start, end: 3 * end, "it goes into the sum, once"),
]
