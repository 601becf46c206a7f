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
from gpuemu.kernels.errors import KernelError, KernelHazardError
from gpuemu.kernels.python.bits import brev, clz, ffs, popc
from gpuemu.kernels.python.cooperative import CooperativeGroups
from gpuemu.kernels.python.fragments import Wmma
from gpuemu.kernels.python.host import (
    DeviceArray,
    Event,
    Stream,
    device_array,
    device_array_like,
    event,
    event_elapsed_time,
    get_current_device,
    is_available,
    pinned,
    pinned_array,
    stream,
    synchronize,
    to_device,
)
from gpuemu.kernels.python.intrinsics import (
    Atomic,
    Constant,
    Extent,
    Local,
    Position,
    Shared,
    fma,
    grid,
    gridsize,
    selp,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    threadfence,
    threadfence_block,
    threadfence_system,
)
from gpuemu.kernels.python.launch import WARP, Compiled, DeviceFunction, Kernel, Launch
from gpuemu.kernels.python.warps import (
    LaneNumber,
    activemask,
    all_sync,
    any_sync,
    ballot_sync,
    lanemask_lt,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncwarp,
)
from gpuemu.limits import Limits

__all__ = [
    "Compiled",
    "DeviceArray",
    "DeviceFunction",
    "Event",
    "Kernel",
    "KernelError",
    "KernelHazardError",
    "Launch",
    "Limits",
    "Stream",
    "activemask",
    "all_sync",
    "any_sync",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "boolean",
    "brev",
    "cg",
    "clz",
    "const",
    "default_stream",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "ffs",
    "float16",
    "float32",
    "float64",
    "fma",
    "get_current_device",
    "grid",
    "gridDim",
    "gridsize",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_available",
    "jit",
    "laneid",
    "lanemask_lt",
    "local",
    "pinned",
    "pinned_array",
    "popc",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "stream",
    "synchronize",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
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
const = Constant()
atomic = Atomic()
wmma = Wmma()
cg = CooperativeGroups()

default_stream = stream

_OPTIONS = {
    *("device", "debug", "opt", "fastmath", "inline", "forceinline", "lineinfo", "max_registers", "cache"),
    *("boundscheck", "link", "lto"),
}


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
    gpuemu.kernels.errors.KernelError: cuda.jit: there is no option 'fast'; there are boundscheck, cache, debug,
    device, fastmath, forceinline, inline, lineinfo, link, lto, max_registers, opt
    """
    unknown = next((name for name in options if name not in _OPTIONS), None)
    if unknown is not None:
        raise KernelError(f"cuda.jit: there is no option {unknown!r}; there are {', '.join(sorted(_OPTIONS))}")
    make: Callable[[Any], Any] = DeviceFunction if options.get("device") else Kernel
    if function is None or isinstance(function, str | list | tuple):
        return make
    return make(function)
