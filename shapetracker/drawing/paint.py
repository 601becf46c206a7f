"""Paints a scene with matplotlib: a Figure of its own, never pyplot, so nothing global changes."""

import io
from typing import Any

from shapetracker.drawing.scene import Box, DrawingError, Label, Line, Raster, Scene


def paint(scene: Scene, paper: str, margin: float, scale: float) -> bytes:
    """The scene as the bytes of a PNG file.

    Raises
    ------
    DrawingError
        When matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise DrawingError(
            "a PNG needs matplotlib, which is not installed: pip install 'lanewise[notebook]', or save as .svg"
        ) from missing
    width, height = scene.width + 2 * margin, scene.height + 2 * margin
    figure = Figure(figsize=(width / 72, height / 72), dpi=72 * scale, facecolor=paper)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    for order, shape in enumerate(scene.moved(margin, margin)):
        for artist in _draw(axes, shape):
            artist.set_zorder(order)  # else matplotlib paints images below lines, whatever came first
    out = io.BytesIO()
    figure.savefig(out, format="png", facecolor=paper, metadata={"Software": None})
    return out.getvalue()


def with_few_colours(png: bytes, colours: int) -> bytes:
    """The same image with a palette: about a quarter of the bytes. Pillow comes with matplotlib."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(colours, method=Image.Quantize.MEDIANCUT).save(
        out, format="png", optimize=True
    )
    return out.getvalue()


def _draw(axes: Any, shape: Box | Label | Line | Raster) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

    match shape:
        case Box():
            grow = shape.frame_width / 2 if shape.frame else 0.0
            corner = (shape.x - grow, shape.y - grow)
            patch = Rectangle(corner, shape.width + 2 * grow, shape.height + 2 * grow)
            patch.set(facecolor=shape.fill or "none", edgecolor=shape.frame or "none")
            patch.set(linewidth=shape.frame_width, linestyle=(0, (3, 2)) if shape.dashed else "solid")
            return [axes.add_patch(patch)]
        case Label():
            text = axes.text(
                shape.x,
                shape.y,
                shape.text.replace("$", r"\$"),
                color=shape.colour,
                fontsize=shape.size,
                ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
                va="center_baseline",
                weight="bold" if shape.bold else "normal",
                family="monospace" if shape.mono else "sans-serif",
            )
            return [text]
        case Line(controls=None):
            xs, ys = (shape.start[0], shape.end[0]), (shape.start[1], shape.end[1])
            line = Line2D(xs, ys, color=shape.colour, linewidth=shape.width, solid_capstyle="butt")
            return [axes.add_line(line)]
        case Line():
            assert shape.controls is not None  # noqa: S101 -- the case above took None; mypy cannot see it
            path = Path([shape.start, *shape.controls, shape.end], [Path.MOVETO, *[Path.CURVE4] * 3])
            return [axes.add_patch(PathPatch(path, fill=False, edgecolor=shape.colour, linewidth=shape.width))]
        case Raster():
            import matplotlib.image

            pixels = matplotlib.image.imread(io.BytesIO(shape.png))
            extent = (shape.x, shape.x + shape.width, shape.y + shape.height, shape.y)
            return [
                axes.imshow(
                    pixels, extent=extent, aspect="auto", interpolation="antialiased", cmap="gray", vmin=0, vmax=1
                )
            ]
