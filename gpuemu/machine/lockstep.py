"""The numpy engine: every line runs once for all lanes of a chunk of workgroups.

A value is an array that broadcasts over (gz, gy, gx, lz, ly, lx): length 1 along each axis on which it is the same,
and a seventh axis for the elements of a vector. Lanes that diverge are a mask: None where all are active. Arrays are
never changed in place, so a value may be shared.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType, ImageDType
from gpuemu.errors import DivisionError, HazardError
from gpuemu.machine import hazards, wmma
from gpuemu.machine.arithmetic import FUNCTIONS, truth
from gpuemu.machine.batching import Batch, batches
from gpuemu.machine.casts import bitcast, convert, number_in
from gpuemu.machine.grid import AXES, LANES_PER_CHUNK, Chunk, Size, chunks
from gpuemu.machine.memory import Memory, load_image, store_image
from gpuemu.structure import Block, Read, Structure
from gpuemu.uops import Line, UOps, buffer_name, initial_value

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Step = Callable[[], None]

LEAST_BATCH = 4  # iterations; with fewer at once, taking turns costs what running together saves


@dataclass(frozen=True, slots=True)
class Launch:
    """What a launch gives to an engine.

    Attributes
    ----------
    buffers
        One flat array for each DEFINE_GLOBAL, in the order of the lines.
    vals
        One integer for each DEFINE_VAR, in the order of the lines.
    global_size, local_size
        Workgroups, and lanes of a workgroup, as (x, y, z).
    warp
        Lanes of a warp.
    checks
        The kinds of hazards to look for.
    """

    buffers: tuple[Array, ...]
    vals: tuple[int, ...]
    global_size: Size
    local_size: Size
    warp: int
    checks: frozenset[str]


def run(structure: Structure, cores: Mapping[int, wmma.TensorCore], launch: Launch) -> None:
    """Run a program on all workgroups of a launch, chunk by chunk; its buffers are changed in place.

    Parameters
    ----------
    cores
        The tensor core of each WMMA line.

    Raises
    ------
    HazardError, DivisionError
        Where a lane does what has no result.
    """
    engine = Lockstep(structure, cores, launch)
    with np.errstate(all="ignore"):
        for chunk in chunks(launch.global_size, launch.local_size, launch.warp):
            engine.run(chunk)


class Lockstep:
    """The state of a running chunk: the values of the lines, the mask, the memories."""

    def __init__(self, structure: Structure, cores: Mapping[int, wmma.TensorCore], launch: Launch) -> None:
        self.structure = structure
        self.lines = structure.lines
        self.cores = cores
        self.launch = launch
        self.chunk = Chunk((0, 0, 0), (1, 1, 1), (1, 1, 1), launch.warp)
        self.mask: Mask | None = None
        self.heads: list[int] = []  # the open IFs and loops that keep some lanes away, outermost first
        self.values: list[Array] = [np.zeros((1,) * AXES, np.bool_)] * len(self.lines)
        self.memories: dict[int, Memory] = {}
        self._initial = self._values_at_start()
        self._batches = {} if _overlap(structure, launch.buffers) else batches(structure)
        self._steps: dict[int, Step] = {
            number: self._step(number, line) for number, line in enumerate(self.lines) if line.uop in _EXECUTE
        }

    def run(self, chunk: Chunk) -> None:
        """Run the program on one chunk."""
        self.chunk, self.mask, self.heads = chunk, None, []
        self.values[:] = self._initial  # in place: the steps hold the list
        for number, line in enumerate(self.lines):
            if line.uop is UOps.SPECIAL:
                axis, name, _ = line.arg
                self.values[number] = chunk.position(axis, of_group=name[0] == "g", dtype=_numpy(line))
            elif line.uop is UOps.DEFINE_LOCAL:
                self.memories[number] = self._local(number, line)
        self._run_body(self.structure.root)

    def _values_at_start(self) -> list[Array]:
        """Constants, vals, and zeros where a value is read by lanes that may not have run its line."""
        values, buffers, vals = list(self.values), iter(self.launch.buffers), iter(self.launch.vals)
        for number, line in enumerate(self.lines):
            if line.uop is UOps.DEFINE_GLOBAL:
                array = next(buffers)
                self.memories[number] = Memory(buffer_name(line), number, array, array.size)
            elif line.uop is UOps.DEFINE_VAR:
                values[number] = _constant(line, next(vals))
            elif line.uop is UOps.CONST:
                values[number] = _constant(line, line.arg)
            elif line.dtype is not None:
                values[number] = _constant(line, 0)
        return values

    def _local(self, number: int, line: Line) -> Memory:
        name, size = line.arg
        groups = prod(self.chunk.groups)
        array = np.zeros(groups * size, _numpy(line))
        written = np.zeros(array.size, np.bool_) if "uninitialised" in self.launch.checks else None
        return Memory(name, number, array, size, self.chunk.group_numbers * size, written)

    def _step(self, number: int, line: Line) -> Step:
        reads = self.structure.reads[number]
        if line.uop is UOps.ALU and number not in self.structure.escaping and not _may_fail(line):
            return _arithmetic(self, number, line, reads)
        return partial(_EXECUTE[line.uop], self, number, line, reads)

    def _run_body(self, block: Block) -> None:
        for item in block.body:
            if isinstance(item, int):
                self._steps[item]()
            elif self.lines[item.head or 0].uop is UOps.RANGE:
                self._loop(item, item.head or 0)
            else:
                self._if(item, item.head or 0)

    def _loop(self, block: Block, head: int) -> None:
        """All lanes step together; those whose range has ended wait. Each iteration is the same for all."""
        start, end = (self.value(read) for read in self.structure.reads[head])
        outer, batch = self.mask, self._batches.get(head)
        if batch is not None and start.size == end.size == 1 and self._loop_together(batch, head, start, end):
            return
        # A difference of unsigned integers wraps to the true one, however wide the range is.
        trips = np.where(end > start, end.astype(np.uint64) - start.astype(np.uint64), np.uint64(0))
        if outer is not None and trips.size > 1:
            trips = np.where(outer, trips, np.uint64(0))
        shortest, counter, one = int(trips.min()), start, np.ones((), start.dtype)
        for trip in range(int(trips.max())):
            if trip == shortest:
                self.heads.append(head)
            if trip >= shortest:
                self.mask = _both(outer, trips > np.uint64(trip))
            self.set(head, counter)
            self._run_body(block)
            counter = counter + one
        if self.mask is not outer:
            self.mask = outer
            self.heads.pop()

    def _loop_together(self, batch: Batch, head: int, start: Array, end: Array) -> bool:
        """Run many iterations at once, along the first axis; False, with nothing changed, where that cannot be done."""
        chunk, first, trips = self.chunk, start.item(), end.item() - start.item()
        at_once = min(trips, LANES_PER_CHUNK // prod(chunk.shape))
        if chunk.groups[0] > 1 or at_once < LEAST_BATCH:
            return False
        before = {number: self.values[number] for number in batch.accumulators}
        try:
            for trip in range(0, trips, at_once):
                count = min(at_once, trips - trip)
                counters = np.arange(count).astype(start.dtype) + start.dtype.type(first + trip)
                self.values[head] = counters.reshape(count, *(1,) * (AXES - 1))
                self.chunk = replace(chunk, groups=(count, *chunk.groups[1:]))
                for number in batch.together:
                    self._steps[number]()
                self.chunk = chunk
                self._take_turns(batch, count)
        except (HazardError, DivisionError):  # run it again in order, to report the first lane that fails
            self.chunk = chunk
            for number, value in before.items():
                self.values[number] = value
            return False
        return True

    def _take_turns(self, batch: Batch, count: int) -> None:
        handed = [(number, self.values[number]) for number in batch.handed]
        for turn in range(count if batch.in_turn else 0):
            for number, value in handed:
                self.values[number] = value[turn : turn + 1] if value.shape[0] > 1 else value
            for number in batch.in_turn:
                self._steps[number]()

    def _if(self, block: Block, head: int) -> None:
        condition = truth(self.value(self.structure.reads[head][0]))
        outer = self.mask
        if condition.all():
            self._run_body(block)
        elif _both(outer, condition).any():
            self.mask = _both(outer, condition)
            self.heads.append(head)
            self._run_body(block)
            self.heads.pop()
            self.mask = outer

    def value(self, read: Read) -> Array:
        """The present value of an operand."""
        value = self.values[read.line]
        return value if read.element is None else value[..., read.element]

    def set(self, number: int, value: Array) -> None:
        """Give a line its value; where it is read outside its block, inactive lanes keep what they had."""
        if self.mask is not None and number in self.structure.escaping:
            value = self.merge(value, self.values[number])
        self.values[number] = value

    def merge(self, value: Array, old: Array) -> Array:
        """The value in active lanes, the old one in the others."""
        if self.mask is None:
            return value
        return np.where(self.mask if max(value.ndim, old.ndim) == AXES else self.mask[..., None], value, old)

    def gated(self, gate: Array | None) -> tuple[Mask | None, Mask | None]:
        """The lanes that make an access, and the gate; None where the gate is true in all."""
        if gate is None or (condition := truth(gate)).all():
            return self.mask, None
        return _both(self.mask, condition), condition


def _overlap(structure: Structure, buffers: tuple[Array, ...]) -> bool:
    """Whether a buffer that is written shares memory with another."""
    globals_ = [number for number, line in enumerate(structure.lines) if line.uop is UOps.DEFINE_GLOBAL]
    written = {structure.reads[i][0].line for i, line in enumerate(structure.lines) if line.uop is UOps.STORE}
    pairs = combinations(zip(globals_, buffers, strict=True), 2)
    return any((i in written or j in written) and np.may_share_memory(x, y) for (i, x), (j, y) in pairs)


def _both(mask: Mask | None, condition: Array) -> Mask:
    return condition if mask is None else np.logical_and(mask, condition)


def _numpy(line: Line) -> "np.dtype[Any]":
    return _dtype(line).numpy


def _dtype(line: Line) -> DType:
    if line.dtype is None:
        raise TypeError(f"{line.uop.name} has no dtype")  # the checks of a program do not let this through
    return line.dtype


def _constant(line: Line, value: Any) -> Array:
    """A number in the line's dtype: integers wrap, floats round."""
    dtype = _dtype(line)
    shape = (1,) * AXES + ((dtype.count,) if dtype.count > 1 else ())
    return np.full(shape, number_in(dtype, value), dtype.numpy)


def _define_acc(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    engine.values[number] = engine.merge(_constant(line, initial_value(line)), engine.values[number])


def _load(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    memory, index, dtype = engine.memories[reads[0].line], engine.value(reads[1]), _dtype(line)
    active, gate = engine.gated(engine.value(reads[2]) if len(reads) > 2 else None)
    image = engine.lines[reads[0].line].dtype
    if isinstance(image, ImageDType):
        value = load_image(memory, image.shape, index, active)
    else:
        value = memory.load(engine.chunk, number, index, dtype.count, active)
    if gate is not None:
        other = engine.value(reads[3])
        if value.ndim > AXES:
            gate, other = gate[..., None], (other if other.ndim > AXES else other[..., None])
        value = np.where(gate, value, other)
    engine.set(number, value)


def _store(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    memory, index, value = engine.memories[reads[0].line], engine.value(reads[1]), engine.value(reads[2])
    active, _ = engine.gated(engine.value(reads[3]) if len(reads) > 3 else None)
    if active is not None and not active.any():
        return
    image = engine.lines[reads[0].line].dtype
    if isinstance(image, ImageDType):
        store_image(memory, image.shape, engine.chunk, number, index, value, active)
    else:
        memory.store(engine.chunk, number, index, value, active)


def _may_fail(line: Line) -> bool:
    return line.arg in (BinaryOps.DIV, BinaryOps.MOD) and not _dtype(line).is_float


def _alu(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    values = [engine.value(read) for read in reads]
    if _may_fail(line):
        values[1] = _nonzero(engine, number, line, values[1])
    engine.set(number, FUNCTIONS[line.arg](*values))


def _arithmetic(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> Step:
    """The step of an ALU line that cannot fail: inner loops spend their time here, so it does as little as it can."""
    function, values = FUNCTIONS[line.arg], engine.values
    if len(reads) != 2 or any(read.element is not None for read in reads):

        def step() -> None:
            values[number] = function(*(engine.value(read) for read in reads))

        return step
    left, right = reads[0].line, reads[1].line

    def step_of_two() -> None:
        values[number] = function(values[left], values[right])

    return step_of_two


def _nonzero(engine: Lockstep, number: int, line: Line, divisor: Array) -> Array:
    """The divisors, with 1 in the place of the zeros of inactive lanes; a zero in an active lane is an error."""
    zero = np.logical_not(divisor)
    if not zero.any():
        return divisor
    flags = _both(engine.mask, zero if zero.ndim == AXES else np.any(zero, axis=-1))
    if flags.any():
        lanes, count = engine.chunk.lanes(flags, limit=1), int(np.broadcast_to(flags, engine.chunk.shape).sum())
        more = f" and {count - 1} more" if count > 1 else ""
        raise DivisionError(f"line {number} (ALU): {line.arg.name} of {line.dtype} by zero in {lanes[0]}{more}")
    return np.where(zero, np.ones((), divisor.dtype), divisor)


def _cast(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    values = [convert(engine.value(read), _numpy(line)) for read in reads]
    engine.set(number, values[0] if len(values) == 1 else np.stack(np.broadcast_arrays(*values), axis=-1))


def _bitcast(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    engine.set(number, bitcast(engine.value(reads[0]), _numpy(line)))


def _gep(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    value = engine.value(reads[0])
    engine.set(number, value[..., line.arg] if value.ndim > AXES else value)


def _phi(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    (accumulator, element), value = reads[0], engine.value(reads[1])
    old = engine.values[accumulator]
    if element is None or old.ndim == AXES:
        engine.values[accumulator] = engine.merge(value, old)
        return
    value = engine.merge(value, old[..., element])
    vector = np.array(np.broadcast_to(old, (*np.broadcast_shapes(old.shape[:AXES], value.shape), old.shape[AXES])))
    vector[..., element] = value
    engine.values[accumulator] = vector


def _barrier(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    if engine.mask is not None and "divergent-barrier" in engine.launch.checks:
        hazards.divergent_barrier(engine.chunk, number, engine.heads[-1], engine.mask)


def _wmma(engine: Lockstep, number: int, line: Line, reads: tuple[Read, ...]) -> None:
    a, b, c = (engine.value(read) for read in reads)
    mask = engine.mask
    active = None if mask is None or mask.all() else mask
    value = wmma.multiply(engine.cores[number], engine.chunk, number, a, b, c, active)
    engine.set(number, value if _dtype(line).count > 1 else value[..., 0])


_EXECUTE: dict[UOps, Callable[[Lockstep, int, Line, tuple[Read, ...]], None]] = {
    UOps.DEFINE_ACC: _define_acc,
    UOps.LOAD: _load,
    UOps.STORE: _store,
    UOps.ALU: _alu,
    UOps.CAST: _cast,
    UOps.BITCAST: _bitcast,
    UOps.GEP: _gep,
    UOps.PHI: _phi,
    UOps.BARRIER: _barrier,
    UOps.WMMA: _wmma,
}
