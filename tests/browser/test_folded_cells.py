"""A cell that is folded away, as its answer is to be predicted first: what a learner sees before and after it runs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "00_start_here.ipynb"

pytestmark = pytest.mark.browser


def test_a_folded_cell_shows_its_title_then_its_code_then_its_picture(open_notebook: Callable[..., Page]) -> None:
    page = open_notebook(NOTEBOOK, run=False)  # outputs as stored, in a notebook that is not trusted
    folded = page.locator(".jp-CodeCell").nth(1)
    expect(folded.locator(".jp-InputPlaceholder")).to_contain_text("# Reveal: the transposed grid")
    expect(folded.locator(".jp-OutputPlaceholder")).not_to_be_visible()

    folded.locator(".jp-InputPlaceholder .jp-Placeholder-content").click()
    output = folded.locator(".jp-OutputPlaceholder")
    expect(output).to_be_visible()
    expect(output.locator(".jp-PlaceholderText")).to_have_text("")  # three dots, and no line of HTML
    output.locator(".jp-Placeholder-content").click()
    expect(folded.locator("td[title]").first).to_be_visible()
