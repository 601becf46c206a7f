"""Kernels as people hold them: translated when they are launched, for the arguments that they are given."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import index
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.errors import DivisionError, HazardError, LaunchError, LimitError, ProgramError
from gpuemu.kernels.builder import Builder
from gpuemu.kernels.errors import BuilderError, KernelError, KernelHazardError, SourceLine
from gpuemu.kernels.python import functions as functions  # enters what a kernel may call
from gpuemu.kernels.python.host import plain as as_array
from gpuemu.kernels.python.names import Callee
from gpuemu.kernels.python.outside import explained
from gpuemu.kernels.python.source import Source, read
from gpuemu.kernels.python.statements import block
from gpuemu.kernels.python.translator import RESULT, Translator
from gpuemu.kernels.python.types import Array, Kind, dtype_of, typed
from gpuemu.op_table import WRITES
from gpuemu.program import Program
from gpuemu.uops import UOps

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

Size = tuple[int, int, int]
WARP = 32
MOST_PASSES = 12
"""A variable's type grows at most from bool through the integers to float64; nested calls take a few more passes."""
MOST_LANES = 1024
"""Lanes of a block: the CUDA programming guide's table of compute capabilities."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What an argument is to the translation: all that a program depends on.

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compiled:
    """A kernel for arguments of some kinds: its program, and the source line of each of the program's lines.

    `constants` are the arrays of Python that it reads, as they were when it was translated: the last buffers.
    """

    program: Program
    sources: tuple[SourceLine | None, ...]
    arguments: tuple[Argument, ...]
    blocks: Size
    threads: Size
    constants: tuple[npt.NDArray[Any], ...] = ()

    def run(self, arguments: Sequence[Any], engine: str, checks: Any) -> float:
        """Run it on arguments of those kinds; the seconds that it took.

        Raises
        ------
        KernelHazardError
            Where a lane does what the result must not depend on; with the source's lines.
        """
        buffers = [
            _memory(value) if argument.kind == "array" else np.array([value], argument.dtype.numpy)
            for argument, value in zip(self.arguments, arguments, strict=True)
            if argument.kind in ("array", "float")
        ]
        buffers += [constant.reshape(-1) for constant in self.constants]
        vals = [
            int(value)
            for argument, value in zip(self.arguments, arguments, strict=True)
            if argument.kind in ("integer", "bool")
        ]
        try:
            return self.program(
                *buffers, global_size=self.blocks, local_size=self.threads, vals=vals, engine=engine, checks=checks
            )
        except HazardError as error:
            lines = [line for report in error.reports for line in report.lines]
            reports = tuple(explained(report, report.buffer or "") for report in error.reports)
            raise KernelHazardError(reports, self.where(lines)) from None
        except (DivisionError, LimitError) as error:
            found = re.match(r"line (\d+)", str(error))
            places = self.where([int(found[1])] if found else [])
            raise type(error)(f"{error}" + "".join(f"\n  {place}" for place in places)) from None

    def where(self, lines: Sequence[int]) -> tuple[SourceLine, ...]:
        """The source lines of lines of the program, each once."""
        found = (self.sources[line] for line in lines if line < len(self.sources))
        return tuple(dict.fromkeys(place for place in found if place is not None))

    def draw(self) -> Picture:
        """Each line of the source above what it became."""
        from gpuemu.drawing.kernels import draw_compiled

        return draw_compiled(self)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        types = ", ".join(f"{argument.name}: {argument.dtype}" for argument in self.arguments)
        return f"<Compiled {self.program.name}({types}): {len(self.program.lines)} lines>"


class DeviceFunction(Callee):
    """A function that kernels call: it is translated where it is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.source = read(function)
        self.defaults = dict(zip(self.source.defaults, self.source.function.__defaults__ or (), strict=True))
        self.__doc__ = function.__doc__
        self.__name__ = self.source.name

    def call(self, t: Translator, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Translate the function's body in place of the call."""
        source = self.source
        arguments = self._arguments(t, node, arguments, keywords)
        if any(scope.source is source for scope in t.scopes):
            raise t.error(node, f"{source.name} calls itself; a kernel has no stack to return to: use a loop")
        path = (*t.scope.path, (source.name, node.lineno, node.col_offset))
        scope = t.enter(source, path, arguments, of_kernel=False)
        block(t, source.tree.body)
        result = scope.result
        if RESULT in scope.changing and RESULT in scope.assigned:
            result = t.kept(t.read(RESULT, node))
        t.scopes.pop()
        t.at(node)
        return result

    def _arguments(self, t: Translator, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]) -> list[Any]:
        """An operand for each parameter: by place, by name, or its default."""
        source, names = self.source, self.source.parameters
        given = dict(zip(names, arguments, strict=False))
        twice = next((name for name in keywords if name in given), None)
        unknown = next((name for name in keywords if name not in names), None)
        missing = [name for name in names if name not in given and name not in keywords and name not in self.defaults]
        if len(arguments) > len(names) or missing:
            count = f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})"
            without = f", and none for {', '.join(missing)}" if missing and keywords else ""
            raise t.error(node, f"{source.name} takes {count}; got {len(arguments) + len(keywords)}{without}")
        if twice or unknown:
            why = f"gets {twice} twice" if twice else f"has no parameter {unknown!r}"
            raise t.error(node, f"{source.name} {why}; its parameters are {', '.join(names)}")
        return [given[name] if name in given else keywords.get(name, self.defaults.get(name)) for name in names]

    def __call__(self, *_: Any) -> Any:
        """Only a kernel can call it."""
        raise KernelError(
            f"{self.__name__} is a device function; call it from a kernel, or test the Python function itself: "
            f"{self.__name__}.py_func(…)"
        )

    @property
    def py_func(self) -> FunctionType:
        """The Python function."""
        return self.source.function

    def __repr__(self) -> str:
        return f"<device function {self.__name__}({', '.join(self.source.parameters)})>"


class Kernel(Callee):
    """A function with ``@cuda.jit``: ``kernel[blocks, threads](…)`` launches it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.source: Source = read(function)
        for default in self.source.defaults.values():
            raise self.source.error(default, "a kernel's parameters have no defaults; give each argument")
        self.__doc__ = function.__doc__
        self.__name__ = self.source.name
        self._compiled: dict[Any, Compiled] = {}

    def call(self, t: Translator, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """A kernel is no function of another one."""
        raise t.error(node, f"{self.__name__} is a kernel; a kernel calls functions with @cuda.jit(device=True)")

    def __getitem__(self, configuration: Any) -> Launch:
        """The kernel for a grid: ``[blocks, threads]``, each a number or a tuple of up to three."""
        given = configuration if isinstance(configuration, tuple) else (configuration,)
        if not 2 <= len(given) <= 4:
            raise LaunchError(
                f"{self.__name__}[{', '.join(map(str, given))}]: expected [blocks, threads], or [blocks, threads, "
                "stream, bytes of shared memory]"
            )
        blocks, threads = (_size(self.__name__, what, n) for what, n in zip(("blocks", "threads"), given, strict=False))
        if threads[0] * threads[1] * threads[2] > MOST_LANES:
            raise LaunchError(f"{self.__name__}: {threads} threads in a block; at most {MOST_LANES}")
        return Launch(self, blocks, threads, int(given[3]) if len(given) == 4 else 0)

    def forall(self, tasks: int, threads: int = 128) -> Launch:
        """The kernel for at least so many lanes along x; the kernel guards against those that are too many."""
        return self[-(-tasks // threads), threads]

    @property
    def words(self) -> str:
        """What it is, in a message."""
        return f"the kernel {self.__name__}"

    def __call__(self, *_: Any) -> None:
        """A kernel needs a grid."""
        raise LaunchError(f"{self.__name__}(…): a kernel is launched on a grid: {self.__name__}[blocks, threads](…)")

    def compile(self, arguments: Sequence[Any], blocks: Size, threads: Size, shared_bytes: int = 0) -> Compiled:
        """The program for arguments of these kinds and a grid of this size.

        Raises
        ------
        KernelError
            Where the function cannot be translated; it points to the line.
        LaunchError
            Where an argument is none that a kernel takes.
        """
        names = self.source.parameters
        if len(arguments) != len(names):
            raise LaunchError(
                f"{self.__name__}: got {len(arguments)} arguments; expected {len(names)}: {', '.join(names) or 'none'}"
            )
        described = tuple(_describe(self.__name__, *pair) for pair in zip(names, arguments, strict=True))
        key = described, blocks, threads, shared_bytes
        if key not in self._compiled:
            self._compiled[key] = translate(self.source, described, blocks, threads, shared_bytes)
        return self._compiled[key]

    @property
    def py_func(self) -> FunctionType:
        """The Python function."""
        return self.source.function

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}({', '.join(self.source.parameters)})>"


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel with its grid; call it with the arguments."""

    kernel: Kernel
    blocks: Size
    threads: Size
    shared_bytes: int = 0

    def __call__(self, *arguments: Any, engine: str = "auto", checks: Any = "default") -> None:
        """Run the kernel; `engine` and `checks` are those of `Program`."""
        plain = [as_array(argument) for argument in arguments]
        self.compile(*plain).run(plain, engine, checks)

    def compile(self, *arguments: Any) -> Compiled:
        """The program for these arguments, without running it."""
        plain = [as_array(argument) for argument in arguments]
        return self.kernel.compile(plain, self.blocks, self.threads, self.shared_bytes)

    def program(self, *arguments: Any) -> Program:
        """The UOps for these arguments."""
        return self.compile(*arguments).program


def translate(
    source: Source, arguments: tuple[Argument, ...], blocks: Size, threads: Size, shared_bytes: int
) -> Compiled:
    """A function as a program.

    Raises
    ------
    KernelError
        Where it cannot be translated.
    """
    kinds: dict[Any, Kind] = {}
    for _ in range(MOST_PASSES):
        k = Builder(source.name, warp=WARP)
        t = Translator(k, kinds, blocks, threads, shared_bytes)
        operands = [_operand(k, argument) for argument in arguments]
        t.enter(source, (), operands, of_kernel=True)
        try:
            block(t, source.tree.body)
        except (BuilderError, ProgramError, RecursionError, TypeError) as error:
            if k.here is None:
                raise
            message = "an expression is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise KernelError(f"{source.name}: {message}", k.here) from None
        if not t.grew:
            _say_what_is_written(k)
            constants = tuple(t.constants.values())
            return Compiled(k.program(), tuple(k.sources), arguments, blocks, threads, constants)
    raise KernelError(f"{source.name}: the types of its variables do not settle: {sorted(map(str, kinds.values()))}")


def _say_what_is_written(k: Builder) -> None:
    """Declare the buffers that no line writes as not writable."""
    written = {sources[0] for uop, _, sources, _ in k.lines if uop in WRITES}
    for number, (uop, dtype, sources, arg) in enumerate(k.lines):
        if uop is UOps.DEFINE_GLOBAL:
            k.lines[number] = uop, dtype, sources, (arg[0], number in written)


def _operand(k: Builder, argument: Argument) -> Any:
    match argument.kind:
        case "array":
            memory = k.buffer(argument.name, argument.dtype, argument.writable)
            return Array(argument.name, memory, argument.shape, argument.strides, argument.offset, argument.writable)
        case "float":
            return typed(k.buffer(argument.name, argument.dtype).load(0), argument.meets)
        case "bool":
            return k.argument(argument.name, dtypes.int32).ne(0)
    return k.argument(argument.name, argument.dtype)


def _describe(kernel: str, name: str, argument: Any) -> Argument:
    if isinstance(argument, np.ndarray):
        return _describe_array(kernel, name, argument)
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
    hint = "; np.array(…) makes one" if isinstance(argument, list | tuple) else ""
    raise LaunchError(f"{kernel}: {name} is a {type(argument).__name__}; expected an array or a number{hint}")


def _describe_array(kernel: str, name: str, array: npt.NDArray[Any]) -> Argument:
    try:
        dtype = dtype_of(array.dtype)
    except TypeError as error:
        raise LaunchError(f"{kernel}: {name} is an array of {array.dtype}: {error}") from None
    if any(step % array.itemsize for step in array.strides):
        raise LaunchError(f"{kernel}: {name} has strides of {array.strides} bytes, no multiples of {array.itemsize}")
    strides = tuple(step // array.itemsize for step in array.strides)
    offset = sum(-step * (size - 1) for step, size in zip(strides, array.shape, strict=True) if step < 0 and size)
    return Argument(name, "array", dtype, array.shape, strides, offset, array.flags.writeable)


def _memory(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The memory behind an array, from the lowest to the highest address that it reaches, as a flat array."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    start = array[tuple(slice(None, None, -1) if step < 0 else slice(None) for step in array.strides)]
    size = 1 + sum(abs(step) // array.itemsize * (n - 1) for step, n in zip(array.strides, array.shape, strict=True))
    if array.size == 0:
        return array.reshape(-1)
    return np.lib.stride_tricks.as_strided(start, (size,), (array.itemsize,))


def _size(name: str, what: str, given: Any) -> Size:
    numbers = given if isinstance(given, tuple | list) else (given,)
    try:
        sizes = [index(n) for n in numbers]
    except TypeError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        hint = "; a / b is a float, use -(-a // b)" if any(isinstance(n, float) for n in numbers) else ""
        raise LaunchError(f"{name}: {what} is {given!r}; expected a positive integer, or a tuple of up to three{hint}")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
