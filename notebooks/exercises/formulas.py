"""Answers that are an index formula: text such as ``"i // 4 * 6 + i % 4"``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from exercises.exercise import Exercise, Judgement, kind_of
from exercises.pictures import Array, arranged, number, table
from shapetracker import parse
from shapetracker.errors import ShapeTrackerError
from shapetracker.expr import Expr

MOST_POINTS = 4096


@dataclass(frozen=True, slots=True)
class Formula:
    """An index formula over variables with ranges; as text, as an expression, or as a function of the variables.

    `wanted` and each mistake's `gives` take the variables as arrays, by name, and the inputs, and give the values.

    Attributes
    ----------
    variables
        From the inputs to the range of each variable, both ends included; the first stands, the second lies.
    most_operations
        How many operations the formula may have; None: any number.
    """

    variables: Callable[..., Mapping[str, tuple[int, int]]]
    most_operations: int | None = None

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Compare at every point."""
        inputs = exercise.drawn(seed)
        ranges = self.variables(**inputs)
        points = _points(ranges)
        wanted = _as_values(exercise.wanted(**points, **inputs), points)
        try:
            expression = _read(answer, ranges)
            given = _as_values(expression(points), points)
        except ShapeTrackerError as error:
            return Judgement(False, f"It cannot be read: {error}")
        except ZeroDivisionError:
            return Judgement(False, "The formula divides by zero at some point.")
        wrong = given != wanted
        if not wrong.any():
            return self._right(answer, ranges, wanted)
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        at = ", ".join(f"{name} = {number(points[name][first])}" for name in ranges)
        where = f"First at {at}: {number(given[first])}, and {number(wanted[first])} is wanted."
        why = next(
            (
                mistake.says
                for mistake in exercise.mistakes
                if mistake.gives is not None
                and np.array_equal(given, _as_values(mistake.gives(**points, **inputs), points))
            ),
            f"It is wrong at {int(wrong.sum())} of {wrong.size} points.",
        )
        names = list(ranges)
        axes = f"{names[0]} →" if len(names) == 1 else f"{names[0]} ↓, {names[-1]} →"
        grids = [table("yours", given, caption=axes, wrong=wrong, group=2), table("wanted", wanted, group=7)]
        return Judgement(False, f"{why} {where}", (arranged(grids),))

    def _right(self, answer: Any, ranges: Mapping[str, tuple[int, int]], wanted: Array) -> Judgement:
        picture = (table("yours", wanted, group=7),)
        expression = parse(answer, ranges) if isinstance(answer, str) else answer
        if self.most_operations is None or not isinstance(expression, Expr):
            return Judgement(True, f"It is right at each of {wanted.size} points.", picture)
        count = expression.operations()
        if count > self.most_operations:
            words = f"It is right, but it takes {count} operations; {self.most_operations} are enough."
            return Judgement(False, words, picture)
        return Judgement(True, f"It is right at each of {wanted.size} points, with {count} operations.", picture)


def _points(ranges: Mapping[str, tuple[int, int]]) -> dict[str, Array]:
    axes = np.meshgrid(*(np.arange(low, high + 1) for low, high in ranges.values()), indexing="ij")
    if axes and axes[0].size > MOST_POINTS:
        raise ValueError(f"{axes[0].size} points; at most {MOST_POINTS}")
    return dict(zip(ranges, axes, strict=True))


def _as_values(found: Any, points: Mapping[str, Array]) -> Array:
    shape = next(iter(points.values())).shape
    return np.broadcast_to(np.asarray(found).astype(np.int64), shape)


def _read(answer: Any, ranges: Mapping[str, tuple[int, int]]) -> Callable[[Mapping[str, Array]], Any]:
    """The answer as a function of the points."""
    if isinstance(answer, str):
        return parse(answer, ranges).evaluate
    if isinstance(answer, Expr):
        return answer.evaluate
    if callable(answer):
        return lambda points: answer(**points)
    raise ShapeTrackerError(f"{kind_of(answer)} was given; a text is asked for, such as {_example(ranges)!r}")


def _example(ranges: Mapping[str, tuple[int, int]]) -> str:
    return f"{next(iter(ranges))} * 2"
