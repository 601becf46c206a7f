"""The picture of a dot product: what is kept, what is cut, and two units side by side."""

import pytest

from gpuemu.tensorcores import arithmetic
from shapetracker.drawing.picture import Picture

A, B = [1.5, 2.0**-12, -0.25, 0.0], [1.5, 2.0**-12, 1.0, 3.0]


def explained(name, c=0.0, out="fp32"):
    return arithmetic.unit(name).explain(A, B, c, "fp16", out)


def test_picture_shows_the_bits_that_are_kept_and_those_that_are_cut():
    text = str(explained("V100").draw())
    rows = {
        line.split("=")[0].strip(): line.split("=")[1].split()[1:]
        for line in text.splitlines()
        if "·b" in line and "=" in line
    }
    assert rows["a0·b0"][:3] == ["10", "0100", "0000"]
    assert any("!" in cell for cell in rows["a1·b1"])
    assert not any("!" in cell for cell in rows["a0·b0"])
    assert "result" in text


@pytest.mark.parametrize("name", list(arithmetic.units()))
def test_every_unit_draws_itself_in_every_form(name, tmp_path):
    picture = explained(name).draw()
    assert isinstance(picture, Picture)
    assert "<table" in picture._repr_html_()
    assert picture.save(tmp_path / "steps.svg").read_text().startswith("<svg")
    assert explained(name)._repr_html_() == picture._repr_html_()


def test_short_steps_are_a_line_each():
    lines = str(explained("fp32-sequential", out="fp16").draw()).splitlines()
    assert any(line.startswith("k = 0") and "c 0 + a0·b0 2.25 = 2.25" in line for line in lines)
    assert any(line.startswith("at the end") for line in lines)


def test_units_stand_side_by_side():
    picture = explained("V100").beside(explained("H100"))
    first = str(picture).splitlines()[0]
    assert picture.title == "V100 beside H100"
    assert first.index("V100") < first.index("H100")


def test_long_tails_of_cut_bits_end_in_dots():
    text = str(explained("A100", c=2.0**-120 * 1.25).draw())
    assert "…!" in text


def test_repr_is_one_line_with_the_result():
    assert repr(explained("A100")) == "Explanation(A100, fp16 · fp16 + fp32 by mma: 2)"
