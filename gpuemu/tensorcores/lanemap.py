"""LaneMap: which element of a matrix each lane holds in each of its registers, as one View over that matrix.

A vendor's rule is a list of digits. The lane number and the element number are written in mixed radix, most
significant digit first, and each digit says how far one step of it moves in the operand: so many rows, columns
or blocks. Digits with their sizes and steps are axes with their lengths and strides; so a lane map is a View
over the row-major operand, indexed by (lane, element).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from gpuemu.errors import LaneMapError
from shapetracker import View

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Digit:
    """One digit of a lane or element number: it counts to `size`; a step moves so many rows, columns and blocks.

    `row`, `column`, `block` and `same` make the usual ones.
    """

    size: int
    row: int = 0
    column: int = 0
    block: int = 0


def row(size: int, step: int = 1) -> Digit:
    """A digit whose step moves `step` rows down.

    >>> row(2, 8)
    Digit(size=2, row=8, column=0, block=0)
    """
    return Digit(size, row=step)


def column(size: int, step: int = 1) -> Digit:
    """A digit whose step moves `step` columns to the right.

    >>> column(4, 2)
    Digit(size=4, row=0, column=2, block=0)
    """
    return Digit(size, column=step)


def block(size: int, step: int = 1) -> Digit:
    """A digit whose step moves `step` blocks on: independent matrices that one instruction multiplies at once.

    >>> block(4)
    Digit(size=4, row=0, column=0, block=1)
    """
    return Digit(size, block=step)


def same(size: int) -> Digit:
    """A digit that moves nothing: lanes (or elements) that hold copies.

    >>> same(2)
    Digit(size=2, row=0, column=0, block=0)
    """
    return Digit(size)


@dataclass(frozen=True, slots=True)
class Packing:
    """How the elements of one lane lie in its registers: back to back from bit 0 of register 0 on.

    Parameters
    ----------
    prefix
        The letter of the registers: ``v`` on AMD, ``r`` on NVIDIA.
    bits
        Bits of an element.
    spacing
        Bits from one element to the next; `bits` unless an element leaves room around it.
    width
        Bits of a register.
    first
        The bit of its room at which an element starts.

    Examples
    --------
    >>> Packing("r", 16).names(3)
    ('r0.[15:0]', 'r0.[31:16]', 'r1.[15:0]')
    >>> Packing("v", 32).names(2), Packing("v", 64).names(2), Packing("r", 1).names(2)
    (('v0', 'v1'), ('v[1:0]', 'v[3:2]'), ('r0.[0]', 'r0.[1]'))
    """

    prefix: str
    bits: int
    spacing: int = 0
    width: int = 32
    first: int = 0

    def names(self, count: int) -> tuple[str, ...]:
        """The register bits of elements 0 … count − 1, one text each.

        >>> Packing("r", 8).names(2)
        ('r0.[7:0]', 'r0.[15:8]')
        """
        return _register_names(self, count)

    def holes(self, count: int) -> tuple[str, ...]:
        """The register bits around each of `count` elements that hold none.

        >>> Packing("v", 16, spacing=32).holes(2), Packing("v", 16).holes(2)
        (('v0.[31:16]', 'v1.[31:16]'), ())
        >>> Packing("r", 4, spacing=8, first=2).holes(1)
        ('r0.[1:0]', 'r0.[7:6]')
        """
        step, end = self.spacing or self.bits, self.first + self.bits
        rooms = [(at, bits) for at, bits in ((0, self.first), (end, step - end)) if bits]
        return tuple(self.name(i * step + at, bits) for i in range(count) for at, bits in rooms)

    def name(self, first_bit: int, bits: int) -> str:
        """The registers, or the bits of one, from `first_bit` on.

        >>> Packing("r", 16).name(48, 16)
        'r1.[31:16]'
        """
        first, low = divmod(first_bit, self.width)
        last, high = divmod(first_bit + bits - 1, self.width)
        if first != last:
            return f"{self.prefix}[{last}:{first}]"
        if bits == self.width:
            return f"{self.prefix}{first}"
        return f"{self.prefix}{first}.[{high}:{low}]" if high != low else f"{self.prefix}{first}.[{low}]"


@dataclass(frozen=True, slots=True, repr=False)
class LaneMap:
    """Which element of one operand each lane holds in each of its registers.

    Attributes
    ----------
    operand
        ``a``, ``b``, ``c`` or ``d``: A is [m, k], B [k, n], C and D [m, n].
    rows, columns, blocks
        The operand's size; `blocks` independent matrices of rows × columns.
    dtype
        The type of an element, such as ``fp16``.
    lane_shape, element_shape
        The digits of the lane number and of the element number, most significant first.
    positions
        The View of shape ``lane_shape + element_shape`` over the row-major operand (the block axis first).
    registers
        The register bits of each element, one text an element.
    holes
        Bits of those registers that hold no element.
    """

    operand: str
    rows: int
    columns: int
    blocks: int
    dtype: str
    lane_shape: tuple[int, ...]
    element_shape: tuple[int, ...]
    positions: View
    registers: tuple[str, ...]
    holes: tuple[str, ...] = ()

    not_a_view: ClassVar[str | None] = None
    """Why the map is not one View; None where it is one."""

    @property
    def view(self) -> View | None:
        """The map as one View over the row-major operand, or None where `not_a_view` says why."""
        return self.positions

    @property
    def lanes(self) -> int:
        """How many lanes hold the operand together."""
        return prod(self.lane_shape)

    @property
    def elements(self) -> int:
        """How many elements each lane holds (groups of four candidates, for a sparse operand)."""
        return prod(self.element_shape)

    @property
    def duplicates(self) -> bool:
        """Whether some element is held more than once, as in lanes 0–15 and 16–31 of RDNA3's A and B."""
        return bool(np.bincount(_flat_positions(self.positions).ravel()).max() > 1)

    def coordinates(self) -> IntArray:
        """Row and column (and block, where there are several) of each lane's elements; read-only.

        Returns
        -------
        int64 array of shape (lanes, elements, 2), or (lanes, elements, 3) where `blocks` > 1;
        (lanes, groups, 4, 2 or 3) for a sparse operand.

        Examples
        --------
        >>> square = lane_map("a", 2, 2, "fp32", lane=[row(2)], element=[column(2)], packing=Packing("v", 32))
        >>> square.coordinates().tolist()
        [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
        """
        return _coordinates(self)

    def where(self, row: int, col: int, block: int = 0) -> list[tuple[int, int]]:
        """Each (lane, element) that holds the element at (row, col) of a block; several where lanes repeat others.

        Raises
        ------
        LaneMapError
            The operand has no such element.

        Examples
        --------
        >>> square = lane_map("a", 2, 2, "fp32", lane=[same(2), row(2)], element=[column(2)], packing=Packing("v", 32))
        >>> square.where(row=1, col=0), square.duplicates
        ([(1, 0), (3, 0)], True)
        """
        try:
            row, col, block = (operator.index(i) for i in (row, col, block))
        except TypeError:
            raise LaneMapError(f"where(row={row!r}, col={col!r}, block={block!r}): expected integers") from None
        if not (0 <= row < self.rows and 0 <= col < self.columns and 0 <= block < self.blocks):
            size = f"{self.rows} rows, {self.columns} columns, {self.blocks} block{'s' * (self.blocks > 1)}"
            raise LaneMapError(f"where(row={row}, col={col}, block={block}): operand {self.operand} has {size}")
        wanted = (block * self.rows + row) * self.columns + col
        found = np.argwhere(_flat_positions(self.positions).reshape(self.lanes, self.elements, -1) == wanted)
        return [(int(lane), int(element)) for lane, element, *_ in found]

    def draw(self, by: Literal["lane", "register", "k"] = "lane") -> Picture:
        """The operand as a matrix, and as lanes × registers.

        Parameters
        ----------
        by : "lane", "register" or "k"
            What the number and the colour of a matrix cell say: the lane that holds it, its number inside the lane,
            or its k.
        """
        from gpuemu.drawing.lanes import draw_lane_map

        return draw_lane_map(self, by=by)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        size = "×".join(map(str, (self.rows, self.columns, *[self.blocks][: self.blocks > 1])))
        what = "elements" if self.not_a_view is None else "groups of 4"
        return (
            f"<{type(self).__name__} {self.operand}: {size} {self.dtype}, {self.lanes} lanes × {self.elements} {what}>"
        )


@dataclass(frozen=True, slots=True, repr=False)
class SparseLaneMap(LaneMap):
    """Operand A of a 2:4 sparse instruction: of each four positions along k, two are stored.

    An element of the map is a group: four positions, of which the index register picks the two that the lane's
    register bits hold. What a register holds depends on that index, so the map is no View; `positions` is the View
    of the candidates, of shape ``lane_shape + element_shape + (4,)``.

    Attributes
    ----------
    index_registers
        The bits of the index register that choose within each group: two fields of two bits.
    """

    index_registers: tuple[str, ...] = ()

    not_a_view: ClassVar[str | None] = "the index register picks which two of each four positions a lane holds"

    @property
    def view(self) -> View | None:
        """None: `not_a_view` says why."""
        return None


def lane_map(
    operand: str,
    rows: int,
    columns: int,
    dtype: str,
    *,
    lane: Iterable[Digit],
    element: Iterable[Digit],
    packing: Packing,
    blocks: int = 1,
) -> LaneMap:
    """A lane map from the digits of its lane and element numbers, most significant first.

    Raises
    ------
    LaneMapError
        The digits reach beyond the operand.

    Examples
    --------
    Operand A of NVIDIA's m16n8k16: lane = 4·row + pair of columns, then (PTX ISA) the elements step by 1 column,
    8 rows, 8 columns.

    >>> a = lane_map("a", 16, 16, "fp16", packing=Packing("r", 16),
    ...              lane=[row(8), column(4, 2)], element=[column(2, 8), row(2, 8), column(2)])
    >>> a
    <LaneMap a: 16×16 fp16, 32 lanes × 8 elements>
    >>> a.view.shape, a.view.strides
    ((8, 4, 2, 2, 2), (16, 2, 8, 128, 1))
    >>> a.coordinates()[5, 7].tolist(), a.where(row=9, col=11), a.registers[7]
    ([9, 11], [(5, 7)], 'r3.[31:16]')
    """
    lane, element = _counting(lane), _counting(element)
    count = prod(digit.size for digit in element)
    return LaneMap(
        operand,
        rows,
        columns,
        blocks,
        dtype,
        tuple(digit.size for digit in lane),
        tuple(digit.size for digit in element),
        _view(operand, rows, columns, blocks, (*lane, *element)),
        packing.names(count),
        packing.holes(count),
    )


def sparse_lane_map(
    operand: str,
    rows: int,
    columns: int,
    dtype: str,
    *,
    lane: Iterable[Digit],
    group: Iterable[Digit],
    candidates: Digit,
    packing: Packing,
    index: Packing,
    blocks: int = 1,
) -> SparseLaneMap:
    """The map of a 2:4 sparse operand: `group` are the digits of the group number, `candidates` the four positions.

    `packing` names the register bits of a group (two elements), `index` its bits in the index register.

    Raises
    ------
    LaneMapError
        The digits reach beyond the operand.

    Examples
    --------
    >>> a = sparse_lane_map("a", 16, 32, "fp16", lane=[column(4, 8), row(16)], group=[column(2, 4)],
    ...                     candidates=column(4), packing=Packing("v", 32), index=Packing("v", 4))
    >>> a
    <SparseLaneMap a: 16×32 fp16, 64 lanes × 2 groups of 4>
    >>> a.coordinates().shape, a.coordinates()[17, 1].tolist()
    ((64, 2, 4, 2), [[1, 12], [1, 13], [1, 14], [1, 15]])
    >>> a.registers, a.index_registers, a.view is None
    (('v0', 'v1'), ('v0.[3:0]', 'v0.[7:4]'), True)
    """
    lane, group = _counting(lane), _counting(group)
    count = prod(digit.size for digit in group)
    return SparseLaneMap(
        operand,
        rows,
        columns,
        blocks,
        dtype,
        tuple(digit.size for digit in lane),
        tuple(digit.size for digit in group),
        _view(operand, rows, columns, blocks, (*lane, *group, candidates)),
        packing.names(count),
        packing.holes(count),
        index.names(count),
    )


def _counting(digits: Iterable[Digit]) -> tuple[Digit, ...]:
    """The digits without those of size 1, which a rule with m / 8 has where m is 8; one of them if all are."""
    digits = tuple(digits)
    return tuple(digit for digit in digits if digit.size > 1) or digits[-1:]


@cache
def _view(operand: str, rows: int, columns: int, blocks: int, digits: tuple[Digit, ...]) -> View:
    """The View of the digits over the row-major (block, row, column) operand."""
    limits = {"row": rows, "column": columns, "block": blocks}
    for axis, limit in limits.items():
        reach = 1 + sum((digit.size - 1) * int(getattr(digit, axis)) for digit in digits)
        if reach > limit:
            raise LaneMapError(f"lane map of {operand}: its digits reach {axis} {reach - 1}, expected below {limit}")
    strides = tuple((digit.block * rows + digit.row) * columns + digit.column for digit in digits)
    return View.create(tuple(digit.size for digit in digits), strides)


@cache  # the instructions of a catalogue have few packings and few views, again and again
def _register_names(packing: Packing, count: int) -> tuple[str, ...]:
    step = packing.spacing or packing.bits
    return tuple(packing.name(i * step + packing.first, packing.bits) for i in range(count))


@cache
def _flat_positions(view: View) -> IntArray:
    """The memory index of each element of an unmasked view."""
    positions = np.full(view.shape, view.offset, dtype=np.int64)
    for stride, index in zip(view.strides, np.indices(view.shape, dtype=np.int64, sparse=True), strict=True):
        positions += stride * index
    positions.flags.writeable = False
    return positions


@cache
def _coordinates(lane_map: LaneMap) -> IntArray:
    line, column = np.divmod(_flat_positions(lane_map.positions), lane_map.columns)
    block, row = np.divmod(line, lane_map.rows)
    parts = [row, column, block] if lane_map.blocks > 1 else [row, column]
    candidates = lane_map.positions.shape[len(lane_map.lane_shape) + len(lane_map.element_shape) :]
    array = np.stack(parts, axis=-1).reshape(lane_map.lanes, lane_map.elements, *candidates, len(parts))
    array.flags.writeable = False
    return array
