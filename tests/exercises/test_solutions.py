"""Every solution passes its check, whatever the inputs; typical wrong answers get the sentence that helps."""

import pytest
from wrong_answers import WRONG as WRONG_ANSWERS
from wrong_kernels import WRONG as WRONG_KERNELS
from wrong_kernels_of_warps import WRONG as WRONG_KERNELS_OF_WARPS

from exercises import check
from exercises.define import find, names
from solutions import modules

SOLUTIONS = {name: answer for module in modules() for name, answer in module.SOLUTIONS.items()}
WRONG = [*WRONG_ANSWERS, *WRONG_KERNELS, *WRONG_KERNELS_OF_WARPS]
SEEDS = (0, 1, 2)


@pytest.mark.parametrize("name", names())
def test_each_exercise_has_a_solution_and_hints(name):
    assert name in SOLUTIONS
    assert find(name).hints
    assert find(name).asked.endswith((".", "?", ")"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SOLUTIONS)
def test_solution_passes_its_check(name, seed):
    verdict = check(SOLUTIONS[name], name, seed)
    assert verdict.right, str(verdict)


@pytest.mark.parametrize(("name", "answer", "sentence"), WRONG, ids=[f"{i}-{case[0]}" for i, case in enumerate(WRONG)])
def test_wrong_answer_gets_the_sentence_that_helps(name, answer, sentence):
    verdict = check(answer, name)
    assert not verdict.right
    assert sentence in verdict.sentence


@pytest.mark.parametrize("name", names())
def test_each_exercise_answers_a_typical_wrong_answer(name):
    assert name in {exercise for exercise, _, _ in WRONG}


def test_solutions_hold_right_answers_alone():
    assert len(WRONG) >= 160
    assert not any(hasattr(module, "WRONG") for module in modules())


@pytest.mark.parametrize("name", names())
def test_whatever_is_given_is_answered(name):
    for answer in ("a text", None, 3.5, (1, "two"), [], {}, object(), int, lambda: 1 / 0, b"", float("nan"), 10**400):
        verdict = check(answer, name)
        assert verdict.sentence
        assert verdict._repr_html_()
