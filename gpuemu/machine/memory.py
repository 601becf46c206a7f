"""Buffers, local memory and images; every access is checked against the buffer's size.

Indices and values broadcast over the six axes of a chunk's lanes. An access under a mask touches the lanes that are
active; the others may hold any index.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.machine import hazards
from gpuemu.machine.grid import Chunk

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Memory:
    """The memory behind one DEFINE_GLOBAL or DEFINE_LOCAL, as the lanes of a chunk see it.

    Attributes
    ----------
    name, line
        What reports call it, and the line that defines it.
    array
        All elements, flat; of a local memory, those of each workgroup of the chunk, one after the other.
    size
        How many elements a lane can reach.
    base
        Where each workgroup's elements start, of shape (gz, gy, gx, 1, 1, 1); None for a buffer.
    written
        Which elements some lane has written; None where nobody asks, or all are.
    group_steps
        How much further the elements of the next workgroup along z, y and x are; 0 where the chunk has one.
    """

    name: str
    line: int
    array: Array
    size: int
    base: Array | None = None
    written: Mask | None = None
    group_steps: tuple[int, int, int] = (0, 0, 0)

    def load(self, chunk: Chunk, line: int, index: Array, width: int, active: Mask | None) -> Array:
        """The element at each index, or `width` consecutive ones along a seventh axis; anything in inactive lanes."""
        place = self.places(chunk, line, "reads", index, width, active)
        if place is None:
            return np.zeros((1,) * index.ndim + (width,) * (width > 1), self.array.dtype)
        if width > 1:
            place = place[..., None] + np.arange(width)
        if self.written is not None:
            self.check_written(chunk, line, place, width, active)
        return self.array.take(place)

    def store(self, chunk: Chunk, line: int, index: Array, value: Array, active: Mask | None) -> None:
        """Write a value (with a seventh axis where it is a vector) at each index; the last of several lanes stays."""
        lane_axes = index.ndim
        width = value.shape[lane_axes] if value.ndim > lane_axes else 1
        place = self.places(chunk, line, "writes", index, width, active)
        if place is None:
            return
        masks = () if active is None else (active.shape,)
        shape = np.broadcast_shapes(place.shape, value.shape[:lane_axes], *masks)
        place = np.broadcast_to(place, shape)
        if value.ndim > lane_axes:
            shape = (*shape, width)
            place = place[..., None] + np.arange(width)
        value = np.broadcast_to(value, shape)
        if active is None:
            place, value = place.reshape(-1), value.reshape(-1)
        else:
            chosen = np.broadcast_to(active, shape[:lane_axes])
            place, value = place[chosen].reshape(-1), value[chosen].reshape(-1)
        self.array[place] = value
        if self.written is not None:
            self.written[place] = True
            self.note_written()

    def note_written(self) -> None:
        """Ask no more which elements are written once all are."""
        if self.written is not None and self.written.all():
            self.written = None

    def places(self, chunk: Chunk, line: int, verb: str, index: Array, width: int, active: Mask | None) -> Array | None:
        """Where the elements are in `array`, after the check; None where no active lane accesses anything."""
        place = index.astype(np.int64)  # an index of uint64 beyond int64 becomes negative, and is outside either way
        last = self.size - width
        if np.maximum.reduce(place.view(np.uint64), axis=None) > last:  # as unsigned, a negative index is a huge one
            outside = (place < 0) | (place > last)
            flags = outside if active is None else outside & active
            if flags.any():
                hazards.out_of_bounds(chunk, line, verb, self.name, self.size, index, flags, width)
            if last < 0:
                return None
            place = np.where(outside, 0, place)
        return place if self.base is None else place + self.base

    def check_written(self, chunk: Chunk, line: int, place: Array, width: int, active: Mask | None) -> None:
        written = self.written
        if written is None:
            return
        missing: Array = ~written.take(place)
        if active is not None:
            missing = np.logical_and(missing, active if width == 1 else active[..., None])
        if missing.any():
            places, flags = np.broadcast_arrays(place, missing)
            element = int(places[flags][0]) % self.size
            lanes: Array = np.any(flags, axis=-1) if width > 1 else flags
            hazards.uninitialised(chunk, line, self.line, self.name, element, lanes)


def load_image(memory: Memory, shape: tuple[int, ...], index: Array, active: Mask | None) -> Array:
    """The four float32 channels at each position (x, y); 0 outside the image and in inactive lanes."""
    height, width = shape[:2]
    x, y = index[..., 0].astype(np.int64), index[..., 1].astype(np.int64)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    if active is not None:
        inside = inside & active
    place = np.where(inside, (y * width + x) * 4, 0)
    texels = memory.array.take(place[..., None] + np.arange(4)).astype(np.float32)
    return np.where(inside[..., None], texels, np.float32(0))


def store_image(
    memory: Memory, shape: tuple[int, ...], chunk: Chunk, line: int, index: Array, value: Array, active: Mask | None
) -> None:
    """Write four float32 channels at each position (x, y); outside the image is an error."""
    height, width = shape[:2]
    x, y = index[..., 0].astype(np.int64), index[..., 1].astype(np.int64)
    outside = (x < 0) | (x >= width) | (y < 0) | (y >= height)
    flags = outside if active is None else outside & active
    if flags.any():
        hazards.outside_image(chunk, line, memory.name, shape, x, y, flags)
    place = np.where(outside, 0, (y * width + x) * 4)
    memory.store(chunk, line, place, value.astype(memory.array.dtype), active)
