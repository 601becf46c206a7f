"""A labelled grid of cells: the one drawing that views, matrices, fragments and lanes share.

It knows nothing of any of them. A cell says its text, the group and the place that give its colour, and what a
pointer is told; the grid writes itself as text, as an HTML table, or as shapes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from shapetracker.drawing import palette
from shapetracker.drawing.palette import LIGHT, Theme
from shapetracker.drawing.scene import Box, Label, Scene, Shape, hatching, text_width

LIMIT = 32
"""Rows, and columns, up to which a grid is drawn whole."""
KEPT = 8
"""Rows, and columns, drawn at each end of a longer grid."""
MASKED = "·"
MORE = "…"

Ring = Literal["ink", "accent", "error"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Parameters
    ----------
    text : str
        The number; whoever does not see the colour reads it.
    group : int, "ordered" or None
        The hue; "ordered" takes the ramp for values such as k; None leaves the cell without a fill.
    place : float
        0 (lightest) to 1 (deepest): where it stands inside its group, or on the ramp.
    tip : str
        What a pointer is told.
    masked : bool
        Nothing is there: hatched, and "·" instead of the text.
    hushed : bool
        Pale, because another cell is what matters.
    ring : "ink", "accent", "error" or None
        A frame: what is selected, its partner, what is wrong.
    """

    text: str
    group: int | Literal["ordered"] | None = None
    place: float = 0.0
    tip: str = ""
    masked: bool = False
    hushed: bool = False
    ring: Ring | None = None

    def fill(self, theme: Theme) -> str | None:
        """The colour behind the text, or None where it is masked."""
        mood: palette.Mood = "hushed" if self.hushed else "full"
        if self.masked:
            return None
        if self.group is None:
            return theme.paper if self.ring == "error" else theme.wash
        if self.group == "ordered":
            return palette.ramp(self.place, theme.name, mood)
        return palette.fill(self.group, self.place, theme.name, mood)

    def ink(self, theme: Theme) -> str:
        """The colour of the text."""
        if self.ring == "error" and self.group is None:
            return theme.error
        return theme.cell_muted if self.hushed else theme.cell_ink


LEFT_OUT = Cell(MORE)
"""Stands, by identity, where a large grid leaves cells out."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows and columns of cells, with labels in the margins and a caption.

    Parameters
    ----------
    rows, columns : int
        The size; a grid of more than 32 rows or columns shows the first and the last 8 around "…".
    cell : callable (row, column) -> Cell or None
        Called for the cells that are shown; None leaves the place empty.
    title, caption : str
        The bold name and the words after it.
    row_labels, column_labels : sequence of str, or None
        The margins; None: 0, 1, 2 …; an empty sequence: no margin.
    row_axis, column_axis : str
        What the margins count, such as "axis 0 ↓" and "axis 1 →".
    width, height : int
        Of a cell, in pixels.
    gaps : (int, int)
        A small gap after every so many rows, and columns; 0: none.

    Examples
    --------
    >>> grid = Grid(2, 3, lambda r, c: Cell(str(3 * r + c), group=r, place=c / 2), title="view")
    >>> print(grid.text())
    view
       0 1 2
    0  0 1 2
    1  3 4 5
    """

    rows: int
    columns: int
    cell: Callable[[int, int], Cell | None]
    title: str = ""
    caption: str = ""
    row_labels: Sequence[str] | None = None
    column_labels: Sequence[str] | None = None
    row_axis: str = ""
    column_axis: str = ""
    width: int = 26
    height: int = 20
    gaps: tuple[int, int] = (0, 0)

    def _shown(self, count: int) -> list[int | None]:
        """Which rows (or columns) are shown; None stands for those left out."""
        if count <= LIMIT:
            return list(range(count))
        return [*range(KEPT), None, *range(count - KEPT, count)]

    def _label(self, labels: Sequence[str] | None, index: int | None) -> str:
        if index is None:
            return MORE
        return str(index) if labels is None else labels[index] if labels else ""

    def _cells(self) -> Iterator[tuple[int | None, list[Cell | None]]]:
        columns = self._shown(self.columns)
        for r in self._shown(self.rows):
            yield r, [LEFT_OUT if r is None or c is None else self.cell(r, c) for c in columns]

    def _words(self) -> str:
        left_out = self.rows > LIMIT or self.columns > LIMIT
        more = f"the first and last of {self.rows} × {self.columns}" if left_out else ""
        return "; ".join(words for words in (self.caption, more) if words)

    # -- text -------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Columns aligned by spaces, "·" where masked."""
        table: list[list[str]] = []
        if self.column_labels is None or self.column_labels:
            table.append(["", *(self._label(self.column_labels, c) for c in self._shown(self.columns))])
        for r, row in self._cells():
            table.append([self._label(self.row_labels, r), *map(_marked, row)])
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(w for w in (self.title, self._words()) if w)] if self.title or self._words() else []
        for number, line in enumerate(table):
            margin = f"{line[0]:>{widths[0]}}  " if widths[0] else ""
            axis = f"  {self.column_axis}" if number == 0 and self.column_axis else ""
            cells = " ".join(f"{t:>{w}}" for t, w in zip(line[1:], widths[1:], strict=True))
            lines.append(f"{margin}{cells}{axis}".rstrip())
        if self.row_axis:
            lines.append(self.row_axis)
        return "\n".join(lines)

    # -- HTML -------------------------------------------------------------------------------------------------

    def html(self) -> str:
        """A table with inline styles; cells have both their colours set, margins inherit the page's.

        What a cell can inherit stands once, on its column, its row or the table: a notebook's own style sheet gives
        every cell a padding and an alignment, so those two are said in each.
        """
        count = len(self._shown(self.columns))
        left, right = self._sides()
        sizes = f'<col style="width:{left:.0f}px"><col span="{count}" style="width:{self.width}px">'
        end = (
            f'<th style="{_SIDE}">{escape(self.column_axis)}</th>' if self.column_axis else f'<td style="{_CELL}"></td>'
        )
        rows: list[str] = []
        if self.column_labels is None or self.column_labels:
            labels = (self._label(self.column_labels, c) for c in self._shown(self.columns))
            heads = "".join(f'<th style="{_CELL}font-weight:400">{escape(label)}</th>' for label in labels)
            rows.append(f'<tr style="background:none"><td style="{_CELL}"></td>{heads}{end}</tr>')
        longest = 2
        for r, cells in self._cells():
            longest = max([longest, *(len(cell.text) for cell in cells if cell is not None)])
            label = self._label(self.row_labels, r)
            start = (
                f'<th style="{_SIDE};text-align:right">{escape(label)}</th>' if label else f'<td style="{_CELL}"></td>'
            )
            line = f"{start}{''.join(map(_html_cell, cells))}{'' if rows else end}"
            rows.append(f'<tr style="background:none;height:{self.height}px">{line}</tr>')
        if self.row_axis:
            words = f'<th colspan="{count + 1}" style="{_SIDE}">{escape(self.row_axis)}</th>'
            rows.append(f'<tr style="background:none">{words}</tr>')
        caption = ""
        if self.title or self._words():
            bold = f"<b>{escape(self.title)}</b>&ensp;" if self.title else ""
            style = "caption-side:top;text-align:left;padding:0 0 6px;white-space:nowrap"
            caption = f'<caption style="{style}">{bold}{escape(self._words())}</caption>'
        legible = min(self.width, 7 * longest + 4)  # in a narrow window, cells shrink so far, and then one scrolls
        least = left + count * (legible + 1) + right
        table = f"border-collapse:separate;border-spacing:1px;border:0;margin:0;min-width:{least:.0f}px;{_FONT}"
        return f'<table style="{table}">{caption}{sizes}{"".join(rows)}</table>'

    def _sides(self) -> tuple[float, float]:
        """The widths of the row labels and of the words at the right, whose column takes what a long caption needs."""
        labels = [self._label(self.row_labels, r) for r in self._shown(self.rows)]
        sides = (max((text_width(label, 12) for label in labels), default=0.0), text_width(self.column_axis, 12))
        left, right = (side + 6 if side else 0.0 for side in sides)
        return left, right

    # -- shapes -----------------------------------------------------------------------------------------------

    def scene(self, theme: Theme) -> Scene:
        """Margins muted, cells with a gap of one pixel, masked ones hatched."""
        left, top = self.origin()
        shapes: list[Shape] = []
        if self.title or self._words():
            shapes.append(Label(0, 9, self.title, theme.ink, 13, bold=True))
            after = text_width(self.title, 13, bold=True) + 10 if self.title else 0
            shapes.append(Label(after, 9, self._words(), theme.muted, 12))
        rings: list[Shape] = []
        for i, (r, cells) in enumerate(self._cells()):
            _, y = self.place(0, i)
            label = self._label(self.row_labels, r)
            shapes.append(Label(left - 6, y + self.height / 2, label, theme.muted, 10, "end"))
            for j, cell in enumerate(cells):
                x, _ = self.place(j, 0)
                shapes += self._shapes(cell, x, y, theme)
                if cell is not None and cell.ring:
                    box = Box(x, y, self.width - 1, self.height - 1, None, getattr(theme, cell.ring), 2)
                    rings.append(box)
        has_heads = self.column_labels is None or bool(self.column_labels)
        for j, c in enumerate(self._shown(self.columns)):
            x, _ = self.place(j, 0)
            if has_heads:
                label = self._label(self.column_labels, c)
                shapes.append(Label(x + self.width / 2, top - 8, label, theme.muted, 10, "middle"))
        right, bottom = self.place(len(self._shown(self.columns)), len(self._shown(self.rows)))
        width = max(right, self._caption_width())
        if self.column_axis:
            shapes.append(Label(right + 6, top - 8, self.column_axis, theme.muted, 10))
            width = max(width, right + 6 + text_width(self.column_axis, 10))
        if self.row_axis:
            shapes.append(Label(0, bottom + 9, self.row_axis, theme.muted, 10))
            bottom += 16
        return Scene(width, bottom, (*shapes, *rings))

    def _caption_width(self) -> float:
        return text_width(self.title, 13, bold=True) + 10 + text_width(self._words(), 12)

    def origin(self) -> tuple[float, float]:
        """The upper left corner of the cells inside the scene."""
        labels = [self._label(self.row_labels, r) for r in self._shown(self.rows)]
        left = max((text_width(label, 10) for label in labels), default=0.0)
        heads = self.column_labels is None or bool(self.column_labels)
        caption = bool(self.title or self._words())
        return (left + 8 if left else 0.0), 24.0 * caption + 16.0 * heads

    def place(self, column: int, row: int) -> tuple[float, float]:
        """The upper left corner of the shown cell (counted as shown, so without what "…" leaves out)."""
        left, top = self.origin()
        every_row, every_column = self.gaps
        x = left + column * self.width + (3 * (column // every_column) if every_column else 0)
        y = top + row * self.height + (3 * (row // every_row) if every_row else 0)
        return x, y

    def _shapes(self, cell: Cell | None, x: float, y: float, theme: Theme) -> Iterator[Shape]:
        width, height = self.width - 1.0, self.height - 1.0
        middle = (x + width / 2, y + height / 2)
        if cell is None:
            return
        if cell is LEFT_OUT:
            yield Label(*middle, MORE, theme.muted, 11, "middle")
            return
        if cell.masked:
            yield from hatching(x, y, self.width, self.height, theme.rule)
            return
        yield Box(x, y, width, height, cell.fill(theme), tip=cell.tip)
        size = min(11.5, height * 0.72, (width - 2) / max(1, len(cell.text)) / 0.65)
        yield Label(*middle, cell.text, cell.ink(theme), size, "middle", bold=cell.ring is not None)


_FONT = "font:12px/1.3 Helvetica,Arial,sans-serif"
_PLAIN = "padding:0;text-align:center;"
_CELL = f"{_PLAIN}border:0;"
_SIDE = "padding:0 6px 0 0;border:0;text-align:left;white-space:nowrap;font-weight:400"


FRAMES: dict[Ring, str] = {"ink": "#16181b", "accent": "#2f7fd6", "error": "#e0362c"}
"""Frames in HTML. Accent and error stand out from white and from black pages alike; ink lies on a fill."""
_TINT, _PALE = 0.14, 0.24
"""How much colour an empty cell and a hushed one have in HTML: the page shines through, and gives the ink."""


def _html_cell(cell: Cell | None) -> str:
    if cell is None or cell is LEFT_OUT:
        return f'<td style="{_CELL}">{cell.text if cell else ""}</td>'
    tip = f' title="{escape(cell.tip)}"' if cell.tip else ""
    return f'<td{tip} style="{_PLAIN}{_html_frame(cell)}{_html_colours(cell)}">{escape(_html_text(cell))}</td>'


def _html_text(cell: Cell) -> str:
    return MASKED if cell.masked else cell.text


def _html_frame(cell: Cell) -> str:
    if not cell.ring:
        return "border:1px dotted #8b939b" if cell.masked else "border:0;"
    on_page = cell.ring == "ink" and (cell.masked or cell.group is None)
    colour = "" if on_page else f" {FRAMES[cell.ring]}"  # without one it is that of the page's text
    return f"border:2px solid{colour};font-weight:700;"


def _html_colours(cell: Cell) -> str:
    """A fill comes with its ink. What has no full colour of its own lets the page through, white or black."""
    if cell.masked:
        return ""
    if cell.group is None:
        ground = "transparent" if cell.ring == "error" else f"rgba(127,127,127,{_TINT})"
        return f"background:{ground};color:inherit"
    if cell.hushed:
        red, green, blue = palette.channels(replace(cell, hushed=False).fill(LIGHT) or LIGHT.wash)
        return f"background:rgba({red},{green},{blue},{_PALE});color:inherit"
    return f"background:{cell.fill(LIGHT)};color:{cell.ink(LIGHT)}"


def _marked(cell: Cell | None) -> str:
    """In text, a ring is a pair of brackets, an error a trailing "!"."""
    if cell is None:
        return ""
    if cell.masked:
        return MASKED
    if cell.ring == "error":
        return f"{cell.text}!"
    return f"[{cell.text}]" if cell.ring else cell.text
