"""The text form of a program: for people to read, edit and compare; reading it runs no code.

::

    program "vector add" warp 32
    %0 = DEFINE_GLOBAL float32 : 0
    %1 = SPECIAL int32 : (0, "gidx0", 16)
    %2 = LOAD float32 %0 %1
    %3 = ALU float32 %2 %2 : ADD
    STORE %0 %1 %3

The first line may end in ``unit "A100"``: the arithmetic unit that tensor cores add with.
One line a UOp: its name, its dtype where it has a value, its sources, and behind a colon its arg. ``%`` names a line
so that others can take it; any word will do. ``#`` starts a comment. Blank lines and indents mean nothing.
"""

import re
from typing import Any

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.errors import ProgramError
from gpuemu.limits import MAX_DEPTH, MAX_DIGITS
from gpuemu.uops import ALU_OPS, AluOp, Line, UOps

Entry = tuple[UOps, DType | None, list[int], Any]

_TOKEN = re.compile(
    r"""\s*+(?:(?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')
    |(?P<number>[-+]?(?:0x[0-9a-fA-F]++|(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?|inf|nan)(?![\w.]))
    |(?P<dtype>image[fh]\(\d++,\d++,\d++\))
    |(?P<label>%\w+)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<mark>[(),:=])
    |(?P<comment>\#.*)
    |(?P<wrong>\S))""",
    re.VERBOSE,
)
"""Quantifiers are possessive (`++`, `*+`), so that no text takes longer to read than its length."""
_WORDS = {"None": None, "True": True, "False": False}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write(name: str, lines: tuple[Line, ...], warp: int, unit: str | None = None) -> str:
    """The text of a program.

    Raises
    ------
    ProgramError
        Where an arg is of no type that the text form has.
    """
    named = {source for line in lines for source in line.sources}
    indent, out = 0, [f"program {_quoted(name)} warp {warp}" + (f" unit {_quoted(unit)}" if unit else "")]
    for number, line in enumerate(lines):
        indent -= line.uop in (UOps.ENDRANGE, UOps.ENDIF)
        words = [f"%{number} ="] if line.has_value or number in named else []
        words.append(line.uop.name)
        words += [str(line.dtype)] if line.dtype is not None else []
        words += [f"%{source}" for source in line.sources]
        words += [f": {_value_text(number, line.arg)}"] if line.arg is not None else []
        out.append("  " * indent + " ".join(words))
        indent += line.uop in (UOps.RANGE, UOps.IF)
    return "\n".join(out) + "\n"


def _short(token: str) -> str:
    return token if len(token) <= 60 else f"{token[:60]}…"


def _quoted(text: str) -> str:
    escaped = (_ESCAPES.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text)
    return '"' + "".join(escaped) + '"'


def _value_text(number: int, value: Any) -> str:
    if isinstance(value, tuple):
        inside = ", ".join(_value_text(number, v) for v in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, DType):
        return str(value)
    if isinstance(value, AluOp):
        return value.name
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise ProgramError(
        f"line {number}: the arg {value!r} has no text; expected numbers, texts, dtypes and tuples of them"
    )


def read(source: str) -> tuple[str, list[Entry], int, str | None, list[int]]:
    """The name, lines, warp and arithmetic unit that a text means, and the place of each line in the text.

    Raises
    ------
    ProgramError
        Where the text is no program; the message names the line of the text.
    """
    rows = [Row(place, tokens) for place, text in enumerate(source.split("\n"), 1) if (tokens := _tokens(place, text))]
    if not rows:
        raise ProgramError('the text is empty; expected a line such as: program "name" warp 32')
    name, warp, unit = rows[0].header()
    labels: dict[str, int] = {}
    for number, row in enumerate(rows[1:]):
        label = row.take_label()
        if label in labels:
            row.fail(f"{_short(label)} is the name of an earlier line too; each name is used once")
        if label is not None:
            labels[label] = number
    places = [row.place for row in rows[1:]]
    return name, [row.entry(number, labels, places) for number, row in enumerate(rows[1:])], warp, unit, places


def located(message: str, places: list[int]) -> str:
    """The message of a ProgramError with the line of the text in front, where it begins with a line of the program.

    >>> located("line 1 (ALU): has 0 sources", [3, 5])
    'text line 5: line 1 (ALU): has 0 sources'
    """
    found = re.match(r"line (\d+)\b", message)
    return f"text line {places[int(found[1])]}: {message}" if found and int(found[1]) < len(places) else message


def _tokens(place: int, text: str) -> list[tuple[str, str]]:
    found = []
    for match in _TOKEN.finditer(text.rstrip()):
        kind, token = str(match.lastgroup), match.group(str(match.lastgroup))
        if kind == "wrong":
            raise ProgramError(f"text line {place}: unexpected {token!r}")
        if kind != "comment":
            found.append((kind, token))
    return found


class Row:
    """The tokens of one line of text, taken from the left."""

    def __init__(self, place: int, tokens: list[tuple[str, str]]) -> None:
        self.place, self.tokens, self.at = place, tokens, 0

    def fail(self, message: str) -> "Any":
        """Raise the ProgramError of this line of text."""
        raise ProgramError(f"text line {self.place}: {message}")

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "the end of the line")

    def take(self, kind: str, what: str) -> str:
        """The next token, which must be of this kind."""
        found, token = self.peek()
        if found != kind:
            self.fail(f"got {_short(token)}; expected {what}")
        self.at += 1
        return token

    def takes(self, mark: str) -> bool:
        """Whether the next token is this mark; if so it is taken."""
        if self.peek() != ("mark", mark):
            return False
        self.at += 1
        return True

    def header(self) -> tuple[str, int, str | None]:
        """The name, the warp and the unit in the first line."""
        if self.peek() != ("word", "program"):
            self.fail(f'got {_short(self.peek()[1])}; expected the first line to be such as: program "name" warp 32')
        self.at += 1
        name, warp, unit = self.string(self.take("string", "the program's name in quotes")), 32, None
        if self.peek() == ("word", "warp"):
            self.at += 1
            number = self.take("number", "the lanes of a warp")
            short = number.isdigit() and len(number) < 10
            warp = int(number) if short else self.fail(f"a warp of {_short(number)} lanes")
        if self.peek() == ("word", "unit"):
            self.at += 1
            unit = self.string(self.take("string", "the name of an arithmetic unit in quotes"))
        self.end()
        return name, warp, unit

    def end(self) -> None:
        if self.at < len(self.tokens):
            self.fail(f"unexpected {_short(self.peek()[1])}")

    def take_label(self) -> str | None:
        """The name that the line gives itself."""
        if self.peek()[0] != "label":
            return None
        label = self.take("label", "a name")
        if not self.takes("="):
            self.fail(f"got {_short(self.peek()[1])} after {label}; expected =")
        return label

    def entry(self, number: int, labels: dict[str, int], places: list[int]) -> Entry:
        """The UOp behind the name, of the line with this number in the program."""
        name = self.take("word", "the name of a UOp")
        if name not in UOps.__members__:
            self.fail(f"there is no UOp {_short(name)}; there are {', '.join(UOps.__members__)}")
        dtype = self.dtype() if self.peek()[0] in ("word", "dtype") else None
        sources = []
        while self.peek()[0] == "label":
            label = self.take("label", "a source")
            if label not in labels:
                self.fail(f"no line is named {_short(label)}")
            if labels[label] >= number and name != "DEFINE_ACC":
                where = "this line itself" if labels[label] == number else f"text line {places[labels[label]]}, below"
                self.fail(f"{_short(label)} is {where}; a source is an earlier line")
            sources.append(labels[label])
        arg = self.value(0) if self.takes(":") else None
        self.end()
        return UOps[name], dtype, sources, arg

    def dtype(self) -> DType:
        token = self.peek()[1]
        self.at += 1
        try:
            return dtypes.parse(token)
        except ValueError as error:
            raise ProgramError(f"text line {self.place}: {error}") from error

    def value(self, depth: int) -> Any:
        """A number, a text, a dtype, the name of an ALU op, or a tuple of values."""
        kind, token = self.peek()
        if self.takes("("):
            return self.tuple(depth + 1)
        if kind == "string":
            self.at += 1
            return self.string(token)
        if kind == "number":
            self.at += 1
            return self.number(token)
        if kind == "word" and token in _WORDS:
            self.at += 1
            return _WORDS[token]
        if kind == "word" and token in ALU_OPS:
            self.at += 1
            return ALU_OPS[token]
        if kind in ("word", "dtype"):
            return self.dtype()
        return self.fail(f"got {_short(token)}; expected a value")

    def tuple(self, depth: int) -> tuple[Any, ...]:
        if depth > MAX_DEPTH:
            self.fail(f"an arg of more than {MAX_DEPTH} tuples in each other")
        values = []
        while not self.takes(")"):
            values.append(self.value(depth))
            if not self.takes(",") and self.peek() != ("mark", ")"):
                self.fail(f"got {_short(self.peek()[1])}; expected , or )")
        return tuple(values)

    def string(self, token: str) -> str:
        """What is between the quotes."""

        def unescape(match: re.Match[str]) -> str:
            escape = match.group()
            if len(escape) == 10 and int(escape[2:], 16) < 0x110000:
                return chr(int(escape[2:], 16))
            plain = next((c for c, escaped in _ESCAPES.items() if escaped == escape), None)
            return plain or ("'" if escape == "\\'" else str(self.fail(f"{escape} in {_short(token)} means nothing")))

        return re.sub(r"\\(U[0-9a-fA-F]{8}|.)", unescape, token[1:-1])

    def number(self, token: str) -> int | float:
        if len(token) > MAX_DIGITS:
            self.fail(f"a number of {len(token)} digits; at most {MAX_DIGITS}")
        if "0x" in token:
            return int(token, 16)
        return int(token) if re.fullmatch(r"[-+]?\d+", token) else float(token)
