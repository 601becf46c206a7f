"""Kernels as people hold them: translated when they are launched, for the arguments that they are given."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import index
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from gpuemu.errors import DivisionError, HazardError, LaunchError, LimitError, ProgramError
from gpuemu.kernels.builder import Builder
from gpuemu.kernels.errors import BuilderError, KernelError, KernelHazardError, SourceLine
from gpuemu.kernels.python import functions as functions  # enters what a kernel may call
from gpuemu.kernels.python.arguments import Argument, Described, describe, leaves, of_launch, operand, plain
from gpuemu.kernels.python.names import Callee
from gpuemu.kernels.python.outside import explained
from gpuemu.kernels.python.source import Source, read
from gpuemu.kernels.python.statements import block
from gpuemu.kernels.python.translator import RESULT, Translator
from gpuemu.kernels.python.types import Kind
from gpuemu.limits import Limits
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compiled:
    """A kernel for arguments of some kinds: its program, and the source line of each of the program's lines.

    `constants` are the arrays of Python that it reads, as they were when it was translated: the last buffers.
    """

    program: Program
    sources: tuple[SourceLine | None, ...]
    described: tuple[Described, ...]
    blocks: Size
    threads: Size
    constants: tuple[npt.NDArray[Any], ...] = ()

    def run(self, arguments: Sequence[Any], engine: str, checks: Any, limits: Limits | None = None) -> float:
        """Run it on arguments of those kinds; the seconds that it took.

        Raises
        ------
        KernelHazardError
            Where a lane does what the result must not depend on; with the source's lines.
        LimitError
            Where it takes more than its limits allow.
        """
        program = self.program if limits is None else self._within(limits)
        buffers, vals = of_launch(self.described, arguments)
        buffers += [constant.reshape(-1) for constant in self.constants]
        try:
            return program(
                *buffers, global_size=self.blocks, local_size=self.threads, vals=vals, engine=engine, checks=checks
            )
        except HazardError as error:
            lines = [line for report in error.reports for line in report.lines]
            reports = tuple(explained(report, report.buffer or "") for report in error.reports)
            raise KernelHazardError(reports, self.where(lines)) from None
        except (DivisionError, LimitError) as error:
            found = re.match(r"line (\d+)", str(error))
            places = self.where([int(found[1])] if found else [])
            told = str(error).replace("Program(…, limits=", f"{program.name}[blocks, threads](…, limits=cuda.")
            raise type(error)(told + "".join(f"\n  {place}" for place in places)) from None

    def _within(self, limits: Limits) -> Program:
        """The program under other limits."""
        if not isinstance(limits, Limits):
            raise LaunchError(f"{self.program.name}: limits is {limits!r}; expected cuda.Limits(…)")
        return Program(self.program.name, self.program.lines, self.program.warp, limits, self.program.unit)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arrays and numbers that it takes, those in tuples too."""
        return tuple(leaf for argument in self.described for leaf in leaves(argument))

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
        types = ", ".join(f"{argument.name}: {argument.type_text}" for argument in self.described)
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
        shared_bytes = _count(self.__name__, "bytes of shared memory", given[3]) if len(given) == 4 else 0
        return Launch(self, blocks, threads, shared_bytes)

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> Launch:
        """The kernel for at least so many lanes along x; the kernel guards against those that are too many.

        Parameters
        ----------
        ntasks
            Lanes; of 0 there is nothing to launch.
        tpb
            Threads in a block; 0 for 128.
        """
        tasks, threads = (
            _count(self.__name__, f"{what} of forall", n) for what, n in (("ntasks", ntasks), ("tpb", tpb))
        )
        launch = self[max(1, -(-tasks // (threads or 128))), threads or 128, stream, sharedmem]
        return launch if tasks else replace(launch, blocks=(0, 1, 1))

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
        described = tuple(describe(self.__name__, *pair) for pair in zip(names, arguments, strict=True))
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

    def __call__(
        self, *arguments: Any, engine: str = "auto", checks: Any = "default", limits: Limits | None = None
    ) -> None:
        """Run the kernel; `engine`, `checks` and `limits` are those of `Program`."""
        values = [plain(argument) for argument in arguments]
        compiled = self.compile(*values)
        if 0 not in self.blocks:
            compiled.run(values, engine, checks, limits)

    def compile(self, *arguments: Any) -> Compiled:
        """The program for these arguments, without running it."""
        values = [plain(argument) for argument in arguments]
        return self.kernel.compile(values, self.blocks, self.threads, self.shared_bytes)

    def program(self, *arguments: Any) -> Program:
        """The UOps for these arguments."""
        return self.compile(*arguments).program


def translate(
    source: Source, arguments: tuple[Described, ...], blocks: Size, threads: Size, shared_bytes: int
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
        operands = [operand(k, argument) for argument in arguments]
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


def _count(name: str, what: str, given: Any) -> int:
    try:
        number = index(given)
    except TypeError:
        number = -1
    if number < 0:
        raise LaunchError(f"{name}: {what} is {given!r}; expected an integer from 0 on")
    return number


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
