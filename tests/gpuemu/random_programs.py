"""Random well-formed programs, and their arguments, for hypothesis: every UOp except WMMA, matrix copies and images.

No two lanes touch the same element without a barrier between: each lane stores to slots of its own. Loops run at most
three times, with trip counts that may differ from lane to lane, except those of accumulators and arithmetic alone,
which run up to forty times and together; indices are taken modulo the size of what they index.
"""

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gpuemu import BinaryOps, Program, TernaryOps, UnaryOps, UOps, dtypes
from gpuemu.dtypes import DType
from gpuemu.uops import ALU_RULES, ATOMICS, COMPARISONS, SHIFTS, AluOp

IN_SIZE = 16  # elements of each input buffer; a power of two, so that AND takes an index into it
TYPES = [dtypes.parse(t) for t in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")]
TYPES += [dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]
STORED_ONLY = [dtypes.float8_e4m3fn, dtypes.float8_e5m2, dtypes.float8_e4m3fnuz, dtypes.float8_e5m2fnuz]
# The three transcendental ones have no exact answer in float64 that two libraries must share.
OPS = [op for op in ALU_RULES if op not in (UnaryOps.EXP2, UnaryOps.LOG2, UnaryOps.SIN)]

FOLDS = [BinaryOps.ADD, BinaryOps.MUL, BinaryOps.MAX]


class Case:
    """A program with its launch. A plain class, so that hypothesis shows it by its repr."""

    def __init__(
        self, program: Program, buffers: list[Any], sizes: list[tuple[int, ...]], vals: tuple[int, ...]
    ) -> None:
        self.program, self.buffers, self.vals = program, buffers, vals
        self.global_size, self.local_size = sizes

    def __repr__(self) -> str:
        launch = f"global_size={self.global_size}, local_size={self.local_size}, vals={self.vals}"
        return "\n".join([launch, *map(repr, self.buffers), self.program.to_text()])


@dataclass
class Writer:
    """Lines as they grow, and the values that may be used."""

    draw: Any
    lines: list[tuple[Any, ...]] = field(default_factory=list)
    values: dict[DType, list[int]] = field(default_factory=dict)
    accumulators: list[int] = field(default_factory=list)
    inputs: dict[DType, int] = field(default_factory=dict)
    outputs: dict[DType, int] = field(default_factory=dict)
    slots: dict[DType, int] = field(default_factory=dict)
    lanes: int = 1  # of a workgroup
    lane: int = 0  # the line with the lane's number in its workgroup
    everywhere: int = 0  # the line with the lane's number in the launch

    def add(self, uop: UOps, dtype: DType | None, sources: list[int], arg: Any = None, keep: bool = True) -> int:
        self.lines.append((uop, dtype, sources, arg))
        number = len(self.lines) - 1
        if keep and dtype is not None:
            self.values.setdefault(dtype, []).append(number)
        return number

    def const(self, value: Any, dtype: DType = dtypes.int32) -> int:
        return self.add(UOps.CONST, dtype, [], value)

    def alu(self, op: AluOp, dtype: DType, *sources: int) -> int:
        return self.add(UOps.ALU, dtype, list(sources), op)

    def pick(self, dtype: DType) -> int:
        """A value of this type: one that is there, or a constant."""
        known = self.values.get(dtype, [])
        if known and self.draw(st.integers(0, 4)):
            return self.draw(st.sampled_from(known))
        return self.const(self.draw(numbers(dtype)), dtype)

    def values_of(self, uop: UOps) -> list[int]:
        return [number for number, line in enumerate(self.lines) if line[0] is uop]

    def pick_type(self) -> DType:
        return self.draw(st.sampled_from(TYPES))

    def index(self, size: int) -> int:
        """An int32 below a power of two."""
        return self.alu(BinaryOps.AND, dtypes.int32, self.pick(dtypes.int32), self.const(size - 1))

    def linear(self, slow: int, size: int, fast: int) -> int:
        """slow · size + fast."""
        start = self.alu(BinaryOps.MUL, dtypes.int32, slow, self.const(size))
        return self.alu(BinaryOps.ADD, dtypes.int32, start, fast)


def numbers(dtype: DType) -> st.SearchStrategy[Any]:
    """Numbers that a constant of this type may have; often those at the edges."""
    if dtype.kind == "bool":
        return st.booleans()
    if dtype.is_float:
        return st.one_of(
            st.sampled_from([0.0, -0.0, 1.0, -1.5, 3.0, 65504.0, float("inf"), float("-inf"), float("nan"), 1e-7]),
            st.floats(-100, 100),
            st.floats(),
        )
    bits = 8 * dtype.numpy.itemsize
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "signed" else (0, 2**bits - 1)
    return st.one_of(st.integers(max(low, -3), 5), st.sampled_from([low, high]), st.integers(low, high))


def arrays(dtype: DType, size: int) -> st.SearchStrategy[Any]:
    """Arrays of random bits, and so with every kind of number; for bool of 0 and 1."""
    nbytes = size * dtype.numpy.itemsize
    raw = st.binary(min_size=nbytes, max_size=nbytes).map(lambda b: np.frombuffer(b, np.uint8).copy())
    if dtype.kind == "bool":
        return raw.map(lambda a: a % 2 == 1)
    return raw.map(lambda a: a.view(dtype.numpy))


def arithmetic(w: Writer) -> None:
    op = w.draw(st.sampled_from(OPS))
    base = w.draw(st.sampled_from([t for t in TYPES if t.kind in ALU_RULES[op].kinds]))
    count = w.draw(st.sampled_from([1, 1, 1, 2, 4]))
    dtype = base.vec(count)
    sources = [w.pick(dtype) for _ in range(1 if isinstance(op, UnaryOps) else 2 if isinstance(op, BinaryOps) else 3)]
    if op is TernaryOps.WHERE:
        sources[0] = w.pick(dtypes.bool.vec(count))
    if op in (BinaryOps.DIV, BinaryOps.MOD) and not base.is_float:  # a divisor with its lowest bit set is not 0
        sources[1] = w.alu(BinaryOps.OR, dtype, sources[1], w.const(1, dtype))
    if op in SHIFTS and w.draw(st.booleans()):
        sources[1] = w.add(UOps.CAST, dtypes.uint8.vec(count), [sources[1]])
    w.alu(op, dtypes.bool.vec(count) if op in COMPARISONS else dtype, *sources)


def conversion(w: Writer) -> None:
    old, new = w.pick_type(), w.pick_type()
    choice = w.draw(st.sampled_from(["cast", "bitcast", "vector", "gep", "narrow"]))
    if choice == "bitcast":
        same = [t for t in TYPES if t.itemsize == old.itemsize and t.kind != "bool"]
        if old.kind != "bool" and not old.is_float:  # a nan's bits are not told apart
            w.add(UOps.BITCAST, w.draw(st.sampled_from(same)), [w.pick(old)])
    elif choice == "cast":
        count = w.draw(st.sampled_from([1, 2]))
        w.add(UOps.CAST, new.vec(count), [w.pick(old.vec(count))])
    elif choice == "vector":
        count = w.draw(st.sampled_from([2, 4]))
        w.add(UOps.CAST, new.vec(count), [w.pick(w.draw(st.sampled_from([old, new]))) for _ in range(count)])
    elif choice == "gep":
        count = w.draw(st.sampled_from([2, 4]))
        w.add(UOps.GEP, new, [w.pick(new.vec(count))], w.draw(st.integers(0, count - 1)))
    else:
        narrow = w.add(UOps.CAST, w.draw(st.sampled_from(STORED_ONLY)), [w.pick(old)], keep=False)
        w.add(UOps.CAST, new, [narrow])


def loading(w: Writer) -> None:
    dtype = w.draw(st.sampled_from(list(w.inputs)))
    count = w.draw(st.sampled_from([1, 1, 2, 4]))
    index = w.index(IN_SIZE // 4)
    sources = [w.inputs[dtype], index]
    if w.draw(st.booleans()):  # a gate keeps an index in bounds that is not so everywhere
        wild = w.pick(dtypes.int32)
        low = w.alu(BinaryOps.CMPLT, dtypes.bool, w.const(-1), wild)
        high = w.alu(BinaryOps.CMPLT, dtypes.bool, wild, w.const(IN_SIZE - count + 1))
        gate = w.alu(BinaryOps.AND, dtypes.bool, low, high)
        sources = [w.inputs[dtype], wild, gate, w.pick(dtype.vec(count) if w.draw(st.booleans()) else dtype)]
    w.add(UOps.LOAD, dtype.vec(count), sources)


def store(w: Writer, dtype: DType, value: int, gate: list[int]) -> None:
    """Store to the next slots of the lane's own. How many it has in the end is not known yet: `fill` writes it in."""
    count = w.lines[value][1].count
    stride = w.add(UOps.CONST, dtypes.int32, [], ("slots of", dtype), keep=False)
    start = w.add(UOps.ALU, dtypes.int32, [w.everywhere, stride], BinaryOps.MUL, keep=False)
    slot = w.add(UOps.CONST, dtypes.int32, [], w.slots.get(dtype, 0), keep=False)
    place = w.add(UOps.ALU, dtypes.int32, [start, slot], BinaryOps.ADD, keep=False)
    w.slots[dtype] = w.slots.get(dtype, 0) + count
    w.add(UOps.STORE, None, [w.outputs[dtype], place, value, *gate])


def fill(line: tuple[Any, ...], slots: dict[DType, int]) -> tuple[Any, ...]:
    """The line with the number of slots in it."""
    match line:
        case (UOps.CONST, dtype, sources, ("slots of", stored)):
            return UOps.CONST, dtype, sources, slots[stored]
    return line


def storing(w: Writer) -> None:
    dtype = w.draw(st.sampled_from(list(w.outputs)))
    value = w.pick(dtype.vec(w.draw(st.sampled_from([1, 2]))))
    gate = [w.pick(w.draw(st.sampled_from([dtypes.bool, dtypes.int32])))] if w.draw(st.booleans()) else []
    store(w, dtype, value, gate)


def accumulation(w: Writer) -> None:
    """A new accumulator, or one that takes a value."""
    if not w.accumulators or w.draw(st.booleans()):
        count = w.draw(st.sampled_from([1, 1, 2]))
        dtype = w.pick_type()
        initial = w.draw(numbers(dtype))
        arg = initial if w.draw(st.booleans()) else (initial, 1, "label")
        w.accumulators.append(w.add(UOps.DEFINE_ACC, dtype.vec(count), [], arg))
        return
    accumulator = w.draw(st.sampled_from(w.accumulators))
    dtype = w.lines[accumulator][1]
    if dtype.count > 1 and w.draw(st.booleans()):
        element = w.add(UOps.GEP, dtype.scalar(), [accumulator], w.draw(st.integers(0, dtype.count - 1)))
        w.add(UOps.PHI, dtype.scalar(), [element, w.pick(dtype.scalar())])
    else:
        w.add(UOps.PHI, dtype, [accumulator, w.pick(dtype)])


def sharing(w: Writer) -> None:
    """Each lane writes its element of a local memory; after a barrier it reads another's."""
    dtype = w.draw(st.sampled_from([dtypes.int32, dtypes.float32, dtypes.half]))
    memory = w.add(UOps.DEFINE_LOCAL, dtype, [], (f"tile{len(w.lines)}", w.lanes), keep=False)
    stored = w.add(UOps.STORE, None, [memory, w.lane, w.pick(dtype)])
    barrier = w.add(UOps.BARRIER, None, [stored])
    other = w.alu(BinaryOps.MOD, dtypes.uint32, w.pick(dtypes.uint32), w.const(w.lanes, dtypes.uint32))
    w.add(UOps.LOAD, dtype, [memory, other, barrier])
    w.add(UOps.BARRIER, None, [])


def exchange(w: Writer) -> None:
    """A shuffle or a vote of the lanes that are here; an index that only they have."""
    kind, mask = w.draw(st.sampled_from(["up", "down", "xor", "index", "any", "all", "ballot"])), []
    if w.draw(st.booleans()):  # the mask of the lanes that are here is what a ballot of "true" gives
        mask = [w.add(UOps.VOTE, dtypes.uint32, [w.const(True, dtypes.bool)], "ballot")]
    if kind in ("any", "all", "ballot"):
        condition = w.pick(w.draw(st.sampled_from([dtypes.bool, dtypes.int32])))
        w.add(UOps.VOTE, dtypes.uint32 if kind == "ballot" else dtypes.bool, [condition, *mask], kind)
        return
    dtype = w.pick_type().vec(w.draw(st.sampled_from([1, 2])))
    if kind == "index":  # the lane itself, or one that is here: the first of a ballot
        number = w.lane if w.draw(st.booleans()) else first_here(w)
    else:
        number = w.const(w.draw(st.sampled_from([0, 32, 77, -40] if kind != "xor" else [0, 32, -1])))
    w.add(UOps.SHUFFLE, dtype, [w.pick(dtype), number, *mask], kind)


def first_here(w: Writer) -> int:
    """The number in its warp of the first lane that is here: the lowest bit of the ballot, by a loop that breaks."""
    ballot = w.add(UOps.VOTE, dtypes.uint32, [w.const(True, dtypes.bool)], "ballot", keep=False)
    found = w.add(UOps.DEFINE_ACC, dtypes.int32, [], 0, keep=False)
    head = w.add(UOps.RANGE, dtypes.int32, [w.const(0), w.const(32)], 0, keep=False)
    shifted = w.add(UOps.ALU, dtypes.uint32, [ballot, head], BinaryOps.SHR, keep=False)
    bit = w.add(UOps.ALU, dtypes.uint32, [shifted, w.const(1, dtypes.uint32)], BinaryOps.AND, keep=False)
    w.add(UOps.PHI, dtypes.int32, [found, head], keep=False)
    condition = w.add(UOps.IF, None, [bit])
    w.add(UOps.BREAK, None, [])
    w.add(UOps.ENDIF, None, [condition])
    w.add(UOps.ENDRANGE, None, [head])
    return found


def counting(w: Writer) -> None:
    """Each lane changes an element of a local memory, and later reads one; lanes take turns in a known order."""
    kind = w.draw(st.sampled_from(list(ATOMICS)))
    dtype = w.draw(st.sampled_from([t for t in [*TYPES, dtypes.half] if t.kind in ATOMICS[kind]]))
    memory = w.add(UOps.DEFINE_LOCAL, dtype, [], (f"counts{len(w.lines)}", w.lanes), keep=False)
    w.add(UOps.STORE, None, [memory, w.lane, w.pick(dtype)])
    w.add(UOps.BARRIER, None, [])
    size = w.const(w.draw(st.integers(1, w.lanes)), dtypes.uint32)
    index = w.alu(BinaryOps.MOD, dtypes.uint32, w.pick(dtypes.uint32), size)
    values = [w.pick(dtype) for _ in range(2 if kind == "compare-and-swap" else 1)]
    gate = [w.pick(dtypes.bool)] if w.draw(st.booleans()) else []
    head = w.add(UOps.IF, None, [w.pick(dtypes.bool)]) if w.draw(st.booleans()) else None
    w.add(UOps.ATOMIC, dtype, [memory, index, *values, *gate], kind)
    if head is not None:
        w.add(UOps.ENDIF, None, [head])
    w.add(UOps.BARRIER, None, [])
    w.add(UOps.LOAD, dtype, [memory, w.lane])
    w.add(UOps.BARRIER, None, [])


def branch(w: Writer, depth: int, loop: int) -> None:
    head = w.add(UOps.IF, None, [w.pick(w.draw(st.sampled_from([dtypes.bool, dtypes.float32])))])
    block(w, depth - 1, uniform=False, loop=loop)
    if loop and w.draw(st.integers(0, 2)) == 0:
        named = [] if w.draw(st.booleans()) else [loop]
        w.add(w.draw(st.sampled_from([UOps.BREAK, UOps.CONTINUE])), None, named)
    w.add(UOps.ENDIF, None, [head])


def counted_loop(w: Writer, depth: int, uniform: bool) -> None:
    same = w.draw(st.booleans())
    dtype = w.draw(st.sampled_from([dtypes.int32, dtypes.int8, dtypes.uint64]))
    end = w.const(3, dtype) if same else w.alu(BinaryOps.AND, dtype, w.pick(dtype), w.const(3, dtype))
    head = w.add(UOps.RANGE, dtype, [w.const(w.draw(st.integers(0, 2)), dtype), end], 0)
    block(w, depth - 1, uniform=uniform and same, loop=head)
    w.add(UOps.ENDRANGE, None, [head])


def fold(w: Writer, dtype: DType, target: int, values: list[int]) -> int:
    """An accumulator takes a sum, product or maximum of itself and a value; gives the line of one of both."""
    operands = w.draw(st.permutations([target, w.draw(st.sampled_from(values))]))
    result = w.add(UOps.ALU, dtype, operands, w.draw(st.sampled_from(FOLDS)), keep=False)
    phi = w.add(UOps.PHI, dtype, [target, result], keep=False)
    return w.draw(st.sampled_from([result, phi]))


def folding_loop(w: Writer) -> None:
    """A loop that is the same for all lanes, of nothing but arithmetic and accumulators, old or new.

    Some accumulators take a sum, product or maximum of themselves, others anything there is.
    """
    dtype = w.pick_type()
    known = [a for a in w.accumulators if w.lines[a][1] == dtype]
    own = [w.add(UOps.DEFINE_ACC, dtype, [], w.draw(numbers(dtype))) for _ in range(w.draw(st.integers(1, 3)))]
    own += known[:1] if w.draw(st.booleans()) else []
    before = w.alu(BinaryOps.ADD, dtype, w.draw(st.sampled_from(own)), w.pick(dtype))
    values = [before, w.pick(dtype)]  # what the body may take: all of the dtype
    head = w.add(
        UOps.RANGE, dtypes.int32, [w.const(0), w.const(w.draw(st.sampled_from([0, 3, 4, 9, 40])))], 0, keep=False
    )
    values.append(w.add(UOps.CAST, dtype, [head], keep=False))
    for target in own:
        if w.draw(st.booleans()):
            values.append(fold(w, dtype, target, [w.draw(st.sampled_from(values))]))
    for _ in range(w.draw(st.sampled_from([0, 0, 1, 2, 4]))):
        target, kind = w.draw(st.sampled_from(own)), w.draw(st.sampled_from(["fold", "fold", "alu", "phi"]))
        if kind == "fold":
            values.append(fold(w, dtype, target, own + values))
        elif kind == "alu":
            operands = [w.draw(st.sampled_from(own + values)), w.draw(st.sampled_from(values))]
            values.append(w.add(UOps.ALU, dtype, operands, w.draw(st.sampled_from(FOLDS)), keep=False))
        else:
            values.append(w.add(UOps.PHI, dtype, [target, w.draw(st.sampled_from(values))], keep=False))
    w.add(UOps.ENDRANGE, None, [head])


STATEMENTS = {
    "fold": folding_loop,
    "convert": conversion,
    "load": loading,
    "store": storing,
    "accumulate": accumulation,
    "exchange": exchange,
}


def block(w: Writer, depth: int, uniform: bool, loop: int = 0) -> None:
    """Some statements; `uniform` where all lanes are here together, so that a barrier may be.

    In a `loop` (its RANGE), an IF may end in an exit; what follows is then for some lanes alone.
    """
    for _ in range(w.draw(st.integers(1, 6))):
        kind = w.draw(st.sampled_from([*["alu"] * 4, *STATEMENTS, "if", "loop", "share", "count"]))
        if kind == "if" and depth:
            branch(w, depth, 0 if uniform else loop)
        elif kind == "loop" and depth:
            counted_loop(w, depth, uniform)
        elif kind == "share" and uniform:
            sharing(w)
        elif kind == "count" and uniform:
            counting(w)
        else:
            STATEMENTS.get(kind, arithmetic)(w)


def number_lanes(w: Writer, global_size: tuple[int, ...], local_size: tuple[int, ...]) -> None:
    """The lines with each lane's number, x innermost."""
    gx, gy, gz, lx, ly, lz = (
        w.add(UOps.SPECIAL, dtypes.int32, [], (i, f"{c}idx{i}", size[i]))
        for c, size in (("g", global_size), ("l", local_size))
        for i in range(3)
    )
    w.lane = w.linear(w.linear(lz, local_size[1], ly), local_size[0], lx)
    group = w.linear(w.linear(gz, global_size[1], gy), global_size[0], gx)
    w.everywhere = w.linear(group, w.lanes, w.lane)


@st.composite
def folding_cases(draw: Any) -> Case:
    """A random program of few lanes whose loops hold nothing but arithmetic and accumulators."""
    lanes = draw(st.integers(1, 3))
    w = Writer(draw, lanes=lanes)
    w.inputs[dtypes.int32] = w.add(UOps.DEFINE_GLOBAL, dtypes.int32, [], 0, keep=False)
    for dtype in TYPES:
        w.outputs[dtype] = w.add(UOps.DEFINE_GLOBAL, dtype, [], (len(w.lines), True), keep=False)
    number_lanes(w, (1, 1, 1), (lanes, 1, 1))
    loading(w)
    for _ in range(draw(st.integers(1, 2))):
        folding_loop(w)
    for accumulator in w.values_of(UOps.DEFINE_ACC):
        store(w, w.lines[accumulator][1], accumulator, [])
    buffers = [draw(arrays(dtypes.int32, IN_SIZE))]
    buffers += [np.zeros(max(1, w.slots.get(dtype, 0) * lanes), dtype.numpy) for dtype in TYPES]
    program = Program("folding", [fill(line, w.slots) for line in w.lines])
    return Case(program, buffers, [(1, 1, 1), (lanes, 1, 1)], ())


@st.composite
def cases(draw: Any) -> Case:
    """A random program with its launch."""
    global_size = draw(st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2)))
    local_size = draw(st.tuples(st.integers(1, 4), st.integers(1, 2), st.integers(1, 2)))
    w = Writer(draw, lanes=prod(local_size))
    for dtype in draw(st.lists(st.sampled_from(TYPES + STORED_ONLY), min_size=1, max_size=3, unique=True)):
        w.inputs[dtype] = w.add(UOps.DEFINE_GLOBAL, dtype, [], len(w.lines), keep=False)
    for dtype in draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)):
        w.outputs[dtype] = w.add(UOps.DEFINE_GLOBAL, dtype, [], (len(w.lines), True), keep=False)
    for dtype in (dtypes.int32, dtypes.uint8):
        w.add(UOps.DEFINE_VAR, dtype, [], f"v{len(w.lines)}")
    number_lanes(w, global_size, local_size)
    block(w, depth=2, uniform=True)
    for dtype in w.outputs:  # the last few values are seen, wherever they were made
        for value in (w.values.get(dtype, []) + w.values.get(dtype.vec(2), []))[-6:]:
            store(w, dtype, value, [])
    buffers = [draw(arrays(dtype, IN_SIZE)) for dtype in w.inputs]
    elements = w.lanes * prod(global_size)
    buffers += [np.zeros(max(1, w.slots.get(dtype, 0) * elements), dtype.numpy) for dtype in w.outputs]
    vals = draw(numbers(dtypes.int32)), draw(numbers(dtypes.uint8))
    program = Program("random", [fill(line, w.slots) for line in w.lines])
    return Case(program, buffers, [global_size, local_size], vals)
