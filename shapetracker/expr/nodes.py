"""The expression classes and their operators: immutable, hash-consed, exact integers.

An expression is built as it was written: sums, products and conjunctions flatten and constants fold, and nothing is
reordered. `base` holds what all nodes can do, `leaves` the constants and variables, `operations` the rest, `interning`
the table that makes equal nodes one object. These four know each other, and everything else imports them from here.
"""

from shapetracker.expr.base import Expr, IntLike, bounds_of
from shapetracker.expr.interning import node
from shapetracker.expr.leaves import Bound, Const, Variable, as_expr
from shapetracker.expr.operations import (
    And,
    Associative,
    Comparison,
    Eq,
    FloorDiv,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Ne,
    Operation,
    Product,
    Sum,
)

__all__ = [
    "And",
    "Associative",
    "Bound",
    "Comparison",
    "Const",
    "Eq",
    "Expr",
    "FloorDiv",
    "Ge",
    "Gt",
    "IntLike",
    "Le",
    "Lt",
    "Max",
    "Min",
    "Mod",
    "Ne",
    "Operation",
    "Product",
    "Sum",
    "Variable",
    "as_expr",
    "bounds_of",
    "node",
]
