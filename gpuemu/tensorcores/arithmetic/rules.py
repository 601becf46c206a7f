"""A unit of tensor-core arithmetic: a table of rules, and the products it computes by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from gpuemu.errors import UnitError
from gpuemu.tensorcores.arithmetic.blocks import Formats
from gpuemu.tensorcores.arithmetic.chains import IntegerSum
from gpuemu.tensorcores.arithmetic.explanation import Explanation, format_names, unrecorded
from gpuemu.tensorcores.arithmetic.formats import SCALED, Array, Floats, Format, IntegerFormat, format_of, read
from gpuemu.tensorcores.arithmetic.products import Rule, accumulate, operands
from gpuemu.tensorcores.arithmetic.steps import explain

COMPARED = "compared with hardware"
BLOCK_SCALE = "block_scale"
"""The path of products whose factors come with scales."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a unit's table: these input types, these output types, this path, by this rule."""

    inputs: tuple[str, ...]
    """Types that a and b may have, each for itself."""
    outputs: tuple[str, ...]
    rule: Rule | IntegerSum
    path: str = "mma"


class Options(TypedDict, total=False):
    """What a product may be told beside its types and its path."""

    b_dtype: object
    """The type of b, where it is not that of a."""
    saturate: bool
    """Integers stay at the ends of int32 in place of wrapping."""
    of_bits: str
    """For type b1, the product of two bits: "and" (where nothing is said) or "xor"."""


class Compared(NamedTuple):
    """Recorded results of a GPU that a unit reproduces to the bit: finite numbers of these types, k products each."""

    inputs: str
    output: str
    path: str
    k: int


@dataclass(frozen=True, slots=True)
class Unit:
    """The arithmetic of one kind of tensor core.

    >>> from gpuemu.tensorcores.arithmetic import unit
    >>> unit("A100")
    Unit('A100': fp16 bf16 tf32 fp64 int8 uint8 int4 uint4 b1; fp16 bf16 tf32 compared with hardware)
    """

    name: str
    source: str
    """Where the rules come from."""
    basis: str
    """What the bits rest on where nobody has compared them with hardware."""
    table: tuple[Entry, ...]
    compared: tuple[Compared, ...] = ()
    """What has been compared with hardware."""

    def __repr__(self) -> str:
        compared = " ".join(dict.fromkeys(one.inputs for one in self.compared))
        return f"Unit({self.name!r}: {' '.join(self.inputs)}; {f'{compared} {COMPARED}' if compared else self.basis})"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The types of a and b that the unit takes."""
        return tuple(dict.fromkeys(name for entry in self.table for name in entry.inputs))

    @property
    def paths(self) -> tuple[str, ...]:
        """The instruction paths that it has: "mma", on Hopper also "wgmma"."""
        return tuple(dict.fromkeys(entry.path for entry in self.table))

    def rule(
        self, a_dtype: object, out_dtype: object, path: str = "mma", b_dtype: object = None
    ) -> tuple[Rule | IntegerSum, Format | IntegerFormat, Format | IntegerFormat, Format | IntegerFormat]:
        """The rule for these types, and the formats of a, b and the result.

        Raises
        ------
        UnitError
            the unit does not take these types, or has no such path

        >>> from gpuemu.tensorcores.arithmetic import unit
        >>> unit("A100").rule("fp16", "fp32")[0]
        FusedBlocks(length=8, fraction_bits=24, result_fraction_bits=23)
        """
        a, out = format_of(a_dtype), format_of(out_dtype)
        b = a if b_dtype is None else format_of(b_dtype)
        rows = [entry for entry in self.table if a.name in entry.inputs and b.name in entry.inputs]
        rows_out = [entry for entry in rows if out.name in entry.outputs]
        for entry in rows_out:
            if entry.path == path:
                return entry.rule, a, b, out
        given = f"{a.name} × {b.name} to {out.name} by {path!r}"
        if rows_out:
            hint = f"by {' or '.join(repr(entry.path) for entry in rows_out)} it does"
        elif rows:
            outputs = dict.fromkeys(name for entry in rows for name in entry.outputs)
            hint = f"from these inputs it gives {', '.join(outputs)}"
        else:
            pairs = dict.fromkeys("/".join(entry.inputs) for entry in self.table)
            hint = f"it takes {', '.join(pairs)}; types of one group mix"
        raise UnitError(f"unit {self.name!r}: it does not compute {given}; {hint}")

    def confidence(self, a_dtype: object, out_dtype: object, path: str = "mma", b_dtype: object = None) -> str:
        """How far the bits of finite inputs and results are known to be right, for these types by this path.

        Infinities, NaN, overflow and subnormal results are in no recorded set: `explain` says so where they occur.

        Raises
        ------
        UnitError
            the unit does not take these types, or has no such path

        >>> from gpuemu.tensorcores.arithmetic import unit
        >>> unit("H100").confidence("e4m3", "fp32", "wgmma")
        'compared with hardware at k = 32'
        >>> unit("H100").confidence("e4m3", "fp32", "mma")
        'by rule, not compared with hardware'
        """
        _, a, b, out = self.rule(a_dtype, out_dtype, path, b_dtype)
        for one in self.compared:
            if (one.inputs, one.inputs, one.output, one.path) == (a.name, b.name, out.name, path):
                return f"{COMPARED} at k = {one.k}"
        return self.basis

    def dot(
        self,
        a: object,
        b: object,
        c: object,
        a_dtype: object,
        out_dtype: object,
        path: str = "mma",
        **options: Unpack[Options],
    ) -> Array:
        """The dot product of each row of a and b, plus c, to the bit.

        Parameters
        ----------
        a, b : shape (rows, k), any type that holds numbers of a_dtype exactly
        c : shape (rows,), numbers of out_dtype
        a_dtype, out_dtype : "fp16" "bf16" "tf32" "e4m3" "e5m2" "fp32" "fp64" "int8" …, a gpuemu or numpy dtype
        path : "mma"; "wgmma" on Hopper
        options : those of `Options`, such as saturate=True

        Returns
        -------
        array of shape (rows,) in the type of out_dtype

        >>> from gpuemu.tensorcores.arithmetic import unit
        >>> a = np.array([[0.5, 0.5, 0.5, 0.5]], dtype=np.float16)
        >>> unit("A100").dot(a, np.ones_like(a), [2.0**24], "fp16", "fp32").tolist()  # each half is cut off
        [16777216.0]
        >>> unit("exact").dot(a, np.ones_like(a), [2.0**24], "fp16", "fp32").tolist()
        [16777218.0]
        """
        left, right, start = np.asarray(a), np.asarray(b), np.asarray(c)
        if left.ndim != 2 or left.shape != right.shape or start.shape != left.shape[:1]:
            raise UnitError(
                f"dot of a {left.shape}, b {right.shape}, c {start.shape}: expected (rows, k), (rows, k) and (rows,)"
            )
        matrices = left[:, np.newaxis], right[:, :, np.newaxis], start[:, np.newaxis, np.newaxis]
        return self._product(*matrices, (a_dtype, out_dtype, path), options).reshape(start.shape)

    def matmul(
        self,
        a: object,
        b: object,
        c: object,
        a_dtype: object,
        out_dtype: object,
        path: str = "mma",
        *,
        scales: tuple[Floats, Floats] | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """a @ b + c over any leading axes, each element with the bits of `dot`.

        Parameters
        ----------
        a : shape (…, m, k), a leading axis of length 1 where all along it have the same matrix
        b : shape (…, k, n), likewise
        c : shape (…, m, n)
        a_dtype, out_dtype, path, options : as for `dot`
        scales : shapes (…, m, s) and (…, s, n); path "block_scale" alone
            Each of the s divides the rows of b and columns of a into blocks of k / s. A factor counts scale times; that
            is exact, and so is its product: the rule adds and rounds what the products then are.

        Returns
        -------
        array of shape (…, m, n) in the type of out_dtype

        >>> from gpuemu.tensorcores.arithmetic import unit
        >>> a = np.arange(6.0).reshape(2, 3)
        >>> unit("A100").matmul(a, a.T, np.zeros((2, 2)), "fp16", "fp32")
        array([[ 5., 14.],
               [14., 50.]], dtype=float32)
        """
        return self._product(a, b, c, (a_dtype, out_dtype, path), options, scales)

    def explain(
        self,
        a: object,
        b: object,
        c: float,
        a_dtype: object,
        out_dtype: object,
        path: str = "mma",
        **options: Unpack[Options],
    ) -> Explanation:
        """One dot product step by step: each product, its bits on the common scale, what is cut, the sums.

        Parameters
        ----------
        a, b : shape (k,)
        c : one number
        a_dtype, out_dtype, path, options : as for `dot`

        Returns
        -------
        Explanation, whose `str` is a table, and whose `result` is that of `dot`

        >>> from gpuemu.tensorcores.arithmetic import unit
        >>> step, = unit("A100").explain([1.0, 2.0**-13], [1.0, 2.0**-13], 0.0, "fp16", "fp32").steps
        >>> step.greatest, step.place, [float(term.cut) for term in step.terms]
        (0, -24, [0.0, 1.4901161193847656e-08, 0.0])
        """
        types = a_dtype, out_dtype, path, options.get("b_dtype")
        rule, *formats = self.rule(*types)
        left, right, start = (
            read(name, values, fmt) for name, values, fmt in zip("abc", (a, b, c), formats, strict=True)
        )
        if left.ndim != 1 or left.shape != right.shape or start.ndim:
            raise UnitError(f"explain of a {left.shape}, b {right.shape}, c {start.shape}: expected (k,), (k,) and ()")
        of_three = Formats(*formats)  # type: ignore[arg-type]  # integer formats go to integer rules alone
        steps, exact = explain(_with_options(rule, options), left.tolist(), right.tolist(), float(start), of_three)
        result = steps[-1].result if steps else float(start)
        confidence = self.confidence(*types)
        if confidence.startswith(COMPARED):
            confidence = unrecorded(steps, of_three) or confidence
        return Explanation(self.name, format_names(of_three, path), steps, result, exact, confidence)

    def _product(
        self,
        a: object,
        b: object,
        c: object,
        types: tuple[object, object, str],
        options: Options,
        scales: tuple[Floats, Floats] | None = None,
    ) -> Array:
        rule, of_a, of_b, of_out = self.rule(*types, options.get("b_dtype"))
        left, right, start = np.asarray(a), np.asarray(b), np.asarray(c)
        if (scales is None) == (types[2] == BLOCK_SCALE):
            verb = "give" if scales is None else "it has no"
            raise UnitError(f"matmul by {types[2]!r}: {verb} scales= of a and b")
        if scales is not None:
            left = _scaled("a", read("a", left, of_a), scales[0], -1)
            right = _scaled("b", read("b", right, of_b), scales[1], -2)
            of_a = of_b = SCALED
        given = operands(left, right, start)
        if given is None:
            raise UnitError(
                f"matmul of a {left.shape}, b {right.shape}, c {start.shape}: expected (…, m, k), (…, k, n), (…, m, n)"
            )
        result = accumulate(_with_options(rule, options), given, (of_a, of_b, of_out))
        return given.restored(result.astype(of_out.storage), start.shape)


def _scaled(operand: str, factors: Floats, scales: Floats, axis: int) -> Floats:
    """Each factor times the scale of its block along k, which is `axis`."""
    expected = list(factors.shape)
    blocks = scales.shape[axis] if scales.ndim == factors.ndim else 0
    if factors.ndim >= 2 and blocks:
        expected[axis] = blocks
    if scales.shape != tuple(expected) or not blocks or factors.shape[axis] % blocks:
        raise UnitError(
            f"matmul of {operand} {factors.shape} with scales {scales.shape}: expected a scale for each block along k"
        )
    with np.errstate(invalid="ignore"):  # an infinite factor whose scale is 0
        return factors * np.repeat(scales, factors.shape[axis] // blocks, axis=axis)


def _with_options(rule: Rule | IntegerSum, options: Options) -> Rule | IntegerSum:
    of_bits = options.get("of_bits", "and")
    if of_bits not in ("and", "xor"):
        raise UnitError(f"of_bits {of_bits!r}: expected 'and' or 'xor'")
    return IntegerSum(options.get("saturate", False), of_bits) if isinstance(rule, IntegerSum) else rule
