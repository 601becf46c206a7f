"""Run the notebooks, each alone and top to bottom, and store their outputs in place.

    python notebooks/store_outputs.py [notebook ...]

What is stored is the same on every run: no times, no random names. A live widget leaves the picture at rest that it
brings along, so a notebook reads well before it runs, and where nothing runs.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
WIDGET = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def store(path: Path) -> None:
    """Execute one notebook and write it back with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata = nbformat.from_dict(METADATA)  # without the widgets' state, whose names are random
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [at_rest(output, client.widget_state) for output in merged(cell.outputs)]
    nbformat.write(notebook, path)


def at_rest(output: Any, widgets: dict[str, Any]) -> Any:
    """The output without what only a running kernel can fill.

    Sliders made by `interact` leave what their function showed first.
    """
    view = output.get("data", {}).pop(WIDGET, None)
    for child in widgets.get((view or {}).get("model_id"), {}).get("children", []):
        for shown in widgets.get(child.removeprefix("IPY_MODEL_"), {}).get("outputs", []):
            output.data |= shown.get("data", {})
    if "metadata" in output:
        output.metadata = {}
    return output


def merged(outputs: list[Any]) -> list[Any]:
    """Consecutive texts of one stream as one output, however the kernel happened to cut them."""
    out: list[Any] = []
    for output in outputs:
        if out and output.output_type == "stream" == out[-1].output_type and output.name == out[-1].name:
            out[-1].text += output.text
        else:
            out.append(output)
    return out


def main(names: list[str]) -> None:
    """Store the outputs of the named notebooks, or of all."""
    for path in [Path(name) for name in names] or sorted(HERE.glob("*.ipynb")):
        print(path.name, flush=True)
        store(path)


if __name__ == "__main__":
    main(sys.argv[1:])
