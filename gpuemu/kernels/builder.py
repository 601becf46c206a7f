"""A small typed builder of UOps: values with Python's operators, loops and ifs as context managers.

>>> import numpy as np
>>> from gpuemu import dtypes
>>> k = Builder("running sum")
>>> out, x = k.buffer("out", dtypes.float32, writable=True), k.buffer("x", dtypes.float32)
>>> lane = k.special("l", 0, 4)
>>> total = k.variable(0.0, dtypes.float32)
>>> with k.loop(lane + 1) as i:
...     total.set(total.value + x[i])
>>> out[lane] = total.value
>>> program = k.program()
>>> result = np.zeros(4, np.float32)
>>> seconds = program(result, np.array([1, 2, 3, 4], np.float32), local_size=(4, 1, 1))
>>> result
array([ 1.,  3.,  6., 10.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import ALU_OPS, COMPARISONS, AluOp, BinaryOps, TernaryOps, arity
from gpuemu.dtypes import DType
from gpuemu.kernels.errors import BuilderError, SourceLine
from gpuemu.kernels.values import Memory, Number, Value, Variable
from gpuemu.program import Program
from gpuemu.uops import UOps

__all__ = ["Builder", "Memory", "Number", "Value", "Variable"]


def _most(op: AluOp, operands: Sequence[Value]) -> int | None:
    """The largest result of an operation on integers that are not negative; None where it is not known, or may wrap."""
    left, right = (v.most for v in operands)
    if op in (BinaryOps.DIV, BinaryOps.SHR, BinaryOps.MOD):
        below = right - 1 if op is BinaryOps.MOD and right else None
        return below if left is None else left if below is None else min(left, below)
    if op is BinaryOps.AND:
        return right if left is None else left if right is None else min(left, right)
    if left is None or right is None:
        return None
    most = left + right if op is BinaryOps.ADD else left * right
    return most if most < 2 ** (8 * operands[0].dtype.itemsize - 1) else None


class Builder:
    """Lines of a program that grow. See the module for an example.

    Attributes
    ----------
    here
        The source line that the next UOps come from.
    sources
        For each line, the source line that it came from, or None.
    """

    def __init__(self, name: str, warp: int = 32) -> None:
        self.name = name
        self.warp = warp
        self.lines: list[tuple[UOps, DType | None, list[int], Any]] = []
        self.sources: list[SourceLine | None] = []
        self.here: SourceLine | None = None
        self.loops: list[int] = []
        self.changing: set[int] = set()  # lines whose value changes without being computed again
        self._known: list[dict[object, Value]] = [{}]  # pure values by what they are, one table a block
        self._constants: dict[object, Value] = {}

    # --- lines -------------------------------------------------------------------------------------------------------

    def line(self, uop: UOps, dtype: DType | None, sources: Sequence[int] = (), arg: Any = None) -> int:
        """Add a line as it is; its number."""
        self.lines.append((uop, dtype, list(sources), arg))
        self.sources.append(self.here)
        return len(self.lines) - 1

    def value(self, uop: UOps, dtype: DType, operands: Sequence[Value], arg: Any = None) -> Value:
        """Add a line without side effects; the value that it had before where the same one is known."""
        numbers = tuple(operand.number for operand in operands)
        fixed = self.changing.isdisjoint(numbers) and uop is not UOps.WMMA
        key = (uop, dtype, numbers, arg)
        if fixed:
            for table in reversed(self._known):
                if key in table:
                    return table[key]
        made = Value(self, self.line(uop, dtype, numbers, arg), dtype)
        if fixed:
            self._known[-1][key] = made
        return made

    def program(self) -> Program:
        """The program of the lines so far."""
        return Program(self.name, self.lines, warp=self.warp)

    # --- memory and positions ----------------------------------------------------------------------------------------

    def buffer(self, name: str, dtype: DType, writable: bool = False) -> Memory:
        """The next buffer argument."""
        return Memory(self, self.line(UOps.DEFINE_GLOBAL, dtype, (), (name, writable)), dtype, name)

    def local(self, name: str, size: int, dtype: DType) -> Memory:
        """Memory of the workgroup."""
        return Memory(self, self.line(UOps.DEFINE_LOCAL, dtype, (), (name, size)), dtype, name)

    def argument(self, name: str, dtype: DType = dtypes.int32) -> Value:
        """The next integer of a launch's vals."""
        return Value(self, self.line(UOps.DEFINE_VAR, dtype, (), name), dtype)

    def special(self, kind: str, axis: int, size: int) -> Value:
        """The position of the workgroup in the grid (``"g"``) or of the lane in it (``"l"``) along an axis; 0 is x."""
        key: object = ("special", kind, axis)
        if key not in self._constants:
            number = self.line(UOps.SPECIAL, dtypes.int32, (), (axis, f"{kind}idx{axis}", size))
            self._constants[key] = Value(self, number, dtypes.int32, nonnegative=True, most=size - 1)
        return self._constants[key]

    def const(self, value: Number, dtype: DType) -> Value:
        """A constant; the same one where it was asked for before."""
        if not isinstance(value, bool | int | float):
            raise BuilderError(f"const({value!r}): a {type(value).__name__}; expected a number")
        key = (dtype, type(value), repr(value))
        if key not in self._constants:
            nonnegative = dtype.is_integer and 0 <= value < float("inf")
            most = int(value) if nonnegative else None
            self._constants[key] = Value(self, self.line(UOps.CONST, dtype, (), value), dtype, nonnegative, most)
        return self._constants[key]

    def variable(self, initial: Number, dtype: DType) -> Variable:
        """A value that changes, set to a number here."""
        number = self.line(UOps.DEFINE_ACC, dtype, (), initial)
        self.changing.add(number)
        return Variable(self, number, dtype)

    # --- arithmetic --------------------------------------------------------------------------------------------------

    def as_value(self, value: Value | Number, dtype: DType) -> Value:
        """The value itself, or a number as a constant of a type.

        Raises
        ------
        BuilderError
            Where it is neither, a value of another builder, or a fraction where the type holds integers.
        """
        if isinstance(value, Value):
            if value.builder is not self:
                raise BuilderError(
                    f"{value!r} is of another builder, {value.builder.name!r}; its number means nothing here"
                )
            return value
        if not isinstance(value, bool | int | float):
            raise BuilderError(f"{value!r} is a {type(value).__name__}; expected a Value of the builder or a number")
        if isinstance(value, float) and not dtype.is_float:
            raise BuilderError(f"{value!r} is no number of {dtype}; cast the value that it meets to a float first")
        return self.const(value, dtype)

    def _same(self, what: str, values: Sequence[Value | Number]) -> list[Value]:
        """All as values of one type."""
        dtype = next((v.dtype for v in values if isinstance(v, Value)), dtypes.int32)
        made = [self.as_value(v, dtype) for v in values]
        if any(v.dtype != dtype for v in made):
            types = " and ".join(str(v.dtype) for v in made)
            raise BuilderError(f"{what} of {types}: both must have one type; cast one of them")
        return made

    def alu(self, op: AluOp | str, *values: Value | Number) -> Value:
        """An operation, or the one of that name, on values of one type; comparisons give bool.

        Raises
        ------
        BuilderError
            Where there is no such operation, or the types differ.
        """
        op = ALU_OPS.get(op, op) if isinstance(op, str) else op
        if not isinstance(op, AluOp):
            raise BuilderError(f"alu({op!r}, …): there is no such operation; there are {', '.join(ALU_OPS)}")
        if len(values) != arity(op):
            raise BuilderError(f"{op.name} takes {arity(op)} values; got {len(values)}")
        if op is TernaryOps.WHERE:
            return self.where(*values)
        operands = self._same(op.name, values)
        dtype = operands[0].dtype
        result = dtypes.bool if op in COMPARISONS else dtype
        if result.kind == "bool" and dtype.count > 1:
            result = result.vec(dtype.count)
        made = self.value(UOps.ALU, result, operands, op)
        if op in (BinaryOps.ADD, BinaryOps.MUL, BinaryOps.DIV, BinaryOps.MOD, BinaryOps.AND, BinaryOps.SHR):
            made.nonnegative = made.nonnegative or all(v.nonnegative for v in operands)
            made.most = _most(op, operands) if made.nonnegative else None
        return made

    def where(self, *values: Value | Number) -> Value:
        """The second where the first is true, else the third."""
        if len(values) != 3:
            raise BuilderError(f"where takes a condition and two values; got {len(values)}")
        condition, *choices = values
        if not isinstance(condition, Value):
            raise BuilderError(f"where({condition!r}, …): the condition is a number; choose in Python")
        yes, no = self._same("where", choices)
        made = self.value(UOps.ALU, yes.dtype, (condition, yes, no), TernaryOps.WHERE)
        made.nonnegative = yes.nonnegative and no.nonnegative
        made.most = None if yes.most is None or no.most is None else max(yes.most, no.most)
        return made

    def at_most(self, left: Value | Number, right: Value | Number) -> Value:
        """left ≤ right; false where one is nan."""
        left, right = self._same("<=", (left, right))
        if left.dtype.is_float:
            less = self.alu(BinaryOps.CMPLT, left, right)
            return self.alu(BinaryOps.OR, less, self.alu(BinaryOps.CMPEQ, left, right))
        return -self.alu(BinaryOps.CMPLT, right, left)

    def minimum(self, left: Value | Number, right: Value | Number) -> Value:
        """The smaller of two."""
        left, right = self._same("minimum", (left, right))
        return self.where(self.alu(BinaryOps.CMPLT, left, right), left, right)

    def maximum(self, left: Value | Number, right: Value | Number) -> Value:
        """The larger of two."""
        return self.alu(BinaryOps.MAX, left, right)

    def invert(self, value: Value) -> Value:
        """Every bit inverted; not for bool."""
        return -value if value.dtype.kind == "bool" else value ^ self.const(-1, value.dtype)

    def divide(self, left: Value | Number, right: Value | Number) -> Value:
        """The quotient of floats."""
        left, right = self._same("/", (left, right))
        if not left.dtype.is_float:
            raise BuilderError(f"{left} / {right}: true division is of floats; use // or cast first")
        return self.alu(BinaryOps.DIV, left, right)

    def floor_divide(self, left: Value | Number, right: Value | Number) -> tuple[Value, Value]:
        """Quotient and remainder of integers as Python's: rounded down, with the sign of the divisor.

        Raises
        ------
        BuilderError
            Where they are no integers.
        """
        left, right = self._same("//", (left, right))
        if not left.dtype.is_integer:
            raise BuilderError(f"{left} // {right}: expected integers")
        quotient, remainder = self.alu(BinaryOps.DIV, left, right), self.alu(BinaryOps.MOD, left, right)
        if left.dtype.kind == "unsigned" or (left.nonnegative and right.nonnegative):
            return quotient, remainder
        # C truncates; where there is a remainder of the other sign, Python's quotient is one less
        wrong = remainder.ne(0) & (remainder ^ right).__lt__(0)
        one_less = wrong.cast(left.dtype)
        quotient, remainder = quotient - one_less, self.where(wrong, remainder + right, remainder)
        remainder.nonnegative = right.nonnegative
        return quotient, remainder

    def cast(self, value: Value, dtype: DType) -> Value:
        """The value in another type."""
        if not isinstance(dtype, DType):
            raise BuilderError(f"{value!r}.cast({dtype!r}): expected one of gpuemu.dtypes, such as dtypes.float32")
        if value.dtype == dtype:
            return value
        made = self.value(UOps.CAST, dtype, (value,))
        wider = dtype.is_integer and dtype.itemsize >= value.dtype.itemsize
        made.nonnegative = made.nonnegative or (wider and (value.nonnegative or value.dtype.kind == "bool"))
        made.most = value.most if made.nonnegative else None
        return made

    def bitcast(self, value: Value, dtype: DType) -> Value:
        """The same bits as another type."""
        return self.value(UOps.BITCAST, dtype, (value,))

    def vector(self, values: Sequence[Value]) -> Value:
        """Several scalars as one vector; one of them as itself."""
        if not values:
            raise BuilderError("vector([]): expected at least one value")
        if len(values) == 1:
            return values[0]
        return self.value(UOps.CAST, values[0].dtype.vec(len(values)), values)

    # --- blocks ------------------------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, end: Value | int, start: Value | int = 0) -> Iterator[Value]:
        """A counted loop; the value is the counter."""
        first, last = self._same("loop", (start, end))
        number = self.line(UOps.RANGE, first.dtype, [first.number, last.number], len(self.loops))
        self.loops.append(number)
        self._known.append({})
        most = last.most - 1 if last.most else None
        yield Value(self, number, first.dtype, nonnegative=first.nonnegative, most=most if first.nonnegative else None)
        self._known.pop()
        self.loops.pop()
        self.line(UOps.ENDRANGE, None, [number])

    @contextmanager
    def if_(self, condition: Value) -> Iterator[None]:
        """What only the lanes do whose condition is true."""
        if not isinstance(condition, Value):
            raise BuilderError(f"if_({condition!r}): the condition is known; choose in Python")
        number = self.line(UOps.IF, None, [condition.number])
        self._known.append({})
        yield
        self._known.pop()
        self.line(UOps.ENDIF, None, [number])

    def barrier(self) -> None:
        """All lanes of the workgroup arrive before any goes on."""
        self.line(UOps.BARRIER, None)

    def wmma(self, a: Value, b: Value | Memory, c: Value, arg: Any, dtype: DType, *more: Value) -> Value:
        """A·B + C across the lanes by a tensor-core instruction.

        `more` is what it takes beside them: where B starts in a local memory, or block scales.
        """
        sources = [operand.number for operand in (a, b, c, *more)]
        return Value(self, self.line(UOps.WMMA, dtype, sources, arg), dtype)

    # --- warps -------------------------------------------------------------------------------------------------------

    def shuffle(self, kind: str, value: Value, number: Value, mask: Value | None = None) -> Value:
        """The value of another lane of the warp: ``"up"``, ``"down"``, ``"xor"`` or ``"index"`` by a number."""
        sources = [value.number, number.number] + ([mask.number] if mask is not None else [])
        return Value(self, self.line(UOps.SHUFFLE, value.dtype, sources, kind), value.dtype)

    def vote(self, kind: str, condition: Value, dtype: DType, mask: Value | None = None) -> Value:
        """``"any"``, ``"all"`` or ``"ballot"`` of a condition over the lanes of the warp."""
        sources = [condition.number] + ([mask.number] if mask is not None else [])
        return Value(self, self.line(UOps.VOTE, dtype, sources, kind), dtype)
