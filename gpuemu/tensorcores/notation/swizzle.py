"""tinygrad's swizzle: how A and B lie on lanes, said by the axes of C.

All axes have size 2. `opts` cuts C: each "l1" or "u0" takes the lowest bit left of a dimension (0 is n, 1 is m) for the
next bit of the lane (l) or of the element (u). The bits of k are r0, r1, …. The swizzle of A then names, for each lane
bit, element bit and place in the reduction, the axis that A reads there; so does that of B. Axes that A has not (those
of n) fill the places left over, and a lane bit that names one holds copies. (Form: `TensorCore.opts` and `.swizzle` of
tinygrad/codegen/opt/tc.py in 2025; version 0.9.0 said the same with `threads` and `thread_local_aliases`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gpuemu.errors import NotationError
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.base import Notation, fields

Names = tuple[str, ...]
NAME = "tinygrad swizzle"
MEANING = (
    "axes of size 2: l of the lane, u of the element of C, r of k; dims are (N, M, K), the swizzle is of A, then B"
)


@dataclass(frozen=True, slots=True)
class Swizzle:
    """The sizes (N, M, K), the cuts of C, and for A and for B the axes at the lane, upcast and reduce places.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> text = swizzle(tensorcores.instruction("m16n8k16")).text
    >>> read_swizzle(text).coordinates("a")[13, 4].tolist()
    [3, 10]
    """

    dims: tuple[int, int, int]
    opts: Names
    swizzle: tuple[tuple[Names, Names, Names], tuple[Names, Names, Names]]

    def __str__(self) -> str:
        return f"dims={self.dims},\nopts={self.opts},\nswizzle=({self.swizzle[0]},\n         {self.swizzle[1]})"

    def steps(self) -> dict[str, tuple[int, int, int]]:
        """How far a step along each named axis goes in (n, m, k)."""
        place, count = [1, 1], {"l": 0, "u": 0}
        found = {}
        for cut in self.opts:
            dimension = int(cut[1])
            found[f"{cut[0]}{count[cut[0]]}"] = (place[0], 0, 0) if dimension == 0 else (0, place[1], 0)
            count[cut[0]] += 1
            place[dimension] *= 2
        return found | {f"r{bit}": (0, 0, 1 << bit) for bit in range(self.dims[2].bit_length() - 1)}

    def coordinates(self, operand: str) -> IntArray:
        """Row and column of each lane's elements, as `LaneMap.coordinates`."""
        steps = self.steps()
        row, column = {"a": (1, 2), "b": (2, 0), "c": (1, 0)}[operand]
        count = [sum(name[0] == kind for name in steps) for kind in "lu"]
        if operand == "c":
            lane, element = ([f"{kind}{bit}" for bit in range(n)] for kind, n in zip("lu", count, strict=True))
        else:
            lane, upcast, reduce = map(list, self.swizzle["ab".index(operand)])
            element = [name for name in reduce + upcast if steps[name][row] or steps[name][column]]
        vectors = [[(steps[name][row], steps[name][column]) for name in names] for names in (lane, element)]
        lanes, elements = map(_summed, vectors)
        return np.asarray(lanes[:, None] + elements[None])


def swizzle(instruction: Instruction) -> Notation:
    """The operands of an instruction as tinygrad's `opts` and `swizzle`.

    It needs A, B and C in registers, one block, and powers of two, with each bit moving along one axis.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(swizzle(tensorcores.instruction("m16n8k8")).text)
    dims=(8, 16, 8),
    opts=('u0', 'l0', 'l0', 'l1', 'l1', 'l1', 'u1'),
    swizzle=((('r1', 'r2', 'l2', 'l3', 'l4'), ('r0', 'u1'), ('l0', 'l1', 'u0')),
             (('r1', 'r2', 'u0', 'l0', 'l1'), ('u1', 'r0'), ('l2', 'l3', 'l4')))
    """
    try:
        text = str(_of(instruction))
        found = read_swizzle(text)
    except NotationError as why:
        return Notation(NAME, None, MEANING, str(why))
    places = 0
    for operand in "abc":
        expected = instruction.maps[operand].coordinates()
        if not np.array_equal(found.coordinates(operand), expected):
            return Notation(NAME, None, MEANING, f"read back, it gives another map of {operand.upper()}")
        places += expected.shape[0] * expected.shape[1]
    return Notation(NAME, text, MEANING, places=places)


def _of(instruction: Instruction) -> Swizzle:
    """The swizzle, or a NotationError that says why there is none."""
    maps = [_operand(instruction, operand) for operand in "abc"]
    dims = (instruction.n, instruction.m, instruction.k)
    a, b, c = (_bits(lane_map) for lane_map in maps)
    opts, names = _cuts(c)
    names |= {("k", 1 << bit): f"r{bit}" for bit in range(instruction.k.bit_length() - 1)}
    of_a = _named(a, ("m", "k"), names, len(c[1]))
    of_b = _named(b, ("k", "n"), names, len(c[1]))
    return Swizzle(dims, opts, (of_a, of_b))


def _operand(instruction: Instruction, operand: str) -> LaneMap:
    lane_map = instruction.maps.get(operand)
    if lane_map is None:
        raise NotationError(f"no lane holds {operand.upper()}")
    if lane_map.not_a_view is not None:
        raise NotationError(lane_map.not_a_view)
    if lane_map.blocks > 1:
        raise NotationError(f"there are {lane_map.blocks} blocks, and its axes are n, m and k alone")
    sizes = (lane_map.lanes, lane_map.elements, lane_map.rows, lane_map.columns)
    if any(size & (size - 1) for size in sizes):
        raise NotationError("a size is no power of two, and all of its axes have size 2")
    return lane_map


Vector = tuple[int, int]
Bits = tuple[list[Vector], list[Vector]]


def _bits(lane_map: LaneMap) -> Bits:
    """What each bit of the lane and of the element moves, (rows, columns), least significant first."""
    places = lane_map.coordinates()
    return _at_bits(places[:, 0]), _at_bits(places[0])


def _at_bits(places: IntArray) -> list[Vector]:
    found = []
    for bit in range(len(places).bit_length() - 1):
        row, column = places[1 << bit].tolist()
        found.append((row, column))
    return found


def _cuts(c: Bits) -> tuple[Names, dict[tuple[str, int], str]]:
    """The cuts of C in an order that takes the bits of n, of m, of the lane and of the element each from the lowest."""
    waiting = {"l": list(c[0]), "u": list(c[1])}
    count, place = {"l": 0, "u": 0}, {"0": 1, "1": 1}
    opts, names = [], {}
    while waiting["l"] or waiting["u"]:
        for dimension, kind in (("0", "u"), ("0", "l"), ("1", "u"), ("1", "l")):
            wanted = (0, place["0"]) if dimension == "0" else (place["1"], 0)
            if waiting[kind] and waiting[kind][0] == wanted:
                break
        else:
            raise NotationError(
                "its cuts take the bits of m and of n from the lowest up, and C has them in another order"
            )
        waiting[kind].pop(0)
        opts.append(kind + dimension)
        names["mn"[dimension == "0"], place[dimension]] = f"{kind}{count[kind]}"
        count[kind] += 1
        place[dimension] *= 2
    return tuple(opts), names


def _named(
    bits: Bits, axes: tuple[str, str], names: dict[tuple[str, int], str], upcasts: int
) -> tuple[Names, Names, Names]:
    """The axes at the lane, upcast and reduce places of one operand."""
    lane, element = ([_name(vector, axes, names) for vector in part] for part in bits)
    reduces = sum(axis == "k" for axis, _ in names)
    if len(element) > upcasts + reduces:
        raise NotationError("a lane holds more elements than the upcast and reduce axes count")
    used = {name for name in (*lane, *element) if name}
    rest = iter([name for name in sorted(names.values(), key=_in_order) if name not in used])
    filled = [*[None] * (upcasts + reduces - len(element)), *element]
    try:
        lanes = tuple(name or next(rest) for name in lane)
        reduce = tuple(name or next(rest) for name in filled[:reduces])
        return lanes, tuple(name or next(rest) for name in filled[reduces:]), reduce
    except StopIteration:
        raise NotationError("there are more copies than axes that the operand has not") from None


def _in_order(name: str) -> tuple[int, int]:
    return "lur".index(name[0]), int(name[1:])


def _name(vector: Vector, axes: tuple[str, str], names: dict[tuple[str, int], str]) -> str | None:
    """The axis of C or of k that moves so; None for copies."""
    moving = [(axis, step) for axis, step in zip(axes, vector, strict=True) if step]
    if not moving:
        return None
    if len(moving) > 1 or moving[0] not in names:
        raise NotationError("a bit of the lane or of the element moves otherwise than by one bit of m, n or k")
    return names[moving[0]]


def _summed(vectors: Iterable[Vector]) -> IntArray:
    found = np.zeros((1, 2), dtype=np.int64)
    for vector in vectors:
        found = np.concatenate([found, found + np.array(vector)])
    return found


def read_swizzle(text: str) -> Swizzle:
    """The swizzle of a text ``dims=(N, M, K), opts=(…), swizzle=((lane, upcast, reduce), (lane, upcast, reduce))``.

    Raises
    ------
    NotationError
        The text is something else, or names an axis that the cuts do not make, or one twice.

    Examples
    --------
    >>> read_swizzle("dims=(8, 16, 8), opts=('l0',), swizzle=()")
    Traceback (most recent call last):
    gpuemu.errors.NotationError: tinygrad swizzle: the cuts ('l0',) make N = 2 and M = 1, expected 8 and 16
    """
    found = fields(text.replace("\n", " "), NAME)
    if set(found) != {"dims", "opts", "swizzle"}:
        raise NotationError(f"{NAME} {text!r}: expected dims=(N, M, K), opts=(…), swizzle=((…), (…))")
    dims, opts, parts = found["dims"], found["opts"], found["swizzle"]
    if not _are(dims, int, 3) or not _are(opts, str) or not set(opts) <= {"l0", "l1", "u0", "u1"}:
        raise NotationError(f"{NAME} {text!r}: dims are three sizes, and opts are texts of l0, l1, u0, u1")
    n, m = (2 ** sum(cut[1] == dimension for cut in opts) for dimension in "01")
    if (n, m) != dims[:2]:
        raise NotationError(f"{NAME}: the cuts {opts} make N = {n} and M = {m}, expected {dims[0]} and {dims[1]}")
    shape = isinstance(parts, tuple) and len(parts) == 2
    if not shape or not all(isinstance(x, tuple) and len(x) == 3 and all(_are(y, str) for y in x) for x in parts):
        raise NotationError(f"{NAME}: swizzle {parts!r}: expected three tuples of axes for A and three for B")
    result = Swizzle(dims, opts, parts)
    axes = sorted(result.steps())
    for operand, names in zip("AB", parts, strict=True):
        given = sorted(name for part in names for name in part)
        if given != axes or [len(part) for part in names] != [sum(x[0] == kind for x in axes) for kind in "lur"]:
            raise NotationError(f"{NAME}: the swizzle of {operand} must name each of {', '.join(axes)} once")
    return result


def _are(values: object, kind: type, count: int | None = None) -> bool:
    return (
        isinstance(values, Sequence)
        and not isinstance(values, str)
        and count in (None, len(values))
        and all(isinstance(value, kind) for value in values)
    )
