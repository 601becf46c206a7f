"""From what a person wrote, ``(uop, dtype, sources, arg)``, to checked lines."""

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from operator import index
from typing import Any

import numpy as np

from gpuemu.dtypes import DType
from gpuemu.errors import ProgramError, shown
from gpuemu.limits import MAX_DEPTH, MAX_DIGITS, MAX_NAME
from gpuemu.structure import operands
from gpuemu.uops import (
    ALU_OPS,
    OPS,
    AluOp,
    BinaryOps,
    Line,
    Site,
    TernaryOps,
    UnaryOps,
    UOps,
    accumulators,
    check_line,
)


def parse_lines(lines: Sequence[Any]) -> tuple[Line, ...]:
    """The lines with every part of its own type: sources as a tuple, an ALU op by its enum, numpy numbers as Python's.

    >>> from gpuemu import dtypes
    >>> parse_lines([(UOps.CONST, dtypes.int32, [], np.int32(3))])
    (Line(uop=<UOps.CONST: 5>, dtype=dtypes.int32, sources=(), arg=3),)

    Raises
    ------
    ProgramError
        Where an entry is not of these four parts, or a source names no line.
    """
    if isinstance(lines, str) or not isinstance(lines, Iterable):
        raise ProgramError(f"got {shown(lines)} as the lines; expected a list of (uop, dtype, sources, arg)")
    entries = tuple(lines)
    return tuple(_parse(number, entry, len(entries)) for number, entry in enumerate(entries))


def _parse(number: int, entry: Any, count: int) -> Line:
    parts = (entry.uop, entry.dtype, entry.sources, entry.arg) if isinstance(entry, Line) else entry
    if not isinstance(parts, tuple | list) or len(parts) != 4:
        raise ProgramError(f"line {number}: got {shown(entry)}; expected (uop, dtype, sources, arg)")
    uop, dtype, sources, arg = parts
    if not isinstance(uop, UOps):
        near = _near(uop, UOps.__members__)
        raise ProgramError(f"line {number}: the uop is {shown(uop)}; expected one of UOps{near}")
    where = f"line {number} ({uop.name})"
    if dtype is not None and not isinstance(dtype, DType):
        raise ProgramError(f"{where}: the dtype is {shown(dtype)}; expected one of gpuemu.dtypes, or None")
    arg = _alu_op(where, arg) if uop is UOps.ALU else _plain(where, arg)
    if dtype is not None and uop in (UOps.CONST, UOps.DEFINE_ACC):
        arg = (_folded(dtype, arg[0]), *arg[1:]) if isinstance(arg, tuple) and arg else _folded(dtype, arg)
    if uop is not UOps.ALU:
        _check_arg(where, arg)
    checked = _sources(where, uop, sources, number, count)
    return Line(uop, dtype if OPS[uop].has_value else None, checked, arg)


def _folded(dtype: DType, value: Any) -> Any:
    """A constant as the dtype holds it, where both are integers: modulo 2ⁿ."""
    if type(value) is not int or not dtype.is_integer:
        return value
    bits = 8 * dtype.scalar().itemsize
    wrapped = value % 2**bits
    return wrapped - 2**bits if dtype.kind == "signed" and wrapped >= 2 ** (bits - 1) else wrapped


def _plain(where: str, arg: Any, depth: int = 0) -> Any:
    """An arg with numpy's numbers as Python's, lists as tuples, and one nan, which then is equal to itself."""
    if isinstance(arg, np.generic):
        arg = arg.item()
    if not isinstance(arg, tuple | list):
        return math.nan if isinstance(arg, float) and math.isnan(arg) else arg
    if depth == MAX_DEPTH:
        raise ProgramError(f"{where}: the arg has more than {MAX_DEPTH} tuples in each other")
    return tuple(_plain(where, part, depth + 1) for part in arg)


def _check_arg(where: str, arg: Any) -> None:
    """Only what the text form can write: integers of so many digits, names that messages can repeat."""
    parts = [arg]
    while parts:
        part = parts.pop()
        parts += part if isinstance(part, tuple) else ()
        if not isinstance(part, bool | int | float | str | DType | tuple | None):
            raise ProgramError(
                f"{where}: the arg has {shown(part)}; expected numbers, texts, dtypes and tuples of them"
            )
        if isinstance(part, int) and abs(part) >= 10**MAX_DIGITS:
            raise ProgramError(f"{where}: the arg is an integer of more than {MAX_DIGITS} digits")
        if isinstance(part, str) and len(part) > MAX_NAME:
            raise ProgramError(f"{where}: {shown(part)}: a name of {len(part):,} characters; at most {MAX_NAME}")


def _sources(where: str, uop: UOps, sources: Any, number: int, count: int) -> tuple[int, ...]:
    if not isinstance(sources, tuple | list):
        raise ProgramError(f"{where}: the sources are {shown(sources)}; expected a list of line numbers")
    checked = []
    for source in sources:
        if isinstance(source, bool) or not isinstance(source, int | np.integer):
            raise ProgramError(f"{where}: source {shown(source)} is no line number")
        checked.append(index(source))
        if uop is UOps.DEFINE_ACC and not 0 <= source < count:
            raise ProgramError(f"{where}: source {shown(source)} is no line; the program has lines 0 to {count - 1}")
        if uop is not UOps.DEFINE_ACC and not 0 <= source < number:
            earlier = f"the earlier lines are 0 to {number - 1}"
            hint = earlier if number else "this is the first, and has none before it"
            raise ProgramError(f"{where}: source {shown(source)} is no earlier line; {hint}")
    return tuple(checked)


def _alu_op(where: str, arg: Any) -> AluOp:
    if isinstance(arg, UnaryOps | BinaryOps | TernaryOps):
        return arg
    if isinstance(arg, str) and arg in ALU_OPS:
        return ALU_OPS[arg]
    near = _near(arg, ALU_OPS)
    raise ProgramError(f"{where}: there is no ALU op {shown(arg)}{near}; there are {', '.join(ALU_OPS)}")


def _near(given: Any, known: Any) -> str:
    close = get_close_matches(shown(given).strip("'").upper(), list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]}?)" if close else ""


def check_lines(lines: tuple[Line, ...]) -> None:
    """Check each line by its entry in the table of UOps.

    Raises
    ------
    ProgramError
        For the first line that is not well formed.
    """
    targets = accumulators(lines)
    for number, line in enumerate(lines):
        check_line(Site(number, line, tuple(lines[source] for source in operands(lines, number)), lines, targets))
