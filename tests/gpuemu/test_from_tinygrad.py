"""Kernels recorded from tinygrad 0.9.0 give here what they gave there."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gpuemu import dtypes
from gpuemu.errors import ProgramError
from gpuemu.kernels.from_tinygrad import from_tinygrad

KERNELS = sorted((Path(__file__).parent.parent / "data" / "tinygrad_kernels").glob("*.json"))


def named(value: Any) -> Any:
    """The recorded argument with objects that have a name where tinygrad has enums and types."""
    if isinstance(value, list):
        return tuple(named(x) for x in value)
    if isinstance(value, dict):
        kind, text = next(iter(value.items()))
        return float(text) if kind == "float" else SimpleNamespace(name=text, count=1)
    return value


def lines_of(record: dict[str, Any]) -> list[Any]:
    lines = []
    for uop, dtype, sources, arg in record["lines"]:
        kind = None
        if dtype is not None:
            name, count, *shape = dtype
            kind = SimpleNamespace(name=name + str(count) * (count > 1), count=count, shape=shape[0] if shape else None)
        lines.append((SimpleNamespace(name=uop), kind, sources, named(arg)))
    return lines


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_recorded_kernel_gives_what_tinygrad_computed(path: Path) -> None:
    record = json.loads(path.read_text())
    program = from_tinygrad(record["kernel"], lines_of(record))
    types = [line.dtype.numpy for line in program.lines if line.uop.name == "DEFINE_GLOBAL" and line.dtype]
    before, after = (
        [np.frombuffer(bytearray.fromhex(text), dtype) for text, dtype in zip(record[key], types, strict=True)]
        for key in ("before", "after")
    )
    size = {key: tuple(record[key]) for key in ("global_size", "local_size")}
    program(*before, **size, vals=tuple(record["vals"]))
    for got, want in zip(before, after, strict=True):
        if got.dtype == np.float64:  # its power of two is exp(x · log 2), an ulp off
            np.testing.assert_allclose(got, want, rtol=8 * np.finfo(got.dtype).eps, atol=0)
        else:
            np.testing.assert_array_equal(got, want)


def test_a_constant_is_a_number_of_its_type() -> None:
    """tinygrad's interpreter keeps the constant as a double; then e to the power −50 differs by 5e-6 from any GPU's."""
    record = json.loads((KERNELS[0].parent / "exponential.json").read_text())
    program = from_tinygrad(record["kernel"], lines_of(record))
    x = np.frombuffer(bytearray.fromhex(record["before"][1]), np.float32)
    out = np.zeros_like(x)
    program(out, x, global_size=tuple(record["global_size"]), local_size=tuple(record["local_size"]))
    log2_of_e = 1.4426950408889634
    in_float32, in_double = (
        np.exp2((x * np.float32(25) * c).astype(np.float32).astype(np.float64)).astype(np.float32)
        for c in (np.float32(log2_of_e), np.float64(log2_of_e))
    )
    np.testing.assert_array_equal(out, in_float32)
    assert np.abs(in_double / in_float32 - 1).max() > 2e-6


def test_ten_kernels_and_all_three_tensor_cores_are_recorded() -> None:
    assert len(KERNELS) >= 10
    assert {"matmul_half_cuda", "matmul_half_hsa", "matmul_half_metal"} <= {path.stem for path in KERNELS}


def test_a_graph_of_uops_is_taken_as_well_as_tuples() -> None:
    buffer = SimpleNamespace(
        uop=SimpleNamespace(name="DEFINE_GLOBAL"), dtype=SimpleNamespace(name="int", count=1), vin=(), arg=(0, True)
    )
    zero = SimpleNamespace(uop=SimpleNamespace(name="CONST"), dtype=buffer.dtype, vin=(), arg=0)
    store = SimpleNamespace(uop=SimpleNamespace(name="STORE"), dtype=None, vin=(buffer, zero, zero), arg=None)
    program = from_tinygrad("zero", SimpleNamespace(uops=[buffer, zero, store]))  # type: ignore[arg-type]
    out = np.ones(2, np.int32)
    program(out)
    assert out.tolist() == [0, 1]
    assert program.lines[0].dtype is dtypes.int32


def test_a_grid_of_variable_size_is_known_by_its_text() -> None:
    variable, product = SimpleNamespace(expr="rows"), SimpleNamespace(render=lambda: "(rows*4)")
    special = SimpleNamespace(name="SPECIAL")
    lines = [(special, INT, [], (0, "gidx0", variable)), (special, INT, [], (1, "gidx1", product))]
    program = from_tinygrad("grid", lines)
    assert [line.arg for line in program.lines] == [(0, "gidx0", "rows"), (1, "gidx1", "(rows*4)")]
    assert type(program).from_text(program.to_text()) == program


def test_a_variable_is_known_by_its_name() -> None:
    variable = SimpleNamespace(expr="rows", min=1, max=10)
    program = from_tinygrad("sizes", [(SimpleNamespace(name="DEFINE_VAR"), INT, [], variable)])
    assert program.lines[0].arg == "rows"
    assert type(program).from_text(program.to_text()) == program


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("NOPE", None, [], None), "line 0: from_tinygrad knows no UOp 'NOPE'"),
        (("CONST", SimpleNamespace(name="quad", count=1), [], 0), "no type is called 'quad'"),
        (
            ("ALU", SimpleNamespace(name="int", count=1), [], SimpleNamespace(name="TAN")),
            "line 0 (ALU): from_tinygrad knows no operation 'TAN'",
        ),
    ],
)
def test_what_is_none_of_ours_is_named(line: Any, message: str) -> None:
    with pytest.raises(ProgramError) as error:
        from_tinygrad("wrong", [(SimpleNamespace(name=line[0]), *line[1:])])
    assert message in str(error.value)


INT = SimpleNamespace(name="int", count=1)


@pytest.mark.parametrize(
    ("uops", "message"),
    [
        (None, "from_tinygrad: got None; expected a UOpGraph or a list of UOps"),
        ([1], "line 0: from_tinygrad got 1; expected a UOp, with uop, dtype, vin and arg"),
        ([(1, 2)], r"line 0: from_tinygrad got \(1, 2\); expected \(uop, dtype"),
        ([(SimpleNamespace(name="ALU"), INT, [], None)], r"line 0 \(ALU\): from_tinygrad knows no operation None"),
        (
            [(SimpleNamespace(name="WMMA"), INT, [], None)],
            r"line 0 \(WMMA\): from_tinygrad got the arg None; expected \(name",
        ),
        (
            [(SimpleNamespace(name="WMMA"), INT, [], (1, 2, 3))],
            r"from_tinygrad got the arg \(1, 2, 3\); expected \(name",
        ),
        (
            [SimpleNamespace(uop=SimpleNamespace(name="ALU"), dtype=INT, vin=[SimpleNamespace()], arg=None)],
            r"the source namespace\(\) nowhere",
        ),
        (
            [(SimpleNamespace(name="CONST"), SimpleNamespace(name="imagef"), [], 1)],
            "the shape of an imagef is None; expected",
        ),
        (
            [(SimpleNamespace(name="CONST"), SimpleNamespace(name="imageh", shape=(1,)), [], 1)],
            r"the shape of an imageh is \(1,\)",
        ),
        ([(SimpleNamespace(name="CONST"), "int", [], 1)], "the dtype is 'int'; expected one of tinygrad's"),
        ([(None, INT, [], 1)], "line 0: from_tinygrad knows no UOp None"),
    ],
)
def test_what_is_no_kernel_is_refused(uops: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        from_tinygrad("kernel", uops)
