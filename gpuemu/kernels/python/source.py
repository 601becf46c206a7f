"""A function's source: its syntax tree, the lines to point to, and what the names in it mean."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from gpuemu.kernels.errors import KernelError, SourceLine


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A function as it was written.

    Attributes
    ----------
    name
        The function's.
    tree
        Its definition.
    file, first, lines
        Where it is written: the file's name (``cell`` in a notebook), its first line there, and its lines.
    indent
        Columns that were cut off each line.
    function
        The function itself, which is never called: its global and enclosing names are looked up in it.
    assigned
        The names that it assigns, which are its own.
    """

    name: str
    tree: ast.FunctionDef
    file: str
    first: int
    lines: tuple[str, ...]
    indent: int
    function: FunctionType
    assigned: frozenset[str]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(argument.arg for argument in (*self.tree.args.posonlyargs, *self.tree.args.args))

    @property
    def defaults(self) -> dict[str, ast.expr]:
        """The parameters that have a default, and what it is."""
        given = self.tree.args.defaults
        return dict(zip(self.parameters[len(self.parameters) - len(given) :], given, strict=True))

    def meaning(self, name: str) -> Any:
        """What a name means that the function does not assign: enclosing, global, built in.

        Raises
        ------
        KeyError
            Where it means nothing.
        """
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if name in cells:
            try:
                return cells[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        return self.function.__globals__[name] if name in self.function.__globals__ else vars(builtins)[name]

    def line(self, node: ast.AST) -> SourceLine:
        """The line of a part of the tree."""
        number = getattr(node, "lineno", 1)
        return SourceLine(self.file, self.first + number - 1, self.lines[number - 1])

    def error(self, node: ast.AST, message: str) -> KernelError:
        """An error that points to a part of the tree."""
        return KernelError(f"{self.name}: {message}", self.line(node), getattr(node, "col_offset", 0) + self.indent)


def read(function: Callable[..., Any]) -> Source:
    """The source of a function.

    Raises
    ------
    KernelError
        Where it is no plain function, or its source cannot be found.
    """
    if not isinstance(function, FunctionType):
        raise KernelError(f"cuda.jit: got {function!r}; expected a function: @cuda.jit above its def")
    if function.__name__ == "<lambda>":
        raise KernelError("cuda.jit: a lambda has no body to translate; write a function with def")
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise KernelError(
            f"{function.__name__}: its source cannot be found; define it in a file or a notebook's cell"
        ) from None
    text = textwrap.dedent("".join(lines))
    tree = ast.parse(text).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise KernelError(f"{function.__name__}: expected a plain def, and no async one")
    indent = len(lines[0]) - len(lines[0].lstrip())
    found = Source(
        function.__name__,
        tree,
        _file(function.__code__.co_filename),
        max(1, first),
        tuple(line.rstrip("\n") for line in lines),
        indent,
        function,
        frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)),
    )
    _check_signature(found)
    return found


def _file(name: str) -> str:
    return "cell" if "ipykernel" in name or name.startswith("<") else Path(name).name


def _check_signature(source: Source) -> None:
    arguments = source.tree.args
    for given, what in (
        (arguments.vararg, "*"),
        (arguments.kwarg, "**"),
        (next(iter(arguments.kwonlyargs), None), "keyword-only "),
    ):
        if given is not None:
            raise source.error(given, f"a kernel has no {what}{given.arg}; name each parameter")
