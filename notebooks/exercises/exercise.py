"""What an exercise is, and what checking an answer gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from shapetracker.drawing.layout import Words
from shapetracker.drawing.picture import Part, Picture

Inputs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that people make, and the sentence that they then get.

    Attributes
    ----------
    says
        The sentence; where `fits` tells the mistake, ``{answer}`` and the inputs may stand in it.
    gives
        What the mistaken answer gives, from the same inputs as the right one; None where something else tells.
    fits
        From a number (or a tuple of numbers) and the inputs: whether that answer makes the mistake. For many answers at
        once, such as all that are too small; an answer that it cannot read does not.
    hazard, buffer
        The kind of report that it leads to (such as ``"race"`` or ``"out-of-bounds"``), and in which buffer; a buffer
        of None stands for any.
    """

    says: str
    gives: Callable[..., Any] | None = None
    hazard: str | None = None
    buffer: str | None = None
    fits: Callable[..., bool] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a kind of answers finds: whether it is right, why (one sentence), and the picture's parts."""

    right: bool
    sentence: str
    parts: tuple[Part, ...] = ()


class Kind(Protocol):
    """A kind of answers: it knows how to compare and to draw them."""

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Compare an answer with the hidden one."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """The result of a check; a notebook shows it as a picture.

    Attributes
    ----------
    name, seed
        Of the exercise, and of its inputs.
    right
        Whether the answer is right.
    sentence
        Why.
    parts
        What the answer does, drawn.
    """

    name: str
    seed: int
    right: bool
    sentence: str
    parts: tuple[Part, ...] = field(default=(), compare=False)

    def draw(self) -> Picture:
        """The picture: the verdict in words, then what the answer does."""
        head = Words(self.sentence, bold="Right." if self.right else "Not yet.")
        more = () if self.right else (Words(f'One step further: hint("{self.name}")'),)
        return Picture(f"{self.name}, checked", (head, *self.parts, *more))

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __str__(self) -> str:
        return str(self.draw())

    def __repr__(self) -> str:
        return f"<Verdict {self.name!r}: {'right' if self.right else 'not yet'}>"


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise.

    Attributes
    ----------
    name
        What `check` and `hint` are called with.
    notebook
        The number of the notebook that asks it, such as ``"07"``.
    asked, start
        What is asked, and the code to start from. Inputs can stand in the question, as in ``"{rows} rows"``; the
        notebooks have it with those of seed 0.
    kind
        The kind of answer.
    inputs
        From a numpy Generator to the inputs, by name. Elements of arrays all differ, so that no wrong index is right.
    wanted
        The hidden answer, from the inputs by name.
    mistakes
        Typical mistakes, the most special first.
    hints
        From a nudge to nearly the answer.
    """

    name: str
    notebook: str
    asked: str
    start: str
    kind: Kind
    inputs: Callable[[np.random.Generator], Inputs]
    wanted: Callable[..., Any]
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()

    def drawn(self, seed: int) -> dict[str, Any]:
        """The inputs of a seed."""
        return dict(self.inputs(np.random.default_rng(seed)))

    def question(self, seed: int = 0) -> str:
        """What is asked, with the inputs of a seed in it."""
        return self.asked.format(**self.drawn(seed))

    def check(self, answer: Any, seed: int = 0) -> Verdict:
        """Compare an answer with the hidden one; it never raises for the answer's sake."""
        if answer is None or answer is Ellipsis:
            return Verdict(self.name, seed, False, "There is no answer yet: put yours in the place of None.")
        try:
            found = self.kind.judge(self, answer, seed)
            verdict = Verdict(self.name, seed, found.right, found.sentence, found.parts)
            str(verdict)  # cells are drawn late; what cannot be drawn must fail here
        except Exception as error:  # an answer may be anything at all; a check must say so and go on
            kind = type(error).__name__
            return Verdict(self.name, seed, False, f"The answer could not be tried: {kind}: {_first_line(error)}")
        return verdict


def _first_line(error: Exception) -> str:
    return (str(error).strip().split("\n") or [""])[0]


def kind_of(value: object) -> str:
    """What a value is, with an article, for a sentence.

    >>> kind_of(3), kind_of("i")
    ('An int', 'A text')
    """
    name = "text" if isinstance(value, str) else type(value).__name__
    return f"An {name}" if name[0] in "aeiou" else f"A {name}"
