"""The arguments of a kernel: arrays, numbers, and tuples of them; what each is to the translation and to a launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.errors import LaunchError
from gpuemu.kernels.builder import Builder
from gpuemu.kernels.python import host
from gpuemu.kernels.python.types import Array, Kind, dtype_of, typed


@dataclass(frozen=True, slots=True)
class Argument:
    """An array or a number as the translation sees it: all that a program depends on.

    Attributes
    ----------
    kind
        ``array``, ``integer``, ``bool`` or ``float``.
    shape, strides, offset
        Of an array, in elements, from the lowest address that it reaches.
    weak
        Whether it is Python's float, which takes the type of the float that it meets.
    """

    name: str
    kind: str
    dtype: DType
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    offset: int = 0
    writable: bool = True
    weak: bool = False

    @property
    def meets(self) -> Kind:
        """As what it meets other numbers."""
        return "float" if self.weak else self.dtype

    @property
    def type_text(self) -> str:
        """Its type, for people."""
        return str(self.dtype)


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple of arguments; its parts are named ``t[0]``, ``t[1]`` …"""

    name: str
    parts: tuple[Described, ...]

    @property
    def type_text(self) -> str:
        """Its type, for people.

        >>> describe("kernel", "t", (1, 2.5)).type_text
        '(int64, float64)'
        """
        return f"({', '.join(part.type_text for part in self.parts)})"


Described = Argument | Several


def plain(argument: Any) -> Any:
    """An argument with device arrays as the arrays that they hold."""
    return tuple(map(plain, argument)) if isinstance(argument, tuple) else host.plain(argument)


def describe(kernel: str, name: str, argument: Any) -> Described:
    """What an argument is to the translation.

    Raises
    ------
    LaunchError
        Where it is none that a kernel takes.
    """
    if isinstance(argument, np.ndarray):
        return _of_array(kernel, name, argument)
    if isinstance(argument, tuple):
        return Several(name, tuple(describe(kernel, f"{name}[{i}]", part) for i, part in enumerate(argument)))
    if isinstance(argument, bool | np.bool_):
        return Argument(name, "bool", dtypes.bool)
    if isinstance(argument, int):
        return Argument(name, "integer", dtypes.int64 if argument < 2**63 else dtypes.uint64)
    if isinstance(argument, float) and not isinstance(argument, np.generic):
        return Argument(name, "float", dtypes.float64, weak=True)
    if isinstance(argument, np.generic):
        try:
            dtype = dtype_of(argument.dtype)
        except TypeError:
            dtype = None
        if dtype is not None:
            return Argument(name, "float" if dtype.is_float else "integer", dtype)
    hint = "; np.array(…) makes an array of it, tuple(…) a tuple" if isinstance(argument, list) else ""
    kind = type(argument).__name__
    raise LaunchError(f"{kernel}: {name} is a {kind}; expected an array, a number or a tuple of them{hint}")


def _of_array(kernel: str, name: str, array: npt.NDArray[Any]) -> Argument:
    try:
        dtype = dtype_of(array.dtype)
    except TypeError as error:
        raise LaunchError(f"{kernel}: {name} is an array of {array.dtype}: {error}") from None
    if any(step % array.itemsize for step in array.strides):
        raise LaunchError(f"{kernel}: {name} has strides of {array.strides} bytes, no multiples of {array.itemsize}")
    strides = tuple(step // array.itemsize for step in array.strides)
    offset = sum(-step * (size - 1) for step, size in zip(strides, array.shape, strict=True) if step < 0 and size)
    return Argument(name, "array", dtype, array.shape, strides, offset, array.flags.writeable)


def operand(k: Builder, argument: Described) -> Any:
    """What a kernel's parameter stands for: the lines that define it are added to the program."""
    if isinstance(argument, Several):
        return tuple(operand(k, part) for part in argument.parts)
    match argument.kind:
        case "array":
            memory = k.buffer(argument.name, argument.dtype, argument.writable)
            return Array(argument.name, memory, argument.shape, argument.strides, argument.offset, argument.writable)
        case "float":
            return typed(k.buffer(argument.name, argument.dtype).load(0), argument.meets)
        case "bool":
            return k.argument(argument.name, dtypes.int32).ne(0)
    return k.argument(argument.name, argument.dtype)


def leaves(argument: Described) -> Iterator[Argument]:
    """The arrays and numbers of an argument, with tuples opened."""
    if isinstance(argument, Argument):
        yield argument
        return
    for part in argument.parts:
        yield from leaves(part)


def _values(value: Any) -> Iterator[Any]:
    if not isinstance(value, tuple):
        yield value
        return
    for part in value:
        yield from _values(part)


def of_launch(arguments: Sequence[Described], values: Sequence[Any]) -> tuple[list[npt.NDArray[Any]], list[int]]:
    """The buffers and the integers that a program takes for these values, each in the order of its lines."""
    flat = [leaf for argument in arguments for leaf in leaves(argument)]
    pairs = list(zip(flat, _values(tuple(values)), strict=True))
    buffers = [
        _memory(value) if argument.kind == "array" else np.array([value], argument.dtype.numpy)
        for argument, value in pairs
        if argument.kind in ("array", "float")
    ]
    return buffers, [int(value) for argument, value in pairs if argument.kind in ("integer", "bool")]


def _memory(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The memory behind an array, from the lowest to the highest address that it reaches, as a flat array."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    start = array[tuple(slice(None, None, -1) if step < 0 else slice(None) for step in array.strides)]
    size = 1 + sum(abs(step) // array.itemsize * (n - 1) for step, n in zip(array.strides, array.shape, strict=True))
    if array.size == 0:
        return array.reshape(-1)
    return np.lib.stride_tricks.as_strided(start, (size,), (array.itemsize,))
