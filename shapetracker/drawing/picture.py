"""Picture: what `draw()` returns. HTML in a notebook, text in a terminal, SVG, PNG or HTML in a file."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Protocol, runtime_checkable

from shapetracker.drawing.palette import Theme, ThemeName, theme
from shapetracker.drawing.scene import DrawingError, Scene, below, to_png, to_svg

GAP = 14.0
"""Pixels between the parts of a picture."""
FIRST_LINE = " \n"
"""JupyterLab writes the first line that is not empty of an output that is folded away as plain text: here a space."""
NOTEBOOK_COLOURS = 128
"""Colours of an image in a notebook: photographs are large, and notebooks are kept in Git."""


@runtime_checkable
class Part(Protocol):
    """A piece of a picture, in its three forms."""

    def text(self) -> str:
        """The text twin: everything that the picture says, for a terminal or a screen reader."""
        ...

    def html(self) -> str:
        """HTML with inline styles only, so that it survives in a notebook that is not trusted."""
        ...

    def scene(self, theme: Theme) -> Scene:
        """Shapes for SVG and PNG."""
        ...


@dataclass(frozen=True, slots=True)
class Picture:
    """Parts one under the other, with a title for documents and for `repr`.

    Parameters
    ----------
    title : str
        A short name of what is shown.
    parts : tuple of Part
        Grids, words, tables.
    flows : int
        So many of the last parts stand side by side in HTML, as far as there is room, and then below.

    Examples
    --------
    >>> from shapetracker.drawing.layout import Words
    >>> picture = Picture("greeting", (Words("A stride is a jump."),))
    >>> picture
    Picture('greeting')
    >>> print(picture)
    A stride is a jump.
    """

    title: str
    parts: tuple[Part, ...]
    flows: int = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title!r})"

    def __str__(self) -> str:
        return "\n\n".join(part.text() for part in self.parts)

    def html(self) -> str:
        """The picture as HTML with inline styles."""
        line = f"display:inline-block;vertical-align:top;margin:0 {2 * GAP:.0f}px"
        first = len(self.parts) - self.flows
        styles = ["margin:0 0"] * first + [line] * self.flows
        parts = "".join(
            f'<div style="{style} {GAP:.0f}px 0">{part.html()}</div>'
            for style, part in zip(styles, self.parts, strict=True)
        )
        return f"<div>{parts}</div>"

    def _repr_html_(self) -> str | None:
        return FIRST_LINE + self.html()

    def svg(self, name: ThemeName = "light") -> str:
        """The picture as an SVG document, in the light or the dark theme."""
        look = theme(name)
        return to_svg(below((part.scene(look) for part in self.parts), GAP), look, self.title)

    def png(self, name: ThemeName = "light", scale: float = 2.0) -> bytes:
        """The picture as the bytes of a PNG file; needs matplotlib."""
        look = theme(name)
        return to_png(below((part.scene(look) for part in self.parts), GAP), look, scale=scale)

    def save(self, path: str | Path, theme: ThemeName = "light") -> Path:
        """Write the picture to a file; the ending chooses the form.

        Parameters
        ----------
        path : str or Path
            Ends in .svg, .png, .html or .txt. All of them stand alone: nothing is loaded from elsewhere.
        theme : "light" or "dark"
            For .svg and .png; HTML follows the reader's theme.

        Returns
        -------
        Path
            Where it was written.

        Raises
        ------
        DrawingError
            When the ending is another, or when .png is asked for and matplotlib is not installed.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".svg":
                path.write_text(self.svg(theme), encoding="utf-8")
            case ".png":
                path.write_bytes(self.png(theme))
            case ".html":
                path.write_text(self._document(), encoding="utf-8")
            case ".txt":
                path.write_text(str(self) + "\n", encoding="utf-8")
            case other:
                raise DrawingError(f"save {path.name!r}: a picture ends in .svg, .png, .html or .txt, not {other!r}")
        return path

    def _document(self) -> str:
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="color-scheme" content="light dark">'
            f"<title>{escape(self.title)}</title></head>\n"
            '<body style="margin:16px;font:13px/1.45 Helvetica,Arial,sans-serif"><main>'
            f"{self.html()}</main></body></html>\n"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Figure(Picture):
    """A picture that a notebook shows as an image: photographs and plots, which no table can hold."""

    def _repr_html_(self) -> None:
        return None

    def _repr_png_(self) -> bytes:
        from shapetracker.drawing.paint import with_few_colours

        return with_few_colours(self.png(scale=1.0), NOTEBOOK_COLOURS)
