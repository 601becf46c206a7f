"""What is written on what: every text of a picture with its colour and the colour behind it."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from shapetracker.drawing.palette import Theme, channels
from shapetracker.drawing.picture import Picture
from shapetracker.drawing.scene import Box, Label

Colour = tuple[float, float, float]
Written = tuple[str, str, str]
"""Text, its colour, and the colour behind it, both as #rrggbb."""
PAGES = {
    "JupyterLab light": ("#212121", "#ffffff"),
    "JupyterLab dark": ("#ffffff", "#111111"),
    "Furo dark": ("#cfd0d0", "#131416"),
    "VS Code dark": ("#cccccc", "#1f1f1f"),
}
"""Ink and paper of pages that show stored outputs."""


def in_scenes(picture: Picture, theme: Theme) -> Iterator[Written]:
    """Each label of the drawn shapes, on the box that was painted last under its middle, or on paper."""
    for part in picture.parts:
        boxes: list[Box] = []
        for shape in part.scene(theme).shapes:
            if isinstance(shape, Box) and shape.fill:
                boxes.append(shape)
            elif isinstance(shape, Label) and shape.text.strip():
                middle = (shape.x + (1 if shape.anchor == "start" else -1 if shape.anchor == "end" else 0), shape.y)
                under = [box.fill for box in boxes if _inside(box, *middle)]
                yield shape.text, shape.colour, under[-1] or theme.paper if under else theme.paper


def _inside(box: Box, x: float, y: float) -> bool:
    return box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height


def in_html(html: str, ink: str, paper: str) -> Iterator[Written]:
    """Each text of the HTML, on a page of that ink and paper."""
    reader = _Reader(ink, paper)
    reader.feed(html)
    yield from reader.found


class _Reader(HTMLParser):
    """Follows inline colours and opacities from element to element."""

    def __init__(self, ink: str, paper: str) -> None:
        super().__init__()
        self.found: list[Written] = []
        self._open: list[tuple[str, Colour, Colour, float]] = [("", channels(ink), channels(paper), 1.0)]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("col", "br", "img"):
            return
        style = dict(part.split(":", 1) for part in (dict(attributes).get("style") or "").split(";") if ":" in part)
        _, ink, paper, opacity = self._open[-1]
        ink = _over(style.get("color", "inherit").strip(), ink, ink)
        paper = _over(style.get("background", "none").strip(), paper, paper)
        self._open.append((tag, ink, paper, opacity * float(style.get("opacity", 1))))

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1][0] != tag:  # a cell closes with its row
            self._open.pop()
        self._open.pop()

    def handle_data(self, text: str) -> None:
        if text.strip():
            _, ink, paper, opacity = self._open[-1]
            seen = tuple(opacity * i + (1 - opacity) * p for i, p in zip(ink, paper, strict=True))
            self.found.append((text, _hexadecimal(seen), _hexadecimal(paper)))


def _over(colour: str, under: Colour, inherited: Colour) -> Colour:
    """A CSS colour painted over another one."""
    if colour in ("none", "transparent"):
        return under
    if colour == "inherit":
        return inherited
    if colour.startswith("#"):
        return channels(colour)
    *given, alpha = map(float, re.findall(r"[\d.]+", colour))
    red, green, blue = (alpha * g + (1 - alpha) * u for g, u in zip(given, under, strict=True))
    return red, green, blue


def _hexadecimal(colour: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in colour)
