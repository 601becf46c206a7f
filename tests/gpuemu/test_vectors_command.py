"""`gpuemu vectors`: recorded results against a unit, on the command line."""

from pathlib import Path

import pytest

from gpuemu.__main__ import main

VECTORS = Path(__file__).parent.parent / "data" / "tensor_core_vectors"


def test_each_set_is_a_line_and_all_are_reproduced(capsys):
    assert main(["vectors", str(VECTORS)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "A100: bf16 to fp32 by mma: 60 of 60" in lines
    assert lines[-1] == "2880 of 2880 results in 48 sets to the bit"
    assert len(lines) == 49


def test_another_unit_gives_other_bits_and_the_exit_code_1(capsys):
    assert main(["vectors", str(VECTORS), "--unit", "exact"]) == 1
    out = capsys.readouterr().out
    assert "V100 against exact: fp16 to fp32 by mma: " in out
    assert "; row " in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no such folder"], "vectors 'no such folder': no INDEX.json lies in that folder; it lists the sets"),
        ([str(VECTORS), "--unit", "A10"], "unit 'A10': no unit has that name; did you mean 'A100'?"),
    ],
)
def test_what_is_not_there_is_named(arguments, message, capsys):
    assert main(["vectors", *arguments]) == 2
    assert capsys.readouterr().err == f"gpuemu vectors: {message}\n"
