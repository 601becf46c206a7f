"""min, max and the congruence hold at every point, and are exact where it is promised."""

from itertools import product

import pytest

from shapetracker.expr import Expr, Max, Min, Variable, evaluate_box
from shapetracker.expr.bounds import find_bounds

i, j, n = Variable("i", 0, 5), Variable("j", -4, 7), Variable("n", 2, 5)


def test_a_product_by_four_is_a_multiple_of_four() -> None:
    assert find_bounds(i * 4)[2:] == (4, 0)
    assert find_bounds(i * 8 + 3) == (3, 43, 8, 3)


def test_congruence_sharpens_the_bounds_of_a_remainder() -> None:
    e = (i * 8 + 3) % 12
    assert (e.min, e.max) == (3, 11)
    assert (i * 6 % -4).min == -2


def test_a_comparison_that_congruence_decides() -> None:
    assert (i * 4).eq(j * 2 + 1).max == 0
    assert (i * 4).ne(6).min == 1


@pytest.mark.parametrize("divisor", [-7, -4, -3, -1, 1, 2, 3, 4, 6, 13])
def test_quotients_of_one_variable_are_bounded_exactly(divisor: int) -> None:
    for e in (j // divisor, (j * 3 - 2) // divisor):
        values = evaluate_box(e)
        assert (e.min, e.max) == (values.min(), values.max())


def _samples() -> list[Expr]:
    parts: list[Expr] = [i, j * 3 - 2, i * 4 + 3, -j]
    found: list[Expr] = []
    for a, b in product(parts, repeat=2):
        found += [a + b, a * b, Min(a, b), Max(a, b), a < b, a.eq(b), a.ne(b), (a < b) & (b >= 2)]
        found += [a // d for d in (-3, 2, 4, n, -n)] + [(a + b) % d for d in (-5, -2, 3, 4, n, -n)]
    return found


def test_bounds_and_congruence_hold_at_every_point() -> None:
    for e in _samples():
        low, high, modulus, residue = find_bounds(e)
        values = evaluate_box(e)
        assert low <= values.min(), e
        assert values.max() <= high, e
        assert ((values % modulus == residue) if modulus else (values == residue)).all(), e
