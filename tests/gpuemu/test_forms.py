"""Indices that are forms: what is known of a program's integers, and that accesses by it are those lane by lane."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import plain_kernels
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuemu import BinaryOps, Program, UnaryOps, UOps, dtypes
from gpuemu.errors import GpuEmuError
from gpuemu.machine import lockstep
from gpuemu.machine import plan as planning
from gpuemu.machine.forms import NOTHING, Form, counter, known
from gpuemu.machine.memory import Memory

INTEGERS = [dtypes.int8, dtypes.uint8, dtypes.int32, dtypes.uint32, dtypes.int64]
OPS = [BinaryOps.ADD, BinaryOps.SUB, BinaryOps.MUL, BinaryOps.MUL, BinaryOps.DIV, BinaryOps.MOD, BinaryOps.SHL]
SIZE = 24


class Kernel:
    """A random kernel whose indices are mostly forms, and which may go outside of its buffers."""

    def __init__(self, draw: Any) -> None:
        self.draw, self.lines = draw, []
        self.out, self.x = (self.add(UOps.DEFINE_GLOBAL, dtypes.int32, [], i) for i in range(2))
        self.shared = self.add(UOps.DEFINE_LOCAL, dtypes.int32, [], ("shared", SIZE))
        self.integers = {dtype: [] for dtype in INTEGERS}
        specials = [(0, "gidx0"), (1, "gidx1"), (0, "lidx0"), (1, "lidx1")]
        for axis, name in specials:
            dtype = draw(st.sampled_from(INTEGERS))
            self.integers[dtype].append(self.add(UOps.SPECIAL, dtype, [], (axis, name, 4)))
        self.values = [self.constant(dtypes.int32)]
        for _ in range(draw(st.integers(1, 3))):
            self.statement(2)

    def add(self, uop: UOps, dtype: Any, sources: list[int], arg: Any = None) -> int:
        self.lines.append((uop, dtype, sources, arg))
        return len(self.lines) - 1

    def constant(self, dtype: Any, low: int = 0) -> int:
        return self.add(UOps.CONST, dtype, [], self.draw(st.integers(low, 9)))

    def integer(self, dtype: Any, depth: int = 3) -> int:
        kinds = ["known", "constant", "cast", "neg", *["op"] * 4] if depth else ["known", "known", "constant"]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "known" and self.integers[dtype]:
            return self.draw(st.sampled_from(self.integers[dtype]))
        if kind == "cast":
            of = self.draw(st.sampled_from(INTEGERS))
            return self.add(UOps.CAST, dtype, [self.integer(of, depth - 1)])
        if kind == "neg":
            return self.add(UOps.ALU, dtype, [self.integer(dtype, depth - 1)], UnaryOps.NEG)
        if kind == "op":
            op = self.draw(st.sampled_from(OPS))
            one = op in (BinaryOps.DIV, BinaryOps.MOD)
            left = self.integer(dtype, depth - 1)
            right = (
                self.constant(dtype, int(one)) if one or self.draw(st.booleans()) else self.integer(dtype, depth - 1)
            )
            return self.add(UOps.ALU, dtype, [left, right], op)
        return self.constant(dtype)

    def index(self) -> int:
        """Nearly always inside: an access outside ends the launch."""
        dtype = self.draw(st.sampled_from(INTEGERS))
        index = self.integer(dtype)
        if self.draw(st.integers(0, 4)):
            index = self.add(UOps.ALU, dtype, [index, self.add(UOps.CONST, dtype, [], 11)], BinaryOps.MOD)
        return index

    def gate(self) -> int:
        dtype = self.draw(st.sampled_from(INTEGERS))
        op = self.draw(st.sampled_from([BinaryOps.CMPLT, BinaryOps.CMPLT, BinaryOps.CMPEQ, BinaryOps.CMPNE]))
        gate = self.add(UOps.ALU, dtypes.bool, [self.integer(dtype, 1), self.integer(dtype, 1)], op)
        if self.draw(st.integers(0, 3)) == 0:
            return self.add(UOps.ALU, dtypes.bool, [gate, self.gate()], BinaryOps.AND)
        return gate

    def load(self, width: int) -> int:
        memory, dtype = self.draw(st.sampled_from([self.x, self.out, self.shared])), dtypes.int32.vec(width)
        index = self.index()
        gated = [self.gate(), self.draw(st.sampled_from(self.values))] if self.draw(st.booleans()) else []
        return self.add(UOps.LOAD, dtype if width > 1 else dtypes.int32, [memory, index, *gated])

    def store(self, value: int) -> None:
        memory, index = self.draw(st.sampled_from([self.out, self.shared])), self.index()
        self.add(UOps.STORE, None, [memory, index, value, *([self.gate()] if self.draw(st.booleans()) else [])])

    def statement(self, depth: int) -> None:
        kind = self.draw(st.sampled_from(["access", "access", "wide", "if", "loop"] if depth else ["access"]))
        inside = {dtype: list(found) for dtype, found in self.integers.items()}, list(self.values)
        if kind == "wide":
            self.store(self.load(2))
        elif kind == "access":
            self.values.append(self.load(1))
            mixed = [self.draw(st.sampled_from(self.values)), self.integer(dtypes.int32)]
            self.values.append(self.add(UOps.ALU, dtypes.int32, mixed, BinaryOps.ADD))
            self.store(self.draw(st.sampled_from(self.values)))
        else:
            dtype = self.draw(st.sampled_from(INTEGERS))
            opens = UOps.IF if kind == "if" else UOps.RANGE
            if opens is UOps.IF:
                head = self.add(opens, None, [self.gate()])
            else:
                end = self.constant(dtype) if self.draw(st.booleans()) else self.integer(dtype, 1)
                three = self.add(UOps.ALU, dtype, [end, self.add(UOps.CONST, dtype, [], 7)], BinaryOps.MOD)
                head = self.add(opens, dtype, [self.add(UOps.CONST, dtype, [], self.draw(st.integers(0, 2))), three], 0)
                self.integers[dtype].append(head)
            for _ in range(self.draw(st.integers(1, 2))):
                self.statement(depth - 1)
            self.add(UOps.ENDIF if opens is UOps.IF else UOps.ENDRANGE, None, [head])
            self.integers, self.values = inside


@st.composite
def kernels(draw: Any) -> tuple[Program, dict[str, tuple[int, ...]]]:
    sizes = {name: tuple(draw(st.integers(1, 4)) for _ in range(2)) for name in ("global_size", "local_size")}
    return Program("random", Kernel(draw).lines), sizes


def outcome(program: Program, sizes: dict[str, tuple[int, ...]], *, by_form: bool, checks: str) -> tuple[Any, ...]:
    """The buffer after the launch, and what it said."""
    out, x = np.arange(SIZE, dtype=np.int32), np.arange(100, 100 + SIZE, dtype=np.int32)
    planning.plan.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if not by_form:
            patch.setattr(planning, "known", lambda *_: NOTHING)
        try:
            program(out, x, **sizes, checks=checks)
        except GpuEmuError as error:
            return out.tolist(), str(error)
        finally:
            planning.plan.cache_clear()
    return out.tolist(), None


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernel=kernels(), checks=st.sampled_from(["default", "none", "none"]), batch=st.sampled_from([1, 4]))
def test_accesses_by_form_do_what_they_do_lane_by_lane(kernel: Any, checks: str, batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "LEAST_BATCH", batch)
        found, expected = (outcome(*kernel, by_form=by_form, checks=checks) for by_form in (True, False))
    assert found == expected, kernel[0].to_text()


def lookups(monkeypatch: pytest.MonkeyPatch, lines: Any, sizes: Any, buffers: list[Any]) -> int:
    """How many accesses of a launch look up an index a lane."""
    count, places = 0, Memory.places

    def counting(*args: Any) -> Any:
        nonlocal count
        count += 1
        return places(*args)

    monkeypatch.setattr(Memory, "places", counting)
    Program("p", lines)(*buffers, **sizes)
    return count


@pytest.mark.parametrize("name", ["vector_add", "matmul", "tiled_matmul", "softmax", "reduction"])
def test_accesses_by_form_look_up_no_index(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    size = (4, 64) if name in ("softmax", "reduction") else (64,) if name.endswith("matmul") else (1024,)
    lines, sizes = getattr(plain_kernels, name)(*size)
    buffers = [np.ones(64 * 64, np.float32) for line in lines if line[0] is UOps.DEFINE_GLOBAL]
    assert lookups(monkeypatch, lines, sizes, buffers) == 0


def test_only_the_chunk_with_a_lane_outside_looks_up_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    i = k.plus(k.times(k.special(0, "gidx0", 0), 256), k.special(0, "lidx0", 256))
    here = k.add(UOps.ALU, dtypes.bool, [i, k.const(1000 * 256 - 3)], BinaryOps.CMPLT)
    loaded = k.add(UOps.LOAD, dtypes.float32, [x, i, here, k.const(0.0, dtypes.float32)])
    k.add(UOps.STORE, None, [out, i, loaded, here])
    sizes = {"global_size": (1000, 1, 1), "local_size": (256, 1, 1)}
    given, result = np.arange(1000 * 256 - 3, dtype=np.float32), np.zeros(1000 * 256 - 3, np.float32)
    assert lookups(monkeypatch, k.lines, sizes, [result, given]) == 2
    np.testing.assert_array_equal(result, given)


def test_a_plan_is_kept_for_the_next_launch() -> None:
    lines, sizes = plain_kernels.vector_add(1024)
    program, buffers = Program("add", lines), [np.ones(1024, np.float32) for _ in range(3)]
    program(*buffers, **sizes)
    before = planning.plan.cache_info().misses
    program(*buffers, **sizes)
    assert planning.plan.cache_info().misses == before


def test_launches_of_one_program_in_several_threads_do_not_disturb_each_other() -> None:
    """They share the plan, in launches of several sizes."""
    lines, _ = plain_kernels.reduction(64, 32)
    program, rng = Program("reduction", lines), np.random.default_rng(0)

    def wrong(rows: int) -> int:
        x, out = rng.integers(0, 9, (rows, 32)).astype(np.float32), np.zeros(rows, np.float32)
        program(out, x, global_size=(rows, 1, 1), local_size=(32, 1, 1))
        return int((out != x.sum(axis=1)).sum())

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(wrong, [1, 64, 3, 64, 2000, 5] * 20)) == 0


def form_of(lines: list[Any], sizes: tuple[Any, Any] = ((8, 1, 1), (32, 1, 1))) -> Form | None:
    return known(Program("p", lines).structure, *sizes, ()).forms.get(len(lines) - 1)


LANE, GROUP = (UOps.SPECIAL, dtypes.int32, [], (0, "lidx0", 32)), (UOps.SPECIAL, dtypes.int32, [], (0, "gidx0", 8))


@pytest.mark.parametrize(
    ("op", "number", "form"),
    [
        (BinaryOps.ADD, 3, Form(3, ((2, 32), (5, 1)))),
        (BinaryOps.SHL, 1, Form(0, ((2, 64), (5, 2)))),
        (BinaryOps.DIV, 32, Form(0, ((2, 1),))),
        (BinaryOps.MOD, 32, Form(0, ((5, 1),))),
        (BinaryOps.DIV, 16, None),
        (BinaryOps.MUL, 2**24, None),  # the last lane's value wraps
        (BinaryOps.MUL, 2**23, Form(0, ((2, 2**28), (5, 2**23)))),
    ],
)
def test_what_an_op_makes_of_a_form(op: BinaryOps, number: int, form: Form | None) -> None:
    lines = [LANE, GROUP, (UOps.CONST, dtypes.int32, [], 32), (UOps.ALU, dtypes.int32, [1, 2], BinaryOps.MUL)]
    lines += [(UOps.ALU, dtypes.int32, [3, 0], BinaryOps.ADD), (UOps.CONST, dtypes.int32, [], number)]
    assert form_of([*lines, (UOps.ALU, dtypes.int32, [4, 5], op)]) == form


def test_a_counter_is_a_form_where_all_lanes_count_alike() -> None:
    zero, range_ = (UOps.CONST, dtypes.int32, [], 0), (UOps.RANGE, dtypes.int32, [1, 2], 0)
    use, end = (UOps.ALU, dtypes.int32, [3, 2], BinaryOps.ADD), (UOps.ENDRANGE, None, [3], None)
    for last, form in (((UOps.CONST, dtypes.int32, [], 7), Form(7, ((counter(3), 1),))), (LANE, None)):
        structure = Program("p", [LANE, zero, last, range_, use, end]).structure
        assert known(structure, (1, 1, 1), (32, 1, 1), ()).forms.get(4) == form


def test_a_value_that_is_read_after_its_block_is_no_form() -> None:
    condition = (UOps.ALU, dtypes.bool, [0, 1], BinaryOps.CMPLT)
    lines = [LANE, (UOps.CONST, dtypes.int32, [], 4), condition, (UOps.IF, None, [2], None)]
    lines += [(UOps.ALU, dtypes.int32, [0, 1], BinaryOps.ADD), (UOps.ENDIF, None, [3], None)]
    lines += [(UOps.ALU, dtypes.int32, [4, 1], BinaryOps.ADD)]
    assert form_of(lines) is None
