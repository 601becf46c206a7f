"""Random programs give the same bits on the lockstep engine and on the obvious one."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import scalar_engine
from random_programs import Case, cases, folding_cases

from gpuemu import Program
from gpuemu.machine import lockstep
from gpuemu.machine.batching import Batch


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two arrays hold the same bits; one nan is as good as another."""
    if left.dtype.kind in "biu":
        return np.array_equal(left, right)
    with np.errstate(invalid="ignore"):
        nan = np.isnan(left.astype(np.float64)), np.isnan(right.astype(np.float64))
    bits = np.dtype(f"u{left.dtype.itemsize}")
    return np.array_equal(*nan) and np.array_equal(left.view(bits)[~nan[0]], right.view(bits)[~nan[1]])


def check(case: Case) -> None:
    expected = [buffer.copy() for buffer in case.buffers]
    launch = {"global_size": case.global_size, "local_size": case.local_size, "vals": case.vals}
    with np.errstate(all="ignore"):
        scalar_engine.run(case.program, *expected, **launch)
    found = [buffer.copy() for buffer in case.buffers]
    case.program(*found, **launch)
    for left, right in zip(found, expected, strict=True):
        assert same_bits(left, right), case.program.to_text()


@settings(max_examples=70, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_both_engines_give_the_same_bits(case: Case) -> None:
    check(case)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_chunks_of_any_size_give_the_same_bits(case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "LANES_PER_CHUNK", 1)  # one workgroup at a time
        check(case)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), lanes=st.sampled_from([8, 32768]))
def test_iterations_that_run_together_give_the_same_bits(case: Case, lanes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "LEAST_BATCH", 1)
        patch.setattr(lockstep, "LANES_PER_CHUNK", lanes)
        check(case)


def test_loops_that_run_together_or_as_folds_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[bool] = []
    take_turns = lockstep.Lockstep._take_turns

    def noted(engine: lockstep.Lockstep, batch: Batch, count: int) -> None:
        folded.append(bool(batch.folds))
        take_turns(engine, batch, count)

    @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=folding_cases())
    def same(case: Case) -> None:
        check(case)

    monkeypatch.setattr(lockstep.Lockstep, "_take_turns", noted)
    same()
    assert folded.count(True) > 3
    assert folded.count(False) > 3


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_the_text_form_round_trips(case: Case) -> None:
    text = case.program.to_text()
    again = Program.from_text(text)
    assert again.to_text() == text
    assert [line.uop for line in again.lines] == [line.uop for line in case.program.lines]
