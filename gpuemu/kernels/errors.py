"""The errors of writing kernels: the builder's, and those that point to a line of somebody's source."""

from dataclasses import dataclass
from typing import Any

from gpuemu.errors import GpuEmuError, HazardError, Report


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where a UOp comes from: a file or cell, the number of a line in it (from 1), and the text of that line.

    >>> str(SourceLine("saxpy", 3, "out[i] = a * x[i] + y[i]"))
    'saxpy, line 3: out[i] = a * x[i] + y[i]'
    """

    file: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.number}: {self.text.strip()}"


class BuilderError(GpuEmuError, TypeError):
    """Values were put together whose types do not fit, or a block was used after its end."""


class ViewKernelError(GpuEmuError, ValueError):
    """Views do not fit together as the operands of a kernel."""


class KernelError(GpuEmuError, ValueError):
    """A Python function is no kernel that this front end can translate; `where` is the line of its source.

    The message ends with the line and a caret under the part that it speaks of.
    """

    def __init__(self, message: str, where: SourceLine | None = None, column: int = 0) -> None:
        self.where = where
        self.column = column
        shown = ""
        if where is not None:
            text = where.text.rstrip()
            indent = len(text) - len(text.lstrip())
            caret = " " * max(0, column - indent) + "^"
            shown = f"\n{where.file}, line {where.number}:\n    {text.strip()}\n    {caret}"
        super().__init__(message + shown)


class KernelHazardError(HazardError):
    """A kernel did what its result must not depend on; the message shows the lines of its source.

    Attributes
    ----------
    reports
        What happened, by the numbers of the program's lines.
    where
        The source lines concerned, the one that was running first.
    """

    def __init__(self, reports: tuple[Report, ...], where: tuple[SourceLine, ...]) -> None:
        super().__init__(reports)
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy is made of, so that another process can raise it on."""
        return type(self), (self.reports, self.where)

    def __str__(self) -> str:
        shown = "".join(f"\n    {place}" for place in self.where)
        return f"{super().__str__()}{shown}"
