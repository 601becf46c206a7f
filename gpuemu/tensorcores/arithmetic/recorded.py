"""Dot products that a real GPU computed, held against a unit.

A folder of recorded results holds an `INDEX.json`, a list of sets, each with `file`, `gpu`, `input`, `output` and
`path`; a set is an `.npz` file with `a` and `b` of shape (rows, k), `c` and `d` of shape (rows,), d = a · b + c.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpuemu.errors import UnitError
from gpuemu.tensorcores.arithmetic import unit
from gpuemu.tensorcores.arithmetic.formats import Array, Floats

_KEYS = ("file", "gpu", "input", "output", "path")


@dataclass(frozen=True, slots=True)
class SetComparison:
    """One set of recorded results, and how many of them a unit gives to the bit."""

    file: str
    gpu: str
    unit: str
    inputs: str
    output: str
    path: str
    rows: int
    same: int
    first_difference: tuple[int, float, float] | None
    """The first row that differs, what the unit gives and what the GPU gave."""

    def __str__(self) -> str:
        on = self.gpu if self.gpu == self.unit else f"{self.gpu} against {self.unit}"
        line = f"{on}: {self.inputs} to {self.output} by {self.path}: {self.same} of {self.rows}"
        if self.first_difference is None:
            return line
        row, got, recorded = self.first_difference
        return f"{line}; row {row}: {got!r}, recorded {recorded!r}"


def same_bits(x: Array, y: Array) -> NDArray[np.bool_]:
    """Where two arrays of floats are the same number, the sign of zero included, or both NaN.

    >>> same_bits(np.array([0.0, np.nan, 1.0]), np.array([-0.0, np.nan, 1.0])).tolist()
    [False, True, True]
    """
    one, other = _wide(x), _wide(y)
    equal = (one == other) & (np.signbit(one) == np.signbit(other))
    return np.asarray(equal | (np.isnan(one) & np.isnan(other)))


def _wide(x: Array) -> Floats:
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
        return x.astype(np.float64)


def compare(folder: str | Path, unit_name: str | None = None) -> tuple[SetComparison, ...]:
    """Every set of a folder against the unit of its GPU's name, or against one unit for all.

    Parameters
    ----------
    folder : where INDEX.json lies
    unit_name : the unit to hold every set against; None: that of the name the set gives its GPU

    Raises
    ------
    UnitError
        no INDEX.json, an entry that lacks a key, a file that is not there or lacks an array; no such unit or types
    """
    folder = Path(folder)
    index = folder / "INDEX.json"
    if not index.is_file():
        raise UnitError(f"vectors {folder.name!r}: no INDEX.json lies in that folder; it lists the sets")
    return tuple(_compare_set(folder, entry, unit_name) for entry in json.loads(index.read_text(encoding="utf-8")))


def _compare_set(folder: Path, entry: dict[str, str], unit_name: str | None) -> SetComparison:
    missing = [key for key in _KEYS if key not in entry]
    if missing:
        raise UnitError(
            f"vectors {folder.name!r}: entry {entry} lacks {', '.join(missing)}; expected {', '.join(_KEYS)}"
        )
    a, b, c, d = _arrays(folder / entry["file"])
    chosen = unit(unit_name or entry["gpu"])
    got = chosen.dot(a, b, c, entry["input"], entry["output"], entry["path"])
    same = same_bits(got, d)
    first = None
    if not same.all():
        row = int(np.argmin(same))
        first = row, float(got[row]), float(d[row])
    types = entry["input"], entry["output"], entry["path"]
    return SetComparison(entry["file"], entry["gpu"], chosen.name, *types, len(d), int(same.sum()), first)


def _arrays(path: Path) -> tuple[Array, Array, Array, Array]:
    if not path.is_file():
        raise UnitError(f"vectors {path.parent.name!r}: INDEX.json names {path.name!r}, which is not there")
    with np.load(path) as data:
        missing = [name for name in "abcd" if name not in data]
        if missing:
            raise UnitError(f"vectors {path.name!r}: no array {', '.join(missing)}; expected a, b, c and d")
        return data["a"], data["b"], data["c"], data["d"]
