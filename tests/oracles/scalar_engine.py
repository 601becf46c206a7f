"""An obvious engine: one lane at a time, plain Python numbers, no numpy arithmetic.

A value is a bool, an int or a float, or a list of them for a vector. Each lane is a generator that stops where lanes
must do something together or in order; of the lanes that have stopped, those go on that are furthest behind.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from gpuemu import dtypes
from gpuemu.dtypes import DType, ImageDType
from gpuemu.tensorcores import arithmetic, copy_instruction
from gpuemu.uops import Line, UOps

STATIC = {UOps.DEFINE_GLOBAL, UOps.DEFINE_LOCAL, UOps.DEFINE_VAR, UOps.SPECIAL, UOps.CONST}
VOID = {UOps.STORE, UOps.BARRIER, UOps.IF, UOps.ENDIF, UOps.ENDRANGE}
VOID |= {UOps.WARP_BARRIER, UOps.BREAK, UOps.CONTINUE, UOps.STMATRIX}
STOPS = {UOps.BARRIER, UOps.WMMA, UOps.LDMATRIX, UOps.STMATRIX, UOps.SHUFFLE, UOps.VOTE, UOps.ATOMIC, UOps.WARP_BARRIER}

# precision in bits, least exponent, largest number, what is beyond it, whether there is a −0
FORMATS = {
    "float16": (11, -14, 65504.0, math.inf, True),
    "bfloat16": (8, -126, float(np.float32(3.3895313892515355e38)), math.inf, True),
    "float32": (24, -126, float(np.finfo(np.float32).max), math.inf, True),
    "float64": (53, -1022, float(np.finfo(np.float64).max), math.inf, True),
    "float8_e4m3fn": (4, -6, 448.0, math.nan, True),
    "float8_e5m2": (3, -14, 57344.0, math.inf, True),
    "float8_e4m3fnuz": (4, -7, 240.0, math.nan, False),
    "float8_e5m2fnuz": (3, -15, 57344.0, math.nan, False),
    "float6_e2m3fn": (4, 0, 7.5, 7.5, True),
    "float6_e3m2fn": (3, -2, 28.0, 28.0, True),
    "float4_e2m1fn": (2, 0, 6.0, 6.0, True),
}


class MistakeError(Exception):
    """The program did something that has no result: kind and line."""


def round_to(dtype: DType, x: float | int) -> float:
    """A number rounded to a floating-point type, to nearest even."""
    precision, least, largest, beyond, negative_zero = FORMATS[dtype.scalar_name]
    if isinstance(x, float) and math.isnan(x):
        return 0.0 if beyond == largest else math.nan
    if isinstance(x, float) and math.isinf(x):
        return math.copysign(beyond, x)
    if x == 0:
        return float(x) if negative_zero else 0.0
    exact = Fraction(x)
    exponent = abs(x).bit_length() if isinstance(x, int) else math.frexp(x)[1]
    quantum = Fraction(2) ** (max(exponent - 1, least) - precision + 1)
    rounded = round(exact / quantum) * quantum
    if abs(rounded) > Fraction(largest):
        return math.copysign(beyond, exact)
    if rounded == 0:
        return math.copysign(0.0, exact) if negative_zero else 0.0
    return float(rounded)


def wrap(dtype: DType, x: int) -> int:
    """An integer modulo 2ⁿ."""
    bits = dtype.numpy.itemsize * 8
    x %= 2**bits
    return x - 2**bits if dtype.kind == "signed" and x >= 2 ** (bits - 1) else x


def convert(dtype: DType, x: Any) -> Any:
    """A scalar in another type."""
    if dtype.kind == "bool":
        return x != 0
    if dtype.is_float:
        return round_to(dtype, int(x) if isinstance(x, bool) else x)
    if isinstance(x, float):
        return wrap(dtype, math.trunc(x)) if math.isfinite(x) else 0
    return wrap(dtype, int(x))


def reinterpret(old: DType, new: DType, x: Any) -> Any:
    """The bits of a scalar as another type."""
    return np.array([x]).astype(old.numpy).view(new.numpy)[0].item()


def integer_quotient(x: int, y: int) -> int:
    if y == 0:
        raise MistakeError("division")
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def float_quotient(x: float, y: float) -> float:
    if y != 0:
        return x / y
    if x == 0 or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, math.copysign(1, x) * math.copysign(1, y))


def float_remainder(x: float, y: float) -> float:
    return math.nan if math.isinf(x) or y == 0 or math.isnan(x) or math.isnan(y) else math.fmod(x, y)


def float_maximum(x: float, y: float) -> float:
    if math.isnan(x):
        return y
    if math.isnan(y):
        return x
    if x == y == 0:
        return x if math.copysign(1, x) > 0 else y
    return x if x > y else y


def power_of_two(x: float) -> float:
    try:
        return 2.0**x
    except OverflowError:
        return math.inf


def logarithm(x: float) -> float:
    return math.nan if x < 0 or math.isnan(x) else -math.inf if x == 0 else math.log2(x)


FLOAT: dict[str, Callable[..., Any]] = {
    "EXP2": power_of_two,
    "LOG2": logarithm,
    "SIN": lambda x: math.sin(x) if math.isfinite(x) else math.nan,
    "SQRT": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "NEG": lambda x: -x,
    "ADD": lambda x, y: x + y,
    "SUB": lambda x, y: x - y,
    "MUL": lambda x, y: x * y,
    "DIV": float_quotient,
    "MOD": float_remainder,
    "MAX": float_maximum,
}
INTEGER: dict[str, Callable[..., Any]] = {
    "NEG": lambda x: -x,
    "ADD": lambda x, y: x + y,
    "SUB": lambda x, y: x - y,
    "MUL": lambda x, y: x * y,
    "DIV": integer_quotient,
    "MOD": lambda x, y: x - integer_quotient(x, y) * y,
    "MAX": max,
    "XOR": lambda x, y: x ^ y,
    "AND": lambda x, y: x & y,
    "OR": lambda x, y: x | y,
}
BOOL: dict[str, Callable[..., Any]] = {
    "NEG": lambda x: not x,
    "ADD": lambda x, y: x or y,
    "SUB": lambda x, y: x != y,
    "MUL": lambda x, y: x and y,
    "DIV": lambda x, y: integer_quotient(x, y) != 0,
    "MOD": lambda x, y: x - integer_quotient(x, y) * y != 0,
    "MAX": lambda x, y: x or y,
    "XOR": lambda x, y: x != y,
    "AND": lambda x, y: x and y,
    "OR": lambda x, y: x or y,
}
COMPARE = {"CMPLT": lambda x, y: x < y, "CMPEQ": lambda x, y: x == y, "CMPNE": lambda x, y: x != y}


def alu(name: str, dtype: DType, values: list[Any]) -> Any:
    """One op on scalars."""
    if name in COMPARE:
        return COMPARE[name](*values)
    if name == "WHERE":
        return values[1] if values[0] != 0 else values[2]
    if name == "MULACC":
        return alu("ADD", dtype, [alu("MUL", dtype, values[:2]), values[2]])
    if name in ("SHL", "SHR"):
        x, count = values
        if not 0 <= count < dtype.numpy.itemsize * 8:
            return -1 if name == "SHR" and x < 0 else 0
        return wrap(dtype, x << count if name == "SHL" else x >> count)
    if dtype.is_float:
        return round_to(dtype, FLOAT[name](*values))
    return BOOL[name](*values) if dtype.kind == "bool" else wrap(dtype, INTEGER[name](*values))


def elements_of(held: Any) -> list[Any]:
    return held if isinstance(held, list) else [held]


def dense_matrix(fragment: Any, fragments: list[list[Any]], operand: int) -> np.ndarray:
    """The matrices that the fragments of all lanes fill."""
    matrix = np.zeros(fragment.matrix_shape, fragment.dtype.numpy)
    for lane, places in enumerate(fragment.lane_map.coordinates()):
        for (row, column, *block), value in zip(places, elements_of(fragments[lane][operand]), strict=True):
            matrix[block[0] if block else 0, row, column] = value
    return matrix


def sparse_matrix(core: Any, at: int, fragments: list[list[Any]]) -> np.ndarray:
    """A of a sparse instruction: of each four places of a group, bits of the index register say which two are not 0."""
    matrix = np.zeros(core.a.matrix_shape, core.a.dtype.numpy)
    for lane, groups in enumerate(core.a.lane_map.coordinates()):
        values, index = fragments[lane][0], fragments[lane][3]
        for group, four in enumerate(groups):
            first, second = index >> 4 * group & 3, index >> 4 * group + 2 & 3
            if first == second:
                raise MistakeError("sparse-index", at)
            for which, place in enumerate((first, second)):
                row, column = four[place]
                matrix[0, row, column] = values[2 * group + which]
    return matrix


def block_scales(core: Any, fragments: list[list[Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Lanes 4r and 4r + 1 have the scales of A's rows r and r + 8, lane 4c those of B's column c."""
    powers = core.scales[0].lane_map.dtype == "ue8m0"

    def number(x: Any) -> float:
        return (math.nan if x == 255 else 2.0 ** (x - 127)) if powers else abs(x)

    of_a = [[number(x) for x in elements_of(fragments[4 * (row % 8) + row // 8][3])] for row in range(16)]
    of_b = [[number(x) for x in elements_of(fragments[4 * column][4])] for column in range(8)]
    return np.array([of_a]), np.array([of_b]).transpose(0, 2, 1)


class Workgroup:
    """The lanes of one workgroup, their local memory, and what they share with the others."""

    def __init__(self, lines: tuple[Line, ...], warp: int, buffers: dict[int, Any], vals: dict[int, int]) -> None:
        self.lines = lines
        self.warp = warp
        self.buffers = dict(buffers)
        self.vals = vals
        self.unwritten: dict[int, set[int]] = {}
        for number, line in enumerate(lines):
            if line.uop is UOps.DEFINE_LOCAL:
                self.buffers[number] = np.zeros(line.arg[1], line.dtype.numpy)
                self.unwritten[number] = set(range(line.arg[1]))
        self.ends = {line.sources[0]: i for i, line in enumerate(lines) if line.uop is UOps.ENDRANGE}
        for i, line in enumerate(lines):
            if line.uop is UOps.ENDIF:
                self.ends[next(s for s in line.sources if lines[s].uop is UOps.IF)] = i

    def zero(self, number: int) -> Any:
        dtype = self.lines[number].dtype
        scalar = {"bool": False, "float": 0.0}.get(dtype.kind, 0)
        return [scalar] * dtype.count if dtype.count > 1 else scalar

    def constant(self, line: Line, value: Any) -> Any:
        value = convert(line.dtype.scalar(), value)
        return [value] * line.dtype.count if line.dtype.count > 1 else value

    def accumulator(self, number: int) -> tuple[int, int | None]:
        """The accumulator behind a PHI, and its element."""
        line, element = self.lines[number], None
        while line.uop is not UOps.DEFINE_ACC:
            if line.uop is UOps.GEP:
                element = line.arg
            number = line.sources[0]
            line = self.lines[number]
        return number, element

    def lane(self, group: tuple[int, ...], position: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
        """Run one lane; `group` and `position` are (x, y, z). Yields (place, operands) where it must wait.

        A place is the line, behind the RANGE and the iteration of each loop around it: places are in the order of time.
        """
        registers: dict[int, Any] = {}
        loop_ends: dict[int, int] = {}  # read when a loop starts
        loops: list[list[int]] = []  # the open ones: RANGE, iteration
        lines, at = self.lines, 0

        def read(number: int) -> Any:
            if lines[number].uop is UOps.PHI:
                accumulator, element = self.accumulator(number)
                value = read(accumulator)
                return value if element is None else value[element]
            return registers[number] if number in registers else self.zero(number)

        for number, line in enumerate(lines):  # these depend on nothing, so they are there wherever they stand
            if line.uop is UOps.SPECIAL:
                axis, name, _ = line.arg
                registers[number] = wrap(line.dtype, (group if name[0] == "g" else position)[axis])
            elif line.uop is UOps.DEFINE_VAR:
                registers[number] = self.vals[number]
            elif line.uop is UOps.CONST:
                registers[number] = self.constant(line, line.arg)
        while at < len(lines):
            line = lines[at]
            sources = [s for s in line.sources if lines[s].uop not in VOID]
            if line.uop in STATIC:
                pass
            elif line.uop is UOps.DEFINE_ACC:
                registers[at] = self.constant(line, line.arg[0] if isinstance(line.arg, tuple) else line.arg)
            elif line.uop is UOps.RANGE:
                start, loop_ends[at] = read(sources[0]), read(sources[1])
                if start < loop_ends[at]:
                    registers[at] = start
                    loops.append([at, 0])
                else:
                    at = self.ends[at]
            elif line.uop is UOps.ENDRANGE:
                head = sources[0]
                if registers[head] + 1 < loop_ends[head]:
                    registers[head] += 1
                    loops[-1][1] += 1
                    at = head
                else:
                    loops.pop()
            elif line.uop is UOps.BREAK:
                at = self.ends[loops.pop()[0]]
            elif line.uop is UOps.CONTINUE:
                at = self.ends[loops[-1][0]] - 1
            elif line.uop is UOps.IF:
                if read(sources[0]) == 0:
                    at = self.ends[at]
            elif line.uop in STOPS:
                place = (*(i for loop in loops for i in loop), at)
                operands = [
                    None if lines[s].uop in (UOps.DEFINE_GLOBAL, UOps.DEFINE_LOCAL) else read(s) for s in sources
                ]
                result = yield place, operands  # type: ignore[misc]
                registers[at] = result
            elif line.uop is UOps.PHI:
                accumulator, element = self.accumulator(at)
                value = read(sources[1])
                if element is None:
                    registers[accumulator] = value
                else:
                    registers[accumulator] = [value if i == element else old for i, old in enumerate(read(accumulator))]
            elif line.uop is UOps.LOAD:
                registers[at] = self.load(at, line, sources[0], [read(s) for s in sources[1:]])
            elif line.uop is UOps.STORE:
                self.store(at, sources[0], [read(s) for s in sources[1:]])
            elif line.uop is not UOps.ENDIF:
                registers[at] = self.compute(line, sources, [read(s) for s in sources])
            at += 1

    def compute(self, line: Line, sources: list[int], values: list[Any]) -> Any:
        dtype = line.dtype
        if line.uop is UOps.GEP:
            return values[0][line.arg]
        if line.uop is UOps.CAST and len(values) > 1:
            return [convert(dtype.scalar(), v) for v in values]

        def one(scalars: list[Any]) -> Any:
            if line.uop is UOps.CAST:
                return convert(dtype.scalar(), scalars[0])
            if line.uop is UOps.BITCAST:
                return reinterpret(self.lines[sources[0]].dtype, dtype, scalars[0])
            return alu(line.arg.name, dtype.scalar(), scalars)

        return [one([v[i] for v in values]) for i in range(dtype.count)] if dtype.count > 1 else one(values)

    def load(self, at: int, line: Line, buffer: int, rest: list[Any]) -> Any:
        count = line.dtype.count
        if len(rest) > 1 and rest[1] == 0:
            return rest[2] if isinstance(rest[2], list) or count == 1 else [rest[2]] * count
        if isinstance(self.lines[buffer].dtype, ImageDType):
            height, width, _ = self.lines[buffer].dtype.shape
            x, y = rest[0]
            if not (0 <= x < width and 0 <= y < height):
                return [0.0] * 4
            return [float(self.buffers[buffer][(y * width + x) * 4 + i]) for i in range(4)]
        found = [self.buffers[buffer][i].item() for i in self.places(at, buffer, rest[0], count)]
        return found if count > 1 else found[0]

    def store(self, at: int, buffer: int, rest: list[Any]) -> None:
        if len(rest) > 2 and rest[2] == 0:
            return
        values = rest[1] if isinstance(rest[1], list) else [rest[1]]
        index = rest[0]
        if isinstance(self.lines[buffer].dtype, ImageDType):
            height, width, _ = self.lines[buffer].dtype.shape
            x, y = rest[0]
            if not (0 <= x < width and 0 <= y < height):
                raise MistakeError("out-of-bounds", at)
            index = (y * width + x) * 4
            values = [round_to(self.lines[buffer].dtype.scalar(), v) for v in values]
        if buffer in self.unwritten:
            self.unwritten[buffer] -= set(range(index, index + len(values)))
        for i, value in zip(self.places(at, buffer, index, len(values)), values, strict=True):
            self.buffers[buffer][i] = value

    def places(self, at: int, buffer: int, index: int, count: int) -> range:
        if index < 0 or index + count > len(self.buffers[buffer]):
            raise MistakeError("out-of-bounds", at)
        if any(i in self.unwritten.get(buffer, ()) for i in range(index, index + count)):
            raise MistakeError("uninitialised", at)
        return range(index, index + count)

    def multiply(self, core: Any, at: int, fragments: list[list[Any]]) -> list[Any]:
        """A tensor core over one group of lanes: `fragments` has the operands of each lane."""
        sources = [s for s in self.lines[at].sources if self.lines[s].uop not in VOID]
        a = sparse_matrix(core, at, fragments) if core.sparse else dense_matrix(core.a, fragments, 0)
        b = self.shared_matrix(core, at, sources[1], fragments) if core.b_is_shared else None
        b = dense_matrix(core.b, fragments, 1) if b is None else b
        options = {"b_dtype": core.b.lane_map.dtype, "saturate": core.instruction.saturate}
        if core.instruction.product != "multiply":
            options["of_bits"] = core.instruction.product
        if core.scales:
            options["scales"] = block_scales(core, fragments)
        unit = arithmetic.unit(core.unit or core.instruction.unit)
        types = core.a.lane_map.dtype, core.d.lane_map.dtype
        d = unit.matmul(a, b, dense_matrix(core.c, fragments, 2), *types, core.instruction.path, **options)
        results = []
        for elements in core.d.lane_map.coordinates():
            found = [d[(b[0] if b else 0), row, column].item() for row, column, *b in elements]
            results.append(found if len(found) > 1 else found[0])
        return results

    def shared_matrix(self, core: Any, at: int, buffer: int, fragments: list[list[Any]]) -> np.ndarray:
        """B of a wgmma: 8 columns by 16 bytes of k lie together; first come those along k, then those along n."""
        n, k, run = core.instruction.n, core.instruction.k, 16 // core.b.dtype.itemsize
        starts = {fragment[3] for fragment in fragments}
        if len(starts) > 1 or min(starts) % run:
            raise MistakeError("start", at)
        places = self.places(at, buffer, starts.pop(), n * k)
        matrix = np.zeros((1, k, n), core.b.dtype.numpy)
        for row, column in product(range(k), range(n)):
            place = column // 8 * 8 * k + row // run * 8 * run + column % 8 * run + row % run
            matrix[0, row, column] = self.buffers[buffer][places[place]]
        return matrix

    def run(self, group: tuple[int, ...], local: tuple[int, ...], cores: dict[int, Any]) -> None:
        """Run all lanes; x is innermost."""
        positions = [(x, y, z) for z, y, x in product(*(range(n) for n in local[::-1]))]
        lanes = [self.lane(group, position) for position in positions]
        stops = [next(lane, None) for lane in lanes]
        while any(stop is not None for stop in stops):
            place = min(stop[0] for stop in stops if stop is not None)
            here = [i for i, stop in enumerate(stops) if stop is not None and stop[0] == place]
            if self.lines[place[-1]].uop is UOps.BARRIER and len(here) < len(lanes):
                raise MistakeError("divergent")
            answers = self.together(place[-1], {i: stops[i][1] for i in here}, len(lanes), cores)
            for i in here:
                try:
                    stops[i] = lanes[i].send(answers.get(i))  # type: ignore[attr-defined]
                except StopIteration:
                    stops[i] = None

    def together(self, at: int, operands: dict[int, list[Any]], lanes: int, cores: dict[int, Any]) -> dict[int, Any]:
        """What a line that lanes run together gives to each of them."""
        line = self.lines[at]
        if line.uop is UOps.ATOMIC:
            return {i: self.atomic(at, line, rest[1:]) for i, rest in operands.items()}
        if line.uop is UOps.WMMA:
            return self.groups(cores[at].instruction.lanes, operands, lambda found: self.multiply(cores[at], at, found))
        if line.uop in (UOps.LDMATRIX, UOps.STMATRIX):
            return self.groups(32, operands, lambda found: self.copy_matrices(at, line, found))
        if line.uop is UOps.BARRIER:
            return {}
        answers: dict[int, Any] = {}
        for first in range(0, lanes, self.warp):
            warp = {i - first: operands[i] for i in range(first, min(first + self.warp, lanes)) if i in operands}
            exist = min(self.warp, lanes - first)
            answers |= {first + i: self.exchange(at, line, i, warp, exist) for i in warp}
        return answers

    def groups(self, size: int, operands: dict[int, list[Any]], function: Callable[..., Any]) -> dict[int, Any]:
        """What a function gives to each group of so many lanes."""
        found: dict[int, Any] = {}
        for first in sorted({lane // size * size for lane in operands}):
            group = range(first, first + size)
            if not set(group) <= set(operands):
                raise MistakeError("divergent")
            found |= zip(group, function([operands[i] for i in group]), strict=True)
        return found

    def exchange(self, at: int, line: Line, lane: int, warp: dict[int, list[Any]], exist: int) -> Any:
        """What a lane gets from its warp; `warp` has the operands of the lanes that are here."""
        wanted = {UOps.SHUFFLE: 3, UOps.VOTE: 2, UOps.WARP_BARRIER: 1}[line.uop]
        named = set(warp)
        if line.uop is UOps.WARP_BARRIER and len(warp[lane]) < wanted:
            named = set(range(exist))
        elif len(warp[lane]) == wanted:
            named = {i for i in range(self.warp) if warp[lane][-1] >> i & 1}
        if lane not in named or not named <= set(warp):
            raise MistakeError("divergent" if line.uop is UOps.WARP_BARRIER else "shuffle", at)
        if line.uop is UOps.SHUFFLE:
            by = warp[lane][1]
            places = {"up": lane - by, "down": lane + by, "xor": lane ^ by, "index": by % self.warp}
            source = places[line.arg]
            source = source if 0 <= source < self.warp else lane
            if source not in named:
                raise MistakeError("shuffle", at)
            return warp[source][0]
        if line.uop is UOps.VOTE:
            true = [i for i in named if warp[i][0] != 0]
            ballot = wrap(line.dtype, sum(1 << i for i in true)) if line.arg == "ballot" else None
            return {"any": bool(true), "all": len(true) == len(named), "ballot": ballot}[line.arg]
        return None

    def atomic(self, at: int, line: Line, rest: list[Any]) -> Any:
        """One lane's turn: the old value."""
        buffer, wanted = line.sources[0], 3 if line.arg == "compare-and-swap" else 2
        dtype = self.lines[buffer].dtype
        if len(rest) > wanted and rest[wanted] == 0:
            return self.zero(at)
        (place,) = self.places(at, buffer, rest[0], 1)
        old, value = self.buffers[buffer][place].item(), rest[wanted - 1]
        if line.arg in ("exchange", "compare-and-swap"):
            bits = (np.array([x]).astype(dtype.numpy).tobytes() for x in (old, rest[1]))
            new = value if line.arg == "exchange" or len(set(bits)) == 1 else old
        elif line.arg == "min" and dtype.is_float:
            new = -float_maximum(-old, -value)
        else:
            new = min(old, value) if line.arg == "min" else alu(line.arg.upper(), dtype, [old, value])
        self.buffers[buffer][place] = new
        return old

    def copy_matrices(self, at: int, line: Line, rest: list[list[Any]]) -> list[Any]:
        """ldmatrix or stmatrix of one warp."""
        copy, memory = copy_instruction(line.arg), self.buffers[line.sources[0]]
        found: list[Any] = []
        for lane, halves in enumerate(copy.coordinates().tolist()):
            places = [rest[copy.row_address_lane()[matrix][row]][1] + column for matrix, row, column in halves]
            if line.uop is UOps.LDMATRIX:
                found.append([memory[place].item() for place in places])
            else:
                for place, value in zip(places, rest[lane][2], strict=True):
                    memory[place] = value
                    self.unwritten[line.sources[0]].discard(place)
                found.append(None)
        return found


def run(
    program: Any,
    *buffers: Any,
    global_size: tuple[int, ...] = (1, 1, 1),
    local_size: tuple[int, ...] = (1, 1, 1),
    vals: tuple[int, ...] = (),
) -> None:
    """Run a program on flat numpy arrays, one workgroup after the other."""
    lines = program.lines
    global_size, local_size = ((*size, 1, 1)[:3] for size in (global_size, local_size))
    memory = dict(zip([i for i, x in enumerate(lines) if x.uop is UOps.DEFINE_GLOBAL], buffers, strict=True))
    variables = dict(zip([i for i, x in enumerate(lines) if x.uop is UOps.DEFINE_VAR], vals, strict=True))
    for z, y, x in product(*(range(n) for n in global_size[::-1])):
        Workgroup(lines, program.warp, memory, variables).run((x, y, z), local_size, program.cores)


assert set(FORMATS) == {name for name, dtype in dtypes.SCALARS.items() if dtype.is_float}
