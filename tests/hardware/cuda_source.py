"""The CUDA kernels that run one instruction of the catalogue each, written from the instructions' own names."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gpuemu import tensorcores
from gpuemu.tensorcores.arithmetic.formats import format_of
from gpuemu.tensorcores.instruction import Instruction
from gpuemu.tensorcores.lanemap import LaneMap
from gpuemu.tensorcores.matrix_copy import MatrixCopy

ONES = {"ue8m0": "0x7f7f7f7f", "ue4m3": "0x38383838"}
"""Four scales of 1."""
SINCE = {"sm_70": 70, "sm_75": 75, "sm_80": 80, "sm_89": 89, "sm_90": 90}
C_TYPES = {"fp32": ("float", "f", 4), "fp64": ("double", "d", 8)}
"""C++ type, constraint and bytes of a register; every other type goes in 32-bit registers."""


@dataclass(frozen=True)
class Registers:
    """How one operand's registers of a lane appear in a kernel."""

    type: str
    constraint: str
    count: int
    bytes: int

    @property
    def bytes_per_lane(self) -> int:
        return self.count * self.bytes


def bits_of(lane_map: LaneMap) -> int:
    """Bits of a register from one element to the next.

    >>> [bits_of(tensorcores.instruction(x).a) for x in ("m16n8k16", "m16n8k64.s32.s4", "m16n8k64.mxf4")]
    [16, 4, 4]
    >>> bits_of(tensorcores.instruction("m16n8k32.f8f6f4.e2m1.e2m1").a)
    8
    """
    narrow = {"int4": 4, "uint4": 4, "b1": 1, "e2m1": 8 if lane_map.holes else 4}
    return narrow.get(lane_map.dtype) or 8 * format_of(lane_map.dtype).storage.itemsize


def first_bit_of(lane_map: LaneMap) -> int:
    """The bit of its room at which an element starts.

    >>> first_bit_of(tensorcores.instruction("m16n8k32.f8f6f4.e2m1.e2m1").a)
    2
    """
    return 2 if lane_map.dtype == "e2m1" and lane_map.holes else 0


def registers(lane_map: LaneMap) -> Registers:
    """The registers of an operand."""
    kind, constraint, size = C_TYPES.get(lane_map.dtype, ("uint32_t", "r", 4))
    return Registers(kind, constraint, lane_map.elements * bits_of(lane_map) // (8 * size), size)


def runs_on(arch: str, capability: int) -> bool:
    """Whether a GPU of a compute capability (80, 90 …) has what an architecture has; sm_90a is for 90 alone."""
    if arch.endswith("a"):
        return capability == int(arch[3:-1])
    return capability >= SINCE[arch]


def instructions(capability: int) -> list[Instruction]:
    """NVIDIA's instructions that a GPU has, each name once, the newest architecture's.

    >>> len(instructions(80)), len(instructions(90)), len(instructions(120))
    (47, 82, 112)
    """
    found = [x for x in tensorcores.instructions(vendor="nvidia") if runs_on(x.arch, capability)]
    return list({x.name: x for x in found}.values())


def variants(x: Instruction) -> list[Instruction]:
    """A wgmma for each type that its lanes are for; other instructions as they are.

    >>> [y.name.rsplit("m64n8", 1)[1] for y in variants(tensorcores.instruction("m64n8k32"))]
    ['k32.f32.e4m3.e4m3', 'k32.f32.e5m2.e5m2']
    """
    other = {"f16": "bf16", "e4m3": "e5m2"}
    known = {"bf16": "bf16", "e5m2": "e5m2"}
    for old, new in other.items():
        if x.path == "wgmma" and x.name.endswith(f".{old}.{old}"):
            name = x.name.replace(f".{old}.{old}", f".{new}.{new}")
            return [x, replace(x, name=name, a=replace(x.a, dtype=known[new]))]
    return [x]


def source(capability: int) -> str:
    """The text of kernels.inc for a GPU."""
    probes = [y for x in instructions(capability) for y in variants(x)]
    copies = [x for x in tensorcores.copy_instructions() if runs_on(x.arch, capability)]
    kernels = [_kernel(i, x) for i, x in enumerate((*probes, *copies))]
    rows = [_row(i, x) for i, x in enumerate((*probes, *copies))]
    return "\n".join([*kernels, "static const Probe PROBES[] = {", *rows, "};", ""])


def shared_bytes(x: Instruction) -> int:
    """Bytes of B in shared memory: 32 along k of each column."""
    return 0 if x.b is not None else 32 * x.n


def _row(index: int, x: Instruction | MatrixCopy) -> str:
    if isinstance(x, MatrixCopy):
        sizes = (0, 128 * x.matrices, 0, 128 * x.matrices)
        return f'    {{"{x.name}", kernel_{index}, 32, {", ".join(map(str, sizes))}}},'
    sizes = [registers(m).bytes_per_lane * x.lanes if (m := getattr(x, o)) else shared_bytes(x) for o in "abcd"]
    return f'    {{"{x.name}", kernel_{index}, {x.lanes}, {", ".join(map(str, sizes))}}},'


def _kernel(index: int, x: Instruction | MatrixCopy) -> str:
    body = _copy(x) if isinstance(x, MatrixCopy) else _wgmma(x) if x.b is None else _mma(x)
    head = f"__global__ void kernel_{index}(const char* a, const char* b, const char* c, char* d) {{"
    return "\n".join([head, *(f"    {line}" for line in body), "}", ""])


def _load(operand: str, lane_map: LaneMap) -> str:
    r = registers(lane_map)
    return f"auto {operand.upper()} = Registers<{r.type}, {r.count}>::load({operand});"


def _places(start: int, count: int) -> str:
    return "{" + ", ".join(f"%{start + i}" for i in range(count)) + "}"


def _values(operand: str, lane_map: LaneMap, mark: str = "") -> str:
    r = registers(lane_map)
    return ", ".join(f'"{mark}{r.constraint}"({operand.upper()}.r[{i}])' for i in range(r.count))


def _mma(x: Instruction) -> Iterable[str]:
    yield from (_load(operand, x.maps[operand]) for operand in "abc")
    counts = [registers(x.maps[operand]).count for operand in "dabc"]
    starts = [sum(counts[:i]) for i in range(4)]
    places = ", ".join(map(_places, starts, counts))
    values = [_values(operand, x.maps[operand]) for operand in "abc"]
    if x.scales:
        at = sum(counts)
        places += f", %{at}, {{%{at + 1}, %{at + 1}}}, %{at}, {{%{at + 1}, %{at + 1}}}"
        ones = ONES[x.scales.a.dtype]
        values.append(f'"r"({ones}), "h"(uint16_t(0))')  # and which byte and lanes they come from
    r = registers(x.d)
    yield f"Registers<{r.type}, {r.count}> D;"
    yield f'asm volatile("{x.name} {places};"'
    yield f"    : {_values('d', x.d, '=')}"
    yield f"    : {', '.join(values)});"
    yield "D.store(d);"


def _wgmma(x: Instruction) -> Iterable[str]:
    """A in registers, B in shared memory; D takes C's place."""
    yield f"__shared__ alignas(128) char matrix[{shared_bytes(x)}];"
    yield f"copy(matrix, b + size_t(blockIdx.x) * {shared_bytes(x)}, {shared_bytes(x)});"
    yield 'asm volatile("fence.proxy.async;" ::: "memory");'
    yield "__syncthreads();"
    yield _load("a", x.a)
    yield _load("c", x.d).replace("auto C", "auto D")
    sums, factors = registers(x.d).count, registers(x.a).count
    turned = ", 0" if x.a.dtype in ("fp16", "bf16") else ""
    yield 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");'
    operands = f"{_places(0, sums)}, {_places(sums, factors)}, %{sums + factors}, 1, 1, 1{turned}"
    yield f'asm volatile("{x.name} {operands};"'
    yield f"    : {_values('d', x.d, '+')}"
    yield f'    : {_values("a", x.a)}, "l"(descriptor(matrix)));'
    yield 'asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");'
    yield 'asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");'
    yield "D.store(d);"


def _copy(x: MatrixCopy) -> Iterable[str]:
    """Each row of 16 bytes has its address in the lane that the catalogue names."""
    size = 128 * x.matrices
    yield f"__shared__ alignas(128) char matrix[{size}];"
    yield f"const unsigned address = shared_address(matrix) + threadIdx.x % {8 * x.matrices} * 16;"
    values = ", ".join(f'"=r"(R.r[{i}])' for i in range(x.matrices))
    if x.kind == "ldmatrix":
        yield f"copy(matrix, b + size_t(blockIdx.x) * {size}, {size});"
        yield f"Registers<uint32_t, {x.matrices}> R;"
        yield f'asm volatile("{x.name} {_places(0, x.matrices)}, [%{x.matrices}];"'
        yield f'    : {values} : "r"(address) : "memory");'
        yield "R.store(d);"
        return
    yield f"auto R = Registers<uint32_t, {x.matrices}>::load(b);"
    yield f'asm volatile("{x.name} [%{x.matrices}], {_places(0, x.matrices)};"'
    yield f'    :: {values.replace("=", "")}, "r"(address) : "memory");'
    yield "__syncthreads();"
    yield f"copy(d + size_t(blockIdx.x) * {size}, matrix, {size});"
