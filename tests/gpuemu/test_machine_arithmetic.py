"""The ALU and the conversions: by hand, and against plain Python numbers."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import scalar_engine

from gpuemu import dtypes
from gpuemu.alu import ALU_OPS, ALU_RULES, COMPARISONS, BinaryOps, TernaryOps, UnaryOps, arity
from gpuemu.dtypes import DType
from gpuemu.machine.arithmetic import FUNCTIONS, truth
from gpuemu.machine.casts import bitcast, convert, number_in

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # engines run this under np.errstate
TYPES = [t for t in dtypes.SCALARS.values() if not t.name.startswith(("float8", "float6_", "float4_"))]
FLOATS = [t for t in dtypes.SCALARS.values() if t.is_float]
TRANSCENDENTAL = {UnaryOps.EXP2, UnaryOps.LOG2, UnaryOps.SIN}
INF, NAN = math.inf, math.nan


def edges(dtype: DType) -> list[Any]:
    """Numbers at which things go wrong."""
    if dtype.kind == "bool":
        return [False, True]
    if dtype.is_float:
        return [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.0, 7.0, 100.0, INF, -INF, NAN]
    bits = 8 * dtype.itemsize
    if dtype.kind == "signed":
        return [0, 1, -1, 2, -2, 7, -7, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))]
    return [0, 1, 2, 7, bits, 2**bits - 1, 2 ** (bits - 1)]


def same(found: Any, expected: Any) -> bool:
    """Equal bits, one nan as good as another."""
    if isinstance(expected, float):
        if math.isnan(expected):
            return math.isnan(found)
        return found == expected and math.copysign(1, found) == math.copysign(1, expected)
    return bool(found == expected)


def compute(op: str, dtype: DType, *values: Any) -> Any:
    arrays = [np.array([value]).astype(dtype.numpy) for value in values]
    return FUNCTIONS[ALU_OPS[op]](*arrays)[0].item()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("op", [op for op in ALU_RULES if op not in TRANSCENDENTAL], ids=lambda op: op.name)
def test_every_op_is_plain_pythons_at_the_edges(op: Any, dtype: DType) -> None:
    if dtype.kind not in ALU_RULES[op].kinds:
        return
    for values in product(edges(dtype), repeat=arity(op)):
        if op in (BinaryOps.DIV, BinaryOps.MOD) and not dtype.is_float and values[1] == 0:
            continue
        arrays = [np.array([value], dtype.numpy) for value in values]
        found = FUNCTIONS[op](*arrays)
        expected = scalar_engine.alu(op.name, dtype, [array[0].item() for array in arrays])
        assert found.dtype == (np.bool_ if op in COMPARISONS else dtype.numpy)
        assert same(found[0].item(), expected), (op, dtype, values)


@pytest.mark.parametrize(
    ("op", "dtype", "values", "result"),
    [
        ("ADD", dtypes.half, (2048, 1), 2048.0),
        ("ADD", dtypes.half, (60000, 60000), INF),
        ("ADD", dtypes.bfloat16, (256, 1), 256.0),
        ("DIV", dtypes.int64, (2**62 + 3, 3), (2**62 + 3) // 3),
        ("DIV", dtypes.int32, (-7, 2), -3),
        ("MOD", dtypes.int32, (-7, 2), -1),
        ("DIV", dtypes.int32, (-(2**31), -1), -(2**31)),
        ("MOD", dtypes.int32, (-(2**31), -1), 0),
        ("DIV", dtypes.float32, (1, 0), INF),
        ("DIV", dtypes.float32, (0, 0), NAN),
        ("SIN", dtypes.float32, (INF,), NAN),
        ("EXP2", dtypes.float32, (3,), 8.0),
        ("EXP2", dtypes.float64, (-1074,), 5e-324),
        ("LOG2", dtypes.float64, (2.0**-1074,), -1074.0),
        ("LOG2", dtypes.float32, (0,), -INF),
        ("SQRT", dtypes.float32, (-1,), NAN),
        ("MAX", dtypes.float32, (NAN, 1), 1.0),
        ("MAX", dtypes.float32, (1, NAN), 1.0),
        ("MAX", dtypes.float32, (-0.0, 0.0), 0.0),
        ("SHL", dtypes.int32, (1, 32), 0),
        ("SHR", dtypes.int32, (-8, 40), -1),
        ("SHR", dtypes.uint8, (200, 8), 0),
        ("ADD", dtypes.bool, (True, True), True),
        ("MUL", dtypes.bool, (True, False), False),
        ("NEG", dtypes.bool, (True,), False),
        ("NEG", dtypes.uint8, (1,), 255),
        ("MUL", dtypes.int32, (2**31 - 1, 2), -2),
        ("MULACC", dtypes.half, (3, 5, 7), 22.0),
        ("CMPNE", dtypes.float32, (NAN, NAN), True),
    ],
)
def test_arithmetic_by_hand(op: str, dtype: DType, values: tuple[Any, ...], result: Any) -> None:
    assert same(compute(op, dtype, *values), result)


@pytest.mark.parametrize("op", ["EXP2", "LOG2", "SIN"])
@pytest.mark.parametrize("dtype", [dtypes.half, dtypes.bfloat16, dtypes.float32], ids=str)
def test_functions_are_within_one_ulp_of_the_exact_value(op: str, dtype: DType) -> None:
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(2000) * 10.0 ** rng.integers(-3, 2, 2000)).astype(dtype.numpy)
    x = np.abs(x) if op == "LOG2" else x
    exact = {"EXP2": np.exp2, "LOG2": np.log2, "SIN": np.sin}[op](x.astype(np.longdouble))
    found = FUNCTIONS[ALU_OPS[op]](x)
    assert found.dtype == dtype.numpy
    bits = {"float16": 10, "bfloat16": 7, "float32": 23}[dtype.name]
    ulp = np.exp2(np.floor(np.log2(np.abs(exact))) - bits)
    normal = (np.abs(exact) > 1e-4) & (np.abs(exact) < 6e4)
    assert (np.abs(found.astype(np.longdouble) - exact)[normal] <= 0.5001 * ulp[normal]).all()


EXACT: dict[str, Callable[[Any], Any]] = {
    "EXP2": lambda x: mpmath.mpf(2) ** x,
    "LOG2": lambda x: mpmath.log(x, 2),
    "SIN": mpmath.sin,
    "SQRT": mpmath.sqrt,
}


@pytest.mark.parametrize("op", EXACT)
def test_functions_of_float32_are_within_half_a_unit_over_all_exponents(op: str) -> None:
    x = np.arange(12345, 2**32, 1_500_007, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        x = x[np.isfinite(x) & ((x > 0) | (op in ("EXP2", "SIN"))) & ((np.abs(x) < 126) | (op != "EXP2"))]
        found = FUNCTIONS[ALU_OPS[op]](x)
        ulps = np.spacing(np.abs(found))
    assert len(x) > 1000
    with mpmath.workprec(240):  # the sine of 3e38 needs 128 bits to reduce it
        exact = [EXACT[op](mpmath.mpf(float(value))) for value in x]
        errors = [abs(float(f) - e) / float(u) for f, e, u in zip(found, exact, ulps, strict=True)]
    assert max(errors) < 0.5001


@pytest.mark.parametrize("dtype", [dtypes.half, dtypes.bfloat16, dtypes.float32, dtypes.float64], ids=str)
def test_powers_and_logarithms_are_exact_where_the_result_is_a_number_of_the_type(dtype: DType) -> None:
    whole = np.arange(-14, 16)
    powers = np.ldexp(1.0, whole).astype(dtype.numpy)
    assert (FUNCTIONS[UnaryOps.EXP2](whole.astype(dtype.numpy)) == powers).all()
    assert (FUNCTIONS[UnaryOps.LOG2](powers) == whole.astype(dtype.numpy)).all()


@pytest.mark.parametrize("op", ["EXP2", "LOG2", "SIN"])
def test_functions_of_float64_are_pythons(op: str) -> None:
    for x in [*np.random.default_rng(1).standard_normal(200), 0.0, INF, -INF, NAN, 2000.0, -2000.0]:
        expected = scalar_engine.FLOAT[op](float(x))
        found = compute(op, dtypes.float64, x)
        assert same(found, expected) or math.isclose(found, expected, rel_tol=1e-15)


def test_where_takes_a_condition_of_any_type() -> None:
    y, z = np.array([1, 1, 1]), np.array([2, 2, 2])
    for condition in (np.array([True, False, True]), np.array([0.5, 0.0, NAN]), np.array([3, 0, -1])):
        assert FUNCTIONS[TernaryOps.WHERE](condition, y, z).tolist() == [1, 2, 1]
    assert truth(np.array([-0.0, 1.0])).tolist() == [False, True]


@pytest.mark.parametrize("op", [BinaryOps.SHL, BinaryOps.SHR], ids=lambda op: op.name)
def test_a_shift_count_may_have_a_type_of_its_own(op: BinaryOps) -> None:
    for count in (0, 1, 7, 8, 255):
        found = FUNCTIONS[op](np.array([-100], np.int8), np.array([count], np.uint8))
        assert found.dtype == np.int8
        assert found[0] == scalar_engine.alu(op.name, dtypes.int8, [-100, count])


# --- conversions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("new", dtypes.SCALARS.values(), ids=str)
@pytest.mark.parametrize("old", dtypes.SCALARS.values(), ids=str)
def test_every_conversion_is_plain_pythons_at_the_edges(old: DType, new: DType) -> None:
    values = [old.numpy.type(value) for value in edges(old)]
    found = convert(np.array(values, old.numpy), new.numpy)
    assert found.dtype == new.numpy
    for value, result in zip(values, found, strict=True):
        exact = bool(value) if old.kind == "bool" else value.item()
        assert same(result.item(), scalar_engine.convert(new, exact)), (value, new)


@pytest.mark.parametrize("new", FLOATS, ids=str)
@given(x=st.floats() | st.floats(-1e6, 1e6) | st.floats(-1e-6, 1e-6))
def test_a_float64_is_rounded_once(new: DType, x: float) -> None:
    assert same(convert(np.array([x]), new.numpy)[0].item(), scalar_engine.round_to(new, x))


@pytest.mark.parametrize("dtype", [dtypes.half, dtypes.bfloat16, dtypes.float32, dtypes.float64], ids=str)
@given(value=st.integers(-(2**63), 2**64 - 1) | st.sampled_from([2**60 + 2**36 + 1, True, 10**400]))
def test_a_constant_integer_is_rounded_once(dtype: DType, value: int) -> None:
    want = math.inf if value > 2**64 else scalar_engine.round_to(dtype, int(value))
    assert number_in(dtype, value).item() == want


@pytest.mark.parametrize("new", [dtypes.half, dtypes.bfloat16, dtypes.float32, dtypes.float8_e4m3fn], ids=str)
@given(x=st.integers(-(2**63), 2**63 - 1) | st.integers(-(2**30), 2**30))
def test_an_int64_is_rounded_once(new: DType, x: int) -> None:
    assert same(convert(np.array([x]), new.numpy)[0].item(), scalar_engine.round_to(new, x))


@pytest.mark.parametrize("new", FLOATS, ids=str)
def test_ties_and_near_ties_round_as_they_should(new: DType) -> None:
    precision = scalar_engine.FORMATS[new.scalar_name][0]
    tie = 1 + 2.0**-precision if precision < 53 else 1.0
    for x in (tie, math.nextafter(tie, 2), math.nextafter(tie, 0), -tie, -math.nextafter(tie, 2)):
        assert same(convert(np.array([x]), new.numpy)[0].item(), scalar_engine.round_to(new, x))


@pytest.mark.parametrize("new", [t for t in TYPES if t.is_integer], ids=str)
@given(x=st.floats())
def test_a_float_is_truncated_and_wraps(new: DType, x: float) -> None:
    expected = 0 if not math.isfinite(x) else int(Fraction(math.trunc(x)) % 2 ** (8 * new.itemsize))
    found = convert(np.array([x]), new.numpy)[0].item()
    assert found % 2 ** (8 * new.itemsize) == expected


def test_what_is_not_0_is_true() -> None:
    assert convert(np.array([0.0, -0.0, NAN, 1e-300]), np.dtype(bool)).tolist() == [False, False, True, True]
    assert convert(np.array([0, 1], ml_dtypes.bfloat16), np.dtype(bool)).tolist() == [False, True]


def test_a_bitcast_keeps_the_bits() -> None:
    x = np.array([1.0, -0.0, NAN], np.float32)
    bits = bitcast(x, np.dtype(np.int32))
    assert bits.tolist() == [0x3F800000, -(2**31), 0x7FC00000]
    assert bitcast(bits, np.dtype(np.float32)).tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", [t for t in FLOATS if t.name.startswith(("float6_", "float4_"))], ids=str)
@pytest.mark.parametrize("op", [*sorted(COMPARISONS, key=str), BinaryOps.MAX], ids=lambda op: op.name)
def test_the_upper_bits_of_a_narrow_float_mean_nothing(op: BinaryOps, dtype: DType) -> None:
    bits = np.arange(256, dtype=np.uint8).view(dtype.numpy)
    x, y = (part.ravel() for part in np.meshgrid(bits, bits[::9]))
    found = FUNCTIONS[op](x, y)
    wanted = [scalar_engine.alu(op.name, dtype, pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]
    assert np.array_equal(found.astype(np.float32), np.array(wanted, np.float32))
    if op is BinaryOps.MAX:
        assert np.array_equal(np.signbit(found.astype(np.float32)), np.signbit(np.array(wanted)))
