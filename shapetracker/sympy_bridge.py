"""To SymPy and back. This module alone imports sympy.

The export uses function classes of its own for floor division and remainder. They fold numbers only, print as ⌊a/b⌋ and
a mod b, and `lambdify` generates ``//`` and ``%`` of them. SymPy's own `Mod` and `floor` are not used unless asked for:
SymPy 1.14.0 turns Mod(2*Mod(i, 5), 5) into 2*Mod(i, 5) by itself (at i = 3 that is 6, and the truth is 1), and
lambdify(n, floor(n/49))(49) is 0, since it divides in floating point.

SymPy's symbols carry no ranges: keep the variables beside the SymPy expression, and give them to `from_sympy`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from math import lcm
from typing import Any

import sympy

from shapetracker.errors import ExprError
from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Eq,
    Expr,
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
)
from shapetracker.expr.nodes import FloorDiv as Quotient

__all__ = [
    "FloorDiv",
    "FloorMod",
    "SymPyModWarning",
    "from_sympy",
    "operations_of",
    "opinion_of_sympy",
    "simplified_by_sympy",
    "to_sympy",
]


class SymPyModWarning(UserWarning):
    """SymPy's own Mod and floor were asked for, which are not always right."""


class _Division(sympy.Function):  # type: ignore[misc]
    """What both functions have in common: two integer operands, and an integer value."""

    nargs = 2
    is_integer = True
    is_real = True
    is_commutative = True

    def __new__(cls, a: Any, b: Any, **_: Any) -> Any:
        # Function.__new__ asks of each operand how it would be evaluated in floating point: a third of an export's time
        a, b = sympy.sympify(a, strict=True), sympy.sympify(b, strict=True)
        folded = cls.eval(a, b)
        return sympy.Basic.__new__(cls, a, b) if folded is None else folded


class FloorDiv(_Division):
    """⌊a/b⌋ of integers. Numbers fold, nothing else is evaluated.

    Examples
    --------
    >>> i = sympy.Symbol("i", integer=True)
    >>> FloorDiv(-21, 5), FloorDiv(8 * i, 8)
    (-5, FloorDiv(8*i, 8))
    >>> sympy.latex(FloorDiv(i, 4)), FloorDiv(i, 4).rewrite(sympy.floor)
    ('\\\\left\\\\lfloor \\\\frac{i}{4} \\\\right\\\\rfloor', floor(i/4))
    >>> sympy.lambdify(i, FloorDiv(i, 49))(49)
    1
    """

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if isinstance(a, sympy.Integer) and isinstance(b, sympy.Integer) and b != 0:
            return sympy.Integer(int(a) // int(b))
        return None

    def _eval_rewrite_as_floor(self, a: Any, b: Any, **_: Any) -> Any:
        return sympy.floor(a / b)

    def _latex(self, printer: Any) -> str:
        a, b = self.args
        return rf"\left\lfloor \frac{{{printer._print(a)}}}{{{printer._print(b)}}} \right\rfloor"

    def _pythoncode(self, printer: Any) -> str:
        a, b = self.args
        return f"(({printer._print(a)})//({printer._print(b)}))"

    _numpycode = _lambdacode = _pythoncode


class FloorMod(_Division):
    """a mod b of integers, with the sign of b. Numbers fold, nothing else is evaluated.

    Examples
    --------
    >>> i = sympy.Symbol("i", integer=True)
    >>> FloorMod(-21, 5), FloorMod(2 * FloorMod(i, 5), 5)
    (4, FloorMod(2*FloorMod(i, 5), 5))
    >>> sympy.latex(FloorMod(i, 4)), FloorMod(i, 4).rewrite(sympy.floor)
    ('i \\\\bmod 4', i - 4*floor(i/4))
    """

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if isinstance(a, sympy.Integer) and isinstance(b, sympy.Integer) and b != 0:
            return sympy.Integer(int(a) % int(b))
        return None

    def _eval_rewrite_as_floor(self, a: Any, b: Any, **_: Any) -> Any:
        return a - b * sympy.floor(a / b)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        a, b = (printer.parenthesize(x, 50) if not x.is_Atom else printer._print(x) for x in self.args)
        text = rf"{a} \bmod {b}"
        if exp is not None:
            return rf"\left({text}\right)^{{{exp}}}"
        # inside something else: 2·(a mod b) is not 2·a mod b
        return rf"\left({text}\right)" if printer._print_level > 1 else text

    def _pythoncode(self, printer: Any) -> str:
        a, b = self.args
        return f"(({printer._print(a)})%({printer._print(b)}))"

    _numpycode = _lambdacode = _pythoncode


_RELATIONS: dict[type[Comparison], Any] = {
    Lt: sympy.StrictLessThan,
    Le: sympy.LessThan,
    Gt: sympy.StrictGreaterThan,
    Ge: sympy.GreaterThan,
    Eq: sympy.Equality,
    Ne: sympy.Unequality,
}


def to_sympy(e: Expr, mode: str = "functions", symbols: dict[str, Any] | None = None) -> Any:
    """The expression for SymPy.

    A condition becomes a relation; inside arithmetic it becomes a Piecewise of 1 and 0.

    Parameters
    ----------
    e : Expr
    mode : "functions" or "mod"
        "functions" (right): FloorDiv and FloorMod of this module. "mod": SymPy's own floor and Mod; a warning says
        what is wrong with them.
    symbols : dict of name to Symbol, optional
        The symbol table, which is filled: give one table to several exports, and they speak of the same symbols.

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> to_sympy((i * 8 + j) // 8 % 2)
    FloorMod(FloorDiv(8*i + j, 8), 2)
    >>> to_sympy((i < 3) & (j >= 1))
    (j >= 1) & (i < 3)
    """
    if mode not in ("functions", "mod"):
        raise ExprError(f"to_sympy(mode={mode!r}): the modes are 'functions' and 'mod'")
    if mode == "mod":
        warnings.warn(
            "to_sympy(mode='mod'): SymPy's own Mod and floor may change the value. SymPy 1.14 turns "
            "Mod(2*Mod(i, 5), 5) into 2*Mod(i, 5), and lambdify(n, floor(n/49))(49) is 0",
            SymPyModWarning,
            stacklevel=2,
        )
    return _Exporter(mode, {} if symbols is None else symbols).write(e)


class _Exporter:
    def __init__(self, mode: str, symbols: dict[str, Any]) -> None:
        self.own = mode == "functions"
        self.symbols = symbols
        self.known: dict[Expr, Any] = {}

    def write(self, e: Expr) -> Any:
        result = self.known.get(e)
        if result is None:
            result = self.known[e] = self._write(e)
        return result

    def number(self, e: Expr) -> Any:
        """As a number: a relation is 1 or 0."""
        result = self.write(e)
        if isinstance(result, sympy.logic.boolalg.Boolean) and not isinstance(result, sympy.Symbol):
            # unevaluated: SymPy 1.14 rewrites some conditions to and fro without end
            return sympy.Piecewise((sympy.Integer(1), result), (sympy.Integer(0), True), evaluate=False)
        return result

    def _write(self, e: Expr) -> Any:
        match e:
            case Const():
                return sympy.Integer(e.value)
            case Variable():
                return self._symbol(e.name)
            case Bound():
                return self._symbol(e.variable.name)
            case And():
                return sympy.And(*[self._condition(x) for x in e.args])
            case Comparison():
                return _RELATIONS[type(e)](*[self.number(x) for x in e.args])
        parts = [self.number(x) for x in e.args]
        match e:
            case Sum():
                return sympy.Add(*parts)
            case Product():
                return sympy.Mul(*parts)
            case Quotient():
                return FloorDiv(*parts) if self.own else sympy.floor(parts[0] / parts[1])
            case Mod():
                return FloorMod(*parts) if self.own else sympy.Mod(*parts)
            case Min():
                return sympy.Min(*parts)
        return sympy.Max(*parts)

    def _condition(self, e: Expr) -> Any:
        result = self.write(e)
        if isinstance(result, sympy.logic.boolalg.Boolean) and not isinstance(result, sympy.Symbol):
            return result
        return sympy.Unequality(result, 0)

    def _symbol(self, name: str) -> Any:
        if name not in self.symbols:
            self.symbols[name] = sympy.Symbol(name, integer=True)
        return self.symbols[name]


def from_sympy(expression: Any, variables: Mapping[str, tuple[int, int] | Variable]) -> Expr:
    """The way back.

    Parameters
    ----------
    expression : a SymPy expression of integers
        Sums, products, powers, FloorDiv, FloorMod, floor of a quotient, Mod, Min, Max, relations, And, and the
        Piecewise of 1 and 0 that an export makes of a condition.
    variables : mapping of name to (least, greatest) or to a Variable

    Raises
    ------
    ExprError
        It is no expression of SymPy, or holds something else, or a symbol without a range.

    Examples
    --------
    >>> i = sympy.Symbol("i", integer=True)
    >>> from_sympy(sympy.floor((i + 2) / 4) * 4 + 1, {"i": (0, 15)})
    4*((i + 2)//4) + 1
    """
    known = {n: v if isinstance(v, Variable) else Variable(n, *v) for n, v in variables.items()}
    try:
        given = sympy.sympify(expression, strict=True)  # otherwise a text would be evaluated, whatever it says
    except sympy.SympifyError:
        hint = "; shapetracker.parse reads text, and runs nothing" if isinstance(expression, str) else ""
        kind = type(expression).__name__
        raise ExprError(f"from_sympy: got a {kind}; expected an expression of SymPy{hint}") from None
    return _read(given, known)


_COMPARISONS: dict[Any, type[Comparison]] = {relation: kind for kind, relation in _RELATIONS.items()}


def _read(x: Any, known: Mapping[str, Variable]) -> Expr:
    if isinstance(x, sympy.Integer):
        return Const(int(x))
    if x in (sympy.true, sympy.false):
        return Const(int(bool(x)))
    if isinstance(x, sympy.Symbol):
        if x.name not in known:
            raise ExprError(f"from_sympy: {x.name} has no range; known are {', '.join(known) or 'none'}")
        return known[x.name]
    if isinstance(x, sympy.floor):
        return _floor(x, known)
    if isinstance(x, sympy.Piecewise):
        return _piecewise(x, known)
    if isinstance(x, sympy.Pow) and isinstance(x.exp, sympy.Integer) and x.exp > 0:
        return Product(*[_read(x.base, known)] * int(x.exp))
    if type(x) in _COMPARISONS:
        left, right = _without_fractions(x)
        return _COMPARISONS[type(x)](_read(left, known), _read(right, known))
    if isinstance(x, sympy.ITE):  # what SymPy makes of a comparison with a condition inside
        condition, when, otherwise = (_read(y, known) for y in x.args)
        return otherwise + condition * (when - otherwise)
    build = _BUILD.get(type(x))
    if build is None:
        raise ExprError(f"from_sympy: {x} ({type(x).__name__}) is no integer expression that this project knows")
    result: Expr = build(*[_read(y, known) for y in _in_order(x)])
    return result


def _without_fractions(x: Any) -> tuple[Any, Any]:
    """Both sides times their denominators: SymPy divides comparisons by common factors."""
    scale = lcm(*[int(number.q) for number in x.atoms(sympy.Rational)])
    if scale == 1:
        return x.args[0], x.args[1]
    return sympy.expand(x.args[0] * scale), sympy.expand(x.args[1] * scale)


def _in_order(x: Any) -> tuple[Any, ...]:
    """The operands as SymPy prints them."""
    if isinstance(x, sympy.Add):
        return tuple(x.as_ordered_terms())
    return tuple(x.args)


_BUILD: dict[Any, Any] = {
    sympy.Add: Sum,
    sympy.Mul: Product,
    FloorDiv: Quotient,
    FloorMod: Mod,
    sympy.Mod: Mod,
    sympy.Min: Min,
    sympy.Max: Max,
    sympy.And: And,
    sympy.Or: Max,  # of conditions, which are 0 or 1
    sympy.Not: lambda condition: 1 - condition,
}


def _floor(x: Any, known: Mapping[str, Variable]) -> Expr:
    """floor of a fraction of integers: numerator // denominator."""
    numerator, denominator = sympy.fraction(sympy.together(x.args[0]))
    return Quotient(_read(sympy.expand(numerator), known), _read(denominator, known))


def _piecewise(x: Any, known: Mapping[str, Variable]) -> Expr:
    if len(x.args) == 2 and x.args[1][1] == sympy.true:
        (first, condition), (second, _) = x.args
        when, otherwise, holds = _read(first, known), _read(second, known), _read(condition, known)
        return holds if when is Const(1) and otherwise is Const(0) else otherwise + holds * (when - otherwise)
    raise ExprError(f"from_sympy: {x}: only a Piecewise of two cases can be read")


_COUNTED = (FloorDiv, FloorMod, sympy.floor, sympy.Mod, *_COMPARISONS)


def operations_of(x: Any) -> int:
    """Operations of a SymPy expression, counted as `Expr.operations` does; a power and a division count, too.

    >>> i, j = sympy.symbols("i j", integer=True)
    >>> operations_of(FloorMod(FloorDiv(8 * i - j, 8), 2))
    4
    """
    inner = sum(operations_of(y) for y in x.args)
    if isinstance(x, sympy.Add | sympy.And | sympy.Min | sympy.Max):
        return inner + len(x.args) - 1
    if isinstance(x, sympy.Mul):
        return inner + len([y for y in x.args if y != -1]) - 1
    if isinstance(x, sympy.Pow):
        return inner + (0 if x.exp == -1 else int(x.exp) - 1 if isinstance(x.exp, sympy.Integer) and x.exp > 0 else 1)
    return inner + isinstance(x, _COUNTED)


def simplified_by_sympy(e: Expr, symbols: dict[str, Any] | None = None) -> Any:
    """What `sympy.simplify` makes of the expression, over SymPy's own floor. It takes tens of milliseconds.

    >>> simplified_by_sympy((Variable("i", 0, 3) * 2 + 4) // 2)
    i + 2
    """
    return sympy.simplify(to_sympy(e, symbols=symbols).rewrite(sympy.floor))


def opinion_of_sympy(a: Expr, b: Expr) -> tuple[str, str]:
    """Whether SymPy, by its own floor and Mod, holds two expressions for equal; and what is left of their difference.

    Returns
    -------
    opinion : "equal", "different" or "cannot tell"
    difference : str

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> opinion_of_sympy((i + j) * 2, i * 2 + j * 2)
    ('equal', '0')
    """
    symbols: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymPyModWarning)  # it is SymPy's own opinion that is asked for
        left, right = (to_sympy(x, mode="mod", symbols=symbols) for x in (a, b))
    if left == right:
        return "equal", "0"
    try:
        rest = sympy.simplify(left - right)
    except TypeError:  # relations are not subtracted
        rest = sympy.simplify(sympy.Xor(left, right))
    if rest == 0 or rest is sympy.false:
        return "equal", str(rest)
    return "different" if rest.is_number or rest is sympy.true else "cannot tell", str(rest)
