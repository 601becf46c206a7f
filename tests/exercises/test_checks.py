"""What a check says of answers of each kind, what it shows, and what is collected."""

import json

import numpy as np
import pytest

from exercises import ask, check, hint, results
from exercises.define import (
    Exercise,
    Formula,
    Fragment,
    Kernel,
    Matrix,
    Mistake,
    Number,
    UnknownExerciseError,
    Views,
    define,
    find,
    names,
)
from exercises.session import forget
from exercises.watching import counted, watched
from gpuemu import cuda
from gpuemu.cuda import float32
from shapetracker import ShapeTracker, View


@pytest.fixture(autouse=True)
def _nothing_tried():
    forget()


def exercise(kind, wanted, inputs=lambda rng: {}, mistakes=()):
    return Exercise("it", "00", "What?", "check(None)", kind, inputs, wanted, ("A hint.",), mistakes)


# --- what a learner calls --------------------------------------------------------------------------------------------


def test_attempts_are_counted_until_the_answer_is_right():
    for answer in (20, "fifteen", 15, 15, 7):
        check(answer, "address")
    check(15, "address", seed=4)
    hint("address")
    assert json.loads(results()) == [
        {"name": "address", "seed": 0, "right": True, "attempts": 3, "hints": 1},
        {"name": "address", "seed": 4, "right": True, "attempts": 1, "hints": 1},
    ]


def test_results_are_written_to_a_file(tmp_path):
    check(15, "address")
    text = results(tmp_path / "ada.json")
    assert (tmp_path / "ada.json").read_text() == text
    assert json.loads(text)[0]["right"]


def test_nothing_tried_is_an_empty_list():
    assert json.loads(results()) == []


def test_each_hint_goes_a_step_further_and_the_last_one_stays():
    texts = [str(hint("address")) for _ in range(5)]
    assert texts[0].startswith("Hint 1 of 3.")
    assert texts[2] == texts[3] == texts[4]
    assert len(set(texts)) == 3


def test_ask_shows_the_question_and_the_code_to_start_from():
    text = str(ask("map"))
    assert find("map").asked in text
    assert "@cuda.jit" in text


def test_an_unknown_name_is_told_with_the_nearest():
    with pytest.raises(UnknownExerciseError, match="did you mean 'address'"):
        check(15, "adress")


def test_a_name_is_given_once():
    with pytest.raises(ValueError, match="there is an exercise 'address' already"):
        define(
            name="address",
            notebook="01",
            asked="?",
            start="",
            kind=Number(),
            inputs=dict,
            wanted=int,
            hints=("",),
        )


def test_there_are_twenty_puzzles_in_the_order_of_the_notebook():
    assert len(names("18")) == 20
    assert (names("18")[0], names("18")[-1]) == ("map", "tensor-core-matmul")


# --- the picture -----------------------------------------------------------------------------------------------------


def test_wrong_cells_are_framed_and_marked_in_text():
    verdict = find("map").check(half_done)
    assert "never written" in verdict.sentence
    assert "–!" in str(verdict)
    html = verdict._repr_html_()
    assert "border:2px solid #e0362c" in html
    assert html == find("map").check(half_done)._repr_html_()  # the same on every run


def test_the_right_answer_of_a_prediction_is_never_drawn():
    verdict = exercise(Number(), lambda: (31, 47)).check((31, 5))
    assert "47" not in str(verdict)
    assert "47" not in verdict._repr_html_()
    assert "place 1 is not 5" in verdict.sentence


def test_a_large_matrix_shows_what_is_around_the_first_wrong_element():
    verdict = find("transpose-padded").check(nothing)
    assert "from [0, 0]" in str(verdict)
    assert verdict._repr_html_().count("<td") < 300


# --- numbers, formulas, arrays, views, fragments ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "answer", "right", "sentence"),
    [
        (3, 3.0, True, "3 is the answer"),
        (3, np.int32(3), True, "3 is the answer"),
        (3, (3,), True, "3 is the answer"),
        (3, (3, 4), False, "A tuple of 2 was given; a number is asked for"),
        ((1, 2), [1, 2], True, "(1, 2) is the answer"),
        ((1, 2), np.array([1, 2]), True, "is the answer"),
        ((1, 2), (1, 2, 3), False, "3 numbers were given; 2 are asked for"),
        ((1, 2), 1, False, "One number was given; 2 numbers in a tuple are asked for"),
        (True, "yes", False, "A text was given; True or False is asked for"),
    ],
)
def test_numbers(wanted, answer, right, sentence):
    verdict = exercise(Number(), lambda: wanted).check(answer)
    assert verdict.right == right
    assert sentence in verdict.sentence


def test_numbers_in_any_order():
    several = exercise(Number(any_order=True), lambda: (5, 21))
    assert several.check((21, 5)).right
    assert "3 is not among them" in several.check((21, 3)).sentence
    assert "stands there twice" in several.check((21, 21)).sentence


@pytest.mark.parametrize(
    ("answer", "right", "sentence"),
    [
        ("i * 6 + j", True, "right at each of 24 points, with 2 operations"),
        (lambda i, j: i * 6 + j, True, "right at each of 24 points"),
        ("i + j * 6", False, "Exchanged. First at i = 0, j = 1: 6, and 1 is wanted."),
        ("i * 6 + j % 6", False, "takes 3 operations; 2 are enough"),
        ("i * 6 + j + k", False, "'k' is no variable; known are i, j"),
        ("i / 6", False, "integer division is written //"),
        ("__import__('os')", False, "It cannot be read"),
        (7, False, "an int was given"),
    ],
)
def test_formulas(answer, right, sentence):
    kind = Formula(lambda: {"i": (0, 3), "j": (0, 5)}, most_operations=2)
    asked = exercise(kind, lambda i, j: i * 6 + j, mistakes=(Mistake("Exchanged.", gives=lambda i, j: i + j * 6),))
    verdict = asked.check(answer)
    assert verdict.right == right
    assert sentence.lower() in verdict.sentence.lower()


def test_arrays():
    asked = exercise(Matrix(), lambda: np.arange(6).reshape(2, 3))
    assert asked.check([[0, 1, 2], [3, 4, 5]]).right
    assert "First at [1, 2]: 6, and 5 is wanted" in asked.check([[0, 1, 2], [3, 4, 6]]).sentence
    assert "The shape is (6,), and (2, 3) is wanted" in asked.check(range(6)).sentence
    assert "an array of numbers is asked for" in asked.check("an array").sentence


def test_views():
    asked = exercise(
        Views(single=True),
        lambda rows, columns: np.arange(rows * columns).reshape(rows, columns).T,
        lambda rng: {"rows": int(rng.integers(2, 5)), "columns": 6},
    )
    assert asked.check(lambda rows, columns: View.create((rows, columns)).permute((1, 0)), seed=3).right
    line = exercise(Views(single=True), lambda: np.array([0, 3, 1, 4, 2, 5]))
    two = ShapeTracker.from_shape((2, 3)).permute((1, 0)).reshape((6,))
    assert "with 2 views; one is enough" in line.check(two).sentence
    assert "a ShapeTracker or a View is asked for" in asked.check([1, 2]).sentence
    assert "The view cannot be made" in asked.check(lambda rows, columns: View.create((2,)).permute((1, 0))).sentence


def test_a_fragment_gets_the_checkers_cause():
    asked = exercise(Fragment("m16n8k16", "a"), lambda: None)
    right = "lane // 4 + 8 * (i // 2 % 2), 2 * (lane % 4) + i % 2 + 8 * (i // 4)"
    assert asked.check(right).right
    row, column = right.split(", ")
    assert "transposed" in asked.check(f"{column}, {row}").sentence
    assert "cannot be read" in asked.check("lane +").sentence


# --- kernels ---------------------------------------------------------------------------------------------------------


@cuda.jit
def half_done(out, a):
    i = cuda.threadIdx.x
    if i < 3:
        out[i] = a[i] + 10


@cuda.jit
def nothing(out, a):
    pass


@cuda.jit
def endless(out, a):
    i = 0
    while i < 1:
        i += 0


@cuda.jit
def divides_by_zero(out, a):
    i = cuda.threadIdx.x
    out[i] = 1 // (i - i)


@cuda.jit
def prints(out, a):
    print(a)  # noqa: T201 - it cannot be translated


@cuda.jit
def right_for_some_sizes(out, a):
    i = cuda.threadIdx.x
    if a.size != 5:
        out[i] = a[i] + 10


@cuda.jit
def takes_three(out, a, b):
    pass


@cuda.jit
def hoards(out, a):
    tile = cuda.shared.array(10**9, float32)
    tile[0] = 1


@cuda.jit
def reads_for_ever(out, a):
    i = 0
    while i < 1:
        i += 0
        out[cuda.threadIdx.x] = a[cuda.threadIdx.x]


@cuda.jit
def half_a_warp(out, a):
    total = cuda.wmma.fragment("c", "m16n8k16")
    cuda.wmma.mma_sync(total, cuda.wmma.fragment("a", "m16n8k16"), cuda.wmma.fragment("b", "m16n8k16"), total)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (endless, "does its loop end?"),
        (reads_for_ever, "does its loop end?"),
        (hoards, "too much memory"),
        (half_a_warp, "needs whole ones: a warp has 32"),
        (half_done[10**6, 4], "at most 16,384 here"),
        (divides_by_zero, "divides an integer by zero"),
        (prints, "print cannot be called in a kernel"),
        (takes_three, "got 2 arguments; expected 3"),
        (len, "write @cuda.jit"),
        (int, "a kernel is asked for"),
    ],
)
def test_kernels_that_are_none(answer, sentence):
    assert sentence in find("map").check(answer).sentence


def test_a_kernel_must_be_right_for_other_sizes_too():
    asked = exercise(Kernel(grid=lambda inputs: (1, inputs["a"].size)), lambda a: a + 10, a_of_growing_size())
    assert "right for the first inputs, and not for others" in asked.check(right_for_some_sizes).sentence


def a_of_growing_size():
    sizes = iter([4, 5])
    return lambda rng: {"a": np.arange(next(sizes), dtype=np.float32)}


@cuda.jit
def swaps_neighbours(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    out[i] = tile[i ^ 1]


@cuda.jit
def two_phases(out, a):
    tile = cuda.shared.array(8, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    cuda.syncthreads()
    out[i] = tile[i ^ 1]


@cuda.jit
def blocks_that_meet(out, a):
    out[cuda.threadIdx.x] = a[cuda.grid(1)]


def seen(kernel, blocks=1, lanes=8, size=8):
    a, out = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    compiled = kernel[blocks, lanes].compile(out, a)
    watch, failure = watched(compiled.program, (out, a), (), compiled.blocks, compiled.threads)
    assert failure is None
    return watch


def test_two_lanes_without_a_barrier_race():
    race = next(seen(swaps_neighbours).races())
    assert (race.lanes, race.verbs) == ((1, 0), ("write", "read"))


def test_a_barrier_ends_the_race():
    assert list(seen(two_phases).races()) == []


def test_lanes_of_two_blocks_race_in_any_phase():
    race = next(seen(blocks_that_meet, blocks=2, lanes=4).races())
    assert (race.groups, race.lanes, race.element) == ((0, 1), (0, 0), 0)


def test_accesses_are_counted():
    assert counted(seen(two_phases).counts()) == "8 reads of a, 8 writes of tile, 8 reads of tile, 8 writes of out"


@cuda.jit
def down_a_column(out, a):
    tile = cuda.shared.array((32, 32), float32)
    tile[cuda.threadIdx.x, 0] = 1


@cuda.jit
def down_a_wider_column(out, a):
    tile = cuda.shared.array((32, 33), float32)
    tile[cuda.threadIdx.x, 0] = 1


def test_a_column_of_a_square_tile_meets_in_one_bank_and_one_more_column_cures_it():
    assert seen(down_a_column, lanes=32).ways() == {"tile": 32}
    assert seen(down_a_wider_column, lanes=32).ways() == {"tile": 1}


def test_a_race_is_drawn_where_the_lanes_meet():
    verdict = exercise(Kernel(grid=lambda inputs: (1, 8)), lambda a: a.reshape(4, 2)[:, ::-1].ravel(), eight).check(
        swaps_neighbours
    )
    assert "right here by luck: lane 1 writes tile[1] and lane 0 reads it" in verdict.sentence
    assert "in the framed element lane 1 (write) and lane 0 (read) meet" in str(verdict)
    assert "1, 0!" in str(verdict)


def eight(rng):
    return {"a": rng.permutation(8).astype(np.float32)}
