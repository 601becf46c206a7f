"""Chains of movement operations as text."""

import pytest
from hypothesis import given, settings
from strategies import movement_chains

from shapetracker import ShapeTracker
from shapetracker.chain import Operation, format_chain, parse_chain
from shapetracker.errors import ViewError


@given(movement_chains())
@settings(max_examples=100, deadline=None)
def test_text_reads_back_and_does_the_same(case):
    shape, chain = case
    operations = tuple(Operation(name, argument) for name, argument in chain)
    text = format_chain(operations)
    assert parse_chain(text) == operations
    tracker = ShapeTracker.from_shape(shape)
    expected = tracker
    for name, argument in chain:
        expected = getattr(expected, name)(argument)
    assert tracker.apply(text) == expected == tracker.apply(operations)
    start = " ".join(("shape", *map(str, shape)))
    assert ShapeTracker.from_text(f"{start} | {text}") == expected


def test_text_of_a_shape_alone():
    assert ShapeTracker.from_text("shape 4 6") == ShapeTracker.from_shape((4, 6))
    assert ShapeTracker.from_text("shape") == ShapeTracker.from_shape(())


def test_a_true_minus_is_read():
    assert parse_chain("stride −1") == parse_chain("stride -1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("shape 4 | turn 1", "chain: 'turn' is no movement operation; there are reshape, expand, permute"),
        ("shape 4 | ", ""),
        ("shape 4 | flip 0 | ", "chain: '' is no movement operation"),
        ("shape 4 | reshape 2x2", "chain: reshape takes integers with spaces between them, and '2x2' is none"),
        ("shape 4 | pad 1", "chain: pad takes one pair an axis, as '1,2', and '1' is none"),
        ("shape 4 | pad 1,b", "chain: pad takes integers with spaces between them, and 'b' is none"),
        (
            "shape 4 | reshape " + "9" * 5000,
            "chain: reshape takes integers of at most 100 digits, and 99999999999999999999… has 5000",
        ),
        ("reshape 4", "from_text: a chain starts with its shape, as 'shape 4 6'; 'reshape 4' does not"),
    ],
)
def test_errors_say_what_is_expected(text, message):
    if not message:
        assert ShapeTracker.from_text(text) == ShapeTracker.from_shape((4,))
        return
    with pytest.raises(ViewError) as caught:
        ShapeTracker.from_text(text)
    assert str(caught.value).startswith(message)
