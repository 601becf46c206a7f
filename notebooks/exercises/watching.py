"""A launch that is watched: who read and wrote what, in which phase, and where two lanes meet without a barrier.

The emulator runs lanes in step, so a kernel without its barrier gives the right numbers. A GPU promises no such order.
Here every access of a launch is noted with its lane and its phase (the barriers passed before it). Two lanes that touch
one element in one phase, one of them to write, race; so do lanes of two workgroups in any phases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.errors import LaunchError, LimitError
from gpuemu.limits import Limits
from gpuemu.machine import lockstep
from gpuemu.machine.grid import LANES_PER_CHUNK, chunks
from gpuemu.machine.hazards import CHECKS
from gpuemu.machine.steps import Step, both
from gpuemu.op_table import UOps, buffer_name
from gpuemu.program import Program
from gpuemu.uops import Line

Array = npt.NDArray[Any]
Size = tuple[int, int, int]

LIMITS = Limits(steps=20_000)
"""A loop that does not end is stopped within a second or two."""
MOST_LANES = 1 << 14
"""Of a launch; a learner may choose the grid."""
MOST_ACCESSES = 1 << 20
"""That are noted; about 100 MB."""
BANKS = 32
BANK_BYTES = 4
_GATE = {UOps.LOAD: 2, UOps.STORE: 3}
_VERB = {UOps.LOAD: "read", UOps.STORE: "write", UOps.ATOMIC: "atomic", UOps.LDMATRIX: "read"}
ROW = 8
"""Elements of the row whose start a lane gives to ldmatrix."""


@dataclass(frozen=True, slots=True)
class Access:
    """What one line did at one moment, for all lanes.

    Attributes
    ----------
    memory, line
        The lines that define the memory, and that access it.
    verb
        ``read``, ``write`` or ``atomic``.
    phase
        How many barriers were passed before.
    groups, lanes, places
        Arrays of one length: workgroup, lane and element of each access.
    """

    memory: int
    line: int
    verb: str
    phase: int
    groups: Array
    lanes: Array
    places: Array


@dataclass(frozen=True, slots=True)
class Race:
    """Two lanes that touch one element, at least one of them to write, with no barrier between."""

    memory: int
    element: int
    groups: tuple[int, int]
    lanes: tuple[int, int]
    lines: tuple[int, int]
    verbs: tuple[str, str]


class _Watched(lockstep.Lockstep):
    """The numpy engine, noting accesses."""

    def __init__(self, program: Program, launch: lockstep.Launch) -> None:
        self.accesses: list[Access] = []
        self.phase, self.noted = 0, 0
        super().__init__(program.structure, program.cores, launch)
        self._batches = {}  # iterations in turn, so that phases are counted

    def _step(self, number: int, line: Line) -> Step:
        step = super()._step(number, line)
        if line.uop is UOps.BARRIER:
            return self._counted(step)
        return self._noted(step, number, line) if line.uop in _VERB else step

    def _counted(self, step: Step) -> Step:
        def run() -> None:
            step()
            self.phase += 1

        return run

    def _noted(self, step: Step, number: int, line: Line) -> Step:
        reads = self.structure.reads[number]

        def run() -> None:
            index, mask = self.value(reads[1]), self.mask
            step()
            place = _GATE.get(line.uop)
            if place is not None and len(reads) > place:
                mask = both(mask, self.value(reads[place]).astype(bool))
            shape = self.chunk.shape
            active = np.ones(shape, bool) if mask is None else np.broadcast_to(mask, shape)
            here = np.argwhere(active)
            places = np.broadcast_to(index, shape)[active].astype(np.int64)
            groups = np.ravel_multi_index(tuple(here[:, :3].T), shape[:3])
            lanes = np.ravel_multi_index(tuple(here[:, 3:].T), shape[3:])
            verb = _VERB[line.uop]
            self.noted += places.size
            if self.noted > MOST_ACCESSES:
                raise LimitError(f"more than {MOST_ACCESSES:,} accesses")
            if line.uop is UOps.LDMATRIX:
                groups, lanes = np.repeat(groups, ROW), np.repeat(lanes, ROW)
                places = (places[:, None] + np.arange(ROW)).reshape(-1)
            self.accesses.append(Access(reads[0].line, number, verb, self.phase, groups, lanes, places))

        return run


@dataclass(frozen=True, slots=True)
class Watch:
    """What was seen in a launch."""

    program: Program
    accesses: tuple[Access, ...]

    def name(self, memory: int) -> str:
        """What a memory is called."""
        line = self.program.lines[memory]
        return str(line.arg[0]) if line.uop is UOps.DEFINE_LOCAL else buffer_name(line)

    def is_local(self, memory: int) -> bool:
        """Whether a memory belongs to a workgroup."""
        return self.program.lines[memory].uop is UOps.DEFINE_LOCAL

    def size(self, memory: int) -> int | None:
        """The elements of a local memory; None for a buffer, whose size the program does not know."""
        return int(self.program.lines[memory].arg[1]) if self.is_local(memory) else None

    def counts(self) -> dict[tuple[str, str], int]:
        """How many accesses of each verb each memory has had, by (verb, name)."""
        found: Counter[tuple[str, str]] = Counter()
        for access in self.accesses:
            found[access.verb, self.name(access.memory)] += access.places.size
        return dict(found)

    def races(self) -> Iterator[Race]:
        """The races, in the order in which the launch came to them."""
        touched: dict[tuple[int, ...], list[tuple[int, int, int, str]]] = {}
        for access in self.accesses:
            local = self.is_local(access.memory)
            for group, lane, element in zip(
                access.groups.tolist(), access.lanes.tolist(), access.places.tolist(), strict=True
            ):
                key = (access.memory, group, access.phase, element) if local else (access.memory, element)
                others = touched.setdefault(key, [])
                mine = (group, lane, access.phase, access.verb)
                for other_group, other_lane, other_phase, verb in others:
                    same_phase = other_group != group or other_phase == access.phase
                    if same_phase and (other_group, other_lane) != (group, lane) and _clash(verb, access.verb):
                        lines = (self._line(access.memory, verb), access.line)
                        pair = ((other_group, group), (other_lane, lane))
                        yield Race(access.memory, element, *pair, lines, (verb, access.verb))
                        break
                if mine not in others:
                    others.append(mine)

    def _line(self, memory: int, verb: str) -> int:
        return next(a.line for a in self.accesses if a.memory == memory and a.verb == verb)

    def ways(self, warp: int = 32) -> dict[str, int]:
        """The worst bank conflict of each local memory: how many different words of one bank a warp asks for at once.

        A bank is 4 bytes wide, and there are 32 (CUDA C++ Programming Guide, compute capability 5.x and later).
        """
        worst: dict[str, int] = {}
        for access in self.accesses:
            if not self.is_local(access.memory):
                continue
            dtype = self.program.lines[access.memory].dtype
            words = access.places * (dtype.itemsize if dtype is not None else BANK_BYTES) // BANK_BYTES
            asked = set(zip(access.groups.tolist(), (access.lanes // warp).tolist(), words.tolist(), strict=True))
            most = max(Counter((group, which, word % BANKS) for group, which, word in asked).values(), default=1)
            worst[self.name(access.memory)] = max(worst.get(self.name(access.memory), 1), most)
        return worst


def _clash(one: str, other: str) -> bool:
    return {one, other} not in ({"read"}, {"atomic"})


def watched(
    program: Program, buffers: tuple[Array, ...], vals: tuple[int, ...], blocks: Size, threads: Size
) -> tuple[Watch, Exception | None]:
    """Run a program and note what its lanes do.

    Parameters
    ----------
    buffers
        Flat arrays, one for each DEFINE_GLOBAL; changed in place.

    Returns
    -------
    Watch and Exception or None
        What was seen, up to the error if the launch ended in one.
    """
    if prod(blocks) * prod(threads) > MOST_LANES:
        return Watch(program, ()), LaunchError(f"{prod(blocks) * prod(threads):,} lanes; at most {MOST_LANES:,} here")
    try:
        program._check_warps(threads)
        program._check_memory(threads)
    except (LaunchError, LimitError) as error:
        return Watch(program, ()), error
    launch = lockstep.Launch(buffers, vals, blocks, threads, program.warp, CHECKS, LIMITS)
    engine = _Watched(program, launch)
    failure: Exception | None = None
    with np.errstate(all="ignore"):
        for chunk in chunks(blocks, threads, program.warp, LANES_PER_CHUNK):
            try:
                engine.run(chunk)
            except Exception as error:  # the caller turns it into a sentence
                failure = error
                break
    return Watch(program, tuple(engine.accesses)), failure


def counted(counts: Mapping[tuple[str, str], int]) -> str:
    """Counts as words.

    >>> counted({("read", "a"): 4, ("write", "out"): 4})
    '4 reads of a, 4 writes of out'
    """
    plural = {"read": "reads of", "write": "writes of", "atomic": "atomics on"}
    singular = {"read": "read of", "write": "write of", "atomic": "atomic on"}
    return ", ".join(f"{n} {(singular if n == 1 else plural)[verb]} {name}" for (verb, name), n in counts.items())
