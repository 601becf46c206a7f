"""The view explorer in JupyterLab: sliders, keyboard and pointer; errors; Python and browser agree; light and dark."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from playwright.sync_api import Locator, Page, expect

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_views_and_strides.ipynb"
WATCHED = """
from ipywidgets import HTML, VBox
import shapetracker
explorer = shapetracker.explore("ShapeTracker.from_shape((4, 6)).permute((1, 0))")
seen = HTML()
explorer.observe(lambda _: setattr(seen, "value", f"{explorer.index} reads {explorer.address}"), "selected")
VBox([explorer, seen])
"""
LARGE = """
import shapetracker
shapetracker.explore("ShapeTracker.from_shape((64, 64)).permute((1, 0)).pad(((0, 0), (8, 8)))")
"""

pytestmark = pytest.mark.browser


def write_notebook(folder: Path, *sources: str) -> Path:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for i, source in enumerate(sources)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = folder / "view.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
    return path


def explorer(page: Page, number: int = 0) -> Locator:
    found = page.locator(".shapetracker-explorer").nth(number)
    found.wait_for(timeout=120_000)
    found.scroll_into_view_if_needed()
    found.locator(".hit").first.wait_for(state="attached")
    return found


def says(root: Locator, sentence: str) -> None:
    expect(root.locator(".say")).to_have_text(sentence)


def field(root: Locator, operation: str) -> Locator:
    return root.get_by_role("textbox", name=f"arguments of {operation}")


def point_at(page: Page, root: Locator, layer: int, position: int) -> None:
    x, y = root.evaluate(f"root => root.explorer.stage.middle({layer}, {position})")
    page.mouse.move(x, y)


def print_moves(root: Locator, name: str) -> None:
    moves = sorted(root.evaluate("root => root.explorer.stage.moves"))
    print(f"\n{name}: {len(moves)} moves, median {median(moves):.1f} ms, slowest {moves[-1]:.1f} ms")  # noqa: T201 - measured, never asserted


def test_notebook_01_moves_a_slider_and_walks(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(NOTEBOOK)
    root = explorer(page)
    expect(root.locator("pre")).to_contain_text(".stride((1, -2))")
    expressions = root.locator(".exprs")
    before = expressions.inner_text()

    slider = root.get_by_role("slider", name="pad, axis 1, after")
    slider.focus()
    slider.press("ArrowRight")
    expect(field(root, "pad")).to_have_value("((1, 1), (1, 3))")
    expect(root.locator(".cap").last).to_contain_text("shape (8, 6)")
    expect(expressions.locator(".verdict").last).to_have_text("equal")
    assert expressions.inner_text() != ""
    assert before != ""

    view = root.locator(".hit[data-layer='0']")
    view.focus()
    says(root, "[0, 0] is masked: axis 0 of the view is valid for 1 ≤ index < 7, and here it is 0")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        view.press(key)
    says(root, "[2, 1] reads memory[19]")
    expect(root.get_by_role("status").last).to_have_text("[2, 1] reads memory[19]")
    expect(root.locator(".flow .total")).to_have_text("sum 19")
    root.screenshot(path=str(tmp_path / "view_explorer.png"))
    print_moves(root, "8 × 6 view")


def test_photograph_tells_where_a_pixel_comes_from(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    source = (
        "from matplotlib import cbook, image\nimport shapetracker\n"
        "explorer = shapetracker.explore(image.imread(cbook.get_sample_data('grace_hopper.jpg'))[::4, ::4])\n"
        "explorer.code += '.flip((1,))'\nexplorer"
    )
    page = open_notebook(write_notebook(tmp_path, source))
    root = explorer(page)
    point_at(page, root, 0, (10 * 128 + 5) * 3)
    says(root, f"[10, 5, 0] reads memory[{(10 * 128 + 122) * 3}]")
    root.screenshot(path=str(tmp_path / "photograph.png"))
    print_moves(root, "150 × 128 photograph")


def test_wrong_argument_shows_the_error_and_keeps_the_picture(
    open_notebook: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_notebook(write_notebook(tmp_path, WATCHED), theme="dark")
    root = explorer(page)
    assert root.get_attribute("data-theme") == "dark"
    entry = field(root, "permute")
    entry.fill("(1, 1)")
    expect(root.locator(".err b")).to_have_text("each of the axes 0 … 1 must appear exactly once")
    expect(entry).to_have_attribute("aria-invalid", "true")
    expect(root.get_by_text("The picture shows the last chain that worked.")).to_be_visible()
    expect(root.locator("pre")).to_contain_text(".permute((1, 0))")
    root.screenshot(path=str(tmp_path / "error_dark.png"))
    entry.fill("(1, 0)")
    expect(root.locator(".err b")).to_have_count(0)


def test_python_follows_the_walk_and_the_chain_is_edited_by_keyboard(
    open_notebook: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_notebook(write_notebook(tmp_path, WATCHED))
    root = explorer(page)
    view = root.locator(".hit[data-layer='0']")
    view.focus()
    view.press("ArrowDown")
    expect(page.locator(".widget-html", has_text="(1, 0) reads 1")).to_be_visible(timeout=15_000)

    root.get_by_role("button", name="add flip").click()
    expect(root.locator("pre")).to_contain_text(".flip((1,))")
    field(root, "flip").press("Alt+ArrowUp")
    expect(root.locator("pre")).to_have_text(
        "ShapeTracker.from_shape((4, 6))\n  .flip((1,))\n  .permute((1, 0))", timeout=15_000
    )
    root.get_by_role("button", name="remove flip").click()
    expect(root.locator("pre")).to_have_text("ShapeTracker.from_shape((4, 6))\n  .permute((1, 0))")


def test_a_move_over_a_large_view_lights_few_cells(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(write_notebook(tmp_path, LARGE))
    root = explorer(page)
    for position in range(30 * 80 + 10, 30 * 80 + 60):
        point_at(page, root, 0, position)
    says(root, "[30, 59] reads memory[3294]")
    print_moves(root, "64 × 80 view")
    lit = root.evaluate("root => root.explorer.stage.trail().length")
    assert lit == 2
