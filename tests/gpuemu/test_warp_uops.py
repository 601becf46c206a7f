"""Shuffles, votes, atomics, warp barriers, exits of loops and matrix copies, by hand."""

from typing import Any

import numpy as np
import pytest
from oracles import scalar_engine
from wmma_kernels import Lines

from gpuemu import BinaryOps, Program, UOps, dtypes
from gpuemu.errors import HazardError, LaunchError, LimitError, ProgramError
from gpuemu.limits import Limits
from gpuemu.machine.atomics import in_turn

INT, UINT, BOOL = dtypes.int32, dtypes.uint32, dtypes.bool


def per_lane(value: Any, lanes: int = 32, dtype: Any = INT, warp: int = 32, checks: str = "default") -> list[Any]:
    """What `value` (lines, the lane's number) gives each lane of one workgroup."""
    k = Lines()
    out = k.add(UOps.DEFINE_GLOBAL, dtype, [], (0, True))
    lane = k.special(0, "lidx0", lanes)
    k.add(UOps.STORE, None, [out, lane, value(k, lane)])
    found = np.zeros(lanes, dtype.numpy)
    Program("per lane", k.lines, warp=warp)(found, local_size=(lanes,), checks=checks)
    return found.tolist()


def shuffle(kind: str, number: int) -> Any:
    return lambda k, lane: k.add(UOps.SHUFFLE, INT, [lane, k.const(number)], kind)


@pytest.mark.parametrize(
    ("kind", "number", "source"),
    [
        ("up", 3, lambda lane: lane - 3 if lane >= 3 else lane),
        ("down", 5, lambda lane: lane + 5 if lane < 27 else lane),
        ("xor", 9, lambda lane: lane ^ 9),
        ("xor", 40, lambda lane: lane),
        ("index", 37, lambda lane: 5),
        ("index", -1, lambda lane: 31),
    ],
)
def test_a_shuffle_reads_the_lane_that_its_kind_says(kind: str, number: int, source: Any) -> None:
    assert per_lane(shuffle(kind, number)) == [source(lane) for lane in range(32)]


def test_a_shuffle_stays_in_its_warp() -> None:
    assert per_lane(shuffle("index", 0), lanes=96) == [0] * 32 + [32] * 32 + [64] * 32
    assert per_lane(shuffle("index", 0), lanes=128, warp=64) == [0] * 64 + [64] * 64


def test_five_xor_shuffles_sum_a_warp() -> None:
    def total(k: Lines, lane: int) -> int:
        for step in (16, 8, 4, 2, 1):
            lane = k.plus(lane, k.add(UOps.SHUFFLE, INT, [lane, k.const(step)], "xor"))
        return lane

    assert per_lane(total) == [sum(range(32))] * 32


def test_a_vector_is_shuffled_whole() -> None:
    def second(k: Lines, lane: int) -> int:
        pair = k.add(UOps.CAST, INT.vec(2), [lane, k.times(lane, 10)])
        moved = k.add(UOps.SHUFFLE, INT.vec(2), [pair, k.const(1)], "xor")
        return k.add(UOps.GEP, INT, [moved], 1)

    assert per_lane(second, lanes=4) == [10, 0, 30, 20]


def shuffle_in_half(k: Lines, lane: int, mask: int | None, by: int = 8) -> int:
    """A shuffle in the first 16 lanes alone."""
    total = k.add(UOps.DEFINE_ACC, INT, [], 0)
    head = k.add(UOps.IF, None, [k.add(UOps.ALU, BOOL, [lane, k.const(16)], BinaryOps.CMPLT)])
    masks = [] if mask is None else [k.const(mask, UINT)]
    value = k.add(UOps.SHUFFLE, INT, [lane, k.const(by), *masks], "down")
    k.add(UOps.PHI, INT, [total, value])
    k.add(UOps.ENDIF, None, [head])
    return total


def test_to_read_a_lane_that_an_if_keeps_away_is_reported() -> None:
    with pytest.raises(HazardError, match="SHUFFLE down reads the value of lane 16 of the warp") as caught:
        per_lane(lambda k, lane: shuffle_in_half(k, lane, None))
    (report,) = caught.value.reports
    assert (report.kind, report.count) == ("shuffle", 8)
    assert [lane.lane for lane in report.lanes[:2]] == [8, 16]


def test_a_full_mask_under_an_if_is_reported_although_no_absent_lane_is_read() -> None:
    with pytest.raises(HazardError, match="the mask names lane 16 of the warp, which does not take part"):
        per_lane(lambda k, lane: shuffle_in_half(k, lane, 0xFFFFFFFF, by=0))


def test_a_mask_that_does_not_name_its_own_lane_is_reported() -> None:
    with pytest.raises(HazardError, match="under a mask that does not name it"):
        per_lane(lambda k, lane: shuffle_in_half(k, lane, 0x7FFF, by=0))


def test_the_mask_of_the_lanes_that_are_here_is_right() -> None:
    found = per_lane(lambda k, lane: shuffle_in_half(k, lane, 0xFFFF, by=0))
    assert found == [*range(16), *[0] * 16]


def test_without_checks_a_lane_that_reads_an_absent_one_keeps_its_own_value() -> None:
    found = per_lane(lambda k, lane: shuffle_in_half(k, lane, None), checks="none")
    assert found == [*range(8, 16), *range(8, 16), *[0] * 16]


def test_the_lanes_that_a_partial_warp_lacks_take_no_part() -> None:
    with pytest.raises(HazardError, match="reads the value of lane 20 of the warp, which does not take part"):
        per_lane(shuffle("down", 1), lanes=20)


@pytest.mark.parametrize(
    ("kind", "dtype", "expected"),
    [
        ("any", BOOL, [True] * 40),
        ("all", BOOL, [False] * 32 + [True] * 8),
        ("ballot", UINT, [0xFFFFFF80] * 32 + [0xFF] * 8),
    ],
)
def test_votes_count_the_lanes_of_each_warp(kind: str, dtype: Any, expected: list[Any]) -> None:
    def vote(k: Lines, lane: int) -> int:
        condition = k.add(UOps.ALU, BOOL, [k.const(6), lane], BinaryOps.CMPLT)
        return k.add(UOps.VOTE, dtype, [condition], kind)

    assert per_lane(vote, lanes=40, dtype=dtype) == expected


def test_a_vote_asks_only_the_lanes_that_are_here() -> None:
    def vote(k: Lines, lane: int) -> int:
        total = k.add(UOps.DEFINE_ACC, UINT, [], 0)
        head = k.add(UOps.IF, None, [k.alu(BinaryOps.AND, lane, k.const(1))])
        ballot = k.add(UOps.VOTE, UINT, [k.const(1)], "ballot")
        k.add(UOps.PHI, UINT, [total, ballot])
        k.add(UOps.ENDIF, None, [head])
        return total

    assert per_lane(vote, dtype=UINT)[:4] == [0, 0xAAAAAAAA, 0, 0xAAAAAAAA]


def atomics(kind: str, values: Any, start: Any, dtype: Any = INT, groups: int = 1) -> tuple[Any, list[Any]]:
    """All lanes change element 0; gives it, and what each lane found."""
    k = Lines()
    cell = k.add(UOps.DEFINE_GLOBAL, dtype, [], (0, True))
    old = k.add(UOps.DEFINE_GLOBAL, dtype, [], (1, True))
    lane = k.special(0, "lidx0", 4)
    place = k.plus(k.times(k.special(0, "gidx0", groups), 4), lane)
    found = k.add(UOps.ATOMIC, dtype, [cell, k.const(0), *values(k, place)], kind)
    k.add(UOps.STORE, None, [old, place, found])
    held, seen = np.array([start], dtype.numpy), np.zeros(4 * groups, dtype.numpy)
    Program("atomics", k.lines)(held, seen, global_size=(groups,), local_size=(4,))
    return held[0].item(), seen.tolist()


@pytest.mark.parametrize(
    ("kind", "start", "expected"),
    [
        ("add", 10, (16, [10, 10, 11, 13])),
        ("max", 2, (3, [2, 2, 2, 2])),
        ("min", 2, (0, [2, 0, 0, 0])),
        ("and", 7, (0, [7, 0, 0, 0])),
        ("or", 8, (11, [8, 8, 9, 11])),
        ("xor", 1, (1, [1, 1, 0, 2])),
        ("exchange", 9, (3, [9, 0, 1, 2])),
    ],
)
def test_lanes_change_an_element_in_the_order_of_their_numbers(kind: str, start: int, expected: Any) -> None:
    assert atomics(kind, lambda k, lane: [lane], start) == expected


def test_workgroups_change_an_element_in_the_order_of_theirs() -> None:
    total, seen = atomics("add", lambda k, lane: [k.const(1)], 0, groups=3)
    assert (total, seen) == (12, list(range(12)))


def test_compare_and_swap_lets_one_lane_win() -> None:
    swap = atomics("compare-and-swap", lambda k, lane: [k.const(5), k.plus(lane, k.const(1))], 5)
    assert swap == (1, [5, 1, 1, 1])


def test_compare_and_swap_compares_bits() -> None:
    def values(k: Lines, lane: int) -> list[int]:
        return [k.const(0.0, dtypes.float32), k.const(2.0, dtypes.float32)]

    assert atomics("compare-and-swap", values, -0.0, dtypes.float32)[0] == 0.0
    assert atomics("compare-and-swap", values, 0.0, dtypes.float32)[0] == 2.0


def test_a_gated_atomic_leaves_the_others_at_0() -> None:
    def values(k: Lines, lane: int) -> list[int]:
        return [k.const(3), k.alu(BinaryOps.AND, lane, k.const(1))]

    assert atomics("add", values, 1) == (7, [0, 1, 0, 4])


def test_float_sums_round_lane_by_lane() -> None:
    assert atomics("add", lambda k, lane: [k.const(1.0, dtypes.half)], 2047, dtypes.half) == (
        2048,
        [2047, 2048, 2048, 2048],
    )


ONE_BY_ONE = {
    "add": lambda old, x: old + x,
    "and": lambda old, x: old & x,
    "or": lambda old, x: old | x,
    "xor": lambda old, x: old ^ x,
    "max": max,
    "min": min,
    "exchange": lambda _, x: x,
}


@pytest.mark.parametrize("few", [1, 3, 400])
@pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("kind", [*ONE_BY_ONE, "compare-and-swap"])
def test_many_lanes_on_few_elements_change_them_as_one_by_one(kind: str, dtype: Any, few: int) -> None:
    if kind in ("and", "or", "xor") and dtype is np.float32:
        return
    rng = np.random.default_rng(1)
    places = rng.integers(0, few, 500)
    values, wanted = (rng.integers(0, 4 if kind == "compare-and-swap" else 100, 500).astype(dtype) for _ in range(2))
    found, expected = np.zeros(few, dtype), np.zeros(few, dtype)
    given = [wanted, values] if kind == "compare-and-swap" else [values]
    old = in_turn(kind, found, places, given)
    for lane, place in enumerate(places):
        before = expected[place]
        assert old[lane] == before
        if kind != "compare-and-swap":
            with np.errstate(over="ignore"):
                expected[place] = ONE_BY_ONE[kind](before, values[lane])
        elif before == wanted[lane]:
            expected[place] = values[lane]
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("kind", "dtype"), [("max", np.float32), ("compare-and-swap", np.int32), ("add", np.int32)])
def test_lanes_that_wait_for_each_other_take_steps(kind: str, dtype: Any) -> None:
    steps: list[int] = []
    given = [np.ones(800, dtype)] * (2 if kind == "compare-and-swap" else 1)
    in_turn(kind, np.zeros(1, dtype), np.zeros(800, np.int64), given, steps.append)
    assert sum(steps) == {"max": 799 * 8, "compare-and-swap": 100, "add": 0}[kind]


def test_a_lock_that_lanes_of_one_warp_wait_for_is_stopped() -> None:
    k = Lines()
    lock = k.add(UOps.DEFINE_GLOBAL, INT, [], (0, True))
    zero, one = k.const(0), k.const(1)
    loop = k.add(UOps.RANGE, INT, [zero, k.const(2**31 - 1)], 0)
    found = k.add(UOps.ATOMIC, INT, [lock, zero, zero, one], "compare-and-swap")
    head = k.add(UOps.IF, None, [k.add(UOps.ALU, BOOL, [found, zero], BinaryOps.CMPEQ)])
    k.add(UOps.BREAK, None, [])
    k.add(UOps.ENDIF, None, [head])
    k.add(UOps.ENDRANGE, None, [loop])
    with pytest.raises(LimitError, match=r"line 4 \(RANGE\): the launch has taken more than 100,000 steps"):
        Program("spin lock", k.lines, limits=Limits(steps=100_000))(np.zeros(1, np.int32), local_size=(32,))


def test_an_atomic_needs_local_memory_that_is_written() -> None:
    k = Lines()
    memory = k.add(UOps.DEFINE_LOCAL, INT, [], ("count", 1))
    k.add(UOps.ATOMIC, INT, [memory, k.const(0), k.const(1)], "add")
    with pytest.raises(HazardError, match="reads element 0 of the local memory count, which no lane"):
        Program("count", k.lines)(local_size=(4,))


def test_an_atomic_outside_the_buffer_is_reported() -> None:
    k = Lines()
    cell = k.add(UOps.DEFINE_GLOBAL, INT, [], (0, True))
    k.add(UOps.ATOMIC, INT, [cell, k.const(3), k.const(1)], "add")
    with pytest.raises(HazardError, match="changes element 3 of data0, which has 1 elements"):
        Program("outside", k.lines)(np.zeros(1, np.int32))


def test_break_leaves_the_loop_lane_by_lane_and_continue_the_iteration() -> None:
    def total(k: Lines, lane: int) -> int:  # the even numbers below the lane's own
        total = k.add(UOps.DEFINE_ACC, INT, [], 0)
        loop = k.add(UOps.RANGE, INT, [k.const(0), k.const(2**31 - 1)], 0)
        head = k.add(UOps.IF, None, [k.add(UOps.ALU, BOOL, [loop, lane], BinaryOps.CMPEQ)])
        k.add(UOps.BREAK, None, [])
        k.add(UOps.ENDIF, None, [head])
        head = k.add(UOps.IF, None, [k.alu(BinaryOps.AND, loop, k.const(1))])
        k.add(UOps.CONTINUE, None, [loop])
        k.add(UOps.ENDIF, None, [head])
        k.add(UOps.PHI, INT, [total, k.plus(total, loop)])
        k.add(UOps.ENDRANGE, None, [loop])
        return total

    assert per_lane(total, lanes=7) == [sum(range(0, lane, 2)) for lane in range(7)]


def test_a_break_leaves_the_inner_loop_alone() -> None:
    def count(k: Lines, lane: int) -> int:
        total = k.add(UOps.DEFINE_ACC, INT, [], 0)
        outer = k.add(UOps.RANGE, INT, [k.const(0), k.const(3)], 0)
        inner = k.add(UOps.RANGE, INT, [k.const(0), k.const(10)], 1)
        k.add(UOps.PHI, INT, [total, k.plus(total, k.const(1))])
        k.add(UOps.BREAK, None, [inner])
        k.add(UOps.ENDRANGE, None, [inner])
        k.add(UOps.ENDRANGE, None, [outer])
        return total

    assert per_lane(count, lanes=2) == [3, 3]


def test_a_barrier_after_a_break_of_some_lanes_is_reported_with_the_break() -> None:
    k = Lines()
    lane = k.special(0, "lidx0", 8)
    loop = k.add(UOps.RANGE, INT, [k.const(0), k.const(4)], 0)
    head = k.add(UOps.IF, None, [k.add(UOps.ALU, BOOL, [lane, loop], BinaryOps.CMPLT)])
    leave = k.add(UOps.BREAK, None, [])
    k.add(UOps.ENDIF, None, [head])
    wait = k.add(UOps.BARRIER, None, [])
    k.add(UOps.ENDRANGE, None, [loop])
    with pytest.raises(HazardError, match="7 of 8 lanes arrive") as caught:
        Program("early", k.lines)(local_size=(8,))
    assert caught.value.reports[0].lines == (wait, leave)


def warp_barrier(mask: int | None, half: bool = True) -> None:
    k = Lines()
    lane = k.special(0, "lidx0", 32)
    head = k.add(UOps.IF, None, [k.add(UOps.ALU, BOOL, [lane, k.const(16 if half else 99)], BinaryOps.CMPLT)])
    k.add(UOps.WARP_BARRIER, None, [] if mask is None else [k.const(mask)])
    k.add(UOps.ENDIF, None, [head])
    Program("wait", k.lines)(local_size=(32,))


def test_a_warp_barrier_waits_for_the_whole_warp_or_its_mask() -> None:
    warp_barrier(None, half=False)
    warp_barrier(0xFFFF)
    with pytest.raises(HazardError, match=r"for others that do not arrive\n +lane 16 \(warp 0\)"):
        warp_barrier(None)
    with pytest.raises(HazardError, match=r"for others that do not arrive\n +lane 16 \(warp 0\)"):
        warp_barrier(0x1FFFF)


def copied(name: str, pitch: int = 8, guard: bool = False) -> np.ndarray:
    """The elements 0, 1, 2 … of local memory, as ldmatrix gives them to each lane."""
    half, count = dtypes.uint16, 2 * int(name.split(".")[1][1:])
    k = Lines()
    out = k.add(UOps.DEFINE_GLOBAL, half, [], (0, True))
    memory = k.add(UOps.DEFINE_LOCAL, half, [], ("tile", 32 * pitch))
    lane = k.special(0, "lidx0", 32)
    first = k.times(lane, pitch)
    for i in range(pitch):
        place = k.plus(first, k.const(i))
        k.add(UOps.STORE, None, [memory, place, k.add(UOps.CAST, half, [place])])
    k.add(UOps.BARRIER, None, [])
    head = k.add(UOps.IF, None, [lane]) if guard else None
    fragment = k.add(UOps.LDMATRIX, half.vec(count), [memory, first], name)
    k.add(UOps.STORE, None, [out, k.times(lane, count), fragment])
    if head is not None:
        k.add(UOps.ENDIF, None, [head])
    found = np.zeros((32, count), np.uint16)
    Program("copy", k.lines)(found, local_size=(32,))
    return found


def test_ldmatrix_gives_each_lane_two_neighbours_of_each_matrix() -> None:
    lane = np.arange(32)
    plain = copied("ldmatrix.x4")
    for matrix in range(4):
        assert np.array_equal(plain[:, 2 * matrix], 64 * matrix + 8 * (lane // 4) + 2 * (lane % 4))
        assert np.array_equal(plain[:, 2 * matrix + 1], plain[:, 2 * matrix] + 1)
    turned = copied("ldmatrix.x1.trans")
    assert np.array_equal(turned[:, 0], 8 * (2 * (lane % 4)) + lane // 4)
    assert np.array_equal(turned[:, 1], turned[:, 0] + 8)


def test_ldmatrix_reads_rows_that_start_at_multiples_of_8() -> None:
    assert copied("ldmatrix.x1", pitch=16)[4].tolist() == [16, 17]
    with pytest.raises(HazardError, match="starts at element 12 of tile, and rows start at multiples of 8"):
        copied("ldmatrix.x1", pitch=12)


def test_ldmatrix_needs_all_lanes_of_the_warp() -> None:
    with pytest.raises(HazardError, match=r"needs all lanes of its group of 32, and some skip it\n +lane 0 "):
        copied("ldmatrix.x1", guard=True)


@pytest.mark.parametrize("below", [0, 32, 64])
def test_a_warp_may_skip_matrix_copies_as_a_whole(below: int) -> None:
    half = dtypes.uint16
    k = Lines()
    out = k.add(UOps.DEFINE_GLOBAL, half, [], (0, True))
    tile, copy = (k.add(UOps.DEFINE_LOCAL, half, [], (name, 64 * 8)) for name in ("tile", "copy"))
    lane = k.special(0, "lidx0", 64)
    row = k.times(lane, 8)
    for i in range(8):
        place = k.plus(row, k.const(i))
        k.add(UOps.STORE, None, [tile, place, k.add(UOps.CAST, half, [place])])
        k.add(UOps.STORE, None, [copy, place, k.add(UOps.CAST, half, [k.const(7)])])
    k.add(UOps.BARRIER, None, [])
    head = k.add(UOps.IF, None, [k.add(UOps.ALU, BOOL, [lane, k.const(below)], BinaryOps.CMPLT)])
    wild = k.plus(row, k.add(UOps.CAST, INT, [k.add(UOps.ALU, BOOL, [k.const(below - 1), lane], BinaryOps.CMPLT)]))
    fragment = k.add(UOps.LDMATRIX, half.vec(8), [tile, wild], "ldmatrix.x4")
    k.add(UOps.STMATRIX, None, [copy, wild, fragment], "stmatrix.x4")
    k.add(UOps.ENDIF, None, [head])
    k.add(UOps.BARRIER, None, [])
    for i in range(8):
        place = k.plus(row, k.const(i))
        k.add(UOps.STORE, None, [out, place, k.add(UOps.LOAD, half, [copy, place])])
    program, found, expected = Program("copies", k.lines), np.zeros(512, np.uint16), np.zeros(512, np.uint16)
    program(found, local_size=(64,))
    scalar_engine.run(program, expected, local_size=(64,))
    assert found.tolist() == expected.tolist() == [*range(8 * below), *[7] * (8 * (64 - below))]


@pytest.mark.parametrize("trans", ["", ".trans"])
def test_stmatrix_is_the_inverse_of_ldmatrix(trans: str) -> None:
    half = dtypes.half
    k = Lines()
    out, x = (k.add(UOps.DEFINE_GLOBAL, half, [], (i, i == 0)) for i in range(2))
    source, target = (k.add(UOps.DEFINE_LOCAL, half, [], (name, 256)) for name in ("source", "target"))
    lane = k.special(0, "lidx0", 32)
    row = k.times(lane, 8)
    k.add(UOps.STORE, None, [source, row, k.add(UOps.LOAD, half.vec(8), [x, row])])
    k.add(UOps.BARRIER, None, [])
    fragment = k.add(UOps.LDMATRIX, half.vec(8), [source, row], f"ldmatrix.x4{trans}")
    k.add(UOps.STMATRIX, None, [target, row, fragment], f"stmatrix.x4{trans}")
    k.add(UOps.BARRIER, None, [])
    k.add(UOps.STORE, None, [out, row, k.add(UOps.LOAD, half.vec(8), [target, row])])
    given, found = np.arange(256).astype(np.float16), np.zeros(256, np.float16)
    Program("there and back", k.lines)(found, given, local_size=(32,))
    assert np.array_equal(found, given)


def test_ldmatrix_needs_whole_warps() -> None:
    k = Lines()
    memory = k.add(UOps.DEFINE_LOCAL, dtypes.half, [], ("tile", 64))
    k.add(UOps.LDMATRIX, dtypes.half.vec(2), [memory, k.const(0)], "ldmatrix.x1")
    with pytest.raises(LaunchError, match=r"has 20 lanes, and line 2 \(LDMATRIX\) needs whole ones"):
        Program("part", k.lines)(local_size=(20,))


ONE, TRUE = (UOps.CONST, INT, [], 1), (UOps.CONST, BOOL, [], True)
CELL = (UOps.DEFINE_GLOBAL, INT, [], (0, True))
WRONG: dict[str, tuple[list[Any], str]] = {
    "shuffle kind": ([ONE, (UOps.SHUFFLE, INT, [0, 0], "left")], "arg is 'left'; expected one of 'up', 'down'"),
    "shuffle type": ([ONE, (UOps.SHUFFLE, UINT, [0, 0], "up")], "takes int32 and gives uint32; expected one type"),
    "shuffle number": ([ONE, TRUE, (UOps.SHUFFLE, INT, [0, 1], "up")], "the number of lanes is bool"),
    "narrow mask": (
        [ONE, (UOps.CONST, dtypes.uint16, [], 1), (UOps.SHUFFLE, INT, [0, 0, 1], "up")],
        "uint16 for the lanes of a warp of 32; expected uint32",
    ),
    "vote type": ([TRUE, (UOps.VOTE, INT, [0], "any")], "any gives int32; expected bool"),
    "narrow ballot": ([TRUE, (UOps.VOTE, dtypes.uint8, [0], "ballot")], "uint8 for the lanes of a warp of 32"),
    "ballot type": ([TRUE, (UOps.VOTE, BOOL, [0], "ballot")], "ballot gives bool; expected an integer"),
    "atomic kind": ([CELL, ONE, (UOps.ATOMIC, INT, [0, 1, 1], "sub")], "arg is 'sub'; expected one of 'add'"),
    "atomic value": ([CELL, ONE, TRUE, (UOps.ATOMIC, INT, [0, 1, 2], "add")], "add of bool on a buffer of int32"),
    "atomic count": ([CELL, ONE, (UOps.ATOMIC, INT, [0, 1, 1], "compare-and-swap")], "has 3 sources with a value"),
    "atomic bits": (
        [
            (UOps.DEFINE_GLOBAL, dtypes.half, [], 0),
            ONE,
            (UOps.CONST, dtypes.half, [], 1),
            (UOps.ATOMIC, dtypes.half, [0, 1, 2], "or"),
        ],
        "or on a buffer of float16; it is defined for bool or signed or unsigned numbers",
    ),
    "atomic read-only": (
        [(UOps.DEFINE_GLOBAL, INT, [], (0, False)), ONE, (UOps.ATOMIC, INT, [0, 1, 1], "add")],
        "writes to the buffer data0, which is declared",
    ),
    "break outside": ([(UOps.BREAK, None, [], None)], "is in no loop"),
    "break of another": (
        [
            *(ONE, (UOps.RANGE, INT, [0, 0], 0), (UOps.RANGE, INT, [0, 0], 0), (UOps.BREAK, None, [1], None)),
            *((UOps.ENDRANGE, None, [2], None), (UOps.ENDRANGE, None, [1], None)),
        ],
        "names the loop of line 1; the innermost is 2",
    ),
    "matrix type": (
        [(UOps.DEFINE_LOCAL, INT, [], ("t", 64)), ONE, (UOps.LDMATRIX, INT.vec(2), [0, 1], "ldmatrix.x1")],
        "ldmatrix on DEFINE_LOCAL of int32; expected local memory of a type of 16 bits",
    ),
    "matrix name": (
        [
            (UOps.DEFINE_LOCAL, dtypes.half, [], ("t", 64)),
            ONE,
            (UOps.LDMATRIX, dtypes.half.vec(2), [0, 1], "stmatrix.x1"),
        ],
        "expected the name of an ldmatrix, such as 'ldmatrix.x4'",
    ),
    "matrix count": (
        [
            (UOps.DEFINE_LOCAL, dtypes.half, [], ("t", 64)),
            ONE,
            (UOps.LDMATRIX, dtypes.half.vec(4), [0, 1], "ldmatrix.x1"),
        ],
        "a lane holds float16x4; expected float16x2",
    ),
}


@pytest.mark.parametrize(("lines", "message"), WRONG.values(), ids=WRONG)
def test_a_line_that_is_not_well_formed_says_why(lines: list[Any], message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        Program("wrong", lines)
    assert message in str(caught.value)
