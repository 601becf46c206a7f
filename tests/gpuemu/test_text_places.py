"""Errors of a program's text name the line of the text, which comments and blank lines move away from the program's."""

import pytest

from gpuemu import Device, Program
from gpuemu.errors import LimitError, ProgramError
from gpuemu.limits import Limits

HEAD = """# what this computes
program "places"

%out = DEFINE_GLOBAL int32 : 0   # written

%one = CONST int32 : 1
"""


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("\n%x = ALU int32 %one : ADD", r"^text line 8: line 2 \(ALU\): ADD has 1 sources with a value; expected 2$"),
        ("%x = FOO", r"^text line 7: there is no UOp FOO"),
        ("%x = ALU int32 %x : NEG", r"^text line 7: %x is this line itself; a source is an earlier line$"),
        (
            "%x = ALU int32 %y : NEG\n\n%y = CONST int32 : 1",
            r"^text line 7: %y is text line 9, below; a source is an earlier line$",
        ),
        ("# no end\n%r = RANGE int32 %one %one", r"^text line 8: line 2 \(RANGE\): has no ENDRANGE"),
        ("%c = CONST int32 : None", r"^text line 7: line 2 \(CONST\): the value is None; expected a number$"),
        (
            '%v = CONST float32x4 : 1\n%d = WMMA float32x4 %v %v %v : "nope"',
            r"^text line 8: line 3 \(WMMA\): no tensor-core instruction",
        ),
    ],
)
def test_an_error_names_the_line_of_the_text(lines: str, message: str) -> None:
    for read in (Program.from_text, Device().compiler.compile):
        with pytest.raises(ProgramError, match=message):
            read(HEAD + lines)


def test_an_accumulator_may_name_a_loop_below() -> None:
    loop = "%sum = DEFINE_ACC int32 %r : 0\n%r = RANGE int32 %one %one\nENDRANGE %r\nSTORE %out %one %sum"
    assert len(Program.from_text(HEAD + loop).lines) == 6


def test_an_error_of_no_line_stays_as_it_is() -> None:
    with pytest.raises(ProgramError, match=r"^Program\('x', warp=0\)"):
        Program.from_text('program "x" warp 0')
    with pytest.raises(LimitError, match=r"^places: 2 lines; at most 1"):
        Program.from_text(HEAD, Limits(lines=1))
