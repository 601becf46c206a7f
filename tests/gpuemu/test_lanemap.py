"""LaneMap: digits, coordinates, the way back, registers, duplicates, holes, sparse operands."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu.errors import LaneMapError
from gpuemu.tensorcores import instruction
from gpuemu.tensorcores.lanemap import Digit, Packing, block, column, lane_map, row, same, sparse_lane_map
from shapetracker import View


def m16n8k16_a():
    return lane_map(
        "a",
        16,
        16,
        "fp16",
        lane=[row(8), column(4, 2)],
        element=[column(2, 8), row(2, 8), column(2)],
        packing=Packing("r", 16),
    )


def rdna3_c():
    return lane_map(
        "c",
        16,
        16,
        "fp16",
        lane=[row(2), column(16)],
        element=[row(8, 2)],
        packing=Packing("v", 16, spacing=32),
    )


def test_lane_map_is_one_view_over_the_row_major_operand():
    assert m16n8k16_a().view == View.create((8, 4, 2, 2, 2), (16, 2, 8, 128, 1))
    assert (m16n8k16_a().lane_shape, m16n8k16_a().element_shape) == ((8, 4), (2, 2, 2))
    assert m16n8k16_a().not_a_view is None


def test_blocks_are_the_outermost_axis_of_the_operand():
    quads = lane_map(
        "a", 2, 3, "fp32", lane=[block(4), row(2)], element=[column(3)], packing=Packing("v", 32), blocks=4
    )
    assert quads.view == View.create((4, 2, 3), (6, 3, 1))
    assert quads.coordinates()[5].tolist() == [[1, 0, 2], [1, 1, 2], [1, 2, 2]]


def test_digits_of_size_1_leave_no_axis():
    one = lane_map("a", 8, 8, "fp32", lane=[row(8), row(1, 8)], element=[column(8), row(1)], packing=Packing("r", 32))
    assert (one.lane_shape, one.element_shape) == ((8,), (8,))


def test_lane_with_one_element_has_one_axis_of_size_1():
    one = lane_map("a", 8, 4, "fp64", lane=[row(8), column(4)], element=[column(1)], packing=Packing("r", 64))
    assert one.element_shape == (1,)
    assert one.coordinates().shape == (32, 1, 2)
    assert one.registers == ("r[1:0]",)


digits = st.builds(Digit, st.integers(1, 4), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))


@settings(max_examples=40, deadline=None)
@given(st.lists(digits, min_size=1, max_size=3), st.lists(digits, min_size=1, max_size=3))
def test_coordinates_are_the_mixed_radix_sum_of_the_digits(lane, element):
    rows, columns, blocks = (
        1 + sum((d.size - 1) * getattr(d, axis) for d in lane + element) for axis in ("row", "column", "block")
    )
    lm = lane_map("a", rows, columns, "fp32", lane=lane, element=element, packing=Packing("v", 32), blocks=blocks)
    want = []
    for index in product(*(range(d.size) for d in lane + element)):
        steps = list(zip(index, lane + element, strict=True))
        place = [sum(i * getattr(d, axis) for i, d in steps) for axis in ("row", "column", "block")]
        want.append(place if blocks > 1 else place[:2])
    got = lm.coordinates()
    assert got.reshape(len(want), -1).tolist() == want
    assert got.shape[:2] == (prod(d.size for d in lane), prod(d.size for d in element)) == (lm.lanes, lm.elements)


@settings(max_examples=40, deadline=None)
@given(st.lists(digits, min_size=1, max_size=2), st.lists(digits, min_size=1, max_size=2))
def test_where_finds_every_holder_and_duplicates_says_whether_there_are_two(lane, element):
    rows, columns, blocks = (
        1 + sum((d.size - 1) * getattr(d, axis) for d in lane + element) for axis in ("row", "column", "block")
    )
    lm = lane_map("a", rows, columns, "fp32", lane=lane, element=element, packing=Packing("v", 32), blocks=blocks)
    holders = {}
    for lane_number, held in enumerate(lm.coordinates().tolist()):
        for number, place in enumerate(held):
            holders.setdefault(tuple(place), []).append((lane_number, number))
    for place in product(range(rows), range(columns), range(blocks)):
        assert lm.where(*place) == holders.get(place if blocks > 1 else place[:2], [])
    assert lm.duplicates == any(len(found) > 1 for found in holders.values())


def test_where_finds_both_lanes_that_hold_a_repeated_element():
    a = lane_map("a", 16, 16, "fp16", lane=[same(2), row(16)], element=[column(16)], packing=Packing("v", 16))
    assert a.duplicates
    assert a.where(row=3, col=10) == [(3, 10), (19, 10)]
    assert not m16n8k16_a().duplicates


def test_coordinates_are_computed_once_and_read_only():
    coordinates = m16n8k16_a().coordinates()
    assert coordinates is m16n8k16_a().coordinates()
    assert coordinates.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        coordinates[0, 0, 0] = 1


def test_registers_name_the_bits_of_each_element():
    assert m16n8k16_a().registers[:3] == ("r0.[15:0]", "r0.[31:16]", "r1.[15:0]")
    assert Packing("v", 8).names(5)[3:] == ("v0.[31:24]", "v1.[7:0]")
    assert Packing("v", 64).names(2) == ("v[1:0]", "v[3:2]")
    assert Packing("s", 16, width=16).names(2) == ("s0", "s1")


def test_half_filled_registers_have_holes():
    assert rdna3_c().registers[:2] == ("v0.[15:0]", "v1.[15:0]")
    assert rdna3_c().holes[:2] == ("v0.[31:16]", "v1.[31:16]")
    assert m16n8k16_a().holes == ()


def sparse_a():
    return sparse_lane_map(
        "a",
        16,
        32,
        "fp16",
        lane=[column(4, 8), row(16)],
        group=[column(2, 4)],
        candidates=column(4),
        packing=Packing("v", 32),
        index=Packing("v", 4),
    )


def test_sparse_operand_says_why_it_is_no_view_and_still_answers():
    a = sparse_a()
    assert a.view is None
    assert a.not_a_view == "the index register picks which two of each four positions a lane holds"
    assert a.coordinates().shape == (64, 2, 4, 2)
    assert a.where(row=1, col=14) == [(17, 1)]
    assert a.registers == ("v0", "v1")
    assert a.index_registers == ("v0.[3:0]", "v0.[7:4]")
    assert not a.duplicates


def test_sparse_candidates_cover_the_operand_once():
    places = sparse_a().coordinates().reshape(-1, 2)
    assert sorted(map(tuple, places.tolist())) == list(product(range(16), range(32)))


def test_repr_is_one_line():
    assert repr(m16n8k16_a()) == "<LaneMap a: 16×16 fp16, 32 lanes × 8 elements>"
    assert repr(sparse_a()) == "<SparseLaneMap a: 16×32 fp16, 64 lanes × 2 groups of 4>"


def test_element_outside_of_the_operand_is_an_error_that_names_its_size():
    with pytest.raises(LaneMapError) as error:
        m16n8k16_a().where(row=16, col=0)
    assert str(error.value) == "where(row=16, col=0, block=0): operand a has 16 rows, 16 columns, 1 block"
    with pytest.raises(IndexError):
        m16n8k16_a().where(row=0, col=-1)


def test_digits_that_reach_beyond_the_operand_are_an_error():
    with pytest.raises(LaneMapError) as error:
        lane_map("b", 8, 8, "fp16", lane=[row(8, 2)], element=[column(8)], packing=Packing("r", 16))
    assert str(error.value) == "lane map of b: its digits reach row 14, expected below 8"


def test_where_takes_integers_alone() -> None:
    a = instruction("m16n8k16").a
    for line, col in ((1.5, 0), ("a", 5)):
        with pytest.raises(LaneMapError, match=rf"where\(row={line!r}, col={col}, block=0\): expected integers"):
            a.where(line, col)  # type: ignore[arg-type]
