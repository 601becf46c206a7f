"""FragmentExplorer: one element in three places, its lane and register, its address, and its memory cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from gpuemu.drawing.fragments import draw_placed
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.placed import Placed, place
from gpuemu.widgets.lane_data import operand_data
from shapetracker import ShapeTracker, View
from shapetracker.drawing.palette import tables
from shapetracker.drawing.picture import Picture
from shapetracker.widgets.page import page_help, standalone, view_style

_FOLDER = Path(__file__).parent
_MODULES = ("lane_base.js", "lane_map.js", "lane_layout.js", "lane_words.js", "fragment_explorer.js")


def explore_fragment(
    instruction: Instruction | str = "m16n8k16",
    operand: str = "c",
    matrix: ShapeTracker | View | tuple[int, int] | None = None,
    corner: tuple[int, int] = (0, 0),
) -> FragmentExplorer:
    """Show one operand of an instruction as a tile of a larger matrix: who holds an element, and where it lies.

    Parameters
    ----------
    instruction : Instruction or str
        A name, short name or parts of one, as `tensorcores.instruction` takes.
    operand : "a", "b", "c" or "d"
    matrix : ShapeTracker, View or shape
        The whole matrix, with two axes: transposed, padded, strided, as you like. A shape is a row-major matrix. By
        default one of two by two tiles.
    corner : (row, column)
        Where the tile begins in the matrix.

    Returns
    -------
    FragmentExplorer
        A widget. Without a kernel it is a static picture.

    Raises
    ------
    FragmentError
        No lane holds the operand, or the tile does not lie inside of the matrix.

    Examples
    --------
    >>> explorer = explore_fragment("m16n8k16", "c", ShapeTracker.from_shape((32, 48)).permute((1, 0)), (16, 8))
    >>> explorer
    FragmentExplorer('m16n8k16.f32.f16', 'c', (48, 32), (16, 8))
    >>> explorer.selection = (3, 6)
    >>> explorer.lane, explorer.address
    (15, 691)
    """
    return FragmentExplorer(place(instruction, operand, matrix, corner))


class FragmentExplorer(anywidget.AnyWidget):
    """The explorer. What is selected in the browser can be read here, and set.

    Attributes
    ----------
    selection : (row, column) or None
        The element of the fragment that is looked at.
    lane : int or None
        The lane whose copy is looked at.
    """

    _script = "\n".join([page_help(), *((_FOLDER / name).read_text(encoding="utf-8") for name in _MODULES)])
    _esm = _script
    _css = view_style()

    selection = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=None, allow_none=True).tag(sync=True)
    lane = traitlets.Int(None, allow_none=True).tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)
    _palette = traitlets.Dict().tag(sync=True)

    def __init__(self, placed: Placed) -> None:
        self._placed = placed
        super().__init__(_data=_browser_data(placed), _palette=tables())

    @property
    def address(self) -> int | None:
        """The memory index of the selected element; None where nothing is selected, or it is masked."""
        selection: Any = self.selection
        if selection is None:
            return None
        address = int(self._placed.addresses[selection])
        return address if address >= 0 else None

    @traitlets.validate("selection")
    def _inside(self, proposal: dict[str, Any]) -> tuple[int, int] | None:
        point: tuple[int, int] | None = proposal["value"]
        rows, columns = self._placed.addresses.shape
        if point is not None and not (0 <= point[0] < rows and 0 <= point[1] < columns):
            raise traitlets.TraitError(
                f"selection {point}: the fragment has rows below {rows}, columns below {columns}"
            )
        return point

    @traitlets.observe("selection")
    def _hold(self, change: dict[str, Any]) -> None:
        """A lane that does not hold the element is not looked at."""
        point: Any = self.selection
        lanes = [] if point is None else [lane for lane, _ in self._placed.lane_map.where(*point)]
        if self.lane not in lanes:
            self.lane = lanes[0] if lanes else None

    def draw(self) -> Picture:
        """The static picture: the fragment at rest."""
        return draw_placed(self._placed)

    def save(self, path: str | Path) -> Path:
        """Write the static picture: .svg, .png or .txt; an .html file also answers to pointer and keys."""
        path = Path(path)
        if path.suffix.lower() != ".html":
            return self.draw().save(path)
        state = {name: getattr(self, name) for name in ("selection", "lane", "_data", "_palette")}
        path.write_text(standalone(repr(self), self._script, view_style(), state, self.draw().html()), "utf-8")
        return path

    def __repr__(self) -> str:
        p = self._placed
        name = p.instruction.short_name
        return f"{type(self).__name__}({name!r}, {p.lane_map.operand!r}, {p.tracker.shape}, {p.corner})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and for readers without a kernel the static picture and this text."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "text/html": self.draw().html(), "text/plain": repr(self)}, metadata


def _browser_data(placed: Placed) -> dict[str, Any]:
    x, name = placed.instruction, placed.lane_map.operand.upper()
    views = placed.tracker.views
    return {
        "id": name,
        "caption": f"{x.short_name}: {name} at {list(placed.corner)} of a matrix {placed.tracker.shape}",
        "lanes": x.lanes,
        "operand": operand_data(x, placed.lane_map),
        "addresses": placed.addresses.astype("<i4").tobytes(),
        "corner": list(placed.corner),
        "size": placed.size,
        "row": placed.row,
        "views": [
            {
                "shape": list(view.shape),
                "strides": list(view.strides),
                "offset": view.offset,
                "mask": [list(bounds) for bounds in view.mask] if view.mask is not None else None,
            }
            for view in views
        ],
        "formula": [list(line) for line in placed.formula],
    }
