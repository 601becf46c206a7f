"""How much work a program's lines are: the steps that `gpuemu.limits.Limits` counts."""

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


@lru_cache(maxsize=256)
def work_of_blocks(structure: Structure) -> dict[int | None, int]:
    """For each block by its head, the elements that a lane computes in its own lines."""
    found: dict[int | None, int] = {}
    blocks = [structure.root]
    while blocks:
        block = blocks.pop()
        own = [structure.lines[item] for item in block.body if isinstance(item, int)]
        blocks += [item for item in block.body if isinstance(item, Block)]
        found[block.head] = 1 + sum(_elements(line) for line in own)
    return found


def _elements(line: Line) -> int:
    """The elements of a line's value; those that numpy takes long for count more than once."""
    if line.dtype is None:
        return 1
    narrow = line.dtype.is_float and line.uop in (UOps.ALU, UOps.CAST)
    of_type = SLOW_FLOATS.get(line.dtype.numpy.itemsize, 1) if narrow else 1
    return line.dtype.count * max(of_type, SLOW.get(line.arg if line.uop is UOps.ALU else line.uop, 1))
