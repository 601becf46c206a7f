"""Values of an expression: at a point, at many points at once, over the whole box of its variables."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any

from shapetracker.errors import ExprError
from shapetracker.expr.bounds import find_bounds
from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Expr,
    FloorDiv,
    IntLike,
    Max,
    Min,
    Mod,
    Operation,
    Product,
    Sum,
    Variable,
    as_expr,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def evaluate(e: Expr, values: Mapping[str, Any]) -> Any:
    """The value of the expression where its variables, by name, have these values.

    Parameters
    ----------
    e : Expr
    values : mapping of name to integer, or to an array of integers
        Arrays broadcast; the result is then an int64 array (of Python integers where int64 is too narrow).

    Raises
    ------
    ExprError
        A variable has no value, or one outside its range.

    Examples
    --------
    >>> i = Variable("i", 0, 3)
    >>> evaluate(i * 8 + 5, {"i": 3})
    29
    >>> import numpy as np
    >>> evaluate(i * 8 + 5, {"i": np.arange(4)})
    array([ 5, 13, 21, 29])
    """
    environment: dict[str, Any] = {}
    arrays = False
    for variable in e.variables():
        if variable.name in values:
            value = values[variable.name]
            if isinstance(value, Expr | str) or not hasattr(value, "__len__"):
                value = _integer(variable, value)
            else:
                arrays = True
                value = _array(variable, value)
            environment[variable.name] = value
    if arrays and _widest(e) >= 2**63:
        environment = {n: v.astype(object) if hasattr(v, "astype") else v for n, v in environment.items()}
    result = _walk(e, environment, _ON_ARRAYS if arrays else _ON_INTEGERS, {})
    return result if arrays else int(result)


def evaluate_box(e: Expr, over: Iterable[Variable] | None = None) -> NDArray[np.int64]:
    """The values over the whole box: one axis a variable, in order of appearance or as given.

    Examples
    --------
    >>> i, j = Variable("i", 0, 1), Variable("j", 0, 2)
    >>> evaluate_box(i * 3 + j).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    import numpy as np

    axes = tuple(e.variables() if over is None else over)
    missing = [v.name for v in e.variables() if v not in axes]
    if missing:
        raise ExprError(f"evaluate_box({e!r}): no axis for {', '.join(missing)}")
    shape = tuple(v.max - v.min + 1 for v in axes)
    dtype: Any = np.int64 if _widest(e) < 2**63 else object
    environment: dict[str, Any] = {}
    for axis, v in enumerate(axes):
        line = np.arange(v.min, v.max + 1, dtype=np.int64).astype(dtype)
        environment[v.name] = line.reshape([-1 if k == axis else 1 for k in range(len(axes))])
    result = _walk(e, environment, _ON_ARRAYS, {})
    return np.broadcast_to(np.asarray(result, dtype=dtype), shape)


def values_on_a_line(e: Expr, variable: Variable, low: int, high: int) -> list[int]:
    """The values of an expression in one variable, from low to high; plain integers, without numpy.

    Examples
    --------
    >>> i = Variable("i", 0, 9)
    >>> values_on_a_line(i // 2, i, 3, 6)
    [1, 2, 2, 3]
    """
    return values_at(e, {variable.name: list(range(low, high + 1))}, high - low + 1)


def values_at(e: Expr, points: Mapping[str, list[int]], count: int) -> list[int]:
    """The values of an expression at several points, given by the values of each variable; without numpy.

    Examples
    --------
    >>> i, j = Variable("i", 0, 9), Variable("j", 0, 9)
    >>> values_at(i // 2 + j, {"i": [3, 4], "j": [0, 9]}, 2)
    [1, 11]
    """
    result = _walk(e, points, _ON_LISTS, {})
    return [int(x) for x in result] if isinstance(result, list) else [int(result)] * count


def _integer(variable: Variable, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ExprError(f"evaluate: {variable.name} = {value!r}: an integer or an array of them was expected") from None
    if not variable.min <= number <= variable.max:
        raise ExprError(f"evaluate: {variable.name} = {number} lies outside {variable.min}..{variable.max}")
    return number


def _array(variable: Variable, value: Any) -> Any:
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "iub":
        raise ExprError(f"evaluate: {variable.name} is an array of {array.dtype}: integers were expected")
    if array.size and (int(array.min()) < variable.min or int(array.max()) > variable.max):
        raise ExprError(
            f"evaluate: {variable.name} holds {array.min()}..{array.max()}, "
            f"which is not inside {variable.min}..{variable.max}"
        )
    return array.astype(np.int64)


def _widest(e: Expr) -> int:
    """The greatest magnitude that any part of the expression may take."""
    low, high, _, _ = find_bounds(e)
    return max(-low, high, *[_widest(x) for x in e.args])


Combine = Callable[[Expr, list[Any]], Any]


def _walk(e: Expr, environment: Mapping[str, Any], combine: Mapping[type[Expr], Combine], memo: dict[Expr, Any]) -> Any:
    if isinstance(e, Const):
        return e.value
    if e in memo:
        return memo[e]
    if isinstance(e, Variable):
        if e.name not in environment:
            raise ExprError(f"evaluate: no value for {e.describe()}; give one by its name, {{{e.name!r}: ...}}")
        return environment[e.name]
    if isinstance(e, Bound):
        return e.value
    memo[e] = result = combine[type(e)](e, [_walk(x, environment, combine, memo) for x in e.args])
    return result


def _total(e: Expr, values: list[Any]) -> Any:
    result = values[0]
    for x in values[1:]:
        result = result + x
    return result


def _product(e: Expr, values: list[Any]) -> Any:
    result = values[0]
    for x in values[1:]:
        result = result * x
    return result


def _compare(e: Expr, values: list[Any]) -> Any:
    return type(e).holds(*values) * 1  # type: ignore[attr-defined]


def _least_of_arrays(e: Expr, values: list[Any]) -> Any:
    import numpy as np

    result = values[0]
    for x in values[1:]:
        result = np.minimum(result, x)
    return result


def _greatest_of_arrays(e: Expr, values: list[Any]) -> Any:
    import numpy as np

    result = values[0]
    for x in values[1:]:
        result = np.maximum(result, x)
    return result


_ON_INTEGERS: dict[type[Expr], Combine] = {
    Sum: _total,
    Product: _product,
    FloorDiv: lambda e, v: v[0] // v[1],
    Mod: lambda e, v: v[0] % v[1],
    And: lambda e, v: int(all(v)),
    Min: lambda e, v: min(v),
    Max: lambda e, v: max(v),
    **dict.fromkeys(Comparison.__subclasses__(), _compare),
}
_ON_ARRAYS: dict[type[Expr], Combine] = {
    **_ON_INTEGERS,
    And: _product,
    Min: _least_of_arrays,
    Max: _greatest_of_arrays,
}


def _on_lists(combine: Callable[[Any, Any], Any]) -> Combine:
    """An operation of numbers on lists of them, one number each point; a number stands for itself at every point."""

    def combined(e: Expr, values: list[Any]) -> Any:
        result = values[0]
        for x in values[1:]:
            if isinstance(result, list):
                result = list(map(combine, result, x if isinstance(x, list) else repeat(x)))
            elif isinstance(x, list):
                result = list(map(combine, repeat(result), x))
            else:
                result = combine(result, x)
        return result

    return combined


_ON_LISTS: dict[type[Expr], Combine] = {
    Sum: _on_lists(operator.add),
    Product: _on_lists(operator.mul),
    FloorDiv: _on_lists(operator.floordiv),
    Mod: _on_lists(operator.mod),
    And: _on_lists(operator.and_),
    Min: _on_lists(min),
    Max: _on_lists(max),
    **{kind: _on_lists(kind.holds) for kind in Comparison.__subclasses__()},
}


def substitute(e: Expr, values: Mapping[Variable, IntLike]) -> Expr:
    """The expression with something else in the place of each given variable.

    Raises
    ------
    ExprError
        A value is not inside the range of its variable.
    """
    table: dict[Expr, Expr] = {}
    for variable, value in values.items():
        if not isinstance(variable, Variable):
            raise ExprError(f"substitute {variable!r}: only a variable has a place that something can be put in")
        new = as_expr(value)
        low, high, _, _ = find_bounds(new)
        if low < variable.min or high > variable.max:
            raise ExprError(
                f"substitute {variable.name} by {new!r}: {_range(low, high)} is not inside "
                f"{variable.min}..{variable.max}, the range of {variable.name}"
            )
        table[variable] = new
    return rebuild(e, table)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}..{high}"


def rebuild(e: Expr, table: dict[Expr, Expr]) -> Expr:
    """The expression with parts replaced as the table says; the table remembers what was rebuilt."""
    found = table.get(e)
    if found is not None:
        return found
    result = e
    if isinstance(e, Operation):
        args = tuple(rebuild(x, table) for x in e.args)
        if args != e.args:
            result = type(e).build(args)
    table[e] = result
    return result


def unbind(e: Expr) -> tuple[Expr, dict[Variable, int]]:
    """Plain variables in the place of bound ones, and the values.

    Raises
    ------
    ExprError
        One variable is bound to two values.
    """
    values: dict[Variable, int] = {}
    table: dict[Expr, Expr] = {}

    def collect(x: Expr) -> None:
        if isinstance(x, Bound):
            if values.setdefault(x.variable, x.value) != x.value:
                raise ExprError(f"unbind: {x.variable!r} is bound to {values[x.variable]} and to {x.value}")
            table[x] = x.variable
        else:
            for y in x.args:
                collect(y)

    collect(e)
    return rebuild(e, table), values
