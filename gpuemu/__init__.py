"""An emulator of GPU micro-operations and tensor cores.

>>> import numpy as np
>>> from gpuemu import Program, UOps, BinaryOps, dtypes
>>> double = Program("double", [
...     (UOps.DEFINE_GLOBAL, dtypes.float32, [], 0),
...     (UOps.SPECIAL, dtypes.int32, [], (0, "lidx0", 4)),
...     (UOps.LOAD, dtypes.float32, [0, 1], None),
...     (UOps.ALU, dtypes.float32, [2, 2], BinaryOps.ADD),
...     (UOps.STORE, None, [0, 1, 3], None),
... ])
>>> x = np.array([1, 2, 3, 4], np.float32)
>>> seconds = double(x, local_size=(4, 1, 1))
>>> x
array([2., 4., 6., 8.], dtype=float32)
"""

from typing import TYPE_CHECKING, Any

from gpuemu import dtypes, errors, tensorcores
from gpuemu.device import Device
from gpuemu.limits import Limits
from gpuemu.program import Program
from gpuemu.uops import BinaryOps, TernaryOps, UnaryOps, UOps

if TYPE_CHECKING:
    from gpuemu.widgets import explore as explore
    from gpuemu.widgets import explore_fragment as explore_fragment

__all__ = [
    "BinaryOps",
    "Device",
    "Limits",
    "Program",
    "TernaryOps",
    "UOps",
    "UnaryOps",
    "dtypes",
    "errors",
    "tensorcores",
]  # not explore: * needs no anywidget


def __getattr__(name: str) -> Any:
    if name in ("explore", "explore_fragment"):  # they need anywidget, which the emulator itself does not
        from gpuemu import widgets

        return getattr(widgets, name)
    raise AttributeError(f"module 'gpuemu' has no attribute {name!r}")
