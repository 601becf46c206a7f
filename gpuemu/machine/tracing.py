"""TRACE=1: each line, as it runs, with the values that it gives."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuemu.op_table import MEMORY, UOps

if TYPE_CHECKING:
    from gpuemu.machine.lockstep import Lockstep
    from gpuemu.machine.steps import Run

SHOWN = 8
"""Values of a line that are printed."""


def show(engine: Lockstep, number: int) -> None:
    """Print a line that has run: number, text, the first lanes' values, and how many lanes are here."""
    if engine.launch.trace:
        sys.stdout.write(f"{number:4} {engine.launch.trace[number].strip()}{_result(engine, number)}\n")


def traced(number: int, step: Run) -> Run:
    """The step, which then shows its line."""

    def run(engine: Lockstep) -> None:
        step(engine)
        show(engine, number)

    return run


def _result(engine: Lockstep, number: int) -> str:
    line, lanes = engine.lines[number], engine.chunk.lanes_at_once
    mask = engine.mask
    here = "" if mask is None else f"  ({np.broadcast_to(mask, engine.chunk.shape).sum()} of {lanes} lanes)"
    if line.uop is UOps.STORE:
        _, index, value, *gate = (engine.value(read) for read in engine.structure.reads[number])
        writing, _ = engine.gated(gate[0] if gate else None)
        return f"  writes {_values(value, engine, writing)} at {_values(index, engine, writing)}{here}"
    if line.uop is UOps.PHI:
        number = engine.structure.reads[number][0].line
    elif not line.has_value or line.uop in MEMORY:
        return here
    kept = line.uop is UOps.PHI or number in engine.structure.escaping  # then the others have what they had
    return f"  = {_values(engine.values[number], engine, None if kept else mask)}{here}"


def _values(value: Any, engine: Lockstep, mask: Any) -> str:
    """The first lanes' values, – for those that are not here; one where all lanes have the same."""
    shape = engine.chunk.shape
    rest = value.shape[len(shape) :]
    if value.size == np.prod(rest, dtype=int):
        same = value.reshape(rest).tolist()
        return f"{same} in each lane" + (" that takes part" if mask is not None else "")
    flat = np.broadcast_to(value, (*shape, *rest)).reshape(-1, *rest)
    here = np.broadcast_to(True if mask is None else mask, shape).reshape(-1)
    more = f", … {len(flat)} lanes" if len(flat) > SHOWN else ""
    return ", ".join(str(x.tolist()) if lane else "–" for x, lane in zip(flat[:SHOWN], here, strict=False)) + more
