"""Wrong kernels and what cannot be translated: each has a message that points to its line."""

from dataclasses import replace

import numpy as np
import pytest

from gpuemu import Program, cuda
from gpuemu.cuda import KernelError, KernelHazardError, float32
from gpuemu.errors import DivisionError, LaunchError, LimitError
from gpuemu.limits import Limits

TABLE = np.arange(3)  # what a kernel reads must be an argument
LIST = [1, 2]


@cuda.jit(device=True)
def helper(x):
    return x + 1


@cuda.jit(device=True)
def recursive(n):
    return recursive(n - 1) if n > 0 else 0


@cuda.jit
def comprehension(out):
    out[0] = max([i * i for i in range(3)])


@cuda.jit
def printing(out):
    print(out[0])  # noqa: T201


@cuda.jit
def try_statement(out):
    try:  # noqa: SIM105
        out[0] = 1
    except ValueError:
        pass


@cuda.jit
def with_statement(out):
    with out:
        pass


@cuda.jit
def assertion(out):
    assert out[0] == 0


@cuda.jit
def returns_value(out):
    return out[0]


@cuda.jit
def inner_function(out):
    def inner():
        pass


@cuda.jit
def over_a_number(out):
    for _x in out.size:
        pass


@cuda.jit
def over_a_call(out):
    for _i in reversed(out):
        pass


@cuda.jit
def loop_else(out):
    for _ in range(3):
        pass
    else:  # noqa: PLW0120
        out[0] = 1


@cuda.jit
def too_many_indices(out):
    out[0, 1] = 2


@cuda.jit
def float_index(out):
    out[cuda.grid(1) / 2] = 1


@cuda.jit
def negative_index(out):
    out[-9] = 1


@cuda.jit
def sliced(out):
    out[::0] = 1


@cuda.jit
def copies_of_other_size(out):
    out[1:3] = out[:3]


@cuda.jit
def backwards_from_a_lane(out):
    part = out[cuda.grid(1) :: -1]
    out[0] = part[0]


@cuda.jit
def augmented_part(out):
    out[1:3] += 1


@cuda.jit
def tuple_by_lane(out):
    pair = cuda.grid(1), 2
    out[0] = pair[cuda.grid(1)]


@cuda.jit
def changes_form(out):
    pair = 1
    pair = 1, 2
    out[0] = pair[0]


@cuda.jit
def constant_of_a_list(out):
    table = cuda.const.array_like(LIST)
    out[0] = table[0]


@cuda.jit
def complex_result(out):
    out[0] = complex(1.0, 2.0)


@cuda.jit
def unknown_parameter(out):
    out[0] = helper(y=1)


@cuda.jit
def bits_of_a_float(out):
    out[0] = cuda.popc(out[0])


@cuda.jit
def range_as_value(out):
    steps = range(4)
    out[0] = steps[0]


@cuda.jit
def global_array(out):
    out[0] = TABLE[0]


@cuda.jit
def global_list(out):
    out[0] = LIST[0]


@cuda.jit
def unknown_name(out):
    out[0] = undefined_name  # noqa: F821


@cuda.jit
def read_early(out):
    out[0] = later  # noqa: F821
    later = 1  # noqa: F841


@cuda.jit
def misspelled(out):
    out[cuda.thredIdx.x] = 1


@cuda.jit
def no_axis_w(out):
    out[cuda.threadIdx.w] = 1


@cuda.jit
def recursion(out):
    out[0] = recursive(3)


@cuda.jit
def wrong_count(out):
    out[0] = helper(1, 2)


@cuda.jit
def dynamic_shape(out, n):
    tile = cuda.shared.array(n, float32)
    out[0] = tile[0]


@cuda.jit
def no_type(out):
    tile = cuda.shared.array(4, "float31")
    out[0] = tile[0]


@cuda.jit
def numpy_function(out):
    out[0] = np.linalg.norm(out)


@cuda.jit
def shift_of_float(out):
    out[0] = 1.5 << 2


@cuda.jit
def bits_of_float(out):
    out[0] = out[0] & 1


@cuda.jit
def matrix_sign(out):
    out[0] = out @ out


@cuda.jit
def whole_array(out):
    out[0] = out


@cuda.jit
def four_axes(out):
    out[0] = cuda.grid(4)


@cuda.jit
def identity_comparison(out):
    if out is None:
        pass


@cuda.jit
def two_names_for_three(out):
    a, b = 1, 2, 3
    out[0] = a + b


@cuda.jit
def zero_step(out):
    for i in range(0, 4, 0):
        out[0] = i


@cuda.jit
def a_text(out):
    out[0] = "one"


@cuda.jit
def divides_by_constant_zero(out):
    out[0] = cuda.grid(1) // 0


@cuda.jit
def array_changes(out, a):
    src = a
    src = out
    out[0] = src[0]


@cuda.jit
def attribute_of_array(out):
    out[0] = out.mean()


@cuda.jit
def method_of_number(out):
    i = cuda.grid(1)
    out[0] = i.real


@cuda.jit
def starred(out):
    out[0] = max(*out)


@cuda.jit
def barrier_with_argument(out):
    cuda.syncthreads(out)


@cuda.jit
def float_range(out):
    for i in range(2.5):
        out[0] = i


@cuda.jit
def row_as_element(out, a):
    a[0] = 1


@cuda.jit
def makes_an_array(out):
    tmp = np.zeros(4)
    out[0] = tmp[0]


@cuda.jit
def sums_an_array(out):
    out[0] = sum(out)


@cuda.jit
def draws(out):
    out[0] = np.random.rand()


@cuda.jit
def a_list(out):
    found = []
    out[0] = found[0]


@cuda.jit
def position_without_axis(out):
    i = cuda.threadIdx
    out[i] = 1


@cuda.jit
def position_called(out):
    out[cuda.threadIdx.x()] = 1


@cuda.jit
def grid_of_nothing(out):
    out[cuda.grid()] = 1


@cuda.jit
def two_names_for_one(out):
    i, j = cuda.grid(1)
    out[i] = j


@cuda.jit
def pair_compared(out):
    i = cuda.grid(2)
    if i < out.size:
        out[0] = 1


@cuda.jit
def wrong_case(out):
    cuda.syncThreads()


@cuda.jit
def without_cuda(out):
    out[threadIdx.x] = 1  # noqa: F821


@cuda.jit
def without_math(out):
    out[0] = sqrt(2.0)  # noqa: F821


@cuda.jit
def whole_arrays(out):
    out = out + 1


@cuda.jit
def parameter_that_changes(out, a):
    a = out[1:]
    out[0] = a[0]


@cuda.jit
def atomic_without_index(out):
    cuda.atomic.add(out[0], 1)


def on_the_host(x):
    return x * x


@cuda.jit
def calls_the_host(out):
    out[0] = on_the_host(out[1])


@cuda.jit
def calls_a_kernel(out):
    a_list(out)


@cuda.jit
def launches_a_kernel(out):
    a_list[1, 1](out)


@cuda.jit
def and_of_bits(out):
    i = cuda.grid(1)
    if i < 3 & out[i] > 0:
        out[i] = 1


@cuda.jit
def casts_by_method(out):
    out[0] = out[1].astype(np.int32)


UNTRANSLATABLE = [
    (comprehension, "a list comprehension cannot be translated"),
    (printing, "print cannot be called in a kernel: a lane has no screen; write into an array"),
    (try_statement, "try cannot be translated; a kernel has assignments, if, for, while and calls"),
    (with_statement, "with cannot be translated"),
    (assertion, "assert cannot be translated"),
    (returns_value, "a kernel returns nothing; write the result into an array"),
    (inner_function, "a function in a kernel cannot be translated"),
    (over_a_number, "a kernel's for goes over a range, an array or a tuple; got 4"),
    (over_a_call, "reversed cannot be called in a kernel"),
    (loop_else, "the else of a loop cannot be translated"),
    (too_many_indices, "2 indices into out, which has 1 axes"),
    (float_index, "index 0 of out is float64; expected an integer"),
    (negative_index, "index 0 of out is -9, and that axis has 4 elements"),
    (sliced, "the step of a slice is 0; expected a number, not 0, that is written out"),
    (copies_of_other_size, "out is copied into a part of out: their sizes are 3 and 2"),
    (backwards_from_a_lane, "a slice whose bounds are values steps forwards; take it forwards and index from its end"),
    (augmented_part, "out has axes without an index; change one element, in a loop over them"),
    (tuple_by_lane, "a tuple's index must be known while the kernel is translated, unless it holds known numbers"),
    (changes_form, "pair changes, and is given a tuple; before, it held something else"),
    (constant_of_a_list, "cuda.const.array_like of a list; expected a numpy array outside the kernel"),
    (complex_result, "what is stored is a complex; expected a number"),
    (unknown_parameter, "helper takes 1 argument (x); got 1, and none for x"),
    (bits_of_a_float, "the bits of float32; expected an integer"),
    (
        makes_an_array,
        "np.zeros cannot be called in a kernel: it makes an array of the host; in a kernel, cuda.local.array",
    ),
    (
        sums_an_array,
        "sum cannot be called in a kernel: it works on whole arrays; a lane takes their elements one after",
    ),
    (draws, "np.random.rand cannot be called in a kernel: draw on the host and give the array"),
    (a_list, "a list cannot be translated; cuda.local.array(size, dtype) is an array of each lane's own"),
    (position_without_axis, "index 0 of out is cuda.threadIdx without .x, .y or .z; expected an integer"),
    (position_called, "cuda.threadIdx.x is a number; write it without the brackets behind it"),
    (grid_of_nothing, "cuda.grid takes 1 argument (ndim); got 0"),
    (two_names_for_one, "2 names for int32; cuda.grid(2) gives two numbers"),
    (pair_compared, "an operand of < is a tuple; expected a number; name its parts, as in x, y = cuda.grid(2)"),
    (wrong_case, "there is no cuda.syncThreads; did you mean cuda.syncthreads?"),
    (without_cuda, "the name threadIdx means nothing here; did you mean cuda.threadIdx?"),
    (without_math, "the name sqrt means nothing here; did you mean math.sqrt?"),
    (whole_arrays, "out changes, and is given an array; a variable that changes holds numbers, or tuples of them; to"),
    (parameter_that_changes, "a changes, and is given an array"),
    (atomic_without_index, "cuda.atomic.add takes 3 arguments (ary, idx, val); got 2"),
    (
        calls_the_host,
        "on_the_host cannot be called in a kernel: it is a function of Python; write @cuda.jit(device=True)",
    ),
    (calls_a_kernel, "a_list is a kernel; a kernel calls functions with @cuda.jit(device=True)"),
    (launches_a_kernel, "[…] of the kernel a_list; expected an array: a kernel launches no kernel"),
    (and_of_bits, "& of 3 and float32; it works on the bits of integers; `and` joins conditions"),
    (casts_by_method, ".astype of float32; expected an array, cuda or math before the dot; a type casts a number"),
    (range_as_value, "range stands in `for … in range(…)` alone"),
    (
        global_array,
        "TABLE is an array outside the kernel; give it as an argument, or write cuda.const.array_like(TABLE)",
    ),
    (global_list, "LIST is a list outside the kernel; give an array as an argument"),
    (unknown_name, "the name undefined_name means nothing here"),
    (read_early, "later is read before it has a value"),
    (misspelled, "there is no cuda.thredIdx"),
    (no_axis_w, "there is no cuda.threadIdx.w"),
    (recursion, "recursive calls itself; a kernel has no stack to return to: use a loop"),
    (wrong_count, "helper takes 1 argument (x); got 2"),
    (dynamic_shape, "the shape of a shared array is int64; expected integers that are known when it is translated"),
    (no_type, "the type of a shared array: 'float31' is no type of a kernel"),
    (numpy_function, "np.linalg.norm cannot be called in a kernel"),
    (shift_of_float, "unsupported operand type(s) for <<"),
    (bits_of_float, "& of float32 and 1; it works on the bits of integers"),
    (matrix_sign, "@ multiplies whole matrices; a lane computes one element of the product in a loop"),
    (whole_array, "what is stored is an array; expected a number"),
    (four_axes, "the number of axes is 4; expected 1, 2 or 3"),
    (identity_comparison, "`is` cannot be translated; compare numbers with == or <"),
    (two_names_for_three, "2 names for 3 values"),
    (zero_step, "range with a step of 0 never ends"),
    (a_text, "what is stored is the text 'one'; expected a number"),
    (divides_by_constant_zero, "// by 0"),
    (array_changes, "src changes, and is given an array; a variable that changes holds numbers"),
    (attribute_of_array, "out.mean: an array in a kernel has shape, size, ndim, dtype and T"),
    (method_of_number, ".real of int32; expected an array, cuda or math before the dot"),
    (starred, "a star before an array; expected a tuple, whose parts are the arguments"),
    (barrier_with_argument, "cuda.syncthreads takes 0 arguments; got 1"),
    (float_range, "a bound of range is 2.5; expected an integer"),
    (row_as_element, "a has 1 more axis; index each of them"),
]


@pytest.mark.parametrize(("kernel", "message"), UNTRANSLATABLE, ids=lambda x: getattr(x, "__name__", ""))
def test_what_cannot_be_translated_points_to_its_line(kernel, message):
    arguments = [np.zeros(4, np.float32), 4, 1][: len(kernel.source.parameters)]
    if kernel in (array_changes, parameter_that_changes, row_as_element):
        arguments = [np.zeros(4, np.float32), np.zeros((2, 2), np.float32)]
    with pytest.raises(KernelError) as error:
        kernel[1, 4](*arguments)
    text = str(error.value)
    assert message in text
    assert "test_cuda_errors.py, line " in text
    assert error.value.where.text.strip() in text
    assert text.rstrip().endswith("^")


def test_a_parameter_that_is_given_another_value_is_pointed_to_there():
    with pytest.raises(KernelError) as error:
        whole_arrays[1, 1](np.zeros(1))
    assert error.value.where.text.strip() == "out = out + 1"


def test_the_caret_stands_under_the_part_that_is_meant():
    with pytest.raises(KernelError) as error:
        misspelled[1, 1](np.zeros(1))
    *_, line, caret = str(error.value).split("\n")
    assert line[caret.index("^") :].startswith("cuda.thredIdx")


def test_defaults_and_stars_of_parameters():
    with pytest.raises(KernelError, match="a kernel's parameters have no defaults"):

        @cuda.jit
        def with_default(out, n=3):
            out[0] = n

    with pytest.raises(KernelError, match=r"a kernel has no \*rest; name each parameter"):

        @cuda.jit
        def with_star(*rest):
            pass


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        (lambda: returns_value(1), "a kernel is launched on a grid: returns_value[blocks, threads](…)"),
        (lambda: returns_value[1], r"returns_value[1]: expected [blocks, threads]"),
        (lambda: returns_value[0, 4], "blocks is 0; expected a positive integer"),
        (
            lambda: returns_value[10 / 4, 4],
            "blocks is 2.5; expected a positive integer, or a tuple of up to three; a / b",
        ),
        (lambda: returns_value[1, 2048], "(2048, 1, 1) threads in a block; at most 1024"),
        (returns_value[1, 1], "got 0 arguments; expected 1: out"),
        (
            lambda: returns_value[1, 1]([1, 2]),
            "out is a list; expected an array, a number or a tuple of them; np.array(…) makes an array of it",
        ),
        (lambda: returns_value[1, 1](np.zeros(2, complex)), "out is an array of complex128"),
    ],
)
def test_launches_that_do_not_fit(launch, message):
    with pytest.raises(LaunchError) as error:
        launch()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cuda.jit(lambda x: x), "a lambda has no body to translate"),
        (lambda: cuda.jit(3.5), "got 3.5; expected a function"),
        (lambda: cuda.jit(speed=1), "there is no option 'speed'"),
        (cuda.syncthreads, "cuda.syncthreads was called outside a kernel"),
        (lambda: helper(1), "helper is a device function; call it from a kernel"),
    ],
)
def test_misuse_outside_kernels(call, message):
    with pytest.raises(KernelError, match=message):
        call()


@cuda.jit
def reads_past_the_end(out, a):
    i = cuda.grid(1)
    out[i] = a[i + 1]


@cuda.jit
def writes_before_the_start(out):
    i = cuda.grid(1)
    out[i - 1] = i


@cuda.jit
def reads_unwritten(out):
    tile = cuda.shared.array(4, float32)
    i = cuda.threadIdx.x
    tile[i] = i
    out[i] = tile[(i + 1) % 5 % 4] if i < 3 else 0.0
    spare = cuda.shared.array(8, float32)
    out[i] = spare[7 - i]


@cuda.jit
def barrier_after_return(out):
    i = cuda.grid(1)
    if i >= 3:
        return
    cuda.syncthreads()
    out[i] = 1


@cuda.jit
def shuffle_of_absent_lanes(out):
    i = cuda.threadIdx.x
    if i < 16:
        out[i] = cuda.shfl_down_sync(0xFFFFFFFF, i, 1)


HAZARDS = [
    (reads_past_the_end, 4, 2, "out-of-bounds", "out[i] = a[i + 1]"),
    (writes_before_the_start, 4, 1, "out-of-bounds", "out[i - 1] = i"),
    (reads_unwritten, 4, 1, "uninitialised", "out[i] = spare[7 - i]"),
    (barrier_after_return, 4, 1, "divergent-barrier", "cuda.syncthreads()"),
    (shuffle_of_absent_lanes, 32, 1, "shuffle", "out[i] = cuda.shfl_down_sync(0xFFFFFFFF, i, 1)"),
]


@pytest.mark.parametrize(
    ("kernel", "lanes", "arrays", "kind", "line"), HAZARDS, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_hazard_shows_the_line_of_the_source(kernel, lanes, arrays, kind, line):
    with pytest.raises(KernelHazardError) as error:
        kernel[1, lanes](*(np.zeros(lanes, np.float32) for _ in range(arrays)), checks={kind})
    assert error.value.reports[0].kind == kind
    assert error.value.where[0].text.strip() == line
    assert f"test_cuda_errors.py, line {error.value.where[0].number}: {line}" in str(error.value)


def test_a_division_by_zero_shows_the_line_of_the_source():
    @cuda.jit
    def divides(out, n):
        out[0] = 7 // n

    with pytest.raises(DivisionError, match=r"line \d+: out\[0\] = 7 // n"):
        divides[1, 1](np.zeros(1, np.int64), 0)


def test_a_loop_that_does_not_end_shows_the_line_of_the_source():
    @cuda.jit
    def waits(out):
        while out[0] < 1:
            pass

    compiled = waits[1, 1].compile(np.zeros(1))
    short = replace(compiled, program=Program("waits", compiled.program.lines, limits=Limits(steps=1000)))
    with pytest.raises(LimitError, match=r"line \d+: while out\[0\] < 1:"):
        short.run([np.zeros(1)], "auto", "default")


def test_a_read_only_array_is_not_written():
    frozen = np.zeros(4, np.float32)
    frozen.flags.writeable = False

    @cuda.jit
    def writes(out):
        out[0] = 1

    with pytest.raises(KernelError, match="out is read-only: the array that was given cannot be written"):
        writes[1, 1](frozen)


def test_there_are_thirty_and_more():
    assert len(UNTRANSLATABLE) + len(HAZARDS) > 75


@cuda.jit
def next_row(out, a):
    row, column = cuda.grid(2)
    if row < a.shape[0] or column < a.shape[1]:  # the guard needs `and`
        out[0] = a[row, column]


@cuda.jit
def row_of_rows(out, a):
    row = a[1]
    out[0] = row[cuda.threadIdx.x - 1]


@cuda.jit
def shared_tile(out, a):
    tile = cuda.shared.array((4, 4), float32)
    i = cuda.threadIdx.x
    tile[0, i] = 1


@cuda.jit
def known_column(out, a):
    out[0] = a[0, 5]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (next_row, "reads a with index 5 on axis 1, which has 5 elements\n"),
        (row_of_rows, "reads a with index -1 on axis 0, which has 5 elements\n"),
        (shared_tile, "writes tile with index 4 on axis 1, which has 4 elements\n"),
        (known_column, "reads a with index 5 on axis 1, which has 5 elements\n"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_an_index_that_leaves_its_axis_is_out_of_bounds_although_the_memory_goes_on(kernel, message):
    grid = (1, (3, 6)) if kernel is next_row else (1, 6)
    with pytest.raises(KernelHazardError) as error:
        kernel[grid](np.zeros(4, np.float32), np.ones((3, 5), np.float32))
    assert message in str(error.value)
