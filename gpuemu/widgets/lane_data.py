"""What the lane explorer's browser side is told: coordinates as bytes, register names, small matrices, expressions.

The browser never works out where an element lies: it draws what the product's own lane maps say.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuemu.drawing.registers import element_name, places, spoken
from gpuemu.tensorcores.checker import Diagnosis
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from gpuemu.tensorcores.notation import notations
from gpuemu.tensorcores.notation.formulas import expressions
from shapetracker.expr import Expr, Sum

Small = npt.NDArray[np.int8]

VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "apple": "Apple", "intel": "Intel"}
_FAMILIES = {
    "sm_70": "Volta",
    "sm_75": "Turing",
    "sm_80": "Ampere",
    "sm_89": "Ada",
    "sm_90": "Hopper",
    "sm_90a": "Hopper",
    "sm_120a": "Blackwell",
    "gfx908": "CDNA1",
    "gfx90a": "CDNA2",
    "gfx942": "CDNA3",
    "gfx1100": "RDNA3",
    "gfx1200": "RDNA4",
    "xe-hpg": "Arc",
    "xe-hpc": "Data Center GPU Max",
    "apple7": "M1",
}
_PRODUCTS = {"multiply": "mul", "and": "and", "xor": "xor"}
_UNSIGNED = ("u", "b1")


def family(arch: str) -> str:
    """The architecture with the name that people say, where it has one.

    Examples
    --------
    >>> family("gfx942"), family("gfx1250")
    ('gfx942 · CDNA3', 'gfx1250')
    """
    return f"{arch} · {_FAMILIES[arch]}" if arch in _FAMILIES else arch


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
        "family": family(x.arch),
        **{size: getattr(x, size) for size in ("m", "n", "k", "blocks", "lanes")},
        "product": _PRODUCTS[x.product],
        "operands": {name: operand_data(x, getattr(x, name.lower())) for name in "ABC"},
        "unheld": {name: why.format(name) for name in "ABC"},
        "giver": dict.fromkeys("ABC", "shared memory" if x.vendor == "nvidia" else "a lane"),
        "values": {"A": a.tobytes(), "B": b.tobytes()},
    }


def operand_data(instruction: Instruction, lane_map: LaneMap | None) -> dict[str, Any] | None:
    """All that the browser draws of one operand; None where no lane holds it."""
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
        "notations": notation_texts(lane_map),
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
    """Where an element lies, as formulas in `lane` and `i` with their terms, and as the digits of the View.

    Returns
    -------
    None where there is no formula; else ``axes``: for each of block, row and column its name, the text in Python and
    in C, and the terms that it sums; ``digits``: (variable, place, size, stride) of each axis of the View.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> found = index_expressions(tensorcores.instruction("m16n8k16").c)
    >>> [(axis["name"], axis["python"], axis["c"]) for axis in found["axes"]]
    [('m', 'lane//4 + i//2*8', 'lane/4 + i/2*8'), ('n', 'lane%4*2 + i%2', 'lane%4*2 + i%2')]
    """
    found, view = expressions(lane_map), lane_map.view
    if found is None or view is None:
        return None
    digits = _digits("lane", lane_map.lane_shape) + _digits("i", lane_map.element_shape)
    strides = map(int, view.strides)
    return {
        "axes": [_axis(name, e) for name, e in found.items()],
        "digits": [(*digit, stride) for digit, stride in zip(digits, strides, strict=True)],
    }


def _digits(variable: str, shape: tuple[int, ...]) -> list[tuple[str, int, int]]:
    """(variable, place, size) of each digit of a number written in mixed radix."""
    places = [prod(shape[d + 1 :]) for d in range(len(shape))]
    return [(variable, place, size) for place, size in zip(places, shape, strict=True)]


def _axis(name: str, expression: Expr) -> dict[str, Any]:
    terms = expression.args if isinstance(expression, Sum) else (expression,)
    return {
        "name": name,
        "python": expression.render(),
        "c": expression.render("c"),
        "terms": [term.render() for term in terms],
    }


@cache
def notation_texts(lane_map: LaneMap) -> dict[str, list[str]]:
    """Every notation of the map: its text, or why there is none, and how to read it.

    Examples
    --------
    >>> from gpuemu import tensorcores
    >>> notation_texts(tensorcores.instruction("m16n8k16").c)["CuTe layout"][0]
    '((4,8),(2,2)):((32,1),(16,8))'
    """
    return {n.name: [n.text or f"It cannot be written so: {n.why_not}.", n.meaning] for n in notations(lane_map)}


def departures(diagnosis: Diagnosis) -> dict[str, Any]:
    """What the checker found, for the browser: the sentences, and a byte for each (lane, element) that departs.

    Examples
    --------
    >>> from gpuemu.tensorcores.checker import check_fragment
    >>> found = departures(check_fragment("m16n8k16", "c", "lane / 4 + 8 * (i % 2), 2 * (lane % 4) + i % 2"))
    >>> found["verdict"], found["first"]
    ('Departs in 64 of 128 places.', 'First at lane 0, element 1 (r1): it holds C[8, 1], and C[0, 1] belongs there.')
    >>> sum(found["places"])
    64
    """
    d = diagnosis
    if d.right:
        return {"verdict": f"Right, all {d.places} places.", "right": True, "places": b""}
    lanes, elements = d.lane_map.lanes, d.lane_map.elements
    same_shape = d.held.shape[:2] == (lanes, elements)
    places = bytes(not same_shape or d.departs(lane, i) for lane in range(lanes) for i in range(elements))
    _, first, *rest = str(d).split("\n")
    return {
        "verdict": f"Departs in {d.wrong} of {d.places} places.",
        "first": first,
        "more": " ".join(rest),
        "right": False,
        "places": places,
    }
