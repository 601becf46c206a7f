"""A fragment beside the right map, and what a mistake is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gpuemu.tensorcores.checker.fragment import to_numbers
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.base import AXES


@dataclass(frozen=True, slots=True)
class Mistake:
    """What probably went wrong: a short name, a sentence for the cause, one for the fix."""

    kind: str
    cause: str
    fix: str


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The right map of an operand beside what was loaded; both of shape (lanes, elements, 2 or 3)."""

    instruction: Instruction
    lane_map: LaneMap
    held: IntArray
    numbered: bool
    meant: IntArray | None = None
    """What a formula would give if shifts and masks bound tighter than + and *."""

    @property
    def right(self) -> IntArray:
        """What the lanes should hold."""
        return self.lane_map.coordinates()

    @property
    def name(self) -> str:
        """The operand's letter."""
        return self.lane_map.operand.upper()

    @property
    def axes(self) -> tuple[str, str]:
        """What the rows and the columns of the operand are called."""
        return AXES[self.lane_map.operand]

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """Which places hold something else than they should."""
        return self._differ(self.right)

    def explained_by(self, predicted: IntArray) -> bool:
        """Whether the fragment is exactly this."""
        return predicted.shape == self.held.shape and not self._differ(predicted).any()

    def _differ(self, other: IntArray) -> npt.NDArray[np.bool_]:
        if self.numbered:
            return np.not_equal(to_numbers(self.lane_map, self.held), to_numbers(self.lane_map, other))
        differs: npt.NDArray[np.bool_] = (self.held != other).any(axis=-1)
        return differs


def turned(coordinates: IntArray) -> IntArray:
    """Row and column exchanged."""
    return coordinates[..., [1, 0, *range(2, coordinates.shape[-1])]]


def listed(numbers: Sequence[int]) -> str:
    """Numbers for a sentence: runs as 4–7.

    >>> listed([0, 1, 4, 5, 6, 7, 9])
    '0, 1, 4–7, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(shown if len(shown) <= 6 else [*shown[:5], "…"])


def in_order(numbers: Sequence[int]) -> str:
    shown = [str(number) for number in numbers]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:8], "…"])
