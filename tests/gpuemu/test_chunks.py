"""Memory is bounded by the chunk, not by the grid: counted in lanes and chunks, not in seconds."""

import tracemalloc
from typing import Any

import numpy as np
import plain_kernels
import pytest

from gpuemu import BinaryOps, Program, UOps, dtypes
from gpuemu.errors import LimitError
from gpuemu.limits import DEFAULT, Limits
from gpuemu.machine import lockstep


def chunk_sizes(monkeypatch: pytest.MonkeyPatch, program: Program, *buffers: Any, **sizes: Any) -> list[int]:
    """The lanes of each chunk that a launch runs."""
    found, run = [], lockstep.Lockstep.run

    def counting(self: Any, chunk: Any) -> None:
        found.append(chunk.lanes_at_once)
        run(self, chunk)

    monkeypatch.setattr(lockstep.Lockstep, "run", counting)
    program(*buffers, **sizes)
    return found


@pytest.mark.parametrize("size", [1 << 16, 1 << 18])
def test_a_larger_grid_makes_more_chunks_and_no_larger_ones(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    lines, sizes = plain_kernels.vector_add(size)
    a = np.ones(size, np.float32)
    found = chunk_sizes(monkeypatch, Program("add", lines), np.zeros_like(a), a, a, **sizes)
    assert found == [lockstep.LANES_PER_CHUNK] * (size // lockstep.LANES_PER_CHUNK)


def test_many_lines_or_much_local_memory_make_smaller_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    local = (UOps.DEFINE_LOCAL, dtypes.float32, [], ("tile", 1 << 20))
    (lanes, *_) = chunk_sizes(monkeypatch, Program("p", [local]), global_size=(200,), local_size=(1,))
    assert lanes * 4 << 20 <= lockstep.BYTES_PER_CHUNK


@pytest.mark.parametrize(("size", "loads"), [(32, 2), (128, 2 * 128)])
def test_a_loop_of_few_lanes_loads_for_many_iterations_at_once(
    monkeypatch: pytest.MonkeyPatch, size: int, loads: int
) -> None:
    lines, sizes = plain_kernels.matmul(size)
    program, a = Program("matmul", lines), np.ones((size, size), np.float32)
    counts: dict[str, int] = {}
    step = lockstep.Lockstep._step

    def counting(self: Any, number: int, line: Any) -> Any:
        run = step(self, number, line)

        def counted() -> None:
            counts[line.uop.name] = counts.get(line.uop.name, 0) + 1
            run()

        return counted

    monkeypatch.setattr(lockstep.Lockstep, "_step", counting)
    program(np.zeros_like(a), a, a, **sizes)
    assert counts["LOAD"] == loads  # 32 iterations of 1,024 lanes fill a chunk; 16,384 lanes run in turn
    assert counts["STORE"] == 1


def test_the_steps_of_all_chunks_count_together() -> None:
    loop = [(UOps.CONST, dtypes.int32, [], 0), (UOps.CONST, dtypes.int32, [], 50)]
    loop += [(UOps.RANGE, dtypes.int32, [0, 1], 0), (UOps.ENDRANGE, None, [2], None)]
    short = Program("loop", loop, limits=Limits(steps=1000))
    short(global_size=(16,), local_size=(256,))
    with pytest.raises(
        LimitError, match=r"line 2 \(RANGE\): the launch has taken more than 1,000 steps; does its loop"
    ):
        short(global_size=(2500,), local_size=(256,))


def test_a_grid_too_large_to_end_is_refused_at_once() -> None:
    lines, _ = plain_kernels.vector_add(1 << 18)
    a = np.ones(4, np.float32)
    with pytest.raises(LimitError, match=r"lanes take more than 20,000,000 steps; .* is its grid as large as meant\?"):
        Program("add", lines)(a, a, a, global_size=(2**62, 2**62, 2**62), local_size=(256,))
    assert (a == 1).all()
    assert DEFAULT.steps == 20_000_000


def test_a_sum_of_many_elements_by_one_lane_is_no_endless_loop() -> None:
    """A loop that runs together counts what it computes, and not its iterations."""
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    total = k.add(UOps.DEFINE_ACC, dtypes.float32, [], 0.0)
    loop = k.loop(30_000)
    last = k.accumulate(total, BinaryOps.ADD, k.load(x, loop), loop)
    k.end(loop)
    k.store(out, k.const(0), last)
    values, result = np.ones(30_000, np.float32), np.zeros(1, np.float32)
    Program("sum", k.lines, limits=Limits(steps=1000))(result, values)
    assert result[0] == 30_000


@pytest.mark.parametrize("lines", [4, 64])
def test_memory_does_not_grow_with_the_lines(lines: int) -> None:
    """A value is forgotten once the last line that reads it has run."""
    k = plain_kernels.KernelLines()
    out, x = k.buffers(2)
    i = k.plus(k.times(k.special(0, "gidx0", 128), 256), k.special(0, "lidx0", 256))
    total = k.load(x, i)
    for _ in range(lines):
        total = k.floats(BinaryOps.ADD, total, total)
    k.store(out, i, total)
    program, buffers = Program("chain", k.lines), [np.zeros(128 * 256, np.float32) for _ in range(2)]
    program(*buffers)
    tracemalloc.start()
    program(*buffers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * buffers[0].nbytes
