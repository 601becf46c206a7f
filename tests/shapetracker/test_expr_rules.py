"""Each rule by itself: on every small pattern where it fires, the value stays the same at every point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from shapetracker.equivalence import equivalent
from shapetracker.expr import (
    And,
    Comparison,
    Eq,
    Expr,
    FloorDiv,
    Ge,
    Lt,
    Max,
    Min,
    Mod,
    Ne,
    Product,
    Sum,
    Variable,
    evaluate_box,
)
from shapetracker.expr.simplify import RULES, SHORTENING, Facts, Rule, forget, rule
from shapetracker.expr.simplify.canonical import canonical

i, j, one = Variable("i", -2, 5), Variable("j", 0, 3), Variable("one", 1, 1)
n, m, k = Variable("n", 1, 3), Variable("m", 1, 2), Variable("k", 0, 2)
flag = Variable("flag", 0, 1)
DIVISORS = (-4, -3, -1, 1, 2, 3, 4, 6)


def _dividends() -> Iterator[Expr]:
    for a, b, c in product((-4, -1, 1, 2, 3, 6), (0, 1, 2), (-3, 0, 1, 2, 5)):
        yield i * a + j * b + c
    for d, c in product((2, 3, 4, 6), (-1, 0, 1, 2)):
        yield from (i // d + c, i % d + c, i // d % 3 + c, j * 3 + i % d, i % d * 2 + j)
    for d, x, c in product((2, 3), (i // 2, i % 4), (-8, -4, 6, 7, 14)):
        yield from (i + x * c + j * 2, i * 3 + x * (c + 1) + d, i % 6 + i + j + j // 2 * c)
    yield from (i * n + j, i * n * m + j * m + k, i * n * 2 - j, i // n, i // n + j, n * 2 + j)


def _divisions() -> Iterator[Expr]:
    for a in _dividends():
        for d in (*DIVISORS, n, n * m, n + 1, -n):
            yield a // d
            yield a % d


def _sums() -> Iterator[Expr]:
    for d, c, e in product((2, 3, 4), (-2, 1, 3), (-3, -2, 1, 2, 6)):
        for x in (i, i + 1, i * 2 + j):
            yield from (x // d * e + x % d * c, x * c + x // d * (-c * d), x % d * c + x // d % 2 * (c * d))
            yield from (x // d * c + c * e, x // d * c + x * e, c * e - x % d * c, e - (x + d - 1) // d)
        yield sum(((i + t) // d for t in range(d)), start=j * c)
        yield from ((i + j) * d * c, i * d + j * d + c, (i + 2) * (j - 1) * c, i * c + i * e)
        yield from (1 - (i < c), 1 - (i // d >= e), 1 - i // 9, (i + 3) // 5, 2 - (i + 7) // 6)
        yield from (i // d // 2 * (-2 * c) + i // d * c, i + i // d * -d)


def _comparisons() -> Iterator[Expr]:
    kinds = Comparison.__subclasses__()
    for x in (
        i,
        i * 2 + j,
        i * 4 + j,
        i * 8 + j * 3,
        i * -3,
        i // 2,
        i // 3 + j,
        j - i // 2,
        i % 3,
        i // 2 % 3,
        (i // 2 + 1) % 2,
        i < 2,
    ):
        for kind, limit in product(kinds, (-6, -1, 0, 1, 2, 3, 5)):
            yield kind(x, limit)
            yield kind(x - j, limit)
    for kind, limit in product(kinds, range(-7, 14)):
        yield kind(i * 2 + flag, limit)
        yield kind((i - j + 2) % 3, limit)
        yield from (kind((j + 4) % 5, limit), kind((j * 2 + 3) % 9, limit))
    for kind in kinds:
        yield from (kind(i, j), kind(i * 2 + 1, j * 2), kind(i - 3, j // 2))


def _conjunctions() -> Iterator[Expr]:
    for a, b, c, d in product((0, 1, 3), (1, 2, 4), (0, 2, 3), (1, 3)):
        yield And((i + j + c) % 4 >= a, (i + j) % 4 < b, (i + j + 1) % 4 < d)
        yield And((i + j) % 4 >= a, (i + j + c) % 4 < b)
    parts = [i >= 2, i < 4, i < 2, i >= 5, j < 2, i * 4 + j < 9, i // 2 < 2, (i % 4) >= 1, i.eq(3), j.ne(1)]
    for a, b in product(parts, repeat=2):
        yield And(a, b)
        yield And(a, b, i + j < 6)


def _extremes() -> Iterator[Expr]:
    for kind, a, b in product((Min, Max), (i, j, i + 3, 2 * j - 4), (i, j, i + 9, j + i, -3)):
        yield kind(a, b)


def _patterns() -> Iterator[Expr]:
    yield from _divisions()
    yield from _sums()
    yield from _comparisons()
    yield from _conjunctions()
    yield from _extremes()
    yield from (one, one * 3)


@cache
def _by_kind() -> dict[type[Expr], list[Expr]]:
    """Each pattern as written, and with its operands in canonical form, as rules mostly meet them."""
    found: dict[type[Expr], dict[Expr, None]] = {}
    for e in _patterns():
        inner = type(e).build(tuple(canonical(x, Facts()) for x in e.args)) if e.args else e  # type: ignore[attr-defined]
        for x in (e, inner, canonical(e, Facts())):
            found.setdefault(type(x), {})[x] = None
    return {kind: list(each) for kind, each in found.items()}


def _registered() -> list[tuple[Rule, tuple[type[Expr], ...]]]:
    kinds: dict[str, list[type[Expr]]] = {}
    rules: dict[str, Rule] = {}
    for table in (RULES, SHORTENING):
        for kind, entries in table.items():
            for entry in entries:
                rules[entry.name] = entry
                kinds.setdefault(entry.name, []).append(kind)
    return [(entry, tuple(kinds[name])) for name, entry in rules.items()]


@pytest.mark.parametrize(("entry", "kinds"), _registered(), ids=lambda x: x.name if isinstance(x, Rule) else "")
def test_rule_keeps_every_value(entry: Rule, kinds: tuple[type[Expr], ...]) -> None:
    fired = 0
    for kind in kinds:
        for e in _by_kind().get(kind, []):
            after = entry.rewrite(e, Facts())
            if after is None or after is e:
                continue
            fired += 1
            variables = (e - after).variables()
            assert (evaluate_box(e, variables) == evaluate_box(after, variables)).all(), (e, after)
    assert fired, f"the patterns never meet {entry.name}"


def test_each_rule_states_its_law_and_says_why_it_is_true() -> None:
    for entry, _ in _registered():
        assert "→" in entry.law
        assert entry.rewrite.__doc__


def test_no_name_of_a_rule_is_used_twice() -> None:
    for table in (RULES, SHORTENING):
        for entries in table.values():
            assert max(Counter(entry.name for entry in entries).values()) == 1


def test_a_rule_that_is_registered_is_used_and_shown() -> None:
    @rule("i // 7 → 0, for this test", FloorDiv)
    def sevenths_vanish(e: Expr, facts: Facts) -> Expr | None:
        """Not true in general."""
        return e * 0 if e.args[1] == 7 else None

    try:
        wide = Variable("wide", 0, 99)
        assert (wide // 7).simplify() == 0
        assert (wide // 7).explain().steps[-1].rule == "sevenths_vanish"
    finally:
        forget("sevenths_vanish")


@pytest.mark.parametrize(
    ("e", "conditions"),
    [
        ((i * n + j) // n, (j < n,)),
        ((i * n + j) % n, (j < n,)),
        ((i * n * m + j * m + k) // m % n, (j < n, k < m)),
        ((i * n * m + j * m + k) // (n * m), (j < n, k < m)),
        ((i * n * m + j * m + k) % (n * m) // m, (j < n, k < m)),
        ((i * 8 + j) // 4, (i >= 2, i <= 2)),
        ((i + j) % 6, (i + j >= 0, i + j < 6)),
        ((i < 3) & (j < 2), (i < 2,)),
        (i * 4 + j < 13, (i < 3,)),
        (i // 2 + i % 2, (i.eq(3),)),
    ],
)
def test_what_is_assumed_is_used_and_only_where_it_holds(e: Expr, conditions: tuple[Expr, ...]) -> None:
    after = e.simplify(assuming=conditions)
    assert after.operations() < e.operations()
    variables = (e - after).variables()
    holds = And(*conditions)
    assert (evaluate_box((e - after) * holds, (e - after + holds * 0 + sum(holds.variables())).variables()) == 0).all()
    assert set(variables) <= set((e + holds).variables())


def test_parametric_identities() -> None:
    assert ((i * n + j) // n).simplify(assuming=[j < n]) is i
    assert ((i * n + j) % n).simplify(assuming=[j < n]) is j
    assert ((i * n * m + j * m + k) // m % n).simplify(assuming=[j < n, k < m]) is j
    assert (j * (n + 1) // (n + 1)).simplify() is j


def test_symbolic_laws_are_proven_by_a_prover_where_one_is_installed() -> None:
    pytest.importorskip("z3")
    wide, size = Variable("wide", -(10**6), 10**6), Variable("size", 1, 10**4)
    for e in ((wide * size + size) // size, (wide * size) % size, wide // size // 3):
        verdict = equivalent(e, e.simplify())
        assert verdict.equal
        assert verdict.method == "z3"


def test_every_kind_of_operation_has_rules() -> None:
    kinds = {Sum, Product, FloorDiv, Mod, Min, Max, And, Lt, Ge, Eq, Ne}
    assert kinds <= set(RULES)
