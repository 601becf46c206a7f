"""How each tensor core adds and rounds: `unit("A100")` gives a unit, `unit.matmul` the bits it gives.

>>> import numpy as np
>>> unit("A100").dot(np.ones((1, 4)), np.full((1, 4), 0.25), [2.0], "fp16", "fp32")
array([3.], dtype=float32)
"""

from gpuemu.tensorcores.arithmetic.catalogue import unit, units
from gpuemu.tensorcores.arithmetic.rules import Unit

__all__ = ["Unit", "unit", "units"]
