"""Each public name of views and trackers, with the meaning that it is known by, on one example."""

import pytest

from shapetracker import ShapeTracker, Variable, View, get_contraction

I = Variable("i", 1, 4)
MATRIX = View.create((4, 6))
PADDED = ShapeTracker.from_shape((4, 6)).pad(((0, 0), (1, 0)))
TWO_VIEWS = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,))

VIEW = {
    "shape": (MATRIX.shape, (4, 6)),
    "strides": (MATRIX.strides, (6, 1)),
    "offset": (MATRIX.flip(1).offset, 5),
    "mask": (PADDED.views[0].mask, ((0, 4), (1, 7))),
    "contiguous": (MATRIX.contiguous, True),
    "size": (MATRIX.size(), 24),
    "vars": (View.create((I, 4)).vars(), {I}),
    "unbind": (View.create((I.bind(3), 4)).unbind(), (View.create((I, 4)), {I: 3})),
    "minify": (View.create((2, 3, 4)).minify(), View.create((24,))),
    "pad": (MATRIX.pad(((0, 0), (1, 0))), View.create((4, 7), (6, 1), -1, ((0, 4), (1, 7)))),
    "shrink": (MATRIX.shrink(((1, 3), (0, 6))), View.create((2, 6), (6, 1), 6)),
    "expand": (View.create((4, 1)).expand((4, 6)), View.create((4, 6), (1, 0))),
    "permute": (MATRIX.permute((1, 0)), View.create((6, 4), (1, 6))),
    "stride": (View.create((5,)).stride((-2,)), View.create((3,), (-2,), 4)),
    "flip": (MATRIX.flip((0,)), View.create((4, 6), (-6, 1), 18)),
    "reshape": ((MATRIX.reshape((2, 12)), MATRIX.permute((1, 0)).reshape((24,))), (View.create((2, 12)), None)),
    "__add__": (MATRIX + View.create((24,)).flip(0), View.create((24,), (-1,), 23)),
    "invert": (MATRIX.permute((1, 0)).invert((4, 6)), View.create((4, 6), (1, 4))),
}

TRACKER = {
    "views": (len(TWO_VIEWS.views), 2),
    "from_shape": (ShapeTracker.from_shape((4, 6)).views, (MATRIX,)),
    "shape": (PADDED.shape, (4, 7)),
    "size": (PADDED.size, 28),
    "contiguous": (PADDED.contiguous, False),
    "consecutive": (ShapeTracker.from_shape((4, 6)).shrink(((1, 3), (0, 6))).consecutive, True),
    "real_size": (PADDED.real_size(), 24),
    "vars": (ShapeTracker.from_shape((I, 4)).vars(), {I}),
    "var_vals": (ShapeTracker.from_shape((I.bind(3), 4)).var_vals, {I: 3}),
    "unbind": (ShapeTracker.from_shape((I.bind(3),)).unbind(), (ShapeTracker.from_shape((I,)), {I: 3})),
    "real_strides": (PADDED.real_strides(), (6, None)),
    "real_strides, ignore_valid": (PADDED.real_strides(ignore_valid=True), (6, 1)),
    "real_offset": (PADDED.real_offset(), -1),
    "unit_stride_axes": (PADDED.unit_stride_axes(), []),
    "unit_stride_axes, ignore_valid": (PADDED.unit_stride_axes(ignore_valid=True), [1]),
    "axis_is_masked": ([PADDED.axis_is_masked(axis) for axis in (0, 1)], [False, True]),
    "needs_valid": (PADDED.needs_valid(), True),
    "expr_idxs": ([e.render() for e in PADDED.expr_idxs()], ["idx0*6 + idx1 - 1", "idx1 >= 1"]),
    "expr_node": ([e.evaluate({"idx": 8}) for e in PADDED.expr_node()], [6, 1]),
    "simplify": (len(TWO_VIEWS.reshape((6, 4)).simplify().views), 1),
    "__add__": (TWO_VIEWS + ShapeTracker.from_shape((6, 4)), ShapeTracker.from_shape((4, 6)).permute((1, 0))),
    "invert": (ShapeTracker.from_shape((4, 6)).permute((1, 0)).invert((24,)).gather(range(24))[1], 4),
    "pad": (ShapeTracker.from_shape((3,)).pad(((1, 0),)).gather([7, 8, 9], fill=-1).tolist(), [-1, 7, 8, 9]),
    "shrink": (ShapeTracker.from_shape((3,)).shrink(((1, 3),)).gather([7, 8, 9]).tolist(), [8, 9]),
    "expand": (ShapeTracker.from_shape((1,)).expand((3,)).gather([7]).tolist(), [7, 7, 7]),
    "permute": (ShapeTracker.from_shape((1, 2)).permute((1, 0)).gather([7, 8]).tolist(), [[7], [8]]),
    "stride": (ShapeTracker.from_shape((3,)).stride((-2,)).gather([7, 8, 9]).tolist(), [9, 7]),
    "flip": (ShapeTracker.from_shape((3,)).flip((0,)).gather([7, 8, 9]).tolist(), [9, 8, 7]),
    "reshape": (ShapeTracker.from_shape((4,)).reshape((2, 2)).gather([6, 7, 8, 9]).tolist(), [[6, 7], [8, 9]]),
}


@pytest.mark.parametrize("name", VIEW)
def test_view(name):
    found, meant = VIEW[name]
    assert hasattr(View, name)
    assert found == meant


@pytest.mark.parametrize("name", TRACKER)
def test_tracker(name):
    found, meant = TRACKER[name]
    assert hasattr(ShapeTracker, name.partition(",")[0])
    assert found == meant


def test_zero_sizes_give_the_index_zero_and_false():
    assert [e.render() for e in ShapeTracker.from_shape((0, 3)).expr_idxs()] == ["0", "0"]


def test_the_canonical_forms():
    assert View.create((2, 3), mask=((0, 2), (0, 3))).mask is None
    assert View.create((1, 3), (99, 1)).strides == (0, 1)
    assert View.create((4, 3), mask=((2, 3), (0, 3))) == View.create((4, 3), (0, 1), 6, ((2, 3), (0, 3)))
    assert View.create((4, 3), offset=5, mask=((2, 2), (0, 3))) == View.create((4, 3), (0, 0), 0, ((0, 0), (0, 0)))
    assert View.create((4, 0), (7, 7), 7, ((1, 2), (0, 0))) == View.create((4, 0), (0, 0))
    assert View.create((4, 0)).contiguous
    assert View.create((), (), 3, ()).mask is None


def test_get_contraction():
    assert get_contraction((2, 3, 4), (6, 4)) == [[0, 1], [2]]
