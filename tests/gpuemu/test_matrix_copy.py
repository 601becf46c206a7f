"""ldmatrix and stmatrix against the text of the PTX ISA."""

import re

import pytest

from gpuemu import tensorcores
from gpuemu.drawing.copies import draw_memory_and_lanes
from gpuemu.errors import InstructionError
from gpuemu.tensorcores.notation import notations

COPIES = tensorcores.copy_instructions()


@pytest.mark.parametrize("copy", COPIES, ids=lambda x: x.name)
def test_lane_holds_two_neighbours_of_row_lane_over_4(copy):
    want = []
    for lane in range(32):
        held = []
        for matrix in range(copy.matrices):
            for half in range(2):
                line, along = lane // 4, lane % 4 * 2 + half
                held.append([matrix, along, line] if copy.trans else [matrix, line, along])
        want.append(held)
    assert copy.coordinates().tolist() == want
    assert copy.coordinates() is copy.coordinates()
    assert not copy.coordinates().flags.writeable


@pytest.mark.parametrize("copy", COPIES, ids=lambda x: x.name)
def test_eight_lanes_after_the_other_give_the_row_addresses(copy):
    assert copy.row_address_lane() == [list(range(8 * i, 8 * i + 8)) for i in range(copy.matrices)]


def test_names_and_architectures():
    assert [x.name for x in COPIES if x.arch == "sm_75"] == [
        f"ldmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16" for n in (1, 2, 4) for trans in ("", ".trans")
    ]
    assert {x.kind for x in COPIES if x.arch == "sm_90"} == {"stmatrix"}
    assert all(x.lanes == 32 and len(x.registers) == 2 * x.matrices for x in COPIES)


def test_x4_fills_operand_a_of_m16n8k16_from_four_quarters():
    """The quarters in the order upper left, lower left, upper right, lower right."""
    a = tensorcores.instruction("m16n8k16").a.coordinates()
    matrix, row, col = tensorcores.copy_instruction("ldmatrix.x4").coordinates().transpose(2, 0, 1)
    assert (row + matrix % 2 * 8 == a[..., 0]).all()
    assert (col + matrix // 2 * 8 == a[..., 1]).all()


def test_part_of_a_name_is_enough_where_it_means_one():
    assert tensorcores.copy_instruction("stmatrix.x2.trans").name == "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16"
    assert tensorcores.copy_instruction("stmatrix.x2").name == "stmatrix.sync.aligned.m8n8.x2.shared.b16"


def test_wrong_name_suggests_the_nearest():
    with pytest.raises(InstructionError) as error:
        tensorcores.copy_instruction("ldmatrix.sync.aligned.m8n8.x3.shared.b16")
    assert "did you mean ldmatrix.sync.aligned.m8n8.x" in str(error.value)


def test_name_that_means_several_lists_them():
    with pytest.raises(InstructionError) as error:
        tensorcores.copy_instruction("ldmatrix")
    assert str(error.value) == (
        "copy_instruction 'ldmatrix': it may be ldmatrix.sync.aligned.m8n8.x1.shared.b16, "
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16, ldmatrix.sync.aligned.m8n8.x4.shared.b16"
    )


def test_repr_is_one_line():
    assert repr(COPIES[0]) == "<MatrixCopy ldmatrix.sync.aligned.m8n8.x1.shared.b16: nvidia sm_75, 1 × 8×8 of 16 bits>"


@pytest.mark.parametrize("copy", COPIES, ids=lambda x: x.short_name)
def test_picture_names_the_lane_of_each_address_and_each_element(copy):
    text = str(draw_memory_and_lanes(copy))
    for matrix, rows in enumerate(copy.row_address_lane()):
        for row, lane in enumerate(rows):
            shown = [str(copy.lane_map.where(row, column, matrix)[0][0]) for column in range(8)]
            assert re.search(rf"lane {lane} → +{' +'.join(shown)}\b", text)
    for matrix, row, column in copy.coordinates()[13].tolist():
        assert f"{matrix}:{row},{column}" in text
    assert "CuTe layout" in str(copy.draw())
    assert copy._repr_html_() == copy.draw()._repr_html_()


@pytest.mark.parametrize("copy", COPIES, ids=lambda x: x.short_name)
def test_every_notation_expresses_a_copy(copy):
    assert [x.name for x in notations(copy.lane_map) if x.text is None] == []
    assert {x.places for x in notations(copy.lane_map)} == {64 * copy.matrices}
