"""Is a function of a few axes one box? Read row by row, up to the first row that says no."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from shapetracker.box import Bounds
from shapetracker.components import Block


@dataclass(frozen=True, slots=True)
class Fit:
    """A block that is one box: its valid bounds, its value at their first corner, its step along each axis."""

    bounds: Bounds
    first: int
    steps: tuple[int, ...]


class _Refuted(Exception):  # noqa: N818  (it ends the reading, and is no error)
    """A row does not fit to the rows before it."""


def fit(block: Block) -> Fit | bool | None:
    """The box that a block is; False where it is none; None where no point is valid.

    In row-major order the first valid point is the first corner of the box, if there is one; the positions along one
    axis from there come before all others, and give that axis's bounds and its step. So each row after that is
    either as they say, or it proves that there is no box.

    >>> fit(Block((0,), (4,), ([None, 5, 7, 9],)))
    Fit(bounds=((1, 4),), first=5, steps=(2,))
    >>> fit(Block((0,), (4,), ([5, None, 7, 9],)))
    False

    Raises
    ------
    TooLargeError
        Where the block has more than `shapetracker.components.LIMIT` points.
    """
    line = block.line()
    if line is not None:
        return Fit(((0, line.count),), line.first, (line.step,))
    reader: _Reader | None = None
    prefixes = product(*[range(count) for count in block.counts[:-1]])
    try:
        for prefix, row in zip(prefixes, _rows(block), strict=True):
            if reader is not None:
                reader.read(prefix, row)
            elif row.count(None) < len(row):
                reader = _Reader(prefix, row, block.counts)
    except _Refuted:
        return False
    return reader.fit() if reader is not None else None


def _rows(block: Block) -> Iterator[list[int | None]]:
    length = block.counts[-1]
    for chunk in block.chunks():
        for start in range(0, len(chunk), length):
            yield chunk[start : start + length]


class _Reader:
    """The box that the rows so far allow."""

    def __init__(self, prefix: tuple[int, ...], row: list[int | None], counts: tuple[int, ...]) -> None:
        self.corner = prefix
        self.length = len(row)
        self.begin = next(place for place, value in enumerate(row) if value is not None)
        self.end = self.length - next(place for place, value in enumerate(reversed(row)) if value is not None)
        self.first = _number(row[self.begin])
        self.step = 0 if self.end - self.begin == 1 else _number(row[self.begin + 1]) - self.first
        self.steps = [0] * len(prefix)
        self.ends = list(counts[:-1])
        self.expect(row, self.first)

    def read(self, prefix: tuple[int, ...], row: list[int | None]) -> None:
        """Compare one row with what the rows before it say; a row along one axis from the corner says more."""
        away = [position - start for position, start in zip(prefix, self.corner, strict=True)]
        moved = [axis for axis, steps in enumerate(away) if steps]
        if len(moved) == 1 and away[moved[0]] > 0:
            (axis,) = moved
            if row.count(None) == self.length:
                self.ends[axis] = min(self.ends[axis], prefix[axis])
            elif away[axis] == 1:
                self.steps[axis] = _number(row[self.begin]) - self.first
        if all(start <= at < end for start, at, end in zip(self.corner, prefix, self.ends, strict=True)):
            self.expect(row, self.first + sum([step * by for step, by in zip(self.steps, away, strict=True)]))
        elif row.count(None) != self.length:
            raise _Refuted

    def expect(self, row: list[int | None], first: int) -> None:
        """Refuse a row that is not valid in the bounds alone, with the step of the first row."""
        count = self.end - self.begin
        expected = list(range(first, first + self.step * count, self.step)) if self.step else [first] * count
        if row[self.begin : self.end] != expected or row.count(None) != self.length - count:
            raise _Refuted

    def fit(self) -> Fit:
        """The box, after the last row."""
        bounds = (*zip(self.corner, self.ends, strict=True), (self.begin, self.end))
        return Fit(bounds, self.first, (*self.steps, self.step))


def _number(value: int | None) -> int:
    if value is None:
        raise _Refuted
    return value
