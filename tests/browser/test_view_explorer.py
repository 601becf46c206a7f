"""The view explorer: sliders, keyboard and pointer; errors; Python and browser agree; light and dark."""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from notebook_file import PAINTED, write_notebook
from playwright.sync_api import Locator, Page, expect

import shapetracker

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_views_and_strides.ipynb"
WATCHED = """
from ipywidgets import HTML, VBox
import shapetracker
explorer = shapetracker.explore("ShapeTracker.from_shape((4, 6)).permute((1, 0))")
seen = HTML()
explorer.observe(lambda _: setattr(seen, "value", f"{explorer.index} reads {explorer.address}"), "selected")
VBox([explorer, seen])
"""
PHOTOGRAPH = """
import numpy as np
import shapetracker
explorer = shapetracker.explore(np.arange(600 * 512 * 3, dtype=np.uint32).astype(np.uint8).reshape(600, 512, 3))
explorer.code = "ShapeTracker.from_shape((600, 512, 3)).flip((1,)).pad(((40, 40), (40, 120), (0, 0)))"
explorer
"""
PADDED = """
import shapetracker
explorer = shapetracker.explore("ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (1, 2)))")
explorer
"""
EVERY = """
import shapetracker
explorer = shapetracker.explore(
    "ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (1, 2))).shrink(((0, 7), (1, 7)))"
    ".stride((1, -2)).flip((1,)).reshape((7, 1, 3)).expand((7, 2, 3))"
)
explorer
"""
SLIDERS = {"buffer": 2, "permute": 0, "pad": 4, "shrink": 4, "stride": 2, "flip": 0, "reshape": 0, "expand": 3}
LARGE = "ShapeTracker.from_shape((64, 64)).permute((1, 0)).pad(((0, 0), (8, 8)))"

pytestmark = pytest.mark.browser


def explorer(page: Page, number: int = 0) -> Locator:
    found = page.locator(".shapetracker-explorer").nth(number)
    found.wait_for()
    found.scroll_into_view_if_needed()
    found.locator(".hit").first.wait_for(state="attached")
    return found


def says(root: Locator, sentence: str) -> None:
    expect(root.locator(".say")).to_have_text(sentence)


def field(root: Locator, operation: str) -> Locator:
    return root.get_by_role("textbox", name=f"arguments of {operation}")


def middle(root: Locator, layer: int, position: int) -> list[float]:
    found: list[float] = root.evaluate(f"root => root.explorer.stage.middle({layer}, {position})")
    return found


def answered(page: Page, number: int, changes: int) -> None:
    """Wait until an explorer has drawn the answers to so many changes."""
    roots = "document.querySelectorAll('.shapetracker-explorer')"
    page.wait_for_function(f"() => {roots}[{number}].explorer.answers.length >= {changes}")


def write(capsys: pytest.CaptureFixture[str], what: str, milliseconds: list[float]) -> None:
    """Say how long something took: measured, never asserted."""
    with capsys.disabled():
        sys.stdout.write(f"\n{what}: median {median(milliseconds):.1f} ms, at most {max(milliseconds):.1f} ms\n")


def test_notebook_01_moves_a_slider_and_walks(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(NOTEBOOK)
    root = explorer(page)
    expect(root.locator("pre")).to_contain_text(".stride((1, -2))")
    slider = root.get_by_role("slider", name="pad, axis 1, after")
    slider.focus()
    slider.press("ArrowRight")
    expect(field(root, "pad")).to_have_value("((1, 1), (1, 3))")
    expect(root.locator(".cap").last).to_contain_text("shape (8, 6)")
    expect(root.locator(".exprs .verdict").last).to_have_text("equal")  # SymPy's opinion, asked for when all is still

    view = root.locator(".hit[data-layer='0']")
    view.focus()
    says(root, "[0, 0] is masked: axis 0 of the view is valid for 1 ≤ index < 7, and here it is 0")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        view.press(key)
    says(root, "[2, 1] reads memory[19]")
    expect(root.get_by_role("status").last).to_have_text("[2, 1] reads memory[19]")
    expect(root.locator(".flow .total")).to_have_text("sum 19")
    root.screenshot(path=str(tmp_path / "view_explorer.png"))


def test_notebook_02_walks_a_photograph(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(NOTEBOOK.with_name("02_movement_operations.ipynb"))
    photograph = explorer(page)
    pixel = (50 * 672 + 100) * 3
    photograph.locator(".hit[data-layer='0']").scroll_into_view_if_needed()
    page.mouse.move(*middle(photograph, 0, pixel))
    expect(photograph.locator(".say")).to_contain_text("] reads memory[")
    for key in ("Home", "ArrowRight", "ArrowRight"):  # the caret on the first number
        field(photograph, "pad").press(key)
    for step in range(1, 6):
        field(photograph, "pad").press("ArrowUp")
        expect(photograph.locator(".cap").last).to_contain_text(f"shape ({680 + step}, 672, 3)")
    photograph.screenshot(path=str(tmp_path / "photograph.png"))


def test_python_and_browser_agree(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(write_notebook(tmp_path / "agree.ipynb", WATCHED, "explorer"), theme="dark")
    root, other = explorer(page), explorer(page, 1)
    root.scroll_into_view_if_needed()
    assert root.get_attribute("data-theme") == "dark"
    view = root.locator(".hit[data-layer='0']")
    view.focus()
    view.press("ArrowDown")
    expect(page.locator(".widget-html", has_text="(1, 0) reads 1")).to_be_visible()
    says(other, "[1, 0] reads memory[1]")  # two views of one widget

    entry = field(root, "permute")
    entry.fill("(1, 1)")
    expect(root.locator(".err b")).to_have_text("each of the axes 0 … 1 must appear exactly once")
    expect(entry).to_have_attribute("aria-invalid", "true")
    expect(root.get_by_text("The picture shows the last chain that worked.")).to_be_visible()
    expect(root.locator("pre")).to_contain_text(".permute((1, 0))")
    root.screenshot(path=str(tmp_path / "error_dark.png"))
    entry.fill("(1, 0)")
    expect(root.locator(".err b")).to_have_count(0)

    root.get_by_role("button", name="add flip").click()
    expect(root.locator("pre")).to_contain_text(".flip((1,))")
    field(root, "flip").press("Alt+ArrowUp")
    expect(root.locator("pre")).to_have_text("ShapeTracker.from_shape((4, 6))\n  .flip((1,))\n  .permute((1, 0))")
    expect(other.locator("pre")).to_contain_text(".flip((1,))")
    root.get_by_role("button", name="remove flip").click()
    expect(root.locator("pre")).to_have_text("ShapeTracker.from_shape((4, 6))\n  .permute((1, 0))")

    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Restart Kernel…", exact=True).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(root.locator(".stale")).to_have_text("not connected to Python")
    view.focus()
    view.press("ArrowDown")  # the drawing still answers
    expect(root.locator(".say")).to_contain_text("reads memory[")


def test_a_change_goes_through_python_and_is_drawn_once(
    open_notebook: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_notebook(write_notebook(tmp_path / "changes.ipynb", PADDED, PHOTOGRAPH))
    for number, what in enumerate(("8 × 6 view", "photograph of 1,370,880 numbers")):
        root = explorer(page, number)
        expect(root.locator(".exprs .verdict").last).to_be_visible()  # SymPy has been read: all is still
        slider = root.get_by_role("slider").first
        slider.focus()
        drawn = root.evaluate("root => root.explorer.layouts.length")
        for change in range(1, 11):
            slider.press("ArrowRight" if change % 2 else "ArrowLeft")
            answered(page, number, change)
        answers = root.evaluate("root => root.explorer.answers")
        write(capsys, f"{what}: a change, through Python, to after the drawing", answers)
        layouts = root.evaluate("root => root.explorer.layouts")[drawn:]
        write(capsys, f"{what}: all drawn anew", layouts)
        assert len(layouts) == len(answers)


def test_changes_go_on_while_sympy_is_read(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(write_notebook(tmp_path / "sympy.ipynb", PADDED))  # a new kernel
    root = explorer(page)
    page.wait_for_function("() => document.querySelector('.shapetracker-explorer').explorer.checks()[0]")
    slider = root.get_by_role("slider", name="pad, axis 1, after")
    slider.focus()
    slider.press("ArrowRight")
    answered(page, 0, 1)
    checked = root.evaluate("root => root.explorer.checks()[1]")
    assert checked == ""  # no verdict yet, and the change is drawn
    expect(root.locator("pre")).to_contain_text("(1, 3)))")
    expect(root.locator(".exprs .verdict").last).to_have_text("equal")


def test_every_field_and_slider_answers_to_mouse_and_keyboard(
    open_notebook: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_notebook(write_notebook(tmp_path / "every.ipynb", EVERY))
    root = explorer(page)
    code = root.locator("pre")
    whole = code.inner_text()
    for number, (operation, count) in enumerate(SLIDERS.items()):
        row = root.locator(".row").nth(number)
        entry = row.get_by_role("textbox", name=operation)
        original = entry.input_value()
        first = next(i for i, letter in enumerate(original) if letter.isdigit())
        if first and original[first - 1] == "-":
            first -= 1

        entry.click()  # by mouse: the row opens
        sliders = row.get_by_role("slider")
        expect(sliders).to_have_count(count)
        entry.press("Home")
        for _ in range(first):
            entry.press("ArrowRight")
        entry.press("ArrowUp")  # the number at the caret
        expect(entry).not_to_have_value(original)
        entry.press("ArrowDown")
        expect(entry).to_have_value(original)
        expect(code).to_have_text(whole)
        expect(root.locator(".err b")).to_have_count(0)

        entry.scroll_into_view_if_needed()
        x, y = entry.evaluate(
            """(entry, first) => {
                const pen = document.createElement("canvas").getContext("2d"), box = entry.getBoundingClientRect();
                pen.font = getComputedStyle(entry).font;
                return [box.left + 1 + pen.measureText("0").width * (first + 0.5), box.top + box.height / 2];
            }""",
            first,
        )
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 6, y)
        page.mouse.move(x + 21, y)  # dragged sideways: 10 px a step
        page.mouse.up()
        dragged = original[:first] + str(int(original[first]) + 2) + original[first + 1 :]
        expect(entry).to_have_value(dragged)
        entry.fill(original)
        expect(code).to_have_text(whole)

        for which in range(count):
            slider = sliders.nth(which)
            low, high = (int(slider.get_attribute(end) or 0) for end in ("min", "max"))
            slider.focus()
            was = slider.input_value()
            key, back = ("ArrowRight", "ArrowLeft") if int(was) < high else ("ArrowLeft", "ArrowRight")
            slider.press(key)
            if low < high:
                expect(entry).not_to_have_value(original)
            slider.press(back)
            expect(entry).to_have_value(original)
            expect(code).to_have_text(whole)
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            assert box
            page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
            expect(slider).to_have_value(str(high))
            entry.fill(original)
            expect(slider).to_have_value(was)
            expect(code).to_have_text(whole)

    root.get_by_role("button", name="look at step 2").click()
    expect(code).to_have_text("ShapeTracker.from_shape((4, 6))\n  .permute((1, 0))\n  .pad(((1, 1), (1, 2)))")
    root.get_by_role("button", name="look at step 7").focus()
    page.keyboard.press("Enter")
    expect(code).to_have_text(whole)
    root.get_by_role("combobox", name="operation of step 7").select_option("flip")
    expect(field(root, "flip").last).to_have_value("(2,)")
    root.get_by_role("combobox", name="example").select_option("a sliding window")
    expect(code).to_contain_text(".simplify()")
    field(root, "shrink").last.fill("((0, 4), (0, 4))")
    expect(root.get_by_role("combobox", name="example")).to_have_value("")  # it is that example no more
    assert page.locator(".jp-mod-editMode").count() == 0  # no key went to the notebook


def test_every_slider_of_the_photograph_moves_and_the_page_answers(
    open_notebook: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_notebook(write_notebook(tmp_path / "sliders.ipynb", PHOTOGRAPH, "explorer"))
    root = explorer(page)
    caption = root.locator(".cap").last
    expect(caption).to_contain_text("shape (680, 672, 3)")
    sliders = root.get_by_role("slider")
    expect(sliders).to_have_count(6)
    for number in range(6):
        slider = sliders.nth(number)
        slider.focus()
        slider.press("ArrowRight")
        if number < 4:
            expect(caption).not_to_contain_text("shape (680, 672, 3)")
        else:  # a pad of the colours: no image any more, and 680 panels
            expect(root.locator(".err b")).to_contain_text("is too large to draw")
            expect(caption).to_contain_text("shape (680, 672, 3)")
        slider.press("ArrowLeft")
        expect(root.locator(".err b")).to_have_count(0)
        expect(caption).to_contain_text("shape (680, 672, 3)")
    assert root.evaluate("root => root.scrollWidth <= root.clientWidth")


@pytest.mark.parametrize(("theme", "width"), [("light", 1000), ("dark", 700)])
def test_axe_finds_nothing(
    open_file: Callable[..., Page], violations: Callable[[Page], list[str]], tmp_path: Path, theme: str, width: int
) -> None:
    shown = shapetracker.explore("ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,))")
    page = open_file(shown.save(tmp_path / "axe.html"), theme=theme, width=width)
    root = explorer(page)
    assert violations(page) == []
    root.locator(".hit[data-layer='1']").focus()
    page.keyboard.press("ArrowRight")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    root.screenshot(path=str(tmp_path / "axe.png"))


def test_axe_finds_nothing_where_an_argument_is_wrong(
    open_file: Callable[..., Page], violations: Callable[[Page], list[str]], tmp_path: Path
) -> None:
    shown = shapetracker.explore("ShapeTracker.from_shape((4, 6)).permute((1, 0))")
    shown._chain = shown._chain | {"steps": [["permute", "(1, 1)"]]}
    page = open_file(shown.save(tmp_path / "wrong.html"))
    expect(page.locator(".err b")).to_have_text("each of the axes 0 … 1 must appear exactly once")
    assert violations(page) == []


def test_a_move_over_a_large_view_lights_few_cells(
    open_file: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_file(shapetracker.explore(LARGE).save(tmp_path / "large.html"))
    root = explorer(page)
    page.mouse.move(*middle(root, 0, 30 * 80 + 59))
    says(root, "[30, 59] reads memory[3294]")
    ends = root.evaluate(PAINTED, [middle(root, 0, 30 * 80 + j) for j in range(10, 40)])
    write(capsys, "64 × 80 view: a move, script", root.evaluate("root => root.explorer.stage.moves.slice(-30)"))
    write(capsys, "64 × 80 view: a move, from the event to after the paint", ends)
    for width in range(960, 1000, 4):
        root.evaluate("(root, width) => { root.style.width = `${width}px`; }", width)
        page.wait_for_function(
            "width => document.querySelector('.shapetracker-explorer').clientWidth === width", arg=width
        )
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    write(capsys, "64 × 80 view: all drawn anew", root.evaluate("root => root.explorer.layouts.slice(-9)"))
    assert root.evaluate("root => root.explorer.stage.trail().length") == 2
