"""The picture of views over variables: what they hold, the expressions, and the guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapetracker.drawing.layout import Code, Words
from shapetracker.drawing.picture import Part, Picture
from shapetracker.drawing.views import expressions

if TYPE_CHECKING:
    from shapetracker.tracker import ShapeTracker
    from shapetracker.view import View


def draw_symbolic_view(view: View) -> Picture:
    """The picture of one view over variables; see `draw_symbolic`.

    >>> from shapetracker import Variable, View
    >>> draw_symbolic_view(View.create((Variable("i", 1, 6), 4)))
    Picture('shape (i, 4)')
    """
    from shapetracker.tracker import ShapeTracker

    return draw_symbolic(ShapeTracker((view,)))


def draw_symbolic(tracker: ShapeTracker) -> Picture:
    """The parts of each view as expressions, for there are no elements to draw before the variables are bound.

    >>> from shapetracker import ShapeTracker, Variable
    >>> i = Variable("i", 1, 6)
    >>> print(draw_symbolic(ShapeTracker.from_shape((i, 4)).reshape((8,))))
    variables  i in 1..6; bind them to see the elements
    <BLANKLINE>
    view  shape (8,), strides (1,), offset 0
    <BLANKLINE>
    index     idx0
    valid if  always
    guard     i == 2
    """
    plain, values = tracker.unbind()
    ranges = ", ".join(f"{v} in {v.min}..{v.max}" for v in sorted(plain.vars(), key=lambda v: v.name))
    bound = "".join(f"; {variable} = {value}" for variable, value in values.items())
    parts: list[Part] = [Words(f"{ranges}; bind them to see the elements{bound}", bold="variables")]
    for number, view in enumerate(plain.views):
        title = "view" if len(plain.views) == 1 else f"view {number + 1}"
        mask = "" if view.mask is None else f", mask {view.mask}"
        parts.append(Words(f"shape {view.shape}, strides {view.strides}, offset {view.offset}{mask}", bold=title))
    guards = tuple(("guard", guard.render()) for guard in plain.guards)
    parts.append(Code((*expressions(plain).lines, *guards)))
    return Picture(f"shape {plain.shape}", tuple(parts))
