"""NVIDIA's lane maps against the formulas of the PTX ISA, written out as it prints them."""

import re

import pytest

from gpuemu import tensorcores
from gpuemu.tensorcores.instruction import ELEMENT_TYPES
from gpuemu.tensorcores.nvidia import instructions

# Each formula maps (lane, i) to (row, column); g and t are PTX's groupID and threadID_in_group.
# PTX ISA, "Matrix Fragments for mma.<shape>", multiplicand A.
A_FORMULAS = {
    ("m8n8k4", "f64"): lambda g, t, i: (g, t),
    ("m8n8k16", "8 bits"): lambda g, t, i: (g, t * 4 + i),
    ("m8n8k32", "4 bits"): lambda g, t, i: (g, t * 8 + i),
    ("m8n8k128", "1 bit"): lambda g, t, i: (g, t * 32 + i),
    ("m16n8k4", "tf32"): lambda g, t, i: (g if i == 0 else g + 8, t),
    ("m16n8k4", "f64"): lambda g, t, i: (g if i == 0 else g + 8, t),
    ("m16n8k8", "16 bits"): lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
    ("m16n8k8", "tf32"): lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
    ("m16n8k8", "f64"): lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
    ("m16n8k16", "16 bits"): lambda g, t, i: (
        g if 0 <= i < 2 or 4 <= i < 6 else g + 8,
        t * 2 + (i & 1) if i < 4 else t * 2 + (i & 1) + 8,
    ),
    ("m16n8k16", "f64"): lambda g, t, i: (
        g if i % 2 == 0 else g + 8,
        i * 2 + t if i % 2 == 0 else i * 2 - 2 + t,
    ),
    ("m16n8k16", "8 bits"): lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3)),
    ("m16n8k32", "4 bits"): lambda g, t, i: (g if i < 8 else g + 8, t * 8 + (i & 7)),
    ("m16n8k32", "8 bits"): lambda g, t, i: (
        g if 0 <= i < 4 or 8 <= i < 12 else g + 8,
        t * 4 + (i & 3) if i < 8 else t * 4 + (i & 3) + 16,
    ),
    ("m16n8k64", "4 bits"): lambda g, t, i: (
        g if 0 <= i < 8 or 16 <= i < 24 else g + 8,
        t * 8 + (i & 7) if i < 16 else t * 8 + (i & 7) + 32,
    ),
    ("m16n8k128", "1 bit"): lambda g, t, i: (g if i < 32 else g + 8, t * 32 + (i & 31)),
    ("m16n8k256", "1 bit"): lambda g, t, i: (
        g if 0 <= i < 32 or 64 <= i < 96 else g + 8,
        t * 32 + i if i < 32 else t * 32 + (i & 31) if i < 64 else t * 32 + (i & 31) + 128,
    ),
}
# The same, multiplicand B.
B_FORMULAS = {
    ("m8n8k4", "f64"): lambda g, t, i: (t, g),
    ("m8n8k16", "8 bits"): lambda g, t, i: (t * 4 + i, g),
    ("m8n8k32", "4 bits"): lambda g, t, i: (t * 8 + i, g),
    ("m8n8k128", "1 bit"): lambda g, t, i: (t * 32 + i, g),
    ("m16n8k4", "tf32"): lambda g, t, i: (t, g),
    ("m16n8k4", "f64"): lambda g, t, i: (t, g),
    ("m16n8k8", "16 bits"): lambda g, t, i: (t * 2 + i, g),
    ("m16n8k8", "tf32"): lambda g, t, i: (t if i == 0 else t + 4, g),
    ("m16n8k8", "f64"): lambda g, t, i: (t if i == 0 else t + 4, g),
    ("m16n8k16", "16 bits"): lambda g, t, i: (t * 2 + (i & 1) if i < 2 else t * 2 + (i & 1) + 8, g),
    ("m16n8k16", "f64"): lambda g, t, i: (t + i * 4, g),
    ("m16n8k16", "8 bits"): lambda g, t, i: (t * 4 + i, g),
    ("m16n8k32", "4 bits"): lambda g, t, i: (t * 8 + (i & 7), g),
    ("m16n8k32", "8 bits"): lambda g, t, i: (t * 4 + (i & 3) if i < 4 else t * 4 + (i & 3) + 16, g),
    ("m16n8k64", "4 bits"): lambda g, t, i: (t * 8 + (i & 7) if i < 8 else t * 8 + (i & 7) + 32, g),
    ("m16n8k128", "1 bit"): lambda g, t, i: (t * 32 + i, g),
    ("m16n8k256", "1 bit"): lambda g, t, i: (t * 32 + (i & 31) if i < 32 else t * 32 + (i & 31) + 128, g),
}
WIDTHS = {"16 bits": ("f16", "bf16"), "8 bits": ("s8", "u8", "e4m3", "e5m2"), "4 bits": ("s4", "u4", "e2m1")}
KIND = {name: kind for kind, names in WIDTHS.items() for name in names} | {"b1": "1 bit", "tf32": "tf32", "f64": "f64"}

MMA = [x for x in instructions() if x.name.startswith("mma") and x.arch != "sm_70"]
VOLTA = [x for x in instructions() if x.arch == "sm_70"]
SCALED = [x for x in MMA if x.scales]
WGMMA = [x for x in instructions() if x.name.startswith("wgmma")]


def short_name(instruction):
    return f"{instruction.arch} {instruction.short_name}"


def table(lanes, elements, formula):
    return [[list(formula(lane, i)) for i in range(elements)] for lane in range(lanes)]


def grouped(formula):
    return lambda lane, i: formula(lane >> 2, lane % 4, i)


def shape_and_kind(instruction):
    factor = re.search(
        r"\.(f64|f16|bf16|tf32|[su][48]|b1|e\dm\d)\.(?:[a-z0-9]+)\.(?:f16|f32|f64|s32)", instruction.name
    )
    kind = "8 bits" if "f8f6f4" in instruction.name else KIND[factor[1]]  # there each takes a container of 8
    return f"m{instruction.m}n{instruction.n}k{instruction.k}", kind


@pytest.mark.parametrize("mma", MMA, ids=short_name)
def test_factors_of_mma_lie_as_ptx_says(mma):
    key = shape_and_kind(mma)
    assert mma.a.coordinates().tolist() == table(32, mma.m * mma.k // 32, grouped(A_FORMULAS[key]))
    assert mma.b.coordinates().tolist() == table(32, mma.k * mma.n // 32, grouped(B_FORMULAS[key]))


@pytest.mark.parametrize("mma", MMA, ids=short_name)
def test_sums_of_mma_lie_as_ptx_says(mma):
    want = table(32, mma.m * 8 // 32, grouped(lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1))))
    assert mma.c.coordinates().tolist() == want
    assert mma.d.coordinates().tolist() == want


@pytest.mark.parametrize("mma", SCALED, ids=short_name)
def test_scales_lie_as_cutlass_says(mma):
    """CuTe layouts: A ((2, 2, 8), k) : ((8, 0, 1), 16) in 16 rows, by columns; B ((4, 8), k) : ((0, 1), 8)."""
    scales = int(re.search(r"scale_vec::(\d)X", mma.name)[1])
    assert mma.scales.block == mma.k // scales
    assert mma.scales.a.coordinates().tolist() == table(32, scales, lambda lane, i: (lane % 2 * 8 + lane // 4, i))
    assert mma.scales.b.coordinates().tolist() == table(32, scales, lambda lane, i: (i, lane // 4))
    assert {mma.scales.a.dtype, mma.scales.b.dtype} == {mma.name.rsplit(".", 1)[1]}


def test_four_bits_in_a_container_of_eight_lie_in_its_middle():
    mma = next(x for x in MMA if x.short_name == "m16n8k32.f8f6f4.e2m1.e3m2")
    assert mma.a.registers[:5] == ("r0.[5:2]", "r0.[13:10]", "r0.[21:18]", "r0.[29:26]", "r1.[5:2]")
    assert mma.b.registers[:2] == ("r0.[5:0]", "r0.[13:8]")
    assert (mma.a.holes[:2], mma.b.holes[:2]) == (("r0.[1:0]", "r0.[7:6]"), ("r0.[7:6]", "r0.[15:14]"))


def volta_a(layout):
    def formula(lane, i):
        upper = 0 if lane < 16 else 4
        row, col = (lane % 4 + upper, i) if layout == "row" else (i % 4 + upper, lane % 4)
        return row, col, lane // 4 % 4

    return formula


def volta_b(layout):
    def formula(lane, i):
        upper = 0 if lane < 16 else 4
        row, col = (i, lane % 4 + upper) if layout == "col" else (lane % 4, i + upper)
        return row, col, lane // 4 % 4

    return formula


def volta_sums(dtype):
    def formula(lane, i):
        upper = 0 if lane < 16 else 4
        if dtype == "f16":
            return lane % 4 + upper, i, lane // 4 % 4
        return (lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1), lane // 4 % 4

    return formula


@pytest.mark.parametrize("mma", VOLTA, ids=short_name)
def test_quad_pairs_of_volta_lie_as_ptx_says(mma):
    a_layout, b_layout, sums = mma.name.split(".")[4:7]
    assert mma.a.coordinates().tolist() == table(32, 4, volta_a(a_layout))
    assert mma.b.coordinates().tolist() == table(32, 4, volta_b(b_layout))
    assert mma.c.coordinates().tolist() == table(32, 8, volta_sums(sums))


@pytest.mark.parametrize("wgmma", WGMMA, ids=short_name)
def test_wgmma_lies_as_the_figures_of_ptx_show(wgmma):
    """Each warp has 16 rows; four elements are two rows of a pair of columns, and the next four are 8 columns on."""

    def sums(lane, i):
        return lane // 32 * 16 + lane % 32 // 4 + i // 2 % 2 * 8, i // 4 * 8 + lane % 4 * 2 + i % 2

    p = {16: 2, 32: 4, 8: 1}[wgmma.k]

    def factor(lane, i):
        return lane // 32 * 16 + lane % 32 // 4 + i // p % 2 * 8, i // (2 * p) * 4 * p + lane % 4 * p + i % p

    assert wgmma.c.coordinates().tolist() == table(128, wgmma.n // 2, sums)
    assert wgmma.a.coordinates().tolist() == table(128, wgmma.k // 2, factor)
    assert wgmma.b is None  # always in shared memory


def test_catalogue_has_the_architectures_with_their_counts():
    counts = {"sm_70": 8, "sm_75": 3, "sm_80": 39, "sm_89": 8, "sm_90": 3, "sm_90a": 24, "sm_120a": 54}
    assert {arch: len(tensorcores.instructions("nvidia", arch)) for arch in counts} == counts
    assert sum(counts.values()) == len(instructions())


def test_one_bit_products_say_which_gate_they_use():
    assert tensorcores.instruction("m8n8k128.b1.xor").product == "xor"
    assert tensorcores.instruction("m8n8k128.b1.and").product == "and"
    assert tensorcores.instruction("m16n8k16").product == "multiply"


def test_units_follow_the_architecture_and_integers_are_exact():
    assert {x.unit for x in tensorcores.instructions("nvidia", "sm_80")} == {"A100", "exact"}
    assert {x.unit for x in tensorcores.instructions("nvidia", "sm_89")} == {"Ada"}
    assert all((x.unit == "exact") == (x.types[3] == "s32") for x in instructions())


def test_registers_are_of_32_bits():
    half = tensorcores.instruction("m16n8k16")
    assert half.a.registers[-1] == "r3.[31:16]"
    assert half.c.registers == ("r0", "r1", "r2", "r3")
    assert tensorcores.instruction("m16n8k256.xor").a.registers[-1] == "r3.[31]"
    assert tensorcores.instruction("m8n8k4.f64").c.registers == ("r[1:0]", "r[3:2]")


def test_types_are_names_of_types():
    for x in instructions():
        assert all(name in ELEMENT_TYPES for types in x.types for name in types.split("/")), x.types
        assert all(ELEMENT_TYPES[x.dtypes[o].split("/")[0]].name == m.dtype for o, m in x.maps.items())
