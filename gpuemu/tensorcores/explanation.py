"""One dot product, step by step: what a unit adds, which bits it cuts off, and what it rounds to.

What is kept and what comes out is taken from the rule itself; the exact values beside it are fractions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gpuemu.tensorcores.blocks import NO_EXPONENT, Formats, FusedBlocks, HalfPairs, align, any_special, exponents
from gpuemu.tensorcores.cdna import FusedThenAdded, PairwiseTree
from gpuemu.tensorcores.chains import Exact, FmaChain, IntegerSum, Sequential
from gpuemu.tensorcores.formats import FLOATS, Floats, Format, round_to_nearest

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

Number: TypeAlias = Fraction | float
"""A fraction; a float only where the value is infinite or NaN."""

_TO_NEAREST = "to nearest even"
_WITHOUT = "not rounded"


@dataclass(frozen=True, slots=True)
class Term:
    """A product, an addend or a partial sum: what it is, and what the unit keeps of it."""

    name: str
    exact: Number
    kept: Number

    @property
    def cut(self) -> Number:
        """What is lost before the addition."""
        return self.exact - self.kept if isinstance(self.exact, Fraction) and isinstance(self.kept, Fraction) else 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """Terms that are added, and the one rounding of their sum."""

    title: str
    terms: tuple[Term, ...]
    rounding: str
    result: float
    greatest: int | None = None
    """The greatest exponent of the terms, where they are aligned by it."""
    place: int | None = None
    """The exponent of the last bit that is kept of each term."""

    @property
    def is_short(self) -> bool:
        """Is one line enough? So it is for an addition of few terms that are not aligned."""
        return self.place is None and len(self.terms) <= 3

    @property
    def alignment(self) -> str:
        """What decides which bits are cut, in words; empty where none are."""
        if self.place is None:
            return ""
        return f"the greatest exponent is {self.greatest}, so bits below {power(self.place)} are cut off"

    @property
    def sum(self) -> Number:
        """The sum of what is kept, exact."""
        return _total(term.kept for term in self.terms)


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """All steps of one dot product on one unit.

    >>> from gpuemu.tensorcores.arithmetic import unit
    >>> print(unit("V100").explain([1.0, 2.0**-12], [1.0, 1.5 * 2.0**-12], 0.0, "fp16", "fp32"))
    V100: fp16 · fp16 + fp32 by mma
    block 1: the greatest exponent is 0, so bits below 2⁻²³ are cut off
      a0·b0                1   +01 0000 0000 0000 0000 0000 000|
      a1·b1  8.94069672e-08   +00 0000 0000 0000 0000 0000 000|11   cut 8.94069672e-08
          c                0   +00 0000 0000 0000 0000 0000 000|
        sum                1   → 1, toward zero to 24 bits
    result 1; exact sum, rounded once: 1.00000012
    """

    unit: str
    inputs: str
    steps: tuple[Step, ...]
    result: float
    exact: float
    """The exact sum, rounded once to the type of the result."""

    def __repr__(self) -> str:
        return f"Explanation({self.unit}, {self.inputs}: {number(self.result)})"

    def draw(self) -> Picture:
        """The steps as grids of bits."""
        from gpuemu.drawing.arithmetic import draw_explanation

        return draw_explanation(self)

    def beside(self, *others: Explanation) -> Picture:
        """This explanation and others, of the same numbers on other units, side by side."""
        from gpuemu.drawing.arithmetic import draw_beside

        return draw_beside(self, *others)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __str__(self) -> str:
        lines = [f"{self.unit}: {self.inputs}"]
        for step in self.steps:
            lines += _lines(step)
        return "\n".join([*lines, f"result {number(self.result)}; exact sum, rounded once: {number(self.exact)}"])


def number(value: Number) -> str:
    """A number in at most nine digits.

    >>> number(Fraction(1, 3)), number(math.inf)
    ('0.333333333', 'inf')
    """
    try:
        return f"{float(value):.9g}"
    except OverflowError:
        return "beyond float64"


def bits(value: Fraction, place: int, top: int) -> tuple[str, str]:
    """The binary digits from 2^top to 2^place in groups of four, counted from the first, and those below.

    >>> bits(Fraction(11, 8), place=-2, top=1)
    ('0101', '1')
    """
    scaled = abs(value) / Fraction(2) ** place
    whole = math.floor(scaled)
    rest = scaled - whole
    below = ""
    while rest:
        rest *= 2
        below += str(math.floor(rest))
        rest -= math.floor(rest)
    return f"{whole:0{top - place + 1}b}", below


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
        terms = _whole("half HMMAs", total), _whole("c", float(c[0]))
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
        terms = [_whole(name, one) for name, one in zip(products, exact, strict=True)]
        return Step(title, (*terms, _whole(of_addend, float(c[0]))), "as IEEE 754 has infinities", result)
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
        partial.append(_whole("c", float(c[0])))
        yield Step("on one scale, rounded down", tuple(partial), f"rounded down, then {_TO_NEAREST}", float(result[0]))
        c = result


def _products_alone(rule: FusedThenAdded, title: str, at: np.ndarray, a: Floats, b: Floats, formats: Formats) -> Step:
    left, right = a[at], b[at]
    exact = _products(left, right)
    names = [f"a{i}·b{i}" for i in at]
    if any_special(left, right):
        total = float(_total(exact))
        return Step(title, tuple(map(_whole, names, exact)), "as IEEE 754 has infinities", total)
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
        yield Step("a tree of pairs", (*terms, _whole("c", float(c[0]))), "each sum to float32", float(result[0]))
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
            _whole("c" if i == 0 else "so far", float(c[0])),
            Term(f"a{i}·b{i}", exact, _fraction(float(product[0]))),
        )
        yield Step(f"k = {i}", terms, f"{_TO_NEAREST} in {between.out.name}", float(result[0]))
        c = result
    if formats.out.name != between.out.name:
        result = round_to_nearest(c, formats.out)
        yield Step(
            "at the end", (_whole("so far", float(c[0])),), f"{_TO_NEAREST} in {formats.out.name}", float(result[0])
        )


@steps_of.register
def _(rule: FmaChain, a: Floats, b: Floats, c: Floats, formats: Formats) -> Iterator[Step]:
    for i, exact in enumerate(_products(a, b)):
        result = rule.accumulate(a[[i]], b[[i]], c, formats)
        terms = _whole("c" if i == 0 else "so far", float(c[0])), _whole(f"a{i}·b{i}", exact)
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
    terms = [_whole(f"a{i}·b{i}", product) for i, product in enumerate(products)]
    result = rule.accumulate(a, b, c, formats)
    yield Step("all at once", (*terms, _whole("c", float(c[0]))), rounding, float(result[0]))


def _products(a: Floats, b: Floats) -> list[Number]:
    """The products of two columns, exact."""
    pairs = zip(a[:, 0].tolist(), b[:, 0].tolist(), strict=True)
    return [_times(x, y) for x, y in pairs]


def _times(x: float, y: float) -> Number:
    return Fraction(x) * Fraction(y) if math.isfinite(x) and math.isfinite(y) else x * y


def _total(numbers: Iterable[Number]) -> Number:
    """The exact sum; a fraction beside an infinity or NaN does not matter."""
    total, special = Fraction(0), 0.0
    for one in numbers:
        if isinstance(one, Fraction):
            total += one
        else:
            special += one
    return special if special else total


def _fraction(x: float) -> Number:
    return Fraction(x) if math.isfinite(x) else x


def _whole(name: str, value: Number) -> Term:
    """A term of which nothing is cut."""
    value = _fraction(value) if isinstance(value, float) else value
    return Term(name, value, value)


def grouped(digits: str, place: int) -> list[str]:
    """Binary digits in groups of four, so that a group ends where the exponent is a multiple of four.

    >>> grouped("0110000", place=-2)
    ['0', '1100', '00']
    """
    groups, size = [], len(digits)
    exponent = place + size - 1
    while digits:
        take = exponent % 4 + 1
        groups.append(digits[:take])
        digits, exponent = digits[take:], exponent - take
    return groups


def power(exponent: int) -> str:
    """A power of two as text.

    >>> power(-23)
    '2⁻²³'
    """
    return "2" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def sentence(step: Step) -> str:
    """A step in one line.

    >>> sentence(Step("k = 0", (_whole("c", 1.0), Term("a0·b0", Fraction(1, 4), Fraction(0))), "toward zero", 1.0))
    'c 1 + a0·b0 0.25 (0.25 is cut) = 1 → 1, toward zero'
    """
    cuts = [f" ({number(term.cut)} is cut)" if term.cut else "" for term in step.terms]
    terms = " + ".join(f"{term.name} {number(term.exact)}{cut}" for term, cut in zip(step.terms, cuts, strict=True))
    return f"{terms} = {number(step.sum)} → {number(step.result)}, {step.rounding}"


def _lines(step: Step) -> Iterator[str]:
    """A step as text: a row a term, or one line where there are few."""
    if step.is_short:
        yield f"{step.title}: {sentence(step)}"
        return
    width = max(5, *(len(term.name) for term in step.terms))
    values = max(len(number(x)) for x in (step.sum, *(term.exact for term in step.terms)))
    yield f"{step.title}{f': {step.alignment}' if step.alignment else ''}"
    for term in step.terms:
        row = f"  {term.name:>{width}}  {number(term.exact):>{values}}"
        if step.place is not None and step.greatest is not None and isinstance(term.exact, Fraction):
            kept, below = bits(term.exact, step.place, step.greatest + 1)
            row += f"   {'-' if term.exact < 0 else '+'}{' '.join(grouped(kept, step.place))}|{below}"
        if term.cut:
            row += f"   cut {number(term.cut)}"
        yield row.rstrip()
    yield f"  {'sum':>{width}}  {number(step.sum):>{values}}   → {number(step.result)}, {step.rounding}"


def format_names(formats: tuple[Format, ...], path: str) -> str:
    """The types of an explanation as text.

    >>> format_names((FLOATS["e4m3"], FLOATS["e5m2"], FLOATS["fp32"]), "mma")
    'e4m3 · e5m2 + fp32 by mma'
    """
    a, b, out = (one.name for one in formats)
    return f"{a} · {b} + {out} by {path}"
