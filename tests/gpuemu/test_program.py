"""Launching a program: its arguments, its errors; and its text form."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import plain_kernels
import pytest
import wmma_kernels

from gpuemu import BinaryOps, Limits, Program, UOps, dtypes
from gpuemu.errors import HazardError, LaunchError, LimitError, ProgramError

INT = dtypes.int32


def doubler(dtype: dtypes.DType = dtypes.float32) -> Program:
    """x[i] += x[i], a lane to an element."""
    return Program(
        "double",
        [
            (UOps.DEFINE_GLOBAL, dtype, [], (0, True)),
            (UOps.SPECIAL, INT, [], (0, "lidx0", 4)),
            (UOps.LOAD, dtype, [0, 1], None),
            (UOps.ALU, dtype, [2, 2], BinaryOps.ADD),
            (UOps.STORE, None, [0, 1, 3], None),
        ],
    )


def add_variable() -> Program:
    """out[0] = v."""
    lines = [(UOps.DEFINE_GLOBAL, INT, [], "out"), (UOps.DEFINE_VAR, INT, [], "v"), (UOps.CONST, INT, [], 0)]
    return Program("variable", [*lines, (UOps.STORE, None, [0, 2, 1], None)])


def test_a_launch_returns_seconds() -> None:
    seconds = doubler()(np.ones(4, np.float32), local_size=(4, 1, 1), wait=True)
    assert isinstance(seconds, float)
    assert 0 < seconds < 10


def test_arrays_of_any_shape_are_changed_in_place() -> None:
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    doubler()(x, local_size=(4,))
    assert x.tolist() == [[0, 2], [4, 6]]


def test_strided_arrays_are_copied_in_and_out() -> None:
    memory = np.arange(8, dtype=np.float32)
    doubler()(memory[::2].reshape(2, 2).T, local_size=(4,))
    assert memory.tolist() == [0, 1, 4, 3, 8, 5, 12, 7]


def test_bytes_like_objects_are_changed_in_place() -> None:
    memory = bytearray(np.arange(4, dtype=np.float16).tobytes())
    doubler(dtypes.half)(memory, local_size=(4,))
    doubler(dtypes.half)(memoryview(memory), local_size=(4,))
    assert np.frombuffer(memory, np.float16).tolist() == [0, 4, 8, 12]


@pytest.mark.parametrize("dtype", [t for t in dtypes.SCALARS.values() if not t.name.startswith("float8")], ids=str)
def test_buffers_of_every_type_work(dtype: dtypes.DType) -> None:
    x = np.array([0, 1, 1, 0]).astype(dtype.numpy)
    doubler(dtype)(x, local_size=(4,))
    assert x.astype(int).tolist() == ([0, 1, 1, 0] if dtype.kind == "bool" else [0, 2, 2, 0])


@pytest.mark.parametrize("dtype", [dtypes.half, dtypes.bfloat16], ids=str)
def test_sixteen_bit_floats_round(dtype: dtypes.DType) -> None:
    x = np.array([1 / 3] * 4).astype(dtype.numpy)
    expected = (x.astype(np.float64) * 2).astype(np.float32).astype(dtype.numpy)
    doubler(dtype)(x, local_size=(4,))
    assert (x == expected).all()


def test_vals_reach_the_program() -> None:
    out = np.zeros(1, np.int32)
    add_variable()(out, vals=(np.int64(-7),))
    assert out.tolist() == [-7]


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        (lambda p: p(), r"double: got 0 buffers; expected 1: data0"),
        (lambda p: p(np.ones(4)), r"double: buffer data0 is an array of float64; expected float32: convert it"),
        (lambda p: p(np.ones(4, ">f4")), r"is an array of >f4; expected float32"),
        (lambda p: p([1.0]), r"buffer data0 is a list; expected a numpy array of float32 or a bytes-like object"),
        (lambda p: p(bytearray(6)), r"buffer data0 has 6 bytes; expected a multiple of 4, the size of float32"),
        (lambda p: p(memoryview(bytearray(16))[::2]), r"a memoryview with gaps"),
        (lambda p: p(bytes(16)), r"buffer data0 is read-only, and the program writes to it; give a copy"),
        (lambda p: p(np.broadcast_to(np.float32(1), 4)), r"buffer data0 is read-only"),
        (lambda p: p(np.ones(4, np.float32), vals=(1,)), r"double: got 1 vals; expected 0: none"),
        (
            lambda p: p(np.ones(4, np.float32), global_size=(0, 1, 1)),
            r"double: global_size is \(0, 1, 1\); expected one",
        ),
        (lambda p: p(np.ones(4, np.float32), local_size=(1, 1, 1, 1)), r"double: local_size is \(1, 1, 1, 1\)"),
        (lambda p: p(np.ones(4, np.float32), local_size=(1.5,)), r"local_size is \(1.5,\)"),
        (lambda p: p(np.ones(4, np.float32), engine="warp"), r"engine is 'warp'; expected one of auto, lockstep"),
        (lambda p: p(np.ones(4, np.float32), checks={"races"}), r"checks is \{'races'\}; expected 'default', 'all'"),
    ],
)
def test_a_launch_that_does_not_fit_is_refused(launch: object, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        launch(doubler())  # type: ignore[operator]


@pytest.mark.parametrize(
    ("vals", "message"),
    [
        ((), r"variable: got 0 vals; expected 1: v"),
        ((1.5,), r"the value of v is 1.5; expected an integer"),
        ((2**31,), r"the value of v is 2147483648; int32 holds -2147483648 to 2147483647"),
    ],
)
def test_vals_that_do_not_fit_are_refused(vals: tuple[object, ...], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        add_variable()(np.zeros(1, np.int32), vals=vals)


def test_a_buffer_that_is_too_small_is_named_with_its_size() -> None:
    with pytest.raises(HazardError, match=r"line 2:\n +reads element 3 of data0, which has 3 elements\n +lane 3"):
        doubler()(np.ones(3, np.float32), local_size=(4,))


def test_a_warp_has_lanes() -> None:
    with pytest.raises(ProgramError, match=r"Program\('none', warp=0\): expected the lanes of a warp"):
        Program("none", [], warp=0)


def test_the_repr_is_one_line() -> None:
    assert repr(doubler()) == "<Program 'double': 5 lines, 1 buffer>"
    assert repr(Program("wide", [], warp=64)) == "<Program 'wide': 0 lines, 0 buffers, warps of 64>"


# --- the text form ----------------------------------------------------------------------------------------------------

KERNELS = {
    "add": plain_kernels.vector_add(1024),
    "tiled": plain_kernels.tiled_matmul(32),
    "softmax": plain_kernels.softmax(8, 8),
    "reduction": plain_kernels.reduction(8, 8),
    **{target: wmma_kernels.matmul(arg, 32, 32, 32) for target, arg in wmma_kernels.SEED_ARGS.items()},
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_text_of_a_kernel_reads_back_as_the_same_program(name: str) -> None:
    program = Program(name, KERNELS[name][0])
    assert Program.from_text(program.to_text()) == program


def test_the_text_is_for_people() -> None:
    lines = [(UOps.CONST, INT, [], 3), (UOps.RANGE, INT, [0, 0], (0, "i")), (UOps.CONST, dtypes.half.vec(2), [], -0.5)]
    program = Program('say "hi"', [*lines, (UOps.ENDRANGE, None, [1], None)], warp=64)
    assert program.to_text() == (
        'program "say \\"hi\\"" warp 64\n'
        "%0 = CONST int32 : 3\n"
        '%1 = RANGE int32 %0 %0 : (0, "i")\n'
        "  %2 = CONST float16x2 : -0.5\n"
        "ENDRANGE %1\n"
    )
    assert Program.from_text(program.to_text()) == program


def test_names_comments_and_blank_lines_are_free() -> None:
    text = """
    # a program that a person wrote
    program 'store seven'  # warps of 32

    %out = DEFINE_GLOBAL int32 : ('out', True)
    %zero = CONST int32 : 0x0
    %seven=CONST int32:7
    STORE %out %zero %seven
    """
    program, out = Program.from_text(text), np.zeros(1, np.int32)
    program(out)
    assert (program.name, out.tolist()) == ("store seven", [7])


@pytest.mark.parametrize("value", [0, -1, 2**64, True, 1.5, -0.0, 1e-300, float("inf"), float("-inf")])
def test_a_number_reads_back_as_itself(value: float) -> None:
    again = Program.from_text(Program("p", [(UOps.CONST, dtypes.float64, [], value)]).to_text()).lines[0].arg
    assert (again, type(again), str(again)) == (value, type(value), str(value))


def test_nan_reads_back_as_nan() -> None:
    again = Program.from_text(Program("p", [(UOps.CONST, dtypes.float64, [], float("nan"))]).to_text())
    assert np.isnan(again.lines[0].arg)


def test_an_image_reads_back_as_an_image() -> None:
    program = Program("p", [(UOps.DEFINE_GLOBAL, dtypes.imagef((2, 3, 4)), [], 0)])
    assert Program.from_text(program.to_text()) == program


HEAD = 'program "p"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text is empty"),
        ("CONST int32 : 1", 'text line 1: got CONST; expected the first line to be such as: program "name" warp 32'),
        ("program p", "text line 1: got p; expected the program's name in quotes"),
        (HEAD + "CONTS int32 : 1", "text line 2: there is no UOp CONTS"),
        (HEAD + "%0 CONST int32 : 1", "text line 2: got CONST after %0; expected ="),
        (HEAD + "%0 = CONST int33 : 1", "text line 2: no type is called 'int33'"),
        (HEAD + "%0 = CONST int32 : 1\n%0 = CONST int32 : 1", "text line 3: %0 is the name of an earlier line too"),
        (HEAD + "%0 = CAST int32 %1", "text line 2: no line is named %1"),
        (HEAD + "%0 = CONST int32 : (1", "text line 2: got the end of the line; expected , or )"),
        (HEAD + "%0 = CONST int32 : 1 2", "text line 2: unexpected 2"),
        (HEAD + "%0 = CONST int32 : @", "text line 2: unexpected '@'"),
        (HEAD + "%0 = CONST int32 : __import__('os')", "text line 2: no type is called '__import__'"),
        (HEAD + "%0 = CONST int32 : " + "(" * 99, "text line 2: an arg of more than 16 tuples in each other"),
        (HEAD + "%0 = CONST int32 : " + "9" * 999, "text line 2: a number of 999 digits; at most 400"),
        ('program "p" warp 99999999999', "text line 1: a warp of 99999999999 lanes"),
        (HEAD + '%0 = SPECIAL int32 : "\\x"', 'text line 2: \\x in "\\x" means nothing'),
    ],
)
def test_a_text_that_is_no_program_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=re.escape(message)):
        Program.from_text(text)


@pytest.mark.parametrize("name", ["", "it's", 'a "b"', "a\\b\n\t\r\x00", "Ünïcödé ✓ \U0001f600", "# %0 = ("])
def test_any_text_reads_back_as_itself(name: str) -> None:
    program = Program(name, [(UOps.DEFINE_GLOBAL, INT, [], name)])
    assert Program.from_text(program.to_text()) == program


def test_an_arg_that_has_no_text_is_refused() -> None:
    with pytest.raises(ProgramError, match=r"line 0 \(SPECIAL\): the arg has \{1\}; expected numbers, texts"):
        Program("p", [(UOps.SPECIAL, INT, [], (0, "gidx0", {1}))])
    deep: list[Any] = []
    deep.append(deep)
    with pytest.raises(ProgramError, match="the arg has more than 16 tuples in each other"):
        Program("p", [(UOps.DEFINE_VAR, INT, [], deep)])


def test_lists_and_numbers_of_numpy_in_an_arg_become_plain() -> None:
    line = (UOps.SPECIAL, INT, [], [np.int64(0), "gidx0", np.int8(3)])
    assert Program("p", [line]).lines[0].arg == (0, "gidx0", 3)


def test_a_bfloat16_buffer_is_an_ml_dtypes_array() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0], ml_dtypes.bfloat16)
    doubler(dtypes.bfloat16)(x, local_size=(4,))
    assert x.astype(float).tolist() == [2, 4, 6, 8]


def test_a_unit_is_checked_also_where_no_tensor_core_asks_for_it() -> None:
    with pytest.raises(ProgramError, match="unit 'H10': no unit has that name; did you mean 'H100'"):
        Program("p", [], unit="H10")
    with pytest.raises(ProgramError, match="unit 'H10': no unit has that name"):
        Program.from_text('program "p" warp 32 unit "H10"')
    with pytest.raises(LaunchError, match="unit 'H10': no unit has that name"):
        Program("p", [])(unit="H10")


def lanes_that_ran(**launch: Any) -> list[int]:
    """Which of six elements a program of two workgroups of three lanes writes."""
    specials = [(UOps.SPECIAL, INT, [], (0, "gidx0", 2)), (UOps.SPECIAL, INT, [], (0, "lidx0", 3))]
    lines = [
        (UOps.DEFINE_GLOBAL, INT, [], 0),
        *specials,
        (UOps.CONST, INT, [], 3),
        (UOps.ALU, INT, [1, 3], "MUL"),
        (UOps.ALU, INT, [4, 2], "ADD"),
        (UOps.CONST, INT, [], 1),
        (UOps.STORE, None, [0, 5, 6], None),
    ]
    out = np.zeros(6, np.int32)
    Program("p", lines)(out, **launch)
    return [int(i) for i in np.flatnonzero(out)]


def test_a_launch_without_sizes_has_those_that_the_program_says() -> None:
    assert lanes_that_ran() == [0, 1, 2, 3, 4, 5]
    assert lanes_that_ran(global_size=(1, 1, 1)) == [0, 1, 2]


def test_sizes_that_are_given_win_over_those_that_the_program_says() -> None:
    assert lanes_that_ran(global_size=(2, 1, 1), local_size=(2, 1, 1)) == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda: Program("x", None), ProgramError, "got a NoneType; expected a list of lines"),
        (lambda: Program.from_text(None), ProgramError, "from_text: got a NoneType; expected a program's text"),
        (lambda: Program("x", [])(checks=None), LaunchError, "checks is None; expected 'default'"),
        (lambda: Program("x", [])(checks=3), LaunchError, "checks is 3; expected 'default'"),
        (lambda: Program("x", [])(checks=[[1]]), LaunchError, r"checks is \[\[1\]\]; expected 'default'"),
        (lambda: Program("x", [])(vals=None), LaunchError, "vals is None; expected a list of integers"),
    ],
)
def test_arguments_of_another_kind_are_refused(use: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        use()


def test_integer_constants_of_any_size_are_written_and_read() -> None:
    lines = [(UOps.CONST, dtypes.int32, [], 10**5000 + 7), (UOps.DEFINE_ACC, dtypes.uint8, [], (-1, 2, "label"))]
    program = Program("large", lines)
    assert [line.arg for line in program.lines] == [7, (255, 2, "label")]
    assert Program.from_text(program.to_text()) == program
    with pytest.raises(ProgramError, match="the arg is an integer of more than 400 digits"):
        Program("large", [(UOps.CONST, dtypes.float32, [], 10**401)])
    with pytest.raises(ProgramError, match="source a number of more digits than can be shown is no earlier line"):
        Program("large", [(UOps.LOAD, dtypes.int32, [10**5000], None)])


def test_long_names_are_refused_unsearched() -> None:
    for name in ("m16n8k16." * 40000, "x" * 300_000):
        with pytest.raises(ProgramError, match=r"a name of \d+,\d+ characters; at most 200") as caught:
            Program.from_text(f'program "p"\n%0 = CONST int32 : 1\n%1 = WMMA int32 %0 %0 %0 : "{name}"')
        assert len(str(caught.value)) < 500


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "line",
    [
        (UOps.DEFINE_GLOBAL, dtypes.int32, [], (LONG, True)),
        (UOps.DEFINE_LOCAL, dtypes.int32, [], (LONG, -4)),
        (UOps.SPECIAL, dtypes.int32, [], (0, LONG, 4)),
        (UOps.CONST, dtypes.int32, [], LONG),
        (UOps.CONST, dtypes.int32, [], (0,) * 10_000),
        (UOps.ALU, dtypes.int32, [], LONG),
        (UOps.DEFINE_VAR, dtypes.int32, [], LONG),
        (LONG, dtypes.int32, [], 0),
        (UOps.CONST, LONG, [], 0),
    ],
)
def test_messages_cut_what_is_long(line: Any) -> None:
    with pytest.raises(ProgramError) as caught:
        Program("p", [line])
    assert len(str(caught.value)) < 500
    with pytest.raises(ProgramError, match=r"^Program\('xxx.*…\): a name of 100,000 characters; at most 200$"):
        Program(LONG, [])


def test_a_repr_counts_one_line() -> None:
    assert repr(Program("p", [(UOps.CONST, dtypes.int32, [], 1)])) == "<Program 'p': 1 line, 0 buffers>"


@pytest.mark.parametrize(("number", "hint"), [(0, "this is the first, and has none before it"), (1, "are 0 to 0")])
def test_a_source_that_is_no_earlier_line_is_explained(number: int, hint: str) -> None:
    lines: list[Any] = [(UOps.CONST, dtypes.int32, [], 1)] * number
    with pytest.raises(ProgramError, match=f"source 7 is no earlier line; .*{hint}"):
        Program("p", [*lines, (UOps.GEP, dtypes.int32, [7], 0)])


def test_blocks_that_python_cannot_nest_are_a_limit_too() -> None:
    heads = [(UOps.IF, None, [0], None) for _ in range(2000)]
    ends = [(UOps.ENDIF, None, [head], None) for head in range(2000, 0, -1)]
    program = Program("deep", [(UOps.CONST, dtypes.bool, [], True), *heads, *ends], limits=Limits(nesting=3000))
    with pytest.raises(LimitError, match="deep: its blocks are nested deeper than Python's recursion limit of"):
        program()
