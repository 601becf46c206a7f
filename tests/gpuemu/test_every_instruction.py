"""Each dense instruction of the catalogue, run once on lanes through a program, against numpy.

Whole numbers over the whole range of their type, to the bit, with sums that wrap and, where there is such a form, with
sums that saturate; other numbers within the rounding of their types, and to the bit as the instruction's unit gives.
"""

from typing import Any

import numpy as np
import pytest
from test_wmma import kernel, scatter
from test_wmma_units import fragments, launch

from gpuemu.errors import InstructionError
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.tensorcores import instruction, instructions
from gpuemu.tensorcores.instruction import Instruction

NO_TYPE = {"e2m1"}
"""Elements that no dtype of a program holds."""


def dense() -> list[Instruction]:
    return [x for x in instructions() if set("abcd") <= set(x.maps) and not x.sparse and x.a.dtype not in NO_TYPE]


def whole(x: Instruction) -> bool:
    return x.c is not None and x.c.dtype == "int32"


RANGES = {"int8": (-128, 128), "uint8": (0, 256), "int4": (-8, 8), "uint4": (0, 16), "b1": (0, 2)}


def run(core: TensorCore, name: str, *matrices: np.ndarray) -> np.ndarray:
    """The fragments of D, from a program that loads, multiplies and stores."""
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
    """Half of the step behind 1 of a type, the bits that a sum of fp8 products loses on Ada counted in."""
    steps = {"fp64": 2.0**-52, "fp32": 2.0**-22, "fp16": 2.0**-11, "bf16": 2.0**-8}
    return max(steps[x.d.dtype], 2.0**-13 if x.a.dtype.startswith(("e4", "e5")) else 0.0)


@pytest.mark.parametrize("x", [pytest.param(x, id=f"{x.arch}-{x.short_name}") for x in dense() if not whole(x)])
def test_other_numbers_are_near_the_exact_product_and_have_the_units_bits(x: Instruction) -> None:
    core = resolve(x.short_name, x.lanes)
    rng = np.random.default_rng(3)
    a, b, c = (
        rng.standard_normal(f.matrix_shape).astype(f.dtype.numpy).astype(np.float64) for f in (core.a, core.b, core.c)
    )
    if core.a.lane_map.dtype == "tf32":
        a, b = ((m.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for m in (a, b))
    d = run(core, x.short_name, a, b, c)
    assert d.tobytes() == held(core, core.instruction.multiply(a, b, c)).tobytes()
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


def test_what_is_left_out_is_sparse_or_not_held_by_lanes_or_of_4_bit_floats() -> None:
    ran = {(x.arch, x.name, x.lanes) for x in dense()}
    left = [x for x in instructions() if (x.arch, x.name, x.lanes) not in ran]
    assert all(x.sparse or x.a is None or x.b is None or x.a.dtype == "e2m1" for x in left)
    assert len(ran) > 190
