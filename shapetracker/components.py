"""Tables of the independent parts of a stack of boxes: the exact answer where closed forms do not decide.

The memory index of a stack is a constant plus a sum of functions of disjoint sets of axes, and a point is valid where
each of them is. One such function is a `Block`. An axis of the outermost box starts as a block of its own, an
arithmetic progression that is kept as a `Line`. Each box below looks the sum up: where a floor splits into a sum of
functions of the single blocks, they stay apart; where it does not, or where a mask ties them together, they are
joined into one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from shapetracker.box import Bounds, Box, merge_axes

LIMIT = 1 << 20
"""The greatest number of points of one table."""


@dataclass(frozen=True, slots=True)
class Line:
    """The values ``first + step·position`` of an axis."""

    first: int
    step: int
    count: int


Values = Line | list[int | None]


class TooLargeError(Exception):
    """A table would have more than `LIMIT` points."""


@dataclass(frozen=True, slots=True)
class Block:
    """A function of some axes, as its values in row-major order: None where invalid, a `Line` where one axis is affine."""

    axes: tuple[int, ...]
    counts: tuple[int, ...]
    values: Values


@dataclass(frozen=True, slots=True)
class Table:
    """The memory index of a stack: a constant plus one value of each block."""

    constant: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """A block that is one box: its valid bounds, its value at their first corner, its step along each axis."""

    bounds: Bounds
    first: int
    steps: tuple[int, ...]


def tabulate(boxes: tuple[Box, ...], bounds: Bounds) -> Table | None:
    """The independent blocks of a stack over the points of its outermost box inside `bounds`; None if none is valid.

    Positions are counted from the first corner of `bounds`. Axes that change nothing belong to no block.

    >>> inner = Box((2, 3), (1, 2), 0, ((0, 2), (0, 3)))
    >>> tabulate((inner, Box((6,), (1,), 0, ((0, 6),))), ((0, 6),)).blocks[0].values
    [0, 2, 4, 1, 3, 5]

    Raises
    ------
    TooLargeError
        Where a table would have more than `LIMIT` points.
    """
    outer = boxes[-1]
    constant = outer.offset
    blocks = []
    for axis, (step, (begin, end)) in enumerate(zip(outer.strides, bounds, strict=True)):
        constant += step * begin
        if step and end - begin > 1:
            blocks.append(Block((axis,), (end - begin,), Line(0, step, end - begin)))
    table: Table | None = Table(constant, tuple(blocks))
    for inner in reversed(boxes[:-1]):
        table = _look_up(merge_axes(inner), table) if table is not None else None
    return table


def fit(block: Block) -> Fit | None:
    """The box that a block is, or None where its valid points are no box or its steps differ. It must not be empty."""
    values, counts = block.values, block.counts
    if isinstance(values, Line):
        return Fit(((0, values.count),), values.first, (values.step,))
    valid = [place for place, value in enumerate(values) if value is not None]
    lows, highs = list(_unravel(valid[0], counts)), list(_unravel(valid[-1], counts))
    for place in valid:
        for axis, position in enumerate(_unravel(place, counts)):
            if position < lows[axis]:
                lows[axis] = position
            elif position > highs[axis]:
                highs[axis] = position
    if prod([high - low + 1 for low, high in zip(lows, highs, strict=True)]) != len(valid):
        return None
    places = [prod(counts[axis + 1 :]) for axis in range(len(counts))]
    first = sum([low * place for low, place in zip(lows, places, strict=True)])
    base = _known(values[first])
    steps = [
        _known(values[first + place]) - base if high > low else 0
        for low, high, place in zip(lows, highs, places, strict=True)
    ]
    lines = [
        range(0, step * (high - low + 1), step) if step else (0,) * (high - low + 1)
        for low, high, step in zip(lows, highs, steps, strict=True)
    ]
    expected = [base + sum(parts) for parts in product(*lines)]
    if expected != [values[place] for place in valid]:
        return None
    return Fit(tuple([(low, high + 1) for low, high in zip(lows, highs, strict=True)]), base, tuple(steps))


def _known(value: int | None) -> int:
    if value is None:
        raise AssertionError("an invalid point inside of a full box")
    return value


def _unravel(place: int, counts: tuple[int, ...]) -> list[int]:
    digits = []
    for count in reversed(counts):
        place, digit = divmod(place, count)
        digits.append(digit)
    return digits[::-1]


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
        return [place for place, part in enumerate(self.parts) if not _constant(part)]

    def linear(self) -> int | None:
        """The one stride of the piece where it acts as an axis without a mask, else None."""
        shape, strides, bounds = self.digits.shape, self.digits.strides, self.digits.bounds
        if any(strides[k] != shape[k + 1] * strides[k + 1] for k in range(len(shape) - 1)):
            return None
        if any(bound != (0, size) for bound, size in zip(bounds[1:], shape[1:], strict=True)):
            return None
        place = prod(shape[1:])
        low = self.first + sum(_extremes(part)[0] for part in self.parts)
        high = self.first + sum(_extremes(part)[1] for part in self.parts)
        inside = bounds[0][0] * place <= low and high < bounds[0][1] * place
        return strides[-1] if inside else None

    def look_up(self, value: int) -> int | None:
        """The contribution of the piece to the memory index, or None where a digit is masked."""
        index = 0
        for size, stride, (begin, end) in zip(
            reversed(self.digits.shape), reversed(self.digits.strides), reversed(self.digits.bounds), strict=True
        ):
            value, digit = divmod(value, size)
            if not begin <= digit < end:
                return None
            index += digit * stride
        return index


def _look_up(digits: Box, table: Table) -> Table | None:
    """The table of a sum of blocks looked up in a box; None if no point is valid."""
    constant, values = table.constant, []
    for block in table.blocks:
        base = _first_valid(block.values)
        constant += base
        values.append(_shift(block.values, -base))
    pieces = _cut(digits, constant, values)
    constant = digits.offset
    tables: list[tuple[list[int], _Piece]] = []
    sums: list[Values] = [_scale(part, 0) for part in values]
    for piece in pieces:
        stride = piece.linear()
        ties = piece.ties
        if stride is not None:
            constant += stride * piece.first
            for place in ties:
                sums[place] = _add(sums[place], _scale(piece.parts[place], stride))
        elif ties:
            tables.append((ties, piece))
        else:
            found = piece.look_up(piece.first)
            if found is None:
                return None
            constant += found
    blocks = []
    for group in _groups(len(values), [ties for ties, _ in tables]):
        block = _join(group, table.blocks, sums, values, [(ties, piece) for ties, piece in tables if ties[0] in group])
        if isinstance(block.values, list) and all(value is None for value in block.values):
            return None
        if _constant(block.values) and not (isinstance(block.values, list) and None in block.values):
            constant += _first_valid(block.values)
        else:
            blocks.append(block)
    return Table(constant, tuple(blocks))


def _cut(digits: Box, constant: int, parts: list[Values]) -> list[_Piece]:
    """Cut the digits of the sum of the parts wherever the floor is a sum of functions of the single parts."""
    pieces, start, rank = [], 0, len(digits.shape)
    for k in range(rank):
        place = prod(digits.shape[k + 1 :])
        split = _split_floor(constant, parts, place)
        if split is None:
            continue
        quotient, ups = split
        span = Box(digits.shape[start : k + 1], digits.strides[start : k + 1], 0, digits.bounds[start : k + 1])
        pieces.append(_Piece(span, quotient, ups))
        constant -= place * quotient
        parts = [_add(part, _scale(up, -place)) for part, up in zip(parts, ups, strict=True)]
        start = k + 1
    return pieces


def _split_floor(constant: int, parts: list[Values], place: int) -> tuple[int, list[Values]] | None:
    """``⌊(constant + Σ parts) / place⌋`` as a constant plus one function of each part, or None where it is no such sum.

    Every part has the value 0 somewhere. If the floor is such a sum, the function of a part is what the floor does
    while all others are 0; and those functions are the floor exactly when what they leave stays in [0, place). What
    they leave is again a sum over independent parts, so its extremes are the sums of theirs.
    """
    quotient, left = divmod(constant, place)
    low = high = left
    ups: list[Values] = []
    for part in parts:
        up = _floor_of_part(left, part, place)
        least, most = _extremes(_add(part, _scale(up, -place)))
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
    return [None if value is None else (left + value) // place for value in _entries(part)]


def _groups(count: int, ties: list[list[int]]) -> list[list[int]]:
    """The blocks 0 … count − 1 in groups that the ties hold together."""
    groups = [[place] for place in range(count)]
    for tied in ties:
        joined = [group for group in groups if any(place in group for place in tied)]
        groups = [group for group in groups if group not in joined]
        groups.append(sorted(place for group in joined for place in group))
    return groups


def _join(
    group: list[int],
    blocks: tuple[Block, ...],
    sums: list[Values],
    values: list[Values],
    pieces: list[tuple[list[int], _Piece]],
) -> Block:
    """The blocks of a group as one block: their sums, plus what the pieces look up."""
    axes = tuple(axis for place in group for axis in blocks[place].axes)
    counts = tuple(count for place in group for count in blocks[place].counts)
    if not pieces:
        (only,) = group
        return Block(axes, counts, _hide_invalid(sums[only], values[only]))
    if prod(counts) > LIMIT:
        raise TooLargeError
    total = _outer_sum([_hide_invalid(sums[place], values[place]) for place in group])
    for _, piece in pieces:
        known: dict[int, int | None] = {}
        found: list[int | None] = []
        for value, so_far in zip(_outer_sum([piece.parts[place] for place in group]), total, strict=True):
            if value is None or so_far is None:
                found.append(None)
                continue
            if value not in known:
                known[value] = piece.look_up(piece.first + value)
            index = known[value]
            found.append(None if index is None else so_far + index)
        total = found
    return Block(axes, counts, total)


# --- arithmetic on values --------------------------------------------------------------------------------------------


def _entries(values: Values) -> Sequence[int | None]:
    """The values one by one."""
    if isinstance(values, list):
        return values
    if not values.step:
        return [values.first] * values.count
    return range(values.first, values.first + values.step * values.count, values.step)


def _first_valid(values: Values) -> int:
    if isinstance(values, list):
        return next(value for value in values if value is not None)
    return values.first


def _shift(values: Values, by: int) -> Values:
    if isinstance(values, list):
        return [None if value is None else value + by for value in values]
    return Line(values.first + by, values.step, values.count)


def _scale(values: Values, by: int) -> Values:
    if isinstance(values, list):
        return [None if value is None else value * by for value in values]
    return Line(values.first * by, values.step * by, values.count)


def _add(one: Values, other: Values) -> Values:
    if isinstance(one, list) or isinstance(other, list):
        pairs = zip(_entries(one), _entries(other), strict=True)
        return [None if a is None or b is None else a + b for a, b in pairs]
    return Line(one.first + other.first, one.step + other.step, one.count)


def _extremes(values: Values) -> tuple[int, int]:
    """The least and the greatest valid value."""
    if isinstance(values, list):
        valid = [value for value in values if value is not None]
        return min(valid), max(valid)
    last = values.first + values.step * (values.count - 1)
    return min(values.first, last), max(values.first, last)


def _constant(values: Values) -> bool:
    """Whether all valid values are equal."""
    low, high = _extremes(values)
    return low == high


def _outer_sum(parts: list[Values]) -> list[int | None]:
    """The sums of one value of each part, in row-major order."""
    total: list[int | None] = [0]
    for part in parts:
        entries = _entries(part)
        total = [None if a is None or b is None else a + b for a in total for b in entries]
    return total


def _hide_invalid(values: Values, pattern: Values) -> Values:
    """The values, None where the pattern is None."""
    if not isinstance(pattern, list) or None not in pattern:
        return values
    pairs = zip(_entries(values), pattern, strict=True)
    return [None if other is None else value for value, other in pairs]
