"""ATOMIC: lanes change elements one after the other, in the order of their numbers, and see what was there before."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.machine.arithmetic import add, and_, maximum, neg, or_, xor
from gpuemu.machine.grid import Chunk
from gpuemu.machine.memory import Memory

Array = npt.NDArray[Any]
Combine = Callable[[Array, Array], Array]


def minimum(x: Array, y: Array) -> Array:
    """The smaller; a number beats nan and −0 beats +0 (IEEE 754's minimumNumber).

    >>> minimum(np.array([np.nan, 0.0, 3.0]), np.array([1.0, -0.0, 2.0]))
    array([ 1., -0.,  2.])
    """
    if x.dtype.kind in "iu":
        smaller: Array = np.minimum(x, y)
        return smaller
    return neg(maximum(neg(x), neg(y)))


COMBINE: dict[str, Combine] = {
    "add": add,
    "max": maximum,
    "min": minimum,
    "and": and_,
    "or": or_,
    "xor": xor,
    "exchange": lambda old, value: value,
}
_RUNNING: dict[str, "np.ufunc"] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
"""Those that numpy accumulates in order along one element's lanes, with the same rounding."""


def change(
    memory: Memory, chunk: Chunk, line: int, kind: str, index: Array, values: list[Array], active: Array | None
) -> Array:
    """Change the element at each active lane's index, and give each lane what it found there; 0 to the others.

    Parameters
    ----------
    values
        The value; for a compare-and-swap what is expected, then the value.
    """
    place = memory.places(chunk, line, "changes", index, 1, active)
    old = np.zeros(chunk.shape, memory.array.dtype)
    if place is None:
        return old
    chosen = np.broadcast_to(np.ones((), np.bool_) if active is None else active, chunk.shape)
    memory.check_written(chunk, line, np.broadcast_to(place, chunk.shape), 1, active)
    places, *given = (np.broadcast_to(x, chunk.shape)[chosen] for x in (place, *values))
    old[chosen] = in_turn(kind, memory.array, places, given)
    return old


def in_turn(kind: str, array: Array, places: Array, given: list[Array]) -> Array:
    """Change array[places] one after the other; gives what each found.

    >>> counts = np.zeros(2, np.int32)
    >>> in_turn("add", counts, np.array([1, 0, 1, 1]), [np.array([5, 7, 1, 1], np.int32)]), counts
    (array([0, 0, 5, 6], dtype=int32), array([7, 7], dtype=int32))
    """
    old = np.empty(len(places), array.dtype)
    order = np.argsort(places, kind="stable")
    elements, starts, counts = np.unique(places[order], return_index=True, return_counts=True)
    if kind in _RUNNING and array.dtype != np.bool_ and len(elements) < counts.max(initial=0):
        for element, start, count in zip(elements.tolist(), starts.tolist(), counts.tolist(), strict=True):
            lanes = order[start : start + count]
            run = np.concatenate([array[element : element + 1], given[0][lanes]])
            total = _RUNNING[kind].accumulate(run, dtype=array.dtype)
            old[lanes], array[element] = total[:-1], total[-1]
        return old
    for turn in range(int(counts.max(initial=0))):  # the turn-th lane of each element, all elements at once
        lanes = order[starts[counts > turn] + turn]
        where = places[lanes]
        old[lanes] = found = array[where]
        array[where] = _changed(kind, found, [x[lanes] for x in given])
    return old


def _changed(kind: str, found: Array, given: list[Array]) -> Array:
    if kind != "compare-and-swap":
        return COMBINE[kind](found, given[0])
    bits = np.dtype(f"u{found.dtype.itemsize}")
    return np.where(found.view(bits) == given[0].view(bits), given[1], found)
