"""The table of UOps, and a ProgramError for each line that is not well formed."""

from typing import Any

import pytest

from gpuemu import BinaryOps, Program, TernaryOps, UnaryOps, UOps, dtypes
from gpuemu.alu import ALU_OPS, ALU_RULES
from gpuemu.errors import ProgramError
from gpuemu.machine.arithmetic import FUNCTIONS
from gpuemu.uops import OPS, table

INT, FLOAT, HALF, BOOL = dtypes.int32, dtypes.float32, dtypes.half, dtypes.bool
OUT = (UOps.DEFINE_GLOBAL, FLOAT, [], (0, True))
ONE = (UOps.CONST, FLOAT, [], 1.0)
ZERO = (UOps.CONST, INT, [], 0)
TRUE = (UOps.CONST, BOOL, [], True)
PAIR = (UOps.CONST, FLOAT.vec(2), [], 1.0)
IMAGE = (UOps.DEFINE_GLOBAL, dtypes.imagef((2, 3, 4)), [], (0, True))
TUPLE = ("WMMA", (8, 16, 16), HALF, FLOAT, (8, 4, 4), "CUDA")


def test_every_uop_has_an_entry_with_its_meaning() -> None:
    assert set(OPS) == set(UOps)
    assert all(entry.meaning.endswith(".") for entry in OPS.values())
    assert len(table().splitlines()) == len(UOps)


def test_every_alu_op_has_a_rule_and_a_function() -> None:
    assert set(ALU_RULES) == set(FUNCTIONS) == set(ALU_OPS.values())


def fragments(a: int, b: int, c: int) -> list[tuple[Any, ...]]:
    return [
        (UOps.CONST, HALF.vec(a), [], 1.0),
        (UOps.CONST, HALF.vec(b), [], 1.0),
        (UOps.CONST, FLOAT.vec(c), [], 0.0),
    ]


BAD = {
    # sources and parts
    "no four parts": ([(UOps.CONST, INT)], r"line 0: got .*; expected \(uop, dtype, sources, arg\)"),
    "no uop": ([("CONTS", INT, [], 1)], r"line 0: the uop is 'CONTS'; .* \(did you mean CONST\?\)"),
    "no dtype": (
        [(UOps.CONST, "int32", [], 1)],
        r"line 0 \(CONST\): the dtype is 'int32'; expected one of gpuemu.dtypes",
    ),
    "missing dtype": ([(UOps.CONST, None, [], 1)], r"line 0 \(CONST\): has a value, so it needs a dtype; got None"),
    "no list": ([(UOps.CONST, INT, 3, 1)], r"line 0 \(CONST\): the sources are 3; expected a list"),
    "no number": ([ONE, (UOps.ALU, FLOAT, ["x"], "NEG")], r"line 1 \(ALU\): source 'x' is no line number"),
    "later": ([ONE, (UOps.ALU, FLOAT, [0, 7], "ADD")], r"line 1 \(ALU\): source 7 is no earlier line; .* are 0 to 0"),
    "itself": ([ONE, (UOps.ALU, FLOAT, [1], "NEG")], r"source 1 is no earlier line"),
    "negative": ([ONE, (UOps.ALU, FLOAT, [-1], "NEG")], r"source -1 is no earlier line"),
    "missing": ([ONE, (UOps.ALU, FLOAT, [0], "ADD")], r"line 1 \(ALU\): ADD has 1 sources with a value; expected 2"),
    "load": (
        [OUT, (UOps.LOAD, FLOAT, [0], None)],
        r"line 1 \(LOAD\): has 1 sources .*; expected 2 or 4 \(buffer, index\[",
    ),
    "a buffer as value": (
        [OUT, (UOps.ALU, FLOAT, [0], "NEG")],
        r"takes the buffer data0 as a value; LOAD from it first",
    ),
    # definitions
    "global": ([(UOps.DEFINE_GLOBAL, FLOAT, [], None)], r"arg is None; expected a label such as 0"),
    "global vector": ([(UOps.DEFINE_GLOBAL, FLOAT.vec(2), [], 0)], "buffers hold scalars"),
    "local": ([(UOps.DEFINE_LOCAL, FLOAT, [], ("t", 0))], r"arg is \('t', 0\); expected \(name, number of elements\)"),
    "local vector": ([(UOps.DEFINE_LOCAL, FLOAT.vec(2), [], ("t", 2))], "it holds scalars"),
    "var": ([(UOps.DEFINE_VAR, FLOAT, [], "n")], "dtype is float32; a launch's vals are integers"),
    "special": ([(UOps.SPECIAL, INT, [], (3, "gidx0", 1))], r"expected \(axis 0 to 2, a name that starts with g or l"),
    "special float": ([(UOps.SPECIAL, FLOAT, [], (0, "gidx0", 1))], "a position is an integer"),
    "const": ([(UOps.CONST, FLOAT, [], "1")], "the value is '1'; expected a number"),
    "const image": ([(UOps.CONST, dtypes.imagef((1, 1, 4)), [], 1)], "a value is never an image"),
    "acc": (
        [ONE, (UOps.DEFINE_ACC, FLOAT, [0], 0.0)],
        "source 0 is CONST; the sources of an accumulator are its RANGEs",
    ),
    "acc nowhere": ([(UOps.DEFINE_ACC, FLOAT, [4], 0.0)], "source 4 is no line; the program has lines 0 to 0"),
    # blocks
    "range": ([ZERO, ONE, (UOps.RANGE, INT, [0, 1], 0)], "the end is float32; expected one integer a lane"),
    "range type": ([ZERO, (UOps.RANGE, dtypes.int64, [0, 0], 0)], "counts in int64, and the start is int32; CAST it"),
    "open": ([ZERO, (UOps.RANGE, INT, [0, 0], 0)], r"line 1 \(RANGE\): has no ENDRANGE"),
    "open if": ([TRUE, (UOps.IF, None, [0], None)], r"line 1 \(IF\): has no ENDIF"),
    "endrange": ([ZERO, (UOps.ENDRANGE, None, [0], None)], "its source is CONST; expected the RANGE that it ends"),
    "endif": ([TRUE, (UOps.ENDIF, None, [], None)], "needs the IF that it ends as its source"),
    "crossed": (
        [ZERO, TRUE, (UOps.RANGE, INT, [0, 0], 0), (UOps.IF, None, [1], None), (UOps.ENDRANGE, None, [2], None)],
        r"line 4 \(ENDRANGE\): ends line 2, but line 3 \(IF\) is the innermost that is open; end that first",
    ),
    "twice": (
        [TRUE, (UOps.IF, None, [0], None), (UOps.ENDIF, None, [1], None), (UOps.ENDIF, None, [1], None)],
        r"line 3 \(ENDIF\): ends line 1, which is not open: it was ended before",
    ),
    "deep": ([TRUE, *[(UOps.IF, None, [0], None)] * 65], r"line 65 \(IF\): more than 64 blocks in each other"),
    "if vector": ([PAIR, (UOps.IF, None, [0], None)], "the condition is float32x2; expected one value a lane"),
    # memory
    "no buffer": ([ONE, ZERO, (UOps.LOAD, FLOAT, [0, 1], None)], "reads a buffer, and its first source is CONST"),
    "index": ([OUT, ONE, (UOps.LOAD, FLOAT, [0, 1], None)], "the index is float32; expected one integer a lane"),
    "loaded": (
        [OUT, ZERO, (UOps.LOAD, HALF, [0, 1], None)],
        "reads float16 from a buffer of float32; load float32 and CAST",
    ),
    "gate": ([OUT, ZERO, PAIR, ONE, (UOps.LOAD, FLOAT, [0, 1, 2, 3], None)], "the gate is float32x2; expected one"),
    "alternative": (
        [OUT, ZERO, TRUE, (UOps.LOAD, FLOAT, [0, 1, 2, 1], None)],
        "the alternative is int32; expected float32",
    ),
    "stored": ([OUT, ZERO, TRUE, (UOps.STORE, None, [0, 1, 2], None)], "writes bool into a buffer of float32; CAST"),
    "read-only": (
        [(UOps.DEFINE_GLOBAL, FLOAT, [], (0, False)), ZERO, ONE, (UOps.STORE, None, [0, 1, 2], None)],
        r"writes to the buffer data0, which is declared \(0, False\): not writable",
    ),
    "store gate": (
        [OUT, ZERO, ONE, PAIR, (UOps.STORE, None, [0, 1, 2, 3], None)],
        "the gate is float32x2; expected one",
    ),
    "image index": ([IMAGE, ZERO, (UOps.LOAD, FLOAT.vec(4), [0, 1], None)], r"is int32; expected int32x2, \(x, y\)"),
    "image value": (
        [IMAGE, (UOps.CONST, INT.vec(2), [], 0), (UOps.LOAD, FLOAT, [0, 1], None)],
        "reads an image as float32; expected float32x4",
    ),
    # values
    "cast": (
        [PAIR, (UOps.CAST, HALF.vec(4), [0], None)],
        "float32x2 to float16x4; expected a vector of 4, or 4 scalars",
    ),
    "cast of none": ([(UOps.CAST, HALF, [], None)], "nothing to float16"),
    "bitcast": (
        [ONE, (UOps.BITCAST, HALF, [0], None)],
        "float32 to float16; both must have as many elements of the same",
    ),
    "phi": (
        [ONE, (UOps.PHI, FLOAT, [0, 0], None)],
        "its first source is CONST; expected DEFINE_ACC, its PHI, or a GEP",
    ),
    "phi type": (
        [(UOps.DEFINE_ACC, FLOAT, [], 0.0), ZERO, (UOps.PHI, FLOAT, [0, 1], None)],
        "puts int32 into an accumulator of float32 as float32",
    ),
    "phi alone": ([(UOps.DEFINE_ACC, FLOAT, [], 0.0), (UOps.PHI, FLOAT, [0], None)], r"expected accumulator, value\["),
    "phi loops": (
        [(UOps.DEFINE_ACC, FLOAT, [], 0.0), ONE, (UOps.PHI, FLOAT, [0, 1, 1], None)],
        "source CONST after the value; expected the RANGEs of its loops",
    ),
    "gep": ([PAIR, (UOps.GEP, FLOAT, [0], 2)], "element 2 of float32x2; expected 0 to 1"),
    "gep type": ([PAIR, (UOps.GEP, HALF, [0], 1)], "an element of float32x2 as float16; expected float32"),
    # arithmetic
    "unknown op": (
        [ONE, (UOps.ALU, FLOAT, [0, 0], "ADDD")],
        r"there is no ALU op 'ADDD' \(did you mean ADD\?\); there are",
    ),
    "mixed": ([ONE, ZERO, (UOps.ALU, FLOAT, [0, 1], "ADD")], "ADD of float32, int32 gives float32; expected one type"),
    "widths": (
        [ONE, PAIR, (UOps.ALU, FLOAT, [0, 1], "ADD")],
        "ADD of float32, float32x2 gives float32: all must have as",
    ),
    "compare": ([ONE, ZERO, (UOps.ALU, BOOL, [0, 1], "CMPLT")], "CMPLT compares float32 with int32; CAST one of them"),
    "comparison": ([ONE, (UOps.ALU, FLOAT, [0, 0], "CMPEQ")], "CMPEQ gives float32; expected bool"),
    "exp2": ([ZERO, (UOps.ALU, INT, [0], "EXP2")], "EXP2 of int32; it is defined for float numbers"),
    "shift": (
        [ONE, ZERO, (UOps.ALU, FLOAT, [0, 1], "SHL")],
        "SHL of float32, int32; it is defined for signed or unsigned",
    ),
    "where": ([TRUE, ONE, ZERO, (UOps.ALU, FLOAT, [0, 1, 2], "WHERE")], "WHERE of bool, float32, int32 gives float32"),
    # tensor cores
    "wmma width": (
        [*fragments(4, 4, 4), (UOps.WMMA, FLOAT.vec(4), [0, 1, 2], TUPLE)],
        r"line 3 \(WMMA\): A is float16x4; expected float16x8: each lane of m16n8k16.* holds 8 elements of A as fp16",
    ),
    "wmma d": ([*fragments(8, 4, 4), (UOps.WMMA, FLOAT.vec(2), [0, 1, 2], TUPLE)], "C is float32x4 and D is float32x2"),
    "wmma name": (
        [*fragments(8, 4, 4), (UOps.WMMA, FLOAT.vec(4), [0, 1, 2], "m16n8k17")],
        r"line 3 \(WMMA\): no tensor-core instruction has the name 'm16n8k17'",
    ),
    "wmma tuple": (
        [*fragments(8, 4, 4), (UOps.WMMA, FLOAT.vec(4), [0, 1, 2], ("x", (9, 16, 16), HALF, FLOAT, (8, 4, 4), "CUDA"))],
        r"line 3 \(WMMA\): .*CUDA has no such tensor core",
    ),
    "wmma arg": ([*fragments(8, 4, 4), (UOps.WMMA, FLOAT.vec(4), [0, 1, 2], None)], r"line 3 \(WMMA\)"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_line_that_is_not_well_formed_is_named(name: str) -> None:
    lines, message = BAD[name]
    with pytest.raises(ProgramError, match=message):
        Program("bad", lines)


def test_an_op_may_be_given_by_name() -> None:
    by_name = Program("p", [ONE, (UOps.ALU, FLOAT, [0, 0], "ADD")])
    assert by_name == Program("p", [ONE, (UOps.ALU, FLOAT, [0, 0], BinaryOps.ADD)])
    assert {UnaryOps.NEG.name, TernaryOps.WHERE.name} <= set(ALU_OPS)


def test_a_source_without_a_value_only_orders() -> None:
    lines = [OUT, ZERO, ONE, (UOps.STORE, None, [0, 1, 2], None), (UOps.BARRIER, None, [3], None)]
    lines += [(UOps.LOAD, FLOAT, [0, 1, 4], None), (UOps.ALU, FLOAT, [3, 5, 4, 2], "ADD")]
    lines += [(UOps.STORE, None, [0, 1, 6, 4], None)]
    Program("ordered", lines)


def test_an_accumulator_may_name_loops_that_come_later() -> None:
    lines = [ZERO, (UOps.DEFINE_ACC, FLOAT, [2], (0.0, 0, 1)), (UOps.RANGE, INT, [0, 0], (1, 0, "x"))]
    lines += [(UOps.ALU, FLOAT, [1, 1], "ADD"), (UOps.PHI, FLOAT, [1, 3, 2], None), (UOps.ENDRANGE, None, [2], None)]
    assert Program("forward", lines).structure.escaping == frozenset()
