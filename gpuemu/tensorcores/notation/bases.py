"""F2 bases: a lane map as Triton's linear layout, one vector (row, column) for each bit of register, lane and warp.

The place of a lane's register is the exclusive or of the vectors of the bits that are set in their numbers: the map is
linear over the field of two elements, F2. A bit whose vector is 0 holds copies. (Triton: "Linear Layouts: Robust Code
Generation of Efficient Tensor Computation Using F2", arXiv 2505.23819.)
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuemu.errors import NotationError
from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.base import Notation, checked

Vector = tuple[int, ...]
MOST_CHARACTERS = 4096
"""The longest text that is read."""
MOST_BITS = 20
"""The most vectors that a text may give: what is read has 2 to their number places, each looked at."""
MOST_COORDINATE = 1 << 40
"""The greatest number in a vector: far beyond any tile, and far below the end of 64-bit integers."""
NAME = "F2 bases"
WARP_OF_A_GROUP = 32
"""Lanes of a warp where a map has more lanes than any warp or wave (64): NVIDIA's warpgroup."""


@dataclass(frozen=True, slots=True)
class Bases:
    """The basis vectors of each bit, least significant first.

    Examples
    --------
    >>> bases = Bases(register=((0, 1), (8, 0)), lane=((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)))
    >>> print(bases)
    #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
    >>> bases.coordinates()[5].tolist()
    [[1, 2], [1, 3], [9, 2], [9, 3]]
    """

    register: tuple[Vector, ...]
    lane: tuple[Vector, ...]
    warp: tuple[Vector, ...] = ()

    def __str__(self) -> str:
        parts = {"register": self.register, "lane": self.lane, "warp": self.warp, "block": ()}
        texts = (f"{name} = [{', '.join(str(list(v)) for v in vectors)}]" for name, vectors in parts.items())
        return f"#ttg.linear<{{{', '.join(texts)}}}>"

    def coordinates(self) -> IntArray:
        """Row and column of each lane's registers, as `LaneMap.coordinates`; with a block in front, that comes last."""
        lanes, registers = _spanned((*self.lane, *self.warp)), _spanned(self.register)
        found = np.asarray(lanes[:, None] ^ registers[None])
        return np.roll(found, -1, axis=-1) if found.shape[-1] == 3 else found


def bases(lane_map: LaneMap) -> Notation:
    """A lane map as F2 bases.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> print(bases(tensorcores.instruction("m16n8k16").c).text)
    #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
    >>> print(bases(tensorcores.instruction("m64n96k16").c).why_not)
    a lane holds 48 elements, no power of two: F2 counts in bits
    """
    place = "[block, row, column]" if lane_map.blocks > 1 else "[row, column]"
    meaning = f"exclusive or of the {place} of each bit that is set in the register, lane and warp number"
    if lane_map.not_a_view is not None:
        return Notation(NAME, None, meaning, lane_map.not_a_view)
    for count, what in (
        (lane_map.elements, f"a lane holds {lane_map.elements} elements"),
        (lane_map.lanes, f"there are {lane_map.lanes} lanes"),
    ):
        if count & (count - 1):
            return Notation(NAME, None, meaning, f"{what}, no power of two: F2 counts in bits")
    if lane_map.lanes == lane_map.elements == 1:
        return Notation(NAME, None, meaning, "one lane with one element has no bits")
    places = lane_map.coordinates()
    if places.shape[-1] == 3:
        places = np.roll(places, 1, axis=-1)
    lane = _of_bits(places[:, 0])
    bits = WARP_OF_A_GROUP.bit_length() - 1 if lane_map.lanes > 2 * WARP_OF_A_GROUP else len(lane)
    text = str(Bases(_of_bits(places[0]), lane[:bits], lane[bits:]))
    return checked(NAME, meaning, text, lambda text: read_bases(text).coordinates(), lane_map.coordinates())


def _of_bits(places: IntArray) -> tuple[Vector, ...]:
    """What stands at 1, 2, 4, …"""
    return tuple(tuple(places[1 << bit].tolist()) for bit in range(len(places).bit_length() - 1))


def _spanned(vectors: tuple[Vector, ...]) -> IntArray:
    """The exclusive or of each subset of the vectors, in the order of the number whose bits choose it."""
    found = np.zeros((1, len(vectors[0]) if vectors else 1), dtype=np.int64)
    for vector in vectors:
        found = np.concatenate([found, found ^ np.array(vector)])
    return found


def read_bases(text: str) -> Bases:
    """F2 bases from Triton's text.

    Raises
    ------
    NotationError
        The text is no linear layout, has no vector, or has vectors of different lengths.

    Examples
    --------
    >>> read_bases("#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [], block = []}>").lane
    ((1, 0), (2, 0))
    >>> read_bases("register = [[0, 1]], lane = [[1]]")
    Traceback (most recent call last):
    gpuemu.errors.NotationError: F2 bases 'register = [[0, 1]], lane = [[1]]': expected vectors of one length, \
[row, column] or [block, row, column]
    """
    if len(text) > MOST_CHARACTERS:
        raise NotationError(f"F2 bases {text[:60]!r}…: {len(text)} characters, and at most {MOST_CHARACTERS} are read")
    found: dict[str, tuple[Vector, ...]] = dict.fromkeys(("register", "lane", "warp", "block"), ())
    for name, written in re.findall(r"\b(\w++)\s*=\s*(\[[\d\s,\[\]]*\])", text):
        if name in found:
            found[name] = _vectors(text, name, written)
    if not any(found.values()):
        raise NotationError(f"F2 bases {text!r}: expected #ttg.linear<{{register = [[…], …], lane = [[…], …], …}}>")
    if found["block"]:
        raise NotationError(f"F2 bases {text!r}: block (a cluster of workgroups) has vectors; one instruction has none")
    if {len(vector) for vectors in found.values() for vector in vectors} not in ({2}, {3}):
        raise NotationError(f"F2 bases {text!r}: expected vectors of one length, [row, column] or [block, row, column]")
    vectors = [vector for vectors in found.values() for vector in vectors]
    if len(vectors) > MOST_BITS or max(number for vector in vectors for number in vector) > MOST_COORDINATE:
        raise NotationError(
            f"F2 bases {text!r}: at most {MOST_BITS} vectors of numbers up to {MOST_COORDINATE} are read"
        )
    return Bases(found["register"], found["lane"], found["warp"])


def _vectors(text: str, name: str, written: str) -> tuple[Vector, ...]:
    try:
        found: Any = ast.literal_eval(written)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(_is_vector(vector) for vector in found):
        raise NotationError(f"F2 bases {text!r}: {name} = {written} is no list of vectors such as [[0, 1], [8, 0]]")
    return tuple(tuple(vector) for vector in found)


def _is_vector(found: object) -> bool:
    return isinstance(found, list) and bool(found) and all(isinstance(number, int) for number in found)
