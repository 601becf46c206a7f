"""The units of tensor-core arithmetic beside numpy's float32 product, and beside the fractions that tests use."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import cpu_seconds, human, table
from gpuemu.tensorcores import arithmetic
from gpuemu.tensorcores.arithmetic.formats import format_of

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from oracles import tensor_core_oracle as oracle

Slow = Callable[[list[float], list[float], float], float]
ORACLE_ROWS = 8
"""Dot products that the oracle computes; its time for a whole product is in proportion."""


def nvidia(kind: str, length: int, fraction_bits: int, result_bits: int = 24) -> Slow:
    """The oracle of a block unit, in fractions."""
    return lambda a, b, c: oracle.nvidia(a, b, c, kind, kind, "fp32", length, fraction_bits, result_bits)


CASES: list[tuple[str, str, tuple[int, int, int], str, Slow]] = [
    ("one warp, m16n8k16 half, A100", "A100", (16, 8, 16), "fp16", nvidia("fp16", 8, 24)),
    ("128³ half, V100", "V100", (128, 128, 128), "fp16", nvidia("fp16", 4, 23)),
    ("128³ half, A100", "A100", (128, 128, 128), "fp16", nvidia("fp16", 8, 24)),
    ("128³ half, H100", "H100", (128, 128, 128), "fp16", nvidia("fp16", 16, 25)),
    ("128³ e4m3, Ada", "Ada", (128, 128, 128), "e4m3", nvidia("e4m3", 16, 13, 14)),
    ("128³ e4m3, B200", "B200", (128, 128, 128), "e4m3", lambda a, b, c: oracle.fp8_by_halves(a, b, c, "fp32")),
    ("128³ half, CDNA2", "CDNA2", (128, 128, 128), "fp16", lambda a, b, c: oracle.tree(a, b, c, "fp16", 4, True)),
    (
        "128³ half, CDNA3",
        "CDNA3",
        (128, 128, 128),
        "fp16",
        lambda a, b, c: oracle.cdna3(a, b, c, "fp16", "fp16", 8, 1),
    ),
    ("128³ half, one rounding", "exact", (128, 128, 128), "fp16", lambda a, b, c: oracle.exact(a, b, c, "fp32")),
]


def row(name: str, unit: str, size: tuple[int, int, int], kind: str, slow: Slow) -> list[str]:
    """The unit's CPU time, and how many times that numpy and the oracle need."""
    m, n, k = size
    rng, storage = np.random.default_rng(1), format_of(kind).storage
    a, b = (rng.standard_normal(shape).astype(storage) for shape in ((m, k), (k, n)))
    c = rng.standard_normal((m, n)).astype(np.float32)
    left, right = a.astype(np.float32), b.astype(np.float32)
    chosen = arithmetic.unit(unit)
    ours = least(lambda: chosen.matmul(a, b, c, kind, "fp32"), repeats=200 if m * n * k < 10**4 else 5)
    plain = least(lambda: left @ right + c, repeats=100)
    got = chosen.matmul(a, b, c, kind, "fp32")

    def some() -> None:
        for i in range(ORACLE_ROWS):
            assert got[i, 0] == np.float32(slow(left[i].tolist(), right[:, 0].tolist(), float(c[i, 0]))), name

    by_fractions = least(some, repeats=2) * m * n / ORACLE_ROWS
    return [
        name,
        human(ours),
        human(plain),
        f"{ours / plain:.0f} ×",
        human(by_fractions),
        f"{by_fractions / ours:.0f} ×",
    ]


def least(call: Callable[[], object], repeats: int) -> float:
    """The least CPU time of several calls, the first left out: it fills tables."""
    call()
    return cpu_seconds(call, repeats).least


def run() -> str:
    """The table of units."""
    header = ["product", "lanewise", "numpy float32", "slower than numpy", "by fractions", "faster than fractions"]
    return table("Tensor-core arithmetic to the bit, CPU time", header, [row(*case) for case in CASES])
