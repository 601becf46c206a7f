"""How much a program may ask for: limits that keep a stranger's program from filling the memory or never ending."""

from dataclasses import dataclass

LANES_PER_STEP = 1024
"""A step is one line for up to so many elements, so that steps measure work whatever the launch."""

MAX_DIGITS = 400
"""Of a number in a program; the longest float64 that repr writes has 24."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a program; `Program(…, limits=Limits(steps=10**9))` raises one.

    Attributes
    ----------
    lines
        Lines of a program.
    text
        Characters of a program's text form.
    nesting
        Blocks (IF, RANGE) in each other.
    workgroup_bytes
        What the values of all lines and the local memory of one workgroup take.
    buffer_bytes
        One buffer that a device allocates.
    steps
        Lines run for one chunk of workgroups: a line of a loop counts in each iteration, and once more for every 1,024
        elements that the lanes which run together compute, all elements of a vector; those of EXP2, LOG2 and SIN count
        eight times.

    Examples
    --------
    >>> Limits().nesting
    64
    """

    lines: int = 100_000
    text: int = 1 << 24
    nesting: int = 64
    workgroup_bytes: int = 1 << 28
    buffer_bytes: int = 1 << 32
    steps: int = 10_000_000


DEFAULT = Limits()
