"""How much work a program's lines are: the steps that `gpuemu.limits.Limits` counts."""

from dataclasses import dataclass
from functools import lru_cache

from gpuemu.alu import UnaryOps
from gpuemu.errors import LimitError
from gpuemu.limits import LANES_PER_STEP, Limits
from gpuemu.structure import Block, Structure
from gpuemu.uops import Line, UOps

SLOW = {UnaryOps.EXP2: 8, UnaryOps.LOG2: 8, UnaryOps.SIN: 8, UOps.SHUFFLE: 8, UOps.ATOMIC: 32}
"""Lines that take numpy long, and how many elements of others an element of theirs is worth."""
SLOW_FLOATS = {1: 16, 2: 4}
"""The same for lines of floating-point types of so many bytes, which processors do not compute with."""
PRODUCT = 4
"""The same for a product of a tensor core."""
LONG = {
    **dict.fromkeys((UOps.LOAD, UOps.STORE, UOps.WARP_BARRIER), 3),
    **dict.fromkeys((UOps.LDMATRIX, UOps.STMATRIX), 30),
    **dict.fromkeys((UOps.ATOMIC, UOps.SHUFFLE, UOps.VOTE, UOps.WMMA), 100),
}
"""Lines that take long however few lanes there are, and how many others a line of theirs is worth."""


def beyond(what: str, limits: Limits) -> LimitError:
    """The error of a launch that takes more steps than it may."""
    return LimitError(
        f"{what} more than {limits.steps:,} steps; does its loop end, and is its grid as large as meant? "
        "Program(…, limits=Limits(steps=…)) allows more"
    )


def steps_of_products(count: int) -> int:
    """The steps that so many products of tensor cores are.

    >>> steps_of_products(16 * 8 * 16)
    8
    """
    return PRODUCT * count // LANES_PER_STEP


@dataclass(frozen=True, slots=True)
class Work:
    """What it takes to run the lines of a block once, without those of the blocks inside: lines, elements of a lane."""

    lines: int
    elements: int

    def steps(self, lanes: int) -> int:
        """The steps that it takes with so many lanes together."""
        return self.lines + self.elements * lanes // LANES_PER_STEP


@lru_cache(maxsize=256)
def work_of_blocks(structure: Structure) -> dict[int | None, Work]:
    """For each block, by its head."""
    found: dict[int | None, Work] = {}
    blocks = [structure.root]
    while blocks:
        block = blocks.pop()
        own = [structure.lines[item] for item in block.body if isinstance(item, int)]
        inner = [item for item in block.body if isinstance(item, Block)]
        blocks += inner
        lines = 1 + sum(weight(line) for line in own) + 3 * len(inner)
        found[block.head] = Work(lines, 1 + sum(_elements(line) for line in own))
    return found


def weight(line: Line) -> int:
    """How many lines a line is worth, however few the lanes are."""
    return LONG.get(line.uop, 1)


def _elements(line: Line) -> int:
    """The elements of a line's value; those that numpy takes long for count more than once."""
    if line.dtype is None:
        return 1
    narrow = line.dtype.is_float and line.uop in (UOps.ALU, UOps.CAST)
    of_type = SLOW_FLOATS.get(line.dtype.numpy.itemsize, 1) if narrow else 1
    return line.dtype.count * max(of_type, SLOW.get(line.arg if line.uop is UOps.ALU else line.uop, 1))
