"""axe finds no violation on the site's main pages, in either theme."""

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
PAGES = (
    "index.html",
    "notebooks/README.html",
    "notebooks/00_start_here.html",
    "guides/debug_a_fragment.html",
    "explanations/the_exact_view_algebra.html",
    "explanations/from_tinygrad.html",
    "gallery/index.html",
    "gallery/apple7.html",
    "print.html",
)
SECONDS = 60


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_the_main_pages(site: Path, browser: Browser, theme: str) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 900}, color_scheme=theme)
    context.set_default_timeout(SECONDS * 1000)
    page, found, asked = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url) if request.url.startswith("http") else None)
    for name in PAGES:
        page.goto((site / name).as_uri())
        page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
        page.evaluate("for (const fading of document.getAnimations()) fading.finish()")  # what opens fades in
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for violation in page.evaluate("axe.run()")["violations"]:
            places = [f"{node['target']} {node['failureSummary']}" for node in violation["nodes"]]
            found.append(f"{name}: {violation['id']}, {len(places)} places, first {places[0]}")
    context.close()
    assert not found, "\n".join(found)
    assert not asked
