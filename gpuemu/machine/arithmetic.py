"""What each ALU op means, as numpy computes it: one decorated function an op, in the dtype of its operands.

Arrays of floats narrower than 64 bits go through float64 where numpy's own function is not exact to the last bit:
2 to the power x, the logarithm and the sine are then within one unit in the last place of the correctly rounded value.
An engine runs them under ``np.errstate(all="ignore")``: infinities and nan are results here, and nothing to warn of.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.alu import AluOp, BinaryOps, TernaryOps, UnaryOps
from gpuemu.machine.casts import WITHOUT_NAN, convert

Array = npt.NDArray[Any]
FUNCTIONS: dict[AluOp, Callable[..., Array]] = {}
Function = Callable[..., Array]


def alu(op: AluOp) -> Callable[[Function], Function]:
    """Register the function that computes an ALU op."""

    def register(function: Function) -> Function:
        FUNCTIONS[op] = function
        return function

    return register


def _in_double(function: Callable[[Array], Array], x: Array) -> Array:
    return convert(function(x.astype(np.float64)), x.dtype)


@alu(UnaryOps.EXP2)
def exp2(x: Array) -> Array:
    """2 to the power x; exact at integers.

    >>> exp2(np.array([3.0, -1.0, -np.inf], np.float32))
    array([8. , 0.5, 0. ], dtype=float32)
    """
    if x.dtype != np.float64:  # rounding hides an error in float64's last place
        return _in_double(np.exp2, x)
    whole = np.rint(x)
    exact = np.ldexp(1.0, np.clip(np.nan_to_num(whole), -2000, 2000).astype(np.int32))
    return np.where((whole == x) & np.isfinite(x), exact, np.exp2(x))


@alu(UnaryOps.LOG2)
def log2(x: Array) -> Array:
    """The logarithm to the base 2; exact at powers of two.

    >>> log2(np.array([8.0, np.inf], np.float32))
    array([ 3., inf], dtype=float32)
    """
    if x.dtype != np.float64:
        return _in_double(np.log2, x)
    fraction, exponent = np.frexp(x)
    return np.where(fraction == 0.5, exponent - 1.0, np.log2(x))


@alu(UnaryOps.SIN)
def sin(x: Array) -> Array:
    """The sine of x in radians; nan at ±inf.

    >>> sin(np.array([0.0, np.nan], np.float32))
    array([ 0., nan], dtype=float32)
    """
    return _in_double(np.sin, x)


@alu(UnaryOps.SQRT)
def sqrt(x: Array) -> Array:
    """The square root, correctly rounded.

    >>> sqrt(np.array([9.0, np.inf], np.float16))
    array([ 3., inf], dtype=float16)
    """
    root: Array = np.sqrt(x)
    return root


@alu(UnaryOps.NEG)
def neg(x: Array) -> Array:
    """−x; not x for bool.

    >>> neg(np.array([-128, 1], np.int8)), neg(np.array([True]))
    (array([-128,   -1], dtype=int8), array([False]))
    """
    return np.logical_not(x) if x.dtype == np.bool_ else np.negative(x)


@alu(BinaryOps.ADD)
def add(x: Array, y: Array) -> Array:
    """x + y; or for bool.

    >>> add(np.array([2048], np.float16), np.array([1], np.float16)) == 2048
    array([ True])
    """
    total: Array = np.add(x, y)
    return total


@alu(BinaryOps.SUB)
def sub(x: Array, y: Array) -> Array:
    """x − y; exclusive or for bool.

    >>> sub(np.array([1], np.uint8), np.array([2], np.uint8))
    array([255], dtype=uint8)
    """
    return np.logical_xor(x, y) if x.dtype == np.bool_ else np.subtract(x, y)


@alu(BinaryOps.MUL)
def mul(x: Array, y: Array) -> Array:
    """x · y; and for bool.

    >>> mul(np.array([2**31 - 1], np.int32), np.array([2], np.int32))
    array([-2], dtype=int32)
    """
    product: Array = np.multiply(x, y)
    return product


@alu(BinaryOps.DIV)
def div(x: Array, y: Array) -> Array:
    """x / y; for integers truncated as in C. A zero among integer divisors is the caller's to refuse.

    >>> div(np.array([-7, 7], np.int32), np.array([2, -2], np.int32))
    array([-3, -3], dtype=int32)
    """
    if x.dtype == np.bool_:
        return x & y
    if x.dtype.kind not in "iu":
        quotient: Array = np.divide(x, y)
        return quotient
    floor: Array = np.floor_divide(x, y)
    if x.dtype.kind == "u" or (x.min(initial=0) >= 0 and y.min(initial=0) >= 0):
        return floor
    inexact = np.multiply(floor, y) != x
    return np.where(inexact & ((x < 0) != (y < 0)), floor + np.ones((), x.dtype), floor)


@alu(BinaryOps.MOD)
def mod(x: Array, y: Array) -> Array:
    """The remainder of the truncated quotient, with the sign of x.

    >>> mod(np.array([-7, 7], np.int32), np.array([2, -2], np.int32))
    array([-1,  1], dtype=int32)
    """
    if x.dtype == np.bool_:
        return np.logical_and(x, ~y)
    remainder: Array = np.fmod(x, y)
    return remainder


@alu(BinaryOps.MAX)
def maximum(x: Array, y: Array) -> Array:
    """The larger; a number beats nan and +0 beats −0 (IEEE 754's maximumNumber); or for bool.

    >>> maximum(np.array([np.nan, -0.0]), np.array([1.0, 0.0]))
    array([1., 0.])
    """
    if x.dtype == np.bool_ or x.dtype.kind in "iu":
        larger: Array = np.maximum(x, y)
        return larger
    if (wide := _comparable(x)) is not x:
        return maximum(wide, _comparable(y)).astype(x.dtype)
    larger = np.fmax(x, y)
    if _has_minus_zero(larger):  # it may stand for both zeros; x + y of two zeros is −0 only where both are
        larger = np.where((larger == 0) & (x == y), x + y, larger)
    return larger


def _has_minus_zero(x: Array) -> bool:
    """Whether a −0 may be among floats: its bits are the least integer; in fnuz types, which have none, they are nan.

    >>> _has_minus_zero(np.array([0.0, -1.0])), _has_minus_zero(np.array([-0.0, -1.0]))
    (False, True)
    """
    bits = x.view(f"i{x.dtype.itemsize}")
    return x.size > 0 and bool(bits.min() == np.iinfo(bits.dtype).min)


def _comparable(x: Array) -> Array:
    """Numbers of 4 or 6 bits as float32: ml_dtypes compares all bits of their byte, of which the upper mean nothing."""
    return x.astype(np.float32) if x.dtype.kind == "V" and x.dtype in WITHOUT_NAN else x


@alu(BinaryOps.CMPLT)
def less(x: Array, y: Array) -> Array:
    """x < y, a bool; false where either is nan."""
    return np.less(_comparable(x), _comparable(y))


@alu(BinaryOps.CMPEQ)
def equal(x: Array, y: Array) -> Array:
    """x = y, a bool; false where either is nan."""
    return np.equal(_comparable(x), _comparable(y))


@alu(BinaryOps.CMPNE)
def not_equal(x: Array, y: Array) -> Array:
    """x ≠ y, a bool; true where either is nan."""
    return np.not_equal(_comparable(x), _comparable(y))


@alu(BinaryOps.XOR)
def xor(x: Array, y: Array) -> Array:
    """Exclusive or, bit by bit."""
    return np.bitwise_xor(x, y)


@alu(BinaryOps.AND)
def and_(x: Array, y: Array) -> Array:
    """And, bit by bit."""
    return np.bitwise_and(x, y)


@alu(BinaryOps.OR)
def or_(x: Array, y: Array) -> Array:
    """Or, bit by bit."""
    return np.bitwise_or(x, y)


def _shift_count(x: Array, y: Array) -> Array:
    """The count in x's dtype, in which every count that is not below the width shifts everything out."""
    width = x.dtype.itemsize * 8
    return np.where((y >= 0) & (y < width), y, width).astype(x.dtype)


@alu(BinaryOps.SHL)
def shl(x: Array, y: Array) -> Array:
    """x shifted left by y bits; 0 where y is the width or more, or negative.

    >>> shl(np.array([1, 1], np.int32), np.array([4, 32], np.int32))
    array([16,  0], dtype=int32)
    """
    return np.left_shift(x, _shift_count(x, y))


@alu(BinaryOps.SHR)
def shr(x: Array, y: Array) -> Array:
    """x shifted right by y bits, keeping the sign.

    >>> shr(np.array([-8, -8], np.int32), np.array([1, 32], np.int32))
    array([-4, -1], dtype=int32)
    """
    return np.right_shift(x, _shift_count(x, y))


@alu(TernaryOps.WHERE)
def where(x: Array, y: Array, z: Array) -> Array:
    """y where x is true (not 0), else z."""
    return np.where(truth(x), y, z)


@alu(TernaryOps.MULACC)
def mulacc(x: Array, y: Array, z: Array) -> Array:
    """x · y + z, each step rounded.

    >>> mulacc(np.array([3], np.int32), np.array([4], np.int32), np.array([5], np.int32))
    array([17], dtype=int32)
    """
    return add(mul(x, y), z)


def in_order(op: BinaryOps, start: Array, values: Array, count: int) -> Array:
    """op(… op(op(start, value 0), value 1) …): ADD, MUL or MAX over the first axis, each step rounded as one op is.

    A first axis of length 1 stands for `count` equal values.

    >>> in_order(BinaryOps.ADD, np.array([[2048]], np.float16), np.array([[1], [1], [2]], np.float16), 3).item()
    2050.0
    """
    shape = np.broadcast_shapes(start.shape[1:], values.shape[1:])
    if op is BinaryOps.MAX and start.dtype.kind == "f":
        rows = np.ascontiguousarray(values)  # along an axis that is not the fastest numpy compares whole rows
        largest = maximum(start, np.fmax.reduce(rows, axis=0, keepdims=True))
        if not _has_minus_zero(largest):
            return largest
        plus_zero = np.any((values == 0) & ~np.signbit(values), axis=0, keepdims=True)
        return np.where((largest == 0) & plus_zero, values.dtype.type(0), largest)
    run = np.empty((count + 1, *shape), start.dtype)
    run[:1], run[1:] = start, values
    if op is BinaryOps.MAX and start.dtype.kind not in "biu":
        for i in range(count):
            run[i + 1] = maximum(run[i : i + 1], run[i + 1 : i + 2])
        return run[count:]
    function = {BinaryOps.ADD: np.add, BinaryOps.MUL: np.multiply, BinaryOps.MAX: np.maximum}[op]
    if start.dtype.itemsize >= 4 and run.size > len(run):  # along an axis that is not the fastest numpy goes in order
        neutral = -0.0 if op is BinaryOps.ADD and run.dtype.kind == "f" else function.identity  # −0 + −0 is −0
        return np.asarray(function.reduce(run, axis=0, dtype=run.dtype, keepdims=True, initial=neutral))
    return function.accumulate(run, axis=0, dtype=run.dtype)[count:]


def truth(x: Array) -> Array:
    """Whether each value is not 0; nan is not.

    >>> truth(np.array([0.0, 2.0, np.nan]))
    array([False,  True,  True])
    """
    return x if x.dtype == np.bool_ else np.not_equal(x, x.dtype.type(0))
