"""What a name in a kernel may stand for, beside numbers and arrays."""

from __future__ import annotations

import ast
from typing import Any

from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.translator import Translator


class Namespace:
    """An object whose attributes a kernel may name, such as ``cuda.shared``; `attribute` gives what they mean there."""

    def attribute(self, translator: Translator, name: str) -> Any:
        """What an attribute means in a kernel.

        Raises
        ------
        AttributeError
            Where it has none of that name.
        """
        return getattr(self, name)


class Computed:
    """A name that stands for a value of each lane, such as ``cuda.laneid``."""

    def operand(self, t: Translator) -> Value:
        """The value."""
        raise NotImplementedError


class Callee:
    """What a kernel may call; `call` translates the call."""

    def call(self, t: Translator, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The operand that the call gives."""
        raise NotImplementedError


class Indexed:
    """What is read and written with […] and is no array."""

    def load(self, t: Translator, node: ast.AST, index: Any) -> Any:
        """The operand at an index."""
        raise NotImplementedError

    def store(self, t: Translator, node: ast.AST, index: Any, operand: Any) -> None:
        """Write an operand at an index."""
        raise NotImplementedError


BUILTINS: dict[Any, Callee] = {}
"""Functions of Python and of its math module that a kernel may call."""
