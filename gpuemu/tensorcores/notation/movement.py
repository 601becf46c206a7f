"""A lane map as the View that it is, and as the movement operations that make this View of the operand.

The row-major operand is cut into the digits of its rows and columns (a reshape), gets an axis for copies where lanes
hold them (expand), and has its axes put in the order of the lane's and the element's digits (permute).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from gpuemu.errors import NotationError
from gpuemu.tensorcores.lanemap import Digit, IntArray, LaneMap
from gpuemu.tensorcores.notation.base import Notation, checked, digits_of, fields
from shapetracker import ShapeTracker, View
from shapetracker.chain import Operation
from shapetracker.errors import ShapeTrackerError

VIEW, MOVEMENT = "View", "movement operations"


def view(lane_map: LaneMap) -> Notation:
    """The View over the row-major operand.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> view(tensorcores.instruction("m16n8k16").a).text
    'View(shape=(8, 4, 2, 2, 2), strides=(16, 2, 8, 128, 1), offset=0)'
    """
    digits = f"{len(lane_map.lane_shape)} axes for the lane, {len(lane_map.element_shape)} for the element"
    meaning = f"{digits}; the strides are steps in the row-major operand"
    if lane_map.view is None:
        return Notation(VIEW, None, meaning, lane_map.not_a_view)
    return checked(
        VIEW,
        meaning,
        repr(lane_map.view),
        lambda text: _coordinates(ShapeTracker((read_view(text),)), lane_map),
        lane_map.coordinates(),
    )


def read_view(text: str) -> View:
    """A View from its text.

    Raises
    ------
    NotationError
        The text is no View.

    Examples
    --------
    >>> read_view("View(shape=(8, 4), strides=(8, 2), offset=0)")
    View(shape=(8, 4), strides=(8, 2), offset=0)
    """
    written = text.strip()
    found = fields(written[5:-1], "View") if written.startswith("View(") and written.endswith(")") else {}
    if not {"shape", "strides"} <= set(found) <= {"shape", "strides", "offset", "mask"}:
        raise NotationError(f"View {text!r}: expected View(shape=(…), strides=(…), offset=…)")
    try:
        return View.create(**found)
    except (ShapeTrackerError, TypeError) as error:
        raise NotationError(f"View {text!r}: {error}") from None


def movement(lane_map: LaneMap) -> Notation:
    """The movement operations that turn the row-major operand into (lane digits…, element digits…).

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> movement(tensorcores.instruction("m16n8k16").a).text
    'shape 16 16 | reshape 2 8 2 4 2 | permute 1 3 2 0 4'
    >>> print(movement(tensorcores.instruction("v_wmma_f32_16x16x16_f16", "gfx1100", 32).a).text)
    shape 16 16 | reshape 16 16 1 | expand 16 16 2 | permute 2 0 1
    """
    meaning = "for ShapeTracker.from_text: from the row-major operand to the axes (lane digits, element digits)"
    if lane_map.not_a_view is not None:
        return Notation(MOVEMENT, None, meaning, lane_map.not_a_view)
    chain = _chain(lane_map)
    if isinstance(chain, str):
        return Notation(MOVEMENT, None, meaning, chain)
    return checked(
        MOVEMENT,
        meaning,
        "shape " + " ".join(map(str, chain[0])) + "".join(f" | {operation}" for operation in chain[1]),
        lambda text: _coordinates(ShapeTracker.from_text(text), lane_map),
        lane_map.coordinates(),
    )


def _chain(lane_map: LaneMap) -> tuple[tuple[int, ...], tuple[Operation, ...]] | str:
    """The operand's shape and the operations, or why there are none."""
    digits = digits_of(lane_map)
    if digits is None:
        return "the coordinate is not a sum of the digits' steps"
    sizes = (("block", lane_map.blocks), ("row", lane_map.rows), ("column", lane_map.columns))
    moving = {axis: [i for i, digit in enumerate(digits) if getattr(digit, axis)] for axis, _ in sizes}
    if any(sum(i in chosen for chosen in moving.values()) > 1 for i in range(len(digits))):
        return "a digit moves along two axes at once"
    order: list[int] = []
    for axis, size in sizes:
        chosen = sorted(moving[axis], key=lambda i: -int(getattr(digits[i], axis)))
        if not _counts([(digits[i].size, int(getattr(digits[i], axis))) for i in chosen], size):
            return f"the digits of the {axis} do not count each of its {size} positions once"
        order += chosen
    still = [i for i in range(len(digits)) if i not in order]
    shape = (*[lane_map.blocks][: lane_map.blocks > 1], lane_map.rows, lane_map.columns)
    return shape, _operations(digits, shape, order, still)


def _counts(digits: Sequence[tuple[int, int]], size: int) -> bool:
    """Whether (size, step) digits, the greatest step first, are the mixed-radix digits of 0 … size − 1."""
    place = 1
    for count, step in reversed(digits):
        if step != place:
            return False
        place *= count
    return place == size


def _operations(
    digits: tuple[Digit, ...], shape: tuple[int, ...], order: list[int], still: list[int]
) -> tuple[Operation, ...]:
    axes = order + still
    cut = (*[digits[i].size for i in order], *[1 for _ in still])
    full = tuple(digits[i].size for i in axes)
    permutation = tuple(axes.index(i) for i in range(len(digits)))
    operations = [Operation("reshape", cut)] if cut != shape else []
    operations += [Operation("expand", full)] if full != cut else []
    operations += [Operation("permute", permutation)] if permutation != tuple(range(len(digits))) else []
    return tuple(operations)


def _coordinates(tracker: ShapeTracker, lane_map: LaneMap) -> IntArray:
    """What the tracker reads, as coordinates of the operand."""
    size = lane_map.blocks * lane_map.rows * lane_map.columns
    line, column = np.divmod(np.asarray(tracker.gather(np.arange(size))), lane_map.columns)
    block, row = np.divmod(line, lane_map.rows)
    parts = [row, column, block] if lane_map.blocks > 1 else [row, column]
    count = prod(lane_map.lane_shape), prod(lane_map.element_shape)
    return np.stack(parts, axis=-1).reshape(*count, len(parts)).astype(np.int64)
