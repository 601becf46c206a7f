"""Pictures of lane maps say what the lane maps say."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import tensorcores
from gpuemu.drawing.lanes import draw_instruction, draw_lane_map
from gpuemu.drawing.quadrant import Quadrant
from gpuemu.drawing.registers import places, spoken
from gpuemu.errors import LaneMapError
from gpuemu.tensorcores import Instruction
from gpuemu.tensorcores.checker import check_fragment
from shapetracker.drawing.grid import Grid
from shapetracker.drawing.palette import LIGHT
from shapetracker.drawing.scene import Label

RDNA3 = tensorcores.instruction("v_wmma_f32_16x16x16_f16", "gfx1100", 32)
MMA = tensorcores.instruction("m16n8k16")
WGMMA = tensorcores.instruction("m64n256k16")
VOLTA = tensorcores.instruction("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32")
SPARSE = tensorcores.instruction("v_smfmac_f32_16x16x32_f16")


def quadrant(instruction: Instruction, by: str = "lane") -> Quadrant:
    found = draw_instruction(instruction, by=by).parts[1]  # type: ignore[arg-type]
    assert isinstance(found, Quadrant)
    return found


@pytest.mark.parametrize("instruction", [MMA, RDNA3, VOLTA, SPARSE], ids=lambda x: x.short_name)
def test_a_matrix_cell_names_the_lanes_that_hold_it(instruction: Instruction) -> None:
    drawn = quadrant(instruction)
    for lane_map, grid in ((instruction.a, drawn.left), (instruction.b, drawn.above), (instruction.c, drawn.below)):
        assert lane_map is not None
        for row in range(lane_map.rows):
            for column in range(lane_map.columns):
                lanes = [lane for lane, _ in lane_map.where(row, column)]
                assert grid.cell(row, column).text == ",".join(map(str, lanes))
                assert grid.cell(row, column).group == lanes[0] // 4


def test_by_register_and_by_k_the_number_is_what_the_colour_says() -> None:
    by_register, by_k = quadrant(MMA, "register"), quadrant(MMA, "k")
    assert MMA.a is not None
    for row, column in ((0, 0), (3, 10), (15, 15)):
        (_, element), *_ = MMA.a.where(row, column)
        assert by_register.left.cell(row, column).text == str(element)
        assert by_register.left.cell(row, column).group == element // 2
        assert by_k.left.cell(row, column).text == str(column)
    assert by_k.above.cell(5, 2).text == "5"
    assert by_k.below.cell(5, 2).text == ""  # C has no k


def test_an_operand_in_shared_memory_is_drawn_as_held_by_nobody() -> None:
    drawn = quadrant(WGMMA)
    assert drawn.above.cell(0, 0).masked
    assert "no lane holds it" in drawn.above.caption


def test_columns_of_b_stand_over_columns_of_c_and_rows_of_a_beside_rows_of_c() -> None:
    for instruction in (MMA, VOLTA, RDNA3):
        b, c = quadrant(instruction).above, quadrant(instruction).below
        assert [b.place(j, 0)[0] for j in range(instruction.n)] == [c.place(j, 0)[0] for j in range(instruction.n)]
        a = quadrant(instruction).left
        assert [a.place(0, i)[1] for i in range(instruction.m)] == [c.place(0, i)[1] for i in range(instruction.m)]


def test_the_text_twin_keeps_b_over_c() -> None:
    lines = quadrant(MMA).text().split("\n")
    above, below = lines[2], next(line for line in lines if line.startswith(" 0 "))
    assert above.endswith(" 0   0  4  8 12 16 20 24 28")
    assert len(above) == len(below)


def test_registers_show_the_coordinates_of_what_each_lane_holds() -> None:
    assert MMA.b is not None
    text = str(draw_lane_map(MMA.b)).split("\n\n")[-1]
    row = next(line for line in text.split("\n") if line.startswith("13 "))
    assert row.split() == ["13", "2,3", "3,3", "10,3", "11,3"]


def test_blocks_are_drawn_one_by_one_and_named_in_the_registers() -> None:
    assert VOLTA.a is not None
    text = str(draw_lane_map(VOLTA.a))
    assert all(f"A, block {block}" in text for block in range(4))
    assert "3:0,0" in text


def test_a_sparse_group_shows_its_four_candidates() -> None:
    assert SPARSE.a is not None
    (row, first), *_, (_, last) = SPARSE.a.coordinates()[60, 1].tolist()
    assert f" {row},{first}…{last}" in str(draw_lane_map(SPARSE.a))


def test_another_by_is_refused_by_name() -> None:
    with pytest.raises(LaneMapError, match=r"draw\(by='colour'\): expected one of 'lane', 'register', 'k'"):
        draw_instruction(MMA, by="colour")  # type: ignore[arg-type]


def test_html_has_inline_styles_only() -> None:
    html = draw_instruction(RDNA3).html()
    assert not re.search(r"<(style|script|svg)|class=|href=|src=", html)
    assert 'title="A[5, 3]: lane 5, element 3, register v1, bits 31:16; lane 21, element 3' in html


def test_a_picture_is_saved_in_each_form(tmp_path: Path) -> None:
    picture = draw_instruction(MMA)
    for ending, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!doctype html>"), ("txt", b"mma.sync")):
        assert picture.save(tmp_path / f"mma.{ending}").read_bytes().startswith(start)


def test_the_scene_of_a_quadrant_holds_every_number() -> None:
    labels = [shape.text for shape in quadrant(MMA).scene(LIGHT).shapes if isinstance(shape, Label)]
    assert labels.count("31") == 8 + 4 + 4  # what lane 31 holds of A, B and C


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(tensorcores.instructions()))
def test_every_instruction_draws_itself(instruction: Instruction) -> None:
    picture = draw_instruction(instruction)
    assert instruction.name in str(picture)
    assert picture.html().count("<table") >= 3
    grids = [grid for lane_map in instruction.maps.values() for grid in draw_lane_map(lane_map).parts]
    assert isinstance(grids[-1], Grid)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([m for x in tensorcores.instructions() for m in x.maps.values()]))
def test_places_count_registers_and_slots(lane_map: tensorcores.LaneMap) -> None:
    where = places(lane_map)
    assert len(set(zip(where.register, where.slot, strict=True))) == lane_map.elements
    assert list(where.register) == sorted(where.register)
    assert where.registers == len({name.split(".")[0] for name in lane_map.registers})


def test_a_name_that_is_no_register_is_said_as_it_is() -> None:
    assert spoken("accumulator") == "accumulator"


def test_a_wrong_place_has_the_fill_and_the_ink_of_the_page() -> None:
    wrong = check_fragment("m16n8k16", "c", "lane / 4 + 8 * (i % 2), 2 * (lane % 4) + i % 2").draw().html()
    assert wrong.count("background:transparent;color:inherit") == 128  # 64 places, in the matrix and in the lanes
    assert LIGHT.error not in wrong
    assert f"background:{LIGHT.paper}" not in wrong
