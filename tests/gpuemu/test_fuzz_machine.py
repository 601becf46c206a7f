"""A short run of the machine's fuzzer, and the texts and lists that it or its authors found."""

import pytest
from fuzz.fuzz_machine import fuzz

from gpuemu import Program, UOps, dtypes
from gpuemu.errors import ProgramError


def test_broken_programs_are_refused_with_errors_of_this_project() -> None:
    report = fuzz(seconds=120, seed=7, most=400)
    assert not report.faults, report.faults[0]
    assert min(report.counts[what] for what in ("ran", "ProgramError", "DeviceError", "HazardError")) > 5


@pytest.mark.parametrize(
    "text", ["9" * 2000 + "x", "-" * 2000, '"' + '\\"' * 2000, "1." * 2000, "imagef(" + "1" * 2000]
)
def test_no_text_takes_longer_to_read_than_its_length(text: str) -> None:
    with pytest.raises(ProgramError, match="text line 2"):
        Program.from_text(f'program "p" warp 32\nCONST {text}')


def test_a_long_chain_of_phis_is_checked_line_by_line() -> None:
    lines = [(UOps.CONST, dtypes.int32, [], 1), (UOps.DEFINE_ACC, dtypes.int32, [], 0)]
    lines += [(UOps.PHI, dtypes.int32, [number, 0], None) for number in range(1, 20_000)]
    program = Program("chain", lines)
    assert program.structure.reads[-1][0] == (1, None)
