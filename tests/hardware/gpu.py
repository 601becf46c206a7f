"""The GPU of this machine, and the probe that runs one instruction on it."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cuda_source

HERE = Path(__file__).parent
WITH_A = (90, 100, 103, 110, 120, 121)
"""Compute capabilities with instructions that only the architecture's "a" form has."""


@dataclass(frozen=True)
class Gpu:
    """A GPU as its driver describes it."""

    name: str
    capability: int
    driver: str

    @property
    def unit(self) -> str:
        """The unit to hold its results against: its own, that of its architecture, or, where none is known, "exact".

        >>> Gpu("NVIDIA A100-SXM4-80GB", 80, "580.1").unit, Gpu("NVIDIA GeForce RTX 4090", 89, "580.1").unit
        ('A100', 'Ada')
        >>> Gpu("NVIDIA A2", 86, "580.1").unit, Gpu("NVIDIA GeForce RTX 5090", 120, "580.1").unit
        ('A2', 'exact')
        """
        words = self.name.replace("-", " ").split()
        known = [one for one in ("V100", "A100", "A30", "A2", "L40S", "H100", "H200", "B200") if one in words]
        by_capability = {70: "V100", 75: "Turing", 80: "A100", 86: "A2", 89: "Ada", 90: "H100", 100: "B200"}
        return known[0] if known else by_capability.get(self.capability, "exact")

    @property
    def file_name(self) -> str:
        """The name in letters and digits, to begin a file's name with.

        >>> Gpu("NVIDIA A100-SXM4-80GB", 80, "580.1").file_name
        'A100-SXM4-80GB'
        """
        return "-".join(re.findall(r"[A-Za-z0-9]+", self.name.removeprefix("NVIDIA ")))


def missing() -> str:
    """Why nothing can run here; empty where it can."""
    if shutil.which("nvcc") is None:
        return "nvcc is not installed"
    return "" if find() else "there is no NVIDIA GPU (nvidia-smi names none)"


def find() -> Gpu | None:
    """The first GPU that the driver names."""
    if shutil.which("nvidia-smi") is None:
        return None
    query = ["nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True)
    if answer.returncode or not answer.stdout.strip():
        return None
    name, capability, driver = (x.strip() for x in answer.stdout.splitlines()[0].rsplit(",", 2))
    return Gpu(name, int(capability.replace(".", "")), driver)


def compile_probe(capability: int, folder: Path, *, link: bool = True) -> Path:
    """The probe for GPUs of a capability, or (without `link`) its machine code alone.

    Raises
    ------
    RuntimeError
        nvcc does not take it; with its words
    """
    (folder / "kernels.inc").write_text(cuda_source.source(capability), encoding="utf-8")
    target = folder / ("probe" if link else "probe.cubin")
    arch = f"{capability}{'a' * (capability in WITH_A)}"
    form = [f"-gencode=arch=compute_{arch},code=sm_{arch}", *([] if link else ["-cubin"])]
    command = ["nvcc", "-std=c++17", *form, "-I", str(folder), "-o", str(target), str(HERE / "probe.cu")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return target


def run(probe: Path, name: str, count: int, inputs: Sequence[bytes]) -> bytes:
    """The registers of D after one instruction, from those of A, B and C of `count` groups of lanes.

    Raises
    ------
    RuntimeError
        the probe failed; with its words
    """
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "in", Path(folder) / "out"
        given.write_bytes(b"".join(inputs))
        done = subprocess.run([str(probe), name, str(count), str(given), str(got)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return got.read_bytes()
