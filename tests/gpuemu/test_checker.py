"""The checker: forty mistakes that people make with fragments, each named; laws of every lane map; messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import tensorcores
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.checker import check_fragment, check_product

MMA = "m16n8k16"
A = "lane//4 + 8*(i//2%2)", "2*(lane%4) + i%2 + 8*(i//4)"
B = "2*(lane%4) + i%2 + 8*(i//2)", "lane//4"
C = "lane//4 + 8*(i//2)", "2*(lane%4) + i%2"
ROW, COLUMN = np.indices((16, 16))
RDNA3 = "gfx1100.wmma_f32_16x16x16_f16.w32"
DENSE = [
    (x.short_name, operand)
    for x in tensorcores.instructions()
    for operand, lane_map in x.maps.items()
    if operand != "d" and lane_map.not_a_view is None
]


def numbered(name: str, operand: str, memory: Callable[[np.ndarray], np.ndarray] = lambda m: m) -> np.ndarray:
    """Registers that the unit's own loader fills from a matrix of numbered elements, laid out by `memory`."""
    lane_map = tensorcores.instruction(name).maps[operand]
    matrix = memory(np.arange(lane_map.rows * lane_map.columns).reshape(lane_map.rows, lane_map.columns))
    row, column = np.moveaxis(lane_map.coordinates(), -1, 0)
    return matrix[row, column]


@dataclass(frozen=True)
class Scenario:
    """A mistake, the fragment that it makes, and what the checker must say."""

    story: str
    instruction: str
    operand: str
    fragment: Any
    kind: str
    wrong: int
    first: tuple[int, int]
    says: str


SCENARIOS = [
    Scenario(
        "row-major data loaded as column-major",
        MMA, "a", numbered(MMA, "a", lambda m: m.T), "transposed", 240, (0, 1), "row-major data is read by columns",
    ),
    Scenario(
        "row-major data loaded as column-major into an operand that is not square",
        MMA, "b", numbered(MMA, "b", lambda m: m.reshape(8, 16).T), "transposed", 126, (0, 1),
        "Operand B is transposed",
    ),
    Scenario(
        "row and column exchanged in the formula",
        MMA, "b", B[::-1], "row and column exchanged", 120, (0, 1), "B is [k, n], the fragment says [n, k]",
    ),
    Scenario(
        "the map of B used for A",
        MMA, "a", B, "operands exchanged", 240, (0, 1), "the places of operand B, not of A",
    ),
    Scenario(
        "A and B exchanged where both have one shape",
        RDNA3, "a", ("i", "lane % 16"), "transposed", 480, (0, 1), "or A and B are exchanged",
    ),
    Scenario(
        "the lower half of the rows missing",
        MMA, "a", ("lane/4", A[1].replace("//", "/")), "half missing", 128, (0, 2), "The + 8 of m is missing",
    ),
    Scenario(
        "the second half of k missing",
        MMA, "b", ("2*(lane % 4) + i % 2", "lane/4"), "half missing", 64, (0, 2), "The + 8 of k is missing",
    ),
    Scenario(
        "values 2, 3 and 4, 5 exchanged",
        MMA, "a", ("lane//4 + 8*(i//4)", "2*(lane%4) + i%2 + 8*(i//2%2)"), "register order", 128, (0, 2),
        "register r1 holds what belongs in register r2",
    ),
    Scenario(
        "the first element packed into the high bits",
        MMA, "a", numbered(MMA, "a")[:, [1, 0, 3, 2, 5, 4, 7, 6]], "pair swapped", 256, (0, 0),
        "two elements of each register are swapped",
    ),
    Scenario(
        "bytes of int8 registers in big-endian order",
        "m16n8k32.s32.s8", "b", numbered("m16n8k32.s32.s8", "b")[:, [3, 2, 1, 0, 7, 6, 5, 4]],
        "order inside the register", 256, (0, 0), "wrong order inside each register",
    ),
    Scenario(
        "lane % 8 as the row",
        MMA, "a", ("lane%8 + 8*(i//2%2)", "2*(lane//8) + i%2 + 8*(i//4)"), "lane order", 240, (1, 0),
        "m goes by lane % 8 instead of lane // 4",
    ),
    Scenario(
        "half a row a lane",
        MMA, "a", "int row = lane / 2; int col = 8 * (lane % 2) + i;", "memory order", 252, (0, 2),
        "dealt out row by row",
    ),
    Scenario(
        "four neighbours along k instead of two and two",
        MMA, "a", ("lane//4 + 8*(i//2%2)", "4*(lane%4) + i%2 + 2*(i//4)"), "k permuted", 192, (0, 4),
        "k is in the order 0, 1, 4, 5",
    ),
    Scenario(
        "B read in pairs along n",
        MMA, "b", ("2*(lane%4) + 8*(i//2)", "lane//4 + i%2"), "wrong axis", 64, (0, 1),
        "i % 2 moves 1 column instead of 1 row",
    ),
    Scenario(
        "C stored with its two value bits exchanged",
        MMA, "c", ("lane/4 + 8*(i % 2)", "2*(lane % 4) + i/2"), "register order", 64, (0, 1),
        "register r1 holds what belongs in register r2",
    ),
    Scenario(
        "the upper half-wave of RDNA3 left empty",
        RDNA3, "a", np.where(np.arange(32)[:, None] < 16, numbered(RDNA3, "a"), 0), "lanes not duplicated", 255,
        (16, 1), "Lanes 16–31 do not repeat lanes 0–15",
    ),
    Scenario(
        "the lane as the row on RDNA3",
        RDNA3, "b", ("i", "lane"), "lanes not duplicated", 256, (16, 0), "Lanes 16–31 do not repeat lanes 0–15",
    ),
    Scenario(
        "the accumulator of RDNA4 taken for that of RDNA3",
        RDNA3, "c", ("8*(lane >> 4) + i", "lane & 15"), "another instruction", 224, (0, 1),
        "gfx1200.wmma_f32_16x16x16_f16",
    ),
    Scenario(
        "the fragment of the smaller instruction",
        MMA, "a", numbered(MMA, "a")[:, :4], "another instruction", 128, (0, 4), "m16n8k8",
    ),
    Scenario(
        "NVIDIA's accumulator map for Apple's simdgroup",
        "simdgroup.8x8x8", "a", ("lane//4", "2*(lane%4) + i"), "memory order", 48, (2, 0),
        "These are the places of operand C of m8n8k16",
    ),
    Scenario(
        "the tile's width given as the leading dimension of a matrix of 64 columns",
        MMA, "c", tensorcores.instruction(MMA).maps["c"].coordinates() @ (64, 1), "strides", 120, (0, 2),
        "strides (64, 1)",
    ),
    Scenario(
        "counting from 1",
        MMA, "c", numbered(MMA, "c") + 1, "shifted", 128, (0, 0), "from element 1 of memory",
    ),
    Scenario(
        "half of the registers never filled",
        MMA, "a", np.where(np.arange(8) < 4, numbered(MMA, "a"), np.nan), "not filled", 128, (0, 4),
        "elements 4–7 of lanes 0–31 were never filled",
    ),
    Scenario(
        "the lanes of a warp counted from the other end",
        MMA, "b", numbered(MMA, "b")[::-1], "lane order", 128, (0, 0), "lane 0 that of lane 31",
    ),
    Scenario(
        "transposed, and its registers in the wrong order",
        MMA, "a", numbered(MMA, "a", lambda m: m.T)[:, [2, 3, 0, 1, 4, 5, 6, 7]], "transposed, register order", 248,
        (0, 0), "and more than that: the registers are in the wrong order",
    ),
    Scenario(
        "row-major B copied by ldmatrix without .trans",
        MMA, "b", ("lane//4 + 8*(i//2)", "2*(lane%4) + i%2"), "tiles transposed", 112, (0, 1),
        "as ldmatrix without .trans does from row-major memory",
    ),
    Scenario(
        "row-major A copied by ldmatrix with .trans",
        MMA, "a", ("2*(lane%4) + i%2 + 8*(i//2%2)", "lane//4 + 8*(i//4)"), "tiles transposed", 224, (0, 1),
        "as ldmatrix.trans does from row-major memory",
    ),
    Scenario(
        "the four matrices of ldmatrix.x4 named column by column",
        MMA, "a", ("lane//4 + 8*(i//4)", "2*(lane%4) + i%2 + 8*(i//2%2)"), "register order", 128, (0, 2),
        "register r1 holds what belongs in register r2",
    ),
    Scenario(
        "the accumulator handed on as operand A",
        "m16n8k8.f32.tf32", "a", C, "accumulator as factor", 112, (0, 1), "the places of operand C, not of A",
    ),
    Scenario(
        "pairs as of 16-bit elements in registers of bytes",
        "m16n8k32.s32.s8", "a", A, "lane and element exchanged", 448, (0, 2),
        "m goes by lane // 4 and i // 2 % 2 instead of lane // 4 and i // 4 % 2",
    ),
    Scenario(
        "pairs as of 16-bit elements for tf32",
        "m16n8k8.f32.tf32", "a", ("lane//4 + 8*(i%2)", "2*(lane%4) + i//2"), "k permuted", 96, (0, 2),
        "k is in the order 0, 2, 4, 6, 1",
    ),
    Scenario(
        "a tile stored swizzled and read plainly",
        MMA, "a", numbered(MMA, "a", lambda m: m[ROW, COLUMN ^ ROW // 4 % 2 * 8]),
        "swizzled", 128, (16, 0), "where m is 4, k ^ 8 is held",
    ),
    Scenario(
        "an index in bytes",
        MMA, "a", numbered(MMA, "a") * 2, "bytes", 255, (0, 1), "Every index is 2 times too large",
    ),
    Scenario(
        "the row alone",
        MMA, "a", "lane/4 + 8*(i/2%2)", "one index alone", 255, (0, 1), "these look like m or k alone",
    ),
    Scenario(
        "a shift without parentheses",
        MMA, "c", ("lane>>2 + 8*(i>>1)", "2*(lane&3) + (i&1)"), "precedence", 64, (0, 2),
        "A shift or a mask takes more than was meant",
    ),
    Scenario(
        "a shift of a mask, and a sum behind it",
        MMA, "c", ("(lane>>2) + 8*(i>>1)", "(lane&3)<<1 + (i&1)"), "precedence", 64, (0, 1),
        "+ and * bind tighter",
    ),
    Scenario(
        "8 * i / 2 for 8 * (i / 2)",
        MMA, "c", ("lane/4 + 8*i/2", "2*(lane%4) + i%2"), "wrong step", 64, (0, 1),
        "i % 2 moves 4 rows and 1 column instead of 1 column",
    ),
    Scenario(
        "a wave of 64 taken for one of 32",
        "gfx908.mfma_f32_16x16x16f16", "a", ("lane%16", "4*(lane%32/16) + i"), "half missing", 128, (32, 0),
        "The + 8 of k is missing",
    ),
    Scenario(
        "the rows of MFMA's result in one run a lane",
        "gfx908.mfma_f32_32x32x8f16", "c", ("i + 16*(lane/32)", "lane%32"), "m permuted", 768, (0, 4),
        "m is in the order 0, 1, 2, 3, 16, 17",
    ),
    Scenario(
        "the other warps of a warpgroup forgotten",
        "m64n8k16", "d", ("lane%32/4 + 8*(i/2)", "2*(lane%4) + i%2"), "step missing", 384, (32, 0),
        "The + 16 of m is missing: 75% of D is never loaded",
    ),
    Scenario(
        "sixteen columns a step in a wgmma",
        "m64n64k16", "d", ("lane/4%8 + lane/32*16 + 8*(i/2%2)", "2*(lane%4) + i%2 + 16*(i/4)"), "wrong step", 3584,
        (0, 4), "i // 4 moves 16 columns instead of 8 columns",
    ),
    Scenario(
        "the threads of the second warp counted on",
        MMA, "a", ("(lane + 32)/4 + 8*(i/2%2)", A[1].replace("//", "/")), "shifted", 256, (0, 0),
        "Everything is 8 rows off",
    ),
    Scenario(
        "RDNA3's loader on RDNA4",
        "gfx1200.wmma_f32_16x16x16_f16.w32", "a", ("lane%16", "i"), "wrong step", 192, (0, 4),
        "lane // 16 moves nothing instead of 4 columns",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", SCENARIOS, ids=lambda case: case.story)
def test_each_real_mistake_is_named(case: Scenario) -> None:
    found = check_fragment(case.instruction, case.operand, case.fragment)
    assert not found.right
    assert found.mistake is not None
    assert found.first is not None
    assert (found.mistake.kind, found.wrong) == (case.kind, case.wrong)
    assert (found.first.lane, found.first.element) == case.first
    assert case.says in found.mistake.cause


TRANSPOSED = {"transposed", "row and column exchanged"}
REORDERED = {"pair swapped", "register order", "order inside the register"}


@pytest.mark.parametrize(("name", "operand"), DENSE[::5])
def test_a_mistake_is_named_on_whatever_map_it_is_made(name: str, operand: str) -> None:
    lane_map = tensorcores.instruction(name).maps[operand]
    right, e, lanes = lane_map.coordinates(), np.arange(lane_map.elements), np.arange(lane_map.lanes)
    block = right[..., 2] if lane_map.blocks > 1 else 0
    numbers = (block * lane_map.rows + right[..., 0]) * lane_map.columns + right[..., 1]
    half = max(1, lane_map.elements // 2)
    for held, kinds in (
        (right[..., [1, 0, *range(2, right.shape[-1])]], TRANSPOSED),
        (right[:, e ^ 1] if lane_map.elements % 2 == 0 else right, REORDERED),
        (right[:, e % half], {"half missing"}),
        (np.where(e < half, numbers, -1), {"not filled"}),
        (numbers + 3, {"shifted"}),
        (right[lanes % (lane_map.lanes // 2)], {"half missing"}),
        (right[::-1], {"lane order", "m permuted", "n permuted", "k permuted"}),
    ):
        found = check_fragment(name, operand, held)
        assert found.right or (found.mistake is not None and found.mistake.kind in kinds)


def test_forty_mistakes_or_more_are_known() -> None:
    assert len(SCENARIOS) >= 40


@pytest.mark.parametrize(("name", "operand"), DENSE[::7])
def test_the_right_map_is_right_in_every_form(name: str, operand: str) -> None:
    lane_map = tensorcores.instruction(name).maps[operand]
    coordinates = lane_map.coordinates()
    block = coordinates[..., 2] if lane_map.blocks > 1 else 0
    numbers = (block * lane_map.rows + coordinates[..., 0]) * lane_map.columns + coordinates[..., 1]
    for form in (coordinates, numbers, numbers.astype(np.float64), coordinates.tolist()):
        found = check_fragment(name, operand, form)
        assert (found.right, found.wrong, found.first, found.mistake) == (True, 0, None, None)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(DENSE), st.data())
def test_wrong_places_are_counted_as_loops_count_them(map_of: tuple[str, str], data: st.DataObject) -> None:
    name, operand = map_of
    lane_map = tensorcores.instruction(name).maps[operand]
    held = lane_map.coordinates().copy()
    for _ in range(data.draw(st.integers(1, 4))):
        lane = data.draw(st.integers(0, lane_map.lanes - 1))
        element = data.draw(st.integers(0, lane_map.elements - 1))
        held[lane, element, 0] = data.draw(st.integers(0, lane_map.rows - 1))
    right = lane_map.coordinates().tolist()
    wrong = [
        (lane, i)
        for lane, elements in enumerate(held.tolist())
        for i, place in enumerate(elements)
        if place != right[lane][i]
    ]
    found = check_fragment(name, operand, held)
    assert found.wrong == len(wrong)
    assert (None if found.first is None else (found.first.lane, found.first.element)) == (wrong[0] if wrong else None)
    assert found.right == (not wrong)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(16)), st.booleans())
def test_one_order_of_k_is_harmless_in_both_operands_and_wrong_in_one(order: list[int], both: bool) -> None:
    mma = tensorcores.instruction(MMA)
    a, b = mma.maps["a"].coordinates().copy(), mma.maps["b"].coordinates().copy()
    a[..., 1] = np.array(order)[a[..., 1]]
    if both:
        b[..., 0] = np.array(order)[b[..., 0]]
    found = check_product(MMA, a, b)
    assert found.right == (both or order == sorted(order))
    if found.right and order != sorted(order):
        assert found.order_of_k == tuple(order)


@pytest.mark.parametrize(
    "case", [x for x in SCENARIOS if (x.instruction, x.operand) == (MMA, "a")], ids=lambda x: x.story
)
def test_wrong_results_are_those_that_random_integers_show(case: Scenario) -> None:
    if np.shape(case.fragment) == (32, 4):
        return  # the other half holds nothing, and there is no product
    found = check_product(MMA, case.fragment, B)
    held = found.a.held
    random = np.random.default_rng(0)
    seen = np.zeros((16, 8), dtype=bool)
    for _ in range(4):
        memory = random.integers(-(2**20), 2**20, (64, 64))
        a, b = memory[:16, :16], random.integers(-(2**20), 2**20, (16, 8))
        unit = np.zeros((16, 16), dtype=np.int64)
        row, column = np.moveaxis(tensorcores.instruction(MMA).maps["a"].coordinates(), -1, 0)
        unit[row, column] = np.where((held >= 0).all(axis=-1), memory[held[..., 0], held[..., 1]], 0)
        seen |= unit @ b != a @ b
    assert found.wrong_results == seen.sum()


def test_a_transposed_operand_makes_every_result_wrong_and_a_missing_half_every_second() -> None:
    b = check_fragment(MMA, "b", B)
    assert b.right
    assert check_product(MMA, A[::-1], B).wrong_results == 128
    assert check_product(MMA, ("lane//4", A[1]), B).wrong_results == 64
    assert check_product(MMA, A, B).wrong_results == 0


def test_copies_that_disagree_make_their_results_wrong() -> None:
    rdna3 = tensorcores.instruction(RDNA3)
    a = rdna3.maps["a"].coordinates().copy()
    a[16] = a[17]
    assert check_product(RDNA3, a, rdna3.maps["b"].coordinates()).wrong_results == 16


def test_a_pair_swapped_in_both_operands_is_accepted() -> None:
    a = numbered(MMA, "a")[:, [1, 0, 3, 2, 5, 4, 7, 6]]
    found = check_product(MMA, a, numbered(MMA, "b")[:, [1, 0, 3, 2]])
    assert found.right
    assert found.order_of_k is not None
    assert found.order_of_k[:4] == (1, 0, 3, 2)
    assert "harmless" in str(found)


@pytest.mark.parametrize(
    "formula",
    [
        ("lane//4 + 8*(i//2)", "2*(lane%4) + i%2"),
        ("lane / 4 + 8 * (i / 2)", "2 * (lane % 4) + i % 2"),
        ("(lane >> 2) + ((i >> 1) << 3)", "((lane & 3) << 1) | (i & 1)"),
        "(lane//4 + 8*(i//2), 2*(lane%4) + i%2)",
        "int g = lane / 4, t = lane % 4; m = i < 2 ? g : g + 8; n = t * 2 + (i & 0x1)",
        "row = i == 0 || i == 1 ? groupID : groupID + 8; col = threadID_in_group * 2 + (i & 1)",
        "16*(lane//8) - 8*(lane//4) + 16*(lane//4) + 64*(i//2) - 16*(lane//8) + 2*(lane%4) + i%2",
        ["g = threadIdx.x // 4", "col = 2*(threadIdx.x%4) + e%2", "row = g + 8*(e//2)"],
        ("(lane & 28) >> 2 | i >> 1 << 3", "lane << 1 & 6 | i & 1 | 0"),
        ("lane//4 + 8*(i >= 2)", "2*(lane%4) + !(i == 0 || i == 2)"),
    ],
)  # fmt: skip
def test_python_and_c_say_the_same(formula: Any) -> None:
    assert check_fragment(MMA, "c", formula).right


def test_c_division_rounds_towards_zero() -> None:
    found = check_fragment(MMA, "c", ("(i - 3) / 2 + 1", "lane % 8"))
    assert found.held[0, :, 0].tolist() == [0, 0, 1, 1]


def test_bit_operators_take_negative_numbers_as_c_does() -> None:
    found = check_fragment(MMA, "c", ("(i - 4) & 3", "~i & 7"))
    assert found.held[0].tolist() == [[0, 7], [1, 6], [2, 5], [3, 4]]


def test_half_precision_registers_are_read_as_numbers() -> None:
    assert check_fragment(MMA, "a", numbered(MMA, "a").astype(np.float16)).right


def test_operand_d_has_the_map_of_c() -> None:
    assert check_fragment(MMA, "d", C).right


def test_a_block_is_a_third_coordinate() -> None:
    volta = tensorcores.instruction("m8n8k4.row.col.f32.f16")
    held = volta.maps["c"].coordinates().copy()
    held[..., 2] = 0
    found = check_fragment(volta, "c", held)
    assert found.wrong == 192
    assert found.mistake is not None
    assert "block" in found.mistake.cause


@pytest.mark.parametrize(
    ("operand", "fragment", "message"),
    [
        ("b", "lane", r"check_fragment\(m64n128k16.f32.f16, 'b'\): the lanes hold a, c, d of this instruction"),
        ("a", "lane @ 2, i", r"formula 'lane @ 2': '@ 2' is not understood; allowed are"),
        ("a", ["lane", "i", "0"], r"the formulas give row, column, block; expected row \(m\) and column \(k\)"),
        ("a", "lane // 4 + x, i", r"formula 'lane // 4 \+ x': 'x' is no variable"),
        ("a", "lane >> 21, i", r"a shift count must be from 0 to 20"),
        ("a", "(lane + i", r"a '\)' is missing"),
        ("a", "lane ?, i", r"it ends too early"),
        ("a", "lane / 0, i", r"it divides by zero"),
        ("a", "lane // 0, i", r"division by zero"),
        ("a", "lane * 99999999999, i", r"a product lies far outside the operand"),
        ("a", "lane // 1 * 999999999999, i", r"far outside the operand"),
        ("a", "9999999999999, i", r"far outside the operand"),
        ("a", "(" * 400 + "lane" + ")" * 400, r"nested too deeply"),
        ("a", "lane" + "+lane" * 300, r"longer than 1000 characters"),
        ("a", "f(lane), i", r"'f' is no name here"),
        ("a", np.zeros((128, 8, 4)), r"expected formulas, coordinates of shape \(128, 8, 2\), or numbered elements"),
        ("a", np.zeros((128, 8, 3), int), r"3 numbers a coordinate; this operand has row and column"),
        ("a", np.full((128, 8), 0.5), r"the registers hold 0.5; fill the operand with the numbers 0, 1, 2"),
        ("a", [[1, 2], [3]], r"the lanes do not all have equally many elements"),
        ("a", np.zeros((128, 9), int), r"the fragment has 128 lanes × 9 elements, expected 128 × 8"),
    ],
)
def test_what_cannot_be_checked_is_said(operand: str, fragment: Any, message: str) -> None:
    with pytest.raises(FragmentError, match=message):
        check_fragment("m64n128k16", operand, fragment)


def test_a_sparse_operand_is_refused_with_the_reason() -> None:
    sparse = next(x for x in tensorcores.instructions() if x.sparse)
    with pytest.raises(FragmentError, match="the index register picks"):
        check_fragment(sparse, "a", "lane, i")


def test_nothing_of_a_formula_is_executed() -> None:
    with pytest.raises(FragmentError):
        check_fragment(MMA, "a", "__import__('os').getcwd(), i")


def test_a_diagnosis_has_one_line_without_addresses() -> None:
    found = check_fragment(MMA, "a", A[::-1])
    assert repr(found) == "<Diagnosis m16n8k16.f32.f16 a: transposed, 240 of 256 wrong>"
    assert repr(check_fragment(MMA, "a", A)) == "<Diagnosis m16n8k16.f32.f16 a: right>"


def test_the_picture_frames_exactly_the_wrong_places() -> None:
    found = check_fragment(MMA, "a", ("lane//4", A[1]))
    assert len(re.findall("border:2px solid", found.draw().html())) == 2 * found.wrong
    assert str(found.draw()).count("!") == 2 * found.wrong
    assert "!" not in str(check_fragment(MMA, "a", A).draw())


def test_a_short_fragment_is_drawn_with_its_missing_places() -> None:
    found = check_fragment(MMA, "a", numbered(MMA, "a")[:, :4])
    assert str(found.draw()).count("!") == found.wrong  # in the matrix; the lanes' places have no number to mark
