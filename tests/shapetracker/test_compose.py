"""Two and more stacked views: one view exactly when there is one, and the right one."""

import random
from itertools import product

import pytest
from oracles.small_views import index_span, moved_into, random_stack, small_views, stack_of_movements
from oracles.view_oracle import is_one_view, table

from shapetracker import ShapeTracker, View
from shapetracker import components as components_module
from shapetracker.box import Box, contiguous_box
from shapetracker.compose import Answer, by_closed_forms, compose, decide
from shapetracker.stack import take_mask_in
from shapetracker.why import why_not_merge


def check(stack):
    """Whether the stack was found to be one view, after comparing with the loops."""
    values = table(stack)
    found = compose(tuple(view.box for view in stack))
    truth = is_one_view(values)
    assert (found is not None) == truth, stack
    if found is not None:
        view = View.from_box(found)
        assert table([view]) == values, stack
        bounds = view.mask or tuple((0, size) for size in view.shape)
        assert View.create(view.shape, view.strides, view.offset, bounds) == view, "not canonical"
    return truth


def pairs(inners, outers):
    """Each pair, with the outer view at the first and at the last place of the inner one, and in between."""
    for inner, outer in product(inners, outers):
        span = index_span(outer)
        room = 1 if span is None else inner.size() - (span[1] - span[0])
        for place in sorted({0, room // 2, room - 1}):
            if room > 0 and place >= 0:
                moved = moved_into(outer, inner.size(), place)
                if moved is not None:
                    yield inner, moved


def test_every_small_pair_of_two_axes():
    inners = small_views([(2, 2), (2, 3)], (0, 1, 2, 3, -1), offset=8)
    outers = small_views([(), (2,), (3,), (2, 2)], (0, 1, 2, 3, -1))
    outcomes = [check(pair) for pair in pairs(inners[::5], outers)]
    assert len(outcomes) > 3000
    assert 0.4 < sum(outcomes) / len(outcomes) < 0.98


def test_every_small_pair_with_a_longer_axis():
    inners = small_views([(4, 3), (3, 5)], (1, 3), offset=0)
    outers = small_views([(4,), (6,)], (1, 2, 3, -2), offset=0) + small_views([(3, 2)], (1, 3, 4), offset=0)
    outcomes = [check(pair) for pair in pairs(inners[::6], outers[::3])]
    assert len(outcomes) > 2000


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs_with_any_strides(seed):
    rng = random.Random(seed)
    outcomes = [check(random_stack(rng, 2)) for _ in range(800)]
    assert any(outcomes)
    assert not all(outcomes)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_random_stacks_of_movement_operations(seed, depth):
    rng = random.Random(100 * depth + seed)
    outcomes = [check(stack_of_movements(rng, depth)) for _ in range(250)]
    assert any(outcomes)


@pytest.mark.parametrize("depth", [3, 4])
def test_random_deep_stacks_with_any_strides(depth):
    rng = random.Random(depth)
    outcomes = [check(random_stack(rng, depth)) for _ in range(800)]
    assert any(outcomes)


# --- the lemmas, one by one ------------------------------------------------------------------------------------------


def box(shape, strides, offset=0, bounds=None):
    return View.create(shape, strides, offset, bounds).box


def test_one_floor_without_a_carry_is_affine():
    inner = box((4, 6), (1, 4))
    assert compose((inner, box((4, 3), (6, 2)))) == box((4, 3), (1, 8))


def test_one_bent_floor_is_a_proven_no():
    inner = box((4, 6), (1, 4))
    assert by_closed_forms(inner, contiguous_box((24,)))[0] is Answer.NO


def test_two_bent_floors_can_cancel():
    inner = box((10, 9, 4), (140, 11, 13))
    assert decide((inner, box((6,), (9,)))) == box((6,), (35,))


def test_a_mask_can_make_a_floor_affine():
    inner = box((4, 6), (1, 4), 0, ((1, 2), (0, 6)))
    assert compose((inner, contiguous_box((24,)))) == box((24,), (4,), -23, ((6, 12),))


def test_a_mask_that_cuts_a_corner_is_a_proven_no():
    inner = box((3,), (1,), 0, ((0, 2),))
    assert by_closed_forms(inner, box((2, 2), (1, 1)))[0] is Answer.NO


def test_no_valid_point_is_one_view():
    inner = box((3, 4), (4, 1), 0, ((0, 3), (0, 1)))
    assert compose((inner, box((3,), (4,), 1))) == box((3,), (0,), 0, ((0, 0),))


def test_an_empty_part_makes_the_whole_empty_even_where_another_part_is_bent():
    inner = box((2, 3, 3, 2), (1, 7, 1, 1), 0, ((0, 2), (0, 3), (0, 3), (0, 1)))
    outer = box((9, 2), (2, 0), 1)
    assert is_one_view(table([View.from_box(inner), View.from_box(outer)]))
    assert compose((inner, outer)) == box((9, 2), (0, 0), 0, ((0, 0), (0, 0)))


def test_independent_parts_are_decided_apart_so_that_size_does_not_matter():
    huge = 1 << 40
    inner = box((huge, 10, 9, 4), (720, 140, 11, 13))
    outer = box((huge, 6), (360, 9))
    assert compose((inner, outer)) == box((huge, 6), (720, 35))


def test_hard_instance_stays_exact():
    # A subset sum modulo 7 in the masked digit, with the weights 2, 5 and 6.
    inner = box((4, 7, 2, 4), (56, 8, 4, 1), 0, ((0, 4), (3, 4), (0, 2), (0, 1)))
    outer = box((2, 2, 2, 3), (16, 40, 48, 2))
    check([View.from_box(inner), View.from_box(outer)])


def test_beyond_the_limit_the_answer_is_undecided_and_never_no(monkeypatch):
    inner, outer = box((10, 9, 4), (140, 11, 13)), box((6,), (9,))
    monkeypatch.setattr(components_module, "LIMIT", 4)
    decide.cache_clear()
    assert decide((inner, outer)) is Answer.UNDECIDED
    assert compose((inner, outer)) is None
    why = why_not_merge(View.from_box(inner), View.from_box(outer))
    assert why.kind == "undecided"
    assert "is undecided" in str(why)
    decide.cache_clear()


# --- more than pairs -------------------------------------------------------------------------------------------------


def test_three_views_can_be_one_where_no_pair_is():
    stack = [
        View.create((8, 2), (1, 0), 0, ((0, 6), (0, 2))),
        View.create((2, 4), (8, -2), 7),
        View.create((4, 5), (2, 1), -4, ((1, 4), (2, 4))),
    ]
    assert is_one_view(table(stack))
    assert stack[0] + stack[1] is None
    assert stack[1] + stack[2] is None
    (only,) = ShapeTracker(tuple(stack)).simplify().views
    assert table([only]) == table(stack)


@pytest.mark.parametrize("seed", range(3))
def test_no_run_of_views_of_a_simplified_stack_is_one_view(seed):
    rng = random.Random(seed)
    longest = 0
    for _ in range(200):
        stack = random_stack(rng, 4) if rng.random() < 0.5 else stack_of_movements(rng, 4)
        views = ShapeTracker(tuple(stack)).simplify().views
        assert table(views) == table(stack)
        longest = max(longest, len(views))
        for start in range(len(views)):
            for stop in range(start + 2, len(views) + 1):
                assert not is_one_view(table(views[start:stop])), (stack, views)
    assert longest > 2


def test_a_mask_taken_into_the_view_below_lets_the_view_above_merge():
    stack = (
        View.create((1, 1, 2, 4, 2, 4), (0, 0, 2, 8, 1, 4)),
        View.create((1, 1, 9, 9), (0, 0, 8, 1), 0, ((0, 1), (0, 1), (0, 8), (0, 8))),
        View.create((1, 1, 3, 3, 3, 3)),
    )
    simple = ShapeTracker(stack).simplify()
    assert len(simple.views) == 2
    assert table(simple.views) == table(stack)


@pytest.mark.parametrize("seed", range(3))
def test_taking_a_mask_in_keeps_the_function(seed):
    rng = random.Random(seed)
    taken = 0
    for _ in range(2000):
        inner, outer = random_stack(rng, 2) if rng.random() < 0.5 else stack_of_movements(rng, 2)
        found = take_mask_in(inner.box, outer.box)
        if found is not None:
            taken += 1
            views = [View.from_box(part) for part in found]
            assert views[1].mask is None
            ShapeTracker(tuple(views))  # every lookup stays in range
            assert table(views) == table([inner, outer])
    assert taken > 20


def test_box_is_plain_data():
    assert Box((2,), (1,), 0, ((0, 2),)) == contiguous_box((2,))
