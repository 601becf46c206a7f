"""Intel's dpas against its description: systolic depth 8, one dword of A and of B a step."""

import pytest

from gpuemu import tensorcores

DPAS = tensorcores.instructions(vendor="intel")
BITS = {"tf32": 32, "bf16": 16, "f16": 16, "s8": 8}


@pytest.mark.parametrize("dpas", DPAS, ids=lambda x: f"{x.arch} {x.name}")
def test_lane_is_a_column_of_b_and_of_the_sums(dpas):
    lanes = {"xe-hpg": 8, "xe-hpc": 16}[dpas.arch]
    assert (dpas.lanes, dpas.n) == (lanes, lanes)
    assert dpas.b.coordinates().tolist() == [[[k, lane] for k in range(dpas.k)] for lane in range(lanes)]
    for sums in (dpas.c, dpas.d):
        assert sums.coordinates().tolist() == [[[line, lane] for line in range(dpas.m)] for lane in range(lanes)]


@pytest.mark.parametrize("dpas", DPAS, ids=lambda x: f"{x.arch} {x.name}")
def test_rows_of_a_are_dealt_out_to_the_lanes_one_after_the_other(dpas):
    """A's rows back to back are cut into shares of one register of all lanes each; lane l has the l-th share."""
    share = max(1, dpas.k // dpas.lanes)
    flat = [[line, k] for line in range(dpas.m) for k in range(dpas.k)]
    want = [[] for _ in range(dpas.lanes)]
    for start in range(0, len(flat), share * dpas.lanes):
        for lane in range(dpas.lanes):
            want[lane] += flat[start + lane * share : start + (lane + 1) * share]
    assert dpas.a.coordinates().tolist() == want


@pytest.mark.parametrize("dpas", DPAS, ids=lambda x: f"{x.arch} {x.name}")
def test_depth_is_eight_dwords(dpas):
    assert dpas.k == 8 * 32 // BITS[dpas.types[0]]


def test_registers_are_components_of_opencl_vectors():
    assert tensorcores.instruction("dpas.m2n16k16.f16").a.registers == ("s0", "s1")
    assert tensorcores.instruction("dpas.m2n8k16.f16").a.registers[:2] == ("s0.[15:0]", "s0.[31:16]")
    assert tensorcores.instruction("dpas.m2n16k32.s8").a.registers[:2] == ("s0.[7:0]", "s0.[15:8]")


def test_confidence_is_medium_as_no_vendor_document_gives_the_lanes():
    assert {x.confidence for x in DPAS} == {"medium"}
    assert {x.unit for x in DPAS} == {"exact", "fp32-sequential"}
    assert len(DPAS) == 27
