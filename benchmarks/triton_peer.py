"""The kernels of the machine's table in Triton, on its interpreter: a program in the place of a workgroup.

Triton has no lanes: a program computes with blocks, and where our kernel has a lane to an element the block has an
element. The interpreter runs every operation of a block in numpy, one program after the other. It asks of a tensor no
more than an address and copies, so that numpy arrays do, and neither PyTorch nor a GPU is needed.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("TRITON_INTERPRET", "1")  # read when a kernel is decorated

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


class Tensor:
    """A numpy array with what the interpreter asks of a tensor, which it takes to be on the CPU already."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype = array, array.dtype

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def untyped_storage(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return self

    def new_empty(self, *_: Any, **__: Any) -> "Tensor":
        return Tensor(self.array[:0])

    def set_(self, storage: "Tensor", *_: Any) -> None:
        self.array = storage.array

    def copy_(self, other: "Tensor") -> None:
        """Nothing to do: both are one array."""

    def storage_offset(self) -> int:
        return 0

    def size(self) -> tuple[int, ...]:
        return self.array.shape

    def stride(self) -> tuple[int, ...]:
        return tuple(n // self.array.itemsize for n in self.array.strides)


Peer = tuple[Callable[..., Any], tuple[int, ...]]


def kernels() -> dict[str, Peer]:
    """For each kernel by the name that the table gives it, the Triton function and its grid; empty without Triton."""
    if triton is None:
        return {}

    @triton.jit
    def vector_add(out, a, b):  # type: ignore[no-untyped-def]
        i = tl.program_id(0) * 256 + tl.arange(0, 256)
        tl.store(out + i, tl.load(a + i) + tl.load(b + i))

    @triton.jit
    def matmul(out, a, b):  # type: ignore[no-untyped-def]
        row = tl.program_id(1) * 16 + tl.arange(0, 16)[:, None]
        column = tl.program_id(0) * 16 + tl.arange(0, 16)[None, :]
        total = tl.zeros((16, 16), tl.float32)
        for k in range(128):
            total += tl.load(a + row * 128 + k) * tl.load(b + k * 128 + column)
        tl.store(out + row * 128 + column, total)

    @triton.jit
    def tiled_matmul(out, a, b):  # type: ignore[no-untyped-def]
        row = tl.program_id(1) * 16 + tl.arange(0, 16)[:, None]
        column = tl.program_id(0) * 16 + tl.arange(0, 16)[None, :]
        total = tl.zeros((16, 16), tl.float32)
        for first in range(0, 128, 16):
            left = tl.load(a + row * 128 + first + tl.arange(0, 16)[None, :])
            right = tl.load(b + (first + tl.arange(0, 16)[:, None]) * 128 + column)
            total = tl.dot(left, right, total, input_precision="ieee")
        tl.store(out + row * 128 + column, total)

    @triton.jit
    def lane_softmax(out, x):  # type: ignore[no-untyped-def]
        start = tl.arange(0, 64) * 128
        largest = tl.full((64,), float("-inf"), tl.float32)
        total = tl.zeros((64,), tl.float32)
        for i in range(128):
            largest = tl.maximum(largest, tl.load(x + start + i))
        for i in range(128):
            total += tl.exp2((tl.load(x + start + i) - largest) * 1.4426950408889634)
        for i in range(128):
            tl.store(out + start + i, tl.exp2((tl.load(x + start + i) - largest) * 1.4426950408889634) / total)

    @triton.jit
    def row_softmax(out, x):  # type: ignore[no-untyped-def]
        i = tl.program_id(0) * 128 + tl.arange(0, 128)
        row = tl.load(x + i)
        power = tl.exp2((row - tl.max(row, axis=0)) * 1.4426950408889634)
        tl.store(out + i, power / tl.sum(power, axis=0))

    @triton.jit
    def reduction(out, x):  # type: ignore[no-untyped-def]
        row = tl.program_id(0)
        tl.store(out + row, tl.sum(tl.load(x + row * 256 + tl.arange(0, 256)), axis=0))

    @triton.jit
    def half_matmul(out, a, b):  # type: ignore[no-untyped-def]
        row = tl.program_id(1) * 16 + tl.arange(0, 16)[:, None]
        column = tl.program_id(0) * 32 + tl.arange(0, 32)[None, :]
        total = tl.zeros((16, 32), tl.float32)
        for first in range(0, 128, 16):
            left = tl.load(a + row * 128 + first + tl.arange(0, 16)[None, :])
            right = tl.load(b + (first + tl.arange(0, 16)[:, None]) * 128 + column)
            total = tl.dot(left, right, total)
        tl.store(out + row * 128 + column, total)

    return {
        "vector add, 1M float32": (vector_add, (4096,)),
        "matmul 128, naive": (matmul, (8, 8)),
        "matmul 128, tiled 16 × 16": (tiled_matmul, (8, 8)),
        "softmax 64 × 128, a lane a row": (lane_softmax, (1,)),
        "softmax 64 × 128, a workgroup a row": (row_softmax, (64,)),
        "reduction 64 × 256": (reduction, (64,)),
        "tensor-core half 128³, CUDA": (half_matmul, (4, 8)),
    }


def call(peer: Peer, buffers: list[np.ndarray]) -> Callable[[], object]:
    """A call that runs a kernel on Triton's interpreter, in place on the buffers."""
    kernel, grid = peer
    tensors = [Tensor(buffer) for buffer in buffers]
    return lambda: kernel[grid](*tensors)
