"""What every notation is made of: its text with the check behind it, and the digits that a lane map counts in."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuemu.errors import NotationError
from gpuemu.tensorcores.lanemap import Digit, IntArray, LaneMap

AXES = {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n"), "d": ("m", "n"), "matrix": ("row", "column")}
"""What the rows and the columns of each operand are called; `matrix` is what ldmatrix and stmatrix move."""


def axis_names(lane_map: LaneMap) -> tuple[str, ...]:
    """Row, column (and block) as this operand calls them, in the order of `LaneMap.coordinates`.

    >>> from gpuemu import tensorcores
    >>> axis_names(tensorcores.instruction("m16n8k16").b)
    ('k', 'n')
    >>> axis_names(tensorcores.copy_instruction("ldmatrix.x4").lane_map)
    ('row', 'column', 'matrix')
    """
    several = "matrix" if lane_map.operand == "matrix" else "block"
    return (*AXES[lane_map.operand], *[several][: lane_map.blocks > 1])


@dataclass(frozen=True, slots=True)
class Notation:
    """A lane map in somebody's way of writing, or the reason why that way cannot express it.

    Attributes
    ----------
    name
        Such as ``CuTe layout``.
    text
        The map as one would write it there; None where it cannot be written.
    meaning
        How the text is to be read, in one sentence.
    why_not
        Why there is no text; None where there is one.
    places
        How many places of the map were compared: the text was read back, and each gave the same coordinates.
    """

    name: str
    text: str | None
    meaning: str
    why_not: str | None = None
    places: int = 0


def checked(name: str, meaning: str, text: str, read: Callable[[str], Any], expected: IntArray) -> Notation:
    """The notation of this text, if the text, read back, gives the expected coordinates; else the first difference.

    Parameters
    ----------
    read
        From the text to an integer array of the shape of `expected`.
    expected
        Coordinates, on the last axis.
    """
    found = np.asarray(read(text))
    if found.shape != expected.shape:
        return Notation(name, None, meaning, f"read back, it has the shape {found.shape}, expected {expected.shape}")
    wrong = np.argwhere((found != expected).any(axis=-1))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        difference = f"{found[place].tolist()} where the map has {expected[place].tolist()}"
        return Notation(name, None, meaning, f"read back, it gives place {place} the coordinates {difference}")
    return Notation(name, text, meaning, places=int(np.prod(expected.shape[:-1])))


def digits_of(lane_map: LaneMap) -> tuple[Digit, ...] | None:
    """The digits of the lane number and then of the element number, most significant first.

    A sparse operand has one more, the choice among four positions. None where the map is not a sum of digits' steps.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> for digit in digits_of(tensorcores.instruction("m16n8k16").b): print(digit)
    Digit(size=8, row=0, column=1, block=0)
    Digit(size=4, row=2, column=0, block=0)
    Digit(size=2, row=8, column=0, block=0)
    Digit(size=2, row=1, column=0, block=0)
    """
    found = []
    for size, stride in zip(lane_map.positions.shape, lane_map.positions.strides, strict=True):
        line, column = divmod(int(stride), lane_map.columns)
        block, row = divmod(line, lane_map.rows)
        found.append(Digit(int(size), row, column, block))
    return tuple(found) if np.array_equal(_sum_of_steps(found), with_block(lane_map)) else None


def _sum_of_steps(digits: list[Digit]) -> IntArray:
    total = np.zeros((*[digit.size for digit in digits], 3), dtype=np.int64)
    for axis, digit in enumerate(digits):
        count = np.arange(digit.size).reshape([-1 if i == axis else 1 for i in range(len(digits))])
        total += count[..., None] * np.array([digit.row, digit.column, digit.block])
    return total


def with_block(lane_map: LaneMap) -> IntArray:
    """Row, column and block of each place, one axis a digit: the coordinates of the map, the block 0 where it has one.

    >>> from gpuemu import tensorcores
    >>> with_block(tensorcores.instruction("m16n8k16").c).shape
    (8, 4, 2, 2, 3)
    """
    given = lane_map.coordinates()
    full = np.zeros((*given.shape[:-1], 3), dtype=np.int64)
    full[..., : given.shape[-1]] = given
    return full.reshape(*lane_map.positions.shape, 3)


def fields(text: str, call: str) -> dict[str, Any]:
    """The values of ``name=value, …``: literals, read without executing anything.

    >>> fields("shape=(8, 4), offset=0", "read")
    {'shape': (8, 4), 'offset': 0}
    >>> fields("shape=open('x')", "read")
    Traceback (most recent call last):
    gpuemu.errors.NotationError: read "shape=open('x')": expected name=value, … with numbers, texts and tuples as values
    """
    complaint = f"{call} {text!r}: expected name=value, … with numbers, texts and tuples as values"
    try:
        tree = ast.parse(f"dict({text})", mode="eval").body
        if not isinstance(tree, ast.Call) or tree.args:
            raise NotationError(complaint)
        return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in tree.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise NotationError(complaint) from None
