"""A loop of products on a tensor core, D of one being C of the next, as one product along all of their k."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.machine import wmma
from gpuemu.machine.grid import Chunk
from gpuemu.tensorcores import arithmetic
from gpuemu.tensorcores.arithmetic.blocks import FusedBlocks
from gpuemu.tensorcores.arithmetic.cdna import FusedThenAdded
from gpuemu.tensorcores.arithmetic.chains import FmaChain, Sequential

Array = npt.NDArray[Any]

CHAINED = 1 << 20
"""Elements of the factors, each as often as results need it, that one call multiplies: few enough for the cache."""


@cache
def chains(core: wmma.TensorCore) -> bool:
    """Whether D of one product as C of the next gives the bits of a single product along all of their k.

    It does where the unit adds block after block, each rounded to the type of D, and an instruction is whole blocks.

    >>> chains(wmma.resolve("m16n8k16"))
    True
    """
    of = core.instruction
    if core.sparse or core.scales is not None or core.b_is_shared:
        return False
    unit = arithmetic.unit(core.unit or of.unit)
    path = of.path if of.path in unit.paths else "mma"
    rule = unit.rule(core.a.lane_map.dtype, core.d.lane_map.dtype, path, core.b.lane_map.dtype)[0]
    if isinstance(rule, FusedBlocks | FusedThenAdded):
        return of.k % rule.length == 0
    if isinstance(rule, Sequential):  # adds in float32 or float64, and rounds to a narrower type at the end
        return core.d.dtype.numpy.itemsize >= 4
    return isinstance(rule, FmaChain)


def multiply(
    core: wmma.TensorCore,
    chunk: Chunk,
    line: int,
    operands: tuple[Array, Array, Array],
    active: Array | None,
    count: int,
) -> Array:
    """C + A₀·B₀ + A₁·B₁ + … in every group of lanes, for a core that `chains`: as D of each product is C of the next.

    Parameters
    ----------
    operands
        As for `gpuemu.machine.wmma.multiply`; A and B of all products along the first axis, of which the chunk has 1.
    count
        How many products there are.

    Raises
    ------
    HazardError
        As `multiply` does, for some product.
    """
    if active is not None:
        operands = wmma.only_active(core, chunk, line, operands, active)
    a, b, c = operands
    axes = tuple(max(sizes) for sizes in zip(*(x.shape[1:3] for x in operands), strict=True))
    full, many = (1, *axes, *chunk.local), replace(chunk, groups=(count, *chunk.groups[1:]))
    left = _along_k(wmma.gather(core, core.a, many, line, a, wmma.own_lanes(core, chunk, a)), -2, count)
    right = _along_k(wmma.gather(core, core.b, many, line, b, wmma.own_lanes(core, chunk, b)), -3, count)
    d, k = wmma.gather(core, core.c, chunk, line, c, full), core.instruction.k
    step = k * max(1, CHAINED // max(1, d.size // min(core.instruction.m, core.instruction.n) * k))
    for i in range(0, count * k, step):
        d = core.instruction.multiply(left[..., i : i + step], right[..., i : i + step, :], d, core.unit)
    return wmma.held_by_lanes(core, d, full)


def _along_k(matrices: Array, axis: int, count: int) -> Array:
    """Matrices of many products, (products, …), side by side along k: (1, …); `axis` is where their number goes."""
    each = np.broadcast_to(matrices, (count, *matrices.shape[1:]))
    beside = np.moveaxis(each, 0, axis)
    k = beside.ndim + axis
    return beside.reshape(1, *beside.shape[:k], -1, *beside.shape[k + 2 :])
