"""``cuda.cg``: cooperative groups, of which there is the grid."""

from __future__ import annotations

import ast
from math import prod
from typing import Any

from gpuemu.kernels.python.intrinsics import Intrinsic, intrinsic, syncthreads
from gpuemu.kernels.python.names import Namespace
from gpuemu.kernels.python.translator import Translator


@intrinsic("grid.sync", 0)
def _sync(t: Translator, node: ast.Call) -> Any:
    """All lanes of the grid arrive before any goes on: a barrier of the block, where there is one block alone."""
    if prod(t.blocks) > 1:
        raise t.error(
            node,
            f"the {prod(t.blocks)} blocks of this grid do not wait for each other here: end the kernel at this place, "
            "and launch a second one for the rest; a grid of one block can wait",
        )
    return syncthreads.call(t, node, [], {})


class GridGroup(Namespace):
    """All lanes of the grid, as ``cuda.cg.this_grid()`` gives them."""

    words = "the group of the grid"
    sync: Intrinsic = _sync


@intrinsic("cuda.cg.this_grid", 0)
def _this_grid(t: Translator, node: ast.Call) -> GridGroup:
    """The group of all lanes of the grid."""
    return GridGroup()


class CooperativeGroups(Namespace):
    """``cuda.cg``."""

    words = "cuda.cg"
    this_grid: Intrinsic = _this_grid
