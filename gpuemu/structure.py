"""The structure of a program's lines: what is nested in what, and which values each line reads.

Engines read this and never look for it themselves: the blocks (a loop, an IF), the operands with the sources that only
order left out, the accumulator behind each PHI, and the values that are read outside the block that computes them.
"""

from dataclasses import dataclass
from typing import NamedTuple

from gpuemu.errors import ProgramError
from gpuemu.limits import DEFAULT
from gpuemu.op_table import Line, Target, UOps
from gpuemu.uops import accumulators

STATIC = frozenset({UOps.DEFINE_GLOBAL, UOps.DEFINE_LOCAL, UOps.DEFINE_VAR, UOps.SPECIAL, UOps.CONST})
"""The UOps whose value depends on no other line: it is there from the start, in each lane."""

_ENDS = {UOps.ENDRANGE: UOps.RANGE, UOps.ENDIF: UOps.IF}
_EXITS = frozenset({UOps.BREAK, UOps.CONTINUE})
Chain = tuple[int | None, ...]
"""The heads of the blocks around a line, outermost first; None is the whole program."""


class Read(NamedTuple):
    """Where an operand's value is found: the line that holds it, and the element where it is one of a vector's."""

    line: int
    element: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A RANGE or an IF with what it encloses; the whole program is the block whose head is None."""

    head: int | None
    body: "tuple[int | Block, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """The checked lines of a program, ready for an engine.

    Attributes
    ----------
    lines
        The program's lines.
    reads
        For each line, where its operands' values are found. A PHI is found in its accumulator, so that its
        present value is read.
    root
        The program as nested blocks; lines that are static are in none.
    escaping
        Lines whose value is read outside their block: a lane that did not run them keeps what it had (0 at first).
    exits
        For each BREAK and CONTINUE, the RANGE of the loop that it leaves or goes on with.
    left
        The RANGEs and IFs that some lanes may leave by an exit inside: a RANGE by its own, an IF by its loop's.
    """

    lines: tuple[Line, ...]
    reads: tuple[tuple[Read, ...], ...]
    root: Block
    escaping: frozenset[int]
    exits: dict[int, int]
    left: frozenset[int]


def operands(lines: tuple[Line, ...], number: int) -> tuple[int, ...]:
    """The sources of a line that have a value; those without one only order.

    An accumulator has no operands: its sources name its loops.
    """
    line = lines[number]
    if line.uop is UOps.DEFINE_ACC:
        return ()
    return tuple(source for source in line.sources if lines[source].has_value)


def analyse(lines: tuple[Line, ...], nesting: int = DEFAULT.nesting) -> Structure:
    """The structure of lines that have passed their own checks.

    Raises
    ------
    ProgramError
        Where loops and IFs are not properly nested, or more than `nesting` of them in each other.
    """
    root, chains = _nest(lines, nesting)
    targets = accumulators(lines)
    reads = tuple(_reads(lines, targets, number) for number in range(len(lines)))
    exits = {number: _loop_of(lines, chains, number) for number, line in enumerate(lines) if line.uop in _EXITS}
    escaping = {
        read.line
        for number, line in enumerate(lines)
        if line.uop is not UOps.ENDRANGE
        for read in (reads[number][1:] if line.uop is UOps.PHI else reads[number])
        if _home(lines, chains, read.line) not in chains[number]
    }
    kept = frozenset(i for i in escaping if lines[i].uop is not UOps.DEFINE_ACC and lines[i].uop not in STATIC)
    left = {head for number, loop in exits.items() for head in _from(chains[number], loop)}
    return Structure(lines, reads, root, kept, exits, frozenset(left))


def _reads(lines: tuple[Line, ...], targets: dict[int, Target], number: int) -> tuple[Read, ...]:
    sources = operands(lines, number)
    if lines[number].uop is UOps.PHI:  # what it writes, then what it reads; its loops say nothing more
        return Read(*targets[number]), _read(lines, targets, sources[1])
    return tuple(_read(lines, targets, source) for source in sources)


def _read(lines: tuple[Line, ...], targets: dict[int, Target], source: int) -> Read:
    return Read(*targets[source]) if lines[source].uop is UOps.PHI else Read(source)


def _loop_of(lines: tuple[Line, ...], chains: list[Chain], number: int) -> int:
    """The RANGE of the innermost loop around a BREAK or CONTINUE, which is the one that it names if it names one."""
    inside = [head for head in chains[number] if head is not None and lines[head].uop is UOps.RANGE]
    name = lines[number].uop.name
    if not inside:
        raise ProgramError(f"line {number} ({name}): is in no loop; it belongs between a RANGE and its ENDRANGE")
    for named in operands(lines, number):
        if named != inside[-1]:
            raise ProgramError(f"line {number} ({name}): names the loop of line {named}; the innermost is {inside[-1]}")
    return inside[-1]


def _from(chain: Chain, loop: int) -> list[int]:
    """The heads of a chain from that of a loop inwards."""
    return [head for head in chain if head is not None and head >= loop]


def _home(lines: tuple[Line, ...], chains: list[Chain], number: int) -> int | None:
    """The head of the block in which a value is made; a RANGE counts inside its own loop."""
    return number if lines[number].uop is UOps.RANGE else chains[number][-1]


def _nest(lines: tuple[Line, ...], nesting: int) -> tuple[Block, list[Chain]]:
    """The lines as nested blocks, and for each line the heads of the blocks around it, outermost first."""
    open_heads: list[int | None] = [None]
    bodies: list[list[int | Block]] = [[]]
    chains: list[Chain] = []
    for number, line in enumerate(lines):
        if line.uop in _ENDS:
            _check_end(lines, number, open_heads[-1])
            chains.append(tuple(open_heads))
            block = Block(open_heads.pop(), tuple(bodies.pop()))
            bodies[-1].append(block)
            continue
        chains.append(tuple(open_heads))
        if line.uop in (UOps.RANGE, UOps.IF):
            open_heads.append(number)
            if len(open_heads) > nesting + 1:
                raise ProgramError(
                    f"line {number} ({line.uop.name}): more than {nesting} blocks in each other; "
                    "Limits(nesting=…) allows more"
                )
            bodies.append([])
        elif line.uop not in STATIC:
            bodies[-1].append(number)
    unclosed = open_heads[-1]
    if unclosed is not None:
        name = lines[unclosed].uop.name
        raise ProgramError(f"line {unclosed} ({name}): has no END{name}; each {name} is ended by a line that names it")
    return Block(None, tuple(bodies[0])), chains


def _check_end(lines: tuple[Line, ...], number: int, head: int | None) -> None:
    line = lines[number]
    named = next((source for source in line.sources if lines[source].uop is _ENDS[line.uop]), None)
    if named == head and head is not None:
        return
    where = f"line {number} ({line.uop.name}): ends line {named}"
    if head is None:
        raise ProgramError(f"{where}, which is not open: it was ended before")
    raise ProgramError(
        f"{where}, but line {head} ({lines[head].uop.name}) is the innermost that is open; end that first"
    )
