"""The Python of the guides and explanations runs, page by page, from top to bottom."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs" / "guides").glob("*.md"), *(ROOT / "docs" / "explanations").glob("*.md")])


def code(file: Path) -> str:
    """The blocks that begin with ```python, one after the other."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_code_of_the_page_runs(file: Path) -> None:
    assert "assert" in code(file)
    command = [sys.executable, "-W", "error", "-c", code(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
