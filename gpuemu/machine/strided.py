"""Accesses whose index is a form: all lanes of a chunk touch a strided view of the memory.

The least and the greatest index of the view are compared with the memory's size, in place of the index of each lane.
Gates that are forms cut a box out of the lanes. Where that does not work out (a lane is outside, or the active lanes
are no box), the access goes lane by lane, which also finds the lane to report.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpuemu.machine.forms import Form, Position, counter, is_moving
from gpuemu.machine.grid import AXES
from gpuemu.machine.memory import Memory

Array = npt.NDArray[Any]
Slices = tuple[slice, ...]
EVERY = slice(None)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The lanes that run together: those of a chunk, or of many iterations of a loop along the first axis.

    Attributes
    ----------
    lengths
        The lengths of the axes.
    together
        The variable of the counter that runs along the first axis; None where no iterations run together.
    """

    lengths: tuple[int, ...]
    together: int | None = None

    def axes(self, form: Form) -> dict[int, int]:
        """The form's step along each axis on which it differs here."""
        found = {}
        for variable, step in form.steps:
            if variable == self.together:
                axis = 0
            elif variable < AXES and (variable or self.together is None):
                axis = variable
            else:
                continue
            if self.lengths[axis] > 1:
                found[axis] = step
        return found

    def values(self, form: Form, position: Position) -> Array:
        """The form's value in each lane, as int64, of length 1 along each axis on which it is the same.

        >>> Place((1, 1, 2, 1, 1, 3)).values(Form(0, ((2, 100), (5, 1))), {2: 4, 5: 0}).reshape(2, 3)
        array([[400, 401, 402],
               [500, 501, 502]])
        """
        total = np.full((1,) * AXES, form.at(position), np.int64)
        for axis, step in self.axes(form).items():
            along = np.arange(self.lengths[axis]) * step
            total = total + along.reshape((1,) * axis + (-1,) + (1,) * (AXES - 1 - axis))
        return total

    def box(self, gates: tuple[Form, ...], values: tuple[int, ...]) -> Slices | None:
        """The lanes where all forms are positive, as a range along each axis; None where they are no such box.

        Parameters
        ----------
        values
            Those of the forms in the first lane.
        """
        low, high = [0] * AXES, list(self.lengths)
        for gate, value in zip(gates, values, strict=True):
            axes = self.axes(gate)
            if len(axes) > 1:
                spans = [step * (self.lengths[axis] - 1) for axis, step in axes.items()]
                if value + sum(span for span in spans if span > 0) < 1:
                    high[0] = 0
                elif value + sum(span for span in spans if span < 0) < 1:
                    return None
                continue
            for axis, step in axes.items():
                if step > 0:  # value + step · i ≥ 1
                    low[axis] = max(low[axis], -((value - 1) // step))
                else:
                    high[axis] = min(high[axis], (value - 1) // -step + 1)
            if not axes and value < 1:
                high[0] = 0
        return tuple(slice(i, max(i, j)) for i, j in zip(low, high, strict=True))


@lru_cache(maxsize=1024)
def place_of(lengths: tuple[int, ...], loop: int | None = None) -> Place:
    """The place of these lengths, with the iterations of that loop along the first axis; always the same object."""
    return Place(lengths, None if loop is None else counter(loop))


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """What the lanes of a place touch, for any position in the launch.

    Attributes
    ----------
    start, moves
        The first element of the view, without what the position adds; and the step of each variable that moves it.
    low, high
        How far below and above the first element the others are.
    offset
        Where the elements of the first workgroup start, in a local memory.
    shape, strides, byte_strides
        Of the view, in elements and in bytes. An axis on which the index is the same has length 1.
    box
        The lanes that make the access, along each axis.
    full
        The shape of the view, with the lengths of all lanes where the box is only some.
    empty, cut
        Whether no lane makes the access, and whether not all do.
    shared
        Whether lanes along some axis access one element.
    distinct
        Whether no two elements of the view are surely one.
    """

    start: int
    moves: tuple[tuple[int, int], ...]
    low: int
    high: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    byte_strides: tuple[int, ...]
    box: Slices
    full: tuple[int, ...]
    empty: bool
    cut: bool
    shared: bool
    distinct: bool

    def view(self, array: Array, size: int, position: Position) -> Array | None:
        """The elements, or which of them are written; None where one is outside of a memory of so many."""
        first = self.start
        for variable, step in self.moves:
            first += step * position[variable]
        if first + self.low < 0 or first + self.high >= size:
            return None
        bytes_ = array.itemsize
        strides = self.strides if bytes_ == 1 else self.byte_strides
        return np.ndarray(self.shape, array.dtype, array, (first + self.offset) * bytes_, strides)


def region(place: Place, memory: Memory, index: Form, width: int, box: Slices) -> Region:
    """The region of an access in one place, under gates that let the lanes of a box through."""
    lengths = [part.stop - part.start for part in box]
    shape, strides = [1] * AXES, [0] * AXES
    start, low, high, offset = index.start, 0, width - 1, 0
    for axis, step in place.axes(index).items():
        start += step * box[axis].start
        span = step * (lengths[axis] - 1)
        low, high = low + min(span, 0), high + max(span, 0)
        shape[axis], strides[axis] = lengths[axis], step
    for axis, step in enumerate(memory.group_steps):
        if step:
            offset += step * box[axis].start
            shape[axis], strides[axis] = lengths[axis], strides[axis] + step
    shared = shape != lengths
    full = [n if k == every else every for n, k, every in zip(shape, lengths, place.lengths, strict=True)]
    if width > 1:
        shape, strides, full = [*shape, width], [*strides, 1], [*full, width]
    return Region(
        start,
        tuple((variable, step) for variable, step in index.steps if is_moving(variable)),
        *(low, high, offset, tuple(shape), tuple(strides)),
        tuple(stride * memory.array.itemsize for stride in strides),
        *(box, tuple(full)),
        empty=0 in lengths,
        cut=lengths != list(place.lengths),
        shared=shared,
        distinct=_distinct(shape, strides),
    )


def _distinct(shape: list[int], strides: list[int]) -> bool:
    """Whether each stride leads past all that the smaller ones reach."""
    reached = 0
    for stride, length in sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if stride <= reached:
            return False
        reached += stride * (length - 1)
    return True


class Access:
    """The access of one line: the region that it touches, which stays the same from launch to launch."""

    __slots__ = ("_last", "gates", "index", "width")

    def __init__(self, index: Form, width: int, gates: tuple[Form, ...]) -> None:
        self.index, self.width, self.gates = index, width, gates
        self._last: _Last | None = None

    def now(self, place: Place, memory: Memory, within: tuple[Form, ...] | None, position: Position) -> Region | None:
        """Where the lanes go that are within the forms of the mask; None where they are no box."""
        if within is None:
            return None
        last = self._last
        if last is None or last.place is not place or last.within != within:
            gates = within + self.gates
            moving = any(is_moving(variable) for gate in gates for variable, _ in gate.steps)
            last = _Last(place, within, gates, moving, None, None)
        elif not last.moving:
            return last.region
        values = tuple([gate.at(position) for gate in last.gates])
        if values != last.values:
            box = place.box(last.gates, values)
            found = None if box is None else region(place, memory, self.index, self.width, box)
            last = self._last = last._replace(values=values, region=found)
        return last.region


class _Last(NamedTuple):
    """The last answer of an access, and what it was for."""

    place: Place
    within: tuple[Form, ...]
    gates: tuple[Form, ...]
    moving: bool
    values: tuple[int, ...] | None
    region: Region | None


def load(found: Region, memory: Memory, position: Position, other: Array, keep: bool) -> Array | None:
    """What the lanes of the region read, and the alternative in the others; None where one of them must not read.

    Parameters
    ----------
    keep
        Whether nobody writes to the memory, so that its elements need no copy.
    """
    if other.ndim < len(found.shape):
        other = np.broadcast_to(other[..., np.newaxis], (*other.shape, found.shape[-1]))
    if found.empty:
        return other
    elements = found.view(memory.array, memory.size, position)
    if elements is None:
        return None
    if memory.written is not None:
        written = found.view(memory.written, memory.size, position)
        if written is None or not written.all():
            return None
    if not found.cut:
        return elements if keep else elements.copy("K")
    shape = found.full if other.size == 1 else np.broadcast_shapes(found.full, other.shape)
    value = np.empty(shape, elements.dtype)
    value[...] = other
    value[found.box] = elements
    return value


def store(found: Region, memory: Memory, position: Position, value: Array) -> bool:
    """Write the value, the last one of lanes that share an element; False where one of them must not write."""
    if found.empty:
        return True
    elements = found.view(memory.array, memory.size, position)
    if elements is None or not found.distinct or value.ndim != elements.ndim:
        return False
    elements[...] = value[_parts(found, value.shape)] if found.cut or found.shared else value
    if memory.written is not None:
        written = found.view(memory.written, memory.size, position)
        if written is not None:
            written[...] = True
        memory.note_written()
    return True


@lru_cache(maxsize=4096)
def _parts(found: Region, shape: tuple[int, ...]) -> Slices:
    """What of a value of that shape is stored: the box, and of lanes that share an element the last."""
    return tuple(
        EVERY if length == 1 else part if n > 1 else slice(part.stop - 1, part.stop)
        for part, length, n in zip(found.box, shape, found.shape, strict=False)
    )
