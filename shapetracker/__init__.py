"""Strided views of one buffer, and the index expressions that they mean.

>>> ShapeTracker.from_shape((4, 6)).permute((1, 0)).expr_idxs()[0]
idx0 + idx1*6
"""

from typing import Any

from shapetracker.contraction import get_contraction
from shapetracker.expr import Expr, Variable, parse
from shapetracker.tracker import ShapeTracker
from shapetracker.view import View
from shapetracker.why import why_not_merge

__all__ = ["Expr", "ShapeTracker", "Variable", "View", "explore", "get_contraction", "parse", "why_not_merge"]


def __getattr__(name: str) -> Any:
    if name == "explore":  # the explorer needs the notebook extra, and the rest of the package does not
        from shapetracker.widgets import explore

        return explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
