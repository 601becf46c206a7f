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
_RUNNING_INTEGERS: dict[str, "np.ufunc"] = {**_RUNNING, "max": np.maximum, "min": np.minimum}
_TURN, _SWAPS = 8, 8
"""The steps that a turn of some lanes takes, and the compare-and-swaps that are a step."""

Count = Callable[[int], None]


def change(
    memory: Memory,
    chunk: Chunk,
    line: int,
    kind: str,
    index: Array,
    values: list[Array],
    active: Array | None,
    count: Count,
) -> Array:
    """Change the element at each active lane's index, and give each lane what it found there; 0 to the others.

    Parameters
    ----------
    values
        The value; for a compare-and-swap what is expected, then the value.
    count
        Takes the steps that it costs where lanes wait for each other.
    """
    place = memory.places(chunk, line, "changes", index, 1, active)
    old = np.zeros(chunk.shape, memory.array.dtype)
    if place is None:
        return old
    chosen = np.broadcast_to(np.ones((), np.bool_) if active is None else active, chunk.shape)
    memory.check_written(chunk, line, np.broadcast_to(place, chunk.shape), 1, active)
    many = int(np.count_nonzero(chosen))
    places, *given = (_of_lanes(x, chosen, many) for x in (place, *values))
    old[chosen] = in_turn(kind, memory.array, places, given, count)
    return old


def _of_lanes(x: Array, chosen: Array, many: int) -> Array:
    """Of a value, those of the chosen lanes, of which there are so many."""
    if x.size == 1:  # quicker than what follows
        return np.repeat(x.reshape(1), many)
    return np.broadcast_to(x, chosen.shape)[chosen]


def in_turn(kind: str, array: Array, places: Array, given: list[Array], count: Count = lambda steps: None) -> Array:
    """Change array[places] one after the other; gives what each found.

    >>> counts = np.zeros(2, np.int32)
    >>> in_turn("add", counts, np.array([1, 0, 1, 1]), [np.array([5, 7, 1, 1], np.int32)]), counts
    (array([0, 0, 5, 6], dtype=int32), array([7, 7], dtype=int32))
    """
    old = np.empty(len(places), array.dtype)
    order = np.argsort(places, kind="stable")
    elements, starts, counts = np.unique(places[order], return_index=True, return_counts=True)
    turns = int(counts.max(initial=0))
    if len(elements) < turns and (run := _run(kind, array.dtype)) is not None:
        count(len(places) // _SWAPS if run is _swapped else 0)
        for element, start, many in zip(elements.tolist(), starts.tolist(), counts.tolist(), strict=True):
            lanes = order[start : start + many]
            found = run(array[element : element + 1], [x[lanes] for x in given])
            old[lanes], array[element] = found[:-1], found[-1]
        return old
    for turn in range(turns):  # the turn-th lane of each element, all elements at once
        count(_TURN if turn else 0)
        lanes = order[starts[counts > turn] + turn]
        where = places[lanes]
        old[lanes] = found = array[where]
        array[where] = _changed(kind, found, [x[lanes] for x in given])
    return old


Run = Callable[[Array, list[Array]], Array]


def _run(kind: str, dtype: np.dtype[Any]) -> Run | None:
    """Finds what an element holds before its first lane, its second …, and at last; None where lanes take turns."""
    if kind == "compare-and-swap":
        return _swapped
    if kind == "exchange":
        return lambda start, given: np.concatenate([start, given[0]])
    ufunc = (_RUNNING_INTEGERS if dtype.kind in "iu" else _RUNNING).get(kind)
    if ufunc is None or dtype == np.bool_:
        return None
    return lambda start, given: np.asarray(ufunc.accumulate(np.concatenate([start, given[0]]), dtype=dtype))


def _swapped(start: Array, given: list[Array]) -> Array:
    bits = np.dtype(f"u{start.dtype.itemsize}")
    found: list[int] = start.view(bits).tolist()
    for expected, value in zip(*(x.view(bits).tolist() for x in given), strict=True):
        found.append(value if found[-1] == expected else found[-1])
    return np.array(found, bits).view(start.dtype)


def _changed(kind: str, found: Array, given: list[Array]) -> Array:
    if kind != "compare-and-swap":
        return COMBINE[kind](found, given[0])
    bits = np.dtype(f"u{found.dtype.itemsize}")
    return np.where(found.view(bits) == given[0].view(bits), given[1], found)
