"""The movement operations on a box: what each asks of its argument, and the canonical box that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

from shapetracker.box import Bounds, Box, canonical
from shapetracker.errors import ViewError

Shape = tuple[int, ...]


def pad(box: Box, widths: Bounds) -> Box:
    """Invalid positions added before and after each axis.

    >>> pad(Box((3,), (1,), 0, ((0, 3),)), ((1, 2),))
    Box(shape=(6,), strides=(1,), offset=-1, bounds=((1, 4),))
    """
    check_rank("pad", box.shape, widths)
    offset = box.offset
    shape: list[int] = []
    bounds: list[tuple[int, int]] = []
    for size, step, (begin, end), (before, after) in zip(box.shape, box.strides, box.bounds, widths, strict=True):
        if before < 0 or after < 0:
            raise ViewError(
                f"pad {box.shape} by {widths}: axis {len(shape)} gets {(before, after)}, and a width cannot be "
                "negative; use shrink to cut"
            )
        shape.append(size + before + after)
        bounds.append((begin + before, end + before))
        offset -= before * step
    return canonical(tuple(shape), box.strides, offset, tuple(bounds))


def shrink(box: Box, cuts: Bounds) -> Box:
    """The positions ``begin … end − 1`` of each axis.

    >>> shrink(Box((6,), (1,), -1, ((1, 4),)), ((2, 6),))
    Box(shape=(4,), strides=(1,), offset=1, bounds=((0, 2),))
    """
    check_rank("shrink", box.shape, cuts)
    offset = box.offset
    shape: list[int] = []
    bounds: list[tuple[int, int]] = []
    for size, step, (first, last), (begin, end) in zip(box.shape, box.strides, box.bounds, cuts, strict=True):
        if not 0 <= begin <= end <= size:
            raise ViewError(
                f"shrink {box.shape} to {cuts}: axis {len(shape)} has size {size}, and (begin, end) must "
                f"keep 0 <= begin <= end <= {size}"
            )
        shape.append(end - begin)
        bounds.append(((first if first > begin else begin) - begin, (last if last < end else end) - begin))
        offset += begin * step
    return canonical(tuple(shape), box.strides, offset, tuple(bounds))


def expand(box: Box, sizes: Shape) -> Box:
    """Axes of size 1 repeated, with stride 0.

    >>> expand(Box((3, 1), (1, 0), 0, ((0, 3), (0, 1))), (3, 4))
    Box(shape=(3, 4), strides=(1, 0), offset=0, bounds=((0, 3), (0, 4)))
    """
    check_rank("expand", box.shape, sizes)
    check_sizes("expand", sizes)
    bounds = []
    for old, new, (begin, end) in zip(box.shape, sizes, box.bounds, strict=True):
        if old == new:
            bounds.append((begin, end))
        elif old != 1:
            raise ViewError(
                f"expand {box.shape} to {sizes}: axis {len(bounds)} has size {old}, and only an axis of size 1 can be "
                "expanded"
            )
        else:
            bounds.append((0, new) if begin < end else (0, 0))
    return canonical(sizes, box.strides, box.offset, tuple(bounds))


def permute(box: Box, order: Shape) -> Box:
    """The axes in another order: axis k of the result is axis ``order[k]``.

    >>> permute(Box((4, 6), (6, 1), 0, ((0, 4), (0, 6))), (1, 0)).strides
    (1, 6)
    """
    shape, strides, offset, bounds = box
    check_order(shape, order)
    return Box(
        tuple([shape[axis] for axis in order]),
        tuple([strides[axis] for axis in order]),
        offset,
        tuple([bounds[axis] for axis in order]),
    )


def stride(box: Box, paces: Shape) -> Box:
    """Every m-th position of each axis, counted from the end where m is negative.

    >>> stride(Box((5,), (1,), 0, ((0, 4),)), (-2,))
    Box(shape=(3,), strides=(-2,), offset=4, bounds=((1, 3),))
    """
    check_steps(box.shape, paces)
    offset = box.offset
    shape: list[int] = []
    strides: list[int] = []
    bounds: list[tuple[int, int]] = []
    for size, step, (begin, end), pace in zip(box.shape, box.strides, box.bounds, paces, strict=True):
        far = abs(pace)
        if pace < 0:
            offset += (size - 1) * step
            begin, end = size - end, size - begin  # noqa: PLW2901  (counted from the end)
        shape.append(-(-size // far))
        strides.append(step * pace)
        bounds.append((-(-begin // far), -(-end // far)))
    return canonical(tuple(shape), tuple(strides), offset, tuple(bounds))


def steps_of_flip(shape: Shape, axes: Shape) -> Shape:
    """The steps with which `stride` reverses the given axes.

    >>> steps_of_flip((4, 6), (1,))
    (1, -1)
    """
    rank = len(shape)
    if len(set(axes)) != len(axes) or not all(0 <= axis < rank for axis in axes):
        raise ViewError(f"flip {shape} along {axes}: each axis must be one of 0 … {rank - 1}, once at most")
    return tuple([-1 if axis in axes else 1 for axis in range(rank)])


# --- arguments -------------------------------------------------------------------------------------------------------


def integers(values: Sequence[Any]) -> Shape:
    """The values as integers; a TypeError where one is an expression or anything else.

    >>> integers([4, 6])
    (4, 6)
    """
    return tuple(map(index, values))


def pairs(values: Sequence[tuple[Any, Any]]) -> Bounds:
    """Pairs of integers; a TypeError where one is an expression or anything else.

    >>> pairs([(0, 1), [2, 3]])
    ((0, 1), (2, 3))
    """
    return tuple([(index(begin), index(end)) for begin, end in values])


_EXPECTED = {"permute": "tuple of axes", "flip": "tuple of axes", "stride": "tuple of steps"}


def listed(call: str, given: Any, what: str = "") -> tuple[Any, ...]:
    """What was given as a tuple, or a ViewError where it is none.

    >>> listed("reshape", [4, 6])
    (4, 6)
    >>> listed("reshape", 24)
    Traceback (most recent call last):
    shapetracker.errors.ViewError: reshape: 24 is no shape; write (24,)
    """
    what = what or _EXPECTED.get(call, "shape")
    if not isinstance(given, str):
        try:
            return tuple(given)  # of a numpy array without axes, too, this is a TypeError
        except TypeError:
            pass
    single = hasattr(given, "__index__") or hasattr(given, "operations")  # an integer, or an expression
    example = f"({given!r},)" if single else "one integer for each axis, as (1, 0)"
    raise ViewError(f"{call}: {given!r} is no {what}; write {example}")


def listed_pairs(call: str, given: Any) -> tuple[tuple[Any, Any], ...]:
    """What was given as pairs, or a ViewError where it is none.

    >>> listed_pairs("pad", [[1, 1], (0, 2)])
    ((1, 1), (0, 2))
    >>> listed_pairs("pad", (1, 1))
    Traceback (most recent call last):
    shapetracker.errors.ViewError: pad: 1 is no pair; write one pair of integers for each axis, as ((0, 1), (0, 2))
    """
    hint = "write one pair of integers for each axis, as ((0, 1), (0, 2))"
    found: list[tuple[Any, Any]] = []
    for pair in _entries(given, f"{call}: {given!r} is no tuple of pairs; {hint}"):
        told = f"{call}: {pair!r} is no pair; {hint}"
        entries = _entries(pair, told)
        if len(entries) != 2:
            raise ViewError(told)
        found.append((entries[0], entries[1]))
    return tuple(found)


def _entries(given: Any, told: str) -> tuple[Any, ...]:
    if isinstance(given, str):
        raise ViewError(told)
    try:
        return tuple(given)
    except TypeError:
        raise ViewError(told) from None


def whole(call: str, values: Sequence[Any]) -> Shape:
    """The values as integers, for a call in which expressions have no meaning.

    >>> whole("permute", [1, 0])
    (1, 0)
    """
    try:
        return integers(values)
    except TypeError:
        raise ViewError(f"{call} by {listed(call, values)}: integers are expected") from None


def check_rank(call: str, shape: Sequence[object], given: Sequence[object]) -> None:
    """Raise a ViewError where there is not one entry an axis.

    >>> check_rank("pad", (4, 6), ((0, 1), (0, 0)))
    """
    if len(given) != len(shape):
        raise ViewError(
            f"{call} {shape} by {tuple(given)}: {len(given)} entries for {len(shape)} axes; give one for each"
        )


def check_order(shape: Sequence[object], order: Shape) -> None:
    """Raise a ViewError where an order does not hold each axis of the shape once.

    >>> check_order((4, 6), (1, 0))
    """
    if sorted(order) != list(range(len(shape))):
        raise ViewError(
            f"permute {shape} by {order}: each of the axes 0 … {len(shape) - 1} must appear exactly once"
            if shape
            else f"permute () by {order}: a view of shape () has no axis"
        )


def check_steps(shape: Sequence[object], paces: Shape) -> None:
    """Raise a ViewError where there is not one step for each axis of the shape, or a step is 0.

    >>> check_steps((4, 6), (-1, 2))
    """
    check_rank("stride", shape, paces)
    if 0 in paces:
        raise ViewError(f"stride {shape} by {paces}: axis {paces.index(0)} has step 0, and a step must not be 0")


def check_sizes(call: str, shape: Sequence[int]) -> Shape:
    """The shape as a tuple, or a ViewError where a size is negative.

    >>> check_sizes("expand", [4, 6])
    (4, 6)
    """
    sizes = whole(call, shape)
    for axis, size in enumerate(sizes):
        if size < 0:
            raise ViewError(f"{call}: size {size} of axis {axis} in shape {sizes} is negative; give each size in full")
    return sizes


def check_reshape(old: Shape, new: Sequence[int]) -> Shape:
    """The new shape, or a ViewError where it does not have as many elements as the old one.

    >>> check_reshape((4, 6), [24])
    (24,)
    """
    sizes = check_sizes("reshape", new)
    if prod(sizes) != prod(old):
        raise ViewError(f"reshape {old} to {sizes}: {prod(old)} elements cannot become {prod(sizes)}")
    return sizes
