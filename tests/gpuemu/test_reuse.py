"""Reuse: what it says about an accumulator as the next operand, and that its moves give the right product."""

from __future__ import annotations

import numpy as np
import pytest

from gpuemu import tensorcores
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.reuse import Reuse, reuse

MFMA = "gfx908.mfma_f32_32x32x8f16"
RDNA3 = "gfx1100.wmma_f32_16x16x16_f16.w32"
RDNA4 = "gfx1200.wmma_f32_16x16x16_f16.w32"
FP8 = "m16n8k32.f32.e4m3"
PAIRS = [("m16n8k16", "m16n8k16"), (FP8, FP8), (MFMA, MFMA), (RDNA3, RDNA3), (RDNA4, RDNA4), ("simdgroup.8x8x8",) * 2,
         ("m64n64k16", "m64n64k16"), ("m16n8k16", "m16n8k8.f32.tf32")]  # fmt: skip


def fragments(name: str, operand: str, matrix: np.ndarray) -> np.ndarray:
    """(tiles, lanes, elements) of a matrix of several tiles, place by place."""
    lane_map = tensorcores.instruction(name).maps[operand]
    coordinates = lane_map.coordinates()
    return np.array(
        [
            [[matrix[top + r, left + c] for r, c in lane] for lane in coordinates.tolist()]
            for top in range(0, matrix.shape[0], lane_map.rows)
            for left in range(0, matrix.shape[1], lane_map.columns)
        ]
    )


def area(found: Reuse) -> tuple[int, int]:
    c = found.source.maps["c"]
    return found.tiles[0][0] * c.rows, found.tiles[0][1] * c.columns


@pytest.mark.parametrize("operand", ["a", "b"])
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_moves_make_the_operand(source: str, target: str, operand: str) -> None:
    if operand == "b" and tensorcores.instruction(target).b is None:
        return
    found = reuse(c_of=source, a_of=target) if operand == "a" else reuse(c_of=source, b_of=target)
    matrix = np.random.default_rng(0).integers(-99, 99, area(found))
    accumulators = fragments(source, "c", matrix)
    np.testing.assert_array_equal(found.apply(accumulators), fragments(target, operand, matrix))


@pytest.mark.parametrize("operand", ["a", "b"])
@pytest.mark.parametrize(("source", "target"), [(FP8, FP8), ("m16n8k16", "m16n8k8.f32.tf32"), (RDNA4, RDNA4)])
def test_an_order_of_k_needs_no_shuffle_and_gives_the_same_product(source: str, target: str, operand: str) -> None:
    found = reuse(c_of=source, a_of=target) if operand == "a" else reuse(c_of=source, b_of=target)
    if found.order_of_k is None:
        return
    assert not any(shuffle.moves for shuffle in found.reordered)
    random = np.random.default_rng(1)
    matrix = random.integers(-9, 9, area(found))
    order = list(found.order_of_k)
    held = found.apply(fragments(source, "c", matrix), reorder_k=True)
    reordered = matrix[:, order] if operand == "a" else matrix[order]
    np.testing.assert_array_equal(held, fragments(target, operand, reordered))
    if operand == "a":
        other = random.integers(-9, 9, (matrix.shape[1], 5))
        np.testing.assert_array_equal(reordered @ other[order], matrix @ other)
    else:
        other = random.integers(-9, 9, (5, matrix.shape[0]))
        np.testing.assert_array_equal(other[:, order] @ reordered, other @ matrix)


def test_two_half_accumulators_are_the_next_a_in_all_places_and_in_order() -> None:
    found = reuse(c_of="m16n8k16", a_of="m16n8k16")
    assert (found.direct, found.kept, found.places, found.tiles) == (True, 256, 256, ((1, 2), (1, 1)))


def test_fp8_keeps_a_quarter_and_a_permutation_of_k_repairs_it() -> None:
    found = reuse(c_of=FP8, a_of=FP8)
    assert (found.direct, found.kept, found.places) == (False, 128, 512)
    assert found.order_of_k is not None
    assert found.order_of_k[:8] == (0, 1, 8, 9, 2, 3, 10, 11)


def test_mfma_keeps_8_of_256_places_a_tile_and_all_of_the_transposed_accumulator() -> None:
    found = reuse(c_of=MFMA, a_of=MFMA)
    assert (found.kept, found.places, found.tiles[1]) == (4 * 8, 4 * 256, (1, 4))
    assert found.order_of_k is None
    assert found.transposed == tuple(range(32))


def test_the_transposed_accumulator_really_lies_in_its_lanes() -> None:
    c = tensorcores.instruction(MFMA).maps["c"].coordinates()[..., ::-1]
    a = tensorcores.instruction(MFMA).maps["a"].coordinates()
    for tile in range(4):
        for lane in range(64):
            held = {tuple(place) for place in c[lane].tolist()}
            assert all((row, k + 8 * tile) in held for row, k in a[lane].tolist())


def test_copies_in_two_lanes_need_shuffles() -> None:
    found = reuse(c_of=RDNA3, a_of=RDNA3)
    assert (found.order_of_k, found.transposed) == (None, None)
    assert sum(shuffle.sources for shuffle in found.shuffles if shuffle.moves) == 128


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"c_of": "m16n8k16"}, "reuse: give either a_of or b_of"),
        ({"c_of": "m16n8k16", "a_of": MFMA}, "32 lanes hold the accumulator, 64 the operand"),
        ({"c_of": "m64n64k16", "b_of": "m64n64k16"}, "operand b of m64n64k16.f32.f16: no lane holds it"),
        (
            {"c_of": "m8n8k4.row.col.f32.f16", "a_of": "m16n8k16"},
            "operand c of m8n8k4.row.col.f32.f16: it has 4 blocks",
        ),
    ],
)
def test_what_cannot_be_reused_is_said(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(FragmentError, match=message):
        reuse(**arguments)


def test_accumulators_of_another_shape_are_refused() -> None:
    with pytest.raises(FragmentError, match=r"got accumulators of shape \(1, 32, 4\), expected \(2, 32, 4\)"):
        reuse(c_of="m16n8k16", a_of="m16n8k16").apply(np.zeros((1, 32, 4)))
    with pytest.raises(FragmentError, match="no order of k puts each element into its lane"):
        reuse(c_of=MFMA, a_of=MFMA).apply(np.zeros((1, 64, 16)), reorder_k=True)
