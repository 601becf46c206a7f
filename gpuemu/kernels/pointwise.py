"""Elementwise and reduce kernels over any views of their operands.

A view says, for each point, which element of memory it is and whether there is one: two expressions. Here they become
UOps, so a transposed, padded, strided or broadcast operand costs what its expressions cost, and no copy. Points that
are not valid read 0.

>>> import numpy as np
>>> from gpuemu import dtypes
>>> from shapetracker import ShapeTracker
>>> turned = ShapeTracker.from_shape((3, 2)).permute((1, 0))
>>> add = elementwise(lambda x, y: x + y, ShapeTracker.from_shape((2, 3)), turned, ShapeTracker.from_shape((2, 3)))
>>> out, x, y = np.zeros((2, 3), np.float32), np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
>>> seconds = add(out, x, y)
>>> out.tolist()
[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import ALU_OPS, BinaryOps
from gpuemu.dtypes import DType
from gpuemu.errors import shown
from gpuemu.kernels.access import Access, described, load, store
from gpuemu.kernels.builder import Builder, Number, Value
from gpuemu.kernels.errors import BuilderError, ViewKernelError
from gpuemu.kernels.kernel_from_views import KernelFromViews, check_written_once, plain
from shapetracker import Expr, ShapeTracker
from shapetracker.expr import Const, Variable

LANES = 64
"""Lanes of a workgroup: two warps of 32, or one of AMD's 64."""

REDUCTIONS: dict[BinaryOps, str] = {BinaryOps.ADD: "sum", BinaryOps.MUL: "product", BinaryOps.MAX: "maximum"}
"""The operations that a reduction can do."""


def elementwise(
    fn: Callable[..., Value],
    out: ShapeTracker,
    *ins: ShapeTracker,
    dtype: DType | Sequence[DType] = dtypes.float32,
    out_dtype: DType | None = None,
    name: str = "elementwise",
) -> KernelFromViews:
    """A kernel that computes each point of `out` from the same point of the operands.

    Parameters
    ----------
    fn
        Takes a builder's value for each operand and gives the result: ``lambda x, y: x + y``.
    out, ins
        Views of one shape. `out` must reach each element once; points where it has no element are not computed.
    dtype
        The type of the operands' elements: one for all, or one each.
    out_dtype
        The type of the result's elements; the first operand's where it is not given.

    Raises
    ------
    ViewKernelError
        Where the shapes differ, `out` reaches an element twice, or a view depends on variables.
    """
    call = name
    types = _types(call, dtype, len(ins))
    out, ins = _plain(call, out, ins)
    for number, tracker in enumerate(ins):
        if tracker.shape != out.shape:
            raise ViewKernelError(
                f"{call}: operand {number} has shape {tracker.shape} and out {out.shape}; expected one shape: expand "
                "or reshape one of them"
            )
    grid = _Grid(name, out, out_dtype or (types[0] if types else dtypes.float32), ins, types)
    values = [grid.load(number, tracker.expr_node(grid.point)) for number, tracker in enumerate(ins)]
    return grid.finish(_put_together(call, fn, values, grid))


def reduce(
    op: BinaryOps | str,
    axis: int | Sequence[int],
    out: ShapeTracker,
    *ins: ShapeTracker,
    fn: Callable[..., Value] | None = None,
    dtype: DType | Sequence[DType] = dtypes.float32,
    out_dtype: DType | None = None,
    name: str = "",
) -> KernelFromViews:
    """A kernel that adds up, multiplies or takes the largest along axes, in the order of the index.

    A lane computes one point of `out`, with a loop for each axis. Without elements the result is 0, 1 or the least
    number; a point of an operand that is not valid counts as 0.

    Parameters
    ----------
    op
        ``BinaryOps.ADD``, ``MUL`` or ``MAX``, or its name.
    axis
        The axis, or axes, of the operands that the result has not.
    out
        A view of the operands' shape without those axes, which reaches each element once.
    ins
        Views of one shape.
    fn
        What is put together for each point; it may be left out with one operand.
    dtype, out_dtype
        As of `elementwise`; the accumulator has the result's type.

    Raises
    ------
    ViewKernelError
        Where shapes, axes or the operation do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> x = ShapeTracker.from_shape((2, 3))
    >>> largest = reduce(BinaryOps.MAX, 1, ShapeTracker.from_shape((2,)), x)
    >>> out = np.zeros(2, np.float32)
    >>> seconds = largest(out, np.array([3, 1, 2, 4, 6, 5], np.float32))
    >>> out.tolist()
    [3.0, 6.0]
    """
    op = ALU_OPS.get(op, op) if isinstance(op, str) else op  # type: ignore[assignment]
    if op not in REDUCTIONS:
        raise ViewKernelError(f"reduce {op!r}: expected one of {', '.join(map(str, REDUCTIONS))}")
    call = name or f"{REDUCTIONS[op]} along {axis}"
    types = _types(call, dtype, len(ins))
    out, ins = _plain(call, out, ins)
    if not ins or (fn is None and len(ins) != 1):
        raise ViewKernelError(f"{call}: {len(ins)} operands; give one, or fn to put them together")
    shape = ins[0].shape
    axes = _axes(call, axis, len(shape))
    kept = tuple(size for number, size in enumerate(shape) if number not in axes)
    if any(tracker.shape != shape for tracker in ins) or out.shape != kept:
        shapes = " and ".join(str(tracker.shape) for tracker in ins)
        raise ViewKernelError(f"{call}: operands of {shapes} into {out.shape}; expected one shape, and out {kept}")
    grid = _Grid(call, out, out_dtype or types[0], ins, types)
    total = grid.builder.variable(_identity(op, grid.out.dtype), grid.out.dtype)
    digits = _digits(grid.point, kept)
    counters = {a: Variable(f"k{a}", 0, max(0, shape[a] - 1)) for a in axes}
    point: list[Expr] = [counters[a] if a in axes else digits.pop(0) for a in range(len(shape))]

    def accumulate(left: list[int]) -> None:
        if left:
            with grid.builder.loop(shape[left[0]]) as counter:
                grid.values[counters[left[0]]] = counter
                accumulate(left[1:])
            return
        values = [grid.load(number, tracker.expr_idxs(point)) for number, tracker in enumerate(ins)]
        value = (_put_together(call, fn, values, grid) if fn else values[0]).cast(grid.out.dtype)
        total.set(grid.builder.alu(op, total.value, value))

    if prod(shape[a] for a in axes):
        accumulate(list(axes))
    else:  # nothing to read; the picture still shows how it would be read
        grid.accesses += [grid.access(number, tracker.expr_idxs(point)) for number, tracker in enumerate(ins)]
    return grid.finish(total.value)


def _put_together(call: str, fn: Callable[..., Any], values: Sequence[Value], grid: _Grid) -> Value:
    """What a person's function makes of the operands; a number is one for each point."""
    types = ", ".join(str(value.dtype) for value in values)
    try:
        result = fn(*values)
    except BuilderError:
        raise
    except TypeError as error:
        raise ViewKernelError(
            f"{call}: fn({types}): {error}; fn takes a value of each operand; values have + - * / // % ** < <= > >=, "
            "eq, ne and cast, and other functions are x.builder.alu(UnaryOps.SQRT, x)"
        ) from error
    if isinstance(result, bool):  # == of two values compares objects
        raise ViewKernelError(
            f"{call}: fn({types}) gives {result} for all points; x == y is x.eq(y), x != y is x.ne(y)"
        )
    if not isinstance(result, Value | int | float):
        raise ViewKernelError(f"{call}: fn({types}) gives {shown(result)}; expected a value or a number")
    return grid.builder.as_value(result, grid.out.dtype)


def _identity(op: BinaryOps, dtype: DType) -> Number:
    if op is BinaryOps.ADD:
        return 0
    if op is BinaryOps.MUL:
        return 1
    if dtype.is_float:
        return float("-inf")
    return -(2 ** (8 * dtype.itemsize - 1)) if dtype.kind == "signed" else 0


def _types(call: str, dtype: DType | Sequence[DType], count: int) -> list[DType]:
    types: list[Any] = list(dtype) if isinstance(dtype, list | tuple) else [dtype] * count
    if not all(isinstance(each, DType) for each in types):
        raise ViewKernelError(f"{call}: dtype is {shown(dtype)}; expected one of gpuemu.dtypes, or a list of them")
    if len(types) != count:
        raise ViewKernelError(f"{call}: {len(types)} dtypes for {count} operands; give one, or one each")
    return types


def _plain(call: str, out: ShapeTracker, ins: Sequence[ShapeTracker]) -> tuple[ShapeTracker, tuple[ShapeTracker, ...]]:
    """The views without variables; the result's reaches each element once."""
    out, *rest = plain(call, out=out, **{f"operand {number}": tracker for number, tracker in enumerate(ins)})
    check_written_once(call, out)
    return out, tuple(rest)


def _axes(call: str, axis: int | Sequence[int], rank: int) -> tuple[int, ...]:
    axes = tuple(axis) if isinstance(axis, list | tuple) else (axis,)
    if not all(isinstance(a, int) for a in axes):
        raise ViewKernelError(f"{call}: axis is {shown(axis)}; expected an integer, or a list of them")
    if not all(-rank <= a < rank for a in axes) or len({a % rank for a in axes if rank}) != len(axes):
        raise ViewKernelError(f"{call}: axes {axes} of a view with the axes 0 … {rank - 1}")
    return tuple(sorted(a % rank for a in axes))


def _digits(flat: Expr, shape: Sequence[int]) -> list[Expr]:
    """The point of a flat index in row-major order."""
    digits: list[Expr] = []
    place = 1
    for number, size in reversed(list(enumerate(shape))):
        digit = flat // place if place > 1 else flat
        inside = prod(shape[:number]) == 1  # nothing is left above the leading axis
        digits.append(Const(0) if size <= 1 else digit if inside else digit % size)
        place *= max(1, size)
    return digits[::-1]


class _Grid:
    """A kernel under construction whose lanes each compute one point of the result, by its flat index."""

    def __init__(
        self, name: str, out: ShapeTracker, out_dtype: DType, ins: Sequence[ShapeTracker], types: Sequence[DType]
    ) -> None:
        self.builder = k = Builder(name)
        self.trackers = (out, *ins)
        self.out = k.buffer("out", out_dtype, writable=True)
        self.buffers = [k.buffer(f"in{number}", dtype) for number, dtype in enumerate(types)]
        self.size = out.size
        self.groups = -(-self.size // LANES)
        self.point = Variable("idx", 0, max(0, self.size - 1))
        lane = k.special("g", 0, max(1, self.groups)) * LANES + k.special("l", 0, LANES)
        self.guard = None if self.size % LANES == 0 else lane < self.size
        self.values: dict[Variable, Value] = {self.point: lane}
        self.accesses: list[Access] = []

    def access(self, number: int, expressions: tuple[Expr, Expr]) -> Access:
        """How operand `number` is reached."""
        memory = self.buffers[number] if number >= 0 else self.out
        return described(memory, self.trackers[number + 1], self.trackers[number + 1], expressions)

    def load(self, number: int, expressions: tuple[Expr, Expr]) -> Value:
        """The element of an operand, 0 where there is none."""
        self.accesses.append(access := self.access(number, expressions))
        return load(self.builder, self.buffers[number], access, self.values, self.guard)

    def finish(self, value: Value) -> KernelFromViews:
        """Store the result and put the kernel together."""
        access = self.access(-1, self.trackers[0].expr_node(self.point))
        store(self.builder, self.out, access, self.values, value.cast(self.out.dtype), self.guard)
        sizes = (self.groups, 1, 1), (LANES, 1, 1)
        return KernelFromViews(self.builder.name, self.builder.program(), (access, *self.accesses), *sizes)
