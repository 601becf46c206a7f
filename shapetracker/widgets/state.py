"""What the browser draws: everything is computed here, by the library, and sent as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from math import prod
from typing import TYPE_CHECKING, Any

from shapetracker.arrays import index_arrays
from shapetracker.drawing.memory import Buffer, minus, tuple_text
from shapetracker.drawing.photographs import channels_of, gathered, thinned, thinning
from shapetracker.drawing.scene import png_of_pixels
from shapetracker.drawing.views import expressions
from shapetracker.tracker import ShapeTracker
from shapetracker.widgets.chain import OPERATIONS, Chain, Outcome, sliders, suggestion, to_code

if TYPE_CHECKING:
    import numpy as np

    from shapetracker.view import View

CELLS = 1 << 14
"""The largest number of elements that is drawn cell by cell."""
PIXELS = 1 << 24
"""The largest number of elements of an image."""
SHOWN = 512
"""Pixels of the longer side of an image that the browser gets: no screen shows more of it beside the chain."""


def rows(chain: Chain, outcome: Outcome) -> list[dict[str, Any]]:
    """For the start and for each step: what it gives, or the library's error, or that it waits."""
    out: list[dict[str, Any]] = []
    for number in range(len(chain.steps) + 1):
        before = outcome.trackers[number - 1] if 0 < number <= len(outcome.trackers) else None
        row: dict[str, Any] = {}
        if number < len(outcome.trackers):
            tracker = outcome.trackers[number]
            views = len(tracker.simplify().views)
            row = {"shape": str(tracker.shape), "views": views}
        elif number == len(outcome.trackers):
            call, _, reason = outcome.error.partition(": ")
            row = {"call": f"{call}: " if reason else "", "reason": reason or call}
        else:
            row = {"waits": True}
        if number == 0:
            whole = outcome.trackers[0] if outcome.trackers else None
            row["sliders"] = [asdict(s) for s in sliders("buffer", whole.shape)] if whole and whole.contiguous else []
        elif before is not None:
            row["sliders"] = [asdict(s) for s in sliders(chain.steps[number - 1].operation, before.shape)]
        shape = outcome.trackers[min(number, len(outcome.trackers) - 1)].shape if outcome.trackers else ()
        row["next"] = {operation: suggestion(operation, shape) for operation in OPERATIONS}
        row["here"] = {operation: suggestion(operation, before.shape) for operation in OPERATIONS} if before else {}
        out.append(row)
    return out


def picture(chain: Chain, shown: int, trackers: Sequence[ShapeTracker], memory: "Memory") -> dict[str, Any]:
    """The tracker after `shown` steps: its views, the tables of addresses, its expressions, the code."""
    start, tracker = trackers[0], trackers[shown].simplify()
    made = tracker.views != trackers[shown].views
    size = memory.size(start)
    return {
        "size": size,
        "memory": Buffer(size, 1, known=memory.knows(chain, start)).words(),
        "row": memory.row(start, size),
        "views": [_view(tracker.views[: k + 1], memory) for k in range(len(tracker.views))],
        "expressions": [list(line) for line in expressions(tracker).lines],
        "code": to_code(chain, shown) + (".simplify()" if made else ""),
        "why": why(tracker.views),
    }


def _view(views: "Sequence[View]", memory: "Memory") -> dict[str, Any]:
    import numpy as np

    view = views[-1]
    words = [f"shape {tuple_text(view.shape)}", f"strides {tuple_text(view.strides)}"]
    words += [f"offset {minus(view.offset)}"] if view.offset else []
    words += [f"mask {tuple_text(view.mask)}"] if view.mask is not None else []
    out: dict[str, Any] = {
        "shape": list(view.shape),
        "strides": list(view.strides),
        "offset": view.offset,
        "mask": [list(bounds) for bounds in view.mask] if view.mask is not None else None,
        "words": "    ".join(words),
    }
    if memory.image is not None:
        return out | memory.render(views)
    for name, stack in (("below", views[-1:]), ("addresses", views)):
        index, valid = index_arrays(stack)
        out[name] = np.where(valid, index, -1).astype("<i4").tobytes()
    return out


class Memory:
    """The buffer that a chain looks into: addresses only, an array of numbers, or an image.

    An image is an array of unsigned bytes (height, width) or (height, width, 3 or 4): the picture is then what the
    views gather from it. `read_by` is the start of a chain (as text) that was given as a view of some memory: what lies
    behind the last element that it reads is not known, even where the view is contiguous.

    Examples
    --------
    >>> import numpy as np
    >>> Memory(np.zeros((64, 64, 3), np.uint8)).limit, Memory(np.arange(24)).limit
    (16777216, 16384)
    """

    def __init__(self, array: "np.ndarray[Any, Any] | None" = None, read_by: str = "") -> None:
        self.array = array
        self._read_by = read_by
        shape: tuple[int, ...] = () if array is None else array.shape
        pixels = len(shape) == 2 or (len(shape) == 3 and shape[-1] in (3, 4))
        is_image = array is not None and array.dtype.name == "uint8" and pixels and prod(shape) > 1024
        self.image = array if is_image else None

    @property
    def limit(self) -> int:
        """The largest number of elements drawn."""
        return CELLS if self.image is None else PIXELS

    @property
    def channels(self) -> int:
        """How many numbers make the colour of a pixel; 1 where memory is no image."""
        return 1 if self.image is None or self.image.ndim < 3 else int(self.image.shape[2])

    def knows(self, chain: Chain, start: ShapeTracker) -> bool:
        """Whether the size is memory's own; else it is as far as the views read."""
        return self.array is not None or (start.contiguous and chain.start != self._read_by)

    def size(self, start: ShapeTracker) -> int:
        """How many elements the buffer has."""
        from shapetracker.box import index_range

        if self.array is not None:
            return int(self.array.size)
        if start.contiguous:
            return start.size
        reach = index_range(start.views[0].box)
        return reach[1] + 1 if reach else 0

    def row(self, start: ShapeTracker, size: int) -> int:
        """How many elements make a row of the buffer, which is what a hue means."""
        shape: tuple[int, ...] = start.shape if self.array is None or start.contiguous else self.array.shape
        return shape[-1] if len(shape) > 1 and shape[-1] > 1 else max(2, -(-size // 8))

    def values(self) -> list[str]:
        """The numbers in memory, as text; nothing for an image or for addresses only."""
        if self.array is None or self.image is not None:
            return []
        return [str(value) for value in self.array.reshape(-1).tolist()]

    def render(self, views: "Sequence[View]") -> dict[str, Any]:
        """What the views gather, as a PNG."""
        if self.image is None:
            return {}
        tracker = ShapeTracker(tuple(views))
        thin = thinned(tracker, self.image, SHOWN)
        return {
            "channels": channels_of(self.image, tracker.shape),
            "thin": thinning(tracker, self.image, SHOWN),
            "png": png_of_pixels(gathered(thin.views, self.image)),
        }

    def photograph(self) -> bytes:
        """The buffer itself as a PNG, thinned out; nothing where it is no image."""
        if self.image is None:
            return b""
        seen = thinned(ShapeTracker.from_shape(self.image.shape), self.image, SHOWN).as_array(self.image)
        return png_of_pixels(seen if seen.ndim == 2 else seen[..., :3])

    def photograph_shape(self) -> list[int]:
        """Rows, columns and channels of the image; empty where there is none."""
        return [] if self.image is None else [*self.image.shape, 1][:3]


def why(views: "Sequence[View]") -> dict[str, Any] | None:
    """Why the last two views are not one: the evidence as points, or None where there is one view.

    Examples
    --------
    >>> tracker = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,))
    >>> why(tracker.views)
    {'kind': 'steps', 'axis': 0, 'points': [[0], [1], [3], [4]], 'steps': [6, -17]}
    """
    from shapetracker.why import why_not_merge
    from shapetracker.witness import Hole, Steps

    found = why_not_merge(*views[-2:]) if len(views) > 1 else None
    if found is None:
        return None
    match found.evidence:
        case Hole(point=point):
            return {"kind": "hole", "points": [list(point)]}
        case Steps(axis=axis) as steps:
            starts = (steps.one, steps.other)
            points = [p for start in starts for p in (list(start), [i + (d == axis) for d, i in enumerate(start)])]
            return {"kind": "steps", "axis": axis, "points": points, "steps": [steps.one_step, steps.other_step]}
    return {"kind": found.kind}
