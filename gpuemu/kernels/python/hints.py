"""What somebody may have meant: hints at the end of a message."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any

_OF_WHOLE_ARRAYS = "works on whole arrays; a lane takes their elements one after the other, in a loop"
_MAKES_AN_ARRAY = (
    "makes an array of the host; in a kernel, cuda.local.array(shape, dtype) is one of each lane's own, and "
    "cuda.shared.array(shape, dtype) one of the block"
)
_LISTS = "cuda.local.array(size, dtype) is an array of each lane's own"
_WORKS_ON_ARRAYS = {
    "sum",
    "sorted",
    "any",
    "all",
    "dot",
    "mean",
    "prod",
    "cumsum",
    "argmax",
    "argmin",
    "sort",
    "matmul",
}
_MAKES_ARRAYS = {
    "zeros",
    "ones",
    "empty",
    "full",
    "array",
    "arange",
    "zeros_like",
    "ones_like",
    "empty_like",
    "linspace",
}
CALLABLE = (
    "what can is cuda.…, math.…, min, max, abs, len, round, range, types, and functions with @cuda.jit(device=True)"
)


def alike(name: str, names: Iterable[str], before: str = "") -> str:
    """The name that was meant, perhaps.

    >>> alike("thredIdx", ["threadIdx", "blockIdx"], "cuda."), alike("w", ["x"])
    ('; did you mean cuda.threadIdx?', '')
    """
    choices = [choice for choice in names if not choice.startswith("_")]
    same = [choice for choice in choices if choice.lower() == name.lower()]
    found = same or difflib.get_close_matches(name, choices, 1, 0.75)
    return f"; did you mean {before}{found[0]}?" if found else ""


def elsewhere(name: str, names: Iterable[str], of_cuda: Iterable[str]) -> str:
    """A hint for a name that means nothing: what it is a part of, or what it looks like.

    >>> elsewhere("sqrt", [], []), elsewhere("threadIdx", [], ["threadIdx"])
    ('; did you mean math.sqrt?', '; did you mean cuda.threadIdx?')
    """
    if name in of_cuda:
        return f"; did you mean cuda.{name}?"
    if hasattr(math, name):
        return f"; did you mean math.{name}?"
    return alike(name, names)


def uncallable(function: Any, text: str) -> str:
    """Why something cannot be called in a kernel, and what can."""
    name = text.rsplit(".", maxsplit=1)[-1]
    library = getattr(function, "__module__", None) or ""
    if function is print:
        return (
            "print cannot be called in a kernel: a lane has no screen; write into an array, and print that afterwards"
        )
    of_libraries = library.startswith("numpy") or library == "builtins" or text.startswith("np.")
    if of_libraries and name in _WORKS_ON_ARRAYS:
        return f"{text} cannot be called in a kernel: it {_OF_WHOLE_ARRAYS}"
    if of_libraries and name in _MAKES_ARRAYS:
        return f"{text} cannot be called in a kernel: it {_MAKES_AN_ARRAY}"
    if text.startswith(("np.random", "numpy.random", "random.")):
        return (
            f"{text} cannot be called in a kernel: draw on the host and give the array, or compute from a lane's number"
        )
    if function in (list, dict, set):
        return f"{text} cannot be called in a kernel: {_LISTS}"
    if hasattr(function, "__code__"):
        return f"{text} cannot be called in a kernel: it is a function of Python; write @cuda.jit(device=True) above it"
    return f"{text} cannot be called in a kernel; {CALLABLE}"


def untranslatable(words: str) -> str:
    """What to write in place of an expression that has no translation."""
    if words in ("a list", "a list comprehension", "a dict", "a set"):
        return _LISTS
    return "a kernel works on numbers and arrays"
