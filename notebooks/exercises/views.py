"""Answers that are a view: a ShapeTracker, a View, or a function that gives one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from exercises.exercise import Exercise, Judgement, kind_of
from exercises.pictures import Array, arranged, number, place, table
from shapetracker import ShapeTracker, View
from shapetracker.errors import ShapeTrackerError

MOST_ELEMENTS = 4096
NOTHING = -1
"""Stands in `wanted` where the view must read nothing."""


@dataclass(frozen=True, slots=True)
class Views:
    """A view, compared by the address that each element reads.

    `wanted` and each mistake's `gives` are called with the inputs by name and give an integer array of addresses, −1
    where nothing is read. Where the inputs are sizes, the answer may be a function of them by the same names.

    Attributes
    ----------
    single
        Whether it must be one view.
    """

    single: bool = False

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Compare shapes, then addresses."""
        inputs = exercise.drawn(seed)
        wanted = np.asarray(exercise.wanted(**inputs), np.int64)
        try:
            made = answer(**inputs) if callable(answer) else answer
        except ShapeTrackerError as error:
            return Judgement(False, f"The view cannot be made: {error}")
        tracker = ShapeTracker((made,)) if isinstance(made, View) else made
        if not isinstance(tracker, ShapeTracker):
            return Judgement(False, f"{kind_of(made)} was given; a ShapeTracker or a View is asked for.")
        if tracker.size > MOST_ELEMENTS:
            return Judgement(False, f"The view has {tracker.size} elements; {wanted.size} are wanted.")
        given = addresses(tracker)
        says = next(
            (m.says for m in exercise.mistakes if m.gives is not None and np.array_equal(given, m.gives(**inputs))), ""
        )
        if given.shape != wanted.shape:
            sizes = f"The shape is {given.shape}, and {wanted.shape} is wanted."
            hint = (
                f" (The sizes of seed {seed} are {_sizes(inputs)}.)" if seed and inputs and not callable(answer) else ""
            )
            return Judgement(
                False, (f"{says} " if says else "") + sizes + hint, (self._table("yours", given, None, 2),)
            )
        wrong = given != wanted
        if wrong.any():
            first = tuple(int(i) for i in np.argwhere(wrong)[0])
            says = says or f"{int(wrong.sum())} of {wrong.size} elements read something else."
            where = f"First at {place(first)}: it reads {_read(given[first])}, and {_read(wanted[first])} is wanted."
            grids = [self._table("yours", given, wrong, 2), self._table("wanted", wanted, None, 7)]
            return Judgement(False, f"{says} {where}", (arranged(grids),))
        if self.single and len(tracker.views) > 1:
            words = f"It reads the right addresses, but with {len(tracker.views)} views; one is enough."
            return Judgement(False, words, (self._table("yours", given, None, 7),))
        return Judgement(
            True, f"All {wanted.size} elements read the right address.", (self._table("yours", given, None, 7),)
        )

    def _table(self, title: str, found: Array, wrong: Any, group: int) -> Any:
        caption = "the address that each element reads" if title == "yours" else ""
        return table(title, found, caption=caption, wrong=wrong, empty=found == NOTHING, group=group)


def addresses(tracker: ShapeTracker) -> Array:
    """The address that each element reads; −1 where it reads nothing.

    >>> addresses(ShapeTracker.from_shape((2, 2)).pad(((0, 0), (1, 0)))).tolist()
    [[-1, 0, 1], [-1, 2, 3]]
    """
    index, valid = tracker.expr_idxs()
    points = {f"idx{axis}": places for axis, places in enumerate(np.indices(tracker.shape))}
    read = np.broadcast_to(np.where(valid.evaluate(points), index.evaluate(points), NOTHING), tracker.shape)
    return read.astype(np.int64)


def _read(address: Any) -> str:
    return "nothing" if address == NOTHING else f"address {number(address)}"


def _sizes(inputs: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in inputs.items())
