"""Two provers for boxes that are too large to walk: isl for what is piecewise affine, z3 for the rest.

Both are optional (`pip install 'lanewise[prove]'`) and imported late. Each looks for a point where two expressions
differ; finding none is a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from shapetracker.expr.bounds import find_bounds
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
    Product,
    Sum,
    Variable,
)

Z3_MILLISECONDS = 10_000


@dataclass(frozen=True, slots=True)
class Search:
    """What a prover found: whether it came to an end, and the point where the expressions differ, if there is one."""

    finished: bool
    point: dict[str, int] | None = None


GAVE_UP = Search(finished=False)


def available() -> tuple[str, ...]:
    """The provers that are installed, in the order in which they are asked."""
    return tuple(name for name, module in (("isl", "islpy"), ("z3", "z3")) if find_spec(module) is not None)


def search(prover: str, a: Expr, b: Expr, variables: tuple[Variable, ...]) -> Search:
    """Look for a point of the box where a and b differ, by the prover of this name."""
    return (_search_with_isl if prover == "isl" else _search_with_z3)(a, b, variables)


class _NotAffineError(Exception):
    """A product of two variables, or a division by one: isl cannot say it."""


def _search_with_isl(a: Expr, b: Expr, variables: tuple[Variable, ...]) -> Search:
    import islpy as isl

    names = [v.name for v in variables]
    ranges = " and ".join(f"{v.min} <= {v.name} <= {v.max}" for v in variables)
    box = isl.Set(f"{{ [{', '.join(names)}] : {ranges} }}")
    translator = _ToIsl(isl, box, names)
    try:
        different = translator.write(a).ne_set(translator.write(b)).intersect(box)
    except _NotAffineError:
        return GAVE_UP
    if different.is_empty():
        return Search(finished=True)
    point = different.sample_point()
    values = [point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(len(names))]
    return Search(finished=True, point=dict(zip(names, values, strict=True)))


def isl_function(e: Expr, variables: tuple[Variable, ...]) -> Any:
    """The expression as isl's piecewise affine function of the variables, in this order.

    >>> from shapetracker.expr.nodes import Variable
    >>> i = Variable("i", 0, 9)
    >>> str(isl_function(i // 2, (i,))) if "isl" in available() else "{ [i] -> [(floor((i)/2))] }"
    '{ [i] -> [(floor((i)/2))] }'
    """
    import islpy as isl

    names = [v.name for v in variables]
    return _ToIsl(isl, isl.Set(f"{{ [{', '.join(names)}] }}"), names).write(e)


class _ToIsl:
    """Expressions as isl's piecewise affine functions over one box."""

    def __init__(self, isl: Any, box: Any, names: list[str]) -> None:
        self.isl, self.box, self.names = isl, box, names
        self.space = isl.LocalSpace.from_space(box.get_space())
        self.known: dict[Expr, Any] = {}

    def write(self, e: Expr) -> Any:
        if e not in self.known:
            self.known[e] = self._write(e)
        return self.known[e]

    def _constant(self, value: int) -> Any:
        aff = self.isl.Aff.zero_on_domain(self.space)
        return self.isl.PwAff.from_aff(aff.set_constant_val(self.isl.Val(value)))

    def _write(self, e: Expr) -> Any:
        match e:
            case Const():
                return self._constant(e.value)
            case Bound():
                return self._constant(e.value)
            case Variable():
                place = self.names.index(e.name)
                return self.isl.PwAff.from_aff(self.isl.Aff.var_on_domain(self.space, self.isl.dim_type.set, place))
            case Product():
                return self._product(e)
            case FloorDiv() | Mod():
                return self._division(e)
            case Comparison():
                return self._indicator(self._condition(e))
        parts = [self.write(x) for x in e.args]
        result = parts[0]
        for part in parts[1:]:
            match e:
                case Sum():
                    result = result.add(part)
                case Min() | And():
                    result = result.min(part)
                case Max():
                    result = result.max(part)
        return result.coalesce()

    def _product(self, e: Expr) -> Any:
        factor, rest = 1, []
        for x in e.args:
            if isinstance(x, Const):
                factor *= x.value
            else:
                rest.append(x)
        if len(rest) != 1:
            raise _NotAffineError
        return self.write(rest[0]).scale_val(self.isl.Val(factor))

    def _division(self, e: Expr) -> Any:
        divisor = e.args[1]
        if not isinstance(divisor, Const):
            raise _NotAffineError
        a, n = self.write(e.args[0]), divisor.value
        if n < 0:
            a = a.neg()
        size = self.isl.Val(abs(n))
        if isinstance(e, FloorDiv):
            return a.scale_down_val(size).floor()
        return a.mod_val(size) if n > 0 else a.mod_val(size).neg()

    def _condition(self, e: Expr) -> Any:
        a, b = (self.write(x) for x in e.args)
        match e:
            case Lt():
                return a.lt_set(b)
            case Le():
                return a.le_set(b)
            case Gt():
                return a.gt_set(b)
            case Ge():
                return a.ge_set(b)
            case Eq():
                return a.eq_set(b)
        return a.ne_set(b)

    def _indicator(self, where: Any) -> Any:
        """1 inside the set, 0 elsewhere."""
        everywhere = self.isl.Set.universe(self.box.get_space())
        inside = self._constant(1).intersect_domain(where)
        return inside.union_add(self._constant(0).intersect_domain(everywhere.subtract(where)))


def _search_with_z3(a: Expr, b: Expr, variables: tuple[Variable, ...]) -> Search:
    import z3

    symbols = {v.name: z3.Int(v.name) for v in variables}
    solver = z3.Solver()
    solver.set("timeout", Z3_MILLISECONDS)
    for v in variables:
        solver.add(symbols[v.name] >= v.min, symbols[v.name] <= v.max)
    known: dict[Expr, Any] = {}
    solver.add(_to_z3(z3, a, symbols, known) != _to_z3(z3, b, symbols, known))
    answer = solver.check()
    if answer == z3.unsat:
        return Search(finished=True)
    if answer == z3.sat:
        model = solver.model()
        return Search(True, {n: model.eval(s, model_completion=True).as_long() for n, s in symbols.items()})
    return GAVE_UP


def _to_z3(z3: Any, e: Expr, symbols: dict[str, Any], known: dict[Expr, Any]) -> Any:
    if e in known:
        return known[e]
    parts = [_to_z3(z3, x, symbols, known) for x in e.args] if not isinstance(e, Bound) else []
    match e:
        case Const() | Bound():
            result = z3.IntVal(e.value)
        case Variable():
            result = symbols[e.name]
        case Sum():
            result = sum(parts[1:], parts[0])
        case Product():
            result = parts[0]
            for part in parts[1:]:
                result = result * part
        case FloorDiv() | Mod():
            # z3 divides as Euclid does: for a positive divisor that is rounding down
            a, b = parts
            negative = find_bounds(e.args[1])[1] < 0
            if negative:
                a, b = -a, -b
            result = a / b if isinstance(e, FloorDiv) else -(a % b) if negative else a % b
        case Comparison():
            result = z3.If(type(e).holds(*parts), z3.IntVal(1), z3.IntVal(0))
        case _:
            result = parts[0]
            for part in parts[1:]:
                smaller = result < part if isinstance(e, Min | And) else result > part
                result = z3.If(smaller, result, part)
    known[e] = result
    return result
