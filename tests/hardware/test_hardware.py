"""The probe of real GPUs: its source assembles, its checks see a wrong lane map, its recordings are readable.

What needs a GPU is skipped where there is none. An emulated GPU, the catalogue and the units, stands in for it.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import cuda_source
import dot_products
import fragments
import gpu as gpus
import lane_probe
import numpy as np
import pytest

from gpuemu import tensorcores
from gpuemu.tensorcores.arithmetic.formats import format_of
from gpuemu.tensorcores.arithmetic.recorded import compare
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap, Packing, column, lane_map, row
from gpuemu.tensorcores.matrix_copy import MatrixCopy

A100 = gpus.Gpu("NVIDIA A100-SXM4-40GB", 80, "580.65")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")


def matrices(m: LaneMap, registers: bytes) -> np.ndarray:
    """What registers hold, read bit by bit."""
    bits, first = cuda_source.bits_of(m), cuda_source.first_bit_of(m)
    digits = np.unpackbits(np.frombuffer(registers, np.uint8), bitorder="little").reshape(-1, bits)
    if bits >= 8:
        shifted = np.packbits(digits, axis=1, bitorder="little").reshape(-1)
        values = (shifted >> first).view(format_of(m.dtype).storage)
    else:
        values = (digits * 2 ** np.arange(bits)).sum(axis=1)
        values = np.where(values >= 8, values - 16, values) if m.dtype == "int4" else values
        values = values.astype(np.uint8).view(format_of("e2m1").storage) if m.dtype == "e2m1" else values
    out = np.zeros((len(values) // (m.lanes * m.elements), m.blocks * m.rows * m.columns))
    with np.errstate(all="ignore"):
        out[:, fragments.places(m)] = values.astype(np.float64).reshape(len(out), -1)
    return out.reshape(-1, m.blocks, m.rows, m.columns)


def emulated(known: Sequence[Instruction | MatrixCopy], unit: str | None = None) -> lane_probe.Run:
    """A GPU that has the lane maps of `known`, and multiplies as a unit does."""
    by_name = {x.name: x for x in known}

    def run(name: str, count: int, inputs: Sequence[bytes]) -> bytes:
        x = by_name[name]
        if isinstance(x, MatrixCopy):
            at = x.coordinates()
            numbers, halves = (at[..., 0] * 8 + at[..., 1]) * 8 + at[..., 2], np.frombuffer(inputs[1], np.uint16)
            moved = np.empty_like(halves)
            if x.kind == "ldmatrix":
                return halves[numbers].tobytes()
            moved[numbers.reshape(-1)] = halves
            return moved.tobytes()
        a, c = matrices(x.a, inputs[0]), matrices(x.c, inputs[2])
        d = x.multiply(a, matrices(x.b, inputs[1]), c, unit) if unit else a @ matrices(x.b, inputs[1]) + c
        assert d.shape[0] == count
        return fragments.pack(x.d, d)

    return run


@needs_nvcc
@pytest.mark.parametrize("capability", [80, 89, 90])
def test_every_kernel_assembles(capability, tmp_path):
    assert gpus.compile_probe(capability, tmp_path, link=False).stat().st_size > 0


def test_every_instruction_of_the_catalogue_has_a_kernel_on_some_gpu():
    names = {x.name for capability in (80, 90, 120) for x in cuda_source.instructions(capability)}
    assert names == {x.name for x in tensorcores.instructions(vendor="nvidia")}


INTEGERS = ["m16n8k32.s32.s8.u8", "m16n8k64.s32.s4"]
NARROW = ["m16n8k64.mxf4", "m16n8k32.f8f6f4.e2m1.e3m2", "m16n8k32.mxf8f6f4.e2m3.e2m1"]


@pytest.mark.parametrize("name", ["m16n8k16", "m16n8k8.f32.tf32", "m8n8k4", *INTEGERS, *NARROW])
def test_right_lane_maps_pass(name):
    x = tensorcores.instruction(name)
    assert lane_probe.check(x, emulated([x])) == []


def test_copies_pass():
    for x in tensorcores.copy_instructions():
        assert lane_probe.check_copy(x, emulated([x])) == []


def test_wrong_copy_is_named():
    plain, turned = (tensorcores.copy_instruction(f"ldmatrix.x1{end}") for end in ("", ".trans"))
    found = lane_probe.check_copy(plain, emulated([replace(turned, name=plain.name)]))
    assert found == [f"{plain.name}: register (0, 1) has 8, expected 1"]


def test_wrong_lane_map_is_named():
    """A GPU whose A has its two row bits in the other order than the catalogue."""
    x = tensorcores.instruction("m16n8k16")
    swapped = lane_map(
        "a",
        16,
        16,
        "fp16",
        lane=[row(8), column(4, 2)],
        element=[row(2, 8), column(2, 8), column(2)],
        packing=Packing("r", 16),
    )
    found = lane_probe.check(x, emulated([replace(x, a=swapped)]))
    assert len(found) == 2
    assert found[0].startswith(f"{x.name}: of small integers, D (trial, block, row, column) (0, 0, ")
    assert found[1] == f"{x.name}: A's lane 0, element 2 does not meet B and D as expected (ones in B)"


def test_b_of_a_wgmma_lies_in_core_matrices():
    """PTX ISA, K-major without swizzle: 8 columns of 16 bytes, the second half of k 128 bytes on."""
    x = tensorcores.instruction("m64n16k16.f32.f16")
    numbers = np.arange(16 * 16).reshape(1, 1, 16, 16)
    halves = np.frombuffer(fragments.pack_shared(x, numbers), np.float16)
    for k, n in np.ndindex(16, 16):
        assert halves[n // 8 * 128 + k // 8 * 64 + n % 8 * 8 + k % 8] == 16 * k + n


def test_recorded_sets_are_read_back_and_hold_what_nobody_has_recorded(tmp_path, monkeypatch):
    x = tensorcores.instruction("m16n8k8.f32.tf32")
    monkeypatch.setattr(dot_products, "instructions", lambda capability: [x])
    assert dot_products.record(A100, emulated([x], "A100"), tmp_path) == 7
    sets = compare(tmp_path)
    assert [(one.gpu, one.rows, one.same) for one in sets] == [("A100", 1024, 1024)] * 7
    data = {one.file.rsplit("k8_", 1)[1]: np.load(tmp_path / one.file) for one in sets}
    assert np.isnan(data["specials.npz"]["d"]).any()
    assert np.isinf(data["overflow.npz"]["d"]).any()
    small = np.abs(data["subnormal_results.npz"]["d"])
    assert ((small > 0) & (small < 2.0**-126)).any()
    assert (np.abs(data["subnormal_operands.npz"]["a"]) < 2.0**-126).any()
    other = [one for one in compare(tmp_path, "H100") if one.same < one.rows]
    assert other


def test_without_nvcc_and_a_gpu_it_says_that_it_did_not_run():
    if not gpus.missing():
        pytest.skip("there are both")
    done = subprocess.run([sys.executable, "tests/hardware"], capture_output=True, text=True, cwd=Path.cwd())
    assert done.returncode == 0
    assert done.stdout == f"did not run: {gpus.missing()}\n"


def test_gpu_of_this_machine_has_the_lane_maps_of_the_catalogue(tmp_path):
    why_not, gpu = gpus.missing(), gpus.find()
    if why_not or gpu is None:
        pytest.skip(why_not)
    run = partial(gpus.run, gpus.compile_probe(gpu.capability, tmp_path))
    assert [line for x in cuda_source.instructions(gpu.capability) for line in lane_probe.check(x, run)] == []
