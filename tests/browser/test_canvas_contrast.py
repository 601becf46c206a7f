"""What the explorers write on their canvases can be read: each text against the pixel behind it, in both themes.

axe looks at the page's own text; a canvas is a picture to it, so here each call that writes is watched.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import shapetracker
from gpuemu.widgets import LaneExplorer, explore_fragment
from shapetracker import ShapeTracker
from shapetracker.drawing.palette import contrast

pytestmark = pytest.mark.browser
READABLE, VISIBLE = 4.5, 3.0
"""WCAG 2.2: 1.4.3 for text, 1.4.11 for rings."""
WRONG = ["lane // 4 + 8 * (i % 2)", "2 * (lane % 4) + i % 2"]
PADDED = ShapeTracker.from_shape((14, 7)).pad(((0, 2), (0, 1)))
CHAIN = "ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (0, 1))).reshape((40,))"
WATCH = """
window.written = new Map();
const hex = ([r, g, b]) => "#" + [r, g, b].map((c) => Math.round(c).toString(16).padStart(2, "0")).join("");
const seen = (context, x, y) => {
  const at = context.getTransform().transformPoint(new DOMPoint(x, y));
  const [r, g, b, alpha] = context.getImageData(Math.floor(at.x), Math.floor(at.y), 1, 1).data;
  return alpha > 127 ? hex([r, g, b]) : "paper";
};
const prototype = CanvasRenderingContext2D.prototype, write = prototype.fillText, frame = prototype.strokeRect;
prototype.fillText = function (text, x, y) {
  const inside = this.textAlign === "left" ? 1 : this.textAlign === "right" ? -1 : 0;
  const key = ["text", this.fillStyle, seen(this, x + inside, y)].join(" ");
  if (String(text).trim() && !window.written.has(key)) window.written.set(key, String(text));
  write.apply(this, arguments);
};
prototype.strokeRect = function (x, y, w, h) {
  const key = ["ring", this.strokeStyle, "paper"].join(" ");
  if (!window.written.has(key)) window.written.set(key, `${w} x ${h}`);
  frame.apply(this, arguments);
};
"""


@pytest.fixture
def unreadable() -> Callable[[Page, Locator], list[str]]:
    """What was written since the page opened with too little contrast, one line each."""

    def found(page: Page, root: Locator) -> list[str]:
        channels = root.evaluate(
            "root => getComputedStyle(root).getPropertyValue('--paper').match(/\\d+/g).map(Number)"
        )
        paper = "#" + "".join(f"{channel:02x}" for channel in channels)
        written = page.evaluate("[...window.written].map(([key, text]) => [...key.split(' '), text])")
        assert len(written) > 2
        weak = []
        for kind, ink, ground, text in written:
            reached = contrast(ink, paper if ground == "paper" else ground)
            if reached < (READABLE if kind == "text" else VISIBLE):
                weak.append(f"{kind} {text!r}: {ink} on {ground}, {reached:.2f}")
        return weak

    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_lane_explorer(
    open_file: Callable[..., Page], unreadable: Callable[..., list[str]], tmp_path: Path, theme: str
) -> None:
    shown = LaneExplorer("m16n8k16", formula=WRONG)
    page = open_file(shown.save(tmp_path / "lanes.html"), theme=theme, watch=WATCH)
    root = page.locator(".lx")
    root.locator(".hit[data-grid='C']").focus()
    for key in (
        "ArrowDown",
        "2",
        "ArrowRight",
        "3",
        "ArrowRight",
        "1",
        "r",
        "r",
        "d",
        "[",
        "]",
        "Escape",
        "Space",
        "]",
    ):
        page.keyboard.press(key)
    expect(root.locator(".sub")).to_contain_text("Step k = 1")
    root.locator(".hit[data-grid='L0']").focus()
    page.keyboard.press("ArrowDown")
    assert unreadable(page, root) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("instruction", ["m64n256k16.f32.f16", "m8n8k4.row.col.f32.f16", "HSA"])
def test_tiles_that_are_large_have_blocks_or_repeat(
    open_file: Callable[..., Page], unreadable: Callable[..., list[str]], tmp_path: Path, theme: str, instruction: str
) -> None:
    page = open_file(LaneExplorer(instruction).save(tmp_path / "tile.html"), theme=theme, watch=WATCH)
    root = page.locator(".lx")
    root.locator(".hit[data-grid='C']").focus()
    for key in ("ArrowDown", "2", "ArrowRight", "3", "ArrowRight", "1"):
        page.keyboard.press(key)
    assert unreadable(page, root) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("code", [CHAIN, "ShapeTracker.from_shape((64, 64)).pad(((0, 0), (8, 8)))"])
def test_the_view_explorer(
    open_file: Callable[..., Page], unreadable: Callable[..., list[str]], tmp_path: Path, theme: str, code: str
) -> None:
    page = open_file(shapetracker.explore(code).save(tmp_path / "view.html"), theme=theme, watch=WATCH)
    root = page.locator(".shapetracker-explorer")
    for layer in root.locator(".hit").all():
        layer.focus()
        for key in ("End", "ArrowDown", "ArrowLeft"):
            page.keyboard.press(key)
    assert unreadable(page, root) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_fragment_explorer(
    open_file: Callable[..., Page], unreadable: Callable[..., list[str]], tmp_path: Path, theme: str
) -> None:
    shown = explore_fragment("m16n8k16", "c", PADDED)
    page = open_file(shown.save(tmp_path / "fragment.html"), theme=theme, watch=WATCH)
    root = page.locator(".fragment")
    for part in root.locator(".hit").all():
        part.focus()
        for key in ("ArrowDown", "ArrowRight", "End"):
            page.keyboard.press(key)
    assert unreadable(page, root) == []
