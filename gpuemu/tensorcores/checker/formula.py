"""Index formulas as people write them: the row and the column of an element, from its lane and its number i.

Python text goes through `shapetracker.parse`; C text, and any text with bit operators, through the reader here, which
computes as it reads. Nothing is ever executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gpuemu.errors import FragmentError
from gpuemu.tensorcores.lanemap import IntArray
from shapetracker import Variable, parse
from shapetracker.errors import ExprError

LANE_NAMES = ("lane", "laneid", "lane_id", "tid", "threadIdx.x")
ELEMENT_NAMES = ("i", "e", "v", "element")

_DEFINITION = re.compile(r"\s*(?:(?:const|int|unsigned|long|auto|size_t|uint32_t|int32_t)\s+)*(\w+)\s*=(?!=)(.*)", re.S)
_TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*(?:\.[xyz])?|<<|>>|<=|>=|==|!=|&&|\|\||//|[-+*/%<>&|^~!?:()])"
)
_LONGEST = 1000
"""Characters of one expression; far more than an index formula has."""
_REACH = 2**40
"""No row, column or number is near it, and 64 bits hold the product of any of them with a shift or a lane."""
_BITS = re.compile(r"[|^~?!]|&|<<|>>")


def read_formulas(
    texts: Sequence[str], lanes: int, elements: int, names: Mapping[str, int], *, bits_first: bool = False
) -> dict[int, IntArray]:
    """The values of an index formula over (lanes, elements), by axis.

    Parameters
    ----------
    texts
        Expressions and definitions (``g = lane // 4``), each its own text or separated by ``;`` or a line's end; two
        expressions of one text may be separated by a comma. Expressions without a name are row, column and block,
        in this order.
    lanes, elements
        How far ``lane`` and ``i`` count.
    names
        The axis that a defined name means: ``{"row": 0, "m": 0, "col": 1, …}``.
    bits_first
        Read shifts and masks as if they bound tighter than + and *, which in C and Python they do not.

    Raises
    ------
    FragmentError
        A text cannot be read; the message quotes it.

    Examples
    --------
    >>> found = read_formulas(["g = lane / 4; g + 8 * (i >> 1)", "col = 2*(lane & 3) + i % 2"], 32, 4, {"col": 1})
    >>> found[0][5].tolist(), found[1][5].tolist()
    ([1, 1, 9, 9], [2, 3, 2, 3])
    """
    known = _inputs(lanes, elements)
    found: dict[int, IntArray] = {}
    unnamed = 0
    for text in _pieces(texts):
        match = _DEFINITION.fullmatch(text)
        value = _value(match[2] if match else text, known, bits_first)
        if match is None:
            found[unnamed] = value
            unnamed += 1
        elif match[1] in names:
            found[names[match[1]]] = value
        else:
            known[match[1]] = value
    return found


def _inputs(lanes: int, elements: int) -> dict[str, IntArray]:
    lane, i = (np.asarray(axis) for axis in np.indices((lanes, elements), dtype=np.int64))
    return {**dict.fromkeys(LANE_NAMES, lane), **dict.fromkeys(ELEMENT_NAMES, i), **_ptx_names(lane)}


def _ptx_names(lane: IntArray) -> dict[str, IntArray]:
    """PTX ISA, "Matrix Fragments for mma.m16n8k16": groupID = %laneid >> 2, threadID_in_group = %laneid % 4."""
    return {"groupID": lane >> 2, "threadID_in_group": lane % 4}


def _pieces(texts: Sequence[str]) -> list[str]:
    """The single expressions and definitions."""
    lines = [line.strip() for text in texts for line in re.split(r"[;\n]", text)]
    return [piece.strip() for line in lines if line for piece in _at_commas(line)]


def _at_commas(line: str) -> list[str]:
    """The parts between commas that are in no parentheses; parentheses around all of them fall."""
    depth, parts = 0, [""]
    for character in line:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if len(parts) == 1 and line.startswith("(") and line.endswith(")"):
        inner = _at_commas(line[1:-1])
        if len(inner) > 1 and all(part.count("(") == part.count(")") for part in inner):
            return inner
    return parts


def _value(text: str, known: Mapping[str, IntArray], bits_first: bool) -> IntArray:
    if len(text) > _LONGEST:
        raise FragmentError(f"formula {text[:20].strip()!r} …: longer than {_LONGEST} characters")
    python = ("//" in text or re.search(r"\b(and|min|max)\b", text)) and not _BITS.search(text)
    return _python(text, known) if python else _Reader(text, known, _MEANT if bits_first else _LEVELS).read()


def _python(text: str, known: Mapping[str, IntArray]) -> IntArray:
    """By `parse`: each name is a variable between its least and its greatest value."""
    values = {name: value for name, value in known.items() if "." not in name}
    variables = {name: Variable(name, int(value.min()), int(value.max())) for name, value in values.items()}
    try:
        read = parse(text.replace("threadIdx.x", "lane"), variables)
        if max(read.max, -read.min) >= _REACH:
            raise FragmentError(
                f"formula {text.strip()!r}: it reaches {max(read.max, -read.min)}, far outside the operand"
            )
        return np.broadcast_to(np.asarray(read.evaluate(values), dtype=np.int64), known["lane"].shape)
    except (ExprError, ZeroDivisionError, RecursionError) as error:
        raise FragmentError(f"formula {text.strip()!r}: {str(error).partition('): ')[2] or error}") from None


Combine = Callable[[IntArray, IntArray], IntArray]


class _Reader:
    """Reads one C expression: a function a level of precedence, as the C standard's grammar has them."""

    def __init__(self, text: str, known: Mapping[str, IntArray], levels: Sequence[Mapping[str, Combine]]) -> None:
        self._text, self._known, self._levels = text.strip(), known, levels
        self._tokens = self._split()
        self._at = 0

    def _split(self) -> list[str]:
        tokens, at = [], 0
        while at < len(self._text):
            match = _TOKEN.match(self._text, at)
            if match is None:
                raise self._error(f"{self._text[at:].strip()[:12]!r} is not understood")
            tokens.append(match[1])
            at = match.end()
        return tokens

    def _error(self, what: str) -> FragmentError:
        return FragmentError(
            f"formula {self._text!r}: {what}; allowed are integers, lane, i, names that you define, "
            "+ - * / // % << >> & | ^ ~, comparisons, && || ! and ?:"
        )

    def read(self) -> IntArray:
        """The value of the whole text."""
        try:
            value = self._choice()
        except _CannotError as error:
            raise self._error(str(error)) from None
        except RecursionError:
            raise self._error("its parentheses are nested too deeply") from None
        if self._at < len(self._tokens):
            raise self._error(f"{self._tokens[self._at]!r} was not expected")
        return np.broadcast_to(value, self._known["lane"].shape)

    def _take(self, *wanted: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at] in wanted:
            self._at += 1
            return self._tokens[self._at - 1]
        return None

    def _choice(self) -> IntArray:
        condition = self._level(0)
        if self._take("?") is None:
            return condition
        chosen = self._choice()
        if self._take(":") is None:
            raise self._error("'?' has no ':'")
        return np.where(condition != 0, chosen, self._choice())

    def _level(self, number: int) -> IntArray:
        if number == len(self._levels):
            return self._atom()
        value = self._level(number + 1)
        while (operator := self._take(*self._levels[number])) is not None:
            value = _near(self._levels[number][operator](value, self._level(number + 1)))
        return value

    def _atom(self) -> IntArray:
        if (sign := self._take(*_SIGNS)) is not None:
            return _SIGNS[sign](self._atom())
        if self._take("(") is not None:
            value = self._choice()
            if self._take(")") is None:
                raise self._error("a ')' is missing")
            return value
        if self._at == len(self._tokens):
            raise self._error("it ends too early")
        token = self._tokens[self._at]
        self._at += 1
        if token[0].isdigit():
            return _number(token)
        if token not in self._known:
            raise self._error(f"{token!r} is no name here")
        return self._known[token]


class _CannotError(Exception):
    """An operator cannot take these values; becomes a FragmentError that quotes the text."""


def _near(value: IntArray) -> IntArray:
    if value.size and int(np.abs(value).max()) >= _REACH:
        raise _CannotError(f"it reaches {int(np.abs(value).max())}, far outside the operand")
    return value


def _number(token: str) -> IntArray:
    if len(token) > 12:
        raise _CannotError(f"it holds {token[:12]}…, far outside the operand")
    return _near(np.asarray(int(token, 16 if token[:2] in ("0x", "0X") else 10), dtype=np.int64))


def _quotient(a: IntArray, b: IntArray) -> IntArray:
    """C's division, which rounds towards zero."""
    return np.asarray(np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(_divisor(b))), dtype=np.int64)


def _product(a: IntArray, b: IntArray) -> IntArray:
    """Checked before it is made: the product of two numbers within reach may not fit into 64 bits."""
    if a.size and b.size and int(np.abs(a).max()) * int(np.abs(b).max()) >= _REACH:
        raise _CannotError("a product lies far outside the operand")
    return a * b


def _divisor(b: IntArray) -> IntArray:
    if (b == 0).any():
        raise _CannotError("it divides by zero")
    return b


def _count(b: IntArray) -> IntArray:
    if ((b < 0) | (b > 20)).any():
        raise _CannotError("a shift count must be from 0 to 20")
    return b


def _truth(value: object) -> IntArray:
    return np.asarray(value, dtype=np.bool_).astype(np.int64)


_SIGNS: dict[str, Callable[[IntArray], IntArray]] = {
    "-": lambda a: -a,
    "+": lambda a: a,
    "!": lambda a: _truth(a == 0),
    "~": lambda a: ~a,
}

_LEVELS: tuple[dict[str, Combine], ...] = (
    {"||": lambda a, b: _truth((a != 0) | (b != 0))},
    {"&&": lambda a, b: _truth((a != 0) & (b != 0))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: _truth(a == b), "!=": lambda a, b: _truth(a != b)},
    {
        "<": lambda a, b: _truth(a < b),
        "<=": lambda a, b: _truth(a <= b),
        ">": lambda a, b: _truth(a > b),
        ">=": lambda a, b: _truth(a >= b),
    },
    {"<<": lambda a, b: a << _count(b), ">>": lambda a, b: a >> _count(b)},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {
        "*": _product,
        "/": _quotient,
        "//": lambda a, b: a // _divisor(b),
        "%": lambda a, b: a - _quotient(a, b) * b,
    },
)
"""The binary operators of C, the loosest first; Python's // beside them, for text that mixes it with bit operators."""
_MEANT = (*_LEVELS[:2], *_LEVELS[5:7], *_LEVELS[8:], *_LEVELS[2:5], _LEVELS[7])
"""The same with masks below + and *, and shifts below those: what somebody means who leaves their parentheses out."""
