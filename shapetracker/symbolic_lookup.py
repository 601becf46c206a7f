"""One view looked up in another in closed form, for every value of the variables at once, however many there are.

The laws are those of `shapetracker.compose`: floors that are affine on the box, masks below such a floor. Each is used
where it is seen to hold for every binding in which some point of the outer view is valid. In the others the bounds of
the result are empty too, because they lie within those of the outer view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import NamedTuple

from shapetracker.expr import Comparison, Const, Expr, Max, Min, Product, Sum, Variable, as_expr
from shapetracker.expr.nodes import IntLike
from shapetracker.symbolic_fit import Pairs, Parts
from shapetracker.symbolic_reshape import Axis, join
from shapetracker.symbolic_values import full, same, simple, where_guards_hold


class Form(NamedTuple):
    """An affine form over the axes of the outer view, counted from its first valid point."""

    first: IntLike
    steps: list[IntLike]


class Piece(NamedTuple):
    """Neighbouring digits between two affine floors, and their joint value in units of the last digit."""

    start: int
    stop: int
    value: Form


@dataclass(slots=True)
class Lookup:
    """The digits of the inner view, what is known of the outer view, and the bounds that masks leave."""

    digits: list[Axis]
    strides: Sequence[IntLike]
    offset: IntLike
    bounds: list[tuple[IntLike, IntLike]]
    facts: Sequence[Expr]
    ranges: dict[Variable, IntLike]  # the variables over the narrower ranges that the facts leave
    met: set[int] = field(default_factory=set)  # the digits whose masks are met by the bounds

    def parts(self, inner_offset: IntLike) -> Parts | None:
        """The strides, offset and bounds of the one view, where the laws show it."""
        for _ in range(len(self.digits) + 1):
            begins = [begin for begin, _ in self.bounds]
            counts = [simple(end - begin) for begin, end in self.bounds]
            first = simple(self.offset + sum(step * begin for step, begin in zip(self.strides, begins, strict=True)))
            pieces = self.cut(Form(first, list(self.strides)), counts)
            before = list(self.bounds)
            met = [self.meet_masks(piece, begins, counts) for piece in pieces]
            if all(met) and not any(self.bent(piece) for piece in pieces):
                return self.affine(pieces, begins, inner_offset)
            if before == self.bounds:
                return None
        return None

    def affine(self, pieces: list[Piece], begins: list[IntLike], offset: IntLike) -> Parts:
        """The parts of an index in which every piece has one stride, that of its last digit."""
        strides: list[IntLike] = [0] * len(self.bounds)
        for piece in pieces:
            pace = self.digits[piece.stop - 1][1]
            offset = offset + pace * piece.value.first
            strides = [so_far + pace * step for so_far, step in zip(strides, piece.value.steps, strict=True)]
        strides = [simple(step) for step in strides]
        offset = offset - sum(step * begin for step, begin in zip(strides, begins, strict=True))
        return strides, simple(offset), tuple((simple(begin), simple(end)) for begin, end in self.bounds)

    def cut(self, rest: Form, counts: list[IntLike]) -> list[Piece]:
        """Cut the digits wherever the floor between two of them is seen to be affine."""
        pieces, start = [], 0
        place: IntLike = 1
        places = [place]
        for size, _, _ in self.digits[:0:-1]:
            place = simple(place * size)
            places.append(place)
        for k, place in enumerate(reversed(places)):
            if k == len(self.digits) - 1:
                pieces.append(Piece(start, k + 1, rest))
                break
            quotient = self.floor(rest, counts, place)
            if quotient is None:
                continue
            pieces.append(Piece(start, k + 1, quotient))
            steps = [simple(step - place * up) for step, up in zip(rest.steps, quotient.steps, strict=True)]
            rest, start = Form(simple(rest.first - place * quotient.first), steps), k + 1
        return pieces

    def floor(self, form: Form, counts: list[IntLike], place: IntLike) -> Form | None:
        """``⌊form / place⌋`` where it is seen to be affine: what it leaves stays in [0, place) at all corners."""
        quotient = self.over(form.first, place)
        if quotient is None:
            return None
        left = simple(form.first - place * quotient)
        low = high = left
        steps: list[IntLike] = []
        for step, count in zip(form.steps, counts, strict=True):
            found = self.floor_step(left, step, count, place)
            if found is None:
                return None
            up, reach, grows = found
            low, high = (low, high + reach) if grows else (low + reach, high)
            steps.append(up)
        inside = self.positive(simple(low)) and self.positive(simple(place - 1 - high))
        return Form(quotient, steps) if inside else None

    def floor_step(
        self, left: IntLike, step: IntLike, count: IntLike, place: IntLike
    ) -> tuple[IntLike, IntLike, bool] | None:
        """The step of a floor along an axis, what it leaves at the last position, and whether that grows.

        It is what the first step shows, or, where that depends on the binding, what nearly all bindings show.
        """
        shown, below, above = [self.over(x, place) for x in (left + step, step, -step)]
        for pace in (shown, below, None if above is None else simple(-above), 0):
            if pace is None:
                continue
            slope = simple(step - place * pace)
            reach = simple(slope * (count - 1))
            if self.positive(simple(left + reach)) and self.positive(simple(place - 1 - left - reach)):
                if self.positive(slope):
                    return pace, reach, True
                if self.positive(-slope):
                    return pace, reach, False
        return None

    def meet_masks(self, piece: Piece, begins: list[IntLike], counts: list[IntLike]) -> bool:
        """Apply the masks of the digits of a piece to the bounds; False where that is not seen how."""
        for k in range(piece.start, piece.stop):
            size, _, (begin, end) = self.digits[k]
            if k in self.met or full((begin, end), size):
                continue
            if k > piece.start:
                return False
            place = prod([other for other, _, _ in self.digits[k + 1 : piece.stop]])
            if not self.meet(piece.value, simple(begin * place), simple(end * place - 1), begins, counts):
                return False
            self.met.add(k)
        return True

    def meet(self, form: Form, low: IntLike, high: IntLike, begins: list[IntLike], counts: list[IntLike]) -> bool:
        """Shrink the bounds to where ``low ≤ form ≤ high``, a condition on one axis; False where it is on more."""
        moving = [
            axis for axis, (step, count) in enumerate(zip(form.steps, counts, strict=True)) if step != 0 and count != 1
        ]
        least = most = form.first
        for axis in moving:
            reach = form.steps[axis] * (counts[axis] - 1)
            up, down = self.positive(form.steps[axis]), self.positive(-form.steps[axis])
            if not (up or down):
                return False
            least, most = (least, most + reach) if up else (least + reach, most)
        above, below = self.positive(simple(least - low)), self.positive(simple(high - most))
        if above and below:
            return True
        if not moving:
            return self.all_or_nothing(as_expr(form.first >= low) & (form.first <= high))
        if len(moving) > 1:
            return False
        (axis,) = moving
        step, first = form.steps[axis], form.first
        if self.positive(-step):
            step, first, low, high, above, below = simple(-step), -first, -high, -low, below, above
        if as_expr(step).min < 1:
            return False
        begin, end = self.bounds[axis]
        if not above:
            begin = Max(begin, simple(begins[axis] + as_expr(low - first + step - 1) // step))
        if not below:
            end = Min(end, simple(begins[axis] + as_expr(high - first) // step + 1))
        self.bounds[axis] = simple(begin), simple(end)
        return True

    def all_or_nothing(self, condition: Expr) -> bool:
        """All points are valid where the condition holds, which no axis changes; none where it does not."""
        if not self.bounds:
            return False
        begin, end = self.bounds[0]
        self.bounds[0] = begin, simple(as_expr(end * condition))
        return True

    def bent(self, piece: Piece) -> bool:
        """Whether a floor inside of the piece may bend the memory index."""
        neighbours = pairwise(self.digits[piece.start : piece.stop])
        return any(not same(step, size * pace) for (_, step, _), (size, pace, _) in neighbours)

    def over(self, e: IntLike, place: IntLike) -> IntLike | None:
        """``⌊e / place⌋``; None where the place may be 0, but in the narrower ranges, and it is no sum of products."""
        if as_expr(place).min >= 1:
            quotient: IntLike = simple(as_expr(e) // place)
            return quotient
        few = as_expr(place).substitute(self.ranges)
        if few.min < 1:
            return None
        back = {as_expr(narrow): variable for variable, narrow in self.ranges.items()}
        return _renamed(as_expr(simple(as_expr(e).substitute(self.ranges) // few)), back)

    def positive(self, e: IntLike) -> bool:
        """Whether ``e ≥ 0`` is seen to hold in each binding with a valid point."""
        if not isinstance(e, Expr):
            return e >= 0
        if e.min >= 0:
            return True
        if e.max < 0:
            return False
        if self.ranges and as_expr(simple(e.substitute(self.ranges))).min >= 0:
            return True
        return as_expr(e >= 0).simplify(assuming=self.facts).min >= 1


def look_up(
    inner: tuple[Sequence[IntLike], Sequence[IntLike], IntLike, Pairs],
    outer: tuple[Sequence[IntLike], IntLike, Pairs],
    guards: Iterable[Expr] = (),
) -> Parts | None:
    """The strides, offset and bounds of `outer` looked up in `inner`; None where the laws do not show one view.

    Parameters
    ----------
    inner : shape, strides, offset and bounds of the view below
    outer : strides, offset and bounds of the view that is looked up in it
    guards : conditions that hold

    >>> from shapetracker.expr import Variable
    >>> n = Variable("n", 1, 4096)
    >>> look_up(((n, 4), (1, n), 0, ((0, n), (0, 4))), ((-4, 1), n * 4 - 4, ((0, n), (0, 4))))
    ([-1, n], n - 1, ((0, n), (0, 4)))
    """
    strides, start, bounds = outer
    shape, steps, place, valid = inner
    counts = [simple(end - begin) for begin, end in bounds]
    facts = [fact for fact in (*guards, *[as_expr(count >= 1) for count in counts]) if isinstance(fact, Comparison)]
    ranges = _narrower([*shape, *counts], facts)  # a valid point lies in a view below that is not empty
    own = list(zip(shape, steps, valid, strict=True)), place
    for digits, offset in (_fewest_axes(inner), own):  # a mask on joined axes may speak of more than one outer axis
        found = Lookup(digits, strides, start, list(bounds), facts, ranges).parts(offset)
        if found is not None or all(full(bound, size) for size, _, bound in digits):
            return found
    return None


def _narrower(sizes: Iterable[IntLike], facts: Sequence[Expr]) -> dict[Variable, IntLike]:
    """The variables, over the range in which sizes ``variable + number`` are positive and the facts hold."""
    found: dict[Variable, IntLike] = {}
    for size in (*sizes, *facts):
        for variable in as_expr(size).variables():
            within = where_guards_hold(variable, facts)
            low = max(within.start, as_expr(found.get(variable, variable)).min)
            more = simple(size - variable)
            if isinstance(more, int):
                low = max(low, 1 - more)
            if (variable.min, variable.max) != (low, within.stop - 1) and low < within.stop:
                found[variable] = Variable(variable.name, low, within.stop - 1)
    return found


def _renamed(e: Expr, names: Mapping[Expr, Expr]) -> IntLike | None:
    """A sum of products over other variables; None where it is made of anything else."""
    if isinstance(e, (Const, Variable)):
        return names.get(e, e)
    if not isinstance(e, (Sum, Product)):
        return None
    parts = [_renamed(part, names) for part in e.args]
    if None in parts:
        return None
    both = [part for part in parts if part is not None]
    found: IntLike = simple(sum(both) if isinstance(e, Sum) else prod(both))
    return found


def _fewest_axes(inner: tuple[Sequence[IntLike], Sequence[IntLike], IntLike, Pairs]) -> tuple[list[Axis], IntLike]:
    """The axes of a view with those joined that act as one, and its offset."""
    shape, strides, offset, bounds = inner
    axes: list[Axis] = []
    for axis in zip(shape, strides, bounds, strict=True):
        joined = join(axes[-1], axis) if axes else None
        if joined is None:
            axes.append(axis)
        else:
            axes[-1], moved = joined
            offset = offset + moved
    return axes or [(1, 0, (0, 1))], offset
