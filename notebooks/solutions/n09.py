"""Solutions of notebook 09."""

SOLUTIONS = {
    "steps-and-barriers": lambda n: (n.bit_length() - 1, n.bit_length()),
    "order-decides": lambda n: tuple(range(1, n + 1)),
    "accumulator": lambda start, end: start + 3 * end,
}
