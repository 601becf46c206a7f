"""Mistakes in what is held where: copies, transposes, and places in another order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuemu.tensorcores.checker.digits import fit, places, written
from gpuemu.tensorcores.checker.fragment import from_numbers, to_numbers
from gpuemu.tensorcores.checker.mistakes.case import Case, Mistake, in_order, listed, turned
from gpuemu.tensorcores.lanemap import IntArray, LaneMap

_PAIR = "The two elements of each register are swapped"
_INSIDE = "The elements lie in the wrong order inside each register"


def lanes_not_duplicated(case: Case) -> Mistake | None:
    """Right wherever a repeating digit of the lane is 0, and nowhere else."""
    fitted = fit(case.right, places(case.lane_map))
    digits = zip(places(case.lane_map), fitted[1] if fitted else (), strict=True)
    repeats = [digit for digit, step in digits if digit.of == "lane" and not any(step)]
    if not repeats:
        return None
    lanes = np.arange(case.lane_map.lanes)
    copies = np.zeros(len(lanes), dtype=bool)
    for digit in repeats:
        copies |= digit.value(lanes) > 0
    if case.wrong[~copies].any() or not all(line.any() for line in case.wrong[copies]):
        return None
    first, second = lanes[~copies].tolist(), lanes[copies].tolist()
    plain = first == list(range(len(first)))
    other = f"lane % {len(first)}" if plain else f"the lane of {listed(first)} that it copies"
    return Mistake(
        "lanes not duplicated",
        f"Lanes {listed(second)} do not repeat lanes {listed(first)}; this unit wants {case.name} in both.",
        f"Load {case.name} by {other} instead of the lane, so that every copy holds the same.",
    )


def precedence(case: Case) -> Mistake | None:
    """A formula that is right with parentheses around its shifts and masks."""
    if case.meant is None or case.meant.shape != case.right.shape or (case.meant != case.right).any():
        return None
    return Mistake(
        "precedence",
        "A shift or a mask takes more than was meant: + and * bind tighter than << >> & ^ |, in C as in Python.",
        "Put parentheses around each shift and each mask, as in (lane >> 2) + 8 * (i >> 1).",
    )


def index_alone(case: Case) -> Mistake | None:
    """Numbers that are rows or columns, not places in memory."""
    numbers = to_numbers(case.lane_map, case.held)
    rows, columns = case.lane_map.rows, case.lane_map.columns
    if (
        not case.numbered
        or case.lane_map.blocks > 1
        or min(rows, columns) == 1
        or not 0 < int(numbers.max()) < max(rows, columns)
    ):
        return None
    first, second = case.axes
    return Mistake(
        "one index alone",
        f"Only the elements 0 to {numbers.max()} of memory are read. A single number is a place in row-major memory, "
        f"{first}·{columns} + {second}; these look like {first} or {second} alone.",
        f"Give both: {written(case.lane_map)}.",
    )


def not_filled(case: Case) -> Mistake | None:
    """Right wherever anything is held."""
    empty = np.asarray((case.held < 0).all(axis=-1))
    if not np.array_equal(case.wrong, empty):
        return None
    lanes, elements = np.flatnonzero(empty.any(axis=1)).tolist(), np.flatnonzero(empty.any(axis=0)).tolist()
    return Mistake(
        "not filled",
        f"What is there is right, but elements {listed(elements)} of lanes {listed(lanes)} were never filled.",
        f"Load all of it: {written(case.lane_map)} for each i below {case.lane_map.elements}.",
    )


def tiles_transposed(case: Case) -> Mistake | None:
    """Each 8 × 8 matrix turned in its place."""
    row, column = case.right[..., 0], case.right[..., 1]
    if case.lane_map.rows % 8 or case.lane_map.columns % 8:
        return None
    predicted = case.right.copy()
    predicted[..., 0], predicted[..., 1] = row - row % 8 + column % 8, column - column % 8 + row % 8
    if not case.explained_by(predicted):
        return None
    copied = case.instruction.vendor == "nvidia" and case.lane_map.registers[0] == "r0.[15:0]"
    trans = {"a": ".trans", "b": " without .trans"}.get(case.lane_map.operand, "")
    right_way = {"a": "without .trans", "b": "with .trans"}.get(case.lane_map.operand, "")
    how = f", as ldmatrix{trans} does from row-major memory" if copied and trans else ""
    return Mistake(
        "tiles transposed",
        f"Each 8 × 8 matrix of {case.name} is transposed in its place{how}.",
        f"Copy a row-major {case.name} {right_way}, a column-major one the other way."
        if how
        else f"Exchange row and column inside each 8 × 8 matrix: {written(case.lane_map)}.",
    )


def transposed(case: Case) -> Mistake | None:
    """The element [column, row] where [row, column] belongs; in numbers, memory read along the other axis."""
    lane_map, (first, second) = case.lane_map, case.axes
    by_columns = from_numbers(
        lane_map,
        to_numbers(replace(lane_map, rows=lane_map.columns, columns=lane_map.rows), turned(case.right)),
    )
    exchanged = case.explained_by(turned(case.right))
    if not exchanged and not (case.numbered and case.explained_by(by_columns)):
        return None
    square = lane_map.rows == lane_map.columns
    if exchanged and not square and not case.numbered:
        return Mistake(
            "row and column exchanged",
            f"Row and column are in the wrong order: {case.name} is [{first}, {second}], the fragment says "
            f"[{second}, {first}].",
            f"Exchange the two: {written(lane_map)}.",
        )
    other = {"a": "b", "b": "a"}.get(lane_map.operand, "")
    same = other in case.instruction.maps and case.explained_by(case.instruction.maps[other].coordinates())
    also = f" (or A and B are exchanged: these are the places of {other.upper()})" * same
    return Mistake(
        "transposed",
        f"Operand {case.name} is transposed: {case.name}[{second}, {first}] lies where {case.name}[{first}, {second}] "
        f"belongs, as when row-major data is read by columns{also}.",
        f"Exchange the two strides of the load, or its row_major and col_major: {case.name}[{first}, {second}] lies at "
        f"{first}·{lane_map.columns} + {second} in row-major memory.",
    )


def elements_reordered(case: Case) -> Mistake | None:
    """One order of the elements, the same in all lanes."""
    order = _order(case, axis=1)
    if order is None or sorted(order) != list(range(len(order))):
        return None
    register, slot = _registers(case.lane_map)
    inside = all(register[e] == register[x] for e, x in enumerate(order))
    whole = all(slot[e] == slot[x] for e, x in enumerate(order))
    shown = f"the elements {in_order(range(len(order)))} hold what belongs in {in_order(order)}"
    if inside:
        pairs = max(slot) == 1
        return Mistake(
            "pair swapped" if pairs else "order inside the register",
            f"{_PAIR if pairs else _INSIDE}: {shown}.",
            "Pack the first element into the low bits, the next one above it.",
        )
    if whole:
        moved = next(e for e, x in enumerate(order) if e != x)
        return Mistake(
            "register order",
            f"The registers are in the wrong order: {_register(case, moved)} holds what belongs in "
            f"{_register(case, order[moved])}.",
            f"Fill the registers in this order: {written(case.lane_map)}.",
        )
    return Mistake(
        "element order",
        f"The elements of each lane are in the wrong order: {shown}.",
        f"Number the elements as the unit does: {written(case.lane_map)}.",
    )


def lanes_reordered(case: Case) -> Mistake | None:
    """Each lane holds what some other lane should hold."""
    order = _order(case, axis=0)
    if order is None:
        return None
    lane = next(number for number, other in enumerate(order) if case.wrong[number].any())
    twice = len(set(order)) < len(set(_order(replace(case, held=case.right), axis=0) or ()))
    return Mistake(
        "lane order",
        f"Each lane holds the fragment of another lane: lane {lane} that of lane {order[lane]}"
        f"{', and some lanes hold the same' if twice else ''}.",
        f"Compute from the lane inside the warp (threadIdx.x % {case.lane_map.lanes}): {written(case.lane_map)}.",
    )


def order_of(case: Case, axis: int) -> tuple[int, ...] | None:
    """The order of one axis, where the fragment is the right one but for that; else None.

    Entry p of the order is the index that is held where p belongs.
    """
    if case.numbered and (case.held < 0).any():
        return None
    others = [x for x in range(case.right.shape[-1]) if x != axis]
    if (case.held[..., others] != case.right[..., others]).any():
        return None
    size = (case.lane_map.rows, case.lane_map.columns)[axis]
    order = np.full(size, -1, dtype=np.int64)
    order[case.right[..., axis]] = case.held[..., axis]
    if (order[case.right[..., axis]] != case.held[..., axis]).any() or sorted(order.tolist()) != list(range(size)):
        return None
    return tuple(order.tolist())


def swizzled(case: Case) -> Mistake | None:
    """One axis xored with something of the other, as in a tile whose rows were swizzled against bank conflicts."""
    if (case.held < 0).any() or case.lane_map.blocks > 1:
        return None
    for axis, name in enumerate(case.axes):
        other = case.axes[1 - axis]
        keys, mask = case.right[..., 1 - axis], case.held[..., axis] ^ case.right[..., axis]
        table = np.zeros(int(keys.max()) + 1, dtype=np.int64)
        table[keys] = mask
        if (case.held[..., 1 - axis] != keys).any() or (table[keys] != mask).any() or not table.any():
            continue
        line = int(np.flatnonzero(table)[0])
        return Mistake(
            "swizzled",
            f"{name} is xored with something of {other}: where {other} is {line}, {name} ^ {table[line]} is held in "
            f"place of {name}. So reads one who forgets that the tile was stored swizzled (or who swizzles one that "
            "was not).",
            f"Swizzle the index of the load as that of the store; else write {written(case.lane_map)}.",
        )
    return None


def axis_permuted(case: Case) -> Mistake | None:
    """One axis in another order, the same in all lanes."""
    for axis, name in enumerate(case.axes):
        order = order_of(case, axis)
        if order is not None:
            return Mistake(
                f"{name} permuted",
                f"{name} is in the order {in_order(order)} instead of 0, 1, 2 ….",
                f"Use the same order of k for {'B' if case.name == 'A' else 'A'}, or write {written(case.lane_map)}."
                if name == "k"
                else f"Write {written(case.lane_map)}.",
            )
    return None


def _order(case: Case, axis: int) -> list[int] | None:
    """For each element (or lane, axis 0) of the fragment, the one of the right map that it equals everywhere."""
    held, right = (np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1) for x in _comparable(case))
    known = {line.tobytes(): number for number, line in reversed(list(enumerate(right)))}
    order = [known.get(line.tobytes(), -1) for line in held]
    return None if -1 in order else order


def _comparable(case: Case) -> tuple[IntArray, IntArray]:
    if case.numbered:
        held, right = (to_numbers(case.lane_map, x)[..., None] for x in (case.held, case.right))
        return held, right
    return case.held, case.right


def _register(case: Case, element: int) -> str:
    return f"register {case.lane_map.registers[element].split('.')[0]}"


def _registers(lane_map: LaneMap) -> tuple[list[str], list[int]]:
    """The register of each element, and its place inside it."""
    register = [name.split(".")[0] for name in lane_map.registers]
    return register, [register[:e].count(name) for e, name in enumerate(register)]
