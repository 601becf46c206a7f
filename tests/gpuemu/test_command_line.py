"""The command line: what each command prints, its exit codes, and no traceback for a mistake in the call."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from gpuemu import tensorcores
from gpuemu.__main__ import NOTATIONS, main

A = ["lane//4 + 8*(i//2%2)", "2*(lane%4) + i%2 + 8*(i//4)"]


def out(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def test_list_has_a_line_an_instruction(capsys: pytest.CaptureFixture[str]) -> None:
    everything = [*tensorcores.instructions(), *tensorcores.copy_instructions()]
    assert [line.split()[-1] for line in out(capsys, "list").splitlines()] == [x.name.split()[-1] for x in everything]
    apple = out(capsys, "list", "--vendor", "apple")
    assert apple.split()[:3] == ["simdgroup.8x8x8", "apple", "apple7"]
    assert all("gfx942" in line for line in out(capsys, "list", "--arch", "gfx942").splitlines())


def test_list_takes_parts_of_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    names = [line.split()[0] for line in out(capsys, "list", "MXF4").splitlines()]
    assert names == ["m16n8k64.mxf4", *(f"m16n8k64.mxf4nvf4.{x}" for x in ("2x.ue8m0", "4x.ue8m0", "4x.ue4m3"))]
    assert out(capsys, "list", "x4 trans", "--vendor", "nvidia").splitlines()[0].startswith("ldmatrix.x4.trans")


def test_the_operand_may_stand_behind_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("show", "convert"):
        by_place, by_name = out(capsys, command, "m16n8k16", "A"), out(capsys, command, "m16n8k16", "--operand", "a")
        assert by_place == by_name != out(capsys, command, "m16n8k16")


def test_show_prints_the_text_of_the_picture(capsys: pytest.CaptureFixture[str]) -> None:
    mma = tensorcores.instruction("m16n8k16")
    assert out(capsys, "show", "m16n8k16", "--operand", "A") == f"{mma.maps['a'].draw()}\n"
    assert out(capsys, "show", "m16n8k16") == f"{mma.draw()}\n"
    assert out(capsys, "show", "m16n8k16", "--operand", "b", "--by", "k") == f"{mma.maps['b'].draw(by='k')}\n"


def test_show_gives_html_and_svg(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "<table" in out(capsys, "show", "m16n8k16", "--html")
    assert out(capsys, "show", "m16n8k16", "--operand", "c", "--svg").lstrip().startswith(("<svg", "<?xml"))
    assert out(capsys, "show", "m16n8k16", "--html", str(tmp_path / "a.html"), "--svg", str(tmp_path / "a.svg")) == ""
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_json_holds_the_lane_maps(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(out(capsys, "show", "m16n8k16", "--operand", "a", "--json"))
    mma = tensorcores.instruction("m16n8k16")
    assert (shown["m"], shown["n"], shown["k"], list(shown["operands"])) == (16, 8, 16, ["a"])
    assert shown["operands"]["a"]["coordinates"] == mma.maps["a"].coordinates().tolist()
    assert shown["operands"]["a"]["registers"] == list(mma.maps["a"].registers)


def test_block_scales_are_shown_beside_the_operands(capsys: pytest.CaptureFixture[str]) -> None:
    mma = tensorcores.instruction("m16n8k64.mxf4")
    assert mma.scales is not None
    shown = json.loads(out(capsys, "show", "m16n8k64.mxf4", "--json"))["scales"]
    assert (shown["block"], shown["a"]["dtype"]) == (32, "ue8m0")
    assert shown["b"]["coordinates"] == mma.scales.b.coordinates().tolist()
    text = out(capsys, "show", "m16n8k64.mxf4")
    assert "D[m, n] = Σ s[m, k//32]·A[m, k] · t[k//32, n]·B[k, n] + C[m, n]" in text
    assert "scales of A  16 × 2 ue8m0" in text
    assert "scale" not in out(capsys, "show", "m16n8k64.s32.s4")


@pytest.mark.parametrize("name", ["m16n8k16", "m8n8k4.row.col.f32.f16", "gfx942.smfmac_i32_16x16x64_i8"])
def test_csv_has_a_line_a_place(capsys: pytest.CaptureFixture[str], name: str) -> None:
    lines = list(csv.DictReader(io.StringIO(out(capsys, "show", name, "--csv"))))
    found = tensorcores.instruction(name)
    places = sum(m.coordinates()[..., 0].size for m in found.maps.values())
    assert len(lines) == places
    last = lines[-1]
    assert found.maps["d"].where(int(last["row"]), int(last["column"]), int(last["block"]))


def test_where_names_each_holder(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        out(capsys, "where", "m16n8k16", "--row", "12", "--col", "7", "--operand", "c")
        == "C[12, 7]: lane 19, element 3 (r3)\n"
    )
    assert out(capsys, "where", "m16n8k16", "--row", "3", "--col", "10") == "A[3, 10]: lane 13, element 4 (r2.[15:0])\n"
    rdna3 = out(
        capsys, "where", "v_wmma_f32_16x16x16_f16", "--arch", "gfx1100", "--lanes", "32", "--row", "5", "--col", "3"
    )
    assert rdna3.startswith("A[5, 3]: lane 5, element 3 (v1.[31:16]); lane 21, element 3 (v1.[31:16])\n")


def test_where_counts_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    volta = ["where", "m8n8k4.row.col.f32.f16", "--operand", "a", "--row", "0", "--col", "0", "--block", "1"]
    assert out(capsys, *volta) == "A[0, 0] of block 1: lane 4, element 0 (r0.[15:0])\n"


def test_matrix_copies_are_shown_as_instructions_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    copy = tensorcores.copy_instruction("ldmatrix.x4.trans")
    assert out(capsys, "show", "ldmatrix.x4.trans") == f"{copy.draw()}\n"
    shown = json.loads(out(capsys, "show", "ldmatrix.x4.trans", "--json"))
    assert shown["operands"]["matrix"]["coordinates"] == copy.lane_map.coordinates().tolist()
    assert shown["row_address_lane"] == copy.row_address_lane()
    assert len(out(capsys, "show", "ldmatrix.x4.trans", "--csv").splitlines()) == 1 + 256
    where = ["where", "stmatrix.x4", "--row", "3", "--col", "2", "--block", "1"]
    assert out(capsys, *where) == "matrix[3, 2] of block 1: lane 13, element 2 (r1.[15:0])\n"
    assert "matrix = i//2\n" in out(capsys, "convert", "ldmatrix.x4")
    assert out(capsys, "sheet", "ldmatrix.x4", "--html", str(tmp_path / "sheet.html")) == ""
    assert "lane 31 →" in (tmp_path / "sheet.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "ldmatrix.x4", "--by", "k"], "--by k: ldmatrix.x4 is shown by lane"),
        (["show", "ldmatrix.x4", "--operand", "a"], "ldmatrix.x4: no lane map of a; there are matrix"),
        (
            ["show", "ldmatrix.x4", "--lanes", "64"],
            "ldmatrix.x4: its architecture here is sm_75, the first, with 32 lanes",
        ),
        (["convert", "ldmatrix.x4", "--to", "swizzle"], "ldmatrix.x4: swizzle is a notation of A, B and C together"),
        (
            ["where", "ldmatrix.x1", "--row", "9", "--col", "0"],
            "no operand has an element at row 9, column 0, block 0: matrix 8 × 8",
        ),
    ],
)
def test_what_a_matrix_copy_has_not_is_said(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"gpuemu {arguments[0]}: {message}\n"


@pytest.mark.parametrize("to", [*NOTATIONS, "swizzle"])
def test_convert_gives_each_notation(capsys: pytest.CaptureFixture[str], to: str) -> None:
    shown = out(capsys, "convert", "m16n8k16", "--operand", "a", "--to", to)
    assert shown.startswith("# ")
    assert len(shown.splitlines()) >= 2


def test_convert_says_why_a_notation_is_impossible(capsys: pytest.CaptureFixture[str]) -> None:
    shown = out(capsys, "convert", "m64n96k16", "--operand", "c", "--to", "f2", code=2)
    assert "not possible, a lane holds 48 elements, no power of two" in shown
    assert "CuTe" in out(capsys, "convert", "m64n96k16", "--operand", "c")


def test_check_exits_with_0_for_right_and_1_for_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "right, all 256 places" in out(capsys, "check", "m16n8k16", "a", *A)
    assert "transposed" in out(capsys, "check", "m16n8k16", "a", *A[::-1], code=1)
    assert "+ 8 of m" in out(capsys, "check", "m16n8k16", "a", "lane/4", A[1], "--svg", str(tmp_path / "x.svg"), code=1)
    assert "<svg" in (tmp_path / "x.svg").read_text()


def test_check_reads_registers_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    numbers = tensorcores.instruction("m16n8k16").maps["a"].coordinates() @ (16, 1)
    path = tmp_path / "registers.txt"
    path.write_text("\n".join(", ".join(map(str, lane)) for lane in numbers.tolist()))
    assert "right" in out(capsys, "check", "m16n8k16", "a", "--registers", str(path))


@pytest.mark.parametrize(
    "name",
    [
        "m16n8k16",
        "m64n256k16",
        "m16n8k64.mxf4",
        "simdgroup.8x8x8",
        "gfx942.smfmac_i32_16x16x64_i8",
        "m8n8k4.row.col.f32.f16",
    ],
)
def test_a_sheet_is_one_document_that_loads_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    path = tmp_path / "sheet.html"
    assert out(capsys, "sheet", name, "--html", str(path)) == ""
    page = path.read_text(encoding="utf-8")
    assert page.count("<svg") == 1
    assert "@page" in page
    assert not re.search(r'(src|href)="', page)
    assert ("scales ue8m0 for 32 along k each" in page) == (name == "m16n8k64.mxf4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "m16n8k61"], "gpuemu show: no tensor-core instruction has the name 'm16n8k61'; did you mean"),
        (
            ["show", "m64n64k16", "--operand", "b"],
            "gpuemu show: m64n64k16.f32.f16: no lane map of b; there are a, c, d",
        ),
        (["show", "m16n8k16", "--svg", "x.png"], "gpuemu show: --svg x.png: the file's name must end in .svg"),
        (["show", "m16n8k16", "--json", "/nowhere/x.json"], "No such file or directory"),
        (["list", "--vendor", "intle"], "gpuemu list: instructions: no vendor 'intle'; there are"),
        (
            ["where", "m16n8k16", "--row", "99", "--col", "0"],
            "no operand has an element at row 99, column 0, block 0: A 16 × 16",
        ),
        (["where", "m16n8k16", "--operand", "b", "--row", "16", "--col", "0"], "operand b has 16 rows, 8 columns"),
        (["check", "m16n8k16", "a", "lane @ 2", "i"], "gpuemu check: formula 'lane @ 2': '@ 2' is not understood"),
        (["check", "m16n8k16", "a"], "gpuemu check: give either formulas or --registers FILE"),
        (["check", "m16n8k16"], "gpuemu check: which operand? got none; expected a, b, c or d, behind the name or as"),
        (["check", "m16n8k16", "e", "lane"], "gpuemu check: which operand? got 'e'; expected a, b, c or d"),
        (["show", "m16n8k16", "e"], "gpuemu show: 'e' is no operand of m16n8k16; expected a, b, c or d"),
        (["convert", "m16n8k16", "a", "b"], "gpuemu convert: 'b' is no operand of m16n8k16"),
        (["list", "m16n8k17"], "gpuemu list: no instruction has 'm16n8k17' in its name; gpuemu list shows all"),
        (["where", "m16n8k16"], "say which row and which column, as in: gpuemu where m16n8k16.f32.f16 3 5"),
        (["where", "m16n8k16", "3"], "say which row and which column"),
        (["where", "m16n8k16", "3", "5", "7"], "say which row and which column"),
        (["where", "m16n8k16", "--row", "3"], "say which row and which column"),
        (["where", "m16n8k16", "3", "--row", "3"], "say which row and which column"),
        (["where", "m16n8k16", "3", "x"], "gpuemu where: row and column 3 x: 'x' is no number from 0 up"),
        (["check", "m16n8k16", "a", "--registers", "/nowhere"], "No such file or directory"),
        (["sheet", "wmma", "--html", "x.html"], "say more of the name"),
    ],
)
def test_a_mistake_in_the_call_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err + printed.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["shwo"],
        ["show"],
        ["where", "m16n8k16", "3", "5", "--bogus"],
        ["where", "m16n8k16", "--row", "-1", "--col", "0"],
        ["where", "m16n8k16", "--row", "x", "--col", "0"],
        ["convert", "m16n8k16", "--to", "latin"],
    ],
)
def test_argparse_refuses_with_exit_code_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: gpuemu" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["3", "5"],
        ["c", "3", "5"],
        ["--operand", "c", "3", "5"],
        ["3", "5", "--operand", "C"],
        ["--row", "3", "--col", "5"],
    ],
)
def test_where_takes_row_and_column_by_place_or_by_name(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert out(capsys, "where", "m16n8k16", *arguments).splitlines()[-1] == "C[3, 5]: lane 14, element 1 (r1)"


def test_check_takes_the_operand_by_place_or_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    right = "m16n8k16.f32.f16, operand A: right, all 256 places.\n"
    for arguments in (["a", *A], ["--operand", "A", *A], [*A, "--operand", "a"]):
        assert out(capsys, "check", "m16n8k16", *arguments) == right


def test_without_a_command_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert "who holds the element at a row and a column" in out(capsys, code=2)


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"gpuemu of lanewise {version('lanewise')}\n"


def test_numbers_that_are_none_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "registers.txt"
    path.write_text("1 2 three\n")
    assert main(["check", "m16n8k16", "a", "--registers", str(path)]) == 2
    assert "expected numbers, one line a lane" in capsys.readouterr().err


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "gpuemu", "list", "--vendor", "apple"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "simdgroup" in done.stdout
