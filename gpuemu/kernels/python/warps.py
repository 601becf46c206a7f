"""What ``cuda`` means between the lanes of a warp: lane numbers, shuffles, votes."""

from __future__ import annotations

import ast
from typing import Any

from gpuemu import dtypes
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.intrinsics import Intrinsic, flat_lane, intrinsic, scalar_kind
from gpuemu.kernels.python.names import Computed
from gpuemu.kernels.python.translator import Translator, describe
from gpuemu.kernels.python.types import as_type, settled
from gpuemu.uops import UOps

ALL_LANES = 0xFFFFFFFF


class LaneNumber(Computed):
    """``laneid``: the lane's number in its warp."""

    def operand(self, t: Translator) -> Value:
        """The number."""
        return flat_lane(t) % t.k.warp


def _mask(t: Translator, node: ast.Call, mask: Any) -> Value:
    operand = t.number(mask, node, "the mask")
    if isinstance(operand, float) or (isinstance(operand, Value) and operand.dtype.is_float):
        raise t.error(node, f"the mask is {describe(operand)}; expected an integer with a bit for each lane")
    return t.k.const(operand & ALL_LANES, dtypes.uint32) if isinstance(operand, int) else operand.cast(dtypes.uint32)


@intrinsic("cuda.syncwarp", 0, 1, names=("mask",))
def syncwarp(t: Translator, node: ast.Call, mask: Any = None) -> None:
    """All lanes of the warp, or of a mask, arrive before any goes on."""
    t.k.line(UOps.WARP_BARRIER, None, [] if mask is None else [_mask(t, node, mask).number])


def _shuffle(name: str, what: str) -> Intrinsic:
    def handler(t: Translator, node: ast.Call, mask: Any, value: Any, number: Any) -> Value:
        here = as_type(t.k, value, settled(scalar_kind(t, node, value)))
        other = as_type(t.k, t.number(number, node, "the number of lanes"), dtypes.int32)
        return t.k.shuffle(what, here, other, _mask(t, node, mask))

    handler.__doc__ = "The value that another lane of the warp gives."
    return Intrinsic(f"cuda.{name}", handler, (3,), ("mask", "value", "lane" if what == "index" else "delta"))


shfl_sync = _shuffle("shfl_sync", "index")
shfl_up_sync = _shuffle("shfl_up_sync", "up")
shfl_down_sync = _shuffle("shfl_down_sync", "down")
shfl_xor_sync = _shuffle("shfl_xor_sync", "xor")


def _vote(name: str, what: str) -> Intrinsic:
    def handler(t: Translator, node: ast.Call, mask: Any, predicate: Any) -> Value:
        condition = t.truth(predicate, node)
        condition = condition if isinstance(condition, Value) else t.k.const(condition, dtypes.bool)
        dtype = dtypes.uint32 if what == "ballot" else dtypes.bool
        return t.k.vote(what, condition, dtype, _mask(t, node, mask))

    handler.__doc__ = f"{what} of a condition over the lanes of the mask."
    return Intrinsic(f"cuda.{name}", handler, (2,), ("mask", "predicate"))


any_sync = _vote("any_sync", "any")
all_sync = _vote("all_sync", "all")
ballot_sync = _vote("ballot_sync", "ballot")


@intrinsic("cuda.activemask", 0)
def activemask(t: Translator, node: ast.Call) -> Value:
    """An integer with a bit for each lane of the warp that is here."""
    return t.k.vote("ballot", t.k.const(True, dtypes.bool), dtypes.uint32)


@intrinsic("cuda.lanemask_lt", 0)
def lanemask_lt(t: Translator, node: ast.Call) -> Value:
    """An integer with a bit for each lane of the warp whose number is below this one's."""
    lane = (flat_lane(t) % t.k.warp).cast(dtypes.uint32)
    return (t.k.const(1, dtypes.uint32) << lane) - 1
