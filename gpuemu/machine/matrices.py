"""LDMATRIX and STMATRIX: 8×8 matrices of 16-bit elements between local memory and the lanes of a warp.

Which element a lane holds is the copy instruction's lane map; lane 8i + r gives the address of row r of matrix i.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.machine import hazards
from gpuemu.machine.grid import Chunk
from gpuemu.machine.memory import Memory
from gpuemu.tensorcores import copy_instruction
from gpuemu.tensorcores.matrix_copy import MatrixCopy

Array = npt.NDArray[Any]
ROW = 8
"""Elements of a row: the 16 bytes that an address points to."""


def load(memory: Memory, chunk: Chunk, line: int, name: str, index: Array, active: Array | None) -> Array:
    """Each lane's elements, along a seventh axis: two of each matrix."""
    places = _places(memory, chunk, line, copy_instruction(name), "reads", index, active)
    memory.check_written(chunk, line, places, places.shape[-1], active)
    return memory.array.take(places)


def store(memory: Memory, chunk: Chunk, line: int, name: str, index: Array, value: Array, active: Array | None) -> None:
    """Write each lane's elements to their places."""
    places = _places(memory, chunk, line, copy_instruction(name), "writes", index, active)
    if active is not None:
        chosen = np.broadcast_to(active, places.shape[:-1])
        places, value = places[chosen], np.broadcast_to(value, places.shape)[chosen]
    memory.array[places] = value
    if memory.written is not None:
        memory.written[places] = True


def _places(
    memory: Memory, chunk: Chunk, line: int, copy: MatrixCopy, verb: str, index: Array, active: Array | None
) -> Array:
    """Where each lane's elements are in the memory, after the checks; of shape (…, lanes' axes, elements)."""
    if active is not None:
        hazards.divergent_group(chunk, line, active, copy.lanes, copy.kind.upper(), copy.name)
        index = np.where(active, index, index.dtype.type(0))
    lane = np.arange(np.prod(chunk.local)).reshape(1, 1, 1, *chunk.local) % copy.lanes
    gives = lane < ROW * copy.matrices  # the others' addresses are ignored
    crooked = gives & (index % ROW != 0)
    if crooked.any():
        hazards.misaligned(chunk, line, memory.name, index, crooked)
    start = memory.places(
        chunk, line, verb, np.where(gives, index, 0), ROW, gives if active is None else gives & active
    )
    if start is None:  # nobody is here, and the memory is smaller than a row
        start = np.zeros(index.shape, np.int64)
    axes = start.shape[:3]
    rows = np.broadcast_to(start, (*axes, *chunk.local)).reshape(*axes, -1, copy.lanes)
    matrix, row, column = np.moveaxis(copy.coordinates(), -1, 0)
    places: Array = rows[..., ROW * matrix + row] + column
    return places.reshape(*axes, *chunk.local, matrix.shape[1])
