"""A program as a listing: each line as it is written, beside what it does in words."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from gpuemu.uops import OPS, Line, UOps
from shapetracker.drawing.layout import MONO_HTML, Words
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.picture import Picture
from shapetracker.drawing.scene import Label, Scene, text_width

if TYPE_CHECKING:
    from gpuemu.program import Program

FIRST, LAST = 120, 40
"""Lines that are shown of a longer program: so many at its start and at its end."""
ROW = 17.0
WIDEST = 56
"""Characters of code on one line."""
_AXES = "xyz"
_SIGNS = {
    "ADD": "+",
    "SUB": "−",
    "MUL": "×",
    "DIV": "÷",
    "MOD": "mod",
    "CMPLT": "<",
    "CMPEQ": "=",
    "CMPNE": "≠",
    "XOR": "xor",
    "AND": "and",
    "OR": "or",
    "SHL": "shifted left by",
    "SHR": "shifted right by",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a listing; number −1 is the gap of what is left out."""

    number: int
    code: str
    words: str
    tip: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Numbered rows of code with words beside them.

    Examples
    --------
    >>> print(Listing((Row(0, "CONST int32 : 4", "4", ""), Row(1, "BARRIER", "all lanes wait", ""))).text())
    0  CONST int32 : 4  4
    1  BARRIER          all lanes wait
    """

    rows: tuple[Row, ...]

    def _lines(self) -> list[tuple[str, str, str]]:
        """(number, code, words) of each line on paper; long code goes on below, further in."""
        lines = []
        for row in self.rows:
            first, *rest = _wrapped(row.code)
            lines.append((_number(row), first, row.words))
            lines += [("", piece, "") for piece in rest]
        return lines

    def text(self) -> str:
        """Three aligned columns."""
        lines = self._lines()
        numbers, codes = (max((len(line[column]) for line in lines), default=0) for column in (0, 1))
        return "\n".join(f"{number:>{numbers}}  {code:{codes}}  {words}".rstrip() for number, code, words in lines)

    def html(self) -> str:
        """A table; its colours are the page's, so it reads in any theme."""
        cell = "border:0;padding:0 14px 0 0;text-align:left;white-space:pre;background:transparent"
        side, code = f"{cell};text-align:right;vertical-align:top", f"{cell};{MONO_HTML}"
        rows = "".join(
            f'<tr title="{escape(row.tip)}" style="background:transparent">'
            f'<td style="{side}">{_number(row)}</td><td style="{code}">{_html_code(row.code)}</td>'
            f'<td style="{cell};vertical-align:top">{escape(row.words)}</td></tr>'
            for row in self.rows
        )
        return (
            f'<table style="border-collapse:collapse;border:0;margin:0;font-size:12px;line-height:17px">{rows}</table>'
        )

    def scene(self, theme: Theme) -> Scene:
        """Numbers muted, code in ink, words muted."""
        lines = self._lines()
        left = max((text_width(number, 10) for number, _, _ in lines), default=0.0)
        widest = max((text_width(code, 12, mono=True) for _, code, _ in lines), default=0.0)
        words_width = max((text_width(words, 12) for _, _, words in lines), default=0.0)
        shapes: list[Label] = []
        for i, (number, code, words) in enumerate(lines):
            y = i * ROW + ROW / 2
            shapes.append(Label(left, y, number, theme.muted, 10, "end"))
            shapes.append(Label(left + 10, y, code, theme.ink, 12, mono=True))
            shapes.append(Label(left + widest + 28, y, words, theme.muted, 12))
        return Scene(left + widest + words_width + 28, ROW * len(lines), tuple(shapes))


def _number(row: Row) -> str:
    return str(row.number) if row.number >= 0 else "…"


def _wrapped(code: str) -> list[str]:
    """The code in pieces of at most WIDEST characters, cut at spaces."""
    if len(code) <= WIDEST:
        return [code]
    indent = " " * (len(code) - len(code.lstrip()) + 6)
    return textwrap.wrap(code, WIDEST, drop_whitespace=True, subsequent_indent=indent, break_on_hyphens=False)


def _html_code(code: str) -> str:
    return "<br>".join(escape(piece) for piece in _wrapped(code))


def draw_program(program: Program) -> Picture:
    """The lines of a program, numbered and indented, each beside what it does.

    The code is the program's text form, so it can be copied; a number is the line that a ``%`` names.

    Examples
    --------
    >>> from gpuemu import BinaryOps, Program, UOps, dtypes
    >>> print(draw_program(Program("double", [
    ...     (UOps.DEFINE_GLOBAL, dtypes.float32, [], (0, True)),
    ...     (UOps.SPECIAL, dtypes.int32, [], (0, "lidx0", 4)),
    ...     (UOps.LOAD, dtypes.float32, [0, 1], None),
    ...     (UOps.ALU, dtypes.float32, [2, 2], BinaryOps.ADD),
    ...     (UOps.STORE, None, [0, 1, 3], None),
    ... ])))
    double  5 lines, warps of 32 lanes
    <BLANKLINE>
    0  %0 = DEFINE_GLOBAL float32 : (0, True)  buffer 0 of float32, to be written
    1  %1 = SPECIAL int32 : (0, "lidx0", 4)    the lane's place along x in its workgroup, 0 … 3
    2  %2 = LOAD float32 %0 %1                 element %1 of buffer 0
    3  %3 = ALU float32 %2 %2 : ADD            %2 + %2
    4  STORE %0 %1 %3                          element %1 of buffer 0 becomes %3
    """
    texts = program.to_text().rstrip("\n").split("\n")[1:]
    rows = [
        Row(number, text, says(program.lines, number), OPS[program.lines[number].uop].meaning)
        for number, text in enumerate(texts)
    ]
    if len(rows) > FIRST + LAST:
        left_out = len(rows) - FIRST - LAST
        rows = [*rows[:FIRST], Row(-1, "", f"{left_out} more lines", ""), *rows[-LAST:]]
    words = Words(f"{len(texts)} lines, warps of {program.warp} lanes", bold=program.name)
    return Picture(program.name, (words, Listing(tuple(rows))))


def says(lines: tuple[Line, ...], number: int) -> str:
    """What one line does, in words; constants stand as their values."""
    line = lines[number]
    return _SAYS[line.uop](lines, line)


def _value(lines: tuple[Line, ...], source: int) -> str:
    line = lines[source]
    if line.uop is UOps.CONST:
        return str(line.arg).replace("-", "−")
    return _label(line) if line.uop in (UOps.DEFINE_GLOBAL, UOps.DEFINE_LOCAL) else f"%{source}"


def _label(line: Line) -> str:
    if line.uop is UOps.DEFINE_LOCAL:
        return f"local memory {line.arg[0]}"
    return f"buffer {line.arg[0] if isinstance(line.arg, tuple) else line.arg}"


def _global(_: tuple[Line, ...], line: Line) -> str:
    written = isinstance(line.arg, tuple) and bool(line.arg[1])
    return f"{_label(line)} of {line.dtype}" + ", to be written" * written


def _special(_: tuple[Line, ...], line: Line) -> str:
    axis, name, size = line.arg
    what = "the workgroup's place" if name.startswith("g") else "the lane's place"
    inside = "in the grid" if name.startswith("g") else "in its workgroup"
    return f"{what} along {_AXES[axis]} {inside}, 0 … {size - 1}"


def _accumulator(_: tuple[Line, ...], line: Line) -> str:
    initial = line.arg[0] if isinstance(line.arg, tuple) else line.arg
    return f"an accumulator of {line.dtype}, at first {initial}"


def _range(lines: tuple[Line, ...], line: Line) -> str:
    start, end = (_value(lines, source) for source in line.sources[:2])
    return f"for each number from {start} up to {end}, which is left out"


def _load(lines: tuple[Line, ...], line: Line) -> str:
    buffer, index, *gated = (_value(lines, source) for source in line.sources[:4])
    return f"element {index} of {buffer}" + (f" where {gated[0]}, else {gated[1]}" if len(gated) == 2 else "")


def _store(lines: tuple[Line, ...], line: Line) -> str:
    buffer, index, value, *gate = (_value(lines, source) for source in line.sources[:4])
    return f"element {index} of {buffer} becomes {value}" + (f" where {gate[0]}" if gate else "")


def _cast(lines: tuple[Line, ...], line: Line) -> str:
    count = len(line.sources)
    return f"{count} values as one {line.dtype}" if count > 1 else f"{_value(lines, line.sources[0])} as {line.dtype}"


def _bitcast(lines: tuple[Line, ...], line: Line) -> str:
    return f"the bits of {_value(lines, line.sources[0])}, read as {line.dtype}"


def _alu(lines: tuple[Line, ...], line: Line) -> str:
    values = [_value(lines, source) for source in line.sources]
    name = getattr(line.arg, "name", str(line.arg))
    if name in _SIGNS and len(values) >= 2:
        return f"{values[0]} {_SIGNS[name]} {values[1]}"
    if name == "WHERE":
        return f"{values[1]} where {values[0]}, else {values[2]}"
    if name == "MULACC":
        return f"{values[0]} × {values[1]} + {values[2]}"
    return f"{name.lower()}({', '.join(values)})"


def _phi(lines: tuple[Line, ...], line: Line) -> str:
    return f"{_value(lines, line.sources[0])} takes the value {_value(lines, line.sources[1])}"


def _gep(lines: tuple[Line, ...], line: Line) -> str:
    return f"element {line.arg} of the vector {_value(lines, line.sources[0])}"


def _wmma(lines: tuple[Line, ...], line: Line) -> str:
    a, b, c = (_value(lines, source) for source in line.sources[:3])
    name = line.arg if isinstance(line.arg, str) else f"{line.arg[0]} on {line.arg[-1]}"
    return f"A·B + C across the lanes: A is {a}, B is {b}, C is {c} ({name})"


def _shuffle(lines: tuple[Line, ...], line: Line) -> str:
    value, number = (_value(lines, source) for source in line.sources[:2])
    places = {"up": f"{number} below", "down": f"{number} above", "xor": f"own number xor {number}"}
    return f"{value} of the lane {places.get(line.arg, number)}"


def _vote(lines: tuple[Line, ...], line: Line) -> str:
    condition = _value(lines, line.sources[0])
    return f"the lanes where {condition}" if line.arg == "ballot" else f"whether {condition} in {line.arg} of the lanes"


def _atomic(lines: tuple[Line, ...], line: Line) -> str:
    buffer, index, *values = (_value(lines, source) for source in line.sources)
    return f"what element {index} of {buffer} was, before lane by lane: {line.arg} {', '.join(values)}"


_SAYS: dict[UOps, Callable[[tuple[Line, ...], Any], str]] = {
    UOps.DEFINE_GLOBAL: _global,
    UOps.DEFINE_LOCAL: lambda _, line: f"{_label(line)}: {line.arg[1]} of {line.dtype}, shared by the workgroup",
    UOps.DEFINE_VAR: lambda _, line: "the next integer of vals",
    UOps.SPECIAL: _special,
    UOps.CONST: lambda _, line: str(line.arg).replace("-", "−"),
    UOps.DEFINE_ACC: _accumulator,
    UOps.RANGE: _range,
    UOps.ENDRANGE: lambda _, line: f"the end of loop %{line.sources[0]}",
    UOps.IF: lambda lines, line: f"only lanes where {_value(lines, line.sources[0])}",
    UOps.ENDIF: lambda _, line: "all lanes again",
    UOps.BARRIER: lambda _, line: "all lanes of the workgroup wait for each other",
    UOps.LOAD: _load,
    UOps.STORE: _store,
    UOps.CAST: _cast,
    UOps.BITCAST: _bitcast,
    UOps.PHI: _phi,
    UOps.GEP: _gep,
    UOps.ALU: _alu,
    UOps.WMMA: _wmma,
    UOps.SHUFFLE: _shuffle,
    UOps.VOTE: _vote,
    UOps.ATOMIC: _atomic,
    UOps.WARP_BARRIER: lambda _, line: "the lanes of a warp wait for each other",
    UOps.BREAK: lambda _, line: "these lanes leave the loop",
    UOps.CONTINUE: lambda _, line: "these lanes go on with the next iteration",
    UOps.LDMATRIX: lambda lines, line: f"8×8 matrices from {_value(lines, line.sources[0])}, a row from each lane",
    UOps.STMATRIX: lambda lines, line: f"8×8 matrices into {_value(lines, line.sources[0])}, a row for each lane",
}
