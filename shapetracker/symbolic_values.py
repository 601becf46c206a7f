"""Parts of symbolic views: integers or expressions, simplified and compared as far as that is seen in every binding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shapetracker.errors import ViewError
from shapetracker.expr import Comparison, Const, Eq, Expr, Ge, Gt, Le, Lt, Max, Min, Variable, as_expr
from shapetracker.expr.nodes import IntLike


def given_values(call: str, values: Mapping[Any, int] | None) -> dict[Any, int]:
    """The values that `bind` is given, by variable or by name; a ViewError where they are no mapping.

    >>> given_values("bind", {"i": 3}), given_values("bind", None)
    ({'i': 3}, {})
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ViewError(f"{call}: {values!r} gives no variable a value; write {{i: 3}} or {{'i': 3}}")
    return dict(values)


def where_guards_hold(variable: Variable, guards: Iterable[Expr]) -> range:
    """The values that a variable may have where guards such as ``i < 4`` hold.

    >>> x = Variable("x", 0, 6)
    >>> where_guards_hold(x, [x < 4, x >= 1, x * 2 < 9])
    range(1, 4)
    """
    low, high = variable.min, variable.max
    for guard in guards:
        if not isinstance(guard, Comparison) or guard.args[0] is not variable or not isinstance(guard.args[1], Const):
            continue
        limit = guard.args[1].value
        if isinstance(guard, (Ge, Gt, Eq)):
            low = max(low, limit + isinstance(guard, Gt))
        if isinstance(guard, (Le, Lt, Eq)):
            high = min(high, limit - isinstance(guard, Lt))
    return range(low, high + 1)


def full(bound: tuple[IntLike, IntLike], size: IntLike) -> bool:
    """Whether the bounds cover an axis in every binding.

    >>> full((0, 4), 4), full((1, 4), 4)
    (True, False)
    """
    return same(bound[0], 0) and same(bound[1], size)


def simple(value: IntLike) -> Any:
    """The value simplified: an integer where it is one.

    >>> from shapetracker.expr import Variable
    >>> x = Variable("x", 0, 6)
    >>> simple(x + 1 - x)
    1
    """
    if not isinstance(value, Expr):
        return value
    simple = value.simplify()
    return simple.value if isinstance(simple, Const) else simple


def least(one: IntLike, other: IntLike) -> IntLike:
    """The smaller of two values; a Min where that depends on the binding.

    >>> from shapetracker.expr import Variable
    >>> x = Variable("x", 0, 6)
    >>> least(x, 7), least(x, 3)
    (x, min(x, 3))
    """
    gap = as_expr(simple(one - other))
    return one if gap.max <= 0 else other if gap.min >= 0 else Min(one, other)


def greatest(one: IntLike, other: IntLike) -> IntLike:
    """The greater of two values; a Max where that depends on the binding.

    >>> from shapetracker.expr import Variable
    >>> x = Variable("x", 0, 6)
    >>> greatest(x, 7), greatest(x, 3)
    (7, max(x, 3))
    """
    gap = as_expr(simple(one - other))
    return other if gap.max <= 0 else one if gap.min >= 0 else Max(one, other)


def need(condition: Any, told: str) -> tuple[Expr, ...]:
    """A condition as a guard: none where it always holds, an error where it never does.

    >>> from shapetracker.expr import Variable
    >>> x = Variable("x", 0, 6)
    >>> need(x < 9, "never"), need(x < 3, "never")
    ((), (x < 3,))
    """
    found = as_expr(simple(condition))
    if found.max <= 0:
        raise ViewError(told)
    return () if found.min >= 1 else (found,)


def same(one: IntLike, other: IntLike) -> bool:
    """Whether two values are the same in every binding, as far as simplifying tells.

    >>> from shapetracker.expr import Variable
    >>> x = Variable("x", 0, 6)
    >>> same(x * 2, x + x), same(x, 3)
    (True, False)
    """
    return bool(one == other) or simple(one - other) == 0


def row_major(shape: Sequence[IntLike]) -> list[IntLike]:
    """The strides of a contiguous view, with 0 on axes of size 1.

    >>> from shapetracker.expr import Variable
    >>> row_major((3, Variable("x", 1, 6), 4))
    [x*4, 4, 1]
    """
    strides: list[IntLike] = []
    step: IntLike = 1
    for size in reversed(shape):
        strides.append(0 if same(size, 1) else step)
        step = simple(step * size)
    return strides[::-1]
