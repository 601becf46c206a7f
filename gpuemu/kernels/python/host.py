"""What a program on the host has of a device: arrays, streams, events. Everything here is done when a call returns."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.errors import LaunchError


class DeviceArray:
    """An array on the device: a copy, until `copy_to_host` brings it back."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.__gpuemu_array__ = array
        self.shape = array.shape
        self.strides = array.strides
        self.dtype = array.dtype
        self.size = array.size
        self.ndim = array.ndim
        self.nbytes = array.nbytes

    def copy_to_host(self, array: npt.NDArray[Any] | None = None, stream: Any = 0) -> npt.NDArray[Any]:
        """A copy of the elements, into an array where it is given.

        Raises
        ------
        LaunchError
            Where that has another shape or type.
        """
        if array is None:
            return self.__gpuemu_array__.copy()
        if array.shape != self.shape or array.dtype != self.dtype:
            raise LaunchError(
                f"copy_to_host: got an array {array.shape} of {array.dtype}; expected {self.shape} of {self.dtype}"
            )
        array[...] = self.__gpuemu_array__
        return array

    def copy_to_device(self, array: Any, stream: Any = 0) -> None:
        """Overwrite the elements with those of an array of this shape.

        Raises
        ------
        LaunchError
            Where it has another shape.
        """
        given = np.asarray(plain(array))
        if given.shape != self.shape:
            raise LaunchError(f"copy_to_device: got an array {given.shape}; expected {self.shape}")
        self.__gpuemu_array__[...] = given

    @property
    def T(self) -> DeviceArray:  # noqa: N802 (numpy's name)
        """The same memory with its axes turned round."""
        return DeviceArray(self.__gpuemu_array__.T)

    def reshape(self, *shape: Any) -> DeviceArray:
        """The elements in another shape."""
        return DeviceArray(self.__gpuemu_array__.reshape(*shape))

    def ravel(self) -> DeviceArray:
        """The elements in one axis."""
        return DeviceArray(self.__gpuemu_array__.ravel())

    def __len__(self) -> int:
        return len(self.__gpuemu_array__)

    def __getitem__(self, index: Any) -> Any:
        found = self.__gpuemu_array__[index]
        return DeviceArray(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, index: Any, value: Any) -> None:
        self.__gpuemu_array__[index] = plain(value)

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} of {self.dtype}>"


def plain(argument: Any) -> Any:
    """A device array as the array that it holds; anything else as it is."""
    return getattr(argument, "__gpuemu_array__", argument)


def to_device(array: npt.ArrayLike, stream: Any = 0, copy: bool = True, to: DeviceArray | None = None) -> DeviceArray:
    """A copy of an array on the device, into a device array where one is given.

    >>> to_device([1, 2, 3]).copy_to_host().tolist()
    [1, 2, 3]
    """
    if to is not None:
        if copy:
            to.copy_to_device(array)
        return to
    return DeviceArray(np.array(plain(array)))


def device_array(
    shape: int | tuple[int, ...], dtype: Any = np.float64, strides: Any = None, order: Any = "C", stream: Any = 0
) -> DeviceArray:
    """An array on the device; here it holds zeros, on a GPU anything.

    >>> device_array((2, 3), np.float32)
    <DeviceArray (2, 3) of float32>
    """
    return DeviceArray(np.zeros(shape, getattr(dtype, "numpy", dtype), order))


def device_array_like(array: Any, stream: Any = 0) -> DeviceArray:
    """An array on the device of the shape and type of another.

    >>> device_array_like(np.ones((2, 2)))
    <DeviceArray (2, 2) of float64>
    """
    return device_array(array.shape, array.dtype)


def pinned_array(
    shape: int | tuple[int, ...], dtype: Any = np.float64, strides: Any = None, order: Any = "C"
) -> npt.NDArray[Any]:
    """An array of the host from which copies to a GPU are fast; here a plain one.

    >>> pinned_array(2, np.int32).tolist()
    [0, 0]
    """
    return np.zeros(shape, getattr(dtype, "numpy", dtype), order)


@contextmanager
def pinned(*arrays: npt.NDArray[Any]) -> Iterator[None]:
    """While it lasts, a GPU copies these arrays fast; here nothing changes.

    >>> with pinned(np.zeros(3)):
    ...     pass
    """
    yield


class Stream:
    """A queue of copies and launches; here each has ended when its call returns."""

    def synchronize(self) -> None:
        """Wait for everything in it."""

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait at the end of the block."""
        yield self

    def __repr__(self) -> str:
        return "<Stream>"


@dataclass(slots=True, repr=False)
class Event:
    """A mark in a stream, with the time when it was reached."""

    at: float = 0.0

    def record(self, stream: Any = 0) -> None:
        """Mark now."""
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        """Wait until it is reached."""

    def wait(self, stream: Any = 0) -> None:
        """Let a stream wait until it is reached."""

    def query(self) -> bool:
        """Whether it is reached."""
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from here to another event."""
        return (end.at - self.at) * 1000

    def __repr__(self) -> str:
        return "<Event>"


def stream() -> Stream:
    """A new stream.

    >>> stream()
    <Stream>
    """
    return Stream()


def event(timing: bool = True) -> Event:
    """A new event.

    >>> start, end = event(), event()
    >>> start.record()
    >>> end.record()
    >>> event_elapsed_time(start, end) >= 0
    True
    """
    return Event()


def event_elapsed_time(start: Event, end: Event) -> float:
    """Milliseconds between two events: those that the emulator took, not those of a GPU.

    >>> event_elapsed_time(Event(1.0), Event(1.5))
    500.0
    """
    return start.elapsed_time(end)


def synchronize() -> None:
    """Wait for the device; here every launch has ended when it returns.

    >>> synchronize()
    """


@dataclass(frozen=True, slots=True)
class CurrentDevice:
    """The emulated device, with the sizes by which programs choose their grids."""

    name: bytes = b"gpuemu"
    WARP_SIZE: int = 32
    MAX_THREADS_PER_BLOCK: int = 1024
    MULTIPROCESSOR_COUNT: int = 1


def get_current_device() -> CurrentDevice:
    """The device.

    >>> get_current_device().WARP_SIZE
    32
    """
    return CurrentDevice()


def is_available() -> bool:
    """Whether kernels can run: the emulator is always here.

    >>> is_available()
    True
    """
    return True
