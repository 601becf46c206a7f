"""What each line does on all lanes of a chunk: one function a UOp, which the lockstep engine calls.

Arrays are never changed in place, so a value may be shared; the engine's mask says which lanes take part.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType, ImageDType
from gpuemu.errors import DivisionError
from gpuemu.machine import atomics, hazards, matrices, warps, wmma
from gpuemu.machine.arithmetic import FUNCTIONS, truth
from gpuemu.machine.casts import bitcast, convert, number_in
from gpuemu.machine.forms import Known
from gpuemu.machine.grid import AXES
from gpuemu.machine.memory import load_image, store_image
from gpuemu.machine.strided import Access, load, store
from gpuemu.machine.work import steps_of_products
from gpuemu.structure import Read, Structure
from gpuemu.uops import Line, UOps, initial_value

if TYPE_CHECKING:
    from gpuemu.machine.lockstep import Lockstep

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Step = Callable[[], None]
Run = Callable[["Lockstep"], None]
"""A step of whichever engine runs it."""
Reads = tuple[Read, ...]


def both(mask: Mask | None, condition: Array) -> Mask:
    return condition if mask is None else np.logical_and(mask, condition)


def numpy_of(line: Line) -> np.dtype[Any]:
    return _dtype(line).numpy


def _dtype(line: Line) -> DType:
    if line.dtype is None:
        raise TypeError(f"{line.uop.name} has no dtype")  # the checks of a program do not let this through
    return line.dtype


def constant(line: Line, value: Any) -> Array:
    """A number in the line's dtype: integers wrap, floats round."""
    dtype = _dtype(line)
    shape = (1,) * AXES + ((dtype.count,) if dtype.count > 1 else ())
    return np.full(shape, number_in(dtype, value), dtype.numpy)


def _load(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
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


def _store(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    memory, index, value = engine.memories[reads[0].line], engine.value(reads[1]), engine.value(reads[2])
    active, _ = engine.gated(engine.value(reads[3]) if len(reads) > 3 else None)
    if active is not None and not active.any():
        return
    image = engine.lines[reads[0].line].dtype
    if isinstance(image, ImageDType):
        store_image(memory, image.shape, engine.chunk, number, index, value, active)
    else:
        memory.store(engine.chunk, number, index, value, active)


def strided(known: Known, structure: Structure, number: int, keep: bool) -> Run | None:
    """The step of a LOAD or STORE whose index, and gate, are forms; None for others.

    Parameters
    ----------
    keep
        Whether nobody writes to the memory, so that what is loaded needs no copy.
    """
    line, reads = structure.lines[number], structure.reads[number]
    stores = line.uop is UOps.STORE
    gate = reads[2 + stores].line if len(reads) > 2 + stores else None
    index, gates = known.forms.get(reads[1].line), () if gate is None else known.gates.get(gate)
    memory = reads[0].line
    if index is None or gates is None or isinstance(structure.lines[memory].dtype, ImageDType):
        return None
    if stores:
        return _strided_store(number, line, reads, Access(index, _width(structure, reads[2]), gates))
    nothing = constant(line, 0) if gate is None else None
    return _strided_load(number, line, reads, Access(index, _dtype(line).count, gates), nothing, keep)


def _strided_load(number: int, line: Line, reads: Reads, access: Access, nothing: Array | None, keep: bool) -> Run:
    memory_line = reads[0].line

    def step(engine: Lockstep) -> None:
        memory = engine.memories[memory_line]
        found = access.now(engine.place, memory, engine.within, engine.position)
        if found is not None:
            other = engine.value(reads[3]) if nothing is None else nothing
            value = load(found, memory, engine.position, other, keep)
            if value is not None:
                engine.set(number, value)
                return
        _load(engine, number, line, reads)

    return step


def _strided_store(number: int, line: Line, reads: Reads, access: Access) -> Run:
    memory_line, read = reads[0].line, reads[2]

    def step(engine: Lockstep) -> None:
        memory = engine.memories[memory_line]
        found = access.now(engine.place, memory, engine.within, engine.position)
        if found is None or not store(found, memory, engine.position, engine.value(read)):
            _store(engine, number, line, reads)

    return step


def _width(structure: Structure, read: Read) -> int:
    """How many elements an operand has in a lane."""
    return 1 if read.element is not None else _dtype(structure.lines[read.line]).count


def from_form(number: int) -> Run:
    """The step of a line whose values are known by form."""

    def step(engine: Lockstep) -> None:
        engine.values[number] = engine.from_form(number)

    return step


def may_fail(line: Line) -> bool:
    return line.arg in (BinaryOps.DIV, BinaryOps.MOD) and not _dtype(line).is_float


def _alu(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    values = [engine.value(read) for read in reads]
    if may_fail(line):
        values[1] = _nonzero(engine, number, line, values[1])
    engine.set(number, FUNCTIONS[line.arg](*values))


def arithmetic(number: int, line: Line, reads: Reads) -> Run:
    """The step of an ALU line that cannot fail: inner loops spend their time here, so it does as little as it can."""
    function = FUNCTIONS[line.arg]
    if len(reads) != 2 or any(read.element is not None for read in reads):

        def step(engine: Lockstep) -> None:
            engine.values[number] = function(*[engine.value(read) for read in reads])

        return step
    left, right = reads[0].line, reads[1].line

    def step_of_two(engine: Lockstep) -> None:
        values = engine.values
        values[number] = function(values[left], values[right])

    return step_of_two


def _define_acc(number: int, line: Line) -> Run:
    initial = constant(line, initial_value(line))

    def step(engine: Lockstep) -> None:
        engine.values[number] = engine.merge(initial, engine.values[number])

    return step


def step_of(structure: Structure, number: int) -> Run:
    """What runs a line on an engine, lane by lane where it accesses memory."""
    line, reads = structure.lines[number], structure.reads[number]
    if line.uop is UOps.DEFINE_ACC:
        return _define_acc(number, line)
    if line.uop is UOps.ALU and number not in structure.escaping and not may_fail(line):
        return arithmetic(number, line, reads)
    execute = EXECUTE[line.uop]

    def step(engine: Lockstep) -> None:
        execute(engine, number, line, reads)

    return step


def _nonzero(engine: Lockstep, number: int, line: Line, divisor: Array) -> Array:
    """The divisors, with 1 in the place of the zeros of inactive lanes; a zero in an active lane is an error."""
    zero = np.logical_not(divisor)
    if not zero.any():
        return divisor
    flags = both(engine.mask, zero if zero.ndim == AXES else np.any(zero, axis=-1))
    if flags.any():
        lanes, count = engine.chunk.lanes(flags, limit=1), int(np.broadcast_to(flags, engine.chunk.shape).sum())
        more = f" and {count - 1} more" if count > 1 else ""
        raise DivisionError(f"line {number} (ALU): {line.arg.name} of {line.dtype} by zero in {lanes[0]}{more}")
    return np.where(zero, np.ones((), divisor.dtype), divisor)


def _cast(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    values = [convert(engine.value(read), numpy_of(line)) for read in reads]
    engine.set(number, values[0] if len(values) == 1 else np.stack(np.broadcast_arrays(*values), axis=-1))


def _bitcast(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    engine.set(number, bitcast(engine.value(reads[0]), numpy_of(line)))


def _gep(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    value = engine.value(reads[0])
    engine.set(number, value[..., line.arg] if value.ndim > AXES else value)


def _phi(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    (accumulator, element), value = reads[0], engine.value(reads[1])
    old = engine.values[accumulator]
    if element is None or old.ndim == AXES:
        engine.values[accumulator] = engine.merge(value, old)
        return
    value = engine.merge(value, old[..., element])
    vector = np.array(np.broadcast_to(old, (*np.broadcast_shapes(old.shape[:AXES], value.shape), old.shape[AXES])))
    vector[..., element] = value
    engine.values[accumulator] = vector


def _barrier(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    if engine.mask is not None and "divergent-barrier" in engine.launch.checks:
        hazards.divergent_barrier(engine.chunk, number, engine.heads[-1], engine.mask)


def _wmma(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    core, mask = engine.cores[number], engine.mask
    active = None if mask is None or mask.all() else mask
    groups = engine.chunk.lanes_at_once // core.instruction.lanes
    engine.count(number, steps_of_products(groups * core.products))
    a, c, *index = (engine.value(read) for read in (reads[0], *reads[2:]))
    if core.b_is_shared:
        b = wmma.read_shared(core, engine.memories[reads[1].line], engine.chunk, number, index.pop(), active)
    else:
        b = engine.value(reads[1])
    value = wmma.multiply(core, engine.chunk, number, (a, b, c), active, *index)
    engine.set(number, value if _dtype(line).count > 1 else value[..., 0])


def _warp(engine: Lockstep, number: int) -> warps.Warps:
    return warps.Warps(engine.chunk, number, engine.mask, "shuffle" in engine.launch.checks)


def _shuffle(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    value, *rest = (engine.value(read) for read in reads)
    engine.set(number, _warp(engine, number).shuffle(line.arg, value, *rest))


def _vote(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    condition, *mask = (engine.value(read) for read in reads)
    engine.set(number, _warp(engine, number).vote(line.arg, truth(condition), numpy_of(line), *mask))


def _warp_barrier(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    if "divergent-barrier" in engine.launch.checks and (reads or engine.mask is not None):
        head = engine.heads[-1] if engine.heads else None
        _warp(engine, number).barrier(head, *(engine.value(read) for read in reads))


def _atomic(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    index, *values = (engine.value(read) for read in reads[1:])
    wanted = 2 if line.arg == "compare-and-swap" else 1
    active, _ = engine.gated(values[wanted] if len(values) > wanted else None)
    memory = engine.memories[reads[0].line]
    count = partial(engine.count, number)
    engine.set(number, atomics.change(memory, engine.chunk, number, line.arg, index, values[:wanted], active, count))


def _exit(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    engine.leave(number, for_good=line.uop is UOps.BREAK)


def _ldmatrix(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    memory, index = engine.memories[reads[0].line], engine.value(reads[1])
    engine.set(number, matrices.load(memory, engine.chunk, number, line.arg, index, engine.mask))


def _stmatrix(engine: Lockstep, number: int, line: Line, reads: Reads) -> None:
    memory, index, value = engine.memories[reads[0].line], engine.value(reads[1]), engine.value(reads[2])
    matrices.store(memory, engine.chunk, number, line.arg, index, value, engine.mask)


EXECUTE: dict[UOps, Callable[[Lockstep, int, Line, Reads], None]] = {
    UOps.LOAD: _load,
    UOps.STORE: _store,
    UOps.ALU: _alu,
    UOps.CAST: _cast,
    UOps.BITCAST: _bitcast,
    UOps.GEP: _gep,
    UOps.PHI: _phi,
    UOps.BARRIER: _barrier,
    UOps.WMMA: _wmma,
    UOps.SHUFFLE: _shuffle,
    UOps.VOTE: _vote,
    UOps.ATOMIC: _atomic,
    UOps.WARP_BARRIER: _warp_barrier,
    UOps.BREAK: _exit,
    UOps.CONTINUE: _exit,
    UOps.LDMATRIX: _ldmatrix,
    UOps.STMATRIX: _stmatrix,
}
RUNNING = frozenset({UOps.DEFINE_ACC, *EXECUTE})
"""The UOps whose lines have a step; the others are there from the start, or are blocks."""
