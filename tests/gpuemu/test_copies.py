"""Programs and errors as copies: another process, or a text, gives the same again."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from gpuemu import Program, UOps, cuda, dtypes
from gpuemu.errors import DivisionError, HazardError
from gpuemu.kernels.errors import KernelError, KernelHazardError

OUTSIDE = Program.from_text("""program "outside"
%out = DEFINE_GLOBAL float32 : "out"
%at = CONST int32 : 9
%nothing = CONST float32 : nan
STORE %out %at %nothing
""")


@cuda.jit
def outside(out):
    out[5] = 1


@cuda.jit
def unknown(out):
    out[0] = means_nothing  # noqa: F821


@cuda.jit
def divides(out):
    out[0] = 1 // (cuda.threadIdx.x)


def raised(run, *arguments) -> Exception:
    with pytest.raises((HazardError, KernelError, DivisionError)) as caught:
        run(*arguments)
    return caught.value


@pytest.mark.parametrize("run", [OUTSIDE, outside[1, 1], unknown[1, 1], divides[1, 1]], ids=str)
def test_an_error_is_the_same_after_pickling(run):
    error = raised(run, np.zeros(2, np.float32 if run is OUTSIDE else np.int64))
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def launch(program: Program) -> None:
    program(np.zeros(2, np.float32))


def test_an_error_of_another_process_arrives():
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        error = pool.submit(launch, OUTSIDE).exception()
    assert isinstance(error, HazardError)
    assert error.reports[0].buffer == "out"
    assert str(error).startswith("out-of-bounds at line 3:\n    writes element 9 of out, which has 2 elements")


def test_a_program_with_a_nan_is_equal_to_what_its_text_gives():
    again = Program.from_text(OUTSIDE.to_text())
    assert again == OUTSIDE
    assert hash(again) == hash(OUTSIDE)
    accumulator = [(UOps.DEFINE_ACC, dtypes.float32, [], (np.float32("nan"), 1))]
    assert Program("nan", accumulator) == Program.from_text(Program("nan", accumulator).to_text())


def test_a_kernels_error_holds_its_reports():
    error = raised(outside[1, 1], np.zeros(2, np.int64))
    assert isinstance(error, KernelHazardError)
    again = pickle.loads(pickle.dumps(error))
    assert again.where[0].text.strip() == "out[5] = 1"
    assert again.reports == error.reports
