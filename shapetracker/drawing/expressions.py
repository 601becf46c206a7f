"""Pictures of expressions: what was built, what it simplifies to and by which laws, and verdicts on equality."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from shapetracker.drawing.layout import MONO_HTML, Code, Words
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.picture import Picture
from shapetracker.drawing.scene import Label, Line, Scene, Shape, text_width

if TYPE_CHECKING:
    from shapetracker.equivalence import SideBySide
    from shapetracker.expr import Expr


class _Step(Protocol):
    """What an explanation has for each rule that was applied."""

    @property
    def rule(self) -> str: ...
    @property
    def law(self) -> str: ...
    @property
    def before(self) -> Any: ...
    @property
    def after(self) -> Any: ...
    @property
    def reason(self) -> str: ...


class _Explanation(Protocol):
    @property
    def steps(self) -> Sequence[_Step]: ...


class _Verdict(Protocol):
    """What a comparison of two expressions says."""

    @property
    def equal(self) -> bool | None: ...
    @property
    def method(self) -> str: ...
    @property
    def counterexample(self) -> Any: ...


_SHORT = 24  # letters of a cell that is never broken


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under headings: what has more than two columns, in a fixed-width font.

    Examples
    --------
    >>> print(Table(("law", "gives"), (("i*1 = i", "i"),)).text())
    law      gives
    i*1 = i  i
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def _widths(self) -> list[int]:
        return [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]

    def text(self) -> str:
        """Columns aligned by spaces."""
        widths = self._widths()
        lines = (self.heads, *self.rows)
        return "\n".join("  ".join(f"{t:{w}}" for t, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def html(self) -> str:
        """A table with a rule under its headings."""
        base = "border:0;padding:1px 16px 1px 0;text-align:left;vertical-align:top;background:transparent"
        head = f"{base};font-weight:400;border-bottom:1px solid #8b939b;font-size:12px"
        heads = "".join(
            f'<th scope="col" style="{head}">{escape(text)}</th>' if text else f'<td style="{head}"></td>'
            for text in self.heads
        )
        rows = "".join(
            '<tr style="background:transparent">'
            + "".join(f'<td style="{base};{MONO_HTML}{_unbroken(text)}">{escape(text)}</td>' for text in row)
            + "</tr>"
            for row in self.rows
        )
        table = "border-collapse:collapse;border:0;margin:0"
        return f'<table style="{table}"><thead><tr style="background:transparent">{heads}</tr></thead>{rows}</table>'

    def scene(self, theme: Theme) -> Scene:
        """Headings muted, a rule, rows in ink."""
        xs = [0.0]
        for width in self._widths():
            xs.append(xs[-1] + text_width("m" * width, 12, mono=True) + 16)
        shapes: list[Shape] = [Label(x, 9, text, theme.muted, 12) for x, text in zip(xs, self.heads, strict=False)]
        shapes.append(Line((0, 20), (xs[-1] - 16, 20), theme.rule))
        for number, row in enumerate(self.rows):
            y = 32 + 17 * number
            shapes += [Label(x, y, text, theme.ink, 12, mono=True) for x, text in zip(xs, row, strict=False)]
        return Scene(xs[-1] - 16, 26 + 17.0 * len(self.rows), tuple(shapes))


def _unbroken(text: str) -> str:
    """The style that keeps a short text on one line."""
    return ";white-space:nowrap" if len(text) <= _SHORT else ""


def draw_expression(e: "Expr") -> Picture:
    """An expression as built and simplified, its range, and the ranges of its variables.

    Examples
    --------
    >>> from shapetracker import Variable
    >>> print(draw_expression((Variable("i", 0, 3) * 8 + 5) // 4))
    as built    (i*8 + 5)//4
    simplified  i*2 + 1
    values      1 … 7
    where       i is 0 … 3
    """
    built, simple = e.render(), e.simplify().render()
    lines = [("expression", built)] if built == simple else [("as built", built), ("simplified", simple)]
    lines.append(("values", f"{e.min} … {e.max}"))
    ranges = [f"{v.name} is {v.min} … {v.max}" for v in e.variables()]
    if ranges:
        lines.append(("where", ", ".join(ranges)))
    return Picture(built, (Code(tuple(lines)),))


def draw_explanation(explanation: _Explanation) -> Picture:
    """Each step of a simplification: the law that it used, the expression before and after, and why the law holds."""
    steps = explanation.steps
    if not steps:
        return Picture("no step", (Words("Nothing to simplify."),))
    rows = tuple(
        (f"{n}", step.law, _text(step.before), _text(step.after), step.reason) for n, step in enumerate(steps, 1)
    )
    return Picture(f"{len(steps)} steps", (Table(("", "law", "before", "after", "because"), rows),))


def draw_verdict(verdict: _Verdict) -> Picture:
    """Whether two expressions are equal, how that is known, and where they differ."""
    words = {True: "equal", False: "not equal", None: "not decided"}[verdict.equal]
    lines = [("verdict", words), ("method", str(verdict.method))]
    points = getattr(verdict, "points", None)
    if points:
        lines.append(("points", str(points)))
    if verdict.counterexample:
        values = verdict.counterexample
        shown = ", ".join(f"{name} = {value}" for name, value in values.items()) if hasattr(values, "items") else values
        lines.append(("differ at", str(shown)))
    return Picture(words, (Code(tuple(lines)),))


_ANSWERS = {True: "equal", False: "different", None: "not decided"}


def draw_side_by_side(both: "SideBySide") -> Picture:
    """An expression as built, simplified and in SymPy's form: what each costs, and whether each is still the same.

    Examples
    --------
    >>> from shapetracker import Variable
    >>> from shapetracker.equivalence import side_by_side
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> print(draw_side_by_side(side_by_side((i * 8 + j) // 8)))
                expression     operations  verdict
    as built    (i*8 + j)//8   3
    simplified  i              0           equal: all 32 points tried
    SymPy       i              0           as built = simplified? cannot tell; the way back: equal
    <BLANKLINE>
    at        as built  simplified
    i=0, j=0  0         0
    i=0, j=7  0         0
    i=3, j=0  3         3
    i=3, j=7  3         3
    """
    equal = _ANSWERS[both.verdict.equal]
    tried = f": all {both.verdict.points} points tried" if both.verdict.method == "exhaustive" else ""
    opinion = both.sympy_opinion
    said = f"{opinion.opinion}: wrong" if opinion.wrong else opinion.opinion
    rows = [
        ("as built", both.built.render(), str(both.operations["built"]), ""),
        ("simplified", both.simplified.render(), str(both.operations["simplified"]), equal + tried),
        (
            "SymPy",
            str(both.sympy),
            str(both.operations["sympy"]),
            f"as built = simplified? {said}; the way back: {_ANSWERS[both.round_trip.equal]}",
        ),
    ]
    if both.sympy_simplified is not None:
        count = str(both.operations["sympy simplified"])
        rows.append(("SymPy's simplify", str(both.sympy_simplified), count, ""))
    points = tuple(
        (", ".join(f"{name}={value}" for name, value in point.items()), str(built), str(simplified))
        for point, built, simplified in both.points
    )
    values = Table(("at", "as built", "simplified"), points)
    return Picture("side by side", (Table(("", "expression", "operations", "verdict"), tuple(rows)), values))


def _text(e: Any) -> str:
    return e.render() if hasattr(e, "render") else str(e)
