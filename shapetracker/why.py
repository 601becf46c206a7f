"""Why stacked views are not one view: the evidence, in the coordinates of the view that was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from shapetracker.box import Bounds, Box, lookup_stack
from shapetracker.components import Block, Table, TooLargeError, tabulate
from shapetracker.compose import Answer, by_closed_forms, decide
from shapetracker.errors import ViewError
from shapetracker.movements import check_reshape
from shapetracker.view import View, check_in_range
from shapetracker.witness import Hole, Point, Steps, find_witness, witness_among


@dataclass(frozen=True, slots=True)
class Why:
    """Evidence that `outer`, looked up in `inner`, is not one view.

    Attributes
    ----------
    question : what was asked
    inner, outer : the two views; every point below is a point of `outer`
    evidence : `Steps` (two unit steps along one axis that differ), `Hole` (an invalid point inside the box that valid
        points span), or None: see `kind`
    kind : "steps", "hole", "scalar" (a view of shape () is always valid, and this point is not), or "undecided"
        (there are more points than are looked at, and no evidence was found: it may be one view or not)
    """

    question: str
    inner: View
    outer: View
    kind: str
    evidence: Steps | Hole | None = None

    def index(self, point: Point) -> int | None:
        """The memory index that a point reads, or None where it is invalid.

        >>> why_not_merge(View.create((2, 3), (1, 2)), View.create((6,))).index((1,))
        2
        """
        return lookup_stack((self.inner.box, self.outer.box), point)

    def __str__(self) -> str:
        if isinstance(self.evidence, Steps):
            return f"{self.question} is not one view: {self._about_steps(self.evidence)}"
        if isinstance(self.evidence, Hole):
            return f"{self.question} is not one view: {self._about_hole(self.evidence)}"
        if self.kind == "scalar":
            return (
                f"{self.question} is not one view: its only element is invalid, and a view of shape () is always valid."
            )
        return (
            f"{self.question} is undecided: no two steps that differ and no hole were found at the points that were "
            "looked at, and there are too many points to look at all of them. The views stay apart."
        )

    def _about_steps(self, steps: Steps) -> str:
        def told(point: Point, step: int) -> str:
            after = (*point[: steps.axis], point[steps.axis] + 1, *point[steps.axis + 1 :])
            return f"from {point} to {after} {{}} from {self.index(point)} to {self.index(after)}, a step of {step}"

        one = told(steps.one, steps.one_step).format("the memory index goes")
        other = told(steps.other, steps.other_step).format("it goes")
        return f"the steps of axis {steps.axis} differ. F{one[1:]}; {other}."

    def _about_hole(self, hole: Hole) -> str:
        around = ", ".join(f"{point}" for point in hole.around)
        return (
            f"the valid points are no box. {hole.point} is invalid, and it lies inside the smallest box that holds the "
            f"valid points {around}."
        )

    def draw(self) -> Any:
        """The picture of the evidence."""
        from shapetracker.drawing.views import draw_why

        return draw_why(self)

    def _repr_html_(self) -> str:
        return self.draw()._repr_html_()  # type: ignore[no-any-return]


def why_not_reshape(view: View, shape: Sequence[int]) -> Why | None:
    """The evidence that no single view expresses a reshape; None where one does.

    >>> why_not_reshape(View.create((4, 6)), (24,)) is None
    True
    """
    _check_plain("why_not_reshape", view)
    sizes = check_reshape(view.shape, shape)
    return _why(f"reshape {view.shape} to {sizes}", view, View.create(sizes))


def why_not_merge(inner: View, outer: View) -> Why | None:
    """The evidence that the elements of `outer`, looked up in `inner`, are no single view; None where they are one.

    >>> padded = View.create((4,)).pad(((1, 1),))
    >>> print(why_not_merge(padded, View.create((2, 3))))
    shape (2, 3) looked up in shape (6,) is not one view: the valid points are no box. (0, 0) is invalid, and it lies
    inside the smallest box that holds the valid points (0, 2), (1, 0).
    """
    _check_plain("why_not_merge", inner, outer)
    check_in_range(inner, outer)
    return _why(f"shape {outer.shape} looked up in shape {inner.shape}", inner, outer)


def _check_plain(call: str, *views: View) -> None:
    for view in views:
        if not isinstance(view, View):
            raise ViewError(f"{call}: {view!r} is no view; View.create makes one")
        if view.vars():
            raise ViewError(f"{call}: {view} depends on variables; bind them first")


def _why(question: str, inner: View, outer: View) -> Why | None:
    boxes = (inner.box, outer.box)
    found = decide(boxes)
    if isinstance(found, Box):
        return None
    if found is Answer.UNDECIDED:
        return Why(question, inner, outer, "undecided")
    if not outer.shape:
        return Why(question, inner, outer, "scalar")
    _, bounds = by_closed_forms(*boxes)
    evidence = find_witness(boxes, bounds) or witness_among(boxes, _points(boxes, bounds))
    kind = "steps" if isinstance(evidence, Steps) else "hole"
    return Why(question, inner, outer, kind, evidence)


def _points(boxes: tuple[Box, ...], bounds: Bounds) -> Iterator[Point]:
    """All points of each block that can be looked at, with a valid position on all other axes."""
    try:
        table = tabulate(boxes, bounds)
    except TooLargeError:
        return
    if table is not None:
        start = _valid_point(table, bounds)
        for block in table.blocks:
            for position in product(*[range(count) for count in block.counts]):
                yield _placed(start, block, position, bounds)


def _valid_point(table: Table, bounds: Bounds) -> Point:
    point = tuple([begin for begin, _ in bounds])
    for block in table.blocks:
        positions = product(*[range(count) for count in block.counts])
        values = (value for chunk in block.chunks() for value in chunk)
        first = next(position for position, value in zip(positions, values, strict=True) if value is not None)
        point = _placed(point, block, first, bounds)
    return point


def _placed(point: Point, block: Block, position: Point, bounds: Bounds) -> Point:
    moved = list(point)
    for axis, step in zip(block.axes, position, strict=True):
        moved[axis] = bounds[axis][0] + step
    return tuple(moved)
