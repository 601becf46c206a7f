"""A lane map as index expressions: the vendor's formula in Python, C and SymPy, and the formula back.

A digit of the lane's number is ``lane // place % size``. Each moves so many rows, columns or blocks, and the sum of the
moves is the coordinate. The way back picks the digits out of the coordinates.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from gpuemu.errors import NotationError
from gpuemu.tensorcores.lanemap import Digit, IntArray, LaneMap
from gpuemu.tensorcores.notation.base import Notation, axis_names, checked, digits_of
from shapetracker import Expr, Variable, parse
from shapetracker.errors import ExprError
from shapetracker.expr import as_expr

Formula = dict[str, Expr]
Ranges = dict[str, tuple[int, int]]

FORMULA, BACK, C, SYMPY = "formula", "formula back", "C function", "SymPy expression"
NO_DIGITS = "the coordinate is not a sum of the digits' steps"


def formula(lane_map: LaneMap) -> Notation:
    """The coordinates as Python expressions of `lane` and `i`, the element's number inside the lane.

    Of a sparse operand `i` is the group, and `choice` which of its four positions the index register picks.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(formula(tensorcores.instruction("m16n8k16").a).text)
    m = lane//4 + i//2%2*8
    k = lane%4*2 + i//4*8 + i%2
    """
    return _forward(lane_map, FORMULA, f"the coordinates of {_which(lane_map)}", _lines, read_formula)


def c_function(lane_map: LaneMap) -> Notation:
    """The coordinates as a C function.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(c_function(tensorcores.instruction("m16n8k16").a).text)
    static inline void place_of_a(int lane, int i, int *m, int *k)
    {
        *m = lane/4 + i/2%2*8;
        *k = lane%4*2 + i/4*8 + i%2;
    }
    """

    def written(found: Formula) -> str:
        inputs = [f"int {name}" for name in place_ranges(lane_map)]
        arguments = ", ".join([*inputs, *(f"int *{name}" for name in found)])
        body = "".join(f"    *{name} = {e.render('c')};\n" for name, e in found.items())
        return f"static inline void place_of_{lane_map.operand}({arguments})\n{{\n{body}}}"

    return _forward(lane_map, C, f"writes the coordinates of {_which(lane_map)}", written, read_c)


def sympy_expression(lane_map: LaneMap) -> Notation:
    """The coordinates in SymPy's terms, with shapetracker's FloorDiv and FloorMod; SymPy itself is not needed.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(sympy_expression(tensorcores.instruction("m16n8k16").c).text)
    m = FloorDiv(lane, 4) + FloorDiv(i, 2) * 8
    n = FloorMod(lane, 4) * 2 + FloorMod(i, 2)
    """

    def written(found: Formula) -> str:
        return "\n".join(f"{name} = {_rewritten(_Calls(), e.render())}" for name, e in found.items())

    meaning = "FloorDiv and FloorMod of shapetracker.sympy_bridge: a // b and a % b"
    return _forward(lane_map, SYMPY, meaning, written, read_sympy)


def _lines(found: Formula) -> str:
    return "\n".join(f"{name} = {e.render()}" for name, e in found.items())


def _forward(
    lane_map: LaneMap,
    name: str,
    meaning: str,
    write: Callable[[Formula], str],
    read: Callable[[str, Ranges], Formula],
) -> Notation:
    """The coordinates as a text that is written, and read back to be compared."""
    found, ranges = expressions(lane_map), place_ranges(lane_map)
    if found is None:
        return Notation(name, None, meaning, NO_DIGITS)
    names = axis_names(lane_map)
    return checked(
        name, meaning, write(found), lambda text: _evaluated(read(text, ranges), ranges, names), lane_map.coordinates()
    )


def formula_back(lane_map: LaneMap) -> Notation:
    """The way back: which lane holds the element of these coordinates, and as which of its elements.

    Where lanes hold copies it is the first of them.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(formula_back(tensorcores.instruction("m16n8k16").a).text)
    lane = m%8*4 + k//2%4
    i = k//8*4 + m//8*2 + k%2
    """
    meaning = "the lane that holds the element of these coordinates" + ", the first where several do" * (
        lane_map.duplicates
    )
    digits = digits_of(lane_map)
    if digits is None:
        return Notation(BACK, None, meaning, NO_DIGITS)
    ranges = coordinate_ranges(lane_map)
    numbers = _numbers(lane_map, digits)
    place = tuple(np.moveaxis(lane_map.coordinates(), -1, 0))
    at = dict(zip(ranges, place, strict=True))

    def read(text: str) -> IntArray:
        found = read_formula(text, ranges)
        holder = [np.broadcast_to(found[name].evaluate(at), place[0].shape) for name in numbers]
        back = lane_map.coordinates()[tuple(holder)]
        first = (holder[0] <= np.arange(lane_map.lanes).reshape(-1, *[1] * (place[0].ndim - 1)))[..., None]
        return np.where(first, back, -1)

    return checked(BACK, meaning, _lines(numbers), read, lane_map.coordinates())


@cache
def expressions(lane_map: LaneMap) -> Formula | None:
    """The coordinates by name (`m` and `k` of A; `block` first, where there are several), in the order written.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> expressions(tensorcores.instruction("m16n8k16").c)
    {'m': lane//4 + i//2*8, 'n': lane%4*2 + i%2}
    """
    digits = digits_of(lane_map)
    if digits is None:
        return None
    places = _places(lane_map)
    row, column, *several = axis_names(lane_map)
    names = {**dict.fromkeys(several, "block"), row: "row", column: "column"}
    return {
        name: _sum([place.weighing(int(getattr(d, axis))) for place, d in zip(places, digits, strict=True)])
        for name, axis in names.items()
    }


def place_ranges(lane_map: LaneMap) -> Ranges:
    """The inclusive ranges of lane and i (and, of a sparse operand, choice).

    >>> from gpuemu import tensorcores
    >>> place_ranges(tensorcores.instruction("m16n8k16").a)
    {'lane': (0, 31), 'i': (0, 7)}
    """
    ranges = {"lane": (0, lane_map.lanes - 1), "i": (0, lane_map.elements - 1)}
    return ranges | {"choice": (0, 3)} if _sparse(lane_map) else ranges


def coordinate_ranges(lane_map: LaneMap) -> Ranges:
    """The inclusive ranges of the coordinates, in the order of `LaneMap.coordinates`.

    >>> from gpuemu import tensorcores
    >>> coordinate_ranges(tensorcores.instruction("m16n8k16").b)
    {'k': (0, 15), 'n': (0, 7)}
    """
    sizes = (lane_map.rows, lane_map.columns, lane_map.blocks)
    return {name: (0, size - 1) for name, size in zip(axis_names(lane_map), sizes, strict=False)}


def _which(lane_map: LaneMap) -> str:
    if _sparse(lane_map):
        return "a lane's group i; choice, 2 bits of the index register, picks one of its four positions"
    return "element i of a lane"


def _sparse(lane_map: LaneMap) -> bool:
    return lane_map.not_a_view is not None


@dataclass(frozen=True, slots=True)
class _Term:
    """``variable // place % size * weight``."""

    variable: Variable
    place: int
    size: int
    weight: int = 1

    def weighing(self, weight: int) -> _Term:
        return replace(self, weight=weight)

    def continued(self, lower: _Term) -> bool:
        """Whether the two are one digit that was cut in two."""
        return (self.variable, self.place, self.weight) == (
            lower.variable,
            lower.place * lower.size,
            lower.weight * lower.size,
        )


def _sum(terms: Sequence[_Term]) -> Expr:
    """The sum of the terms in their order, neighbours merged where they continue one another."""
    merged: list[_Term] = []
    for term in terms:
        if term.weight == 0 or term.size == 1:
            continue
        if merged and merged[-1].continued(term):
            merged[-1] = replace(term, size=merged[-1].size * term.size)
        else:
            merged.append(term)
    total = as_expr(0)
    for term in merged:
        total = total + (term.variable // term.place % term.size).simplify() * term.weight
    return total


def _places(lane_map: LaneMap) -> list[_Term]:
    """The digits of lane and i (and choice), in the order of `digits_of`."""
    found = []
    shapes = (lane_map.lane_shape, lane_map.element_shape, (4,))
    for (name, ends), shape in zip(place_ranges(lane_map).items(), shapes, strict=False):
        place, digits = 1, []
        for size in reversed(shape):
            digits.append(_Term(Variable(name, *ends), place, size))
            place *= size
        found += digits[::-1]
    return found


def _numbers(lane_map: LaneMap, digits: tuple[Digit, ...]) -> Formula:
    """Lane, i (and choice) from the coordinates: each digit is picked out of the axis that it moves along."""
    names = dict(zip(("row", "column", "block"), coordinate_ranges(lane_map).items(), strict=False))
    terms: dict[str, list[_Term]] = {name: [] for name in place_ranges(lane_map)}
    for place, digit in zip(_places(lane_map), digits, strict=True):
        for axis, (name, ends) in names.items():
            if step := int(getattr(digit, axis)):
                terms[place.variable.name].append(_Term(Variable(name, *ends), step, place.size, place.place))
                break
    return {name: _sum(parts) for name, parts in terms.items()}


def _evaluated(found: Formula, ranges: Ranges, names: Sequence[str]) -> IntArray:
    """The values of the named expressions over all places."""
    axes = np.ix_(*[np.arange(low, high + 1) for low, high in ranges.values()])
    at = dict(zip(ranges, axes, strict=True))
    shape = tuple(high + 1 for _, high in ranges.values())
    return np.stack([np.broadcast_to(found[name].evaluate(at), shape) for name in names], axis=-1).astype(np.int64)


# --- reading --------------------------------------------------------------------------------------------------------


def read_formula(text: str, ranges: Ranges) -> Formula:
    """Expressions by name from lines ``name = expression`` in Python. Nothing is executed.

    Parameters
    ----------
    ranges
        The variables that the text may speak of, with their inclusive ranges.

    Raises
    ------
    NotationError
        A line has no ``=``, or its expression is not one; the message says what is wrong.

    Examples
    --------
    >>> found = read_formula("m = lane//4", {"lane": (0, 31)})
    >>> found["m"].evaluate({"lane": 13})
    3
    >>> read_formula("m = lane/4", {"lane": (0, 31)})
    Traceback (most recent call last):
    gpuemu.errors.NotationError: formula: parse('lane/4'): 'lane/4' is not allowed; integer division is written //; \
allowed are integers, variables, + - * // %, comparisons, `and`, `&`, min and max
    """
    return _read_lines(text.strip().splitlines(), ranges, FORMULA)


def read_c(text: str, ranges: Ranges) -> Formula:
    """Expressions by name from the assignments ``*name = expression;`` of a C function.

    C's division of numbers that are not negative is Python's ``//``; `lane` and `i` never are.

    Raises
    ------
    NotationError
        No assignment is found, or an expression is more than + * / % of the variables and of numbers.

    Examples
    --------
    >>> read_c("void f(int lane, int *m) { *m = lane/4; }", {"lane": (0, 31)})
    {'m': lane//4}
    """
    statements = text.split(";")[:-1]
    found = [re.search(r"\*\s*(\w+\s*=.*)", statement, re.DOTALL) for statement in statements]
    lines = [assignment[1] for assignment in found if assignment is not None]
    for line in lines:
        if "-" in line or "//" in line:
            raise NotationError(f"{C}: {line!r}: expected + * / % of numbers that are not negative")
    if not lines:
        raise NotationError(f"{C} {text!r}: expected assignments *name = expression;")
    return _read_lines([line.replace("/", "//") for line in lines], ranges, C)


def read_sympy(text: str, ranges: Ranges) -> Formula:
    """Expressions by name from lines ``name = expression`` with FloorDiv(a, b) and FloorMod(a, b).

    Raises
    ------
    NotationError
        A line is something else.

    Examples
    --------
    >>> read_sympy("n = FloorMod(i, 2) + 2*FloorMod(lane, 4)", {"lane": (0, 31), "i": (0, 3)})
    {'n': i%2 + 2*(lane%4)}
    """
    lines = []
    for line in text.strip().splitlines():
        name, _, written = line.partition("=")
        try:
            lines.append(f"{name} = {_rewritten(_Operators(), written.strip())}")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise NotationError(f"{SYMPY} {line!r}: expected name = expression") from None
    return _read_lines(lines, ranges, SYMPY)


def _rewritten(way: ast.NodeTransformer, text: str) -> str:
    return ast.unparse(way.visit(ast.parse(text, mode="eval")))


_CALLS: dict[str, type[ast.operator]] = {"FloorDiv": ast.FloorDiv, "FloorMod": ast.Mod}


class _Calls(ast.NodeTransformer):
    """a // b and a % b as FloorDiv(a, b) and FloorMod(a, b)."""

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        for name, operator in _CALLS.items():
            if isinstance(node.op, operator):
                return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])
        return node


class _Operators(ast.NodeTransformer):
    """FloorDiv(a, b) and FloorMod(a, b) as a // b and a % b."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _CALLS and len(node.args) == 2:
            return ast.BinOp(node.args[0], _CALLS[node.func.id](), node.args[1])
        return node


def _read_lines(lines: Sequence[str], ranges: Ranges, call: str) -> Formula:
    found = {}
    for line in lines:
        name, equals, written = line.partition("=")
        if not equals or not name.strip().isidentifier():
            raise NotationError(f"{call} {line!r}: expected name = expression")
        try:
            found[name.strip()] = parse(written.strip(), ranges)
        except (ExprError, MemoryError, RecursionError) as error:
            raise NotationError(f"{call}: {error}") from None
    return found
