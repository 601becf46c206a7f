"""Views of arrays, and arrays through views."""

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.small_views import small_views
from strategies import movement_chains

from shapetracker import ShapeTracker, View
from shapetracker.errors import ViewError

MEMORY = np.arange(60)


@pytest.mark.parametrize(
    "array",
    [
        MEMORY.reshape(3, 4, 5),
        MEMORY.reshape(3, 4, 5)[::-1, 1:, ::2],
        MEMORY.reshape(3, 4, 5).transpose(2, 0, 1),
        MEMORY[7:9],
        MEMORY[7],
        MEMORY[:0],
        np.broadcast_to(MEMORY.reshape(60, 1), (60, 3)),
        MEMORY.reshape(3, 4, 5)[:, ::-2, None],
    ],
    ids=str,
)
def test_view_of_an_array_reads_what_the_array_holds(array):
    view = View.from_array(array)
    assert view.shape == np.shape(array)
    assert (ShapeTracker((view,)).gather(MEMORY) == array).all() or not isinstance(array, np.ndarray)


def test_view_of_a_transposed_owner():
    owner = np.asfortranarray(np.arange(6).reshape(2, 3))
    assert View.from_array(owner.copy(order="F")).strides == (1, 2)


def test_objects_with_an_array_interface_are_read():
    class Wrapped:
        __array_interface__ = MEMORY.reshape(6, 10)[1:, ::3].__array_interface__

    view = View.from_array(Wrapped())
    assert (view.shape, view.strides) == ((5, 4), (10, 3))


def test_dlpack_objects_are_read():
    class Capsule:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    view = View.from_array(Capsule(MEMORY.reshape(6, 10)[1:, ::3]))
    assert (view.shape, view.strides) == ((5, 4), (10, 3))


def test_something_without_memory_is_an_error():
    with pytest.raises(ViewError, match="a list is no numpy array and has neither __array_interface__ nor __dlpack__"):
        View.from_array([1, 2])


def test_strides_that_are_no_whole_elements_are_an_error():
    array = np.zeros(4, dtype=[("a", "i4"), ("b", "i1")])["a"]
    with pytest.raises(ViewError, match=r"strides \(5,\) in bytes are no multiples of the item size 4"):
        View.from_array(array)


def test_as_array_shares_the_memory_and_is_read_only():
    memory = np.arange(24)
    array = ShapeTracker.from_shape((4, 6)).permute((1, 0)).flip(0).as_array(memory)
    assert np.shares_memory(array, memory)
    assert not array.flags.writeable
    assert (array == memory.reshape(4, 6).T[::-1]).all()


@given(movement_chains())
@settings(max_examples=100, deadline=None)
def test_as_array_is_gather_without_a_copy(case):
    shape, chain = case
    tracker = ShapeTracker.from_shape(shape)
    for name, argument in chain:
        tracker = getattr(tracker, name)(argument)
    memory = np.arange(np.prod(shape, dtype=int))
    views = tracker.simplify().views
    if len(views) == 1 and views[0].mask is None:
        assert (tracker.as_array(memory) == tracker.gather(memory)).all()
    else:
        with pytest.raises(ViewError):
            tracker.as_array(memory)


def test_as_array_with_a_mask_is_an_error():
    with pytest.raises(ViewError, match="has a mask, and numpy's strides cannot leave points out; use gather"):
        ShapeTracker.from_shape((4,)).pad(((1, 0),)).as_array(np.arange(4))


def test_as_array_of_two_views_is_an_error():
    with pytest.raises(ViewError, match="is more than one view, which numpy's strides cannot express; use gather"):
        ShapeTracker.from_shape((2, 3)).permute((1, 0)).reshape((6,)).as_array(np.arange(6))


def test_memory_that_is_too_small_is_an_error():
    with pytest.raises(ViewError, match="gather: the view reads the indices 0 … 23, and the memory has 20 elements"):
        ShapeTracker.from_shape((4, 6)).gather(np.arange(20))
    with pytest.raises(ViewError, match="as_array: the view reads the indices 0 … 23, and the memory has 20 elements"):
        ShapeTracker.from_shape((4, 6)).as_array(np.arange(20))


def test_gather_keeps_the_type_and_fills():
    found = ShapeTracker.from_shape((2,)).pad(((1, 1),)).gather(np.array([1.5, 2.5], dtype=np.float16), fill=9)
    assert found.dtype == np.float16
    assert found.tolist() == [9, 1.5, 2.5, 9]


def test_scatter_undoes_gather():
    for view in small_views([(2, 3), (4,)], (0, 1, 2, 3), offset=0):
        tracker = ShapeTracker((view,))
        memory = np.arange(tracker.real_size()) + 100
        into = np.zeros_like(memory)
        tracker.scatter(tracker.gather(memory), into)
        read = np.zeros(memory.shape, dtype=bool)
        read[[index for index in tracker.gather(np.arange(memory.size), fill=-1).ravel() if index >= 0]] = True
        assert (into == np.where(read, memory, 0)).all()


def test_the_last_value_scattered_to_an_element_stays():
    assert ShapeTracker.from_shape((1,)).expand((3,)).scatter([1, 2, 3], np.zeros(1, dtype=int)).tolist() == [3]


def test_scatter_into_more_than_one_axis_is_an_error():
    with pytest.raises(ViewError, match="scatter: the memory to write into must be a one-dimensional numpy array"):
        ShapeTracker.from_shape((4,)).scatter([1, 2, 3, 4], np.zeros((2, 2)))


def test_scatter_asks_for_a_value_for_each_point_and_for_an_array():
    tracker = ShapeTracker.from_shape((4, 6))
    with pytest.raises(ViewError, match=r"scatter \(4, 6\): values of shape \(5,\) are not one for each point"):
        tracker.scatter([1, 2, 3, 4, 5], np.zeros(24))
    with pytest.raises(ViewError, match="one-dimensional numpy array"):
        tracker.scatter(np.ones((4, 6)), [0] * 24)


def test_more_points_than_an_array_holds_are_an_error():
    with pytest.raises(ViewError, match="has 1208925819614629174706176 points, more than an array can hold"):
        ShapeTracker.from_shape((1 << 40, 1 << 40)).gather(np.arange(4))


@pytest.mark.parametrize(("strides", "offset"), [((1 << 62,), 0), ((1 << 70,), 0), ((1,), 1 << 64), ((-(1 << 62),), 0)])
def test_an_index_beyond_64_bits_does_not_wrap_around(strides, offset):
    with pytest.raises(ViewError, match="reads indices that 64 bits cannot hold"):
        ShapeTracker((View.create((5,), strides, offset),)).gather(np.arange(24))
