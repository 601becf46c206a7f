"""Tables of the independent parts of a stack of boxes: the exact answer where closed forms do not decide.

The memory index of a stack is a constant plus a sum of functions of disjoint sets of axes, and a point is valid where
each of them is. One such function is a `Block`. An axis of the outermost box starts as a block of its own, an
arithmetic progression that is kept as a `Line`. Each box below looks the sum up: where a floor splits into a sum of
functions of the single blocks, they stay apart; where it does not, or where a mask ties them together, they are
joined into one.

So a stack is one box exactly when some block has no valid point, or every block is one box.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import prod

from shapetracker.box import Bounds, Box, merge_axes
from shapetracker.values import (
    Line,
    Values,
    add,
    constant,
    entries,
    extremes,
    first_valid,
    hide_invalid,
    outer_sum,
    scale,
    shift,
)

LIMIT = 1 << 20
"""The greatest number of points of one block that is looked at point by point."""


class TooLargeError(Exception):
    """A block would have to be looked at in more than `LIMIT` points."""


@dataclass(frozen=True, slots=True)
class Block:
    """A function of some axes: a sum of one value a member, plus what some pieces look up.

    A member is a block of the stack above; its values come in the row-major order of its own axes, and the members'
    axes follow each other.
    """

    axes: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[Values, ...]
    lookups: tuple[tuple[_Lookup, tuple[Values, ...]], ...] = ()

    def line(self) -> Line | None:
        """The block in closed form, where it has one."""
        only = self.sums[0]
        return only if isinstance(only, Line) and not self.lookups else None

    def chunks(self) -> Iterator[list[int | None]]:
        """The values in row-major order, all positions of the last member at a time."""
        length = prod(self.counts)
        if length > LIMIT:
            raise TooLargeError
        tail = list(entries(self.sums[-1]))
        tails = [(lookup, entries(parts[-1])) for lookup, parts in self.lookups]
        heads = [outer_sum(list(parts[:-1])) for parts in (self.sums, *(parts for _, parts in self.lookups))]
        for first, *others in zip(*heads, strict=True):
            if first is None or None in others:
                yield [None] * len(tail)
                continue
            chunk = [None if value is None else first + value for value in tail]
            for (lookup, steps), start in zip(tails, others, strict=True):
                chunk = [
                    None
                    if so_far is None or step is None or (found := lookup[start + step]) is None
                    else so_far + found
                    for so_far, step in zip(chunk, steps, strict=True)
                ]
            yield chunk

    def values(self) -> Values:
        """All values in row-major order, None where invalid."""
        return self.line() or list(chain.from_iterable(self.chunks()))

    def empty(self) -> bool:
        """Whether no point is valid."""
        return self.line() is None and all(value is None for chunk in self.chunks() for value in chunk)


@dataclass(frozen=True, slots=True)
class Table:
    """The memory index of a stack: a constant plus one value of each block."""

    constant: int
    blocks: tuple[Block, ...]


class _Lookup(dict[int, int | None]):
    """What a piece of digits with one joint value adds to the memory index: None where one of them is masked."""

    def __init__(self, digits: Box) -> None:
        super().__init__()
        self.digits = list(
            zip(*[reversed(part) for part in (digits.shape, digits.strides, digits.bounds)], strict=True)
        )

    def __missing__(self, value: int) -> int | None:
        rest, index = value, 0
        for size, stride, (begin, end) in self.digits:
            rest, digit = divmod(rest, size)
            if not begin <= digit < end:
                self[value] = None
                return None
            index += digit * stride
        self[value] = index
        return index


def tabulate(boxes: tuple[Box, ...], bounds: Bounds) -> Table | None:
    """The independent blocks of a stack over the points of its outermost box inside `bounds`.

    Positions are counted from the first corner of `bounds`. Axes that change nothing belong to no block. None where
    it is seen that no point is valid; a block of the table may still turn out to be empty.

    >>> inner = Box((2, 3), (1, 2), 0, ((0, 2), (0, 3)))
    >>> tabulate((inner, Box((6,), (1,), 0, ((0, 6),))), ((0, 6),)).blocks[0].values()
    [0, 2, 4, 1, 3, 5]

    Raises
    ------
    TooLargeError
        Where a block would have to be looked at in more than `LIMIT` points.
    """
    outer = boxes[-1]
    index = outer.offset
    blocks = []
    for axis, (step, (begin, end)) in enumerate(zip(outer.strides, bounds, strict=True)):
        index += step * begin
        if step and end - begin > 1:
            blocks.append(Block((axis,), (end - begin,), (Line(0, step, end - begin),)))
    table: Table | None = Table(index, tuple(blocks))
    for inner in reversed(boxes[:-1]):
        table = _look_up(merge_axes(inner), table) if table is not None else None
    return table


# --- one lookup ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """Neighbouring digits of the box that is looked up in; their joint value is ``first`` plus one part a block."""

    digits: Box
    first: int
    parts: list[Values]

    @property
    def ties(self) -> list[int]:
        """The blocks on which the value depends."""
        return [place for place, part in enumerate(self.parts) if not constant(part)]

    def stride(self) -> int | None:
        """The one stride of the piece where it acts as an axis without a mask, else None."""
        shape, strides, _, bounds = self.digits
        for k in range(1, len(shape)):
            if strides[k - 1] != shape[k] * strides[k] or bounds[k] != (0, shape[k]):
                return None
        if bounds[0] != (0, shape[0]):
            place = prod(shape[1:])
            reach = [extremes(part) for part in self.parts]
            low, high = self.first + sum([low for low, _ in reach]), self.first + sum([high for _, high in reach])
            if low < bounds[0][0] * place or high >= bounds[0][1] * place:
                return None
        return strides[-1]


def _look_up(digits: Box, table: Table) -> Table | None:
    """The table of a sum of blocks looked up in a box; None where it is seen that no point is valid."""
    index, values = table.constant, []
    for block in table.blocks:
        found = block.values()
        if isinstance(found, list) and all(value is None for value in found):
            return None
        index += first_valid(found)
        values.append(shift(found, -first_valid(found)))
    pieces = _cut(digits, index, values)
    index = digits.offset
    tied: list[tuple[list[int], _Piece]] = []
    sums: list[Values] = [hide_invalid(scale(part, 0), part) for part in values]
    for piece in pieces:
        stride, ties = piece.stride(), piece.ties
        if stride is not None:
            index += stride * piece.first
            for place in ties:
                sums[place] = add(sums[place], scale(piece.parts[place], stride))
        elif ties:
            tied.append((ties, piece))
        else:
            fixed = _Lookup(piece.digits)[piece.first]
            if fixed is None:
                return None
            index += fixed
    blocks = []
    for group in _groups(len(values), [ties for ties, _ in tied]):
        lookups = [
            (_Lookup(piece.digits), _counted_from(piece.first, [piece.parts[place] for place in group]))
            for ties, piece in tied
            if ties[0] in group
        ]
        blocks.append(
            Block(
                tuple([axis for place in group for axis in table.blocks[place].axes]),
                tuple([count for place in group for count in table.blocks[place].counts]),
                tuple([sums[place] for place in group]),
                tuple(lookups),
            )
        )
    return Table(index, tuple(blocks))


def _counted_from(first: int, parts: list[Values]) -> tuple[Values, ...]:
    return (shift(parts[0], first), *parts[1:])


def _cut(digits: Box, start_value: int, parts: list[Values]) -> list[_Piece]:
    """Cut the digits of the sum of the parts wherever the floor is a sum of functions of the single parts."""
    pieces, start, rank = [], 0, len(digits.shape)
    for k in range(rank):
        place = prod(digits.shape[k + 1 :])
        split = _split_floor(start_value, parts, place)
        if split is None:
            continue
        quotient, ups = split
        span = Box(digits.shape[start : k + 1], digits.strides[start : k + 1], 0, digits.bounds[start : k + 1])
        pieces.append(_Piece(span, quotient, ups))
        start_value -= place * quotient
        parts = [add(part, scale(up, -place)) for part, up in zip(parts, ups, strict=True)]
        start = k + 1
    return pieces


def _split_floor(start_value: int, parts: list[Values], place: int) -> tuple[int, list[Values]] | None:
    """``⌊(start_value + Σ parts) / place⌋`` as a constant plus a function of each part; None where it is no such sum.

    Every part has the value 0 somewhere. If the floor is such a sum, the function of a part is what the floor does
    while all others are 0; and those functions are the floor exactly when what they leave stays in [0, place). What
    they leave is again a sum over independent parts, so its extremes are the sums of theirs.
    """
    quotient, left = divmod(start_value, place)
    low = high = left
    ups: list[Values] = []
    for part in parts:
        up = _floor_of_part(left, part, place)
        least, most = extremes(add(part, scale(up, -place)))
        low, high = low + least, high + most
        ups.append(up)
    return (quotient, ups) if low >= 0 and high < place else None


def _floor_of_part(left: int, part: Values, place: int) -> Values:
    if place == 1:
        return part
    if isinstance(part, Line):
        up = (left + part.step) // place
        slope = (part.step - place * up) * (part.count - 1)
        if 0 <= left + slope < place:
            return Line(0, up, part.count)
        if part.count > LIMIT:
            raise TooLargeError
    return [None if value is None else (left + value) // place for value in entries(part)]


def _groups(count: int, ties: list[list[int]]) -> list[list[int]]:
    """The blocks 0 … count − 1 in groups that the ties hold together."""
    groups = [[place] for place in range(count)]
    for tied in ties:
        joined = [group for group in groups if any(place in group for place in tied)]
        groups = [group for group in groups if group not in joined]
        groups.append(sorted(place for group in joined for place in group))
    return groups
