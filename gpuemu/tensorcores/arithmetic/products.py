"""Products of many matrices by one rule, some results at a time.

Of the leading axes, those along which a alone differs are more rows of one matrix, those along which b alone differs
more columns; only the others are a batch. So a factor that many results share is held once, and a grid of tiles is
computed as the one large product that it is part of.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from gpuemu.tensorcores.arithmetic.blocks import Formats, FusedBlocks, is_narrow, narrow
from gpuemu.tensorcores.arithmetic.chains import IntegerSum
from gpuemu.tensorcores.arithmetic.formats import Array, Floats, Format, IntegerFormat, read

_OUTPUTS_AT_ONCE = 1 << 13
"""Results computed together: a block of 16 products of each is 1 MiB, about what the second-level cache holds."""
_INNER_AT_ONCE = 1 << 8
"""Of them along the innermost axis: enough for long inner loops, few enough that each factor serves many results.

More of them where the other axes are short.
"""
_PRODUCTS_AT_ONCE = 1 << 21
"""Products of all k that belong to results computed together; the exact sum holds them all, 16 MiB."""

Slices = tuple[slice, slice, slice]


class Rule(Protocol):
    """A way to add: blocks, a chain, a tree."""

    def accumulate(self, a: Floats, b: Floats, c: Floats, formats: Formats) -> Floats:
        """The dot products along axis 0 of a and b, added to c; a and b broadcast to (k, *c.shape)."""


class Operands(NamedTuple):
    """a, b and c with three axes of results, the longest of rows, columns and the batch innermost.

    a is (k, …) with length 1 along the columns, b is (k, …) with length 1 along the rows, and c has all three.
    """

    a: Array
    b: Array
    c: Array
    order: tuple[int, ...]
    """The axes of the c that was given, in the order in which they are joined."""

    def restored(self, result: Array, shape: tuple[int, ...]) -> Array:
        """A result with the axes of `c` in the shape of the c that was given."""
        back = sorted(range(len(shape)), key=self.order.__getitem__)
        return np.ascontiguousarray(result.reshape([shape[axis] for axis in self.order]).transpose(back))


def operands(a: Array, b: Array, c: Array) -> Operands | None:
    """Matrices (…, m, k), (…, k, n), (…, m, n), each leading axis as in c, or of length 1; None where they differ.

    >>> tiles = operands(np.zeros((4, 1, 16, 8)), np.zeros((1, 2, 8, 8)), np.zeros((4, 2, 16, 8)))
    >>> tiles.a.shape, tiles.b.shape, tiles.c.shape
    ((8, 1, 1, 64), (8, 1, 16, 1), (1, 16, 64))
    """
    if min(a.ndim, b.ndim, c.ndim) < 2:
        return None
    *lead, m, n = c.shape
    if (*a.shape[-2:], b.shape[-1]) != (m, b.shape[-2], n) or not (_spreads(a, lead) and _spreads(b, lead)):
        return None
    rows: list[int] = []
    columns: list[int] = []
    batch: list[int] = []
    of_c: list[int] = []  # it alone differs along them
    for axis, size in enumerate(lead):
        in_a, in_b = a.shape[axis] == size, b.shape[axis] == size
        part = rows if not in_b else columns if not in_a or size == 1 else batch
        part.append(axis)
        if not in_a and not in_b:
            of_c.append(axis)
    if of_c:
        a = np.broadcast_to(a, [lead[axis] if axis in of_c else size for axis, size in enumerate(a.shape)])
    last = c.ndim - 1
    parts = sorted(((*rows, last - 1), (*columns, last), tuple(batch)), key=lambda part: _size(c, part))
    # now, before they become float32 or float64, while they are small
    left = _joined(a.transpose(last, *range(last))[..., np.newaxis], parts, 1)
    right = _joined(b.transpose(last - 1, *range(last - 1), last)[..., np.newaxis, :], parts, 1)
    return Operands(left, right, _joined(c, parts, 0), tuple(itertools.chain(*parts)))


def _spreads(x: Array, lead: list[int]) -> bool:
    """Whether the leading axes of matrices are those of the result, or 1 where all of an axis have the same."""
    own = x.shape[:-2]
    return len(own) == len(lead) and all(size in (1, full) for size, full in zip(own, lead, strict=True))


def _size(x: Array, axes: tuple[int, ...]) -> int:
    return math.prod(x.shape[axis] for axis in axes)


def _joined(x: Array, parts: list[tuple[int, ...]], before: int) -> Array:
    """The axes of each part as one; `before` axes come before those that are numbered, and stay."""
    axes = [tuple(axis + before for axis in part) for part in parts]
    sizes = [_size(x, part) for part in axes]
    return np.ascontiguousarray(x.transpose(*range(before), *itertools.chain(*axes))).reshape(*x.shape[:before], *sizes)


def accumulate(
    rule: Rule | IntegerSum,
    given: Operands,
    formats: tuple[Format | IntegerFormat, Format | IntegerFormat, Format | IntegerFormat],
) -> Floats:
    """The rule over all results, some at a time."""
    of_three = Formats(*formats)  # type: ignore[arg-type]  # integer formats go to integer rules alone
    abc = given[:3]
    stored = all(x.dtype == fmt.storage for x, fmt in zip(abc, formats, strict=True))
    if stored and isinstance(rule, FusedBlocks) and is_narrow(of_three):
        left, right = narrow(given.a, of_three.a), narrow(given.b, of_three.b)
        if left is not None and right is not None:
            return _in_parts(rule.accumulate_narrow, (*left, *right), given.c)
    a, b, c = (read(name, x, fmt) for name, x, fmt in zip("abc", abc, formats, strict=True))
    return _in_parts(lambda x, y, z: rule.accumulate(x, y, z, of_three), (a, b), c)


def _in_parts(function: Callable[..., Array], factors: tuple[Array, ...], c: Array) -> Array:
    """A function of factors (k, …) that broadcast to results, and of c, over some results at a time."""
    result = np.empty_like(c)
    for at in _parts(c.shape, min(_OUTPUTS_AT_ONCE, max(1, _PRODUCTS_AT_ONCE // max(1, len(factors[0]))))):
        result[at] = function(*(x[_along(x, at)] for x in factors), c[at])
    return result


def _along(x: Array, at: Slices) -> tuple[slice, ...]:
    """The part of factors that belongs to a part of the results."""
    every = slice(None)
    return every, *(part if size > 1 else every for part, size in zip(at, x.shape[1:], strict=True))


def _parts(shape: tuple[int, ...], at_once: int) -> Iterator[Slices]:
    """Slices of three axes, of about `at_once` results each."""
    outer, middle, inner = shape
    inner_step = max(1, min(inner, at_once, max(_INNER_AT_ONCE, at_once // max(1, outer * middle))))
    middle_step = max(1, min(middle, at_once // inner_step))
    outer_step = max(1, min(outer, at_once // (inner_step * middle_step)))
    starts = itertools.product(range(0, outer, outer_step), range(0, middle, middle_step), range(0, inner, inner_step))
    for i, j, l in starts:
        yield slice(i, i + outer_step), slice(j, j + middle_step), slice(l, l + inner_step)
