"""One strided view of a buffer, and the movement operations that change the view and never the data."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from shapetracker import movements
from shapetracker.box import Bounds, Box, canonical, contiguous_box, index_range, merge_axes, row_major_strides, volume
from shapetracker.compose import compose
from shapetracker.errors import ViewError
from shapetracker.inverse import inverse
from shapetracker.movements import check_reshape, check_sizes, integers, pairs, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shapetracker.expr import Expr, Variable
    from shapetracker.expr.nodes import IntLike
    from shapetracker.why import Why


Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A function from the points of a shape to memory indices, with a rectangle of valid points.

    Make one with `View.create`, which brings it to its canonical form: two views of one shape are equal exactly when
    they are the same function.

    Attributes
    ----------
    shape : the size of each axis
    strides : the step in memory, in elements, of one step along each axis
    offset : the memory index of the point (0, 0, …), were it valid
    mask : the half-open ``(begin, end)`` of the valid positions of each axis; None when every point is valid
    contiguous : whether the view reads 0, 1, 2, … in row-major order
    """

    shape: Shape
    strides: tuple[int, ...]
    offset: int
    mask: Bounds | None
    contiguous: bool

    @staticmethod
    def create(
        shape: Sequence[IntLike],
        strides: Sequence[IntLike] | None = None,
        offset: IntLike = 0,
        mask: Sequence[tuple[IntLike, IntLike]] | None = None,
    ) -> View:
        """The canonical view of a shape; row-major when no strides are given.

        >>> View.create((4, 6))
        View(shape=(4, 6), strides=(6, 1), offset=0)
        >>> View.create((1, 6), strides=(99, 1), mask=((0, 1), (2, 3)))
        View(shape=(1, 6), strides=(0, 0), offset=2, mask=((0, 1), (2, 3)))

        Raises
        ------
        ViewError
            Where the numbers of sizes, strides and mask bounds differ, or a bound lies outside of its axis.
        """
        try:
            sizes = integers(shape)
            steps = row_major_strides(sizes) if strides is None else integers(strides)
            (start,) = integers((offset,))
            bounds = None if mask is None else pairs(mask)
        except (TypeError, ValueError):
            from shapetracker.symbolic import symbolic

            return symbolic(shape, strides, offset, mask)
        check_sizes("View.create", sizes)
        if len(steps) != len(sizes):
            raise ViewError(f"View.create: {len(steps)} strides {steps} for the {len(sizes)} axes of shape {sizes}")
        if bounds is None and min(sizes, default=2) > 1:  # canonical as it is
            return View(sizes, steps, start, None, _is_contiguous(sizes, steps, start, None))
        if bounds is None:
            return View.from_box(canonical(sizes, steps, start, tuple([(0, size) for size in sizes])))
        if len(bounds) != len(sizes):
            raise ViewError(f"View.create: a mask of {len(bounds)} axes {bounds} for shape {sizes}")
        for axis, (begin, end) in enumerate(bounds):
            if begin < 0 or end > sizes[axis]:
                raise ViewError(
                    f"View.create: mask {(begin, end)} lies outside of axis {axis}, which has size {sizes[axis]}"
                )
        return View.from_box(canonical(sizes, steps, start, bounds))

    @staticmethod
    def from_array(array: Any) -> View:
        """The view that an array is of the memory that owns it: its shape, strides and offset in elements.

        A numpy array, or an object with ``__array_interface__`` or ``__dlpack__`` (in the CPU's memory). The offset
        counts from the lowest address of the array that owns the memory.

        >>> import numpy as np
        >>> View.from_array(np.arange(12).reshape(3, 4)[::-1, 1:])
        View(shape=(3, 3), strides=(-4, 1), offset=9)
        """
        from shapetracker.arrays import view_of_array

        return view_of_array(array)

    @staticmethod
    def from_box(box: Box) -> View:
        """The view of a box that is in canonical form.

        >>> View.from_box(View.create((4, 6)).box)
        View(shape=(4, 6), strides=(6, 1), offset=0)
        """
        shape, strides, offset, bounds = box
        mask: Bounds | None = None
        for (begin, end), size in zip(bounds, shape, strict=True):
            if begin or end != size:
                mask = bounds
                break
        return View(shape, strides, offset, mask, _is_contiguous(shape, strides, offset, mask))

    @property
    def box(self) -> Box:
        """The same function as plain data, with bounds where the mask is None.

        >>> View.create((4, 6)).box.bounds
        ((0, 4), (0, 6))
        """
        bounds = tuple([(0, size) for size in self.shape]) if self.mask is None else self.mask
        return Box(self.shape, self.strides, self.offset, bounds)

    def size(self) -> int:
        """The number of points, valid or not.

        >>> View.create((4, 6)).size()
        24
        """
        return prod(self.shape)

    def vars(self) -> set[Variable]:
        """The variables of the shape, strides, offset and mask.

        >>> View.create((4, 6)).vars()
        set()
        """
        return set()

    def conditions(self) -> tuple[Expr, ...]:
        """The guards that a binding of the variables must meet.

        >>> View.create((4, 6)).conditions()
        ()
        """
        return ()

    def unbind(self) -> tuple[View, dict[Variable, int]]:
        """The view over plain variables, and the values that were bound.

        >>> View.create((4,)).unbind()
        (View(shape=(4,), strides=(1,), offset=0), {})
        """
        return self, {}

    def bind(self, values: Mapping[Any, int] | None = None) -> View:
        """The plain view for given values of all variables; see `shapetracker.symbolic.SymbolicView.bind`.

        >>> View.create((4,)).bind({})
        View(shape=(4,), strides=(1,), offset=0)
        """
        return self

    def minify(self) -> View:
        """The same flat function with the fewest axes: neighbours that act as one axis are merged.

        >>> View.create((2, 3, 4)).permute((2, 0, 1)).minify()
        View(shape=(4, 6), strides=(1, 4), offset=0)
        """
        return View.from_box(merge_axes(self.box))

    def invert(self, shape: Sequence[int]) -> View | None:
        """The view of `shape` whose element at memory index p is the flat position of this view that reads p.

        None unless the valid points read 0 … prod(shape) − 1, each exactly once, or where no single view expresses
        it. A pad inverts to a shrink.

        >>> View.create((4, 6)).permute((1, 0)).invert((4, 6))
        View(shape=(4, 6), strides=(1, 4), offset=0)
        >>> View.create((4,)).pad(((1, 2),)).invert((4,))
        View(shape=(4,), strides=(1,), offset=1)
        """
        sizes = check_sizes("invert", shape)
        if volume(self.box.bounds) != prod(sizes):
            return None
        if not prod(sizes):
            return View.create(sizes)
        back = inverse(self.box)
        return None if back is None else View.from_box(back).reshape(sizes)

    # --- movement operations -----------------------------------------------------------------------------------------

    def pad(self, widths: Sequence[tuple[IntLike, IntLike]]) -> View:
        """Add invalid positions: ``(before, after)`` of each axis.

        >>> View.create((2, 3)).pad(((0, 0), (1, 2)))
        View(shape=(2, 6), strides=(3, 1), offset=-1, mask=((0, 2), (1, 4)))
        """
        try:
            given = pairs(widths)
        except (TypeError, ValueError):
            return self._symbolic().pad(widths)
        return View.from_box(movements.pad(self.box, given))

    def shrink(self, bounds: Sequence[tuple[IntLike, IntLike]]) -> View:
        """Keep the positions ``begin … end − 1`` of each axis.

        >>> View.create((4, 6)).shrink(((1, 3), (0, 6)))
        View(shape=(2, 6), strides=(6, 1), offset=6)
        """
        try:
            cuts = pairs(bounds)
        except (TypeError, ValueError):
            return self._symbolic().shrink(bounds)
        return View.from_box(movements.shrink(self.box, cuts))

    def expand(self, shape: Sequence[IntLike]) -> View:
        """Repeat axes of size 1, with stride 0.

        >>> View.create((3, 1)).expand((3, 4))
        View(shape=(3, 4), strides=(1, 0), offset=0)
        """
        try:
            sizes = integers(shape)
        except TypeError:
            return self._symbolic().expand(shape)
        return View.from_box(movements.expand(self.box, sizes))

    def permute(self, axes: Sequence[int]) -> View:
        """Reorder the axes: axis k of the result is axis ``axes[k]`` of this view.

        >>> View.create((4, 6)).permute((1, 0))
        View(shape=(6, 4), strides=(1, 6), offset=0)
        """
        return View.from_box(movements.permute(self.box, whole("permute", axes)))

    def stride(self, steps: Sequence[int]) -> View:
        """Keep every m-th position of each axis, counted from the end where m is negative; size ⌈s / abs(m)⌉.

        >>> View.create((5,)).stride((-2,))
        View(shape=(3,), strides=(-2,), offset=4)
        """
        return View.from_box(movements.stride(self.box, whole("stride", steps)))

    def flip(self, axes: Sequence[int] | int) -> View:
        """Reverse the order along the given axes.

        >>> View.create((4, 6)).flip((1,))
        View(shape=(4, 6), strides=(6, -1), offset=5)
        """
        chosen = (axes,) if isinstance(axes, int) else whole("flip", axes)
        return self.stride(movements.steps_of_flip(self.shape, chosen))

    def reshape(self, shape: Sequence[IntLike]) -> View | None:
        """The same elements in row-major order, under another shape; None exactly when no single view can express it.

        >>> View.create((4, 6)).reshape((2, 12))
        View(shape=(2, 12), strides=(12, 1), offset=0)
        >>> View.create((4, 6)).permute((1, 0)).reshape((24,)) is None
        True
        """
        try:
            sizes = check_reshape(self.shape, integers(shape))
        except TypeError:
            return self._symbolic().reshape(shape)
        if sizes == self.shape:
            return self
        if self.contiguous:
            return View.create(sizes)
        found = compose((self.box, contiguous_box(sizes)))
        return None if found is None else View.from_box(found)

    def why_not_reshape(self, shape: Sequence[int]) -> Why | None:
        """The evidence that no single view expresses a reshape; None where one does.

        >>> print(View.create((2, 3)).permute((1, 0)).why_not_reshape((6,)))
        reshape (3, 2) to (6,) is not one view: the steps of axis 0 differ. From (0,) to (1,) the memory index goes
        from 0 to 3, a step of 3; from (1,) to (2,) it goes from 3 to 1, a step of -2.
        """
        from shapetracker.why import why_not_reshape

        return why_not_reshape(self, shape)

    def __add__(self, outer: View) -> View | None:
        """The elements of `outer` looked up in this view; None exactly when no single view can express it.

        >>> View.create((4, 6)).permute((1, 0)) + View.create((6, 4)).flip((0,))
        View(shape=(6, 4), strides=(-1, 6), offset=5)
        """
        if not isinstance(outer, View):
            return NotImplemented
        if outer.vars():
            return self._symbolic() + outer
        check_in_range(self, outer)
        found = compose((self.box, outer.box))
        return None if found is None else View.from_box(found)

    # --- showing -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        mask = "" if self.mask is None else f", mask={self.mask}"
        return f"View(shape={self.shape}, strides={self.strides}, offset={self.offset}{mask})"

    def draw(self) -> Any:
        """The picture of this view: memory order beside logical order."""
        from shapetracker.drawing.views import draw_view

        return draw_view(self)

    def _repr_html_(self) -> str:
        return self.draw()._repr_html_()  # type: ignore[no-any-return]

    def _symbolic(self) -> View:
        """The same view, with the operations that take expressions."""
        from shapetracker.symbolic import as_symbolic

        return as_symbolic(self)


def check_in_range(inner: View, outer: View) -> None:
    """Raise a ViewError when a valid point of `outer` looks outside of `inner`.

    >>> check_in_range(View.create((6,)), View.create((2, 3)))
    """
    found = index_range(outer.box)
    if found is None:
        return
    low, high = found
    if low < 0 or high >= inner.size():
        raise ViewError(
            f"view {outer} reads the elements {low} … {high} of a view of shape {inner.shape}, "
            f"which has {inner.size()} elements"
        )


def _is_contiguous(shape: Shape, strides: tuple[int, ...], offset: int, mask: Bounds | None) -> bool:
    return mask is None and offset == 0 and strides == row_major_strides(shape)
