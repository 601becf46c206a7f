"""Tensor cores: the catalogue of instructions, and which lane holds which element.

Examples
--------
>>> mma = instruction("m16n8k16")
>>> mma
<Instruction mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: nvidia sm_80, 16×8×16, 32 lanes>
>>> mma.a.where(row=3, col=10), mma.a.view.strides
([(13, 4)], (16, 2, 8, 128, 1))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import Any

from gpuemu.errors import InstructionError, shown
from gpuemu.tensorcores import amd, apple, arithmetic, intel, matrix_copy, nvidia
from gpuemu.tensorcores.arithmetic.formats import LONGEST_NAME
from gpuemu.tensorcores.instruction import ELEMENT_TYPES, Instruction
from gpuemu.tensorcores.lanemap import LaneMap, SparseLaneMap
from gpuemu.tensorcores.matrix_copy import MatrixCopy

__all__ = [
    "Instruction",
    "LaneMap",
    "MatrixCopy",
    "SparseLaneMap",
    "arithmetic",
    "copy_instruction",
    "copy_instructions",
    "from_seed",
    "instruction",
    "instructions",
]

_SEED_TARGETS = {"METAL": ("apple", "apple7"), "HSA": ("amd", "gfx1100"), "CUDA": ("nvidia", "sm_80")}
_SEED_TYPES = {
    "half": "fp16",
    "float16": "fp16",
    "bfloat16": "bf16",
    "__bf16": "bf16",
    "float": "fp32",
    "float32": "fp32",
}


@cache
def _catalogue() -> tuple[Instruction, ...]:
    return tuple(x for vendor in (nvidia, amd, apple, intel) for x in vendor.instructions())


@cache
def copy_instructions() -> tuple[MatrixCopy, ...]:
    """Every ldmatrix and stmatrix.

    Examples
    --------
    >>> len(copy_instructions())
    12
    """
    return matrix_copy.copy_instructions()


def instructions(vendor: str | None = None, arch: str | None = None) -> tuple[Instruction, ...]:
    """The instructions of the catalogue, of one vendor or architecture where it is given, in small or large letters.

    Raises
    ------
    InstructionError
        There is no such vendor or architecture.

    Examples
    --------
    >>> [x.short_name for x in instructions(vendor="apple")]
    ['simdgroup.8x8x8', 'nax.16x16']
    >>> instructions(vendor="apple", arch="apple5")
    Traceback (most recent call last):
    gpuemu.errors.InstructionError: instructions: no arch 'apple5'; there are apple7, apple10
    """
    found = _catalogue()
    for kind, wanted in (("vendor", vendor), ("arch", arch)):
        if wanted is not None:
            known = dict.fromkeys(str(getattr(x, kind)) for x in found)
            lower = _checked(f"instructions: {kind}", wanted).lower()
            found = tuple(x for x in found if str(getattr(x, kind)).lower() == lower)
            if not found:
                raise InstructionError(f"instructions: no {kind} {wanted!r}; there are {', '.join(known)}")
    return found


def instruction(name: str, arch: str | None = None, lanes: int | None = None) -> Instruction:
    """The instruction of a full name, a short name, or some parts of a name.

    Parts of a name, such as ``m16n8k16.f32.bf16``, are enough where one instruction has them all. Where several have,
    those with half factors and float32 sums go first, then those with A by rows and B by columns. One name on several
    architectures with the same lane maps means the oldest of them, unless `arch` says otherwise. With ``.satfinite``
    (NVIDIA) or ``clamp`` (AMD) in the name, it is the form whose integer sums saturate.

    Raises
    ------
    InstructionError
        No instruction has that name, or several have.

    Examples
    --------
    >>> instruction("m16n8k8")
    <Instruction mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32: nvidia sm_75, 16×8×8, 32 lanes>
    >>> instruction("m16n8k16.bf16", arch="sm_80").short_name
    'm16n8k16.f32.bf16'
    """
    _checked("instruction", name)
    plain = re.sub(r"[.\s](satfinite|clamp)\b", "", name)
    if plain != name:
        return instruction(plain, arch, lanes).saturating
    named = _named(name, _catalogue())
    if not named:
        known = [text for x in _catalogue() for text in (x.name, x.short_name, *x.short_name.split("."))]
        raise InstructionError(f"no tensor-core instruction has the name {name!r}{_nearest(name, known)}")
    found = [x for x in named if arch in (None, x.arch) and lanes in (None, x.lanes)]
    if not found:
        places = ", ".join(dict.fromkeys(f"{x.arch} ({x.lanes} lanes)" for x in named))
        raise InstructionError(f"instruction {name!r}, arch={arch!r}, lanes={lanes}: it is on {places}")
    chosen = _preferred(found)
    if len({(x.lanes, *x.maps.values(), x.scales) for x in chosen}) > 1:
        choices = [f"{x.short_name} ({x.arch}, {x.lanes} lanes)" for x in found]
        shown = ", ".join(choices[:6]) + f" and {len(choices) - 6} more" * (len(choices) > 6)
        raise InstructionError(f"instruction {name!r} may be {shown}; say more of the name, or arch= and lanes=")
    return chosen[0]


def copy_instruction(name: str) -> MatrixCopy:
    """The ldmatrix or stmatrix of a full name, or of parts of it such as ``ldmatrix.x4.trans``.

    Raises
    ------
    InstructionError
        None has that name, or several have.

    Examples
    --------
    >>> copy_instruction("ldmatrix.x4")
    <MatrixCopy ldmatrix.sync.aligned.m8n8.x4.shared.b16: nvidia sm_75, 4 × 8×8 of 16 bits>
    """
    _checked("copy_instruction", name)
    found = [x for x in copy_instructions() if _parts(name) <= _parts(x.name)]
    found = [x for x in found if x.trans == ("trans" in _parts(name))]
    if not found:
        raise InstructionError(
            f"no matrix copy has the name {name!r}{_nearest(name, [x.name for x in copy_instructions()])}"
        )
    if len(found) > 1:
        raise InstructionError(f"copy_instruction {name!r}: it may be {', '.join(x.name for x in found)}")
    return found[0]


def from_seed(arg: Sequence[Any]) -> Instruction:
    """The instruction that the arg of a WMMA line of tinygrad 0.9 means.

    Parameters
    ----------
    arg
        ``(name, (N, M, K), dtype in, dtype out, sizes of a b c, device)``: N first; the dtypes are names or have one;
        the sizes are elements per lane; the device is METAL, HSA or CUDA.

    Raises
    ------
    InstructionError
        The device has no tensor core of that size, or the types or sizes are not those of its lanes.

    Examples
    --------
    >>> from_seed(("WMMA_8_16_16_half_float", (8, 16, 16), "half", "float", (8, 4, 4), "CUDA"))
    <Instruction mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: nvidia sm_80, 16×8×16, 32 lanes>
    """
    call = f"WMMA {shown(tuple(arg) if isinstance(arg, list) else arg, most=200)}"
    form = "(name, (N, M, K), dtype in, dtype out, sizes of a b c, device)"
    if not isinstance(arg, tuple | list) or len(arg) != 6:
        raise InstructionError(f"{call}: expected {form}")
    _, shape, dtype_in, dtype_out, sizes, device = arg
    if any(not isinstance(x, tuple | list) or len(x) != 3 for x in (shape, sizes)) or not isinstance(device, str):
        raise InstructionError(f"{call}: expected {form}, with three sizes each")
    if device not in _SEED_TARGETS:
        raise InstructionError(f"{call}: device {device!r} is none of {', '.join(_SEED_TARGETS)}")
    n, m, k = shape
    fitting = [x for x in instructions(*_SEED_TARGETS[device]) if (x.m, x.n, x.k, x.lanes) == (m, n, k, 32)]
    typed = [y for x in fitting if (y := _with_types(x, _type_name(dtype_in), _type_name(dtype_out)))]
    if not typed:
        choices = dict.fromkeys(f"({x.n}, {x.m}, {x.k})" for x in instructions(*_SEED_TARGETS[device]))
        raise InstructionError(
            f"{call}: {device} has no such tensor core; its sizes (N, M, K) are {', '.join(choices)}"
            if not fitting
            else f"{call}: {device} has no {tuple(shape)} from {dtype_in} to {dtype_out}"
        )
    held = tuple(lane_map.elements for operand, lane_map in typed[0].maps.items() if operand in "abc")
    if held != tuple(sizes):
        raise InstructionError(f"{call}: the sizes of a, b, c are {tuple(sizes)}, expected {held} elements per lane")
    return typed[0]


def _with_types(found: Instruction, factors: str, sums: str) -> Instruction | None:
    """The instruction with these types, or None; Apple's exists for several types with the same lanes."""
    typed = {}
    for operand, lane_map in found.maps.items():
        wanted = factors if operand in "ab" else sums
        choices = [ELEMENT_TYPES[x].name for x in found.dtypes[operand].split("/") if x in ELEMENT_TYPES]
        if wanted not in (lane_map.dtype, *choices):
            return None
        typed[operand] = replace(lane_map, dtype=wanted)
    return replace(found, a=typed["a"], b=typed["b"], c=typed["c"], d=typed["d"])


def _type_name(dtype: object) -> str:
    name = str(getattr(dtype, "name", dtype))
    return _SEED_TYPES.get(name, name)


def _checked(call: str, name: Any) -> str:
    """The name, where it is one; looking for its neighbours takes time, so it must not be long."""
    if not isinstance(name, str):
        raise InstructionError(f"{call} {shown(name)}: expected a name, such as 'm16n8k16'")
    if len(name) > LONGEST_NAME:
        raise InstructionError(f"{call}: a name of {len(name):,} characters; none has more than {LONGEST_NAME}")
    return name


def _named(name: str, among: Iterable[Instruction]) -> list[Instruction]:
    exact = [x for x in among if name in (x.name, x.short_name)]
    return exact or [x for x in among if _parts(name) <= _parts(x.name) | _parts(x.short_name)]


def _parts(name: str) -> set[str]:
    """What dots, colons, underscores and spaces separate."""
    return set(re.split(r"[.:_\s]+", name.lower().strip()))


def _preferred(found: list[Instruction]) -> list[Instruction]:
    """The documented choice: half factors with float32 sums, then A by rows and B by columns."""
    half = [x for x in found if (x.a.dtype, x.c.dtype) == ("fp16", "fp32")]
    found = half or found
    return [x for x in found if ".row.col." in x.name] or found


def _nearest(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(dict.fromkeys(known)), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
