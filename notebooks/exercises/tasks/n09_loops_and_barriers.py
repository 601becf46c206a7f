"""Notebook 09: loops, local memory, barriers."""

from exercises.define import Mistake, Number, define

define(
    name="steps-and-barriers",
    notebook="09",
    asked=(
        "The tree sums {n} numbers in a workgroup of {n} lanes. How many steps are there, and how "
        "many barriers does a lane "
        "come to? (One stands before the first step.)"
    ),
    start='mine = None  # (steps, barriers)\ncheck(mine, "steps-and-barriers")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.choice([32, 64, 128, 256]))},
    wanted=lambda n: (n.bit_length() - 1, n.bit_length()),
    mistakes=(
        Mistake(
            "That is a chain, one after the other; a tree halves the lanes in each step.", gives=lambda n: (n - 1, n)
        ),
        Mistake(
            "One barrier after each step, and one more before the first: the tile must be full.",
            gives=lambda n: (n.bit_length() - 1, n.bit_length() - 1),
        ),
        Mistake(
            "The last step adds two numbers, and then one is left: one step fewer.",
            gives=lambda n: (n.bit_length(), n.bit_length() + 1),
        ),
        Mistake(
            "Half of the lanes add in the first step; but the steps are as many as the halvings.",
            gives=lambda n: (n // 2, n // 2 + 1),
        ),
    ),
    hints=("How often can you halve the number until 1 is left?",),
)


def in_turn(n: int, *, upwards: bool) -> tuple[int, ...]:
    """n ones, after each lane has done s[t] += s[t − 1] to the end, before the next lane starts."""
    s = [1] * n
    for lane in range(1, n) if upwards else range(n - 1, 0, -1):
        s[lane] += s[lane - 1]
    return tuple(s)


define(
    name="order-decides",
    notebook="09",
    asked=(
        "{n} ones lie in local memory. Each lane from 1 on does s[lane] += s[lane − 1]; no barrier. "
        "The lanes happen to run "
        "one after the other, upwards from lane 1. What does s hold?"
    ),
    start='mine = None  # the numbers, in a tuple\ncheck(mine, "order-decides")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.integers(5, 8))},
    wanted=lambda n: in_turn(n, upwards=True),
    mistakes=(
        Mistake(
            "So it is if the lanes run downwards, or all at once. Upwards, lane 2 reads what lane 1 has just written.",
            gives=lambda n: in_turn(n, upwards=False),
        ),
        Mistake("Lane 0 does nothing: s[0] stays 1.", gives=lambda n: (2,) * n),
        Mistake(
            "Each adds what stands there at that moment: the sums grow by 1, they do not double.",
            gives=lambda n: tuple(2**i for i in range(n)),
        ),
    ),
    hints=("Do it by hand: lane 1 first, and write its sum down before lane 2 reads.",),
)

define(
    name="accumulator",
    notebook="09",
    asked=(
        "An accumulator starts with {start}; the loop runs from 0 to {end} (excluded) and adds 3 each "
        "time. What is stored after it?"
    ),
    start='mine = None  # a number\ncheck(mine, "accumulator")',
    kind=Number(),
    inputs=lambda rng: {"start": int(rng.integers(10, 90)), "end": int(rng.integers(4, 9))},
    wanted=lambda start, end: start + 3 * end,
    mistakes=(
        Mistake(
            "The initial value is the accumulator's value before the loop; it goes into the sum, once.",
            gives=lambda start, end: 3 * end,
        ),
        Mistake(
            "The end is excluded: the loop runs from 0 to one below it.", gives=lambda start, end: start + 3 * (end + 1)
        ),
        Mistake(
            "The initial value is set once, when its line is reached, not in each round.",
            gives=lambda start, end: start + 3,
        ),
        Mistake(
            "It adds 3 in each round; from 0 to the end there are as many rounds as the end says.",
            gives=lambda start, end: start + 3 * (end - 1),
        ),
    ),
    hints=("How many rounds are there?",),
)
