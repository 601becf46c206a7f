"""Kernels from views: elementwise, reductions, matrix products on tensor cores, convolutions.

Operands are ShapeTrackers: any views of memory, transposed, padded, strided, broadcast. What they say about an address
becomes UOps; nothing is copied.

>>> from shapetracker import ShapeTracker
>>> a, b = ShapeTracker.from_shape((32, 16)), ShapeTracker.from_shape((8, 16)).permute((1, 0))
>>> product = matmul(a, b, "m16n8k16")
>>> product.accesses[1].simple_index
lane0*16 + lane1*2 + row_tile*256
"""

from gpuemu.kernels.convolution import convolution, windows
from gpuemu.kernels.kernel_from_views import KernelFromViews
from gpuemu.kernels.matmul import fragment, matmul
from gpuemu.kernels.pointwise import REDUCTIONS, elementwise, reduce

__all__ = ["REDUCTIONS", "KernelFromViews", "convolution", "elementwise", "fragment", "matmul", "reduce", "windows"]
