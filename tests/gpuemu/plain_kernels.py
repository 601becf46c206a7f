"""Kernels by hand as lists of UOps: vector add, matrix product (naive and tiled), softmax, reduction."""

from typing import Any

from wmma_kernels import Lines

from gpuemu import BinaryOps, UnaryOps, UOps, dtypes

FLOAT, INT = dtypes.float32, dtypes.int32
Kernel = tuple[list[tuple[Any, ...]], dict[str, tuple[int, ...]]]


class KernelLines(Lines):
    """Lines with the words that kernels of float32 need."""

    def buffers(self, count: int) -> list[int]:
        """Buffers of float32; the first is written."""
        return [self.add(UOps.DEFINE_GLOBAL, FLOAT, [], (i, i == 0)) for i in range(count)]

    def load(self, buffer: int, index: int, *order: int) -> int:
        return self.add(UOps.LOAD, FLOAT, [buffer, index, *order])

    def store(self, buffer: int, index: int, value: int) -> int:
        return self.add(UOps.STORE, None, [buffer, index, value])

    def floats(self, op: BinaryOps | UnaryOps, *values: int) -> int:
        return self.add(UOps.ALU, FLOAT, list(values), op)

    def loop(self, trips: int) -> int:
        return self.add(UOps.RANGE, INT, [self.const(0), self.const(trips)], 0)

    def accumulate(self, accumulator: int, op: BinaryOps, value: int, loop: int) -> int:
        return self.add(UOps.PHI, FLOAT, [accumulator, self.floats(op, accumulator, value), loop])

    def end(self, loop: int) -> None:
        self.add(UOps.ENDRANGE, None, [loop])


def vector_add(size: int, lanes: int = 256) -> Kernel:
    """out = a + b."""
    k = KernelLines()
    out, a, b = k.buffers(3)
    i = k.plus(k.times(k.special(0, "gidx0", size // lanes), lanes), k.special(0, "lidx0", lanes))
    k.store(out, i, k.floats(BinaryOps.ADD, k.load(a, i), k.load(b, i)))
    return k.lines, {"global_size": (size // lanes, 1, 1), "local_size": (lanes, 1, 1)}


def matmul(n: int, lanes: int = 16) -> Kernel:
    """out = a @ b of n × n, a lane to an element."""
    k = KernelLines()
    out, a, b = k.buffers(3)
    column = k.plus(k.times(k.special(0, "gidx0", n // lanes), lanes), k.special(0, "lidx0", lanes))
    row = k.plus(k.times(k.special(1, "gidx1", n // lanes), lanes), k.special(1, "lidx1", lanes))
    row_start = k.times(row, n)
    total = k.add(UOps.DEFINE_ACC, FLOAT, [], 0.0)
    loop = k.loop(n)
    left = k.load(a, k.plus(row_start, loop))
    right = k.load(b, k.plus(k.times(loop, n), column))
    sum_ = k.accumulate(total, BinaryOps.ADD, k.floats(BinaryOps.MUL, left, right), loop)
    k.end(loop)
    k.store(out, k.plus(row_start, column), sum_)
    return k.lines, {"global_size": (n // lanes, n // lanes, 1), "local_size": (lanes, lanes, 1)}


def tiled_matmul(n: int, tile: int = 16, barriers: tuple[bool, bool] = (True, True)) -> Kernel:
    """out = a @ b of n × n, through tiles in local memory; `barriers` says which of the two are there."""
    k = KernelLines()
    out, a, b = k.buffers(3)
    a_tile, b_tile = (k.add(UOps.DEFINE_LOCAL, FLOAT, [], (f"{name}_tile", tile * tile)) for name in "ab")
    x, y = k.special(0, "lidx0", tile), k.special(1, "lidx1", tile)
    column = k.plus(k.times(k.special(0, "gidx0", n // tile), tile), x)
    row_start = k.times(k.plus(k.times(k.special(1, "gidx1", n // tile), tile), y), n)
    mine = k.plus(k.times(y, tile), x)
    total = k.add(UOps.DEFINE_ACC, FLOAT, [], 0.0)
    tiles = k.loop(n // tile)
    first = k.times(tiles, tile)
    stores = [
        k.store(a_tile, mine, k.load(a, k.plus(row_start, first, x))),
        k.store(b_tile, mine, k.load(b, k.plus(k.times(k.plus(first, y), n), column))),
    ]
    order = [k.add(UOps.BARRIER, None, stores)] if barriers[0] else []
    inner = k.loop(tile)
    left = k.load(a_tile, k.plus(k.times(y, tile), inner), *order)
    right = k.load(b_tile, k.plus(k.times(inner, tile), x), *order)
    sum_ = k.accumulate(total, BinaryOps.ADD, k.floats(BinaryOps.MUL, left, right), inner)
    k.end(inner)
    if barriers[1]:
        k.add(UOps.BARRIER, None, [])
    k.end(tiles)
    k.store(out, k.plus(row_start, column), sum_)
    return k.lines, {"global_size": (n // tile, n // tile, 1), "local_size": (tile, tile, 1)}


def softmax(rows: int, columns: int) -> Kernel:
    """Each row's softmax, a lane to a row: the largest, the sum of the powers, the quotients."""
    k = KernelLines()
    out, x = k.buffers(2)
    start = k.times(k.special(0, "lidx0", rows), columns)
    largest = k.add(UOps.DEFINE_ACC, FLOAT, [], float("-inf"))
    total = k.add(UOps.DEFINE_ACC, FLOAT, [], 0.0)
    log2_e = k.const(1.4426950408889634, FLOAT)

    def power(loop: int) -> int:
        above = k.floats(BinaryOps.SUB, k.load(x, k.plus(start, loop)), largest)
        return k.floats(UnaryOps.EXP2, k.floats(BinaryOps.MUL, above, log2_e))

    loop = k.loop(columns)
    k.accumulate(largest, BinaryOps.MAX, k.load(x, k.plus(start, loop)), loop)
    k.end(loop)
    loop = k.loop(columns)
    k.accumulate(total, BinaryOps.ADD, power(loop), loop)
    k.end(loop)
    loop = k.loop(columns)
    k.store(out, k.plus(start, loop), k.floats(BinaryOps.DIV, power(loop), total))
    k.end(loop)
    return k.lines, {"global_size": (1, 1, 1), "local_size": (rows, 1, 1)}


def reduction(rows: int, columns: int) -> Kernel:
    """The sum of each row by a tree in local memory: a workgroup to a row, a lane to an element."""
    k = KernelLines()
    out, x = k.buffers(2)
    shared = k.add(UOps.DEFINE_LOCAL, FLOAT, [], ("partial_sums", columns))
    row, lane = k.special(0, "gidx0", rows), k.special(0, "lidx0", columns)
    k.store(shared, lane, k.load(x, k.plus(k.times(row, columns), lane)))
    k.add(UOps.BARRIER, None, [])
    half = columns // 2
    while half:
        head = k.add(UOps.IF, None, [k.add(UOps.ALU, dtypes.bool, [lane, k.const(half)], BinaryOps.CMPLT)])
        other = k.load(shared, k.plus(lane, k.const(half)))
        k.store(shared, lane, k.floats(BinaryOps.ADD, k.load(shared, lane), other))
        k.add(UOps.ENDIF, None, [head])
        k.add(UOps.BARRIER, None, [])
        half //= 2
    first = k.add(UOps.ALU, dtypes.bool, [lane, k.const(1)], BinaryOps.CMPLT)
    k.add(UOps.STORE, None, [out, row, k.load(shared, k.const(0)), first])
    return k.lines, {"global_size": (rows, 1, 1), "local_size": (columns, 1, 1)}
