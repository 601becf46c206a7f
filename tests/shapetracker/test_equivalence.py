"""Verdicts: proven by every point, by a prover, or only sampled, and said so."""

import numpy as np
import pytest

from shapetracker import ShapeTracker, View, equivalence
from shapetracker.equivalence import SideBySide, Verdict, equivalent, side_by_side, sympy_verdict
from shapetracker.errors import ExprError, UndecidedError
from shapetracker.expr import Variable, provers

i, j = Variable("i", 0, 3), Variable("j", 0, 7)
wide = Variable("wide", -(10**9), 10**9)


@pytest.fixture
def no_provers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "available", tuple)


def test_small_boxes_are_tried_at_every_point() -> None:
    verdict = equivalent((i * 8 + j) // 8, i)
    assert verdict == Verdict(True, "exhaustive", None, 32)
    assert bool(verdict)


def test_the_counterexample_is_a_point_where_they_differ() -> None:
    verdict = equivalent((i * 8 + j) // 7, i)
    assert verdict.equal is False
    assert verdict.counterexample == {"i": 0, "j": 7}
    assert not verdict
    assert repr(verdict) == "Verdict(different at i=0, j=7, exhaustive, 32 points)"


def test_the_same_expression_needs_no_points() -> None:
    assert equivalent(wide // 3, wide // 3) == Verdict(True, "identical")


def test_numbers_compare_too() -> None:
    assert equivalent(3, 3).equal
    assert equivalent(i * 0, 1).counterexample == {}


@pytest.mark.usefixtures("no_provers")
def test_a_large_box_is_sampled_and_then_nothing_is_decided() -> None:
    verdict = equivalent((wide * 8 + j) // 8, wide)
    assert (verdict.equal, verdict.method) == (None, "sampled")
    assert verdict.points > 1000
    with pytest.raises(UndecidedError, match=r"no proof; look at \.equal and \.method"):
        bool(verdict)


@pytest.mark.usefixtures("no_provers")
def test_sampling_finds_where_a_digit_carries() -> None:
    verdict = equivalent(wide % 1000, wide % 1000 - (wide * 7).eq(7 * 123_457))
    assert verdict.equal is None  # one point in two thousand millions
    verdict = equivalent(wide // 999 * 999 + wide % 999, wide + (wide % 999).eq(998))
    assert verdict.equal is False
    assert verdict.counterexample is not None
    assert verdict.counterexample["wide"] % 999 == 998


@pytest.mark.usefixtures("no_provers")
def test_sampling_tries_the_numbers_that_are_written() -> None:
    for one_point in (wide.eq(777_777), (wide - 777_777).eq(0), (wide >= 777_777) & (wide < 777_778)):
        verdict = equivalent(j + one_point, j)
        assert verdict.equal is False
        assert verdict.counterexample is not None
        assert verdict.counterexample["wide"] == 777_777


@pytest.mark.usefixtures("no_provers")
def test_sampled_verdicts_are_the_same_in_every_run() -> None:
    a, b = wide % 1000, wide % 1000 - (wide % 1000).eq(555)
    assert equivalent(a, b) == equivalent(a, b)


def test_isl_proves_what_is_affine() -> None:
    pytest.importorskip("islpy")
    assert equivalent((wide * 8 + j) // 8, wide) == Verdict(True, "isl")
    verdict = equivalent((wide * 8 + j) // -8 + (wide < 3), -wide)
    assert verdict.method == "isl"
    assert verdict.equal is False
    assert verdict.counterexample is not None


def test_z3_proves_what_isl_cannot_say() -> None:
    pytest.importorskip("z3")
    size = Variable("size", 1, 10**6)
    assert equivalent(wide * size // size, wide) == Verdict(True, "z3")


@pytest.mark.parametrize("prover", ["isl", "z3"])
def test_provers_agree_with_every_point(prover: str) -> None:
    pytest.importorskip({"isl": "islpy", "z3": "z3"}[prover])
    small = Variable("small", -7, 8)
    forms = [small // d for d in (-3, 2, 4)] + [small % d * 2 for d in (-3, 2, 4)] + [(small < 2) * 3, -(small // -2)]
    for a in forms:
        for b in forms:
            found = provers.search(prover, a, b, (small,))
            assert found.finished
            assert (found.point is None) == bool((equivalence.evaluate_box(a) == equivalence.evaluate_box(b)).all())
            assert found.point is None or a.evaluate(found.point) != b.evaluate(found.point)


def test_one_name_with_two_ranges_cannot_be_compared() -> None:
    with pytest.raises(ExprError, match="two variables are named 'i'"):
        equivalent(i, Variable("i", 0, 4))


def test_views_are_compared_as_functions() -> None:
    flipped = View.create((3, 4), (-4, -1), 11)
    assert equivalent(ShapeTracker.from_shape((12,)).flip((0,)).reshape((3, 4)), flipped).equal
    assert equivalent(flipped, View.create((4, 3))) == Verdict(False, "shape")
    assert equivalent(flipped, View.create((3, 4))).equal is False


def test_trackers_differ_where_one_is_not_valid() -> None:
    padded = ShapeTracker.from_shape((2,)).pad(((1, 1),))
    assert equivalent(padded, ShapeTracker(views=(View.create((4,), (1,), -1, ((1, 2),)),))).equal is False
    assert equivalent(padded, ShapeTracker(views=(View.create((4,), (1,), -1, ((1, 3),)),))).equal


def test_a_view_and_an_expression_cannot_be_compared() -> None:
    with pytest.raises(ExprError, match="a view and an expression have nothing to compare"):
        equivalent(View.create((3,)), i)


def test_sympy_is_wrong_about_its_own_mod() -> None:
    n = Variable("n", 0, 9)
    verdict = sympy_verdict(n % 5 * 2 % 5, n % 5 * 2)
    assert (verdict.opinion, verdict.wrong, verdict.counterexample) == ("equal", True, {"n": 3})


def test_sympy_cannot_tell_without_ranges_and_is_right_on_sums() -> None:
    assert sympy_verdict((i * 8 + j) // 8, i).opinion == "cannot tell"
    assert sympy_verdict((i + j) * 2, 2 * i + 2 * j).opinion == "equal"
    assert sympy_verdict(i + 1, i).opinion == "different"
    assert not sympy_verdict((i < 2) & (j < 3), (j < 3) & (i < 2)).wrong


def test_side_by_side_says_what_each_form_costs() -> None:
    both = side_by_side((i * 8 + j) // 4 % 2, sympy_simplify=True)
    assert isinstance(both, SideBySide)
    assert repr(both.simplified) == "j//4"
    assert (both.operations["built"], both.operations["simplified"], both.operations["sympy"]) == (4, 1, 1)
    assert "sympy simplified" in both.operations
    assert both.verdict.equal
    assert both.round_trip.equal
    assert both.points[0] == ({"i": 0, "j": 0}, 0, 0)
    assert np.all([a == b for _, a, b in both.points])
