"""Index formulas as people write them: the row and the column of an element, from its lane and its number i.

Python text goes through `shapetracker.parse`; C text, and any text with bit operators, through the reader here. Both
give an expression; nothing is ever executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from gpuemu.errors import FragmentError
from shapetracker import Expr, Variable, parse
from shapetracker.errors import ExprError
from shapetracker.expr import Const, Eq, Ne, as_expr

LANE_NAMES = ("lane", "laneid", "lane_id", "tid", "threadIdx.x")
ELEMENT_NAMES = ("i", "e", "v", "element")
_PTX_NAMES = {"groupID": "lane // 4", "threadID_in_group": "lane % 4"}
"""PTX ISA, "Matrix Fragments for mma.m16n8k16": groupID = %laneid >> 2, threadID_in_group = %laneid % 4."""

_DEFINITION = re.compile(r"\s*(?:(?:const|int|unsigned|long|auto|size_t|uint32_t|int32_t)\s+)*(\w+)\s*=(?!=)(.*)", re.S)
_TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*(?:\.[xyz])?|<<|>>|<=|>=|==|!=|&&|\|\||//|[-+*/%<>&|^!?:()])"
)
_BITS = re.compile(r"[|^~?!]|&|<<|>>")


def read_formulas(texts: Sequence[str], lanes: int, elements: int, names: Mapping[str, int]) -> dict[int, Expr]:
    """The expressions of an index formula, by axis.

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

    Raises
    ------
    FragmentError
        A text cannot be read; the message quotes it.

    Examples
    --------
    >>> read_formulas(["g = lane / 4; g + 8 * (i >> 1)", "col = 2*(lane & 3) + i % 2"], 32, 4, {"col": 1})
    {0: lane//4 + 8*(i//2), 1: 2*(lane%4) + i%2}
    """
    known = _inputs(lanes, elements)
    found: dict[int, Expr] = {}
    unnamed = 0
    for text in _pieces(texts):
        match = _DEFINITION.fullmatch(text)
        value = _expression(match[2] if match else text, known)
        if match is None:
            found[unnamed] = value
            unnamed += 1
        elif match[1] in names:
            found[names[match[1]]] = value
        else:
            known[match[1]] = value
    return found


def _inputs(lanes: int, elements: int) -> dict[str, Expr]:
    lane, i = Variable("lane", 0, lanes - 1), Variable("i", 0, elements - 1)
    known: dict[str, Expr] = {**dict.fromkeys(LANE_NAMES, lane), **dict.fromkeys(ELEMENT_NAMES, i)}
    return {**known, **{name: parse(text, {"lane": lane}) for name, text in _PTX_NAMES.items()}}


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


def _expression(text: str, known: Mapping[str, Expr]) -> Expr:
    python = ("//" in text or re.search(r"\b(and|min|max)\b", text)) and not _BITS.search(text)
    return _python(text, known) if python else _Reader(text, known).read()


def _python(text: str, known: Mapping[str, Expr]) -> Expr:
    """By `parse`, which takes variables: a defined name stands as a variable first, its expression replaces it."""
    plain = text.replace("threadIdx.x", "lane")
    names = {n: e if isinstance(e, Variable) else Variable(n, e.min, e.max) for n, e in known.items() if "." not in n}
    try:
        read = parse(plain, names)
    except ExprError as error:
        raise FragmentError(f"formula {text.strip()!r}: {str(error).partition('): ')[2] or error}") from None
    return read.substitute({v: known[n] for n, v in names.items() if v is not known[n]})


Combine = Callable[[Expr, Expr], Expr]


class _Reader:
    """Reads one C expression: a function a level of precedence, as the C standard's grammar has them."""

    def __init__(self, text: str, known: Mapping[str, Expr]) -> None:
        self._text, self._known = text.strip(), known
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
            "+ - * / // % << >> & | ^, comparisons, && || ! and ?:"
        )

    def read(self) -> Expr:
        """The whole text."""
        try:
            value = self._choice()
        except ExprError as error:
            raise self._error(str(error)) from None
        except RecursionError:
            raise self._error("its parentheses are nested too deeply") from None
        if self._at < len(self._tokens):
            raise self._error(f"{self._tokens[self._at]!r} was not expected")
        return value

    def _take(self, *wanted: str) -> str | None:
        if self._at < len(self._tokens) and self._tokens[self._at] in wanted:
            self._at += 1
            return self._tokens[self._at - 1]
        return None

    def _choice(self) -> Expr:
        condition = self._level(0)
        if self._take("?") is None:
            return condition
        chosen = self._choice()
        if self._take(":") is None:
            raise self._error("'?' has no ':'")
        holds = _truth(condition)
        return holds * chosen + (1 - holds) * self._choice()

    def _level(self, number: int) -> Expr:
        if number == len(_LEVELS):
            return self._atom()
        value = self._level(number + 1)
        while (operator := self._take(*_LEVELS[number])) is not None:
            value = _LEVELS[number][operator](value, self._level(number + 1))
        return value

    def _atom(self) -> Expr:
        if (sign := self._take("-", "+", "!")) is not None:
            value = self._atom()
            return -value if sign == "-" else 1 - _truth(value) if sign == "!" else value
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
            return as_expr(int(token, 16 if token[:2] in ("0x", "0X") else 10))
        if token not in self._known:
            raise self._error(f"{token!r} is no name here")
        return self._known[token]


def _truth(e: Expr) -> Expr:
    return e if e.min >= 0 and e.max <= 1 else Ne(e, Const(0))


def _quotient(a: Expr, b: Expr) -> Expr:
    """C's division, which rounds towards zero."""
    if b.min <= 0:
        raise ExprError("a divisor must be positive")
    if a.min >= 0:
        return a // b
    return (a >= 0) * (a // b) - (a < 0) * ((-a) // b)


def _remainder(a: Expr, b: Expr) -> Expr:
    return a % b if a.min >= 0 and b.min > 0 else a - _quotient(a, b) * b


def _length(*values: Expr) -> int:
    if any(e.min < 0 for e in values):
        raise ExprError("bit operators need values that are never negative")
    return max(e.max for e in values).bit_length()


def _both(a: Expr, b: Expr) -> Expr:
    """a & b: a remainder where one side is a mask of the lowest bits, else bit by bit."""
    length = _length(a, b)
    for value, mask in ((a, b), (b, a)):
        if isinstance(mask, Const) and mask.value & (mask.value + 1) == 0:
            return value % (mask.value + 1)
    return as_expr(sum((a // 2**bit % 2 * (b // 2**bit % 2) * 2**bit for bit in range(length)), Const(0)))


def _power(e: Expr) -> int:
    if not isinstance(e, Const) or not 0 <= e.value < 32:
        raise ExprError("a shift count must be a number from 0 to 31")
    return int(2**e.value)


_LEVELS: tuple[dict[str, Combine], ...] = (
    {"||": lambda a, b: 1 - (1 - _truth(a)) * (1 - _truth(b))},
    {"&&": lambda a, b: _truth(a) * _truth(b)},
    {"|": lambda a, b: a + b - _both(a, b)},
    {"^": lambda a, b: a + b - 2 * _both(a, b)},
    {"&": _both},
    {"==": Eq, "!=": Ne},
    {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b},
    {"<<": lambda a, b: a * _power(b), ">>": lambda a, b: a // _power(b)},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": _quotient, "//": lambda a, b: a // b, "%": _remainder},
)
"""The binary operators of C, the loosest first; Python's // beside them, for text that mixes it with bit operators."""
