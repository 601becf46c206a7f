"""How much a program may ask for: limits that keep a stranger's program from filling the memory or never ending."""

from dataclasses import dataclass

LANES_PER_STEP = 1024
"""A step is one line for up to so many elements, so that steps measure work whatever the launch."""

MAX_DIGITS = 400
"""Of a number in a program; the longest float64 that repr writes has 24."""

MAX_NAME = 200
"""Characters of a label or a name in a program: messages repeat it, and tinygrad's longest are about 100."""

MAX_DEPTH = 16
"""Tuples in each other in the arg of a line; a WMMA's has two."""


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
        Of a whole launch. A line that the workgroups of a chunk run together is a step, in each iteration of its loop
        again, and every 1,024 elements that their lanes compute, all elements of a vector, are a step more. What takes
        long counts several times: lines such as LOAD, ATOMIC, SHUFFLE and WMMA, elements of EXP2, LOG2 and SIN and of
        half and fp8 arithmetic, and the products of a tensor core. So a launch is stopped after a few seconds to
        about a minute, whatever it does, and twice that on a machine that is busy with other work; the naive product of
        two float32 matrices of 1024 × 1024 takes 10 million steps, and two seconds.
    """

    lines: int = 100_000
    text: int = 1 << 24
    nesting: int = 64
    workgroup_bytes: int = 1 << 28
    buffer_bytes: int = 1 << 32
    steps: int = 20_000_000


DEFAULT = Limits()
