"""Does a GPU hold the elements where the catalogue says? One-hot operands, and small integers that add exactly.

A product alone cannot tell a permutation of k that A and B share; what is checked is all that a product can show:
which rows and columns of D each register of A and B meets, and that they meet each other along k. B of a wgmma lies in
shared memory, where its place is known, so there k is absolute too.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from cuda_source import variants
from fragments import pack, pack_shared, packed_elements, places, unpack

from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.matrix_copy import MatrixCopy

Run = Callable[[str, int, Sequence[bytes]], bytes]
"""Runs the instruction of a name on so many groups of lanes: bytes of A, B and C in, those of D out."""
TRIALS = 16


def check(x: Instruction, run: Run) -> list[str]:
    """What differs from the catalogue, a line each; empty where nothing does."""
    found = [line for y in variants(x) for line in _random_integers(y, run)]
    if x.b is not None or x.n == 8:  # other widths of wgmma hold A alike
        found += _one_hot(x, run)
    return found


def check_copy(x: MatrixCopy, run: Run) -> list[str]:
    """The same for ldmatrix and stmatrix: every 16-bit half has a number of its own."""
    at = x.coordinates()
    numbers = (at[..., 0] * 8 + at[..., 1]) * 8 + at[..., 2]
    if x.kind == "ldmatrix":
        shared = np.arange(64 * x.matrices, dtype=np.uint16)
        got = np.frombuffer(run(x.name, 1, [b"", shared.tobytes(), b""]), np.uint16).reshape(numbers.shape)
        return [] if (got == numbers).all() else [_first(x.name, "register", got, numbers)]
    got = np.frombuffer(run(x.name, 1, [b"", numbers.astype(np.uint16).tobytes(), b""]), np.uint16)
    return [] if (got == np.arange(got.size)).all() else [_first(x.name, "shared memory", got, np.arange(got.size))]


def _first(name: str, where: str, got: np.ndarray, want: np.ndarray) -> str:
    at = tuple(np.argwhere(got != want)[0].tolist())
    return f"{name}: {where} {at} has {got[at]}, expected {want[at]}"


def plain_product(x: Instruction, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A·B of small integers, by numpy alone."""
    return a @ (1 - b) + (1 - a) @ b if x.product == "xor" else a @ b


def _run(x: Instruction, run: Run, a: bytes, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    right = pack_shared(x, b) if x.b is None else pack(x.b, b)
    return unpack(x.d, run(x.name, len(c), [a, right, pack(x.c, c)])).astype(np.float64)


def _random_integers(x: Instruction, run: Run) -> list[str]:
    rng = np.random.default_rng(x.k)
    signed = x.a.dtype not in ("uint8", "uint4", "b1")
    least, most = (-2, 3) if signed else (0, 2 if x.a.dtype == "b1" else 4)
    if x.b is not None and x.b.dtype.startswith("u"):
        least, most = 0, 3
    a, b = (
        rng.integers(least, most, (TRIALS, x.blocks, *size)).astype(np.float32) for size in ((x.m, x.k), (x.k, x.n))
    )
    c = rng.integers(-8, 9, (TRIALS, x.blocks, x.m, x.n)).astype(np.float32)
    got, want = _run(x, run, pack(x.a, a), b, c), plain_product(x, a, b) + c
    return (
        [] if (got == want).all() else [_first(x.name, "of small integers, D (trial, block, row, column)", got, want)]
    )


def _one_hot(x: Instruction, run: Run) -> list[str]:
    """1 in each register place of A in turn; B holds, a bit at a time, which k and which column an element has."""
    slots = x.a.lanes * x.a.elements
    elements = np.eye(slots, dtype=np.float32)
    a = np.zeros((slots, slots), dtype=np.float32)
    a[:, places(x.a)] = elements
    a = a.reshape(slots, x.blocks, x.m, x.k)
    registers, nothing = packed_elements(x.a, elements), np.zeros((slots, x.blocks, x.m, x.n), np.float32)
    for what, plane in _planes(x):
        b = np.broadcast_to(plane, (slots, x.blocks, x.k, x.n))
        got, want = _run(x, run, registers, b, nothing), plain_product(x, a, b)
        if not (got == want).all():
            slot = int(np.argwhere(got != want)[0][0])
            lane, element = divmod(slot, x.a.elements)
            return [f"{x.name}: A's lane {lane}, element {element} does not meet B and D as expected ({what})"]
    return []


def _planes(x: Instruction) -> Iterator[tuple[str, np.ndarray]]:
    k, n = np.indices((x.k, x.n), dtype=np.int64)
    yield "ones in B", np.ones((x.k, x.n), np.float32)
    for name, index, size in (("k", k, x.k), ("the column", n, x.n)):
        for bit in range((size - 1).bit_length()):
            yield f"bit {bit} of {name} in B", (index >> bit & 1).astype(np.float32)
