"""An instruction's lane maps as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from gpuemu.tensorcores.matrix_copy import MatrixCopy


def as_json(x: Instruction | MatrixCopy, maps: Mapping[str, LaneMap]) -> dict[str, Any]:
    """What is known of an instruction or a matrix copy, with the coordinates of these operands, for `json.dumps`.

    >>> from gpuemu import tensorcores
    >>> mma = tensorcores.instruction("m16n8k16")
    >>> found = as_json(mma, {"c": mma.c})
    >>> found["m"], found["types"]["a"], found["operands"]["c"]["coordinates"][5]
    (16, 'f16', [[1, 2], [1, 3], [9, 2], [9, 3]])
    """
    facts = ["name", "short_name", "vendor", "arch", "lanes", "source", "confidence"]
    facts += ["kind", "matrices", "trans"] if isinstance(x, MatrixCopy) else ["m", "n", "k", "blocks"]
    own: dict[str, Any] = {"operands": {operand: _map_as_json(lane_map) for operand, lane_map in maps.items()}}
    if isinstance(x, MatrixCopy):
        own["row_address_lane"] = x.row_address_lane()
    else:
        own["types"] = x.dtypes
        if x.scales is not None:
            own["scales"] = {"block": x.scales.block, "a": _map_as_json(x.scales.a), "b": _map_as_json(x.scales.b)}
    return {**{fact: getattr(x, fact) for fact in facts}, **own}


def _map_as_json(lane_map: LaneMap) -> dict[str, Any]:
    return {
        "rows": lane_map.rows,
        "columns": lane_map.columns,
        "dtype": lane_map.dtype,
        "registers": list(lane_map.registers),
        "coordinates": lane_map.coordinates().tolist(),
    }


def as_csv(maps: Mapping[str, LaneMap]) -> str:
    """A line for each place of these operands; four for a group of a sparse one.

    >>> from gpuemu import tensorcores
    >>> print(as_csv({"c": tensorcores.instruction("m16n8k16").c}).splitlines()[2])
    c,0,1,r1,0,0,1
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["operand", "lane", "element", "register", "block", "row", "column"])
    for operand, lane_map in maps.items():
        writer.writerows(_csv_lines(operand, lane_map))
    return text.getvalue()


def _csv_lines(operand: str, lane_map: LaneMap) -> Iterator[list[str | int]]:
    """A line a place; four of a sparse group, of which the index register picks two."""
    coordinates = lane_map.coordinates()
    by_place = coordinates.reshape(lane_map.lanes, lane_map.elements, -1, coordinates.shape[-1])
    for lane, elements in enumerate(by_place.tolist()):
        for i, candidates in enumerate(elements):
            for row, column, *block in candidates:
                yield [operand, lane, i, lane_map.registers[i], block[0] if block else 0, row, column]
