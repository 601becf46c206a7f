"""Intel's tensor-core instruction: dpas, on Xe-HPG (8 lanes) and Xe-HPC (16 lanes).

Intel publishes no lane map. The rules are read from public code that emulates the OpenCL built-ins of the
extension cl_intel_subgroup_matrix_multiply_accumulate (bashbaug/SimpleOpenCLSamples, samples/99_matrixexperiments,
matrix_helpers.cl), so their confidence is medium; intel/sycl-tla, mma_traits_xe.hpp, agrees where it speaks.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuemu.tensorcores.instruction import ELEMENT_TYPES, Instruction
from gpuemu.tensorcores.lanemap import LaneMap, Packing, column, lane_map, row

_LANES = {"xe-hpg": 8, "xe-hpc": 16}
_K_BITS = 256
"""A row of A, and a column of B, is 8 dwords: systolic depth 8 × 32 bits."""


def instructions() -> tuple[Instruction, ...]:
    """Every dpas of the catalogue.

    Examples
    --------
    >>> instructions()[0]
    <Instruction dpas.m1n8k16.bf16: intel xe-hpg, 1×8×16, 8 lanes>
    """
    return tuple(_all())


def _all() -> Iterable[Instruction]:
    for arch in _LANES:
        for factor in ("bf16", "f16", "s8"):
            for m in (1, 2, 4, 8):
                yield _dpas(arch, m, factor)
    for m in (2, 4, 8):
        yield _dpas("xe-hpc", m, "tf32")


def _dpas(arch: str, m: int, factor: str) -> Instruction:
    """One dpas; `m` is its repeat count."""
    n = lanes = _LANES[arch]
    dtype, bits = ELEMENT_TYPES[factor]
    k = _K_BITS // bits
    sums = "s32" if factor == "s8" else "f32"
    c, d = (
        lane_map(operand, m, n, ELEMENT_TYPES[sums].name, lane=[column(n)], element=[row(m)], packing=Packing("s", 32))
        for operand in ("c", "d")
    )
    return Instruction(
        f"dpas.m{m}n{n}k{k}.{factor}",
        f"dpas.m{m}n{n}k{k}.{factor}",
        "intel",
        arch,
        m,
        n,
        k,
        1,
        lanes,
        _operand_a(m, k, lanes, dtype, bits),
        lane_map("b", k, n, dtype, lane=[column(n)], element=[row(k)], packing=Packing("s", bits)),
        c,
        d,
        (factor, factor, sums, sums),
        unit="exact" if sums == "s32" else "fp32-sequential",
        source="SimpleOpenCLSamples samples/99_matrixexperiments, matrix_helpers.cl; sycl-tla mma_traits_xe.hpp",
        confidence="medium",
    )


def _operand_a(m: int, k: int, lanes: int, dtype: str, bits: int) -> LaneMap:
    """The rows of A, spread over the lanes: the lane's share of row 0, then of row 1, … .

    A share is 32 bits for 8 lanes and 16 bits for 16; a tf32 row has fewer elements than Xe-HPC has lanes, so there
    a register takes two rows.
    """
    rows_at_once = max(1, lanes // k)
    share = max(1, k // lanes)
    return lane_map(
        "a",
        m,
        k,
        dtype,
        lane=[row(rows_at_once), column(lanes // rows_at_once, share)],
        element=[row(m // rows_at_once, rows_at_once), column(share)],
        packing=Packing("s", bits, width=share * bits),
    )
