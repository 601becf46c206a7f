"""The Python side of the view explorer: chains, errors, code, selection, what is sent."""

import numpy as np
import pytest

from shapetracker import ShapeTracker, View, explore
from shapetracker.errors import ViewError
from shapetracker.widgets.chain import EXAMPLES, OPERATIONS, Chain, Step, from_code, read_numbers, run, to_code
from shapetracker.widgets.state import CELLS, Memory, picture, rows

FRAME = "ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (1, 2))).flip((1,))"


def test_code_round_trips_and_is_what_is_shown() -> None:
    explorer = explore(FRAME)
    assert explorer.code == FRAME
    assert eval(explorer.code) == explorer.tracker  # noqa: S307 - the text just compared
    assert repr(explorer) == f"ViewExplorer({FRAME!r})"


def test_setting_the_code_shows_another_chain() -> None:
    explorer = explore((4, 6))
    explorer.code = FRAME
    assert explorer.tracker == ShapeTracker.from_shape((4, 6)).permute((1, 0)).pad(((1, 1), (1, 2))).flip((1,))
    assert explorer.shown == 3


def test_wrong_code_raises_and_the_last_good_chain_stays() -> None:
    explorer = explore(FRAME)
    for wrong in ("ShapeTracker.from_shape((4, 6)).permute((1, 1))", "__import__('os')", "ShapeTracker.from_shape("):
        with pytest.raises(ViewError):
            explorer.code = wrong
        assert explorer.code == FRAME


def test_memory_is_said_to_be_what_is_read_where_its_size_is_not_known() -> None:
    assert explore((4, 6))._state["picture"]["memory"] == "24 elements"
    assert explore(View.create((4, 3), (6, 2)))._state["picture"]["memory"] == "as far as the view reads: 0 … 22"
    shrunk = explore(ShapeTracker.from_shape((4, 6)).shrink(((0, 2), (0, 6))))  # contiguous, and yet not all of it
    assert shrunk._state["picture"]["memory"] == "as far as the view reads: 0 … 11"
    assert "as far as the view reads: 0 … 11" in str(shrunk.draw())
    shrunk.code = "ShapeTracker.from_shape((2, 7))"
    assert shrunk._state["picture"]["memory"] == "14 elements"


def test_a_picture_of_very_many_panels_is_refused_and_the_last_one_stays() -> None:
    explorer = explore(np.zeros((60, 50, 3), np.uint8))
    good = explorer._state["picture"]
    steps = [["pad", "((0, 0), (0, 0), (1, 0))"]]
    explorer._chain = {"start": "(60, 50, 3)", "steps": steps, "shown": 1, "asked": 7}
    assert explorer._state["rows"][1]["reason"].startswith("a picture of 60 panels of 50 × 4 is too large to draw")
    assert explorer._state["picture"] == good
    explorer._chain = {"start": "(60, 50, 3)", "steps": [["permute", "(2, 0, 1)"]], "shown": 1, "asked": 8}
    assert not explorer._state["stale"]
    with pytest.raises(ViewError, match="a picture of 64 panels of 8 × 8 is too large to draw"):
        explore((64, 8, 8))


def test_a_wrong_argument_from_the_browser_keeps_the_picture() -> None:
    explorer = explore(FRAME)
    good = explorer._state["picture"]
    steps = [["permute", "(1, 0)"], ["pad", "((1, -1), (1, 2))"], ["flip", "(1,)"]]
    explorer._chain = {"start": "(4, 6)", "steps": steps, "shown": 3, "asked": 7}
    state = explorer._state
    assert state["stale"]
    assert state["asked"] == 7
    assert "cannot be negative" in state["rows"][2]["reason"]
    assert state["rows"][3]["waits"]
    assert state["picture"] == good
    assert explorer.code == FRAME


def test_shown_is_the_step_at_which_the_picture_stands() -> None:
    explorer = explore(FRAME)
    explorer.shown = 1
    assert explorer.tracker == ShapeTracker.from_shape((4, 6)).permute((1, 0))
    assert explorer.code == "ShapeTracker.from_shape((4, 6)).permute((1, 0))"


def test_the_selection_tells_index_and_address() -> None:
    explorer = explore(FRAME)
    explorer.selected = [0, 2 * 7 + 3]
    assert (explorer.index, explorer.address) == ((2, 3), 13)
    explorer.selected = [0, 0]
    assert (explorer.index, explorer.address) == ((0, 0), None)
    explorer.selected = [-1, 5]
    assert (explorer.index, explorer.address) == (None, 5)


def test_a_selection_that_no_longer_exists_is_dropped() -> None:
    explorer = explore(FRAME)
    explorer.selected = [0, 55]
    explorer.code = "ShapeTracker.from_shape((2, 2))"
    assert explorer.selected == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tables_that_are_sent_are_what_gather_reads(name: str) -> None:
    chain = EXAMPLES[name]
    outcome = run(chain, CELLS)
    assert not outcome.error
    sent = picture(chain, len(chain.steps), outcome.trackers, Memory())
    tracker = outcome.trackers[-1]
    expected = tracker.gather(np.arange(sent["size"]), fill=-1)
    assert (np.frombuffer(sent["views"][-1]["addresses"], "<i4").reshape(tracker.shape) == expected).all()


def test_tables_of_a_stack_lead_from_view_to_view() -> None:
    chain = EXAMPLES["a reshape that needs a second view"]
    sent = picture(chain, 3, run(chain, CELLS).trackers, Memory())
    inner, outer = ({key: np.frombuffer(view[key], "<i4") for key in ("below", "addresses")} for view in sent["views"])
    assert (inner["addresses"][outer["below"]] == outer["addresses"]).all()
    assert sent["why"]["kind"] == "steps"


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", [(4, 6), (8,), (2, 1, 3), (1,)])
def test_a_new_step_begins_with_arguments_that_work(operation: str, shape: tuple[int, ...]) -> None:
    start = Chain(str(shape))
    text = rows(start, run(start, CELLS))[0]["next"][operation]
    assert run(Chain(str(shape), (Step(operation, text),)), CELLS).error == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing is there"),
        ("(1, 0", "was never closed"),
        ("(1, x)", "expected whole numbers"),
        ("(1.5, 2)", "1.5 is not a whole number"),
        ("(True, 2)", "True is not a whole number"),
        ("__import__('os')", "expected whole numbers"),
    ],
)
def test_what_is_no_numbers_is_said(text: str, message: str) -> None:
    with pytest.raises(ViewError, match=message):
        read_numbers(text)


def test_a_flat_argument_of_pad_is_explained() -> None:
    outcome = run(Chain("(4, 6)", (Step("pad", "(1, 1)"),)), CELLS)
    assert outcome.error == "pad (1, 1): expected a pair for each axis, as ((1, 1), (0, 2))"


def test_too_many_elements_are_said_beside_the_field() -> None:
    outcome = run(Chain("(1, 6)", (Step("expand", "(9999, 6)"),)), CELLS)
    assert outcome.error == "expand (9999, 6): 59994 elements; the explorer draws up to 16384"


def test_a_tracker_and_a_view_are_explored_as_they_are() -> None:
    stack = ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,)).flip((0,))
    assert explore(stack).tracker == stack
    view = View.create((3, 2), (1, 3), 2, ((0, 2), (0, 2)))
    assert explore(view).tracker.views == (view,)
    assert eval(explore(stack).code) == stack  # noqa: S307 - our own text


def test_code_with_a_final_simplify_is_read() -> None:
    chain = EXAMPLES["a sliding window"]
    code = to_code(chain) + ".simplify()"
    assert from_code(code) == from_code(to_code(chain))
    assert explore(code).tracker.views == (View.create((4, 5), (1, 1)),)


def test_numbers_of_an_array_are_sent_and_an_image_is_a_png() -> None:
    assert explore(np.arange(6).reshape(2, 3) * 10)._constants["values"][4] == "40"
    photo = explore(np.zeros((40, 50, 3), np.uint8))
    assert photo._constants["values"] == []
    assert photo._state["picture"]["views"][0]["png"].startswith(b"\x89PNG")
    assert photo._state["picture"]["views"][0]["channels"] == 3


def test_what_is_stored_is_the_picture_at_rest() -> None:
    data, _ = explore(FRAME)._repr_mimebundle_()
    assert data["text/plain"] == f"ViewExplorer({FRAME!r})"
    assert data["text/html"] == explore(FRAME).draw().html()


def test_what_cannot_be_explored_is_named() -> None:
    with pytest.raises(ViewError, match="explore: expected a shape, a view, a tracker, a chain as text or an array"):
        explore(3.5)
