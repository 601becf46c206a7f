"""What views gather from an image, as an image: the photograph in memory order beside the one that the views see."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from shapetracker.drawing.layout import Beside
from shapetracker.drawing.memory import tuple_text
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.picture import Figure
from shapetracker.drawing.scene import Label, Raster, Scene, Shape, hatching, png_of_pixels, text_width
from shapetracker.drawing.views import expressions

if TYPE_CHECKING:
    import numpy as np

    from shapetracker.tracker import ShapeTracker
    from shapetracker.view import View

LONGEST = 300
"""Pixels of the longer side of an image in a picture; a larger one is thinned out, as a view thins out: by strides."""


def channels_of(image: "np.ndarray[Any, Any]", shape: Sequence[int]) -> int:
    """How many numbers at the end of an index are the colour of one pixel.

    Examples
    --------
    >>> import numpy as np
    >>> photograph = np.zeros((4, 6, 3), np.uint8)
    >>> channels_of(photograph, (6, 4, 3)), channels_of(photograph, (3, 4, 6)), channels_of(photograph, (24, 3))
    (3, 1, 1)
    """
    channels = image.shape[2] if image.ndim == 3 else 1
    return channels if len(shape) > 2 and shape[-1] == channels else 1


def gathered(views: "Sequence[View]", image: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """What the views gather, as (rows, columns, 4) unsigned bytes: clear where masked.

    Of more axes than an image has, the blocks of the last ones stand one under the other.

    Examples
    --------
    >>> import numpy as np
    >>> from shapetracker import ShapeTracker
    >>> padded = ShapeTracker.from_shape((2, 2)).pad(((0, 0), (0, 1)))
    >>> gathered(padded.views, np.array([[10, 20], [30, 40]], np.uint8))[:, :, 0].tolist()
    [[10, 20, 0], [30, 40, 0]]
    >>> gathered(padded.views, np.array([[10, 20], [30, 40]], np.uint8))[:, :, 3].tolist()
    [[255, 255, 0], [255, 255, 0]]
    """
    import numpy as np

    from shapetracker.arrays import index_arrays

    shape = views[-1].shape
    channels = channels_of(image, shape)
    index, valid = index_arrays(views)
    memory = image.reshape(-1)
    colours = np.where(valid, memory[index], 0) if index.size else np.zeros(shape, np.uint8)
    across = (shape[-2] if channels > 1 else shape[-1]) if shape else 1
    out = np.empty((prod(shape) // max(1, across * channels), across, 4), np.uint8)
    out[..., :3] = colours.reshape(-1, across, channels)[..., :3]
    out[..., 3] = valid.reshape(-1, across, channels)[..., 0] * np.uint8(255)
    return out


def thinning(tracker: "ShapeTracker", image: "np.ndarray[Any, Any]", longest: int) -> int:
    """Every how manieth pixel is kept, so that no side has more than `longest` of them."""
    first, end = _pixel_axes(tracker.shape, image)
    return max(1, -(-max(tracker.shape[first:end], default=1) // longest))


def thinned(tracker: "ShapeTracker", image: "np.ndarray[Any, Any]", longest: int = LONGEST) -> "ShapeTracker":
    """The same picture with at most `longest` pixels a side: every second, third … one, by strides.

    A million elements take a tenth of a second to gather, and a screen shows a few thousand of them.

    Examples
    --------
    >>> import numpy as np
    >>> photograph = np.zeros((600, 512, 3), np.uint8)
    >>> from shapetracker import ShapeTracker
    >>> thinned(ShapeTracker.from_shape((600, 512, 3)).permute((1, 0, 2)), photograph).shape
    (256, 300, 3)
    """
    step = thinning(tracker, image, longest)
    first, end = _pixel_axes(tracker.shape, image)
    return (
        tracker
        if step == 1
        else tracker.stride(tuple(step if first <= axis < end else 1 for axis in range(len(tracker.shape))))
    )


def _pixel_axes(shape: Sequence[int], image: "np.ndarray[Any, Any]") -> tuple[int, int]:
    """From which axis on, and before which, an index says rows and columns of pixels."""
    end = len(shape) - (channels_of(image, shape) > 1)
    return max(0, end - 2), end


@dataclass(frozen=True, slots=True)
class Pixels:
    """An image with a title and a caption."""

    pixels: "np.ndarray[Any, Any]" = field(repr=False)
    title: str
    caption: str

    def text(self) -> str:
        """Title, caption and size."""
        height, width = self.pixels.shape[:2]
        return f"{self.title}  {self.caption}\n(an image of {height} × {width} pixels)"

    def html(self) -> str:
        """The image as data inside the page."""
        import base64
        from html import escape

        width, height = self._size()
        data = base64.b64encode(png_of_pixels(self.pixels)).decode()
        return (
            f'<div style="font-size:13px;margin:0 0 6px 0"><b>{escape(self.title)}</b>&ensp;'
            f"{escape(self.caption)}</div>"
            f'<img alt="{escape(self.title)}, {escape(self.caption)}" width="{width:.0f}" height="{height:.0f}" '
            f'src="data:image/png;base64,{data}">'
        )

    def _size(self) -> tuple[float, float]:
        height, width = self.pixels.shape[:2]
        scale = max(1, LONGEST // max(height, width, 1))  # whole pixels: nothing blurs
        return float(width * scale), float(height * scale)

    def scene(self, theme: Theme) -> Scene:
        """The image over a hatching, which shows where it is clear."""
        width, height = self._size()
        shapes: list[Shape] = [
            Label(0, 9, self.title, theme.ink, 13, bold=True),
            Label(0, 27, self.caption, theme.muted, 12),
            *hatching(0, 42, width, height, theme.rule),
            Raster(0, 42, width, height, png_of_pixels(self.pixels)),
        ]
        return Scene(max(width, text_width(self.caption, 12)), 42 + height, tuple(shapes))


def draw_gathered(tracker: "ShapeTracker", image: "np.ndarray[Any, Any]") -> Figure:
    """An image as it lies in memory, beside what a tracker gathers from it, with the index expression below.

    Parameters
    ----------
    tracker : ShapeTracker
    image : array of unsigned bytes, (height, width) or (height, width, 3 or 4)

    Returns
    -------
    Figure
    """
    from shapetracker.tracker import ShapeTracker

    stored = thinned(ShapeTracker.from_shape(image.shape), image).as_array(image)
    before = Pixels(stored, "memory", f"shape {tuple_text(image.shape)}, {image.size} numbers")
    view = tracker.views[-1]
    words = f"shape {tuple_text(view.shape)}, strides {tuple_text(view.strides)}"
    after = Pixels(gathered(thinned(tracker, image).views, image), "view", words)
    return Figure(f"an image through shape {tracker.shape}", (Beside((before, after), 36), expressions(tracker)))
