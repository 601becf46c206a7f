"""Solutions of the tasks beside notebook 01."""

from shapetracker import ShapeTracker


def thirds(n):
    return ShapeTracker.from_shape((n,)).stride((-3,))


def windows(n, width):
    count = n - width + 1
    copies = ShapeTracker.from_shape((n,)).reshape((1, n)).expand((count + 1, n)).reshape(((count + 1) * n,))
    rows = copies.shrink(((0, count * (n + 1)),)).reshape((count, n + 1))
    return rows.shrink(((0, count), (0, width))).simplify()


SOLUTIONS = {"thirds": thirds, "windows": windows}
