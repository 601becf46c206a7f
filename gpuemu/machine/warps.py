"""What the lanes of a warp do together: shuffles, votes, the barrier of a warp.

The lanes of a workgroup, x innermost, are cut into warps; a last one may be partial, and the lanes it lacks take no
part. Sets of lanes are integers of 64 bits, bit i for lane i of the warp.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.machine import hazards
from gpuemu.machine.grid import Chunk

Array = npt.NDArray[Any]
WIDEST = 64
"""Lanes of the widest warp that a set of lanes can hold."""
_BITS = np.uint64(1) << np.arange(WIDEST, dtype=np.uint64)


@dataclass(frozen=True)
class Warps:
    """The warps of a chunk at one line.

    Attributes
    ----------
    chunk, line
        Where.
    active
        The lanes that are here; None for all.
    check
        Whether lanes that do not take part are reported.
    """

    chunk: Chunk
    line: int
    active: Array | None
    check: bool

    @cached_property
    def here(self) -> Array:
        """The lanes that are here, of shape (gz, gy, gx, warps, lanes of a warp)."""
        active = np.ones((1,) * 6, np.bool_) if self.active is None else self.active
        return self.by_warp(active, np.bool_(False))

    def by_warp(self, x: Array, fill: Any = 0) -> Array:
        """A value with the six axes of lanes as (gz, gy, gx, warps, lanes of a warp); `fill` for lanes that are not."""
        local, rest = self.chunk.local, x.shape[6:]
        lanes, warp = prod(local), self.chunk.warp
        flat = np.broadcast_to(x, (*x.shape[:3], *local, *rest)).reshape(*x.shape[:3], lanes, *rest)
        if lacking := -lanes % warp:
            flat = np.concatenate([flat, np.full((*x.shape[:3], lacking, *rest), fill, x.dtype)], axis=3)
        return flat.reshape(*x.shape[:3], -1, warp, *rest)

    def by_lane(self, x: Array) -> Array:
        """The inverse of `by_warp`."""
        rest, lanes = x.shape[5:], prod(self.chunk.local)
        flat = x.reshape(*x.shape[:3], -1, *rest)[:, :, :, :lanes]
        return flat.reshape(*x.shape[:3], *self.chunk.local, *rest)

    def shuffle(self, kind: str, value: Array, number: Array, mask: Array | None = None) -> Array:
        """The value of another lane; a lane's own where that would be outside the warp, or does not take part."""
        warp, lane = self.chunk.warp, np.arange(self.chunk.warp)
        by = self.by_warp(number).astype(np.int64)
        if kind == "index":
            source = by % warp
        else:
            source = lane - by if kind == "up" else lane + by if kind == "down" else lane ^ by
            source = np.where((source < 0) | (source >= warp), lane, source)
        sets = self.taking_part(mask)
        there = (sets >> source.astype(np.uint64)) & np.uint64(1) == 1
        if self.check and (missing := self.here & ~there).any():
            first = tuple(np.argwhere(missing)[0])
            other = int(np.broadcast_to(source, missing.shape)[first])
            cause = f"SHUFFLE {kind} reads the value of lane {other} of the warp, which does not take part"
            hazards.left_out(self.chunk, self.line, self.by_lane(missing), other, cause)
        source = np.where(there, source, lane)
        values = self.by_warp(value)
        axes = np.broadcast_shapes(values.shape[:5], source.shape)
        values = np.broadcast_to(values, (*axes, *values.shape[5:]))
        source = np.broadcast_to(source, axes)
        if values.ndim > 5:
            source = np.broadcast_to(source[..., None], values.shape)
        return self.by_lane(np.take_along_axis(values, source, axis=4))

    def vote(self, kind: str, condition: Array, dtype: "np.dtype[Any]", mask: Array | None = None) -> Array:
        """Whether the condition holds in any or all lanes that take part; ballot: in which."""
        sets = self.taking_part(mask)
        true = self._set(self.by_warp(condition, np.bool_(False)) & self.here)
        if kind == "ballot":
            return self._of_all(true & sets).astype(dtype)
        return self._of_all((true & sets) != 0 if kind == "any" else (~true & sets) == 0)

    def barrier(self, head: int | None, mask: Array | None = None) -> None:
        """Report the lanes that others of their warp wait for, and that do not arrive."""
        exist = self.by_warp(np.ones((1,) * 6, np.bool_), np.bool_(False))
        some = self.here.any(axis=4, keepdims=True)
        awaited = some & exist if mask is None else self._members(self._union(self._masks(mask)))
        if (missing := awaited & ~self.here & exist).any():
            hazards.divergent_warp(self.chunk, self.line, head, self.by_lane(missing))

    def taking_part(self, mask: Array | None) -> Array:
        """For each lane the set of lanes that take part with it: those that are here, and in its mask if it has one."""
        present = self._set(self.here)
        if mask is None:
            return present
        masks = self._masks(mask)
        if self.check:
            self._check_masks(masks, present)
        return masks & present

    def _check_masks(self, masks: Array, present: Array) -> None:
        own = masks & _BITS[: self.chunk.warp] != 0
        if (outside := self.here & ~own).any():
            cause = "a lane exchanges values under a mask that does not name it"
            hazards.left_out(self.chunk, self.line, self.by_lane(outside), None, cause)
        absent = masks & ~present
        if (wrong := self.here & (absent != 0)).any():
            found = int(np.broadcast_to(absent, wrong.shape)[wrong][0])
            other = (found & -found).bit_length() - 1
            cause = f"the mask names lane {other} of the warp, which does not take part"
            hazards.left_out(self.chunk, self.line, self.by_lane(wrong), other, cause)

    def _masks(self, mask: Array) -> Array:
        """Each lane's mask as a set, cut to the warp."""
        unsigned = mask.astype(f"u{mask.dtype.itemsize}").astype(np.uint64)
        return self.by_warp(unsigned) & np.uint64((1 << self.chunk.warp) - 1)

    def _set(self, flags: Array) -> Array:
        """The lanes that are flagged, as one set for each warp, along an axis of length 1."""
        bits: Array = np.where(flags, _BITS[: self.chunk.warp], np.uint64(0))
        return np.bitwise_or.reduce(bits, axis=4, keepdims=True)

    def _union(self, sets: Array) -> Array:
        """All lanes that the masks of lanes that are here name, for each warp."""
        return np.bitwise_or.reduce(np.where(self.here, sets, np.uint64(0)), axis=4, keepdims=True)

    def _members(self, sets: Array) -> Array:
        members: Array = np.not_equal(sets & _BITS[: self.chunk.warp], 0)
        return members

    def _of_all(self, x: Array) -> Array:
        """What is known for each warp, given to each of its lanes."""
        return self.by_lane(np.broadcast_to(x, (*x.shape[:4], self.chunk.warp)))
