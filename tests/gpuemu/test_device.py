"""The device's four parts, its targets, and that loading a program runs no code."""

import pickle
from typing import Any

import numpy as np
import pytest

from gpuemu import BinaryOps, Device, Limits, Program, UnaryOps, UOps, dtypes
from gpuemu.device import TARGETS, choose_target, wmma_args
from gpuemu.errors import DeviceError, LaunchError, LimitError, ProgramError
from gpuemu.machine.wmma import resolve

INT = dtypes.int32
DOUBLE = [
    (UOps.DEFINE_GLOBAL, INT, [], (0, True)),
    (UOps.SPECIAL, INT, [], (0, "lidx0", 4)),
    (UOps.LOAD, INT, [0, 1], None),
    (UOps.ALU, INT, [2, 2], BinaryOps.ADD),
    (UOps.STORE, None, [0, 1, 3], None),
]


def test_text_bytes_and_a_launch_on_device_buffers() -> None:
    device = Device("METAL")
    double = device.runtime("double", device.compiler.compile(device.renderer.render("double", DOUBLE)))
    buffer, x = device.allocator.alloc(16), np.array([[1, 2], [3, 4]], np.int32)
    device.allocator.copyin(buffer, x)
    assert double(buffer, local_size=(4, 1, 1), wait=True) > 0
    out = bytearray(16)
    device.allocator.copyout(memoryview(out), buffer)
    assert np.frombuffer(out, np.int32).tolist() == [2, 4, 6, 8]
    assert double.name == "double"
    assert [line.uop for line in double.lines] == [line[0] for line in DOUBLE]


@pytest.mark.parametrize(
    ("argument", "environment", "target"),
    [
        (None, {}, "PYTHON"),
        (None, {"EMULATE_METAL": "1"}, "METAL"),
        (None, {"EMULATE_METAL": "1", "EMULATE_HSA": "1"}, "HSA"),
        (None, {"EMULATE_METAL": "1", "EMULATE_HSA": "1", "EMULATE_CUDA": "1"}, "CUDA"),
        (None, {"EMULATE_CUDA": "1", "GPUEMU_TARGET": "HSA"}, "HSA"),
        ("metal", {"EMULATE_CUDA": "1", "GPUEMU_TARGET": "HSA"}, "METAL"),
        (None, {"EMULATE_CUDA": "0", "EMULATE_HSA": ""}, "PYTHON"),
    ],
)
def test_the_argument_wins_over_the_environment(argument: str | None, environment: dict[str, str], target: str) -> None:
    assert choose_target(argument, environment) == target


def test_the_environment_of_the_process_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPUEMU_TARGET", "EMULATE_CUDA", "EMULATE_HSA", "EMULATE_METAL"):
        monkeypatch.delenv(name, raising=False)
    assert repr(Device()) == "<Device PYTHON: no tensor cores>"
    monkeypatch.setenv("EMULATE_HSA", "1")
    assert Device().target == "HSA"


def test_each_target_has_its_tensor_cores_and_python_has_none() -> None:
    sizes = {target: {(x.m, x.n, x.k) for x in Device(target).tensor_cores} for target in TARGETS}
    assert sizes == {"METAL": {(8, 8, 8)}, "HSA": {(16, 16, 16)}, "CUDA": {(16, 8, 16)}, "PYTHON": set()}
    for target in TARGETS:
        for arg in wmma_args(target):
            assert resolve(arg).instruction in Device(target).tensor_cores


class Harmful:
    """Its unpickling would end the process."""

    def __reduce__(self) -> Any:
        import os

        return os._exit, (1,)


@pytest.mark.parametrize("library", [pickle.dumps(Harmful()), pickle.dumps([]), b"", "text", None])
def test_bytes_that_are_no_program_are_refused_unread(library: Any) -> None:
    with pytest.raises(DeviceError, match=r"runtime\('p'\): got .*; expected what compiler.compile gives"):
        Device().runtime("p", library)


def test_text_is_read_and_never_evaluated() -> None:
    for arg in ('__import__("os")', "print(1)", "[1]", "1 + 1", "lambda: 0"):
        with pytest.raises(ProgramError, match="text line 2"):
            Device().compiler.compile(f'program "p" warp 32\n%0 = CONST int32 : {arg}\n')


def test_bytes_after_the_header_must_be_text() -> None:
    with pytest.raises(DeviceError, match="the bytes after the header are no text"):
        Device().runtime("p", b"gpuemu program 1\n\xff\xfe")


def test_a_wrong_target_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match=r"Device\('VULKAN'\): there is no such target; there are METAL, HSA, CUDA"):
        Device("VULKAN")
    monkeypatch.setenv("GPUEMU_TARGET", "GPU")
    with pytest.raises(DeviceError, match="GPUEMU_TARGET=GPU: there is no such target"):
        Device()


def test_the_allocator_refuses_what_does_not_fit() -> None:
    allocator = Device(limits=Limits(buffer_bytes=100)).allocator
    buffer = allocator.alloc(np.int64(4))
    assert buffer.size == 4
    with pytest.raises(DeviceError, match="copyin: 8 bytes into a buffer of 4"):
        allocator.copyin(buffer, b"12345678")
    with pytest.raises(DeviceError, match="copyout: 8 bytes out of a buffer of 4"):
        allocator.copyout(bytearray(8), buffer)
    with pytest.raises(DeviceError, match="copyout: the target is read-only"):
        allocator.copyout(b"1234", buffer)
    with pytest.raises(DeviceError, match="copyin: got a int; expected contiguous bytes or an array"):
        allocator.copyin(buffer, 3)
    with pytest.raises(DeviceError, match=r"alloc\(-1\): expected a number of bytes"):
        allocator.alloc(-1)
    with pytest.raises(LimitError, match=r"alloc\(101\): at most 100 bytes; Limits\(buffer_bytes=…\) allows more"):
        allocator.alloc(101)


def test_a_freed_buffer_is_not_used_again() -> None:
    device = Device()
    buffer = device.allocator.alloc(16)
    device.allocator.free(buffer)
    for use in (lambda: device.allocator.free(buffer), lambda: Program("double", DOUBLE)(buffer, local_size=(4,))):
        with pytest.raises(DeviceError, match="a buffer of 16 bytes is used after it was freed"):
            use()


def test_trace_prints_each_line_with_its_values(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("TRACE", "1")
    Program("double", DOUBLE)(np.arange(4, dtype=np.int32), local_size=(4,))
    assert capsys.readouterr().out.splitlines() == [
        "   0 %0 = DEFINE_GLOBAL int32 : (0, True)",
        '   1 %1 = SPECIAL int32 : (0, "lidx0", 4)  = 0, 1, 2, 3',
        "   2 %2 = LOAD int32 %0 %1  = 0, 1, 2, 3",
        "   3 %3 = ALU int32 %2 %2 : ADD  = 0, 2, 4, 6",
        "   4 STORE %0 %1 %3  writes 0, 2, 4, 6 at 0, 1, 2, 3",
    ]
    monkeypatch.setenv("TRACE", "0")
    Program("double", DOUBLE)(np.arange(4, dtype=np.int32), local_size=(4,))
    assert capsys.readouterr().out == ""


def test_trace_shows_no_value_of_a_lane_that_is_not_here(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("TRACE", "1")
    program = Program.from_text("""program "one lane"
        %out = DEFINE_GLOBAL int32 : 0
        %lane = SPECIAL int32 : (0, "lidx0", 3)
        %one = CONST int32 : 1
        %pair = CONST float16x2 : 0.5
        %first = ALU bool %lane %one : CMPLT
        %if = IF %first
            %next = ALU int32 %lane %one : ADD
            STORE %out %lane %next
        ENDIF %if
        STORE %out %lane %lane %first
    """)
    program(np.zeros(3, np.int32))
    assert capsys.readouterr().out.splitlines()[3:] == [
        "   3 %3 = CONST float16x2 : 0.5  = [0.5, 0.5] in each lane",
        "   4 %4 = ALU bool %1 %2 : CMPLT  = True, False, False",
        "   5 %5 = IF %4",
        "   6 %6 = ALU int32 %1 %2 : ADD  = 1, –, –  (1 of 3 lanes)",
        "   7 STORE %0 %1 %6  writes 1, –, – at 0, –, –  (1 of 3 lanes)",
        "   9 STORE %0 %1 %1 %4  writes 0, –, – at 0, –, –",
    ]


def loop(trips: int, lanes: int = 1, accumulate: bool = False) -> Program:
    return Program(
        "loop",
        [
            (UOps.CONST, INT, [], 0),
            (UOps.CONST, INT, [], trips),
            (UOps.DEFINE_ACC, INT, [], 0),
            (UOps.RANGE, INT, [0, 1], 0),
            *([(UOps.ALU, INT, [2, 3], BinaryOps.ADD), (UOps.PHI, INT, [2, 4], None)] if accumulate else []),
            (UOps.ENDRANGE, None, [3], None),
        ],
        limits=Limits(steps=1000),
    )


@pytest.mark.parametrize("accumulate", [False, True])
def test_a_loop_that_does_not_end_is_stopped(accumulate: bool) -> None:
    loop(100, accumulate=accumulate)()
    with pytest.raises(LimitError, match=r"line 3 \(RANGE\): the launch has taken more than 1,000 steps"):
        loop(2**31 - 1, accumulate=accumulate)()


def test_lines_text_nesting_and_memory_are_bounded() -> None:
    with pytest.raises(LimitError, match=r"p: 5 lines; at most 4; Program\(…, limits=Limits\(lines=…\)\) allows more"):
        Program("p", DOUBLE, limits=Limits(lines=4))
    with pytest.raises(LimitError, match="from_text: 21 characters; at most 20"):
        Program.from_text('program "p" warp 32\n\n', limits=Limits(text=20))
    with pytest.raises(ProgramError, match=r"more than 0 blocks in each other; Limits\(nesting=…\) allows more"):
        Program("p", [(UOps.CONST, INT, [], 1), (UOps.IF, None, [0], None)], limits=Limits(nesting=0))
    local = [(UOps.DEFINE_LOCAL, INT, [], ("tile", 10**9))]
    with pytest.raises(
        LimitError, match=r"a workgroup of \(1, 1, 1\) takes 4,000,000,001 bytes .* at most 268,435,456"
    ):
        Program("p", local)()
    with pytest.raises(LaunchError, match="got 0 buffers"):
        Program("p", DOUBLE)()


def test_copyout_fills_an_array_of_any_strides() -> None:
    allocator = Device().allocator
    buffer = allocator.alloc(24)
    allocator.copyin(buffer, np.arange(6, dtype=np.int32))
    for target in (np.zeros((3, 2), np.int32).T, np.zeros(12, np.int32)[::2], np.zeros((2, 3), np.int32)[:, ::-1]):
        allocator.copyout(target, buffer)
        assert target.reshape(-1).tolist() == list(range(6))
    frozen = np.zeros((3, 2), np.int32).T
    frozen.flags.writeable = False
    with pytest.raises(DeviceError, match="copyout: the target is read-only"):
        allocator.copyout(frozen, buffer)


def test_the_allocator_refuses_what_is_no_buffer() -> None:
    allocator = Device().allocator
    for call, use in (
        ("copyin", lambda: allocator.copyin(None, b"1")),
        ("copyout", lambda: allocator.copyout(bytearray(1), None)),
        ("free", lambda: allocator.free(None)),
    ):
        with pytest.raises(DeviceError, match=f"{call}: got a NoneType; expected a buffer, as alloc gives one"):
            use()


def product(unit: str | None, of_device: str | None) -> bytes:
    """The bits of a tensor core's sum that units round in different ways."""
    lines = [
        (UOps.DEFINE_GLOBAL, dtypes.float32, [], (0, True)),
        (UOps.SPECIAL, INT, [], (0, "lidx0", 32)),
        (UOps.CONST, dtypes.half.vec(8), [], 0.1),
        (UOps.CONST, dtypes.half.vec(4), [], 0.3),
        (UOps.CONST, dtypes.float32.vec(4), [], 1000.7),
        (UOps.WMMA, dtypes.float32.vec(4), [2, 3, 4], "m16n8k16"),
        (UOps.GEP, dtypes.float32, [5], 0),
        (UOps.STORE, None, [0, 1, 6], None),
    ]
    device, out = Device("CUDA", unit=of_device), np.zeros(32, np.float32)
    if of_device is None:
        Program("product", lines, unit=unit)(out, local_size=(32,))
    else:
        text = device.renderer.render("product", lines)
        assert f'unit "{of_device}"' in text
        device.runtime("product", device.compiler.compile(text))(out, local_size=(32,))
        plain = Device("CUDA").runtime("product", device.compiler.compile(text))
        assert plain.unit == of_device
        assert (
            device.runtime("product", Device("CUDA").compiler.compile(Program("p", lines).to_text())).unit == of_device
        )
    return out.tobytes()


def test_a_device_has_an_arithmetic_unit() -> None:
    bits = {unit: product(unit, None) for unit in ("V100", "H100", "exact")}
    assert bits == {unit: product(None, unit) for unit in bits}
    assert len(set(bits.values())) > 1
    assert repr(Device("PYTHON", unit="V100")) == "<Device PYTHON: no tensor cores, unit V100>"
    with pytest.raises(DeviceError, match=r"Device\(unit=…\): unit 'V10': no unit has that name; did you mean 'V100'"):
        Device("CUDA", unit="V10")


@pytest.mark.parametrize(("op", "most"), [(BinaryOps.ADD, 200), (UnaryOps.SIN, 80)])
def test_the_elements_of_vectors_count_as_steps(op: Any, most: int) -> None:
    wide = dtypes.float64.vec(1024)

    def repeated(trips: int) -> Program:
        lines = [
            (UOps.CONST, INT, [], 0),
            (UOps.CONST, INT, [], trips),
            (UOps.CONST, wide, [], 1.0),
            (UOps.DEFINE_ACC, wide, [], 0.0),
            (UOps.RANGE, INT, [0, 1], 0),
            (UOps.ALU, wide, [3] if op is UnaryOps.SIN else [3, 2], op),
            (UOps.PHI, wide, [3, 5], None),
            (UOps.ENDRANGE, None, [4], None),
        ]
        return Program("repeated", lines, limits=Limits(steps=1100))

    repeated(most)()
    with pytest.raises(LimitError, match="the launch has taken more than 1,100 steps"):
        repeated(4 * most)()
