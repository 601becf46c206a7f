"""Notebook 15: rounding."""

from exercises.define import Mistake, Number, define

define(
    name="where-half-stops",
    notebook="15",
    asked="You add 2 again and again to a sum in half precision (11 significant bits). Where does it stop?",
    start='mine = None  # a number\ncheck(mine, "where-half-stops")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 4096,
    mistakes=(
        Mistake(
            "That is where adding 1 stops: from there on, neighbours are 2 apart, and 2 still counts.", lambda: 2048
        ),
        Mistake(
            "That is the largest half. The sum stops much earlier, as 2 becomes too small to count.", lambda: 65504
        ),
        Mistake("There neighbours are 8 apart; 2 is lost earlier.", lambda: 8192),
        Mistake("No half is larger than 65504, and the sum stops earlier still.", lambda: float("inf")),
    ),
    hints=(
        "Where are neighbours 4 apart?",
        "11 bits: from 2048 on neighbours are 2 apart, from 4096 on 4.",
        "4096 + 2 lies in the middle of two halves; which of them is even?",
    ),
)

define(
    name="exact-integers",
    notebook="15",
    asked=(
        "You test a layout with integers from −n to n, k = 256 and float32 sums (24 significant bits). What is the "
        "largest n for which every sum is surely exact?"
    ),
    start='mine = None  # a number\ncheck(mine, "exact-integers")',
    kind=Number(),
    inputs=lambda rng: {},
    wanted=lambda: 256,
    mistakes=(
        Mistake(
            "The inputs are exact in half up to there, but 256 products of them are far above 2 to the power 24.",
            lambda: 2048,
        ),
        Mistake("That would do for one product; 256 of them are added.", lambda: 4096),
        Mistake("A product is n · n: take the root.", lambda: 65536),
        Mistake("Nearly: 256 · n · n may be 2 to the power 24 exactly, which is still a float32.", lambda: 255),
    ),
    hints=("The largest sum is 256 · n · n.", "Integers up to 2 to the power 24 are exact in float32.", "n · n ≤ 2¹⁶."),
)
