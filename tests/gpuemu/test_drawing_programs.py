"""The listing of a program: the code as the text form has it, each line with what it does."""

import pytest

from gpuemu import BinaryOps, Program, TernaryOps, UnaryOps, UOps, dtypes
from gpuemu.drawing.programs import _SAYS, FIRST, LAST, Listing, draw_program, says
from shapetracker.drawing.palette import DARK

GATED = [
    (UOps.DEFINE_GLOBAL, dtypes.float32, [], (0, True)),
    (UOps.DEFINE_LOCAL, dtypes.float32, [], ("tile", 8)),
    (UOps.DEFINE_VAR, dtypes.int32, [], "n"),
    (UOps.SPECIAL, dtypes.int32, [], (0, "lidx0", 8)),
    (UOps.SPECIAL, dtypes.int32, [], (1, "gidx1", 4)),
    (UOps.ALU, dtypes.bool, [3, 2], BinaryOps.CMPLT),
    (UOps.CONST, dtypes.float32, [], -1.5),
    (UOps.LOAD, dtypes.float32, [0, 3, 5, 6], None),
    (UOps.ALU, dtypes.float32, [7], UnaryOps.SQRT),
    (UOps.ALU, dtypes.float32, [5, 8, 6], TernaryOps.WHERE),
    (UOps.STORE, None, [1, 3, 9], None),
    (UOps.BARRIER, None, [], None),
    (UOps.IF, None, [5], None),
    (UOps.CAST, dtypes.half, [9], None),
    (UOps.BITCAST, dtypes.uint16, [13], None),
    (UOps.ENDIF, None, [12], None),
    (UOps.ALU, dtypes.float32, [9, 9, 6], TernaryOps.MULACC),
    (UOps.STORE, None, [0, 3, 16, 5], None),
]
WORDS = {
    0: "buffer 0 of float32, to be written",
    1: "local memory tile: 8 of float32, shared by the workgroup",
    2: "the next integer of vals",
    3: "the lane's place along x in its workgroup, 0 … 7",
    4: "the workgroup's place along y in the grid, 0 … 3",
    5: "%3 < %2",
    6: "−1.5",
    7: "element %3 of buffer 0 where %5, else −1.5",
    8: "sqrt(%7)",
    9: "%8 where %5, else −1.5",
    10: "element %3 of local memory tile becomes %9",
    11: "all lanes of the workgroup wait for each other",
    12: "only lanes where %5",
    13: "%9 as float16",
    14: "the bits of %13, read as uint16",
    15: "all lanes again",
    16: "%9 × %9 + −1.5",
    17: "element %3 of buffer 0 becomes %16 where %5",
}


def loop(lines: int = 0) -> Program:
    """A loop that adds up, and `lines` constants before it."""
    start = [(UOps.CONST, dtypes.int32, [], n) for n in range(2 + lines)]
    first = len(start)
    return Program(
        "sum",
        [
            *start,
            (UOps.DEFINE_GLOBAL, dtypes.int32, [], 0),
            (UOps.DEFINE_ACC, dtypes.int32, [], 0),
            (UOps.RANGE, dtypes.int32, [0, 1], 0),
            (UOps.ALU, dtypes.int32, [first + 1, first + 2], BinaryOps.ADD),
            (UOps.PHI, dtypes.int32, [first + 1, first + 3, first + 2], None),
            (UOps.ENDRANGE, None, [first + 2], None),
            (UOps.STORE, None, [first, 0, first + 4], None),
        ],
    )


@pytest.mark.parametrize("number", WORDS)
def test_each_line_is_said_in_words(number: int) -> None:
    assert says(Program("gated", GATED).lines, number) == WORDS[number]


def test_every_uop_has_words() -> None:
    assert set(_SAYS) == set(UOps)


def test_a_loop_is_said_and_indented() -> None:
    text = str(loop().draw())
    assert "for each number from 0 up to 1, which is left out" in text
    assert "%3 takes the value %5" in text
    assert "    %5 = ALU" in text  # one step inside the loop


def test_the_code_is_the_text_form_so_it_can_be_copied() -> None:
    program = Program("gated", GATED)
    listing = draw_program(program).parts[1]
    assert isinstance(listing, Listing)
    assert [row.code for row in listing.rows] == program.to_text().rstrip("\n").split("\n")[1:]


def test_a_long_program_keeps_its_start_and_its_end() -> None:
    listing = draw_program(loop(lines=FIRST + LAST)).parts[1]
    assert isinstance(listing, Listing)
    assert len(listing.rows) == FIRST + 1 + LAST
    assert listing.rows[FIRST].words == "9 more lines"
    assert listing.rows[-1].code.startswith("STORE")


def test_a_listing_draws_in_html_and_as_a_scene() -> None:
    picture = loop().draw()
    assert 'title="A counted loop, end excluded' in picture.html()
    assert picture.svg("dark").startswith("<svg")
    assert picture.parts[1].scene(DARK).height == 9 * 17
