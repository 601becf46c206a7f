"""Apple's tensor-core instructions: simdgroup matrices, and the fragment of the M5's neural accelerators.

Apple does not say which thread holds which element: the Metal Shading Language Specification (2.3, "SIMD-group
Matrix Data Types") leaves `thread_elements()` to the implementation. Four public projects agree on the 8×8 map;
one alone gives the 16×16 fragment.
"""

from __future__ import annotations

from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import Digit, LaneMap, Packing, column, lane_map, row

_ELEMENTS = Packing("e", 32)
"""e0, e1, …: element i of `thread_elements()`. How the hardware packs them is not known."""

# MLX, mlx/backend/metal/kernels/steel/attn/mma.h, BaseMMAFrag<T, 8, 8>::get_coord: with quad = lane / 4,
# row = (quad & 4) + lane / 2 % 4 and column = (quad & 2)·2 + (lane % 2)·2.
_SIMDGROUP_LANE = (row(2, 4), column(2, 4), row(4), column(2, 2))
_SIMDGROUP_ELEMENT = (column(2),)

# MLX, mlx/backend/metal/kernels/steel/attn/nax.h, BaseNAXFrag::get_coord: with quad = lane / 4,
# row = (quad & 4) | lane / 2 % 4, and 8 below it; column = ((quad & 2) | lane % 2)·4 and the three after it. Its mma
# fills the left and the right operand from such fragments too, the right one from two that lie side by side.
_NAX_LANE = (row(2, 4), column(2, 8), row(4), column(2, 4))
_NAX_ELEMENT = (row(2, 8), column(4))


def _map(operand: str, size: int, dtype: str, lane: tuple[Digit, ...], element: tuple[Digit, ...]) -> LaneMap:
    return lane_map(operand, size, size, dtype, lane=lane, element=element, packing=_ELEMENTS)


def instructions() -> tuple[Instruction, ...]:
    """The two instructions.

    Examples
    --------
    >>> for instruction in instructions():
    ...     print(instruction, instruction.confidence)
    <Instruction simdgroup_multiply_accumulate.8x8x8: apple apple7, 8×8×8, 32 lanes> high
    <Instruction nax_fragment.16x16: apple apple10, 16×16×16, 32 lanes> single source
    """
    a, b = (_map(operand, 8, "fp16", _SIMDGROUP_LANE, _SIMDGROUP_ELEMENT) for operand in "ab")
    c, d = (_map(operand, 8, "fp32", _SIMDGROUP_LANE, _SIMDGROUP_ELEMENT) for operand in "cd")
    any_float = "f16/bf16/f32"
    simdgroup = Instruction(
        name="simdgroup_multiply_accumulate.8x8x8",
        short_name="simdgroup.8x8x8",
        vendor="apple",
        arch="apple7",
        m=8,
        n=8,
        k=8,
        blocks=1,
        lanes=32,
        a=a,
        b=b,
        c=c,
        d=d,
        types=(any_float, any_float, any_float, any_float),
        unit="fp32-sequential",
        source="MLX steel/attn/mma.h, BaseMMAFrag<T, 8, 8>::get_coord; three other projects agree",
    )
    nax_a, nax_b, nax_c, nax_d = (
        _map(operand, 16, "fp16" if operand in "ab" else "fp32", _NAX_LANE, _NAX_ELEMENT) for operand in "abcd"
    )
    nax = Instruction(
        name="nax_fragment.16x16",
        short_name="nax.16x16",
        vendor="apple",
        arch="apple10",
        m=16,
        n=16,
        k=16,
        blocks=1,
        lanes=32,
        a=nax_a,
        b=nax_b,
        c=nax_c,
        d=nax_d,
        types=(any_float, any_float, "f32", "f32"),
        unit="fp32-sequential",
        source="MLX steel/attn/nax.h, BaseNAXFrag::get_coord, alone",
        confidence="single source",
    )
    return simdgroup, nax
