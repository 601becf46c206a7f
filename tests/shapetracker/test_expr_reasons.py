"""Each step of an explanation says why its law holds there, in words that are true."""

import re

import pytest
from fuzz import fuzz_expressions as fuzzer

from shapetracker import Variable, parse
from shapetracker.expr.simplify import RULES, SHORTENING
from shapetracker.expr.simplify.reason import REASONS

WIDE = dict.fromkeys("abij", (0, 99))
SIZED = {"i": (0, 3), "N": (4, 9)}


def test_every_rule_has_a_reason() -> None:
    names = {entry.name for table in (RULES, SHORTENING) for entries in table.values() for entry in entries}
    assert names <= set(REASONS)


@pytest.mark.parametrize(
    ("text", "ranges", "reason"),
    [
        ("i - j < 0", WIDE, "j is added on both sides"),
        ("i - j < 1", WIDE, "j is added on both sides; of integers, i - j < 1 and i <= j say the same"),
        ("(b + 7)%8 + 2", WIDE, "-b%8 and (b + 7)%8 add up to 7: one counts down where the other counts up"),
        (
            "a//16*6 + (i + j + 2)//3",
            {"a": (0, 31), "i": (-9, -2), "j": (1, 4)},
            "(i + j + 2)//3 and -((-i - j)//3) both round (i + j)/3 up",
        ),
        ("i//12*12 + i%4 + i//4%3*4", WIDE, "i = i//4·4 + i%4"),
        ("i//4%4 >= 1", WIDE, "i//4%4 is i%16//4, and reaches 1 where i%16 reaches 4"),
        (
            "i%16 >= 4 and i%16 < 12",
            WIDE,
            "i%16 >= 4 and i%16 < 12 hold where the remainder of i by 16 is 4 … 11",
        ),
        ("i//N", SIZED, "i is at least 0 and less than N: i is 0 … 3 and N is 4 … 9"),
        ("-1//N", SIZED, "-1 is at least -N and less than 0: N is 4 … 9"),
        ("0%N", SIZED, "0 is at least 0 and less than N: N is 4 … 9"),
        ("i%-12", {"i": (-9, -2)}, "i is -9 … -2, above -12 and at most 0"),
        ("(i + 1)//3 + 2", WIDE, "6 more in a dividend by 3 is 2 more in the quotient"),
        ("i + i", WIDE, "the factors of i add up: 1 + 1 = 2"),
        ("i - i", WIDE, "the factors of i add up: 1 + (-1) = 0"),
        ("(b + 11)%12 < 3", WIDE, "-b%12 and (b + 11)%12 add up to 11: one counts down where the other counts up"),
        ("i < 3 and i%3 < 1", {"i": (0, 8)}, "only points at which i < 3 count"),
        ("i < 5 and i < 3", WIDE, "where i < 3 holds, so does i < 5"),
        ("i >= 3 and i < 4", WIDE, "i >= 3 and i < 4 leave one value"),
        ("i != 3 and i >= 3", WIDE, "a value that is excluded at a limit moves it"),
        ("i%9*6 + i//9%5*36 + i//45", {"i": (0, 299)}, "i%45 = i%9 + i//9%5·9"),
        ("b + i*3 - a*3", WIDE, "one multiplication by -3 serves a and i"),
        ("(i + 4)%5 >= 4", WIDE, "where i%5 is 0, (i + 4)%5 is 4; else it is below 4"),
        ("i < 1 and j < 1", WIDE, "i + j lies in 0 … 198, and is at an end only where each of its terms is"),
        ("1 - (a == 6)", WIDE, "a == 6 is 0 where a != 6 is 1, and 1 where it is 0"),
        ("(i*8 + 3)%17*4", {"i": (0, 7)}, "4 times a dividend by 4 times its divisor leaves 4 times the remainder"),
        (
            "i//3 + (i + 1)//3 + (i + 2)//3",
            WIDE,
            "i%3 of the 3 quotients are 1 more than i//3: together they are i",
        ),
        ("i < 3 and j < 2 and i < 3", WIDE, "i < 3 stands there twice"),
        (
            "(i + 21)%24 < 20",
            {"i": (0, 25)},
            "i is 0 … 25: below 23 it is its own remainder, from 23 on the remainder counts from 0 again",
        ),
        ("max(a, a)", WIDE, "a stands there twice"),
        ("i > i", WIDE, "both sides are the same"),
        ("i%1", WIDE, "dividing by 1 leaves everything, and no remainder"),
    ],
)
def test_a_step_says_why_its_law_holds(text: str, ranges: dict[str, tuple[int, int]], reason: str) -> None:
    assert reason in [step.reason for step in parse(text, ranges).explain().steps]


def equation(reason: str) -> list[str] | None:
    """The two sides that a reason says are equal, as Python reads them."""
    found = re.fullmatch(r"([^=<>:]+) = ([^=<>:]+)", reason)
    return [side.replace("·", "*") for side in found.groups()] if found else None


def test_reasons_are_no_counts_and_their_equations_are_true() -> None:
    source = fuzzer.random.Random(21)
    equations = 0
    for _ in range(250):
        e, variables = fuzzer.random_case(source)
        known = {v.name: v for v in variables}
        for step in e.explain().steps:
            assert not re.search(r"operations? becomes? ", step.reason), step
            sides = equation(step.reason)
            if sides is None:
                continue
            equations += 1
            point = {v.name: source.randint(v.min, v.max) for v in variables}
            left, right = (parse(side, known).evaluate(point) for side in sides)
            assert left == right, step
    assert equations > 3


def test_a_step_under_an_assumption_gives_its_reason() -> None:
    i = Variable("i", 0, 99)
    assert [step.reason for step in (i // 8).explain(assuming=[i < 8]).steps] == [
        "i is 0 … 7, from 0 up to less than 8"
    ]
