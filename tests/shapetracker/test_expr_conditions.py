"""Conditions stay conditions: what simplification makes of the parts of a conjunction is 0 or 1 everywhere."""

import pytest

from shapetracker import Variable
from shapetracker.equivalence import equivalent
from shapetracker.expr import Expr, Min, parse


def remainder_beside_its_quotient() -> Expr:
    k, j = Variable("k", -3, 8), Variable("j", 1, 2)
    return ((k // 4 > -1) & (j + j > 1) & (k % -2 <= -1)) + k + j - 1


def remainder_beside_its_variable() -> Expr:
    i, k, j = Variable("i", -3, -1), Variable("k", 2, 5), Variable("j", 0, 4)
    conditions = (i // 2 // 4 + k >= 0) & ((i + j) // -4 // -3 <= 5) & (k // -8 + j // 1 + k >= 8)
    return (conditions & ((k + k - 1) % -5 > -2)) + k * 2


def variable_that_is_a_condition() -> Expr:
    i, j = Variable("i", 0, 3), Variable("j", 0, 1)
    return (Min.build((i, j)) % -8 * 8 <= -3) & (i * 4 + i % 7 + (j + i) // -3 >= 2)


@pytest.mark.parametrize(
    "expression", [remainder_beside_its_quotient, remainder_beside_its_variable, variable_that_is_a_condition]
)
def test_simplified_conjunction_has_the_same_values(expression) -> None:  # type: ignore[no-untyped-def]
    e = expression()
    assert equivalent(e, e.simplify()).equal is True


@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("(i%2) & (i%2 < 1)", (0, 8), "0"),
        ("(i%2 < 1) & (i%2)", (-3, 4), "0"),
        ("(i%2) & (i%2 < 2)", (0, 8), "i%2"),
        ("((-2 - i*4)%8 >= 4) & (i%2*-7 < -5)", (-3, 1), "0"),
        ("((i + i)%-4*6 >= -3) & (i%2*-12//-4 > 0)", (-3, 4), "0"),
    ],
)
def test_a_condition_counts_beside_the_limits_on_it(text: str, ends: tuple[int, int], expected: str) -> None:
    assert parse(text, {"i": ends}).simplify().render() == expected
