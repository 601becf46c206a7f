"""Tensor cores in a kernel: fragments that a warp holds together, with CUDA's names for what is done with them.

A fragment is a vector in each lane; which elements of the matrix they are is the instruction's lane map.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import BinaryOps
from gpuemu.errors import InstructionError
from gpuemu.kernels.builder import Value, Variable
from gpuemu.kernels.python.indexing import picked
from gpuemu.kernels.python.intrinsics import flat_lane, intrinsic
from gpuemu.kernels.python.names import Indexed, Namespace
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import Array, as_type
from gpuemu.machine.wmma import Fragment as Layout
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.uops import UOps


@dataclass(frozen=True, slots=True, eq=False)
class Fragment(Indexed):
    """A part of a matrix in the registers of a warp.

    Attributes
    ----------
    name, core
        The instruction, as the kernel calls it, and what it is.
    operand
        ``a``, ``b``, ``c`` or ``d``.
    registers
        The vector of each lane.
    """

    name: str
    core: TensorCore
    operand: str
    registers: Variable

    @property
    def layout(self) -> Layout:
        """Which elements the lanes hold."""
        layouts = {"a": self.core.a, "b": self.core.b, "c": self.core.c, "d": self.core.d}
        return layouts[self.operand]

    def load(self, t: Translator, node: ast.AST, index: Any) -> Any:
        """One register of the lane, by a number that is known."""
        value = self.registers.value
        return value.element(self._known(t, node, index)) if value.dtype.count > 1 else value

    def store(self, t: Translator, node: ast.AST, index: Any, operand: Any) -> None:
        """Give one register of the lane a value."""
        number, dtype = self._known(t, node, index), self.registers.dtype
        value = as_type(t.k, t.number(operand, node, "what is stored"), dtype.scalar())
        if dtype.count == 1:
            self.registers.set(value)
            return
        element = t.k.line(UOps.GEP, dtype.scalar(), [self.registers.number], number)
        t.k.line(UOps.PHI, dtype.scalar(), [element, value.number])

    def _known(self, t: Translator, node: ast.AST, index: Any) -> int:
        count = self.registers.dtype.count
        if not isinstance(index, int) or not 0 <= index < count:
            raise t.error(
                node, f"register {describe(index)} of a fragment; a lane holds 0 … {count - 1}, by known numbers"
            )
        return index


def _expect(t: Translator, node: ast.AST, operand: Any, *operands: str) -> Fragment:
    if not isinstance(operand, Fragment) or operand.operand not in operands:
        given = f"a fragment of {operand.operand}" if isinstance(operand, Fragment) else describe(operand)
        raise t.error(node, f"got {given}; expected a fragment of {' or '.join(operands)}")
    return operand


def _matrix(t: Translator, node: ast.AST, operand: Any, fragment: Fragment) -> Array:
    if not isinstance(operand, Array) or len(operand.shape) != 2:
        raise t.error(node, f"got {describe(operand)}; expected an array of two axes")
    wanted = fragment.layout.dtype.scalar()
    if operand.dtype != wanted:
        raise t.error(
            node, f"{operand.name} holds {operand.dtype}; {fragment.operand} of {fragment.name} takes {wanted}"
        )
    return operand


def _places(t: Translator, node: ast.AST, fragment: Fragment, array: Array, row: Any, column: Any) -> list[Array]:
    """The element of the array that each register of the lane stands for; the tile's corner is at (row, column)."""
    layout = fragment.layout.lane_map
    corner = [as_type(t.k, t.number(x, node, "the corner"), dtypes.int64) for x in (row, column)]
    steps = [divmod(int(stride), layout.columns) for stride in layout.positions.strides]
    lane = flat_lane(t) % fragment.core.instruction.lanes
    for axis, size in enumerate(layout.lane_shape):
        below = prod(layout.lane_shape[axis + 1 :])
        digit = t.k.alu(BinaryOps.DIV, lane, below) if below > 1 else lane
        digit = (digit % size if axis else digit).cast(dtypes.int64)
        corner = [here + digit * step if step else here for here, step in zip(corner, steps[axis], strict=True)]
    offsets = [(0, 0)]
    for size, step in zip(layout.element_shape, steps[len(layout.lane_shape) :], strict=True):
        offsets = [(r + i * step[0], c + i * step[1]) for (r, c), i in product(offsets, range(size))]
    return [
        picked(
            t, node, array, [here + offset if offset else here for here, offset in zip(corner, offset_, strict=True)]
        )
        for offset_ in offsets
    ]


@intrinsic("wmma.fragment", 2, names=("operand", "instruction"))
def fragment(t: Translator, node: ast.Call, operand: Any, name: Any) -> Fragment:
    """Registers for an operand, ``"a"``, ``"b"``, ``"c"`` or ``"d"``, of an instruction, by its name; they hold 0."""
    if operand not in ("a", "b", "c", "d") or not isinstance(name, str):
        raise t.error(
            node, f"wmma.fragment({describe(operand)}, {describe(name)}): expected 'a', 'b', 'c' or 'd', and a name"
        )
    try:
        core = resolve(name, t.k.warp)
    except InstructionError as error:
        raise t.error(node, str(error)) from None
    if core.instruction.lanes != t.k.warp:
        raise t.error(node, f"{name} has {core.instruction.lanes} lanes, and a warp here {t.k.warp}")
    if core.instruction.blocks > 1:
        raise t.error(node, f"{name} multiplies {core.instruction.blocks} blocks; a fragment here is of one matrix")
    layouts = {"a": core.a, "b": core.b, "c": core.c, "d": core.d}
    return Fragment(name, core, operand, t.k.variable(0, layouts[operand].dtype))


@intrinsic("wmma.fill_fragment", 2)
def fill_fragment(t: Translator, node: ast.Call, target: Any, value: Any) -> None:
    """Every register becomes a number."""
    found = _expect(t, node, target, "a", "b", "c", "d")
    dtype = found.registers.dtype
    scalar = as_type(t.k, t.number(value, node, "the value"), dtype.scalar())
    found.registers.set(t.k.vector([scalar] * dtype.count))


@intrinsic("wmma.load_matrix_sync", 4, names=("fragment", "array", "row", "column"))
def load_matrix_sync(t: Translator, node: ast.Call, target: Any, array: Any, row: Any, column: Any) -> None:
    """Load the tile of an array whose corner is at (row, column): element [i, j] of the operand is
    array[row + i, column + j]."""
    found = _expect(t, node, target, "a", "b", "c", "d")
    matrix = _matrix(t, node, array, found)
    places = _places(t, node, found, matrix, row, column)
    found.registers.set(t.k.vector([place.memory.load(place.offset) for place in places]))


@intrinsic("wmma.store_matrix_sync", 4, names=("array", "row", "column", "fragment"))
def store_matrix_sync(t: Translator, node: ast.Call, array: Any, row: Any, column: Any, source: Any) -> None:
    """Store the tile to an array, its corner at (row, column)."""
    found = _expect(t, node, source, "c", "d")
    matrix = _matrix(t, node, array, found)
    if not matrix.writable:
        raise t.error(node, f"{matrix.name} is read-only: the array that was given cannot be written")
    for number, place in enumerate(_places(t, node, found, matrix, row, column)):
        place.memory.store(place.offset, found.load(t, node, number))


@intrinsic("wmma.mma_sync", 4, names=("d", "a", "b", "c"))
def mma_sync(t: Translator, node: ast.Call, d: Any, a: Any, b: Any, c: Any) -> None:
    """D = A·B + C by one instruction."""
    target, left, right, start = (
        _expect(t, node, x, *kinds) for x, kinds in zip((d, a, b, c), ("cd", "a", "b", "cd"), strict=True)
    )
    names = {x.name for x in (target, left, right, start)}
    if len(names) > 1:
        raise t.error(node, f"fragments of {' and '.join(sorted(names))}; all four are of one instruction")
    x, y, z = (part.registers.value for part in (left, right, start))
    result = t.k.wmma(x, y, z, left.name, left.core.d.dtype)
    target.registers.set(result)


@intrinsic("wmma.ldmatrix", 5, names=("fragment", "name", "tile", "row", "column"))
def ldmatrix(t: Translator, node: ast.Call, target: Any, name: Any, tile: Any, row: Any, column: Any) -> None:
    """Load 8×8 matrices of 16-bit elements from shared memory: each lane gives the row and the column where one of
    their rows starts, lane 8·i + r that of row r of matrix i."""
    found = _expect(t, node, target, "a", "b")
    matrix = _matrix(t, node, tile, found)
    if not isinstance(name, str):
        raise t.error(node, f"the name is {describe(name)}; expected that of an ldmatrix, such as 'ldmatrix.x4'")
    place = picked(t, node, matrix, [row, column])
    offset: Value = t.k.as_value(place.offset, dtypes.int32)
    dtype = found.registers.dtype
    number = t.k.line(UOps.LDMATRIX, dtype, [place.memory.number, offset.number], name)
    found.registers.set(Value(t.k, number, dtype))


class Wmma(Namespace):
    """``cuda.wmma``: tensor cores by fragments."""

    fragment = fragment
    fill_fragment = fill_fragment
    load_matrix_sync = load_matrix_sync
    store_matrix_sync = store_matrix_sync
    mma_sync = mma_sync
    ldmatrix = ldmatrix
