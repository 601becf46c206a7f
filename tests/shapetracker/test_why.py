"""The evidence that views do not merge, checked against plain loops."""

import random

import pytest
from oracles.small_views import random_stack, stack_of_movements
from oracles.view_oracle import is_one_view, points_of, read, table

from shapetracker import Variable, View
from shapetracker.errors import ViewError
from shapetracker.why import why_not_merge
from shapetracker.witness import Hole, Steps


def prove(why, stack):
    """Check the evidence with nothing but lookups."""
    evidence = why.evidence
    if isinstance(evidence, Hole):
        assert read(stack, evidence.point) is None
        for axis, position in enumerate(evidence.point):
            assert min(point[axis] for point in evidence.around) <= position
            assert max(point[axis] for point in evidence.around) >= position
        assert all(read(stack, point) is not None for point in evidence.around)
        assert str(evidence.point) in str(why)
    elif isinstance(evidence, Steps):
        steps = []
        for point in (evidence.one, evidence.other):
            after = tuple(p + (axis == evidence.axis) for axis, p in enumerate(point))
            steps.append(read(stack, after) - read(stack, point))
        assert steps == [evidence.one_step, evidence.other_step]
        assert steps[0] != steps[1]
        assert f"a step of {steps[0]}" in str(why)
    else:
        assert why.kind == "scalar"
        assert table(stack) == {(): None}


@pytest.mark.parametrize("seed", range(4))
def test_each_no_comes_with_evidence_that_holds(seed):
    rng = random.Random(seed)
    kinds = set()
    for _ in range(400):
        stack = random_stack(rng, 2) if rng.random() < 0.6 else stack_of_movements(rng, 2)
        why = why_not_merge(*stack)
        assert (why is None) == is_one_view(table(stack))
        if why is not None:
            kinds.add(why.kind)
            prove(why, stack)
    assert {"hole", "steps"} <= kinds


def test_evidence_on_a_shape_too_large_to_look_at_each_point():
    view = View.create((3000, 4000)).permute((1, 0))
    why = view.why_not_reshape((12_000_000,))
    assert why.kind == "steps"
    prove(why, (view, View.create((12_000_000,))))
    padded = View.create((3000, 4000)).pad(((0, 0), (1, 1)))
    why = padded.why_not_reshape((3000 * 4002,))
    assert why.kind == "hole"
    prove(why, (padded, View.create((3000 * 4002,))))


def test_large_real_reshape_that_must_stay_two_views():
    view = View.create((2, 1920, 32, 32), (1310720, 1024, 32, 1), 0, ((0, 2), (0, 1280), (0, 32), (0, 32)))
    assert view.reshape((2, 32, 240, 256)) is None
    why = view.why_not_reshape((2, 32, 240, 256))
    prove(why, (view, View.create((2, 32, 240, 256))))


def test_no_evidence_where_one_view_expresses_it():
    view = View.create((4, 6))
    assert all(view.why_not_reshape(shape) is None for shape in ((24,), (2, 12), (4, 1, 6)))


def test_text_is_one_paragraph_in_the_coordinates_that_were_asked_for():
    text = str(View.create((2, 3)).permute((1, 0)).why_not_reshape((6,)))
    assert text == (
        "reshape (3, 2) to (6,) is not one view: the steps of axis 0 differ. From (0,) to (1,) the memory index goes "
        "from 0 to 3, a step of 3; from (1,) to (2,) it goes from 3 to 1, a step of -2."
    )


def test_index_of_a_point():
    why = View.create((2, 3)).permute((1, 0)).why_not_reshape((6,))
    assert [why.index(point) for point in points_of((6,))] == [0, 3, 1, 4, 2, 5]


def test_why_asks_for_views_that_hold_numbers():
    with pytest.raises(ViewError, match=r"why_not_merge: 3 is no view; View.create makes one"):
        why_not_merge(View.create((3,)), 3)
    i = Variable("i", 1, 4)
    with pytest.raises(
        ViewError, match=r"why_not_reshape: View\(shape=\(i, 4\).* depends on variables; bind them first"
    ):
        View.create((i, 4)).why_not_reshape((2, 2))
    with pytest.raises(ViewError, match=r"why_not_merge: View\(shape=\(i,\).* depends on variables; bind them first"):
        why_not_merge(View.create((4, 6)), View.create((i,)))
