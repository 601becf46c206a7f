"""Parts that hold words or other parts: Words, Code, Beside, Stack."""

from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import wrap

from shapetracker.drawing.palette import Theme
from shapetracker.drawing.picture import Part
from shapetracker.drawing.scene import Label, Scene, below, beside, text_width

MONO_HTML = "font:12px/17px ui-monospace,Menlo,Consolas,monospace"

WIDEST = 110
"""Characters of a line of code in a figure: one that is longer would make all else small."""


@dataclass(frozen=True, slots=True)
class Words:
    """A line or a few lines of prose, the first part of it bold if wanted.

    Examples
    --------
    >>> print(Words("24 elements", bold="memory").text())
    memory  24 elements
    """

    words: str
    bold: str = ""
    error: bool = False

    def text(self) -> str:
        """The words."""
        return f"{self.bold}  {self.words}".strip() if self.bold else self.words

    def html(self) -> str:
        """A paragraph; its colour is the page's, so it reads in any theme."""
        bold = f"<b>{escape(self.bold)}</b>&ensp;" if self.bold else ""
        words = "<br>".join(map(escape, self.words.split("\n")))
        return f'<div style="font-size:13px;line-height:19px;text-align:left">{bold}{words}</div>'

    def scene(self, theme: Theme) -> Scene:
        """One label a line."""
        shapes: list[Label] = []
        width, y = 0.0, 0.0
        for number, line in enumerate(self.words.split("\n")):
            x = 0.0
            if self.bold and number == 0:
                shapes.append(Label(0, y + 9, self.bold, theme.ink, 13, bold=True))
                x = text_width(self.bold, 13, bold=True) + 10
            shapes.append(Label(x, y + 9, line, theme.error if self.error else theme.muted, 12))
            width, y = max(width, x + text_width(line, 12)), y + 18
        return Scene(width, y, tuple(shapes))


@dataclass(frozen=True, slots=True)
class Code:
    """Labelled lines in a fixed-width font: what one could paste into code.

    Parameters
    ----------
    lines : tuple of (label, code)
        The label may be empty.

    Examples
    --------
    >>> print(Code((("as built", "idx0*6 + idx1"), ("valid if", "1"))).text())
    as built  idx0*6 + idx1
    valid if  1
    """

    lines: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """Label and code, aligned."""
        widest = max((len(label) for label, _ in self.lines), default=0)
        return "\n".join(f"{label:{widest}}  {code}" if widest else code for label, code in self.lines)

    def html(self) -> str:
        """A two-column table without rules."""
        cell = "border:0;padding:0 12px 0 0;text-align:left;vertical-align:top;background:transparent"
        rows = "".join(
            f'<tr style="background:transparent">'
            f'<{_head(label)} style="{cell};font-weight:400;white-space:nowrap">{escape(label)}</{_head(label)}>'
            f'<td style="{cell};{MONO_HTML}">{escape(code)}</td></tr>'
            for label, code in self.lines
        )
        return f'<table style="border-collapse:collapse;border:0;margin:0;font-size:12px">{rows}</table>'

    def scene(self, theme: Theme) -> Scene:
        """Labels muted, code in ink; a long line goes on below, where it may be broken."""
        left = max((text_width(label, 12) for label, _ in self.lines), default=0.0)
        left = left + 14 if left else 0.0
        shapes: list[Label] = []
        width, y = 0.0, 9.0
        for label, code in self.lines:
            shapes.append(Label(0, y, label, theme.muted, 12))
            for line in wrap(code, WIDEST, subsequent_indent="  ", break_long_words=False) or [""]:
                shapes.append(Label(left, y, line, theme.ink, 12, mono=True))
                width, y = max(width, left + text_width(line, 12, mono=True)), y + 17
        return Scene(width, y - 9, tuple(shapes))


def _head(label: str) -> str:
    return "th" if label else "td"  # a heading that says nothing is none


@dataclass(frozen=True, slots=True)
class Beside:
    """Parts side by side, upper edges aligned."""

    parts: tuple[Part, ...]
    gap: int = 28

    def text(self) -> str:
        """The texts side by side."""
        columns = [part.text().split("\n") for part in self.parts]
        widths = [max(map(len, lines)) for lines in columns]
        rows = zip_longest(*columns, fillvalue="")
        return "\n".join("   ".join(f"{t:{w}}" for t, w in zip(row, widths, strict=True)).rstrip() for row in rows)

    def html(self) -> str:
        """Blocks in a line, as far as there is room; a notebook that is not trusted keeps them as it keeps tables."""
        block = "display:inline-block;vertical-align:top;padding:0"
        gaps = [self.gap] * (len(self.parts) - 1) + [0]
        blocks = (
            f'<div style="{block} {gap}px 6px 0">{part.html()}</div>'
            for part, gap in zip(self.parts, gaps, strict=True)
        )
        return "".join(blocks)

    def scene(self, theme: Theme) -> Scene:
        """Scenes side by side."""
        return beside((part.scene(theme) for part in self.parts), self.gap)


@dataclass(frozen=True, slots=True)
class Stack:
    """Parts one under the other, as one part."""

    parts: tuple[Part, ...]
    gap: int = 12

    def text(self) -> str:
        """The texts one under the other."""
        return "\n\n".join(part.text() for part in self.parts)

    def html(self) -> str:
        """Blocks with a margin."""
        return "".join(f'<div style="margin:0 0 {self.gap}px 0">{part.html()}</div>' for part in self.parts)

    def scene(self, theme: Theme) -> Scene:
        """Scenes one under the other."""
        return below((part.scene(theme) for part in self.parts), self.gap)
