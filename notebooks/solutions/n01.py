"""Solutions of notebook 01."""

from shapetracker import ShapeTracker


def turned(rows, columns):
    return ShapeTracker.from_shape((rows, columns)).permute((1, 0)).flip((1,))


def from_the_end(n):
    view = ShapeTracker.from_shape((n,)).stride((-3,)).views[0]
    return *view.shape, *view.strides, view.offset


SOLUTIONS = {"address": 15, "turn": turned, "from-the-end": from_the_end}
