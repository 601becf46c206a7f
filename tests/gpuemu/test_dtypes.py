"""The types of values."""

import ml_dtypes
import numpy as np
import pytest

from gpuemu import dtypes


@pytest.mark.parametrize("dtype", dtypes.SCALARS.values(), ids=str)
def test_every_scalar_type_is_a_numpy_type_of_its_name(dtype: dtypes.DType) -> None:
    assert dtype.numpy.name == dtype.name
    assert dtype.itemsize == dtype.numpy.itemsize
    assert dtype.count == 1
    assert dtype.scalar() is dtype


def test_a_vector_knows_its_scalar_and_its_size() -> None:
    vector = dtypes.half.vec(4)
    assert (vector.count, vector.itemsize, vector.name, vector.scalar()) == (4, 8, "float16x4", dtypes.float16)
    assert dtypes.half.vec(1) == dtypes.half


def test_the_aliases_are_the_types_themselves() -> None:
    assert dtypes.half is dtypes.float16
    assert dtypes.float is dtypes.float32
    assert dtypes.double is dtypes.float64
    assert dtypes.int is dtypes.int32
    assert dtypes.bfloat16.numpy == np.dtype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("dtype", [*dtypes.SCALARS.values(), dtypes.int32.vec(2), dtypes.imagef((2, 3, 4))], ids=str)
def test_a_type_is_read_back_from_its_name(dtype: dtypes.DType) -> None:
    assert dtypes.parse(str(dtype)) == dtype


def test_a_repr_is_the_python_that_makes_it() -> None:
    made = [dtypes.half, dtypes.int8.vec(2), dtypes.imageh((2, 3, 4))]
    assert [eval(repr(dtype), {"dtypes": dtypes}) for dtype in made] == made  # noqa: S307


def test_an_image_holds_four_channels_of_its_scalar() -> None:
    assert dtypes.imagef((2, 3, 4)).itemsize == 96
    assert dtypes.imageh((2, 3, 4)).scalar() == dtypes.half


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dtypes.half.vec(4).vec(2), r"dtypes.float16.vec\(4\).vec\(2\): a vector of vectors is no type"),
        (lambda: dtypes.half.vec(0), r"dtypes.float16.vec\(0\): a vector has from 1 to 1024 elements"),
        (lambda: dtypes.imagef((2, 3)), r"dtypes.imagef\(\(2, 3\)\): the shape of an image is \(height, width, 4\)"),
        (lambda: dtypes.imagef((2, 3, 4)).vec(2), "an image has no vectors"),
        (lambda: dtypes.parse("float17"), "no type is called 'float17'"),
        (lambda: dtypes.parse("float16xx"), "no type is called 'float16xx'"),
    ],
)
def test_what_is_no_type_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
