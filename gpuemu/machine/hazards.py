"""What a program must not do while it runs: the reports, each with its cause and its fix."""

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from gpuemu.errors import HazardError, LanePosition, Report
from gpuemu.machine.grid import Chunk

Array = npt.NDArray[Any]

CHECKS = frozenset({"out-of-bounds", "uninitialised", "divergent-barrier", "shuffle"})
"""The kinds that a launch can choose by its `checks`; out-of-bounds access is an error whatever it chooses."""


def _count(flags: Array, chunk: Chunk) -> int:
    return int(np.count_nonzero(np.broadcast_to(flags, chunk.shape)))


def _first(values: Array, flags: Array) -> int:
    values, flags = np.broadcast_arrays(values, flags)
    return int(values[flags][0])


def out_of_bounds(
    chunk: Chunk, line: int, verb: str, buffer: str, size: int, index: Array, flags: Array, width: int
) -> NoReturn:
    """Report lanes that read or write outside a buffer.

    Parameters
    ----------
    verb
        ``reads`` or ``writes``.
    index, flags
        The index of each lane's first element, and which lanes are outside.
    width
        How many consecutive elements the access takes.
    """
    first = _first(index, flags)
    outside = first if first < 0 or first >= size else size
    span = f"elements {first} to {first + width - 1}" if width > 1 else f"element {first}"
    cause = f"{verb} {span} of {buffer}, which has {size} elements"
    fix = (
        "A negative index does not count from the end: guard the access, or check the sign of the offset"
        if outside < 0
        else f"Guard the access with index {f'+ {width - 1} ' if width > 1 else ''}< {size}, or give a larger buffer"
    )
    lanes = chunk.lanes(flags)
    raise HazardError((Report("out-of-bounds", buffer, outside, lanes, (line,), _count(flags, chunk), cause, fix),))


def outside_image(
    chunk: Chunk, line: int, buffer: str, size: tuple[int, ...], x: Array, y: Array, flags: Array
) -> NoReturn:
    """Report lanes that write outside an image of `size` (height, width, 4)."""
    height, width = size[:2]
    place = (_first(x, flags), _first(y, flags))
    cause = f"writes (x, y) = {place} of the image {buffer}, which is {width} wide and {height} high"
    fix = "Guard the store: only loads outside an image are allowed, and give 0"
    index = (place[1] * width + place[0]) * 4
    lanes = chunk.lanes(flags)
    raise HazardError((Report("out-of-bounds", buffer, index, lanes, (line,), _count(flags, chunk), cause, fix),))


def uninitialised(chunk: Chunk, line: int, defined: int, buffer: str, element: int, flags: Array) -> NoReturn:
    """Report lanes that read local memory which no lane of their workgroup has written."""
    cause = f"reads element {element} of the local memory {buffer}, which no lane of the workgroup has written"
    fix = "Store to it first, with a BARRIER between the store and the load"
    lanes, count = chunk.lanes(flags), _count(flags, chunk)
    raise HazardError((Report("uninitialised", buffer, element, lanes, (line, defined), count, cause, fix),))


def divergent_barrier(chunk: Chunk, line: int, head: int | None, arrived: Array) -> None:
    """Report a barrier that some lanes of a workgroup reach and others do not.

    Parameters
    ----------
    head
        The RANGE or IF that keeps the others away.
    arrived
        Which lanes have arrived.
    """
    here = np.broadcast_to(arrived, chunk.shape)
    some = here.any(axis=(3, 4, 5), keepdims=True)
    missing = ~here & some
    if not missing.any():
        return
    group = np.argwhere(missing.any(axis=(3, 4, 5)))[0]
    lanes_here = here[tuple(group)]
    cause = f"{np.count_nonzero(lanes_here)} of {lanes_here.size} lanes arrive and wait for those that do not"
    fix = "Move the BARRIER out of the IF or loop that some lanes skip: excess lanes may skip the work, not the BARRIER"
    lines = (line,) if head is None else (line, head)
    count = int(np.count_nonzero(missing))
    raise HazardError((Report("divergent-barrier", None, None, chunk.lanes(missing), lines, count, cause, fix),))


def divergent_group(chunk: Chunk, line: int, active: Array, lanes: int, uop: str, instruction: str) -> None:
    """Report an instruction of a whole group of lanes, such as a tensor core's, that only some lanes of it reach.

    A group that skips it as a whole, or is in a workgroup that does, is none to report.
    """
    here = np.broadcast_to(active, chunk.shape).reshape(-1, lanes)
    missing = (~here & here.any(axis=1, keepdims=True)).reshape(chunk.shape)
    if not missing.any():
        return
    cause = f"{instruction} needs all lanes of its group of {lanes}, and some skip it"
    fix = f"Move the {uop} out of the IF or loop, and load zeros where there is no data"
    count = int(np.count_nonzero(missing))
    raise HazardError((Report("divergent-wmma", None, None, chunk.lanes(missing), (line,), count, cause, fix),))


def one_place_twice(chunk: Chunk, line: int, instruction: str, group: int, place: int, flags: Array) -> NoReturn:
    """Report index registers of a sparse operand that put both values of a group in one place."""
    cause = f"the index register of {instruction} puts both values of group {group} at place {place} of its four"
    fix = "Give each group's four bits two different places, the lower one first"
    lanes, count = chunk.lanes(flags), _count(flags, chunk)
    raise HazardError((Report("sparse-index", None, None, lanes, (line,), count, cause, fix),))


def left_out(chunk: Chunk, line: int, flags: Array, other: int | None, cause: str) -> NoReturn:
    """Report lanes that exchange values with lanes of their warp that do not take part.

    Parameters
    ----------
    flags
        The lanes concerned.
    other
        The number in its warp of a lane that the first of them wants, None where it is that lane itself.
    """
    lanes = chunk.lanes(flags)
    if other is not None:
        here = lanes[0]
        number = here.warp * chunk.warp + other
        lanes = (here, LanePosition(here.workgroup, number, here.warp), *lanes[1:3])
    fix = (
        "Let the whole warp do it, before the IF or loop that keeps lanes away, or name in the mask those that are here"
    )
    raise HazardError((Report("shuffle", None, None, lanes, (line,), _count(flags, chunk), cause, fix),))


def misaligned(chunk: Chunk, line: int, buffer: str, index: Array, flags: Array) -> NoReturn:
    """Report lanes that give an address of a matrix row which is no multiple of 16 bytes."""
    element = _first(index, flags)
    cause = f"a row of a matrix starts at element {element} of {buffer}, and rows start at multiples of 8"
    fix = "Pad the tile to a pitch that is a multiple of 8 elements (16 bytes)"
    lanes, count = chunk.lanes(flags), _count(flags, chunk)
    raise HazardError((Report("misaligned", buffer, element, lanes, (line,), count, cause, fix),))


def divergent_warp(chunk: Chunk, line: int, head: int | None, missing: Array) -> NoReturn:
    """Report a warp barrier that some lanes of a warp reach and others, which it waits for, do not."""
    cause = "lanes of the warp wait at the WARP_BARRIER for others that do not arrive"
    fix = "Move the WARP_BARRIER out of the IF or loop that some lanes skip, or name in its mask the lanes that arrive"
    lines = (line,) if head is None else (line, head)
    lanes, count = chunk.lanes(missing), _count(missing, chunk)
    raise HazardError((Report("divergent-barrier", None, None, lanes, lines, count, cause, fix),))
