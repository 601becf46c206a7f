"""Views and numpy arrays: reading a view from an array, and moving elements through views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shapetracker.box import index_range
from shapetracker.errors import ViewError
from shapetracker.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

_MOST_POINTS = 1 << 40
_FAR = 1 << 63


def view_of_array(array: Any) -> View:
    """See `View.from_array`."""
    import numpy as np

    found = _as_numpy(array)
    if not found.itemsize:
        raise ViewError(f"View.from_array: items of dtype {found.dtype} have 0 bytes, so nothing counts in elements")
    owner = found
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    offset, rest = divmod(_address(found) - _lowest_address(owner), found.itemsize)
    if rest or any(step % found.itemsize for step in found.strides):
        raise ViewError(
            f"View.from_array: strides {found.strides} in bytes are no multiples of the item size {found.itemsize}"
        )
    return View.create(found.shape, tuple(step // found.itemsize for step in found.strides), offset)


def _as_numpy(array: Any) -> np.ndarray[Any, Any]:
    """The numpy array of an object that has memory and strides, without a copy."""
    import numpy as np

    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "__array_interface__"):
        return np.asarray(array)
    if hasattr(array, "__dlpack__"):
        return np.from_dlpack(array)
    raise ViewError(
        f"View.from_array: a {type(array).__name__} is no numpy array and has neither __array_interface__ nor "
        "__dlpack__"
    )


def index_arrays(views: Sequence[View]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The memory index of every point of the outermost view, and whether it is valid (0 where it is not).

    >>> index, valid = index_arrays([View.create((3,)).pad(((1, 0),))])
    >>> index.tolist(), valid.tolist()
    ([0, 0, 1, 2], [False, True, True, True])
    """
    import numpy as np

    shape = views[-1].shape
    _check_sizes(views)
    valid = np.ones(shape, dtype=bool)
    flat = np.zeros(shape, dtype=np.int64)
    for level, view in enumerate(reversed(views)):
        digits: Sequence[Any] = _digits(flat, view.shape) if level else np.indices(shape, sparse=True)
        if flat.size:
            flat = np.full(shape, view.offset, dtype=np.int64)
            for axis, digit in enumerate(digits):
                flat += digit * view.strides[axis]
                if view.mask is not None:
                    begin, end = view.mask[axis]
                    valid &= (digit >= begin) & (digit < end)
            flat = np.where(valid, flat, 0)
        if not valid.any():
            break
    return np.where(valid, flat, 0), valid


def _check_sizes(views: Sequence[View]) -> None:
    """Raise a ViewError where numpy cannot hold the points, or 64 bits an index: it would wrap, and read elsewhere."""
    points = views[-1].size()
    if points > _MOST_POINTS:
        raise ViewError(f"{views[-1]} has {points} points, more than an array can hold")
    for view in views:
        reach = (view.offset, *view.shape, *view.strides, *(index_range(view.box) or ()))
        if min(reach) < -_FAR or max(reach) >= _FAR:
            raise ViewError(f"{view} reads indices that 64 bits cannot hold")


def _digits(flat: np.ndarray[Any, Any], shape: tuple[int, ...]) -> list[Any]:
    """The row-major digits of flat indices."""
    digits: list[Any] = []
    for size in reversed(shape):
        digits.append(flat % max(1, size))
        flat = flat // max(1, size)
    return digits[::-1]


def gather(views: Sequence[View], array: Any, fill: Any = 0) -> np.ndarray[Any, Any]:
    """See `ShapeTracker.gather`."""
    import numpy as np

    memory = np.asarray(array).reshape(-1)
    index, valid = index_arrays(views)
    out = np.full(index.shape, fill, dtype=memory.dtype)
    chosen = index[valid]
    _check_memory("gather", chosen, memory.size)
    out[valid] = memory[chosen]
    return out


def scatter(views: Sequence[View], values: Any, into: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """See `ShapeTracker.scatter`."""
    import numpy as np

    index, valid = index_arrays(views)
    given = np.asarray(values)
    try:
        spread = np.broadcast_to(given, index.shape)
    except ValueError:
        raise ViewError(
            f"scatter {index.shape}: values of shape {given.shape} are not one for each point, and do not broadcast"
        ) from None
    if getattr(into, "ndim", None) != 1:
        raise ViewError("scatter: the memory to write into must be a one-dimensional numpy array")
    chosen = index[valid]
    _check_memory("scatter", chosen, into.size)
    into[chosen] = spread[valid]
    return into


def as_array(view: View, array: Any) -> np.ndarray[Any, Any]:
    """See `ShapeTracker.as_array`."""
    import numpy as np

    memory = np.asarray(array)
    if view.mask is not None:
        raise ViewError(f"as_array: {view} has a mask, and numpy's strides cannot leave points out; use gather")
    if memory.ndim != 1 and not memory.flags.c_contiguous:
        raise ViewError(f"as_array: the memory, of shape {memory.shape}, must be one-dimensional or contiguous")
    memory = memory.reshape(-1)
    if not view.size():
        return np.empty(view.shape, dtype=memory.dtype)
    low = view.offset + sum(min(0, s * (n - 1)) for n, s in zip(view.shape, view.strides, strict=True))
    high = view.offset + sum(max(0, s * (n - 1)) for n, s in zip(view.shape, view.strides, strict=True))
    _check_memory("as_array", np.array([low, high]), memory.size)
    step = memory.strides[0]
    return np.lib.stride_tricks.as_strided(
        memory[view.offset :], view.shape, tuple(s * step for s in view.strides), writeable=False
    )


def _check_memory(call: str, index: np.ndarray[Any, Any], size: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= size):
        raise ViewError(
            f"{call}: the view reads the indices {index.min()} … {index.max()}, and the memory has {size} elements"
        )


def _address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _lowest_address(array: np.ndarray[Any, Any]) -> int:
    address = _address(array)
    if array.size:
        for step, size in zip(array.strides, array.shape, strict=True):
            address += min(0, step * (size - 1))
    return address
