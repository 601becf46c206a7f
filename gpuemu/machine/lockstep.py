"""The numpy engine: every line runs once for all lanes of a chunk of workgroups.

A value is an array that broadcasts over (gz, gy, gx, lz, ly, lx): length 1 along each axis on which it is the same,
and a seventh axis for the elements of a vector. Lanes that diverge are a mask: None where all are active. Arrays are
never changed in place, so a value may be shared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from itertools import combinations
from math import prod

import numpy as np

from gpuemu.alu import BinaryOps
from gpuemu.errors import DivisionError, HazardError
from gpuemu.limits import DEFAULT, Limits
from gpuemu.machine import chains, wmma
from gpuemu.machine.arithmetic import in_order, truth
from gpuemu.machine.batching import Batch, Fold
from gpuemu.machine.forms import Form
from gpuemu.machine.forms import counter as variable_of
from gpuemu.machine.grid import AXES, LANES_PER_CHUNK, Chunk, Size, chunks
from gpuemu.machine.memory import Memory
from gpuemu.machine.plan import NO_VALUE, plan, written_memories
from gpuemu.machine.steps import Array, Mask, Step, both, numpy_of
from gpuemu.machine.strided import place_of
from gpuemu.machine.tracing import show
from gpuemu.machine.work import beyond, steps_of_products, weight, work_of_blocks
from gpuemu.structure import STATIC, Block, Read, Structure
from gpuemu.uops import Line, UOps, buffer_name

BYTES_PER_CHUNK = 1 << 28
"""What the values of a chunk's lanes may take; a program of many lines or wide vectors runs in smaller chunks."""
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
    limits
        How much it may do.
    trace
        The text of each line, where each is to be printed with its values as it runs.
    """

    buffers: tuple[Array, ...]
    vals: tuple[int, ...]
    global_size: Size
    local_size: Size
    warp: int
    checks: frozenset[str]
    limits: Limits = DEFAULT
    trace: tuple[str, ...] = ()


@dataclass(slots=True)
class Exits:
    """The lanes that have left a loop by BREAK, and those that do no more in this iteration; None where none has."""

    left: Mask | None = None
    paused: Mask | None = None

    def without(self, mask: Mask | None) -> Mask | None:
        """The lanes of the mask that are still here."""
        for gone in (self.left, self.paused):
            mask = mask if gone is None else both(mask, ~gone)
        return mask


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
    LimitError
        Where it does not end within the limits.
    """
    lanes = prod(launch.global_size) * prod(launch.local_size)
    if work_of_blocks(structure)[None].steps(lanes) > launch.limits.steps:  # never start what cannot end
        raise beyond(f"{lanes:,} lanes take", launch.limits)
    engine = Lockstep(structure, cores, launch)
    with np.errstate(all="ignore"):
        for chunk in chunks(launch.global_size, launch.local_size, launch.warp, engine.lanes_at_once):
            engine.run(chunk)


def bytes_per_lane(structure: Structure, local_size: Size) -> int:
    """What the values of all lines take, and a lane's share of the local memory."""
    held, shared = _bytes(structure)
    return held + -(-shared // prod(local_size))


@lru_cache(maxsize=256)
def _bytes(structure: Structure) -> tuple[int, int]:
    """What the values of all lines take in a lane, and the local memory of a workgroup."""
    held = 1 + sum(x.dtype.itemsize for x in structure.lines if x.dtype is not None and x.uop not in STATIC)
    shared = sum(x.arg[1] * numpy_of(x).itemsize for x in structure.lines if x.uop is UOps.DEFINE_LOCAL)
    return held, int(shared)


class Lockstep:
    """The state of a running chunk: the values of the lines, the mask, the memories."""

    def __init__(self, structure: Structure, cores: Mapping[int, wmma.TensorCore], launch: Launch) -> None:
        self.structure = structure
        self.lines = structure.lines
        self.cores = cores
        self.launch = launch
        self.chunk = Chunk((0, 0, 0), (1, 1, 1), (1, 1, 1), launch.warp)
        self.place = place_of(self.chunk.shape)
        self.position = dict.fromkeys(range(AXES), 0)
        self.mask: Mask | None = None
        self.within: tuple[Form, ...] | None = ()  # forms that are positive in the lanes of the mask; None: no such
        self.heads: list[int] = []  # the IFs, loops and exits that keep some lanes away, outermost first
        self.exits: list[Exits] = []  # of the open loops
        self.steps = 0
        self.lanes_at_once = min(LANES_PER_CHUNK, BYTES_PER_CHUNK // bytes_per_lane(structure, launch.local_size))
        self._work = work_of_blocks(structure)
        self.memories: dict[int, Memory] = {}
        for number, array in zip(_globals(structure), launch.buffers, strict=True):
            self.memories[number] = Memory(buffer_name(self.lines[number]), number, array, array.size)
        overlap, traced_ = _overlap(structure, launch.buffers), bool(launch.trace)
        self.plan = plan(structure, (launch.global_size, launch.local_size, launch.vals), overlap, traced_)
        self.values = list(self.plan.initial)  # None where it is known by form, and nobody has asked for the array
        self._batches = self.plan.batches
        self._steps = {number: self._step(number, self.lines[number]) for number in self.plan.steps}

    def run(self, chunk: Chunk) -> None:
        """Run the program on one chunk."""
        self.chunk, self.place, self.heads, self.exits = chunk, place_of(chunk.shape), [], []
        self._only(None, ())
        self.position.update(enumerate(chunk.origin))
        self.values[:] = self.plan.initial
        for number in self.plan.static:
            line = self.lines[number]
            if line.uop is UOps.SPECIAL:
                axis, name, _ = line.arg
                self.values[number] = chunk.position(axis, of_group=name[0] == "g", dtype=numpy_of(line))
            elif line.uop is UOps.DEFINE_LOCAL:
                self.memories[number] = self._local(number, line)
            show(self, number)
        self._run_body(self.structure.root)

    def _local(self, number: int, line: Line) -> Memory:
        name, size = line.arg
        groups = prod(self.chunk.groups)
        array = np.zeros(groups * size, numpy_of(line))
        written = np.zeros(array.size, np.bool_) if "uninitialised" in self.launch.checks else None
        _, y, x = self.chunk.groups
        z_step, y_step, x_step = (n * size * (k > 1) for n, k in zip((y * x, x, 1), self.chunk.groups, strict=True))
        base = self.chunk.group_numbers * size
        return Memory(name, number, array, size, base, written, (z_step, y_step, x_step))

    def _step(self, number: int, line: Line) -> Step:
        return partial(self.plan.steps[number], self)

    def from_form(self, number: int) -> Array:
        """The values of a line that is known by form."""
        form = self.plan.known.forms.get(number)
        if form is not None:
            return self.place.values(form, self.position).astype(numpy_of(self.lines[number]))
        positive = [self.place.values(gate, self.position) > 0 for gate in self.plan.known.gates[number]]
        gate: Array = reduce(np.logical_and, positive)
        return gate

    def _only(self, mask: Mask | None, within: tuple[Form, ...] | None = None) -> None:
        """From now on, only the lanes of the mask do something; `within` are forms that say which, where there are."""
        self.mask, self.within = mask, within

    def count(self, number: int | None, steps: int) -> None:
        """Add to the steps that the launch has taken, in the line of that number or in lines of no block.

        Raises
        ------
        LimitError
            Where it has taken more than it may.
        """
        self.steps += steps
        if self.steps > self.launch.limits.steps:
            where = "" if number is None else f"line {number} ({self.lines[number].uop.name}): "
            raise beyond(f"{where}the launch has taken", self.launch.limits)

    def _run_body(self, block: Block) -> None:
        self.count(block.head, self._work[block.head].steps(self.chunk.lanes_at_once))
        steps, exits, last = self._steps, self.structure.exits, self.plan.last
        for item in block.body:
            if isinstance(item, int):
                if item in steps:
                    steps[item]()
                if item in exits:
                    return
                if item in last:
                    self._forget(last[item])
                continue
            head = item.head or 0
            if self.lines[head].uop is UOps.RANGE:
                self._loop(item, head)
            elif self._if(item, head) and self.mask is not None and not self.mask.any():
                return
            self._forget(last.get(head, ()))

    def _forget(self, numbers: Iterable[int]) -> None:
        """Nobody reads these values any more."""
        for number in numbers:
            self.values[number] = NO_VALUE

    def _loop(self, block: Block, head: int) -> None:
        """All lanes step together; those whose range has ended wait. Each iteration is the same for all."""
        start, end = (self.value(read) for read in self.structure.reads[head])
        outer, within, depth, batch = self.mask, self.within, len(self.heads), self._batches.get(head)
        counted, unread = head in self.plan.known.forms, head in self.plan.known.unread
        if batch is not None and start.size == end.size == 1 and self._loop_together(batch, head, start, end):
            return
        # A difference of unsigned integers wraps to the true one, however wide the range is.
        trips = np.where(end > start, end.astype(np.uint64) - start.astype(np.uint64), np.uint64(0))
        if outer is not None and trips.size > 1:
            trips = np.where(outer, trips, np.uint64(0))
        shortest, counter, one = int(trips.min()), start, np.ones((), start.dtype)
        exits = Exits() if head in self.structure.left else None
        if exits is not None:
            self.exits.append(exits)
        for trip in range(int(trips.max())):
            if trip == shortest:
                self.heads.append(head)
            if trip >= shortest:
                self._only(both(outer, trips > np.uint64(trip)))
            if exits is not None and not self._next(
                exits, outer if trip < shortest else self.mask, depth + (trip >= shortest)
            ):
                break
            if not unread:
                self.set(head, counter)
            if counted:
                self.position[variable_of(head)] = counter.item()
            show(self, head)
            self._run_body(block)
            counter = counter + one
        if exits is not None:
            self.exits.pop()
        self._only(outer, within)
        del self.heads[depth:]

    def _next(self, exits: Exits, mask: Mask | None, depth: int) -> bool:
        """Begin an iteration with the lanes that have not left the loop; False where none is left."""
        del self.heads[depth + (exits.left is not None) :]
        exits.paused = None
        here = exits.without(mask)
        self._only(here, self.within if here is mask else None)
        return self.mask is None or bool(self.mask.any())

    def leave(self, number: int, *, for_good: bool) -> None:
        """The lanes that are here leave the innermost loop, or its present iteration."""
        exits = self.exits[-1]
        here = np.ones((1,) * AXES, np.bool_) if self.mask is None else self.mask
        if for_good:
            exits.left = here if exits.left is None else exits.left | here
        else:
            exits.paused = here if exits.paused is None else exits.paused | here
        self._only(np.zeros((1,) * AXES, np.bool_))
        self.heads.append(number)

    def _loop_together(self, batch: Batch, head: int, start: Array, end: Array) -> bool:
        """Run many iterations at once, along the first axis; False, with nothing changed, where that cannot be done."""
        chunk, first, trips, folds = self.chunk, start.item(), end.item() - start.item(), self._folds(batch)
        chained = any(fold.op is UOps.WMMA for fold in folds)
        at_once = min(trips, self.lanes_at_once // self._widest(batch, folds))
        if chunk.groups[0] > 1 or at_once < LEAST_BATCH:
            return False
        before, place = {number: self.values[number] for number in batch.accumulators}, self.place
        try:
            for trip in range(0, trips, at_once):
                count = min(at_once, trips - trip)
                in_turn = 0 if folds and not chained else count * sum(weight(self.lines[i]) for i in batch.in_turn)
                self.count(head, in_turn + self._work[head].steps(count * chunk.lanes_at_once))
                if head not in self.plan.known.unread:
                    counters = np.arange(count).astype(start.dtype) + start.dtype.type(first + trip)
                    self.values[head] = counters.reshape(count, *(1,) * (AXES - 1))
                self.chunk = Chunk(chunk.origin, (count, *chunk.groups[1:]), chunk.local, chunk.warp)
                self.place = place_of(self.chunk.shape, head)
                self.position[variable_of(head)] = first + trip
                for number in batch.together:
                    if number in self._steps:
                        self._steps[number]()
                self.chunk, self.place = chunk, place
                self._take_turns(batch, count)
                self._forget(number for number in batch.together if number in self._steps)
        except (HazardError, DivisionError):  # run it again in order, to report the first lane that fails
            self.chunk, self.place = chunk, place
            for number, value in before.items():
                self.values[number] = value
            return False
        return True

    def _folds(self, batch: Batch) -> tuple[Fold, ...]:
        """The folds that the lines in turn are; none where one of them must be made one by one."""
        one_by_one = any(fold.op is UOps.WMMA and not chains.chains(self.cores[fold.line]) for fold in batch.folds)
        return () if one_by_one else batch.folds

    def _widest(self, batch: Batch, folds: tuple[Fold, ...]) -> int:
        """The lanes over which the values of an iteration differ, where lanes hold all that in-order lines make."""
        lengths = self.chunk.shape
        if self.mask is not None or not folds or any(fold.op is not UOps.WMMA for fold in folds):
            return prod(lengths)
        return max((prod(lengths[axis] for axis in axes) for axes in batch.axes), default=1)

    def _fold(self, fold: Fold, count: int) -> Array:
        """What an accumulator is after so many iterations."""
        old, values = self.values[fold.accumulator], [self.value(read) for read in fold.values]
        if not isinstance(fold.op, BinaryOps):
            core, mask = self.cores[fold.line], self.mask
            groups = self.chunk.lanes_at_once // core.instruction.lanes
            self.count(fold.line, count * steps_of_products(groups * core.products))
            active = None if mask is None or mask.all() else mask
            d = chains.multiply(core, self.chunk, fold.line, (values[0], values[1], old), active, count)
            return d if core.d.dtype.count > 1 else d[..., 0]
        return in_order(fold.op, old, values[0], count)

    def _take_turns(self, batch: Batch, count: int) -> None:
        folds = self._folds(batch)
        for fold in folds:
            old = self.values[fold.accumulator]
            self.values[fold.accumulator] = self.merge(self._fold(fold, count), old)
        if folds:
            return
        handed = [(number, self.values[number]) for number in batch.handed]
        for turn in range(count if batch.in_turn else 0):
            for number, value in handed:
                self.values[number] = value[turn : turn + 1] if value.shape[0] > 1 else value
            for number in batch.in_turn:
                self._steps[number]()

    def _if(self, block: Block, head: int) -> bool:
        """Run the body in the lanes whose condition is true; True where lanes may have left by an exit inside."""
        condition = truth(self.value(self.structure.reads[head][0]))
        outer, within, depth, may_leave = self.mask, self.within, len(self.heads), head in self.structure.left
        show(self, head)
        if condition.all():
            self._run_body(block)
        elif both(outer, condition).any():
            gates = self.plan.known.gates.get(self.structure.reads[head][0].line)
            self._only(both(outer, condition), None if within is None or gates is None else within + gates)
            self.heads.append(head)
            self._run_body(block)
        exit_lines = [line for line in self.heads[depth:] if line in self.structure.exits]
        here = self.exits[-1].without(outer) if may_leave else outer
        self._only(here, within if here is outer else None)
        self.heads[depth:] = [] if self.mask is outer else exit_lines[-1:]
        return may_leave

    def value(self, read: Read) -> Array:
        """The present value of an operand."""
        held = self.values[read.line]
        value: Array = self.from_form(read.line) if held is None else held
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
        return both(self.mask, condition), condition


def _overlap(structure: Structure, buffers: tuple[Array, ...]) -> bool:
    """Whether a buffer that is written shares memory with another."""
    pairs = combinations(zip(_buffers(structure), buffers, strict=True), 2)
    return any((i or j) and np.may_share_memory(x, y) for (i, x), (j, y) in pairs)


@lru_cache(maxsize=256)
def _globals(structure: Structure) -> tuple[int, ...]:
    """The buffers, in the order of the lines."""
    return tuple(number for number, line in enumerate(structure.lines) if line.uop is UOps.DEFINE_GLOBAL)


@lru_cache(maxsize=256)
def _buffers(structure: Structure) -> tuple[bool, ...]:
    """For each buffer, whether it is written."""
    written = written_memories(structure)
    return tuple(number in written for number in _globals(structure))
