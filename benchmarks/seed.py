"""The interpreter that this project grew from: tinygrad 0.9.0's `PythonProgram`, fed with our lists of lines."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuemu import Program

try:
    from tinygrad.codegen.uops import UOps as SeedUOps
    from tinygrad.dtype import dtypes as seed_dtypes
    from tinygrad.ops import BinaryOps, TernaryOps, UnaryOps
    from tinygrad.runtime.ops_python import PythonProgram
except ImportError:
    PythonProgram = None

SEED_NAMES = {"float16": "float", "float32": "float", "float64": "double"}  # its Python 3.11 buffers know no half


def available() -> bool:
    """Whether tinygrad is installed (`make bench` installs it)."""
    return PythonProgram is not None


def seed_dtype(dtype: Any) -> Any:
    """Our dtype as tinygrad's."""
    if dtype is None:
        return None
    name = dtype.scalar().name
    scalar = getattr(seed_dtypes, SEED_NAMES.get(name, name))
    return scalar.vec(dtype.count) if dtype.count > 1 else scalar


def seed_line(uop: Any, dtype: Any, sources: list[int], arg: Any) -> tuple[Any, Any, list[int], Any]:
    """One of our lines as one of tinygrad's."""
    if uop.name == "ALU":
        name = arg.name if hasattr(arg, "name") else arg
        arg = next(getattr(kind, name) for kind in (UnaryOps, BinaryOps, TernaryOps) if hasattr(kind, name))
    if uop.name == "DEFINE_ACC" and not isinstance(arg, tuple):
        arg = (arg,)
    if uop.name == "WMMA":
        name, sizes, _, _, counts, target = arg
        arg = (name, sizes, seed_dtypes.float, seed_dtypes.float, counts, target)
    return getattr(SeedUOps, uop.name), seed_dtype(dtype), list(sources), arg


def seed_call(program: Program, buffers: list[np.ndarray], **launch: Any) -> Callable[[], object]:
    """A call that runs our program's lines on the seed's interpreter, in place on the buffers."""
    library = pickle.dumps([seed_line(line.uop, line.dtype, line.sources, line.arg) for line in program.lines])
    views = [memoryview(buffer.reshape(-1).view(np.uint8)) for buffer in buffers]  # type: ignore[arg-type]
    return lambda: PythonProgram(program.name, library)(*views, **launch)
