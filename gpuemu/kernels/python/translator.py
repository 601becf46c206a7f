"""The state of a translation: the builder, the scopes of the functions that are being translated, and their variables.

A variable's type is the one in which all its assignments meet, and only a whole pass over the function shows them: so a
function is translated again until no type grows.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gpuemu import dtypes
from gpuemu.kernels.builder import Builder, Memory, Value, Variable
from gpuemu.kernels.python.hints import elsewhere
from gpuemu.kernels.python.scopes import changing, leaves_in_order
from gpuemu.kernels.python.source import Source
from gpuemu.kernels.python.types import Array, Complex, Kind, as_type, dtype_of, kind_of, meeting, settled, typed
from gpuemu.uops import UOps

Path = tuple[tuple[str, int, int], ...]
Form = Literal["complex"] | int | None
"""Of a variable: a complex number, a tuple of so many parts, one number."""
RESULT = "the value that is returned"
MOST_BITS = 4096
"""Of an integer that is computed while translating; what a lane gets has 64."""


@dataclass(slots=True, eq=False)
class Scope:
    """One function while it is translated.

    Attributes
    ----------
    path
        The calls that led here, each by name and place.
    direct
        What a name stands for, where it is assigned once.
    variables
        The accumulators of the others; `assigned` says which have a value by now. A tuple or a complex number has one
        for each part: ``z.real``, ``t[0]``.
    forms
        How the parts of a variable that changes make its value: None where it is one number.
    returned
        Which lanes have returned, where nesting alone does not say it.
    loops
        How many loops of this function are open.
    result
        What a function returns by its last statement.
    """

    source: Source
    path: Path
    changing: frozenset[str]
    direct: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    forms: dict[str, Form] = field(default_factory=dict)
    returned: Variable | None = None
    loops: int = 0
    result: Any = None


class Translator:
    """One pass over a kernel and the functions it calls.

    Attributes
    ----------
    blocks, threads
        The sizes of the launch (x, y, z).
    shared_bytes
        Bytes of shared memory that the launch gives beside the declared arrays.
    kinds
        The type of each variable as far as it is known, kept from pass to pass.
    grew
        Whether this pass found a wider one.
    """

    def __init__(
        self,
        k: Builder,
        kinds: dict[tuple[Path, str], Kind],
        blocks: tuple[int, int, int],
        threads: tuple[int, int, int],
        shared_bytes: int,
    ) -> None:
        self.k = k
        self.kinds = kinds
        self.blocks = blocks
        self.threads = threads
        self.shared_bytes = shared_bytes
        self.grew = False
        self.constants: dict[
            str, npt.NDArray[Any]
        ] = {}  # arrays of Python that a kernel reads, by the names of buffers
        self._memories: dict[str, Memory] = {}
        self.memories = 0  # shared and local arrays so far, for their names
        self.scopes: list[Scope] = []

    @property
    def scope(self) -> Scope:
        """The function that is being translated."""
        return self.scopes[-1]

    def error(self, node: ast.AST, message: str) -> Exception:
        """An error that points to a part of the source."""
        return self.scope.source.error(node, message)

    def at(self, node: ast.AST) -> None:
        """What comes next is made for this part of the source."""
        self.k.here = self.scope.source.line(node)

    def constant(self, name: str, numbers: npt.NDArray[Any]) -> Array:
        """An array of numbers that are known now, in a buffer of its own.

        Raises
        ------
        TypeError
            Where no type of a kernel holds them.
        """
        known = next((n for n, x in self.constants.items() if n.startswith(name) and _same(x, numbers)), None)
        if known is None:
            known = f"{name} {len(self.constants)}" if name in self.constants else name
            self.constants[known] = np.ascontiguousarray(numbers).copy()
            self._memories[known] = self.k.buffer(known, dtype_of(numbers.dtype))
        strides = tuple(step // numbers.itemsize for step in self.constants[known].strides)
        return Array(name, self._memories[known], numbers.shape, strides, writable=False)

    def enter(self, source: Source, path: Path, arguments: list[Any], *, of_kernel: bool) -> Scope:
        """Open the scope of a function with its arguments."""
        names = changing(source.tree)
        returns = [node for node in ast.walk(source.tree) if isinstance(node, ast.Return)]
        if not of_kernel and returns and returns != [source.tree.body[-1]]:
            names |= {RESULT}
        self.scopes.append(scope := Scope(source, path, names))
        known = {name: kind for (where, name), kind in self.kinds.items() if where == path}
        for name in sorted(name for name in known if _whole(name) in names):
            scope.variables[name] = self.k.variable(0, settled(known[name]))
        if not leaves_in_order(source.tree.body):
            scope.returned = self.k.variable(False, dtypes.bool)
        for name, argument in zip(source.parameters, arguments, strict=True):
            self.assign(name, argument, source.tree)
        return scope

    # --- variables ---------------------------------------------------------------------------------------------------

    def assign(self, name: str, operand: Any, node: ast.AST) -> None:
        """Give a variable a value."""
        scope = self.scope
        if name not in scope.changing:
            scope.direct[name] = self.kept(operand)
            return
        if isinstance(operand, tuple | Complex):
            operand = self.kept(operand)
        self._set(name, operand, node)
        scope.assigned.add(name)

    def _set(self, name: str, operand: Any, node: ast.AST) -> None:
        """Give a variable that changes, or each of its parts, a value."""
        form = self._form(name, operand)
        forms = self.scope.forms
        if forms.setdefault(name, form) != form and not {forms[name], form} <= {None, "complex"}:
            raise self.error(node, f"{name} changes, and is given {describe(operand)}; before, it held something else")
        forms[name] = form
        if form is None:
            self._set_number(name, operand, node)
        elif form == "complex":
            real, imag = (operand.real, operand.imag) if isinstance(operand, Complex) else (operand, 0.0)
            self._set_number(f"{name}.real", real, node)
            self._set_number(f"{name}.imag", imag, node)
        else:
            for number, part in enumerate(operand):
                self._set(f"{name}[{number}]", part, node)

    def _form(self, name: str, operand: Any) -> Form:
        if isinstance(operand, tuple):
            return len(operand)
        known = (self.scope.path, f"{name}.real") in self.kinds and kind_of(operand) is not None
        return "complex" if known or isinstance(operand, Complex) else None

    def _set_number(self, name: str, operand: Any, node: ast.AST) -> None:
        scope = self.scope
        kind = kind_of(operand)
        if kind is None:
            what = "nothing" if operand is None else describe(operand)
            hint = "; to change its elements, index it" if isinstance(operand, Array) else ""
            raise self.error(
                self._change(name, node),
                f"{name} changes, and is given {what}; a variable that changes holds numbers, or tuples of them{hint}",
            )
        known = self.kinds.get((scope.path, name))
        try:
            joined = meeting(operand, known=known)
        except TypeError as error:
            raise self.error(node, f"{name} cannot hold both {error}") from None
        if joined != known:
            self.kinds[scope.path, name] = joined
            self.grew = True
        if name not in scope.variables:
            scope.variables[name] = self.k.variable(0, settled(joined))
        variable = scope.variables[name]
        if not (isinstance(operand, Value) and operand.number == variable.number):
            variable.set(as_type(self.k, operand, variable.dtype))

    def _change(self, name: str, node: ast.AST) -> ast.AST:
        """Where a parameter is given another value; another variable's own place."""
        if node is not self.scope.source.tree:
            return node
        stores = (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        return next((store for store in stores if store.id == name), node)

    def _value(self, name: str) -> Any:
        """What a variable that changes holds now."""
        form = self.scope.forms.get(name)
        if form is None:
            return typed(self.scope.variables[name].value, self.kinds[self.scope.path, name])
        if form == "complex":
            return Complex(self._value(f"{name}.real"), self._value(f"{name}.imag"))
        return tuple(self._value(f"{name}[{number}]") for number in range(form))

    def kept(self, operand: Any) -> Any:
        """An operand that stays when the variable that it came from changes."""
        if isinstance(operand, tuple):
            return tuple(self.kept(part) for part in operand)
        if isinstance(operand, Complex):
            return Complex(self.kept(operand.real), self.kept(operand.imag))
        if isinstance(operand, Value) and operand.number in self.k.changing:
            return type(operand)(self.k, self.k.line(UOps.CAST, operand.dtype, [operand.number]), operand.dtype)
        return operand

    def read(self, name: str, node: ast.AST) -> Any:
        """What a name stands for."""
        scope = self.scope
        if name in scope.direct:
            return scope.direct[name]
        if name in scope.changing:
            if name not in scope.assigned:
                raise self.error(node, f"{name} is read before it has a value")
            return self._value(name)
        if name in scope.source.assigned:
            raise self.error(node, f"{name} is read before it has a value")
        try:
            return scope.source.meaning(name)
        except KeyError:
            names = [*scope.source.parameters, *scope.source.assigned, *scope.source.function.__globals__]
            hint = elsewhere(name, names, _names_of_cuda(scope.source))
            raise self.error(node, f"the name {name} means nothing here{hint}") from None

    def number(self, operand: Any, node: ast.AST, what: str) -> Any:
        """Check that an operand is a scalar."""
        if kind_of(operand) is None or (isinstance(operand, Value) and operand.dtype.count > 1):
            hints = {
                Array: "; index it: a lane works on one element",
                tuple: "; name its parts, as in x, y = cuda.grid(2)",
            }
            hint = next((hint for kind, hint in hints.items() if isinstance(operand, kind)), "")
            raise self.error(node, f"{what} is {describe(operand)}; expected a number{hint}")
        return operand

    def truth(self, operand: Any, node: ast.AST) -> Any:
        """An operand as a condition: a Python bool where it is known, else a value of bool."""
        self.number(operand, node, "the condition")
        if not isinstance(operand, Value):
            return bool(operand)
        if operand.dtype == dtypes.bool:
            return operand
        return operand.ne(0)

    def fold(self, node: ast.AST, function: Callable[..., Any], *numbers: Any) -> Any:
        """A Python number from Python numbers."""
        if _bits(function, numbers) > MOST_BITS:
            raise self.error(node, f"the result has more than {MOST_BITS} bits; a kernel's integers have 64 at most")
        try:
            return function(*numbers)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise self.error(node, str(error)) from None


def _bits(function: Callable[..., Any], numbers: tuple[Any, ...]) -> int:
    """How many bits a power, shift or product of integers may have; 0 for what stays small.

    >>> _bits(operator.pow, (10, 3)), _bits(operator.lshift, (1, 10**10)), _bits(operator.add, (1, 2))
    (12, 10000000001, 0)
    """
    match numbers:
        case (int(x), int(y)):
            size, more = x.bit_length(), max(y, 0)
        case _:
            return 0
    if function in (operator.pow, pow):
        return size * more if abs(x) > 1 else 0
    if function is operator.lshift:
        return size + more
    return size + y.bit_length() if function is operator.mul else 0


def _names_of_cuda(source: Source) -> list[str]:
    """The names behind ``cuda.``, where the function's file has it."""
    return dir(source.function.__globals__.get("cuda"))


def _whole(name: str) -> str:
    """The variable that a part belongs to.

    >>> _whole("z.real"), _whole("t[0][1]"), _whole("i")
    ('z', 't', 'i')
    """
    return name.split(".")[0].split("[")[0]


def _same(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> bool:
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def describe(operand: Any) -> str:
    """An operand in a message.

    >>> describe((1, 2)), describe(None), describe(3)
    ('a tuple', 'None', '3')
    """
    if isinstance(operand, Value):
        return str(operand.dtype)
    if operand is None or isinstance(operand, bool | int | float):
        return repr(operand)
    if isinstance(operand, str):
        return f"the text {operand!r}"
    words = getattr(operand, "words", None)
    if isinstance(words, str):
        return words
    name = type(operand).__name__.lower()
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
