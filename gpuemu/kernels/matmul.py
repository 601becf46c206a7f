"""A matrix product from views, on a tensor core through its lane maps, which are Views too.

An operand is cut into tiles by movement operations (pad, reshape, permute), and the lane map, a View over a tile, is
laid on top: the two stacks become one. So a fragment is a View of the operand, and its expression says where in memory
the element of each lane is.

>>> from gpuemu import tensorcores
>>> from shapetracker import ShapeTracker
>>> mma = tensorcores.instruction("m16n8k16")
>>> a = ShapeTracker.from_shape((128, 128))
>>> fragment(a, mma, "a").shape, mma.a.lane_shape, mma.a.element_shape  # tiles along m and k; then lane, then element
((8, 8, 8, 4, 2, 2, 2), (8, 4), (2, 2, 2))
>>> len(fragment(a, mma, "a").views), fragment(a, mma, "a").views[0].strides
(1, (2048, 16, 128, 2, 8, 1024, 1))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from gpuemu import dtypes
from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType
from gpuemu.errors import InstructionError
from gpuemu.kernels.access import Access, Values, described, load, store
from gpuemu.kernels.builder import Builder, Memory, Value
from gpuemu.kernels.errors import ViewKernelError
from gpuemu.kernels.kernel_from_views import KernelFromViews, check_written_once, plain
from gpuemu.kernels.pointwise import reduce
from gpuemu.machine.wmma import Fragment, TensorCore, resolve
from gpuemu.tensorcores import Instruction, LaneMap
from gpuemu.tensorcores import instruction as instruction_of_name
from gpuemu.tensorcores.nvidia import shared_operand
from shapetracker import Expr, ShapeTracker, View
from shapetracker.expr import Const, Variable

MOST_WARPS = 4
"""Warps of a workgroup, side by side along n: so many where the tiles divide so."""
NAMES = ("out", "a", "b", "scale_a", "scale_b")


def matmul(
    a: ShapeTracker,
    b: ShapeTracker,
    instruction: Instruction | str | None = None,
    *,
    out: ShapeTracker | None = None,
    dtype: DType = dtypes.float32,
    out_dtype: DType | None = None,
    scales: tuple[ShapeTracker, ShapeTracker] | None = None,
    name: str = "matmul",
) -> KernelFromViews:
    """A kernel that computes ``out[m, n] = Σ a[m, k] · b[k, n]`` from any views.

    Parameters
    ----------
    a, b
        Views of shape (m, k) and (k, n).
    instruction
        A tensor core or its name; its lane maps say which lane loads what, and its types are those of the arrays.
        Sizes that no whole tiles fill are padded by gates. None: a lane to an element, and a loop along k.
    out
        A view of shape (m, n) that reaches each element once; row-major where it is not given.
    dtype
        The type of a's and b's elements where no tensor core says it.
    out_dtype
        The type of the result's elements; the tensor core's or that of a and b where it is not given.
    scales
        Where the instruction takes block scales: views of shape (m, blocks along k) and (blocks along k, n), row-major
        where they are not given. Their arrays come after b's.

    Raises
    ------
    ViewKernelError
        Where the shapes do not fit, or `out` reaches an element twice.
    InstructionError
        Where there is no such instruction, or A is sparse.

    Notes
    -----
    Where the instruction reads B from shared memory (wgmma), the lanes of a group copy each tile of B there, between
    two barriers; B's view says which element goes to which place.
    """
    a, b = plain(name, a=a, b=b)
    if len(a.shape) != 2 or len(b.shape) != 2 or a.shape[1] != b.shape[0]:
        raise ViewKernelError(f"{name}: a of shape {a.shape} and b of {b.shape}; expected (m, k) and (k, n)")
    (m, k), n = a.shape, b.shape[1]
    (out,) = plain(name, out=ShapeTracker.from_shape((m, n)) if out is None else out)
    if out.shape != (m, n):
        raise ViewKernelError(f"{name}: out has shape {out.shape}; expected {(m, n)}")
    if instruction is None:
        if scales is not None:
            raise ViewKernelError(f"{name}: scales are given, and no instruction that takes block scales")
        rows, columns = (
            a.reshape((m, 1, k)).expand((m, n, k)),
            b.permute((1, 0)).reshape((1, n, k)).expand((m, n, k)),
        )
        return reduce(
            BinaryOps.ADD, 2, out, rows, columns, fn=lambda x, y: x * y, dtype=dtype, out_dtype=out_dtype, name=name
        )
    check_written_once(name, out)
    found = instruction_of_name(instruction) if isinstance(instruction, str) else instruction
    return _Tiled(name, (out, a, b, *_scales(name, found, (m, k, n), scales)), found, out_dtype).kernel()


def _scales(
    name: str, found: Instruction, size: tuple[int, int, int], given: tuple[ShapeTracker, ShapeTracker] | None
) -> list[ShapeTracker]:
    """The views of the block scales, where the instruction takes such."""
    if found.scales is None:
        if given is not None:
            raise ViewKernelError(f"{name}: scales are given, and {found.short_name} takes none")
        return []
    m, k, n = size
    blocks = -(-k // found.scales.block)
    shapes = (m, blocks), (blocks, n)
    views = given or tuple(ShapeTracker.from_shape(shape) for shape in shapes)
    of_a, of_b = plain(name, scale_a=views[0], scale_b=views[1])
    if (of_a.shape, of_b.shape) != shapes:
        raise ViewKernelError(
            f"{name}: scales of shape {of_a.shape} and {of_b.shape}; expected {shapes[0]} and {shapes[1]}: one for "
            f"each {found.scales.block} positions along k"
        )
    return [of_a, of_b]


def _core(found: Instruction) -> tuple[TensorCore, str]:
    """The tensor core ready to run, and the name that a WMMA line calls it by."""
    if found.sparse:
        raise InstructionError(
            f"matmul: A of {found.short_name} is sparse; give an instruction whose operands are dense"
        )
    problem = f"no name of {found!r} means this instruction alone"
    for name in (found.short_name, found.name):
        try:
            core = resolve(name, found.lanes)
        except InstructionError as error:
            problem = str(error)
            continue
        if core.instruction.maps == found.maps:
            return core, name
    raise InstructionError(f"matmul: {problem}")


def fragment(tracker: ShapeTracker, instruction: Instruction, operand: str) -> ShapeTracker:
    """An operand as the lanes of a tensor core see it.

    Parameters
    ----------
    tracker
        The whole operand: (m, k), (k, n) or (m, n). Where no whole tiles fill it, it is padded.
    operand
        ``a``, ``b``, ``c`` or ``d``. Instructions of several blocks multiply one tile of A by several of B. A B that
        lies in shared memory is as if one lane held all of it: its elements are the places there.

    Returns
    -------
    ShapeTracker
        Of shape (tiles along m or n, tiles along k or n, the digits of the lane, those of the element).

    Raises
    ------
    InstructionError
        Where no lane holds the operand.
    """
    in_memory = operand == "b" and instruction.path == "wgmma"
    lane_map = shared_operand(instruction) if in_memory else instruction.maps.get(operand)
    view = None if lane_map is None else lane_map.view
    if lane_map is None or view is None:
        raise InstructionError(f"fragment: {operand} of {instruction.short_name} lies in no lanes as one View")
    return _through(tracker, lane_map, view, operand)


def _through(tracker: ShapeTracker, lane_map: LaneMap, view: View, operand: str) -> ShapeTracker:
    """An operand seen through a lane map that is a View."""
    tiles = _tiles(tracker, lane_map, operand)
    size = lane_map.blocks * lane_map.rows * lane_map.columns
    first, second = tiles.shape[:2]
    lanes = View.create((first, second, *view.shape), (second * size, size, *view.strides), view.offset)
    if 0 in lanes.shape:
        return ShapeTracker((View.create(lanes.shape),))
    return ShapeTracker((*tiles.views, lanes)).simplify()


def _tiles(tracker: ShapeTracker, lane_map: LaneMap, operand: str) -> ShapeTracker:
    """The operand as (tile, tile, block, row, column); the tiles of B by n first, then k."""
    rows, columns, blocks = lane_map.rows, lane_map.columns, lane_map.blocks
    across = 1 if operand == "a" else blocks  # the blocks of B, C and D lie side by side along n
    height, width = (-(-size // step) for size, step in zip(tracker.shape, (rows, columns * across), strict=True))
    padded = tracker.pad(((0, height * rows - tracker.shape[0]), (0, width * columns * across - tracker.shape[1])))
    split = padded.reshape((height, rows, width, across, columns))
    if operand == "a":
        return split.permute((0, 2, 3, 1, 4)).expand((height, width, blocks, rows, columns))
    return split.permute((2, 0, 3, 1, 4) if operand == "b" else (0, 2, 3, 1, 4))


@dataclass(frozen=True, slots=True)
class _Operand:
    """A matrix in memory: how it was given, how the lanes see it, and which of its elements each lane holds."""

    memory: Memory
    tracker: ShapeTracker
    reached: ShapeTracker
    lane_map: LaneMap


class _Tiled:
    """A tiled matrix product under construction: a group of lanes to a tile of the result, a loop along k."""

    def __init__(
        self, name: str, trackers: Sequence[ShapeTracker], found: Instruction, out_dtype: DType | None
    ) -> None:
        self.core, self.wmma = core, _ = _core(found)
        self.found = found
        self.builder = k = Builder(name, warp=found.lanes)
        parts: list[Fragment] = [core.d, core.a, core.b, *(core.scales or ())]
        self.operands = []
        for called, operand, tracker, part in zip(NAMES, "dabab", trackers, parts, strict=False):
            dtype = out_dtype if out_dtype and called == "out" else part.dtype.scalar()
            memory = k.buffer(called, dtype, writable=called == "out")
            view = part.lane_map.view
            if view is None:
                raise InstructionError(f"matmul: {part.lane_map!r} of {found.short_name} is no View")
            reached = _through(tracker, part.lane_map, view, operand)
            self.operands.append(_Operand(memory, tracker, reached, part.lane_map))
        self.rows, self.columns = self.operands[0].reached.shape[:2]
        self.depth = self.operands[1].reached.shape[1]
        self.warps = next((w for w in range(MOST_WARPS, 1, -1) if self.columns and self.columns % w == 0), 1)
        self.accesses: list[Access] = []
        self.values: dict[Variable, Value] = {}

    def kernel(self) -> KernelFromViews:
        """The kernel of the tiles."""
        k, groups = self.builder, (self.columns // self.warps, self.rows, 1)
        row = self._variable("row_tile", self.rows, k.special("g", 1, max(1, groups[1])))
        group = k.special("g", 0, max(1, groups[0]))
        column = self._variable(
            "column_tile", self.columns, group * self.warps + k.special("l", 1, self.warps) if self.warps > 1 else group
        )
        step = Variable("k_tile", 0, max(0, self.depth - 1))
        total = k.variable(0, self.core.c.dtype)
        stage = _Stage(self) if self.core.b_is_shared else None
        with k.loop(self.depth) as counter:  # without steps, along an empty k, the result is 0
            self.values[step] = counter
            a = self._load(self.operands[1], (row, step))
            if stage:
                product = stage.multiply(a, total.value, (column, step))
            else:
                b = self._load(self.operands[2], (column, step))
                corners = (row, step), (column, step)
                scales = [self._load(*pair) for pair in zip(self.operands[3:], corners, strict=False)]
                product = k.wmma(a, b, total.value, self.wmma, self.core.d.dtype, *scales)
            total.set(product.cast(self.core.c.dtype))
        self._store((row, column), total.value)
        sizes = groups, (self.found.lanes, self.warps, 1)
        return KernelFromViews(k.name, k.program(), tuple(self.accesses), *sizes, self.found)

    def _variable(self, name: str, size: int, value: Value) -> Variable:
        variable = Variable(name, 0, max(0, size - 1))
        self.values[variable] = value
        return variable

    def _lane_digits(self, lane_map: LaneMap) -> dict[Variable, Value]:
        """The digits of the lane's number, most significant first, each a variable: so the expressions stay sums."""
        lane, digits = self.builder.special("l", 0, self.found.lanes), dict[Variable, Value]()
        if lane_map.lanes < self.found.lanes:  # nobody reads what the lanes above hold: they load the same again
            lane = lane % lane_map.lanes
        for axis, size in enumerate(lane_map.lane_shape):
            below = prod(lane_map.lane_shape[axis + 1 :])
            value = self.builder.alu(BinaryOps.DIV, lane, below) if below > 1 else lane
            digits[Variable(f"lane{axis}", 0, size - 1)] = value % size if axis else value
        return digits

    def _elements(self, operand: _Operand, corner: Sequence[Expr]) -> tuple[list[Access], Values]:
        """The access of each element of a lane (the first is kept to be shown), and what their variables are."""
        digits = self._lane_digits(operand.lane_map)
        elements = []
        for place in np.ndindex(*operand.lane_map.element_shape):
            expressions = operand.reached.expr_idxs([*corner, *digits, *(Const(int(i)) for i in place)])
            elements.append(described(operand.memory, operand.tracker, operand.reached, expressions))
        self.accesses.insert(0 if operand is self.operands[0] else len(self.accesses), elements[0])
        return elements, {**self.values, **digits}

    def _load(self, operand: _Operand, corner: Sequence[Expr]) -> Value:
        elements, values = self._elements(operand, corner)
        return self.builder.vector([load(self.builder, operand.memory, access, values) for access in elements])

    def _store(self, corner: Sequence[Expr], total: Value) -> None:
        k, memory = self.builder, self.operands[0].memory
        elements, values = self._elements(self.operands[0], corner)
        for number, access in enumerate(elements):
            value = total.element(number) if total.dtype.count > 1 else total
            store(k, memory, access, values, value.cast(memory.dtype))


class _Stage:
    """B in shared memory: a tile for each group of lanes, copied there before each multiplication."""

    def __init__(self, tiled: _Tiled) -> None:
        self.tiled = tiled
        self.b = b = tiled.operands[2]
        self.size = b.lane_map.elements
        self.reached = b.reached.reshape((*b.reached.shape[:2], self.size))
        k = tiled.builder
        self.tile = k.local("b_tile", self.size * tiled.warps, b.memory.dtype)
        self.start = k.special("l", 1, tiled.warps) * self.size if tiled.warps > 1 else None

    def multiply(self, a: Value, total: Value, corner: Sequence[Expr]) -> Value:
        """A·B + C, with B copied in between two barriers."""
        k, tiled = self.tiled.builder, self.tiled
        self._copy(corner)
        k.barrier()
        start = k.const(0, dtypes.int32) if self.start is None else self.start
        product = k.wmma(a, self.tile, total, tiled.wmma, tiled.core.d.dtype, start)
        k.barrier()  # all have multiplied before the next tile comes
        return product

    def _copy(self, corner: Sequence[Expr]) -> None:
        """Each lane copies every element whose place is its number, modulo the lanes of the group."""
        k, tiled = self.tiled.builder, self.tiled
        lanes, source = tiled.found.lanes, self.b.memory
        place = Variable("place", 0, self.size - 1)
        access = described(source, self.b.tracker, self.reached, self.reached.expr_idxs([*corner, place]))
        tiled.accesses.append(access)
        with k.loop(-(-self.size // lanes)) as turn:
            here = turn * lanes + k.special("l", 0, lanes)
            guard = None if self.size % lanes == 0 else here < self.size
            value = load(k, source, access, {**tiled.values, place: here}, guard)
            self.tile.store(here if self.start is None else self.start + here, value, guard)
