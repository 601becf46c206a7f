"""Instruction: what one tensor-core instruction multiplies, and which lane holds what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gpuemu.tensorcores.lanemap import LaneMap

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture


class ElementType(NamedTuple):
    """A type of matrix elements: its usual short name and its width."""

    name: str
    bits: int


ELEMENT_TYPES = {
    "f16": ElementType("fp16", 16),
    "bf16": ElementType("bf16", 16),
    "tf32": ElementType("tf32", 32),
    "f32": ElementType("fp32", 32),
    "f64": ElementType("fp64", 64),
    "e4m3": ElementType("e4m3", 8),
    "e5m2": ElementType("e5m2", 8),
    "e2m1": ElementType("e2m1", 4),
    "s8": ElementType("int8", 8),
    "u8": ElementType("uint8", 8),
    "s4": ElementType("int4", 4),
    "u4": ElementType("uint4", 4),
    "b1": ElementType("b1", 1),
    "s32": ElementType("int32", 32),
}
"""The element types as instruction names spell them."""


@dataclass(frozen=True, slots=True, repr=False)
class Instruction:
    """A tensor-core instruction: D = A·B + C, held by the lanes of one warp, wave, simdgroup or warpgroup.

    Attributes
    ----------
    name, short_name
        The vendor's full name, and one that is quicker to type; an older architecture's instruction with the same
        lanes may share them.
    vendor, arch
        ``nvidia`` ``amd`` ``apple`` ``intel``, and the architecture as its compiler spells it.
    m, n, k, blocks
        A is [m, k], B [k, n], C and D [m, n]; `blocks` independent products at once.
    lanes
        How many lanes hold the operands together.
    a, b, c, d
        The lane maps; None where lanes do not hold the operand (in shared memory) or nobody has said how.
    types
        The types of A, B, C and D as the vendor writes them; ``f16/bf16`` where an instruction of these lanes
        exists for each.
    unit
        The name of the arithmetic unit that adds as this instruction does.
    source
        The document that the lane maps come from.
    confidence
        How sure the lane maps are: ``high``, ``medium`` or ``single source``.
    product
        ``multiply``; or ``and``, ``xor`` for one-bit operands, whose products' bits are counted.
    """

    name: str
    short_name: str
    vendor: str
    arch: str
    m: int
    n: int
    k: int
    blocks: int
    lanes: int
    a: LaneMap | None
    b: LaneMap | None
    c: LaneMap | None
    d: LaneMap | None
    types: tuple[str, str, str, str]
    unit: str
    source: str
    confidence: str = "high"
    product: str = "multiply"

    @property
    def dtypes(self) -> dict[str, str]:
        """The types by operand, as the vendor writes them.

        >>> from gpuemu import tensorcores
        >>> tensorcores.instruction("m16n8k16").dtypes
        {'a': 'f16', 'b': 'f16', 'c': 'f32', 'd': 'f32'}
        """
        return dict(zip("abcd", self.types, strict=True))

    @property
    def maps(self) -> dict[str, LaneMap]:
        """The lane maps that there are, by operand.

        >>> from gpuemu import tensorcores
        >>> list(tensorcores.instruction("m64n128k16").maps)  # B lies in shared memory
        ['a', 'c', 'd']
        """
        maps = {"a": self.a, "b": self.b, "c": self.c, "d": self.d}
        return {operand: lane_map for operand, lane_map in maps.items() if lane_map is not None}

    @property
    def sparse(self) -> bool:
        """Whether A is 2:4 sparse: an index register picks two of each four positions along k."""
        return self.a is not None and self.a.not_a_view is not None

    def draw(self) -> Picture:
        """The three operands side by side, with the lane and register of each element."""
        from gpuemu.drawing.lanes import draw_instruction

        return draw_instruction(self)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        size = f"{self.m}×{self.n}×{self.k}" + f" × {self.blocks} blocks" * (self.blocks > 1)
        return f"<Instruction {self.name}: {self.vendor} {self.arch}, {size}, {self.lanes} lanes>"
