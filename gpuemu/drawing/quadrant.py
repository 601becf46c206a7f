"""Quadrant: A left of C, B above C, so that a row of A and a column of B meet in the element of C that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shapetracker.drawing.grid import Grid
from shapetracker.drawing.layout import Beside, Stack
from shapetracker.drawing.palette import Theme
from shapetracker.drawing.scene import Scene

BETWEEN = 14


@dataclass(frozen=True, slots=True)
class Quadrant:
    """Three grids around a free corner, aligned by their cells.

    `left` and `below` have equal rows, `above` and `below` equal columns.
    """

    left: Grid
    above: Grid
    below: Grid

    def text(self) -> str:
        """`above` stands over `below`, in text too."""
        widest = max(len(word) for grid in (self.above, self.below) for word in _words(grid))
        above, below = (_columns_as_wide(grid, widest).text().split("\n") for grid in (self.above, self.below))
        left = self.left.text().split("\n")
        indent = " " * (max(map(len, left)) + 3)
        lower = [f"{a:{len(indent)}}{c}".rstrip() for a, c in zip(left, below, strict=True)]
        return "\n".join([*(indent + line for line in above), "", *lower])

    def html(self) -> str:
        """A table of two rows and two columns; the upper left cell is free."""
        cell = (
            f"border:0;padding:0 {BETWEEN}px {BETWEEN}px 0;vertical-align:bottom;text-align:left;background:transparent"
        )
        row = '<tr style="background:transparent">'
        upper = f'{row}<td style="{cell}"></td><td style="{cell}">{self.above.html()}</td></tr>'
        lower = f'{row}<td style="{cell}">{self.left.html()}</td><td style="{cell}">{self.below.html()}</td></tr>'
        return f'<table style="border-collapse:collapse;border:0;margin:0">{upper}{lower}</table>'

    def scene(self, theme: Theme) -> Scene:
        """The cells of `above` and `below` share their columns, those of `left` and `below` their rows."""
        left, above, below = (grid.scene(theme) for grid in (self.left, self.above, self.below))
        margin = max(self.above.origin()[0], self.below.origin()[0])
        x, y = left.width + BETWEEN, above.height + BETWEEN
        shapes = (
            *left.moved(0, y),
            *above.moved(x + margin - self.above.origin()[0], 0),
            *below.moved(x + margin - self.below.origin()[0], y),
        )
        width = x + margin + max(above.width, below.width)
        return Scene(width, y + max(left.height, below.height), shapes)


def _words(grid: Grid) -> list[str]:
    """The texts of the cells that are shown, and the column labels."""
    lines = grid.text().split("\n")[1:]
    return [*lines[0].split(), *(word for line in lines[1:] for word in line.split()[1:])]


def _columns_as_wide(grid: Grid, characters: int) -> Grid:
    return replace(grid, column_labels=[str(column).rjust(characters) for column in range(grid.columns)])


def flowing(grids: list[Grid], width: int) -> Stack:
    """Grids side by side as far as they fit into the width (pixels), then below."""
    rows: list[list[Grid]] = []
    free = 0.0
    for grid in grids:
        wants = grid.place(min(grid.columns, 33), 0)[0] + 28
        if not rows or wants > free:
            rows.append([])
            free = float(width)
        rows[-1].append(grid)
        free -= wants
    return Stack(tuple(Beside(tuple(row)) for row in rows))
