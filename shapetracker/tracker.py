"""ShapeTracker: a stack of views that acts as one, so that every movement operation has an answer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from shapetracker import queries
from shapetracker.box import Box
from shapetracker.chain import Operation, parse_chain, parse_shape
from shapetracker.errors import ViewError
from shapetracker.inverse import inverse_stack
from shapetracker.movements import check_sizes, listed, whole
from shapetracker.stack import simplify_stack
from shapetracker.symbolic_stack import guards_of, unbind_views
from shapetracker.symbolic_sum import merge_runs
from shapetracker.symbolic_values import given_values
from shapetracker.view import View, check_in_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np

    from shapetracker.expr import Expr, Variable
    from shapetracker.expr.nodes import IntLike


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
        views: object = self.views
        if type(views) is not tuple:
            raise ViewError(f"ShapeTracker: {views!r} is no tuple of views; ShapeTracker.from_shape takes a shape")
        for view in views:
            if not isinstance(view, View):
                raise ViewError(f"ShapeTracker: {view!r} is no view; ShapeTracker.from_shape takes a shape")
        if not self.views:
            raise ViewError("ShapeTracker: give at least one view")
        for inner, outer in zip(self.views, self.views[1:], strict=False):
            if not (inner.vars() or outer.vars()):  # else it is checked when the variables are bound
                check_in_range(inner, outer)

    @staticmethod
    def from_shape(shape: Sequence[IntLike]) -> ShapeTracker:
        """The contiguous tracker of a shape.

        >>> ShapeTracker.from_shape((4, 6))
        ShapeTracker(View(shape=(4, 6), strides=(6, 1), offset=0))
        """
        return ShapeTracker((View.create(shape),))

    @staticmethod
    def from_text(text: str) -> ShapeTracker:
        """The tracker of a chain written as text, which starts with the shape.

        >>> ShapeTracker.from_text("shape 4 6 | permute 1 0 | flip 0")
        ShapeTracker(View(shape=(6, 4), strides=(-1, 6), offset=5))
        """
        if not isinstance(text, str):
            raise ViewError(f"from_text: {text!r} is no text; write a chain, as 'shape 4 6 | permute 1 0'")
        start, _, rest = text.partition("|")
        return ShapeTracker.from_shape(parse_shape(start)).apply(rest)

    def apply(self, chain: str | Iterable[Operation]) -> ShapeTracker:
        """This tracker after a chain of movement operations, as text or as `Operation` objects.

        >>> ShapeTracker.from_shape((12,)).apply("reshape 2 6 | permute 1 0 | flip 0").shape
        (6, 2)
        """
        tracker = self
        for operation in (
            parse_chain(chain) if isinstance(chain, str) else listed("apply", chain, "chain of operations")
        ):
            if not isinstance(operation, Operation):
                raise ViewError(f"apply: {operation!r} is no operation; write the chain as text, as 'permute 1 0'")
            tracker = operation.apply(tracker)
        return tracker

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the outermost view."""
        return self.views[-1].shape

    @property
    def size(self) -> int:
        """The number of points, valid or not."""
        return self.views[-1].size()

    @property
    def contiguous(self) -> bool:
        """Whether this is one view that reads 0, 1, 2, … in row-major order.

        >>> ShapeTracker.from_shape((4, 6)).permute((1, 0)).permute((1, 0)).contiguous
        True
        """
        views = self.simplify().views
        return len(views) == 1 and views[0].contiguous

    @property
    def consecutive(self) -> bool:
        """Whether this is one view without a mask that reads indices one after the other, from any offset.

        >>> ShapeTracker.from_shape((4, 6)).shrink(((1, 3), (0, 6))).consecutive
        True
        """
        views = self.simplify().views
        return len(views) == 1 and views[0].mask is None and views[0].strides == View.create(self.shape).strides

    # --- variables ---------------------------------------------------------------------------------------------------

    def vars(self) -> set[Variable]:
        """The variables of all views.

        >>> from shapetracker import Variable
        >>> ShapeTracker.from_shape((Variable("i", 1, 6), 4)).vars()
        {i}
        """
        found: set[Variable] = set()
        for view in self.views:
            found |= view.vars()
        return found

    @property
    def guards(self) -> tuple[Expr, ...]:
        """The conditions that a binding of the variables must meet, of all views.

        >>> from shapetracker import Variable
        >>> ShapeTracker.from_shape((Variable("i", 1, 6), 4)).reshape((8,)).guards
        (i == 2,)
        """
        return guards_of(self.views)

    @property
    def var_vals(self) -> dict[Variable, int]:
        """The values of the variables that are bound.

        >>> from shapetracker import Variable
        >>> ShapeTracker.from_shape((Variable("i", 1, 6).bind(3), 4)).var_vals
        {i: 3}
        """
        return self.unbind()[1]

    def unbind(self) -> tuple[ShapeTracker, dict[Variable, int]]:
        """The tracker over plain variables, and the values that were bound.

        >>> from shapetracker import Variable
        >>> ShapeTracker.from_shape((Variable("i", 1, 6).bind(3),)).unbind()[0].shape
        (i,)
        """
        views, values = unbind_views(self.views)
        return ShapeTracker(views), values

    def bind(self, values: Mapping[Any, int] | None = None) -> ShapeTracker:
        """The plain tracker for given values of all variables; those that are bound already need none.

        >>> from shapetracker import Variable
        >>> i = Variable("i", 1, 6)
        >>> ShapeTracker.from_shape((i, 4)).permute((1, 0)).bind({i: 3})
        ShapeTracker(View(shape=(4, 3), strides=(1, 4), offset=0))

        Raises
        ------
        ViewError
            Where a variable has no value, or a guard of a view does not hold.
        """
        plain, bound = self.unbind()
        at: dict[Any, int] = {**bound, **given_values("bind", values)}
        return ShapeTracker(tuple([view.bind(at) for view in plain.views]))

    # --- movement operations -----------------------------------------------------------------------------------------

    def pad(self, widths: Sequence[tuple[IntLike, IntLike]]) -> ShapeTracker:
        """Add invalid positions: ``(before, after)`` of each axis."""
        return self._on_last(self.views[-1].pad(widths))

    def shrink(self, bounds: Sequence[tuple[IntLike, IntLike]]) -> ShapeTracker:
        """Keep the positions ``begin … end − 1`` of each axis."""
        return self._on_last(self.views[-1].shrink(bounds))

    def expand(self, shape: Sequence[IntLike]) -> ShapeTracker:
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

    def reshape(self, shape: Sequence[IntLike]) -> ShapeTracker:
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
        if self.vars():
            return ShapeTracker(merge_runs(self.views))
        boxes = simplify_stack(tuple([view.box for view in self.views]))
        return self if len(boxes) == len(self.views) else ShapeTracker(tuple([View.from_box(box) for box in boxes]))

    def invert(self, out_shape: Sequence[int]) -> ShapeTracker | None:
        """The tracker of `out_shape` whose element at memory index p is the flat position here that reads p.

        None unless the valid points read 0 … prod(out_shape) − 1, each exactly once. A stack whose views do not each
        do so is inverted point by point, by two views a run of positions that follow each other: many, and slow to
        simplify. It is None, too, where such a stack has more than 2²⁰ points.

        >>> st = ShapeTracker.from_shape((4, 6)).permute((1, 0))
        >>> (st + st.invert((4, 6))).contiguous
        True
        """
        sizes = check_sizes("invert", out_shape)
        boxes = self._boxes()
        if not prod(sizes):
            return None if queries.greatest_index(boxes) is not None else ShapeTracker.from_shape(sizes)
        back = inverse_stack(boxes, prod(sizes))
        if back is None:
            return None
        found = ShapeTracker(tuple([View.from_box(box) for box in back])).reshape(sizes)
        return found.simplify() if len(back) <= len(boxes) else found

    # --- questions ---------------------------------------------------------------------------------------------------

    def real_strides(self, ignore_valid: bool = False) -> tuple[int | None, ...]:
        """The fixed step of each axis; None where it has none, or where validity depends on the axis.

        None, too, where only looking at more than 2²⁰ points would tell.

        Parameters
        ----------
        ignore_valid : look at the steps between valid points alone

        >>> ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((2, 12)).real_strides()
        (3, None)
        >>> padded = ShapeTracker.from_shape((4, 6)).pad(((0, 0), (1, 0)))
        >>> padded.real_strides(), padded.real_strides(ignore_valid=True)
        ((6, None), (6, 1))
        """
        boxes = self._boxes()
        steps = queries.fixed_strides(boxes)
        if ignore_valid:
            return steps
        masked = queries.masked_axes(boxes)
        return tuple([None if hidden else step for step, hidden in zip(steps, masked, strict=True)])

    def unit_stride_axes(self, ignore_valid: bool = False) -> list[int]:
        """The axes along which neighbours lie side by side in memory.

        >>> ShapeTracker.from_shape((4, 6)).unit_stride_axes()
        [1]
        """
        return [axis for axis, step in enumerate(self.real_strides(ignore_valid)) if step == 1]

    def real_offset(self) -> int:
        """What the index expression is at the point (0, 0, …), valid or not.

        >>> ShapeTracker.from_shape((4, 6)).pad(((1, 0), (0, 0))).real_offset()
        -6
        """
        tracker = ShapeTracker(self._plain_views()).simplify()
        index, _ = tracker.expr_idxs([0] * len(self.shape))
        return int(index.evaluate({}))

    def real_size(self) -> int:
        """The number of elements that the buffer must have: 1 + the greatest index that a valid point reads.

        Where only looking at more than 2²⁰ points would tell, it is a bound that is large enough.

        >>> ShapeTracker.from_shape((100,)).pad(((0, 50),)).real_size()
        100
        """
        greatest = queries.greatest_index(self._boxes())
        return 0 if greatest is None else greatest + 1

    def check_index_bits(self, bits: int) -> None:
        """Raise a ViewError when a valid point reads an index that a signed integer of so many bits cannot hold.

        >>> ShapeTracker.from_shape((1 << 20, 1 << 10)).check_index_bits(32)
        """
        (width,) = whole("check_index_bits", (bits,))
        if width < 1:
            raise ViewError(f"check_index_bits {bits}: a signed index has at least 1 bit")
        greatest = self.real_size() - 1
        if greatest >= 1 << (width - 1):
            enough = 1 << greatest.bit_length().bit_length()
            raise ViewError(
                f"check_index_bits {self.shape}: the index {greatest} does not fit into a signed index of {width} "
                f"bits, which ends at {(1 << (width - 1)) - 1}; use {enough} bits"
            )

    def axis_is_masked(self, axis: int) -> bool:
        """Whether validity depends on the axis: some valid point has an invalid one on its line along it.

        True, too, where only looking at more than 2²⁰ points would tell.

        >>> [ShapeTracker.from_shape((4, 6)).pad(((1, 0), (0, 0))).axis_is_masked(axis) for axis in (0, 1)]
        [True, False]
        """
        (axis,) = whole("axis_is_masked", (axis,))
        if not 0 <= axis < len(self.shape):
            raise ViewError(f"axis_is_masked {axis}: shape {self.shape} has the axes 0 … {len(self.shape) - 1}")
        return queries.masked_axes(self._boxes())[axis]

    def needs_valid(self) -> bool:
        """Whether some point is invalid, so that a load must be gated.

        True, too, where only looking at more than 2²⁰ points would tell.

        >>> ShapeTracker.from_shape((4, 6)).pad(((1, 0), (0, 0))).shrink(((1, 5), (0, 6))).needs_valid()
        False
        """
        return queries.some_invalid(self._boxes())

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

        return gather(self._plain_views(), array, fill)

    def scatter(self, values: Any, into: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Write values, one a point, to the memory indices of the valid points; the last one written stays.

        >>> import numpy as np
        >>> ShapeTracker.from_shape((3,)).flip(0).scatter([1, 2, 3], np.zeros(3, dtype=int)).tolist()
        [3, 2, 1]
        """
        from shapetracker.arrays import scatter

        return scatter(self._plain_views(), values, into)

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

        simple = ShapeTracker(self._plain_views()).simplify()
        if len(simple.views) != 1:
            raise ViewError(f"as_array: {self} is more than one view, which numpy's strides cannot express; use gather")
        return as_array(simple.views[0], array)

    # --- showing -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"ShapeTracker({', '.join(map(repr, self.views))})"

    def draw(self) -> Any:
        """The picture of this tracker: memory order beside logical order, view by view."""
        if any(view.vars() for view in self.views):
            from shapetracker.drawing.symbolic_views import draw_symbolic

            return draw_symbolic(self)
        from shapetracker.drawing.views import draw_tracker

        return draw_tracker(self)

    def _repr_html_(self) -> str:
        return self.draw()._repr_html_()  # type: ignore[no-any-return]

    def _boxes(self) -> tuple[Box, ...]:
        return simplify_stack(tuple([view.box for view in self._plain_views()]))

    def _plain_views(self) -> tuple[View, ...]:
        """The views with the values that were bound put in; an error where a variable has none."""
        if not self.vars():
            return self.views
        plain, bound = self.unbind()
        free = sorted(variable.name for variable in plain.vars() - bound.keys())
        if free:
            raise ViewError(f"{self} depends on {', '.join(free)}; bind the variables first")
        return self.bind().views

    def _on_last(self, view: View) -> ShapeTracker:
        return ShapeTracker((*self.views[:-1], view))
