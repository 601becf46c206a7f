"""What the lane explorer tells the browser, and what its attributes accept."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget", reason="needs the notebook extra")

import gpuemu
from gpuemu import tensorcores
from gpuemu.errors import InstructionError
from gpuemu.tensorcores import Instruction, LaneMap
from gpuemu.widgets import LaneExplorer
from gpuemu.widgets.lane_data import browser_data, index_expressions, notation_texts, sample_matrices

INSTRUCTIONS = tensorcores.instructions()
MAPS = [lane_map for x in INSTRUCTIONS for lane_map in x.maps.values()]
TraitError = pytest.importorskip("traitlets").TraitError


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(INSTRUCTIONS))
def test_the_browser_gets_the_coordinates_of_the_lane_maps(instruction: Instruction) -> None:
    sent = browser_data(instruction)["operands"]
    for operand in "abc":
        lane_map = instruction.maps.get(operand)
        if lane_map is None:
            assert sent[operand.upper()] is None
            continue
        found = sent[operand.upper()]
        at = np.frombuffer(found["at"], "<u2").reshape(lane_map.lanes, lane_map.elements, found["places"], 3)
        want = lane_map.coordinates().reshape(*at.shape[:3], -1)
        assert (at[..., 1:] == want[..., :2]).all()
        assert (at[..., 0] == (want[..., 2] if want.shape[-1] == 3 else 0)).all()
        assert len(found["names"]) == len(found["where"]) == len(found["register"]) == lane_map.elements


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(MAPS))
def test_index_expressions_give_every_coordinate(lane_map: LaneMap) -> None:
    found = index_expressions(lane_map)
    if lane_map.view is None:
        assert found is None
        return
    assert found is not None
    lane, i = np.indices((lane_map.lanes, lane_map.elements))
    columns = {"m": 0, "n": 1, "k": 1 if lane_map.operand == "a" else 0, "block": 2}
    for axis in found["axes"]:
        want = lane_map.coordinates()[..., columns[axis["name"]]]
        assert (eval(axis["python"], {"lane": lane, "i": i}) + 0 * lane == want).all()  # noqa: S307 - our own text
        assert (sum(eval(term, {"lane": lane, "i": i}) for term in axis["terms"]) + 0 * lane == want).all()  # noqa: S307
    place = sum(
        (lane if name == "lane" else i) // below % size * stride for name, below, size, stride in found["digits"]
    )
    line, column = np.divmod(place + 0 * lane, lane_map.columns)
    assert (line % lane_map.rows == lane_map.coordinates()[..., 0]).all()
    assert (column == lane_map.coordinates()[..., 1]).all()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(INSTRUCTIONS))
def test_sample_matrices_fit_their_types(instruction: Instruction) -> None:
    a, b = sample_matrices(instruction)
    for matrix, dtype in ((a, instruction.dtypes["a"]), (b, instruction.dtypes["b"])):
        if dtype.startswith("u"):
            assert matrix.min() >= 0
        if dtype == "b1":
            assert set(np.unique(matrix)) <= {0, 1}
        assert np.abs(matrix).max() <= 6  # exact in four bits, e2m1 too


def test_small_integers_are_exact_in_the_unit_itself() -> None:
    mma = tensorcores.instruction("m16n8k16")
    a, b = (x.astype(np.float64) for x in sample_matrices(mma))
    unit = tensorcores.arithmetic.unit(mma.unit)
    out = unit.matmul(a, b, np.zeros((1, 16, 8)), "fp16", "fp32")
    assert (np.asarray(out, np.float64) == a @ b).all()


def test_explore_takes_targets_names_and_instructions() -> None:
    assert gpuemu.explore("CUDA").instruction == "m16n8k16.f32.f16"
    assert gpuemu.explore("METAL").instruction == "simdgroup.8x8x8"
    assert repr(gpuemu.explore(tensorcores.instruction("m16n8k8"))) == "LaneExplorer('m16n8k8.f32.f16')"


def test_another_instruction_starts_at_rest() -> None:
    explorer = gpuemu.explore("CUDA")
    explorer.selection, explorer.operand, explorer.lane = (15, 7, 15), "a", 3
    explorer.instruction = "HSA"
    assert explorer.instruction == "gfx1100.wmma_f32_16x16x16_f16.w32"
    assert (explorer.selection, explorer.operand, explorer.lane, explorer.block) == (None, "c", None, 0)
    assert explorer._map["name"] == "v_wmma_f32_16x16x16_f16"


def test_an_unknown_instruction_leaves_the_last_one() -> None:
    explorer = gpuemu.explore("CUDA")
    with pytest.raises(InstructionError, match="no tensor-core instruction has the name 'm16n8k99'"):
        explorer.instruction = "m16n8k99"
    assert explorer.instruction == "m16n8k16.f32.f16"
    with pytest.raises(InstructionError, match=r"explore\(3\): expected an Instruction, a name, or METAL, HSA, CUDA"):
        gpuemu.explore(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("point", [(16, 0, 0), (0, 8, 0), (0, 0, 16), (-1, 0, 0)])
def test_a_selection_outside_the_matrices_is_refused(point: tuple[int, int, int]) -> None:
    explorer = gpuemu.explore("CUDA")
    with pytest.raises(TraitError, match=r"m16n8k16\.f32\.f16 has m below 16, n below 8, k below 16"):
        explorer.selection = point
    assert explorer.selection is None


def test_the_stored_output_is_a_picture_without_a_kernel() -> None:
    data, _ = LaneExplorer("METAL")._repr_mimebundle_()
    assert "simdgroup_multiply_accumulate.8x8x8" in data["text/html"]
    assert data["text/plain"] == "LaneExplorer('simdgroup.8x8x8')"
    assert "application/vnd.jupyter.widget-view+json" in data


def test_nothing_is_loaded_from_elsewhere() -> None:
    text = LaneExplorer._esm if isinstance(LaneExplorer._esm, str) else str(LaneExplorer._esm)
    assert "import " not in text.replace("// ", "")
    assert "http" not in text


def test_your_formula_is_checked_and_a_bad_one_keeps_the_picture() -> None:
    explorer = LaneExplorer("m16n8k16")
    assert (explorer.diagnosis, explorer._found) == (None, {})
    explorer.formula = ["lane // 4 + 8 * (i % 2)", "2 * (lane % 4) + i % 2"]
    assert explorer.diagnosis is not None
    assert explorer.diagnosis.wrong == sum(explorer._found["places"]) == 64
    explorer.formula = ["lane // 4 +", "0"]
    assert explorer.diagnosis is None
    assert "lane // 4 +" in explorer._found["error"]
    explorer.formula = ["lane // 4 + 8 * (i // 2)", "2 * (lane % 4) + i % 2"]
    assert explorer._found["right"]
    explorer.instruction = "HSA"
    assert (explorer.formula, explorer._found) == ([], {})


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(MAPS))
def test_every_map_is_sent_in_eight_notations(lane_map: LaneMap) -> None:
    texts = notation_texts(lane_map)
    assert len(texts) == 8
    assert all(text and meaning for text, meaning in texts.values())


def test_a_saved_page_stands_alone_and_answers(tmp_path: Path) -> None:
    page = LaneExplorer("m16n8k16").save(tmp_path / "lanes.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert '"$bytes"' in page
    assert LaneExplorer("m16n8k16").save(tmp_path / "lanes.svg").read_text().startswith("<svg")
