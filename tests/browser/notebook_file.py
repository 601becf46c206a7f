"""Notebooks that a test writes for itself."""

import json
from pathlib import Path


def write_notebook(path: Path, *sources: str) -> Path:
    """A notebook of these code cells."""
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for i, source in enumerate(sources)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
    return path


PAINTED = """
async (root, points) => {
  const times = [];
  for (const [x, y] of points) {
    const target = document.elementFromPoint(x, y), start = performance.now();
    target.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - start);
  }
  return times;
}
"""
"""Moves the pointer over points of the page; milliseconds of each, from the event to after the paint."""
