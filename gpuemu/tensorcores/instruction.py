"""Instruction: what one tensor-core instruction multiplies, and which lane holds what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from gpuemu.errors import InstructionError
from gpuemu.tensorcores.arithmetic import Unit
from gpuemu.tensorcores.arithmetic import unit as unit_of_name
from gpuemu.tensorcores.arithmetic.formats import Array, Floats, read_scales
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
    "e2m3": ElementType("e2m3", 6),
    "e3m2": ElementType("e3m2", 6),
    "e2m1": ElementType("e2m1", 4),
    "ue8m0": ElementType("ue8m0", 8),
    "ue4m3": ElementType("ue4m3", 8),
    "s8": ElementType("int8", 8),
    "u8": ElementType("uint8", 8),
    "s4": ElementType("int4", 4),
    "u4": ElementType("uint4", 4),
    "b1": ElementType("b1", 1),
    "s32": ElementType("int32", 32),
}
"""The element types as instruction names spell them."""


@dataclass(frozen=True, slots=True)
class BlockScales:
    """The scales of a block-scaled instruction: each multiplies one row of A, or one column of B, along a block of k.

    Attributes
    ----------
    a, b
        The lane maps of A's scales, [m, k / block], and of B's, [k / block, n]. Several lanes may hold a scale; the
        unit reads the first of them.

    >>> from gpuemu import tensorcores
    >>> scales = tensorcores.instruction("m16n8k64.mxf4").scales
    >>> scales.a, scales.block
    (<LaneMap a: 16×2 ue8m0, 32 lanes × 2 elements>, 32)
    """

    a: LaneMap
    b: LaneMap
    block: int
    """Positions along k that share a scale."""


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
        The lane maps; None for B where no lane holds it (in shared memory).
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
    path
        Which of its unit's ways to add it takes: ``mma``; ``wgmma`` on Hopper; ``older`` for CDNA2's bfloat16
        instructions that CDNA1 had; ``block_scale`` on Blackwell, for factors that come with scales.
    saturate
        Whether an integer sum stays at the ends of int32 (NVIDIA's ``.satfinite``, AMD's ``clamp``); else it wraps.
    scales
        Where A and B come with block scales: what the scales are and which lanes hold them.
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
    a: LaneMap
    b: LaneMap | None
    c: LaneMap
    d: LaneMap
    types: tuple[str, str, str, str]
    unit: str
    source: str
    confidence: str = "high"
    product: str = "multiply"
    path: str = "mma"
    saturate: bool = False
    scales: BlockScales | None = None

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
        return self.a.not_a_view is not None

    @property
    def saturating(self) -> Instruction:
        """The form whose integer sums stay at the ends of int32.

        PTX ISA, "mma": ``.satfinite`` exists for 8-bit and 4-bit integers; RDNA3 and RDNA4 ISA guides: ``clamp``.

        Raises
        ------
        InstructionError
            the instruction has no such form

        >>> from gpuemu import tensorcores
        >>> tensorcores.instruction("m8n8k16.s32.s8", arch="sm_80").saturating.name
        'mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32'
        """
        if self.saturate:
            return self
        if self.vendor == "nvidia" and self.types[0] in ("s8", "u8", "s4", "u4"):
            return replace(self, name=self.name.replace(".row.col.", ".row.col.satfinite."), saturate=True)
        if self.sign_is_chosen:
            return replace(self, name=f"{self.name} clamp", saturate=True)
        raise InstructionError(
            f"{self.short_name}: it has no saturating form; 8-bit and 4-bit integers have one on NVIDIA and RDNA"
        )

    @property
    def sign_is_chosen(self) -> bool:
        """Whether a modifier says if A's and B's integers are signed, as of AMD's IU8 and IU4; the lane maps say not.

        >>> from gpuemu import tensorcores
        >>> tensorcores.instruction("v_wmma_i32_16x16x16_iu8", arch="gfx1100", lanes=32).sign_is_chosen
        True
        """
        return self.vendor == "amd" and self.types[0].startswith("IU")

    def with_signs(self, a: bool, b: bool) -> Instruction:
        """The form whose A and B are signed (True) or not, where a modifier says so.

        RDNA3 ISA guide, "Wave Matrix Multiply Accumulate": the NEG bits of an IU8 or IU4 operand.

        Raises
        ------
        InstructionError
            no modifier of the instruction says so

        >>> from gpuemu import tensorcores
        >>> wmma = tensorcores.instruction("v_wmma_i32_16x16x16_iu8", arch="gfx1100", lanes=32)
        >>> wmma.with_signs(True, False).a.dtype
        'int8'
        """
        if not self.sign_is_chosen:
            raise InstructionError(f"{self.short_name}: its types say which integers are signed; no modifier does")
        maps = [
            replace(self.maps[operand], dtype=("" if signed else "u") + self.maps[operand].dtype.removeprefix("u"))
            for operand, signed in (("a", a), ("b", b))
        ]
        return replace(self, a=maps[0], b=maps[1])

    def multiply(
        self,
        a: object,
        b: object,
        c: object,
        unit: Unit | str | None = None,
        *,
        a_dtype: object = None,
        b_dtype: object = None,
        scale_a: object = None,
        scale_b: object = None,
    ) -> Array:
        """A·B + C with the bits of the instruction's unit, or of another.

        Where the other unit has no such path, its ``mma`` counts: what would that unit's adder have given? Of blocks
        with scales, the products of each count scale A · scale B times.

        Parameters
        ----------
        a : shape (…, m, k)
        b : shape (…, k, n)
        c : shape (…, m, n)
        unit : a unit or its name; None: the instruction's own
        a_dtype, b_dtype : the types of the elements, where they are not those of the lane maps (signed IU8)
        scale_a, scale_b : shapes (…, m, k / block) and (…, k / block, n), where the instruction has `scales`

        Returns
        -------
        array of shape (…, m, n) in the type of D

        Raises
        ------
        UnitError
            the unit does not take these types, or the shapes do not fit
        InstructionError
            scales are missing, of another shape, or given where there are none

        >>> import numpy as np
        >>> from gpuemu import tensorcores
        >>> mma = tensorcores.instruction("m16n8k16")
        >>> a, b = np.full((16, 16), 0.5), np.ones((16, 8))
        >>> c = np.full((16, 8), 2.0**24)
        >>> [int(mma.multiply(a, b, c, unit)[0, 0] - 2**24) for unit in ("A100", "exact")]
        [0, 8]
        """
        chosen, path = self._unit_and_path(unit)
        given = None if scale_a is None and scale_b is None else (scale_a, scale_b)
        return chosen.matmul(
            a,
            b,
            c,
            a_dtype or self._dtype("a"),
            self._dtype("d"),
            path,
            b_dtype=b_dtype or self._dtype("b"),
            saturate=self.saturate,
            of_bits="and" if self.product == "multiply" else self.product,
            scales=self._checked_scales(given),
        )

    def _checked_scales(self, given: tuple[object, object] | None) -> tuple[Floats, Floats] | None:
        """The scales as numbers, once it is known that the instruction has such."""
        if self.scales is None:
            if given is not None:
                raise InstructionError(f"multiply by {self.short_name}: its factors have no scales; give none")
            return None
        if given is None or any(x is None for x in given):
            raise InstructionError(
                f"multiply by {self.short_name}: a scale for each {self.scales.block} positions along k is missing; "
                f"give scale_a= [m, {self.scales.a.columns}] and scale_b= [{self.scales.b.rows}, n]"
            )
        named = (("scale_a", given[0], self.scales.a), ("scale_b", given[1], self.scales.b))
        a, b = (read_scales(name, values, lane_map.dtype) for name, values, lane_map in named)
        for (name, _, lane_map), found in zip(named, (a, b), strict=True):
            if found.shape[-2:] != (lane_map.rows, lane_map.columns):
                raise InstructionError(
                    f"multiply by {self.short_name}: {name} {found.shape}; "
                    f"expected (…, {lane_map.rows}, {lane_map.columns})"
                )
        return a, b

    def check_unit(self, unit: Unit | str | None = None) -> None:
        """Does that unit take the instruction's types?

        Raises
        ------
        UnitError
            it does not, or there is no such unit

        >>> from gpuemu import tensorcores
        >>> tensorcores.instruction("m16n8k16").check_unit("V100")
        """
        chosen, path = self._unit_and_path(unit)
        chosen.rule(self._dtype("a"), self._dtype("d"), path, self._dtype("b"))

    def _unit_and_path(self, unit: Unit | str | None) -> tuple[Unit, str]:
        chosen = unit_of_name(unit or self.unit) if unit is None or isinstance(unit, str) else unit
        has_path = self.path in chosen.paths or self.scales is not None  # without scales it is another product
        return chosen, self.path if has_path else "mma"

    def _dtype(self, operand: str) -> str:
        """The type of an operand's elements; B's in shared memory is A's."""
        return self.maps.get(operand, self.a).dtype

    def draw(self, by: Literal["lane", "register", "k"] = "lane") -> Picture:
        """The operands with the lane, register or k of each element, what each lane holds, and every notation."""
        from gpuemu.drawing.notations import draw_instruction_with_notations

        return draw_instruction_with_notations(self, by)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        size = f"{self.m}×{self.n}×{self.k}" + f" × {self.blocks} blocks" * (self.blocks > 1)
        return f"<Instruction {self.name}: {self.vendor} {self.arch}, {size}, {self.lanes} lanes>"
