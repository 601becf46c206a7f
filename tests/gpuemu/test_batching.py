"""Loops whose iterations run together, and loops whose do not."""

from typing import Any

import numpy as np
import plain_kernels
import pytest
import wmma_kernels
from oracles import scalar_engine

from gpuemu import BinaryOps, Program, UnaryOps, UOps, dtypes
from gpuemu.errors import DivisionError, HazardError
from gpuemu.machine.arithmetic import FUNCTIONS, in_order
from gpuemu.machine.batching import batches

INT, FLOAT = dtypes.int32, dtypes.float32


def kernel(body: Any, trips: int = 8) -> tuple[Program, list[int]]:
    """A loop around the lines that `body` adds, given (lines, out, other, loop, total)."""
    k = plain_kernels.KernelLines()
    out, other = k.buffers(2)
    total = k.add(UOps.DEFINE_ACC, FLOAT, [], 0.0)
    loop = k.loop(trips)
    body(k, out, other, loop, total)
    k.end(loop)
    return Program("loop", k.lines), [loop]


def copy(k: Any, out: int, other: int, loop: int, total: int) -> None:
    k.store(out, loop, k.load(other, loop))


def summed(k: Any, out: int, other: int, loop: int, total: int) -> None:
    k.accumulate(total, BinaryOps.ADD, k.load(other, loop), loop)


def shifted(k: Any, out: int, other: int, loop: int, total: int) -> None:
    k.store(out, k.plus(loop, k.const(1)), k.load(out, loop))


def prefix_sums(k: Any, out: int, other: int, loop: int, total: int) -> None:
    k.store(out, loop, k.accumulate(total, BinaryOps.ADD, k.load(other, loop), loop))


def stored_twice(k: Any, out: int, other: int, loop: int, total: int) -> None:
    copy(k, out, other, loop, total)
    copy(k, out, other, loop, total)


@pytest.mark.parametrize("body", [copy, summed])
def test_iterations_run_together_where_only_accumulators_tie_them(body: Any) -> None:
    program, loops = kernel(body)
    assert list(batches(program.structure)) == loops


@pytest.mark.parametrize("body", [shifted, prefix_sums, stored_twice])
def test_iterations_stay_in_turn_where_memory_ties_them(body: Any) -> None:
    program, _ = kernel(body)
    assert not batches(program.structure)


def test_what_reads_an_accumulator_runs_in_turn() -> None:
    lines, _ = plain_kernels.softmax(4, 8)
    program = Program("softmax", lines)
    plans = batches(program.structure)
    assert len(plans) == 3
    in_turn = [[program.lines[i].uop for i in plan.in_turn] for plan in plans.values()]
    assert in_turn == [[UOps.ALU, UOps.PHI], [UOps.ALU, UOps.PHI], []]


def test_the_loop_of_a_tensor_core_product_loads_together() -> None:
    lines, _ = wmma_kernels.matmul("m16n8k16", 16, 8, 32, warps=1)
    (plan,) = batches(Program("wmma", lines).structure).values()
    assert len(plan.in_turn) == 2


def test_a_sum_keeps_its_order() -> None:
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    total = k.add(UOps.DEFINE_ACC, FLOAT, [], 0.0)
    loop = k.loop(1000)
    k.accumulate(total, BinaryOps.ADD, k.load(x, loop), loop)
    k.end(loop)
    k.store(out, k.const(0), total)
    values, found = np.random.default_rng(5).standard_normal(1000).astype(np.float32), np.zeros(1, np.float32)
    Program("sum", k.lines)(found, values)
    expected = np.float32(0)
    for value in values:
        expected += value
    assert found[0] == expected


def test_buffers_that_overlap_are_read_in_turn() -> None:
    program, _ = kernel(copy, trips=7)
    memory = np.arange(8, dtype=np.float32)
    program(memory[1:], memory[:-1])
    assert memory.tolist() == [0.0] * 8


def test_the_first_iteration_that_leaves_a_buffer_is_reported() -> None:
    program, _ = kernel(copy, trips=100)
    with pytest.raises(HazardError, match="reads element 10 of data1, which has 10 elements") as caught:
        program(np.zeros(100, np.float32), np.zeros(10, np.float32))
    assert caught.value.reports[0].lanes[0].workgroup == (0, 0, 0)
    assert caught.value.reports[0].count == 1


def test_a_division_by_zero_in_a_late_iteration_is_reported() -> None:
    k = wmma_kernels.Lines()
    out = k.add(UOps.DEFINE_GLOBAL, INT, [], 0)
    loop = k.add(UOps.RANGE, INT, [k.const(-5), k.const(5)], 0)
    k.add(UOps.STORE, None, [out, k.const(0), k.alu(BinaryOps.DIV, k.const(10), loop)])
    k.add(UOps.ENDRANGE, None, [loop])
    with pytest.raises(DivisionError, match="DIV of int32 by zero in lane 0"):
        Program("late", k.lines)(np.zeros(1, np.int32))


def test_the_last_iteration_that_stores_to_an_element_stays() -> None:
    k = wmma_kernels.Lines()
    out = k.add(UOps.DEFINE_GLOBAL, INT, [], 0)
    lane = k.special(0, "lidx0", 2)
    loop = k.add(UOps.RANGE, INT, [k.const(0), k.const(9)], 0)
    k.add(UOps.STORE, None, [out, lane, loop])
    k.add(UOps.ENDRANGE, None, [loop])
    x = np.zeros(2, np.int32)
    Program("last", k.lines)(x, local_size=(2,))
    assert x.tolist() == [8, 8]


@pytest.mark.parametrize("dtype", [dtypes.int8, dtypes.uint64, dtypes.half, dtypes.bfloat16, FLOAT, dtypes.bool])
@pytest.mark.parametrize("op", [BinaryOps.ADD, BinaryOps.MUL, BinaryOps.MAX])
def test_values_in_order_round_and_wrap_as_one_by_one(op: BinaryOps, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    raw = rng.integers(0, 256, 20 * 5 * dtype.itemsize).astype(np.uint8)
    values = raw.view(dtype.numpy).reshape(20, 5) if dtype.kind != "bool" else raw.reshape(20, 5) % 2 == 1
    if dtype.is_float:  # nan, and zeros of both signs alone
        values[:, 0], values[::2, 1], values[:, 2] = -0.0, np.nan, np.array([-0.0, 0.0] * 10, dtype.numpy)
    start = expected = values[:1]
    with np.errstate(all="ignore"):
        found = in_order(op, start, values[1:], 19)
        for i in range(1, 20):
            expected = FUNCTIONS[op](expected, values[i : i + 1])
    nan = expected != expected
    assert np.array_equal(nan, found != found)
    assert found[~nan].tobytes() == expected[~nan].tobytes()


def test_sums_and_the_largest_of_a_loop_are_folds() -> None:
    lines, _ = plain_kernels.softmax(4, 8)
    plans = list(batches(Program("softmax", lines).structure).values())
    assert [[fold.op.name for fold in plan.folds] for plan in plans] == [["MAX"], ["ADD"], []]


def test_a_sum_that_the_loop_reads_is_no_fold() -> None:
    def body(k: Any, out: int, other: int, loop: int, total: int) -> None:
        doubled = k.floats(BinaryOps.ADD, total, total)
        k.add(UOps.PHI, FLOAT, [total, doubled, loop])

    program, _ = kernel(body)
    (plan,) = batches(program.structure).values()
    assert not plan.folds


def looped(body: Any, initials: tuple[int, ...], trips: int = 8) -> list[int]:
    """What accumulators hold after a loop around the lines that `body` adds, given (lines, accumulators)."""
    k = wmma_kernels.Lines()
    out = k.add(UOps.DEFINE_GLOBAL, INT, [], 0)
    accumulators = [k.add(UOps.DEFINE_ACC, INT, [], initial) for initial in initials]
    before = k.alu(BinaryOps.ADD, accumulators[0], k.const(1))
    loop = k.add(UOps.RANGE, INT, [k.const(0), k.const(trips)], 0)
    body(k, accumulators, loop, before)
    k.add(UOps.ENDRANGE, None, [loop])
    for place, accumulator in enumerate(accumulators):
        k.add(UOps.STORE, None, [out, k.const(place), accumulator])
    found, expected = np.zeros(len(initials), np.int32), np.zeros(len(initials), np.int32)
    program = Program("loop", k.lines)
    program(found)
    scalar_engine.run(program, expected)
    assert found.tolist() == expected.tolist()
    return list(found.tolist())


def test_a_sum_of_sums_takes_each_of_them() -> None:
    def body(k: Any, accumulators: list[int], loop: int, before: int) -> None:
        total = k.alu(BinaryOps.ADD, accumulators[0], k.alu(BinaryOps.ADD, loop, k.const(1)))
        k.add(UOps.PHI, INT, [accumulators[0], total])
        k.add(UOps.PHI, INT, [accumulators[1], k.alu(BinaryOps.ADD, accumulators[1], total)])

    assert looped(body, (0, 0)) == [36, 120]


def test_a_sum_that_takes_another_accumulator_reads_its_present_value() -> None:
    def body(k: Any, accumulators: list[int], loop: int, before: int) -> None:
        for one, other in (accumulators, accumulators[::-1]):
            k.add(UOps.PHI, INT, [one, k.alu(BinaryOps.ADD, one, other)])

    assert looped(body, (1, 1), trips=4) == [34, 55]


def test_an_accumulator_takes_what_was_computed_before_the_loop() -> None:
    def body(k: Any, accumulators: list[int], loop: int, before: int) -> None:
        k.add(UOps.ALU, INT, [accumulators[0]], UnaryOps.NEG)
        k.add(UOps.PHI, INT, [accumulators[0], before])

    assert looped(body, (5,)) == [6]


def test_two_accumulators_that_take_one_sum() -> None:
    def body(k: Any, accumulators: list[int], loop: int, before: int) -> None:
        total = k.alu(BinaryOps.ADD, accumulators[0], accumulators[1])
        k.add(UOps.PHI, INT, [accumulators[0], total])
        k.add(UOps.PHI, INT, [accumulators[1], total])

    assert looped(body, (1, 2), trips=4) == [24, 24]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lanes", [(1, 1), (1, 2), (2, 1), (3, 5), (1, 64), (64, 1)])
@pytest.mark.parametrize("op", [BinaryOps.ADD, BinaryOps.MUL])
def test_long_sums_of_any_lanes_are_in_order(op: BinaryOps, lanes: tuple[int, int], dtype: Any) -> None:
    rng = np.random.default_rng(6)
    values = (1 + rng.standard_normal((*lanes, 1000)) * 2.0**-5).astype(dtype).transpose(2, 0, 1)
    for one in (values, np.ascontiguousarray(values)):
        expected = one[:1]
        for i in range(1, 1000):
            expected = FUNCTIONS[op](expected, one[i : i + 1])
        assert in_order(op, one[:1], one[1:], 999).tobytes() == expected.tobytes()
