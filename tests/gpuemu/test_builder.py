"""The builder: operators give the numbers that Python gives, blocks nest, and misuse has a message."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import UOps, dtypes
from gpuemu.kernels.builder import Builder
from gpuemu.kernels.errors import BuilderError, SourceLine

INT, FLOAT = dtypes.int32, dtypes.float32


def evaluate(function, dtype, *arrays):
    """A function of values, computed for each element of arrays of one dtype."""
    k = Builder("evaluate")
    out_dtype = None
    inputs = [k.buffer(f"x{i}", dtype) for i in range(len(arrays))]
    lane = k.special("l", 0, len(arrays[0]))
    value = function(k, *(buffer[lane] for buffer in inputs))
    out_dtype = value.dtype
    k.buffer("out", out_dtype, writable=True)[lane] = value
    out = np.zeros(len(arrays[0]), out_dtype.numpy)
    k.program()(*arrays, out, local_size=(len(out), 1, 1))
    return out


SMALL = st.integers(-40, 40)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(SMALL, SMALL.filter(bool)), min_size=1, max_size=20))
def test_integers_divide_as_in_python(pairs):
    x, y = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    assert evaluate(lambda k, a, b: a // b, INT, x, y).tolist() == [int(a) // int(b) for a, b in pairs]
    assert evaluate(lambda k, a, b: a % b, INT, x, y).tolist() == [int(a) % int(b) for a, b in pairs]


@pytest.mark.parametrize("dtype", [INT, FLOAT, dtypes.uint8, dtypes.float16])
def test_comparisons_and_choices(dtype):
    x = np.array([1, 2, 3, 5], dtype.numpy)
    y = np.array([2, 2, 1, 7], dtype.numpy)
    for function, expected in (
        (lambda k, a, b: a < b, x < y),
        (lambda k, a, b: a <= b, x <= y),
        (lambda k, a, b: a > b, x > y),
        (lambda k, a, b: a >= b, x >= y),
        (lambda k, a, b: a.eq(b), x == y),
        (lambda k, a, b: a.ne(b), x != y),
        (lambda k, a, b: k.minimum(a, b), np.minimum(x, y)),
        (lambda k, a, b: k.maximum(a, b), np.maximum(x, y)),
        (lambda k, a, b: k.where(a < b, a + b, 0), np.where(x < y, x + y, 0)),
    ):
        assert evaluate(function, dtype, x, y).tolist() == expected.tolist()


def test_at_most_is_false_for_nan():
    x = np.array([np.nan, 1.0], np.float32)
    assert evaluate(lambda k, a: a <= a, FLOAT, x).tolist() == [False, True]


def test_bits_and_shifts():
    x = np.array([5, -7], np.int32)
    for function, expected in (
        (lambda k, a: ~a, ~x),
        (lambda k, a: a & 6, x & 6),
        (lambda k, a: a | 8, x | 8),
        (lambda k, a: a ^ 3, x ^ 3),
        (lambda k, a: a << 2, x << 2),
        (lambda k, a: a >> 1, x >> 1),
        (lambda k, a: -a, -x),
    ):
        assert evaluate(function, INT, x).tolist() == expected.tolist()


def test_reflected_operators_keep_the_order():
    x = np.array([2.0, 4.0], np.float32)
    assert evaluate(lambda k, a: 1 - a, FLOAT, x).tolist() == [-1.0, -3.0]
    assert evaluate(lambda k, a: 1 / a, FLOAT, x).tolist() == [0.5, 0.25]
    n = np.array([2, 3], np.int32)
    assert evaluate(lambda k, a: 7 // a, INT, n).tolist() == [3, 2]
    assert evaluate(lambda k, a: 7 % a, INT, n).tolist() == [1, 1]
    assert evaluate(lambda k, a: 2 * a + (1 + a), INT, n).tolist() == [7, 10]


def test_a_known_value_is_computed_once_but_a_variable_is_read_anew():
    k = Builder("once")
    lane = k.special("l", 0, 4)
    first, count = lane * 3, len(k.lines)
    assert (lane * 3).number == first.number
    assert len(k.lines) == count
    total = k.variable(0, INT)
    before = total.value + 1
    total.set(before)
    assert (total.value + 1).number != before.number


def test_a_value_of_a_block_is_not_used_after_it():
    k = Builder("scope")
    lane = k.special("l", 0, 4)
    with k.if_(lane < 2):
        inside = lane * 5
    assert (lane * 5).number != inside.number


def test_a_copy_of_a_variable_stays():
    k = Builder("swap")
    out = k.buffer("out", INT, writable=True)
    a, b = k.variable(1, INT), k.variable(2, INT)
    old = a.copy()
    a.set(b.value)
    b.set(old)
    out[0], out[1] = a.value, b.value
    result = np.zeros(2, np.int32)
    k.program()(result)
    assert result.tolist() == [2, 1]


def test_a_gated_load_gives_the_alternative_and_a_gated_store_writes_nothing():
    k = Builder("gates")
    x, out = k.buffer("x", INT), k.buffer("out", INT, writable=True)
    lane = k.special("l", 0, 4)
    here = lane < 2
    out.store(lane, x.load(lane, here, 9))
    out.store(lane, 7, lane.eq(3))
    result = np.zeros(4, np.int32)
    k.program()(np.array([5, 6], np.int32), result, local_size=(4,))
    assert result.tolist() == [5, 6, 9, 7]


def test_each_line_remembers_its_source():
    k = Builder("sources")
    k.here = SourceLine("cell", 3, "x = 1")
    number = k.const(1, INT).number
    assert k.sources[number] == SourceLine("cell", 3, "x = 1")


def test_vectors_are_put_together_and_taken_apart():
    x = np.array([1.0, 2.0], np.float32)
    assert evaluate(lambda k, a: k.vector([a, a * 3]).element(1), FLOAT, x).tolist() == [3.0, 6.0]


def test_bits_are_read_as_another_type():
    assert evaluate(lambda k, a: k.bitcast(a, INT), FLOAT, np.array([1.0], np.float32)).tolist() == [0x3F800000]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda k, i, x: i + x, "ADD of int32 and float32: both must have one type; cast one of them"),
        (lambda k, i, x: i / i, "true division is of floats; use // or cast first"),
        (lambda k, i, x: x // x, "expected integers"),
        (lambda k, i, x: ~x, "a float has no bits to invert; bitcast it first"),
        (lambda k, i, x: i + "1", "'1' is a str; expected a Value of the builder or a number"),
        (lambda k, i, x: 1 if i < 2 else 0, "has no truth while the program is written"),
        (lambda k, i, x: k.where(True, i, i), "the condition is a number; choose in Python"),
        (lambda k, i, x: k.variable(0, INT).set(x), "cast the value to int32"),
        (lambda k, i, x: k.local("tile", 4, INT).store(i, x), "the memory holds int32; cast the value"),
    ],
)
def test_misuse_is_explained(wrong, message):
    k = Builder("wrong")
    i, x = k.special("l", 0, 4), k.const(1.5, FLOAT)
    with pytest.raises(BuilderError, match=message.replace("|", r"\|")):
        wrong(k, i, x)


def test_loops_and_ifs_nest():
    k = Builder("triangle")
    out = k.buffer("out", INT, writable=True)
    lane = k.special("l", 0, 5)
    total = k.variable(0, INT)
    with k.loop(lane + 1) as i, k.if_((i % 2).eq(0)):
        total.set(total.value + i)
    out[lane] = total.value
    program = k.program()
    result = np.zeros(5, np.int32)
    program(result, local_size=(5,))
    assert result.tolist() == [0, 0, 2, 2, 6]
    assert [line.uop for line in program.lines].count(UOps.IF) == 1
