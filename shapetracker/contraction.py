"""Which axes of a shape join to which axes of another."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod


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
    groups: list[list[int]] = []
    place = 0
    for size in new_shape:
        group: list[int] = []
        while prod(old_shape[axis] for axis in group) != size and place < len(old_shape):
            group.append(place)
            place += 1
        groups.append(group)
    if groups:
        groups[-1].extend(range(place, len(old_shape)))
    elif prod(old_shape) == 1:
        return [] if not old_shape else None
    fits = all(prod(old_shape[axis] for axis in group) == size for group, size in zip(groups, new_shape, strict=True))
    return groups if fits and prod(old_shape) == prod(new_shape) else None
