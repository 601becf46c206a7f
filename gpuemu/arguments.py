"""The arguments of a launch: buffers as flat arrays, sizes, integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.dtypes import DType, ImageDType, int32
from gpuemu.errors import LaunchError, shown
from gpuemu.machine.grid import Size
from gpuemu.structure import Structure
from gpuemu.uops import WRITES, Line, UOps, buffer_name

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Argument:
    """A buffer argument: the flat array that the program runs on, and the array to copy it back to afterwards."""

    array: Array
    target: Array | None = None

    def copy_out(self) -> None:
        """Copy what was written back to where the buffer came from, unless the program ran on it in place."""
        if self.target is not None:
            self.target[...] = self.array.reshape(self.target.shape)


@lru_cache(maxsize=256)
def _parameters(structure: Structure) -> tuple[tuple[Line, bool], ...]:
    """For each buffer its line, and whether the program writes it."""
    written = {line.sources[0] for line in structure.lines if line.uop in WRITES}
    numbered = enumerate(structure.lines)
    return tuple((line, number in written) for number, line in numbered if line.uop is UOps.DEFINE_GLOBAL)


def bind(name: str, structure: Structure, buffers: Sequence[Any]) -> tuple[Argument, ...]:
    """The flat arrays behind a launch's buffers.

    Raises
    ------
    LaunchError
        Where their number, types or sizes do not fit the program, or one that it writes is read-only.
    """
    parameters = _parameters(structure)
    if len(parameters) != len(buffers):
        names = ", ".join(buffer_name(line) for line, _ in parameters) or "none"
        raise LaunchError(f"{name}: got {len(buffers)} buffers; expected {len(parameters)}: {names}")
    return tuple(
        _argument(f"{name}: buffer {buffer_name(line)}", line.dtype, buffer, written)
        for (line, written), buffer in zip(parameters, buffers, strict=True)
    )


def _argument(where: str, dtype: DType | None, buffer: Any, written: bool) -> Argument:
    if dtype is None:
        raise LaunchError(f"{where} has no dtype")
    array = buffer if isinstance(buffer, np.ndarray) else _from_bytes(where, dtype, buffer)
    if array.dtype != dtype.numpy:
        raise LaunchError(f"{where} is an array of {array.dtype}; expected {dtype.numpy}: convert it with .astype")
    if written and not array.flags.writeable:
        raise LaunchError(f"{where} is read-only, and the program writes to it; give a copy")
    if isinstance(dtype, ImageDType) and array.size != prod(dtype.shape):
        raise LaunchError(f"{where} has {array.size} numbers; expected {prod(dtype.shape)} for an image {dtype.shape}")
    if array.flags.c_contiguous:
        return Argument(array.reshape(-1))
    return Argument(np.ascontiguousarray(array).reshape(-1), array if written else None)


def _from_bytes(where: str, dtype: DType, buffer: Any) -> Array:
    try:
        view = memoryview(buffer.view() if hasattr(buffer, "view") and not isinstance(buffer, memoryview) else buffer)
    except TypeError:
        kind = type(buffer).__name__
        raise LaunchError(f"{where} is a {kind}; expected a numpy array of {dtype} or a bytes-like object") from None
    if not view.c_contiguous:
        raise LaunchError(f"{where} is a memoryview with gaps; expected contiguous bytes")
    if view.nbytes % dtype.numpy.itemsize:
        raise LaunchError(
            f"{where} has {view.nbytes} bytes; expected a multiple of {dtype.numpy.itemsize}, the size of {dtype}"
        )
    if view.nbytes == 0:
        return np.empty(0, dtype.numpy)
    return np.frombuffer(view, np.uint8).view(dtype.numpy)


def size(name: str, what: str, given: Sequence[int] | None, lines: tuple[Line, ...] = ()) -> Size:
    """A global or local size as (x, y, z): as given, an axis left out being 1; else what the program's SPECIALs say.

    >>> size("add", "global_size", (4,))
    (4, 1, 1)

    Raises
    ------
    LaunchError
        Where it is not one to three positive integers.
    """
    if given is None:
        return _said(what[0], lines)
    try:
        numbers = tuple(index(n) for n in given)
    except TypeError:
        numbers = ()
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1:
        raise LaunchError(f"{name}: {what} is {shown(given)}; expected one to three positive integers (x, y, z)")
    x, y, z = numbers + (1,) * (3 - len(numbers))
    return x, y, z


def _said(letter: str, lines: tuple[Line, ...]) -> Size:
    """The sizes that the SPECIALs of the grid (g) or of a workgroup (l) say; 1 along the other axes."""
    sizes = [1, 1, 1]
    for line in lines:
        if line.uop is UOps.SPECIAL and line.arg[1][0] == letter and type(line.arg[2]) is int:
            sizes[line.arg[0]] = max(sizes[line.arg[0]], line.arg[2])
    return sizes[0], sizes[1], sizes[2]


@lru_cache(maxsize=256)
def _variables(structure: Structure) -> tuple[Line, ...]:
    return tuple(line for line in structure.lines if line.uop is UOps.DEFINE_VAR)


def integers(name: str, structure: Structure, vals: Any) -> tuple[int, ...]:
    """The values of the DEFINE_VARs.

    Raises
    ------
    LaunchError
        Where there are too many or too few, or one is no integer of its line's dtype.
    """
    variables = _variables(structure)
    if not isinstance(vals, Sequence | np.ndarray) or isinstance(vals, str | bytes):
        raise LaunchError(f"{name}: vals is {shown(vals)}; expected a list of integers")
    if len(variables) != len(vals):
        labels = ", ".join(str(line.arg) for line in variables) or "none"
        raise LaunchError(f"{name}: got {len(vals)} vals; expected {len(variables)}: {labels}")
    return tuple(_integer(name, line, value) for line, value in zip(variables, vals, strict=True))


def _integer(name: str, line: Line, value: Any) -> int:
    dtype = line.dtype or int32
    bits = 8 * dtype.itemsize
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "signed" else (0, 2**bits - 1)
    try:
        number = index(value)
    except TypeError:
        raise LaunchError(f"{name}: the value of {line.arg} is {shown(value)}; expected an integer") from None
    if not low <= number <= high:
        raise LaunchError(f"{name}: the value of {line.arg} is {shown(number)}; {dtype} holds {low} to {high}")
    return number
