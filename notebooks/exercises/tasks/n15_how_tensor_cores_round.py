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
        Mistake("4094 + 2 is 4096, which is a half: the sum makes one more step.", lambda: 4094),
        Mistake(
            "That is where halves end, halved. The sum stops much earlier: 2 becomes too small to count.", lambda: 32752
        ),
        Mistake("No half is larger than 65504, and the sum stops earlier still.", lambda: float("inf")),
        Mistake(
            "Up to {answer}, neighbours are at most 2 apart, so adding 2 still counts. Where are they first 4 apart?",
            fits=lambda answer: 0 <= answer < 4096,
        ),
        Mistake(
            "The sum never comes to {answer}: before it, neighbours are 4 apart, and a step of 2 is half of that.",
            fits=lambda answer: answer > 4096,
        ),
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
        Mistake("That is the largest sum; it has 256 terms, and each is a product n · n.", lambda: 2**24),
        Mistake("Nearly: 256 · n · n may be 2 to the power 24 exactly, which is still a float32.", lambda: 255),
        Mistake(
            "From −n to n there are about 256 integers then, but their number does not matter: 256 · 128 · 128 is 2 to "
            "the power 22, and there are two more bits. The sign costs none of the 24, float32 keeps it beside them.",
            lambda: 128,
        ),
        Mistake("You kept one of the 24 bits for the sign; float32 keeps the sign beside them.", lambda: 181),
        Mistake(
            "n is a factor, not a number of bits: the largest sum, 256 · n · n, may be 2 to the power 24.",
            fits=lambda answer: answer in {8, 16, 24},
        ),
        Mistake(
            "It is exact with {answer}, but {answer} is not the largest: 256 · n · n is still below 2 to the power 24.",
            fits=lambda answer: 0 <= answer < 256,
        ),
        Mistake(
            "With {answer}, a sum may be 256 · n · n, which is above 2 to the power 24: not every integer there is a "
            "float32.",
            fits=lambda answer: answer > 256,
        ),
    ),
    hints=("The largest sum is 256 · n · n.", "Integers up to 2 to the power 24 are exact in float32.", "n · n ≤ 2¹⁶."),
)
