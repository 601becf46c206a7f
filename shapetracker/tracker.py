"""ShapeTracker: a stack of views that acts as one, so that every movement operation has an answer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from shapetracker.errors import ViewError
from shapetracker.stack import simplify_stack
from shapetracker.view import View, check_in_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from shapetracker.expr import Expr


@dataclass(frozen=True, slots=True)
class ShapeTracker:
    """Views of one buffer, innermost first: each looks its elements up, by flat index, in the one before it.

    Immutable and hashable.

    >>> st = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,))
    >>> len(st.views)
    2
    """

    views: tuple[View, ...]

    def __post_init__(self) -> None:
        if not self.views:
            raise ViewError("ShapeTracker: give at least one view")
        for inner, outer in zip(self.views, self.views[1:], strict=False):
            check_in_range(inner, outer)

    @staticmethod
    def from_shape(shape: Sequence[int]) -> ShapeTracker:
        """The contiguous tracker of a shape.

        >>> ShapeTracker.from_shape((4, 6))
        ShapeTracker(View(shape=(4, 6), strides=(6, 1), offset=0))
        """
        return ShapeTracker((View.create(shape),))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the outermost view."""
        return self.views[-1].shape

    @property
    def size(self) -> int:
        """The number of points, valid or not."""
        return prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether this is one view that reads 0, 1, 2, … in row-major order."""
        return len(self.views) == 1 and self.views[0].contiguous

    # --- movement operations -----------------------------------------------------------------------------------------

    def pad(self, widths: Sequence[tuple[int, int]]) -> ShapeTracker:
        """Add invalid positions: ``(before, after)`` of each axis."""
        return self._on_last(self.views[-1].pad(widths))

    def shrink(self, bounds: Sequence[tuple[int, int]]) -> ShapeTracker:
        """Keep the positions ``begin … end − 1`` of each axis."""
        return self._on_last(self.views[-1].shrink(bounds))

    def expand(self, shape: Sequence[int]) -> ShapeTracker:
        """Repeat axes of size 1."""
        return self._on_last(self.views[-1].expand(shape))

    def permute(self, axes: Sequence[int]) -> ShapeTracker:
        """Reorder the axes."""
        return self._on_last(self.views[-1].permute(axes))

    def stride(self, steps: Sequence[int]) -> ShapeTracker:
        """Keep every m-th position of each axis, from the end where m is negative."""
        return self._on_last(self.views[-1].stride(steps))

    def flip(self, axes: Sequence[int] | int) -> ShapeTracker:
        """Reverse the order along the given axes."""
        return self._on_last(self.views[-1].flip(axes))

    def reshape(self, shape: Sequence[int]) -> ShapeTracker:
        """The same elements in row-major order, under another shape; a second view where one cannot express it.

        The environment variable ``MERGE_VIEW=0`` keeps every reshape as a view of its own.
        """
        reshaped = self.views[-1].reshape(shape)
        if reshaped is None or os.environ.get("MERGE_VIEW") == "0":
            return ShapeTracker((*self.views, View.create(shape)))
        return self._on_last(reshaped)

    def __add__(self, outer: ShapeTracker) -> ShapeTracker:
        """The elements of `outer` looked up in this tracker."""
        if not isinstance(outer, ShapeTracker):
            return NotImplemented
        return ShapeTracker(self.views + outer.views).simplify()

    def simplify(self) -> ShapeTracker:
        """The same function in fewer views: no run of neighbouring views of the result is one view.

        Where no run is one view, the mask of a view may still stand in the way: taken into the view below, as
        padding, it may let the view above merge.

        >>> st = ShapeTracker((View.create((2, 3), (1, 2)), View.create((6,)), View.create((3, 2))))
        >>> len(st.simplify().views)
        2
        """
        boxes = simplify_stack(tuple([view.box for view in self.views]))
        return self if len(boxes) == len(self.views) else ShapeTracker(tuple([View.from_box(box) for box in boxes]))

    # --- index expressions -------------------------------------------------------------------------------------------

    def expr_idxs(self, idxs: Sequence[Expr | int] | None = None) -> tuple[Expr, Expr]:
        """The memory index and the validity (1 or 0), as expressions over ``idx0, idx1, …`` or the given ones.

        >>> index, valid = ShapeTracker.from_shape((4, 6)).permute((1, 0)).expr_idxs()
        >>> index.render(), valid.render()
        ('idx0 + idx1*6', '1')
        """
        from shapetracker.indexing import index_and_valid

        return index_and_valid(self.views, idxs)

    def expr_node(self, idx: Expr | int | None = None) -> tuple[Expr, Expr]:
        """The memory index and the validity over one flat index `idx`: what a thread computes.

        >>> ShapeTracker.from_shape((2, 3)).permute((1, 0)).expr_node()[0].evaluate({"idx": 1})
        3
        """
        from shapetracker.indexing import flat_index_and_valid

        return flat_index_and_valid(self.views, idx)

    # --- numpy -------------------------------------------------------------------------------------------------------

    def gather(self, array: Any, fill: Any = 0) -> np.ndarray[Any, Any]:
        """The elements of an array (its row-major order is the memory) looked up through the views.

        >>> import numpy as np
        >>> ShapeTracker.from_shape((2, 3)).pad(((0, 0), (1, 0))).gather(np.arange(6), fill=-1).tolist()
        [[-1, 0, 1, 2], [-1, 3, 4, 5]]
        """
        from shapetracker.arrays import gather

        return gather(self.views, array, fill)

    def scatter(self, values: Any, into: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Write values, one a point, to the memory indices of the valid points; the last one written stays.

        >>> import numpy as np
        >>> ShapeTracker.from_shape((3,)).flip(0).scatter([1, 2, 3], np.zeros(3, dtype=int)).tolist()
        [3, 2, 1]
        """
        from shapetracker.arrays import scatter

        return scatter(self.views, values, into)

    def as_array(self, array: Any) -> np.ndarray[Any, Any]:
        """The same as `gather` without a copy: a read-only numpy array over the same memory.

        >>> import numpy as np
        >>> ShapeTracker.from_shape((2, 3)).permute((1, 0)).as_array(np.arange(6)).tolist()
        [[0, 3], [1, 4], [2, 5]]

        Raises
        ------
        ViewError
            With a mask, or with more than one view after `simplify`: strides alone cannot express those.
        """
        from shapetracker.arrays import as_array

        simple = self.simplify()
        if len(simple.views) != 1:
            raise ViewError(f"as_array: {self} is more than one view, which numpy's strides cannot express; use gather")
        return as_array(simple.views[0], array)

    def real_strides(self, ignore_valid: bool = False) -> tuple[int | None, ...]:
        """The fixed step of each axis; None where an axis has none, or where validity depends on the axis."""
        simple = self.simplify()
        if len(simple.views) != 1:
            return (None,) * len(self.shape)
        view = simple.views[0]
        if view.mask is None or ignore_valid:
            return view.strides
        return tuple(
            step if bounds == (0, size) else None
            for step, bounds, size in zip(view.strides, view.mask, view.shape, strict=True)
        )

    # --- showing -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"ShapeTracker({', '.join(map(repr, self.views))})"

    def draw(self) -> Any:
        """The picture of this tracker: memory order beside logical order, view by view."""
        from shapetracker.drawing.views import draw_tracker

        return draw_tracker(self)

    def _repr_html_(self) -> str:
        return self.draw()._repr_html_()  # type: ignore[no-any-return]

    def _on_last(self, view: View) -> ShapeTracker:
        return ShapeTracker((*self.views[:-1], view))
