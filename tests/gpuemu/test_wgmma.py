"""wgmma on lanes through a program: A, C and D in registers, B in local memory."""

import re
from typing import Any

import numpy as np
import pytest
from test_wmma import scatter
from wmma_kernels import Lines

from gpuemu import BinaryOps, Program, UOps, dtypes
from gpuemu.errors import HazardError, InstructionError, ProgramError
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.tensorcores import instruction, instructions
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.nvidia import shared_operand

WGMMA = [x for x in instructions() if x.path == "wgmma"]
NAME = "m64n8k16.f32.f16"


def kernel(core: TensorCore, name: str, groups: int = 1, start: int = 0, own_start: bool = False) -> Program:
    """The lanes copy B for each group into local memory, from `start` on, and multiply."""
    k = Lines()
    lanes, size = core.instruction.lanes * groups, core.b.holders.size
    lane = k.special(0, "lidx0", lanes)
    held = [core.d.dtype, core.a.dtype, core.b.dtype, core.c.dtype]
    buffers = [k.add(UOps.DEFINE_GLOBAL, x.scalar(), [], (label, label == 0)) for label, x in enumerate(held)]
    memory = k.add(UOps.DEFINE_LOCAL, core.b.dtype, [], ("tile", size * groups + start))
    loop = k.add(UOps.RANGE, dtypes.int32, [k.const(0), k.const(-(-size * groups // lanes))], 0)
    place = k.alu(BinaryOps.MOD, k.plus(k.times(loop, lanes), lane), k.const(size * groups))
    value = k.add(UOps.LOAD, core.b.dtype, [buffers[2], place])
    k.add(UOps.STORE, None, [memory, k.plus(place, k.const(start)), value])
    k.add(UOps.ENDRANGE, None, [loop])
    k.add(UOps.BARRIER, None, [])
    group = k.alu(BinaryOps.DIV, lane, k.const(core.instruction.lanes))
    first = k.plus(k.times(lane if own_start else group, size), k.const(start))
    a, c = (k.add(UOps.LOAD, held[i], [buffers[i], k.times(lane, held[i].count)]) for i in (1, 3))
    d = k.add(UOps.WMMA, core.d.dtype, [a, memory, c, first], name)
    k.add(UOps.STORE, None, [buffers[0], k.times(lane, core.d.dtype.count), d])
    return Program("wgmma", k.lines)


def in_memory(core: TensorCore, b: np.ndarray) -> np.ndarray:
    """B as it lies in local memory: by the words of the PTX ISA, element after element."""
    run = 16 // core.b.dtype.itemsize
    k, n = b.shape
    return np.array(
        [
            b[outer_k * run + along, outer_n * 8 + column]
            for outer_n in range(n // 8)
            for outer_k in range(k // run)
            for column in range(8)
            for along in range(run)
        ]
    ).astype(core.b.dtype.numpy)


@pytest.mark.parametrize("x", WGMMA, ids=lambda x: x.short_name)
def test_each_wgmma_gives_the_product(x: Instruction) -> None:
    core = resolve(x.short_name)
    rng = np.random.default_rng(7)
    a, c = (rng.integers(-3, 4, (2, *fragment.matrix_shape)) for fragment in (core.a, core.c))
    b = rng.integers(-3, 4, (2, x.k, x.n))
    memory = np.concatenate([in_memory(core, one) for one in b])
    out = np.zeros((2, 128, core.d.dtype.count), np.float32)
    kernel(core, x.short_name, groups=2)(out, scatter(core.a, a), memory, scatter(core.c, c), local_size=(256, 1, 1))
    assert np.array_equal(out, scatter(core.d, a @ b[:, np.newaxis] + c))


def test_every_wgmma_is_here() -> None:
    assert len(WGMMA) == 24
    assert all(shared_operand(x).elements == x.n * x.k for x in WGMMA)
    with pytest.raises(InstructionError, match="its B does not lie in shared memory"):
        shared_operand(instruction("m16n8k16"))


def inputs(core: TensorCore) -> list[np.ndarray]:
    shapes = ((128, core.d.dtype.count), (128, core.a.dtype.count), (core.b.holders.size,), (128, core.c.dtype.count))
    types = (core.d, core.a, core.b, core.c)
    return [np.zeros(shape, x.dtype.scalar().numpy) for shape, x in zip(shapes, types, strict=True)]


def test_a_start_that_is_no_multiple_of_16_bytes_is_reported() -> None:
    core = resolve(NAME)
    with pytest.raises(HazardError, match="starts at element 4 of tile, and rows start at multiples of 8"):
        kernel(core, NAME, start=4)(*inputs(core), local_size=(128,))


def test_lanes_that_say_different_starts_are_reported() -> None:
    core = resolve(NAME)
    with pytest.raises(HazardError, match="the lanes of a group say different starts in tile"):
        kernel(core, NAME, own_start=True)(*inputs(core), local_size=(128,))


HALF, ACC = dtypes.half, dtypes.float32.vec(4)
TILE: Any = (UOps.DEFINE_LOCAL, HALF, [], ("tile", 128))
ZERO: Any = (UOps.CONST, dtypes.int32, [], 0)
A64: Any = (UOps.CONST, HALF.vec(8), [], 0)
C64: Any = (UOps.CONST, ACC, [], 0)


@pytest.mark.parametrize(
    ("sources", "name", "message"),
    [
        (
            [2, 2, 3, 1],
            NAME,
            f"{NAME} reads B from local memory of float16, from the index on that is the fourth source",
        ),
        ([2, 0, 3], NAME, f"{NAME} reads B from local memory of float16, from the index on that is the fourth source"),
        ([2, 0, 3], "m16n8k16", "B is the buffer tile; m16n8k16.f32.f16 takes it from registers: LOAD from it first"),
    ],
)
def test_where_b_must_lie_is_said(sources: list[int], name: str, message: str) -> None:
    with pytest.raises(ProgramError, match=re.escape(message)):
        Program("wrong", [TILE, ZERO, A64, C64, (UOps.WMMA, ACC, sources, name)])
