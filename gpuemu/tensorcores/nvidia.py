"""NVIDIA's tensor-core instructions: mma.sync from sm_70 to sm_120a, wgmma on sm_90a.

The lane maps are those of the PTX ISA, chapters "Warp Level Matrix Multiply-Accumulate Instructions" and
"Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". They write groupID for lane / 4 and
threadID_in_group for lane % 4, and give the row and column of element i of each fragment.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product

from gpuemu.errors import InstructionError
from gpuemu.tensorcores.instruction import ELEMENT_TYPES, BlockScales, Instruction
from gpuemu.tensorcores.lanemap import Digit, LaneMap, Packing, block, column, lane_map, row, same

_UNITS = {"sm_70": "V100", "sm_75": "Turing", "sm_80": "A100", "sm_89": "Ada", "sm_90": "H100", "sm_90a": "H100"}
_NO_PUBLISHED_MODEL = "fp32-sequential"
_WGMMA_WIDTHS = (8, 16, 32, 64, 96, 128, 192, 256)

_NARROW_TYPES = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
_FIRST_BIT = {("e2m1", 8): 2}
"""Of an element in its container: CUTLASS (cute/atom/mma_traits_sm120.hpp) moves e2m1 to the middle four bits of 8."""

Shape = tuple[int, int, int]


def instructions() -> tuple[Instruction, ...]:
    """Every NVIDIA instruction of the catalogue, the oldest architecture first.

    Examples
    --------
    >>> instructions()[0]
    <Instruction mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16: nvidia sm_70, 8×8×4 × 4 blocks, 32 lanes>
    """
    return (*_volta(), *_turing(), *_ampere(), *_ada(), *_hopper(), *_blackwell())


def _volta() -> Iterable[Instruction]:
    return (_quad_pair_mma(sums, a, b) for sums in ("f16", "f32") for a, b in product(("row", "col"), repeat=2))


def _turing() -> Iterable[Instruction]:
    mma = partial(_mma, "sm_75")
    return mma(16, 8, 8, "f16", "f16"), mma(16, 8, 8, "f32", "f16"), mma(8, 8, 16, "s32", "s8")


def _ampere() -> Iterable[Instruction]:
    mma = partial(_mma, "sm_80")
    for k in (8, 16):
        yield from (mma(16, 8, k, "f16", "f16"), mma(16, 8, k, "f32", "f16"), mma(16, 8, k, "f32", "bf16"))
    for k in (4, 8):
        yield mma(16, 8, k, "f32", "tf32")
    for a, b in product(("s8", "u8"), repeat=2):
        yield from (mma(8, 8, 16, "s32", a, b), mma(16, 8, 16, "s32", a, b), mma(16, 8, 32, "s32", a, b))
    for a, b in product(("s4", "u4"), repeat=2):
        yield from (mma(8, 8, 32, "s32", a, b), mma(16, 8, 32, "s32", a, b), mma(16, 8, 64, "s32", a, b))
    for gate in ("and", "xor"):
        one_bit = partial(mma, sums="s32", a="b1", gate=gate)
        yield from (one_bit(8, 8, 128), one_bit(16, 8, 128), one_bit(16, 8, 256))
    yield mma(8, 8, 4, "f64", "f64")


def _ada() -> Iterable[Instruction]:
    for sums, a, b in product(("f16", "f32"), ("e4m3", "e5m2"), ("e4m3", "e5m2")):
        yield _mma("sm_89", 16, 8, 32, sums, a, b)


def _hopper() -> Iterable[Instruction]:
    for k in (4, 8, 16):
        yield _mma("sm_90", 16, 8, k, "f64", "f64")
    for n in _WGMMA_WIDTHS:
        yield _wgmma(n, 16, "f16", "f16/bf16", "f32")
        yield _wgmma(n, 32, "e4m3", "e4m3/s8", "f32/s32")
        yield _wgmma(n, 8, "tf32", "tf32", "f32")


def _blackwell() -> Iterable[Instruction]:
    """Types of 8, 6 and 4 bits mix where each takes 8; e2m1 alone lies eight to a register."""
    for a, b in product(_NARROW_TYPES, repeat=2):
        yield _narrow_mma("f8f6f4", 32, a, b)
        yield _narrow_mma("mxf8f6f4", 32, a, b, "1X", "ue8m0")
    yield _narrow_mma("mxf4", 64, "e2m1", "e2m1", "2X", "ue8m0")
    for size, scale in (("2X", "ue8m0"), ("4X", "ue8m0"), ("4X", "ue4m3")):
        yield _narrow_mma("mxf4nvf4", 64, "e2m1", "e2m1", size, scale)


def _narrow_mma(kind: str, k: int, a: str, b: str, scale_vec: str = "", scale: str = "") -> Instruction:
    """mma.sync of sm_120a with a ``.kind``; with scales where `scale_vec`, such as ``2X``, says how many along k.

    PTX ISA, "mma": the fragments are those of 8-bit and of 4-bit elements. Short names leave out e4m3 × e4m3.
    """
    usual = "e4m3" if k == 32 else "e2m1"
    suffix = f".{a}.{b}" * ((a, b) != (usual, usual)) + f".{scale_vec.lower()}.{scale}" * (kind == "mxf4nvf4")
    scaled = f".block_scale.scale_vec::{scale_vec}" if scale else ""
    return _instruction(
        f"mma.sync.aligned.m16n8k{k}.row.col.kind::{kind}{scaled}.f32.{a}.{b}.f32" + f".{scale}" * bool(scale),
        f"m16n8k{k}.{kind}{suffix}",
        "sm_120a",
        (16, 8, k),
        warp_fragments(16, 8, k, a, b, "f32", container=256 // k),
        (a, b, "f32", "f32"),
        section="Matrix Fragments for mma" + ", Block scaling for mma.sync" * bool(scale),
        scales=block_scales(k, int(scale_vec[0]), scale) if scale else None,
    )


def block_scales(k: int, blocks: int, scale: str) -> BlockScales:
    """Which lanes hold the scales of m16n8k`k`: one for each row of A, or column of B, and block along k.

    PTX ISA, "Block scaling for mma.sync" (CUTLASS, cute/atom/mma_traits_sm120.hpp, agrees): of a quad, lane / 4, one
    pair of lanes gives the scales of A's rows lane / 4 and lane / 4 + 8, one lane those of B's column lane / 4. The
    instruction says which pair and lane, and from which byte of the register on; here the first, from byte 0 on.

    Examples
    --------
    >>> scales = block_scales(64, 4, "ue4m3")
    >>> scales.a.where(row=9, col=3), scales.b.where(row=3, col=1)
    ([(5, 3), (7, 3)], [(4, 3), (5, 3), (6, 3), (7, 3)])
    """
    packing = Packing("r", 8)
    a = lane_map("a", 16, blocks, scale, lane=[row(8), same(2), row(2, 8)], element=[column(blocks)], packing=packing)
    b = lane_map("b", blocks, 8, scale, lane=[column(8), same(4)], element=[row(blocks)], packing=packing)
    return BlockScales(a, b, k // blocks)


def _mma(arch: str, m: int, n: int, k: int, sums: str, a: str, b: str = "", gate: str = "") -> Instruction:
    """mma.sync as every architecture from Turing on has it: A by rows, B by columns."""
    b = b or a
    shape = f"m{m}n{n}k{k}"
    return _instruction(
        f"mma.sync.aligned.{shape}.row.col.{sums}.{a}.{b}.{sums}" + (f".{gate}.popc" if gate else ""),
        ".".join([shape, sums, a, *[b] * (a != b), *[gate] * bool(gate)]),
        arch,
        (m, n, k),
        warp_fragments(m, n, k, a, b, sums),
        (a, b, sums, sums),
        product=gate or "multiply",
    )


def warp_fragments(
    m: int, n: int, k: int, a: str, b: str, sums: str, *, container: int = 0
) -> tuple[LaneMap, LaneMap, LaneMap, LaneMap]:
    """The lane maps of A, B, C and D of one warp's mma.

    PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", its siblings for m8n8k4 (.f64), m16n8k4,
    m16n8k8, m8n8k16, m8n8k32, m8n8k128, m16n8k32, m16n8k64, m16n8k128 and m16n8k256. Their formulas are one: a
    register holds p = 32 / bits neighbours along k (1 where an element fills it), four lanes hold 4p of them, and
    lane / 4 is the row of A, the column of B. Element i of A steps by neighbours, by 8 rows, by 4p along k. A factor of
    fewer bits than its `container` takes as many as that.

    Examples
    --------
    >>> a, b, c, d = warp_fragments(16, 8, 16, "f16", "f16", "f32")
    >>> b.view.strides, c.where(row=8, col=1)
    ((1, 16, 64, 8), [(0, 3)])
    """
    p, q = (32 // container,) * 2 if container else (_neighbours(a), _neighbours(b))
    a_element = [column(k // (4 * p), 4 * p), row(m // 8, 8), column(p)]
    b_element = [row(k // (4 * q), 4 * q), row(q)]
    c, d = (_map(x, (m, n), sums, lane=[row(8), column(4, 2)], element=[row(m // 8, 8), column(2)]) for x in "cd")
    return (
        _map("a", (m, k), a, lane=[row(8), column(4, p)], element=a_element, container=container),
        _map("b", (k, n), b, lane=[column(8), row(4, q)], element=b_element, container=container),
        c,
        d,
    )


def _quad_pair_mma(sums: str, a: str, b: str) -> Instruction:
    """Volta's mma: four products at once, each by a quad pair, the lanes 4q … 4q + 3 and 16 + 4q … 16 + 4q + 3.

    PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type": lane % 4, plus 4 in the upper half
    warp, is the row of A and the column of B where k runs along the elements; by columns (A) or rows (B) lane % 4
    is k instead. float32 sums lie scattered: row = (lane & 1) + (i & 2), column = (lane & 2) + (i & 4) + (i & 1).
    """
    quad_pair = block(4)
    a_map = {
        "row": partial(_map, lane=[row(2, 4), quad_pair, row(4)], element=[column(4)]),
        "col": partial(_map, lane=[row(2, 4), quad_pair, column(4)], element=[row(4)]),
    }[a]
    b_map = {
        "col": partial(_map, lane=[column(2, 4), quad_pair, column(4)], element=[row(4)]),
        "row": partial(_map, lane=[column(2, 4), quad_pair, row(4)], element=[column(4)]),
    }[b]
    sums_map = {
        "f16": partial(_map, lane=[row(2, 4), quad_pair, row(4)], element=[column(8)]),
        "f32": partial(
            _map,
            lane=[row(2, 4), quad_pair, column(2, 2), row(2)],
            element=[column(2, 4), row(2, 2), column(2)],
        ),
    }[sums]
    return _instruction(
        f"mma.sync.aligned.m8n8k4.{a}.{b}.{sums}.f16.f16.{sums}",
        f"m8n8k4.{a}.{b}.{sums}.f16",
        "sm_70",
        (8, 8, 4),
        (
            a_map("a", (8, 4), "f16", blocks=4),
            b_map("b", (4, 8), "f16", blocks=4),
            sums_map("c", (8, 8), sums, blocks=4),
            sums_map("d", (8, 8), sums, blocks=4),
        ),
        ("f16", "f16", sums, sums),
        blocks=4,
    )


def _wgmma(n: int, k: int, factor: str, factors: str, sums: str) -> Instruction:
    """wgmma: four warps, 16 rows each; B always lies in shared memory, A here in registers.

    PTX ISA, "Matrix Fragments for wgmma.mma_async.m64nNk16" and its siblings for .m64nNk8 and .m64nNk32 (figures for
    A and D): a warp holds its 16 rows as m16n8k16 and its siblings do; four elements of D are 8 columns on. Sums in
    half precision have the same order, two in a register.
    """
    p = _neighbours(factor)
    lane = [row(4, 16), row(8)]
    element = [column(k // (4 * p), 4 * p), row(2, 8), column(p)]
    a = _map("a", (64, k), factor, lane=[*lane, column(4, p)], element=element)
    c, d = (
        _map(x, (64, n), "f32", lane=[*lane, column(4, 2)], element=[column(n // 8, 8), row(2, 8), column(2)])
        for x in ("c", "d")
    )
    return _instruction(
        f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.f32.{factor}.{factor}",
        f"m64n{n}k{k}.f32.{factor}",
        "sm_90a",
        (64, n, k),
        (a, None, c, d),
        (factors, factors, sums, sums),
        lanes=128,
        section="Matrix Fragments for wgmma.mma_async",
    )


def shared_operand(instruction: Instruction) -> LaneMap:
    """How B of a wgmma lies in shared memory: one "lane" that holds all of it, element after element.

    PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate", shared memory layout, K-major without swizzle: a
    core matrix is 8 columns of B, 16 bytes of k each, column after column; here those along k come first, then those
    along n. (A descriptor of the hardware may place core matrices elsewhere, or swizzle them.)

    Raises
    ------
    InstructionError
        The instruction's B lies in registers.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> b = shared_operand(tensorcores.instruction("m64n16k16"))
    >>> b.coordinates()[0, [0, 1, 8, 64, 128]].tolist()
    [[0, 0], [1, 0], [0, 1], [8, 0], [0, 8]]
    """
    a = instruction.a
    if instruction.b is not None or instruction.path != "wgmma" or a is None:
        raise InstructionError(f"{instruction.short_name}: its B does not lie in shared memory")
    n, k = instruction.n, instruction.k
    bits = ELEMENT_TYPES[instruction.types[0].split("/")[0]].bits
    run = 128 // bits  # 16 bytes of k
    element = [column(n // 8, 8), row(k // run, run), column(8), row(run)]
    return lane_map("b", k, n, a.dtype, lane=[same(1)], element=element, packing=Packing("s", bits))


def _neighbours(type_name: str) -> int:
    """How many elements of a type one 32-bit register holds; 1 for f64, which takes two registers."""
    return max(1, 32 // ELEMENT_TYPES[type_name].bits)


def _map(
    operand: str,
    size: tuple[int, int],
    type_name: str,
    *,
    lane: list[Digit],
    element: list[Digit],
    blocks: int = 1,
    container: int = 0,
) -> LaneMap:
    name, bits = ELEMENT_TYPES[type_name]
    packing = Packing("r", bits, container, first=_FIRST_BIT.get((name, container), 0))
    return lane_map(operand, *size, name, lane=lane, element=element, blocks=blocks, packing=packing)


def _instruction(
    name: str,
    short_name: str,
    arch: str,
    shape: Shape,
    maps: tuple[LaneMap, LaneMap | None, LaneMap, LaneMap],
    types: tuple[str, str, str, str],
    *,
    blocks: int = 1,
    lanes: int = 32,
    product: str = "multiply",
    section: str = "Matrix Fragments for mma",
    scales: BlockScales | None = None,
) -> Instruction:
    a, b, c, d = maps
    whole_numbers = c.dtype == "int32"
    return Instruction(
        name,
        short_name,
        "nvidia",
        arch,
        *shape,
        blocks,
        lanes,
        a,
        b,
        c,
        d,
        types,
        unit="exact" if whole_numbers else _UNITS.get(arch, _NO_PUBLISHED_MODEL),
        source=f"PTX ISA, {section}",
        product=product,
        path="wgmma" if name.startswith("wgmma") else "block_scale" if scales else "mma",
        scales=scales,
    )
