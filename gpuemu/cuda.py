"""Kernels in Python, as with Numba's CUDA: ``from gpuemu import cuda``.

A function with ``@cuda.jit`` is parsed, never run, and becomes UOps, which the emulator runs on every lane. Numbers in
the source take the type of what they meet, as in numpy 2.

>>> import numpy as np
>>> from gpuemu import cuda
>>> source = '''
... @cuda.jit
... def add_ten(out, a):
...     i = cuda.grid(1)
...     if i < a.size:
...         out[i] = a[i] + 10
... '''

In a file or a notebook's cell, that source is written as it is; then::

    out = np.zeros(5, np.float32)
    add_ten[2, 4](out, np.arange(5, dtype=np.float32))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.dtypes import (
    bool as boolean,
)
from gpuemu.dtypes import (
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from gpuemu.errors import LaunchError
from gpuemu.kernels.errors import KernelError, KernelHazardError
from gpuemu.kernels.python.fragments import Wmma
from gpuemu.kernels.python.intrinsics import (
    Atomic,
    Extent,
    LaneNumber,
    Local,
    Position,
    Shared,
    activemask,
    all_sync,
    any_sync,
    ballot_sync,
    grid,
    gridsize,
    popc,
    selp,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadfence,
)
from gpuemu.kernels.python.launch import WARP, Compiled, DeviceFunction, Kernel, Launch

__all__ = [
    "Compiled",
    "DeviceArray",
    "DeviceFunction",
    "Kernel",
    "KernelError",
    "KernelHazardError",
    "Launch",
    "activemask",
    "all_sync",
    "any_sync",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "boolean",
    "device_array",
    "device_array_like",
    "float16",
    "float32",
    "float64",
    "grid",
    "gridDim",
    "gridsize",
    "int8",
    "int16",
    "int32",
    "int64",
    "jit",
    "laneid",
    "local",
    "popc",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "synchronize",
    "syncthreads",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "to_device",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "warpsize",
    "wmma",
]

threadIdx = Position("l")  # noqa: N816 (CUDA's name)
blockIdx = Position("g")  # noqa: N816 (CUDA's name)
blockDim = Extent("l")  # noqa: N816 (CUDA's name)
gridDim = Extent("g")  # noqa: N816 (CUDA's name)
laneid = LaneNumber()
warpsize = WARP
shared = Shared()
local = Local()
atomic = Atomic()
wmma = Wmma()

_OPTIONS = {"device", "debug", "opt", "fastmath", "inline", "lineinfo", "max_registers", "cache"}


def jit(function: Any = None, **options: Any) -> Any:
    """Make a function a kernel, or with ``device=True`` a function that kernels call.

    Parameters
    ----------
    function
        The function; a signature, as Numba takes one, is accepted and not needed: types come from the arguments.
    options
        ``device``; the options that tune Numba's compiler are accepted and mean nothing here.

    Returns
    -------
    Kernel or DeviceFunction

    Raises
    ------
    KernelError
        Where the function cannot be a kernel.

    Examples
    --------
    >>> jit(fast=True)
    Traceback (most recent call last):
    gpuemu.kernels.errors.KernelError: cuda.jit: there is no option 'fast'; there are cache, debug, device, fastmath,
    inline, lineinfo, max_registers, opt
    """
    unknown = next((name for name in options if name not in _OPTIONS), None)
    if unknown is not None:
        raise KernelError(f"cuda.jit: there is no option {unknown!r}; there are {', '.join(sorted(_OPTIONS))}")
    make: Callable[[Any], Any] = DeviceFunction if options.get("device") else Kernel
    if function is None or isinstance(function, str | list | tuple):
        return make
    return make(function)


class DeviceArray:
    """An array on the device: a copy, until `copy_to_host` brings it back."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.__gpuemu_array__ = array
        self.shape = array.shape
        self.dtype = array.dtype
        self.size = array.size
        self.ndim = array.ndim

    def copy_to_host(self, array: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """A copy of the elements, into an array where it is given.

        Raises
        ------
        LaunchError
            Where that has another shape or type.
        """
        if array is None:
            return self.__gpuemu_array__.copy()
        if array.shape != self.shape or array.dtype != self.dtype:
            raise LaunchError(
                f"copy_to_host: got an array {array.shape} of {array.dtype}; expected {self.shape} of {self.dtype}"
            )
        array[...] = self.__gpuemu_array__
        return array

    def copy_to_device(self, array: npt.NDArray[Any]) -> None:
        """Overwrite the elements."""
        self.__gpuemu_array__[...] = np.asarray(array)

    def __len__(self) -> int:
        return len(self.__gpuemu_array__)

    def __getitem__(self, index: Any) -> Any:
        found = self.__gpuemu_array__[index]
        return DeviceArray(found) if isinstance(found, np.ndarray) else found

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} of {self.dtype}>"


def to_device(array: npt.ArrayLike) -> DeviceArray:
    """A copy of an array on the device.

    >>> to_device([1, 2, 3]).copy_to_host().tolist()
    [1, 2, 3]
    """
    return DeviceArray(np.array(array))


def device_array(shape: int | tuple[int, ...], dtype: Any = np.float64) -> DeviceArray:
    """An array on the device; here it holds zeros, on a GPU anything.

    >>> device_array((2, 3), np.float32)
    <DeviceArray (2, 3) of float32>
    """
    return DeviceArray(np.zeros(shape, getattr(dtype, "numpy", dtype)))


def device_array_like(array: Any) -> DeviceArray:
    """An array on the device of the shape and type of another.

    >>> device_array_like(np.ones((2, 2)))
    <DeviceArray (2, 2) of float64>
    """
    return device_array(array.shape, array.dtype)


def synchronize() -> None:
    """Wait for the device; here every launch has ended when it returns.

    >>> synchronize()
    """
