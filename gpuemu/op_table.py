"""What the table of micro-operations is made of: their names, a line, an entry, and the check of a line by its entry.

The entries themselves are in `gpuemu.uops` and `gpuemu.warp_uops`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NoReturn

from gpuemu.dtypes import DType
from gpuemu.errors import ProgramError, shown

Target = tuple[int, int | None]
"""An accumulator's line, and one element of it or None for all."""


class UOps(Enum):
    """The names of the micro-operations."""

    DEFINE_GLOBAL = auto()
    DEFINE_LOCAL = auto()
    DEFINE_VAR = auto()
    SPECIAL = auto()
    CONST = auto()
    DEFINE_ACC = auto()
    RANGE = auto()
    ENDRANGE = auto()
    IF = auto()
    ENDIF = auto()
    BARRIER = auto()
    LOAD = auto()
    STORE = auto()
    CAST = auto()
    BITCAST = auto()
    PHI = auto()
    GEP = auto()
    ALU = auto()
    WMMA = auto()
    SHUFFLE = auto()
    VOTE = auto()
    ATOMIC = auto()
    WARP_BARRIER = auto()
    BREAK = auto()
    CONTINUE = auto()
    LDMATRIX = auto()
    STMATRIX = auto()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a program: what it does, the type of its value, the lines it takes, and the rest."""

    uop: UOps
    dtype: DType | None
    sources: tuple[int, ...]
    arg: Any

    @property
    def has_value(self) -> bool:
        """Whether the line has a value; a source without one only orders."""
        return OPS[self.uop].has_value


@dataclass(frozen=True, slots=True)
class Site:
    """A line under check: its number, and the lines whose values it takes."""

    number: int
    line: Line
    operands: tuple[Line, ...]
    lines: tuple[Line, ...]
    accumulators: Mapping[int, Target] = field(default_factory=dict)

    def fail(self, message: str) -> NoReturn:
        """Raise the ProgramError of this line."""
        raise ProgramError(f"line {self.number} ({self.line.uop.name}): {message}")

    @property
    def dtype(self) -> DType:
        """The line's dtype; a ProgramError where it has none."""
        if self.line.dtype is None:
            self.fail("has a value, so it needs a dtype; got None")
        return self.line.dtype

    def type_of(self, operand: int) -> DType:
        """The dtype of one operand."""
        dtype = self.operands[operand].dtype
        if dtype is None:
            self.fail(f"source {operand} has no dtype")
        return dtype

    def want_scalar_integer(self, operand: int, what: str) -> None:
        """Check that an operand is one integer a lane."""
        dtype = self.type_of(operand)
        if dtype.count != 1 or not dtype.is_integer:
            self.fail(f"{what} is {dtype}; expected one integer a lane, such as int32")


@dataclass(frozen=True, slots=True)
class Op:
    """An entry of the table: what a UOp takes, whether it has a value, what it means, and the check of a line."""

    uop: UOps
    sources: str
    arg: str
    counts: tuple[int, ...] | None
    has_value: bool
    meaning: str
    check: Callable[[Site], None]


OPS: dict[UOps, Op] = {}
MEMORY = frozenset({UOps.DEFINE_GLOBAL, UOps.DEFINE_LOCAL})
"""The UOps that stand for a memory: an access names one, and nothing else takes it."""
WRITES = frozenset({UOps.STORE, UOps.ATOMIC, UOps.STMATRIX})
"""The UOps that write to the memory which is their first source."""
ACCESSES = WRITES | {UOps.LOAD, UOps.LDMATRIX}
"""The UOps whose first source is a memory."""
Check = Callable[[Site], None]


def op(
    uop: UOps, sources: str = "–", arg: str = "–", *, counts: tuple[int, ...] | None = (0,), value: bool = True
) -> Callable[[Check], Check]:
    """Enter a UOp into the table; `counts` are the numbers of operands it may have, None where the check counts."""

    def register(check: Check) -> Check:
        OPS[uop] = Op(uop, sources, arg, counts, value, " ".join((check.__doc__ or "").split()), check)
        return check

    return register


def buffer_name(line: Line) -> str:
    """What reports call a buffer: a global's label (``data0`` for 0), a local memory's name.

    >>> from gpuemu import dtypes
    >>> buffer_name(Line(UOps.DEFINE_GLOBAL, dtypes.float32, (), (1, True)))
    'data1'
    """
    label = line.arg[0] if isinstance(line.arg, tuple) else line.arg
    return label if isinstance(label, str) else f"data{label}"


def check_line(site: Site) -> None:
    """Check one line by its entry in the table.

    Raises
    ------
    ProgramError
        Which names the line, what it has, and what it should have.
    """
    entry = OPS[site.line.uop]
    if entry.counts is not None and len(site.operands) not in entry.counts:
        wanted = " or ".join(map(str, entry.counts))
        site.fail(f"has {len(site.operands)} sources with a value; expected {wanted} ({entry.sources})")
    if entry.has_value:
        site.dtype  # noqa: B018 (reading it is the check)
    for k, operand in enumerate(site.operands):
        read = (k == 0 and site.line.uop in ACCESSES) or (k == 1 and site.line.uop is UOps.WMMA)
        if operand.uop in MEMORY and not read:
            site.fail(f"takes the buffer {buffer_name(operand)} as a value; LOAD from it first")
    entry.check(site)


def check_writable(site: Site) -> None:
    """Check that the memory which a line writes may be written."""
    buffer = site.operands[0]
    if buffer.uop is UOps.DEFINE_GLOBAL and isinstance(buffer.arg, tuple) and buffer.arg[1] is False:
        site.fail(f"writes to the buffer {buffer_name(buffer)}, which is declared {shown(buffer.arg)}: not writable")
