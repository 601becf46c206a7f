"""Answers that are a fragment: which element of a tensor core's operand a lane holds in a register."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from exercises.exercise import Exercise, Judgement, kind_of
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.checker import check_fragment


@dataclass(frozen=True, slots=True)
class Fragment:
    """Row and column by ``lane`` and element ``i``: as text ``"row, column"``, two texts, or an array of coordinates.

    The sentence comes from the library's checker, which knows what people get wrong; `wanted` is not used, so
    ``wanted=lambda: None`` will do, and mistakes are not needed.

    Attributes
    ----------
    instruction, operand
        Such as ``"m16n8k16"`` and ``"a"``.
    """

    instruction: str
    operand: str

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Ask the checker."""
        if not isinstance(answer, str | tuple | list | np.ndarray):
            return Judgement(False, f'{kind_of(answer)} was given; a text "row, column" over lane and i is asked for.')
        try:
            found = check_fragment(self.instruction, self.operand, answer)
        except FragmentError as error:
            return Judgement(False, f"It cannot be read: {error}")
        parts = found.draw().parts[1:]  # the first part are the words that are said here
        if found.right:
            return Judgement(True, f"All {found.places} places hold what belongs there.", parts)
        words = str(found).split("\n")
        cause = found.mistake.cause if found.mistake is not None else words[0]
        return Judgement(False, f"{cause} {words[1]}", parts)
