"""Memory as a picture: a strip of addresses, coloured by the rows of the buffer, with a stride as a jump over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from shapetracker.drawing.grid import LIMIT, Cell, Grid
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.scene import Label, Line, Scene, Shape, text_width

ROOM_FOR_ARCS = 48.0


def signed(number: int) -> str:
    """A step with its sign, a true minus.

    Examples
    --------
    >>> signed(4), signed(-6), signed(0)
    ('+4', '−6', '0')
    """
    return f"+{number}" if number > 0 else minus(number)


def minus(number: int) -> str:
    """A number for pictures and tables, with a true minus.

    Examples
    --------
    >>> minus(-6)
    '−6'
    """
    return f"−{-number}" if number < 0 else str(number)


def tuple_text(numbers: Sequence[object]) -> str:
    """A tuple as Python writes it, with a true minus.

    Examples
    --------
    >>> tuple_text((1, -6)), tuple_text((9,)), tuple_text(((1, 7), (2, 6)))
    ('(1, −6)', '(9,)', '((1, 7), (2, 6))')
    """
    return repr(tuple(numbers)).replace("-", "−")


@dataclass(frozen=True, slots=True)
class Buffer:
    """How many elements memory has, and how many make a row: what colours an address.

    Parameters
    ----------
    size : int
        Elements.
    row : int
        Elements of a row; a row is a hue, the place in it a lightness.
    known : bool
        Whether the size is memory's own; else it is as far as the views read, and memory may go on behind it.

    Examples
    --------
    >>> Buffer(24, 6).cell(13, tip="[2, 3] reads memory[13]")
    Cell(text='13', group=2, place=0.2, tip='[2, 3] reads memory[13]', masked=False, hushed=False, ring=None)
    >>> Buffer(24, 6).words(), Buffer(23, 6, known=False).words()
    ('24 elements', 'as far as the view reads: 0 … 22')
    """

    size: int
    row: int
    known: bool = True

    def words(self) -> str:
        """How much memory there is, or how far it is read."""
        if self.known:
            return "1 element" if self.size == 1 else f"{self.size} elements"
        if self.size < 2:
            return "as far as the view reads: " + ("0" if self.size else "nothing")
        return f"as far as the view reads: 0 … {self.size - 1}"

    def cell(self, address: int | None, tip: str = "") -> Cell:
        """The cell that shows an address; None is masked."""
        if address is None:
            return Cell("", masked=True, tip=tip)
        place = address % self.row / (self.row - 1) if self.row > 1 else 0.3
        return Cell(str(address), group=address // self.row, place=place, tip=tip)


@dataclass(frozen=True, slots=True)
class Jump:
    """One step along an axis, as a jump from one address to another."""

    start: int
    end: int
    words: str
    odd: bool = False

    def __str__(self) -> str:
        return f"{self.words}{signed(self.end - self.start)}"


@dataclass(frozen=True, slots=True)
class Multiples(Sequence[str]):
    """0, step, 2·step … as labels, made when they are read: a large memory shows few of them.

    Examples
    --------
    >>> list(Multiples(3, 8)), Multiples(1 << 30, 8)[-1]
    (['0', '8', '16'], '8589934584')
    """

    lines: int
    step: int

    def __len__(self) -> int:
        return self.lines

    def __bool__(self) -> bool:  # `len` has a largest answer, and a shape has none
        return self.lines > 0

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        numbers = range(0, self.lines * self.step, self.step)
        return str(numbers[index]) if isinstance(index, int) else list(map(str, numbers[index]))


@dataclass(frozen=True, slots=True)
class MemoryStrip:
    """The buffer in memory order; jumps are arcs above it when they go forward, below it when they go back.

    Up to 32 elements stand in one line with arcs; more are wrapped at whole rows of the buffer.

    Examples
    --------
    >>> print(MemoryStrip(Buffer(6, 3), (Jump(0, 1, "axis 0: "), Jump(0, 3, "axis 1: "))).text())
    memory  6 elements
    0 1 2 3 4 5
    one step along an axis is a jump in memory: axis 0: +1, axis 1: +3
    """

    buffer: Buffer
    jumps: tuple[Jump, ...] = ()
    lead: str = "one step along an axis is a jump in memory: "

    def _grid(self) -> Grid:
        size, row = self.buffer.size, self.buffer.row
        across = size if size <= LIMIT else max(row, LIMIT // row * row)
        lines = -(-size // across) if across else 0

        def cell(r: int, c: int) -> Cell | None:
            address = r * across + c
            return self.buffer.cell(address, f"memory[{address}]") if address < size else None

        return Grid(
            lines,
            across,
            cell,
            title="memory",
            caption=self.buffer.words(),
            row_labels=() if lines <= 1 else Multiples(lines, across),
            column_labels=(),
        )

    def _words(self) -> str:
        return self.lead + ", ".join(map(str, self.jumps)) if self.jumps else ""

    def text(self) -> str:
        """The strip, and the jumps in words."""
        return "\n".join(t for t in (self._grid().text(), self._words()) if t)

    def html(self) -> str:
        """The strip, and the jumps in words."""
        words = f'<div style="font-size:12px;text-align:left;padding:3px 0 0 0">{self._words()}</div>'
        return self._grid().html() + (words if self.jumps else "")

    def scene(self, theme: Theme) -> Scene:
        """The strip, with arcs while it is one line; the jumps in words where it is not."""
        grid = self._grid()
        flat = grid.scene(theme)
        if not self.jumps:
            return flat
        if grid.rows != 1 or self.buffer.size > LIMIT:
            label = Label(0, flat.height + 10, self._words(), theme.muted, 12)
            width = max(flat.width, text_width(self._words(), 12))
            return Scene(width, flat.height + 18, (*flat.shapes, label))
        above = ROOM_FOR_ARCS if any(jump.end > jump.start for jump in self.jumps) else 0.0
        under = ROOM_FOR_ARCS if any(jump.end < jump.start for jump in self.jumps) else 0.0
        left, top = grid.origin()
        caption = [s for s in flat.shapes if isinstance(s, Label) and s.y < top]
        cells = [s for s in flat.moved(0, above) if not (isinstance(s, Label) and s.y < top + above)]
        arcs: list[Shape] = []
        for number, jump in enumerate(sorted(self.jumps, key=lambda j: abs(j.end - j.start))):
            up = jump.end > jump.start
            y = top + above - 3 if up else top + above + grid.height + 2
            arcs += _arc(jump, left, grid.width, y, -1 if up else 1, number, theme)
        ends = (s.x + text_width(s.text, s.size) for s in arcs if isinstance(s, Label))
        return Scene(max(flat.width, *ends), flat.height + above + under, (*caption, *cells, *arcs))


def _arc(jump: Jump, left: float, width: float, y: float, way: int, number: int, theme: Theme) -> list[Shape]:
    """A curve with a head and a label; a short one has its label beside it, since it is too small to carry one."""
    x1, x2 = (left + (address + 0.5) * width - 0.5 for address in (jump.start, jump.end))
    colour = theme.error if jump.odd else theme.ink
    height = min(ROOM_FOR_ARCS - 20, 8 + abs(x2 - x1) * 0.2)
    lift = y + way * height * 1.33
    curve = Line((x1, y), (x2, y), colour, 1.5, ((x1, lift), (x2, lift)))
    heads = [Line((x2 + side * 3.2, y + way * 5), (x2, y), colour, 1.5) for side in (-1, 1)]
    if abs(x2 - x1) >= 62:
        label = Label((x1 + x2) / 2, y + way * (height + 9), str(jump), colour, 11, "middle", bold=True)
    else:
        label = Label(max(x1, x2) + 7, y + way * (9 + 13 * (number % 3)), str(jump), colour, 11, bold=True)
    return [curve, *heads, label]
