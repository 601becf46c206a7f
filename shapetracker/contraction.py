"""Which axes of a shape join to which axes of another."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from shapetracker.movements import check_sizes


def get_contraction(old_shape: Sequence[int], new_shape: Sequence[int]) -> list[list[int]] | None:
    """The axes of the old shape that each axis of the new shape joins; None where a new axis is no such product.

    Old axes of size 1 go to the next axis that needs one, those at the end to the last axis.

    >>> get_contraction((2, 3, 4), (6, 4))
    [[0, 1], [2]]
    >>> get_contraction((2, 3), (1, 6))
    [[], [0, 1]]
    >>> get_contraction((2, 6), (4, 3)) is None
    True
    """
    old, new = (check_sizes("get_contraction", shape) for shape in (old_shape, new_shape))
    return _groups(old, new, 0)


def _groups(old: tuple[int, ...], new: tuple[int, ...], start: int) -> list[list[int]] | None:
    """The groups of the axes from `start` on; each takes as few axes as it can, the last one all that are left."""
    if not new:
        return None if start < len(old) else []
    for stop in range(start if len(new) > 1 else len(old), len(old) + 1):
        if prod(old[start:stop]) == new[0]:
            others = _groups(old, new[1:], stop)
            if others is not None:
                return [list(range(start, stop)), *others]
    return None
