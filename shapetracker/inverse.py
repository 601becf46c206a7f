"""The view that undoes a view."""

from __future__ import annotations

from shapetracker.box import Box, canonical, index_range, volume


def inverse(box: Box) -> Box | None:
    """From memory indices back to flat positions: at memory index p, the position of the box that reads p.

    The result has one axis for each axis of several valid positions, the longest step first. None unless the valid
    points read 0, 1, … each exactly once. A sum of arithmetic progressions does that exactly when, sorted by their
    steps, the first step is 1 and each next one is the step before times its count: the least index that the
    progressions so far do not reach must be the next step.

    >>> inverse(Box((2, 3), (1, 2), 0, ((0, 2), (0, 3))))
    Box(shape=(3, 2), strides=(1, 3), offset=0, bounds=((0, 3), (0, 2)))
    """
    found = index_range(box)
    if found is None:
        return None
    if found[0] != 0:
        return None
    offset, place = 0, 1
    axes = []
    for size, step, (begin, end) in zip(reversed(box.shape), reversed(box.strides), reversed(box.bounds), strict=True):
        offset += place * (begin if step >= 0 else end - 1)
        if end - begin > 1:
            axes.append((abs(step), end - begin, place if step > 0 else -place))
        place *= size
    axes.sort()
    expected = 1
    for pace, count, _ in axes:
        if pace != expected:
            return None
        expected *= count
    axes.reverse()
    shape = tuple([count for _, count, _ in axes])
    full = tuple([(0, count) for count in shape])
    return canonical(shape, tuple([back for _, _, back in axes]), offset, full)


def reads_each_once(box: Box, size: int) -> bool:
    """Whether the valid points read 0 … size − 1, each exactly once.

    >>> reads_each_once(Box((4,), (-1,), 3, ((0, 4),)), 4)
    True
    """
    return volume(box.bounds) == size and (size == 0 or inverse(box) is not None)
