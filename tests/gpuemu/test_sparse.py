"""Sparse operands: registers and index to the matrix and back, and the product of each sparse instruction."""

import re

import numpy as np
import pytest

from gpuemu import tensorcores
from gpuemu.errors import InstructionError
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.sparse import compress, expand

SPARSE = [x for x in tensorcores.instructions() if x.sparse]
IDS = [f"{x.arch}-{x.short_name}" for x in SPARSE]
MAP = tensorcores.instruction("gfx942.smfmac_i32_16x16x64_i8").a


def sparse_matrix(x: Instruction, seed: int) -> np.ndarray:
    """Small whole numbers, at most two of each four neighbours along k not 0."""
    rng = np.random.default_rng(seed)
    order = rng.random((x.m, x.k // 4, 4)).argsort(axis=-1)
    low = 0 if x.a.dtype.startswith("u") else -4
    return np.where(order < 2, rng.integers(low, 5, order.shape), 0).reshape(x.m, x.k)


@pytest.mark.parametrize("x", SPARSE, ids=IDS)
def test_each_value_goes_where_its_bits_say(x: Instruction) -> None:
    """One value at a time, by the record of the lane map and plain bits."""
    rng = np.random.default_rng(1)
    coordinates = x.a.coordinates()
    lanes, groups = coordinates.shape[:2]
    values = np.arange(1, lanes * groups * 2 + 1).reshape(lanes, groups, 2)
    picks = np.stack([rng.permutation(4)[:2] for _ in range(lanes * groups)]).reshape(lanes, groups, 2)
    index = [
        sum(int(p) << (4 * g + 2 * s) for g, pair in enumerate(lane) for s, p in enumerate(pair)) for lane in picks
    ]
    want = np.zeros((x.m, x.k), int)
    for lane in range(lanes):
        for group in range(groups):
            for slot in range(2):
                row, column = coordinates[lane, group, picks[lane, group, slot]]
                want[row, column] = values[lane, group, slot]
    assert np.array_equal(expand(x.a, values.reshape(lanes, -1), np.array(index)), want)


@pytest.mark.parametrize("x", SPARSE, ids=IDS)
def test_compressed_matrix_gives_the_product_of_the_whole_one(x: Instruction) -> None:
    rng = np.random.default_rng(2)
    a = sparse_matrix(x, 3)
    b, c = rng.integers(0, 4, (x.k, x.n)), rng.integers(-9, 9, (x.m, x.n))
    values, index = compress(x.a, a)
    assert values.shape == (x.a.lanes, 2 * x.a.elements)
    assert (index < 16**x.a.elements).all()
    found = x.multiply(expand(x.a, values, index), b, c)
    assert np.array_equal(found.astype(np.float64), a @ b + c)


def test_several_waves_at_once() -> None:
    a = np.stack([sparse_matrix(tensorcores.instruction("gfx942.smfmac_i32_16x16x64_i8"), seed) for seed in range(6)])
    a = a.reshape(2, 3, 16, 64)
    assert np.array_equal(expand(MAP, *compress(MAP, a)), a)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: expand(MAP, np.zeros((64, 4)), np.zeros(64, int)),
            "expand: values of shape (64, 4) and index registers of shape (64,); expected (…, 64, 8) and (…, 64)",
        ),
        (
            lambda: expand(MAP, np.zeros((64, 8)), np.array([0x4444] * 5 + [0x4A44] * 59)),
            "index register of lane 5: both values of group 2 go to place 2 of its four; expected two different places",
        ),
        (
            lambda: compress(MAP, np.eye(16, 64) * 0 + (np.arange(64) < 3)),
            "compress: more than two of the four numbers from [0, 0] on are not 0; 2:4 means at most two",
        ),
        (lambda: compress(MAP, np.zeros((16, 32))), "compress: a matrix of shape (16, 32); expected (…, 16, 64)"),
    ],
)
def test_what_is_not_2_to_4_is_refused(call, message: str) -> None:
    with pytest.raises(InstructionError, match=re.escape(message)):
        call()
