"""The pictures of a check: tables of numbers in the house's grids, wrong cells framed and, in text, marked "!"."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Beside, Stack
from shapetracker.drawing.picture import Part

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_WIDEST = 12
"""Columns of grids that still stand side by side."""


def number(value: Any) -> str:
    """A number as short as it can be, with a true minus.

    >>> number(np.float32(-3)), number(0.5), number(float("nan")), number(True)
    ('−3', '0.5', 'nan', '1')
    """
    text = str(int(value)) if np.isfinite(value) and value == int(value) else f"{float(value):.4g}"
    return text.replace("-", "−")


def flat(array: Array) -> Array:
    """An array as rows and columns: the last axis lies, all others stand.

    >>> flat(np.zeros((2, 3, 4))).shape, flat(np.zeros(5)).shape, flat(np.zeros(())).shape
    ((6, 4), (1, 5), (1, 1))
    """
    if array.ndim < 2:
        return array.reshape(1, -1)
    return array.reshape(prod(array.shape[:-1]), array.shape[-1])


def table(
    title: str,
    array: Array,
    *,
    caption: str = "",
    wrong: Mask | None = None,
    empty: Mask | None = None,
    group: int = 0,
    corner: tuple[int, ...] = (0, 0),
) -> Grid:
    """An array as a grid.

    Parameters
    ----------
    wrong
        Which elements are framed.
    empty
        Where nothing is: hatched, or a frame around a dash where that is wrong.
    group
        The hue, which carries nothing that the title does not say.
    corner
        The row and the column that the margins begin with.
    """
    cells, bad = flat(array), None if wrong is None else flat(wrong)
    nothing = None if empty is None else flat(empty)

    def cell(row: int, column: int) -> Cell:
        is_empty = nothing is not None and bool(nothing[row, column])
        if bad is not None and bad[row, column]:
            return Cell("–" if is_empty else number(cells[row, column]), ring="error")
        if is_empty:
            return Cell("", masked=True)
        return Cell(number(cells[row, column]), group=group, place=0.2)

    widest = max((len(number(value)) for value in cells.ravel()[:1024]), default=1)
    rows, columns = cells.shape
    return Grid(
        rows,
        columns,
        cell,
        title=title,
        caption=caption,
        row_labels=[str(corner[0] + row) for row in range(rows)] if array.ndim > 1 else [""],
        column_labels=[str(corner[-1] + column) for column in range(columns)],
        width=max(26, 8 * widest + 8),
    )


def lines(rows: dict[str, Array], wrong: dict[str, Mask], empty: dict[str, Mask]) -> Grid:
    """Arrays of one axis under each other, so that what one lane reads and writes stands in one column."""
    labels, values = list(rows), list(rows.values())
    widest = max((len(number(x)) for row in values for x in row.ravel()), default=1)

    def cell(r: int, c: int) -> Cell | None:
        label, row = labels[r], values[r]
        if c >= row.size:
            return None
        nothing = label in empty and bool(empty[label][c])
        if label in wrong and wrong[label][c]:
            return Cell("–" if nothing else number(row[c]), ring="error")
        return Cell("", masked=True) if nothing else Cell(number(row[c]), group=r, place=0.2)

    columns = max((row.size for row in values), default=0)
    return Grid(len(labels), columns, cell, row_labels=labels, width=max(26, 8 * widest + 8))


def arranged(grids: list[Grid]) -> Part:
    """Small grids side by side, large ones one under the other."""
    if sum(grid.columns for grid in grids) <= 2 * _WIDEST and max(grid.columns for grid in grids) <= _WIDEST:
        return Beside(tuple(grids))
    return Stack(tuple(grids))


def place(index: tuple[int, ...]) -> str:
    """An index as it is written.

    >>> place((3,)), place((1, 2))
    ('[3]', '[1, 2]')
    """
    return f"[{', '.join(map(str, index))}]"
