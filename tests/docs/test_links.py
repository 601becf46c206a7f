"""Every link inside the project leads to a file that is there, and to a heading that is in it."""

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+(?:\([^()\s]*\))?[^()\s]*)\)")
SOURCES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "notebooks").glob("*.md"),
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(file for file in (ROOT / "docs").rglob("*.md") if file.parent.name not in ("gallery", "notebooks", "_build")),
    ]
)


def prose(file: Path) -> str:
    """The Markdown of a file, without its code."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(file: Path) -> set[str]:
    """Headings, as GitHub and JupyterLab turn them into anchors."""
    headings = re.findall(r"^#+ (.*)$", prose(file), flags=re.MULTILINE)
    plain = {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}
    return plain | {heading.strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_links_resolve(file: Path) -> None:
    dead = []
    for link in LINK.findall(prose(file)):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        inside = target.relative_to(ROOT).as_posix()
        if inside.startswith("docs/notebooks/"):
            target = ROOT / inside.removeprefix("docs/")
        there = inside.startswith("docs/gallery/") or target.exists()
        heading = unquote(parts.fragment) if target.suffix in (".md", ".ipynb") else ""
        if not there or (heading and heading not in anchors(target)):
            dead.append(link)
    assert not dead


def test_the_links_are_found() -> None:
    assert LINK.findall("[a](b.md#c) and ![d](e/f.png), not `[g]`") == ["b.md#c", "e/f.png"]
    assert len(LINK.findall(prose(ROOT / "notebooks" / "README.md"))) > 20
