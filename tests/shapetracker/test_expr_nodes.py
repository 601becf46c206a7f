"""Expressions are built as written, are one object when they are the same, and refuse what does not fit."""

import copy
import gc
import pickle

import numpy as np
import pytest

from shapetracker.errors import ExprError, UndecidedError
from shapetracker.expr import And, Const, Eq, Max, Min, Sum, Variable, as_expr, interning
from shapetracker.expr.interning import sweep

i, j = Variable("i", 0, 3), Variable("j", -4, 7)


def test_the_same_expression_is_one_object() -> None:
    assert (i * 8 + j) // 4 is (i * 8 + j) // 4
    assert i + j != j + i
    assert (i == j) is False


def test_a_constant_equals_its_integer_and_hashes_like_it() -> None:
    assert Const(3) == 3
    assert hash(Const(3)) == hash(3)
    assert Const(3) != 4
    assert as_expr(3) is Const(3)
    assert range(9)[Const(3)] == 3


def test_sums_products_and_conjunctions_flatten_and_constants_fold() -> None:
    assert repr(i + 2 + (j + 3)) == "i + 5 + j"
    assert repr(2 * i * 3) == "6*i"
    assert i * 0 == 0
    assert i * 1 + 0 is i
    assert repr(((i < 3) & (j > 1)) & (i > 0)) == "(i < 3) & (j > 1) & (i > 0)"
    assert And(i < 3, 0) == 0


def test_nothing_is_reordered() -> None:
    assert repr(7 - i) == "7 - i"
    assert repr(j + i) == "j + i"
    assert repr(2 * i + i * 2) == "2*i + i*2"


def test_division_of_numbers_rounds_down() -> None:
    assert Const(-21) // 5 == -5
    assert Const(-21) % 5 == 4
    assert Const(21) % -5 == -4


def test_copying_and_pickling_give_the_same_object() -> None:
    for e in (Const(10**30), i, i.bind(2), (i * 8 + j) // 4 % 3, (i < 3) & (j >= 1), Min(i, j), i.eq(j)):
        assert copy.copy(e) is e
        assert copy.deepcopy(e) is e
        assert pickle.loads(pickle.dumps(e)) is e


def test_nodes_nobody_holds_are_forgotten() -> None:
    gc.collect()
    before = sweep()
    e = (Variable("forgotten", 0, 1234567) * 7654321 + 13579) // 24680
    e.simplify()
    assert sweep() > before
    del e
    gc.collect()
    assert sweep() == before


def test_a_long_loop_does_not_fill_the_table() -> None:
    before = sweep()
    for n in range(20_000):
        assert ((j + n) * 3).max == (7 + n) * 3
    assert len(interning._TABLE) < before + 10_000


def test_expressions_do_not_change() -> None:
    with pytest.raises(AttributeError, match="expressions do not change"):
        i.name = "k"
    with pytest.raises(AttributeError, match="expressions do not change"):
        del i.name


def test_numpy_integers_are_integers() -> None:
    assert np.int64(3) * i is 3 * i
    assert i + np.int32(2) is i + 2


def test_bind_gives_a_new_node_and_leaves_the_variable() -> None:
    bound = i.bind(2)
    assert (bound.variable, bound.value, bound.max) == (i, 2, 3)
    assert (bound * 8 + i).variables() == (i,)
    assert (bound * 8 + j).unbind() == (i * 8 + j, {i: 2})
    assert (bound * 8).evaluate() == 16


def test_binding_out_of_range_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"i\.bind\(4\): i lies in 0\.\.3"):
        i.bind(4)


def test_two_values_of_one_variable_cannot_be_unbound() -> None:
    with pytest.raises(ExprError, match="i is bound to 1 and to 2"):
        (i.bind(1) + i.bind(2)).unbind()


def test_one_name_with_two_ranges_is_an_error_that_names_both() -> None:
    with pytest.raises(ExprError, match=r"'i': Variable\('i', 0, 3\) and Variable\('i', 0, 4\)"):
        i + Variable("i", 0, 4)


def test_an_empty_range_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"Variable\('k', 3, 2\): the range is empty"):
        Variable("k", 3, 2)


def test_a_name_must_be_an_identifier() -> None:
    with pytest.raises(ExprError, match="must be an identifier"):
        Variable("2k", 0, 3)


def test_a_symbolic_bound_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ExprError, match=r"must be integers; .* simplify\(assuming=\[k <= \.\.\.\]\)"):
        Variable("k", 0, i)  # type: ignore[arg-type]


def test_division_by_zero_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"^i // 0: division by zero"):
        i // 0
    with pytest.raises(ExprError, match=r"^\(i \+ 1\) % 0: division by zero"):
        (i + 1) % 0


def test_division_by_what_may_be_zero_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"the divisor lies in -4\.\.7 and may be zero"):
        i // j


def test_truth_is_asked_of_decided_conditions_only() -> None:
    assert bool(i < 4)
    assert not bool(i > 3)
    with pytest.raises(UndecidedError, match=r"bool\(i < 2\): undecided, it lies in 0\.\.1 for i in 0\.\.3"):
        bool(i < 2)


def test_a_float_is_no_operand() -> None:
    with pytest.raises(ExprError, match=r"0\.5 is a float: an integer or an expression was expected"):
        i * 0.5  # type: ignore[operator]


def test_a_conjunction_takes_conditions() -> None:
    with pytest.raises(ExprError, match=r"& with i, which lies in 0\.\.3: a condition \(0 or 1\) was expected"):
        (j < 3) & i


def test_a_comparison_takes_two_operands() -> None:
    with pytest.raises(ExprError, match="Eq of 1 operands: it takes 2"):
        Eq(i)


def test_the_least_of_nothing_is_an_error() -> None:
    with pytest.raises(ExprError, match="Max of no operands"):
        Max()
    assert Sum() == 0


def test_operations_are_counted_as_written() -> None:
    assert (i * 8 + j).operations() == 2
    assert (7 - i).operations() == 1
    assert (-i).operations() == 0
    assert ((i < 3) & (j >= 1) & (i * 2 > j)).operations() == 6
    assert Min(i, j, 3).operations() == 2


def test_a_name_is_no_expression() -> None:
    with pytest.raises(ExprError, match=r"'idx' is a str: .* Variable\('idx', least, greatest\)"):
        i + "idx"  # type: ignore[operator]


def test_a_name_is_a_text_and_no_word_of_python() -> None:
    with pytest.raises(ExprError, match=r"Variable\(None, 0, 3\): the name must be an identifier"):
        Variable(None, 0, 3)  # type: ignore[arg-type]
    with pytest.raises(ExprError, match=r"for is a word of Python's own, and could not be read back; try for_"):
        Variable("for", 0, 3)


def test_binding_takes_an_integer() -> None:
    with pytest.raises(ExprError, match=r"i\.bind\('a'\): an integer was expected"):
        i.bind("a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: i / 2, r"i / 2: expressions are integers; division that rounds down is written //"),
        (lambda: 2 / i, r"2 / i: expressions are integers"),
        (lambda: i**2, r"i \*\* 2: there are no powers; a square is written x \* x"),
        (lambda: (i < 3) | (j < 2), r"i < 3 \| j < 2: there is no such operation; a or b is Max\(a, b\)"),
        (lambda: ~(i < 3), r"~\(i < 3\): there is no such operation; the opposite of a condition c is c\.eq\(0\)"),
    ],
)
def test_an_operator_that_is_not_there_says_what_to_write(ask, message) -> None:
    with pytest.raises(ExprError, match=message):
        ask()


def test_the_opposite_and_the_alternative_can_be_written_so() -> None:
    x, y = i < 3, j < 2
    for point in ({"i": 0, "j": 0}, {"i": 3, "j": 0}, {"i": 3, "j": 3}):
        assert x.eq(0).evaluate(point) == (not x.evaluate(point))
        assert Max(x, y).evaluate(point) == (x.evaluate(point) or y.evaluate(point))


def test_a_width_can_be_asked_for() -> None:
    assert f"{i + 1:>7}" == "  i + 1"


@pytest.mark.parametrize("call", ["simplify", "explain", "render", "evaluate"])
def test_what_is_too_deep_is_our_error(call: str) -> None:
    e = i + 0
    for _ in range(3000):
        e = (e + 1) // 2
    with pytest.raises(ExprError, match=rf"{call}\(\): the operations stand in one another more deeply"):
        e.evaluate({"i": 1}) if call == "evaluate" else getattr(e, call)()
