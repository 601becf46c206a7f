"""How an expression was simplified, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from shapetracker.expr.nodes import Expr
from shapetracker.expr.simplify.facts import Step, facts_from, quiet
from shapetracker.expr.simplify.improve import improve, simplify
from shapetracker.expr.simplify.reasons import because


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an expression was simplified.

    Attributes
    ----------
    before, after : Expr
    steps : tuple of Step
        Each with `rule` (its name), `law` (in words), `before` and `after` (the part that changed), and `reason`: why
        the law holds here.
    """

    before: Expr
    after: Expr
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        lines = [f"{self.before!r}"]
        for step in self.steps:
            lines += [f"  {step.before!r}  →  {step.after!r}    {step.law}", f"      because {step.reason}"]
        return "\n".join([*lines, f"= {self.after!r}"])

    def __repr__(self) -> str:
        return f"Explanation({self.before!r} = {self.after!r}, {len(self.steps)} steps)"

    def draw(self) -> Any:
        """The picture of the steps."""
        from shapetracker.drawing.expressions import draw_explanation

        return draw_explanation(self)

    def _repr_html_(self) -> str:
        html: str = self.draw()._repr_html_()
        return html


def explain(e: Expr, assuming: Iterable[Expr] = ()) -> Explanation:
    """The steps of `simplify`, in the order in which they were taken.

    Examples
    --------
    >>> from shapetracker.expr.nodes import Variable
    >>> i, j = Variable("i", 0, 3), Variable("j", 0, 7)
    >>> print(explain((i * 8 + j) % 8))
    (i*8 + j)%8
      (i*8 + j)%8  →  j%8    (a + n·c) % n → a % n
          because 8 divides i*8
      j%8  →  j    a % n → a − q·n, where q·n ≤ a < (q + 1)·n for every value
          because j is 0 … 7, less than 8
    = j
    """
    conditions = tuple(assuming)
    steps: list[Step] = []
    after = simplify(e, conditions)
    facts = facts_from(conditions, trace=steps)
    improve(e, facts)
    reasons = [because(step.rule, step.before, step.after, quiet(facts)) for step in steps]
    return Explanation(e, after, tuple([replace(step, reason=r) for step, r in zip(steps, reasons, strict=True)]))
