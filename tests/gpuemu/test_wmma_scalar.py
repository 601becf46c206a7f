"""Tensor cores against the obvious engine: sparse A, B in local memory, block scales; the same bits and mistakes."""

from typing import Any

import numpy as np
import pytest
import test_wgmma
from oracles import scalar_engine
from test_wmma import kernel
from wmma_kernels import Lines

from gpuemu import Program, UOps, dtypes
from gpuemu.errors import HazardError
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.tensorcores import instructions
from gpuemu.tensorcores.instruction import Instruction

SPARSE = [x for x in instructions() if x.sparse]
WGMMA = [x for x in instructions() if x.b is None and x.n <= 64]
SCALED = [x for x in instructions() if x.scales and x.types[0] == x.types[1]]


def name_of(x: Instruction) -> str:
    return f"{x.arch}-{x.short_name}-{x.lanes}"


def numbers(rng: np.random.Generator, dtype: Any, size: int) -> np.ndarray:
    """Elements of a type, small enough that every unit takes them."""
    if dtype.is_float:
        return np.asarray(rng.standard_normal(size).astype(dtype.numpy))
    return rng.integers(0, 2 if dtype.kind == "bool" else 8, size).astype(dtype.numpy)


def sparse_kernel(core: TensorCore, name: str) -> Program:
    """Each lane loads its values and its index register, which lie one after the other."""
    k = Lines()
    lanes, types = core.instruction.lanes, [core.d.dtype, core.a.dtype, core.b.dtype, core.c.dtype, dtypes.uint32]
    lane = k.special(0, "lidx0", lanes)
    buffers = [k.add(UOps.DEFINE_GLOBAL, x.scalar(), [], (i, i == 0)) for i, x in enumerate(types)]
    loads = [k.add(UOps.LOAD, types[i], [buffers[i], k.times(lane, types[i].count)]) for i in range(1, 5)]
    d = k.add(UOps.WMMA, core.d.dtype, loads, name)
    k.add(UOps.STORE, None, [buffers[0], k.times(lane, core.d.dtype.count), d])
    return Program("sparse", k.lines, warp=lanes)


def index_registers(rng: np.random.Generator, lanes: int, groups: int) -> np.ndarray:
    """For each lane and group two different places of four, in any order."""
    order = rng.random((lanes, groups, 4)).argsort(axis=-1)
    fields = (order[..., 0] | order[..., 1] << 2) << 4 * np.arange(groups)
    return np.asarray(fields.sum(axis=-1).astype(np.uint32))


def both(core: TensorCore, program: Program, inputs: list[np.ndarray]) -> None:
    """The two engines give the same bits."""
    lanes = core.instruction.lanes
    found, expected = (np.zeros(lanes * core.d.dtype.count, core.d.dtype.numpy) for _ in range(2))
    program(found, *inputs, local_size=(lanes,))
    scalar_engine.run(program, expected, *inputs, local_size=(lanes,))
    assert np.isfinite(expected.astype(np.float64)).all()
    assert expected.any()
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("x", SPARSE, ids=name_of)
def test_sparse_products_have_the_same_bits(x: Instruction) -> None:
    core, rng = resolve(x.name, x.lanes), np.random.default_rng(1)
    held = [numbers(rng, f.dtype, x.lanes * f.dtype.count) for f in core.operands.values()]
    if core.b.lane_map.duplicates:  # lanes that must hold the same
        held[1][:] = held[1][0]
    both(core, sparse_kernel(core, x.name), [*held, index_registers(rng, x.lanes, x.a.elements)])


def test_an_index_register_with_one_place_twice_is_a_mistake_in_both() -> None:
    x = SPARSE[0]
    core, rng = resolve(x.name, x.lanes), np.random.default_rng(1)
    held = [numbers(rng, f.dtype, x.lanes * f.dtype.count) for f in core.operands.values()]
    inputs = [np.zeros(x.lanes * core.d.dtype.count, core.d.dtype.numpy), *held, np.zeros(x.lanes, np.uint32)]
    with pytest.raises(HazardError, match="puts both values of group 0 at place 0"):
        sparse_kernel(core, x.name)(*inputs, local_size=(x.lanes,))
    with pytest.raises(scalar_engine.MistakeError):
        scalar_engine.run(sparse_kernel(core, x.name), *inputs, local_size=(x.lanes,))


@pytest.mark.parametrize("x", WGMMA, ids=name_of)
def test_wgmma_has_the_same_bits(x: Instruction) -> None:
    core, rng = resolve(x.short_name), np.random.default_rng(2)
    sizes = (128 * core.a.dtype.count, core.b.holders.size, 128 * core.c.dtype.count)
    held = [numbers(rng, f.dtype, size) for f, size in zip(core.operands.values(), sizes, strict=True)]
    both(core, test_wgmma.kernel(core, x.short_name), held)


@pytest.mark.parametrize(("start", "own_start"), [(4, False), (0, True)])
def test_a_start_of_b_that_does_not_fit_is_a_mistake_in_both(start: int, own_start: bool) -> None:
    core = resolve(test_wgmma.NAME)
    program = test_wgmma.kernel(core, test_wgmma.NAME, start=start, own_start=own_start)
    inputs = [x.reshape(-1) for x in test_wgmma.inputs(core)]
    with pytest.raises(HazardError):
        program(*inputs, local_size=(128,))
    with pytest.raises(scalar_engine.MistakeError):
        scalar_engine.run(program, *inputs, local_size=(128,))


@pytest.mark.parametrize("x", SCALED, ids=name_of)
def test_scaled_products_have_the_same_bits(x: Instruction) -> None:
    core, rng = resolve(x.short_name), np.random.default_rng(3)
    held = [numbers(rng, f.dtype, 32 * f.dtype.count) for f in core.operands.values()]
    for scale in core.scales or ():
        size = 32 * scale.dtype.count
        bits = rng.integers(120, 135, size) if scale.dtype.scalar() == dtypes.uint8 else rng.uniform(-4, 4, size)
        held.append(bits.astype(scale.dtype.scalar().numpy))
    both(core, kernel(core, x.short_name, warps=1, warp=32), held)
