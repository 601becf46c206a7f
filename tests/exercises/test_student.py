"""The copy for a class has no solutions and no outputs, and runs."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "student.py"


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class") / "student"
    made = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=True)
    assert str(folder) in made.stdout
    return folder


def cells(folder):
    return [cell for path in folder.glob("*.ipynb") for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def test_every_notebook_is_there_and_no_solution(student):
    assert {path.name for path in student.glob("*.ipynb")} == {p.name for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert (student / "exercises" / "session.py").exists()
    assert not (student / "solutions").exists()
    assert not list(student.rglob("__pycache__"))


def test_no_cell_has_an_output(student):
    code = [cell for cell in cells(student) if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_cells_tagged_as_a_solution_are_left_out(student):
    tagged = [cell for cell in cells(ROOT / "notebooks") if "solution" in cell["metadata"].get("tags", [])]
    texts = {"".join(cell["source"]) for cell in cells(student)}
    assert not any("".join(cell["source"]) in texts for cell in tagged)
    assert len(cells(student)) == len(cells(ROOT / "notebooks")) - len(tagged)


def test_a_notebook_of_the_copy_runs(student):
    path = student / "07_lanes_warps_workgroups.ipynb"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(student)}}).execute()
    assert all(output.output_type != "error" for cell in notebook.cells for output in cell.get("outputs", []))


def test_work_is_not_written_over(student):
    again = subprocess.run([sys.executable, TOOL, student], capture_output=True, text=True)
    assert again.returncode == 1
    assert "is there already" in again.stderr
    subprocess.run([sys.executable, TOOL, student, "--replace"], check=True, capture_output=True)
