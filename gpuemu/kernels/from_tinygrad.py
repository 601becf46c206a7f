"""A kernel of tinygrad 0.9.0 as a Program: its list of UOps, translated by the names of their enums.

tinygrad itself is neither imported nor needed: any objects with the same names will do.
"""

from collections.abc import Iterable
from typing import Any

from gpuemu import dtypes
from gpuemu.dtypes import DType
from gpuemu.errors import ProgramError, shown
from gpuemu.program import Program
from gpuemu.uops import BinaryOps, TernaryOps, UnaryOps, UOps

__all__ = ["dtype_from_tinygrad", "from_tinygrad"]

# tinygrad 0.9.0 names its types as C does (tinygrad/dtype.py, class dtypes).
C_NAMES: dict[str, DType] = {
    "bool": dtypes.bool,
    "char": dtypes.int8,
    "unsigned char": dtypes.uint8,
    "short": dtypes.int16,
    "unsigned short": dtypes.uint16,
    "int": dtypes.int32,
    "unsigned int": dtypes.uint32,
    "long": dtypes.int64,
    "unsigned long": dtypes.uint64,
    "half": dtypes.float16,
    "__bf16": dtypes.bfloat16,
    "float": dtypes.float32,
    "double": dtypes.float64,
}
ALU_ENUMS = {kind.__name__: kind for kind in (UnaryOps, BinaryOps, TernaryOps)}


def dtype_from_tinygrad(dtype: Any) -> DType | None:
    """The type that a tinygrad DType names; None stays None.

    Raises
    ------
    ProgramError
        Where no type here has that name.
    """
    if dtype is None:
        return None
    if not isinstance(getattr(dtype, "name", None), str):
        raise ProgramError(f"from_tinygrad: the dtype is {shown(dtype)}; expected one of tinygrad's, with a name")
    if dtype.name in ("imagef", "imageh"):
        return _image(dtype)
    if type(getattr(dtype, "count", None)) is not int or dtype.count < 1:
        raise ProgramError(f"from_tinygrad: the dtype {dtype.name!r} has no count; expected how many elements it has")
    name = dtype.name.removesuffix(str(dtype.count)) if dtype.count > 1 else dtype.name
    if name not in C_NAMES:
        raise ProgramError(f"from_tinygrad: no type is called {dtype.name!r}; there are {', '.join(C_NAMES)}")
    return C_NAMES[name].vec(dtype.count) if dtype.count > 1 else C_NAMES[name]


def _image(dtype: Any) -> DType:
    try:
        return getattr(dtypes, dtype.name)(tuple(dtype.shape))  # type: ignore[no-any-return]
    except (AttributeError, TypeError, ValueError):
        shape = shown(getattr(dtype, "shape", None))
        raise ProgramError(
            f"from_tinygrad: the shape of an {dtype.name} is {shape}; expected (height, width, 4)"
        ) from None


def from_tinygrad(name: str, uops: Iterable[Any], warp: int = 32) -> Program:
    """The Program of a tinygrad 0.9.0 kernel.

    Parameters
    ----------
    name : the kernel's name
    uops : a `UOpGraph`, or its UOps in order (each with `uop`, `dtype`, `vin`, `arg`), or the tuples
        `(uop, dtype, [index of each source], arg)` that its Python renderer makes
    warp : lanes of a warp

    Raises
    ------
    ProgramError
        Where a UOp, an operation or a type is none of ours, or the list is no well-formed program.

    Examples
    --------
    >>> from types import SimpleNamespace as thing
    >>> int32, buffer = thing(name="int", count=1), thing(name="DEFINE_GLOBAL")
    >>> const, store = thing(name="CONST"), thing(name="STORE")
    >>> program = from_tinygrad("seven", [
    ...     (buffer, int32, [], (0, True)), (const, int32, [], 0), (const, int32, [], 7),
    ...     (store, None, [0, 1, 2], None)])
    >>> import numpy as np
    >>> out = np.zeros(1, np.int32)
    >>> seconds = program(out)
    >>> out
    array([7], dtype=int32)
    """
    given = getattr(uops, "uops", uops)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ProgramError(f"from_tinygrad: got {shown(given)}; expected a UOpGraph or a list of UOps")
    lines = list(given)
    position = {id(line): number for number, line in enumerate(lines)}
    parts = [_parts(number, line, position) for number, line in enumerate(lines)]
    return Program(name, [_line(number, *line) for number, line in enumerate(parts)], warp=warp)


def _parts(number: int, line: Any, position: dict[int, int]) -> tuple[Any, Any, list[Any], Any]:
    """A UOp, or the tuple that stands for one, as (uop, dtype, the numbers of its sources, arg)."""
    where = f"line {number}: from_tinygrad"
    if isinstance(line, tuple | list):
        if len(line) != 4 or not isinstance(line[2], tuple | list):
            raise ProgramError(f"{where} got {shown(line)}; expected (uop, dtype, [index of each source], arg)")
        return line[0], line[1], list(line[2]), line[3]
    if not all(hasattr(line, part) for part in ("uop", "dtype", "vin", "arg")):
        raise ProgramError(f"{where} got {shown(line)}; expected a UOp, with uop, dtype, vin and arg")
    for source in line.vin:
        if id(source) not in position:
            raise ProgramError(f"{where} finds the source {shown(source)} nowhere in the list")
    return line.uop, line.dtype, [position[id(source)] for source in line.vin], line.arg


def _line(number: int, uop: Any, dtype: Any, sources: Iterable[int], arg: Any) -> tuple[Any, Any, list[int], Any]:
    """One line, with our enums and types in place of tinygrad's."""
    if getattr(uop, "name", None) not in UOps.__members__:
        unknown, known = shown(getattr(uop, "name", uop)), ", ".join(UOps.__members__)
        raise ProgramError(f"line {number}: from_tinygrad knows no UOp {unknown}; there are {known}")
    kind = UOps[uop.name]
    if kind is UOps.ALU:
        arg = _alu(number, arg)
    elif kind is UOps.WMMA:
        whole = isinstance(arg, tuple | list) and len(arg) == 6
        if not whole or not all(isinstance(arg[i], tuple | list) for i in (1, 4)):
            raise ProgramError(
                f"line {number} (WMMA): from_tinygrad got the arg {shown(arg)}; expected "
                "(name, (N, M, K), dtype in, dtype out, sizes of a b c, device)"
            )
        name, sizes, input_dtype, output_dtype, counts, target = arg
        arg = (
            name,
            tuple(sizes),
            dtype_from_tinygrad(input_dtype),
            dtype_from_tinygrad(output_dtype),
            tuple(counts),
            target,
        )
    else:
        arg = _without_variables(arg)
    return kind, dtype_from_tinygrad(dtype), list(sources), arg


def _without_variables(arg: Any) -> Any:
    """An arg with each Variable as its name and each expression of variables, such as the size of a grid, as text."""
    if isinstance(arg, tuple | list):
        return tuple(_without_variables(part) for part in arg)
    if isinstance(getattr(arg, "expr", None), str):
        return arg.expr
    return arg.render() if callable(getattr(arg, "render", None)) else arg


def _alu(number: int, arg: Any) -> Any:
    """Our operation of the same name."""
    for kind in ALU_ENUMS.values():
        if getattr(arg, "name", None) in kind.__members__:
            return kind[arg.name]
    raise ProgramError(f"line {number} (ALU): from_tinygrad knows no operation {shown(getattr(arg, 'name', arg))}")
