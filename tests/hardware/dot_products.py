"""Dot products that this GPU computes, in the format of recorded results; and what nobody has recorded yet."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cuda_source import instructions, variants
from fragments import pack, pack_shared, unpack
from gpu import Gpu
from lane_probe import Run

from gpuemu.tensorcores.arithmetic.formats import Format, format_of
from gpuemu.tensorcores.instruction import Instruction

ROWS = 1024
FLOATS = ("fp16", "bf16", "tf32", "e4m3", "e5m2", "fp64")
Matrices = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Kind:
    """The types of an instruction's numbers."""

    inputs: Format
    output: Format

    def held(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Matrices:
        """Numbers near those given that the types hold."""
        return _held(self.inputs, a), _held(self.inputs, b), _held(self.output, c)


def _held(fmt: Format, values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        stored = np.clip(values, *_range(fmt)).astype(fmt.storage)
        if fmt.name == "tf32":
            stored = (stored.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        stored = np.where(np.isfinite(values), stored, values.astype(fmt.storage))
        return stored.astype(np.float64)


def _range(fmt: Format) -> tuple[float, float]:
    greatest = float(np.finfo(fmt.storage).max) if fmt.storage.kind == "f" else _greatest(fmt)
    return -greatest, greatest


def _greatest(fmt: Format) -> float:
    codes = np.arange(2 ** (8 * fmt.storage.itemsize), dtype=f"u{fmt.storage.itemsize}").view(fmt.storage)
    with np.errstate(all="ignore"):
        values = codes.astype(np.float64)
    return float(values[np.isfinite(values)].max())


def recordable(capability: int) -> list[Instruction]:
    """The instructions whose rounding is worth recording: floats, A and B of one type, one width of wgmma.

    >>> [x.short_name for x in recordable(80)][:3]
    ['m16n8k8.f16.f16', 'm16n8k8.f32.f16', 'm16n8k8.f32.bf16']
    """
    found = [
        y
        for x in instructions(capability)
        for y in variants(x)
        if y.a.dtype in FLOATS and y.scales is None and (y.n == 8 or y.b is not None)
    ]
    one_type = [y for y in found if y.b is None or y.a.dtype == y.b.dtype]
    return [y for y in one_type if y.arch != "sm_70" or capability == 70]  # elsewhere other instructions imitate it


def profiles(kind: Kind, x: Instruction, rng: np.random.Generator, count: int) -> Iterator[tuple[str, Matrices]]:
    """Operands of many kinds, by name; all but the first two ask for what no recorded set has."""
    shapes = (count, x.m, x.k), (count, x.k, x.n), (count, x.m, x.n)

    def numbers(which: int, spread: int, scale: float = 0.0) -> np.ndarray:
        exponents = rng.integers(-spread, spread + 1, shapes[which])
        return rng.standard_normal(shapes[which]) * np.exp2(exponents + scale)

    a, b, c = numbers(0, 2), numbers(1, 2), numbers(2, 4)
    yield "ordinary", kind.held(a, b, c)
    yield "wide", kind.held(numbers(0, 8), numbers(1, 8), numbers(2, 8))
    half = x.k // 2
    mirrored = np.concatenate([a[..., :half], -a[..., :half]], axis=-1)
    yield "cancelling", kind.held(mirrored, np.concatenate([b[:, :half], b[:, :half]], axis=1), c * 2.0**-12)
    yield "specials", kind.held(*(_with_specials(one, rng) for one in (a, b, c)))
    high = np.log2(_range(kind.output)[1]) / 2 - 2
    top = rng.choice([-1.0, 1.0], shapes[2]) * rng.uniform(0.99, 1.0, shapes[2]) * _range(kind.output)[1]
    yield "overflow", kind.held(numbers(0, 2, high), numbers(1, 2, high), top)
    low = kind.output.least_exponent
    small = np.clip(low / 2, kind.inputs.least_exponent, 0)
    yield "subnormal_results", kind.held(numbers(0, 2, small), numbers(1, 2, small), numbers(2, 4, low - 2))
    least = kind.inputs.least_exponent
    yield "subnormal_operands", kind.held(numbers(0, 1, least - 2), b, numbers(2, 4, max(least - 2, low)))


def _with_specials(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    out = values.copy()
    for special in (np.inf, -np.inf, np.nan, 0.0, -0.0):
        out[rng.random(out.shape) < 0.02] = special
    return out


def record(gpu: Gpu, run: Run, folder: Path) -> int:
    """Write the sets and their INDEX.json, as `gpuemu vectors` reads them; how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    index = [entry for x in recordable(gpu.capability) for entry in _record_instruction(gpu, run, folder, x)]
    (folder / "INDEX.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return len(index)


def _record_instruction(gpu: Gpu, run: Run, folder: Path, x: Instruction) -> Iterator[dict[str, str | int]]:
    inputs, output = format_of(x.a.dtype), format_of(x.d.dtype)
    assert isinstance(inputs, Format)
    assert isinstance(output, Format)
    count = -(-ROWS // (x.m * x.n))
    for name, (a, b, c) in profiles(Kind(inputs, output), x, np.random.default_rng(x.k), count):
        file = f"{gpu.file_name}_{inputs.name}_{output.name}_{x.path}_k{x.k}_{name}.npz"
        rows = _rows(x, run, a, b, c)
        np.savez_compressed(folder / file, **rows)
        yield {
            "file": file,
            "gpu": gpu.unit,
            "input": inputs.name,
            "output": output.name,
            "path": x.path,
            "k": x.k,
            "rows": len(rows["d"]),
            "instruction": x.name,
            "profile": name,
            "device": gpu.name,
            "driver": gpu.driver,
        }


def _rows(x: Instruction, run: Run, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> dict[str, np.ndarray]:
    """One row for each element of D, at most ROWS: its row of A, its column of B, its element of C."""
    count, blocks = len(a), (slice(None), np.newaxis)
    repeat = [np.repeat(one[blocks], x.blocks, axis=1) for one in (a, b, c)]  # every block gets the same product
    right = pack_shared(x, repeat[1]) if x.b is None else pack(x.b, repeat[1])
    d = unpack(x.d, run(x.name, count, [pack(x.a, repeat[0]), right, pack(x.c, repeat[2])]))[:, 0]
    wide = np.float64 if x.d.dtype == "fp64" else np.float32
    every = (count, x.m, x.n, x.k)
    with np.errstate(all="ignore"):
        return {
            "a": np.broadcast_to(a[:, :, np.newaxis], every).reshape(-1, x.k)[:ROWS].astype(wide),
            "b": np.broadcast_to(np.swapaxes(b, 1, 2)[:, np.newaxis], every).reshape(-1, x.k)[:ROWS].astype(wide),
            "c": c.reshape(-1)[:ROWS].astype(wide),
            "d": d.reshape(-1)[:ROWS].astype(wide),
        }
