"""One dot product, step by step: what a unit adds, which bits it cuts off, and what it rounds to.

This is the result and its text; `steps` takes it from the rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from gpuemu.tensorcores.arithmetic.formats import Format

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

Number: TypeAlias = Fraction | float
"""A fraction; a float only where the value is infinite or NaN."""


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


def whole(name: str, value: Number) -> Term:
    """A term of which nothing is cut."""
    if isinstance(value, float) and math.isfinite(value):
        value = Fraction(value)
    return Term(name, value, value)


def exact_sum(numbers: Iterable[Number]) -> Number:
    """The exact sum; a fraction beside an infinity or NaN does not matter."""
    total, special = Fraction(0), 0.0
    for one in numbers:
        if isinstance(one, Fraction):
            total += one
        else:
            special += one
    return special if special else total


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
        return exact_sum(term.kept for term in self.terms)


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
    compared with hardware at k = 4
    """

    unit: str
    inputs: str
    steps: tuple[Step, ...]
    result: float
    exact: float
    """The exact sum, rounded once to the type of the result."""
    confidence: str
    """How far the bits are known to be right."""

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
        lines.append(f"result {number(self.result)}; exact sum, rounded once: {number(self.exact)}")
        return "\n".join([*lines, self.confidence])


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

    >>> sentence(Step("k = 0", (whole("c", 1.0), Term("a0·b0", Fraction(1, 4), Fraction(0))), "toward zero", 1.0))
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


def unrecorded(steps: Iterable[Step], formats: tuple[Format, ...]) -> str:
    """What takes part in the steps that no recorded result has, in words; empty where there is none such.

    >>> from gpuemu.tensorcores.arithmetic.formats import FLOATS
    >>> step = Step("block 1", (whole("a0·b0", math.inf), whole("c", 1.0)), "toward zero", math.inf)
    >>> unrecorded([step], (FLOATS["fp16"], FLOATS["fp16"], FLOATS["fp32"]))
    'by rule, not compared with hardware: infinity, NaN or overflow'
    """
    steps = tuple(steps)
    results, terms = [step.result for step in steps], [term.exact for step in steps for term in step.terms]
    if any(isinstance(one, float) for one in terms) or not all(map(math.isfinite, results)):
        return "by rule, not compared with hardware: infinity, NaN or overflow"
    if any(0 < abs(one) < 2.0 ** formats[-1].least_exponent for one in results):
        return "by rule, not compared with hardware: a subnormal result"
    return ""


def format_names(formats: tuple[Format, ...], path: str) -> str:
    """The types of an explanation as text.

    >>> from gpuemu.tensorcores.arithmetic.formats import FLOATS
    >>> format_names((FLOATS["e4m3"], FLOATS["e5m2"], FLOATS["fp32"]), "mma")
    'e4m3 · e5m2 + fp32 by mma'
    """
    a, b, out = (one.name for one in formats)
    return f"{a} · {b} + {out} by {path}"
