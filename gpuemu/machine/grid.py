"""The lanes of a launch: six axes, (gz, gy, gx) for the workgroup and (lz, ly, lx) for the lane in it.

Axis x is innermost: lane 0, 1, 2 … of a workgroup walk along lx. A launch is cut into chunks of workgroups, each a box
of the grid of about 32,768 lanes, so that memory is bounded by the chunk and not by the grid.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.errors import LanePosition

Array = npt.NDArray[Any]
Size = tuple[int, int, int]

LANES_PER_CHUNK = 32768  # few enough that a value of each lane stays in the cache, many enough to hide Python's cost
AXES = 6


@dataclass(frozen=True, slots=True)
class Chunk:
    """A box of workgroups that run together.

    Attributes
    ----------
    origin, groups
        The first workgroup and how many there are, in the order z, y, x.
    local
        The lanes of a workgroup, in the order z, y, x.
    warp
        Lanes of a warp.
    """

    origin: Size
    groups: Size
    local: Size
    warp: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The six lengths (gz, gy, gx, lz, ly, lx)."""
        return self.groups + self.local

    @property
    def lanes_at_once(self) -> int:
        """How many lanes run together."""
        return prod(self.groups) * prod(self.local)

    @property
    def group_numbers(self) -> Array:
        """The number of each workgroup in the chunk, of shape (gz, gy, gx, 1, 1, 1)."""
        return np.arange(prod(self.groups)).reshape(*self.groups, 1, 1, 1)

    def position(self, axis: int, *, of_group: bool, dtype: "np.dtype[Any]") -> Array:
        """Each lane's position along an axis (0 is x): of its workgroup in the grid, or of itself in the workgroup.

        >>> Chunk((0, 0, 4), (1, 1, 3), (1, 2, 2), 32).position(0, of_group=True, dtype=np.dtype(np.int32)).ravel()
        array([4, 5, 6], dtype=int32)
        """
        lengths, start = (self.groups, self.origin[2 - axis]) if of_group else (self.local, 0)
        along = 2 - axis + (0 if of_group else 3)
        shape = [1] * AXES
        shape[along] = lengths[2 - axis]
        return np.arange(start, start + lengths[2 - axis]).astype(dtype).reshape(shape)

    def lanes(self, flags: Array, limit: int = 4) -> tuple[LanePosition, ...]:
        """The first lanes that are flagged in an array that broadcasts to `shape`."""
        found = np.argwhere(np.broadcast_to(flags, self.shape))[:limit]
        return tuple(self._lane(tuple(int(i) for i in place)) for place in found)

    def _lane(self, place: tuple[int, ...]) -> LanePosition:
        z, y, x = (start + i for start, i in zip(self.origin, place[:3], strict=True))
        lane = (place[3] * self.local[1] + place[4]) * self.local[2] + place[5]
        return LanePosition((x, y, z), lane, lane // self.warp)


def chunks(global_size: Size, local_size: Size, warp: int, lanes: int = LANES_PER_CHUNK) -> Iterator[Chunk]:
    """Cut a launch into chunks; sizes are given as (x, y, z).

    >>> [c.groups for c in chunks((5, 2, 1), (32, 1, 1), 32, lanes=64)]
    [(1, 1, 2), (1, 1, 2), (1, 1, 1), (1, 1, 2), (1, 1, 2), (1, 1, 1)]
    """
    groups, local = global_size[::-1], local_size[::-1]
    room = max(1, lanes // prod(local))
    box = [1, 1, 1]
    for axis in (2, 1, 0):  # whole rows of x first, then whole planes
        box[axis] = min(groups[axis], room)
        room = room // box[axis] if box[axis] == groups[axis] else 1
    starts = [range(0, n, step) for n, step in zip(groups, box, strict=True)]
    for origin in ((z, y, x) for z in starts[0] for y in starts[1] for x in starts[2]):  # never all of them in memory
        size = tuple(min(step, n - first) for step, n, first in zip(box, groups, origin, strict=True))
        yield Chunk(origin, (size[0], size[1], size[2]), (local[0], local[1], local[2]), warp)
