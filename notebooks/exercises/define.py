"""Where exercises are defined: `define` enters one, `find` finds it by its name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from exercises import tasks
from exercises.arrays import Matrix
from exercises.exercise import Exercise, Inputs, Kind, Mistake
from exercises.formulas import Formula
from exercises.fragments import Fragment
from exercises.kernels import Kernel
from exercises.numbers import Number
from exercises.views import Views

__all__ = [
    "Exercise",
    "Formula",
    "Fragment",
    "Inputs",
    "Kernel",
    "Kind",
    "Matrix",
    "Mistake",
    "Number",
    "Views",
    "define",
    "find",
    "names",
]

_KNOWN: dict[str, Exercise] = {}


class UnknownExerciseError(KeyError):
    """No exercise has that name."""

    def __str__(self) -> str:
        return str(self.args[0])


def define(**parts: object) -> Exercise:
    """Enter an exercise; the parts are those of `Exercise`.

    Raises
    ------
    ValueError
        Where the name is taken.
    """
    exercise = Exercise(**parts)  # type: ignore[arg-type]
    if exercise.name in _KNOWN:
        raise ValueError(f"define: there is an exercise {exercise.name!r} already")
    _KNOWN[exercise.name] = exercise
    return exercise


@cache
def _read_tasks() -> None:
    for module in pkgutil.iter_modules(tasks.__path__):
        importlib.import_module(f"exercises.tasks.{module.name}")


def names(notebook: str | None = None) -> list[str]:
    """The names of all exercises, or of one notebook's, in the order in which they are defined.

    >>> "address" in names("01")
    True
    """
    _read_tasks()
    return [exercise.name for exercise in _KNOWN.values() if notebook in (None, exercise.notebook)]


def find(name: object) -> Exercise:
    """The exercise of that name.

    Raises
    ------
    UnknownExerciseError
        Where there is none; the message names the nearest.

    >>> find("adress")
    Traceback (most recent call last):
    exercises.define.UnknownExerciseError: there is no exercise 'adress'; did you mean 'address'?
    """
    _read_tasks()
    if isinstance(name, str) and name in _KNOWN:
        return _KNOWN[name]
    near = difflib.get_close_matches(str(name), _KNOWN, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise UnknownExerciseError(f"there is no exercise {name!r}{meant}")
