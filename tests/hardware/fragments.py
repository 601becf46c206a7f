"""Matrices to the bytes of the registers that hold them, and back, by the catalogue's lane maps."""

import numpy as np
from cuda_source import bits_of, first_bit_of

from gpuemu.tensorcores.arithmetic.formats import format_of
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap


def pack(lane_map: LaneMap, matrices: np.ndarray) -> bytes:
    """The registers of all lanes, of matrices of shape (count, blocks, rows, columns), element 0 in the lowest bits.

    >>> from gpuemu import tensorcores
    >>> a = tensorcores.instruction("m16n8k64.s32.s4").a
    >>> one = np.zeros((1, 1, 16, 64))
    >>> one[0, 0, 0, 1] = -1  # lane 0, element 1: bits 7 to 4
    >>> pack(a, one)[:2].hex()
    'f000'
    """
    return packed_elements(lane_map, matrices.reshape(len(matrices), -1)[:, places(lane_map)])


def packed_elements(lane_map: LaneMap, elements: np.ndarray) -> bytes:
    """The registers of elements of shape (count, lanes · elements of a lane)."""
    bits, first = bits_of(lane_map), first_bit_of(lane_map)
    stored = stored_as(lane_map.dtype, elements)
    if first:
        return (stored.view(np.uint8) << first).tobytes()
    if bits >= 8:
        return stored.tobytes()
    codes = np.ascontiguousarray(stored).view(np.uint8) & (2**bits - 1)
    if bits == 1:
        return np.packbits(codes, axis=-1, bitorder="little").tobytes()
    return (codes[..., 0::2] | codes[..., 1::2] << 4).tobytes()


def stored_as(dtype: str, values: np.ndarray) -> np.ndarray:
    """The values in the numpy type that stores them."""
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(values).astype(format_of(dtype).storage)


def pack_shared(x: Instruction, matrices: np.ndarray) -> bytes:
    """B of a wgmma in shared memory: core matrices of 8 columns by 16 bytes of k, two along k, then along n."""
    columns = stored_as(x.a.dtype, np.swapaxes(matrices.reshape(-1, x.k, x.n), 1, 2))
    cores = columns.view(np.uint8).reshape(-1, x.n // 8, 8, 2, 16)
    return cores.transpose(0, 1, 3, 2, 4).tobytes()


def unpack(lane_map: LaneMap, registers: bytes) -> np.ndarray:
    """The matrices, of shape (count, blocks, rows, columns), that registers of D hold."""
    elements = np.frombuffer(registers, dtype=format_of(lane_map.dtype).storage)
    at = places(lane_map)
    size = lane_map.blocks * lane_map.rows * lane_map.columns
    matrices = np.empty((len(elements) // len(at), size), dtype=elements.dtype)
    matrices[:, at] = elements.reshape(-1, len(at))
    return matrices.reshape(-1, lane_map.blocks, lane_map.rows, lane_map.columns)


def places(lane_map: LaneMap) -> np.ndarray:
    """The place in the row-major matrices of each lane's elements, lane after lane."""
    at = lane_map.coordinates().reshape(lane_map.lanes * lane_map.elements, -1)
    block = at[:, 2] if at.shape[1] == 3 else 0
    return (block * lane_map.rows + at[:, 0]) * lane_map.columns + at[:, 1]
