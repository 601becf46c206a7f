"""Register names in words: which register an element lies in, which place there, and how one says it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuemu.tensorcores.lanemap import LaneMap

_NAME = re.compile(r"(?P<letter>[a-z]+)(?:\[(?P<last>\d+):(?P<first>\d+)\]|(?P<number>\d+))(?:\.\[(?P<bits>[\d:]+)\])?")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the elements of a lane lie: the register of each, counted from 0, and its place inside that register."""

    register: tuple[int, ...]
    slot: tuple[int, ...]

    @property
    def registers(self) -> int:
        """How many registers there are."""
        return max(self.register, default=-1) + 1

    @property
    def per_register(self) -> int:
        """How many elements the fullest register holds."""
        return max(self.slot, default=0) + 1


def places(lane_map: LaneMap) -> Places:
    """Register and place of each element of a lane.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> places(tensorcores.instruction("v_wmma_f32_16x16x16_f16", "gfx1100", 32).a).register[:5]
    (0, 0, 1, 1, 2)
    """
    names = [name.split(".")[0] for name in lane_map.registers]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    taken = dict.fromkeys(numbers, 0)
    slots = []
    for name in names:
        slots.append(taken[name])
        taken[name] += 1
    return Places(tuple(numbers[name] for name in names), tuple(slots))


def spoken(register: str) -> str:
    """A register name in words.

    Examples
    --------
    >>> spoken("v1.[31:16]"), spoken("r2"), spoken("r0.[3]")
    ('register v1, bits 31:16', 'register r2', 'register r0, bit 3')
    >>> spoken("v[3:2]"), spoken("e1")
    ('registers v2 and v3', 'thread_elements()[1]')
    """
    match = _NAME.fullmatch(register)
    if match is None:
        return register
    letter, last, first, number, bits = match.group("letter", "last", "first", "number", "bits")
    if letter == "e":  # Apple names the elements, not the registers
        return f"thread_elements()[{number}]"
    if number is None:
        between = "and" if int(last) == int(first) + 1 else "to"
        return f"registers {letter}{first} {between} {letter}{last}"
    where = f"register {letter}{number}"
    if bits is None:
        return where
    return f"{where}, {'bits' if ':' in bits else 'bit'} {bits}"


def element_name(vendor: str, lane_map: LaneMap, element: int) -> str:
    """What the vendor calls an element: ``c2`` in the PTX ISA, else its number.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> element_name("nvidia", tensorcores.instruction("m16n8k16").c, 2)
    'c2'
    """
    return f"{lane_map.operand}{element}" if vendor == "nvidia" else f"element {element}"
