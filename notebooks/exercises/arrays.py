"""Answers that are an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from exercises.exercise import Exercise, Judgement, kind_of
from exercises.pictures import Array, arranged, number, place, table


@dataclass(frozen=True, slots=True)
class Matrix:
    """An array of numbers, or a function from the inputs to one.

    `wanted` and each mistake's `gives` are called with the inputs by name and give arrays.
    """

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Compare shapes, then elements."""
        inputs = exercise.drawn(seed)
        wanted = np.asarray(exercise.wanted(**inputs))
        given = np.asarray(answer(**inputs) if callable(answer) else answer)
        if given.dtype.kind not in "biuf":
            return Judgement(False, f"{kind_of(answer)} was given; an array of numbers is asked for.")
        return compared(exercise, inputs, given, wanted)


def compared(exercise: Exercise, inputs: dict[str, Any], given: Array, wanted: Array) -> Judgement:
    """The judgement on an array, by shape and by element."""
    why = next(
        (m.says for m in exercise.mistakes if m.gives is not None and same(given, np.asarray(m.gives(**inputs)))), ""
    )
    if given.shape != wanted.shape:
        sentence = why or f"The shape is {given.shape}, and {wanted.shape} is wanted."
        return Judgement(False, sentence, (table("yours", given[..., :32], group=2),) if given.size else ())
    wrong = ~equal(given, wanted)
    if not wrong.any():
        return Judgement(True, f"All {wanted.size} elements are right.", (table("yours", given, group=7),))
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"First at {place(first)}: {number(given[first])}, and {number(wanted[first])} is wanted."
    why = why or f"{int(wrong.sum())} of {wrong.size} elements are wrong."
    grids = [table("yours", given, wrong=wrong, group=2), table("wanted", wanted, group=7)]
    return Judgement(False, f"{why} {where}", (arranged(grids),))


def equal(given: Array, wanted: Array) -> Any:
    """Where two arrays are equal: exactly for integers, to a relative 1e-5 for floats; NaN equals NaN."""
    if given.dtype.kind == "f" or wanted.dtype.kind == "f":
        return np.isclose(given.astype(float), wanted.astype(float), rtol=1e-5, atol=1e-5, equal_nan=True)
    return given == wanted


def same(given: Array, other: Array) -> bool:
    """Whether two arrays have one shape and equal elements."""
    return given.shape == other.shape and bool(np.all(equal(given, other)))
