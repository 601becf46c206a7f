"""What a learner calls: ask, check, hint, results. What was tried is kept until the kernel ends."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exercises.define import find
from exercises.exercise import Verdict
from shapetracker.drawing.layout import Code, Words
from shapetracker.drawing.picture import Picture


@dataclass(slots=True)
class Record:
    """What became of one exercise with one seed."""

    right: bool = False
    attempts: int = 0


_RECORDS: dict[tuple[str, int], Record] = {}
_HINTS: dict[str, int] = {}


def check(answer: Any, name: str, seed: int = 0) -> Verdict:
    """Compare an answer with the hidden one of an exercise.

    Parameters
    ----------
    answer
        A number, a tuple, a formula as text, a view, a kernel … as the exercise asks.
    name
        The exercise's.
    seed
        Chooses the inputs; a class may have one for each person.

    Returns
    -------
    Verdict
        A picture in a notebook; with `right` and `sentence`.

    Raises
    ------
    UnknownExerciseError
        Where no exercise has that name. Nothing is raised for the answer's sake.

    Examples
    --------
    >>> check("fifteen", "address")
    <Verdict 'address': not yet>
    >>> check("fifteen", "address").sentence
    'A text was given; a number is asked for.'
    """
    verdict = find(name).check(answer, seed)
    record = _RECORDS.setdefault((name, seed), Record())
    record.attempts += not record.right  # what is tried after the right answer is play
    record.right = record.right or verdict.right
    return verdict


def hint(name: str) -> Picture:
    """The next hint of an exercise; after the last one, the last one again.

    >>> print(hint("address"))  # doctest: +ELLIPSIS
    Hint ... of 3. ...
    """
    exercise = find(name)
    number = min(_HINTS.get(name, 0), len(exercise.hints) - 1)
    _HINTS[name] = number + 1
    bold = f"Hint {number + 1} of {len(exercise.hints)}."
    return Picture(f"{name}, a hint", (Words(exercise.hints[number], bold=bold),))


def ask(name: str, seed: int = 0) -> Picture:
    """What an exercise asks, with the inputs of a seed, and the code to start from.

    >>> print(ask("address"))  # doctest: +ELLIPSIS
    address  ...
    """
    exercise = find(name)
    code = Code(tuple(("", line) for line in exercise.start.split("\n")))
    return Picture(name, (Words(exercise.question(seed), bold=name), code))


def results(path: str | Path | None = None) -> str:
    """Everything that was tried, as JSON; written to a file too where a path is given. It holds no times.

    >>> import json
    >>> isinstance(json.loads(results()), list)
    True
    """
    rows = [
        {"name": name, "seed": seed, "right": record.right, "attempts": record.attempts, "hints": _HINTS.get(name, 0)}
        for (name, seed), record in _RECORDS.items()
    ]
    text = "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n]\n" if rows else "[]\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def forget() -> None:
    """Begin anew: nothing tried, no hint given."""
    _RECORDS.clear()
    _HINTS.clear()
