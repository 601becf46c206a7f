"""Sparse instructions: two of each four values along k are stored, and an index register says which."""

from typing import Any

import numpy as np
import pytest
from wmma_kernels import Lines

from gpuemu import BinaryOps, Program, TernaryOps, UOps, dtypes
from gpuemu.errors import HazardError, ProgramError
from gpuemu.machine.wmma import resolve
from gpuemu.tensorcores import instructions
from gpuemu.tensorcores.lanemap import SparseLaneMap

SPARSE = [x for x in instructions(vendor="amd") if isinstance(x.a, SparseLaneMap)]


def run(found: Any, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """D of one warp: each lane loads its registers from arrays that hold them ready."""
    core = resolve(found.name, found.lanes)
    lanes, groups = found.lanes, core.a.lane_map.elements
    values, index = np.zeros((lanes, groups, 2), core.a.dtype.numpy), np.zeros(lanes, np.uint32)
    for lane in range(core.a.lane_map.lanes):
        for group in range(groups):
            row, columns = (
                core.a.lane_map.coordinates()[lane, group, 0, 0],
                core.a.lane_map.coordinates()[lane, group, :, 1],
            )
            stored = [i for i in range(4) if a[row, columns[i]] != 0][:2]
            stored += [i for i in range(4) if i not in stored][: 2 - len(stored)]
            values[lane, group] = [a[row, columns[i]] for i in stored]
            index[lane] |= np.uint32(sum(i << 2 * place for place, i in enumerate(stored)) << 4 * group)

    def fragment(matrix: np.ndarray, lane_map: Any, dtype: Any) -> np.ndarray:
        places = lane_map.coordinates()
        return matrix[places[..., 0], places[..., 1]].astype(dtype.numpy)

    held = [values, fragment(b, core.b.lane_map, core.b.dtype), fragment(c, core.c.lane_map, core.c.dtype), index]
    types = [core.a.dtype, core.b.dtype, core.c.dtype, dtypes.uint32]
    k = Lines()
    out = k.add(UOps.DEFINE_GLOBAL, core.d.dtype.scalar(), [], (0, True))
    buffers = [k.add(UOps.DEFINE_GLOBAL, x.scalar(), [], (i + 1, False)) for i, x in enumerate(types)]
    lane = k.special(0, "lidx0", lanes)
    loads = [k.add(UOps.LOAD, x, [b, k.times(lane, x.count)]) for b, x in zip(buffers, types, strict=True)]
    d = k.add(UOps.WMMA, core.d.dtype, loads, found.name)
    k.add(UOps.STORE, None, [out, k.times(lane, core.d.dtype.count), d])
    registers = np.zeros((lanes, core.d.dtype.count), core.d.dtype.numpy)
    Program("sparse", k.lines, warp=lanes)(registers, *held, local_size=(lanes,))
    result = np.zeros((found.m, found.n), registers.dtype)
    places = core.d.lane_map.coordinates()
    result[places[..., 0], places[..., 1]] = registers
    return result


@pytest.mark.parametrize("found", SPARSE, ids=lambda x: f"{x.arch}-{x.lanes}-{x.short_name}")
def test_a_sparse_product_of_whole_numbers_is_exact(found: Any) -> None:
    rng = np.random.default_rng(1)
    least, most = (0, 3) if "iu" in found.name else (-2, 3)
    dense = rng.integers(least, most, (found.m, found.k // 4, 4))
    order = rng.random(dense.shape).argsort(axis=2)
    a = np.where(order < 2, dense, 0).reshape(found.m, found.k)  # at most two of each four
    b, c = rng.integers(least, most, (found.k, found.n)), rng.integers(-5, 6, (found.m, found.n))
    assert np.array_equal(run(found, a, b, c).astype(np.int64), a @ b + c)


def test_the_index_register_is_asked_for_and_typed() -> None:
    found = SPARSE[0]
    core = resolve(found.name, found.lanes)
    lines = [(UOps.CONST, x.dtype, [], 0) for x in (core.a, core.b, core.c)]
    with pytest.raises(ProgramError, match="A is sparse, so it needs its index register as a fourth source"):
        Program("p", [*lines, (UOps.WMMA, core.d.dtype, [0, 1, 2], found.name)], warp=found.lanes)
    lines.append((UOps.CONST, dtypes.uint8, [], 0))
    with pytest.raises(ProgramError, match=r"the index register of .* is uint8; expected uint32"):
        Program("p", [*lines, (UOps.WMMA, core.d.dtype, [0, 1, 2, 3], found.name)], warp=found.lanes)


def sparse_ones(field: int, below: int | None = None) -> list[tuple[Any, ...]]:
    """A sparse product of ones whose index registers hold one pattern in every group, for some lanes alone."""
    found = SPARSE[0]
    core = resolve(found.name, found.lanes)
    k = Lines()
    lane = k.special(0, "lidx0", 2 * found.lanes)
    operands = [k.add(UOps.CONST, x.dtype, [], 1) for x in (core.a, core.b, core.c)]
    index = k.add(UOps.CONST, dtypes.uint32, [], field)
    if below is not None:
        condition = k.add(UOps.ALU, dtypes.bool, [lane, k.const(below)], BinaryOps.CMPLT)
        register = k.add(UOps.ALU, dtypes.uint32, [condition, index, k.const(0, dtypes.uint32)], TernaryOps.WHERE)
        head, index = k.add(UOps.IF, None, [condition]), register
    k.add(UOps.WMMA, core.d.dtype, [*operands, index], found.name)
    if below is not None:
        k.add(UOps.ENDIF, None, [head])
    return k.lines


def test_two_values_for_one_place_are_reported() -> None:
    lanes = SPARSE[0].lanes
    with pytest.raises(HazardError, match=r"puts both values of group 1 at place 2 of its four\n +lane 0 ") as caught:
        Program("sparse", sparse_ones(0x444444A4), warp=lanes)(local_size=(2 * lanes,))
    assert caught.value.reports[0].kind == "sparse-index"
    Program("sparse", sparse_ones(0x44444444), warp=lanes)(local_size=(2 * lanes,))


def test_the_index_registers_of_lanes_that_are_away_may_hold_anything() -> None:
    lanes = SPARSE[0].lanes
    Program("sparse", sparse_ones(0x44444444, below=lanes), warp=lanes)(local_size=(2 * lanes,))
