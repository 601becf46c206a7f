"""A flat list of shapes with positions and colours, written as SVG by hand or as PNG by matplotlib.

Every picture that can be saved becomes a scene first, so that SVG and PNG show the same thing. Coordinates are
pixels from the upper left corner.
"""

import base64
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import Literal

from shapetracker.drawing.palette import Theme
from shapetracker.errors import ShapeTrackerError

SANS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace"
HATCH_STEP = 6.0
"""Pixels between the lines of a hatching; lines lie on multiples of it, so they run on from cell to cell."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, filled, framed or both. A frame lies outside the rectangle, so that what is inside stays whole."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    frame: str | None = None
    frame_width: float = 1.0
    dashed: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text; y is the middle of its height."""

    x: float
    y: float
    text: str
    colour: str
    size: float = 12.0
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, or with two control points a cubic curve."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    width: float = 1.0
    controls: tuple[tuple[float, float], tuple[float, float]] | None = None


@dataclass(frozen=True, slots=True)
class Raster:
    """An image, given as the bytes of a PNG file, with square pixels."""

    x: float
    y: float
    width: float
    height: float
    png: bytes = field(repr=False)


class DrawingError(ShapeTrackerError, ValueError):
    """A picture cannot be made in the form that was asked for."""


Shape = Box | Label | Line | Raster


@dataclass(frozen=True, slots=True)
class Scene:
    """Shapes in the order in which they are painted, and the size of the whole."""

    width: float
    height: float
    shapes: tuple[Shape, ...]

    def moved(self, dx: float, dy: float) -> tuple[Shape, ...]:
        """The shapes, shifted."""
        return tuple(_moved(shape, dx, dy) for shape in self.shapes)


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    if isinstance(shape, Line):
        controls = shape.controls and (
            (shape.controls[0][0] + dx, shape.controls[0][1] + dy),
            (shape.controls[1][0] + dx, shape.controls[1][1] + dy),
        )
        start, end = (shape.start[0] + dx, shape.start[1] + dy), (shape.end[0] + dx, shape.end[1] + dy)
        return replace(shape, start=start, end=end, controls=controls)
    return replace(shape, x=shape.x + dx, y=shape.y + dy)


def below(scenes: Iterable[Scene], gap: float) -> Scene:
    """Scenes one under the other, left edges aligned."""
    shapes: list[Shape] = []
    width, y = 0.0, 0.0
    for scene in scenes:
        shapes += scene.moved(0, y)
        width, y = max(width, scene.width), y + scene.height + gap
    return Scene(width, max(0.0, y - gap), tuple(shapes))


def beside(scenes: Iterable[Scene], gap: float) -> Scene:
    """Scenes side by side, upper edges aligned."""
    shapes: list[Shape] = []
    height, x = 0.0, 0.0
    for scene in scenes:
        shapes += scene.moved(x, 0)
        height, x = max(height, scene.height), x + scene.width + gap
    return Scene(max(0.0, x - gap), height, tuple(shapes))


def text_width(text: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """About how wide a text is, in pixels: enough to lay out captions without measuring a font."""
    return len(text) * size * (0.62 if mono else 0.72 if bold else 0.6)


def hatching(x: float, y: float, width: float, height: float, colour: str) -> Iterator[Line]:
    """Lines rising to the right over a rectangle, on a lattice that neighbouring rectangles share."""
    first = int((x + y) // HATCH_STEP) + 1
    last = int((x + width + y + height) // HATCH_STEP)
    for k in range(first, last + 1):
        diagonal = k * HATCH_STEP  # the line of points whose coordinates sum to it
        left, right = max(x, diagonal - (y + height)), min(x + width, diagonal - y)
        if right > left:
            yield Line((left, diagonal - left), (right, diagonal - right), colour)


def to_svg(scene: Scene, theme: Theme, title: str, margin: float = 12.0) -> str:
    """The scene as an SVG document with nothing loaded from elsewhere."""
    width, height = scene.width + 2 * margin, scene.height + 2 * margin
    body = "".join(_svg(shape) for shape in scene.moved(margin, margin))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" role="img" font-family="{SANS}">'
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="{theme.paper}"/>{body}</svg>'
    )


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _svg(shape: Shape) -> str:
    match shape:
        case Box():
            return _svg_box(shape)
        case Label():
            weight = ' font-weight="700"' if shape.bold else ""
            family = f' font-family="{MONO}"' if shape.mono else ""
            anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
            return (
                f'<text x="{_n(shape.x)}" y="{_n(shape.y + shape.size * 0.36)}" fill="{shape.colour}" '
                f'xml:space="preserve" font-size="{_n(shape.size)}"{anchor}{weight}{family}>{escape(shape.text)}</text>'
            )
        case Line():
            start, end = " ".join(map(_n, shape.start)), " ".join(map(_n, shape.end))
            curve = "L" if shape.controls is None else "C" + " ".join(_n(v) for p in shape.controls for v in p)
            return (
                f'<path d="M{start} {curve} {end}" fill="none" stroke="{shape.colour}" '
                f'stroke-width="{_n(shape.width)}"/>'
            )
        case Raster():
            data = base64.b64encode(shape.png).decode()
            return (
                f'<image x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}" '
                f'preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'
            )


def _svg_box(box: Box) -> str:
    tip = f"<title>{escape(box.tip)}</title>" if box.tip else ""
    grow = box.frame_width / 2 if box.frame else 0.0
    place = (
        f'x="{_n(box.x - grow)}" y="{_n(box.y - grow)}" '
        f'width="{_n(box.width + 2 * grow)}" height="{_n(box.height + 2 * grow)}"'
    )
    stroke = f' stroke="{box.frame}" stroke-width="{_n(box.frame_width)}"' if box.frame else ""
    dash = ' stroke-dasharray="3 2"' if box.dashed else ""
    return f'<rect {place} fill="{box.fill or "none"}"{stroke}{dash}>{tip}</rect>'


def to_png(scene: Scene, theme: Theme, margin: float = 12.0, scale: float = 2.0) -> bytes:
    """The scene as a PNG file, `scale` pixels of the file to one of the scene; drawn by matplotlib.

    Raises
    ------
    DrawingError
        When matplotlib is not installed.
    """
    from shapetracker.drawing.paint import paint

    return paint(scene, theme.paper, margin, scale)


def png_of_pixels(pixels: object) -> bytes:
    """An array (height, width), or (height, width, 3 or 4), of 0 to 255, as the bytes of a PNG file.

    The format's lossless core (PNG specification, third edition, sections 5 and 9) with the standard library alone:
    a widget sends an image per change, and this takes a few milliseconds.

    Raises
    ------
    DrawingError
        When the array has another shape.

    Examples
    --------
    >>> import numpy as np
    >>> png_of_pixels(np.zeros((2, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    import struct
    import zlib

    import numpy as np

    array = np.ascontiguousarray(pixels, dtype=np.uint8)
    colour_type = {2: 0}.get(array.ndim) if array.ndim == 2 else {3: 2, 4: 6}.get(array.shape[-1])
    if array.ndim not in (2, 3) or colour_type is None:
        raise DrawingError(f"an image has the shape (height, width) or (height, width, 3 or 4), not {array.shape}")
    height, width = array.shape[:2]
    lines = np.zeros((height, 1 + array[0].size if height else 1), np.uint8)  # the leading 0: no filter
    lines[:, 1:] = array.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    out = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    out.seek(0, io.SEEK_END)
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 1)), (b"IEND", b"")):
        out.write(chunk(kind, data))
    return out.getvalue()
