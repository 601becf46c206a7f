"""What the lane explorer's browser side is told: coordinates as bytes, register names, small matrices, expressions.

The browser never works out where an element lies: it draws what the product's own lane maps say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.drawing.registers import element_name, places, spoken
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from shapetracker import ShapeTracker, View
from shapetracker.expr import Expr, Sum, Variable

Small = npt.NDArray[np.int8]

VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "apple": "Apple", "intel": "Intel"}
_PRODUCTS = {"multiply": "mul", "and": "and", "xor": "xor"}
_UNSIGNED = ("u", "b1")


def browser_data(instruction: Instruction) -> dict[str, Any]:
    """All that the browser draws of an instruction; a few hundred bytes to 200 kB.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> data = browser_data(tensorcores.instruction("m16n8k16"))
    >>> data["operands"]["C"]["names"], data["operands"]["C"]["where"][2]
    (['c0', 'c1', 'c2', 'c3'], 'register r2')
    >>> len(data["operands"]["A"]["at"])  # 32 lanes, 8 elements, (block, row, column) of two bytes each
    1536
    """
    x = instruction
    a, b = sample_matrices(x)
    unheld = {"nvidia": "{} lies in shared memory, read through a descriptor: no lane holds it."}
    why = unheld.get(x.vendor, "Which lane holds {} is not published.")
    return {
        "name": x.name,
        "vendor": VENDORS[x.vendor],
        "arch": x.arch,
        **{size: getattr(x, size) for size in ("m", "n", "k", "blocks", "lanes")},
        "product": _PRODUCTS[x.product],
        "operands": {name: _operand(x, getattr(x, name.lower())) for name in "ABC"},
        "unheld": {name: why.format(name) for name in "ABC"},
        "giver": dict.fromkeys("ABC", "shared memory" if x.vendor == "nvidia" else "a lane"),
        "values": {"A": a.tobytes(), "B": b.tobytes()},
    }


def _operand(instruction: Instruction, lane_map: LaneMap | None) -> dict[str, Any] | None:
    if lane_map is None:
        return None
    where = places(lane_map)
    at = _block_row_column(lane_map)
    return {
        "rows": lane_map.rows,
        "columns": lane_map.columns,
        "blocks": lane_map.blocks,
        "elements": lane_map.elements,
        "places": at.shape[2],
        "dtype": lane_map.dtype,
        "at": at.tobytes(),
        "register": list(where.register),
        "slot": list(where.slot),
        "names": [element_name(instruction.vendor, lane_map, i) for i in range(lane_map.elements)],
        "where": [spoken(register) for register in lane_map.registers],
        "index": index_expressions(lane_map),
    }


def _block_row_column(lane_map: LaneMap) -> npt.NDArray[np.uint16]:
    """(lanes, elements, places, 3) little-endian: block, row, column of each place of each element."""
    coordinates = lane_map.coordinates()
    at = np.zeros((lane_map.lanes, lane_map.elements, 4 if coordinates.ndim == 4 else 1, 3), dtype="<u2")
    given = coordinates.reshape(*at.shape[:3], -1)
    at[..., 1:] = given[..., :2]
    if given.shape[-1] == 3:
        at[..., 0] = given[..., 2]
    return at


def sample_matrices(instruction: Instruction) -> tuple[Small, Small]:
    """Small integers for A (blocks, m, k) and B (blocks, k, n), of both signs where the types have one.

    They are exact in every type and so are all sums of their products, in any order: whatever a unit's arithmetic is,
    each running sum is the plain one.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> a, b = sample_matrices(tensorcores.instruction("m16n8k16"))
    >>> a.shape, b.shape, int(a.min()), int(a.max()), int((a @ b)[0, 11, 2])
    ((1, 16, 16), (1, 16, 8), -3, 3, -2)
    """
    x = instruction
    block, m, k = np.indices((x.blocks, x.m, x.k))
    a = (3 * m + 5 * k + block) % 7 - 3
    block, k, n = np.indices((x.blocks, x.k, x.n))
    b = (2 * k + 3 * n + block) % 5 - 2
    if x.product != "multiply":
        return (a & 1).astype(np.int8), (b & 1).astype(np.int8)
    types = x.dtypes
    signed = [not types[operand].lower().startswith(_UNSIGNED) for operand in "ab"]
    return (a if signed[0] else a + 3).astype(np.int8), (b if signed[1] else b + 2).astype(np.int8)


@cache
def index_expressions(lane_map: LaneMap) -> dict[str, Any] | None:
    """The lane map's View as index expressions in `lane` and `i`, simplified by shapetracker; None where it is no View.

    Returns
    -------
    ``axes``: for each of block, row and column its name, the text, and the texts of the terms that it sums;
    ``digits``: (variable, place, size, stride) of each axis of the View.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> found = index_expressions(tensorcores.instruction("m16n8k16").c)
    >>> [(axis["name"], axis["text"]) for axis in found["axes"]]
    [('m', 'i//2*8 + lane//4'), ('n', 'i%2 + lane%4*2')]
    """
    view = lane_map.view
    if view is None:
        return None
    lane, i = Variable("lane", 0, lane_map.lanes - 1), Variable("i", 0, lane_map.elements - 1)
    digits = _digits(lane, lane_map.lane_shape) + _digits(i, lane_map.element_shape)
    expressions = [digit.expression for digit in digits]
    axes = [
        _axis(name, ShapeTracker(views=(part,)).expr_idxs(expressions)[0].simplify())
        for name, part in _parts(lane_map, view).items()
    ]
    strides = [int(stride) for stride in view.strides]
    return {
        "axes": axes,
        "digits": [(d.variable.name, d.place, d.size, stride) for d, stride in zip(digits, strides, strict=True)],
    }


@dataclass(frozen=True, slots=True)
class _Digit:
    """One digit of a lane or element number written in mixed radix."""

    variable: Variable
    place: int
    size: int

    @property
    def expression(self) -> Expr:
        return (self.variable // self.place % self.size).simplify()


def _parts(lane_map: LaneMap, view: View) -> dict[str, View]:
    """The View over each axis alone: a step of a digit moves so many blocks, rows and columns, and none carries."""
    row, column = {"a": ("m", "k"), "b": ("k", "n")}.get(lane_map.operand, ("m", "n"))
    lines = [int(stride) // lane_map.columns for stride in view.strides]
    strides = {
        "block": [line // lane_map.rows for line in lines],
        row: [line % lane_map.rows for line in lines],
        column: [int(stride) % lane_map.columns for stride in view.strides],
    }
    if lane_map.blocks == 1:
        del strides["block"]
    return {name: View.create(view.shape, tuple(steps)) for name, steps in strides.items()}


def _digits(variable: Variable, shape: tuple[int, ...]) -> list[_Digit]:
    found, place = [], 1
    for size in reversed(shape):
        found.append(_Digit(variable, place, size))
        place *= size
    return found[::-1]


def _axis(name: str, expression: Expr) -> dict[str, Any]:
    terms = expression.args if isinstance(expression, Sum) else (expression,)
    return {"name": name, "text": expression.render(), "terms": [term.render() for term in terms]}
