"""A kernel that views made: the views, what they say about addresses, and the program, kept together."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuemu.errors import LaunchError
from gpuemu.kernels.access import Access
from gpuemu.kernels.errors import ViewKernelError
from gpuemu.program import Program
from gpuemu.tensorcores import Instruction
from shapetracker import ShapeTracker

if TYPE_CHECKING:
    from shapetracker.drawing.picture import Picture

Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True, repr=False)
class KernelFromViews:
    """A kernel made of views; call it with one array for each operand, the one that is written first.

    Attributes
    ----------
    accesses
        The operands, the one that is written first, and how the lanes reach them.
    instruction
        The tensor core that multiplies, or None.
    """

    name: str
    program: Program
    accesses: tuple[Access, ...]
    global_size: Size
    local_size: Size
    instruction: Instruction | None = None

    def __call__(self, *arrays: Any, engine: str = "auto", checks: Any = "default") -> float:
        """Run it; the seconds that it took.

        Parameters
        ----------
        arrays
            The memory that each view looks into, as numpy arrays of any shape.

        Raises
        ------
        LaunchError
            Where an array is missing, of another type, or smaller than its view.
        """
        if len(arrays) != len(self.accesses):
            names = ", ".join(access.name for access in self.accesses)
            raise LaunchError(f"{self.name}: got {len(arrays)} arrays; expected {len(self.accesses)}: {names}")
        for access, array in zip(self.accesses, arrays, strict=True):
            size, needed = np.size(array), access.tracker.real_size()
            if isinstance(array, np.ndarray) and size < needed:
                raise LaunchError(
                    f"{self.name}: {access.name} has {size} elements, and its view reaches element {needed - 1}"
                )
        if 0 in self.global_size:
            return 0.0  # a result without elements
        return self.program(
            *arrays, global_size=self.global_size, local_size=self.local_size, engine=engine, checks=checks
        )

    def draw(self) -> Picture:
        """From the index to the lane: views, expressions, lane maps and the program."""
        from gpuemu.drawing.kernels import draw_kernel

        return draw_kernel(self)

    def _repr_html_(self) -> str | None:
        return self.draw()._repr_html_()

    def __repr__(self) -> str:
        by = f" on {self.instruction.short_name}" if self.instruction else ""
        groups = "×".join(map(str, self.global_size))
        lanes = prod(self.local_size)
        return f"<KernelFromViews {self.name}{by}: {groups} workgroups of {lanes} lanes>"


def plain(call: str, **trackers: ShapeTracker) -> list[ShapeTracker]:
    """Views without variables: those whose variables are bound, at their values.

    Raises
    ------
    ViewKernelError
        Which names the operand that is no tracker, or the variables without a value.

    Examples
    --------
    >>> from shapetracker import Variable
    >>> n = Variable("n", 1, 8)
    >>> plain("sum", x=ShapeTracker.from_shape((n.bind(3), 2)))
    [ShapeTracker(View(shape=(3, 2), strides=(2, 1), offset=0))]
    """
    found = []
    for name, tracker in trackers.items():
        if not isinstance(tracker, ShapeTracker):
            raise ViewKernelError(f"{call}: {name} is {tracker!r}; expected a ShapeTracker")
        bound = tracker.var_vals
        free = sorted(variable.name for variable in tracker.unbind()[0].vars() if variable not in bound)
        if free:
            values = ", ".join(f"{variable!r}: …" for variable in free)
            raise ViewKernelError(
                f"{call}: {name} depends on {', '.join(free)}; a kernel is made for one size: give "
                f"view.bind({{{values}}})"
            )
        found.append(tracker.bind() if bound else tracker)
    return found


def check_written_once(call: str, out: ShapeTracker) -> None:
    """Check that no two points of a view are one element of memory, so that each is written by one lane.

    Raises
    ------
    ViewKernelError
        Which names the element and the two points.
    """
    places = out.gather(np.arange(out.real_size()), fill=-1).ravel()
    order = np.argsort(places, kind="stable")
    twice = np.flatnonzero((np.diff(places[order]) == 0) & (places[order][1:] >= 0))
    if twice.size:
        first, second = (tuple(int(i) for i in np.unravel_index(order[twice[0] + d], out.shape)) for d in (0, 1))
        raise ViewKernelError(
            f"{call}: out is written at {first} and at {second}, which are both element {places[order][twice[0]]}; "
            "the result needs a view that reaches each element once"
        )
