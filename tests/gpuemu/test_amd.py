"""AMD's lane maps against the formulas of AMD's matrix instruction calculator, which go from element to lane."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu.tensorcores.amd import instructions
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap, SparseLaneMap

ALL = instructions()
CDNA = ("gfx908", "gfx90a", "gfx942")
SPARSE = [one for one in ALL if one.sparse]
Place = tuple[int, str]
"""A lane, and the bits of its register."""


def ident(one: Instruction) -> str:
    return f"{one.arch}-{one.lanes}-{one.name}"


def named(arch: str, name: str, lanes: int = 64) -> Instruction:
    [found] = [one for one in ALL if (one.arch, one.name, one.lanes) == (arch, name, lanes)]
    return found


# --- the calculator's formulas: row i of A (column j of B) and k → lane and register -----------------------------


def field(register: int, bits: int, low: int) -> str:
    """`bits` bits of a register from bit `low` on, as the calculator writes them."""
    return f"v{register}" if bits == 32 else f"v{register}.[{low + bits - 1}:{low}]"


def packed(element: int, bits: int) -> str:
    """Element after element, from the low bits of register 0 on."""
    if bits == 64:
        return f"v[{2 * element + 1}:{2 * element}]"
    return field(element * bits // 32, bits, element * bits % 32)


def mfma_input(one: Instruction, i: int, k: int, block: int) -> Iterator[Place]:
    bits = input_bits(one)
    per_lane = one.m * one.k * one.blocks // 64
    lane = one.m * block + one.m * one.blocks * (k // per_lane) + i
    yield lane, packed(k % per_lane, bits)


def mfma_result(one: Instruction, i: int, j: int, block: int) -> Iterator[Place]:
    if one.maps["d"].dtype == "fp64":
        register = i // 4 if one.blocks == 1 else 0
        yield 16 * (i % 4) + (4 * block if one.blocks == 4 else 0) + j, packed(register, 64)
    elif one.m == 4:
        yield 4 * block + j, f"v{i}"
    elif one.m == 16:
        yield 16 * (i // 4) + j, f"v{4 * block + i % 4}"
    else:
        yield 32 * (i // 4) % 64 + j, f"v{16 * block + 4 * (i // 8) + i % 4}"


def rdna3_input(one: Instruction, i: int, k: int, _block: int) -> Iterator[Place]:
    for lane in range(i, one.lanes, 16):
        yield lane, packed(k, input_bits(one))


def rdna3_result(one: Instruction, i: int, j: int, _block: int) -> Iterator[Place]:
    register = i // 2 if one.lanes == 32 else i // 4
    half = ".[15:0]" if one.maps["d"].dtype in ("fp16", "bf16") else ""
    yield 16 * (i % (one.lanes // 16)) + j, f"v{register}{half}"


def rdna4_dense(one: Instruction, i: int, k: int, _block: int) -> Iterator[Place]:
    bits = input_bits(one)
    low = bits * (k % (32 // bits))
    match one.lanes, bits, one.k:
        case 32, 16, _:
            lane, register = 16 * (k // 4 % 2), 2 * (k // 8) + k // 2 % 2
        case 32, 8, _:
            lane, register = 16 * (k // 8), k // 4 % 2
        case 32, 4, 16:
            lane, register = 16 * (k // 8), 0
        case 32, 4, 32:
            lane, register = 16 * (k // 16), k // 8 % 2
        case 64, 16, _:
            lane, register = 32 * (k // 8 % 2) + 16 * (k // 4 % 2), k // 2 % 2
        case 64, 8, _:
            lane, register = 32 * (k // 4 % 2) + 16 * (k // 8 % 2), 0
        case 64, 4, 16:  # lanes 32–63 are ignored
            lane, register = 16 * (k // 8), 0
        case _:
            lane, register = 32 * (k // 8 % 2) + 16 * (k // 16 % 2), 0
    yield lane + i, field(register, bits, low)


def rdna4_sparse_lane(one: Instruction, operand: str, k: int) -> int:
    match one.lanes, input_bits(one), one.k:
        case 32, 16, _:
            return 16 * (k // 8 % 2)
        case 32, 8, _:
            return 16 * (k // 16)
        case 32, 4, 32:
            return 16 * (k // 16)
        case 32, 4, 64:
            return 16 * (k // 32)
        case 64, 16, _:
            return 16 * (k // 8)
        case 64, 4, 32 if operand == "a":  # lanes 32–63 are ignored
            return 16 * (k // 16)
        case 64, _, 32:
            return 32 * (k // 8 % 2) + 16 * (k // 16)
        case _:
            return 32 * (k // 16 % 2) + 16 * (k // 32)


def rdna4_sparse_a(one: Instruction, i: int, k: int, _block: int) -> Iterator[Place]:
    bits = input_bits(one)
    match one.lanes, bits, one.k:
        case 32, 16, _:
            register = 2 * (k // 16) + k // 4 % 2
        case 32, 8, _:
            register = k // 8 % 2
        case 32, 4, 64:
            register = k // 16 % 2
        case 64, 16, _:
            register = k // 4 % 2
        case _:
            register = 0
    low = 0 if bits == 16 else 2 * bits * (k // 4 % (16 // bits))
    yield rdna4_sparse_lane(one, "a", k) + i, field(register, 2 * bits, low)


def rdna4_sparse_b(one: Instruction, j: int, k: int, _block: int) -> Iterator[Place]:
    bits = input_bits(one)
    match one.lanes, bits, one.k:
        case 32, 16, _:
            register = 4 * (k // 16) + k // 2 % 4
        case 32, 8, _:
            register = k // 4 % 4
        case 32, 4, 32:
            register = k // 8 % 2
        case 32, 4, 64:
            register = k // 8 % 4
        case 64, 16, _:
            register = k // 2 % 4
        case 64, 8, _:
            register = k // 4 % 2
        case 64, 4, 64:
            register = k // 8 % 2
        case _:
            register = 0
    yield rdna4_sparse_lane(one, "b", k) + j, field(register, bits, bits * (k % (32 // bits)))


def rdna4_index_bits(one: Instruction, k: int) -> str:
    match one.lanes, input_bits(one), one.k:
        case 32, 16, _:
            low = 8 * (k // 16) + 4 * (k // 4 % 2)
        case 32, 4, 64:
            low = 4 * (k // 4 % 8)
        case 32, _, _:
            low = 4 * (k // 4 % 4)
        case 64, 4, _:
            low = 4 * (k // 4 % 4)
        case _:
            low = 4 * (k // 4 % 2)
    return field(0, 4, low)


def rdna4_result(one: Instruction, i: int, j: int, _block: int) -> Iterator[Place]:
    rows = 8 if one.lanes == 32 else 4
    lane = 16 * (i // 8) + j if one.lanes == 32 else 32 * (i // 4 % 2) + 16 * (i // 8) + j
    yield lane, packed(i % rows, 16 if one.maps["d"].dtype in ("fp16", "bf16") else 32)


def smfmac_a(one: Instruction, i: int, k: int, _block: int) -> Iterator[Place]:
    per_lane = one.m * one.k // 64
    yield one.m * (k // per_lane) + i, packed(k % per_lane // 4, 2 * input_bits(one))


def gfx1250_input(_one: Instruction, i: int, k: int, _block: int) -> Iterator[Place]:
    yield 16 * (k // 8 % 2) + i, packed(8 * (k // 16) + k % 8, 16)


def input_bits(one: Instruction) -> int:
    """From the last type of the name, which is that of B."""
    spelled = one.name.removesuffix("_1k")
    widths = {"f64": 64, "f32": 32, "f16": 16, "iu4": 4, "i8": 8, "iu8": 8, "fp8": 8, "bf8": 8}
    return next(bits for ending, bits in widths.items() if spelled.endswith(ending))


INPUTS = dict.fromkeys(CDNA, mfma_input) | {
    "gfx1100": rdna3_input,
    "gfx1200": rdna4_dense,
    "gfx1250": gfx1250_input,
}
RESULTS = dict.fromkeys(CDNA, mfma_result) | {
    "gfx1100": rdna3_result,
    "gfx1200": rdna4_result,
    "gfx1250": rdna4_result,
}


def expected(one: Instruction, operand: str, row: int, col: int, block: int) -> list[Place]:
    """The lanes and registers that hold an element, by the vendor's formulas."""
    if operand in "cd":
        return sorted(RESULTS[one.arch](one, row, col, block))
    outer, k = (row, col) if operand == "a" else (col, row)
    if not one.sparse:
        return sorted(INPUTS[one.arch](one, outer, k, block))
    if one.arch == "gfx942":
        return sorted((smfmac_a if operand == "a" else mfma_input)(one, outer, k, block))
    return sorted((rdna4_sparse_a if operand == "a" else rdna4_sparse_b)(one, outer, k, block))


def held(lane_map: LaneMap) -> dict[tuple[int, ...], list[Place]]:
    """Each element (row, column, block), and the lanes and registers that hold it, by the lane map."""
    found: dict[tuple[int, ...], list[Place]] = defaultdict(list)
    for lane, elements in enumerate(lane_map.coordinates().tolist()):
        for register, coordinates in zip(lane_map.registers, elements, strict=True):
            for one in coordinates if isinstance(lane_map, SparseLaneMap) else [coordinates]:
                found[(*one, 0)[:3]].append((lane, register))
    return found


# --- every instruction against them ------------------------------------------------------------------------------


@pytest.mark.parametrize("one", ALL, ids=ident)
def test_every_element_lies_where_the_vendors_formulas_say(one: Instruction) -> None:
    for operand, lane_map in one.maps.items():
        places = held(lane_map)
        for (row, col, block), found in places.items():
            assert sorted(found) == expected(one, operand, row, col, block), (operand, row, col, block)
        assert len(places) == lane_map.rows * lane_map.columns * lane_map.blocks


@pytest.mark.parametrize("one", ALL, ids=ident)
def test_each_element_is_held_once_and_by_rdna3s_inputs_once_in_each_16_lanes(one: Instruction) -> None:
    for operand, lane_map in one.maps.items():
        copies = one.lanes // 16 if one.arch == "gfx1100" and operand in "ab" else 1
        assert set(map(len, held(lane_map).values())) == {copies}
        assert lane_map.duplicates == (copies > 1)


@pytest.mark.parametrize("one", ALL, ids=ident)
def test_the_operands_have_the_sizes_of_the_product(one: Instruction) -> None:
    sizes = {operand: (held.rows, held.columns, held.blocks) for operand, held in one.maps.items()}
    m, n, k, blocks = one.m, one.n, one.k, one.blocks
    assert sizes == {"a": (m, k, blocks), "b": (k, n, blocks), "c": (m, n, blocks), "d": (m, n, blocks)}


@pytest.mark.parametrize("one", SPARSE, ids=ident)
def test_the_index_bits_of_a_group_follow_its_place_in_the_lane(one: Instruction) -> None:
    assert isinstance(one.a, SparseLaneMap)
    for elements in one.a.coordinates().tolist():
        for bits, group in zip(one.a.index_registers, elements, strict=True):
            k = group[0][1]
            per_lane = one.m * one.k // 64
            assert bits == (rdna4_index_bits(one, k) if one.arch == "gfx1200" else field(0, 4, k % per_lane // 4 * 4))


def test_a_group_is_four_consecutive_k_of_one_row() -> None:
    for one in SPARSE:
        a = one.maps["a"]
        groups = a.coordinates()
        assert groups.shape == (a.lanes, a.elements, 4, 2)
        assert (groups[..., 0] == groups[..., :1, 0]).all()
        assert (groups[..., 1] == groups[..., :1, 1] + np.arange(4)).all()
        assert (groups[..., 0, 1] % 4 == 0).all()


@settings(max_examples=30, deadline=None)
@given(one=st.sampled_from(SPARSE), seed=st.integers(0, 2**32 - 1))
def test_values_and_index_fields_give_back_the_sparse_matrix(one: Instruction, seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = np.zeros((one.m, one.k), dtype=np.int64)
    picks = np.sort(np.argsort(random.random((one.m, one.k // 4, 4)), axis=-1)[..., :2], axis=-1)
    np.put_along_axis(matrix.reshape(one.m, one.k // 4, 4), picks, random.integers(1, 99, picks.shape), axis=-1)
    again = np.zeros_like(matrix)
    for row, k in one.maps["a"].coordinates()[:, :, 0].reshape(-1, 2):
        first, second = picks[row, k // 4]
        index = first | second << 2
        values = matrix[row, k + first], matrix[row, k + second]
        for field_number, value in enumerate(values):
            again[row, k + (index >> 2 * field_number & 3)] = value
    assert (again == matrix).all()


# --- single facts ------------------------------------------------------------------------------------------------


def test_the_catalogue_has_150_instructions_with_unique_names() -> None:
    count = Counter(one.arch for one in ALL)
    assert count == {"gfx908": 20, "gfx90a": 27, "gfx942": 46, "gfx1100": 12, "gfx1200": 44, "gfx1250": 1}
    assert len({one.short_name for one in ALL}) == len(ALL)
    assert len({(one.arch, one.name, one.lanes) for one in ALL}) == len(ALL)


def test_older_bfloat16_holds_two_elements_a_lane_and_1k_four() -> None:
    old, new = named("gfx90a", "v_mfma_f32_32x32x4bf16"), named("gfx90a", "v_mfma_f32_32x32x4bf16_1k")
    assert (old.blocks, old.maps["a"].elements) == (1, 2)
    assert (new.blocks, new.maps["a"].elements) == (2, 4)


def test_a_16_bit_result_of_rdna3_leaves_the_upper_half_of_its_register() -> None:
    for lanes in (32, 64):
        c = named("gfx1100", "v_wmma_f16_16x16x16_f16", lanes).maps["c"]
        assert c.registers == tuple(f"v{i}.[15:0]" for i in range(256 // lanes))
        assert c.holes == tuple(f"v{i}.[31:16]" for i in range(256 // lanes))


def test_a_16_bit_result_of_rdna4_fills_its_registers() -> None:
    c = named("gfx1200", "v_wmma_f16_16x16x16_f16", 64).maps["c"]
    assert c.registers == ("v0.[15:0]", "v0.[31:16]", "v1.[15:0]", "v1.[31:16]")
    assert c.holes == ()


def test_wave64_ignores_lanes_32_to_63_where_half_a_wave_fills_one_register() -> None:
    narrow = {(one.name, operand) for one in ALL for operand, held in one.maps.items() if held.lanes < one.lanes}
    assert narrow == {
        ("v_wmma_i32_16x16x16_iu4", "a"),
        ("v_wmma_i32_16x16x16_iu4", "b"),
        ("v_swmmac_i32_16x16x32_iu4", "a"),
    }


def test_dense_operands_are_views_and_sparse_ones_say_why_not() -> None:
    for one in ALL:
        for operand, lane_map in one.maps.items():
            if one.sparse and operand == "a":
                assert lane_map.view is None
                assert "index register" in str(lane_map.not_a_view)
            else:
                assert lane_map.view is not None


def test_where_names_both_copies_of_an_element() -> None:
    wmma = named("gfx1100", "v_wmma_f32_16x16x16_f16", 32)
    assert wmma.maps["b"].where(row=10, col=3) == [(3, 10), (19, 10)]


def test_each_instruction_names_its_unit_source_and_confidence() -> None:
    units = {"gfx908": "CDNA1", "gfx90a": "CDNA2", "gfx942": "CDNA3"}
    for one in ALL:
        integers = one.dtypes["d"].startswith("int32")
        assert one.unit == ("exact" if integers else units.get(one.arch, "fp32-sequential"))
        assert one.source
        assert one.confidence == ("medium" if one.arch == "gfx1250" else "high")


def test_cdna3_has_amds_own_8_bit_floats_and_rdna4_those_of_ocp() -> None:
    cdna = named("gfx942", "v_mfma_f32_16x16x32_bf8_fp8")
    rdna = named("gfx1200", "v_wmma_f32_16x16x16_bf8_fp8", 32)
    assert [cdna.maps[operand].dtype for operand in "ab"] == ["e5m2fnuz", "e4m3fnuz"]
    assert [rdna.maps[operand].dtype for operand in "ab"] == ["e5m2", "e4m3"]
