"""AMD's matrix instructions: MFMA and SMFMAC of CDNA 1–3, WMMA and SWMMAC of RDNA 3 and 4, WMMA of gfx1250.

A few rules give every lane map; the register layouts that AMD's matrix instruction calculator
(github.com/ROCm/amd_matrix_instruction_calculator, 1.3.2) prints agree with them.

1. MFMA inputs. A lane holds e consecutive k of one row of A (column of B). The lane number is: which run of k, then
   the block, then the row. (CDNA ISA guides, "Matrix Arithmetic Instructions", and the calculator.)
2. MFMA results. Four registers of a lane are four rows one below the other. The lane number is: which four rows,
   then the column. Row groups that the 64 lanes do not hold follow in further registers, then the blocks. With 64-bit
   results, the four rows are in four groups of lanes instead.
3. RDNA 3. Lanes 0–15 hold whole rows of A (columns of B), and the other groups of 16 lanes repeat them. Results: one
   row for each group of 16 lanes, row after row; a 16-bit result fills half of its register, and OPSEL says which.
   (RDNA3 ISA guide, "Wave Matrix Multiply Accumulate".)
4. RDNA 4. The two halves of a wave32 take turns along k: runs of 64 bits of A, shorter where k ends first. B follows
   A's runs. Wave64 gives the upper half of each lane's elements to lanes 32–63, but a lane holds no less than one
   register: where 32 lanes with one register each hold the whole operand, lanes 32–63 are ignored. Results: eight
   rows a lane in wave32, four in wave64. (RDNA4 ISA guide, "Wave Matrix Multiply Accumulate", and the calculator.)
   gfx1250 is the same with runs of 128 bits.
5. 2:4 sparse A. The map of a dense A, in groups of four consecutive k; a group is stored as two elements, and 4 bits
   of the index register pick their places: bits 1:0 for the first, bits 3:2 for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import Digit, LaneMap, Packing, block, column, lane_map, row, same, sparse_lane_map

_CALCULATOR = "AMD matrix instruction calculator 1.3.2"
_SOURCES = {
    "gfx908": f"AMD Instinct MI100 (CDNA1) ISA reference guide, matrix arithmetic instructions; {_CALCULATOR}",
    "gfx90a": f"AMD Instinct MI200 (CDNA2) ISA reference guide, matrix arithmetic instructions; {_CALCULATOR}",
    "gfx942": f"AMD Instinct MI300 (CDNA3) ISA reference guide, matrix arithmetic instructions; {_CALCULATOR}",
    "gfx1100": f"AMD RDNA3 ISA reference guide, wave matrix multiply accumulate; {_CALCULATOR}",
    "gfx1200": f"AMD RDNA4 ISA reference guide, wave matrix multiply accumulate; {_CALCULATOR}",
    "gfx1250": "Triton 3.9.0, AMDWMMALayout(version=3).to_linear_layout; no second source",
}
_UNITS = {"gfx908": "CDNA1", "gfx90a": "CDNA2", "gfx942": "CDNA3"}
_SEQUENTIAL = "fp32-sequential"


@dataclass(frozen=True, slots=True)
class _Type:
    """A type of matrix elements: as mnemonics spell it, as lane maps do, its bits, and AMD's description of it."""

    mnemonic: str
    dtype: str
    bits: int
    description: str


_F64 = _Type("f64", "fp64", 64, "FP64 (IEEE binary64 floating point)")
_F32 = _Type("f32", "fp32", 32, "FP32 (IEEE binary32 floating point)")
_XF32 = _Type("xf32", "tf32", 32, "FP32 (IEEE binary32 floating point)")
_F16 = _Type("f16", "fp16", 16, "FP16 (IEEE binary16 floating point)")
_BF16 = _Type("bf16", "bf16", 16, "BF16 (Brain floating point)")
_I32 = _Type("i32", "int32", 32, "int32 (Signed 32-bit integer)")
_I8 = _Type("i8", "int8", 8, "int8 (Signed 8-bit integer)")
# The NEG modifier makes these two signed; without it they are unsigned.
_IU8 = _Type("iu8", "uint8", 8, "IU8 (Signed/unsigned 8-bit integer)")
_IU4 = _Type("iu4", "uint4", 4, "IU4 (Signed/unsigned 4-bit integer)")
# CDNA3 has AMD's own 8-bit floats (bias greater by one, no infinities, no −0), RDNA4 those of OCP.
_FP8_FNUZ = _Type("fp8", "e4m3fnuz", 8, "FP8 (AMD 4-bit exponent, 3-bit mantissa floating point)")
_BF8_FNUZ = _Type("bf8", "e5m2fnuz", 8, "BF8 (AMD 5-bit exponent, 2-bit mantissa floating point)")
_FP8 = _Type("fp8", "e4m3", 8, "FP8 (OCP 4-bit exponent, 3-bit mantissa floating point)")
_BF8 = _Type("bf8", "e5m2", 8, "BF8 (OCP 5-bit exponent, 2-bit mantissa floating point)")
_INDEX = "A matrix compression indices"


@dataclass(frozen=True, slots=True)
class _Shape:
    """What an instruction multiplies, and on how many lanes."""

    m: int
    n: int
    k: int
    lanes: int
    a: _Type
    b: _Type
    out: _Type
    blocks: int = 1
    sparse: bool = False

    @property
    def size(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


@dataclass(frozen=True, slots=True)
class _Digits:
    """The digits of a lane number and of an element number, most significant first."""

    lane: tuple[Digit, ...]
    element: tuple[Digit, ...]


# How an input is read: `outer` moves along the rows of A (the columns of B), `inner` along k.
_Along = Callable[..., Digit]
_ALONG: dict[str, tuple[_Along, _Along]] = {"a": (row, column), "b": (column, row)}


def _mfma_input(shape: _Shape, operand: str) -> _Digits:
    """Rule 1: lane = (run of k, block, row); the elements are the run."""
    outer, inner = _ALONG[operand]
    size = shape.m if operand == "a" else shape.n
    runs = shape.lanes // (size * shape.blocks)
    run = shape.k // runs
    return _Digits((inner(runs, run), block(shape.blocks), outer(size)), (inner(run),))


def _mfma_result(shape: _Shape) -> _Digits:
    """Rule 2: four rows in four registers, or, of 64 bits, in four groups of lanes."""
    groups = shape.m // 4
    if shape.out.bits == 64:
        return _Digits((row(4), block(shape.blocks), column(shape.n)), (row(groups, 4),))
    slots = shape.lanes // shape.n
    groups_in_lanes = min(groups, slots)
    blocks_in_lanes = slots // groups_in_lanes
    return _Digits(
        (block(blocks_in_lanes), row(groups_in_lanes, 4), column(shape.n)),
        (block(shape.blocks // blocks_in_lanes), row(groups // groups_in_lanes, 4 * groups_in_lanes), row(4)),
    )


def _rdna3_input(shape: _Shape, operand: str) -> _Digits:
    """Rule 3: a whole row of A in each of 16 lanes, and copies of them in the others."""
    outer, inner = _ALONG[operand]
    return _Digits((same(shape.lanes // 16), outer(16)), (inner(shape.k),))


def _rdna3_result(shape: _Shape) -> _Digits:
    """Rule 3: neighbouring rows lie in neighbouring groups of 16 lanes."""
    groups = shape.lanes // 16
    return _Digits((row(groups), column(16)), (row(16 // groups, groups),))


def _rdna4_input(shape: _Shape, operand: str, run_bits: int = 64) -> _Digits:
    """Rule 4: the halves of a wave32 take turns along k; wave64 halves what a lane holds, down to one register."""
    outer, inner = _ALONG[operand]
    bits_of_a = shape.k * shape.a.bits // (4 if shape.sparse else 2)  # in one lane of a wave32
    bits = bits_of_a if operand == "a" else shape.k * shape.b.bits // 2
    run = shape.k // 2 * min(run_bits, bits_of_a) // bits_of_a
    turns = shape.k // (2 * run)
    lane = (inner(2, run), outer(16))
    if shape.lanes == 32 or bits <= 32:
        return _Digits(lane, (inner(turns, 2 * run), inner(run)))
    if turns == 2:
        return _Digits((inner(2, 2 * run), *lane), (inner(run),))
    return _Digits((inner(2, run // 2), *lane), (inner(run // 2),))


def _gfx1250_input(shape: _Shape, operand: str) -> _Digits:
    """Rule 4, with runs of 128 bits."""
    return _rdna4_input(shape, operand, run_bits=128)


def _rdna4_result(shape: _Shape) -> _Digits:
    """Rule 4: lanes 0–15 and 16–31 hold eight rows each, one below the other; wave64 halves the eight."""
    upper = (row(2, 4),) if shape.lanes == 64 else ()
    return _Digits((*upper, row(2, 8), column(16)), (row(256 // shape.lanes),))


def _kept(digits: tuple[Digit, ...]) -> tuple[Digit, ...]:
    """The digits that count: those of size 1 are always 0."""
    return tuple(digit for digit in digits if digit.size > 1) or digits[-1:]


def _input_map(shape: _Shape, operand: str, digits: _Digits) -> LaneMap:
    kind = shape.a if operand == "a" else shape.b
    rows, columns = (shape.m, shape.k) if operand == "a" else (shape.k, shape.n)
    lane, element = _kept(digits.lane), digits.element
    if operand == "a" and shape.sparse:
        *upper, run = element
        return sparse_lane_map(
            operand,
            rows,
            columns,
            kind.dtype,
            lane=lane,
            group=_kept((*upper, column(run.size // 4, 4))),
            candidates=column(4),
            packing=Packing("v", 2 * kind.bits),
            index=Packing("v", 4),
        )
    return lane_map(
        operand,
        rows,
        columns,
        kind.dtype,
        lane=lane,
        element=_kept(element),
        packing=Packing("v", kind.bits),
        blocks=shape.blocks,
    )


def _result_map(shape: _Shape, operand: str, digits: _Digits, spacing: int) -> LaneMap:
    return lane_map(
        operand,
        shape.m,
        shape.n,
        shape.out.dtype,
        lane=_kept(digits.lane),
        element=_kept(digits.element),
        packing=Packing("v", shape.out.bits, spacing=spacing),
        blocks=shape.blocks,
    )


@dataclass(frozen=True, slots=True)
class _Rules:
    """The lane maps of a family: inputs, results, and the bits from one 16-bit result to the next."""

    inputs: Callable[[_Shape, str], _Digits]
    results: Callable[[_Shape], _Digits]
    result_spacing: int = 0


_MFMA = _Rules(_mfma_input, _mfma_result)
_RDNA3 = _Rules(_rdna3_input, _rdna3_result, result_spacing=32)
_RDNA4 = _Rules(_rdna4_input, _rdna4_result)
_GFX1250 = _Rules(_gfx1250_input, _rdna4_result)


def _instruction(arch: str, name: str, shape: _Shape, rules: _Rules, confidence: str = "high") -> Instruction:
    a, b = (_input_map(shape, operand, rules.inputs(shape, operand)) for operand in "ab")
    c, d = (_result_map(shape, operand, rules.results(shape), rules.result_spacing) for operand in "cd")
    wave = "" if arch in _UNITS else f".w{shape.lanes}"
    return Instruction(
        name=name,
        short_name=f"{arch}.{name.removeprefix('v_')}{wave}",
        vendor="amd",
        arch=arch,
        m=shape.m,
        n=shape.n,
        k=shape.k,
        blocks=shape.blocks,
        lanes=shape.lanes,
        a=a,
        b=b,
        c=c,
        d=d,
        types=_types(arch, shape),
        unit="exact" if shape.out is _I32 else _UNITS.get(arch, _SEQUENTIAL),
        source=_SOURCES[arch],
        confidence=confidence,
        path="older" if arch == "gfx90a" and name.endswith("bf16") else "mma",  # CDNA2 has new ones, named "_1k"
    )


def _types(arch: str, shape: _Shape) -> tuple[str, str, str, str]:
    """The types as the source writes them; a sparse instruction adds to D, and C's place holds the index."""
    if arch == "gfx1250":
        return shape.a.mnemonic, shape.b.mnemonic, shape.out.mnemonic, shape.out.mnemonic
    third = _INDEX if shape.sparse else shape.out.description
    return shape.a.description, shape.b.description, third, shape.out.description


def _mfma_shapes(kind: _Type, out: _Type, single: int, several: int) -> Iterator[_Shape]:
    """The five products of a type: 32×32 and 16×16 alone, and 2, 4 and 16 blocks of 32×32, 16×16 and 4×4.

    `single` and `several` are how many elements of A a lane holds of one block, and of several; 0 where there is none.
    """
    for size, blocks in ((32, 1), (16, 1), (32, 2), (16, 4), (4, 16)):
        elements = single if blocks == 1 else several
        if elements:
            yield _Shape(size, size, elements * 64 // (size * blocks), 64, kind, kind, out, blocks)


def _double_shapes() -> Iterator[_Shape]:
    yield _Shape(16, 16, 4, 64, _F64, _F64, _F64)
    yield _Shape(4, 4, 4, 64, _F64, _F64, _F64, blocks=4)


def _cdna1() -> Iterator[tuple[str, _Shape]]:
    """Names and shapes of CDNA1; bfloat16 came with two elements a lane."""
    for kind, out, elements in ((_F32, _F32, 1), (_F16, _F32, 4), (_BF16, _F32, 2), (_I8, _I32, 4)):
        for shape in _mfma_shapes(kind, out, elements, elements):
            yield f"v_mfma_{out.mnemonic}_{shape.size}{kind.mnemonic}", shape


def _cdna2() -> Iterator[tuple[str, _Shape]]:
    """CDNA2 adds bfloat16 with four elements a lane (``_1k``), and float64."""
    yield from _cdna1()
    for shape in _mfma_shapes(_BF16, _F32, 4, 4):
        yield f"v_mfma_f32_{shape.size}bf16_1k", shape
    for shape in _double_shapes():
        yield f"v_mfma_f64_{shape.size}f64", shape


def _cdna3() -> Iterator[tuple[str, _Shape]]:
    """CDNA3 names the blocks and both types, fills 64 bits with 8-bit types, and adds xf32 and sparse A."""
    dense = [
        *_mfma_shapes(_F32, _F32, 1, 1),
        *_mfma_shapes(_XF32, _F32, 2, 0),
        *_mfma_shapes(_F16, _F32, 4, 4),
        *_mfma_shapes(_BF16, _F32, 4, 4),
        *_mfma_shapes(_I8, _I32, 8, 4),
        *_double_shapes(),
    ]
    for shape in dense:
        blocks = f"_{shape.blocks}b" if shape.blocks > 1 else ""
        yield f"v_mfma_{shape.out.mnemonic}_{shape.size}{blocks}_{shape.a.mnemonic}", shape
    for a, b in product((_FP8_FNUZ, _BF8_FNUZ), repeat=2):
        for size, k in ((32, 16), (16, 32)):
            yield f"v_mfma_f32_{size}x{size}x{k}_{a.mnemonic}_{b.mnemonic}", _Shape(size, size, k, 64, a, b, _F32)
    yield from _smfmac()


def _smfmac() -> Iterator[tuple[str, _Shape]]:
    """Sparse A: k is twice that of the dense instruction of the same types."""
    for kind, out, k in ((_F16, _F32, 16), (_BF16, _F32, 16), (_I8, _I32, 32)):
        for size, depth in ((32, k), (16, 2 * k)):
            shape = _Shape(size, size, depth, 64, kind, kind, out, sparse=True)
            yield f"v_smfmac_{out.mnemonic}_{shape.size}_{kind.mnemonic}", shape
    for a, b in product((_FP8_FNUZ, _BF8_FNUZ), repeat=2):
        for size, depth in ((32, 32), (16, 64)):
            shape = _Shape(size, size, depth, 64, a, b, _F32, sparse=True)
            yield f"v_smfmac_f32_{shape.size}_{a.mnemonic}_{b.mnemonic}", shape


def _rdna3() -> Iterator[tuple[str, _Shape]]:
    for out, kind in ((_F32, _F16), (_F32, _BF16), (_F16, _F16), (_BF16, _BF16), (_I32, _IU8), (_I32, _IU4)):
        for lanes in (32, 64):
            shape = _Shape(16, 16, 16, lanes, kind, kind, out)
            yield f"v_wmma_{out.mnemonic}_{shape.size}_{kind.mnemonic}", shape


def _rdna4() -> Iterator[tuple[str, _Shape]]:
    """Dense and sparse instructions of the same types; the sparse ones have twice the k."""
    same_types = [
        (_F32, _F16, 16),
        (_F32, _BF16, 16),
        (_F16, _F16, 16),
        (_BF16, _BF16, 16),
        (_I32, _IU8, 16),
        (_I32, _IU4, 16),
        (_I32, _IU4, 32),
    ]
    for (out, kind, k), lanes in product(same_types, (32, 64)):
        for sparse in (False, True):
            shape = _Shape(16, 16, 2 * k if sparse else k, lanes, kind, kind, out, sparse=sparse)
            mnemonic = "v_swmmac" if sparse else "v_wmma"
            yield f"{mnemonic}_{out.mnemonic}_{shape.size}_{kind.mnemonic}", shape
    for a, b, lanes in product((_FP8, _BF8), (_FP8, _BF8), (32, 64)):
        dense, sparse_shape = (_Shape(16, 16, k, lanes, a, b, _F32, sparse=k == 32) for k in (16, 32))
        yield f"v_wmma_f32_{dense.size}_{a.mnemonic}_{b.mnemonic}", dense
        yield f"v_swmmac_f32_{sparse_shape.size}_{a.mnemonic}_{b.mnemonic}", sparse_shape


def instructions() -> tuple[Instruction, ...]:
    """All matrix instructions of the six architectures.

    Returns
    -------
    One Instruction for each architecture, name and wave size. C's lane map of a sparse instruction is D's: it adds
    to D, and the register of C's place holds the index.

    Examples
    --------
    >>> everything = instructions()
    >>> [mfma] = [i for i in everything if i.short_name == "gfx90a.mfma_f32_32x32x8f16"]
    >>> mfma.a, mfma.a.coordinates()[33, 2].tolist(), mfma.a.registers[2]
    (<LaneMap a: 32×8 fp16, 64 lanes × 4 elements>, [1, 6], 'v1.[15:0]')
    >>> [wmma] = [i for i in everything if i.short_name == "gfx1100.wmma_f16_16x16x16_f16.w32"]
    >>> wmma.a.where(row=3, col=10), wmma.c.registers[:2], wmma.c.holes[:2]
    ([(3, 10), (19, 10)], ('v0.[15:0]', 'v1.[15:0]'), ('v0.[31:16]', 'v1.[31:16]'))
    """
    families: tuple[tuple[str, Iterator[tuple[str, _Shape]], _Rules], ...] = (
        ("gfx908", _cdna1(), _MFMA),
        ("gfx90a", _cdna2(), _MFMA),
        ("gfx942", _cdna3(), _MFMA),
        ("gfx1100", _rdna3(), _RDNA3),
        ("gfx1200", _rdna4(), _RDNA4),
    )
    named = [_instruction(arch, name, shape, rules) for arch, shapes, rules in families for name, shape in shapes]
    gfx1250 = _Shape(16, 16, 32, 32, _F16, _F16, _F32)
    named.append(_instruction("gfx1250", "v_wmma_f32_16x16x32_f16", gfx1250, _GFX1250, "medium"))
    return tuple(named)
