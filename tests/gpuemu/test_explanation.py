"""The explanation of a dot product says what the unit does: same result, and parts that add up."""

import math
from fractions import Fraction

import numpy as np
import pytest
from oracles import tensor_core_oracle as oracle

from gpuemu.errors import UnitError
from gpuemu.tensorcores import arithmetic
from gpuemu.tensorcores.arithmetic.formats import format_of
from gpuemu.tensorcores.arithmetic.steps import steps_of

PAIRS = [
    (unit.name, entry.path, inputs, out)
    for unit in arithmetic.units().values()
    for entry in unit.table
    if entry.path == "mma" or unit.name not in ("exact", "fp32-sequential")  # those do the same by every path
    for inputs in entry.inputs[:1]
    for out in entry.outputs
]


def numbers(rng, dtype, count):
    kind = format_of(dtype)
    if hasattr(kind, "greatest"):
        return rng.integers(max(kind.least, -99), min(kind.greatest, 99), size=count, endpoint=True)
    values = (rng.standard_normal(count) * 2.0 ** rng.integers(-3, 4, size=count)).astype(kind.storage)
    if kind.name == "tf32":
        return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values


@pytest.mark.parametrize(("name", "path", "inputs", "out"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_explanation_has_the_result_of_dot(name, path, inputs, out):
    rng = np.random.default_rng(1)
    unit = arithmetic.unit(name)
    for _ in range(2):
        a, b, c = numbers(rng, inputs, 64), numbers(rng, inputs, 64), numbers(rng, out, 1)
        explanation = unit.explain(a, b, c[0], inputs, out, path)
        assert explanation.result == float(unit.dot(a[np.newaxis], b[np.newaxis], c, inputs, out, path)[0])
        assert explanation.exact == float(arithmetic.unit("exact").dot([a], [b], c, inputs, out)[0])
        assert explanation.steps[-1].result == explanation.result
        for step in explanation.steps:
            assert step.sum == sum(term.kept for term in step.terms)
            assert all(term.kept + term.cut == term.exact for term in step.terms)
        assert str(explanation).startswith(f"{name}: ")


@pytest.mark.parametrize("name", ["V100", "A100", "H100"])
def test_sum_of_a_block_rounds_to_its_result(name):
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b, c = numbers(rng, "fp16", 32), numbers(rng, "fp16", 32), numbers(rng, "fp32", 1)
        for step in arithmetic.unit(name).explain(a, b, c[0], "fp16", "fp32").steps:
            assert step.result == oracle.rounded(step.sum, oracle.KINDS["fp32"], math.trunc)
            assert all(term.kept % Fraction(2) ** step.place == 0 for term in step.terms)
            assert all(abs(term.cut) < Fraction(2) ** step.place for term in step.terms)


def test_fp8_by_halves_takes_low_bytes_then_high_bytes_then_c():
    ones = [1.0] * 32
    explanation = arithmetic.unit("H100").explain(ones, ones, 5.0, "e4m3", "fp32")
    assert [step.title for step in explanation.steps] == [
        "half HMMA, low bytes",
        "half HMMA, high bytes",
        "one addition",
    ]
    assert [term.name for term in explanation.steps[0].terms[:4]] == ["a0·b0", "a1·b1", "a4·b4", "a5·b5"]
    assert [step.result for step in explanation.steps] == [16.0, 32.0, 37.0]


@pytest.mark.parametrize("name", list(arithmetic.units()))
def test_infinite_product_is_explained(name):
    explanation = arithmetic.unit(name).explain([math.inf, 1.0], [1.0, 1.0], 0.0, "fp16", "fp32")
    assert explanation.result == math.inf
    assert "inf" in str(explanation)


def test_overflow_between_steps_is_explained():
    big = [448.0] * 32
    explanation = arithmetic.unit("H100").explain(big, big, -6e4, "e4m3", "fp16")
    assert [step.result for step in explanation.steps] == [math.inf] * 3


def test_zeros_have_no_greatest_exponent():
    (step,) = arithmetic.unit("A100").explain([0.0], [1.0], 0.0, "fp16", "fp32").steps
    assert step.greatest is None
    assert step.result == 0.0


@pytest.mark.parametrize(
    ("a", "c", "says"),
    [
        (1.0, 1.0, "compared with hardware at k = 8"),
        (math.inf, 1.0, "by rule, not compared with hardware: infinity, NaN or overflow"),
        (1.0, math.nan, "by rule, not compared with hardware: infinity, NaN or overflow"),
        (0.0, 2.0**-140, "by rule, not compared with hardware: a subnormal result"),
    ],
)
def test_explanation_says_how_far_its_bits_are_known(a, c, says):
    explanation = arithmetic.unit("A100").explain([a], [1.0], c, "fp16", "fp32")
    assert explanation.confidence == says
    assert str(explanation).endswith(f"\n{says}")
    assert says in str(explanation.draw())


def test_overflow_is_by_rule():
    explanation = arithmetic.unit("A100").explain([6e4], [2.0], 0.0, "fp16", "fp16")
    assert explanation.confidence == "by rule, not compared with hardware: infinity, NaN or overflow"
    other = arithmetic.unit("CDNA3").explain([1.0], [1.0], math.inf, "fp16", "fp32")
    assert other.confidence == "by published rules, not compared with hardware"


def test_an_empty_product_is_c():
    explanation = arithmetic.unit("A100").explain([], [], 2.0, "fp16", "fp32")
    assert explanation.steps == ()
    assert explanation.result == explanation.exact == 2.0


def test_shapes_must_fit():
    with pytest.raises(UnitError) as caught:
        arithmetic.unit("A100").explain([1.0, 2.0], [1.0], 0.0, "fp16", "fp32")
    assert str(caught.value) == "explain of a (2,), b (1,), c (): expected (k,), (k,) and ()"


def test_rule_without_an_explanation_says_so():
    with pytest.raises(TypeError) as caught:
        steps_of(object(), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1), ())
    assert str(caught.value) == "steps_of object: no explanation is written for that rule"
