"""Notebook 07: lanes and workgroups."""

import numpy as np

from exercises.define import Matrix, Mistake, Number, define

define(
    name="who-does-it",
    notebook="07",
    asked="Workgroups have {lanes} lanes. Which workgroup, and which lane in it, does element {element}?",
    start='mine = None  # (workgroup, lane)\ncheck(mine, "who-does-it")',
    kind=Number(),
    inputs=lambda rng: {"lanes": int(rng.choice([8, 16, 32])), "element": int(rng.integers(70, 120))},
    wanted=lambda lanes, element: divmod(element, lanes),
    mistakes=(
        Mistake(
            "Exchanged: first the workgroup, which is the quotient, then the lane, the remainder.",
            gives=lambda lanes, element: divmod(element, lanes)[::-1],
        ),
        Mistake("Both are counted from 0.", gives=lambda lanes, element: (element // lanes + 1, element % lanes + 1)),
        Mistake(
            "The workgroup is right, and counted from 0; so is the lane.",
            gives=lambda lanes, element: (element // lanes, element % lanes + 1),
        ),
        Mistake("Workgroups are counted from 0.", gives=lambda lanes, element: (element // lanes + 1, element % lanes)),
    ),
    hints=("i = group · lanes + lane, and lane is smaller than lanes.", "divmod"),
)

define(
    name="how-many-workgroups",
    notebook="07",
    asked="{n} elements, {lanes} lanes in a workgroup. How many workgroups, and how many lanes have nothing to do?",
    start='mine = None  # (workgroups, idle lanes)\ncheck(mine, "how-many-workgroups")',
    kind=Number(),
    inputs=lambda rng: {"n": int(rng.choice([1000, 1003, 2001])), "lanes": int(rng.choice([64, 128]))},
    wanted=lambda n, lanes: (-(-n // lanes), -(-n // lanes) * lanes - n),
    mistakes=(
        Mistake("Rounded down: the last elements are never done. Round up.", gives=lambda n, lanes: (n // lanes, 0)),
        Mistake(
            "That many lanes of the last workgroup have work; the others have none.",
            gives=lambda n, lanes: (-(-n // lanes), n % lanes),
        ),
        Mistake(
            "Rounded down: the last elements are never done. Round up.", gives=lambda n, lanes: (n // lanes, n % lanes)
        ),
    ),
    hints=("Divide and round up.", "All lanes that are started, minus those that have an element."),
)


def first_step(values: list[int]) -> list[int]:
    """What eight lanes hold after they added what the lane 4 away gives."""
    return [value + values[lane ^ 4] for lane, value in enumerate(values)]


define(
    name="after-one-shuffle",
    notebook="07",
    asked=(
        "Eight lanes hold {values}. Each adds what the lane gives whose number differs in the bit 4 "
        "(lane xor 4). What do "
        "the eight hold then?"
    ),
    start='mine = None  # eight numbers\ncheck(mine, "after-one-shuffle")',
    kind=Matrix(),
    inputs=lambda rng: {"values": [int(x) for x in rng.permutation(8) + 1]},
    wanted=lambda values: np.array(first_step(values)),
    mistakes=(
        Mistake(
            "The partner gives the value that it holds, not its number.",
            gives=lambda values: np.array([value + (lane ^ 4) for lane, value in enumerate(values)]),
        ),
        Mistake(
            "The partner of lane 0 is lane 4, and the partner of lane 4 is lane 0; the upper four add too.",
            gives=lambda values: np.array(first_step(values)[:4] + values[4:]),
        ),
        Mistake("That is 4 added; it is the value of the lane 4 away.", gives=lambda values: np.array(values) + 4),
        Mistake(
            "The sum of all: that takes three steps. This is the first.", gives=lambda values: np.full(8, sum(values))
        ),
        Mistake(
            "Those are neighbours, lane xor 1; the first step goes 4 away.",
            gives=lambda values: np.array([v + values[i ^ 1] for i, v in enumerate(values)]),
        ),
    ),
    hints=("Lane 1 and lane 5 are partners: both then hold the sum of their two values.",),
)
