"""The built site: complete, without dead links, without other hosts."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from gpuemu import tensorcores

LOADS = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}


class Page(HTMLParser):
    """The ids of a page, where its links lead, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADS and LOADS[tag] in given:
            self.loads.append(given[LOADS[tag]])


@cache
def page(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def dead(site: Path, file: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site):
        return True
    return bool(parts.fragment) and target.suffix == ".html" and unquote(parts.fragment) not in page(target).ids


def test_site_has_every_notebook_and_room(site: Path) -> None:
    notebooks = {file.stem for file in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb")}
    assert notebooks <= {file.stem for file in (site / "notebooks").glob("*.html")}
    for room in ("guides", "explanations", "gallery", "reference", "sheets"):
        assert list((site / room).glob("*.html")), room


def test_every_link_of_the_site_resolves(site: Path) -> None:
    found = [
        (file.relative_to(site), link)
        for file in pages(site)
        for link in page(file).links + page(file).loads
        if dead(site, file, link)
    ]
    assert not found


def test_no_page_asks_another_host(site: Path) -> None:
    asked = [(file.name, load) for file in pages(site) for load in page(file).loads if urlsplit(load).netloc]
    assert not asked
    styles = [
        style for style in site.rglob("*.css") if re.search(r"(url\(|@import)\s*['\"]?https?:", style.read_text())
    ]
    assert not styles


def test_formulas_are_mathml(site: Path) -> None:
    algebra = (site / "explanations" / "the_exact_view_algebra.html").read_text(encoding="utf-8")
    assert algebra.count("<math") > 5
    assert not [load for file in pages(site) for load in page(file).loads if "mathjax" in load.lower()]


def test_answers_are_folded_without_a_script(site: Path) -> None:
    text = (site / "notebooks" / "10_tensor_core_lanes.html").read_text(encoding="utf-8")
    assert text.count("<details") >= 8


def test_the_gallery_has_every_instruction(site: Path) -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in (site / "gallery").glob("*.html"))
    missing = [instruction.name for instruction in tensorcores.instructions() if instruction.name not in text]
    missing += [copy.name for copy in tensorcores.copy_instructions() if copy.name not in text]
    assert not missing


@pytest.mark.parametrize("name", ["m16n8k16.f32.f16", "ldmatrix.x4", "simdgroup.8x8x8"])
def test_a_sheet_to_print_is_linked(site: Path, name: str) -> None:
    assert f"sheets/{name}.html" in page(site / "print.html").links
    assert "@page" in (site / "sheets" / f"{name}.html").read_text(encoding="utf-8")
