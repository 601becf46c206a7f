"""Can the accumulator of one product be an operand of the next, without a way through memory?

Flash attention asks this: P = Q·Kᵀ leaves an accumulator, and P·V needs it as operand A. An element of the operand
can stay where it is when the lane that needs it already holds it. Otherwise another order of k may put it there (the
rows of V then follow the same order), or lanes exchange values by shuffles.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np
import numpy.typing as npt

from gpuemu import tensorcores
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.base import AXES


@dataclass(frozen=True, slots=True)
class Shuffle:
    """One element of an operand, and where each lane gets it from.

    Attributes
    ----------
    tile, element
        The operand's tile (row by row, where several stand on one accumulator) and the element that is filled.
    source_lane
        For each lane, the lane that holds the value.
    source_tile, source_element
        For each lane, the tile and the element of the accumulator.
    """

    tile: int
    element: int
    source_lane: tuple[int, ...]
    source_tile: tuple[int, ...]
    source_element: tuple[int, ...]

    @property
    def moves(self) -> bool:
        """Whether some lane gets the value from another lane."""
        return self.source_lane != tuple(range(len(self.source_lane)))

    @property
    def sources(self) -> int:
        """How many registers of the source lanes take part: so many shuffles, and a choice between their results."""
        return len(set(zip(self.source_tile, self.source_element, strict=True)))


@dataclass(frozen=True, slots=True, repr=False)
class Reuse:
    """What `reuse` found.

    Attributes
    ----------
    source, target, operand
        The accumulator of `source` becomes `operand` of `target`.
    tiles
        How many accumulators and how many operands cover the same area, as (rows, columns) of tiles each.
    direct
        Whether each element is already in the lane, and in the element, where the operand wants it.
    kept, places
        How many of the operand's places find their element in their own lane, and how many places there are.
    order_of_k
        An order of k under which every element is in its lane: operand place p holds the accumulator's k
        ``order_of_k[p]``, and the other operand is loaded in the same order. None where there is none.
    transposed
        The same for the accumulator of the transposed product, which the first product gives with its operands
        exchanged: the order of k under which that one is in its lanes, None where there is none.
    shuffles
        Where each lane finds each element when k stays in order.
    reordered
        The same with k in `order_of_k`: each element is in its lane. Empty where there is no such order.
    """

    source: Instruction
    target: Instruction
    operand: str
    tiles: tuple[tuple[int, int], tuple[int, int]]
    direct: bool
    kept: int
    places: int
    order_of_k: tuple[int, ...] | None
    transposed: tuple[int, ...] | None
    shuffles: tuple[Shuffle, ...]
    reordered: tuple[Shuffle, ...]

    def apply(self, accumulators: npt.NDArray[np.generic], reorder_k: bool = False) -> npt.NDArray[np.generic]:
        """The operand's fragments.

        Parameters
        ----------
        accumulators
            Array (tiles, lanes, elements) of the accumulators, tiles row by row.
        reorder_k
            Put k into `order_of_k`, inside each lane; else shuffle so that k is in order.

        Returns
        -------
        Array (tiles, lanes, elements) of the operand, of the same dtype: the rounding to the operand's type is yours.

        Raises
        ------
        FragmentError
            The array has another shape, or there is no `order_of_k`.

        Examples
        --------
        >>> found = reuse(c_of="m16n8k16", a_of="m16n8k16")
        >>> found.apply(np.arange(2 * 32 * 4).reshape(2, 32, 4))[0, 1].tolist()
        [4, 5, 6, 7, 132, 133, 134, 135]
        """
        rows, columns = self.tiles[0]
        expected = (rows * columns, self.source.lanes, self.source.maps["c"].elements)
        if accumulators.shape != expected:
            raise FragmentError(f"Reuse.apply: got accumulators of shape {accumulators.shape}, expected {expected}")
        if reorder_k and not self.reordered:
            raise FragmentError(f"Reuse.apply(reorder_k=True): no order of k puts each element into its lane; {self!r}")
        operand = self.target.maps[self.operand]
        fragments = np.empty(
            (self.tiles[1][0] * self.tiles[1][1], operand.lanes, operand.elements), dtype=accumulators.dtype
        )
        for x in self.reordered if reorder_k else self.shuffles:
            fragments[x.tile, :, x.element] = accumulators[
                np.array(x.source_tile), np.array(x.source_lane), np.array(x.source_element)
            ]
        return fragments

    def __str__(self) -> str:
        c, wanted = self.source.maps["c"], self.target.maps[self.operand]
        have, want = (rows * columns for rows, columns in self.tiles)
        name = self.operand.upper()
        packed = "" if c.dtype == wanted.dtype else f", rounded to {wanted.dtype} and packed,"
        lines = [
            f"C of {self.source.short_name} ({have} tile{'s' * (have > 1)}) as {name} of {self.target.short_name} "
            f"({want} tile{'s' * (want > 1)}): {self.kept} of {self.places} places find their element in their lane."
        ]
        if self.direct:
            lines.append(f"The accumulators{packed} are the operand, element for element.")
        elif self.kept == self.places:
            lines.append(
                f"The accumulators{packed} are the operand after moves inside each lane; no shuffle is needed."
            )
        else:
            lines += self._ways(name)
        return "\n".join(lines)

    def _ways(self, name: str) -> list[str]:
        ways = []
        load = f"; load {'B' if self.operand == 'a' else 'A'} in the same order"
        if self.order_of_k is not None:
            ways.append(f"With k in the order {_listed(self.order_of_k)} every element is in its lane{load}.")
        if self.transposed is not None:
            plain = self.transposed == tuple(range(len(self.transposed)))
            order = "" if plain else f" with k in the order {_listed(self.transposed)}{load}"
            exchange = "exchange the operands of the first product"
            ways.append(f"The transposed accumulator ({exchange}) is in its lanes{order}.")
        moved = [x for x in self.shuffles if x.moves]
        ways.append(f"With k as it is: {sum(x.sources for x in moved)} shuffles for {len(moved)} elements of {name}.")
        return ways

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} C of {self.source.short_name} as {self.operand.upper()} of "
            f"{self.target.short_name}: {self.kept} of {self.places} in place>"
        )


def _listed(order: tuple[int, ...]) -> str:
    return ", ".join(map(str, order[:16])) + ", …" * (len(order) > 16)


def reuse(
    *, c_of: Instruction | str, a_of: Instruction | str | None = None, b_of: Instruction | str | None = None
) -> Reuse:
    """Whether the accumulator of one instruction is already an operand of another, and what makes it so.

    Where the tiles differ in size, as many of each are laid side by side as cover the same area.

    Parameters
    ----------
    c_of
        The instruction whose accumulator there is.
    a_of, b_of
        The instruction that takes it as A, or as B; one of the two.

    Raises
    ------
    FragmentError
        Not exactly one of `a_of` and `b_of` is given, the lanes differ, or an operand is not one of dense lanes.
    InstructionError
        No instruction has that name.

    Examples
    --------
    Two m16n8 accumulators are A of the next product; for fp8 a permutation of k makes them so:

    >>> print(reuse(c_of="m16n8k16", a_of="m16n8k16"))
    C of m16n8k16.f32.f16 (2 tiles) as A of m16n8k16.f32.f16 (1 tile): 256 of 256 places find their element in their
    lane.
    The accumulators, rounded to fp16 and packed, are the operand, element for element.
    >>> found = reuse(c_of="m16n8k32.f32.e4m3", a_of="m16n8k32.f32.e4m3")
    >>> found.kept, found.places, found.order_of_k[:8]
    (128, 512, (0, 1, 8, 9, 2, 3, 10, 11))
    """
    if (a_of is None) == (b_of is None):
        raise FragmentError("reuse: give either a_of or b_of, the instruction that takes the accumulator")
    operand = "a" if a_of is not None else "b"
    wanted_by = a_of if a_of is not None else b_of
    source, target = (
        tensorcores.instruction(x) if isinstance(x, str) else x for x in (c_of, wanted_by) if x is not None
    )
    call = f"reuse(c_of={source.short_name}, {operand}_of={target.short_name})"
    c, wanted = _dense(call, source, "c"), _dense(call, target, operand)
    if c.lanes != wanted.lanes:
        raise FragmentError(f"{call}: {c.lanes} lanes hold the accumulator, {wanted.lanes} the operand")
    area = (lcm(c.rows, wanted.rows), lcm(c.columns, wanted.columns))
    held = _spread(c, area)
    places = _spread(wanted, area)
    sources = _sources(held, places, area, c.lanes)
    own = sources[..., 1] == np.arange(c.lanes)[None, :, None]
    shuffles = _shuffles(sources)
    k_axis = AXES[operand].index("k")
    order = None if own.all() else _order_of_k(held, places, area, k_axis)
    return Reuse(
        source,
        target,
        operand,
        tiles=((area[0] // c.rows, area[1] // c.columns), (area[0] // wanted.rows, area[1] // wanted.columns)),
        direct=bool(own.all()) and _in_sequence(shuffles, c.elements),
        kept=int(own.sum()),
        places=own.size,
        order_of_k=order,
        transposed=None if own.all() else _order_of_transposed(c, wanted, k_axis),
        shuffles=shuffles,
        reordered=() if order is None else _shuffles(_sources(held, _reordered(places, order, k_axis), area, c.lanes)),
    )


def _dense(call: str, instruction: Instruction, operand: str) -> LaneMap:
    lane_map = instruction.maps.get(operand)
    if lane_map is None or lane_map.not_a_view is not None or lane_map.blocks > 1:
        why = (
            "no lane holds it"
            if lane_map is None
            else f"it has {lane_map.blocks} blocks"
            if lane_map.blocks > 1
            else lane_map.not_a_view
        )
        raise FragmentError(f"{call}: operand {operand} of {instruction.short_name}: {why}")
    return lane_map


def _spread(lane_map: LaneMap, area: tuple[int, int]) -> IntArray:
    """The coordinates in the whole area, (tiles, lanes, elements, 2), tiles row by row."""
    rows, columns = area[0] // lane_map.rows, area[1] // lane_map.columns
    corner = np.stack(np.divmod(np.arange(rows * columns), columns), axis=-1) * (lane_map.rows, lane_map.columns)
    return np.asarray(lane_map.coordinates()[None] + corner[:, None, None, :], dtype=np.int64)


def _sources(held: IntArray, places: IntArray, area: tuple[int, int], lanes: int) -> IntArray:
    """For each place the (tile, lane, element) of the accumulator that holds its element; its own lane if possible."""
    tiles, _, elements = held.shape[:3]
    where = np.full((*area, lanes), -1, dtype=np.int64)  # the register of each element in each lane, −1 if in none
    tile, lane, element = np.indices((tiles, lanes, elements), dtype=np.int64)
    where[held[..., 0], held[..., 1], lane] = tile * elements + element
    at = where[places[..., 0], places[..., 1]]  # (tiles, lanes, elements, lanes)
    me = np.broadcast_to(np.arange(lanes)[None, :, None], places.shape[:3])
    mine = np.take_along_axis(at, me[..., None], axis=-1)[..., 0]
    holder = np.where(mine >= 0, me, (at >= 0).argmax(axis=-1))
    register = np.take_along_axis(at, holder[..., None], axis=-1)[..., 0]
    return np.stack([register // elements, holder, register % elements], axis=-1)


def _shuffles(sources: IntArray) -> tuple[Shuffle, ...]:
    tiles, _, elements, _ = sources.shape
    return tuple(
        Shuffle(tile, element, lane_of, tile_of, element_of)
        for tile in range(tiles)
        for element in range(elements)
        for tile_of, lane_of, element_of in [map(tuple, sources[tile, :, element].T.tolist())]
    )


def _in_sequence(shuffles: tuple[Shuffle, ...], elements: int) -> bool:
    """Whether element after element of the operand is element after element of the accumulators."""
    registers = [
        {tile * elements + element for tile, element in zip(x.source_tile, x.source_element, strict=True)}
        for x in shuffles
    ]
    return registers == [{number} for number in range(len(shuffles))]


def _order_of_k(held: IntArray, places: IntArray, area: tuple[int, int], k_axis: int) -> tuple[int, ...] | None:
    """For each k of the operand the smallest free k of the accumulator whose elements lie in the same lanes."""
    have, want = (_lanes_by_k(x, area, k_axis) for x in (held, places))
    free: dict[bytes, list[int]] = {}
    for k, lanes in enumerate(have):
        free.setdefault(lanes.tobytes(), []).append(k)
    order = []
    for lanes in want:
        fitting = free.get(lanes.tobytes())
        if not fitting:
            return None
        order.append(fitting.pop(0))
    return tuple(order)


def _lanes_by_k(coordinates: IntArray, area: tuple[int, int], k_axis: int) -> npt.NDArray[np.bool_]:
    """(k, other axis, lane): whether the lane holds the element."""
    lanes = coordinates.shape[1]
    found = np.zeros((area[k_axis], area[1 - k_axis], lanes), dtype=np.bool_)
    lane = np.broadcast_to(np.arange(lanes)[None, :, None], coordinates.shape[:3])
    found[coordinates[..., k_axis], coordinates[..., 1 - k_axis], lane] = True
    return found


def _order_of_transposed(c: LaneMap, wanted: LaneMap, k_axis: int) -> tuple[int, ...] | None:
    """The same for the accumulator with rows and columns exchanged."""
    area = (lcm(c.columns, wanted.rows), lcm(c.rows, wanted.columns))
    held = _spread(c, (area[1], area[0]))[..., ::-1]
    return _order_of_k(held, _spread(wanted, area), area, k_axis)


def _reordered(places: IntArray, order: tuple[int, ...], k_axis: int) -> IntArray:
    """The places with the k of the accumulator that belongs there."""
    moved = places.copy()
    moved[..., k_axis] = np.array(order)[places[..., k_axis]]
    return moved
