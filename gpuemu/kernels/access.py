"""How the lanes of a kernel reach an operand: a view, its two expressions, and the load or store that they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Builder, Memory, Value
from gpuemu.kernels.expressions import Lowering, index_type, lines_of
from shapetracker import Expr, ShapeTracker
from shapetracker.expr import And, Comparison, Const, Variable

Values = Mapping[Variable, Value]


@dataclass(frozen=True, slots=True)
class Access:
    """How the lanes reach one operand.

    Attributes
    ----------
    name
        The operand's.
    tracker
        The operand as the person gave it.
    dtype
        The type of its elements in memory.
    reached
        The operand over the kernel's own axes: for a tensor core, tiles, then the digits of lane and element.
    index, valid
        The expressions that `reached` gives, as built.
    simple_index, simple_valid
        The same ones simplified: what the program computes. Where the form as built takes half the lines, that one.
    """

    name: str
    tracker: ShapeTracker
    dtype: DType
    reached: ShapeTracker
    index: Expr
    valid: Expr
    simple_index: Expr
    simple_valid: Expr

    @property
    def always(self) -> bool:
        """Whether every point is valid."""
        return isinstance(self.simple_valid, Const) and self.simple_valid.value != 0

    @property
    def never(self) -> bool:
        """Whether no point is valid."""
        return isinstance(self.simple_valid, Const) and self.simple_valid.value == 0


def described(memory: Memory, tracker: ShapeTracker, reached: ShapeTracker, expressions: tuple[Expr, Expr]) -> Access:
    """An access with its expressions, as built and simplified."""
    index, valid = expressions
    simple_valid = _computed(valid, valid.simplify())
    simple_index = _computed(index, index.simplify(assuming=_comparisons(simple_valid)))
    return Access(memory.name, tracker, memory.dtype, reached, index, valid, simple_index, simple_valid)


def _computed(built: Expr, simple: Expr) -> Expr:
    """The form that the program computes: the shortest may hold remainders of negative numbers, of many many lines."""
    return built if 2 * lines_of(built) <= lines_of(simple) else simple


def _comparisons(valid: Expr) -> list[Expr]:
    """What a condition says, as comparisons: a factor such as ``i%2``, which is 0 or 1, is ``i%2 > 0``."""
    parts = valid.args if isinstance(valid, And) else (valid,)
    return [part if isinstance(part, Comparison) else part > 0 for part in parts if not isinstance(part, Const)]


def load(k: Builder, memory: Memory, access: Access, values: Values, guard: Value | None = None) -> Value:
    """Load through an access: gated where its validity, or the guard, says so; 0 elsewhere."""
    if access.never:
        return k.const(0, memory.dtype)
    index, gate = _address(k, access, values, guard)
    return memory.load(index, gate)


def store(
    k: Builder,
    memory: Memory,
    access: Access,
    values: Values,
    value: Value,
    guard: Value | None = None,
) -> None:
    """Store through an access, where it is valid and the guard true."""
    if not access.never:
        index, gate = _address(k, access, values, guard)
        memory.store(index, value, gate)


def _address(k: Builder, access: Access, values: Values, guard: Value | None) -> tuple[Value, Value | None]:
    address = Lowering(k, values, index_type(access.simple_index, access.simple_valid))
    if access.always:
        return address.integer(access.simple_index), guard
    valid = address.condition(access.simple_valid)
    return address.integer(access.simple_index), valid if guard is None else guard & valid
