"""2:4 sparse operands: of each four neighbours along k two are stored, and an index register says which.

A lane's registers hold two values of each of its groups, one after the other; of its index register, bits 1:0 of a
group's four bits place the first, bits 3:2 the second (AMD CDNA3 and RDNA4 ISA guides, SMFMAC and SWMMAC; of their
modifiers that choose another part of the index register, none is set).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.errors import InstructionError
from gpuemu.tensorcores.lanemap import IntArray, SparseLaneMap

Array = npt.NDArray[Any]

_BITS = 4
"""Of the index register, for a group."""


def expand(lane_map: SparseLaneMap, values: Array, index: IntArray) -> Array:
    """The matrix with its zeros, from what the lanes hold.

    Parameters
    ----------
    values : shape (…, lanes, 2 · groups)
        The two stored values of each group.
    index : integers of shape (…, lanes)
        The index register of each lane.

    Returns
    -------
    array of shape (…, rows, columns), of the type of `values`

    Raises
    ------
    InstructionError
        The shapes are not those of the lane map, or both values of a group are for one place.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> a = tensorcores.instruction("gfx942.smfmac_i32_16x16x64_i8").a
    >>> values = np.ones((64, 8), np.int8)
    >>> expand(a, values, np.full(64, 0x9E49))[0, :16]
    array([0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0], dtype=int8)
    """
    values, index = np.asarray(values), np.asarray(index)
    lanes, groups = lane_map.lanes, lane_map.elements
    if values.shape[-2:] != (lanes, 2 * groups) or index.shape != values.shape[:-1]:
        raise InstructionError(
            f"expand: values of shape {values.shape} and index registers of shape {index.shape}; "
            f"expected (…, {lanes}, {2 * groups}) and (…, {lanes})"
        )
    picked = fields(lane_map, index)
    twice = np.argwhere(picked[..., 0] == picked[..., 1])
    if len(twice):
        *_, lane, group = twice[0].tolist()
        raise InstructionError(
            f"index register of lane {lane}: both values of group {group} go to place "
            f"{int(picked[tuple(twice[0])][0])} of its four; expected two different places"
        )
    candidates = _flat_candidates(lane_map)
    places = np.take_along_axis(np.broadcast_to(candidates, (*picked.shape[:-1], 4)), picked, axis=-1)
    outer = values.shape[:-2]
    matrix = np.zeros((*outer, lane_map.rows * lane_map.columns), values.dtype)
    np.put_along_axis(matrix, places.reshape(*outer, -1), values.reshape(*outer, -1), axis=-1)
    return matrix.reshape(*outer, lane_map.rows, lane_map.columns)


def compress(lane_map: SparseLaneMap, matrix: Array) -> tuple[Array, IntArray]:
    """What the lanes hold of a matrix: the values, shape (…, lanes, 2 · groups), and the index registers, (…, lanes).

    Where a group has fewer than two numbers that are not 0, zeros fill it up.

    Raises
    ------
    InstructionError
        The matrix has another size, or more than two numbers of a group are not 0.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> a = tensorcores.instruction("gfx942.smfmac_i32_16x16x64_i8").a
    >>> matrix = np.zeros((16, 64), np.int8)
    >>> matrix[0, [1, 2, 7]] = 5, 6, 7
    >>> values, index = compress(a, matrix)
    >>> values[0], hex(index[0])
    (array([5, 6, 0, 7, 0, 0, 0, 0], dtype=int8), '0x44c9')
    """
    matrix = np.asarray(matrix)
    size = (lane_map.rows, lane_map.columns)
    if matrix.shape[-2:] != size:
        raise InstructionError(f"compress: a matrix of shape {matrix.shape}; expected (…, {size[0]}, {size[1]})")
    outer = matrix.shape[:-2]
    four = matrix.reshape(*outer, -1)[..., _flat_candidates(lane_map)]
    used = four != 0
    if (used.sum(axis=-1) > 2).any():
        *_, lane, group = np.argwhere(used.sum(axis=-1) > 2)[0].tolist()
        row, column = lane_map.coordinates()[lane, group, 0].tolist()
        raise InstructionError(
            f"compress: more than two of the four numbers from [{row}, {column}] on are not 0; 2:4 means at most two"
        )
    picked = np.sort(np.argsort(~used, axis=-1, kind="stable")[..., :2], axis=-1)
    values = np.take_along_axis(four, picked, axis=-1).reshape(*outer, lane_map.lanes, -1)
    shift = _BITS * np.arange(lane_map.elements)
    index = ((picked[..., 0] | picked[..., 1] << 2) << shift).sum(axis=-1)
    return values, index


def fields(lane_map: SparseLaneMap, index: IntArray) -> IntArray:
    """Which of its four places each value of a group takes: shape (…, lanes, groups, 2).

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> a = tensorcores.instruction("gfx942.smfmac_f32_16x16x32_f16").a
    >>> fields(a, np.full(64, 0x4E))[0].tolist()
    [[2, 3], [0, 1]]
    """
    shifts = _BITS * np.arange(lane_map.elements)[:, np.newaxis] + np.array([0, 2])
    found: IntArray = (np.asarray(index).astype(np.int64)[..., np.newaxis, np.newaxis] >> shifts) & 3
    return found


def _flat_candidates(lane_map: SparseLaneMap) -> IntArray:
    """The place in the row-major matrix of each group's four candidates: (lanes, groups, 4)."""
    coordinates = lane_map.coordinates()
    flat: IntArray = coordinates[..., 0] * lane_map.columns + coordinates[..., 1]
    return flat
