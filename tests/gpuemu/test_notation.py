"""Every notation of every lane map against coordinates(), read by something that did not write it."""

import ctypes
import shutil
import subprocess
from itertools import product

import numpy as np
import pytest
import sympy
import tensor_layouts
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuemu import tensorcores
from gpuemu.drawing.notations import draw_notations
from gpuemu.errors import NotationError
from gpuemu.tensorcores.lanemap import Digit, Packing, column, lane_map, row
from gpuemu.tensorcores.notation import (
    bases,
    c_function,
    cute,
    formula,
    formula_back,
    movement,
    notations,
    read_bases,
    read_c,
    read_cute,
    read_formula,
    read_swizzle,
    read_sympy,
    read_view,
    swizzle,
    sympy_expression,
    view,
)
from gpuemu.tensorcores.notation.formulas import expressions
from shapetracker import ShapeTracker, sympy_bridge


def distinct_maps():
    """One lane map of each kind in the catalogue: several instructions share their lanes."""
    found = {}
    for mma in tensorcores.instructions():
        for operand, held in mma.maps.items():
            key = (held.positions, held.lane_shape, held.rows, held.blocks, operand, held.not_a_view)
            found.setdefault(key, pytest.param(held, id=f"{mma.short_name}-{operand}"))
    return list(found.values())


MAPS = distinct_maps()
DENSE = [x for x in MAPS if x.values[0].not_a_view is None]
NAMES = {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n"), "d": ("m", "n")}


def places(held):
    """The index of each place, by variable: arrays that broadcast over (lanes, elements[, choices])."""
    sizes = held.coordinates().shape[:-1]
    return dict(zip(("lane", "i", "choice"), np.ix_(*map(np.arange, sizes)), strict=False)), sizes


def axes(held):
    return (*NAMES[held.operand], *["block"][: held.blocks > 1])


def lines(text):
    return dict(line.split(" = ") for line in text.splitlines())


def test_the_catalogue_has_many_different_maps():
    assert len(MAPS) > 150
    assert len(DENSE) < len(MAPS)


@pytest.mark.parametrize("held", MAPS)
def test_python_itself_computes_the_coordinates_from_the_formula(held):
    at, shape = places(held)
    written = lines(formula(held).text)
    values = [np.broadcast_to(eval(written[name], {}, at), shape) for name in axes(held)]  # noqa: S307  (our own text)
    assert np.array_equal(np.stack(values, axis=-1), held.coordinates())


@pytest.mark.parametrize("held", MAPS[::3])
def test_the_sympy_text_is_the_expression_that_sympy_builds(held):
    symbols = {name: sympy.Symbol(name, integer=True) for name in ("lane", "i", "choice")}
    names = {"FloorDiv": sympy_bridge.FloorDiv, "FloorMod": sympy_bridge.FloorMod, **symbols}
    for name, text in lines(sympy_expression(held).text).items():
        built = sympy_bridge.to_sympy(expressions(held)[name])
        assert eval(text, names) == built.subs({x: symbols[x.name] for x in built.free_symbols})  # noqa: S307


@pytest.mark.parametrize("held", MAPS)
def test_the_formula_back_finds_a_lane_that_holds_the_element(held):
    written = lines(formula_back(held).text)
    every = held.coordinates().reshape(-1, held.coordinates().shape[-1])
    for where in every[:: 1 + len(every) // 40]:
        at = dict(zip(axes(held), where.tolist(), strict=True))
        lane, i = (eval(written[name], {}, at) for name in ("lane", "i"))  # noqa: S307  (our own text)
        assert (lane, i) == held.where(where[0], where[1], at.get("block", 0))[0]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_compiled_c_functions_give_the_coordinates(tmp_path):
    source = []
    for number, parameter in enumerate(MAPS):
        held = parameter.values[0]
        names = (*NAMES[held.operand], *["block"][: held.blocks > 1])
        text = c_function(held).text
        assert text.startswith(f"static inline void place_of_{held.operand}(")
        source.append(text.replace(f"place_of_{held.operand}", f"place_{number}"))
        _, shape = places(held)
        variables = ("lane", "i", "choice")[: len(shape)]
        given = [*variables, *(f"&{name}" for name in (("block",) * (held.blocks > 1) + NAMES[held.operand]))]
        loops = "".join(f"for (int {v} = 0; {v} < {n}; {v}++) " for v, n in zip(variables, shape, strict=True))
        stores = "".join(f"*out++ = {name}; " for name in names)
        source.append(
            f"void fill_{number}(int *out) {{ int {', '.join(names)}; {loops}"
            f"{{ place_{number}({', '.join(given)}); {stores}}} }}"
        )
    (tmp_path / "places.c").write_text("\n".join(source))
    flags = ["-O0", "-Wall", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", tmp_path / "places.so", tmp_path / "places.c"], check=True)
    compiled = ctypes.CDLL(str(tmp_path / "places.so"))
    for number, parameter in enumerate(MAPS):
        expected = parameter.values[0].coordinates()
        found = np.empty(expected.shape, dtype=np.int32)
        getattr(compiled, f"fill_{number}")(found.ctypes.data_as(ctypes.c_void_p))
        assert np.array_equal(found, expected), parameter.id


@pytest.mark.parametrize("held", DENSE)
def test_tensor_layouts_reads_the_cute_layout(held):
    layout = read_cute(cute(held).text)
    theirs = tensor_layouts.Layout(
        (layout.thread_shape, layout.value_shape), (layout.thread_stride, layout.value_stride)
    )
    inner = held.columns if held.operand == "b" else held.rows
    for lane, i in product(range(0, held.lanes, 3), range(0, held.elements, 5)):
        r, c, *block = held.coordinates()[lane, i].tolist()
        first, second = (c, r) if held.operand == "b" else (r, c)
        assert theirs(lane, i) == first + inner * second + sum(block) * held.rows * held.columns


@pytest.mark.parametrize("held", DENSE)
def test_the_exclusive_or_of_the_bases_is_the_place(held):
    found = bases(held)
    if found.text is None:
        assert "no power of two" in found.why_not
        return
    vectors = read_bases(found.text)
    lane_bits = vectors.lane + vectors.warp
    for lane, i in product(range(0, held.lanes, 3), range(0, held.elements, 5)):
        place = [0] * (3 if held.blocks > 1 else 2)
        for bits, number in ((lane_bits, lane), (vectors.register, i)):
            for bit, vector in enumerate(bits):
                if number >> bit & 1:
                    place = [x ^ y for x, y in zip(place, vector, strict=True)]
        block, r, c = place if held.blocks > 1 else (None, *place)
        assert held.coordinates()[lane, i].tolist() == [r, c, *[block] * (held.blocks > 1)]


@pytest.mark.parametrize("held", DENSE)
def test_the_movement_operations_make_the_view(held):
    tracker = ShapeTracker.from_text(movement(held).text).simplify()
    assert tracker.views == (held.view,)
    assert read_view(view(held).text) == held.view


@pytest.mark.parametrize("held", MAPS)
def test_each_notation_was_compared_at_every_place_or_says_why_not(held):
    for found in notations(held):
        assert (found.text is None) == (found.why_not is not None)
        assert found.places == (0 if found.text is None else np.prod(held.coordinates().shape[:-1]))


def test_only_sparse_operands_and_sizes_that_are_no_power_of_two_are_left_out():
    reasons = {
        (found.name, found.why_not) for x in MAPS for found in notations(x.values[0]) if found.why_not is not None
    }
    index = "the index register picks which two of each four positions a lane holds"
    sparse = {(name, index) for name in ("View", "movement operations", "CuTe layout", "F2 bases")}
    odd = {("F2 bases", f"a lane holds {n} elements, no power of two: F2 counts in bits") for n in (48, 96)}
    assert reasons == sparse | odd


# CUTLASS's MMA_Traits as its headers write them (include/cute/atom/mma_traits_sm75.hpp, sm80.hpp, sm89.hpp, sm90.hpp);
# of equal layouts one may be cut into more modes than the other, so the numbers are compared.
CUTLASS = [
    ("m16n8k16", "a", "((4,8),(2,2,2)):((32,1),(16,8,128))"),
    ("m16n8k16", "b", "((4,8),(2,2)):((16,1),(8,64))"),
    ("m16n8k16", "c", "((4,8),(2,2)):((32,1),(16,8))"),
    ("m16n8k8", "a", "((4,8),(2,2)):((32,1),(16,8))"),
    ("m16n8k8", "b", "((4,8),2):((16,1),8)"),
    ("m16n8k4.f32.tf32", "a", "((4,8),2):((16,1),8)"),
    ("m16n8k8.f32.tf32", "a", "((4,8),(2,2)):((16,1),(8,64))"),
    ("m16n8k8.f32.tf32", "b", "((4,8),2):((8,1),32)"),
    ("m8n8k16.s32.s8", "a", "((4,8),4):((32,1),8)"),
    ("m16n8k32.s32.s8", "a", "((4,8),(4,2,2)):((64,1),(16,8,256))"),
    ("m16n8k32.s32.s8", "b", "((4,8),(4,2)):((32,1),(8,128))"),
    ("m8n8k4.f64.f64", "a", "((4,8),1):((8,1),0)"),
    ("m8n8k4.f64.f64", "c", "((4,8),2):((16,1),8)"),
    ("m64n64k16.f32.f16", "c", "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"),
]


@pytest.mark.parametrize(("name", "operand", "layout"), CUTLASS)
def test_well_known_atoms_are_written_as_cutlass_writes_them(name, operand, layout):
    held = tensorcores.instruction(name).maps[operand]
    assert cute(held).text == layout
    size = (held.operand, held.rows, held.columns)
    assert np.array_equal(read_cute(layout).coordinates(*size), held.coordinates())


def test_copies_have_stride_zero_in_cute_and_a_zero_vector_in_f2():
    a = tensorcores.instruction("v_wmma_f32_16x16x16_f16", "gfx1100", 32).a
    assert cute(a).text == "((16,2),16):((1,0),16)"
    assert read_bases(bases(a).text).lane[-1] == (0, 0)
    assert "expand" in movement(a).text
    assert formula_back(a).meaning.endswith("the first where several do")


# tinygrad/codegen/opt/tc.py: the order of the axes that an operand has not is free, and ours is ascending.
TINYGRAD = [
    (
        ("m16n8k16",),
        "u0 l0 l0 l1 l1 l1 u1",
        "r1 r2 l2 l3 l4 | u1 r3 | l0 l1 u0 r0",
        "r1 r2 u0 l0 l1 | r0 r3 | l2 l3 l4 u1",
    ),
    (("m16n8k8",), "u0 l0 l0 l1 l1 l1 u1", "r1 r2 l2 l3 l4 | r0 u1 | l0 l1 u0", "r1 r2 u0 l0 l1 | u1 r0 | l2 l3 l4"),
    (
        ("m16n8k8.f32.tf32",),
        "u0 l0 l0 l1 l1 l1 u1",
        "r0 r1 l2 l3 l4 | u1 r2 | l0 l1 u0",
        "r0 r1 u0 l0 l1 | u1 r2 | l2 l3 l4",
    ),
    (
        ("v_wmma_f32_16x16x16_f16", "gfx1100", 32),
        "l0 l0 l0 l0 l1 u1 u1 u1",
        "l4 u0 u1 u2 l0 | r1 r2 r3 | l1 l2 l3 r0",
        "l0 l1 l2 l3 l4 | r1 r2 r3 | u0 u1 u2 r0",
    ),
    (
        ("v_mfma_f32_16x16x16f16", "gfx908"),
        "l0 l0 l0 l0 u1 u1 l1 l1",
        "u0 u1 l4 l5 r2 r3 | r0 r1 | l0 l1 l2 l3",
        "l0 l1 l2 l3 r2 r3 | r0 r1 | l4 l5 u0 u1",
    ),
    (("simdgroup.8x8x8",), "u0 l0 l1 l1 l0 l1", "r1 l1 l2 r2 l4 | r0 | l0 l3 u0", "l0 r0 r1 l3 r2 | u0 | l1 l2 l4"),
    (("dpas.m8n8k16.f16",), "l0 l0 l0 u1 u1 u1", "r1 r2 r3 | u0 u1 u2 | l0 l1 l2 r0", None),
]


@pytest.mark.parametrize(("name", "opts", "of_a", "of_b"), TINYGRAD, ids=[x[0][0] for x in TINYGRAD])
def test_the_swizzle_is_tinygrads(name, opts, of_a, of_b):
    mma = tensorcores.instruction(*name)
    found = read_swizzle(swizzle(mma).text)
    assert found.dims == (mma.n, mma.m, mma.k)
    assert " ".join(found.opts) == opts
    for ours, theirs in zip(found.swizzle, (of_a, of_b), strict=True):
        assert theirs is None or " | ".join(" ".join(part) for part in ours) == theirs


@pytest.mark.parametrize("mma", tensorcores.instructions(), ids=lambda mma: f"{mma.short_name}-{mma.arch}")
def test_the_swizzle_gives_all_three_maps_or_says_why_not(mma):
    found = swizzle(mma)
    if found.text is None:
        missing = mma.a is None or mma.b is None or mma.sparse or mma.blocks > 1
        assert missing or found.why_not.startswith("its cuts take the bits")
        return
    for operand in "abc":
        assert np.array_equal(read_swizzle(found.text).coordinates(operand), mma.maps[operand].coordinates())


def test_sums_that_carry_are_not_linear_over_f2():
    windows = lane_map("a", 5, 1, "fp32", lane=[row(4)], element=[row(2)], packing=Packing("r", 32))
    found = {x.name: x for x in notations(windows)}
    assert found["F2 bases"].why_not == (
        "read back, it gives place (1, 1) the coordinates [0, 0] where the map has [2, 0]"
    )
    assert found["movement operations"].why_not == "the digits of the row do not count each of its 5 positions once"
    assert found["formula back"].text is None
    assert found["CuTe layout"].text == "(4,2):(1,1)"


def test_a_digit_that_moves_along_two_axes_is_no_chain_of_movement_operations():
    diagonal = lane_map(
        "c", 4, 4, "fp32", lane=[Digit(4, row=1, column=1)], element=[column(1)], packing=Packing("r", 32)
    )
    found = {x.name: x for x in notations(diagonal)}
    assert found["formula"].text == "m = lane\nn = lane"
    assert found["CuTe layout"].text == "(4,1):(5,0)"
    assert found["movement operations"].why_not == "a digit moves along two axes at once"


@st.composite
def any_maps(draw):
    """Lane maps from any digits: with copies, with gaps, with sums that carry, along several axes at once."""
    steps = st.builds(
        Digit, st.integers(1, 4), row=st.integers(0, 4), column=st.integers(0, 4), block=st.integers(0, 2)
    )
    lane, element = (draw(st.lists(steps, min_size=1, max_size=3)) for _ in range(2))
    rows, columns, blocks = (
        1 + sum((digit.size - 1) * getattr(digit, axis) for digit in lane + element) + draw(st.integers(0, 1))
        for axis in ("row", "column", "block")
    )
    operand, packing = draw(st.sampled_from("abcd")), Packing("r", 32)
    return lane_map(operand, rows, columns, "fp32", lane=lane, element=element, packing=packing, blocks=blocks)


@settings(max_examples=60, deadline=None)
@given(any_maps())
def test_any_map_gets_the_right_text_or_a_reason(held):
    found = {x.name: x for x in notations(held)}
    at, shape = places(held)
    written = lines(found["formula"].text)
    values = [np.broadcast_to(eval(written[name], {}, at), shape) for name in axes(held)]  # noqa: S307  (our own text)
    assert np.array_equal(np.stack(values, axis=-1), held.coordinates())
    size = (held.operand, held.rows, held.columns, held.blocks)
    assert np.array_equal(read_cute(found["CuTe layout"].text).coordinates(*size), held.coordinates())
    assert found["View"].text == repr(held.view)
    for name in ("formula back", "movement operations", "F2 bases"):
        assert (found[name].text is None) == (found[name].why_not is not None)
    if found["movement operations"].text is not None:
        assert ShapeTracker.from_text(found["movement operations"].text).simplify().views == (held.view,)


ARANGE = {"lane": (0, 31), "i": (0, 3)}
MESSAGES = [
    (lambda: read_cute("((4,8),2:1"), "CuTe layout '((4,8),2:1': expected ((T…),(V…))"),
    (lambda: read_cute("__import__('os')"), "expected ((T…),(V…)):((strides of T),(strides of V))"),
    (lambda: read_cute("((4,8),2):((16,1,2),8)"), "the thread has 2 sizes and 3 strides"),
    (lambda: read_cute("((4,0),2):((16,1),8)"), "the thread has a size 0"),
    (lambda: read_cute("(32,2,2):(1,32,64)"), "the shape has 3 modes, expected 2: thread and value"),
    (
        lambda: read_cute("(32,4):(1,99)").coordinates("a", 16, 8),
        "it gives coordinate 328, expected 0 … 127 for 16 × 8",
    ),
    (lambda: read_bases("register = []"), "expected #ttg.linear<{register = [[…], …], lane = [[…], …], …}>"),
    (lambda: read_bases("lane = [[1, 0]], block = [[2, 0]]"), "block (a cluster of workgroups) has vectors"),
    (lambda: read_bases("lane = [[1, 0], 2]"), "is no list of vectors such as [[0, 1], [8, 0]]"),
    (
        lambda: read_bases("lane = [[1, 0], [1]]"),
        "expected vectors of one length, [row, column] or [block, row, column]",
    ),
    (
        lambda: read_cute("((100000000000),(1)):((1),(1))"),
        "it has 100000000000 places, and at most 1048576 are read",
    ),
    (lambda: read_cute(f"((4),(1)):(({10**30}),(1))"), "its strides lead beyond coordinate 1099511627776"),
    (lambda: read_cute("(" * 5000), "5000 characters, and at most 4096 are read"),
    (lambda: read_bases("1" * 100_000), "100000 characters, and at most 4096 are read"),
    (lambda: read_bases(f"lane = {[[0, 1]] * 21}"), "at most 20 vectors of numbers up to 1099511627776 are read"),
    (lambda: read_bases(f"lane = [[0, {10**30}]]"), "at most 20 vectors of numbers up to 1099511627776 are read"),
    (lambda: read_formula("lane//4", ARANGE), "formula 'lane//4': expected name = expression"),
    (lambda: read_formula("m = __import__('os')", ARANGE), "is not allowed"),
    (lambda: read_formula("m = warp", ARANGE), "'warp' is no variable; known are lane, i"),
    (lambda: read_c("return lane/4;", ARANGE), "expected assignments *name = expression;"),
    (lambda: read_c("*m = " * 20_000, ARANGE), "expected assignments *name = expression;"),
    (lambda: read_c("*m = lane/4 - 1;", ARANGE), "expected + * / % of numbers that are not negative"),
    (lambda: read_sympy("m = FloorDiv(lane", ARANGE), "expected name = expression"),
    (lambda: read_sympy("m = Mod(lane, 4)", ARANGE), "is not allowed"),
    (lambda: read_view("shape=(2, 3)"), "expected View(shape=(…), strides=(…), offset=…)"),
    (lambda: read_view("View(shape=(2, 3), strides=(3,))"), "1 strides (3,) for the 2 axes of shape (2, 3)"),
    (lambda: read_view("View(shape=open('x'), strides=())"), "expected name=value, … with numbers"),
    (lambda: read_swizzle("dims=(8, 16, 8)"), "expected dims=(N, M, K), opts=(…), swizzle=((…), (…))"),
    (lambda: read_swizzle("dims=(2, 1, 1), opts=('x0',), swizzle=()"), "opts are texts of l0, l1, u0, u1"),
    (lambda: read_swizzle("dims=(4, 1, 1), opts=('l0',), swizzle=()"), "make N = 2 and M = 1, expected 4 and 1"),
    (lambda: read_swizzle("dims=(2, 1, 1), opts=('l0',), swizzle=((),)"), "expected three tuples of axes for A"),
    (
        lambda: read_swizzle("dims=(2, 1, 2), opts=('l0',), swizzle=((('l0',), (), ('l0',)), (('l0',), (), ('r0',)))"),
        "the swizzle of A must name each of l0, r0 once",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=range(len(MESSAGES)))
def test_a_text_that_cannot_be_read_is_told_what_was_expected(call, message):
    with pytest.raises(NotationError) as caught:
        call()
    assert message in str(caught.value)


def test_the_picture_shows_every_text_and_every_reason():
    mma = tensorcores.instruction("m64n96k16")
    picture = draw_notations(mma)
    for held in (mma.a, mma.c):
        for found in notations(held):
            assert (found.why_not or found.text.splitlines()[0]) in str(picture)
    assert "cannot express it: no lane holds B" in str(picture)
    assert "((4,8,4),(2,2,12)):((128,1,16),(64,8,512))" in picture.html()
    assert "<svg" in picture.svg("dark")
    assert repr(picture) == "Picture('notations of m64n96k16.f32.f16')"


def test_the_picture_of_an_operand_says_c_and_d_once():
    titles = [
        line for line in str(draw_notations(tensorcores.instruction("m16n8k16"))).splitlines() if "lanes ×" in line
    ]
    assert titles == [
        "A  16 × 16 fp16, 32 lanes × 8 elements",
        "B  16 × 8 fp16, 32 lanes × 4 elements",
        "C  16 × 8 fp32, 32 lanes × 4 elements",
    ]
