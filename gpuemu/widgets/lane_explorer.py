"""LaneExplorer: A, B and C of a tensor-core instruction, and the lanes that hold them, to hover and to walk over."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets

from gpuemu import tensorcores
from gpuemu.drawing.lanes import By, draw_instruction
from gpuemu.errors import FragmentError, InstructionError
from gpuemu.tensorcores.checker import Diagnosis, check_fragment
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.widgets.lane_data import VENDORS, browser_data, departures, family
from shapetracker.drawing.palette import tables
from shapetracker.drawing.picture import Picture
from shapetracker.widgets.page import page_help, standalone

_FOLDER = Path(__file__).parent
_MODULES = ("lane_base.js", "lane_map.js", "lane_layout.js", "lane_paint.js", "lane_words.js", "lane_explorer.js")

TARGETS = {
    "METAL": ("simdgroup_multiply_accumulate.8x8x8", "apple7", 32),
    "HSA": ("v_wmma_f32_16x16x16_f16", "gfx1100", 32),
    "CUDA": ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "sm_80", 32),
}
"""The tensor core of each target that runs tinygrad's programs: name, architecture, lanes."""


def explore(instruction: Instruction | str) -> LaneExplorer:
    """Show a tensor-core instruction: which lane holds which element of A, B and C, in which register.

    Parameters
    ----------
    instruction : Instruction or str
        A name, short name or parts of one, as `tensorcores.instruction` takes; or a target: CUDA, HSA or METAL.

    Returns
    -------
    LaneExplorer
        A widget. Without a kernel it is a static picture.

    Raises
    ------
    InstructionError
        No instruction has that name, or several have.

    Examples
    --------
    >>> explore("m16n8k16")
    LaneExplorer('m16n8k16.f32.f16')
    >>> explore("HSA").instruction
    'gfx1100.wmma_f32_16x16x16_f16.w32'
    """
    return LaneExplorer(instruction)


class LaneExplorer(anywidget.AnyWidget):
    """The explorer. What is selected in the browser can be read here, and set.

    Attributes
    ----------
    instruction : str
        The short name; anything that `explore` takes can be assigned.
    selection : (m, n, k) or None
        The point that is looked at: A[m, k], B[k, n] and C[m, n] are lit.
    operand : "a", "b" or "c"
        Which of the three is looked at.
    lane : int or None
        The lane whose copy is looked at; without a selection, all that this lane holds is lit.
    block : int
        Which block, where the instruction multiplies several.
    colour : "lane", "register" or "k"
        What the number and the colour of a cell say.
    formula : list of str
        Your own formula of an operand's places: row and column in Python or C over `lane` and `i`; empty for none.
        Where it departs is drawn.
    formula_of : "a", "b" or "c"
        The operand that `formula` is about.

    Examples
    --------
    >>> explorer = LaneExplorer("m16n8k16")
    >>> explorer.selection = (3, 6, 0)
    >>> explorer.selection = (3, 8, 0)
    Traceback (most recent call last):
        ...
    traitlets.traitlets.TraitError: selection (3, 8, 0): m16n8k16.f32.f16 has m below 16, n below 8, k below 16
    """

    _script = "\n".join([page_help(), *((_FOLDER / name).read_text(encoding="utf-8") for name in _MODULES)])
    _style = (_FOLDER / "lane_explorer.css").read_text(encoding="utf-8")
    _drawn = (
        *("instruction", "selection", "operand", "lane", "block", "colour", "formula", "formula_of"),
        *("_found", "_palette", "_choices", "_map"),
    )
    _esm = _script
    _css = _style

    instruction = traitlets.Unicode().tag(sync=True)
    selection = traitlets.Tuple(
        traitlets.Int(), traitlets.Int(), traitlets.Int(), default_value=None, allow_none=True
    ).tag(sync=True)
    operand = traitlets.Enum(("a", "b", "c"), default_value="c").tag(sync=True)
    lane = traitlets.Int(None, allow_none=True).tag(sync=True)
    block = traitlets.Int(0).tag(sync=True)
    colour = traitlets.Enum(("lane", "register", "k"), default_value="lane").tag(sync=True)
    formula: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    formula_of = traitlets.Enum(("a", "b", "c"), default_value="c").tag(sync=True)
    _found = traitlets.Dict().tag(sync=True)
    _palette = traitlets.Dict().tag(sync=True)
    _choices: traitlets.List[Any] = traitlets.List().tag(sync=True)
    _map = traitlets.Dict().tag(sync=True)

    def __init__(self, instruction: Instruction | str, **traits: Any) -> None:
        self._held = _resolve(instruction)
        super().__init__(
            instruction=self._held.short_name,
            _palette=tables(),
            _choices=_choices(),
            _map=browser_data(self._held),
            **traits,
        )

    @traitlets.validate("instruction")
    def _know(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] != self._held.short_name:
            self._held = _resolve(proposal["value"])
        return self._held.short_name

    @traitlets.observe("instruction")
    def _change(self, change: dict[str, Any]) -> None:
        if change["old"]:
            with self.hold_sync():
                self.set_trait("selection", None)
                self.set_trait("lane", None)
                self.block, self.operand = 0, "c"
                self.formula, self.formula_of = [], "c"
                self._map = browser_data(self._held)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What the checker says of `formula`; None where there is none, or it cannot be read.

        Examples
        --------
        >>> LaneExplorer("m16n8k16", formula=["lane // 4 + 8 * (i % 2)", "2 * (lane % 4) + i % 2"]).diagnosis.wrong
        64
        """
        try:
            given = bool(self.formula) and all(self.formula)
            return check_fragment(self._held, self.formula_of, self.formula) if given else None
        except FragmentError:
            return None

    @traitlets.observe("formula", "formula_of")
    def _check(self, change: dict[str, Any]) -> None:
        if not any(self.formula):
            self._found = {}
            return
        try:
            if not all(self.formula):
                raise FragmentError("One of the coordinates is not given yet.")
            found = departures(check_fragment(self._held, self.formula_of, self.formula))
        except FragmentError as error:
            found = {"error": str(error)}
        self._found = {**found, "of": self.formula_of, "formula": self.formula}

    @traitlets.validate("selection")
    def _inside(self, proposal: dict[str, Any]) -> tuple[int, int, int] | None:
        point: tuple[int, int, int] | None = proposal["value"]
        x = self._held
        if point is not None and not all(0 <= i < size for i, size in zip(point, (x.m, x.n, x.k), strict=True)):
            sizes = f"m below {x.m}, n below {x.n}, k below {x.k}"
            raise traitlets.TraitError(f"selection {point}: {x.short_name} has {sizes}")
        return point

    def draw(self) -> Picture:
        """The static picture: the instruction at rest."""
        return draw_instruction(self._held, by=cast(By, self.colour))

    def save(self, path: str | Path) -> Path:
        """Write the static picture: .svg, .png or .txt; an .html file also answers to pointer and keys."""
        path = Path(path)
        if path.suffix.lower() != ".html":
            return self.draw().save(path)
        state = {name: getattr(self, name) for name in self._drawn}
        state["_choices"] = [choice for choice in self._choices if choice["key"] == self.instruction]
        path.write_text(standalone(self._held.name, self._script, self._style, state, self.draw().html()), "utf-8")
        return path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.instruction!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and for readers without a kernel the static picture and this text."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "text/html": self.draw().html(), "text/plain": repr(self)}, metadata


def _resolve(instruction: Instruction | str) -> Instruction:
    if isinstance(instruction, Instruction):
        return instruction
    if not isinstance(instruction, str):
        raise InstructionError(f"explore({instruction!r}): expected an Instruction, a name, or {', '.join(TARGETS)}")
    return tensorcores.instruction(*TARGETS.get(instruction, (instruction,)))


@cache
def _choices() -> list[dict[str, str]]:
    """The catalogue for the two lists: by vendor, then by architecture."""
    return [
        {
            "key": x.short_name,
            "label": x.short_name.removeprefix(f"{x.arch}."),
            "name": x.name,
            "vendor": VENDORS[x.vendor],
            "family": family(x.arch),
        }
        for vendor in VENDORS
        for x in tensorcores.instructions(vendor)
    ]
