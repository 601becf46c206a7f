"""The tensor core: gather the fragments of all lanes into matrices, multiply, give each lane its part of D.

Which element a lane holds is the instruction's lane map; how the products add up and round is its arithmetic unit.
"""

from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.errors import HazardError, InstructionError, Report
from gpuemu.machine import hazards
from gpuemu.machine.grid import Chunk
from gpuemu.machine.memory import Memory
from gpuemu.tensorcores import from_seed, instruction
from gpuemu.tensorcores.arithmetic.formats import SCALES
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap, SparseLaneMap
from gpuemu.tensorcores.nvidia import shared_operand
from gpuemu.tensorcores.sparse import fields

Array = npt.NDArray[Any]

REGISTERS: dict[str, DType] = {
    "fp16": dtypes.float16,
    "bf16": dtypes.bfloat16,
    "fp32": dtypes.float32,
    "tf32": dtypes.float32,  # a register holds 32 bits; the unit reads 19 of them
    "fp64": dtypes.float64,
    "e4m3": dtypes.float8_e4m3fn,
    "e5m2": dtypes.float8_e5m2,
    "e4m3fnuz": dtypes.float8_e4m3fnuz,
    "e5m2fnuz": dtypes.float8_e5m2fnuz,
    "e2m3": dtypes.float6_e2m3fn,
    "e3m2": dtypes.float6_e3m2fn,
    "e2m1": dtypes.float4_e2m1fn,
    "ue8m0": dtypes.uint8,  # the bits: x means 2^(x - 127), and 255 NaN
    "ue4m3": dtypes.float8_e4m3fn,  # its sign bit is not read
    "int8": dtypes.int8,
    "uint8": dtypes.uint8,
    "int4": dtypes.int8,  # one element a value here; packed two to a byte on the GPU
    "uint4": dtypes.uint8,
    "int32": dtypes.int32,
    "b1": dtypes.bool,
}
"""The type of the values that hold a fragment's elements, by the type that the instruction names."""


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """One operand: how the elements of all lanes, one after the other, fill the matrices.

    Attributes
    ----------
    lane_map
        Which element each lane holds.
    dtype
        The vector that each lane holds.
    positions
        For each lane and element, its place in the row-major matrices; of length lanes · elements.
    holders
        For each place in the matrices, the first (lane, element) that holds it, flat.
    """

    lane_map: LaneMap
    dtype: DType
    positions: Array
    holders: Array

    @property
    def matrix_shape(self) -> tuple[int, int, int]:
        return self.lane_map.blocks, self.lane_map.rows, self.lane_map.columns


@dataclass(frozen=True, slots=True, eq=False)
class TensorCore:
    """An instruction that is ready to run: its fragments and its arithmetic unit (None: the instruction's own)."""

    instruction: Instruction
    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment
    unit: str | None = None
    scales: tuple[Fragment, Fragment] | None = None
    """Those of A and of B, where the instruction takes block scales."""

    @property
    def sparse(self) -> bool:
        """Whether A is, so that an index register says where its elements stand."""
        return isinstance(self.a.lane_map, SparseLaneMap)

    @property
    def b_is_shared(self) -> bool:
        """Whether B lies in local memory; then its fragment is what one lane would hold that had all of it."""
        return self.instruction.b is None

    @property
    def products(self) -> int:
        """How many products a group of lanes multiplies."""
        of = self.instruction
        return of.m * of.n * of.k * of.blocks

    @property
    def operands(self) -> dict[str, Fragment]:
        return {"a": self.a, "b": self.b, "c": self.c}


def resolve(arg: Any, warp: int = 32, signed: tuple[bool, bool] = (False, False)) -> TensorCore:
    """The tensor core that the arg of a WMMA line means; of AMD's pairs of one name, the one for this warp.

    `signed` says whether A's and B's integers are, where a modifier of the instruction would (AMD's IU8 and IU4).

    >>> core = resolve("m16n8k16")
    >>> core.a.dtype, core.d.dtype
    (dtypes.float16.vec(8), dtypes.float32.vec(4))

    Raises
    ------
    InstructionError
        There is no such instruction, or its operands do not all lie in the lanes' registers.
    """
    found = _find(arg, warp)
    return _prepare(found.with_signs(*signed) if found.sign_is_chosen else found)


def _find(arg: Any, warp: int) -> Instruction:
    if not isinstance(arg, str):
        return from_seed(arg)
    try:
        return instruction(arg, lanes=warp)
    except InstructionError:
        return instruction(arg)


@cache
def _prepare(found: Instruction) -> TensorCore:
    a, b, c, d = (_fragment(found, operand) for operand in "abcd")
    scales = None if found.scales is None else (_dense_fragment(found.scales.a), _dense_fragment(found.scales.b))
    return TensorCore(found, a, b, c, d, scales=scales)


def _fragment(found: Instruction, operand: str) -> Fragment:
    lane_map = found.maps.get(operand)
    if lane_map is None:
        return _shared_fragment(found)
    if isinstance(lane_map, SparseLaneMap):
        return _sparse_fragment(lane_map)
    return _dense_fragment(lane_map)


def _dense_fragment(lane_map: LaneMap) -> Fragment:
    count = lane_map.elements
    dtype = REGISTERS[lane_map.dtype]
    return Fragment(lane_map, dtype if count == 1 else dtype.vec(count), *_positions(lane_map))


def _positions(lane_map: LaneMap) -> tuple[Array, Array]:
    """Where each lane's elements stand in the matrices, and who holds each place."""
    places = lane_map.coordinates().reshape(lane_map.lanes * lane_map.elements, -1)
    block = places[:, 2] if places.shape[1] == 3 else 0
    positions = (block * lane_map.rows + places[:, 0]) * lane_map.columns + places[:, 1]
    holders = np.full(lane_map.blocks * lane_map.rows * lane_map.columns, -1)
    holders[positions[::-1]] = np.arange(len(positions))[::-1]
    return positions, holders


def _shared_fragment(found: Instruction) -> Fragment:
    """B in local memory, as if one lane held all of it; its dtype is that of the memory."""
    lane_map = shared_operand(found)
    return Fragment(lane_map, REGISTERS[lane_map.dtype], *_positions(lane_map))


def _sparse_fragment(lane_map: SparseLaneMap) -> Fragment:
    """Two values for each group of four positions; `positions` are the candidates, (lanes, groups, 4)."""
    places = lane_map.coordinates()
    positions = places[..., 0] * lane_map.columns + places[..., 1]
    dtype = REGISTERS[lane_map.dtype].vec(2 * lane_map.elements)
    return Fragment(lane_map, dtype, positions, np.empty(0, np.int64))


def read_shared(core: TensorCore, memory: Memory, chunk: Chunk, line: int, index: Array, active: Array | None) -> Array:
    """B of every group of lanes from local memory, as if each of its lanes had all elements, along a seventh axis.

    Raises
    ------
    HazardError
        Where some lanes of a group take part and others do not, B reaches beyond the memory, was not written, or does
        not start at a multiple of 16 bytes, or the lanes of a group say different starts.
    """
    if active is not None:
        index = np.where(_whole_groups(core, chunk, line, active), index, index.dtype.type(0))
    axes = index.shape[:3]
    by_group = np.broadcast_to(index, (*axes, *chunk.local)).reshape(*axes, -1, core.instruction.lanes)
    differ = by_group != by_group[..., :1]
    if differ.any():
        first = chunk.lanes(differ.reshape(*axes, *chunk.local))
        cause = (
            f"{core.instruction.short_name} has one B, and the lanes of a group say different starts in {memory.name}"
        )
        fix = "Give every lane of the group the same index"
        element, count = int(by_group[differ][0]), int(differ.sum())
        raise HazardError((Report("different-starts", memory.name, element, first, (line,), count, cause, fix),))
    crooked = index % (16 // memory.array.dtype.itemsize) != 0
    if crooked.any():
        hazards.misaligned(chunk, line, memory.name, index, crooked)
    size = core.b.holders.size
    start = memory.places(chunk, line, "reads", index, size, active)
    if start is None:  # nobody is here, and the memory is smaller than B
        return np.zeros((*index.shape, size), memory.array.dtype)
    places = start[..., np.newaxis] + np.arange(size)
    memory.check_written(chunk, line, places, size, active)
    return memory.array.take(places)


def multiply(
    core: TensorCore,
    chunk: Chunk,
    line: int,
    operands: tuple[Array, Array, Array],
    active: Array | None,
    *rest: Array,
) -> Array:
    """D = A·B + C in every group of lanes of a chunk.

    Parameters
    ----------
    operands
        The fragments of A, B and C: arrays that broadcast over the chunk's six axes, with the elements along a seventh.
    active
        Which lanes take part; None for all.
    rest
        Where A is sparse, each lane's index register: four bits for each two values, the place of the one and of the
        other among four positions. Where the instruction takes block scales, those of A and those of B.

    Raises
    ------
    HazardError
        Where some lanes of a group take part and others do not, lanes that must hold the same element differ, or an
        index register puts two values in one place.
    """
    if active is not None:
        operands = only_active(core, chunk, line, operands, active)
    axes = tuple(max(sizes) for sizes in zip(*(x.shape[:3] for x in (*operands, *rest)), strict=True))
    full = (*axes, *chunk.local)
    right = gather(core, core.b, chunk, line, operands[1], full if rest else own_lanes(core, chunk, operands[1]))
    start = gather(core, core.c, chunk, line, operands[2], full)
    if core.sparse:
        _check_sparse_index(core, chunk, line, rest[0], active)
        left = _spread(core, operands[0], rest[0], full)
    else:
        left = gather(core, core.a, chunk, line, operands[0], full if rest else own_lanes(core, chunk, operands[0]))
    scale_a, scale_b = _scales(core, rest, full)
    d = core.instruction.multiply(left, right, start, core.unit, scale_a=scale_a, scale_b=scale_b)
    return held_by_lanes(core, d, full)


def held_by_lanes(core: TensorCore, d: Array, lanes: tuple[int, ...]) -> Array:
    """Each lane's part of D, along a seventh axis."""
    flat = d.reshape(-1, core.d.holders.size).take(core.d.positions, axis=1)
    return flat.astype(core.d.dtype.numpy, copy=False).reshape(*lanes, core.d.dtype.count)


def only_active(
    core: TensorCore, chunk: Chunk, line: int, operands: tuple[Array, Array, Array], active: Array
) -> tuple[Array, Array, Array]:
    """The operands, where groups that are not here multiply zeros; nobody reads what they get."""
    here = _whole_groups(core, chunk, line, active)
    a, b, c = (np.where(here if x.ndim == here.ndim else here[..., None], x, x.dtype.type(0)) for x in operands)
    return a, b, c


def own_lanes(core: TensorCore, chunk: Chunk, x: Array) -> tuple[int, ...]:
    """The lanes over which an operand differs, as six lengths that hold whole groups: equal matrices are made once."""
    lanes = chunk.local if chunk.local[2] % core.instruction.lanes else (*x.shape[3:5], chunk.local[2])
    return (*x.shape[:3], *lanes)


def _groups(core: TensorCore, lanes: tuple[int, ...]) -> tuple[int, ...]:
    """The groups of the lanes, along each of six axes where they lie along x, else along the last."""
    group = core.instruction.lanes
    if lanes[5] % group:
        return (*lanes[:3], 1, 1, prod(lanes[3:]) // group)
    return (*lanes[:5], lanes[5] // group)


def _whole_groups(core: TensorCore, chunk: Chunk, line: int, active: Array) -> Array:
    """The lanes that take part, once it is known that each group of lanes does as a whole or not at all."""
    hazards.divergent_group(chunk, line, active, core.instruction.lanes, "WMMA", core.instruction.name)
    return active


def _scales(core: TensorCore, given: tuple[Array, ...], lanes: tuple[int, ...]) -> tuple[Array | None, Array | None]:
    """The block scales (…, rows, blocks along k) and (…, blocks, columns) of all groups, where there are such.

    Of lanes that may hold the same scale the first is read, and the others may hold anything.
    """
    if core.scales is None:
        return None, None
    a, b = (
        _scale_numbers(fragment, _held(core, fragment, x, lanes)[1]).reshape(
            *_groups(core, lanes), *fragment.matrix_shape
        )
        for fragment, x in zip(core.scales, given, strict=True)
    )
    return a, b


def _scale_numbers(fragment: Fragment, held: Array) -> Array:
    """The scales that registers mean: of an ue4m3 the sign bit is not read."""
    stored = SCALES[fragment.lane_map.dtype].storage
    bits = held.view(np.uint8) & (0xFF if fragment.lane_map.dtype == "ue8m0" else 0x7F)
    return bits.view(stored)


def _held(core: TensorCore, fragment: Fragment, x: Array, lanes: tuple[int, ...]) -> tuple[Array, Array]:
    """What the lanes of each group hold, (groups, lanes · elements), and what of it fills the matrices."""
    count, holding = fragment.lane_map.elements, fragment.lane_map.lanes
    if x.ndim == 6:  # a scalar a lane is a fragment of one element
        x = x[..., None]
    group = core.instruction.lanes
    groups = np.broadcast_to(x, (*lanes, count)).reshape(prod(lanes) // group, group, count)
    rows = groups[:, :holding].reshape(len(groups), holding * count)  # AMD ignores lanes 32-63 of a wave64 IU4
    return rows, rows.take(fragment.holders, axis=1)


def gather(core: TensorCore, fragment: Fragment, chunk: Chunk, line: int, x: Array, lanes: tuple[int, ...]) -> Array:
    """The matrices (…, blocks, rows, columns) that the fragments of all groups of lanes hold."""
    rows, matrices = _held(core, fragment, x, lanes)
    if fragment.lane_map.duplicates:
        _check_duplicates(core, fragment, chunk, line, rows, matrices, lanes)
    return matrices.reshape(*_groups(core, lanes), *fragment.matrix_shape)


def _spread(core: TensorCore, x: Array, index: Array, all_lanes: tuple[int, ...]) -> Array:
    """The matrices that a sparse A stands for: each value where the index register has it, 0 elsewhere."""
    fragment, group = core.a, core.instruction.lanes
    lanes, groups, _ = fragment.positions.shape  # a wave of 64 may have lanes that hold nothing of A
    values = np.broadcast_to(x, (*all_lanes, 2 * groups)).reshape(-1, group, groups, 2)[:, :lanes]
    picked = _picked(core, np.broadcast_to(index, all_lanes).reshape(-1, group)[:, :lanes])
    candidates = np.broadcast_to(fragment.positions, (len(values), lanes, groups, 4))
    places = np.take_along_axis(candidates, picked, axis=3)
    matrices = np.zeros((len(values), prod(fragment.matrix_shape)), x.dtype)
    matrices[np.arange(len(values))[:, None], places.reshape(len(values), -1)] = values.reshape(len(values), -1)
    return matrices.reshape(*_groups(core, all_lanes), *fragment.matrix_shape)


def _picked(core: TensorCore, index: Array) -> Array:
    return fields(cast(SparseLaneMap, core.a.lane_map), index)  # only a sparse A has an index register


def _check_sparse_index(core: TensorCore, chunk: Chunk, line: int, index: Array, active: Array | None) -> None:
    """Both values of a group go to places of their own."""
    picked = _picked(core, index)
    twice = picked[..., 0] == picked[..., 1]
    lane = np.arange(prod(chunk.local)).reshape(1, 1, 1, *chunk.local) % core.instruction.lanes
    holds = lane < core.a.lane_map.lanes  # a wave of 64 may have lanes that hold nothing of A
    twice = twice & (holds if active is None else holds & active)[..., np.newaxis]
    if not twice.any():
        return
    *place, group = (int(i) for i in np.argwhere(twice)[0])
    where = tuple(min(i, n - 1) for i, n in zip(place, picked.shape[:6], strict=True))
    field = int(picked[(*where, group, 0)])
    hazards.one_place_twice(chunk, line, core.instruction.short_name, group, field, twice.any(axis=-1))


def _check_duplicates(
    core: TensorCore, fragment: Fragment, chunk: Chunk, line: int, rows: Array, matrices: Array, lanes: tuple[int, ...]
) -> None:
    """Compare by bits, so that a nan is the same as itself."""
    bits = np.dtype(f"u{rows.dtype.itemsize}")
    again = matrices.take(fragment.positions, axis=1)
    differ = np.ascontiguousarray(rows).view(bits) != again.view(bits)
    if not differ.any():
        return
    count = fragment.dtype.count
    lane_map = fragment.lane_map
    _, place = (int(i) for i in np.argwhere(differ)[0])
    lane, element = divmod(place, count)
    twin, twin_element = divmod(int(fragment.holders[fragment.positions[place]]), count)
    by_lane = np.broadcast_to(differ.reshape(*lanes, count).any(axis=-1), chunk.shape)
    first = chunk.lanes(by_lane)
    row, column = divmod(int(fragment.positions[place]), lane_map.columns)
    cause = (
        f"{core.instruction.short_name} wants {lane_map.operand.upper()}[{row % lane_map.rows}, {column}] both in lane "
        f"{twin}, register {lane_map.registers[twin_element]}, and in lane {lane}, register "
        f"{lane_map.registers[element]}, and they differ"
    )
    fix = "Load the same elements into both: index with lane % 16 in place of lane"
    raise HazardError((Report("duplicate-lanes", None, element, first, (line,), int(by_lane.sum()), cause, fix),))
