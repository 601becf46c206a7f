"""Answers that are a number, or several in a tuple or a list: predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from exercises.exercise import Exercise, Inputs, Judgement, Mistake, kind_of
from exercises.pictures import number
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.picture import Part


@dataclass(frozen=True, slots=True)
class Number:
    """A number, or a tuple or list of numbers; or a function of the inputs, which is right for every seed.

    `wanted` and each mistake's `gives` are called with the inputs by name. The right answer is never drawn.

    Attributes
    ----------
    any_order
        Whether several numbers may stand in any order.
    shows
        From the answer and the inputs to a part of the picture: what that answer would do.
    """

    any_order: bool = False
    shows: Callable[[Any, Inputs], Part] | None = None

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Compare, and look for the answer among the mistakes."""
        inputs = exercise.drawn(seed)
        wanted = _plain(exercise.wanted(**inputs))
        given = _plain(answer(**inputs) if callable(answer) else answer)
        if given is None:
            return Judgement(False, f"{_named(answer)} was given; {_asked(wanted)} asked for.")
        if isinstance(given, tuple) and len(given) == 1 and not isinstance(wanted, tuple):
            given = given[0]
        if isinstance(given, tuple) != isinstance(wanted, tuple):
            return Judgement(False, f"{_named(answer)} was given; {_asked(wanted)} asked for.")
        if self._same(given, wanted):
            return Judgement(True, f"{_written(given)} is the answer.", self._parts(given, wanted, inputs))
        parts = self._parts(given, wanted, inputs)
        for mistake in exercise.mistakes:
            if mistake.gives is not None and self._same(given, _plain(mistake.gives(**inputs))):
                return Judgement(False, mistake.says, parts)
            if _fits(mistake, given, inputs):
                return Judgement(False, mistake.says.format(answer=_written(given), **inputs), parts)
        return Judgement(False, self._difference(given, wanted), parts)

    def _same(self, given: Any, other: Any) -> bool:
        if self.any_order and isinstance(given, tuple) and isinstance(other, tuple):
            return sorted(given, key=repr) == sorted(other, key=repr)
        return bool(given == other)

    def _difference(self, given: Any, wanted: Any) -> str:
        if not isinstance(given, tuple):
            return f"{_written(given)} is not the answer."
        if len(given) != len(wanted):
            return f"{len(given)} numbers were given; {len(wanted)} are asked for."
        if self.any_order:
            wrong = [x for x in given if x not in wanted]
            return f"{_written(wrong[0])} is not among them." if wrong else "One of them stands there twice."
        first = next(i for i, pair in enumerate(zip(given, wanted, strict=True)) if pair[0] != pair[1])
        right = sum(a == b for a, b in zip(given, wanted, strict=True))
        return f"The number at place {first} is not {_written(given[first])}; {right} of {len(wanted)} are right."

    def _parts(self, given: Any, wanted: Any, inputs: Inputs) -> tuple[Part, ...]:
        shown = (self.shows(given, inputs),) if self.shows is not None else ()
        if not isinstance(given, tuple) or not given or isinstance(given[0], tuple):
            return shown
        ordered = wanted if isinstance(wanted, tuple) and not self.any_order else ()

        def cell(_: int, column: int) -> Cell:
            at = slice(column, column + 1)
            right = ordered[at] == given[at] if ordered else given[column] in wanted
            text = _written(given[column])
            return Cell(text, group=7, place=0.2) if right else Cell(text, ring="error")

        wide = max(len(_written(x)) for x in given)
        title = "your numbers"
        return Grid(1, len(given), cell, title=title, row_labels=[""], width=max(26, 8 * wide + 8)), *shown


def _fits(mistake: Mistake, given: Any, inputs: Inputs) -> bool:
    try:
        return mistake.fits is not None and bool(mistake.fits(given, **inputs))
    except (TypeError, ValueError, IndexError, OverflowError):  # a tuple where numbers compare, or the like
        return False


def _plain(value: Any) -> Any:
    """Numbers as int, float or bool, sequences and arrays as tuples; None for anything else."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list | range):
        parts = tuple(_plain(part) for part in value)
        return None if any(part is None for part in parts) else parts
    return None


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))})"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and abs(value) >= 10**18:
        return "a number of more than 18 digits"
    return number(value)


def _named(value: Any) -> str:
    """What was given, with an article."""
    if isinstance(value, str):
        return "A text"
    if isinstance(value, bool | int | float | np.generic):
        return "One number"
    if isinstance(value, tuple | list):
        return f"A {type(value).__name__} of {len(value)}"
    return kind_of(value)


def _asked(wanted: Any) -> str:
    if isinstance(wanted, tuple):
        return f"{len(wanted)} numbers in a tuple are"
    return "True or False is" if isinstance(wanted, bool) else "a number is"
