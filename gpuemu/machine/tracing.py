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
    here = (
        "" if engine.mask is None else f"  ({np.broadcast_to(engine.mask, engine.chunk.shape).sum()} of {lanes} lanes)"
    )
    if line.uop is UOps.PHI:
        number = engine.structure.reads[number][0].line
    elif not line.has_value or line.uop in MEMORY:
        return here
    return f"  = {_values(engine.values[number], engine.chunk.shape)}{here}"


def _values(value: Any, shape: tuple[int, ...]) -> str:
    """The first lanes' values; one where all lanes have the same."""
    if value.size == 1:
        return f"{value.item()} in each lane"
    rest = value.shape[len(shape) :]
    flat = np.broadcast_to(value, (*shape, *rest)).reshape(-1, *rest)
    more = f", … {len(flat)} lanes" if len(flat) > SHOWN else ""
    return ", ".join(str(x) for x in flat[:SHOWN].tolist()) + more
