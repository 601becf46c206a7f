"""The expression classes and their operators: immutable, hash-consed, exact integers.

Two nodes that are the same are one object, so ``==`` is a comparison of identities and a memo is a slot. An expression
is built as it was written: sums, products and conjunctions flatten and constants fold, and nothing is reordered.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

from shapetracker.errors import ExprError, UndecidedError

if TYPE_CHECKING:
    from shapetracker.expr.simplify import Explanation

IntLike = Union[int, "Expr"]


class _Entry(weakref.ref["Expr"]):
    """A weak reference that knows under which key it lies in the table of nodes."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_TABLE: dict[tuple[Any, ...], _Entry] = {}


def _forget(entry: weakref.ref[Expr]) -> None:
    key = entry.key  # type: ignore[attr-defined]
    if _TABLE.get(key) is entry:
        del _TABLE[key]


class Expr:
    """An integer expression: the base of all nodes.

    Attributes
    ----------
    args : tuple of Expr
        The operands, in the order in which they were written.
    names : dict of str to Variable
        The variables of the expression by name. Do not change it.

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> (i * 8 + j) // 8
    (i*8 + j)//8
    >>> i * 8 + j == i * 8 + j, i + j == j + i
    (True, False)
    """

    __array_ufunc__ = None  # a numpy integer on the left leaves the operation to us

    args: tuple[Expr, ...]
    names: dict[str, Variable]
    # Memos, written once. True stands for the node itself: a reference to itself would keep it alive.
    _bounds: tuple[int, int, int, int] | None = None
    _cost: int = -1
    _rank: tuple[Any, ...] | None = None
    _linear: tuple[dict[Expr, int], int] | None = None
    _collected: bool = False  # a sum or product that a linear form gave: in order, like terms added up
    _canonical: Expr | bool | None = None
    _short: Expr | bool | None = None
    _simple: Expr | bool | None = None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} = {value!r}: expressions do not change; build a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"del {type(self).__name__}.{name}: expressions do not change")

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return node, (type(self), self.args)

    # Arithmetic. `int + Expr` keeps the order of what was written, too.
    def __add__(self, other: IntLike) -> Expr:
        return Sum.build((self, other if isinstance(other, Expr) else as_expr(other)))

    def __radd__(self, other: IntLike) -> Expr:
        return Sum(other, self)

    def __sub__(self, other: IntLike) -> Expr:
        return Sum(self, -as_expr(other))

    def __rsub__(self, other: IntLike) -> Expr:
        return Sum(other, -self)

    def __mul__(self, other: IntLike) -> Expr:
        return Product.build((self, other if isinstance(other, Expr) else as_expr(other)))

    def __rmul__(self, other: IntLike) -> Expr:
        return Product(other, self)

    def __neg__(self) -> Expr:
        return Product(self, -1)

    def __pos__(self) -> Expr:
        return self

    def __floordiv__(self, other: IntLike) -> Expr:
        return FloorDiv.build((self, other if isinstance(other, Expr) else as_expr(other)))

    def __rfloordiv__(self, other: IntLike) -> Expr:
        return FloorDiv(other, self)

    def __mod__(self, other: IntLike) -> Expr:
        return Mod.build((self, other if isinstance(other, Expr) else as_expr(other)))

    def __rmod__(self, other: IntLike) -> Expr:
        return Mod(other, self)

    def __lt__(self, other: IntLike) -> Expr:
        return Lt(self, other)

    def __le__(self, other: IntLike) -> Expr:
        return Le(self, other)

    def __gt__(self, other: IntLike) -> Expr:
        return Gt(self, other)

    def __ge__(self, other: IntLike) -> Expr:
        return Ge(self, other)

    def __and__(self, other: IntLike) -> Expr:
        return And(self, other)

    def __rand__(self, other: IntLike) -> Expr:
        return And(other, self)

    def eq(self, other: IntLike) -> Expr:
        """The 0/1 expression "equal to other" (``==`` compares the structure instead).

        >>> Variable("i", 0, 3).eq(2)
        i == 2
        """
        return Eq(self, other)

    def ne(self, other: IntLike) -> Expr:
        """The 0/1 expression "different from other".

        >>> Variable("i", 0, 3).ne(2)
        i != 2
        """
        return Ne(self, other)

    def __bool__(self) -> bool:
        low, high = self.min, self.max
        if low > 0 or high < 0:
            return True
        if low == high == 0:
            return False
        ranges = ", ".join(f"{v.name} in {v.min}..{v.max}" for v in self.variables())
        raise UndecidedError(
            f"bool({self!r}): undecided, it lies in {low}..{high} for {ranges}; "
            "combine conditions with & (not `and`), or evaluate at a point"
        )

    @property
    def min(self) -> int:
        """The least value that the analysis of ranges and remainders cannot exclude.

        >>> (Variable("i", 0, 3) * 4 - 1).min
        -1
        """
        return bounds_of(self)[0]

    @property
    def max(self) -> int:
        """The greatest value that the analysis of ranges and remainders cannot exclude.

        >>> (Variable("i", 0, 9) % 4).max
        3
        """
        return bounds_of(self)[1]

    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of their first appearance.

        >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
        >>> (j + i * j).variables()
        (j, i)
        """
        return tuple(self.names.values())

    def substitute(self, values: Mapping[Variable, IntLike]) -> Expr:
        """Put an expression or a number in the place of each given variable.

        A number that is outside the variable's range is an ExprError, as is an expression that may leave it.

        >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
        >>> (i * 8 + j).substitute({i: 2})
        16 + j
        """
        from shapetracker.expr.evaluate import substitute

        return substitute(self, values)

    def unbind(self) -> tuple[Expr, dict[Variable, int]]:
        """Take the bound values out: the expression over plain variables, and the value of each.

        >>> i = Variable("i", 0, 3)
        >>> (i.bind(2) * 8).unbind()
        (i*8, {i: 2})
        """
        from shapetracker.expr.evaluate import unbind

        return unbind(self)

    def evaluate(self, values: Mapping[str, Any] | None = None) -> Any:
        """The value at a point, or, for numpy arrays of integers, the values at many (arrays broadcast).

        >>> (Variable("i", 0, 3) * 8 + 5).evaluate({"i": 3})
        29
        """
        from shapetracker.expr.evaluate import evaluate

        return evaluate(self, values or {})

    def operations(self) -> int:
        """How many operations it takes: each of + - * // % and each comparison is one, a factor of −1 is free.

        >>> ((Variable("i", 0, 3) * 8 + 5) // 4 % 2).operations()
        4
        """
        cost = self._cost
        if cost < 0:
            cost = self._own_cost()
            for x in self.args:
                cost += x.operations()
            write(self, "_cost", cost)
        return cost

    def _own_cost(self) -> int:
        return max(len(self.args) - 1, 0)

    def simplify(self, assuming: Iterable[Expr] = ()) -> Expr:
        """The shortest equal expression that the rules find; never a longer one.

        Parameters
        ----------
        assuming : comparisons that hold
            This is how a relation between variables is said: `j < n` where a symbolic size n bounds j.

        Examples
        --------
        >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
        >>> ((i * 8 + j) // 8).simplify()
        i
        >>> n = Variable("n", 1, 64)
        >>> k = Variable("k", 0, 63)
        >>> ((i * n + k) // n).simplify(assuming=[k < n])
        i
        """
        from shapetracker.expr.simplify import simplify

        return simplify(self, assuming)

    def explain(self, assuming: Iterable[Expr] = ()) -> Explanation:
        """How `simplify` comes to its result: the steps, each with its rule, its law, before and after."""
        from shapetracker.expr.simplify import explain

        return explain(self, assuming)

    def render(self, language: str = "python") -> str:
        """The text of the expression in "python", "c" or "latex".

        >>> i = Variable("i", -3, 3)
        >>> (i // 2).render(), (i // 2).render("c")
        ('i//2', '(i + 4)/2 - 2')
        """
        from shapetracker.expr.printing import render

        return render(self, language)

    def __repr__(self) -> str:
        return self.render()

    def _repr_latex_(self) -> str:
        return f"${self.render('latex')}$"

    def draw(self) -> Any:
        """The picture of the expression."""
        from shapetracker.drawing.expressions import draw_expression

        return draw_expression(self)

    def _repr_html_(self) -> str:
        html: str = self.draw()._repr_html_()
        return html


# The one door through which a memo is written into a node that otherwise cannot change.
write = object.__setattr__


def bounds_of(e: Expr) -> tuple[int, int, int, int]:
    """Least and greatest value, modulus and remainder of an expression, remembered in it."""
    known = e._bounds
    if known is None:
        from shapetracker.expr.bounds import find_bounds

        known = find_bounds(e)
    return known


def _intern(key: tuple[Any, ...], e: Expr, args: tuple[Expr, ...], names: dict[str, Variable]) -> None:
    write(e, "args", args)
    write(e, "names", names)
    entry = _Entry(e, _forget)
    entry.key = key
    _TABLE[key] = entry


def node(cls: type[Expr], args: tuple[Expr, ...]) -> Expr:
    """The one node of this class with exactly these operands, without any folding."""
    key = (cls, *map(id, args))  # the node that lies under a key keeps its operands alive, and with them their ids
    entry = _TABLE.get(key)
    if entry is not None:
        found = entry()
        if found is not None:
            return found
    names = args[0].names
    for x in args:
        if x.names is not names and x.names:
            names = _merge(names, x.names)
    e: Expr = object.__new__(cls)
    write(e, "args", args)
    write(e, "names", names)
    entry = _Entry(e, _forget)
    entry.key = key
    _TABLE[key] = entry
    return e


def _merge(left: dict[str, Variable], right: dict[str, Variable]) -> dict[str, Variable]:
    """Both tables of names as one; the left one itself where it has everything."""
    merged = left
    for name, variable in right.items():
        other = merged.get(name)
        if other is None:
            if merged is left:
                merged = dict(left)
            merged[name] = variable
        elif other is not variable:
            raise ExprError(
                f"two variables are named {name!r}: {other.describe()} and {variable.describe()}; "
                "give them one range, or two names"
            )
    return merged


def as_expr(value: IntLike) -> Expr:
    """The expression itself, or an integer as a constant.

    Raises
    ------
    ExprError
        When it is neither.

    Examples
    --------
    >>> as_expr(3)
    3
    """
    if isinstance(value, Expr):
        return value
    small = _SMALL.get(value) if type(value) is int else None
    if small is not None:
        return small
    try:
        return Const(operator.index(value))
    except TypeError:
        raise ExprError(f"{value!r} is a {type(value).__name__}: an integer or an expression was expected") from None


_NO_NAMES: dict[str, Any] = {}


_SMALL: dict[int, Const] = {}


class Const(Expr):
    """An integer constant.

    >>> Const(3) == 3, int(Const(3))
    (True, 3)
    """

    value: int

    def __new__(cls, value: int) -> Const:
        small = _SMALL.get(value)
        if small is not None:
            return small
        value = operator.index(value)
        key = (Const, value)
        entry = _TABLE.get(key)
        if entry is not None:
            found = entry()
            if found is not None:
                return found  # type: ignore[return-value]
        e = object.__new__(cls)
        _intern(key, e, (), _NO_NAMES)
        write(e, "value", value)
        write(e, "_bounds", (value, value, 0, value))
        write(e, "_canonical", True)
        write(e, "_short", True)
        return e

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return Const, (self.value,)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, int) and self.value == other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        return self.value

    def __int__(self) -> int:
        return self.value

    def __bool__(self) -> bool:
        return self.value != 0


_SMALL.update({n: Const(n) for n in range(-64, 1025)})  # kept alive, so that common constants are found and not built


def _variable_rank(name: str) -> tuple[Any, ...]:
    """Variables come first among expressions, by name, idx2 before idx10."""
    head = name.rstrip("0123456789")
    return 0, (head, int(name[len(head) :] or -1), name)


class Variable(Expr):
    """An integer variable with an inclusive range.

    Parameters
    ----------
    name : str
        An identifier.
    min, max : int
        The least and the greatest value.

    Examples
    --------
    >>> i = Variable("i", 0, 3)
    >>> i.min, i.max, i.bind(2)
    (0, 3, i=2)
    """

    name: str

    def __new__(cls, name: str, min: int, max: int) -> Variable:
        if not str.isidentifier(name):
            raise ExprError(f"Variable({name!r}, {min!r}, {max!r}): the name must be an identifier")
        low, high = as_expr(min), as_expr(max)
        if not isinstance(low, Const) or not isinstance(high, Const):
            raise ExprError(
                f"Variable({name!r}, {min!r}, {max!r}): the bounds must be integers; give the widest range, "
                f"and say the relation with simplify(assuming=[{name} <= ...])"
            )
        if low.value > high.value:
            raise ExprError(f"Variable({name!r}, {min}, {max}): the range is empty; the bounds are inclusive")
        key = (Variable, name, low.value, high.value)
        entry = _TABLE.get(key)
        if entry is not None:
            found = entry()
            if found is not None:
                return found  # type: ignore[return-value]
        e = object.__new__(cls)
        # The table of names holds the variable itself: a cycle that the garbage collector resolves.
        _intern(key, e, (), {name: e})
        write(e, "name", name)
        modulus, residue = (0, low.value) if low is high else (1, 0)
        write(e, "_bounds", (low.value, high.value, modulus, residue))
        write(e, "_rank", _variable_rank(name))
        if low is not high:
            write(e, "_canonical", True)
            write(e, "_short", True)
        return e

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return Variable, (self.name, self.min, self.max)

    def describe(self) -> str:
        """The text that builds it.

        >>> Variable("i", 0, 3).describe()
        "Variable('i', 0, 3)"
        """
        return f"Variable({self.name!r}, {self.min}, {self.max})"

    def bind(self, value: int) -> Bound:
        """The variable with a value: a new node; the variable itself is unchanged.

        >>> Variable("i", 0, 3).bind(5)
        Traceback (most recent call last):
        ...
        shapetracker.errors.ExprError: i.bind(5): i lies in 0..3
        """
        return Bound(self, value)


class Bound(Expr):
    """A variable with a value. It keeps the variable's range, so what is built of it serves other values too.

    >>> i = Variable("i", 0, 3).bind(2)
    >>> i.value, i.max, (i * 8).evaluate()
    (2, 3, 16)
    """

    value: int

    def __new__(cls, variable: Variable, value: int) -> Bound:
        number = operator.index(value)
        if not variable.min <= number <= variable.max:
            raise ExprError(f"{variable.name}.bind({number}): {variable.name} lies in {variable.min}..{variable.max}")
        key = (Bound, variable, number)
        entry = _TABLE.get(key)
        if entry is not None:
            found = entry()
            if found is not None:
                return found  # type: ignore[return-value]
        e = object.__new__(cls)
        _intern(key, e, (variable,), variable.names)
        write(e, "value", number)
        write(e, "_cost", 0)
        return e

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return Bound, (self.args[0], self.value)

    @property
    def variable(self) -> Variable:
        """The variable itself.

        >>> Variable("i", 0, 3).bind(2).variable
        i
        """
        return self.args[0]  # type: ignore[return-value]


# The operations stand on the classes above, and the operators above stand on them: so they come last.
from shapetracker.expr.operations import (  # noqa: E402
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
    "write",
]
