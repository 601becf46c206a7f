"""CuTe: a lane map as a TV layout, ``((T…),(V…)):((strides of T),(strides of V))``.

A TV layout takes a thread and a value to the number of a coordinate, not to an address: m + M·k for A, n + N·k for B
(which CuTe writes as N × K), m + M·n for C. Counting is colexicographic: the first mode is the least significant digit.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from gpuemu.errors import NotationError
from gpuemu.tensorcores.lanemap import Digit, IntArray, LaneMap
from gpuemu.tensorcores.notation.base import Notation, axis_names, checked, digits_of

Modes = tuple[int, ...]

MOST_CHARACTERS = 4096
"""The longest text that is read."""
MOST_PLACES = 1 << 20
"""The most places, threads times values, that a text may name: what is read is looked at place by place."""
MOST_COORDINATES = 1 << 40
"""How far a stride may lead: sums of a few such are still 64-bit integers."""

NAME = "CuTe layout"
MEANING = {
    "a": "thread and value to the coordinate's number m + {rows}·k",
    "b": "thread and value to the coordinate's number n + {columns}·k",
    "c": "thread and value to the coordinate's number m + {rows}·n",
    "matrix": "thread and value to the coordinate's number row + {rows}·column",
}


@dataclass(frozen=True, slots=True)
class CuteLayout:
    """A TV layout: the modes of the thread and of the value, with their strides, least significant first.

    Examples
    --------
    >>> layout = CuteLayout((4, 8), (32, 1), (2, 2), (16, 8))
    >>> print(layout)
    ((4,8),(2,2)):((32,1),(16,8))
    >>> layout.numbers()[5].tolist()  # what thread 5 holds: m + 16·n
    [33, 49, 41, 57]
    """

    thread_shape: Modes
    thread_stride: Modes
    value_shape: Modes
    value_stride: Modes

    def __str__(self) -> str:
        return (
            f"({_mode(self.thread_shape)},{_mode(self.value_shape)})"
            f":({_mode(self.thread_stride)},{_mode(self.value_stride)})"
        )

    def numbers(self) -> IntArray:
        """The coordinate numbers, (threads, values)."""
        threads = _counted(self.thread_shape, self.thread_stride)
        return threads[:, None] + _counted(self.value_shape, self.value_stride)

    def coordinates(self, operand: str, rows: int, columns: int, blocks: int = 1) -> IntArray:
        """Row and column (and block, where there are several) of each thread's values, as `LaneMap.coordinates`.

        Raises
        ------
        NotationError
            The layout reaches beyond the operand.

        Examples
        --------
        >>> read_cute("((4,8),(2,2)):((16,1),(8,64))").coordinates("b", rows=16, columns=8)[5].tolist()
        [[2, 1], [3, 1], [10, 1], [11, 1]]
        """
        numbers = self.numbers()
        if numbers.min() < 0 or numbers.max() >= rows * columns * blocks:
            raise NotationError(
                f"CuTe layout {self}: it gives coordinate {numbers.max() if numbers.min() >= 0 else numbers.min()}, "
                f"expected 0 … {rows * columns * blocks - 1} for {rows} × {columns}" + f" × {blocks}" * (blocks > 1)
            )
        fast = columns if operand == "b" else rows
        rest, first = np.divmod(numbers, fast)
        block, second = np.divmod(rest, rows * columns // fast)
        place = [second, first] if operand == "b" else [first, second]
        return np.stack([*place, block] if blocks > 1 else place, axis=-1)


def cute(lane_map: LaneMap) -> Notation:
    """A lane map as a CuTe TV layout; copies have stride 0, and blocks come last in the coordinate's number.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> cute(tensorcores.instruction("m16n8k16").a).text
    '((4,8),(2,2,2)):((32,1),(16,8,128))'
    """
    meaning = MEANING["c" if lane_map.operand == "d" else lane_map.operand].format(
        rows=lane_map.rows, columns=lane_map.columns
    )
    if lane_map.blocks > 1:
        meaning += f" + {lane_map.rows * lane_map.columns}·{axis_names(lane_map)[2]}"
    if lane_map.not_a_view is not None:
        return Notation(NAME, None, meaning, lane_map.not_a_view)
    digits = digits_of(lane_map)
    if digits is None:
        return Notation(NAME, None, meaning, "the coordinate is not a sum of the digits' steps")
    steps = [_step(digit, lane_map) for digit in digits]
    lanes = len(lane_map.lane_shape)
    layout = CuteLayout(
        lane_map.lane_shape[::-1], tuple(steps[:lanes][::-1]), lane_map.element_shape[::-1], tuple(steps[lanes:][::-1])
    )
    size = (lane_map.operand, lane_map.rows, lane_map.columns, lane_map.blocks)
    return checked(NAME, meaning, str(layout), lambda text: read_cute(text).coordinates(*size), lane_map.coordinates())


def _step(digit: Digit, lane_map: LaneMap) -> int:
    """How far one step of the digit goes in the coordinate's number."""
    block = digit.block * lane_map.rows * lane_map.columns
    if lane_map.operand == "b":
        return digit.column + lane_map.columns * digit.row + block
    return digit.row + lane_map.rows * digit.column + block


def _mode(numbers: Modes) -> str:
    return f"({','.join(map(str, numbers))})" if len(numbers) > 1 else str(numbers[0])


def _counted(shape: Modes, stride: Modes) -> IntArray:
    """The value of a mode at each index, the first digit running fastest."""
    total = np.zeros(1, dtype=np.int64)
    for size, step in zip(shape, stride, strict=True):
        total = (np.arange(size)[:, None] * step + total).ravel()
    return total


# --- reading --------------------------------------------------------------------------------------------------------


def read_cute(text: str) -> CuteLayout:
    """A TV layout from its text, ``((4,8),(2,2)):((32,1),(16,8))`` or CUTLASS's ``Layout<Shape<…>,Stride<…>>``.

    Raises
    ------
    NotationError
        The text is no layout, or has not one mode for the thread and one for the value, or the shapes differ.

    Examples
    --------
    >>> print(read_cute("Layout<Shape<Shape<_4,_8>,Shape<_2,_2>>, Stride<Stride<_32,_1>,Stride<_16,_8>>>"))
    ((4,8),(2,2)):((32,1),(16,8))
    >>> read_cute("(32,4):(1,32,2)")
    Traceback (most recent call last):
    gpuemu.errors.NotationError: CuTe layout '(32,4):(1,32,2)': the stride has 3 modes, expected 2: thread and value
    """
    shape, stride = _shape_and_stride(text)
    parts: list[Modes] = []
    for what, nested in (("shape", shape), ("stride", stride)):
        if isinstance(nested, int) or len(nested) != 2:
            count = 1 if isinstance(nested, int) else len(nested)
            raise NotationError(f"CuTe layout {text!r}: the {what} has {count} modes, expected 2: thread and value")
        parts += [_flat(nested[0]), _flat(nested[1])]
    for mode, sizes, steps in (("thread", parts[0], parts[2]), ("value", parts[1], parts[3])):
        if len(sizes) != len(steps):
            raise NotationError(f"CuTe layout {text!r}: the {mode} has {len(sizes)} sizes and {len(steps)} strides")
        if prod(sizes) == 0:
            raise NotationError(f"CuTe layout {text!r}: the {mode} has a size 0")
    places = prod((*parts[0], *parts[1]))
    if places > MOST_PLACES:
        raise NotationError(f"CuTe layout {text!r}: it has {places} places, and at most {MOST_PLACES} are read")
    greatest = max(n * step for n, step in zip((*parts[0], *parts[1]), (*parts[2], *parts[3]), strict=True))
    if greatest > MOST_COORDINATES:
        raise NotationError(f"CuTe layout {text!r}: its strides lead beyond coordinate {MOST_COORDINATES}")
    return CuteLayout(parts[0], parts[2], parts[1], parts[3])


def _shape_and_stride(text: str) -> tuple[Any, Any]:
    if len(text) > MOST_CHARACTERS:
        raise NotationError(
            f"CuTe layout {text[:60]!r}…: {len(text)} characters, and at most {MOST_CHARACTERS} are read"
        )
    plain = re.sub(r"\bInt\s*<\s*(\d+)\s*>|\b_(\d+)", r"\1\2", text)
    plain = re.sub(r"\b(?:Layout|Shape|Stride)\s*<", "(", plain).replace(">", ")").replace(":", ",")
    complaint = (
        f"CuTe layout {text!r}: expected ((T…),(V…)):((strides of T),(strides of V)) or Layout<Shape<…>,Stride<…>>"
    )
    if not re.fullmatch(r"[\d\s,()]+", plain):
        raise NotationError(complaint)
    try:
        found = ast.literal_eval(plain.strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NotationError(complaint) from None
    if isinstance(found, int) or len(found) != 2:
        raise NotationError(complaint)
    return found[0], found[1]


def _flat(nested: Any) -> Modes:
    return (nested,) if isinstance(nested, int) else tuple(number for part in nested for number in _flat(part))
