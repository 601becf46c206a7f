"""Solutions of the tasks beside notebook 01."""

from shapetracker import ShapeTracker


def thirds(n):
    return ShapeTracker.from_shape((n,)).stride((-3,))


def windows(n, width):
    count = n - width + 1
    copies = ShapeTracker.from_shape((n,)).reshape((1, n)).expand((count + 1, n)).reshape(((count + 1) * n,))
    rows = copies.shrink(((0, count * (n + 1)),)).reshape((count, n + 1))
    return rows.shrink(((0, count), (0, width))).simplify()


def step_and_then_turned(n):
    return ShapeTracker.from_shape((n,)).stride((3,)).flip((0,))


def from_the_front(n):
    return ShapeTracker.from_shape((n,)).stride((3,))


def repeated(n, width):
    count = n - width + 1
    return ShapeTracker.from_shape((n,)).shrink(((0, count),)).reshape((count, 1)).expand((count, width))


def two_views(n, width):
    count = n - width + 1
    copies = ShapeTracker.from_shape((n,)).reshape((1, n)).expand((count + 1, n)).reshape(((count + 1) * n,))
    return copies.shrink(((0, count * (n + 1)),)).reshape((count, n + 1)).shrink(((0, count), (0, width)))


SOLUTIONS = {"thirds": thirds, "windows": windows}

WRONG = [
    ("thirds", from_the_front, "begins at the front"),
    ("thirds", step_and_then_turned, "not at the last of all"),
    ("windows", two_views, "with 2 views; one is enough"),
    ("windows", repeated, "A row repeats one element"),
]
