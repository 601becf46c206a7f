"""Grids and pictures: one content in text, HTML, SVG and PNG."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from shapetracker import ShapeTracker, View
from shapetracker.drawing.expressions import Table
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Beside, Code, Stack, Words
from shapetracker.drawing.palette import LIGHT
from shapetracker.drawing.photographs import draw_gathered
from shapetracker.drawing.picture import Picture
from shapetracker.drawing.scene import DrawingError, Line, hatching, png_of_pixels
from shapetracker.drawing.views import addresses, draw_tracker, draw_why
from shapetracker.why import why_not_reshape

FRAME = ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (1, 2))).flip((1,))
STACK = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,))
TILES = ShapeTracker.from_shape((8, 12)).reshape((2, 4, 3, 4)).permute((0, 2, 1, 3))


def numbers(rows: int, columns: int, **more: object) -> Grid:
    def cell(r: int, c: int) -> Cell:
        return Cell(str(columns * r + c), group=r, place=c / columns, tip=f"[{r}, {c}]")

    return Grid(rows, columns, cell, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(1 << 30, 2), (2, 1 << 30), (1 << 40, 1 << 40)])
def test_a_very_large_view_is_drawn_by_its_ends(shape: tuple[int, int]) -> None:
    text = str(draw_tracker(ShapeTracker.from_shape(shape)))
    assert f"the first and last of {shape[0]} × {shape[1]}" in text
    assert len(text) < 20_000


def test_a_grid_of_32_is_whole_and_one_of_33_shows_its_ends() -> None:
    assert "…" not in numbers(32, 32).text()
    text = numbers(33, 33, title="A").text()
    assert "the first and last of 33 × 33" in text
    assert text.splitlines()[-1].split() == ["32", *map(str, range(1056, 1064)), "…", *map(str, range(1081, 1089))]


def test_html_sets_both_colours_of_each_cell_and_uses_no_style_sheet() -> None:
    html = numbers(2, 3).html()
    cells = re.findall(r"<td title=[^>]*>", html)
    assert len(cells) == 6
    assert all("background:#" in cell and ";color:#" in cell for cell in cells)
    assert "<style" not in html
    assert "<svg" not in html


def test_html_escapes_what_a_cell_says() -> None:
    html = Grid(1, 1, lambda r, c: Cell("<b>", group=0, tip='"&')).html()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert 'title="&quot;&amp;"' in html


def test_a_masked_cell_is_a_dot_without_a_fill() -> None:
    grid = Grid(1, 2, lambda r, c: Cell(str(c), group=0, masked=c == 0), row_labels=(), column_labels=())
    assert grid.text() == "· 1"
    assert "dotted" in grid.html()
    assert any(isinstance(shape, Line) for shape in grid.scene(LIGHT).shapes)


def test_rings_are_brackets_and_errors_exclamation_marks_in_text() -> None:
    rings = ("ink", "error", None)
    grid = Grid(1, 3, lambda r, c: Cell("7", ring=rings[c]), row_labels=(), column_labels=())  # type: ignore[arg-type]
    assert grid.text() == "[7] 7! 7"


def test_hatching_of_neighbours_lies_on_one_lattice() -> None:
    for line in [*hatching(0, 0, 20, 17, "#000"), *hatching(20, 0, 20, 17, "#000")]:
        assert sum(line.start) % 6 == pytest.approx(0)
        assert sum(line.end) % 6 == pytest.approx(0)


@pytest.mark.parametrize("tracker", [FRAME, STACK, TILES], ids=["frame", "stack", "tiles"])
def test_each_cell_shows_the_address_that_gather_reads(tracker: ShapeTracker) -> None:
    size = 96 if tracker is TILES else 24
    expected = tracker.gather(np.arange(size), fill=-1)
    for index in np.ndindex(*tracker.shape):
        found = addresses(tracker.views, index)[-1]
        assert (-1 if found is None else found) == expected[index]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_svg_is_well_formed_and_loads_nothing(name: str) -> None:
    for tracker in (FRAME, STACK, TILES):
        svg = draw_tracker(tracker).svg(name)  # type: ignore[arg-type]
        ElementTree.fromstring(svg)  # noqa: S314 - our own text
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_save_writes_each_form_and_refuses_others(tmp_path: Path) -> None:
    picture = draw_tracker(FRAME)
    for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!doctype html>"), (".txt", b"memory")):
        assert picture.save(tmp_path / f"view{ending}").read_bytes().startswith(start)
    with pytest.raises(DrawingError, match=r"save 'view.pdf': a picture ends in .svg, .png, .html or .txt, not '.pdf'"):
        picture.save(tmp_path / "view.pdf")


def test_parts_beside_each_other_share_their_lines() -> None:
    both = Beside((Words("one"), Stack((Code((("a", "b"),)), Words("two")))))
    assert both.text() == "one   a  b\n\n      two"


def test_a_four_dimensional_view_is_a_grid_of_grids() -> None:
    text = str(draw_tracker(TILES))
    assert "[0, 2, ·, ·]" in text
    assert "[1, 0, ·, ·]" in text


def test_an_empty_view_says_so() -> None:
    assert "No elements: an axis has size 0." in str(draw_tracker(ShapeTracker.from_shape((0, 3))))


def test_a_nothing_valid_view_is_all_dots() -> None:
    nothing = View.create((2, 2), mask=((0, 0), (0, 0)))
    assert "0  · ·\n1  · ·" in str(nothing.draw())


def test_the_evidence_shows_the_odd_step_in_the_error_colour() -> None:
    why = why_not_reshape(View.create((4, 6)).permute((1, 0)), (24,))
    assert why is not None
    picture = draw_why(why)
    assert "+6, −17" in str(picture)
    assert LIGHT.error in picture.svg()


def test_a_picture_has_a_repr_without_addresses() -> None:
    assert repr(Picture("lanes", ())) == "Picture('lanes')"


def test_a_photograph_is_a_figure_with_the_gathered_pixels() -> None:
    photograph = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    figure = draw_gathered(ShapeTracker.from_shape((4, 6, 3)).flip((1,)), photograph)
    assert figure._repr_html_() is None
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert "an image of 4 × 6 pixels" in str(figure)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (5, 7, 4)])
def test_png_holds_the_pixels_exactly(shape: tuple[int, ...], tmp_path: Path) -> None:
    from matplotlib import image

    pixels = np.arange(np.prod(shape)).astype(np.uint8).reshape(shape)
    (tmp_path / "p.png").write_bytes(png_of_pixels(pixels))
    assert (np.rint(image.imread(tmp_path / "p.png") * 255).astype(np.uint8) == pixels).all()


def test_png_of_another_shape_is_refused() -> None:
    with pytest.raises(DrawingError, match=r"not \(2, 3, 2\)"):
        png_of_pixels(np.zeros((2, 3, 2), np.uint8))


def test_a_column_without_a_heading_has_no_empty_header() -> None:
    html = Table(("", "step"), (("1", "x"),)).html()
    assert html.count("<th ") == 1
    assert html.count("<td ") == 3
