"""The errors of gpuemu: one base, one subclass a kind.

A message says what was called, with what, what was expected, and where it helps, what to try.
"""

from dataclasses import dataclass
from typing import Any


def shown(given: object, most: int = 80) -> str:
    """What was given, for a message: its repr, cut where it is long.

    >>> shown("m16n8k16"), shown("m" * 100, most=12), shown(10**5000)
    ("'m16n8k16'", "'mmmmmmmmmmm…", 'a number of more digits than can be shown')
    """
    try:
        text = repr(given)
    except ValueError:  # Python does not write an integer of more than 4,300 digits
        return "a number of more digits than can be shown"
    return text if len(text) <= most else f"{text[:most]}…"


class GpuEmuError(Exception):
    """The base of every error that gpuemu raises on purpose."""


class ProgramError(GpuEmuError, ValueError):
    """A list of lines is not a well-formed program; the message names the line."""


class LaunchError(GpuEmuError, ValueError):
    """A program was launched with buffers, sizes or values that do not fit it."""


class LimitError(GpuEmuError, RuntimeError):
    """A program asks for more than its limits allow, such as a loop that does not end; the message says which."""


class DeviceError(GpuEmuError, ValueError):
    """A device was asked for a target, a buffer or a program that it cannot give; the message names the call."""


class InstructionError(GpuEmuError, KeyError):
    """No tensor-core instruction has that name, or several have."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class LaneMapError(GpuEmuError, IndexError):
    """A lane map was asked for, or built from, an element that its operand does not have."""


class UnitError(GpuEmuError, ValueError):
    """No arithmetic unit has that name, or it does not take these types, shapes or values."""


@dataclass(frozen=True, slots=True)
class LanePosition:
    """Where a lane is: its workgroup (x, y, z), its number in the workgroup, and its warp.

    >>> str(LanePosition((1, 0, 0), 37, 1))
    'lane 37 (warp 1) of workgroup (1, 0, 0)'
    """

    workgroup: tuple[int, int, int]
    lane: int
    warp: int

    def __str__(self) -> str:
        return f"lane {self.lane} (warp {self.warp}) of workgroup {self.workgroup}"


@dataclass(frozen=True, slots=True)
class Report:
    """One mistake that a running program made, for one pair of lines: the first time it happened, and how often.

    Attributes
    ----------
    kind
        ``out-of-bounds``, ``uninitialised``, ``divergent-barrier``, ``shuffle``, ``misaligned``, ``divergent-wmma``,
        ``duplicate-lanes``, ``different-starts`` or ``sparse-index``.
    buffer, index
        The buffer's name and the element, None where no buffer has part in it.
    lanes
        The lanes concerned, the first one first.
    lines
        The numbers of the program's lines concerned, the one that was running first.
    count
        How many lanes of the workgroups that ran together did it.
    cause, fix
        A sentence each: what went wrong, and what to do.
    """

    kind: str
    buffer: str | None
    index: int | None
    lanes: tuple[LanePosition, ...]
    lines: tuple[int, ...]
    count: int
    cause: str
    fix: str

    def __str__(self) -> str:
        """A line for each of place, cause, lanes and cure, since notebooks break long lines inside words."""
        lines = f"line {self.lines[0]}" + "".join(f", with line {line}" for line in self.lines[1:])
        many = f", and {self.count - 1} more" if self.count > 1 else ""
        return f"{self.kind} at {lines}:\n    {self.cause}\n    {self.lanes[0]}{many}\n    {self.fix}"


class HazardError(GpuEmuError, RuntimeError):
    """A running program did what its result must not depend on; `reports` says what, where and what to do."""

    def __init__(self, reports: tuple[Report, ...]) -> None:
        super().__init__("\n".join(map(str, reports)))
        self.reports = reports

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of, so that another process can raise it on."""
        return type(self), (self.reports,)


class DivisionError(GpuEmuError, ZeroDivisionError):
    """An active lane divided an integer by zero."""


class FragmentError(GpuEmuError, ValueError):
    """A fragment to check, or an accumulator to reuse, does not have the form that the call needs."""


class NotationError(GpuEmuError, ValueError):
    """The text of a lane map's notation cannot be read, or does not fit the operand that it is read for."""
