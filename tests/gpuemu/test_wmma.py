"""WMMA for instructions of all vendors: fragments in, fragments out, against a plain product of small whole numbers."""

from typing import Any

import numpy as np
import pytest
import wmma_kernels
from oracles import scalar_engine

from gpuemu import BinaryOps, Program, UOps, dtypes
from gpuemu.errors import HazardError, LaunchError
from gpuemu.machine.wmma import Fragment, TensorCore, resolve

INSTRUCTIONS = [
    "m16n8k16",
    "m16n8k8",
    "m16n8k16.f16.f16",
    "m16n8k16.f32.bf16",
    "m16n8k8.f32.tf32",
    "m8n8k4.f64.f64",
    "simdgroup.8x8x8",
    "gfx1100.wmma_f32_16x16x16_f16.w32",
    "gfx1100.wmma_f32_16x16x16_f16.w64",
    "gfx1200.wmma_f32_16x16x16_f16.w32",
    "gfx908.mfma_f32_32x32x8f16",
    "gfx908.mfma_f32_4x4x4f16",
    "gfx908.mfma_f32_32x32x1f32",
    "gfx942.mfma_i32_16x16x32_i8",
]


def kernel(core: TensorCore, arg: object, warps: int, warp: int) -> Program:
    """Each lane loads its fragments, which lie one after the other, and stores what it gets."""
    k = wmma_kernels.Lines()
    lane = k.special(0, "lidx0", core.instruction.lanes * warps)
    fragments = (core.d, core.a, core.b, core.c, *(core.scales or ()))
    buffers = [
        k.add(UOps.DEFINE_GLOBAL, fragment.dtype.scalar(), [], (label, label == 0))
        for label, fragment in enumerate(fragments)
    ]
    places = [k.times(lane, fragment.dtype.count) for fragment in fragments]
    loads = [k.add(UOps.LOAD, fragments[i].dtype, [buffers[i], places[i]]) for i in range(1, len(fragments))]
    d = k.add(UOps.WMMA, core.d.dtype, loads, arg)
    k.add(UOps.STORE, None, [buffers[0], places[0], d])
    return Program("wmma", k.lines, warp=warp)


def scatter(fragment: Fragment, matrices: np.ndarray) -> np.ndarray:
    """The fragments (groups, lanes, elements) of matrices (groups, blocks, rows, columns)."""
    places = fragment.lane_map.coordinates()
    block = places[..., 2] if places.shape[-1] == 3 else 0
    return matrices[:, block, places[..., 0], places[..., 1]].astype(fragment.dtype.numpy)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_fragments_give_the_product_of_their_matrices(name: str) -> None:
    core = resolve(name)
    rng = np.random.default_rng(2)
    a, b, c = (rng.integers(-3, 4, (2, *fragment.matrix_shape)) for fragment in (core.a, core.b, core.c))
    inputs = [scatter(*pair) for pair in ((core.a, a), (core.b, b), (core.c, c))]
    expected = scatter(core.d, a @ b + c)
    out = np.zeros_like(expected)
    lanes = core.instruction.lanes
    program = kernel(core, name, warps=2, warp=lanes)
    program(out, *inputs, local_size=(2 * lanes, 1, 1))
    assert (out == expected).all()


@pytest.mark.parametrize("name", ["m16n8k16", "simdgroup.8x8x8", "gfx1100.wmma_f32_16x16x16_f16.w32"])
def test_both_engines_give_the_same_bits(name: str) -> None:
    core = resolve(name)
    rng = np.random.default_rng(4)
    a, b, c = (rng.standard_normal((1, *fragment.matrix_shape)) for fragment in (core.a, core.b, core.c))
    inputs = [scatter(*pair).reshape(-1) for pair in ((core.a, a), (core.b, b), (core.c, c))]
    found, expected = (np.zeros(core.instruction.lanes * core.d.dtype.count, core.d.dtype.numpy) for _ in range(2))
    program = kernel(core, name, warps=1, warp=32)
    program(found, *inputs, local_size=(32,))
    scalar_engine.run(program, expected, *inputs, local_size=(32,))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("product", ["and", "xor"])
def test_one_bit_products_are_counted(product: str) -> None:
    name = f"m16n8k128.s32.b1.{product}"
    core = resolve(name)
    rng = np.random.default_rng(6)
    a, b = (rng.integers(0, 2, (1, *fragment.matrix_shape)) for fragment in (core.a, core.b))
    c = rng.integers(-9, 9, (1, *core.c.matrix_shape))
    inputs = [scatter(*pair) for pair in ((core.a, a), (core.b, b), (core.c, c))]
    out = np.zeros((1, 32, core.d.dtype.count), np.int32)
    kernel(core, name, warps=1, warp=32)(out, *inputs, local_size=(32,))
    counted = a @ b if product == "and" else a @ (1 - b) + (1 - a) @ b
    assert (out == scatter(core.d, counted + c)).all()


@pytest.mark.parametrize("target", wmma_kernels.SEED_ARGS)
def test_the_seeds_tuple_is_an_instruction_of_its_target(target: str) -> None:
    core = resolve(wmma_kernels.SEED_ARGS[target])
    sizes = core.a.dtype.count, core.b.dtype.count, core.c.dtype.count
    assert sizes == wmma_kernels.SEED_ARGS[target][4]
    assert (core.a.dtype.scalar(), core.d.dtype.scalar()) == (dtypes.half, dtypes.float32)


def test_a_name_that_two_wave_sizes_share_is_the_one_for_the_warp() -> None:
    name = "gfx1100.wmma_f32_16x16x16_f16"
    assert [resolve(name, warp).instruction.lanes for warp in (32, 64)] == [32, 64]


def test_a_workgroup_holds_whole_groups_of_lanes() -> None:
    core = resolve("gfx908.mfma_f32_32x32x8f16")
    program = kernel(core, "gfx908.mfma_f32_32x32x8f16", warps=1, warp=32)
    sizes = [fragment.dtype.count * 32 for fragment in (core.d, core.a, core.b, core.c)]
    buffers: list[Any] = [np.zeros(sizes[0], np.float32), *(np.zeros(n, np.float16) for n in sizes[1:3])]
    with pytest.raises(
        LaunchError, match=r"has 32 lanes, and line \d+ \(WMMA\) needs whole ones: a group of .* has 64"
    ):
        program(*buffers, np.zeros(sizes[3], np.float32), local_size=(32,))


def guarded(limit: str, local: int, groups: int) -> Program:
    """m16n8k16 of ones, added to what a lane has, where the lane or the workgroup is below a limit, or so often."""
    k = wmma_kernels.Lines()
    out = k.add(UOps.DEFINE_GLOBAL, dtypes.float32, [], (0, True))
    lane, group = k.special(0, "lidx0", local), k.special(0, "gidx0", groups)
    a, b = (k.add(UOps.CONST, dtypes.half.vec(n), [], 1.0) for n in (8, 4))
    start = k.add(UOps.CAST, dtypes.float32.vec(4), [k.add(UOps.CAST, dtypes.float32, [lane])] * 4)
    total = k.add(UOps.DEFINE_ACC, dtypes.float32.vec(4), [], 0.0)
    k.add(UOps.PHI, dtypes.float32.vec(4), [total, start])
    if limit == "loop":
        head = k.add(UOps.RANGE, dtypes.int32, [k.const(0), k.plus(group, k.const(1))], 0)
    else:
        what, below = limit.split(" < ")
        condition = k.add(UOps.ALU, dtypes.bool, [{"l": lane, "g": group}[what], k.const(int(below))], BinaryOps.CMPLT)
        head = k.add(UOps.IF, None, [condition])
    d = k.add(UOps.WMMA, dtypes.float32.vec(4), [a, b, total], "m16n8k16")
    k.add(UOps.PHI, dtypes.float32.vec(4), [total, d])
    k.add(UOps.ENDRANGE if limit == "loop" else UOps.ENDIF, None, [head])
    place = k.plus(k.times(group, 4 * local), k.times(lane, 4))
    k.add(UOps.STORE, None, [out, place, total])
    k.add(UOps.STORE, None, [out, k.plus(place, k.const(4 * local * groups)), d])
    return Program("guarded", k.lines)


@pytest.mark.parametrize(
    ("limit", "local", "groups"),
    [("g < 1", 32, 2), ("g < 0", 32, 2), ("l < 32", 64, 1), ("l < 64", 96, 3), ("l < 0", 64, 1), ("loop", 32, 3)],
)
def test_groups_of_lanes_that_skip_it_as_a_whole_keep_what_they_have(limit: str, local: int, groups: int) -> None:
    program = guarded(limit, local, groups)
    found, expected = (np.full(8 * local * groups, -1, np.float32) for _ in range(2))
    sizes = {"global_size": (groups,), "local_size": (local,)}
    program(found, **sizes)
    scalar_engine.run(program, expected, **sizes)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("limit", "first", "missing"), [("l < 33", 33, 62), ("l < 16", 16, 32)])
def test_a_group_of_which_some_lanes_skip_it_is_reported(limit: str, first: int, missing: int) -> None:
    with pytest.raises(HazardError, match="needs all lanes of its group of 32, and some skip it") as caught:
        guarded(limit, 64, 2)(np.zeros(1024, np.float32), global_size=(2,), local_size=(64,))
    (report,) = caught.value.reports
    assert (report.kind, report.lanes[0].lane, report.count) == ("divergent-wmma", first, missing)
    with pytest.raises(scalar_engine.MistakeError):
        scalar_engine.run(guarded(limit, 64, 2), np.zeros(1024, np.float32), global_size=(2,), local_size=(64,))
