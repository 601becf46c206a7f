"""Whatever is written in a picture can be read, in SVG and PNG of both themes, and in HTML on every kind of page."""

import numpy as np
import pytest
from written_colours import PAGES, in_html, in_scenes

from shapetracker import ShapeTracker, Variable
from shapetracker.drawing.grid import FRAMES, Cell, Grid
from shapetracker.drawing.palette import DARK, LIGHT, Theme, channels, contrast, fill, ramp
from shapetracker.drawing.picture import Picture

READABLE = 4.5
"""WCAG 2.2, 1.4.3."""
VISIBLE = 3.0
"""WCAG 2.2, 1.4.11: what is no text, such as a frame."""
TRANSPOSED = ShapeTracker.from_shape((4, 6)).permute((1, 0))


def every_cell() -> Picture:
    """Every hue at every place, k, no fill; each full, hushed, framed in each way, and masked."""
    cells = [
        Cell("7", group, place / 8, hushed=hushed) for group in range(8) for place in range(9) for hushed in (0, 1)
    ]
    cells += [Cell("7", "ordered", place / 8, hushed=hushed) for place in range(9) for hushed in (0, 1)]
    cells += [Cell("7", hushed=hushed) for hushed in (0, 1)]
    cells += [Cell("7", group, ring=ring, masked=m) for group in (None, 3) for ring in FRAMES for m in (0, 1)]
    cells += [Cell("", masked=True)]
    grid = Grid(1, 32, lambda r, c: None, title="t", caption="words", row_axis="axis 0", column_axis="axis 1")
    rows = [cells[i : i + 32] for i in range(0, len(cells), 32)]
    return Picture("every cell", (grid, *(Grid(1, len(row), lambda r, c, row=row: row[c]) for row in rows)))


def pictures() -> dict[str, Picture]:
    i = Variable("i", 0, 7)
    return {
        "every cell": every_cell(),
        "view": TRANSPOSED.pad(((1, 1), (1, 2))).draw(),
        "two views": TRANSPOSED.reshape((24,)).draw(),
        "long": ShapeTracker.from_shape((100, 100)).draw(),
        "expression": ((i * 8 + 5) // 4 % 2).draw(),
    }


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
@pytest.mark.parametrize("name", pictures())
def test_every_label_of_a_scene_has_contrast_of_at_least_4_5(name: str, look: Theme) -> None:
    found = list(in_scenes(pictures()[name], look))
    assert len(found) > 3
    assert [written for written in found if contrast(*written[1:]) < READABLE] == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", pictures())
def test_every_text_of_html_has_contrast_of_at_least_4_5(name: str, page: str) -> None:
    found = list(in_html(pictures()[name].html(), *PAGES[page]))
    assert len(found) > 3
    assert [written for written in found if contrast(*written[1:]) < READABLE] == []


@pytest.mark.parametrize("page", PAGES)
def test_frames_in_html_stand_out_from_the_page_or_from_their_fill(page: str) -> None:
    for name in ("accent", "error"):
        assert contrast(FRAMES[name], PAGES[page][1]) >= VISIBLE
    for place in np.linspace(0, 1, 17):
        fills = [fill(group, float(place)) for group in range(8)] + [ramp(float(place))]
        assert min(contrast(FRAMES["ink"], under) for under in fills) >= VISIBLE


def test_what_has_no_full_colour_lets_the_page_through() -> None:
    def ground(cell: Cell, paper: str) -> str:
        return next(
            under for text, _, under in in_html(Grid(1, 1, lambda r, c: cell).html(), "#777777", paper) if text == "7"
        )

    for cell in (Cell("7"), Cell("7", 2, 0.5, hushed=True), Cell("7", ring="error")):
        assert min(channels(ground(cell, "#ffffff"))) > 170
        assert max(channels(ground(cell, "#111111"))) < 85


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_muted_numbers_can_be_read_on_a_cell_that_nobody_holds(look: Theme) -> None:
    for ink in (look.cell_ink, look.cell_muted, look.ink, look.muted, look.error, look.accent):
        assert contrast(ink, look.wash) >= READABLE


@pytest.mark.parametrize(
    "paper", ["#ffffff", "#fafafa", "#f3f3f3", "#111111", "#131416", "#1e1e1e", "#1f1f1f", "#383838"]
)
def test_words_rings_and_focus_stand_out_from_papers_that_notebooks_have(paper: str) -> None:
    look = LIGHT if min(channels(paper)) > 110 else DARK
    for words in (look.ink, look.muted, look.error):
        assert contrast(words, paper) >= READABLE
    for ring in (look.ink, look.accent, look.error):
        assert contrast(ring, paper) >= VISIBLE
