"""The units by name. A unit is data: for each pair of types, each path, one rule of `blocks`, `chains` or `cdna`."""

from __future__ import annotations

import functools
from dataclasses import replace

from gpuemu.errors import UnitError, shown
from gpuemu.tensorcores.arithmetic.blocks import FusedBlocks, HalfPairs
from gpuemu.tensorcores.arithmetic.cdna import FusedThenAdded, PairwiseTree
from gpuemu.tensorcores.arithmetic.chains import Exact, FmaChain, IntegerSum, Sequential
from gpuemu.tensorcores.arithmetic.formats import FLOATS, nearest
from gpuemu.tensorcores.arithmetic.products import Rule
from gpuemu.tensorcores.arithmetic.rules import Compared, Entry, Unit

_BY_RULE = "by rule, not compared with hardware"
_PUBLISHED = "by published rules, not compared with hardware"
_UNVERIFIED = "layout exact, arithmetic unverified: float32 in order"
_NVIDIA_SOURCE = "Fasi et al. 2021, arXiv 2512.07004, arXiv 2511.10909; recorded results of MATLAB-tensor-core"
_AMD_SOURCE = "MMA-Sim, arXiv 2511.10909"
_FP8 = ("e4m3", "e5m2")
_BITS_8, _BITS_4, _BITS_1 = ("int8", "uint8"), ("int4", "uint4"), ("b1",)
_INTEGERS = tuple(Entry(inputs, ("int32",), IntegerSum()) for inputs in (_BITS_8, _BITS_4, _BITS_1))
_FP64 = Entry(("fp64",), ("fp64",), FmaChain())
_HALF = ("fp32", "fp16")
_PATHS = ("mma", "wgmma", "older")


def _sets(inputs: tuple[str, ...], outputs: tuple[str, ...], k: int, path: str = "mma") -> tuple[Compared, ...]:
    return tuple(Compared(one, out, path, k) for one in inputs for out in outputs)


def _sixteen_bit_sets(k: int) -> tuple[Compared, ...]:
    return (*_sets(("fp16",), _HALF, k), *_sets(("bf16",), ("fp32",), k), *_sets(("tf32",), ("fp32",), 4))


_HOPPER_SETS = (*_sixteen_bit_sets(16), *_sets(_FP8, ("fp16",), 32), *_sets(_FP8, ("fp32",), 32, "wgmma"))
_RECORDED = {
    "V100": _sets(("fp16",), _HALF, 4),
    "A100": _sixteen_bit_sets(8),
    "A2": _sixteen_bit_sets(8),
    "Ada": (*_sixteen_bit_sets(8), *_sets(_FP8, _HALF, 32)),
    "L40S": (*_sixteen_bit_sets(8), *_sets(_FP8, ("fp32",), 32)),
    "H100": _HOPPER_SETS,
    "H200": _HOPPER_SETS,
    "B200": (*_sixteen_bit_sets(16), *_sets(_FP8, _HALF, 32)),
}
"""What recorded results of each GPU the unit's bits were compared with."""


def _nvidia(name: str, *table: Entry) -> Unit:
    return Unit(name, _NVIDIA_SOURCE, _BY_RULE, table, _RECORDED.get(name, ()))


def _sixteen_bit(length: int, fraction_bits: int, path: str = "mma") -> tuple[Entry, ...]:
    """half, bfloat16 and tf32 (32 bits an element, so half as many products a block)."""
    return (
        Entry(("fp16",), _HALF, FusedBlocks(length, fraction_bits), path),
        Entry(("bf16",), ("fp32",), FusedBlocks(length, fraction_bits), path),
        Entry(("tf32",), ("fp32",), FusedBlocks(length // 2, fraction_bits), path),
    )


def _ampere(name: str) -> Unit:
    return _nvidia(name, *_sixteen_bit(8, 24), _FP64, *_INTEGERS)


def _ada(name: str) -> Unit:
    fp8 = Entry(_FP8, _HALF, FusedBlocks(16, 13, result_fraction_bits=13))
    return _nvidia(name, *_sixteen_bit(8, 24), fp8, _FP64, *_INTEGERS)


def _hopper(name: str) -> Unit:
    fp8 = Entry(_FP8, _HALF, HalfPairs(FusedBlocks(16, 25)))
    fp8_wgmma = Entry(_FP8, _HALF, FusedBlocks(32, 13, result_fraction_bits=13), "wgmma")
    int8_wgmma = Entry(_BITS_8, ("int32",), IntegerSum(), "wgmma")
    wgmma = (*_sixteen_bit(16, 25, "wgmma"), fp8_wgmma, int8_wgmma)
    return _nvidia(name, *_sixteen_bit(16, 25), fp8, _FP64, *_INTEGERS, *wgmma)


def _blackwell(name: str) -> Unit:
    fp8 = Entry(_FP8, _HALF, HalfPairs(FusedBlocks(16, 25)))
    return _nvidia(name, *_sixteen_bit(16, 25), fp8, _FP64, *_INTEGERS)


def _cdna(name: str, *table: Entry) -> Unit:
    fp32 = Entry(("fp32",), ("fp32",), FmaChain())
    return Unit(name, _AMD_SOURCE, _PUBLISHED, (*table, fp32, Entry(_BITS_8, ("int32",), IntegerSum())))


def _cdna1() -> Unit:
    return _cdna(
        "CDNA1",
        Entry(("fp16",), ("fp32",), PairwiseTree(4)),
        Entry(("bf16",), ("fp32",), PairwiseTree(2)),
    )


def _cdna2() -> Unit:
    return _cdna(
        "CDNA2",
        Entry(("fp16",), ("fp32",), PairwiseTree(4, flush=True)),
        Entry(("bf16",), ("fp32",), PairwiseTree(4, flush=True)),  # the instructions named "_1k"
        Entry(("bf16",), ("fp32",), PairwiseTree(2, flush=True), "older"),  # those without
        _FP64,
    )


def _cdna3() -> Unit:
    return _cdna(
        "CDNA3",
        Entry(("fp16",), ("fp32",), FusedThenAdded(8)),
        Entry(("bf16",), ("fp32",), FusedThenAdded(8)),
        Entry(("tf32",), ("fp32",), FusedThenAdded(4)),  # AMD calls it xf32
        Entry(("e4m3fnuz", "e5m2fnuz"), ("fp32",), FusedThenAdded(16, groups=2)),
        _FP64,
    )


def _reference(name: str, source: str, basis: str, rule: Rule) -> Unit:
    """A unit that takes every type, to every type that a tensor core gives, by every path."""
    narrow = (*_FP8, "e2m1", "e2m3", "e3m2")
    floats = tuple(Entry((one,), ("fp32", "fp16", "bf16", "fp64"), rule) for one in FLOATS if one not in narrow)
    by_mma = (*floats, Entry(narrow, _HALF, rule), *_INTEGERS)
    scaled = Entry(narrow, ("fp32",), rule, "block_scale")
    return Unit(name, source, basis, (*(replace(one, path=path) for path in _PATHS for one in by_mma), scaled))


@functools.cache
def units() -> dict[str, Unit]:
    """All units by name.

    >>> list(units())
    ['V100', 'Turing', 'A100', 'A2', 'A30', 'Ada', 'L40S', 'H100', 'H200', 'B200', 'CDNA1', 'CDNA2', 'CDNA3',
     'exact', 'fp32-sequential']
    """
    known = (
        _nvidia("V100", Entry(("fp16",), _HALF, FusedBlocks(4, 23))),
        _nvidia("Turing", Entry(("fp16",), _HALF, FusedBlocks(8, 24)), *_INTEGERS),
        *(_ampere(name) for name in ("A100", "A2", "A30")),
        *(_ada(name) for name in ("Ada", "L40S")),
        *(_hopper(name) for name in ("H100", "H200")),
        _blackwell("B200"),
        _cdna1(),
        _cdna2(),
        _cdna3(),
        _reference("exact", "IEEE 754, one rounding to nearest even", "exact by definition", Exact()),
        _reference("fp32-sequential", "IEEE 754 float32, in order of k", _UNVERIFIED, Sequential()),
    )
    return {one.name: one for one in known}


def unit(name: str) -> Unit:
    """The unit of that name.

    Raises
    ------
    UnitError
        no such unit; the nearest name is suggested

    >>> unit("H100").name
    'H100'
    >>> unit("H10")
    Traceback (most recent call last):
    gpuemu.errors.UnitError: unit 'H10': no unit has that name; did you mean 'H100'?
    """
    found = units().get(str(name))
    if found is None:
        raise UnitError(f"unit {shown(name)}: no unit has that name; {nearest(str(name), list(units()))}")
    return found
