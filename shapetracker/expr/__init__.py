"""Symbolic integers: expressions over bounded variables, with floor division and remainder as Python's.

>>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
>>> e = (i * 8 + j) // 8
>>> e, e.min, e.max, e.simplify()
((i*8 + j)//8, 0, 3, i)
"""

from shapetracker.expr.evaluate import evaluate_box
from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Eq,
    Expr,
    FloorDiv,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Ne,
    Product,
    Sum,
    Variable,
    as_expr,
)
from shapetracker.expr.printing import parse

__all__ = [
    "And",
    "Bound",
    "Comparison",
    "Const",
    "Eq",
    "Expr",
    "FloorDiv",
    "Ge",
    "Gt",
    "Le",
    "Lt",
    "Max",
    "Min",
    "Mod",
    "Ne",
    "Product",
    "Sum",
    "Variable",
    "as_expr",
    "evaluate_box",
    "parse",
]
