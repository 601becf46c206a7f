"""How a program runs in launches of one kind: the step of each line, made once and kept for the next launch."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from gpuemu.machine.batching import Batch, batches
from gpuemu.machine.forms import FROM_FORM, NOTHING, Known, known
from gpuemu.machine.grid import AXES, Size
from gpuemu.machine.steps import RUNNING, Run, constant, from_form, step_of, strided
from gpuemu.machine.tracing import traced
from gpuemu.structure import STATIC, Block, Structure
from gpuemu.uops import WRITES, UOps

Sizes = tuple[Size, Size, tuple[int, ...]]
"""Workgroups, lanes of a workgroup, and the vals."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is the same in all launches of a program that agree in sizes and vals.

    Attributes
    ----------
    known
        What is known of its integers.
    initial
        The values before the first line runs: constants, vals, and zeros where a value is read by lanes that may not
        have run its line. None where a value is known by form.
    static
        The lines whose value or memory is another in each chunk, before the first line runs.
    steps
        What runs each line; lines that need not run have none.
    batches
        For each RANGE whose iterations can run together, how.
    last
        For each line, or block by its head, the values that nobody reads after it: their memory is free again.
    """

    known: Known
    initial: tuple[Any, ...]
    static: tuple[int, ...]
    steps: Mapping[int, Run]
    batches: Mapping[int, Batch]
    last: Mapping[int, tuple[int, ...]]


NO_VALUE = np.zeros((1,) * AXES, np.bool_)
"""What stands for the value of a line that has none now."""


@lru_cache(maxsize=256)
def plan(structure: Structure, sizes: Sizes, overlap: bool, trace: bool) -> Plan:
    """The plan for launches of these sizes.

    Parameters
    ----------
    overlap
        Whether a buffer that is written shares memory with another.
    trace
        Whether each line is printed as it runs; then every line runs.
    """
    found = NOTHING if trace else known(structure, *sizes)
    steps = _steps(structure, found, overlap)
    if trace:
        steps = {number: traced(number, step) for number, step in steps.items()}
    static = STATIC if trace else {UOps.SPECIAL, UOps.DEFINE_LOCAL}
    return Plan(
        found,
        _initial(structure, found, sizes[2]),
        tuple(
            number for number, line in enumerate(structure.lines) if line.uop in static and number not in found.unread
        ),
        steps,
        {} if overlap or trace else batches(structure),
        _last_reads(structure, structure.root, _forgettable(structure, steps)),
    )


def _steps(structure: Structure, found: Known, overlap: bool) -> dict[int, Run]:
    written, steps = written_memories(structure), {}
    for number, line in enumerate(structure.lines):
        if number in found.unread or line.uop not in RUNNING:
            continue
        step = None
        if line.uop in FROM_FORM and (number in found.forms or number in found.gates):
            step = from_form(number)
        elif line.uop in (UOps.LOAD, UOps.STORE):
            step = strided(
                found, structure, number, keep=not overlap and structure.reads[number][0].line not in written
            )
        steps[number] = step or step_of(structure, number)
    return steps


def _initial(structure: Structure, found: Known, vals: tuple[int, ...]) -> tuple[Any, ...]:
    values: list[Any] = [NO_VALUE] * len(structure.lines)
    given = iter(vals)
    for number, line in enumerate(structure.lines):
        if line.uop is UOps.DEFINE_VAR:
            values[number] = constant(line, next(given))
        elif line.uop is UOps.CONST:
            values[number] = constant(line, line.arg)
        elif line.dtype is not None and (number in structure.escaping or line.uop is UOps.DEFINE_ACC):
            values[number] = constant(line, 0)
        elif line.uop in FROM_FORM and (number in found.forms or number in found.gates):
            values[number] = None
    return tuple(values)


def _forgettable(structure: Structure, steps: Mapping[int, Run]) -> set[int]:
    """The lines that run, and whose values are read in their own blocks alone."""
    running = {number for number in steps if structure.lines[number].uop is not UOps.DEFINE_ACC}
    return running - structure.escaping


def _last_reads(structure: Structure, block: Block, of: Set[int]) -> dict[int, tuple[int, ...]]:
    """For each line and each block inside, which of some values of this block nobody reads after it."""
    own = {item for item in block.body if isinstance(item, int)} & of
    last, found = {number: number for number in own}, dict[int, tuple[int, ...]]()
    ending: dict[int, list[int]] = {}
    for item in block.body:
        inside = [item] if isinstance(item, int) else _lines_of(item)
        read = {read.line for number in inside for read in structure.reads[number]}
        last |= dict.fromkeys(own & read, inside[0])
        if isinstance(item, Block):
            found |= _last_reads(structure, item, of)
    for number, at in last.items():
        ending.setdefault(at, []).append(number)
    return found | {at: tuple(numbers) for at, numbers in ending.items()}


def _lines_of(block: Block) -> list[int]:
    """The lines of a block, its head first."""
    inner = [[item] if isinstance(item, int) else _lines_of(item) for item in block.body]
    return [block.head or 0, *chain.from_iterable(inner)]


def written_memories(structure: Structure) -> frozenset[int]:
    """The memories that some line writes."""
    return frozenset(structure.reads[i][0].line for i, line in enumerate(structure.lines) if line.uop in WRITES)
