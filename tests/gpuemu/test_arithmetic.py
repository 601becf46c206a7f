"""The units of tensor-core arithmetic: against recorded hardware, against fractions, over the whole range."""

import itertools
import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tensor_core_oracle as oracle

from gpuemu.errors import GpuEmuError, UnitError
from gpuemu.tensorcores import arithmetic
from gpuemu.tensorcores.arithmetic.formats import format_of

VECTORS = Path(__file__).parent.parent / "data" / "tensor_core_vectors"


def same_bits(x, y):
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return ((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))


# --- hardware ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", json.loads((VECTORS / "INDEX.json").read_text()), ids=lambda entry: entry["file"])
def test_recorded_results_of_a_gpu_are_reproduced_to_the_bit(entry):
    data = np.load(VECTORS / entry["file"])
    unit = arithmetic.unit(entry["gpu"])
    got = unit.dot(data["a"], data["b"], data["c"], entry["input"], entry["output"], path=entry["path"])
    assert same_bits(got, data["d"]).all()


# --- the oracle -------------------------------------------------------------------------------------------------------


def listed(*arrays):
    """The values as Python numbers."""
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
        return [x.astype(np.float64).tolist() for x in arrays]


def nvidia(length, fraction_bits, result_bits=24) -> Callable:
    return lambda a, b, c, kind, out: oracle.nvidia(a, b, c, kind, kind, out, length, fraction_bits, result_bits)


CASES = [
    ("V100", "fp16", ("fp32", "fp16"), "mma", nvidia(4, 23)),
    ("Turing", "fp16", ("fp32", "fp16"), "mma", nvidia(8, 24)),
    ("A100", "fp16", ("fp32", "fp16"), "mma", nvidia(8, 24)),
    ("A100", "bf16", ("fp32",), "mma", nvidia(8, 24)),
    ("A2", "tf32", ("fp32",), "mma", nvidia(4, 24)),
    ("Ada", "e4m3", ("fp32", "fp16"), "mma", nvidia(16, 13, 14)),
    ("L40S", "e5m2", ("fp32", "fp16"), "mma", nvidia(16, 13, 14)),
    ("H100", "fp16", ("fp32", "fp16"), "wgmma", nvidia(16, 25)),
    ("H200", "bf16", ("fp32",), "mma", nvidia(16, 25)),
    ("H200", "tf32", ("fp32",), "mma", nvidia(8, 25)),
    ("H100", "e5m2", ("fp32", "fp16"), "wgmma", nvidia(32, 13, 14)),
    ("H100", "e4m3", ("fp32", "fp16"), "mma", lambda a, b, c, kind, out: oracle.fp8_by_halves(a, b, c, out)),
    ("B200", "e5m2", ("fp32", "fp16"), "mma", lambda a, b, c, kind, out: oracle.fp8_by_halves(a, b, c, out)),
    ("A100", "fp64", ("fp64",), "mma", lambda a, b, c, kind, out: oracle.chain(a, b, c, out)),
    ("CDNA2", "fp32", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.chain(a, b, c, out)),
    ("CDNA1", "fp16", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.tree(a, b, c, kind, 4, False)),
    ("CDNA1", "bf16", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.tree(a, b, c, kind, 2, False)),
    ("CDNA2", "fp16", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.tree(a, b, c, kind, 4, True)),
    ("CDNA2", "bf16", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.tree(a, b, c, kind, 4, True)),
    ("CDNA2", "bf16", ("fp32",), "older", lambda a, b, c, kind, out: oracle.tree(a, b, c, kind, 2, True)),
    ("CDNA3", "fp16", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.cdna3(a, b, c, kind, kind, 8, 1)),
    ("CDNA3", "bf16", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.cdna3(a, b, c, kind, kind, 8, 1)),
    ("CDNA3", "xf32", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.cdna3(a, b, c, "tf32", "tf32", 4, 1)),
    ("CDNA3", "e4m3fnuz", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.cdna3(a, b, c, kind, kind, 16, 2)),
    ("CDNA3", "e5m2fnuz", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.cdna3(a, b, c, kind, kind, 16, 2)),
    ("exact", "fp16", ("fp32", "fp16", "bf16", "fp64"), "mma", lambda a, b, c, kind, out: oracle.exact(a, b, c, out)),
    ("exact", "fp32", ("fp32",), "mma", lambda a, b, c, kind, out: oracle.exact(a, b, c, out)),
    ("exact", "fp64", ("fp64", "fp32"), "mma", lambda a, b, c, kind, out: oracle.exact(a, b, c, out)),
    (
        "fp32-sequential",
        "bf16",
        ("fp32", "fp16", "bf16"),
        "mma",
        lambda a, b, c, kind, out: oracle.float32_in_order(a, b, c, out),
    ),
]
FLAT = [(name, kind, out, path, slow) for name, kind, outs, path, slow in CASES for out in outs]
IDS = [f"{name}-{kind}-{out}-{path}" for name, kind, out, path, _ in FLAT]
WIDTHS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def any_bits(rng, dtype, shape):
    """Numbers of random bits: every exponent alike, subnormal, infinite and NaN among them."""
    storage = format_of(dtype).storage
    bits = rng.integers(0, 2 ** (8 * storage.itemsize), size=shape, dtype=WIDTHS[storage.itemsize], endpoint=False)
    with np.errstate(all="ignore"):
        return cut_if_tf32(bits.view(storage), dtype)


def near_one(rng, dtype, shape, spread=2):
    """Numbers of like size and both signs."""
    values = rng.standard_normal(shape) * 2.0 ** rng.integers(-spread, spread + 1, size=shape)
    return cut_if_tf32(values.astype(format_of(dtype).storage), dtype)


def cut_if_tf32(values, dtype):
    if format_of(dtype).name != "tf32":
        return values
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def profiles(rng, dtype, out, rows, k):
    """Inputs of many kinds: (a, b, c), each row one dot product."""
    storage = format_of(out).storage
    near = near_one(rng, dtype, (rows, k)), near_one(rng, dtype, (rows, k)), near_one(rng, out, rows)
    yield near
    yield near[0], near[1], (near[2] * storage.type(2.0**12)).astype(storage)  # c dominates
    yield near[0], near[1], (near[2] * storage.type(2.0**-12)).astype(storage)  # c is dominated
    half = k // 2
    mirrored = np.concatenate([near[0][:, :half], -near[0][:, :half]], axis=1)
    twice = np.concatenate([near[1][:, :half], near[1][:, :half]], axis=1)
    yield mirrored, twice, near[2]  # everything cancels but c
    yield mirrored, twice, np.zeros(rows, dtype=storage)  # everything cancels
    yield np.zeros_like(near[0]), near[1], np.where(near[2] > 0, storage.type(0), storage.type(-0.0))  # zeros alone
    yield near_one(rng, dtype, (rows, k), 9), near_one(rng, dtype, (rows, k), 9), near_one(rng, out, rows, 9)
    few = [any_bits(rng, dtype, (rows, k)) for _ in "ab"]
    yield *few, any_bits(rng, out, rows)
    finite = [np.where(np.isfinite(x), x, x.dtype.type(0)) for x in few]
    yield *finite, near[2]
    least = format_of(dtype).storage.type(2.0 ** format_of(dtype).least_exponent)
    subnormal = [cut_if_tf32(x * least, dtype) for x in near[:2]]
    yield subnormal[0], near[1], near[2] * storage.type(2.0 ** format_of(out).least_exponent)
    yield *subnormal, any_bits(rng, out, rows)


@pytest.mark.parametrize(("name", "kind", "out", "path", "slow"), FLAT, ids=IDS)
def test_unit_agrees_with_the_oracle(name, kind, out, path, slow):
    rng = np.random.default_rng(len(name))
    unit = arithmetic.unit(name)
    with np.errstate(all="ignore"):
        sets = list(profiles(rng, kind, out, rows=6, k=64))
    for a, b, c in sets:
        got = unit.dot(a, b, c, kind, out, path)
        for row in range(len(c)):
            wide = listed(a[row], b[row], c[row])
            want = slow(*wide, format_of(kind).name, out)
            assert same_bits(got[row], want), (*wide, float(got[row]), want)


@pytest.mark.parametrize(("name", "kind", "out", "path", "slow"), FLAT, ids=IDS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_unit_agrees_with_the_oracle_on_any_bits(name, kind, out, path, slow, data):
    def numbers(dtype, count):
        storage = format_of(dtype).storage
        bits = st.lists(st.integers(0, 2 ** (8 * storage.itemsize) - 1), min_size=count, max_size=count)
        values = np.array(data.draw(bits), dtype=WIDTHS[storage.itemsize]).view(storage)
        return cut_if_tf32(values, dtype)

    a, b, c = numbers(kind, 4), numbers(kind, 4), numbers(out, 1)
    got = arithmetic.unit(name).dot(a[np.newaxis], b[np.newaxis], c, kind, out, path)
    want = slow(*listed(a, b, c[0]), format_of(kind).name, out)
    assert same_bits(got[0], want)


def test_mixed_fp8_agrees_with_the_oracle():
    rng = np.random.default_rng(5)
    a, b, c = near_one(rng, "e4m3", (50, 32)), near_one(rng, "e5m2", (50, 32)), near_one(rng, "fp32", 50)
    got = arithmetic.unit("Ada").dot(a, b, c, "e4m3", "fp32", b_dtype="e5m2")
    for row in range(50):
        wide = listed(a[row], b[row], c[row])
        assert same_bits(got[row], oracle.nvidia(*wide, "e4m3", "e5m2", "fp32", 16, 13, 14))


# --- many at once -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind", "out", "path", "slow"), FLAT, ids=IDS)
def test_matmul_gives_the_bits_of_dot(name, kind, out, path, slow):
    rng = np.random.default_rng(11)
    unit = arithmetic.unit(name)
    a, b, c = near_one(rng, kind, (2, 3, 5, 32)), near_one(rng, kind, (2, 3, 32, 7)), near_one(rng, out, (2, 3, 5, 7))
    got = unit.matmul(a, b, c, kind, out, path)
    assert got.shape == c.shape
    assert got.dtype == format_of(out).storage
    rows = np.broadcast_to(a[:, :, :, np.newaxis], (2, 3, 5, 7, 32)).reshape(-1, 32)
    columns = np.broadcast_to(b.swapaxes(2, 3)[:, :, np.newaxis], (2, 3, 5, 7, 32)).reshape(-1, 32)
    assert same_bits(got.ravel(), unit.dot(rows, columns, c.ravel(), kind, out, path)).all()


def test_matmul_larger_than_one_part_gives_the_bits_of_dot():
    rng = np.random.default_rng(12)
    a, b, c = near_one(rng, "fp16", (130, 16)), near_one(rng, "fp16", (16, 200)), near_one(rng, "fp32", (130, 200))
    unit = arithmetic.unit("A100")
    got = unit.matmul(a, b, c, "fp16", "fp32")
    rows, columns = np.repeat(a, 200, axis=0), np.tile(b.T, (130, 1))
    assert same_bits(got.ravel(), unit.dot(rows, columns, c.ravel(), "fp16", "fp32")).all()


def test_long_sums_are_computed_in_parts():
    rng = np.random.default_rng(13)
    a, b, c = near_one(rng, "fp16", (30, 4096)), near_one(rng, "fp16", (4096, 30)), near_one(rng, "fp32", (30, 30))
    unit = arithmetic.unit("exact")
    got = unit.matmul(a, b, c, "fp16", "fp32")
    assert same_bits(got[29], unit.dot(np.tile(a[29], (30, 1)), b.T, c[29], "fp16", "fp32")).all()


@pytest.mark.parametrize(("kind", "out"), [("fp16", "fp32"), ("bf16", "fp32"), ("fp16", "fp16")])
def test_matrices_that_are_the_same_along_an_axis_are_given_once(kind, out):
    rng = np.random.default_rng(8)
    a, b = (rng.standard_normal(shape).astype(format_of(kind).storage) for shape in ((3, 1, 16, 8), (1, 5, 8, 4)))
    c = rng.standard_normal((3, 5, 16, 4)).astype(format_of(out).storage)
    full = np.broadcast_to(a, (3, 5, 16, 8)), np.broadcast_to(b, (3, 5, 8, 4))
    once, always = (arithmetic.unit("A100").matmul(*pair, c, kind, out) for pair in ((a, b), full))
    assert np.array_equal(once, always)


@pytest.mark.parametrize("held", list(itertools.product(("ab", "a", "b", "c"), repeat=3)), ids=" ".join)
def test_each_leading_axis_may_be_of_a_alone_of_b_alone_of_both_or_of_c(held):
    rng = np.random.default_rng(9)
    lead = (2, 7, 3)
    of_a, of_b = ([size if letter in name else 1 for size, name in zip(lead, held, strict=True)] for letter in "ab")
    a, b = near_one(rng, "fp16", (*of_a, 4, 16)), near_one(rng, "fp16", (*of_b, 16, 5))
    c = near_one(rng, "fp32", (*lead, 4, 5))
    unit = arithmetic.unit("A100")
    rows = np.broadcast_to(a[..., :, np.newaxis, :], (*lead, 4, 5, 16)).reshape(-1, 16)
    columns = np.broadcast_to(b.swapaxes(-1, -2)[..., np.newaxis, :, :], (*lead, 4, 5, 16)).reshape(-1, 16)
    want = unit.dot(rows, columns, c.ravel(), "fp16", "fp32")
    assert same_bits(unit.matmul(a, b, c, "fp16", "fp32").ravel(), want).all()


def test_threads_that_multiply_at_once_get_the_same_bits():
    rng = np.random.default_rng(10)
    unit = arithmetic.unit("A100")
    tasks = [(near_one(rng, "fp16", (40, 64)), near_one(rng, "fp16", (64, 40)), np.zeros((40, 40))) for _ in range(24)]
    one_by_one = [unit.matmul(*task, "fp16", "fp32") for task in tasks]
    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda task: unit.matmul(*task, "fp16", "fp32"), tasks))
    assert np.array_equal(one_by_one, at_once)


def test_empty_product_is_c():
    got = arithmetic.unit("A100").matmul(np.zeros((2, 0)), np.zeros((0, 3)), np.ones((2, 3)), "fp16", "fp32")
    assert (got == 1).all()


def test_no_warps_give_no_results():
    got = arithmetic.unit("A100").matmul(
        np.zeros((0, 16, 16)), np.zeros((0, 16, 8)), np.zeros((0, 16, 8)), "fp16", "fp32"
    )
    assert got.shape == (0, 16, 8)


# --- integers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize(("a_dtype", "b_dtype"), [("int8", "int8"), ("int8", "uint8"), ("uint4", "int4")])
def test_integers_are_exact(a_dtype, b_dtype, saturate):
    rng = np.random.default_rng(3)
    kinds = format_of(a_dtype), format_of(b_dtype)
    a, b = (rng.integers(kind.least, kind.greatest, size=(40, 64), endpoint=True) for kind in kinds)
    c = rng.choice([-(2**31), 2**31 - 1, 5], size=40)
    got = arithmetic.unit("A100").dot(a, b, c, a_dtype, "int32", b_dtype=b_dtype, saturate=saturate)
    want = [oracle.whole(*(x[row].tolist() for x in (a, b, c)), saturate) for row in range(40)]
    assert got.dtype == np.int32
    assert got.tolist() == want


@pytest.mark.parametrize("of_bits", ["and", "xor"])
def test_single_bits_are_counted(of_bits):
    rng = np.random.default_rng(4)
    a, b, c = rng.integers(0, 2, (9, 128)), rng.integers(0, 2, (9, 128)), rng.integers(0, 99, 9)
    got = arithmetic.unit("A100").dot(a, b, c, "b1", "int32", of_bits=of_bits)
    assert got.tolist() == [oracle.whole(*(x[i].tolist() for x in (a, b, c)), xor=of_bits == "xor") for i in range(9)]


# --- what the rules mean ----------------------------------------------------------------------------------------------


def one_row(name, a, b, c, kind="fp16", out="fp32", path="mma"):
    return float(arithmetic.unit(name).dot([a], [b], [c], kind, out, path)[0])


def test_small_product_vanishes_beside_a_large_one():
    assert one_row("V100", [1.0, 2.0**-12], [1.0, 2.0**-12], 0.0) == 1.0  # 2^-24, cut at 2^-23
    assert one_row("A100", [1.0, 2.0**-12], [1.0, 2.0**-12], -1.0) == 2.0**-24


def test_float32_results_round_toward_zero():
    above = 1 + 2.0**-23 - 2.0**-24  # between 1 and the next float32, above the middle by nothing: 3 quarters below
    assert one_row("A100", [1.0, 2.0**-12, 2.0**-13], [1.0, 2.0**-12, 2.0**-12], 0.0) == 1.0 < above


def test_float32_infinity_comes_from_two_to_the_128():
    assert one_row("A100", [2.0**64], [2.0**63], 0.0, "bf16") == 2.0**127
    assert one_row("A100", [2.0**64], [2.0**64], 0.0, "bf16") == math.inf
    assert one_row("A100", [-(2.0**64)], [2.0**64], 0.0, "bf16") == -math.inf


def test_fp8_by_halves_overflows_before_c_is_added():
    a, b = [448.0] * 32, [448.0] * 32
    assert one_row("H100", a, b, -60000.0, "e4m3", "fp16") == math.inf


def test_infinity_stays_through_later_blocks():
    a = [math.inf, *[1.0] * 31]
    assert one_row("A100", a, [1.0] * 32, 0.0) == math.inf
    assert math.isnan(one_row("A100", [*a[:-1], -math.inf], [1.0] * 32, 0.0))


def test_infinite_beside_finite_rows_leaves_them_alone():
    a = np.array([[math.inf, 1.0], [1.0, 1.0]], dtype=np.float16)
    got = arithmetic.unit("A100").dot(a, np.ones_like(a), [0.5, 0.5], "fp16", "fp32")
    assert got.tolist() == [math.inf, 2.5]


def test_cancellation_gives_positive_zero():
    assert math.copysign(1, one_row("A100", [1.0, -1.0], [1.0, 1.0], -0.0)) == 1


def test_tf32_reads_nineteen_bits():
    assert one_row("A100", [1 + 2.0**-11], [1.0], 0.0, "tf32") == 1.0
    assert one_row("A100", [1 + 2.0**-10], [1.0], 0.0, "tf32") == 1 + 2.0**-10


# --- names, types, shapes ---------------------------------------------------------------------------------------------


def test_every_unit_names_its_source_and_how_far_it_is_known():
    for unit in arithmetic.units().values():
        assert unit.source
        assert unit.basis
    assert arithmetic.unit("CDNA3").confidence("fp16", "fp32") == "by published rules, not compared with hardware"
    assert "arithmetic unverified" in arithmetic.unit("fp32-sequential").confidence("fp16", "fp32")


def test_what_is_called_compared_is_exactly_what_is_recorded():
    sets = json.loads((VECTORS / "INDEX.json").read_text())
    recorded = {(one["gpu"], one["input"], one["output"], one["path"], one["k"]) for one in sets}
    assert {(unit.name, *one) for unit in arithmetic.units().values() for one in unit.compared} == recorded


def test_every_entry_of_every_unit_says_how_far_it_is_known():
    for unit in arithmetic.units().values():
        compared = {one[:3]: one.k for one in unit.compared}
        for entry in unit.table:
            for inputs, output in itertools.product(entry.inputs, entry.outputs):
                k = compared.get((inputs, output, entry.path))
                want = unit.basis if k is None else f"compared with hardware at k = {k}"
                assert unit.confidence(inputs, output, entry.path) == want


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("Turing", ("fp16", "fp32")),
        ("A30", ("fp16", "fp32")),
        ("A100", ("fp64", "fp64")),
        ("A100", ("int8", "int32")),
        ("L40S", ("e4m3", "fp16")),
        ("H200", ("e5m2", "fp32", "mma")),
        ("H100", ("fp16", "fp32", "wgmma")),
        ("B200", ("e4m3", "fp32", "mma", "e5m2")),
    ],
)
def test_what_nobody_recorded_is_by_rule(name, types):
    assert arithmetic.unit(name).confidence(*types) == "by rule, not compared with hardware"


def test_dtypes_may_be_numpy_types_or_objects_with_a_name():
    a, c = np.ones((1, 4), dtype=np.float16), np.zeros(1, dtype=np.float32)
    unit = arithmetic.unit("A100")
    for dtype in ("half", np.float16, np.dtype("float16"), format_of("fp16")):
        assert unit.dot(a, a, c, dtype, np.float32).tolist() == [4.0]


def check(message, call):
    with pytest.raises(UnitError) as caught:
        call()
    assert str(caught.value) == message
    assert isinstance(caught.value, GpuEmuError)
    assert isinstance(caught.value, ValueError)


def test_unknown_unit_suggests_the_nearest():
    check("unit 'h100': no unit has that name; did you mean 'H100'?", lambda: arithmetic.unit("h100"))


def test_unknown_dtype_suggests_the_nearest():
    check(
        "dtype 'fp61': no number format of tensor cores; did you mean 'fp64'?",
        lambda: one_row("A100", [1.0], [1.0], 0.0, "fp61"),
    )


def test_type_that_a_unit_does_not_have():
    check(
        "unit 'V100': it does not compute bf16 × bf16 to fp32 by 'mma'; it takes fp16; types of one group mix",
        lambda: one_row("V100", [1.0], [1.0], 0.0, "bf16"),
    )


def test_result_type_that_a_unit_does_not_give():
    check(
        "unit 'A100': it does not compute bf16 × bf16 to fp16 by 'mma'; from these inputs it gives fp32",
        lambda: one_row("A100", [1.0], [1.0], 0.0, "bf16", "fp16"),
    )


def test_path_that_a_unit_does_not_have():
    check(
        "unit 'A100': it does not compute fp16 × fp16 to fp32 by 'wgmma'; by 'mma' it does",
        lambda: one_row("A100", [1.0], [1.0], 0.0, path="wgmma"),
    )


@pytest.mark.parametrize("name", ["exact", "fp32-sequential"])
def test_reference_units_take_every_path(name):
    for path in ("mma", "wgmma", "older"):
        assert one_row(name, [1.0, 2.0], [3.0, 4.0], 5.0, path=path) == 16.0


def test_value_that_the_type_does_not_hold():
    check(
        "a: 0.1 is no fp16 number; round the values first: a.astype('float16')",
        lambda: one_row("A100", [0.1], [1.0], 0.0),
    )


def test_integer_out_of_range():
    check(
        "b: 9.0 is no int4 number; expected whole numbers from -8 to 7",
        lambda: arithmetic.unit("A100").dot([[1]], [[9]], [0], "int4", "int32"),
    )


def test_shapes_of_dot_must_fit():
    check(
        "dot of a (2, 4), b (2, 3), c (2,): expected (rows, k), (rows, k) and (rows,)",
        lambda: arithmetic.unit("A100").dot(np.ones((2, 4)), np.ones((2, 3)), np.ones(2), "fp16", "fp32"),
    )


def test_shapes_of_matmul_must_fit():
    check(
        "matmul of a (2, 4), b (3, 5), c (2, 5): expected (…, m, k), (…, k, n), (…, m, n)",
        lambda: arithmetic.unit("A100").matmul(np.ones((2, 4)), np.ones((3, 5)), np.ones((2, 5)), "fp16", "fp32"),
    )


def test_unknown_product_of_bits():
    check(
        "of_bits 'or': expected 'and' or 'xor'",
        lambda: arithmetic.unit("A100").dot([[1]], [[1]], [0], "b1", "int32", of_bits="or"),
    )
