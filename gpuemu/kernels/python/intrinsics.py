"""What ``cuda`` means in a kernel: positions, barriers, memory, atomics."""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gpuemu import dtypes
from gpuemu.kernels.builder import Value
from gpuemu.kernels.errors import KernelError
from gpuemu.kernels.python.indexing import picked
from gpuemu.kernels.python.names import Callee, Namespace
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, as_type, dtype_of, join, kind_of, meeting, settled, typed
from gpuemu.uops import UOps

Handler = Callable[..., Any]


class Intrinsic(Callee):
    """A function that means something inside a kernel only; its parameters are those of its handler after the node."""

    def __init__(
        self,
        name: str,
        handler: Handler,
        counts: tuple[int, ...],
        names: tuple[str, ...] = (),
        *,
        of_python: bool = False,
    ) -> None:
        self.of_python = of_python  # its arguments are Python's objects, arrays too
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
            wanted = " or ".join(map(str, self.counts)) if len(self.counts) < 4 else f"{min(self.counts)} or more"
            names = f" ({', '.join(self.names)})" if self.names else ""
            plural = "s" if wanted != "1" else ""
            raise t.error(node, f"{self.name} takes {wanted} argument{plural}{names}; got {len(given)}")
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
        self.words = f"cuda.{'threadIdx' if kind == 'l' else 'blockIdx'} without .x, .y or .z"

    def attribute(self, translator: Translator, name: str) -> Any:
        """One axis."""
        axis = _axis(name)
        sizes = translator.blocks if self.kind == "g" else translator.threads
        return translator.k.special(self.kind, axis, sizes[axis])


class Extent(Namespace):
    """``blockDim`` or ``gridDim``: sizes, which are known when a kernel is launched."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.words = f"cuda.{'blockDim' if kind == 'l' else 'gridDim'} without .x, .y or .z"

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


def _fence(t: Translator, node: ast.Call) -> None:
    """Memory is always coherent here, so a fence does nothing."""


threadfence, threadfence_block, threadfence_system = (
    Intrinsic(f"cuda.{name}", _fence, (0,)) for name in ("threadfence", "threadfence_block", "threadfence_system")
)


def _counted(t: Translator, node: ast.Call, predicate: Any) -> Value:
    """How many lanes of the block have a predicate that is true: they count in a number that they share."""
    condition = t.truth(predicate, node)
    one = condition.cast(dtypes.int32) if isinstance(condition, Value) else t.k.const(int(condition), dtypes.int32)
    t.memories += 1
    total = t.k.local(f"count{t.memories}", 1, dtypes.int32)
    zero = t.k.const(0, dtypes.int32)
    t.k.barrier()  # all have read what was counted before
    with t.k.if_(flat_lane(t).eq(0)):
        total.store(zero, zero)
    t.k.barrier()
    t.k.line(UOps.ATOMIC, dtypes.int32, [total.number, zero.number, one.number], "add")
    t.k.barrier()
    return total.load(zero)


@intrinsic("cuda.syncthreads_count", 1, names=("predicate",))
def syncthreads_count(t: Translator, node: ast.Call, predicate: Any) -> Value:
    """All lanes of the block arrive; then each has the number of lanes whose predicate was true."""
    return _counted(t, node, predicate)


@intrinsic("cuda.syncthreads_and", 1, names=("predicate",))
def syncthreads_and(t: Translator, node: ast.Call, predicate: Any) -> Value:
    """All lanes of the block arrive; then each has 1 where the predicate was true in all of them, else 0."""
    return _counted(t, node, predicate).eq(prod(t.threads)).cast(dtypes.int32)


@intrinsic("cuda.syncthreads_or", 1, names=("predicate",))
def syncthreads_or(t: Translator, node: ast.Call, predicate: Any) -> Value:
    """All lanes of the block arrive; then each has 1 where the predicate was true in one of them, else 0."""
    return _counted(t, node, predicate).ne(0).cast(dtypes.int32)


def _new_array(t: Translator, node: ast.Call, shape: Any, dtype: Any, what: str) -> tuple[tuple[int, ...], Any]:
    sizes = shape if isinstance(shape, tuple) else (shape,)
    if not sizes or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in sizes):
        given = ", ".join(map(describe, sizes)) or "no sizes"
        hint = "numbers in the source, names outside the kernel, sizes of arrays, cuda.blockDim"
        raise t.error(
            node, f"the shape of {what} is {given}; expected integers that are known when it is translated: {hint}"
        )
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


def _array_like(t: Translator, node: ast.Call, array: Any) -> Array:
    """An array of Python as a constant: its numbers as they are when the kernel is translated."""
    if not isinstance(array, np.ndarray):
        raise t.error(node, f"cuda.const.array_like of {describe(array)}; expected a numpy array outside the kernel")
    try:
        return t.constant(ast.unparse(node.args[0]), array)
    except TypeError as error:
        raise t.error(node, f"an array of {array.dtype}: {error}") from None


class Constant(Namespace):
    """``cuda.const``."""

    array_like = Intrinsic("cuda.const.array_like", _array_like, (1,), of_python=True)


# --- choices ----------------------------------------------------------------------------------------------------------


def scalar_kind(t: Translator, node: ast.Call, operand: Any) -> Any:
    """The kind of a scalar; an error where it is none."""
    return kind_of(t.number(operand, node, "the value"))


@intrinsic("cuda.selp", 3)
def selp(t: Translator, node: ast.Call, condition: Any, yes: Any, no: Any) -> Any:
    """One of two values, both of which are computed."""
    chosen = t.truth(condition, node)
    if not isinstance(chosen, Value):
        return yes if chosen else no
    kind = meeting(*(t.number(operand, node, "the value") for operand in (yes, no)))
    return typed(t.k.where(chosen, as_type(t.k, yes, settled(kind)), as_type(t.k, no, settled(kind))), kind)


@intrinsic("cuda.fma", 3)
def fma(t: Translator, node: ast.Call, x: Any, y: Any, z: Any) -> Any:
    """x·y + z, rounded once where it is of float32 or narrower: the product of two float32 is exact in float64."""
    kind = join(join(scalar_kind(t, node, x), scalar_kind(t, node, y)), join(scalar_kind(t, node, z), "float"))
    left, right, more = (as_type(t.k, operand, settled(kind)).cast(dtypes.float64) for operand in (x, y, z))
    return typed((left * right + more).cast(settled(kind)), kind)
