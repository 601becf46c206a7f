"""The picture of a dot product on a tensor core: bits on one scale, what is cut off, and the sums."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from gpuemu.tensorcores.arithmetic.explanation import Explanation, Step, Term, bits, grouped, number, power, sentence
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Beside, Code, Stack, Words
from shapetracker.drawing.picture import Part, Picture

_CUT_COLUMNS = 6
"""Groups of four bits below the cut that are drawn; of longer ones the last says "…"."""


def draw_explanation(explanation: Explanation) -> Picture:
    """One dot product, a grid a block: a row for each product and the addend, four bits a cell.

    What the unit cuts off is framed as an error, right of the bits that it keeps.

    >>> from gpuemu.tensorcores.arithmetic import unit
    >>> explanation = unit("V100").explain([1.0, 2.0**-12], [1.0, 1.5 * 2.0**-12], 0.0, "fp16", "fp32")
    >>> print(draw_explanation(explanation))
    V100  fp16 · fp16 + fp32 by mma
    <BLANKLINE>
    block 1  the greatest exponent is 0, so bits below 2⁻²³ are cut off
                            2⁰  2⁻⁴  2⁻⁸ 2⁻¹² 2⁻¹⁶ 2⁻²⁰ 2⁻²³ 2⁻²⁴  2⁻²⁸
                 a0·b0 = 1  01 0000 0000 0000 0000 0000  000
    a1·b1 = 8.94069672e-08  00 0000 0000 0000 0000 0000  000   1! 1000!
                     c = 0  00 0000 0000 0000 0000 0000  000
    <BLANKLINE>
    sum 1 → 1, toward zero to 24 bits
    <BLANKLINE>
    result  1; exact sum, rounded once: 1.00000012
    <BLANKLINE>
    compared with hardware at k = 4
    """
    return Picture(f"{explanation.unit}: {explanation.inputs}", _parts(explanation))


def draw_beside(*explanations: Explanation) -> Picture:
    """Explanations side by side, to compare units on the same numbers."""
    names = " beside ".join(one.unit for one in explanations)
    return Picture(names, (Beside(tuple(Stack(_parts(one)) for one in explanations)),))


def _parts(explanation: Explanation) -> tuple[Part, ...]:
    exact = f"exact sum, rounded once: {number(explanation.exact)}"
    return (
        Words(explanation.inputs, bold=explanation.unit),
        *_steps(explanation.steps),
        Words(f"{number(explanation.result)}; {exact}", bold="result"),
        Words(explanation.confidence),
    )


def _steps(steps: tuple[Step, ...]) -> Iterator[Part]:
    """A part for each long step; the short ones in a row share one."""
    for short, some in itertools.groupby(steps, lambda step: step.is_short):
        if short:
            yield Code(tuple((step.title, sentence(step)) for step in some))
        else:
            yield from map(_step, some)


def _step(step: Step) -> Part:
    outcome = f"sum {number(step.sum)} → {number(step.result)}, {step.rounding}"
    if step.place is None or step.greatest is None:
        lines = [(term.name, _value(term)) for term in step.terms]
        return Stack((Words("", bold=step.title), Code((*lines, ("", outcome)))))
    return Stack((_bit_grid(step, step.greatest, step.place), Words(outcome)))


def _value(term: Term) -> str:
    return f"{number(term.exact)}, of which {number(term.cut)} is lost" if term.cut else number(term.exact)


def _bit_grid(step: Step, greatest: int, place: int) -> Grid:
    rows = [_row(term, greatest, place) for term in step.terms]
    kept_ends = _ends([len(group) for group in rows[0][0]], greatest + 1)
    longest = max((cut for _, cut in rows), key=len)
    ends = [*kept_ends, *_ends([len(group) for group in longest], place - 1)]

    def cell(row: int, column: int) -> Cell | None:
        kept, cut = rows[row]
        term = step.terms[row]
        if column < len(kept):
            digits = kept[column]
            tip = f"{term.name}: bits down to {power(ends[column])}, kept"
            is_product = row < len(rows) - 1
            return Cell(digits, group=0 if is_product else 1, place=0.5, tip=tip, hushed="1" not in digits)
        if column - len(kept) < len(cut):
            tip = f"{term.name}: bits down to {power(ends[column])}, cut off"
            return Cell(cut[column - len(kept)], tip=tip, ring="error")
        return None

    return Grid(
        len(rows),
        len(ends),
        cell,
        title=step.title,
        caption=step.alignment,
        row_labels=[f"{term.name} = {number(term.exact)}" for term in step.terms],
        column_labels=[power(end) for end in ends],
        width=38,
    )


def _row(term: Term, greatest: int, place: int) -> tuple[list[str], list[str]]:
    """The groups of bits that are kept, and those that are cut."""
    kept, below = bits(term.exact if isinstance(term.exact, Fraction) else Fraction(0), place, greatest + 1)
    below += "0" * ((place - len(below)) % 4) if below else ""  # whole groups, so that the columns agree
    cut = grouped(below, place - len(below))
    return grouped(kept, place), cut if len(cut) <= _CUT_COLUMNS else [*cut[: _CUT_COLUMNS - 1], "…"]


def _ends(sizes: list[int], top: int) -> list[int]:
    """The exponent of the last bit of each group."""
    ends = []
    for size in sizes:
        top -= size
        ends.append(top + 1)
    return ends
