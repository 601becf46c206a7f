"""While sliders move, labels change and elements are pointed at, the picture and all around it stay where they are."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from notebook_file import write_notebook
from playwright.sync_api import Locator, Page

import shapetracker
from gpuemu.widgets import LaneExplorer, explore_fragment
from shapetracker import ShapeTracker

CHAIN = "ShapeTracker.from_shape((4, 6)).permute((1, 0)).stride((1, -2)).pad(((1, 1), (1, 2)))"
SLIDERS = f"import shapetracker\nexplorer = shapetracker.explore({CHAIN!r})\nexplorer"
NOTATIONS = ("C", "view", "back", "CuTe", "SymPy", "Python")
CORNERS = """(root, selectors) => {
  const own = root.getBoundingClientRect();
  const corner = (part) => {
    const box = part.getBoundingClientRect();
    return [box.x - own.x, box.y - own.y].map(Math.round).join();
  };
  return Object.fromEntries(selectors.map((s) => [s, [...root.querySelectorAll(s)].map(corner).join(" ")]));
}"""
ANSWERS = "document.querySelector('.shapetracker-explorer').explorer.answers.length"
SLIDE = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); }"

pytestmark = pytest.mark.browser


class Watch:
    """Where parts of an explorer stand, counted from its own corner; `moved` says what has left its place, and when."""

    def __init__(self, root: Locator, *selectors: str) -> None:
        self.root, self.selectors = root, list(selectors)
        self.before: dict[str, str] = root.evaluate(CORNERS, self.selectors)
        self.moved: list[str] = []

    def look(self, after: str) -> None:
        now: dict[str, str] = self.root.evaluate(CORNERS, self.selectors)
        self.moved += [f"{after}: {s} from {self.before[s]} to {now[s]}" for s in now if now[s] != self.before[s]]

    def press(self, page: Page, keys: Iterable[str]) -> None:
        for key in keys:
            page.keyboard.press(key)
            self.look(key)


def elements(root: Locator, part: str, middles: str, page: Page, watch: Watch) -> None:
    """Point at places of a part, one after another; `middles` is a script that gives them."""
    root.locator(part).first.scroll_into_view_if_needed()
    for x, y in root.evaluate(middles):
        page.mouse.move(x, y)
        watch.look(f"pointing at {part}")


@pytest.mark.parametrize(
    ("instruction", "width"),
    [
        ("m16n8k16", 1000),
        ("m16n8k16", 700),
        ("HSA", 1000),
        ("m8n8k4.row.col.f32.f16", 1000),
        ("m64n256k16.f32.f16", 860),
    ],
)
def test_walking_and_playing_lanes(
    open_file: Callable[..., Page], tmp_path: Path, instruction: str, width: int
) -> None:
    page = open_file(LaneExplorer(instruction).save(tmp_path / "lanes.html"), width=width)
    root = page.locator(".lx")
    watch = Watch(root, ".bar > :not([hidden])", ".stage", ".hit[data-grid='C']", ".ledger", ".foot", ".holds", ".keys")
    for notation in NOTATIONS:
        root.get_by_role("radio", name=notation, exact=True).click()
        watch = Watch(root, *watch.selectors)
        for grid in ("C", "A", "B", "L0"):
            root.locator(f".hit[data-grid='{grid}']").focus()
            watch.press(page, ("End", "PageDown", "PageDown", "ArrowLeft", "Enter", "2", "1"))
        page.keyboard.press("Escape")
        watch.look("Escape")
        assert watch.moved == []
    root.locator(".hit[data-grid='C']").focus()
    watch.press(page, ("End", "PageDown", "PageDown", "Space"))
    last = root.evaluate("root => root.laneExplorer.view.ins.k") - 1
    root.evaluate("(root, k) => { root.laneExplorer.view.state.k = Math.max(0, k - 2); }", last)
    page.wait_for_function(f"() => document.querySelector('.lx').laneExplorer.view.state.k === {last}")
    watch.look("played to the last step")
    assert root.locator(".sub").evaluate("line => line.scrollHeight <= line.clientHeight")
    assert watch.moved == []


@pytest.mark.parametrize("width", [1000, 640])
def test_pointing_at_a_view(open_file: Callable[..., Page], tmp_path: Path, width: int) -> None:
    code = "ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (0, 1))).expand((8, 5)).reshape((5, 8))"
    page = open_file(shapetracker.explore(code).save(tmp_path / "view.html"), width=width)
    root = page.locator(".shapetracker-explorer")
    watch = Watch(root, ".bar", ".cols", ".stage", ".hit", ".stack", ".say", ".exprs", ".flow", ".keys")
    for layer, count in ((-1, 24), (0, 40)):
        middles = f"root => [...Array({count}).keys()].map((p) => root.explorer.stage.middle({layer}, p))"
        elements(root, f".hit[data-layer='{layer}']", middles, page, watch)
    page.mouse.move(2, 2)
    watch.look("leaving")
    assert watch.moved == []


@pytest.mark.parametrize("width", [1000, 640])
def test_pointing_at_a_fragment(open_file: Callable[..., Page], tmp_path: Path, width: int) -> None:
    padded = ShapeTracker.from_shape((14, 7)).pad(((0, 2), (0, 1)))
    page = open_file(explore_fragment("m16n8k16", "c", padded).save(tmp_path / "fragment.html"), width=width)
    root = page.locator(".fragment")
    watch = Watch(root, ".bar", ".stage", ".hit", ".say", ".exprs", ".flow", ".keys")
    for part, rows, columns in (("T", 16, 8), ("R", 32, 4), ("M", 14, 7)):
        middles = (
            f"root => [...Array({rows}).keys()].map((r) => root.fragmentExplorer.middle('{part}', r, r % {columns}))"
        )
        elements(root, f".hit[data-grid='{part}']", middles, page, watch)
    page.mouse.move(2, 2)
    watch.look("leaving")
    assert watch.moved == []


def test_sliders_of_a_chain(open_notebook: Callable[..., Page], tmp_path: Path) -> None:
    page = open_notebook(write_notebook(tmp_path / "sliders.ipynb", SLIDERS))
    root = page.locator(".shapetracker-explorer")
    root.locator(".hit").first.wait_for(state="attached")
    moved, tried = [], 0
    for width in (1300, 900):  # chain beside the picture, and above it
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function("narrow => !!document.querySelector('.narrow') === narrow", arg=width < 1000)
        for row in root.locator(".row").all():
            row.locator("input[type=text]").focus()
            for slider in row.locator("input[type=range]").all():
                watch = Watch(root, ".stage", ".hit[data-layer='0']", "input[type=range]")
                for value in values(slider):
                    seen = page.evaluate(ANSWERS)
                    slider.evaluate(SLIDE, str(value))
                    page.wait_for_function(f"seen => {ANSWERS} > seen", arg=seen)
                    watch.look(f"{width} px, {slider.get_attribute('aria-label')} = {value}")
                    tried += 1
                moved += watch.moved
    assert tried > 120
    assert moved == []


def values(slider: Locator) -> list[int]:
    """All that a slider can say, and at last what it says now."""
    low, high, now = slider.evaluate("slider => [slider.min, slider.max, slider.value].map(Number)")
    return [*range(low, high + 1), now]
