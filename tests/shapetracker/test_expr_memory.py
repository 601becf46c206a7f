"""What a node remembers of itself stays true, whatever is simplified later."""

from shapetracker import Variable
from shapetracker.expr.simplify.linear import from_linear, linear


def test_a_sum_keeps_its_terms_when_the_caller_changes_its_own() -> None:
    j = Variable("j", 0, 9)
    terms = {j: 1}
    e = from_linear(terms, 2)
    del terms[j]
    assert linear(e) == ({j: 1}, 2)


def test_simplifying_a_quotient_leaves_the_parts_of_it_as_they_were() -> None:
    j = Variable("j", 0, 9)
    for a in range(1, 6):
        for b in range(8):
            for n in range(2, 6):
                ((j * a + b) // n).simplify()
    assert linear(j + 2) == ({j: 1}, 2)
    assert [(j + 2).simplify().evaluate({"j": at}) for at in range(10)] == list(range(2, 12))
