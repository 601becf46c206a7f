"""Solutions of notebook 01."""

from shapetracker import ShapeTracker


def turned(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).permute((1, 0)).flip((1,))


def transposed(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).permute((1, 0))


def the_other_way_round(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).permute((1, 0)).flip((0,))


def reshaped(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).reshape((columns, rows))


def from_the_end(n):
    view = ShapeTracker.from_shape((n,)).stride((-3,)).views[0]
    return *view.shape, *view.strides, view.offset


SOLUTIONS = {"address": 15, "turn": turned, "from-the-end": from_the_end}

WRONG = [
    ("address", 20, "the other way round"),
    ("address", 60, "counted bytes"),
    ("address", 11, "the number of rows"),
    ("turn", transposed, "This is the transpose"),
    ("turn", the_other_way_round, "turned the other way round"),
    ("turn", reshaped, "reshape keeps the order along the line"),
    ("turn", ShapeTracker.from_shape((2, 2)), "The shape is (2, 2)"),
]
