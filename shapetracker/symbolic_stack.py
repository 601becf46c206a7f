"""Stacks of views over variables: their bindings and their guards."""

from __future__ import annotations

from collections.abc import Sequence

from shapetracker.errors import ViewError
from shapetracker.expr import Expr, Variable
from shapetracker.view import View


def unbind_views(views: Sequence[View]) -> tuple[tuple[View, ...], dict[Variable, int]]:
    """The views over plain variables, and the values that were bound.

    >>> i = Variable("i", 1, 6)
    >>> unbind_views([View.create((i.bind(3), 4))])
    ((View(shape=(i, 4), strides=(4, 1), offset=0),), {i: 3})

    Raises
    ------
    ViewError
        Where two views bind one variable to different values.
    """
    plain: list[View] = []
    values: dict[Variable, int] = {}
    for view in views:
        free, bound = view.unbind()
        plain.append(free)
        for variable, value in bound.items():
            if values.setdefault(variable, value) != value:
                raise ViewError(f"unbind {views}: {variable} is bound to {values[variable]} and to {value}")
    return tuple(plain), values


def guards_of(views: Sequence[View]) -> tuple[Expr, ...]:
    """The conditions that a binding of the variables must meet, of all views, each once.

    >>> i = Variable("i", 1, 6)
    >>> guards_of([View.create((i, 4)).reshape((8,))])
    (i == 2,)
    """
    return tuple(dict.fromkeys(guard for view in views for guard in view.unbind()[0].conditions()))
