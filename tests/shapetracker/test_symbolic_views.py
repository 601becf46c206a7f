"""Views over variables: an operation before binding is the same as after it, and guards say where it holds."""

import random
from itertools import product

import numpy as np
import pytest

from shapetracker import ShapeTracker, Variable, View
from shapetracker.errors import ShapeTrackerError, UndecidedError, ViewError
from shapetracker.symbolic import SymbolicView

I = Variable("i", 1, 4)
J = Variable("j", 0, 3)


def variables(part):
    """The variables of a view, an expression, or a nest of them."""
    if isinstance(part, (tuple, list)):
        return {variable for inner in part for variable in variables(inner)}
    if isinstance(part, View):
        return part.vars()
    return set() if isinstance(part, int) else set(part.variables())


def bindings(*parts):
    names = sorted(variables(parts), key=lambda variable: variable.name)
    for values in product(*[range(variable.min, variable.max + 1) for variable in names]):
        yield dict(zip(names, values, strict=True))


def at(argument, values):
    """An argument with the variables' values in their places."""
    if isinstance(argument, (tuple, list)):
        return tuple(at(part, values) for part in argument)
    if isinstance(argument, int):
        return argument
    return argument.evaluate({variable.name: value for variable, value in values.items()})


def number(rng, low, high):
    """An integer, or an expression that has that value in some binding."""
    value = rng.randint(low, high)
    return rng.choice([value, value, value + J - J.min - rng.randint(0, 3), I + (value - rng.randint(1, 4)), J])


def operation(rng, view):
    """A random operation, of which some arguments do not fit in some bindings."""
    rank = len(view.shape)
    name = rng.choice(["pad", "shrink", "expand", "permute", "stride", "flip", "reshape", "reshape"])
    if name == "pad":
        return name, tuple((number(rng, 0, 2), number(rng, 0, 1)) for _ in range(rank))
    if name == "shrink":
        return name, tuple(
            rng.choice([(0, size), (begin := number(rng, 0, 1), begin + rng.randint(1, 2)), (rng.randint(0, 1), size)])
            for size in view.shape
        )
    if name == "expand":
        return name, tuple(number(rng, 1, 3) if size == 1 else size for size in view.shape)
    if name == "permute":
        return name, tuple(rng.sample(range(rank), rank))
    if name == "stride":
        return name, tuple(rng.choice([1, 2, -1, -2, 3]) for _ in range(rank))
    if name == "flip":
        return name, tuple(axis for axis in range(rank) if rng.random() < 0.5)
    shape = list(view.shape)
    for _ in range(rng.randint(1, 2)):
        place = rng.randrange(len(shape) + 1)
        if place + 1 < len(shape) and rng.random() < 0.6:
            shape[place : place + 2] = [shape[place] * shape[place + 1]]
        elif place < len(shape) and isinstance(shape[place], int) and shape[place] % 2 == 0:
            shape[place : place + 1] = [2, shape[place] // 2]
        else:
            shape.insert(place, 1)
    return name, tuple(shape)


def start(rng):
    shape = tuple(rng.choice([1, 2, 3, 4, I, I + 1, I * 2, J]) for _ in range(rng.randint(1, 3)))
    return View.create(shape)


def check_law(rng, triples):
    """``op(v).bind(values) == op(v.bind(values))`` for at least so many (view, operation, binding)."""
    done = guarded = 0
    while done < triples:
        view = start(rng)
        for _ in range(rng.randint(1, 4)):
            name, argument = operation(rng, view)
            try:
                after = getattr(view, name)(argument)
            except UndecidedError:
                break
            except ViewError:
                for values in bindings(view, argument):  # it never holds
                    if bound_or_none(view, values) is not None:
                        with pytest.raises(ViewError):
                            getattr(view.bind(values), name)(at(argument, values))
                break
            if after is None:
                break
            for values in bindings(view, argument, after):
                before = bound_or_none(view, values)
                if before is None:
                    continue
                done += 1
                try:
                    expected = getattr(before, name)(at(argument, values))
                except ShapeTrackerError:
                    guarded += 1
                    with pytest.raises(ViewError, match="guard"):
                        after.bind(values)
                    continue
                assert after.bind(values) == expected, (view, name, argument, values)
            view = after
    return guarded


def bound_or_none(view, values):
    try:
        return view.bind(values)
    except ViewError:
        return None


@pytest.mark.parametrize("seed", range(3))
def test_an_operation_before_binding_is_the_same_as_after_it(seed):
    assert check_law(random.Random(seed), 700) > 10


# --- what broke other implementations --------------------------------------------------------------------------------


def test_a_window_that_slides_over_padding():
    i = Variable("i", 1, 6)
    padded = View.create((4,)).pad(((2, 2),))
    window = padded.shrink(((i, i + 2),))
    assert window.shape == (2,)
    for value in range(1, 7):
        assert window.bind({i: value}) == padded.shrink(((value, value + 2),))


def test_a_reshape_back_to_integers_carries_a_guard():
    i = Variable("i", 1, 6)
    back = View.create((i, 4)).reshape((8,))
    assert [guard.render() for guard in back.guards] == ["i == 2"]
    assert back.bind({i: 2}) == View.create((8,))
    with pytest.raises(ViewError, match="with i = 3, the guard i == 2 does not hold"):
        back.bind({i: 3})


def test_expand_of_a_masked_axis_of_size_one():
    x = Variable("x", 0, 1)
    masked = View.create((1, 2)).shrink(((0, 1), (0, 2))).pad(((0, 1), (0, 0))).shrink(((x, x + 1), (0, 2)))
    assert masked.shape == (1, 2)
    wide = masked.expand((5, 2))
    assert wide.bind({x: 0}) == View.create((1, 2)).expand((5, 2))
    assert wide.bind({x: 1}) == View.create((5, 2), mask=((0, 0), (0, 0)))


def test_a_reshape_of_a_masked_axis_takes_its_mask_along():
    padded = View.create((I, 4)).pad(((J, 1), (0, 0)))
    flat = padded.reshape(((I + J + 1) * 4,))
    assert flat.mask[0] == (J * 4, (I + J) * 4)
    row = View.create((I + 1, 6)).permute((1, 0)).pad(((0, 0), (J, 0))).shrink(((2, 3), (0, I + J + 1)))
    assert row.reshape((I + J + 1, 1)) is not None
    one_row = View.create((I, 4)).shrink(((0, 1), (0, 4))).pad(((J, 2), (0, 1)))
    assert one_row.reshape(((J + 3) * 5,)).mask[0] == (J * 5, J * 5 + 4)
    for values in bindings(padded):
        i, j = values[I], values[J]
        assert flat.bind(values) == padded.bind(values).reshape(((i + j + 1) * 4,))
        assert one_row.reshape(((J + 3) * 5,)).bind(values) == one_row.bind(values).reshape(((j + 3) * 5,))


def test_shrink_to_one_position_leaves_the_size_one():
    x = Variable("x", 0, 3)
    assert View.create((4, 3)).shrink(((x, x + 1), (0, 3))).shape == (1, 3)


def test_reshape_to_a_variable_plus_a_constant():
    v = Variable("v", 1, 5)
    view = View.create((v + 2, 3)).reshape((3, v + 2))
    assert view.shape == (3, v + 2)
    assert view.bind({v: 4}) == View.create((3, 6))


# --- variables -------------------------------------------------------------------------------------------------------


def test_bound_nodes_come_out_and_go_back_in():
    shape = (I.bind(3), 4)
    view = View.create(shape)
    plain, values = view.unbind()
    assert values == {I: 3}
    assert plain == View.create((I, 4))
    assert plain.bind(values) == view.bind() == View.create((3, 4))


def test_tracker_variables():
    tracker = ShapeTracker.from_shape((I.bind(2), J)).permute((1, 0))
    assert tracker.vars() == {I, J}
    assert tracker.var_vals == {I: 2}
    assert tracker.unbind()[0] == ShapeTracker.from_shape((I, J)).permute((1, 0))
    assert tracker.bind({J: 3}) == ShapeTracker.from_shape((2, 3)).permute((1, 0))
    assert ShapeTracker.from_shape((2, 3)).vars() == set()


def test_two_values_for_one_variable_are_an_error():
    with pytest.raises(ViewError, match="i is bound to 2 and to 3"):
        View.create((I.bind(2), I.bind(3))).unbind()


def test_a_variable_without_a_value_is_an_error():
    with pytest.raises(ViewError, match="the variable j has no value"):
        View.create((I, J)).bind({I: 2})


def test_a_condition_that_never_holds_is_an_error_at_once():
    with pytest.raises(ViewError, match=r"axis 0 must keep 0 <= i <= i \+ 9 <= 4"):
        View.create((4,)).shrink(((I, I + 9),))
    with pytest.raises(ViewError, match="elements cannot become"):
        View.create((I, 4)).reshape((100,))


def test_a_structure_that_depends_on_the_binding_is_undecided():
    with pytest.raises(UndecidedError, match="whether it is 1 depends on the binding"):
        View.create((I, 3)).expand((5, 3))


def test_views_that_hold_no_variable_any_more_are_plain():
    assert not isinstance(View.create((4,)).shrink(((J * 0, 3),)), SymbolicView)


def test_questions_about_a_symbolic_tracker_ask_for_a_binding():
    tracker = ShapeTracker.from_shape((I, 4))
    for ask in (tracker.real_size, tracker.real_strides, tracker.needs_valid, tracker.real_offset):
        with pytest.raises(ViewError, match="depends on i; bind the variables first"):
            ask()
    with pytest.raises(ViewError, match="bind the variables first"):
        tracker.gather(np.arange(16))
    with pytest.raises(ViewError, match="bind them first"):
        View.create((I, 4)).minify()
    with pytest.raises(ViewError, match="bind them first"):
        View.create((I, 4)).invert((4, 4))


def test_questions_about_a_bound_tracker_need_no_other_binding():
    bound = ShapeTracker.from_shape((I.bind(2), 4)).permute((1, 0)).pad(((1, 0), (0, 0)))
    plain = ShapeTracker.from_shape((2, 4)).permute((1, 0)).pad(((1, 0), (0, 0)))
    assert bound.real_strides(ignore_valid=True) == plain.real_strides(ignore_valid=True) == (1, 4)
    assert bound.real_size() == plain.real_size() == 8
    assert bound.real_offset() == plain.real_offset() == -1
    assert bound.gather(np.arange(8), fill=-1).tolist() == plain.gather(np.arange(8), fill=-1).tolist()
    assert bound.invert((8,)) == plain.invert((8,))
    unpadded = ShapeTracker.from_shape((I.bind(2), 4)).permute((1, 0))
    assert unpadded.as_array(np.arange(8)).tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
    with pytest.raises(ViewError, match="depends on j; bind the variables first"):
        ShapeTracker.from_shape((I.bind(2), J)).real_size()


# --- trackers --------------------------------------------------------------------------------------------------------


def test_a_symbolic_tracker_simplifies_and_binds():
    tracker = ShapeTracker.from_shape((I, 4)).reshape((I * 4,)).reshape((4, I)).permute((1, 0)).permute((1, 0))
    assert tracker.simplify() == ShapeTracker.from_shape((4, I))
    assert tracker.contiguous
    assert tracker.consecutive
    stack = ShapeTracker.from_shape((I, 4)).permute((1, 0)).reshape((I * 4,))
    assert len(stack.views) == 2
    for value in range(1, 5):
        expected = ShapeTracker.from_shape((value, 4)).permute((1, 0)).reshape((value * 4,))
        assert stack.bind({I: value}).simplify() == expected.simplify()


def test_expressions_of_a_symbolic_tracker():
    tracker = ShapeTracker.from_shape((I, 4)).permute((1, 0)).pad(((1, 0), (0, J)))
    index, valid = tracker.expr_idxs()
    for i, j in product(range(1, 5), range(4)):
        plain = tracker.bind({I: i, J: j})
        expected = plain.gather(np.arange(16), fill=-1)
        for a, b in product(range(plain.shape[0]), range(plain.shape[1])):
            point = {"i": i, "j": j, "idx0": a, "idx1": b}
            point = {v.name: point[v.name] for v in {*index.variables(), *valid.variables()}}
            found = index.evaluate({v.name: point[v.name] for v in index.variables()})
            holds = valid.evaluate({v.name: point[v.name] for v in valid.variables()})
            assert (found if holds else -1) == expected[a, b]


def test_a_sum_before_binding_is_the_same_as_after_it():
    inners = [
        View.create((I, 4)),
        View.create((I, 4), offset=J),
        View.create((4, I)).permute((1, 0)),
        View.create((I * 4,)),
    ]
    outers = [
        View.create((I * 4,)),
        View.create((4, I)),
        View.create((I, 2, 2)),
        View.create((I, 4)).flip(0),
        View.create((I, 4)).pad(((J, 0), (0, 1))),
        View.create((I, 4)).shrink(((0, 1), (0, 4))),
    ]
    found = 0
    for inner, outer in product(inners, outers):
        both = inner + outer
        for values in bindings(inner, outer):
            if both is not None:
                found += 1
                assert both.bind(values) == inner.bind(values) + outer.bind(values)
    assert found > 150


@pytest.mark.parametrize("seed", range(3))
def test_a_lookup_that_leaves_the_view_below_in_some_bindings_is_a_guard(seed):
    rng = random.Random(seed)
    kept = refused = 0
    while kept < 300 or refused < 100:
        inner = View.create(tuple(rng.choice([2, 4, I, I + 2, I * 2]) for _ in range(rng.randint(1, 2))), offset=J)
        rank = rng.randint(1, 2)
        outer = View.create(
            tuple(rng.choice([1, 2, 3, I, J]) for _ in range(rank)),
            tuple(rng.choice([1, 2, -1, I, J - 1]) for _ in range(rank)),
            rng.choice([0, 1, 3, J, I]),
        ).pad(tuple((rng.choice([0, 1, J]), 0) for _ in range(rank)))
        try:
            both = inner + outer
        except ViewError:  # it never fits
            for values in bindings(inner, outer):
                with pytest.raises(ViewError, match="reads the elements"):
                    inner.bind(values) + outer.bind(values)
            continue
        if both is None:
            continue
        for values in bindings(inner, outer):
            try:
                expected = inner.bind(values) + outer.bind(values)
            except ViewError:
                refused += 1
                with pytest.raises(ViewError, match=r"the guard .* does not hold"):
                    both.bind(values)
            else:
                kept += 1
                assert both.bind(values) == expected, (inner, outer, values)


@pytest.mark.parametrize("seed", range(2))
def test_a_sum_is_found_exactly_where_each_binding_has_one(seed):
    rng = random.Random(seed)
    yes = no = 0
    while yes < 30 or no < 30:
        inner = View.create(tuple(rng.choice([2, 3, 4, I, I + 1, I * 2]) for _ in range(rng.randint(1, 3))))
        inner = inner.permute(tuple(rng.sample(range(len(inner.shape)), len(inner.shape))))
        inner = inner.flip(tuple(axis for axis in range(len(inner.shape)) if rng.random() < 0.3))
        outer = View.create(inner.shape if rng.random() < 0.5 else (inner.size(),))
        outer = outer.permute(tuple(rng.sample(range(len(outer.shape)), len(outer.shape))))
        outer = outer.flip(tuple(axis for axis in range(len(outer.shape)) if rng.random() < 0.5))
        outer = outer.stride(tuple(rng.choice([1, 2]) for _ in outer.shape))
        outer = outer.pad(tuple((rng.choice([0, 0, J]), 0) for _ in outer.shape))
        both = inner + outer
        expected = [(values, inner.bind(values) + outer.bind(values)) for values in bindings(inner, outer)]
        assert (both is not None) == all(found is not None for _, found in expected), (inner, outer)
        yes += both is not None
        no += both is None
        for values, found in expected:
            if both is not None:
                assert both.bind(values) == found, (inner, outer, values)


def test_a_view_made_of_expressions_binds_to_the_view_made_of_numbers():
    view = View.create((I, 4), strides=(J, I), offset=J * 2, mask=((0, I), (1, 4)))
    for values in bindings(view):
        i, j = values[I], values[J]
        assert view.bind(values) == View.create((i, 4), (j, i), j * 2, ((0, i), (1, 4)))


def test_names_bind_as_well_as_variables():
    assert View.create((I, 4)).bind({"i": 2}) == View.create((2, 4))


def test_the_picture_shows_the_guards():
    view = View.create((I, 4)).reshape((8,))
    assert "guard     i == 2" in str(view.draw())
    assert "i == 2" in view._repr_html_()
    assert str(ShapeTracker((view,)).draw()) == str(view.draw())


# --- odd arguments ---------------------------------------------------------------------------------------------------


def test_numpy_integers_beside_expressions_are_integers():
    view = View.create((I, np.int64(4)), (np.int8(4), True), np.int16(0))
    assert view == View.create((I, 4))
    assert repr(view.reshape(np.array([2, 2]))) == "View(shape=(2, 2), strides=(2, 1), offset=0, guards=(i == 1,))"
    assert View.create((1, I)).expand((np.int8(3), I)) == View.create((1, I)).expand((3, I))


def test_errors_name_the_shape_that_was_given():
    view = View.create((I, 4))
    with pytest.raises(ViewError, match=r"permute \(i, 4\) by \(2, 2\): each of the axes 0 … 1"):
        view.permute((2, 2))
    with pytest.raises(ViewError, match=r"stride \(i, 4\) by \(0, 1\): axis 0 has step 0"):
        view.stride((0, 1))
    with pytest.raises(ViewError, match="invert: 5 is no shape"):
        view.invert(5)


@pytest.mark.parametrize("values", [3, "i", (1, 2), [I]])
def test_bind_asks_for_a_value_of_each_variable(values):
    with pytest.raises(ViewError, match=r"gives no variable a value; write \{i: 3\}"):
        View.create((I, 4)).bind(values)


def test_a_size_or_a_mask_that_never_fits_is_an_error_at_once():
    with pytest.raises(ViewError, match=r"size i - 9 of axis 0 .* is negative in every binding"):
        View.create((I - 9, 4))
    with pytest.raises(ViewError, match=r"mask \(0, 9\) lies outside of axis 0, which has size i"):
        View.create((I, 4), mask=((0, 9), (0, 4)))
