"""What each UOp means, on small programs; and what the lockstep engine reports."""

from typing import Any

import numpy as np
import plain_kernels
import pytest
import wmma_kernels

from gpuemu import BinaryOps, Program, UOps, dtypes
from gpuemu.dtypes import DType
from gpuemu.errors import DivisionError, HazardError, LaunchError
from gpuemu.machine import grid
from gpuemu.tensorcores import instruction

INT, FLOAT, HALF, BOOL = dtypes.int32, dtypes.float32, dtypes.half, dtypes.bool


class Kernel(wmma_kernels.Lines):
    """Lines, with a lane number and an output of one int32 (or of another type) a lane."""

    def __init__(self, dtype: DType = INT) -> None:
        super().__init__()
        self.out = self.add(UOps.DEFINE_GLOBAL, dtype, [], (0, True))
        self.lane = self.special(0, "lidx0", 4)

    def store(self, value: int, index: int | None = None, gate: list[int] | None = None) -> int:
        place = self.lane if index is None else index
        return self.add(UOps.STORE, None, [self.out, place, value, *(gate or [])])

    def below(self, bound: int) -> int:
        return self.add(UOps.ALU, BOOL, [self.lane, self.const(bound)], BinaryOps.CMPLT)

    def range(self, start: int, end: int) -> int:
        return self.add(UOps.RANGE, INT, [start, end], 0)

    def run(self, out: list[Any] | np.ndarray, *others: Any, lanes: int = 4, **launch: Any) -> Any:
        array = np.array(out, np.int32) if isinstance(out, list) else out
        self.lines[self.lane] = (UOps.SPECIAL, INT, [], (0, "lidx0", lanes))
        Program("test", self.lines, warp=launch.pop("warp", 32))(array, *others, local_size=(lanes, 1, 1), **launch)
        return array.tolist()


# --- control ----------------------------------------------------------------------------------------------------------


def test_lanes_whose_condition_is_false_do_nothing() -> None:
    k = Kernel()
    head = k.add(UOps.IF, None, [k.below(1)])
    k.store(k.const(7))
    k.add(UOps.ENDIF, None, [head])
    assert k.run([0, 0, 0, 0]) == [7, 0, 0, 0]


@pytest.mark.parametrize("bound", [0, -3])
def test_a_zero_trip_loop_runs_nothing(bound: int) -> None:
    k = Kernel()
    loop = k.range(k.const(0), k.const(bound))
    k.store(k.const(7))
    k.add(UOps.ENDRANGE, None, [loop])
    assert k.run([1, 1, 1, 1]) == [1, 1, 1, 1]


def test_the_accumulator_of_a_zero_trip_loop_is_its_initial_value() -> None:
    k = Kernel()
    total = k.add(UOps.DEFINE_ACC, INT, [], 5)
    loop = k.range(k.const(0), k.const(0))
    phi = k.add(UOps.PHI, INT, [total, k.plus(total, loop), loop])
    k.add(UOps.ENDRANGE, None, [loop])
    k.store(phi)
    assert k.run([0] * 4) == [5] * 4


def test_trip_counts_may_differ_from_lane_to_lane() -> None:
    k = Kernel()
    total = k.add(UOps.DEFINE_ACC, INT, [], 0)
    loop = k.range(k.const(0), k.lane)
    phi = k.add(UOps.PHI, INT, [total, k.plus(total, k.plus(loop, k.const(1))), loop])
    k.add(UOps.ENDRANGE, None, [loop])
    k.store(phi)
    assert k.run([0] * 4) == [0, 1, 3, 6]


def test_a_loop_counts_from_its_start_and_excludes_its_end() -> None:
    k = Kernel()
    loop = k.range(k.const(2), k.const(4))
    k.store(k.const(9), index=loop)
    k.add(UOps.ENDRANGE, None, [loop])
    assert k.run([0] * 6) == [0, 0, 9, 9, 0, 0]


@pytest.mark.parametrize(("inside", "expected"), [(True, 2), (False, 6)])
def test_an_accumulator_is_set_where_its_line_is_reached(inside: bool, expected: int) -> None:
    k = Kernel()
    total = 0 if inside else k.add(UOps.DEFINE_ACC, INT, [], 0)
    outer = k.range(k.const(0), k.const(3))
    if inside:
        total = k.add(UOps.DEFINE_ACC, INT, [], 0)
    inner = k.range(k.const(0), k.const(2))
    phi = k.add(UOps.PHI, INT, [total, k.plus(total, k.const(1)), inner, outer])
    k.add(UOps.ENDRANGE, None, [inner])
    k.add(UOps.ENDRANGE, None, [outer])
    k.store(phi)
    assert k.run([0] * 4) == [expected] * 4


def test_two_accumulators_in_nested_loops_keep_apart() -> None:
    k = Kernel()
    first, second = (k.add(UOps.DEFINE_ACC, INT, [], (initial, "label")) for initial in (0, 100))
    outer = k.range(k.const(0), k.const(3))
    k.add(UOps.PHI, INT, [first, k.plus(first, outer), outer])
    inner = k.range(k.const(0), outer)
    k.add(UOps.PHI, INT, [second, k.plus(second, first), inner, outer])
    k.add(UOps.ENDRANGE, None, [inner])
    k.add(UOps.ENDRANGE, None, [outer])
    k.store(k.plus(first, second))
    assert k.run([0] * 4) == [3 + 100 + 1 * 1 + 2 * 3] * 4


def test_what_an_op_took_from_an_accumulator_stays() -> None:
    k = Kernel()
    total = k.add(UOps.DEFINE_ACC, INT, [], 1)
    before = k.plus(total, k.const(0))
    phi = k.add(UOps.PHI, INT, [total, k.const(10)])
    k.add(UOps.PHI, INT, [total, k.const(100)])
    k.store(k.plus(before, phi))
    assert k.run([0] * 4) == [101] * 4


def test_a_phi_may_write_one_element_of_a_vector() -> None:
    k = Kernel()
    vector = k.add(UOps.DEFINE_ACC, INT.vec(2), [], 1)
    kept = k.add(UOps.GEP, INT, [vector], 1)
    phi = k.add(UOps.PHI, INT, [kept, k.plus(kept, k.lane)])
    first = k.add(UOps.GEP, INT, [vector], 0)
    k.store(k.plus(k.times(phi, 100), k.plus(k.times(kept, 10), first)))
    assert k.run([0] * 4) == [111, 211, 311, 411]


def test_a_value_of_a_lane_that_never_ran_its_line_is_zero_outside() -> None:
    k = Kernel()
    head = k.add(UOps.IF, None, [k.below(2)])
    value = k.plus(k.lane, k.const(5))
    k.add(UOps.ENDIF, None, [head])
    k.store(value)
    assert k.run([9] * 4) == [5, 6, 0, 0]


def test_nested_ifs_and_loops_hold_their_lanes_apart() -> None:
    k = Kernel()
    loop = k.range(k.lane, k.const(4))
    head = k.add(UOps.IF, None, [k.below(3)])
    k.store(loop)
    k.add(UOps.ENDIF, None, [head])
    k.add(UOps.ENDRANGE, None, [loop])
    assert k.run([-1] * 4) == [3, 3, 3, -1]


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_store_whose_gate_is_false_makes_no_access() -> None:
    k = Kernel()
    k.store(k.const(7), index=k.times(k.lane, 1000), gate=[k.below(1)])
    assert k.run([0, 0]) == [7, 0]


def test_a_gate_that_is_no_bool_is_true_where_it_is_not_0() -> None:
    k = Kernel()
    k.store(k.const(7), gate=[k.lane])
    assert k.run([0] * 4) == [0, 7, 7, 7]


def test_a_load_whose_gate_is_false_gives_the_alternative() -> None:
    k = Kernel()
    index = k.times(k.lane, -5)
    k.store(k.add(UOps.LOAD, INT, [k.out, index, k.below(1), k.lane]))
    assert k.run([8, 0, 0, 0]) == [8, 1, 2, 3]


@pytest.mark.parametrize("width", [1, 2])
def test_a_vector_load_has_a_scalar_gate_and_a_scalar_or_vector_alternative(width: int) -> None:
    k = Kernel()
    other = k.add(UOps.CONST, INT.vec(width), [], -1)
    pair = k.add(UOps.LOAD, INT.vec(2), [k.out, k.times(k.lane, 2), k.below(2), other])
    k.add(UOps.STORE, None, [k.out, k.times(k.lane, 2), pair])
    assert k.run(list(range(8))) == [0, 1, 2, 3, -1, -1, -1, -1]


def test_a_vector_load_reads_consecutive_elements() -> None:
    k = Kernel()
    four = k.add(UOps.LOAD, INT.vec(4), [k.out, k.const(1)])
    total = k.plus(*(k.add(UOps.GEP, INT, [four], i) for i in range(4)))
    k.store(total, index=k.const(0))
    assert k.run([0, 1, 10, 100, 1000]) == [1111, 1, 10, 100, 1000]


@pytest.mark.parametrize(("step", "index"), [(5, 5), (-1, -1)])
@pytest.mark.parametrize("verb", ["reads", "writes"])
def test_an_access_out_of_bounds_is_named(step: int, index: int, verb: str) -> None:
    k = Kernel()
    place = k.times(k.lane, step)
    k.add(UOps.LOAD, INT, [k.out, place]) if verb == "reads" else k.store(k.lane, index=place)
    with pytest.raises(HazardError, match=f"{verb} element {index} of data0, which has 4 elements") as caught:
        k.run([0] * 4, global_size=(2, 1, 1), warp=1)
    (report,) = caught.value.reports
    assert (report.kind, report.buffer, report.index, report.count) == ("out-of-bounds", "data0", index, 6)
    assert report.lines == (len(k.lines) - 1,)
    assert (report.lanes[0].workgroup, report.lanes[0].lane, report.lanes[0].warp) == ((0, 0, 0), 1, 1)


def test_out_of_bounds_is_an_error_whatever_the_checks() -> None:
    k = Kernel()
    k.store(k.lane, index=k.const(4))
    with pytest.raises(HazardError, match="writes element 4 of data0"):
        k.run([0] * 4, checks="none")


def test_a_vector_that_ends_outside_is_out_of_bounds() -> None:
    k = Kernel()
    k.add(UOps.LOAD, INT.vec(4), [k.out, k.const(1)])
    with pytest.raises(HazardError, match="reads elements 1 to 4 of data0, which has 4 elements") as caught:
        k.run([0] * 4)
    assert caught.value.reports[0].index == 4
    assert caught.value.reports[0].fix == "Guard the access with index + 3 < 4, or give a larger buffer"


def test_a_huge_unsigned_index_is_out_of_bounds() -> None:
    k = Kernel()
    k.add(UOps.LOAD, INT, [k.out, k.const(2**64 - 1, dtypes.uint64)])
    with pytest.raises(HazardError, match="reads element 18446744073709551615 of data0"):
        k.run([0] * 4)


def test_inactive_lanes_may_hold_any_index() -> None:
    k = Kernel()
    head = k.add(UOps.IF, None, [k.below(0)])
    k.store(k.add(UOps.LOAD, INT, [k.out, k.const(-1)]), index=k.const(99))
    k.add(UOps.ENDIF, None, [head])
    assert k.run(np.zeros(0, np.int32)) == []


def test_local_memory_is_shared_by_one_workgroup() -> None:
    k = Kernel()
    group = k.special(0, "gidx0", 2)
    shared = k.add(UOps.DEFINE_LOCAL, INT, [], ("shared", 4))
    place = k.plus(k.times(group, 4), k.lane)
    stored = k.add(UOps.STORE, None, [shared, k.lane, place])
    barrier = k.add(UOps.BARRIER, None, [stored])
    mirrored = k.alu(BinaryOps.SUB, k.const(3), k.lane)
    k.store(k.add(UOps.LOAD, INT, [shared, mirrored, barrier]), index=place)
    assert k.run([0] * 8, global_size=(2, 1, 1)) == [3, 2, 1, 0, 7, 6, 5, 4]


def uninitialised() -> Kernel:
    k = Kernel()
    shared = k.add(UOps.DEFINE_LOCAL, INT, [], ("shared", 4))
    k.add(UOps.STORE, None, [shared, k.lane, k.const(1), k.below(3)])
    k.store(k.add(UOps.LOAD, INT, [shared, k.lane]))
    return k


def test_reading_local_memory_that_no_lane_wrote_is_reported() -> None:
    k = uninitialised()
    with pytest.raises(HazardError, match="element 3 of the local memory shared, which no lane") as caught:
        k.run([0] * 4)
    (report,) = caught.value.reports
    assert (report.kind, report.buffer, report.index, report.count) == ("uninitialised", "shared", 3, 1)
    assert [k.lines[line][0] for line in report.lines] == [UOps.LOAD, UOps.DEFINE_LOCAL]
    assert report.lanes[0].lane == 3


@pytest.mark.parametrize("checks", ["none", {"divergent-barrier"}])
def test_local_memory_that_nobody_checks_starts_at_0(checks: Any) -> None:
    assert uninitialised().run([9] * 4, checks=checks) == [1, 1, 1, 0]


def test_each_workgroup_starts_with_local_memory_of_its_own() -> None:
    k = Kernel()
    group = k.special(0, "gidx0", 2)
    shared = k.add(UOps.DEFINE_LOCAL, INT, [], ("shared", 4))
    first = k.add(UOps.ALU, BOOL, [group, k.const(1)], BinaryOps.CMPLT)
    k.add(UOps.STORE, None, [shared, k.lane, k.const(1), first])
    k.store(k.add(UOps.LOAD, INT, [shared, k.lane]))
    with pytest.raises(HazardError) as caught:
        k.run([0] * 4, global_size=(2, 1, 1))
    assert caught.value.reports[0].lanes[0].workgroup == (1, 0, 0)


# --- barriers ---------------------------------------------------------------------------------------------------------


def divergent(bound: int) -> Kernel:
    k = Kernel()
    head = k.add(UOps.IF, None, [k.below(bound)])
    k.add(UOps.BARRIER, None, [])
    k.add(UOps.ENDIF, None, [head])
    return k


def test_a_barrier_that_not_all_lanes_reach_is_reported() -> None:
    k = divergent(3)
    with pytest.raises(HazardError, match=r"3 of 4 lanes arrive and wait for those that do not\n +lane 3 ") as caught:
        k.run([0] * 4)
    (report,) = caught.value.reports
    assert (report.kind, report.buffer, report.count, report.lanes[0].lane) == ("divergent-barrier", None, 1, 3)
    assert [k.lines[line][0] for line in report.lines] == [UOps.BARRIER, UOps.IF]


@pytest.mark.parametrize("bound", [0, 4])
def test_a_barrier_that_all_or_no_lanes_reach_is_none_to_report(bound: int) -> None:
    divergent(bound).run([0] * 4)


def test_a_barrier_in_a_loop_that_lanes_leave_one_by_one_is_reported() -> None:
    k = Kernel()
    loop = k.range(k.const(0), k.plus(k.lane, k.const(1)))
    k.add(UOps.BARRIER, None, [])
    k.add(UOps.ENDRANGE, None, [loop])
    with pytest.raises(HazardError, match="3 of 4 lanes arrive"):
        k.run([0] * 4)


def test_a_barrier_that_whole_workgroups_skip_is_none_to_report() -> None:
    k = Kernel()
    first = k.add(UOps.ALU, BOOL, [k.special(0, "gidx0", 2), k.const(1)], BinaryOps.CMPLT)
    head = k.add(UOps.IF, None, [first])
    k.add(UOps.BARRIER, None, [])
    k.add(UOps.ENDIF, None, [head])
    k.run([0] * 4, global_size=(2, 1, 1))


# --- positions and launches -------------------------------------------------------------------------------------------


def test_three_axes_of_workgroups_and_lanes_have_x_innermost() -> None:
    k = wmma_kernels.Lines()
    out = k.add(UOps.DEFINE_GLOBAL, INT, [], 0)
    place = k.const(0)
    for letter, sizes in (("g", (3, 2, 2)), ("l", (2, 3, 2))):
        for axis in (2, 1, 0):
            place = k.plus(k.times(place, sizes[axis]), k.special(axis, f"{letter}idx{axis}", sizes[axis]))
    k.add(UOps.STORE, None, [out, place, k.plus(place, k.const(1))])
    x = np.zeros(144, np.int32)
    Program("positions", k.lines)(x, global_size=(3, 2, 2), local_size=(2, 3, 2))
    assert x.tolist() == list(range(1, 145))


def test_the_axis_of_a_special_is_its_first_element_whatever_its_name_says() -> None:
    k = Kernel()
    k.store(k.special(0, "lidx2", 4))
    assert k.run([9] * 4) == [0, 1, 2, 3]


@pytest.mark.parametrize("size", [(7, 3, 2), (1, 1, 9), (5, 1, 1)])
@pytest.mark.parametrize("lanes", [1, 8, 17, 10**6])
def test_chunks_cover_the_grid_once(size: grid.Size, lanes: int) -> None:
    seen = np.zeros(size[::-1], int)
    for chunk in grid.chunks(size, (2, 2, 1), 32, lanes):
        seen[tuple(slice(first, first + n) for first, n in zip(chunk.origin, chunk.groups, strict=True))] += 1
        assert np.prod(chunk.shape) <= max(lanes, 4)
    assert (seen == 1).all()


def test_a_value_is_as_small_as_what_it_depends_on() -> None:
    chunk = grid.Chunk((0, 0, 0), (1, 4, 8), (1, 16, 16), 32)
    assert chunk.position(1, of_group=True, dtype=np.dtype(np.int32)).shape == (1, 4, 1, 1, 1, 1)
    assert chunk.position(0, of_group=False, dtype=np.dtype(np.int32)).shape == (1, 1, 1, 1, 1, 16)


# --- arithmetic in programs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["DIV", "MOD"])
def test_integer_division_by_zero_names_an_active_lane(op: str) -> None:
    k = Kernel()
    k.store(k.alu(BinaryOps[op], k.const(7), k.alu(BinaryOps.SUB, k.lane, k.const(2))))
    message = rf"line \d+ \(ALU\): {op} of int32 by zero in lane 2 \(warp 0\) of workgroup \(0, 0, 0\)"
    with pytest.raises(DivisionError, match=message):
        k.run([0] * 4)


def test_inactive_lanes_may_divide_by_zero() -> None:
    k = Kernel()
    head = k.add(UOps.IF, None, [k.lane])
    k.store(k.alu(BinaryOps.DIV, k.const(6), k.lane))
    k.add(UOps.ENDIF, None, [head])
    assert k.run([9] * 4) == [9, 6, 3, 2]


def test_a_constant_is_a_number_of_its_type() -> None:
    k = Kernel()
    k.store(k.const(2**33 + 5))
    assert k.run([0] * 4) == [5] * 4


# --- kernels ----------------------------------------------------------------------------------------------------------

RANDOM = np.random.default_rng(7)


def floats(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


def launch(kernel: plain_kernels.Kernel, *buffers: Any) -> None:
    lines, sizes = kernel
    Program("kernel", lines)(*buffers, **sizes)


def test_vector_add_over_many_chunks_is_numpys() -> None:
    a, b, out = floats(1 << 17), floats(1 << 17), np.zeros(1 << 17, np.float32)
    launch(plain_kernels.vector_add(1 << 17), out, a, b)
    assert (out == a + b).all()


@pytest.mark.parametrize("kernel", [plain_kernels.matmul, plain_kernels.tiled_matmul])
def test_matrix_products_add_in_order(kernel: Any) -> None:
    a, b, out = floats(32, 32), floats(32, 32), np.zeros((32, 32), np.float32)
    launch(kernel(32), out, a, b)
    expected = np.zeros((32, 32), np.float32)
    for k in range(32):
        expected += a[:, k : k + 1] * b[k]
    assert (out == expected).all()


def test_softmax_rows_are_numpys() -> None:
    x = floats(8, 16)
    out = np.zeros_like(x)
    launch(plain_kernels.softmax(8, 16), out, x)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    assert np.allclose(out, powers / powers.sum(axis=1, keepdims=True), rtol=1e-6)


def test_a_reduction_tree_is_numpys_sum() -> None:
    x, out = floats(4, 64), np.zeros(4, np.float32)
    launch(plain_kernels.reduction(4, 64), out, x)
    assert np.allclose(out, x.sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize("target", wmma_kernels.SEED_ARGS)
@pytest.mark.parametrize("warps", [1, 2])
def test_tensor_cores_multiply_half_matrices_with_several_warps_a_workgroup(target: str, warps: int) -> None:
    lines, sizes = wmma_kernels.matmul(wmma_kernels.SEED_ARGS[target], 32, 64, 48, warps=warps)
    a, b, out = floats(32, 48).astype(np.float16), floats(48, 64).astype(np.float16), np.zeros((32, 64), np.float32)
    Program(target, lines)(out, a, b, **sizes)
    assert np.allclose(out, a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_wmma_in_a_partial_warp_is_refused() -> None:
    lines, _ = wmma_kernels.matmul(wmma_kernels.SEED_ARGS["CUDA"], 16, 16, 16, warps=1)
    buffers = np.zeros((16, 16), np.float32), *(np.zeros((16, 16), np.float16) for _ in range(2))
    with pytest.raises(LaunchError, match=r"local_size \(16, 1, 1\) has 16 lanes, and line \d+ \(WMMA\) needs whole"):
        Program("partial", lines)(*buffers, local_size=(16, 1, 1))


def diverged_wmma() -> Kernel:
    k = Kernel(FLOAT)
    a, b = (k.add(UOps.CONST, HALF.vec(n), [], 1.0) for n in (8, 4))
    c = k.add(UOps.CONST, FLOAT.vec(4), [], 0.0)
    head = k.add(UOps.IF, None, [k.below(31)])
    d = k.add(UOps.WMMA, FLOAT.vec(4), [a, b, c], "m16n8k16")
    k.store(k.add(UOps.GEP, FLOAT, [d], 0))
    k.add(UOps.ENDIF, None, [head])
    return k


def test_wmma_that_not_all_lanes_of_the_warp_reach_is_reported() -> None:
    with pytest.raises(
        HazardError, match=r"needs all lanes of its group of 32, and some skip it\n +lane 31 "
    ) as caught:
        diverged_wmma().run(np.zeros(32, np.float32), lanes=32)
    report = caught.value.reports[0]
    assert (report.kind, report.lanes[0].lane, report.count) == ("divergent-wmma", 31, 1)


def rdna3(change: int) -> Kernel:
    """A[0, 0] is nan; lane 16 holds what lane 0 does, plus `change` in its first element."""
    k = Kernel(FLOAT)
    a = k.add(UOps.DEFINE_GLOBAL, HALF, [], "a")
    row = k.alu(BinaryOps.MOD, k.lane, k.const(16))
    fragment = k.add(UOps.LOAD, HALF.vec(16), [a, k.times(row, 16)])
    if change:
        upper = k.add(UOps.ALU, BOOL, [k.const(15), k.lane], BinaryOps.CMPLT)
        other = k.add(UOps.LOAD, HALF, [a, k.const(1)])
        elements = [k.add(UOps.GEP, HALF, [fragment], i) for i in range(16)]
        elements[0] = k.add(UOps.ALU, HALF, [upper, other, elements[0]], "WHERE")
        fragment = k.add(UOps.CAST, HALF.vec(16), elements)
    ones, zeros = k.add(UOps.CONST, HALF.vec(16), [], 1.0), k.add(UOps.CONST, FLOAT.vec(8), [], 0.0)
    d = k.add(UOps.WMMA, FLOAT.vec(8), [fragment, ones, zeros], wmma_kernels.SEED_ARGS["HSA"])
    k.add(UOps.STORE, None, [k.out, k.times(k.lane, 8), d])
    return k


def test_rdna3_takes_a_nan_in_its_duplicated_lanes() -> None:
    a, out = np.ones((16, 16), np.float16), np.zeros(256, np.float32)
    a[0, 0] = np.nan
    rdna3(0).run(out, a, lanes=32)
    d = np.zeros((16, 16), np.float32)
    for lane, elements in enumerate(instruction("v_wmma_f32_16x16x16_f16", lanes=32, arch="gfx1100").d.coordinates()):
        for element, (row, column) in enumerate(elements):
            d[row, column] = out[lane * 8 + element]
    assert np.isnan(d[0]).all()
    assert (d[1:] == 16).all()


def test_rdna3_lanes_that_should_repeat_others_and_do_not_are_reported() -> None:
    a = np.arange(256).reshape(16, 16).astype(np.float16)
    with pytest.raises(
        HazardError, match=r"wants A\[0, 0\] both in lane 0, register .* and in lane 16, register"
    ) as caught:
        rdna3(1).run(np.zeros(256, np.float32), a, lanes=32)
    report = caught.value.reports[0]
    assert (report.kind, report.count, report.lanes[0].lane) == ("duplicate-lanes", 16, 16)


# --- images -----------------------------------------------------------------------------------------------------------


def image_kernel(dtype: DType, dx: int, dy: int) -> Kernel:
    """Copy an image of 2 × 3 to another, moved by (dx, dy); a lane to a texel."""
    k = Kernel(dtype)
    source = k.add(UOps.DEFINE_GLOBAL, dtype, [], 1)
    x, y = k.alu(BinaryOps.MOD, k.lane, k.const(3)), k.alu(BinaryOps.DIV, k.lane, k.const(3))
    to = k.add(UOps.CAST, INT.vec(2), [x, y])
    moved = k.add(UOps.CAST, INT.vec(2), [k.plus(x, k.const(dx)), k.plus(y, k.const(dy))])
    texel = k.add(UOps.LOAD, FLOAT.vec(4), [source, moved])
    k.add(UOps.STORE, None, [k.out, to, texel])
    return k


@pytest.mark.parametrize("dtype", [dtypes.imagef((2, 3, 4)), dtypes.imageh((2, 3, 4))], ids=str)
def test_an_image_is_read_at_x_and_y_and_is_0_outside(dtype: DType) -> None:
    source = np.arange(24).astype(dtype.numpy).reshape(2, 3, 4)
    out = np.full((2, 3, 4), -1, dtype.numpy)
    image_kernel(dtype, 1, -1).run(out, source, lanes=6)
    expected = np.zeros((2, 3, 4))
    expected[1, :2] = source[0, 1:]
    assert out.tolist() == expected.tolist()


def test_a_store_outside_an_image_is_an_error() -> None:
    dtype = dtypes.imagef((2, 3, 4))
    k = Kernel(dtype)
    place = k.add(UOps.CAST, INT.vec(2), [k.lane, k.const(1)])
    k.add(UOps.STORE, None, [k.out, place, k.add(UOps.CONST, FLOAT.vec(4), [], 1.0)])
    with pytest.raises(HazardError, match=r"writes \(x, y\) = \(3, 1\) of the image data0, which is 3 wide and 2 high"):
        k.run(np.zeros(24, np.float32))


def test_an_image_buffer_has_the_size_of_the_image() -> None:
    with pytest.raises(LaunchError, match=r"buffer data0 has 20 numbers; expected 24 for an image \(2, 3, 4\)"):
        Kernel(dtypes.imagef((2, 3, 4))).run(np.zeros(20, np.float32))
