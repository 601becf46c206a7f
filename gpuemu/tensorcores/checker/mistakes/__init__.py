"""The mistakes that people make with fragments: each a change of the right map, tried on what was loaded.

None is a table of cases. A mistake reads from the right map what it would look like there, or reads the change that
it stands for from the fragment itself (an order of the elements, a step, an order of k) and then tries it everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gpuemu.tensorcores.checker.digits import written
from gpuemu.tensorcores.checker.mistakes.case import Case, Mistake, listed, turned
from gpuemu.tensorcores.checker.mistakes.elsewhere import (
    also_the_map_of,
    distant_instructions,
    in_memory_order,
    other_instructions,
    other_operand,
)
from gpuemu.tensorcores.checker.mistakes.held import (
    axis_permuted,
    elements_reordered,
    index_alone,
    lanes_not_duplicated,
    lanes_reordered,
    not_filled,
    order_of,
    precedence,
    swizzled,
    tiles_transposed,
    transposed,
)
from gpuemu.tensorcores.checker.mistakes.stepped import (
    digits_exchanged,
    shifted,
    shifted_in_memory,
    step_missing,
    step_wrong,
    strides_wrong,
)

__all__ = ["MISTAKES", "Case", "Mistake", "distant_instructions", "likely_mistake", "order_of"]

Finder = Callable[[Case], Mistake | None]


def transposed_and_more(case: Case) -> Mistake | None:
    """A second mistake on top of exchanged rows and columns."""
    if case.lane_map.rows != case.lane_map.columns:
        return None
    back = replace(case, held=turned(case.held))
    for finder in (elements_reordered, step_missing, shifted, digits_exchanged, axis_permuted):
        second = finder(back)
        if second is not None:
            return Mistake(
                f"transposed, {second.kind}",
                f"Operand {case.name} is transposed, and more than that: {second.cause[0].lower()}{second.cause[1:]}",
                f"First exchange row and column. Then: {second.fix[0].lower()}{second.fix[1:]}",
            )
    return None


def likely_mistake(case: Case) -> Mistake:
    """The first mistake that explains every place of the fragment; else what can be said about the wrong places."""
    for finder in MISTAKES:
        mistake = finder(case)
        if mistake is not None:
            also = also_the_map_of(case) if finder in IN_STEPS else ""
            return replace(mistake, cause=mistake.cause + also)
    return _unexplained(case)


def _unexplained(case: Case) -> Mistake:
    """Where it is wrong, when no known mistake says why."""
    wrong = case.wrong
    lanes, elements = np.flatnonzero(wrong.any(axis=1)).tolist(), np.flatnonzero(wrong.any(axis=0)).tolist()
    axes = [name for name, axis in zip(case.axes, range(2), strict=True) if (case.held != case.right)[..., axis].any()]
    where = f"the wrong places are in lanes {listed(lanes)} and elements {listed(elements)}"
    empty = int((case.held < 0).all(axis=-1).sum())
    filled = f"; {empty} places hold nothing" if empty else ""
    what = f"{' and '.join(axes)} {'differ' if len(axes) > 1 else 'differs'}"
    return Mistake(
        "unknown",
        f"No usual mistake explains all of it: {where}, and {what}{filled}.",
        f"Compare with {written(case.lane_map)}.",
    )


MISTAKES: tuple[Finder, ...] = (
    lanes_not_duplicated,
    not_filled,
    precedence,
    index_alone,
    transposed,
    tiles_transposed,
    elements_reordered,
    other_operand,
    step_missing,
    shifted,
    shifted_in_memory,
    other_instructions,
    axis_permuted,
    swizzled,
    in_memory_order,
    digits_exchanged,
    strides_wrong,
    lanes_reordered,
    transposed_and_more,
    step_wrong,
    distant_instructions,
)
"""What is tried, the most specific first."""
IN_STEPS: frozenset[Finder] = frozenset({in_memory_order, digits_exchanged, lanes_reordered, step_wrong})
"""What is told in steps; where the whole is some other map, that is said too."""
