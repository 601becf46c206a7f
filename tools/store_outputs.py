"""Run the notebooks, each alone and top to bottom, and store their outputs in place.

    python tools/store_outputs.py [notebook ...]

What is stored is the same on every run: no times, no random names. A live widget leaves the picture at rest that it
brings along, so a notebook reads well before it runs, and where nothing runs.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


SECONDS = 240
"""For one notebook; on an idle machine the slowest takes half a minute."""
ATTEMPTS = 3
ALONE = "--alone"


def store(path: Path) -> None:
    """Store one notebook's outputs, in a process of its own: a kernel that dies or never answers takes nothing along.

    Raises
    ------
    SystemExit
        When a cell fails, when it does not end in time, or when its kernel dies again and again.
    """
    for attempt in range(1, ATTEMPTS + 1):
        command = [sys.executable, __file__, ALONE, str(path)]
        child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
        try:
            _, errors = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()  # the kernel sees that its parent is gone, and ends
            child.communicate()
            errors = f"not done after {SECONDS} s"
        if child.returncode == 0:
            return
        if "CellExecutionError" in errors:
            sys.exit(f"{path.name}: {errors}")
        last = errors.strip().splitlines()[-1] if errors.strip() else f"ended with {child.returncode}"
        print(f"{path.name}: {last} (attempt {attempt} of {ATTEMPTS})", flush=True)
    sys.exit(f"{path.name}: not stored")


def execute(path: Path) -> None:
    """Run a notebook and write it back with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Kernels on TCP choose free ports, let go of them, and bind them later: two that start at once may choose the
        # same, and then one dies or never answers. Sockets in files have no such race; Windows has none of them.
        in_files = {"transport": "ipc", "connection_file": f"{folder}/kernel.json"} if os.name != "nt" else {}
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": str(path.parent)}},
            config=Config({"KernelManager": in_files}),
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
    for path in [Path(name) for name in names] or sorted(NOTEBOOKS.glob("*.ipynb")):
        print(path.name, flush=True)
        store(path)


if __name__ == "__main__":
    if sys.argv[1:2] == [ALONE]:
        execute(Path(sys.argv[2]))
    else:
        main(sys.argv[1:])
