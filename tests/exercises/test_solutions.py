"""Every solution passes its check, whatever the inputs; typical wrong answers get the sentence that helps."""

import pytest

from exercises import check
from exercises.define import find, names
from solutions import modules

SOLUTIONS = {name: answer for module in modules() for name, answer in module.SOLUTIONS.items()}
WRONG = [case for module in modules() for case in module.WRONG]
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


def test_there_are_at_least_twenty_typical_wrong_answers():
    assert len(WRONG) >= 20


@pytest.mark.parametrize("name", names())
def test_whatever_is_given_is_answered(name):
    for answer in ("a text", None, 3.5, (1, "two"), [], {}, object(), int, lambda: 1 / 0, b"", float("nan"), 10**400):
        verdict = check(answer, name)
        assert verdict.sentence
        assert verdict._repr_html_()
