"""Make a copy of the notebooks for a class: without solutions and without outputs.

    python tools/student.py [folder] [--replace]

The copy has the notebooks, the exercises that check answers, and everything that they need; cells that are tagged
"solution" are left out. A folder that is there already is kept, since somebody may have worked in it, unless
``--replace`` is given.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
LEFT_OUT = ("solutions", ".ipynb_checkpoints", "__pycache__", ".virtual_documents")
SOLUTION = "solution"


def without_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook without outputs, without execution numbers, and without cells that are tagged "solution".

    >>> cell = {"cell_type": "code", "metadata": {}, "outputs": [1], "execution_count": 3, "source": "1"}
    >>> answer = {"cell_type": "markdown", "metadata": {"tags": ["solution"]}, "source": "42"}
    >>> without_outputs({"cells": [cell, answer]})
    {'cells': [{'cell_type': 'code', 'metadata': {}, 'outputs': [], 'execution_count': None, 'source': '1'}]}
    """
    kept = [cell for cell in notebook["cells"] if SOLUTION not in cell["metadata"].get("tags", [])]
    empty = {"outputs": [], "execution_count": None}
    return {**notebook, "cells": [cell | empty if cell["cell_type"] == "code" else cell for cell in kept]}


def make(folder: Path, *, replace: bool = False) -> list[Path]:
    """Write the copy; the paths of its notebooks.

    Raises
    ------
    FileExistsError
        Where the folder is there and is not to be replaced.
    """
    if folder.exists():
        if not replace:
            raise FileExistsError(f"{folder} is there already; --replace writes it anew")
        shutil.rmtree(folder)
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    made = sorted(folder.glob("*.ipynb"))
    for path in made:
        notebook = without_outputs(json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return made


def main() -> None:
    """Make the copy and say where it is."""
    parser = argparse.ArgumentParser(description="A copy of the notebooks for a class, without solutions and outputs.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "student")
    parser.add_argument("--replace", action="store_true", help="write a folder anew that is there already")
    given = parser.parse_args()
    try:
        made = make(given.folder, replace=given.replace)
    except FileExistsError as error:
        sys.exit(str(error))
    print(f"{len(made)} notebooks in {given.folder}")


if __name__ == "__main__":
    main()
