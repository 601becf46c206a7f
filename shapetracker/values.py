"""The values of a function along axes: in closed form where it is affine along one axis, else one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """The values ``first + step·position`` along an axis of `count` positions."""

    first: int
    step: int
    count: int


Values = Line | list[int | None]
"""A `Line`, or the values in row-major order with None where invalid."""


def entries(values: Values) -> Sequence[int | None]:
    """The values one by one.

    >>> list(entries(Line(5, 2, 3)))
    [5, 7, 9]
    """
    if isinstance(values, list):
        return values
    if not values.step:
        return [values.first] * values.count
    return range(values.first, values.first + values.step * values.count, values.step)


def first_valid(values: Values) -> int:
    """The first value that is not None.

    >>> first_valid([None, 4, 2])
    4
    """
    if isinstance(values, list):
        return next(value for value in values if value is not None)
    return values.first


def shift(values: Values, by: int) -> Values:
    """Each value plus a number.

    >>> shift([None, 4], 2)
    [None, 6]
    """
    if isinstance(values, list):
        return [None if value is None else value + by for value in values]
    return Line(values.first + by, values.step, values.count)


def scale(values: Values, by: int) -> Values:
    """Each value times a number.

    >>> scale(Line(1, 2, 3), 5)
    Line(first=5, step=10, count=3)
    """
    if isinstance(values, list):
        return [None if value is None else value * by for value in values]
    return Line(values.first * by, values.step * by, values.count)


def add(one: Values, other: Values) -> Values:
    """Two values each added; None where either is.

    >>> add(Line(0, 1, 3), [5, None, 5])
    [5, None, 7]
    """
    if isinstance(one, list) or isinstance(other, list):
        pairs = zip(entries(one), entries(other), strict=True)
        return [None if a is None or b is None else a + b for a, b in pairs]
    return Line(one.first + other.first, one.step + other.step, one.count)


def extremes(values: Values) -> tuple[int, int]:
    """The least and the greatest valid value.

    >>> extremes([3, None, 8])
    (3, 8)
    """
    if isinstance(values, list):
        valid = [value for value in values if value is not None]
        return min(valid), max(valid)
    last = values.first + values.step * (values.count - 1)
    return min(values.first, last), max(values.first, last)


def constant(values: Values) -> bool:
    """Whether all valid values are equal.

    >>> constant([3, None, 3])
    True
    """
    low, high = extremes(values)
    return low == high


def outer_sum(parts: list[Values]) -> list[int | None]:
    """The sums of one value of each part, in row-major order.

    >>> outer_sum([Line(0, 10, 2), [1, None]])
    [1, None, 11, None]
    """
    total: list[int | None] = [0]
    for part in parts:
        own = entries(part)
        total = [None if a is None or b is None else a + b for a in total for b in own]
    return total


def hide_invalid(values: Values, pattern: Values) -> Values:
    """The values, None where the pattern is None.

    >>> hide_invalid(Line(0, 1, 3), [9, None, 9])
    [0, None, 2]
    """
    if not isinstance(pattern, list) or None not in pattern:
        return values
    pairs = zip(entries(values), pattern, strict=True)
    return [None if other is None else value for value, other in pairs]
