"""Are two expressions, views or trackers equal? A verdict with its evidence.

Up to 2²⁰ points every one is tried: that is a proof. Larger boxes go to isl, then to z3, where they are installed; else
corners, the numbers that stand in the expressions, digit boundaries and random points are tried, and then the verdict
says "sampled" and decides nothing unless a counterexample turns up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any

from shapetracker.errors import ExprError, UndecidedError
from shapetracker.expr import provers
from shapetracker.expr.evaluate import evaluate_box
from shapetracker.expr.nodes import Const, Expr, FloorDiv, Mod, Product, Variable, as_expr

EXHAUSTIVE_POINTS = 2**20
SAMPLED_POINTS = 2**12


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two things are equal, and how that is known.

    Attributes
    ----------
    equal : bool or None
        None where it is not decided.
    method : str
        "identical", "exhaustive", "isl", "z3", "sampled", or "shape" for views of different shapes.
    counterexample : dict of name to value, or None
        A point where they differ.
    points : int
        How many points were tried.
    """

    equal: bool | None
    method: str
    counterexample: dict[str, int] | None = None
    points: int = 0

    def __bool__(self) -> bool:
        if self.equal is None:
            raise UndecidedError(
                f"bool({self!r}): no difference at {self.points} points, and no proof; look at .equal and .method, "
                "or install a prover: pip install 'lanewise[prove]'"
            )
        return self.equal

    def __repr__(self) -> str:
        answer = {True: "equal", False: "different", None: "undecided"}[self.equal]
        tried = f", {self.points} points" if self.points else ""
        where = ""
        if self.counterexample is not None:
            where = " at " + (", ".join(f"{n}={v}" for n, v in self.counterexample.items()) or "the only point")
        return f"Verdict({answer}{where}, {self.method}{tried})"

    def draw(self) -> Any:
        """The picture of the verdict."""
        from shapetracker.drawing.expressions import draw_verdict

        return draw_verdict(self)

    def _repr_html_(self) -> str:
        html: str = self.draw()._repr_html_()
        return html


def equivalent(a: Any, b: Any) -> Verdict:
    """Compare two expressions over the box of their variables, or two views or trackers as functions.

    Parameters
    ----------
    a, b : Expr or int, or both View or ShapeTracker
        Views are equal when their shapes are, the same points are valid, and each valid point reads the same element.

    Raises
    ------
    ExprError
        One variable has two ranges, or an expression is compared with a view.

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> equivalent((i * 8 + j) // 8, i)
    Verdict(equal, exhaustive, 32 points)
    >>> equivalent((i * 8 + j) // 7, i)
    Verdict(different at i=0, j=7, exhaustive, 32 points)
    """
    if hasattr(a, "shape") and hasattr(b, "shape"):
        return _equivalent_views(a, b)
    if hasattr(a, "shape") or hasattr(b, "shape"):
        raise ExprError(f"equivalent({a!r}, {b!r}): a view and an expression have nothing to compare")
    return _equivalent_expressions(as_expr(a), as_expr(b))


def _equivalent_expressions(a: Expr, b: Expr) -> Verdict:
    variables = (a - b).variables()  # one expression, so that one name with two ranges is noticed
    if a is b:
        return Verdict(True, "identical")
    size = prod(v.max - v.min + 1 for v in variables)
    if size <= EXHAUSTIVE_POINTS:
        return _exhaustive(a, b, variables, size)
    for prover in provers.available():
        found = provers.search(prover, a, b, variables)
        if found.finished:
            return Verdict(found.point is None, prover, found.point)
    return _sampled(a, b, variables)


def _exhaustive(a: Expr, b: Expr, variables: tuple[Variable, ...], size: int) -> Verdict:
    import numpy as np

    different = np.asarray(evaluate_box(a, variables) != evaluate_box(b, variables))
    if not different.any():
        return Verdict(True, "exhaustive", None, size)
    place = np.unravel_index(int(different.argmax()), different.shape)
    point = {v.name: v.min + int(k) for v, k in zip(variables, place, strict=True)}
    return Verdict(False, "exhaustive", point, size)


def _sampled(a: Expr, b: Expr, variables: tuple[Variable, ...]) -> Verdict:
    tried = 0
    for values in _samples(a, b, variables):
        point = {v.name: x for v, x in zip(variables, values, strict=True)}
        tried += 1
        if a.evaluate(point) != b.evaluate(point):
            return Verdict(False, "sampled", point, tried)
    return Verdict(None, "sampled", None, tried)


def _samples(a: Expr, b: Expr, variables: tuple[Variable, ...]) -> Iterator[tuple[int, ...]]:
    """Corners first, then numbers that stand in the expressions, then where digits carry, then anywhere.

    The same points in every run.
    """
    yield from islice(product(*[sorted({v.min, v.max}) for v in variables]), SAMPLED_POINTS)
    steps, numbers = sorted(_digit_sizes(a) | _digit_sizes(b)), sorted(_numbers(a) | _numbers(b))
    source = random.Random(0)  # noqa: S311  (not for secrets)
    for number in numbers:
        for v in variables:
            for near in (number - 1, number, number + 1):
                if v.min <= near <= v.max:
                    yield tuple(near if w is v else source.randint(w.min, w.max) for w in variables)
    for _ in range(SAMPLED_POINTS):
        yield tuple(_near_a_boundary(v, steps, source) for v in variables)
    for _ in range(SAMPLED_POINTS):
        yield tuple(source.randint(v.min, v.max) for v in variables)


def _near_a_boundary(v: Variable, steps: list[int], source: random.Random) -> int:
    value = source.randint(v.min, v.max)
    if steps:
        step = source.choice(steps)
        value = value // step * step + source.choice((-1, 0, 1))
    return min(max(value, v.min), v.max)


def _digit_sizes(e: Expr) -> set[int]:
    """The divisors and the factors that an expression speaks of, and their products with those inside."""
    sizes: set[int] = set()
    for x in e.args:
        inner = _digit_sizes(x)
        sizes |= inner
        if isinstance(x, Const) and isinstance(e, FloorDiv | Mod | Product) and abs(x.value) > 1:
            sizes |= {abs(x.value)} | {abs(x.value) * n for n in sizes if n < 2**32}
    return sizes


def _numbers(e: Expr) -> set[int]:
    """The numbers that stand in an expression, with either sign: a limit, or an offset that is compared with 0."""
    if isinstance(e, Const):
        return {e.value, -e.value}
    return {number for x in e.args for number in _numbers(x)}


def _equivalent_views(a: Any, b: Any) -> Verdict:
    if a.shape != b.shape:
        return Verdict(False, "shape")
    index_a, valid_a = _flat(a)
    index_b, valid_b = _flat(b)
    validity = equivalent(valid_a, valid_b)
    if validity.equal is not True:
        return validity
    # Where nothing is valid the index does not matter: it is multiplied away.
    index = equivalent(index_a * valid_a, index_b * valid_a)
    if index.method == "identical":
        return validity
    return index


def _flat(x: Any) -> tuple[Expr, Expr]:
    """Index and validity over the flat position."""
    if not hasattr(x, "expr_node"):
        from shapetracker.tracker import ShapeTracker

        x = ShapeTracker(views=(x,))
    index, valid = x.expr_node()
    return as_expr(index), as_expr(valid)


@dataclass(frozen=True, slots=True)
class SymPyVerdict:
    """What SymPy itself says of two expressions, and whether that is right.

    Attributes
    ----------
    opinion : str
        "equal", "different" or "cannot tell".
    wrong : bool
        Whether the opinion is not what is the case.
    counterexample : dict of name to value, or None
        Where SymPy says "equal", a point where they differ; where SymPy's own evaluation of one of them changed
        its value, a point where it did.
    difference : str
        What `sympy.simplify(a - b)` leaves.
    """

    opinion: str
    wrong: bool
    counterexample: dict[str, int] | None
    difference: str

    def __repr__(self) -> str:
        where = ""
        if self.counterexample is not None:
            where = " at " + ", ".join(f"{n}={v}" for n, v in self.counterexample.items())
        return f"SymPyVerdict({self.opinion}{f', wrong{where}' if self.wrong else ''})"


def sympy_verdict(a: Expr, b: Expr) -> SymPyVerdict:
    """Ask SymPy, by its own floor and Mod, whether two expressions are equal, and check the answer.

    It takes tens of milliseconds, and mostly ends in "cannot tell": SymPy knows no ranges.

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> sympy_verdict((i * 8 + j) // 8, i)
    SymPyVerdict(cannot tell)
    >>> n = Variable("n", 0, 9)
    >>> sympy_verdict(n % 5 * 2 % 5, n % 5 * 2)
    SymPyVerdict(equal, wrong at n=3)
    """
    from shapetracker.sympy_bridge import opinion_of_sympy

    opinion, difference = opinion_of_sympy(as_expr(a), as_expr(b))
    truth = equivalent(a, b)
    wrong = opinion != "cannot tell" and truth.equal is not None and truth.equal != (opinion == "equal")
    return SymPyVerdict(opinion, wrong, truth.counterexample if wrong else None, difference)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One expression in four forms, with what each costs, and whether each is still the same.

    Attributes
    ----------
    built, simplified : Expr
    sympy : object
        SymPy's form of the simplified expression, with this project's FloorDiv and FloorMod.
    sympy_simplified : object or None
        What `sympy.simplify` makes of the expression as built, when it was asked for.
    operations : dict of str to int
        Of "built", "simplified", "sympy", and "sympy simplified" when it is there.
    verdict : Verdict
        Whether as built and simplified are equal.
    round_trip : Verdict
        Whether the way to SymPy and back keeps the simplified expression.
    sympy_opinion : SymPyVerdict
        What SymPy itself says of as built and simplified.
    points : tuple of (point, value as built, value simplified)
        A few corners of the box.
    """

    built: Expr
    simplified: Expr
    sympy: Any
    sympy_simplified: Any
    operations: dict[str, int]
    verdict: Verdict
    round_trip: Verdict
    sympy_opinion: SymPyVerdict
    points: tuple[tuple[dict[str, int], int, int], ...]

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in self.operations.items())
        return f"SideBySide({self.built!r} = {self.simplified!r}; operations: {counts}; {self.verdict!r})"

    def draw(self) -> Any:
        """The picture: the forms beside each other."""
        from shapetracker.drawing.expressions import draw_side_by_side

        return draw_side_by_side(self)

    def _repr_html_(self) -> str:
        html: str = self.draw()._repr_html_()
        return html


SHOWN_POINTS = 8


def side_by_side(e: Expr, sympy_simplify: bool = False) -> SideBySide:
    """The expression as built, simplified, in SymPy's form, and (on request: it is slow) as SymPy simplifies it.

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> both = side_by_side((i * 8 + j) // 8)
    >>> both.simplified, both.verdict, both.round_trip.equal, both.sympy_opinion.opinion
    (i, Verdict(equal, exhaustive, 32 points), True, 'cannot tell')
    """
    from shapetracker.sympy_bridge import from_sympy, operations_of, simplified_by_sympy, to_sympy

    simplified = e.simplify()
    symbols: dict[str, Any] = {}
    exported = to_sympy(simplified, symbols=symbols)
    theirs = simplified_by_sympy(e, symbols) if sympy_simplify else None
    operations = {
        "built": e.operations(),
        "simplified": simplified.operations(),
        "sympy": operations_of(exported),
    }
    if theirs is not None:
        operations["sympy simplified"] = operations_of(theirs)
    variables = e.variables()
    corners = islice(product(*[sorted({v.min, v.max}) for v in variables]), SHOWN_POINTS)
    points = [{v.name: x for v, x in zip(variables, corner, strict=True)} for corner in corners]
    return SideBySide(
        built=e,
        simplified=simplified,
        sympy=exported,
        sympy_simplified=theirs,
        operations=operations,
        verdict=equivalent(e, simplified),
        round_trip=equivalent(from_sympy(exported, dict(e.names)), simplified),
        sympy_opinion=sympy_verdict(e, simplified),
        points=tuple((p, e.evaluate(p), simplified.evaluate(p)) for p in points),
    )


__all__ = ["SideBySide", "SymPyVerdict", "Verdict", "equivalent", "side_by_side", "sympy_verdict"]
