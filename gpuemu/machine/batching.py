"""Which loops can run many iterations at once.

A loop of few lanes costs more in Python than in numpy. In most loops only the accumulators hand something from one
iteration to the next, and the lines that do not read them (addresses, loads, products) can run for many iterations in
one go, along an axis that the chunk does not use; what reads an accumulator then runs iteration by iteration, in order,
so that every sum rounds as before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from gpuemu.alu import BinaryOps
from gpuemu.machine.grid import AXES
from gpuemu.structure import STATIC, Block, Read, Structure
from gpuemu.uops import Line, UOps

_PURE = frozenset({UOps.ALU, UOps.CAST, UOps.BITCAST, UOps.GEP, UOps.WMMA})
_LANE_BY_LANE = _PURE - {UOps.WMMA} | {UOps.LOAD}
_MEMORY = frozenset({UOps.LOAD, UOps.STORE})


FOLDED = frozenset({BinaryOps.ADD, BinaryOps.MUL, BinaryOps.MAX})


@dataclass(frozen=True, slots=True)
class Fold:
    """An accumulator that takes op(itself, value) in each iteration, and that nothing else in the loop reads.

    Where the op is WMMA, it takes A · B + itself: there are two values.
    """

    op: BinaryOps | Literal[UOps.WMMA]
    line: int
    accumulator: int
    values: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """The body of a loop in two parts.

    Attributes
    ----------
    together
        Lines that run once for many iterations.
    in_turn
        Lines that read or write an accumulator, which run iteration by iteration.
    handed
        The lines, of those that run together and the loop's counter, that the others read.
    accumulators
        The accumulators that the loop writes.
    folds
        What the lines in turn do, where that is known to be folds and nothing more; else empty.
    axes
        The axes along which the values of the lines that run together may differ, each set of axes once.
    """

    together: tuple[int, ...]
    in_turn: tuple[int, ...]
    handed: tuple[int, ...]
    accumulators: tuple[int, ...]
    folds: tuple[Fold, ...]
    axes: frozenset[frozenset[int]]


@lru_cache(maxsize=256)
def batches(structure: Structure) -> dict[int, Batch]:
    """For each RANGE whose iterations can run together, how."""
    loops = _loops(structure, structure.root)
    axes = axes_of(structure) if loops else []
    found = {block.head: plan(structure, block, axes) for block in loops}
    return {head: batch for head, batch in found.items() if head is not None and batch is not None}


def _loops(structure: Structure, block: Block) -> list[Block]:
    inner = [loop for item in block.body if isinstance(item, Block) for loop in _loops(structure, item)]
    is_loop = block.head is not None and structure.lines[block.head].uop is UOps.RANGE
    return [*inner, block] if is_loop else inner


def plan(structure: Structure, loop: Block, axes: Sequence[frozenset[int]]) -> Batch | None:
    """How to run the iterations of a loop together; None where they depend on each other by more than accumulators.

    There must be no loop, IF or BARRIER inside; no value may be read after the loop; and memory that the loop writes
    must be written by one line and read by none, in whichever order the iterations run.
    """
    body = [item for item in loop.body if isinstance(item, int)]
    lines, reads, head = structure.lines, structure.reads, loop.head
    if head is None or len(body) != len(loop.body) or structure.escaping & {head, *body}:
        return None
    accumulators = {reads[i][0].line for i in body if lines[i].uop is UOps.PHI}
    turns: set[int] = set(accumulators)
    for i in body:
        if lines[i].uop is UOps.PHI or turns & {read.line for read in reads[i]}:
            turns.add(i)
    together, in_turn = [i for i in body if i not in turns], [i for i in body if i in turns]
    if not all(_allowed(lines[i], i in turns) for i in body) or _memory_conflicts(structure, body):
        return None
    handed = {read.line for i in in_turn for read in reads[i]} & {head, *together}
    folds = _folds(structure, in_turn)
    differ = frozenset(axes[i] for i in together)
    return Batch(tuple(together), tuple(in_turn), tuple(sorted(handed)), tuple(sorted(accumulators)), folds, differ)


ALL_AXES = frozenset(range(AXES))
_GROUPS, _NOWHERE = frozenset({0, 1, 2}), frozenset[int]()


def axes_of(structure: Structure) -> list[frozenset[int]]:
    """For each line, the axes of the lanes along which its value may differ, where no lane is masked."""
    found: list[frozenset[int]] = []
    for number, line in enumerate(structure.lines):
        if number in structure.escaping:  # lanes that did not run the line have another value
            found.append(ALL_AXES)
        elif line.uop is UOps.SPECIAL:
            found.append(frozenset({2 - line.arg[0] + 3 * (line.arg[1][0] == "l")}))
        elif line.uop is UOps.DEFINE_LOCAL:
            found.append(_GROUPS)
        elif line.uop in STATIC or line.uop is UOps.RANGE:
            counts = structure.reads[number] if line.uop is UOps.RANGE else ()
            found.append(_NOWHERE.union(*(found[read.line] for read in counts)))
        elif line.uop in _LANE_BY_LANE:
            found.append(_NOWHERE.union(*(found[read.line] for read in structure.reads[number])))
        else:
            found.append(ALL_AXES)
    return found


def _folds(structure: Structure, in_turn: list[int]) -> tuple[Fold, ...]:
    """The folds that the lines in turn are: for each accumulator one ALU line and the PHI that takes its result.

    Empty where a line in turn is neither, where an accumulator has two PHIs, or where a fold's value is itself made in
    turn: then the value is another in each iteration, and known only when the iteration runs.
    """
    phis = [i for i in in_turn if structure.lines[i].uop is UOps.PHI]
    folds = [fold for phi in phis if (fold := _fold(structure, phi, in_turn)) is not None]
    accumulators = {fold.accumulator for fold in folds}
    results = {structure.reads[phi][1].line for phi in phis}
    if not len(accumulators) == len(folds) == len(phis) or {*phis, *results} != set(in_turn):
        return ()
    in_order = accumulators.union(in_turn)
    return () if any(value.line in in_order for fold in folds for value in fold.values) else tuple(folds)


def _fold(structure: Structure, phi: int, in_turn: list[int]) -> Fold | None:
    """The fold that ends in a PHI; its ALU or WMMA line must run in each iteration, and read the accumulator once."""
    (target, element), result = structure.reads[phi]
    line, operands = structure.lines[result.line], structure.reads[result.line]
    if result.line not in in_turn or element is not None:
        return None
    if line.uop is UOps.WMMA:
        a, b, c, *more = operands
        return None if more or c != Read(target) else Fold(UOps.WMMA, result.line, target, (a, b))
    others = tuple(read for read in operands if read.line != target)
    if line.uop is not UOps.ALU or line.arg not in FOLDED or len(others) != 1:
        return None
    return Fold(line.arg, result.line, target, others)


def _allowed(line: Line, in_turn: bool) -> bool:
    return line.uop in _PURE or (line.uop is UOps.PHI if in_turn else line.uop in _MEMORY)


def _memory_conflicts(structure: Structure, body: list[int]) -> bool:
    stored = [structure.reads[i][0].line for i in body if structure.lines[i].uop is UOps.STORE]
    loaded = {structure.reads[i][0].line for i in body if structure.lines[i].uop is UOps.LOAD}
    loaded |= {structure.reads[i][1].line for i in body if structure.lines[i].uop is UOps.WMMA}  # B may lie in memory
    return len(stored) != len(set(stored)) or not loaded.isdisjoint(stored)
