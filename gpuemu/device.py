"""A device in four parts, as tinygrad has them: a renderer, a compiler, an allocator, a runtime.

The renderer writes UOps as text, the compiler packs the text into bytes, the runtime makes them a function. The bytes
are a header and the text: neither is ever evaluated or unpickled, so a program that somebody sent cannot run code.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import numpy as np

from gpuemu.errors import DeviceError, LimitError, UnitError
from gpuemu.limits import DEFAULT, Limits
from gpuemu.program import Program
from gpuemu.tensorcores import arithmetic, from_seed
from gpuemu.tensorcores.instruction import Instruction

__all__ = ["TARGETS", "Allocator", "Buffer", "Compiler", "Device", "Renderer", "choose_target"]

HEADER = b"gpuemu program 1\n"
"""What the bytes of a program begin with."""

# (N, M, K), the elements of a, b, c that a lane holds, and (type of a and b, type of c) of each tensor core:
# tinygrad 0.9.0, tinygrad/renderer/cstyle.py and tinygrad/codegen/kernel.py
_TENSOR_CORES: dict[str, tuple[tuple[int, int, int], tuple[int, int, int], tuple[tuple[str, str], ...]]] = {
    "METAL": ((8, 8, 8), (2, 2, 2), (("float", "float"), ("half", "float"), ("half", "half"))),
    "HSA": ((16, 16, 16), (16, 16, 8), (("half", "float"), ("half", "half"))),
    "CUDA": ((8, 16, 16), (8, 4, 4), (("half", "float"), ("__bf16", "float"))),
    "PYTHON": ((1, 1, 1), (1, 1, 1), ()),
}
TARGETS = tuple(_TENSOR_CORES)
"""METAL, HSA and CUDA, each with its tensor cores; PYTHON, the default, has none."""


def choose_target(target: Any = None, environment: Mapping[str, str] | None = None) -> str:
    """The target that an argument names, else GPUEMU_TARGET, else EMULATE_CUDA, EMULATE_HSA or EMULATE_METAL.

    Parameters
    ----------
    target
        METAL, HSA, CUDA or PYTHON; it wins over the environment.
    environment
        The process's own where it is not given.

    Raises
    ------
    DeviceError
        There is no such target.

    Examples
    --------
    >>> choose_target(None, {"EMULATE_METAL": "1", "EMULATE_HSA": "1"})
    'HSA'
    >>> choose_target(None, {"EMULATE_CUDA": "1", "GPUEMU_TARGET": "METAL"})
    'METAL'
    >>> choose_target(None, {"EMULATE_CUDA": "0"})
    'PYTHON'
    """
    environment = os.environ if environment is None else environment
    chosen, where = target, f"Device({target!r})"
    if chosen is None and environment.get("GPUEMU_TARGET"):
        chosen, where = environment["GPUEMU_TARGET"], f"GPUEMU_TARGET={environment['GPUEMU_TARGET']}"
    if chosen is None:
        on = [name for name in ("CUDA", "HSA", "METAL") if environment.get(f"EMULATE_{name}", "0") not in ("", "0")]
        return on[0] if on else "PYTHON"
    if not isinstance(chosen, str) or chosen.upper() not in TARGETS:
        raise DeviceError(f"{where}: there is no such target; there are {', '.join(TARGETS)}")
    return chosen.upper()


def tensor_cores(target: str) -> tuple[Instruction, ...]:
    """The tensor cores of a target.

    >>> [core.short_name for core in tensor_cores("CUDA")]
    ['m16n8k16.f32.f16', 'm16n8k16.f32.bf16']
    """
    return tuple(from_seed(arg) for arg in wmma_args(target))


def wmma_args(target: str) -> tuple[tuple[Any, ...], ...]:
    """The arg of a WMMA line for each tensor core of a target, as tinygrad 0.9 spells it.

    >>> wmma_args("HSA")[0]
    ('WMMA_16_16_16_half_float', (16, 16, 16), 'half', 'float', (16, 16, 8), 'HSA')
    """
    shape, sizes, types = _TENSOR_CORES[target]
    name = "WMMA_" + "_".join(map(str, shape))
    return tuple((f"{name}_{a}_{c}", shape, a, c, sizes, target) for a, c in types)


@dataclass(frozen=True, slots=True)
class Renderer:
    """Writes UOps as text.

    Attributes
    ----------
    target
        Whose tensor cores there are.
    tensor_cores
        Its instructions for WMMA.
    warp
        Lanes of a warp.
    limits
        How much a program may ask for.
    unit
        The arithmetic unit that its tensor cores add with; None: each instruction's own.
    """

    target: str
    tensor_cores: tuple[Instruction, ...]
    warp: int = 32
    limits: Limits = DEFAULT
    unit: str | None = None

    def render(self, name: str, uops: Sequence[Any]) -> str:
        """The text of a list of UOps, once they are checked.

        Raises
        ------
        ProgramError
            Where they are no well-formed program.

        Examples
        --------
        >>> from gpuemu import UOps, dtypes
        >>> print(Device().renderer.render("nothing", [(UOps.CONST, dtypes.int32, [], 7)]), end="")
        program "nothing" warp 32
        %0 = CONST int32 : 7
        """
        return Program(name, uops, self.warp, self.limits, self.unit).to_text()


@dataclass(frozen=True, slots=True)
class Compiler:
    """Packs the text of a program into bytes."""

    limits: Limits = DEFAULT

    def compile(self, text: str) -> bytes:
        """A header and the text, once it is read and checked.

        Raises
        ------
        ProgramError
            Where the text is no program.

        Examples
        --------
        >>> Device().compiler.compile('program "nothing" warp 32')
        b'gpuemu program 1\\nprogram "nothing" warp 32\\n'
        """
        return HEADER + Program.from_text(text, self.limits).to_text().encode()


@dataclass(eq=False, slots=True)
class Buffer:
    """Memory of a device, as a launch takes it; None once it is freed."""

    size: int
    memory: bytearray | None = field(repr=False)

    def __buffer__(self, flags: int) -> memoryview:
        return self.view()

    def view(self) -> memoryview:
        """The bytes, to read and to write.

        Raises
        ------
        DeviceError
            Where the buffer was freed.
        """
        if self.memory is None:
            raise DeviceError(f"a buffer of {self.size} bytes is used after it was freed; allocate another")
        return memoryview(self.memory)


@dataclass(frozen=True, slots=True)
class Allocator:
    """Gives memory, and moves bytes in and out of it."""

    limits: Limits = DEFAULT

    def alloc(self, size: SupportsIndex) -> Buffer:
        """A buffer of `size` bytes, all 0.

        Raises
        ------
        DeviceError
            Where the size is no number of bytes.
        LimitError
            Where it is more than the limits allow.

        Examples
        --------
        >>> Device().allocator.alloc(16)
        Buffer(size=16)
        """
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            raise DeviceError(f"alloc({size!r}): expected a number of bytes")
        size = int(size)
        if size > self.limits.buffer_bytes:
            raise LimitError(
                f"alloc({size:,}): at most {self.limits.buffer_bytes:,} bytes; Limits(buffer_bytes=…) allows more"
            )
        return Buffer(size, bytearray(size))

    def copyin(self, buffer: Buffer, source: Any) -> None:
        """Copy all of `source`, a bytes-like object or array, to the start of the buffer.

        Raises
        ------
        DeviceError
            Where the source is larger than the buffer, or no bytes, or the buffer is none.
        """
        memory, given = _memory_of("copyin", buffer), _bytes_of("copyin", source)
        if given.nbytes > buffer.size:
            raise DeviceError(f"copyin: {given.nbytes} bytes into a buffer of {buffer.size}")
        memory[: given.nbytes] = given

    def copyout(self, target: Any, buffer: Buffer) -> None:
        """Fill `target`, a writable bytes-like object or an array of any strides, from the start of the buffer.

        Raises
        ------
        DeviceError
            Where the target is larger than the buffer, read-only, or no bytes.
        """
        _memory_of("copyout", buffer)
        scattered = isinstance(target, np.ndarray) and not target.flags.c_contiguous
        wanted = _bytes_of("copyout", target)
        if wanted.readonly or (isinstance(target, np.ndarray) and not target.flags.writeable):
            raise DeviceError("copyout: the target is read-only; expected a bytearray, an array or their memoryview")
        if wanted.nbytes > buffer.size:
            raise DeviceError(f"copyout: {wanted.nbytes} bytes out of a buffer of {buffer.size}")
        wanted[:] = _memory_of("copyout", buffer)[: wanted.nbytes]
        if scattered:  # `wanted` is a copy then
            target[...] = np.frombuffer(wanted, np.uint8).view(target.dtype).reshape(target.shape)

    def free(self, buffer: Buffer) -> None:
        """Give the memory back; the buffer cannot be used any more.

        Raises
        ------
        DeviceError
            Where it is no buffer, or was freed before.
        """
        _memory_of("free", buffer)
        buffer.memory = None


def _memory_of(call: str, buffer: Any) -> memoryview:
    if not isinstance(buffer, Buffer):
        raise DeviceError(f"{call}: got a {type(buffer).__name__}; expected a buffer, as alloc gives one")
    return buffer.view()


def _bytes_of(call: str, given: Any) -> memoryview:
    try:
        given = np.ascontiguousarray(given) if isinstance(given, np.ndarray) else given
        view = memoryview(given.reshape(-1).view("u1") if hasattr(given, "reshape") else given)
        return view.cast("B") if view.nbytes else memoryview(bytearray())
    except (TypeError, ValueError):
        raise DeviceError(f"{call}: got a {type(given).__name__}; expected contiguous bytes or an array") from None


class Device:
    """An emulated GPU.

    Parameters
    ----------
    target
        METAL, HSA, CUDA or PYTHON; where it is not given, the environment chooses (see `choose_target`).
    limits
        How much programs and buffers may ask for.
    unit
        The arithmetic unit that tensor cores add with, such as ``"V100"``, where a program names none; None: each
        instruction's own.

    Raises
    ------
    DeviceError
        There is no such target or unit.

    Examples
    --------
    >>> import numpy as np
    >>> from gpuemu import BinaryOps, UOps, dtypes
    >>> device = Device("CUDA")
    >>> device
    <Device CUDA: m16n8k16.f32.f16, m16n8k16.f32.bf16>
    >>> text = device.renderer.render("double", [
    ...     (UOps.DEFINE_GLOBAL, dtypes.int32, [], (0, True)),
    ...     (UOps.SPECIAL, dtypes.int32, [], (0, "lidx0", 4)),
    ...     (UOps.LOAD, dtypes.int32, [0, 1], None),
    ...     (UOps.ALU, dtypes.int32, [2, 2], BinaryOps.ADD),
    ...     (UOps.STORE, None, [0, 1, 3], None),
    ... ])
    >>> double = device.runtime("double", device.compiler.compile(text))
    >>> x, buffer = np.arange(4, dtype=np.int32), device.allocator.alloc(16)
    >>> device.allocator.copyin(buffer, x)
    >>> seconds = double(buffer, local_size=(4, 1, 1))
    >>> device.allocator.copyout(x, buffer)
    >>> x
    array([0, 2, 4, 6], dtype=int32)
    """

    def __init__(self, target: str | None = None, limits: Limits = DEFAULT, unit: str | None = None) -> None:
        self.target = choose_target(target)
        self.limits = limits
        self.unit = _known_unit(unit)
        self.tensor_cores = tensor_cores(self.target)
        self.renderer = Renderer(self.target, self.tensor_cores, limits=limits, unit=unit)
        self.compiler = Compiler(limits)
        self.allocator = Allocator(limits)

    def runtime(self, name: str, lib: Any) -> Program:
        """The function that compiled bytes mean, called `name`.

        Raises
        ------
        DeviceError
            Where the bytes are none of `compiler.compile`.
        ProgramError
            Where the program in them is not well formed.
        """
        given = bytes(lib) if isinstance(lib, bytes | bytearray | memoryview) else b""
        if not given.startswith(HEADER):
            raise DeviceError(
                f"runtime({name!r}): got {given[:16] or lib!r}; expected what compiler.compile gives, which begins "
                f"with {HEADER!r}"
            )
        try:
            text = given[len(HEADER) :].decode()
        except UnicodeDecodeError as error:
            raise DeviceError(f"runtime({name!r}): the bytes after the header are no text: {error}") from None
        program = Program.from_text(text, self.limits)
        return Program(name, program.lines, program.warp, self.limits, program.unit or self.unit)

    def __repr__(self) -> str:
        cores = ", ".join(core.short_name for core in self.tensor_cores) or "no tensor cores"
        unit = "" if self.unit is None else f", unit {self.unit}"
        return f"<Device {self.target}: {cores}{unit}>"


def _known_unit(unit: str | None) -> str | None:
    if unit is not None:
        try:
            arithmetic.unit(unit)
        except UnitError as error:
            raise DeviceError(f"Device(unit=…): {error}") from error
    return unit
