"""The notebooks ask what the exercises are: the same question, the same code to start from; each has its form."""

import json
import re
from pathlib import Path

import pytest

from exercises.define import find, names

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
COURSE = sorted(path for path in NOTEBOOKS.glob("[01][0-9]_*.ipynb"))
MINE = [path for path in COURSE if path.name[:2] in {"01", "03", "04", "05", "06", "07", "08", "09", "17", "18"}]


def cells(path, kind):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def by_name(path):
    return path.name[:2]


@pytest.mark.parametrize("path", MINE, ids=by_name)
def test_each_exercise_is_asked_in_its_notebook(path):
    prose, code = "\n".join(cells(path, "markdown")), cells(path, "code")
    for name in names(path.name[:2]):
        if f'ask("{name}")' in prose:
            continue
        assert find(name).question() in prose, name
        assert find(name).start in code, name


@pytest.mark.parametrize("path", MINE, ids=by_name)
def test_each_check_names_an_exercise_of_the_notebook(path):
    known = set(names(path.name[:2])) | {"map"}  # notebook 18 shows on its first puzzle what a check looks at
    asked = re.findall(r'check\([^,]+, "([^"]+)"\)', "\n".join(cells(path, "code")))
    assert len(asked) >= 2
    assert set(asked) <= known


@pytest.mark.parametrize("path", [path for path in MINE if by_name(path) != "18"], ids=by_name)
def test_a_notebook_has_its_form(path):
    first, *_, last = cells(path, "markdown")
    assert 10 <= len(cells(path, "markdown") + cells(path, "code")) <= 20
    assert all(f"**{word}" in first for word in ("Goal", "You need", "Time"))
    prose = "\n".join(cells(path, "markdown"))
    assert "redict" in prose
    assert "misconception" in prose.lower()
    assert "Something to try" in prose
    assert "**Next**" in last
    assert any("assert " in text for text in cells(path, "code"))


@pytest.mark.parametrize("path", MINE, ids=by_name)
def test_links_between_notebooks_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+\.(?:ipynb|md))\)", "\n".join(cells(path, "markdown"))):
        assert (NOTEBOOKS / target).exists(), target
