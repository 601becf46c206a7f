"""Mistakes in the steps: a digit of the lane or of the element that moves wrongly, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuemu.tensorcores.checker.digits import Place, described, fit, places, prime_places, term, written
from gpuemu.tensorcores.checker.fragment import to_numbers
from gpuemu.tensorcores.checker.mistakes.case import Case, Mistake
from gpuemu.tensorcores.lanemap import IntArray, LaneMap


@dataclass(frozen=True, slots=True)
class _Change:
    """A digit whose step is not the right one."""

    digit: Place
    right: tuple[int, ...]
    found: tuple[int, ...]


def _changes(case: Case) -> tuple[tuple[int, ...], list[_Change]] | None:
    """How far the whole fragment is shifted, and the digits that step wrongly; None if it is no sum of steps."""
    for digits in (places(case.lane_map), prime_places(case.lane_map)):
        right, found = fit(case.right, digits), fit(case.held, digits)
        if right is not None and found is not None:
            changed = [_Change(digit, r, f) for digit, r, f in zip(digits, right[1], found[1], strict=True) if r != f]
            return tuple(b - a for a, b in zip(right[0], found[0], strict=True)), changed
    return None


def step_missing(case: Case) -> Mistake | None:
    """A digit that moves nothing: a half (or more) of the operand is never loaded, the rest twice."""
    found = _changes(case)
    if found is None or any(found[0]) or not found[1] or any(any(change.found) for change in found[1]):
        return None
    missing = [
        (axis, term(size, change.digit), size)
        for change in found[1]
        for axis, size in zip((*case.axes, "block"), change.right, strict=False)
        if size
    ]
    never = 1 - len(np.unique(case.held.reshape(-1, case.held.shape[2]), axis=0)) / _size(case.lane_map)
    words = " and ".join(f"the + {size} of {axis}" for axis, _, size in missing)
    plural = "are" if len(missing) > 1 else "is"
    what = "a half" if never == 0.5 else f"{never:.0%}"
    return Mistake(
        "half missing" if never == 0.5 else "step missing",
        f"{words[0].upper()}{words[1:]} {plural} missing: {what} of {case.name} is never loaded, "
        "the rest more than once.",
        f"Add {' and '.join(f'{text} to {axis}' for axis, text, _ in missing)}.",
    )


def _size(lane_map: LaneMap) -> int:
    return lane_map.rows * lane_map.columns * lane_map.blocks


def shifted(case: Case) -> Mistake | None:
    """Everything moved by one distance."""
    found = _changes(case)
    if found is None or found[1] or not any(found[0]):
        return None
    return Mistake(
        "shifted",
        f"Everything is {described(found[0])} off.",
        "Take that off the start of the load; rows, columns, lanes and elements count from 0.",
    )


def digits_exchanged(case: Case) -> Mistake | None:
    """The right steps, but taken by other digits: lane % 8 where lane // 4 belongs."""
    found = _changes(case)
    if found is None or any(found[0]) or sorted(x.right for x in found[1]) != sorted(x.found for x in found[1]):
        return None
    of = {change.digit.of for change in found[1]}
    where = "The digits of the lane are" if of == {"lane"} else "Digits of the lane and of the element are"
    rows_and_columns = zip(case.axes, range(2), strict=True)
    ways = [
        (name, _movers(case, case.held, axis, of), _movers(case, case.right, axis, of))
        for name, axis in rows_and_columns
    ]
    told = ", ".join(f"{name} goes by {wrong} instead of {right}" for name, wrong, right in ways if wrong != right)
    return Mistake(
        "lane order" if of == {"lane"} else "lane and element exchanged",
        f"{where} in the wrong order: {told or 'the steps are those of other digits'}.",
        f"Write {written(case.lane_map)}.",
    )


def _movers(case: Case, coordinates: IntArray, axis: int, of: set[str]) -> str:
    """What one axis goes by, neighbouring digits written as one: ``lane // 4 and i % 2``."""
    digits = prime_places(case.lane_map)
    fitted = fit(coordinates, digits)
    steps = fitted[1] if fitted else ()
    runs: list[Place] = []
    for digit, step in zip(digits, steps, strict=True):
        if not step[axis] or digit.of not in of:
            continue
        if runs and runs[-1].of == digit.of and runs[-1].weight == digit.weight * digit.size:
            runs[-1] = Place(digit.of, digit.weight, runs[-1].size * digit.size, runs[-1].top)
        else:
            runs.append(digit)
    return " and ".join(map(str, runs))


def step_wrong(case: Case) -> Mistake | None:
    """Digits that step too far, not far enough, or along the other axis."""
    found = _changes(case)
    if found is None or not found[1]:
        return None
    turned = all(change.found == _turned_step(change.right) for change in found[1])
    parts = [f"{x.digit} moves {described(x.found)} instead of {described(x.right)}" for x in found[1]]
    start = f"everything is {described(found[0])} off, and " if any(found[0]) else ""
    cause = start + "; ".join(parts if len(parts) <= 4 else [*parts[:3], f"{len(parts) - 3} more such digits"])
    return Mistake(
        "wrong axis" if turned and not start else "wrong step",
        f"{cause[0].upper() if start else cause[0]}{cause[1:]}.",
        f"Write {written(case.lane_map)}.",
    )


def _turned_step(step: tuple[int, ...]) -> tuple[int, ...]:
    return (step[1], step[0], *step[2:])


def shifted_in_memory(case: Case) -> Mistake | None:
    """Every number off by the same."""
    off = to_numbers(case.lane_map, case.held) - to_numbers(case.lane_map, case.right)
    if not case.numbered or (off != off[0, 0]).any():
        return None
    return Mistake(
        "shifted",
        f"Everything is read from element {off[0, 0]} of memory on, instead of element 0.",
        "Take that off the start of the load; elements count from 0.",
    )


def strides_wrong(case: Case) -> Mistake | None:
    """Numbers that are a start plus a stride a row and a stride a column, but not those of the operand."""
    if not case.numbered or case.lane_map.blocks > 1:
        return None
    held, right = to_numbers(case.lane_map, case.held), case.right
    ends = [held[(right == at).all(axis=-1)] for at in ((0, 0), (1, 0), (0, 1))]
    if any(not len(end) for end in ends):
        return None
    start, row, column = (int(end[0]) for end in ends)
    steps = np.array([row - start, column - start])
    if (start + right @ steps != held).any():
        return None
    dense = np.array([case.lane_map.columns, 1])
    if start == 0 and steps[1] > 1 and (steps == steps[1] * dense).all():
        return Mistake(
            "bytes",
            f"Every index is {steps[1]} times too large, as when bytes are counted instead of elements.",
            f"Divide by {steps[1]}: a pointer to the element's type counts in elements.",
        )
    return Mistake(
        "strides",
        f"Memory is read with strides ({steps[0]}, {steps[1]}) from {start}; a row-major {case.lane_map.rows} × "
        f"{case.lane_map.columns} operand has ({case.lane_map.columns}, 1) from 0.",
        "The leading dimension is the distance from one row to the next in the whole matrix, in elements.",
    )
