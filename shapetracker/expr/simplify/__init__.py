"""Simplification: to a canonical form by laws, and from there to the shortest form that they reach.

The result never takes more operations than what it came from, and simplifying it again changes nothing.
"""

from shapetracker.expr.simplify.explanation import Explanation, explain
from shapetracker.expr.simplify.facts import Facts, Step
from shapetracker.expr.simplify.improve import simplify
from shapetracker.expr.simplify.rules import RULES, SHORTENING, Rule, forget, rule, shortening

__all__ = [
    "RULES",
    "SHORTENING",
    "Explanation",
    "Facts",
    "Rule",
    "Step",
    "explain",
    "forget",
    "rule",
    "shortening",
    "simplify",
]
