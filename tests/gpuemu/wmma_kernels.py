"""A matrix product on tensor cores as a list of UOps, for every target: each lane loads its own elements.

Where a lane's elements are in a row-major matrix follows from the instruction's lane map: the map is a View over the
operand, so an index digit of the lane moves so many rows and columns, and a row of the matrix is `columns` elements.
"""

from gpuemu import BinaryOps, UOps, dtypes
from gpuemu.dtypes import DType
from gpuemu.machine.wmma import resolve
from gpuemu.tensorcores.lanemap import LaneMap

# (the arg of WMMA, N, M, K) as tinygrad 0.9 spells it.
SEED_ARGS = {
    "METAL": ("WMMA_8_8_8_half_float", (8, 8, 8), dtypes.half, dtypes.float32, (2, 2, 2), "METAL"),
    "HSA": ("WMMA_16_16_16_half_float", (16, 16, 16), dtypes.half, dtypes.float32, (16, 16, 8), "HSA"),
    "CUDA": ("WMMA_8_16_16_half_float", (8, 16, 16), dtypes.half, dtypes.float32, (8, 4, 4), "CUDA"),
}


class Lines:
    """A list of lines that grows; each method gives the number of the line it adds."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []

    def add(self, uop: UOps, dtype: DType | None, sources: list[int], arg: object = None) -> int:
        self.lines.append((uop, dtype, sources, arg))
        return len(self.lines) - 1

    def const(self, value: int, dtype: DType = dtypes.int32) -> int:
        return self.add(UOps.CONST, dtype, [], value)

    def alu(self, op: BinaryOps, left: int, right: int) -> int:
        return self.add(UOps.ALU, dtypes.int32, [left, right], op)

    def times(self, left: int, factor: int) -> int:
        return self.alu(BinaryOps.MUL, left, self.const(factor))

    def plus(self, *terms: int) -> int:
        total = terms[0]
        for term in terms[1:]:
            total = self.alu(BinaryOps.ADD, total, term)
        return total

    def special(self, axis: int, name: str, size: int) -> int:
        return self.add(UOps.SPECIAL, dtypes.int32, [], (axis, name, size))


def _steps(lane_map: LaneMap, columns: int) -> list[tuple[int, int]]:
    """The size of each digit of (lane, element), and how far a step moves in a row-major matrix of these columns."""
    view = lane_map.view
    assert view is not None
    steps = (divmod(int(stride), lane_map.columns) for stride in view.strides)
    return [(int(size), rows * columns + across) for size, (rows, across) in zip(view.shape, steps, strict=True)]


def lane_offset(lines: Lines, lane: int, lane_map: LaneMap, columns: int) -> int:
    """The line with the offset of each lane's first element from the corner of its tile."""
    digits = _steps(lane_map, columns)[: len(lane_map.lane_shape)]
    below, terms = 1, []
    for size, step in reversed(digits):
        digit = lane if below == 1 else lines.alu(BinaryOps.DIV, lane, lines.const(below))
        terms.append(lines.times(lines.alu(BinaryOps.MOD, digit, lines.const(size)), step))
        below *= size
    return lines.plus(*terms)


def element_offsets(lane_map: LaneMap, columns: int) -> list[int]:
    """How far each of a lane's elements is from its first one."""
    offsets = [0]
    for size, step in _steps(lane_map, columns)[len(lane_map.lane_shape) :]:
        offsets = [offset + i * step for offset in offsets for i in range(size)]
    return offsets


def matmul(arg: object, m: int, n: int, k: int, warps: int = 4) -> tuple[list[tuple[object, ...]], dict[str, tuple]]:
    """Lines and launch sizes of out[m, n] = a[m, k] @ b[k, n], all row-major, with several warps a workgroup.

    A warp makes one tile of out; the warps of a workgroup lie side by side along n.

    Parameters
    ----------
    arg
        The arg of the WMMA line: an instruction's name, or one of SEED_ARGS.
    """
    core = resolve(arg)
    lanes, tile = core.instruction.lanes, core.instruction
    lines = Lines()
    out, a, b = (
        lines.add(UOps.DEFINE_GLOBAL, fragment.dtype.scalar(), [], (label, label == 0))
        for label, fragment in enumerate((core.d, core.a, core.b))
    )
    tile_row = lines.special(1, "gidx1", m // tile.m)
    group, warp = lines.special(0, "gidx0", n // tile.n // warps), lines.special(1, "lidx1", warps)
    lane = lines.special(0, "lidx0", lanes)
    tile_column = lines.plus(lines.times(group, warps), warp)
    a_corner = lines.plus(lines.times(tile_row, tile.m * k), lane_offset(lines, lane, core.a.lane_map, k))
    b_corner = lines.plus(lines.times(tile_column, tile.n), lane_offset(lines, lane, core.b.lane_map, n))
    d_corner = lines.plus(
        lines.times(tile_row, tile.m * n),
        lines.times(tile_column, tile.n),
        lane_offset(lines, lane, core.d.lane_map, n),
    )
    start, end = lines.const(0), lines.const(k // tile.k)
    loop = len(lines.lines) + 1  # the accumulator comes first, and names the loop that follows it
    accumulator = lines.add(UOps.DEFINE_ACC, core.c.dtype, [loop], (0.0, 0))
    assert lines.add(UOps.RANGE, dtypes.int32, [start, end], (0, 0)) == loop

    def fragment(buffer: int, corner: int, dtype: DType, offsets: list[int]) -> int:
        loads = [
            lines.add(UOps.LOAD, dtype.scalar(), [buffer, lines.plus(corner, lines.const(offset))])
            for offset in offsets
        ]
        return lines.add(UOps.CAST, dtype, loads)

    a_here = lines.plus(a_corner, lines.times(loop, tile.k))
    b_here = lines.plus(b_corner, lines.times(loop, tile.k * n))
    a_fragment = fragment(a, a_here, core.a.dtype, element_offsets(core.a.lane_map, k))
    b_fragment = fragment(b, b_here, core.b.dtype, element_offsets(core.b.lane_map, n))
    product = lines.add(UOps.WMMA, core.d.dtype, [a_fragment, b_fragment, accumulator], arg)
    total = lines.add(UOps.PHI, core.c.dtype, [accumulator, product, loop])
    lines.add(UOps.ENDRANGE, None, [loop])
    for element, offset in enumerate(element_offsets(core.d.lane_map, n)):
        value = lines.add(UOps.GEP, core.d.dtype.scalar(), [total], element)
        lines.add(UOps.STORE, None, [out, lines.plus(d_corner, lines.const(offset)), value])
    sizes = {"global_size": (n // tile.n // warps, m // tile.m, 1), "local_size": (lanes, warps, 1)}
    return lines.lines, sizes
