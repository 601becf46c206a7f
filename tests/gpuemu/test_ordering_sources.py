"""A source whose line has no value only orders: every UOp may have one, and it changes nothing."""

import numpy as np
import pytest

from gpuemu import Program

KERNEL = """program "all kinds" warp 4
%out = DEFINE_GLOBAL int32 : 0
%size = DEFINE_VAR int32 : "n"
%tile = DEFINE_LOCAL int32 : ("tile", 4)
%lane = SPECIAL int32 : (0, "lidx0", 4)
%zero = CONST int32 : 0
%two = CONST int32 : 2
%first = STORE %tile %lane %lane
%sync = BARRIER %first
%sum = DEFINE_ACC int32 %i : 1
%pair = CAST int32x2 %lane %two
%i = RANGE int32 %zero %size : 0
    %small = ALU bool %i %two : CMPLT
    %if = IF %small
        %x = LOAD int32 %tile %lane %sync
        %bits = BITCAST uint32 %x
        %y = CAST int32 %bits
        %z = GEP int32 %pair : 1
        %yz = ALU int32 %y %z : ADD
        %more = ALU int32 %sum %yz : ADD
        %phi = PHI int32 %sum %more
        %rest = CONTINUE %i
    %endif = ENDIF %if
    %last = BREAK %i
%end = ENDRANGE %i
%other = SHUFFLE int32 %sum %two : "xor"
%any = VOTE bool %other : "any"
%old = ATOMIC int32 %tile %lane %other : "add"
%warp = WARP_BARRIER
STORE %out %lane %old
"""
LINES = KERNEL.splitlines()


def run(text: str) -> list[int]:
    out = np.zeros(4, np.int32)
    Program.from_text(text)(out, vals=[3])
    return out.tolist()


@pytest.mark.parametrize("number", range(9, len(LINES)), ids=lambda n: LINES[n].split()[LINES[n].count("=") * 2])
@pytest.mark.parametrize("order", ["%first", "%sync"])
def test_a_source_without_a_value_changes_nothing(number: int, order: str) -> None:
    line, colon, arg = LINES[number].partition(" : ")
    changed = "\n".join([*LINES[:number], f"{line} {order}{colon}{arg}", *LINES[number + 1 :]])
    assert run(changed) == run(KERNEL) == [0, 1, 2, 3]
    assert Program.from_text(Program.from_text(changed).to_text()) == Program.from_text(changed)
