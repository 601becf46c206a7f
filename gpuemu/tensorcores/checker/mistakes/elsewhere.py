"""The right map of something else: another operand, another instruction, or plain memory order."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from gpuemu import tensorcores
from gpuemu.tensorcores.checker.digits import written
from gpuemu.tensorcores.checker.fragment import from_numbers
from gpuemu.tensorcores.checker.mistakes.case import Case, Mistake, turned
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import IntArray


def other_operand(case: Case) -> Mistake | None:
    """The places of another operand of the same instruction."""
    for operand, other in case.instruction.maps.items():
        if operand not in (case.lane_map.operand, "d") and other.not_a_view is None:
            for coordinates in (other.coordinates(), turned(other.coordinates())):
                if _begins_with(case, coordinates):
                    sums = operand == "c"
                    return Mistake(
                        "accumulator as factor" if sums else "operands exchanged",
                        f"These are the places of operand {operand.upper()}, not of {case.name}.",
                        f"Load by the map of {case.name}, {written(case.lane_map)}"
                        + ("; to go on with results, see which shuffles or order of k `reuse` finds." * sums)
                        + (", or exchange the two operands." * (not sums)),
                    )
    return None


def _begins_with(case: Case, coordinates: IntArray) -> bool:
    """Whether the fragment is this as far as it goes, and where it goes on, leaves both operands at once."""
    count = min(coordinates.shape[1], case.held.shape[1])
    lanes, width = case.held.shape[0], case.held.shape[2]
    if coordinates.shape[0] != lanes or coordinates.shape[2] != width:
        return False
    if (case.held[:, :count] != coordinates[:, :count]).any():
        return False
    limits = np.maximum(coordinates.reshape(-1, width).max(axis=0), case.right.reshape(-1, width).max(axis=0))
    return count == coordinates.shape[1] and bool((case.held[:, count:] > limits).any(axis=-1).all())


@cache
def _known_maps() -> dict[tuple[tuple[int, ...], bytes], tuple[tuple[Instruction, str], ...]]:
    """Every map of the catalogue by its coordinates."""
    known: dict[tuple[tuple[int, ...], bytes], tuple[tuple[Instruction, str], ...]] = {}
    for instruction in tensorcores.instructions():
        for operand, lane_map in instruction.maps.items():
            if operand != "d" and lane_map.not_a_view is None:
                key = (lane_map.coordinates().shape, lane_map.coordinates().tobytes())
                known[key] = (*known.get(key, ()), (instruction, operand))
    return known


def other_instructions(case: Case) -> Mistake | None:
    """The map of another instruction of the vendor for an operand of the kind, for a fragment of any shape."""
    found = _owners(case)
    return _of(case, found) if found and _related(case, *found[0]) else None


def distant_instructions(case: Case) -> Mistake | None:
    """The map of an instruction that is no relative: that may be chance, so it is said when nothing else can be."""
    found = _owners(case)
    return _of(case, found) if found else None


def also_the_map_of(case: Case) -> str:
    """A sentence that names such an instruction, where there is one."""
    found = _owners(case)
    if not found:
        return ""
    instruction, operand = found[0]
    return f" These are the places of operand {operand.upper()} of {instruction.short_name}."


def _owners(case: Case) -> tuple[tuple[Instruction, str], ...]:
    """Whose map the fragment is, the nearest relative first."""
    held = np.ascontiguousarray(case.held)
    found = _known_maps().get((held.shape, held.tobytes()), ())
    if not found and not case.numbered:
        found = next(
            (
                names
                for (shape, numbers), names in _known_maps().items()
                if shape[1] < held.shape[1] and _begins_with(case, np.frombuffer(numbers, np.int64).reshape(shape))
            ),
            (),
        )
    return tuple(sorted(found, key=lambda x: _distance(case, *x)))


def _related(case: Case, instruction: Instruction, operand: str) -> bool:
    kind = operand if operand in "ab" else "c"
    return instruction.vendor == case.instruction.vendor and kind == case.lane_map.operand.replace("d", "c")


def _of(case: Case, found: tuple[tuple[Instruction, str], ...]) -> Mistake:
    instruction, operand = found[0]
    more = f", and of {len(found) - 1} more" if len(found) > 1 else ""
    return Mistake(
        "another instruction",
        f"This is the map of operand {operand.upper()} of {instruction.short_name}{more}.",
        f"Use {case.instruction.short_name}'s own: {written(case.lane_map)}.",
    )


def _distance(case: Case, instruction: Instruction, operand: str) -> tuple[bool, ...]:
    """The nearest relative first: the same operand, then the same vendor, then the same types."""
    mine = case.instruction
    return (
        operand != case.lane_map.operand,
        instruction.vendor != mine.vendor,
        (instruction.m, instruction.n, instruction.k) != (mine.m, mine.n, mine.k),
        instruction.types != mine.types,
    )


def in_memory_order(case: Case) -> Mistake | None:
    """Consecutive elements: lane · elements + i, or i · lanes + lane, by rows or by columns."""
    lane, i = np.indices(case.held.shape[:2], dtype=np.int64)
    numbers = {"lane": lane * case.held.shape[1] + i, "element": i * case.held.shape[0] + lane}
    other_way = replace(case.lane_map, rows=case.lane_map.columns, columns=case.lane_map.rows)
    for of, number in numbers.items():
        for by, coordinates in (
            ("row", from_numbers(case.lane_map, number)),
            ("column", turned(from_numbers(other_way, number))),
        ):
            if case.explained_by(coordinates):
                who = "each lane holds" if of == "lane" else "neighbouring lanes hold"
                text = f"{who} neighbours in memory"
                return Mistake(
                    "memory order",
                    f"The matrix is dealt out {by} by {by} in memory order ({text}); the unit wants its own order.",
                    f"Write {written(case.lane_map)}.",
                )
    return None
