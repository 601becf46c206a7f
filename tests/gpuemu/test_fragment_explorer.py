"""A fragment inside a larger matrix: where its elements lie, who holds them, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget", reason="needs the notebook extra")

import gpuemu
from gpuemu import tensorcores
from gpuemu.errors import FragmentError
from gpuemu.tensorcores.placed import place
from gpuemu.widgets import explore_fragment
from shapetracker import ShapeTracker
from shapetracker.expr import parse

MAPS = [
    (x, operand)
    for x in tensorcores.instructions()
    for operand, lane_map in x.maps.items()
    if lane_map.blocks == 1
    and lane_map.not_a_view is None
    and operand != "d"
    and lane_map.rows * lane_map.columns < 2048
]
TraitError = pytest.importorskip("traitlets").TraitError


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(MAPS), st.booleans(), st.integers(0, 3), st.integers(0, 2), st.booleans())
def test_addresses_are_those_of_numpy(case, transposed: bool, down: int, pad: int, flipped: bool) -> None:
    instruction, operand = case
    lane_map = instruction.maps[operand]
    shape = (lane_map.rows + 3, lane_map.columns + 2)
    memory = np.arange(shape[0] * shape[1])
    matrix, grid = ShapeTracker.from_shape(shape), memory.reshape(shape)
    if transposed:
        memory = memory.reshape(shape[::-1]).reshape(-1)
        matrix, grid = ShapeTracker.from_shape(shape[::-1]).permute((1, 0)), memory.reshape(shape[::-1]).T
    if flipped:
        matrix, grid = matrix.flip((0,)), grid[::-1]
    matrix = matrix.pad(((0, 0), (pad, 0)))
    grid = np.pad(grid, ((0, 0), (pad, 0)), constant_values=-1)
    placed = place(instruction, operand, matrix, (down, 0))
    want = grid[down : down + lane_map.rows, : lane_map.columns]
    assert (placed.addresses == want).all()


def test_the_formula_gives_the_address_of_every_place() -> None:
    placed = place("m16n8k16", "a", ShapeTracker.from_shape((20, 30)).pad(((3, 4), (2, 5))), (1, 4))
    (_, address), (_, valid) = placed.formula
    lane, i = np.indices((32, 8))
    ranges = {"lane": (0, 31), "i": (0, 7)}
    at = {"lane": lane, "i": i}
    row, column = np.moveaxis(placed.lane_map.coordinates(), -1, 0)
    want = placed.addresses[row, column]
    assert (np.broadcast_to(parse(valid, ranges).evaluate(at), want.shape) == (want >= 0)).all()
    got = np.broadcast_to(parse(address, ranges).evaluate(at), want.shape)
    assert (got[want >= 0] == want[want >= 0]).all()


def test_a_selection_names_its_lane_and_its_address() -> None:
    explorer = gpuemu.explore_fragment("m16n8k16", "c", ShapeTracker.from_shape((32, 48)).permute((1, 0)), (16, 8))
    assert (explorer.lane, explorer.address) == (None, None)
    explorer.selection = (3, 6)
    assert (explorer.lane, explorer.address) == (15, 19 + 14 * 48)
    explorer.lane = 2  # it does not hold C[4, 6]
    explorer.selection = (4, 6)
    assert explorer.lane == 19
    with pytest.raises(TraitError, match=r"selection \(3, 8\): the fragment has rows below 16, columns below 8"):
        explorer.selection = (3, 8)
    assert explorer.selection == (4, 6)


def test_it_is_saved_in_every_form(tmp_path: Path) -> None:
    explorer = explore_fragment()
    assert "memory" in explorer.save(tmp_path / "fragment.txt").read_text()
    assert explorer.save(tmp_path / "fragment.svg").read_text().startswith("<svg")
    assert '"$bytes"' in explorer.save(tmp_path / "fragment.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m64n256k16", "b"), "lanes hold a, c, d of this instruction"),
        (("m16n8k16", "c", (4, 4, 4)), "the matrix has shape (4, 4, 4); two axes are expected"),
        (("m16n8k16", "c", (16, 8), (1, 0)), "a tile of 16 × 8 at (1, 0) does not lie inside of a matrix (16, 8)"),
        (("m16n8k16", "c", (1024, 1024)), "memory of 1048576 elements; up to 65536 are drawn"),
        (("m8n8k4.row.col.f32.f16", "b"), "the operand is 4 blocks; a tile of one matrix is expected"),
    ],
)
def test_what_cannot_be_placed_says_why(arguments: tuple, message: str) -> None:
    with pytest.raises(FragmentError) as caught:
        explore_fragment(*arguments)
    assert message in str(caught.value)
