"""The steps of one dot product, rule by rule.

What is kept and what comes out is taken from the rule itself, so that an explanation cannot tell of other bits than
the unit gives; the exact values beside it are fractions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from gpuemu.tensorcores.arithmetic.blocks import (
    NO_EXPONENT,
    Formats,
    FusedBlocks,
    HalfPairs,
    align,
    any_special,
    exponents,
)
from gpuemu.tensorcores.arithmetic.cdna import FusedThenAdded, PairwiseTree
from gpuemu.tensorcores.arithmetic.chains import Exact, FmaChain, IntegerSum, Sequential
from gpuemu.tensorcores.arithmetic.explanation import Number, Step, Term, exact_sum, whole
from gpuemu.tensorcores.arithmetic.formats import FLOATS, Floats, round_to_nearest

_TO_NEAREST = "to nearest even"
_WITHOUT = "not rounded"


def explain(
    rule: object, a: Sequence[float], b: Sequence[float], c: float, formats: Formats
) -> tuple[tuple[Step, ...], float]:
    """The steps of one dot product by a rule, and the exact sum rounded once.

    Parameters
    ----------
    a, b : k numbers of formats.a and formats.b
    c : a number of formats.out
    """
    columns = np.asarray(a, dtype=np.float64)[:, np.newaxis], np.asarray(b, dtype=np.float64)[:, np.newaxis]
    start = np.array([c], dtype=np.float64)
    reference = rule if isinstance(rule, IntegerSum) else Exact()
    return tuple(steps_of(rule, *columns, start, formats)), float(reference.accumulate(*columns, start, formats)[0])


@functools.singledispatch
def steps_of(rule: object, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    """The steps of one dot product: a, b of shape (k, 1), c of shape (1,)."""
    raise TypeError(f"steps_of {type(rule).__name__}: no explanation is written for that rule")


@steps_of.register
def _(rule: FusedBlocks, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    for index, start in enumerate(range(0, len(a), rule.length)):
        at = np.arange(start, min(start + rule.length, len(a)))
        name = "c" if index == 0 else f"block {index}"
        step = _fused_step(rule, (f"block {index + 1}", name), at, (a, b, c), formats)
        c = np.array([step.result])
        yield step


@steps_of.register
def _(rule: HalfPairs, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    halves = Formats(FLOATS["fp16"], FLOATS["fp16"], formats.out)
    for start in range(0, len(a), rule.instruction_k):
        at = np.arange(start, min(start + rule.instruction_k, len(a)))
        low, high = at[at % 4 < 2], at[at % 4 >= 2]
        first = _fused_step(rule.inner, ("half HMMA, low bytes", "zero"), low, (a, b, np.zeros(1)), halves)
        yield first
        total = first.result
        if len(high):
            names = "half HMMA, high bytes", "low bytes"
            second = _fused_step(rule.inner, names, high, (a, b, np.array([total])), halves)
            yield second
            total = second.result
        inner = a[at], b[at]
        result = rule.accumulate(*inner, c, formats)
        terms = whole("half HMMAs", total), whole("c", float(c[0]))
        yield Step("one addition", terms, _TO_NEAREST, float(result[0]))
        c = result


def _fused_step(
    rule: FusedBlocks, names: tuple[str, str], at: np.ndarray, values: tuple[Floats, Floats, Floats], formats: Formats
) -> Step:
    title, of_addend = names
    a, b, c = values[0][at], values[1][at], values[2]
    rounding = _TO_NEAREST if formats.out.name != "fp32" else f"toward zero to {rule.result_fraction_bits + 1} bits"
    result = float(rule.accumulate(a, b, c, formats)[0])
    exact = _products(a, b)
    products = [f"a{i}·b{i}" for i in at]
    if any_special(a, b, c):
        terms = [whole(name, one) for name, one in zip(products, exact, strict=True)]
        return Step(title, (*terms, whole(of_addend, float(c[0]))), "as IEEE 754 has infinities", result)
    of_products = exponents(a, formats.a.least_exponent) + exponents(b, formats.b.least_exponent)
    aligned = align(a, b, c, of_products, exponents(c, formats.out.least_exponent), rule.fraction_bits)
    kept = [Fraction(x) / Fraction(aligned.per_unit[0]) for x in aligned.products[:, 0].tolist()]
    terms = [Term(*one) for one in zip(products, exact, kept, strict=True)]
    addend = Fraction(float(aligned.addend[0])) / Fraction(aligned.per_unit[0])
    terms.append(Term(of_addend, Fraction(float(c[0])), addend))
    place = 1 - math.frexp(aligned.per_unit[0])[1]
    if all(term.exact == 0 for term in terms):
        return Step(title, tuple(terms), rounding, result)
    return Step(title, tuple(terms), rounding, result, place + rule.fraction_bits, place)


@steps_of.register
def _(rule: FusedThenAdded, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    for start in range(0, len(a), rule.length):
        at = np.arange(start, min(start + rule.length, len(a)))
        result = rule.accumulate(a[at], b[at], c, formats)
        partial: list[Term] = []
        for group in range(rule.groups):
            title = "products" if rule.groups == 1 else ("even products", "odd products")[group]
            step = _products_alone(rule, title, at[group :: rule.groups], a, b, formats)
            yield step
            partial.append(Term(title, *2 * (_fraction(step.result),)))
        partial.append(whole("c", float(c[0])))
        yield Step("on one scale, rounded down", tuple(partial), f"rounded down, then {_TO_NEAREST}", float(result[0]))
        c = result


def _products_alone(rule: FusedThenAdded, title: str, at: np.ndarray, a: Floats, b: Floats, formats: Formats) -> Step:
    left, right = a[at], b[at]
    exact = _products(left, right)
    names = [f"a{i}·b{i}" for i in at]
    if any_special(left, right):
        result = float(exact_sum(exact))
        return Step(title, tuple(map(whole, names, exact)), "as IEEE 754 has infinities", result)
    of_products = exponents(left, formats.a.least_exponent) + exponents(right, formats.b.least_exponent)
    none = np.full(1, NO_EXPONENT, dtype=np.int16)
    aligned = align(left, right, np.zeros(1), of_products, none, rule.fraction_bits)
    kept = [Fraction(x) / Fraction(aligned.per_unit[0]) for x in aligned.products[:, 0].tolist()]
    terms = tuple(Term(*one) for one in zip(names, exact, kept, strict=True))
    if all(term.exact == 0 for term in terms):
        return Step(title, terms, _WITHOUT, 0.0)
    place = 1 - math.frexp(aligned.per_unit[0])[1]
    return Step(title, terms, _WITHOUT, float(sum(kept, Fraction(0))), place + rule.fraction_bits, place)


@steps_of.register
def _(rule: PairwiseTree, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    for start in range(0, len(a), rule.leaves):
        at = np.arange(start, min(start + rule.leaves, len(a)))
        result = rule.accumulate(a[at], b[at], c, formats)
        nothing = np.zeros(1)
        kept = [float(rule.accumulate(a[[i]], b[[i]], nothing, formats)[0]) for i in at]
        terms = [
            Term(f"a{i}·b{i}", exact, _fraction(one))
            for i, exact, one in zip(at, _products(a[at], b[at]), kept, strict=True)
        ]
        yield Step("a tree of pairs", (*terms, whole("c", float(c[0]))), "each sum to float32", float(result[0]))
        c = result


@steps_of.register
def _(rule: Sequential, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    wide = "fp64" in (formats.a.name, formats.b.name, formats.out.name)
    between = formats._replace(out=FLOATS["fp64" if wide else "fp32"])
    for i, exact in enumerate(_products(a, b)):
        with np.errstate(over="ignore", invalid="ignore"):
            product = round_to_nearest(a[i] * b[i], between.out)
        result = rule.accumulate(a[[i]], b[[i]], c, between)
        terms = (
            whole("c" if i == 0 else "so far", float(c[0])),
            Term(f"a{i}·b{i}", exact, _fraction(float(product[0]))),
        )
        yield Step(f"k = {i}", terms, f"{_TO_NEAREST} in {between.out.name}", float(result[0]))
        c = result
    if formats.out.name != between.out.name:
        result = round_to_nearest(c, formats.out)
        yield Step(
            "at the end", (whole("so far", float(c[0])),), f"{_TO_NEAREST} in {formats.out.name}", float(result[0])
        )


@steps_of.register
def _(rule: FmaChain, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    for i, exact in enumerate(_products(a, b)):
        result = rule.accumulate(a[[i]], b[[i]], c, formats)
        terms = whole("c" if i == 0 else "so far", float(c[0])), whole(f"a{i}·b{i}", exact)
        yield Step(f"k = {i}", terms, _TO_NEAREST, float(result[0]))
        c = result


@steps_of.register(Exact)
@steps_of.register(IntegerSum)
def _(rule: Exact | IntegerSum, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    if isinstance(rule, IntegerSum):
        products: list[Number] = [Fraction(x) for x in rule.product(a, b)[:, 0].tolist()]
        rounding = "kept at the ends of int32" if rule.saturate else "modulo 2^32"
    else:
        products, rounding = _products(a, b), _TO_NEAREST
    terms = [whole(f"a{i}·b{i}", product) for i, product in enumerate(products)]
    result = rule.accumulate(a, b, c, formats)
    yield Step("all at once", (*terms, whole("c", float(c[0]))), rounding, float(result[0]))


def _products(a: Floats, b: Floats) -> list[Number]:
    """The products of two columns, exact."""
    pairs = zip(a[:, 0].tolist(), b[:, 0].tolist(), strict=True)
    return [_times(x, y) for x, y in pairs]


def _times(x: float, y: float) -> Number:
    return Fraction(x) * Fraction(y) if math.isfinite(x) and math.isfinite(y) else x * y


def _fraction(x: float) -> Number:
    return Fraction(x) if math.isfinite(x) else x
