"""A fragment as somebody loaded it: what each lane holds in each element, however it was written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gpuemu.errors import FragmentError
from gpuemu.tensorcores.checker.formula import read_formulas
from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.base import AXES

Loaded: TypeAlias = str | Sequence[str] | npt.ArrayLike
"""A formula, several, an array of coordinates, or an array of numbered elements."""

NOTHING = -1
"""Row, column and number of a place that was never filled."""


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """What somebody loaded.

    Attributes
    ----------
    held
        int64 array (lanes, elements, 2 or 3): row, column (and block); all −1 where nothing was filled in.
    numbered
        Whether the coordinates were worked out from row-major numbers. Then a number beyond a row's end is the same
        place as the start of the next row.
    meant
        Of a formula with shifts or masks: what is held if these bind tighter than + and *.
    """

    held: IntArray
    numbered: bool
    meant: IntArray | None = None


def read_fragment(call: str, lane_map: LaneMap, loaded: Loaded) -> Fragment:
    """The fragment behind a formula, an array of coordinates, or registers filled from numbered elements.

    Raises
    ------
    FragmentError
        It is none of these, or a formula cannot be read; `call` begins the message.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> c = tensorcores.instruction("m16n8k16").c
    >>> read_fragment("check", c, "lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2").held[5].tolist()
    [[1, 2], [1, 3], [9, 2], [9, 3]]
    """
    if isinstance(loaded, str):
        loaded = [loaded]
    if isinstance(loaded, Sequence) and loaded and all(isinstance(text, str) for text in loaded):
        return _from_formulas(call, lane_map, [str(text) for text in loaded])
    try:
        array = np.asarray(loaded)
    except ValueError:
        raise FragmentError(f"{call}: the lanes do not all have equally many elements") from None
    if (
        array.dtype.kind not in "iubfV"
        or array.ndim not in (2, 3)
        or (array.ndim == 3 and array.shape[2] not in (2, 3))
    ):
        raise FragmentError(
            f"{call}: got an array of shape {array.shape} and type {array.dtype}; expected formulas, coordinates of "
            f"shape ({lane_map.lanes}, {lane_map.elements}, {_width(lane_map)}), or numbered elements of shape "
            f"({lane_map.lanes}, {lane_map.elements})"
        )
    numbers = _whole(call, array)
    if array.ndim == 2:
        return Fragment(from_numbers(lane_map, numbers), numbered=True)
    if numbers.shape[2] != _width(lane_map):
        what = "row, column and block" if lane_map.blocks > 1 else "row and column"
        raise FragmentError(f"{call}: {numbers.shape[2]} numbers a coordinate; this operand has {what}")
    return Fragment(np.where((numbers < 0).any(axis=-1, keepdims=True), NOTHING, numbers), numbered=False)


def _width(lane_map: LaneMap) -> int:
    return 3 if lane_map.blocks > 1 else 2


def _whole(call: str, array: npt.NDArray[Any]) -> IntArray:
    """The values as integers; what is no number (NaN) holds nothing."""
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    values = array.astype(np.float64)
    values = np.where(np.isnan(values), float(NOTHING), values)
    if not np.isfinite(values).all() or (values != np.floor(values)).any():
        odd = values[~np.isfinite(values) | (values != np.floor(values))][0]
        raise FragmentError(
            f"{call}: the registers hold {odd}; fill the operand with the numbers 0, 1, 2 … of its elements"
        )
    return values.astype(np.int64)


def _from_formulas(call: str, lane_map: LaneMap, texts: list[str]) -> Fragment:
    first, second = AXES[lane_map.operand]
    names = {"row": 0, first: 0, "col": 1, "column": 1, second: 1, "block": 2}
    found = read_formulas(texts, lane_map.lanes, lane_map.elements, names)
    meant = _meant(texts, lane_map, names)
    if set(found) == {0} and lane_map.blocks == 1:
        as_meant = from_numbers(lane_map, meant[0]) if meant else None
        return Fragment(from_numbers(lane_map, found[0]), True, as_meant)
    if set(found) != set(range(_width(lane_map))):
        wanted = f"row ({first}) and column ({second})" + " and block" * (lane_map.blocks > 1)
        given = ", ".join(("row", "column", "block")[axis] if axis < 3 else "one more" for axis in sorted(found))
        raise FragmentError(
            f"{call}: the formulas give {given or 'nothing'}; expected {wanted}, or one row-major index"
        )
    held, as_meant = (
        np.stack([values[axis] for axis in range(_width(lane_map))], axis=-1) if values else None
        for values in (found, meant)
    )
    return Fragment(held, False, as_meant)  # type: ignore[arg-type]  # what was found is there


def _meant(texts: list[str], lane_map: LaneMap, names: dict[str, int]) -> dict[int, IntArray]:
    """The formulas with shifts and masks first; nothing where they have no meaning then."""
    try:
        return read_formulas(texts, lane_map.lanes, lane_map.elements, names, bits_first=True)
    except FragmentError:
        return {}


def from_numbers(lane_map: LaneMap, numbers: IntArray) -> IntArray:
    """Coordinates of row-major numbers; negative ones are nothing.

    >>> from gpuemu import tensorcores
    >>> from_numbers(tensorcores.instruction("m16n8k16").c, np.array([[9, -1]])).tolist()
    [[[1, 1], [-1, -1]]]
    """
    line, column = np.divmod(numbers, lane_map.columns)
    block, row = np.divmod(line, lane_map.rows) if lane_map.blocks > 1 else (np.zeros_like(line), line)
    parts = np.stack([row, column, block][: _width(lane_map)], axis=-1)
    return np.where(numbers[..., None] < 0, NOTHING, parts)


def to_numbers(lane_map: LaneMap, coordinates: IntArray) -> IntArray:
    """The row-major numbers of coordinates; −1 where they are nothing.

    >>> from gpuemu import tensorcores
    >>> to_numbers(tensorcores.instruction("m16n8k16").c, np.array([[1, 1], [-1, -1]])).tolist()
    [9, -1]
    """
    row, column = coordinates[..., 0], coordinates[..., 1]
    line = coordinates[..., 2] * lane_map.rows + row if coordinates.shape[-1] == 3 else row
    return np.where((coordinates == NOTHING).all(axis=-1), NOTHING, line * lane_map.columns + column)


def place_text(lane_map: LaneMap, coordinate: Sequence[int]) -> str:
    """A coordinate in words.

    >>> from gpuemu import tensorcores
    >>> c = tensorcores.instruction("m16n8k16").c
    >>> place_text(c, (3, 7)), place_text(c, (3, 8)), place_text(c, (-1, -1))
    ('C[3, 7]', 'C[3, 8], which lies outside the operand', 'nothing')
    """
    row, column, *block = (int(x) for x in coordinate)
    if all(x == NOTHING for x in (row, column, *block)):
        return "nothing"
    name = f"{lane_map.operand.upper()}[{row}, {column}]" + (f" of block {block[0]}" if block else "")
    inside = (
        0 <= row < lane_map.rows and 0 <= column < lane_map.columns and (not block or 0 <= block[0] < lane_map.blocks)
    )
    return name if inside else f"{name}, which lies outside the operand"
