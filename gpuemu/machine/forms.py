"""What is known of a program's integers before it runs: which are a start and so many steps along each axis.

Most indices are such a form: SPECIALs, constants and loop counters, added up and multiplied by constants. A form says
where all lanes of a chunk go in the memory: its least and greatest value tell whether one is outside, and what they
touch is a strided view, so that nobody has to compute, check and look up an index a lane. A comparison of two forms is
known too: it is true where a form is positive.

A form holds for all lanes, active or not. It is exact: a value that could leave its dtype anywhere in the launch has
none, since it would wrap.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gpuemu.alu import BinaryOps, TernaryOps, UnaryOps
from gpuemu.dtypes import DType
from gpuemu.machine.casts import number_in
from gpuemu.machine.grid import AXES, Size
from gpuemu.structure import Read, Structure
from gpuemu.uops import Line, UOps

Ranges = Mapping[int, tuple[int, int]]
"""The least and the greatest value of each variable: the six axes, then counters."""


Position = Mapping[int, int]
"""The value of each variable in the first lane that runs: of an axis where the chunk starts, of a counter its count."""


class Form(NamedTuple):
    """start + Σ step · variable; a variable is an axis (0 to 5), or `counter(line)` of a RANGE."""

    start: int
    steps: tuple[tuple[int, int], ...] = ()
    """(variable, step), by variable; no step is 0."""

    def __add__(self, other: "Form") -> "Form":  # type: ignore[override]
        """The sum.

        >>> Form(1, ((5, 2),)) + Form(3, ((2, 8), (5, -2)))
        Form(start=4, steps=((2, 8),))
        """
        steps = dict(self.steps)
        for variable, step in other.steps:
            steps[variable] = steps.get(variable, 0) + step
        return Form(self.start + other.start, tuple(sorted((v, s) for v, s in steps.items() if s)))

    def times(self, factor: int) -> "Form":
        """The form, so many times.

        >>> Form(1, ((5, 2),)).times(-3)
        Form(start=-3, steps=((5, -6),))
        """
        return Form(self.start * factor, tuple((v, s * factor) for v, s in self.steps if factor))

    def at(self, position: Position) -> int:
        """The value in one position.

        >>> Form(1, ((2, 8), (5, 2))).at({2: 10, 5: 0})
        81
        """
        value = self.start
        for variable, step in self.steps:
            value += step * position[variable]
        return value

    def bounds(self, ranges: Ranges) -> tuple[int, int]:
        """The least and the greatest value.

        >>> Form(1, ((2, -8), (5, 2))).bounds({2: (0, 1), 5: (0, 31)})
        (-7, 63)
        """
        low = high = self.start
        for variable, step in self.steps:
            least, greatest = ranges[variable]
            low += step * (least if step > 0 else greatest)
            high += step * (greatest if step > 0 else least)
        return low, high


def counter(line: int) -> int:
    """The variable that stands for a RANGE's counter."""
    return AXES + line


def is_moving(variable: int) -> bool:
    """Whether a variable's first value changes in a launch: a workgroup's position and a counter's do, a lane's not."""
    return variable < 3 or variable >= AXES


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of the lines of a program in a launch.

    Attributes
    ----------
    forms
        The lines that are forms.
    gates
        The lines of bool that are true exactly where each of some forms is positive.
    unread
        Lines among these whose value is read only where the form is enough; they need not run.
    """

    forms: dict[int, Form]
    gates: dict[int, tuple[Form, ...]]
    unread: frozenset[int]


MOST_GATES = 16
"""Forms of one gate; a program that ands more of them together than any needs is no faster for it."""
NOTHING = Known({}, {}, frozenset())


@lru_cache(maxsize=256)
def known(structure: Structure, global_size: Size, local_size: Size, vals: tuple[int, ...]) -> Known:
    """What is known of a program's lines in any launch of these sizes and vals."""
    found = _Analysis(structure, global_size[::-1] + local_size[::-1], vals)
    for number, line in enumerate(structure.lines):
        found.look_at(number, line)
    return Known(found.forms, found.gates, _unread(structure, {*found.forms, *found.gates}))


class _Analysis:
    """The lines one by one, in order; a line whose operands are no forms is none."""

    def __init__(self, structure: Structure, lengths: tuple[int, ...], vals: tuple[int, ...]) -> None:
        self.structure, self.vals = structure, iter(vals)
        self.ranges = {axis: (0, length - 1) for axis, length in enumerate(lengths)}
        self.forms: dict[int, Form] = {}
        self.gates: dict[int, tuple[Form, ...]] = {}

    def look_at(self, number: int, line: Line) -> None:
        value = next(self.vals) if line.uop is UOps.DEFINE_VAR else None
        dtype = line.dtype
        if dtype is None or dtype.count > 1 or number in self.structure.escaping:
            return
        if dtype.kind == "bool" and line.uop is UOps.ALU:
            gate = self._gate(line, self.structure.reads[number])
            if gate is not None:
                self.gates[number] = gate
        elif dtype.is_integer:
            form = Form(value) if value is not None else self._form(number, line, dtype)
            if form is not None and self._fits(form, dtype):
                self.forms[number] = form

    def _fits(self, form: Form, dtype: DType) -> bool:
        low, high = form.bounds(self.ranges)
        bits = 8 * dtype.itemsize
        least, beyond = (-(1 << bits - 1), 1 << bits - 1) if dtype.kind == "signed" else (0, 1 << bits)
        return least <= low and high < beyond

    def _form(self, number: int, line: Line, dtype: DType) -> Form | None:
        if line.uop is UOps.CONST:
            return Form(int(number_in(dtype, line.arg)))
        if line.uop is UOps.SPECIAL:
            return Form(0, ((2 - line.arg[0] + 3 * (line.arg[1][0] == "l"), 1),))
        operands = [self.forms.get(read.line) for read in self.structure.reads[number]]
        if line.uop is UOps.RANGE:
            return self._counter(number, *operands)
        if line.uop is UOps.CAST and len(operands) == 1:
            return operands[0]
        if line.uop is not UOps.ALU or line.arg not in FORMS or None in operands:
            return None
        return FORMS[line.arg](self.ranges, *operands)

    def _counter(self, number: int, start: Form | None, end: Form | None) -> Form | None:
        """A loop's counter, where all lanes count alike."""
        if start is None or end is None or any(variable < AXES for form in (start, end) for variable, _ in form.steps):
            return None
        first, last = start.bounds(self.ranges)[0], end.bounds(self.ranges)[1] - 1
        if last < first:  # it never runs
            return None
        self.ranges[counter(number)] = (first, last)
        return Form(0, ((counter(number), 1),))

    def _gate(self, line: Line, reads: tuple[Read, ...]) -> tuple[Form, ...] | None:
        """The forms that must be positive, for a comparison of forms or for two such gates together."""
        lines = [read.line for read in reads]
        if line.arg in (BinaryOps.AND, BinaryOps.MUL):
            left, right = (self.gates.get(number) for number in lines)
            together = () if left is None or right is None else tuple(dict.fromkeys(left + right))
            return together if 1 <= len(together) <= MOST_GATES else None
        if line.arg not in (BinaryOps.CMPLT, BinaryOps.CMPEQ):
            return None
        less, more = (self.forms.get(number) for number in lines)
        if less is None or more is None:
            return None
        above = more + less.times(-1)
        return (above,) if line.arg is BinaryOps.CMPLT else (above + Form(1), above.times(-1) + Form(1))


def _product(ranges: Ranges, left: Form, right: Form) -> Form | None:
    if left.steps and right.steps:
        return None
    return right.times(left.start) if right.steps else left.times(right.start)


def _shifted(ranges: Ranges, form: Form, count: Form) -> Form | None:
    return None if count.steps or not 0 <= count.start < 64 else form.times(1 << count.start)


def _divided(ranges: Ranges, form: Form, divisor: Form) -> tuple[Form, Form] | None:
    """Quotient and remainder, where the steps are multiples of the divisor but for some that never add up to it."""
    by = divisor.start
    if divisor.steps or by < 1 or form.bounds(ranges)[0] < 0:
        return None
    rest = Form(form.start % by, tuple((v, s) for v, s in form.steps if s % by))
    low, high = rest.bounds(ranges)
    if low < 0 or high >= by:
        return None
    whole = Form(form.start // by, tuple((v, s // by) for v, s in form.steps if s % by == 0))
    return whole, rest


def _quotient(ranges: Ranges, form: Form, divisor: Form) -> Form | None:
    found = _divided(ranges, form, divisor)
    return None if found is None else found[0]


def _remainder(ranges: Ranges, form: Form, divisor: Form) -> Form | None:
    found = _divided(ranges, form, divisor)
    return None if found is None else found[1]


def _multiply_add(ranges: Ranges, x: Form, y: Form, z: Form) -> Form | None:
    product = _product(ranges, x, y)
    return None if product is None else product + z


FORMS: dict[object, Callable[..., Form | None]] = {
    UnaryOps.NEG: lambda ranges, x: x.times(-1),
    BinaryOps.ADD: lambda ranges, x, y: x + y,
    BinaryOps.SUB: lambda ranges, x, y: x + y.times(-1),
    BinaryOps.MUL: _product,
    BinaryOps.SHL: _shifted,
    BinaryOps.DIV: _quotient,
    BinaryOps.MOD: _remainder,
    TernaryOps.MULACC: _multiply_add,
}
"""How ALU ops combine forms; None where the result is no form. An op that is not here makes none."""

FROM_FORM = frozenset({UOps.ALU, UOps.CAST, UOps.SPECIAL, UOps.RANGE})
"""The UOps whose lines, once their form is known, need neither their operands nor, where nobody reads it, an array."""
BY_FORM: dict[UOps, tuple[int, ...]] = {UOps.LOAD: (1, 2), UOps.STORE: (1, 3), UOps.IF: (0,), UOps.RANGE: (0, 1)}
"""The operands of which the form is enough: they ask the engine for the array where they need it."""


def _unread(structure: Structure, candidates: set[int]) -> frozenset[int]:
    without = {number for number in candidates if structure.lines[number].uop in FROM_FORM}
    read: set[int] = set()
    for number, line in enumerate(structure.lines):
        if number not in without:  # the array of one that is known comes from its own form
            enough = BY_FORM.get(line.uop, ())
            read |= {operand.line for k, operand in enumerate(structure.reads[number]) if k not in enough}
    return frozenset(without - read)
