"""Which old axes each new axis joins."""

from itertools import product
from math import prod

import pytest

from shapetracker import get_contraction
from shapetracker.errors import ViewError

SHAPES = [shape for rank in range(4) for shape in product((0, 1, 2, 3, 4), repeat=rank)]


def possible(old, new):
    """Whether some cuts of the old axes give the new sizes, by trying all."""
    if not new:
        return not old
    return any(prod(old[:cut]) == new[0] and possible(old[cut:], new[1:]) for cut in range(len(old) + 1))


def test_groups_are_found_exactly_where_there_are_some():
    for old, new in product(SHAPES, SHAPES):
        if len(old) + len(new) > 5:
            continue
        groups = get_contraction(old, new)
        assert (groups is not None) == possible(old, new), (old, new, groups)
        if groups is not None:
            assert [axis for group in groups for axis in group] == list(range(len(old)))
            assert tuple(prod(old[axis] for axis in group) for group in groups) == new


@pytest.mark.parametrize(
    ("old", "new", "groups"),
    [
        ((1, 2, 3, 1), (1, 6), [[], [0, 1, 2, 3]]),
        ((2, 3, 1, 4), (6, 4), [[0, 1], [2, 3]]),
        ((4, 3), (2, 6), None),
        ((2, 3), (2,), None),
    ],
)
def test_examples(old, new, groups):
    assert get_contraction(old, new) == groups


@pytest.mark.parametrize("shape", [24, None, ("a",), (2.0, 3), (-1, 24)])
def test_what_is_no_shape_is_an_error(shape):
    with pytest.raises(ViewError, match="get_contraction"):
        get_contraction((4, 6), shape)
