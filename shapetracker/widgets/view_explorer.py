"""The view explorer: a chain of movement operations that one can touch, and what it does to memory order."""

import asyncio
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from shapetracker.drawing.palette import tables
from shapetracker.drawing.picture import Figure, Picture
from shapetracker.drawing.views import draw_tracker
from shapetracker.errors import ViewError
from shapetracker.tracker import ShapeTracker
from shapetracker.view import View
from shapetracker.widgets.chain import EXAMPLES, Chain, Step, from_code, run, write_start
from shapetracker.widgets.page import page_help, standalone
from shapetracker.widgets.state import Memory, picture, rows

HERE = Path(__file__).parent
ESM = "\n".join(
    [page_help(), *((HERE / name).read_text(encoding="utf-8") for name in ("chain.js", "stage.js", "view_explorer.js"))]
)


class ViewExplorer(anywidget.AnyWidget):
    """A chain of movement operations beside memory order, logical order and the index expression.

    Made by `shapetracker.explore`. Every attribute below can be observed, linked and set from code.

    Attributes
    ----------
    code : str
        The chain as one Python expression. Setting it shows another chain.
    shown : int
        After how many steps the picture stands.
    selected : list
        Empty, or [view, position]: the view (0 is the innermost, −1 memory) and the flat position in it.
    pinned : bool
        Whether the selection stays when the pointer moves on.
    """

    _style = (HERE / "view_explorer.css").read_text(encoding="utf-8")
    _drawn = ("code", "shown", "selected", "pinned", "_chain", "_state", "_constants", "_checked")
    _esm = ESM
    _css = _style

    code = traitlets.Unicode().tag(sync=True)
    shown = traitlets.Int(0).tag(sync=True)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)
    pinned = traitlets.Bool(False).tag(sync=True)

    _chain = traitlets.Dict().tag(sync=True)
    _state = traitlets.Dict().tag(sync=True)
    _sympy = traitlets.Dict().tag(sync=True)
    _checked = traitlets.Unicode().tag(sync=True)
    _constants = traitlets.Dict().tag(sync=True)

    def __init__(self, chain: Chain, memory: Memory) -> None:
        self._memory = memory
        self._trackers: tuple[ShapeTracker, ...] = ()
        self._written: Chain | None = None
        self._reading: asyncio.Task[None] | None = None
        super().__init__()
        examples = {} if memory.array is not None else EXAMPLES
        self._constants = {
            "palette": tables(),
            "examples": {name: _as_dict(example) for name, example in examples.items()},
            "values": memory.values(),
            "photograph": memory.photograph(),
            "photograph_shape": memory.photograph_shape(),
        }
        self.observe(self._on_chain, "_chain")
        self.observe(self._on_code, "code")
        self.observe(self._on_shown, "shown")
        self.observe(self._on_checked, "_checked")
        self.show(chain)

    # -- what a program asks ----------------------------------------------------------------------------------

    @property
    def tracker(self) -> ShapeTracker:
        """The tracker that the picture shows."""
        return self._trackers[self._now()].simplify()

    @property
    def index(self) -> tuple[int, ...] | None:
        """The index of the selected element in the view that it is selected in; None where nothing is."""
        from shapetracker.drawing.views import unravel

        if not self.selected or not 0 <= self.selected[0] < len(self.tracker.views):
            return None
        return unravel(self.selected[1], self.tracker.views[self.selected[0]].shape)

    @property
    def address(self) -> int | None:
        """The memory index that the selected element reads; None where it is masked or nothing is selected."""
        from shapetracker.drawing.views import addresses

        if self.selected and self.selected[0] == -1:
            return int(self.selected[1])
        index = self.index
        return None if index is None else addresses(self.tracker.views[: self.selected[0] + 1], index)[-1]

    def show(self, chain: Chain) -> None:
        """Show another chain, after its last step."""
        self._chain = _as_dict(chain) | {"asked": 0}

    def draw(self) -> Picture:
        """The picture at rest, as it is stored in a notebook."""
        from shapetracker.drawing.photographs import draw_gathered

        assert self._written is not None  # noqa: S101 -- set together with the trackers
        start = self._trackers[0]
        if self._memory.image is not None:
            return draw_gathered(self.tracker, self._memory.image)
        return draw_tracker(self.tracker, start.shape if self._memory.knows(self._written, start) else None)

    @property
    def text(self) -> str:
        """The chain and the picture in words, for a terminal."""
        return f"{self.code}\n\n{self.draw()}"

    def save(self, path: str | Path) -> Path:
        """Write the picture at rest: .svg, .png or .txt; an .html file also answers to pointer and keys."""
        path = Path(path)
        if path.suffix.lower() != ".html":
            return self.draw().save(path)
        state = {name: getattr(self, name) for name in self._drawn}
        still = self.draw().html()
        path.write_text(standalone(self.code, ESM, self._style, state | {"_sympy": self._compared()}, still), "utf-8")
        return path

    def __repr__(self) -> str:
        return f"ViewExplorer({self.code!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for wherever no widget runs the picture at rest."""
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        still = self.draw()
        if isinstance(still, Figure):
            import base64

            data = data | {"image/png": base64.b64encode(still._repr_png_()).decode()}
        else:
            data = data | {"text/html": still.html()}
        return data | {"text/plain": repr(self)}, metadata

    # -- what happens when something changes ------------------------------------------------------------------

    def _now(self) -> int:
        return max(0, min(int(self._chain.get("shown", 0)), len(self._trackers) - 1))

    def _on_chain(self, change: dict[str, Any]) -> None:
        chain = _from_dict(self._chain)
        outcome = run(chain, self._memory.limit, self._memory.channels)
        stale = bool(outcome.error)
        if stale and not self._trackers:
            raise ViewError(outcome.error)
        state = dict(self._state) | {"asked": self._chain.get("asked", 0), "rows": rows(chain, outcome), "stale": stale}
        if not stale:
            self._trackers, self._written = outcome.trackers, chain
            state["picture"] = self._picture()
        self._publish(state)

    def _publish(self, state: dict[str, Any]) -> None:
        with self.hold_sync(), self.hold_trait_notifications():  # one message
            if not state["stale"]:
                self.code = state["picture"]["code"]
                self.shown = self._now()
                if not self._selection_stands():
                    self.selected = []
                    self.pinned = False
            self._state = state

    def _picture(self) -> dict[str, Any]:
        assert self._written is not None  # noqa: S101 -- set together with the trackers
        return picture(self._written, self._now(), self._trackers, self._memory)

    def _selection_stands(self) -> bool:
        if not self.selected:
            return True
        layer, position = self.selected
        views = self.tracker.views
        if layer == -1:
            return bool(position < self._memory.size(self._trackers[0]))
        return bool(0 <= layer < len(views) and position < views[layer].size())

    def _on_code(self, change: dict[str, Any]) -> None:
        if self._state.get("picture", {}).get("code") == self.code:
            return
        try:
            chain = from_code(self.code)
            outcome = run(chain, self._memory.limit, self._memory.channels)
            if outcome.error:
                raise ViewError(outcome.error)
        except ViewError:
            self.code = self._state["picture"]["code"]
            raise
        self.show(chain)

    def _on_shown(self, change: dict[str, Any]) -> None:
        if self._chain.get("shown") != self.shown:
            self._chain = self._chain | {"shown": self.shown}

    def _on_checked(self, change: dict[str, Any]) -> None:
        """The browser asks when nothing has moved for a while: the check tries every point, and SymPy is slow.

        Reading SymPy's modules alone takes seconds, so a kernel does that beside its work, and changes go on.
        """
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._compare()
        else:
            self._reading = loop.create_task(self._compare_once_read())

    async def _compare_once_read(self) -> None:
        from shapetracker.widgets.column import read_sympy

        await asyncio.to_thread(read_sympy)
        self._compare()

    def _compare(self) -> None:
        if self._checked == self._state["picture"]["code"]:
            self._sympy = self._compared()

    def _compared(self) -> dict[str, Any]:
        from shapetracker.widgets.column import sympy_column

        return sympy_column(self.tracker) | {"code": self._state["picture"]["code"]}


def _as_dict(chain: Chain) -> dict[str, Any]:
    steps = [[step.operation, step.text] for step in chain.steps]
    return {"start": chain.start, "steps": steps, "shown": len(steps)}


def _from_dict(data: dict[str, Any]) -> Chain:
    return Chain(str(data["start"]), tuple(Step(str(o), str(t)) for o, t in data["steps"]))


def explore(subject: Any = (4, 6)) -> ViewExplorer:
    """The view explorer of a shape, a view, a tracker, an array or an image.

    Parameters
    ----------
    subject : tuple of int, View, ShapeTracker, str or numpy array
        A shape starts an empty chain. A view or a tracker is what the chain starts from. A text is a chain as Python.
        An array is the memory: its numbers are shown, and an image (unsigned bytes, (height, width) or
        (height, width, 3 or 4)) as what the views gather from it.

    Returns
    -------
    ViewExplorer
        A widget; shown by ending a cell in it.

    Raises
    ------
    ViewError
        When the subject is none of these, or too large to draw.

    Examples
    --------
    >>> explore("ShapeTracker.from_shape((4, 6)).permute((1, 0))")
    ViewExplorer('ShapeTracker.from_shape((4, 6)).permute((1, 0))')
    """
    if isinstance(subject, str):
        return ViewExplorer(from_code(subject), Memory())
    if isinstance(subject, View):
        subject = ShapeTracker((subject,))
    if isinstance(subject, ShapeTracker):
        start = write_start(subject)
        return ViewExplorer(Chain(start), Memory(read_by=start))
    if isinstance(subject, tuple | list):
        return ViewExplorer(Chain(str(tuple(subject))), Memory())
    if hasattr(subject, "__array_interface__"):
        import numpy as np

        return ViewExplorer(Chain(str(tuple(subject.shape))), Memory(np.ascontiguousarray(subject)))
    raise ViewError(f"explore: expected a shape, a view, a tracker, a chain as text or an array, not {subject!r}")
