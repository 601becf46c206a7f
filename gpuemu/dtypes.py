"""The types of values: scalars as numpy or ml_dtypes types, vectors of them, and images.

The module is the namespace: ``dtypes.half``, ``dtypes.float32.vec(4)``, ``dtypes.imagef((2, 3, 4))``.
tf32 is no type of its own: nothing stores it; an instruction that takes it reads 19 bits of a float32.
A number of 4 or 6 bits takes a byte of memory here. It has no infinity and no NaN: what is too large becomes the
largest number, and NaN becomes 0.
"""

import builtins
from dataclasses import dataclass, replace
from typing import Literal

import ml_dtypes
import numpy as np

from gpuemu.errors import shown

Kind = Literal["bool", "signed", "unsigned", "float"]
MAX_VECTOR = 1024  # elements; the widest fragment of a tensor core (wgmma m64n256) has 128 to a lane


@dataclass(frozen=True, slots=True, repr=False)
class DType:
    """The type of a value: a scalar, or a vector of `count` scalars.

    >>> half = float16
    >>> half, half.itemsize, half.vec(4), half.vec(4).itemsize, half.vec(4).scalar()
    (dtypes.float16, 2, dtypes.float16.vec(4), 8, dtypes.float16)
    """

    scalar_name: str
    kind: Kind
    numpy: "np.dtype[np.generic]"
    count: builtins.int = 1

    @property
    def name(self) -> str:
        """The name in a text: ``float16``, and ``float16x4`` for a vector of four."""
        return self.scalar_name if self.count == 1 else f"{self.scalar_name}x{self.count}"

    @property
    def itemsize(self) -> builtins.int:
        """Bytes of one value, all elements of a vector together."""
        return self.numpy.itemsize * self.count

    @property
    def is_float(self) -> builtins.bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> builtins.bool:
        """Whether this is a signed or an unsigned integer; bool is neither."""
        return self.kind in ("signed", "unsigned")

    def scalar(self) -> "DType":
        """The type of one element."""
        return SCALARS[self.scalar_name]

    def vec(self, count: builtins.int) -> "DType":
        """The type of a vector of `count` elements.

        Raises
        ------
        ValueError
            Where this is a vector already, or `count` is not from 1 to 1024.
        """
        if self.count != 1:
            raise ValueError(f"{self!r}.vec({count}): a vector of vectors is no type; take .scalar() first")
        if type(count) is not builtins.int or not 1 <= count <= MAX_VECTOR:
            raise ValueError(f"{self!r}.vec({count}): a vector has from 1 to {MAX_VECTOR} elements")
        return replace(self, count=count)

    def __repr__(self) -> str:
        return f"dtypes.{self.scalar_name}" + (f".vec({self.count})" if self.count > 1 else "")

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, repr=False)
class ImageDType(DType):
    """An image of `shape` (height, width, 4): loads and stores move four float32 at a position (x, y)."""

    shape: tuple[builtins.int, ...] = (1, 1, 4)

    @property
    def name(self) -> str:
        return f"{self.scalar_name}({','.join(map(str, self.shape))})"

    @property
    def itemsize(self) -> builtins.int:
        return self.numpy.itemsize * self.shape[0] * self.shape[1] * self.shape[2]

    def scalar(self) -> DType:
        """The type of one stored channel: float32 or float16."""
        return float32 if self.scalar_name == "imagef" else float16

    def vec(self, count: builtins.int) -> DType:
        raise ValueError(f"{self!r}.vec({count}): an image has no vectors; it is loaded as float32.vec(4)")

    def __repr__(self) -> str:
        return f"dtypes.{self.scalar_name}({self.shape})"


def _image(name: str, stored: DType, shape: tuple[builtins.int, ...]) -> ImageDType:
    shape = tuple(shape)
    if len(shape) != 3 or shape[2] != 4 or not all(type(n) is builtins.int and n > 0 for n in shape):
        raise ValueError(f"dtypes.{name}({shape}): the shape of an image is (height, width, 4)")
    return ImageDType(name, "float", stored.numpy, 1, shape)


def imagef(shape: tuple[builtins.int, ...]) -> ImageDType:
    """The type of an image of float32; `shape` is (height, width, 4).

    >>> imagef((2, 3, 4)).itemsize
    96
    """
    return _image("imagef", float32, shape)


def imageh(shape: tuple[builtins.int, ...]) -> ImageDType:
    """The type of an image of float16; `shape` is (height, width, 4). Loads and stores still speak float32.

    >>> imageh((2, 3, 4)).itemsize
    48
    """
    return _image("imageh", float16, shape)


def parse(text: str) -> DType:
    """The type that a text names: the inverse of `str`.

    >>> parse("float16x4"), parse("imagef(2,3,4)"), parse("half")
    (dtypes.float16.vec(4), dtypes.imagef((2, 3, 4)), dtypes.float16)

    Raises
    ------
    ValueError
        Where no type has that name.
    """
    image, parenthesis, sizes = text.partition("(")
    if image in ("imagef", "imageh") and parenthesis and sizes.endswith(")"):
        parts = sizes[:-1].split(",")
        if all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            return (imagef if image == "imagef" else imageh)(tuple(builtins.int(part) for part in parts))
    name, cross, count = text.rpartition("x")
    if not cross:
        name, count = text, "1"
    scalar = SCALARS.get(name) or ALIASES.get(name)
    if scalar is None or not (count.isascii() and count.isdigit() and len(count) < 6):
        raise ValueError(
            f"no type is called {shown(text)}; there are {', '.join(SCALARS)}, and vectors such as float16x4"
        )
    return scalar.vec(builtins.int(count))


def _scalar(name: str, kind: Kind, numpy: object) -> DType:
    return DType(name, kind, np.dtype(numpy))  # type: ignore[call-overload]


bool = _scalar("bool", "bool", np.bool_)
int8 = char = _scalar("int8", "signed", np.int8)
uint8 = uchar = _scalar("uint8", "unsigned", np.uint8)
int16 = short = _scalar("int16", "signed", np.int16)
uint16 = ushort = _scalar("uint16", "unsigned", np.uint16)
int32 = int = _scalar("int32", "signed", np.int32)
uint32 = uint = _scalar("uint32", "unsigned", np.uint32)
int64 = long = _scalar("int64", "signed", np.int64)
uint64 = ulong = _scalar("uint64", "unsigned", np.uint64)
float16 = half = _scalar("float16", "float", np.float16)
bfloat16 = _scalar("bfloat16", "float", ml_dtypes.bfloat16)
float32 = float = _scalar("float32", "float", np.float32)
float64 = double = _scalar("float64", "float", np.float64)
float8_e4m3fn = _scalar("float8_e4m3fn", "float", ml_dtypes.float8_e4m3fn)
float8_e5m2 = _scalar("float8_e5m2", "float", ml_dtypes.float8_e5m2)
float8_e4m3fnuz = _scalar("float8_e4m3fnuz", "float", ml_dtypes.float8_e4m3fnuz)
float8_e5m2fnuz = _scalar("float8_e5m2fnuz", "float", ml_dtypes.float8_e5m2fnuz)
float6_e2m3fn = _scalar("float6_e2m3fn", "float", ml_dtypes.float6_e2m3fn)
float6_e3m2fn = _scalar("float6_e3m2fn", "float", ml_dtypes.float6_e3m2fn)
float4_e2m1fn = _scalar("float4_e2m1fn", "float", ml_dtypes.float4_e2m1fn)

SCALARS: dict[str, DType] = {
    t.scalar_name: t
    for t in (
        *(bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64),
        *(float16, bfloat16, float32, float64),
        *(float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz),
        *(float6_e2m3fn, float6_e3m2fn, float4_e2m1fn),
    )
}

# The names that C programmers and tinygrad's users type.
ALIASES: dict[str, DType] = {
    "char": int8,
    "uchar": uint8,
    "short": int16,
    "ushort": uint16,
    "int": int32,
    "uint": uint32,
    "long": int64,
    "ulong": uint64,
    "half": float16,
    "float": float32,
    "double": float64,
}
