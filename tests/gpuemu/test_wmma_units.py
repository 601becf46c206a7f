"""Tensor cores in a program: the bits of the instruction's unit, of another, of signed and saturating integers."""

from typing import Any

import numpy as np
import pytest
from test_wmma import kernel, scatter

from gpuemu import Program, UOps, dtypes
from gpuemu.errors import LaunchError, ProgramError
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.tensorcores import instruction, instructions

LEGACY = "v_mfma_f32_32x32x4bf16"


def fragments(core: TensorCore, *matrices: Any) -> list[np.ndarray]:
    """The registers of A, B, C and the scales, of matrices (rows, columns) or single numbers."""
    held = (core.a, core.b, core.c, *(core.scales or ()))
    return [
        scatter(x, np.broadcast_to(m, (1, *x.matrix_shape)).astype(x.dtype.numpy))
        for x, m in zip(held, matrices, strict=True)
    ]


def launch(core: TensorCore, program: Program, inputs: list[np.ndarray], **options: Any) -> np.ndarray:
    """The fragments of D."""
    lanes = core.instruction.lanes
    out = np.zeros((1, lanes, core.d.dtype.count), core.d.dtype.numpy)
    wide = [x if x.shape[1] == lanes else np.concatenate([x, x + x.dtype.type(1)], axis=1) for x in inputs]
    program(out, *wide, local_size=(lanes, 1, 1), **options)
    return out


@pytest.mark.parametrize(("unit", "above"), [(None, 0), ("A100", 0), ("H100", 8), ("exact", 8)])
def test_program_gives_the_bits_of_its_unit(unit: str | None, above: int) -> None:
    core = resolve("m16n8k16")
    inputs = fragments(core, 0.5, 1.0, 2.0**24)
    plain = kernel(core, "m16n8k16", warps=1, warp=32)
    chosen = Program("chosen", plain.lines, unit=unit)
    assert (launch(core, chosen, inputs) == 2.0**24 + above).all()
    assert (launch(core, plain, inputs, unit=unit) == 2.0**24 + above).all()
    if unit is not None:
        again = Program.from_text(chosen.to_text())
        assert again == chosen
        assert (again.unit, chosen.to_text().splitlines()[0]) == (unit, f'program "chosen" warp 32 unit "{unit}"')


def test_units_name_in_the_text_stands_in_quotes() -> None:
    with pytest.raises(ProgramError) as caught:
        Program.from_text('program "p" warp 32 unit A100')
    assert str(caught.value) == "text line 1: got A100; expected the name of an arithmetic unit in quotes"


def test_launch_overrides_the_programs_unit() -> None:
    core = resolve("m16n8k16")
    inputs = fragments(core, 0.5, 1.0, 2.0**24)
    program = Program("exact", kernel(core, "m16n8k16", warps=1, warp=32).lines, unit="exact")
    assert (launch(core, program, inputs, unit="A100") == 2.0**24).all()
    assert (launch(core, program, inputs) == 2.0**24 + 8).all()


@pytest.mark.parametrize(
    "name", ["m16n8k16", "m16n8k8.f32.tf32", "m16n8k32.f32.e4m3", "gfx90a.mfma_f32_32x32x8bf16_1k"]
)
def test_random_fragments_give_the_bits_of_the_unit(name: str) -> None:
    core, rng = resolve(name, 64), np.random.default_rng(8)
    a, b, c = (
        rng.standard_normal(x.matrix_shape).astype(x.dtype.numpy).astype(np.float32) for x in (core.a, core.b, core.c)
    )
    if core.a.lane_map.dtype == "tf32":
        a, b = ((x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in (a, b))
    program = kernel(core, name, warps=1, warp=core.instruction.lanes)
    got = launch(core, program, fragments(core, a, b, c))
    assert got.tobytes() == scatter(core.d, core.instruction.multiply(a, b, c)[np.newaxis]).tobytes()


def test_older_bfloat16_of_cdna2_adds_in_twos() -> None:
    core = resolve(LEGACY.replace("v_", "gfx90a."))
    assert core.instruction.path == "older"
    program = kernel(core, core.instruction.short_name, warps=1, warp=64)
    assert (launch(core, program, fragments(core, 0.5, 1.0, 2.0**24)) == 2.0**24).all()


def test_unit_that_does_not_take_the_types_is_refused() -> None:
    core = resolve("m16n8k16.f32.bf16")
    plain = kernel(core, "m16n8k16.f32.bf16", warps=1, warp=32)
    says = "unit 'V100': it does not compute bf16 × bf16 to fp32 by 'mma'; it takes fp16; types of one group mix"
    number = next(i for i, line in enumerate(plain.lines) if line.uop is UOps.WMMA)
    with pytest.raises(ProgramError) as refused:
        Program("bf16", plain.lines, unit="V100")
    assert str(refused.value) == f"line {number} (WMMA): {says}"
    with pytest.raises(LaunchError) as caught:
        launch(core, plain, fragments(core, 1, 1, 0), unit="V100")
    assert str(caught.value) == f"wmma: {says}"


@pytest.mark.parametrize(("a", "b"), [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("name", ["gfx1100.wmma_i32_16x16x16_iu8.w32", "gfx1200.wmma_i32_16x16x16_iu4.w32"])
def test_types_of_the_sources_say_which_integers_are_signed(name: str, a: bool, b: bool) -> None:
    core = resolve(name, 32, signed=(a, b))
    assert (core.a.dtype.scalar(), core.b.dtype.scalar()) == tuple((dtypes.uint8, dtypes.int8)[x] for x in (a, b))
    left, right = (-3 if a else 5), (-2 if b else 7)
    got = launch(core, kernel(core, name, warps=1, warp=32), fragments(core, left, right, 1))
    assert (got == 16 * left * right + 1).all()


@pytest.mark.parametrize(("end", "want"), [("", -(2**31) + 16 * 127 * 127 - 1), (" clamp", 2**31 - 1)])
def test_sums_saturate_where_the_name_says_so(end: str, want: int) -> None:
    name = "gfx1100.wmma_i32_16x16x16_iu8.w32" + end
    core = resolve(name, 32, signed=(True, True))
    got = launch(core, kernel(core, name, warps=1, warp=32), fragments(core, 127, 127, 2**31 - 1))
    assert (got == want).all()


def test_satfinite_of_nvidia() -> None:
    name = "m16n8k32.s32.s8.satfinite"
    core = resolve(name)
    got = launch(core, kernel(core, name, warps=1, warp=32), fragments(core, -128, 127, -(2**31)))
    assert (got == -(2**31)).all()


def test_lanes_that_the_instruction_ignores_change_nothing() -> None:
    """Of a wave64 with IU4, AMD reads A and B from lanes 0 to 31; the others here hold other numbers."""
    name = "gfx1200.wmma_i32_16x16x16_iu4.w64"
    core = resolve(name, 64)
    assert (core.a.lane_map.lanes, core.instruction.lanes) == (32, 64)
    a, b = np.arange(256).reshape(16, 16) % 5, np.arange(256).reshape(16, 16) % 7
    got = launch(core, kernel(core, name, warps=1, warp=64), fragments(core, a, b, 3))
    assert (got == scatter(core.d, (a @ b + 3)[np.newaxis, np.newaxis])).all()


def test_maps_of_fewer_lanes_hold_nothing_twice() -> None:
    fewer = [x for x in instructions() for m in x.maps.values() if m.lanes < x.lanes]
    assert fewer
    assert not any(m.duplicates for x in fewer for m in x.maps.values() if m.lanes < x.lanes)
    assert all(x.d is not None and x.d.lanes == x.lanes for x in instructions())


def test_check_unit_says_what_a_unit_takes() -> None:
    instruction("m16n8k16").check_unit()
    instruction("m16n8k16").check_unit("V100")
    core = resolve("m16n8k16")
    assert core.unit is None
