"""The errors of gpuemu: one base, one subclass a kind.

A message says what was called, with what, what was expected, and where it helps, what to try.
"""


class GpuEmuError(Exception):
    """The base of every error that gpuemu raises on purpose."""


class ProgramError(GpuEmuError, ValueError):
    """A list of lines is not a well-formed program; the message names the line."""


class LaunchError(GpuEmuError, ValueError):
    """A program was launched with buffers, sizes or values that do not fit it."""


class InstructionError(GpuEmuError, KeyError):
    """No tensor-core instruction has that name, or several have."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class LaneMapError(GpuEmuError, IndexError):
    """A lane map was asked for, or built from, an element that its operand does not have."""


class UnitError(GpuEmuError, ValueError):
    """No arithmetic unit has that name, or it does not take these types, shapes or values."""
