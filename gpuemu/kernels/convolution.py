"""A convolution is a view: windows over a padded input, and a matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType
from gpuemu.errors import shown
from gpuemu.kernels.errors import ViewKernelError
from gpuemu.kernels.kernel_from_views import KernelFromViews, plain
from gpuemu.kernels.matmul import matmul
from gpuemu.kernels.pointwise import reduce
from gpuemu.tensorcores import Instruction
from shapetracker import ShapeTracker, View

Pair = tuple[int, int]


def windows(
    image: ShapeTracker, kernel: Pair, *, padding: Pair = (0, 0), step: Pair = (1, 1), dilation: Pair = (1, 1)
) -> ShapeTracker:
    """Every window of a kernel's size in images: a view, so no element is copied.

    Parameters
    ----------
    image
        A view of shape (…, height, width).
    kernel
        Height and width of a window.
    padding
        Rows and columns without elements that are added on both sides.
    step
        How far it is from a window to the next one, down and across.
    dilation
        How far it is from an element of a window to the next one.

    Returns
    -------
    ShapeTracker
        Of shape (…, windows down, windows across, kernel height, kernel width).

    Raises
    ------
    ViewKernelError
        Where no window fits, or a size is not positive.

    Examples
    --------
    >>> windows(ShapeTracker.from_shape((5, 5)), (3, 3))
    ShapeTracker(View(shape=(3, 3, 3, 3), strides=(5, 1, 5, 1), offset=0))
    """
    (image,) = plain(f"windows {kernel}", image=image)
    pairs: dict[str, Any] = {"kernel": kernel, "padding": padding, "step": step, "dilation": dilation}
    for name, pair in pairs.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(n, int) for n in pair):
            raise ViewKernelError(f"windows: {name} is {shown(pair)}; expected two integers, down and across")
    call = f"windows {kernel} of {image.shape}"
    if len(image.shape) < 2 or min(*kernel, *step, *dilation) < 1 or min(padding) < 0:
        raise ViewKernelError(f"{call}: expected an image (…, height, width), and sizes of at least 1")
    *outer, _, _ = image.shape
    padded = image.pad((*((0, 0) for _ in outer), *((p, p) for p in padding)))
    height, width = padded.shape[-2:]
    counts = tuple(
        (size - d * (n - 1) - 1) // s + 1 for size, n, s, d in zip((height, width), kernel, step, dilation, strict=True)
    )
    if min(counts) < 1:
        raise ViewKernelError(f"{call}: the padded image is {height}×{width}, and no window fits into it")
    strides = View.create(padded.shape).strides if 0 not in padded.shape else (0,) * len(padded.shape)
    shape = (*outer, *counts, *kernel)
    moves = (*strides[:-2], step[0] * width, step[1], dilation[0] * width, dilation[1])
    return ShapeTracker((*padded.views, View.create(shape, moves))).simplify()


def convolution(
    image: ShapeTracker,
    weights: ShapeTracker,
    instruction: Instruction | str | None = None,
    *,
    padding: Pair = (0, 0),
    step: Pair = (1, 1),
    dilation: Pair = (1, 1),
    dtype: DType = dtypes.float32,
    out_dtype: DType | None = None,
) -> KernelFromViews:
    """A kernel that computes a convolution (as in neural networks: the kernel is not turned) as a matrix product.

    ``out[c, y, x] = Σ image[d, y·step + i·dilation − padding, …] · weights[c, d, i, j]``: a row of the first matrix
    is a window of the image, a column of the second the weights of one output channel.

    Parameters
    ----------
    image
        A view of shape (channels, height, width).
    weights
        A view of shape (output channels, channels, kernel height, kernel width).
    instruction, dtype, out_dtype
        As of `matmul`. Without an instruction a lane computes one element of the result, with three loops.

    Returns
    -------
    KernelFromViews
        To be called with out (output channels, height, width), image and weights.

    Raises
    ------
    ViewKernelError
        Where the shapes do not fit.
    """
    image, weights = plain("convolution", image=image, weights=weights)
    if len(image.shape) != 3 or len(weights.shape) != 4 or image.shape[0] != weights.shape[1]:
        raise ViewKernelError(
            f"convolution: image {image.shape} and weights {weights.shape}; expected (channels, height, width) and "
            "(output channels, channels, kernel height, kernel width)"
        )
    outputs, channels, *kernel = weights.shape
    found = windows(image, (kernel[0], kernel[1]), padding=padding, step=step, dilation=dilation)
    _, down, across, *_ = found.shape
    by_place = found.permute((1, 2, 0, 3, 4))
    if instruction is None:
        whole = (outputs, down, across, channels, *kernel)
        each = by_place.reshape((1, *whole[1:])).expand(whole)
        shared = weights.reshape((outputs, 1, 1, channels, *kernel)).expand(whole)
        return reduce(
            BinaryOps.ADD,
            (3, 4, 5),
            ShapeTracker.from_shape(whole[:3]),
            each,
            shared,
            fn=lambda x, w: x * w,
            dtype=dtype,
            out_dtype=out_dtype,
            name="convolution",
        )
    depth = channels * kernel[0] * kernel[1]
    a = _flattened(by_place, (down * across, depth))
    b = _flattened(weights, (outputs, depth)).permute((1, 0))
    out = ShapeTracker.from_shape((outputs, down * across)).permute((1, 0))
    return matmul(a, b, instruction, out=out, dtype=dtype, out_dtype=out_dtype, name="convolution")


def _flattened(tracker: ShapeTracker, shape: Sequence[int]) -> ShapeTracker:
    return tracker.reshape(shape).simplify()
