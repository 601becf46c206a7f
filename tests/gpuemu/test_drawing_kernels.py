"""The picture of a kernel from views says where each operand is and what each lane computes."""

from gpuemu.kernels.from_views import elementwise, matmul, reduce
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


def test_the_picture_follows_one_lane_to_memory():
    turned = ShapeTracker.from_shape((16, 32)).permute((1, 0))
    kernel = matmul(turned, ShapeTracker.from_shape((16, 7)).pad(((0, 0), (0, 1))), "m16n8k8")
    text = str(kernel.draw())
    # lane 5 is in row 1, columns 2 and 3 of A; of the turned matrix, that is 2 · 32 + 1 and 3 · 32 + 1
    assert "lane 5 of tile (0, 0) holds a[65, 97, 73, 105]" in text
    reduced = reduce("ADD", 1, ShapeTracker.from_shape((3,)), ShapeTracker.from_shape((3, 4)).pad(((0, 0), (1, 0))))
    assert "idx = 2, k1 = 1: in0[8]" in str(reduced.draw())


def test_a_place_without_an_element_is_said():
    padded = ShapeTracker.from_shape((2,)).pad(((0, 4),))
    assert "idx = 5: in0[none]" in str(elementwise(lambda x: x, ShapeTracker.from_shape((6,)), padded).draw())


def test_a_large_view_is_words_alone():
    large = ShapeTracker.from_shape((1000, 1000))
    assert len(str(elementwise(lambda x: x, large, large).draw())) < 5000
