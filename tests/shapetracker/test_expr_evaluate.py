"""Values at a point, at many points, over the box; substitution."""

import numpy as np
import pytest

from shapetracker.errors import ExprError
from shapetracker.expr import Max, Min, Variable, evaluate_box

i, j = Variable("i", 0, 3), Variable("j", -4, 7)


def test_values_are_exact_integers() -> None:
    assert ((i * 10**30 + j) // 7).evaluate({"i": 3, "j": -1}) == (3 * 10**30 - 1) // 7
    assert type((i < 3).evaluate({"i": 1})) is int


def test_arrays_broadcast() -> None:
    a, b = np.arange(4)[:, None], np.arange(-4, 8)
    e = (i * 12 + j) // 5 % 3 + Min(i, j) - Max(i, 2) + ((i < 2) & (j >= 1)) * 7
    expected = (a * 12 + b) // 5 % 3 + np.minimum(a, b) - np.maximum(a, 2) + ((a < 2) & (b >= 1)) * 7
    assert (e.evaluate({"i": a, "j": b}) == expected).all()
    assert (evaluate_box(e) == expected).all()


def test_wide_values_stay_exact_in_arrays() -> None:
    e = i * 2**62 * 4 // 3
    assert e.evaluate({"i": np.arange(4)}).tolist() == [k * 2**64 // 3 for k in range(4)]
    assert evaluate_box(e).tolist() == [k * 2**64 // 3 for k in range(4)]


def test_the_box_has_one_axis_a_variable_as_asked() -> None:
    assert evaluate_box(i + j).shape == (4, 12)
    assert evaluate_box(i + 1, (j, i)).shape == (12, 4)
    with pytest.raises(ExprError, match="no axis for j"):
        evaluate_box(i + j, (i,))


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"no value for Variable\('j', -4, 7\)"):
        (i + j).evaluate({"i": 1})


def test_a_value_outside_the_range_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"i = 4 lies outside 0\.\.3"):
        i.evaluate({"i": 4})
    with pytest.raises(ExprError, match=r"i holds 0\.\.4, which is not inside 0\.\.3"):
        i.evaluate({"i": np.arange(5)})


def test_a_value_that_is_no_integer_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"i = 1\.5: an integer"):
        i.evaluate({"i": 1.5})
    with pytest.raises(ExprError, match="array of float64: integers were expected"):
        i.evaluate({"i": np.zeros(3)})


def test_substitution_keeps_what_was_written() -> None:
    assert repr((i * 8 + j).substitute({i: 2})) == "16 + j"
    assert repr((i * 8 + j).substitute({i: j % 4, j: i})) == "j%4*8 + i"


def test_substituting_outside_the_range_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"substitute i by j: -4\.\.7 is not inside 0\.\.3, the range of i"):
        (i + 1).substitute({i: j})


def test_only_variables_are_substituted() -> None:
    with pytest.raises(ExprError, match="substitute i \\+ 1: only a variable has a place"):
        (i + 1).substitute({i + 1: 2})  # type: ignore[dict-item]
