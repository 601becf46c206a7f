"""Whatever is written in a picture of lanes, programs or arithmetic can be read, whatever the page."""

import pytest
from written_colours import PAGES, in_html, in_scenes

from gpuemu import BinaryOps, Program, UOps, dtypes, tensorcores
from gpuemu.drawing.fragments import draw_placed
from gpuemu.tensorcores.checker import check_fragment
from gpuemu.tensorcores.placed import place
from shapetracker import ShapeTracker
from shapetracker.drawing.palette import DARK, LIGHT, Theme, contrast
from shapetracker.drawing.picture import Picture

READABLE = 4.5
"""WCAG 2.2, 1.4.3."""
WRONG = "lane / 4 + 8 * (i % 2), 2 * (lane % 4) + i % 2"
DOUBLE = [
    (UOps.DEFINE_GLOBAL, dtypes.float32, [], (0, True)),
    (UOps.SPECIAL, dtypes.int32, [], (0, "lidx0", 4)),
    (UOps.LOAD, dtypes.float32, [0, 1], None),
    (UOps.ALU, dtypes.float32, [2, 2], BinaryOps.ADD),
    (UOps.STORE, None, [0, 1, 3], None),
]
PADDED = ShapeTracker.from_shape((14, 7)).pad(((0, 2), (0, 1)))
DRAWN = {
    "instruction": lambda: tensorcores.instruction("m16n8k16").draw(),
    "instruction of which an operand is in shared memory": lambda: tensorcores.instruction("m64n8k16.f32.f16").draw(),
    "sparse": lambda: tensorcores.instruction("gfx942.smfmac_f32_16x16x32_f16").draw(),
    "lanes that repeat": tensorcores.instruction("gfx1100.wmma_f32_16x16x16_f16.w32").a.draw,
    "checked": lambda: check_fragment("m16n8k16", "c", WRONG).draw(),
    "copy": lambda: tensorcores.copy_instruction("ldmatrix.x1").draw(),
    "placed": lambda: draw_placed(place("m16n8k16", "c", PADDED, (0, 0))),
    "program": lambda: Program("double", DOUBLE).draw(),
    "arithmetic": lambda: (
        tensorcores.arithmetic.unit("A100")
        .explain([2.0**12, 1.5, -(2.0**-9)], [1.0, 1.0, 1.0], 0.25, "fp16", "fp32")
        .draw()
    ),
}


@pytest.fixture(scope="module", params=DRAWN)
def picture(request: pytest.FixtureRequest) -> Picture:
    return DRAWN[request.param]()


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_every_label_of_a_scene_has_contrast_of_at_least_4_5(picture: Picture, look: Theme) -> None:
    found = list(in_scenes(picture, look))
    assert len(found) > 3
    assert [written for written in found if contrast(*written[1:]) < READABLE] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_text_of_html_has_contrast_of_at_least_4_5(picture: Picture, page: str) -> None:
    found = list(in_html(picture.html(), *PAGES[page]))
    assert len(found) > 3
    assert [written for written in found if contrast(*written[1:]) < READABLE] == []
