"""The way into JupyterLab works: a cell runs, and its output shows."""

from pathlib import Path

import nbformat
from nbformat import v4


def test_a_cell_runs_and_its_output_shows(open_notebook, tmp_path: Path) -> None:
    notebook = v4.new_notebook(
        cells=[v4.new_code_cell("print(6 * 7)")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    path = tmp_path / "fixture.ipynb"
    nbformat.write(notebook, path)
    page = open_notebook(path, theme="dark")
    page.locator(".jp-OutputArea-output", has_text="42").wait_for(timeout=30_000)
