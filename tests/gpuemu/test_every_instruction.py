"""Each dense instruction of the catalogue, run once on lanes through a program, against numpy; none is left out.

Whole numbers over the whole range of their type, to the bit, with sums that wrap and, where there is such a form, with
sums that saturate; other numbers within the rounding of their types, and to the bit as the instruction's unit gives.
"""

from typing import Any

import numpy as np
import pytest
from test_wgmma import in_memory
from test_wgmma import kernel as wgmma_kernel
from test_wmma import kernel, scatter
from test_wmma_units import fragments, launch

from gpuemu import Program, UOps, dtypes
from gpuemu.errors import InstructionError, ProgramError
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.tensorcores import instruction, instructions
from gpuemu.tensorcores.instruction import Instruction


def dense() -> list[Instruction]:
    return [x for x in instructions() if not x.sparse]


def whole(x: Instruction) -> bool:
    return x.c.dtype == "int32"


RANGES = {"int8": (-128, 128), "uint8": (0, 256), "int4": (-8, 8), "uint4": (0, 16), "b1": (0, 2)}


def run(core: TensorCore, name: str, *matrices: np.ndarray) -> np.ndarray:
    """The fragments of D, from a program that loads, multiplies and stores."""
    if core.b_is_shared:
        a, b, c = matrices
        out = np.zeros((core.instruction.lanes, core.d.dtype.count), core.d.dtype.numpy)
        inputs = scatter(core.a, a[np.newaxis]), in_memory(core, b[0]), scatter(core.c, c[np.newaxis])
        wgmma_kernel(core, name)(out, *inputs, local_size=(core.instruction.lanes,))
        return out
    return launch(core, kernel(core, name, warps=1, warp=core.instruction.lanes), fragments(core, *matrices))[0]


def held(core: TensorCore, d: np.ndarray) -> np.ndarray:
    return scatter(core.d, d[np.newaxis])[0]


def whole_numbers(core: TensorCore, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A, B, C near the ends of int32, and the exact sums, which are beyond those ends here and there."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(*RANGES[x.lane_map.dtype], x.matrix_shape) for x in (core.a, core.b))
    a[:, 0], b[:, :, 0] = RANGES[core.a.lane_map.dtype][0], RANGES[core.b.lane_map.dtype][0]
    ends = rng.integers(0, 4, core.c.matrix_shape)
    small = rng.integers(-9, 9, ends.shape)
    c = np.choose(ends, [small, 2**31 - 1 - abs(small), abs(small) - 2**31, 1000 * small])
    c[:, 0, 0] = 2**31 - 1
    if core.instruction.product == "xor":
        a_bits = a[:, :, :, np.newaxis] != b[:, np.newaxis]
        return a, b, c, a_bits.sum(axis=2) + c
    return a, b, c, a @ b + c


SIGNS = [(True, True), (True, False), (False, True), (False, False)]
CASES = [
    pytest.param(x, signed, id=f"{x.arch}-{x.short_name}" + f"-{signed[0]:d}{signed[1]:d}" * x.sign_is_chosen)
    for x in dense()
    if whole(x)
    for signed in (SIGNS if x.sign_is_chosen else SIGNS[-1:])
]


@pytest.mark.parametrize(("x", "signed"), CASES)
def test_whole_numbers_are_exact_and_wrap(x: Instruction, signed: tuple[bool, bool]) -> None:
    core = resolve(x.short_name, x.lanes, signed)
    a, b, c, exact = whole_numbers(core, 1)
    assert exact.max() > 2**31 - 1 or RANGES[core.a.lane_map.dtype][0] * RANGES[core.b.lane_map.dtype][0] <= 0
    assert np.array_equal(run(core, x.short_name, a, b, c), held(core, exact.astype(np.int32)))


def saturates(x: Instruction) -> bool:
    try:
        return x.saturating.saturate
    except InstructionError:
        return False


@pytest.mark.parametrize(("x", "signed"), [case for case in CASES if saturates(case.values[0])])
def test_whole_numbers_stay_at_the_ends_where_the_instruction_says_so(
    x: Instruction, signed: tuple[bool, bool]
) -> None:
    name = x.short_name + (".satfinite" if x.vendor == "nvidia" else " clamp")
    core = resolve(name, x.lanes, signed)
    a, b, c, exact = whole_numbers(core, 2)
    clipped = exact.clip(-(2**31), 2**31 - 1)
    assert (clipped != exact).any()
    assert np.array_equal(run(core, name, a, b, c), held(core, clipped))


def coarseness(x: Any) -> float:
    """Half of the step behind 1 of a type, the bits that a sum of fp8 products loses on Ada and Hopper counted in."""
    steps = {"fp64": 2.0**-52, "fp32": 2.0**-22, "fp16": 2.0**-11, "bf16": 2.0**-8}
    return max(steps[x.d.dtype], 2.0**-13 if x.a.dtype.startswith(("e4", "e5")) and x.arch != "sm_120a" else 0.0)


def scales_of(core: TensorCore, rng: np.random.Generator) -> list[np.ndarray]:
    """Block scales of A and of B, from a half to 4, and with other fractions where they have them."""
    found = []
    for fragment in core.scales or ():
        size = np.exp2(rng.integers(-1, 3, fragment.matrix_shape))
        fraction = rng.integers(8, 16, fragment.matrix_shape) / 8 if fragment.lane_map.dtype == "ue4m3" else 1.0
        found.append(size * fraction)
    return found


def bits_of(core: TensorCore, scales: list[np.ndarray]) -> list[np.ndarray]:
    """Scales as a program's registers hold them: those of type ue8m0 as their biased exponents."""
    powers = core.scales and core.scales[0].lane_map.dtype == "ue8m0"
    return [np.log2(x) + 127 for x in scales] if powers else scales


def scaled(core: TensorCore, a: np.ndarray, b: np.ndarray, scales: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A and B with each element times the scale of its block."""
    if not scales:
        return a, b
    block = core.instruction.k // scales[0].shape[-1]
    along = np.arange(core.instruction.k) // block
    return a * scales[0][:, :, along], b * scales[1][:, along]


@pytest.mark.parametrize("x", [pytest.param(x, id=f"{x.arch}-{x.short_name}") for x in dense() if not whole(x)])
def test_other_numbers_are_near_the_exact_product_and_have_the_units_bits(x: Instruction) -> None:
    core = resolve(x.short_name, x.lanes)
    rng = np.random.default_rng(3)
    a, b, c = (
        rng.standard_normal(f.matrix_shape).astype(f.dtype.numpy).astype(np.float64) for f in (core.a, core.b, core.c)
    )
    if core.a.lane_map.dtype == "tf32":
        a, b = ((m.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for m in (a, b))
    scales = scales_of(core, rng)
    d = run(core, x.short_name, a, b, c, *bits_of(core, scales))
    options = dict(zip(("scale_a", "scale_b"), scales, strict=bool(scales)))
    assert d.tobytes() == held(core, core.instruction.multiply(a, b, c, **options)).tobytes()
    a, b = scaled(core, a, b, scales)
    error = abs(d.astype(np.float64) - scatter_exact(core, a @ b + c))
    size = scatter_exact(core, abs(a) @ abs(b) + abs(c))
    assert (error <= coarseness(core.instruction) * x.k * size).all()


def scatter_exact(core: TensorCore, d: np.ndarray) -> np.ndarray:
    places = core.d.lane_map.coordinates()
    block = places[..., 2] if places.shape[-1] == 3 else 0
    return d[block, places[..., 0], places[..., 1]]


def test_a_short_name_means_the_instruction_that_has_it() -> None:
    for x in dense():
        assert instruction(x.short_name, lanes=x.lanes).maps == x.maps


SCALED = [x for x in dense() if x.scales]


@pytest.mark.parametrize("x", SCALED, ids=lambda x: x.short_name)
def test_scaled_products_of_small_numbers_are_exact(x: Instruction) -> None:
    core = resolve(x.short_name)
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(-2, 3, f.matrix_shape) * 1.0 for f in (core.a, core.b, core.c))
    scales = scales_of(core, rng)
    left, right = scaled(core, a, b, scales)
    d = run(core, x.short_name, a, b, c, *bits_of(core, scales))
    assert np.array_equal(d, held(core, (left @ right + c).astype(np.float32)))


def test_scales_are_read_from_the_first_lanes_that_may_hold_them_without_their_sign() -> None:
    name = "m16n8k64.mxf4nvf4.4x.ue4m3"
    core = resolve(name)
    held_by_lanes = fragments(core, 1.0, 1.0, 0.0, 0.5, 2.0)
    of_a, of_b = (x.view(np.uint8) for x in held_by_lanes[3:])
    of_a[:, 2::4], of_a[:, 3::4] = 0x7F, 0x01  # the other pair of a quad: NaN and almost nothing
    of_b[:, 1::4] = 0x7F
    of_a[:, ::4] |= 0x80
    program = kernel(core, name, warps=1, warp=32)
    assert (launch(core, program, held_by_lanes) == 64).all()


def test_scale_of_all_ones_is_nan_and_makes_its_row_nan() -> None:
    name = "m16n8k32.mxf8f6f4"
    core = resolve(name)
    bits = np.full((1, 16, 1), 127.0)
    bits[0, 3] = 255
    ones = [np.ones(f.matrix_shape) for f in (core.a, core.b, core.c)]
    d = run(core, name, *ones, bits, np.full((1, 1, 8), 128.0))
    rows = core.d.lane_map.coordinates()[..., 0]
    assert np.array_equal(np.isnan(d), rows == 3)
    assert (d[rows != 3] == 65).all()


def test_a_program_without_scales_or_with_scales_of_another_type_is_refused() -> None:
    name = "m16n8k64.mxf4"
    core = resolve(name)
    types = [core.a.dtype, core.b.dtype, core.c.dtype]
    lines: list[Any] = [(UOps.CONST, x, [], 0) for x in types]
    with pytest.raises(ProgramError, match="has 3 sources with a value; expected 5: after C come the scales of A and"):
        Program("p", [*lines, (UOps.WMMA, core.d.dtype, [0, 1, 2], name)])
    lines.append((UOps.CONST, dtypes.uint8.vec(2), [], 127))
    lines.append((UOps.CONST, dtypes.float32, [], 1))
    with pytest.raises(ProgramError, match=r"the scales of B are float32; expected uint8x2: m16n8k64.mxf4's"):
        Program("p", [*lines, (UOps.WMMA, core.d.dtype, [0, 1, 2, 3, 4], name)])


def test_all_instructions_but_the_sparse_run_here() -> None:
    assert len(dense()) == len(instructions()) - sum(x.sparse for x in instructions()) > 260
