"""What is known beside the ranges of the variables: bounds on linear forms, from conditions that hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from shapetracker.errors import ExprError
from shapetracker.expr.bounds import find_bounds
from shapetracker.expr.nodes import And, Comparison, Const, Eq, Expr, FloorDiv, Ge, Gt, Le, Lt, Mod, Product, Sum
from shapetracker.expr.simplify.linear import Form, Terms, from_linear, linear, plus, primitive, quotient, times

Range = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Step:
    """One application of a rule to a part of the expression; the reason says why the law holds for that part."""

    rule: str
    law: str
    before: Expr
    after: Expr
    reason: str = ""


@dataclass(slots=True)
class Facts:
    """Bounds on linear forms, and the memos that hold under them.

    Attributes
    ----------
    ranges : primitive linear form to (least or None, greatest or None)
    trace : the steps so far, when they are asked for
    """

    ranges: dict[Expr, Range] = field(default_factory=dict)
    trace: list[Step] | None = None
    canonical_forms: dict[Expr, Expr] = field(default_factory=dict)
    short_forms: dict[Expr, Expr] = field(default_factory=dict)
    bounds: dict[Expr, tuple[int, int]] = field(default_factory=dict)

    def within(self, e: Expr) -> tuple[int, int]:
        """Least and greatest value of an expression under these facts."""
        if not self.ranges:
            known = e._bounds or find_bounds(e)
            return known[0], known[1]
        found = self.bounds.get(e)
        if found is None:
            found = self.bounds[e] = self._find(e)
        return found

    def within_sum(self, terms: Terms, constant: int) -> tuple[int, int]:
        """The same for a linear form."""
        if self.ranges:
            return self.within(from_linear(terms, constant))
        low = high = constant
        for atom, c in terms.items():
            known = atom._bounds or find_bounds(atom)
            if c > 0:
                low += c * known[0]
                high += c * known[1]
            else:
                low += c * known[1]
                high += c * known[0]
        return low, high

    def _find(self, e: Expr) -> tuple[int, int]:
        low, high, modulus, residue = find_bounds(e)
        plain = low, high
        if isinstance(e, FloorDiv | Mod) and type(e.args[1]) is Const:
            a, b = self.within(e.args[0])
            n = e.args[1].value
            if isinstance(e, FloorDiv):
                ends = (a // n, b // n)
                low, high = max(low, min(ends)), min(high, max(ends))
            elif a // n == b // n:
                low, high = max(low, a % n), min(high, b % n)
        elif type(e) is Sum or type(e) is Product:
            terms, constant = linear(e)
            if e not in terms:
                ends = self._sum_of_ends(terms, constant)
                low, high = max(low, ends[0]), min(high, ends[1])
        low, high = self._tightened(e, low, high)
        if modulus > 1:
            low += (residue - low) % modulus
            high -= (high - residue) % modulus
        # An empty range means that the facts contradict each other: then nothing is claimed.
        return (low, high) if low <= high else plain

    def congruent(self, e: Expr, n: int) -> Form | None:
        """A form with known limits that differs from e by a multiple of n, and lies inside one period of n."""
        terms, constant = linear(e)
        for form in self.ranges:
            other, _ = linear(form)
            if other.keys() != terms.keys() or len(terms) < 2:
                continue
            for sign in (1, -1):
                if all((c - sign * other[t]) % n == 0 for t, c in terms.items()):
                    shifted = {t: sign * c for t, c in other.items()}, constant
                    low, high = self.within_sum(*shifted)
                    if low // n == high // n:
                        return shifted[0], constant - low // n * n
        return None

    def _sum_of_ends(self, terms: Terms, constant: int) -> tuple[int, int]:
        low = high = constant
        for atom, c in terms.items():
            ends = self.within(atom)
            low += c * ends[c < 0]
            high += c * ends[c > 0]
        return low, high

    def _tightened(self, e: Expr, low: int, high: int) -> tuple[int, int]:
        terms, constant = linear(e)
        if not terms:
            return low, high
        form, scale = primitive(terms)
        found = self.ranges.get(form)
        if found is None:
            return low, high
        least, most = found if scale > 0 else found[::-1]
        if least is not None:
            low = max(low, scale * least + constant)
        if most is not None:
            high = min(high, scale * most + constant)
        return low, high

    def nonnegative(self, terms: Terms, constant: int, depth: int = 3) -> bool:
        """Whether a form is never below 0, as far as ranges and known relations tell.

        A relation between variables helps through products, too: from n − 1 − j ≥ 0 and m ≥ 1 follows
        m·(n − 1 − j) ≥ 0, which is taken away from the form; what is left is asked again.
        """
        if self.within_sum(terms, constant)[0] >= 0:
            return True
        if depth == 0:
            return False
        for relation in self._relations():
            rest = plus((terms, constant), relation, -1)
            if self.within_sum(*rest)[0] >= 0:
                return True
            for atom, c in terms.items():
                for part, d in relation[0].items():
                    if c >= 0 or d >= 0 or c % d:
                        continue
                    factor = quotient(atom, part)
                    if factor is None or self.within(factor)[0] < 0:
                        continue
                    rest = plus((terms, constant), times(linear(factor), relation), -(c // d))
                    if self.nonnegative(*rest, depth - 1):
                        return True
        return False

    def _relations(self) -> list[Form]:
        """The known relations between several variables, each as a form that is never below 0."""
        found: list[Form] = []
        for form, (least, most) in self.ranges.items():
            terms, _ = linear(form)
            if len(terms) > 1:
                if least is not None:
                    found.append((terms, -least))
                if most is not None:
                    found.append(({t: -c for t, c in terms.items()}, most))
        return found


def quiet(facts: Facts) -> Facts:
    """The same facts for a look ahead: what is only tried leaves no trace."""
    return facts if facts.trace is None else Facts(facts.ranges)


def facts_from(conditions: Iterable[Expr], trace: list[Step] | None = None) -> Facts:
    """The facts that conditions state.

    Parameters
    ----------
    conditions : comparisons of linear forms, or conjunctions of them

    Raises
    ------
    ExprError
        One of them is no condition.

    Examples
    --------
    >>> from shapetracker.expr.nodes import Variable
    >>> i, n = Variable("i", 0, 9), Variable("n", 1, 9)
    >>> facts_from([i < n]).ranges
    {i - n: (None, -1)}
    """
    facts = Facts(trace=trace)
    for condition in conditions:
        for part in condition.args if type(condition) is And else (condition,):
            if isinstance(part, Comparison):
                learn(facts.ranges, part)
            elif part != Const(1):
                raise ExprError(f"assuming {part!r}: a comparison, or several joined by &, was expected")
    return facts


def learn(ranges: dict[Expr, Range], e: Comparison) -> None:
    """Add what one comparison says to the known ranges."""
    terms, constant = plus(linear(e.args[0]), linear(e.args[1]), -1)
    if not terms:
        return
    form, scale = primitive(terms)
    # scale·form + constant compares with 0: form is at most, or at least, the limit
    least: int | None = None
    most: int | None = None
    kind = type(e)
    if kind is Eq:
        if constant % scale == 0:
            least = most = -constant // scale
    elif kind in (Lt, Le, Gt, Ge):
        upper = kind in (Lt, Le)
        limit = -constant - (kind is Lt) + (kind is Gt)
        if upper == (scale > 0):
            most = limit // scale
        else:
            least = -(-limit // scale)
    old_least, old_most = ranges.get(form, (None, None))
    if old_least is not None:
        least = old_least if least is None else max(least, old_least)
    if old_most is not None:
        most = old_most if most is None else min(most, old_most)
    if least is not None or most is not None:
        ranges[form] = least, most
