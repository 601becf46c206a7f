"""Program: a checked list of lines, with a text form, that is launched as a function."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any

from gpuemu import arguments, dtypes, text
from gpuemu.errors import InstructionError, LaunchError, LimitError, ProgramError, UnitError, shown
from gpuemu.limits import DEFAULT, MAX_NAME, Limits
from gpuemu.lines import check_lines, parse_lines
from gpuemu.machine import lockstep
from gpuemu.machine.hazards import CHECKS
from gpuemu.machine.warps import WIDEST
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.op_table import MEMORY, buffer_name
from gpuemu.structure import Structure, analyse, operands
from gpuemu.tensorcores import arithmetic, copy_instruction
from gpuemu.uops import Line, Site, UOps

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

ENGINES = ("auto", "lockstep")


@dataclass(frozen=True, slots=True, repr=False)
class Program:
    """A program of UOps.

    Parameters
    ----------
    name
        What it is called.
    lines
        Each a Line, or ``(uop, dtype, sources, arg)``; a source is the number of a line.
    warp
        Lanes of a warp: 32, or 64 for AMD's wave64; fewer for a lesson.
    limits
        How much it may ask for; see `gpuemu.limits.Limits`.
    unit
        The arithmetic unit that its tensor cores add with, such as ``"V100"``; None: each instruction's own.

    Raises
    ------
    ProgramError
        Where the lines are not well formed; the message names the line.
    LimitError
        Where there are more lines than the limits allow.

    Examples
    --------
    >>> import numpy as np
    >>> from gpuemu import BinaryOps, UOps, dtypes
    >>> square = Program("square", [
    ...     (UOps.DEFINE_GLOBAL, dtypes.int32, [], 0),
    ...     (UOps.SPECIAL, dtypes.int32, [], (0, "gidx0", 3)),
    ...     (UOps.LOAD, dtypes.int32, [0, 1], None),
    ...     (UOps.ALU, dtypes.int32, [2, 2], BinaryOps.MUL),
    ...     (UOps.STORE, None, [0, 1, 3], None),
    ... ])
    >>> x = np.array([2, 3, 4], np.int32)
    >>> seconds = square(x, global_size=(3, 1, 1))
    >>> x
    array([ 4,  9, 16], dtype=int32)
    """

    name: str
    lines: tuple[Line, ...]
    warp: int = 32
    limits: Limits = field(default=DEFAULT, compare=False)
    unit: str | None = None
    structure: Structure = field(init=False, compare=False)
    cores: dict[int, TensorCore] = field(init=False, compare=False)
    groups: tuple[tuple[int, int, str], ...] = field(init=False, compare=False)

    def __init__(
        self,
        name: str,
        lines: Sequence[Any],
        warp: int = 32,
        limits: Limits = DEFAULT,
        unit: str | None = None,
    ) -> None:
        if len(str(name)) > MAX_NAME:
            raise ProgramError(f"Program({shown(name)}): a name of {len(str(name)):,} characters; at most {MAX_NAME}")
        if not isinstance(lines, list | tuple):
            raise ProgramError(f"Program({shown(name)}): got a {type(lines).__name__}; expected a list of lines")
        if len(lines) > limits.lines:
            raise LimitError(
                f"{name}: {len(lines)} lines; at most {limits.lines}; Program(…, limits=Limits(lines=…)) allows more"
            )
        if type(warp) is not int or warp < 1:
            raise ProgramError(
                f"Program({shown(name)}, warp={shown(warp)}): expected the lanes of a warp, such as 32 or 64"
            )
        if unit is not None:
            _check_unit(str(name), unit)
        parsed = parse_lines(lines)
        check_lines(parsed)
        _check_masks(parsed, warp)
        values = {"name": str(name), "lines": parsed, "warp": warp, "limits": limits, "unit": unit}
        cores = _tensor_cores(parsed, warp, unit)
        values |= {"structure": analyse(parsed, limits.nesting), "cores": cores}
        values["groups"] = tuple(_groups(parsed, cores, warp))
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    def __call__(
        self,
        *buffers: Any,
        global_size: Sequence[int] | None = None,
        local_size: Sequence[int] | None = None,
        vals: Sequence[int] = (),
        wait: bool = False,
        engine: str = "auto",
        checks: str | set[str] | frozenset[str] = "default",
        unit: str | None = None,
    ) -> float:
        """Run the program.

        Parameters
        ----------
        buffers
            One for each DEFINE_GLOBAL, in the order of the lines: numpy arrays of any shape and strides, or writable
            bytes-like objects. C-contiguous ones are changed in place, the others copied in and out.
        global_size, local_size
            Workgroups, and lanes of a workgroup, as (x, y, z); None: those that the program's SPECIALs say.
        vals
            One integer for each DEFINE_VAR, in the order of the lines.
        wait
            Accepted for the callers of tinygrad's runtimes; the program has always ended when this returns.
        engine
            ``lockstep``, or ``auto`` for the fastest that there is.
        checks
            ``default`` or ``all`` for every check, ``none``, or a set of kinds: ``uninitialised``,
            ``divergent-barrier``, ``shuffle``, ``out-of-bounds`` (which is always checked).
        unit
            The arithmetic unit that tensor cores add with in this launch; None: the program's.

        Returns
        -------
        float
            Seconds that it took.

        Raises
        ------
        LaunchError
            Where buffers, sizes or values do not fit the program.
        HazardError, DivisionError
            Where a lane does what has no result.
        LimitError
            Where it asks for more memory or steps than the limits allow, as a loop does that does not end.

        Notes
        -----
        With ``TRACE=1`` in the environment, each line is printed with its values as it runs.
        """
        began = time.perf_counter()
        if engine not in ENGINES:
            raise LaunchError(f"{self.name}: engine is {shown(engine)}; expected one of {', '.join(ENGINES)}")
        sizes = (
            arguments.size(self.name, "global_size", global_size, self.lines),
            arguments.size(self.name, "local_size", local_size, self.lines),
        )
        self._check_warps(sizes[1])
        cores = self.cores if unit is None else self._cores_with(unit)
        self._check_memory(sizes[1])
        numbers = arguments.integers(self.name, self.structure, vals)
        kinds = _kinds(self.name, checks)
        bound = arguments.bind(self.name, self.structure, buffers)
        arrays = tuple(argument.array for argument in bound)
        try:
            launch = lockstep.Launch(arrays, numbers, *sizes, self.warp, kinds, self.limits, self._trace())
            lockstep.run(self.structure, cores, launch)
        except RecursionError:
            raise LimitError(
                f"{self.name}: its blocks are nested deeper than Python's recursion limit of {sys.getrecursionlimit()} "
                "lets them run; sys.setrecursionlimit allows more"
            ) from None
        finally:
            for argument in bound:
                argument.copy_out()
        return time.perf_counter() - began

    def _cores_with(self, unit: str) -> dict[int, TensorCore]:
        try:
            arithmetic.unit(unit)  # also where no tensor core would ask for it
            return {number: _with_unit(core, unit) for number, core in self.cores.items()}
        except UnitError as error:
            raise LaunchError(f"{self.name}: {error}") from error

    def _check_warps(self, local_size: tuple[int, int, int]) -> None:
        lanes = prod(local_size)
        for number, size, what in self.groups:
            if lanes % size:
                raise LaunchError(
                    f"{self.name}: local_size {local_size} has {lanes} lanes, and line {number} "
                    f"({self.lines[number].uop.name}) needs whole ones: a {what} has {size}"
                )

    def _check_memory(self, local_size: tuple[int, int, int]) -> None:
        needed, most = (
            prod(local_size) * lockstep.bytes_per_lane(self.structure, local_size),
            self.limits.workgroup_bytes,
        )
        if needed > most:
            raise LimitError(
                f"{self.name}: a workgroup of {local_size} takes {needed:,} bytes for values and local memory; "
                f"at most {most:,}; Program(…, limits=Limits(workgroup_bytes=…)) allows more"
            )

    def _trace(self) -> tuple[str, ...]:
        traced = os.environ.get("TRACE", "0") not in ("", "0")
        return tuple(self.to_text().rstrip("\n").split("\n")[1:]) if traced else ()

    def to_text(self) -> str:
        """The program as text that a person can read and edit, and that `from_text` reads back."""
        return text.write(self.name, self.lines, self.warp, self.unit)

    @classmethod
    def from_text(cls, source: str, limits: Limits = DEFAULT) -> "Program":
        """The program that a text means; reading it runs no code.

        Raises
        ------
        ProgramError
            Where the text is no program; the message names the line of the text.
        LimitError
            Where it is longer than the limits allow.

        Examples
        --------
        >>> program = Program.from_text('''
        ... program "store seven"
        ... %out = DEFINE_GLOBAL int32 : 0
        ... %lane = SPECIAL int32 : (0, 'lidx0', 4)
        ... %seven = CONST int32 : 7
        ... STORE %out %lane %seven
        ... ''')
        >>> program
        <Program 'store seven': 4 lines, 1 buffer>
        """
        if not isinstance(source, str):
            raise ProgramError(f"from_text: got a {type(source).__name__}; expected a program's text")
        if len(source) > limits.text:
            raise LimitError(
                f"from_text: {len(source):,} characters; at most {limits.text:,}; limits=Limits(text=…) allows more"
            )
        name, lines, warp, unit, places = text.read(source)
        try:
            return cls(name, lines, warp, limits, unit)
        except ProgramError as error:
            raise ProgramError(text.located(str(error), places)) from error.__cause__

    def draw(self) -> "Picture":
        """The lines with their nesting and types."""
        from gpuemu.drawing.programs import draw_program

        return draw_program(self)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        buffers = sum(line.uop is UOps.DEFINE_GLOBAL for line in self.lines)
        counts = f"{_plural(len(self.lines), 'line')}, {_plural(buffers, 'buffer')}"
        wide = "" if self.warp == 32 else f", warps of {self.warp}"
        return f"<Program {self.name!r}: {counts}{wide}>"


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _check_unit(name: str, unit: str) -> None:
    try:
        arithmetic.unit(unit)
    except UnitError as error:
        raise ProgramError(f"Program({shown(name)}): {error}") from error


def _check_masks(lines: tuple[Line, ...], warp: int) -> None:
    """Sets of lanes must hold a warp: ballots and the masks of shuffles, votes and warp barriers."""
    for number, line in enumerate(lines):
        place = {UOps.SHUFFLE: 2, UOps.VOTE: 1, UOps.WARP_BARRIER: 0}.get(line.uop)
        if place is None:
            continue
        where, sets = f"line {number} ({line.uop.name})", [lines[s].dtype for s in operands(lines, number)[place:]]
        if warp > WIDEST:
            raise ProgramError(f"{where}: a warp of {warp} lanes; the lanes of at most {WIDEST} make a set")
        for dtype in [*sets, line.dtype] if line.uop is UOps.VOTE and line.arg == "ballot" else sets:
            if dtype is not None and dtype.itemsize * 8 < warp:
                raise ProgramError(f"{where}: {dtype} for the lanes of a warp of {warp}; expected uint{max(32, warp)}")


def _kinds(name: str, checks: str | set[str] | frozenset[str]) -> frozenset[str]:
    if isinstance(checks, str) and checks in ("default", "all"):
        return CHECKS
    if isinstance(checks, str) and checks == "none":
        return frozenset()
    if not isinstance(checks, set | frozenset | list | tuple) or not all(kind in tuple(CHECKS) for kind in checks):
        known = ", ".join(sorted(CHECKS))
        raise LaunchError(f"{name}: checks is {shown(checks)}; expected 'default', 'all', 'none' or a set of {known}")
    return frozenset(checks)


def _tensor_cores(lines: tuple[Line, ...], warp: int, unit: str | None) -> dict[int, TensorCore]:
    cores = {i: _tensor_core(lines, i, warp) for i, line in enumerate(lines) if line.uop is UOps.WMMA}
    for number, core in cores.items():
        try:
            cores[number] = _with_unit(core, unit)
        except UnitError as error:
            raise ProgramError(f"line {number} (WMMA): {error}") from error
    return cores


def _with_unit(core: TensorCore, unit: str | None) -> TensorCore:
    core.instruction.check_unit(unit)
    return replace(core, unit=unit)


def _tensor_core(lines: tuple[Line, ...], number: int, warp: int) -> TensorCore:
    site = Site(number, lines[number], tuple(lines[s] for s in operands(lines, number)), lines)
    try:
        a, b = (site.type_of(operand).scalar() == dtypes.int8 for operand in (0, 1))
        core = resolve(site.line.arg, warp, signed=(a, b))
    except (InstructionError, TypeError, ValueError) as error:
        raise ProgramError(f"line {number} (WMMA): {error}") from error
    _check_index(site, core)
    given = (site.type_of(0), site.type_of(1), site.type_of(2), site.dtype)
    for dtype, fragment in zip(given, (core.a, core.b, core.c, core.d), strict=True):
        if dtype != fragment.dtype:
            operand = fragment.lane_map.operand.upper()
            site.fail(
                f"{operand} is {dtype}; expected {fragment.dtype}: each lane of {core.instruction.short_name} holds "
                f"{fragment.lane_map.elements} elements of {operand} as {fragment.lane_map.dtype}"
            )
    return core


def _groups(lines: tuple[Line, ...], cores: dict[int, TensorCore], warp: int) -> Iterator[tuple[int, int, str]]:
    """The lines that need whole groups of lanes: number, lanes of a group, what it is."""
    for number, core in cores.items():
        yield number, warp, "warp"
        yield number, core.instruction.lanes, f"group of {core.instruction.short_name}"
    for number, line in enumerate(lines):
        if line.uop in (UOps.LDMATRIX, UOps.STMATRIX):
            yield number, copy_instruction(line.arg).lanes, f"group of {line.arg}"


def _check_index(site: Site, core: TensorCore) -> None:
    name, in_memory = core.instruction.short_name, site.operands[1].uop in MEMORY
    if core.b_is_shared:
        held = core.b.dtype
        if site.operands[1].uop is not UOps.DEFINE_LOCAL or site.type_of(1) != held or len(site.operands) != 4:
            site.fail(f"{name} reads B from local memory of {held}, from the index on that is the fourth source")
        site.want_scalar_integer(3, "the index of B")
        return
    if in_memory:
        site.fail(
            f"B is the buffer {buffer_name(site.operands[1])}; {name} takes it from registers: LOAD from it first"
        )
    wanted = 3 + core.sparse + 2 * (core.scales is not None)
    if len(site.operands) != wanted:
        needs = "A is sparse, so it needs its index register as a fourth source" if core.sparse else "A is not sparse"
        if core.scales is not None:
            needs = "after C come the scales of A and those of B"
        site.fail(f"{name} has {len(site.operands)} sources with a value; expected {wanted}: {needs}")
    for operand, scales in enumerate(core.scales or (), start=3):
        if site.type_of(operand) != scales.dtype:
            which = scales.lane_map.operand.upper()
            site.fail(f"the scales of {which} are {site.type_of(operand)}; expected {scales.dtype}: {name}'s a lane")
    if core.sparse and (site.type_of(3).count != 1 or site.type_of(3).numpy.itemsize != 4 or site.type_of(3).is_float):
        site.fail(f"the index register of {name} is {site.type_of(3)}; expected uint32")
