"""The fragment explorer: one element lights up in three places, by mouse and by keyboard."""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from notebook_file import PAINTED, write_notebook
from playwright.sync_api import Locator, Page, expect

from gpuemu.widgets import explore_fragment
from shapetracker import ShapeTracker

pytestmark = pytest.mark.browser
TRANSPOSED = ShapeTracker.from_shape((32, 48)).permute((1, 0))
WATCHED = """
from ipywidgets import HTML, VBox
from gpuemu.widgets import explore_fragment
from shapetracker import ShapeTracker
explorer = explore_fragment("m16n8k16", "c", ShapeTracker.from_shape((32, 48)).permute((1, 0)), (16, 8))
seen = HTML("nothing yet")
def show(_):
    seen.value = f"{explorer.selection}, lane {explorer.lane}, memory[{explorer.address}]"
explorer.observe(show, ["selection", "lane"])
VBox([seen, explorer])
"""
ELEMENT = "C[3, 6]: lane 15 holds it as c0, register r0. It is [19, 14] of the matrix, memory[691]."


def middle(root: Locator, grid: str, row: int, column: int) -> list[float]:
    found: list[float] = root.evaluate(f"root => root.fragmentExplorer.middle('{grid}', {row}, {column})")
    return found


def part(root: Locator, grid: str) -> Locator:
    return root.locator(f'.hit[data-grid="{grid}"]')


def test_python_and_both_views_agree_until_the_kernel_is_gone(
    open_notebook: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_notebook(write_notebook(tmp_path / "fragment.ipynb", WATCHED, "explorer", "later = 1"), theme="dark")
    root, other = page.locator(".fragment").nth(0), page.locator(".fragment").nth(1)
    other.wait_for()
    seen = page.locator(".widget-html").first
    expect(root).to_have_attribute("data-theme", "dark")

    part(root, "T").scroll_into_view_if_needed()
    page.mouse.move(*middle(root, "T", 3, 6))
    expect(root.locator(".say")).to_have_text(ELEMENT)
    expect(seen).to_have_text("(3, 6), lane 15, memory[691]")
    expect(other.locator(".say")).to_have_text(ELEMENT)  # the other view of the same widget
    page.mouse.down()
    page.mouse.up()
    expect(root.locator(".say")).to_have_text(f"{ELEMENT} Pinned.")

    part(other, "R").focus()
    page.keyboard.press("ArrowRight")  # from lane 15's first register to its second
    expect(other.locator(".say")).to_contain_text("C[3, 7]: lane 15 holds it as c1")
    expect(seen).to_have_text("(3, 7), lane 15, memory[739]")
    expect(root.locator(".say")).to_contain_text("C[3, 7]: lane 15 holds it as c1")
    part(root, "T").dispatch_event("pointerleave")  # the page scrolled away from under the pointer: not its to clear
    expect(seen).to_have_text("(3, 7), lane 15, memory[739]")
    page.keyboard.press("r")
    page.keyboard.press("ArrowDown")  # a row of memory further, which is a column of the transposed matrix
    expect(other.locator(".say")).to_contain_text("no element of this fragment reads it.")
    assert page.locator(".jp-mod-editMode").count() == 0  # no key went to the notebook
    page.keyboard.press("Escape")
    expect(seen).to_have_text("None, lane None, memory[None]")

    last = page.locator(".jp-CodeCell .cm-content").last
    last.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("explorer.selection = (11, 2)")
    page.keyboard.press("Shift+Enter")
    for view in (root, other):  # set from Python
        expect(view.locator(".say")).to_contain_text("C[11, 2]: lane 13 holds it as c2, register r2.")

    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Restart Kernel…", exact=True).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    for view in (root, other):
        expect(view.locator(".stale")).to_have_text("not connected to Python")
    part(root, "M").scroll_into_view_if_needed()
    page.mouse.move(*middle(root, "M", 14, 19))  # the drawing still answers
    expect(root.locator(".say")).to_have_text(ELEMENT)
    root.screenshot(path=tmp_path / "not_connected.png")


@pytest.mark.parametrize(("theme", "width"), [("light", 1000), ("dark", 700)])
def test_an_element_lights_up_in_three_places(
    open_file: Callable[..., Page], violations: Callable[[Page], list[str]], tmp_path: Path, theme: str, width: int
) -> None:
    saved = explore_fragment("m16n8k16", "c", TRANSPOSED, (16, 8)).save(tmp_path / "fragment.html")
    page = open_file(saved, theme=theme, width=width)
    root, say = page.locator(".fragment"), page.locator(".say")
    assert violations(page) == []
    for grid, row, column in (("T", 3, 6), ("R", 15, 0), ("M", 14, 19)):
        root.locator(f'.hit[data-grid="{grid}"]').scroll_into_view_if_needed()
        page.mouse.move(*middle(root, grid, row, column))
        expect(say).to_have_text(ELEMENT)
        expect(root.locator(".flow .total")).to_have_text("sum 691")
        assert root.evaluate("root => root.fragmentExplorer.lit") <= 16  # of 1,792 cells
    page.mouse.move(*middle(root, "M", 0, 0))
    expect(say).to_have_text("memory[0]: no element of this fragment reads it.")

    page.mouse.move(2, 2)
    root.locator('.hit[data-grid="T"]').focus()
    page.keyboard.press("ArrowRight")
    expect(say).to_contain_text("C[0, 1]: lane 0 holds it as c1, register r1.")
    page.keyboard.press("r")  # the register of the same element
    page.keyboard.press("ArrowRight")
    expect(say).to_contain_text("C[8, 0]: lane 0 holds it as c2, register r2.")
    page.keyboard.press("r")  # its memory cell
    page.keyboard.press("ArrowRight")
    expect(say).to_contain_text("C[9, 0]: lane 4")
    expect(root.get_by_role("status").last).to_contain_text("C[9, 0]: lane 4")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    root.screenshot(path=tmp_path / "fragment.png")


def test_a_move_over_the_largest_fragment(
    open_file: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_file(explore_fragment("m64n256k16", "c", (64, 256)).save(tmp_path / "large.html"))
    root = page.locator(".fragment")
    ends = root.evaluate(PAINTED, [middle(root, "T", 10 + j, 3 * j) for j in range(25)])
    moves = root.evaluate("root => root.fragmentExplorer.moves.slice(-25)")
    with capsys.disabled():
        sys.stdout.write(
            f"\nfragment m64n256: a move takes {median(moves):.1f} ms of script, at most {max(moves):.1f}; "
            f"from the event to after the paint {median(ends):.1f}, at most {max(ends):.1f}\n"
        )
    assert root.evaluate("root => root.fragmentExplorer.lit") <= 3 * 128 + 3  # what one lane holds, of 49,152 cells
