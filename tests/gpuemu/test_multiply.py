"""Instruction.multiply: the unit, path, types and options that each instruction brings along."""

import numpy as np
import pytest
from oracles import tensor_core_oracle as oracle

from gpuemu import tensorcores
from gpuemu.errors import InstructionError, UnitError
from gpuemu.tensorcores import arithmetic, instruction

EVERY = tensorcores.instructions()


def zeros(x):
    return np.zeros((x.m, x.k)), np.zeros((x.k, x.n)), np.zeros((x.m, x.n))


def ones(lane_map):
    return np.ones((lane_map.rows, lane_map.columns))


@pytest.mark.parametrize("x", EVERY, ids=lambda x: f"{x.arch}-{x.name}-{x.lanes}")
def test_every_instruction_has_an_entry_of_its_unit(x):
    scales = {} if x.scales is None else {"scale_a": ones(x.scales.a), "scale_b": ones(x.scales.b)}
    assert x.path in arithmetic.unit(x.unit).paths
    assert x.multiply(*zeros(x), **scales).shape == (x.m, x.n)


def test_paths_are_wgmma_on_hopper_older_for_the_bfloat16_that_cdna1_had_and_block_scale():
    for x in EVERY:
        older = x.arch == "gfx90a" and "bf16" in x.name and "_1k" not in x.name
        scaled = "block_scale" * ("block_scale" in x.name)
        assert x.path == ("wgmma" if x.name.startswith("wgmma") else "older" if older else scaled or "mma")
    assert sum(x.path == "older" for x in EVERY) == 5


def test_path_changes_the_bits():
    """Four halves make 2 in a tree of four; in trees of two each 1 meets c = 2^24 alone, a tie that goes to even."""
    older, newer = instruction("v_mfma_f32_32x32x4bf16", "gfx90a"), instruction("v_mfma_f32_32x32x8bf16_1k", "gfx90a")
    a, b, c = np.zeros((32, 8)), np.ones((8, 32)), np.full((32, 32), 2.0**24)
    a[:, :4] = 0.5
    assert newer.multiply(a, b, c)[0, 0] == 2.0**24 + 2
    assert older.multiply(a[:, :4], b[:4], c)[0, 0] == 2.0**24


def test_wgmma_and_mma_on_fp8_differ_on_one_gpu():
    wgmma, mma = instruction("m64n8k32.f32.e4m3"), instruction("m16n8k32.f32.e4m3")
    assert (wgmma.path, wgmma.unit, mma.unit) == ("wgmma", "H100", "Ada")
    a, b = np.ones((64, 32)), np.ones((32, 8))
    a[:, 0] = b[0] = 448
    assert wgmma.multiply(a, b, np.zeros((64, 8)))[0, 0] == 448 * 448
    assert mma.multiply(a[:16], b, np.zeros((16, 8)), unit="H100")[0, 0] == 448 * 448 + 31


def test_unit_without_the_path_adds_as_its_mma_does():
    wgmma = instruction("m64n8k16.f32.f16")
    a, b, c = np.full((64, 16), 0.5), np.ones((16, 8)), np.full((64, 8), 2.0**24)
    assert wgmma.multiply(a, b, c)[0, 0] == 2.0**24 + 8
    assert wgmma.multiply(a, b, c, unit="A100")[0, 0] == 2.0**24
    assert wgmma.multiply(a, b, c, arithmetic.unit("A100"))[0, 0] == 2.0**24


def test_unit_that_lacks_the_types_says_so():
    x = instruction("m16n8k16.f32.bf16")
    with pytest.raises(UnitError) as caught:
        x.multiply(*zeros(x), unit="V100")
    assert str(caught.value) == (
        "unit 'V100': it does not compute bf16 × bf16 to fp32 by 'mma'; it takes fp16; types of one group mix"
    )


@pytest.mark.parametrize(("gate", "want"), [("and", 32), ("xor", 64)])
def test_single_bits_multiply_as_the_instruction_says(gate, want):
    x = instruction(f"m16n8k128.{gate}")
    a = np.tile([1, 1, 0, 0], (16, 32))
    b = np.tile([1, 0, 1, 0], (8, 32)).T
    got = x.multiply(a, b, np.zeros((16, 8)))
    assert (got == want).all()
    assert got.dtype == np.int32


def test_sums_wrap_unless_the_name_says_that_they_saturate():
    plain, full = instruction("m16n8k32.s32.s8"), instruction("m16n8k32.s32.s8.satfinite")
    a, b, c = np.full((16, 32), 127), np.full((32, 8), 127), np.full((16, 8), 2**31 - 1)
    assert (plain.multiply(a, b, c) == -(2**31) - 1 + 32 * 127 * 127).all()
    assert (full.multiply(a, b, c) == 2**31 - 1).all()
    assert full.name == "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32"
    assert instruction(full.name) == full == full.saturating
    clamp = instruction("v_wmma_i32_16x16x16_iu8 clamp", "gfx1100", 32)
    assert clamp.saturate
    assert clamp.name == "v_wmma_i32_16x16x16_iu8 clamp"


def test_form_that_does_not_exist_is_an_error():
    with pytest.raises(InstructionError) as caught:
        instruction("m16n8k16.satfinite")
    assert str(caught.value) == (
        "m16n8k16.f32.f16: it has no saturating form; 8-bit and 4-bit integers have one on NVIDIA and RDNA"
    )
    with pytest.raises(InstructionError, match="no saturating form"):
        instruction("m16n8k128.xor.satfinite")


def test_iu8_is_signed_where_the_types_say_so():
    x = instruction("v_wmma_i32_16x16x16_iu8", "gfx1100", 32)
    assert x.sign_is_chosen
    assert [y.short_name for y in EVERY if y.sign_is_chosen and "_iu" not in y.name] == []
    a, b, c = np.full((16, 16), -1), np.full((16, 16), 2), np.zeros((16, 16))
    assert (x.multiply(a, b, c, a_dtype="int8") == -32).all()
    with pytest.raises(UnitError) as caught:
        x.multiply(a, b, c)
    assert str(caught.value) == "a: -1.0 is no uint8 number; expected whole numbers from 0 to 255"


MX = instruction("m16n8k64.mxf4")


def test_each_block_of_k_has_a_scale_of_its_own():
    a, b, c = np.ones((16, 64)), np.ones((64, 8)), np.zeros((16, 8))
    scale_a, scale_b = ones(MX.scales.a), ones(MX.scales.b)
    scale_a[3, 1], scale_b[1, 5] = 4, 0.5
    got = MX.multiply(a, b, c, scale_a=scale_a, scale_b=scale_b)
    assert (got[3, 0], got[0, 5], got[3, 5], got[0, 0]) == (32 + 4 * 32, 32 + 16, 32 + 64, 64)


def test_scaled_products_round_as_the_unit_says():
    """2^40 + 1 - 2^40 along k: in float32 the 1 is lost, the exact sum keeps it."""
    a, b, c = np.zeros((16, 64)), np.zeros((64, 8)), np.zeros((16, 8))
    a[:, [0, 32, 33]], b[[0, 32, 33]] = [1, 1, -1], 1
    scale_a, scale_b = ones(MX.scales.a), ones(MX.scales.b)
    c[:] = -(2.0**40)
    scale_a[:, 0] = 2.0**40
    a[:, 33] = 0
    assert (MX.multiply(a, b, c, "exact", scale_a=scale_a, scale_b=scale_b) == 1).all()
    a[:, 1], b[1] = -1, 1
    c[:] = 1
    assert (MX.multiply(a, b, c, scale_a=scale_a, scale_b=scale_b) == 1).all()
    assert (MX.multiply(a, b, c, "exact", scale_a=scale_a, scale_b=scale_b) == 2).all()


def test_scaled_products_are_those_of_fractions():
    """Scales from 2^-20 to 2^20: `exact` rounds the sum of fractions once, its other unit adds in float32 in order."""
    rng = np.random.default_rng(11)
    values = np.array([0.0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -6])
    a, b, c = rng.choice(values, (16, 64)), rng.choice(values, (64, 8)), rng.standard_normal((16, 8)).astype(np.float32)
    scale_a, scale_b = np.exp2(rng.integers(-20, 21, (16, 2))), np.exp2(rng.integers(-20, 21, (2, 8)))
    exact, in_order = (MX.multiply(a, b, c, unit, scale_a=scale_a, scale_b=scale_b) for unit in ("exact", None))
    for m, n in ((0, 0), (3, 1), (7, 5), (15, 7)):
        left = [x * scale_a[m, k // 32] for k, x in enumerate(a[m])]
        right = [x * scale_b[k // 32, n] for k, x in enumerate(b[:, n])]
        assert exact[m, n] == oracle.exact(left, right, float(c[m, n]), "fp32")
        assert in_order[m, n] == oracle.float32_in_order(left, right, float(c[m, n]), "fp32")


def test_scales_may_be_as_large_and_small_as_their_type():
    a, b, c = np.ones((16, 64)), np.ones((64, 8)), np.zeros((16, 8))
    scale_a, scale_b = ones(MX.scales.a) * 2.0**127, ones(MX.scales.b) * 2.0**-127
    for unit in (None, "exact"):
        assert (MX.multiply(a, b, c, unit, scale_a=scale_a, scale_b=scale_b) == 64).all()


@pytest.mark.parametrize(
    ("name", "scales", "message"),
    [
        ("m16n8k16", (1.0, 1.0), "multiply by m16n8k16.f32.f16: its factors have no scales; give none"),
        (
            "m16n8k64.mxf4",
            (None, None),
            "multiply by m16n8k64.mxf4: a scale for each 32 positions along k is missing; "
            "give scale_a= [m, 2] and scale_b= [2, n]",
        ),
        (
            "m16n8k64.mxf4",
            (np.ones((16, 4)), np.ones((2, 8))),
            "multiply by m16n8k64.mxf4: scale_a (16, 4); expected (…, 16, 2)",
        ),
        (
            "m16n8k64.mxf4",
            (np.full((16, 2), 3.0), np.ones((2, 8))),
            "scale_a: 3.0 is no ue8m0 number; round the values first: scale_a.astype('float8_e8m0fnu')",
        ),
        (
            "m16n8k64.mxf4nvf4.4x.ue4m3",
            (np.ones((16, 4)), -np.ones((4, 8))),
            "scale_b: -1.0 is negative; a scale of type ue4m3 has no sign",
        ),
    ],
)
def test_scales_that_do_not_fit_are_refused(name, scales, message):
    x = instruction(name)
    with pytest.raises((InstructionError, UnitError)) as caught:
        x.multiply(*zeros(x), scale_a=scales[0], scale_b=scales[1])
    assert str(caught.value) == message


def test_unit_that_knows_no_block_scales_says_so():
    x = instruction("m16n8k32.mxf8f6f4")
    with pytest.raises(UnitError, match="it does not compute e4m3 × e4m3 to fp32 by 'block_scale'; by 'mma' it does"):
        x.multiply(*zeros(x), unit="B200", scale_a=np.ones((16, 1)), scale_b=np.ones((1, 8)))
    with pytest.raises(UnitError, match=r"matmul by 'block_scale': give scales= of a and b"):
        arithmetic.unit("exact").matmul(*zeros(x), "e4m3", "fp32", "block_scale")
    with pytest.raises(UnitError, match=r"matmul by 'mma': it has no scales= of a and b"):
        arithmetic.unit("exact").matmul(*zeros(x), "e4m3", "fp32", scales=(np.ones((16, 1)), np.ones((1, 8))))
    with pytest.raises(
        UnitError, match=r"matmul of a \(16, 32\) with scales \(16, 5\): expected a scale for each block"
    ):
        arithmetic.unit("exact").matmul(
            *zeros(x), "e4m3", "fp32", "block_scale", scales=(np.ones((16, 5)), np.ones((1, 8)))
        )


def test_leading_axes_are_products_of_their_own():
    x, rng = instruction("m16n8k16"), np.random.default_rng(3)
    a = rng.standard_normal((2, 3, 16, 16)).astype(np.float16)
    b = rng.standard_normal((2, 3, 16, 8)).astype(np.float16)
    c = rng.standard_normal((2, 3, 16, 8)).astype(np.float32)
    together = x.multiply(a, b, c)
    assert together.shape == (2, 3, 16, 8)
    for at in np.ndindex(2, 3):
        assert (x.multiply(a[at], b[at], c[at]) == together[at]).all()


@pytest.mark.parametrize(("a", "b"), [(True, True), (True, False), (False, True), (False, False)])
def test_signs_of_iu4_can_be_chosen(a, b):
    x = instruction("v_wmma_i32_16x16x16_iu4", "gfx1100", 32).with_signs(a, b)
    assert (x.a.dtype, x.b.dtype) == tuple(("uint4", "int4")[signed] for signed in (a, b))
    left, right = (-8 if a else 15), (-8 if b else 15)
    got = x.multiply(np.full((16, 16), left), np.full((16, 16), right), np.ones((16, 16)))
    assert (got == 16 * left * right + 1).all()
    assert x.with_signs(False, False) == instruction("v_wmma_i32_16x16x16_iu4", "gfx1100", 32)


def test_signs_of_other_types_cannot():
    with pytest.raises(InstructionError) as caught:
        instruction("m16n8k16").with_signs(True, True)
    assert str(caught.value) == "m16n8k16.f32.f16: its types say which integers are signed; no modifier does"


def test_check_unit_says_whether_a_unit_takes_the_types():
    instruction("m16n8k16").check_unit("V100")
    instruction("m64n8k16.f32.f16").check_unit("A100")  # by mma, since an A100 has no wgmma
    with pytest.raises(UnitError, match=r"^unit 'V100': it does not compute bf16"):
        instruction("m16n8k16.f32.bf16").check_unit("V100")
    with pytest.raises(UnitError, match="did you mean 'A100'"):
        instruction("m16n8k16").check_unit("A10")
