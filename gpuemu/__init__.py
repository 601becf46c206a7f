"""An emulator of GPU micro-operations and tensor cores."""

from gpuemu import dtypes, errors
from gpuemu.uops import BinaryOps, TernaryOps, UnaryOps, UOps

__all__ = ["BinaryOps", "TernaryOps", "UOps", "UnaryOps", "dtypes", "errors"]
