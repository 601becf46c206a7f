"""The base of all nodes: operators, queries, and the methods that other modules carry out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, Union

from shapetracker.errors import ExprError, UndecidedError

if TYPE_CHECKING:
    from shapetracker.expr.simplify import Explanation

IntLike = Union[int, "Expr"]


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
    # Memos, written once, into the instance's own dictionary: setting an attribute is barred. True stands for the node
    # itself: a reference to itself would keep it alive.
    _bounds: tuple[int, int, int, int] | None = None
    _cost: int  # operations; written when the node is made
    _free: Expr | None = None  # the operand that costs no operation: −1 as a factor
    _rank: tuple[Any, ...] | None = None
    _linear: tuple[dict[Expr, int], int] | None = None
    _collected: bool = False  # a sum or product that a linear form gave: in order, like terms added up
    _form: tuple[dict[Expr, int], int] | None = None  # the linear form of the canonical form
    _features: int = -1
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
        return Sum.build((self, as_expr(other)))

    def __radd__(self, other: IntLike) -> Expr:
        return Sum(other, self)

    def __sub__(self, other: IntLike) -> Expr:
        return Sum(self, -as_expr(other))

    def __rsub__(self, other: IntLike) -> Expr:
        return Sum(other, -self)

    def __mul__(self, other: IntLike) -> Expr:
        return Product.build((self, as_expr(other)))

    def __rmul__(self, other: IntLike) -> Expr:
        return Product(other, self)

    def __neg__(self) -> Expr:
        return Product(self, -1)

    def __pos__(self) -> Expr:
        return self

    def __floordiv__(self, other: IntLike) -> Expr:
        return FloorDiv.build((self, as_expr(other)))

    def __rfloordiv__(self, other: IntLike) -> Expr:
        return FloorDiv(other, self)

    def __mod__(self, other: IntLike) -> Expr:
        return Mod.build((self, as_expr(other)))

    def __rmod__(self, other: IntLike) -> Expr:
        return Mod(other, self)

    def __lt__(self, other: IntLike) -> Expr:
        return Lt.build((self, as_expr(other)))

    def __le__(self, other: IntLike) -> Expr:
        return Le.build((self, as_expr(other)))

    def __gt__(self, other: IntLike) -> Expr:
        return Gt.build((self, as_expr(other)))

    def __ge__(self, other: IntLike) -> Expr:
        return Ge.build((self, as_expr(other)))

    def __and__(self, other: IntLike) -> Expr:
        return And.build((self, as_expr(other)))

    def __rand__(self, other: IntLike) -> Expr:
        return And(other, self)

    # What Python has operators for, and expressions do not: the error says what to write instead.
    def __truediv__(self, other: object) -> NoReturn:
        raise ExprError(f"{self!r} / {other!r}: expressions are integers; division that rounds down is written //")

    def __rtruediv__(self, other: object) -> NoReturn:
        raise ExprError(f"{other!r} / {self!r}: expressions are integers; division that rounds down is written //")

    def __pow__(self, other: object) -> NoReturn:
        raise ExprError(f"{self!r} ** {other!r}: there are no powers; a square is written x * x")

    def __or__(self, other: object) -> NoReturn:
        raise ExprError(f"{self!r} | {other!r}: there is no such operation; a or b is Max(a, b), for conditions")

    __ror__ = __or__

    def __invert__(self) -> NoReturn:
        raise ExprError(f"~({self!r}): there is no such operation; the opposite of a condition c is c.eq(0)")

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

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

        try:
            return evaluate(self, values or {})
        except RecursionError:
            raise _too_deep("evaluate") from None

    def operations(self) -> int:
        """How many operations it takes: each of + - * // % and each comparison is one, a factor of −1 is free.

        >>> ((Variable("i", 0, 3) * 8 + 5) // 4 % 2).operations()
        4
        """
        return self._cost

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
        try:
            return _simplifier()(self, assuming)
        except RecursionError:
            raise _too_deep("simplify") from None

    def explain(self, assuming: Iterable[Expr] = ()) -> Explanation:
        """How `simplify` comes to its result: the steps, each with its rule, its law, before and after."""
        from shapetracker.expr.simplify.explanation import explain

        try:
            return explain(self, assuming)
        except RecursionError:
            raise _too_deep("explain") from None

    def render(self, language: str = "python") -> str:
        """The text of the expression in "python", "c" or "latex".

        >>> i = Variable("i", -3, 3)
        >>> (i // 2).render(), (i // 2).render("c")
        ('i//2', '(i + 4)/2 - 2')
        """
        from shapetracker.expr.printing import render

        try:
            return render(self, language)
        except RecursionError:
            raise _too_deep("render") from None

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


def _too_deep(call: str) -> ExprError:
    return ExprError(
        f"{call}(): the operations stand in one another more deeply than Python's recursion limit of "
        f"{sys.getrecursionlimit()} allows; sys.setrecursionlimit raises it"
    )


def bounds_of(e: Expr) -> tuple[int, int, int, int]:
    """Least and greatest value, modulus and remainder of an expression, remembered in it."""
    return e._bounds or _bounds_finder()(e)


# What stands on the nodes can be imported only when they are there. An import costs more than a simplification of
# something small, even when there is nothing left to import: so these two remember what they found.
@cache
def _simplifier() -> Callable[[Expr, Iterable[Expr]], Expr]:
    from shapetracker.expr.simplify.improve import simplify

    return simplify


@cache
def _bounds_finder() -> Callable[[Expr], tuple[int, int, int, int]]:
    from shapetracker.expr.bounds import find_bounds

    return find_bounds


# The operators above build what stands on this class: so it comes last.
from shapetracker.expr.interning import node  # noqa: E402
from shapetracker.expr.leaves import Variable, as_expr  # noqa: E402
from shapetracker.expr.operations import And, Eq, FloorDiv, Ge, Gt, Le, Lt, Mod, Ne, Product, Sum  # noqa: E402
