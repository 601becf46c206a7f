"""Points that prove that a stack of boxes is not one box."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice, product

from shapetracker.box import Bounds, Box, lookup_stack

Point = tuple[int, ...]
_CORNERS = 64


@dataclass(frozen=True, slots=True)
class Hole:
    """An invalid point inside of the smallest box that holds these valid points."""

    point: Point
    around: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """Two steps of one position along one axis, between valid points, that change the memory index differently."""

    axis: int
    one: Point
    one_step: int
    other: Point
    other_step: int


Witness = Hole | Steps


def find_witness(boxes: tuple[Box, ...], bounds: Bounds) -> Witness | None:
    """A proof, found by looking at a few chosen points inside of the bounds, that a stack is not one box.

    None says nothing: the stack may or may not be one box.

    >>> inner = Box((4, 6), (1, 4), 0, ((0, 4), (0, 6)))
    >>> find_witness((inner, Box((24,), (1,), 0, ((0, 24),))), ((0, 24),))
    Steps(axis=0, one=(0,), one_step=4, other=(5,), other_step=-19)
    """
    look = _Look(boxes)
    for points in (_near_the_ends(boxes, bounds), _near_the_borders(boxes, bounds)):
        found = look.judge(points)
        if found is not None:
            return found
    return None


def witness_among(boxes: tuple[Box, ...], points: Iterable[Point]) -> Witness | None:
    """The same, looking at the given points.

    >>> inner = Box((4,), (1,), 0, ((1, 3),))
    >>> witness_among((inner, Box((2, 2), (2, 1), 0, ((0, 2), (0, 2)))), [(0, 0), (0, 1), (1, 0), (1, 1)])
    Hole(point=(0, 0), around=((0, 1), (1, 0)))
    """
    return _Look(boxes).judge(points)


class _Look:
    """What a stack reads at the points that were looked at so far."""

    def __init__(self, boxes: tuple[Box, ...]) -> None:
        self.boxes = boxes
        self.valid: dict[Point, int] = {}
        self.invalid: list[Point] = []
        self.seen: set[Point] = set()

    def judge(self, points: Iterable[Point]) -> Witness | None:
        for point in points:
            if point in self.seen:
                continue
            self.seen.add(point)
            index = lookup_stack(self.boxes, point)
            if index is None:
                self.invalid.append(point)
            else:
                self.valid[point] = index
        if not self.valid:
            return None
        return self._hole() or self._two_steps()

    def _hole(self) -> Hole | None:
        rank = range(len(next(iter(self.valid))))
        lowest = [min(self.valid, key=_coordinate(axis)) for axis in rank]
        highest = [max(self.valid, key=_coordinate(axis)) for axis in rank]
        for point in self.invalid:
            if all(lowest[axis][axis] <= point[axis] <= highest[axis][axis] for axis in rank):
                return Hole(point, tuple(dict.fromkeys((*lowest, *highest))))
        return None

    def _two_steps(self) -> Witness | None:
        """Two different unit steps: seen directly, or on the way to a point that the steps do not lead to."""
        rank = len(next(iter(self.valid)))
        first: dict[int, tuple[Point, int]] = {}
        for point, index in self.valid.items():
            for axis in range(rank):
                following = self.valid.get(_moved(point, axis, 1))
                if following is None:
                    continue
                one, step = first.setdefault(axis, (point, following - index))
                if following - index != step:
                    return Steps(axis, one, step, point, following - index)
        return self._wrong_way(first)

    def _wrong_way(self, first: dict[int, tuple[Point, int]]) -> Witness | None:
        start, base = next(iter(self.valid.items()))
        for goal, index in self.valid.items():
            moved = [axis for axis, (a, b) in enumerate(zip(start, goal, strict=True)) if a != b]
            if any(axis not in first for axis in moved):
                continue
            if index == base + sum(first[axis][1] * (goal[axis] - start[axis]) for axis in moved):
                continue
            corner = start
            for axis in moved:
                found = self._along(corner, axis, goal[axis], *first[axis])
                if found is not None:
                    return found
                corner = (*corner[:axis], goal[axis], *corner[axis + 1 :])
        return None

    def _along(self, start: Point, axis: int, goal: int, one: Point, step: int) -> Witness | None:
        """A unit step on the line from `start` that is not `step`, by halving; or an invalid point on the line.

        The points lie in the box that two valid points span, so an invalid one is a hole.
        """
        index = lookup_stack(self.boxes, start)
        low, high = start[axis], goal

        def off(position: int) -> int | None:
            point = (*start[:axis], position, *start[axis + 1 :])
            found = lookup_stack(self.boxes, point)
            if found is None or index is None:
                self.invalid.append(start if index is None else point)
                return None
            self.valid[point] = found
            return found - index - step * (position - start[axis])

        drift = off(goal)
        if drift is None:
            return self._hole()
        if not drift:
            return None
        while abs(high - low) > 1:
            middle = (low + high) // 2
            drift = off(middle)
            if drift is None:
                return self._hole()
            low, high = (low, middle) if drift else (middle, high)
        low, high = min(low, high), max(low, high)
        here = (*start[:axis], low, *start[axis + 1 :])
        there = (*start[:axis], high, *start[axis + 1 :])
        return Steps(axis, one, step, here, self.valid[there] - self.valid[here])


def _coordinate(axis: int) -> Callable[[Point], int]:
    return lambda point: point[axis]


def _moved(point: Point, axis: int, by: int) -> Point:
    return (*point[:axis], point[axis] + by, *point[axis + 1 :])


def _near_the_ends(boxes: tuple[Box, ...], bounds: Bounds) -> list[Point]:
    """Corners of the outer box, points that read the corners of the next one, and the neighbours of some of them."""
    outer, inner = boxes[-1], boxes[-2]
    corners = list(islice(product(*[sorted({begin, end - 1}) for begin, end in bounds]), 8))
    ends = islice(product(*[sorted({begin, end - 1}) for begin, end in inner.bounds]), 32)
    read = [_reading(outer, bounds, _ravel(end, inner.shape)) for end in ends]
    points = dict.fromkeys([*corners, *read])
    for base in (corners[0], *read[:2], *read[-1:]):
        for axis, (begin, end) in enumerate(bounds):
            for by in (-1, 1, 2):
                if begin <= base[axis] + by < end:
                    points[_moved(base, axis, by)] = None
    return list(points)


def _near_the_borders(boxes: tuple[Box, ...], bounds: Bounds) -> list[Point]:
    """All corners, and points on both sides of where a digit of the next box changes."""
    corners = list(islice(product(*[sorted({begin, end - 1}) for begin, end in bounds]), _CORNERS))
    middle = tuple((begin + end) // 2 for begin, end in bounds)
    inner = boxes[-2]
    centre = _reading(boxes[-1], bounds, _ravel([(begin + end) // 2 for begin, end in inner.bounds], inner.shape))
    points = dict.fromkeys(corners)
    for base in (*corners[:4], corners[-1], middle, centre):
        for axis, (begin, end) in enumerate(bounds):
            for position in _positions(boxes, base, axis, begin, end):
                points[(*base[:axis], position, *base[axis + 1 :])] = None
    return list(points)


def _ravel(digits: Iterable[int], shape: tuple[int, ...]) -> int:
    flat = 0
    for digit, size in zip(digits, shape, strict=True):
        flat = flat * size + digit
    return flat


def _reading(outer: Box, bounds: Bounds, flat: int) -> Point:
    """A point whose flat index is near `flat`, and equal where the steps act as the places of digits."""
    point = [begin if step >= 0 else end - 1 for step, (begin, end) in zip(outer.strides, bounds, strict=True)]
    rest = flat - outer.offset - sum(step * at for step, at in zip(outer.strides, point, strict=True))
    for axis in sorted(range(len(point)), key=lambda axis: -abs(outer.strides[axis])):
        step, (begin, end) = outer.strides[axis], bounds[axis]
        if step:
            moves = max(0, min(end - 1 - begin, rest // abs(step)))
            point[axis] += moves if step > 0 else -moves
            rest -= moves * abs(step)
    return tuple(point)


def _positions(boxes: tuple[Box, ...], base: Point, axis: int, begin: int, end: int) -> list[int]:
    """Positions along an axis at its ends and its middle, and around the first changes of each digit."""
    outer, inner = boxes[-1], boxes[-2]
    step = outer.strides[axis]
    chosen = {begin, begin + 1, begin + 2, (begin + end) // 2, end - 2, end - 1}
    if step:
        flat = outer.offset + sum(s * p for s, p in zip(outer.strides, base, strict=True)) - step * base[axis]
        place = 1
        for size in reversed(inner.shape[1:]):
            place *= size
            if place > 1:
                start = flat + step * begin
                for turn in (1, 2):
                    border = (start // place + turn) * place if step > 0 else (start // place - turn + 1) * place - 1
                    crossing = (
                        begin + -(-(border - start) // step) if step > 0 else begin + -(-(start - border) // -step)
                    )
                    chosen.update((crossing - 1, crossing, crossing + 1))
    return sorted(position for position in chosen if begin <= position < end)
