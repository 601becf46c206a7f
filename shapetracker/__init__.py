"""Strided views of one buffer, and the index expressions that they mean."""

from shapetracker.tracker import ShapeTracker
from shapetracker.view import View

__all__ = ["ShapeTracker", "View"]
