"""One view: its canonical form, the movement operations, and the errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.small_views import masks, small_views
from oracles.view_oracle import is_one_view, points_of, table

from shapetracker import Variable, View
from shapetracker.errors import ViewError

SHAPES = [(), (1,), (2,), (3,), (4,), (1, 2), (2, 2), (2, 3), (3, 2), (2, 1)]
SMALL = small_views(SHAPES, (-3, -1, 0, 1, 2, 3), offset=5)
THREE_AXES = small_views([(2, 2, 2), (2, 1, 3), (1, 2, 2), (2, 3, 2)], (-1, 0, 2, 4), offset=9)


def as_map(view):
    return table([view])


# --- the canonical form ----------------------------------------------------------------------------------------------


def test_default_strides_are_row_major():
    assert View.create((2, 3, 4)).strides == (12, 4, 1)
    assert View.create((2, 3, 4)).contiguous


def test_mask_that_covers_all_is_none():
    assert View.create((2, 3), mask=((0, 2), (0, 3))).mask is None


def test_stride_of_an_axis_of_size_one_is_zero():
    assert View.create((1, 3), strides=(17, 1)) == View.create((1, 3))


def test_axis_with_one_valid_index_folds_into_the_offset():
    view = View.create((4, 3), strides=(3, 1), offset=2, mask=((2, 3), (0, 3)))
    assert (view.strides, view.offset, view.mask) == ((0, 1), 8, ((2, 3), (0, 3)))


def test_view_with_nothing_valid_has_one_form():
    view = View.create((4, 3), strides=(3, 1), offset=7, mask=((2, 2), (0, 3)))
    assert (view.strides, view.offset, view.mask, view.contiguous) == ((0, 0), 0, ((0, 0), (0, 0)), False)


def test_view_with_a_zero_size_has_one_form():
    view = View.create((4, 0), strides=(3, 1), offset=7, mask=((0, 2), (0, 0)))
    assert (view.strides, view.offset, view.mask, view.contiguous) == ((0, 0), 0, None, True)


def test_scalar_view_is_always_valid():
    view = View.create((), offset=3, mask=())
    assert (view.mask, view.offset, view.size()) == (None, 3, 1)


def test_equal_views_are_the_same_function_and_the_other_way_round():
    forms = {}
    for shape in SHAPES:
        for strides in ((-1, 0), (0, 1), (1, 2), (2, 1), (3, 1), (2, 2)):
            for mask in masks(shape):
                for offset in (0, 3):
                    view = View.create(shape, strides[: len(shape)], offset, mask)
                    plain = View(shape, strides[: len(shape)], offset, mask or None, False)
                    assert as_map(view) == as_map(plain)
                    key = (shape, tuple(as_map(plain).values()))
                    assert forms.setdefault(key, view) == view
                    assert hash(forms[key]) == hash(view)
    assert len(forms) == len(set(forms.values()))


def test_views_are_frozen():
    with pytest.raises(AttributeError):
        View.create((2,)).offset = 1


def test_repr_is_one_line():
    assert repr(View.create((2, 3)).pad(((0, 0), (1, 0)))) == (
        "View(shape=(2, 4), strides=(3, 1), offset=-1, mask=((0, 2), (1, 4)))"
    )


# --- movement operations against plain loops -------------------------------------------------------------------------


def values(view):
    """The view as an array of memory indices, −1000 where invalid."""
    flat = [-1000 if index is None else index for index in as_map(view).values()]
    return np.array(flat, dtype=int).reshape(view.shape)


@pytest.mark.parametrize("widths", [(0, 0), (1, 0), (0, 2), (2, 1)])
def test_pad_adds_invalid_positions(widths):
    for view in SMALL:
        if view.shape:
            expected = np.pad(values(view), [widths] * len(view.shape), constant_values=-1000)
            assert (values(view.pad([widths] * len(view.shape))) == expected).all()


def test_shrink_keeps_a_part():
    for view in SMALL[::3]:
        for cuts in points_of(tuple(len(view.shape) and size * (size + 1) // 2 + 1 for size in view.shape)):
            spans = [
                [(b, e) for b in range(n + 1) for e in range(max(b, 1), n + 1)][c]
                for c, n in zip(cuts, view.shape, strict=True)
            ]
            expected = values(view)[tuple(slice(b, e) for b, e in spans)]
            assert (values(view.shrink(spans)) == expected).all()


@pytest.mark.parametrize("step", [1, 2, 3, 5, -1, -2, -3, -5])
def test_stride_keeps_every_mth_from_the_end_when_negative(step):
    for view in SMALL + THREE_AXES[::7]:
        expected = values(view)[(slice(None, None, step),) * len(view.shape)]
        assert (values(view.stride([step] * len(view.shape))) == expected).all()


def test_flip_reverses():
    for view in SMALL:
        for axis in range(len(view.shape)):
            assert (values(view.flip(axis)) == np.flip(values(view), axis)).all()
        assert (values(view.flip(range(len(view.shape)))) == np.flip(values(view))).all()


def test_permute_reorders():
    for view in SMALL + THREE_AXES:
        order = tuple(reversed(range(len(view.shape))))
        assert (values(view.permute(order)) == values(view).transpose(order)).all()
    for view in THREE_AXES:
        assert (values(view.permute((1, 2, 0))) == values(view).transpose((1, 2, 0))).all()


def test_expand_repeats_axes_of_size_one():
    for view in SMALL + THREE_AXES:
        sizes = tuple(3 if size == 1 else size for size in view.shape)
        assert (values(view.expand(sizes)) == np.broadcast_to(values(view), sizes)).all()


def test_reshape_is_found_exactly_when_one_view_expresses_it():
    shapes = {1: [(), (1,), (1, 1)], 2: [(2,), (1, 2)], 3: [(3,), (3, 1)], 4: [(4,), (2, 2), (2, 1, 2)]}
    shapes |= {6: [(6,), (2, 3), (3, 2), (3, 1, 2)], 8: [(8,), (4, 2), (2, 4)], 12: [(12,), (3, 4), (6, 2), (2, 6)]}
    for view in SMALL[::2] + THREE_AXES[::2]:
        for shape in shapes[view.size()]:
            wanted = dict(zip(points_of(shape), as_map(view).values(), strict=True))
            found = view.reshape(shape)
            assert (found is not None) == is_one_view(wanted), (view, shape)
            assert found is None or as_map(found) == wanted, (view, shape)


# --- what broke other implementations --------------------------------------------------------------------------------


def test_mask_and_zero_strides_through_a_reshape():
    view = View.create((2, 3), strides=(0, 0), mask=((1, 2), (0, 2)))
    flat = [index is not None for index in as_map(view).values()]
    assert flat == [False, False, False, True, True, False]
    assert view.reshape((3, 2)) is None


def test_mask_of_one_row_through_a_reshape():
    view = View.create((3, 4), strides=(4, 1), mask=((2, 3), (0, 3)))
    assert view.reshape((4, 3)) is None  # valid at (2, 2), (3, 0) and (3, 1): no box
    assert view.reshape((12,)) == View.create((12,), mask=((8, 11),))


def test_reshape_of_a_view_made_by_hand_with_an_empty_mask():
    by_hand = View((1, 5), (5, 1), -5, ((1, 1), (0, 5)), False)
    for view in (by_hand, View.create((1, 5), (5, 1), -5, ((1, 1), (0, 5)))):
        assert view.reshape((5,)) == View.create((5,), mask=((0, 0),))


def test_offset_stays_when_only_ones_are_reshaped():
    view = View.create((1, 1, 1, 1), offset=91, mask=((0, 1),) * 4)
    assert view.reshape((1, 1)) == View.create((1, 1), offset=91)
    assert view.reshape(()) == View.create((), offset=91)


def test_zero_size_expands_along_other_axes():
    assert View.create((0, 1)).expand((0, 4)).shape == (0, 4)


def test_zero_size_reshape_keeps_a_zero():
    assert View.create((0, 3)).reshape((2, 0, 5)) == View.create((2, 0, 5))
    with pytest.raises(ViewError, match="0 elements cannot become 3"):
        View.create((0, 3)).reshape((3,))


def test_flip_then_stride_is_the_same_view_as_any_other_way_to_the_same_function():
    for base in [View.create((3, 4, 6), (-20, 5, -1), offset=44), *SMALL]:
        axes = range(len(base.shape))
        for m in (1, 2, 3):
            strided = [m] * len(axes)
            assert base.flip(axes).stride(strided) == base.stride([-m] * len(axes))
            one, other = base.flip(axes).stride(strided), base.stride(strided).flip(axes)
            assert (one == other) == (as_map(one) == as_map(other))


def test_expand_of_an_axis_with_nothing_valid_has_nothing_valid():
    view = View.create((1, 3), mask=((0, 0), (0, 3)))
    assert view.expand((4, 3)) == View.create((4, 3), mask=((0, 0), (0, 0)))


@pytest.mark.parametrize("before", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("step", [2, 3, 4, -2, -3, -4])
def test_pad_then_stride_where_one_does_not_divide_the_other(before, step):
    view = View.create((7,)).pad(((before, 2),))
    assert (values(view.stride((step,))) == values(view)[::step]).all()


def test_mask_under_a_negative_stride_is_counted_from_the_end():
    view = View.create((9,), mask=((2, 6),)).stride((-2,))
    assert view.mask == ((2, 4),)  # (9 − 6, 9 − 2) is (3, 7), then ⌈3/2⌉ and ⌈7/2⌉


def test_scalar_cannot_be_invalid_so_that_reshape_is_none():
    assert View.create((1, 1), mask=((0, 0), (0, 1))).reshape(()) is None
    assert str(View.create((1,), mask=((0, 0),)).why_not_reshape(())).endswith("a view of shape () is always valid.")


# --- minify and invert -----------------------------------------------------------------------------------------------


def test_minify_is_the_same_flat_function_with_no_axis_left_to_merge():
    for view in SMALL + THREE_AXES:
        small = view.minify()
        assert list(as_map(small).values()) == list(as_map(view).values())
        for axis in range(len(small.shape) - 1):
            merged = (*small.shape[:axis], small.shape[axis] * small.shape[axis + 1], *small.shape[axis + 2 :])
            assert small.reshape(merged) is None, (view, small)


def test_invert_is_found_exactly_for_the_views_that_read_each_index_once():
    found = 0
    for view in small_views([(4,), (3, 2), (2, 3), (2, 2, 2)], (-4, -3, -2, -1, 0, 1, 2, 3, 4)):
        for offset in (0, 1, 2, 3, 4, 5):
            moved = View.create(view.shape, view.strides, view.offset + offset, view.mask)
            indices = list(as_map(moved).values())
            read = sorted(index for index in indices if index is not None)
            size = len(read)
            back = moved.invert((size,))
            if read != list(range(size)):
                assert back is None
                continue
            wanted = {(index,): position for position, index in enumerate(indices) if index is not None}
            assert (back is not None) == is_one_view(wanted)
            if back is not None:
                assert as_map(back) == wanted
                found += size > 1
    assert found > 50


def test_a_pad_inverts_to_a_shrink():
    padded = View.create((2, 3)).pad(((1, 1), (0, 2)))
    assert padded.invert((2, 3)) == View.create((4, 5)).shrink(((1, 3), (0, 3)))


def test_what_reads_an_index_twice_has_no_inverse():
    assert View.create((1, 3)).expand((2, 3)).invert((3,)) is None
    assert View.create((3,)).invert((2,)) is None


# --- errors ----------------------------------------------------------------------------------------------------------

SYMBOLIC = View.create((Variable("i", 1, 4), 4))
MESSAGES = [
    (lambda v: v.reshape((4, 2)), r"reshape (2, 3) to (4, 2): 6 elements cannot become 8"),
    (lambda v: v.reshape((-1,)), r"reshape: size -1 of axis 0 in shape (-1,) is negative; give each size in full"),
    (lambda v: v.reshape((2.0, 3)), r"reshape: 2.0 is no integer and no expression of integers"),
    (lambda v: v.permute((0, 0)), r"permute (2, 3) by (0, 0): each of the axes 0 … 1 must appear exactly once"),
    (lambda v: View.create(()).permute((0,)), r"permute () by (0,): a view of shape () has no axis"),
    (
        lambda v: v.pad(((0, 0), (-1, 0))),
        r"pad (2, 3) by ((0, 0), (-1, 0)): axis 1 gets (-1, 0), and a width cannot be negative; use shrink to cut",
    ),
    (lambda v: v.pad(((0, 0),)), r"pad (2, 3) by ((0, 0),): 1 entries for 2 axes; give one for each"),
    (
        lambda v: v.shrink(((0, 2), (1, 4))),
        r"shrink (2, 3) to ((0, 2), (1, 4)): axis 1 has size 3, and (begin, end) must keep 0 <= begin <= end <= 3",
    ),
    (
        lambda v: v.expand((4, 3)),
        r"expand (2, 3) to (4, 3): axis 0 has size 2, and only an axis of size 1 can be expanded",
    ),
    (lambda v: v.expand((2, 3, 1)), r"expand (2, 3) by (2, 3, 1): 3 entries for 2 axes; give one for each"),
    (lambda v: v.stride((1, 0)), r"stride (2, 3) by (1, 0): axis 1 has step 0, and a step must not be 0"),
    (lambda v: v.stride((1,)), r"stride (2, 3) by (1,): 1 entries for 2 axes; give one for each"),
    (lambda v: v.stride((1, 0.5)), r"stride by (1, 0.5): integers are expected"),
    (lambda v: v.pad(((0, 0), (0.5, 0))), r"pad: 0.5 is no integer and no expression of integers"),
    (lambda v: v.flip((2,)), r"flip (2, 3) along (2,): each axis must be one of 0 … 1, once at most"),
    (lambda v: v.flip((0, 0)), r"flip (2, 3) along (0, 0): each axis must be one of 0 … 1, once at most"),
    (
        lambda v: View.create((2, -3)),
        r"View.create: size -3 of axis 1 in shape (2, -3) is negative; give each size in full",
    ),
    (lambda v: View.create((2, 3), (1,)), r"View.create: 1 strides (1,) for the 2 axes of shape (2, 3)"),
    (
        lambda v: View.create((2, 3), mask=((0, 2), (0, 4))),
        r"View.create: mask (0, 4) lies outside of axis 1, which has size 3",
    ),
    (lambda v: View.create((2, 3), mask=((0, 2),)), r"View.create: a mask of 1 axes ((0, 2),) for shape (2, 3)"),
    (lambda v: v.reshape(6), "reshape: 6 is no shape; write (6,)"),
    (lambda v: v.reshape("6"), "reshape: '6' is no shape; write one integer for each axis, as (1, 0)"),
    (lambda v: v.expand(Variable("i", 1, 4)), "expand: i is no shape; write (i,)"),
    (lambda v: v.permute(None), "permute: None is no tuple of axes; write one integer for each axis, as (1, 0)"),
    (lambda v: v.flip(None), "flip: None is no tuple of axes; write one integer for each axis, as (1, 0)"),
    (lambda v: v.stride(2), "stride: 2 is no tuple of steps; write (2,)"),
    (lambda v: v.pad((1, 1)), "pad: 1 is no pair; write one pair of integers for each axis, as ((0, 1), (0, 2))"),
    (
        lambda v: v.pad(((1, 1, 1), (0, 0))),
        "pad: (1, 1, 1) is no pair; write one pair of integers for each axis, as ((0, 1), (0, 2))",
    ),
    (
        lambda v: v.shrink(3),
        "shrink: 3 is no tuple of pairs; write one pair of integers for each axis, as ((0, 1), (0, 2))",
    ),
    (lambda v: v.invert(6), "invert: 6 is no shape; write (6,)"),
    (lambda v: View.create(5), "View.create: 5 is no shape; write (5,)"),
    (lambda v: View.create((2,), 3), "View.create: 3 is no tuple of strides; write (3,)"),
    (
        lambda v: View.create((2,), mask=(1,)),
        "View.create, mask: 1 is no pair; write one pair of integers for each axis, as ((0, 1), (0, 2))",
    ),
    (
        lambda v: View.create((2,), mask=((0, 1, 2),)),
        "View.create, mask: (0, 1, 2) is no pair; write one pair of integers for each axis, as ((0, 1), (0, 2))",
    ),
    (lambda v: SYMBOLIC.reshape(6), "reshape: 6 is no shape; write (6,)"),
    (lambda v: SYMBOLIC.permute(None), "permute: None is no tuple of axes; write one integer for each axis, as (1, 0)"),
    (lambda v: SYMBOLIC.stride(2), "stride: 2 is no tuple of steps; write (2,)"),
    (
        lambda v: SYMBOLIC.pad((1, 1)),
        "pad: 1 is no pair; write one pair of integers for each axis, as ((0, 1), (0, 2))",
    ),
    (
        lambda v: View.from_array(np.zeros(3, "V0")),
        "View.from_array: items of dtype |V0 have 0 bytes, so nothing counts in elements",
    ),
    (
        lambda v: v + View.create((4,), (2,)),
        r"view View(shape=(4,), strides=(2,), offset=0) reads the elements 0 … 6 of a view of shape (2, 3), "
        r"which has 6 elements",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message[:40] for _, message in MESSAGES])
def test_a_wrong_call_says_what_was_given_and_what_was_expected(call, message):
    with pytest.raises(ViewError) as caught:
        call(View.create((2, 3)))
    assert str(caught.value) == message


def test_view_error_is_a_value_error():
    with pytest.raises(ValueError, match="cannot become"):
        View.create((2,)).reshape((3,))


# --- laws ------------------------------------------------------------------------------------------------------------


@given(st.permutations(range(4)), st.tuples(*[st.integers(1, 5)] * 4))
@settings(max_examples=50)
def test_permuting_back_is_the_identity(order, shape):
    view = View.create(shape)
    back = tuple(order.index(axis) for axis in range(4))
    assert view.permute(order).permute(back) == view


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=3),
    st.tuples(*[st.integers(1, 4)] * 3),
)
@settings(max_examples=50)
def test_shrinking_a_pad_away_is_the_identity(widths, shape):
    view = View.create(shape)
    cuts = [(before, before + size) for (before, _), size in zip(widths, shape, strict=True)]
    assert view.pad(widths).shrink(cuts) == view


@pytest.mark.parametrize("widths", [np.array(24), 5, "ab", None])
def test_what_is_no_tuple_of_pairs_is_an_error(widths):
    for call in (View.create((4, 6)).pad, View.create((4, 6)).shrink):
        with pytest.raises(ViewError, match="is no tuple of pairs; write one pair of integers for each axis"):
            call(widths)


def test_an_offset_that_is_an_array_is_an_error():
    with pytest.raises(ViewError, match=r"array\(\[2, 3\]\) is no integer and no expression"):
        View.create((4, 6), offset=np.array([2, 3]))


def test_integers_of_numpy_and_truth_values_become_integers_of_python():
    made = View.create((np.int8(4), True), (np.int64(2), True), np.uint8(3), ((False, np.int16(2)), (0, True)))
    assert repr(made) == "View(shape=(4, 1), strides=(2, 0), offset=3, mask=((0, 2), (0, 1)))"
    parts = [*made.shape, *made.strides, made.offset, *(x for pair in made.mask for x in pair)]
    assert all(isinstance(part, int) for part in parts)
