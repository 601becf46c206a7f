"""Memory is bounded by the chunk, not by the grid: counted in lanes and chunks, not in seconds."""

from typing import Any

import numpy as np
import plain_kernels
import pytest

from gpuemu import Program, UOps, dtypes
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
