"""The errors of shapetracker: one base, one subclass a kind.

A message says what was called, with what, what was expected, and where it helps, what to try.
"""


class ShapeTrackerError(Exception):
    """The base of every error that shapetracker raises on purpose."""


class ViewError(ShapeTrackerError, ValueError):
    """A movement operation or a view was given something that it cannot be."""


class ExprError(ShapeTrackerError, ValueError):
    """An expression was built, parsed or evaluated from something that does not fit."""


class UndecidedError(ShapeTrackerError, TypeError):
    """A truth value was asked of an expression that is true for some values and false for others."""
