"""The picture of a kernel from views says where each operand is and what each lane computes."""

from gpuemu.kernels.from_views import elementwise, matmul
from shapetracker import ShapeTracker


def test_the_picture_goes_from_view_to_lane():
    padded = ShapeTracker.from_shape((14, 16)).pad(((2, 0), (0, 0)))
    kernel = matmul(padded, ShapeTracker.from_shape((8, 16)).permute((1, 0)), "m16n8k16")
    text = str(kernel.draw())
    for access in kernel.accesses:
        assert access.simple_index.render() in text
        assert repr(access.reached) in text
    assert kernel.accesses[1].simple_valid.render() in text
    assert "WMMA" in text
    assert "mma.sync.aligned.m16n8k16" in text


def test_the_picture_has_its_html_and_svg():
    kernel = elementwise(lambda x: x, ShapeTracker.from_shape((2, 2)), ShapeTracker.from_shape((2, 2)))
    assert "index as built" in kernel._repr_html_()
    assert kernel.draw().svg().startswith("<svg")


def test_a_large_view_is_words_alone():
    large = ShapeTracker.from_shape((1000, 1000))
    assert len(str(elementwise(lambda x: x, large, large).draw())) < 5000
