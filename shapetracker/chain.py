"""A chain of movement operations as text: ``"reshape 2 6 | permute 1 0 | pad 1,1 0,2"``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shapetracker.errors import ViewError

if TYPE_CHECKING:
    from shapetracker.tracker import ShapeTracker

_NUMBERS = ("reshape", "expand", "permute", "stride", "flip")
_PAIRS = ("pad", "shrink")
_NUMBER = re.compile(r"[-−]?[0-9]+")
_MOST_DIGITS = 100

Numbers = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One movement operation: its name, and its argument as the method of that name takes it.

    >>> str(Operation("pad", ((1, 1), (0, 2)))), str(Operation("permute", (1, 0)))
    ('pad 1,1 0,2', 'permute 1 0')
    """

    name: str
    argument: Numbers | Pairs

    def __str__(self) -> str:
        words = (f"{part[0]},{part[1]}" if isinstance(part, tuple) else f"{part}" for part in self.argument)
        return " ".join((self.name, *words))

    def apply(self, tracker: ShapeTracker) -> ShapeTracker:
        """The tracker after this operation.

        >>> from shapetracker import ShapeTracker
        >>> Operation("permute", (1, 0)).apply(ShapeTracker.from_shape((4, 6))).shape
        (6, 4)
        """
        result: ShapeTracker = getattr(tracker, self.name)(self.argument)
        return result


def parse_chain(text: str) -> tuple[Operation, ...]:
    """The operations of a chain, in order.

    An operation is its name and its numbers, with spaces between them; `pad` and `shrink` take one pair an axis, with
    a comma inside. A bar stands between operations.

    >>> parse_chain("reshape 2 6 | shrink 0,2 1,4")
    (Operation(name='reshape', argument=(2, 6)), Operation(name='shrink', argument=((0, 2), (1, 4))))

    Raises
    ------
    ViewError
        Where a name is no movement operation, or a word is no number, or no pair where one is expected.
    """
    return tuple([_operation(part) for part in text.split("|")]) if text.strip() else ()


def format_chain(operations: Iterable[Operation]) -> str:
    """The text of a chain; `parse_chain` reads it back.

    >>> format_chain(parse_chain("reshape 2  6|flip 0"))
    'reshape 2 6 | flip 0'
    """
    return " | ".join(str(operation) for operation in operations)


def parse_shape(text: str) -> Numbers:
    """The shape of ``"shape 4 6"``.

    >>> parse_shape("shape 4 6")
    (4, 6)
    """
    name, *words = text.split() or [""]
    if name != "shape":
        raise ViewError(f"from_text: a chain starts with its shape, as 'shape 4 6'; {text.strip()!r} does not")
    return tuple([_number("shape", word) for word in words])


def _operation(text: str) -> Operation:
    name, *words = text.split() or [""]
    if name in _NUMBERS:
        return Operation(name, tuple([_number(name, word) for word in words]))
    if name in _PAIRS:
        return Operation(name, tuple([_pair(name, word) for word in words]))
    raise ViewError(f"chain: {name!r} is no movement operation; there are {', '.join(_NUMBERS + _PAIRS)}")


def _number(name: str, word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise ViewError(f"chain: {name} takes integers with spaces between them, and {word!r} is none")
    if len(word) > _MOST_DIGITS:
        raise ViewError(
            f"chain: {name} takes integers of at most {_MOST_DIGITS} digits, and {word[:20]}… has {len(word)}"
        )
    return int(word.replace("−", "-"))


def _pair(name: str, word: str) -> tuple[int, int]:
    parts: Sequence[str] = word.split(",")
    if len(parts) != 2:
        raise ViewError(f"chain: {name} takes one pair an axis, as '1,2', and {word!r} is none")
    return _number(name, parts[0]), _number(name, parts[1])
