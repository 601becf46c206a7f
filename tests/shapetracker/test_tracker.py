"""Stacks of views: the movement operations as numpy does them, index expressions, and exact questions."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.small_views import random_stack, small_views, stack_of_movements
from oracles.view_oracle import depends_on_axis, fixed_step, table
from strategies import movement_chains

from shapetracker import ShapeTracker, View, components, queries
from shapetracker.errors import ViewError
from shapetracker.expr import Variable

FILL = -1


def apply_to_array(array, chain):
    """A chain of operations, as numpy does it."""
    for name, argument in chain:
        if name == "reshape":
            array = array.reshape(argument)
        elif name == "permute":
            array = array.transpose(argument)
        elif name == "flip":
            array = np.flip(array, argument)
        elif name == "shrink":
            array = array[tuple(slice(begin, end) for begin, end in argument)]
        elif name == "stride":
            array = array[tuple(slice(None, None, step) for step in argument)]
        elif name == "pad":
            array = np.pad(array, argument, constant_values=FILL) if argument else array
        else:
            array = np.broadcast_to(array, argument)
    return array


def apply_to_tracker(tracker, chain):
    for name, argument in chain:
        tracker = getattr(tracker, name)(argument)
    return tracker


@given(movement_chains())
@settings(max_examples=300, deadline=None)
def test_chains_agree_with_numpy(case):
    shape, chain = case
    memory = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    expected = apply_to_array(memory, chain)
    tracker = apply_to_tracker(ShapeTracker.from_shape(shape), chain)
    assert tracker.shape == expected.shape
    for form in (tracker, tracker.simplify()):
        assert (form.gather(memory, fill=FILL) == expected).all()
        assert form.size == expected.size


@given(movement_chains())
@settings(max_examples=100, deadline=None)
def test_expressions_say_what_gather_does(case):
    shape, chain = case
    memory = np.arange(np.prod(shape, dtype=int))
    tracker = apply_to_tracker(ShapeTracker.from_shape(shape), chain)
    expected = tracker.gather(memory, fill=FILL)
    if not expected.size:
        return
    grid = np.indices(tracker.shape)
    index, valid = tracker.expr_idxs()
    at = {f"idx{axis}": grid[axis] for axis in range(len(tracker.shape))}
    found = np.where(valid.evaluate(at), index.evaluate(at), FILL)
    assert (np.broadcast_to(found, expected.shape) == expected).all()
    flat, flat_valid = tracker.expr_node()
    at = {"idx": np.arange(expected.size)}
    found = np.where(flat_valid.evaluate(at), flat.evaluate(at), FILL)
    assert (np.broadcast_to(found, expected.size) == expected.reshape(-1)).all()


@given(movement_chains())
@settings(max_examples=100, deadline=None)
def test_merge_view_zero_keeps_every_reshape_as_a_view(case):
    shape, chain = case
    memory = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MERGE_VIEW", "0")
        tracker = apply_to_tracker(ShapeTracker.from_shape(shape), chain)
        assert len(tracker.views) == 1 + sum(name == "reshape" for name, _ in chain)
    assert (tracker.gather(memory, fill=FILL) == apply_to_array(memory, chain)).all()


# --- stacks ----------------------------------------------------------------------------------------------------------


def test_a_reshape_that_needs_a_second_view_gets_one():
    tracker = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,))
    assert len(tracker.views) == 2
    assert (tracker.gather(np.arange(24)) == np.arange(24).reshape(4, 6).T.reshape(-1)).all()


def test_views_come_innermost_first():
    inner, outer = View.create((2, 3)).permute((1, 0)), View.create((6,))
    tracker = ShapeTracker(views=(inner, outer))
    assert tracker.shape == (6,)
    assert tracker.gather(np.arange(6)).tolist() == [0, 3, 1, 4, 2, 5]


def test_trackers_are_immutable_and_hashable():
    tracker = ShapeTracker.from_shape((4, 6))
    assert {tracker: 1}[ShapeTracker.from_shape((4, 6))] == 1
    with pytest.raises(AttributeError):
        tracker.views = ()


def test_sum_looks_the_right_tracker_up_in_the_left_one():
    flipped = ShapeTracker.from_shape((6,)).flip(0)
    assert flipped + flipped == ShapeTracker.from_shape((6,))


def test_tracker_without_views_is_an_error():
    with pytest.raises(ViewError, match="ShapeTracker: give at least one view"):
        ShapeTracker(())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ShapeTracker(4), "ShapeTracker: 4 is no tuple of views; ShapeTracker.from_shape takes a shape"),
        (lambda: ShapeTracker(views=(3,)), "ShapeTracker: 3 is no view; ShapeTracker.from_shape takes a shape"),
        (lambda: ShapeTracker.from_shape(5), "View.create: 5 is no shape; write (5,)"),
        (lambda: ShapeTracker.from_shape((4, 6)).reshape(24), "reshape: 24 is no shape; write (24,)"),
        (lambda: ShapeTracker.from_shape((4,)).expr_idxs(3), "expr_idxs: 3 is no tuple of indices; write (3,)"),
        (lambda: ShapeTracker.from_shape((4,)).axis_is_masked("a"), "axis_is_masked by ('a',): integers are expected"),
    ],
)
def test_what_is_no_shape_and_no_view_is_an_error_that_says_what_to_write(call, message):
    with pytest.raises(ViewError) as caught:
        call()
    assert str(caught.value) == message


def test_view_that_reads_outside_of_the_one_below_is_an_error():
    with pytest.raises(ViewError, match="reads the elements 0 … 3 of a view of shape \\(3,\\), which has 3 elements"):
        ShapeTracker((View.create((3,)), View.create((4,))))


def test_wrong_number_of_indices_is_an_error():
    with pytest.raises(ViewError, match="expr_idxs \\(2, 3\\): 1 indices for 2 axes"):
        ShapeTracker.from_shape((2, 3)).expr_idxs([0])


def test_axis_out_of_range_is_an_error():
    with pytest.raises(ViewError, match="axis_is_masked 2: shape \\(2, 3\\) has the axes 0 … 1"):
        ShapeTracker.from_shape((2, 3)).axis_is_masked(2)


# --- index expressions -----------------------------------------------------------------------------------------------


def test_expressions_are_what_a_learner_expects():
    index, valid = ShapeTracker.from_shape((4, 6)).permute((1, 0)).expr_idxs()
    assert (index.render(), valid.render()) == ("idx0 + idx1*6", "1")
    index, valid = ShapeTracker.from_shape((4,)).pad(((1, 2),)).expr_idxs()
    assert (index.render(), valid.render()) == ("idx0 - 1", "(idx0 >= 1) & (idx0 < 5)")


def test_given_indices_are_used():
    i, j = Variable("i", 0, 3), Variable("j", 0, 5)
    assert ShapeTracker.from_shape((4, 6)).expr_idxs([i, j])[0].render() == "i*6 + j"
    assert ShapeTracker.from_shape((4, 6)).expr_idxs([i, 2])[0].simplify().render() == "i*6 + 2"


def test_axes_of_size_one_are_the_constant_zero():
    index, _ = ShapeTracker.from_shape((1, 5, 1)).expr_idxs()
    assert index.render() == "idx1"


def test_zero_sizes_read_nothing():
    tracker = ShapeTracker.from_shape((3,)).pad(((2, 1),)).reshape((2, 3)).shrink(((0, 0), (0, 3)))
    for form in (tracker, tracker.simplify()):
        assert [part.render() for part in form.expr_idxs()] == ["0", "0"]
        assert [part.render() for part in form.expr_node()] == ["0", "0"]
        assert form.gather(np.arange(3)).shape == (0, 3)


def test_nothing_valid_reads_nothing():
    tracker = ShapeTracker((View.create((4, 6), mask=((0, 0), (0, 6))),))
    assert [part.render() for part in tracker.expr_idxs()] == ["0", "0"]


def test_an_index_beyond_32_bits_is_exact():
    tracker = ShapeTracker((View.create((4096, 1024, 599, 1), (613376, 599, 1, 0)),))
    assert tracker.real_size() == 4096 * 1024 * 599 == tracker.expr_idxs()[0].max + 1
    with pytest.raises(ViewError, match=r"2512388095 does not fit into a signed index of 32 bits.*use 64"):
        tracker.check_index_bits(32)
    tracker.check_index_bits(64)


# --- what broke other implementations --------------------------------------------------------------------------------


def test_pad_reshape_and_back_is_the_identity():
    padded = ShapeTracker.from_shape((2, 5, 5)).pad(((2, 0), (0, 0), (0, 0)))
    back = padded.reshape((2, 2, 5, 5)).reshape((4, 5, 5)).shrink(((2, 4), (0, 5), (0, 5)))
    assert back == ShapeTracker.from_shape((2, 5, 5))


def test_real_size_counts_only_what_is_read():
    tracker = ShapeTracker.from_shape((100,)).pad(((0, 50),)).reshape((15, 10)).permute((1, 0)).reshape((150,))
    assert tracker.real_size() == 100


def test_large_masked_reshape_stays_two_views():
    view = View.create((2, 1920, 32, 32), (1310720, 1024, 32, 1), 0, ((0, 2), (0, 1280), (0, 32), (0, 32)))
    tracker = ShapeTracker((view,)).reshape((2, 32, 240, 256)).simplify()
    assert len(tracker.views) == 2
    assert tracker.real_size() == 1310720 + 1280 * 1024


# --- questions against plain loops -----------------------------------------------------------------------------------

STACKS = [[view] for view in small_views([(), (3,), (2, 2), (2, 3), (1, 3)], (-2, 0, 1, 3), offset=6)]
_rng = random.Random(11)
STACKS += [random_stack(_rng, depth) for depth in (2, 2, 2, 3) for _ in range(150)]
STACKS += [stack_of_movements(_rng, depth) for depth in (2, 3) for _ in range(100)]


@pytest.fixture(scope="module")
def tables():
    return [(ShapeTracker(tuple(stack)), table(stack)) for stack in STACKS]


def test_real_strides(tables):
    for tracker, values in tables:
        axes = range(len(tracker.shape))
        steps = [fixed_step(values, axis) for axis in axes]
        assert tracker.real_strides(ignore_valid=True) == tuple(steps), tracker
        masked = [depends_on_axis(values, axis) for axis in axes]
        expected = tuple(None if hidden else step for step, hidden in zip(steps, masked, strict=True))
        assert tracker.real_strides() == expected, tracker
        assert tracker.unit_stride_axes() == [axis for axis in axes if expected[axis] == 1]
        assert tracker.unit_stride_axes(ignore_valid=True) == [axis for axis in axes if steps[axis] == 1]


def test_axis_is_masked(tables):
    for tracker, values in tables:
        for axis in range(len(tracker.shape)):
            assert tracker.axis_is_masked(axis) == depends_on_axis(values, axis), tracker


def test_needs_valid(tables):
    for tracker, values in tables:
        assert tracker.needs_valid() == (None in values.values()), tracker


def test_real_size(tables):
    for tracker, values in tables:
        assert tracker.real_size() == max((index + 1 for index in values.values() if index is not None), default=0)


def test_a_long_stack_without_a_mask_needs_none_and_an_expanded_axis_has_stride_zero():
    rows, columns = 1033, 1031
    size = rows * columns
    flat = ShapeTracker.from_shape((rows, columns)).permute((1, 0)).reshape((size,))
    assert (flat.needs_valid(), flat.axis_is_masked(0), flat.real_size()) == (False, False, size)
    repeated = flat.reshape((size, 1)).expand((size, 3))
    assert repeated.real_strides() == (None, 0)
    assert not repeated.axis_is_masked(0)
    assert not repeated.axis_is_masked(1)
    padded = flat.pad(((0, 1),)).reshape((size + 1, 1)).expand((size + 1, 3))
    assert padded.needs_valid()
    assert [padded.axis_is_masked(axis) for axis in (0, 1)] == [True, False]


def test_where_few_points_are_looked_at_the_answer_promises_less_and_never_more(tables, monkeypatch):
    monkeypatch.setattr(components, "LIMIT", 2)
    queries._blocks.cache_clear()
    undecided = 0
    try:
        for tracker, values in tables:
            boxes = tuple(view.box for view in tracker.views)
            reads = [index for index in values.values() if index is not None]
            greatest = queries.greatest_index(boxes)
            assert not reads if greatest is None else greatest >= max(reads, default=greatest)
            assert queries.some_invalid(boxes) or None not in values.values()
            assert not (queries.nothing_valid(boxes) and reads)
            steps, masked = queries.fixed_strides(boxes), queries.masked_axes(boxes)
            for axis in range(len(tracker.shape)):
                assert steps[axis] in (None, fixed_step(values, axis)), tracker
                assert masked[axis] or not depends_on_axis(values, axis), tracker
                undecided += masked[axis] != depends_on_axis(values, axis)
    finally:
        queries._blocks.cache_clear()
    assert undecided


def test_real_offset_is_the_index_at_the_origin(tables):
    for tracker, values in tables:
        origin = (0,) * len(tracker.shape)
        if values.get(origin) is not None:
            assert tracker.real_offset() == values[origin], tracker
    assert ShapeTracker.from_shape((4,)).pad(((3, 0),)).real_offset() == -3


def test_contiguous_and_consecutive(tables):
    for tracker, values in tables:
        indices = list(values.values())
        assert tracker.contiguous == (indices == list(range(len(indices)))), tracker
        start = indices[0] if indices and indices[0] is not None else 0
        assert tracker.consecutive == (indices == [start + k for k in range(len(indices))]), tracker


def test_invert(tables):
    found = 0
    for tracker, values in tables:
        read = sorted(index for index in values.values() if index is not None)
        back = tracker.invert((len(read),))
        if read != list(range(len(read))):
            assert back is None
        else:
            found += 1
            positions = [position for position, index in enumerate(values.values()) if index is not None]
            by_index = {index: position for position, index in enumerate(values.values()) if index is not None}
            assert table(back.views) == {(index,): position for index, position in by_index.items()}
            assert back.size == len(positions)
    assert found > 10


@given(st.permutations(range(3)), st.tuples(*[st.integers(1, 4)] * 3))
@settings(max_examples=50, deadline=None)
def test_inverse_of_a_permuted_reshape_undoes_it(order, shape):
    tracker = ShapeTracker.from_shape(shape).permute(order).reshape((tracker_size := int(np.prod(shape)),)).flip(0)
    assert (tracker + tracker.invert((tracker_size,))).contiguous


@pytest.mark.parametrize("seed", range(3))
def test_a_stack_inverts_exactly_where_it_reads_each_index_once(seed):
    rng = random.Random(seed)
    several = 0
    for _ in range(2500):
        stack = random_stack(rng, 2) if rng.random() < 0.7 else stack_of_movements(rng, 2)
        tracker, values = ShapeTracker(tuple(stack)), list(table(stack).values())
        read = {index: position for position, index in enumerate(values) if index is not None}
        once = sorted(index for index in values if index is not None) == list(range(len(read)))
        back = tracker.invert((len(read),))
        assert (back is not None) == once, stack
        if back is not None:
            several += len(tracker.simplify().views) > 1
            assert table(back.views) == {(index,): position for index, position in read.items()}
    assert several > 10


def test_a_rotation_inverts_although_its_inner_view_reads_each_element_twice():
    twice = ShapeTracker.from_shape((1, 5)).expand((2, 5)).reshape((10,))
    rotated = twice.shrink(((2, 7),))
    assert rotated.gather(range(5)).tolist() == [2, 3, 4, 0, 1]
    back = rotated.invert((5,))
    assert back.gather(range(5)).tolist() == [3, 4, 0, 1, 2]
    assert (rotated + back).contiguous


def test_an_element_that_is_read_twice_has_no_inverse():
    tracker = ShapeTracker.from_shape((1, 5)).expand((2, 5)).reshape((10,)).shrink(((2, 8),))
    assert tracker.invert((5,)) is None
    assert tracker.invert((6,)) is None


@pytest.mark.parametrize("bits", [0, -1])
def test_an_index_has_at_least_one_bit(bits):
    with pytest.raises(ViewError, match="a signed index has at least 1 bit"):
        ShapeTracker.from_shape((4,)).check_index_bits(bits)


def test_the_bits_that_an_index_takes_are_named():
    for size, bits, enough in ((129, 8, 16), (1 << 20, 16, 32), (1 << 80, 32, 128)):
        with pytest.raises(ViewError, match=f"use {enough} bits"):
            ShapeTracker.from_shape((size,)).check_index_bits(bits)
    with pytest.raises(ViewError, match=r"check_index_bits by .*integers are expected"):
        ShapeTracker.from_shape((4,)).check_index_bits(2.5)


def test_what_is_no_chain_is_an_error():
    with pytest.raises(ViewError, match="from_text: 5 is no text"):
        ShapeTracker.from_text(5)
    with pytest.raises(ViewError, match="apply: 5 is no chain of operations"):
        ShapeTracker.from_shape((4,)).apply(5)
    with pytest.raises(ViewError, match="apply: 'flip 0' is no operation; write the chain as text"):
        ShapeTracker.from_shape((4,)).apply(["flip 0"])


def test_bind_asks_for_a_mapping():
    with pytest.raises(ViewError, match="bind: 3 gives no variable a value"):
        ShapeTracker.from_shape((Variable("i", 1, 4),)).bind(3)
