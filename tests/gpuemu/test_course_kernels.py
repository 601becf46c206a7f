"""Kernels of puzzles and courses give what numpy gives, on inputs whose elements all differ."""

import numpy as np
import pytest
from course_kernels import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_course_kernel(case):
    for found, wanted in case.run():
        assert found.shape == wanted.shape
        assert np.allclose(found, wanted, rtol=case.tolerance, atol=case.tolerance)


def test_there_are_fourteen_puzzles_and_fifteen_of_courses():
    assert len({case.name for case in CASES}) == 29
