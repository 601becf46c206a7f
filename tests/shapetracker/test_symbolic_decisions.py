"""Symbolic sums and reshapes are one view exactly where the plain ones are, in every binding."""

import random
from itertools import product

import pytest

from shapetracker import ShapeTracker, Variable, View
from shapetracker.errors import UndecidedError, ViewError
from shapetracker.symbolic_fit import BINDINGS, each_binding, fit_view, in_steps, solve

I = Variable("i", 1, 4)
J = Variable("j", 0, 3)
N = Variable("n", 1, 4096)
M = Variable("m", 0, 4095)


def moved(rng, view):
    """The view after a few movement operations, of which some arguments are expressions."""
    for _ in range(rng.randint(0, 3)):
        rank = len(view.shape)
        name = rng.choice(["permute", "flip", "pad", "pad", "shrink", "stride", "expand"])
        if name == "permute":
            argument = tuple(rng.sample(range(rank), rank))
        elif name == "flip":
            argument = tuple(axis for axis in range(rank) if rng.random() < 0.5)
        elif name == "pad":
            argument = tuple((rng.choice([0, 0, 1, 2, J, I]), rng.choice([0, 0, 1, J])) for _ in range(rank))
        elif name == "shrink":
            cuts = [
                (lambda s: (0, s)),
                (lambda s: (1, s)),
                (lambda s: (0, s - 1)),
                (lambda s: (J, s)),
                (lambda _: (J, J + 1)),
            ]
            argument = tuple(rng.choice([cuts[0], *cuts])(size) for size in view.shape)
        elif name == "stride":
            argument = tuple(rng.choice([1, 1, 2, -1, 3]) for _ in range(rank))
        else:
            argument = tuple(rng.choice([2, 3, I]) if size == 1 else size for size in view.shape)
        try:
            view = getattr(view, name)(argument)
        except ViewError:  # it never fits
            continue
    return view


def regrouped(rng, shape):
    """A shape with as many elements: axes joined, split, moved, of size 1."""
    sizes = list(shape)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(sizes) + 1)
        if place + 1 < len(sizes) and rng.random() < 0.6:
            sizes[place : place + 2] = [sizes[place] * sizes[place + 1]]
        elif place < len(sizes) and isinstance(sizes[place], int) and sizes[place] % 2 == 0:
            sizes[place : place + 1] = [2, sizes[place] // 2]
        elif rng.random() < 0.3:
            rng.shuffle(sizes)
        else:
            sizes.insert(place, 1)
    return tuple(sizes)


def plain(part, values):
    """A view or a shape with the variables' values in their places; an error where a guard does not hold."""
    if isinstance(part, View):
        return part.bind(values)
    return tuple(size if isinstance(size, int) else size.evaluate(values) for size in part)


def look_up(one, other):
    return one + other if isinstance(other, View) else one.reshape(other)


def outcomes(one, other):
    """(values, plain result) of each binding of i and j in which the arguments fit."""
    for values in product(range(I.min, I.max + 1), range(J.min, J.max + 1)):
        at = dict(zip(("i", "j"), values, strict=True))
        try:
            yield at, look_up(plain(one, at), plain(other, at))
        except ViewError:
            continue


@pytest.mark.parametrize("seed", range(3))
def test_one_view_is_found_exactly_where_each_binding_has_one(seed):
    rng = random.Random(seed)
    yes = no = 0
    while yes < 60 or no < 15:
        sizes = (1, 2, 3, 4, I, I, I + 1, I * 2, J + 1)
        one = moved(rng, View.create(tuple(rng.choice(sizes) for _ in range(rng.randint(1, 3)))))
        other = regrouped(rng, one.shape)
        if rng.random() < 0.7:
            other = moved(rng, View.create(rng.choice([one.shape, (one.size(),), other])))
        try:
            found = look_up(one, other)
        except ViewError:  # it never fits
            continue
        expected = list(outcomes(one, other))
        assert (found is not None) == all(view is not None for _, view in expected), (one, other)
        yes += found is not None
        no += found is None
        for at, view in expected if found is not None else ():
            assert found.bind(at) == view, (one, other, at)


LARGE = [
    (View.create((4, N)).permute((1, 0)).pad(((1, 2), (0, 0))), (N + 3, 2, 2)),
    (View.create((N, 4)).pad(((0, 0), (1, 1))), View.create((N, 6)).shrink(((0, N), (0, 3)))),
    (View.create((N, 4)).pad(((M, 0), (0, 0))), View.create((N + M, 4)).flip(0)),
    (View.create((N, 4)).permute((1, 0)).pad(((0, 0), (M, 1))), View.create((4, N + M + 1)).flip((0, 1))),
    (View.create((N, 6)).pad(((0, 0), (2, 0))), View.create((N, 8)).stride((1, 3))),
    (View.create((N, 6)).pad(((2, 0), (0, 0))), View.create((N + 2, 6)).stride((2, 1))),
    (View.create((N, M + 1)).permute((1, 0)).pad(((1, 0), (0, 0))), View.create((M + 2, N, 1)).expand((M + 2, N, 3))),
    (View.create((8,)).pad(((2, 2),)), View.create((N,), (0,), M)),
    (View.create((4, M + 2)).shrink(((0, 4), (1, M + 1))), View.create((4, M)).flip(1)),  # there may be no column
    (View.create((N, M)).permute((1, 0)).pad(((1, 0), (0, 1))), (M + 1, 1, N + 1)),
    (View.create((N, 3)).permute((1, 0)).shrink(((M, 3), (0, N))), View.create((3 - M, N)).flip(0)),
]


@pytest.mark.parametrize(("one", "other"), LARGE)
def test_masks_are_looked_up_in_closed_form_for_any_number_of_bindings(one, other):
    found = look_up(one, other)
    assert found is not None
    checked = 0
    for n, m in product((1, 2, 3, 5, 8, 4096), (0, 1, 2, 7, 11, 4095)):
        at = {"n": n, "m": m}
        try:
            expected = look_up(plain(one, at), plain(other, at))
        except ViewError:
            with pytest.raises(ViewError, match="guard"):
                found.bind(at)
        else:
            checked += 1
            assert found.bind(at) == expected, at
    assert checked


def test_with_more_bindings_than_are_tried_a_view_may_stay_apart():
    inner = View.create((N, 4, N)).permute((2, 0, 1))
    outer = View.create((N, N, 4)).flip(0).pad(((M, 0), (0, 0), (0, 0))).stride((2, 1, 1)).flip(0)
    assert (N.max - N.min + 1) * (M.max - M.min + 1) > BINDINGS
    assert inner + outer is None
    assert inner.bind({N: 9}) + outer.bind({N: 9, M: 4}) is not None


def test_three_views_can_be_one_where_no_pair_is():
    stack = (
        View.create((I + 7, 2), (1, 0), J, ((0, 6), (0, 2))),
        View.create((2, 4), (8, -2), 7),
        View.create((4, 5), (2, 1), -4, ((1, 4), (2, 4))),
    )
    assert stack[0] + stack[1] is None
    assert stack[1] + stack[2] is None
    (only,) = ShapeTracker(stack).simplify().views
    for i, j in product((1, 2, 4), (0, 3)):
        assert (only.bind({I: i, J: j}),) == ShapeTracker(stack).bind({I: i, J: j}).simplify().views


def test_conditions_that_are_no_comparisons_are_left_aside():
    inner = View.create((I + 2, 2)).permute((1, 0)).pad(((0, 0), (J, 0)))
    outer = View.create((2, I + J + 2)).flip(0).shrink(((0, 2), (J, J + 1))).stride((1, 3)).pad(((0, 0), (J, J)))
    both = inner + outer
    for at, expected in outcomes(inner, outer):
        assert both.bind(at) == expected


def test_guards_leave_fewer_bindings_to_try():
    few = M < 3
    assert len(each_binding([M], lambda at: View.create((at["m"] + 1,)), [few])) == 3
    assert each_binding([M], lambda at: View.create((at["m"] + 1,))) is None


def test_a_value_that_no_sum_of_products_gives_changes_in_steps():
    inner = View.create((3, I * 2, 2)).permute((0, 2, 1)).flip(0)
    outer = View.create((1,), (1,), J)
    found = inner + outer
    for at, expected in outcomes(inner, outer):
        assert found.bind(at) == expected


def test_values_that_are_bound_stay_bound():
    inner = View.create((4, I.bind(3))).permute((1, 0)).pad(((0, 0), (1, 0)))
    outer = View.create((I.bind(3), 5)).flip(0).shrink(((0, 1), (0, 5)))
    both = inner + outer
    assert both.unbind()[1] == {I: 3}
    assert both.bind() == inner.bind() + outer.bind()
    with pytest.raises(ViewError, match="i is bound to 2 and to 3"):
        (inner + View.create((I.bind(2), 5)).flip(0)).unbind()


def test_a_view_that_is_empty_in_every_binding_is_one_view():
    nothing = View.create((1, I * 2 + 2), (0, 1), -1, ((1, 1), (1, I * 2 + 1)))
    found = nothing.reshape((I * 2 + 2, 1))
    assert [found.bind({I: i}) for i in (1, 4)] == [View.create((k, 1), mask=((0, 0), (0, 0))) for k in (4, 10)]


def test_a_binding_without_a_single_view_is_a_no():
    assert View.create((I, 4)).permute((1, 0)).reshape((I * 4,)) is None  # one view where i is 1 alone


def test_whole_numbers_are_asked_for():
    assert solve([((2,), 4)]) == [2]
    assert solve([((2,), 3)]) is None
    assert solve([]) == []


def test_steps_that_would_be_long_are_none():
    wide = Variable("w", 0, 999)
    assert in_steps([({"w": w}, w * w % 7) for w in range(1000)], [wide]) is None
    assert in_steps([({"w": w}, 3) for w in range(1000)], [wide]) == 3


def test_views_that_no_expression_gives_stay_apart():
    wide = Variable("w", 0, 999)
    samples = each_binding([wide], lambda at: View.create((2,), (at["w"] ** 5 % 97 + 1,)))
    assert fit_view(((0, 2),), [wide], samples) is None


def test_undecided_comparisons_still_raise():
    with pytest.raises(UndecidedError):
        View.create((I, 3)).expand((5, 3))
