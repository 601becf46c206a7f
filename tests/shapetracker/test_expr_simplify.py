"""Simplification keeps the value, is never longer, idempotent, explained; and the cases that broke others."""

import itertools
import random
import shutil

import pytest
from fuzz import fuzz_expressions as fuzzer
from hypothesis import given, settings
from hypothesis import strategies as st

from shapetracker.errors import ExprError
from shapetracker.expr import Comparison, Expr, Mod, Variable, evaluate_box, parse
from shapetracker.expr.simplify import Facts, Step, forget, rule
from shapetracker.expr.simplify.canonical import canonical
from shapetracker.expr.simplify.improve import improve

CASES = [
    # text, ranges, simplified
    ("(i*8 + j)//8", {"i": (0, 3), "j": (0, 7)}, "i"),
    ("(i*8 + j)%8", {"i": (0, 3), "j": (0, 7)}, "j"),
    ("i//4*4 + i%4", {"i": (0, 99)}, "i"),
    ("i - i//5*5", {"i": (-9, 40)}, "i%5"),
    ("i//12*12 + i//4%3*4 + i%4", {"i": (0, 59)}, "i"),
    ("(i%12)%4", {"i": (-20, 59)}, "i%4"),
    ("(i//3)//4", {"i": (-20, 59)}, "i//12"),
    ("(i*6 + 3)//6", {"i": (-9, 9)}, "i"),
    ("i*9%6", {"i": (-9, 19)}, "i%2*3"),
    ("(i + 8)%8", {"i": (0, 7)}, "i"),
    ("i//2 + (i + 1)//2", {"i": (-5, 49)}, "i"),
    ("i//3 + (i + 1)//3 + (i + 2)//3", {"i": (-5, 49)}, "i"),
    ("i*4 + j*4", {"i": (0, 9), "j": (0, 9)}, "(i + j)*4"),
    ("i*2 + j - (j + i)", {"i": (0, 9), "j": (0, 9)}, "i"),
    ("i*8 + j < 16", {"i": (0, 3), "j": (0, 7)}, "i < 2"),
    ("i*3 < 7", {"i": (0, 8)}, "i < 3"),
    ("i//4 >= 2", {"i": (0, 20)}, "i >= 8"),
    ("i - j < 0", {"i": (0, 8), "j": (0, 8)}, "i < j"),
    ("i*2 == 5", {"i": (0, 8)}, "0"),
    ("i < 5 and i < 3", {"i": (0, 8)}, "i < 3"),
    ("i >= 3 and i < 4", {"i": (0, 8)}, "i == 3"),
    ("i < 5 and i >= 7", {"i": (0, 8)}, "0"),
    ("i < 2 and i*4 + j < 12", {"i": (0, 8), "j": (0, 3)}, "i < 2"),
    ("min(i, j + 9)", {"i": (0, 8), "j": (0, 3)}, "i"),
    ("max(i, i + 1, j)", {"i": (4, 8), "j": (0, 3)}, "i + 1"),
    ("(i + j*6)%8 + (i + j*6)//8%7*8", {"i": (0, 5), "j": (0, 11)}, "(i + j*6)%56"),
    ("i%12*2 + i//12%4*12", {"i": (0, 99)}, "i%12 + i%48"),
    ("i*6//36*100 + i*6//6%6*7", {"i": (0, 5)}, "i*7"),
    ("i%4 == 0 and i < 4", {"i": (0, 7)}, "i == 0"),
    ("(i + 1)%2 >= 1", {"i": (0, 7)}, "i%2 < 1"),
    ("(i + 1)//2*2 - i//2*2", {"i": (-3, 7)}, "i%2*2"),
    ("i*24 - i//4*93", {"i": (0, 7)}, "i*24%93"),
    ("i//2%2*2 + i%2 + 2*(i < 2)", {"i": (0, 3)}, None),
    ("(i + 2)//2%2*2 + (i + 2)%2", {"i": (0, 3)}, "(i + 2)%4"),
    ("i < 2 and i != 1", {"i": (0, 2)}, "i < 1"),
    ("i*4 + j >= 1 and i*4 + j < 11", {"i": (0, 2), "j": (0, 3)}, "(i*4 + j >= 1) & (i*4 + j < 11)"),
    ("i >= 1 and i < 4", {"i": (0, 4)}, "(i >= 1) & (i < 4)"),
    ("(i*8 + j + 1)//4%5 == 3 and (i*8 + j + 1)//20 < 1", {"i": (0, 2), "j": (0, 7)}, "(i == 1) & (j >= 3) & (j < 7)"),
    ("(i*7 + j)%28 < 14 and (i*7 + j)%56 >= 28", {"i": (0, 9), "j": (0, 6)}, None),
    (
        "(i*-18 - j*3 + 17)//12%3*12 + (i*-18 - j*3 + 17)//6%2*6 + (i*-18 - j*3 + 17)%6",
        {"i": (-1, 0), "j": (0, 5)},
        None,
    ),
    # negative ranges, coefficients and divisors
    ("(i//2)//-2", {"i": (0, 7)}, None),
    ("(i%2)//-2", {"i": (0, 7)}, None),
    ("(-1019 - 4*i - j)//-16", {"i": (0, 3), "j": (0, 1023)}, None),
    ("(i*-10)//11", {"i": (0, 9)}, None),
    ("i*4 < 15", {"i": (0, 9)}, "i < 4"),
    ("(i < 10)*2", {"i": (0, 19)}, "(i < 10)*2"),
    ("(i < 10)//2", {"i": (0, 19)}, "0"),
    ("-21//5", {}, "-5"),
    ("(7 - i)//4", {"i": (0, 7)}, None),
]


@pytest.mark.parametrize(("text", "ranges", "expected"), CASES)
def test_known_cases(text: str, ranges: dict[str, tuple[int, int]], expected: str | None) -> None:
    e = parse(text, ranges)
    simplified = e.simplify()
    assert expected is None or repr(simplified) == expected
    for point in itertools.product(*[range(low, high + 1) for low, high in ranges.values()]):
        values = dict(zip(ranges, point, strict=True))
        oracle = int(eval(text, {"__builtins__": {}, "min": min, "max": max}, values))  # noqa: S307
        assert e.evaluate(values) == oracle
        assert simplified.evaluate({n: values[n] for n in values}) == oracle


def test_a_condition_is_not_multiplied_into_its_sides() -> None:
    i = Variable("i", 0, 19)
    assert ((i < 10) * 2).simplify() is (i < 10) * 2


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_simplified_expression_keeps_its_values_and_is_not_longer(seed: int) -> None:
    source = fuzzer.random.Random(seed)
    report = fuzzer.Report()
    e, variables = fuzzer.random_case(source)
    fuzzer.check_expression(e, variables, report)
    assert not report.faults


def test_a_thousand_random_expressions_have_no_fault() -> None:
    report = fuzzer.fuzz(seconds=60, seed=2024, most=1000, every=40)
    assert report.faults == []
    assert report.counts["simplified"] == 1000
    assert shutil.which("cc") is None or report.counts["C forms"] == 50


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
def test_the_rules_alone_come_to_the_same_form(seed: int) -> None:
    e, _ = fuzzer.random_case(random.Random(seed))
    # a trace makes every law go by its rule, node by node
    assert canonical(e, Facts(trace=[])) is canonical(e, Facts())


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_the_steps_of_an_explanation_lead_to_its_result(seed: int) -> None:
    e, _ = fuzzer.random_case(random.Random(seed))
    steps: list[Step] = []
    assert improve(e, Facts(trace=steps)) is e.simplify()


def test_a_planted_wrong_rule_is_found() -> None:
    def double_remainders(e: Expr, facts: Facts) -> Expr | None:
        return e.args[0] if e.args[1] == 5 else None

    rule("a % 5 → a, which is wrong", Mod)(double_remainders)
    try:
        report = fuzzer.fuzz(seconds=20, seed=7, most=2000, every=10**9)
    finally:
        forget("double_remainders")
    assert report.faults
    assert report.faults[0].startswith("wrong: ")


def test_a_dividend_that_leads_negative_whichever_way_it_is_turned_stays() -> None:
    # −i + i//3 and its opposite less 1, (i + 2)//3, each give a term of lower rank to the other
    e = parse("(i*2 + j + i//3 + j//4)%3", {"i": (2, 4), "j": (0, 8)})
    simplified = e.simplify()
    assert (evaluate_box(simplified, e.variables()) == evaluate_box(e, e.variables())).all()
    assert simplified.simplify() is simplified
    quotient = parse("(-i + j*2 + i//3 + j//4)//5", {"i": (2, 4), "j": (0, 8)})
    assert (evaluate_box(quotient.simplify(), e.variables()) == evaluate_box(quotient, e.variables())).all()


def test_the_result_does_not_depend_on_the_order_of_writing() -> None:
    i, j = Variable("i", 0, 9), Variable("j", 0, 9)
    assert (j * 3 + i + 2).simplify() is (2 + i + 3 * j).simplify()


def test_explain_gives_steps_that_each_keep_the_value() -> None:
    i, j = Variable("i", 0, 3), Variable("j", 0, 5)
    e = ((i * 6 + j) // 2 % 3 < 2) & ((i * 6 + j) // 6 * 6 + (i * 6 + j) % 6 >= 4)
    explanation = e.explain()
    assert explanation.before is e
    assert explanation.after is e.simplify()
    assert len(explanation.steps) > 3
    for step in explanation.steps:
        if isinstance(step.before, Comparison):
            continue  # inside a conjunction a condition is read under the others
        variables = (step.before - step.after).variables()
        assert (evaluate_box(step.before, variables) == evaluate_box(step.after, variables)).all(), step


def test_explain_gives_the_same_steps_again() -> None:
    e = parse("(i*8 + j)//4%2*4 + j%4", {"i": (0, 3), "j": (0, 7)})
    e.simplify()
    assert e.explain() == e.explain()
    assert "→" in str(e.explain())
    assert repr(e.explain()).startswith("Explanation((i*8 + j)//4%2*4 + j%4 = ")


def test_what_is_assumed_must_be_a_comparison() -> None:
    i = Variable("i", 0, 3)
    with pytest.raises(ExprError, match=r"assuming i: a comparison, or several joined by &, was expected"):
        (i + 1).simplify(assuming=[i])


def test_a_condition_stays_a_condition_when_the_others_make_it_a_plain_value() -> None:
    idx = Variable("idx", 0, 3)
    simple = ((idx // 2 < 1) & (idx % 2 >= 1)).simplify()
    assert [simple.evaluate({"idx": k}) for k in range(4)] == [0, 1, 0, 0]


I, N = Variable("i", 0, 9), Variable("n", 0, 9)


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        ("i % max(n - 2, 1)", "n >= 3"),
        ("i // max(n - 2, 1) + i", "n >= 3"),
        ("n // max(i - n, 1) % max(n - 2, 1)", "(n >= 3) & (i > n)"),
        ("(i//2 >= 1) & (i%2 >= 1) & (n%3 >= 1)", "i < 4"),
        ("(i//4 >= 1) & (n >= 3)", "i < 8"),
    ],
)
def test_what_holds_only_as_assumed_makes_no_divisor_zero_and_no_condition_a_number(text: str, assumed: str) -> None:
    known = {"i": I, "n": N}
    e = parse(text, known)
    condition = parse(assumed, known)
    simple = e.simplify(assuming=[condition])
    for i, n in itertools.product(range(10), repeat=2):
        at = {"i": i, "n": n}
        if condition.evaluate(at):
            assert simple.evaluate(at) == e.evaluate(at)


def test_an_assumption_counts_for_what_was_simplified_without_it_before() -> None:
    part = I % 4
    assert part.simplify() is part
    assert part.simplify(assuming=[I < 4]) is I


@pytest.mark.parametrize(
    ("text", "ranges", "reasons"),
    [
        ("(i*8 + j)%8", {"i": (0, 3), "j": (0, 7)}, ["8 divides i*8", "j is 0 … 7, less than 8"]),
        ("(i + 8)//8", {"i": (0, 7)}, ["i + 8 lies in 8 … 15, from 8 up to less than 16"]),
        ("i//3//4", {"i": (0, 99)}, ["rounding down by 3 and then by 4 is rounding down by 12"]),
        ("i%12%4", {"i": (0, 99)}, ["i%12 and i differ by multiples of 12, and 4 divides 12"]),
        ("(i*4 + j)//8", {"i": (0, 9), "j": (0, 3)}, ["4 divides i*4 and 8, and j is 0 … 3, from 0 up to less than 4"]),
        ("i%4 < 4", {"i": (0, 19)}, ["i%4 lies in 0 … 3"]),
        ("i*3 < 7", {"i": (0, 8)}, ["3 divides each factor"]),
        ("i < 2 and i >= 5", {"i": (0, 8)}, ["no value keeps both limits"]),
    ],
)
def test_each_step_says_why_its_law_holds_here(
    text: str, ranges: dict[str, tuple[int, int]], reasons: list[str]
) -> None:
    explanation = parse(text, ranges).explain()
    assert [step.reason for step in explanation.steps] == reasons
    for reason in reasons:
        assert f"because {reason}" in str(explanation)
        assert reason in str(explanation.draw())


def test_what_is_assumed_is_a_reason_too() -> None:
    i = Variable("i", 0, 99)
    assert [step.reason for step in (i % 8).explain(assuming=[i < 8]).steps] == ["i is 0 … 7, less than 8"]


def test_every_step_of_random_expressions_has_a_reason() -> None:
    source = fuzzer.random.Random(12)
    for _ in range(150):
        e, _variables = fuzzer.random_case(source)
        for step in e.explain().steps:
            assert step.reason, step


def test_an_operand_that_shortens_to_a_number_on_the_way() -> None:
    j = Variable("j", -2, 1)
    assert ((j % 4 - j) // 6).simplify() == 0
