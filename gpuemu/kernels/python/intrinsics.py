"""What ``cuda`` means in a kernel: positions, barriers, memory, atomics, warps."""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import prod
from typing import Any

from gpuemu import dtypes
from gpuemu.kernels.builder import Value
from gpuemu.kernels.errors import KernelError
from gpuemu.kernels.python.expressions import Callee, Computed, Namespace
from gpuemu.kernels.python.indexing import picked
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, as_type, dtype_of, join, kind_of, settled, typed
from gpuemu.uops import UOps

Handler = Callable[..., Any]
ALL_LANES = 0xFFFFFFFF


class Intrinsic(Callee):
    """A function that means something inside a kernel only; its parameters are those of its handler after the node."""

    def __init__(self, name: str, handler: Handler, counts: tuple[int, ...], names: tuple[str, ...] = ()) -> None:
        self.name = name
        self.handler = handler
        self.counts = counts
        self.names = names
        self.__doc__ = handler.__doc__

    def call(self, t: Translator, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Check the number of arguments, and translate."""
        unknown = next((name for name in keywords if name not in self.names), None)
        if unknown is not None:
            raise t.error(node, f"{self.name} has no argument {unknown!r}")
        given = list(arguments)
        for name in self.names[len(arguments) :]:
            if name in keywords:
                given.append(keywords[name])
        if len(given) not in self.counts:
            wanted = " or ".join(map(str, self.counts))
            raise t.error(node, f"{self.name} takes {wanted} arguments; got {len(given)}")
        return self.handler(t, node, *given)

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Outside a kernel there is no lane that could do it."""
        raise KernelError(f"{self.name} was called outside a kernel; it means something in a function with @cuda.jit")

    def __repr__(self) -> str:
        return f"<{self.name}>"


def intrinsic(name: str, *counts: int, names: tuple[str, ...] = ()) -> Callable[[Handler], Intrinsic]:
    """Make a handler what a kernel may call; `counts` are the numbers of arguments that it takes."""
    return lambda handler: Intrinsic(name, handler, counts, names)


# --- positions -------------------------------------------------------------------------------------------------------


class Position(Namespace):
    """``threadIdx`` or ``blockIdx``: x, y, z of the lane in its block, or of the block in the grid."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def attribute(self, translator: Translator, name: str) -> Any:
        """One axis."""
        axis = _axis(name)
        sizes = translator.blocks if self.kind == "g" else translator.threads
        return translator.k.special(self.kind, axis, sizes[axis])


class Extent(Namespace):
    """``blockDim`` or ``gridDim``: sizes, which are known when a kernel is launched."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def attribute(self, translator: Translator, name: str) -> Any:
        """One axis."""
        return (translator.blocks if self.kind == "g" else translator.threads)[_axis(name)]


def _axis(name: str) -> int:
    if name not in ("x", "y", "z"):
        raise AttributeError(name)
    return "xyz".index(name)


def flat_lane(t: Translator) -> Value:
    """The number of the lane in its block, x innermost."""
    x, y, z = (t.k.special("l", axis, t.threads[axis]) for axis in range(3))
    flat = x
    if t.threads[1] > 1 or t.threads[2] > 1:
        flat = flat + y * t.threads[0]
    if t.threads[2] > 1:
        flat = flat + z * (t.threads[0] * t.threads[1])
    return flat


class LaneNumber(Computed):
    """``laneid``: the lane's number in its warp."""

    def operand(self, t: Translator) -> Value:
        """The number."""
        return flat_lane(t) % t.k.warp


def _dimensions(t: Translator, node: ast.Call, ndim: Any) -> int:
    if ndim not in (1, 2, 3) or isinstance(ndim, Value):
        raise t.error(node, f"the number of axes is {describe(ndim)}; expected 1, 2 or 3")
    return int(ndim)


@intrinsic("cuda.grid", 1, names=("ndim",))
def grid(t: Translator, node: ast.Call, ndim: Any) -> Any:
    """The position of the lane in the whole grid: one number, or a tuple (x, y) or (x, y, z)."""
    found = []
    for axis in range(_dimensions(t, node, ndim)):
        here = t.k.special("l", axis, t.threads[axis])
        found.append(t.k.special("g", axis, t.blocks[axis]) * t.threads[axis] + here)
    return found[0] if ndim == 1 else tuple(found)


@intrinsic("cuda.gridsize", 1, names=("ndim",))
def gridsize(t: Translator, node: ast.Call, ndim: Any) -> Any:
    """How many lanes the whole grid has along x, or along each axis."""
    sizes = [b * d for b, d in zip(t.blocks, t.threads, strict=True)][: _dimensions(t, node, ndim)]
    return sizes[0] if ndim == 1 else tuple(sizes)


# --- memory and barriers ---------------------------------------------------------------------------------------------


@intrinsic("cuda.syncthreads", 0)
def syncthreads(t: Translator, node: ast.Call) -> None:
    """All lanes of the block arrive before any goes on."""
    t.k.barrier()


@intrinsic("cuda.syncwarp", 0, 1, names=("mask",))
def syncwarp(t: Translator, node: ast.Call, mask: Any = None) -> None:
    """All lanes of the warp, or of a mask, arrive before any goes on."""
    t.k.line(UOps.WARP_BARRIER, None, [] if mask is None else [_mask(t, node, mask).number])


@intrinsic("cuda.threadfence", 0)
def threadfence(t: Translator, node: ast.Call) -> None:
    """Memory is always coherent here, so a fence does nothing."""


def _new_array(t: Translator, node: ast.Call, shape: Any, dtype: Any, what: str) -> tuple[tuple[int, ...], Any]:
    sizes = shape if isinstance(shape, tuple) else (shape,)
    if not sizes or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in sizes):
        given = ", ".join(map(describe, sizes)) or "no sizes"
        raise t.error(node, f"the shape of {what} is {given}; expected integers that are known when it is translated")
    try:
        return sizes, dtype_of(dtype)
    except TypeError as error:
        raise t.error(node, f"the type of {what}: {error}") from None


def _named(t: Translator, node: ast.Call, kind: str) -> str:
    """The name that the array is assigned to, as the source says."""
    text = t.scope.source.lines[node.lineno - 1].split("=")[0].strip()
    t.memories += 1
    return text if text.isidentifier() else f"{kind}{t.memories}"


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


@intrinsic("cuda.shared.array", 2, names=("shape", "dtype"))
def shared_array(t: Translator, node: ast.Call, shape: Any, dtype: Any) -> Array:
    """An array that the lanes of a block share; shape 0 takes what the launch gives."""
    sizes, of = _new_array(t, node, shape, dtype, "a shared array")
    if prod(sizes) == 0:
        sizes = (t.shared_bytes // of.itemsize,)
        if sizes == (0,):
            raise t.error(
                node, "a shared array of shape 0 takes its size from the launch: kernel[blocks, threads, 0, bytes]"
            )
    name = _named(t, node, "shared")
    return Array(name, t.k.local(name, prod(sizes), of), sizes, _contiguous(sizes))


@intrinsic("cuda.local.array", 2, names=("shape", "dtype"))
def local_array(t: Translator, node: ast.Call, shape: Any, dtype: Any) -> Array:
    """An array of each lane's own."""
    sizes, of = _new_array(t, node, shape, dtype, "a local array")
    if prod(sizes) == 0:
        raise t.error(node, f"a local array of shape {sizes} has no elements")
    name, lanes = _named(t, node, "local"), prod(t.threads)
    memory = t.k.local(name, prod(sizes) * lanes, of)
    return Array(name, memory, sizes, tuple(step * lanes for step in _contiguous(sizes)), flat_lane(t))


# --- atomics ---------------------------------------------------------------------------------------------------------


def _atomic(t: Translator, node: ast.Call, what: str, array: Any, index: Any, *values: Any) -> Value:
    if not isinstance(array, Array):
        raise t.error(node, f"an atomic on {describe(array)}; expected an array")
    place = picked(t, node, array, list(index) if isinstance(index, tuple) else [index])
    if place.shape:
        raise t.error(node, f"an atomic on {len(place.shape)} whole axes of {array.name}; index each of them")
    if not place.writable:
        raise t.error(node, f"{array.name} is read-only: the array that was given cannot be written")
    given = [as_type(t.k, t.number(value, node, "the value"), place.dtype) for value in values]
    offset = t.k.as_value(place.offset, dtypes.int32)
    sources = [place.memory.number, offset.number, *(value.number for value in given)]
    return Value(t.k, t.k.line(UOps.ATOMIC, place.dtype, sources, what), place.dtype)


def _of_atomic(name: str, what: str) -> Intrinsic:
    def handler(t: Translator, node: ast.Call, array: Any, index: Any, value: Any) -> Value:
        return _atomic(t, node, what, array, index, value)

    handler.__doc__ = f"array[index] becomes {what} with the value, one lane after the other; gives the old one."
    return Intrinsic(f"cuda.atomic.{name}", handler, (3,), ("ary", "idx", "val"))


class Atomic(Namespace):
    """``cuda.atomic``: changes of one element that no other lane can come between."""

    add = _of_atomic("add", "add")
    max = _of_atomic("max", "max")
    min = _of_atomic("min", "min")
    and_ = _of_atomic("and_", "and")
    or_ = _of_atomic("or_", "or")
    xor = _of_atomic("xor", "xor")
    exch = _of_atomic("exch", "exchange")

    @intrinsic("cuda.atomic.sub", 3, names=("ary", "idx", "val"))
    @staticmethod
    def sub(t: Translator, node: ast.Call, array: Any, index: Any, value: Any) -> Value:
        """array[index] loses the value; gives the old one."""
        operand = t.number(value, node, "the value")
        return _atomic(t, node, "add", array, index, -operand)

    @intrinsic("cuda.atomic.cas", 4, names=("ary", "idx", "old", "val"))
    @staticmethod
    def cas(t: Translator, node: ast.Call, array: Any, index: Any, old: Any, value: Any) -> Value:
        """array[index] becomes the value where it is the old one; gives what was there."""
        return _atomic(t, node, "compare-and-swap", array, index, old, value)

    @intrinsic("cuda.atomic.compare_and_swap", 3, names=("ary", "old", "val"))
    @staticmethod
    def compare_and_swap(t: Translator, node: ast.Call, array: Any, old: Any, value: Any) -> Value:
        """array[0] becomes the value where it is the old one; gives what was there."""
        return _atomic(t, node, "compare-and-swap", array, 0, old, value)


class Shared(Namespace):
    """``cuda.shared``."""

    array = shared_array


class Local(Namespace):
    """``cuda.local``."""

    array = local_array


# --- warps -----------------------------------------------------------------------------------------------------------


def _mask(t: Translator, node: ast.Call, mask: Any) -> Value:
    operand = t.number(mask, node, "the mask")
    if isinstance(operand, float) or (isinstance(operand, Value) and operand.dtype.is_float):
        raise t.error(node, f"the mask is {describe(operand)}; expected an integer with a bit for each lane")
    return t.k.const(operand & ALL_LANES, dtypes.uint32) if isinstance(operand, int) else operand.cast(dtypes.uint32)


def _shuffle(name: str, what: str) -> Intrinsic:
    def handler(t: Translator, node: ast.Call, mask: Any, value: Any, number: Any) -> Value:
        here = as_type(t.k, value, settled(scalar_kind(t, node, value)))
        other = as_type(t.k, t.number(number, node, "the number of lanes"), dtypes.int32)
        return t.k.shuffle(what, here, other, _mask(t, node, mask))

    handler.__doc__ = "The value that another lane of the warp gives."
    return Intrinsic(f"cuda.{name}", handler, (3,))


def scalar_kind(t: Translator, node: ast.Call, operand: Any) -> Any:
    """The kind of a scalar; an error where it is none."""
    return kind_of(t.number(operand, node, "the value"))


shfl_sync = _shuffle("shfl_sync", "index")
shfl_up_sync = _shuffle("shfl_up_sync", "up")
shfl_down_sync = _shuffle("shfl_down_sync", "down")
shfl_xor_sync = _shuffle("shfl_xor_sync", "xor")


def _vote(name: str, what: str) -> Intrinsic:
    def handler(t: Translator, node: ast.Call, mask: Any, predicate: Any) -> Value:
        condition = t.truth(predicate, node)
        condition = condition if isinstance(condition, Value) else t.k.const(condition, dtypes.bool)
        dtype = dtypes.uint32 if what == "ballot" else dtypes.bool
        return t.k.vote(what, condition, dtype, _mask(t, node, mask))

    handler.__doc__ = f"{what} of a condition over the lanes of the mask."
    return Intrinsic(f"cuda.{name}", handler, (2,))


any_sync = _vote("any_sync", "any")
all_sync = _vote("all_sync", "all")
ballot_sync = _vote("ballot_sync", "ballot")


@intrinsic("cuda.activemask", 0)
def activemask(t: Translator, node: ast.Call) -> Value:
    """An integer with a bit for each lane of the warp that is here."""
    return t.k.vote("ballot", t.k.const(True, dtypes.bool), dtypes.uint32)


@intrinsic("cuda.popc", 1)
def popc(t: Translator, node: ast.Call, value: Any) -> Value:
    """How many bits of 32 are set."""
    x = as_type(t.k, t.number(value, node, "the value"), dtypes.uint32)
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return ((x * 0x01010101) >> 24).cast(dtypes.int32)


@intrinsic("cuda.selp", 3)
def selp(t: Translator, node: ast.Call, condition: Any, yes: Any, no: Any) -> Any:
    """One of two values, both of which are computed."""
    chosen = t.truth(condition, node)
    if not isinstance(chosen, Value):
        return yes if chosen else no
    kind = join(scalar_kind(t, node, yes), scalar_kind(t, node, no))
    return typed(t.k.where(chosen, as_type(t.k, yes, settled(kind)), as_type(t.k, no, settled(kind))), kind)
