"""Kernels from views against numpy: the operands gathered through their views, zeros where there is nothing."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import movement_chains, shapes

from gpuemu import BinaryOps, UOps, dtypes, tensorcores
from gpuemu.errors import InstructionError, LaunchError
from gpuemu.kernels.errors import ViewKernelError
from gpuemu.kernels.from_views import convolution, elementwise, fragment, matmul, reduce, windows
from shapetracker import ShapeTracker, Variable

shape_of = ShapeTracker.from_shape
QUICK = settings(max_examples=40, deadline=None)


def different(size: int, dtype=np.float32) -> np.ndarray:
    """A buffer whose elements all differ."""
    return (np.random.default_rng(size).permutation(size) + 1).astype(dtype)


@st.composite
def trackers(draw: st.DrawFn, shape: tuple[int, ...] | None = None) -> ShapeTracker:
    """A tracker of any views; of a given shape, where there is one."""
    start, chain = draw(movement_chains(5))
    tracker = shape_of(start)
    for name, argument in chain:
        tracker = getattr(tracker, name)(argument)
    return tracker if shape is None else fitted(tracker, shape)


def fitted(tracker: ShapeTracker, shape: tuple[int, ...]) -> ShapeTracker:
    """The tracker's elements as another shape: cut or padded at the end of its flat order."""
    flat = tracker.reshape((prod(tracker.shape),))
    size = prod(shape)
    if size < flat.size:
        flat = flat.shrink(((0, size),))
    return flat.pad(((0, size - flat.size),)).reshape(shape)


@QUICK
@given(st.data())
def test_elementwise_of_any_views(data):
    x = data.draw(trackers())
    y = data.draw(trackers(x.shape))
    kernel = elementwise(lambda a, b: a * 2 + b, shape_of(x.shape), x, y)
    memory = different(max(1, x.real_size())), different(max(1, y.real_size()))
    out = np.full(x.shape, 7, np.float32)
    kernel(out, *memory)
    assert np.array_equal(out, x.gather(memory[0]) * 2 + y.gather(memory[1]))


@QUICK
@given(trackers())
def test_elementwise_into_a_view_writes_its_valid_points_alone(view):
    places = view.gather(np.arange(view.real_size()), fill=-1).ravel()
    valid = places[places >= 0]
    if len(set(valid.tolist())) != valid.size:
        with pytest.raises(ViewKernelError, match="out is written at"):
            elementwise(lambda a: a, view, shape_of(view.shape))
        return
    values = different(max(1, view.size))
    memory = np.full(max(1, view.real_size()), -1, np.float32)
    elementwise(lambda a: a, view, shape_of(view.shape))(memory, values)
    expected = np.full(memory.size, -1, np.float32)
    expected[valid] = values[: places.size][places >= 0]
    assert memory.tolist() == expected.tolist()


@QUICK
@given(st.data())
def test_reductions_of_any_views(data):
    x = data.draw(trackers())
    axes = data.draw(st.sets(st.integers(0, len(x.shape) - 1))) if x.shape else set()
    op, of_numpy, identity = data.draw(
        st.sampled_from([(BinaryOps.ADD, np.sum, 0), (BinaryOps.MAX, np.max, -np.inf), (BinaryOps.MUL, np.prod, 1)])
    )
    kept = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
    kernel = reduce(op, sorted(axes), shape_of(kept), x, dtype=dtypes.float64)
    memory = different(max(1, x.real_size()), np.float64)
    out = np.full(kept, 7, np.float64)
    kernel(out, memory)
    assert np.allclose(out, of_numpy(x.gather(memory), axis=tuple(axes), initial=identity), rtol=1e-12)


@QUICK
@given(st.data())
def test_matrix_products_of_any_views(data):
    m, k, n = (data.draw(st.integers(0, 20)) for _ in range(3))
    a, b = data.draw(trackers((m, k))), data.draw(trackers((k, n)))
    core = data.draw(st.sampled_from([None, "m16n8k8", "simdgroup.8x8x8"]))
    dtype = np.float32 if core is None else np.float16
    memory = different(max(1, a.real_size()), dtype), different(max(1, b.real_size()), dtype)
    out = np.full((m, n), 7, np.float32)
    matmul(a, b, core)(out, *memory)
    expected = a.gather(memory[0]).astype(np.float64) @ b.gather(memory[1]).astype(np.float64)
    assert np.allclose(out, expected, rtol=1e-5)


def dense() -> list:
    """Every instruction that is not sparse."""
    return [x for x in tensorcores.instructions() if not x.sparse]


def one(size: int, dtype) -> np.ndarray:
    """Block scales of 1: of ue8m0, held as bytes, the exponent 127."""
    return np.full(size, 127, np.uint8) if dtype == dtypes.uint8 else np.ones(size, np.float32).astype(dtype.numpy)


@pytest.mark.parametrize("instruction", dense(), ids=lambda x: f"{x.arch}-{x.short_name}")
def test_every_dense_instruction_multiplies_padded_transposed_operands(instruction):
    m, n, k = instruction.m + 1, instruction.n * instruction.blocks + 2, instruction.k + 1
    a, b = shape_of((k, m)).permute((1, 0)), shape_of((k, n))
    kernel = matmul(a, b, instruction)
    out_type, a_type, b_type, *scale_types = (access.dtype for access in kernel.accesses)
    rng = np.random.default_rng(m * n + k)
    high = 2 if a_type == dtypes.bool else 4
    left, right = (rng.integers(0, high, size).astype(t.numpy) for size, t in (((k, m), a_type), ((k, n), b_type)))
    out = np.zeros((m, n), out_type.numpy)
    scale_sizes = [access.tracker.size for access in kernel.accesses[3:]]
    scales = [one(size, t) for size, t in zip(scale_sizes, scale_types, strict=True)]
    kernel(out, left, right, *scales, checks="all")
    x, y = left.T.astype(np.float64), right.astype(np.float64)
    expected = (x[:, :, None] != y[None]).sum(1) if instruction.product == "xor" else x @ y
    assert np.array_equal(out.astype(np.float64), expected)


def test_the_catalogue_has_many_dense_instructions():
    assert len(dense()) > 250
    assert sum(x.path == "wgmma" for x in dense()) == 24
    assert sum(x.scales is not None for x in dense()) > 25


@pytest.mark.parametrize("name", ["m16n8k64.mxf4", "m16n8k64.mxf4nvf4.4x.ue4m3", "m16n8k32.mxf8f6f4.e3m2.e2m3"])
def test_block_scales_come_through_views_too(name):
    core = tensorcores.instruction(name)
    m, n, k = 21, 11, core.k + 40
    blocks = -(-k // core.scales.block)
    views = shape_of((blocks, m)).permute((1, 0)), shape_of((blocks, 2 * n)).stride((1, 2))
    kernel = matmul(shape_of((m, k)), shape_of((k, n)), core, scales=views)
    a_type, b_type, scale_type = (kernel.accesses[i].dtype.numpy for i in (1, 2, 3))
    rng = np.random.default_rng(5)
    left, right = rng.integers(-3, 4, (m, k)).astype(a_type), rng.integers(-3, 4, (k, n)).astype(b_type)
    powers = [rng.integers(-3, 4, size) for size in ((blocks, m), (blocks, 2 * n))]
    bits = (x + 127 for x in powers) if core.scales.a.dtype == "ue8m0" else ((x + 7) << 3 for x in powers)
    out = np.zeros((m, n), np.float32)
    kernel(out, left, right, *(x.astype(np.uint8).view(scale_type) for x in bits))
    by_row, by_column = np.exp2(powers[0].T), np.exp2(powers[1][:, ::2])
    along = np.arange(k) // core.scales.block
    expected = (left.astype(float) * by_row[:, along]) @ (right.astype(float) * by_column[along])
    assert np.array_equal(out, expected)
    assert "scale_a  " in str(kernel.draw())


def test_scales_that_do_not_fit_are_explained():
    a, b = shape_of((16, 64)), shape_of((64, 8))
    with pytest.raises(
        ViewKernelError, match=r"scales of shape \(16, 1\) and \(2, 8\); expected \(16, 2\) and \(2, 8\)"
    ):
        matmul(a, b, "m16n8k64.mxf4", scales=(shape_of((16, 1)), shape_of((2, 8))))
    with pytest.raises(ViewKernelError, match=r"scales are given, and m16n8k16.f32.f16 takes none"):
        matmul(a, b, "m16n8k16", scales=(shape_of((16, 2)), shape_of((2, 8))))
    with pytest.raises(ViewKernelError, match="scales are given, and no instruction"):
        matmul(a, b, scales=(shape_of((16, 2)), shape_of((2, 8))))


def test_a_sparse_instruction_is_refused():
    with pytest.raises(
        InstructionError,
        match=r"A of .*smfmac_f32_32x32x16_f16 is sparse; give an instruction whose operands are dense",
    ):
        matmul(shape_of((16, 16)), shape_of((16, 8)), next(x for x in tensorcores.instructions() if x.sparse))


@QUICK
@given(st.data())
def test_wgmma_multiplies_any_views_staged_through_shared_memory(data):
    m, k, n = (data.draw(st.integers(0, 20)) for _ in range(3))
    a, b = data.draw(trackers((m, k))), data.draw(trackers((k, n)))
    name, dtype = data.draw(st.sampled_from([("m64n8k16.f32.f16", np.float16), ("m64n8k8.f32.tf32", np.float32)]))
    memory = different(max(1, a.real_size()), dtype), different(max(1, b.real_size()), dtype)
    out = np.full((m, n), 7, np.float32)
    matmul(a, b, name)(out, *memory, checks="all")
    expected = a.gather(memory[0]).astype(np.float64) @ b.gather(memory[1]).astype(np.float64)
    assert np.allclose(out, expected, rtol=1e-5)


def test_groups_of_lanes_have_their_own_tile_of_b_in_shared_memory():
    kernel = matmul(shape_of((64, 32)), shape_of((32, 24)), "m64n8k16")
    (local,) = [line for line in kernel.program.lines if line.uop is UOps.DEFINE_LOCAL]
    assert (kernel.local_size, local.arg) == ((128, 3, 1), ("b_tile", 3 * 8 * 16))
    assert sum(line.uop is UOps.BARRIER for line in kernel.program.lines) == 2
    assert "the number of an element is its place there" in str(kernel.draw())


@pytest.mark.parametrize("core", [None, "m16n8k8", "m64n8k16"])
@pytest.mark.parametrize(("m", "k", "n"), [(2, 0, 3), (0, 2, 3), (2, 3, 0), (0, 0, 0)])
def test_products_without_elements(core, m, k, n):
    dtype = np.float16 if core else np.float32
    out = np.full((m, n), 7, np.float32)
    matmul(shape_of((m, k)), shape_of((k, n)), core)(out, np.zeros((m, k), dtype), np.zeros((k, n), dtype))
    assert not out.any()


@QUICK
@given(st.data())
def test_matrix_products_into_any_view_that_reaches_each_element_once(data):
    m, k, n = (data.draw(st.integers(1, 20)) for _ in range(3))
    turned, gap, flipped = data.draw(st.booleans()), data.draw(st.integers(1, 2)), data.draw(st.sets(st.integers(0, 1)))
    memory = np.full((n + 3, gap * m + 2) if turned else (m + 3, gap * n + 2), -1, np.float32)
    out = shape_of(memory.shape).shrink(((1, memory.shape[0] - 2), (2, memory.shape[1]))).stride((1, gap))
    part = memory[1:-2, 2::gap]
    if turned:
        out, part = out.permute((1, 0)), part.T
    out, part = out.flip(tuple(flipped)), np.flip(part, tuple(flipped))
    core = data.draw(st.sampled_from([None, "m16n8k8", "m64n8k16", "gfx942.mfma_f32_4x4x4_16b_f16"]))
    dtype = np.float32 if core is None else np.float16
    a, b = different(m * k, dtype).reshape(m, k), different(k * n, dtype).reshape(k, n)
    matmul(shape_of((m, k)), shape_of((k, n)), core, out=out)(memory, a, b)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert np.allclose(part, expected, rtol=1e-5)
    assert np.count_nonzero(memory == -1) == memory.size - m * n


@QUICK
@given(st.data())
def test_views_whose_variables_are_bound_are_those_of_the_values(data):
    n, value = Variable("n", 1, 6), data.draw(st.integers(1, 6))
    pads = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    whole = data.draw(st.booleans())
    rows = shape_of((n.bind(value), 3)) if whole else shape_of((6, 3)).shrink(((0, n.bind(value)), (0, 3)))
    view = rows.pad((pads, (0, 1))).permute((1, 0))
    memory = np.arange(1, 19, dtype=np.float32)
    seen = np.pad(memory.reshape(6, 3)[:value], (pads, (0, 1))).T
    out, total, product = (np.full(shape, 7, np.float32) for shape in (seen.shape, seen.shape[:1], (4, 4)))
    elementwise(lambda x: x, shape_of(seen.shape), view)(out, memory)
    reduce("ADD", 1, shape_of(total.shape), view)(total, memory)
    matmul(view, view.permute((1, 0)), "m16n8k8")(product, *[memory.astype(np.float16)] * 2)
    assert np.array_equal(out, seen)
    assert np.array_equal(total, seen.sum(1))
    assert np.array_equal(product, seen @ seen.T)
    written = np.zeros(18, np.float32)
    elementwise(lambda x: x * 2, view, view)(written, memory)
    assert np.array_equal(written, np.where(np.arange(18) < 3 * value, memory * 2, 0))


def test_a_validity_that_is_a_number_of_0_or_1_gates_a_load():
    odd = shape_of((1, 2, 1)).pad(((0, 0), (0, 0), (1, 0)))
    kernel = elementwise(lambda x: x, shape_of((4,)), odd.reshape((4,)))
    assert kernel.accesses[1].simple_valid.render() == "idx%2"
    out = np.full(4, 9, np.float32)
    kernel(out, np.array([5, 6], np.float32))
    assert out.tolist() == [0, 5, 0, 6]


@pytest.mark.parametrize("instruction", [None, "m16n8k16"])
@pytest.mark.parametrize(("padding", "step", "dilation"), [((0, 0), (1, 1), (1, 1)), ((1, 2), (2, 1), (1, 2))])
def test_convolution(instruction, padding, step, dilation):
    image, weights = (3, 9, 8), (5, 3, 3, 2)
    dtype = np.float32 if instruction is None else np.float16
    rng = np.random.default_rng(3)
    x, w = rng.integers(-4, 5, image).astype(dtype), rng.integers(-4, 5, weights).astype(dtype)
    kernel = convolution(shape_of(image), shape_of(weights), instruction, padding=padding, step=step, dilation=dilation)
    padded = np.pad(x.astype(float), ((0, 0), (padding[0],) * 2, (padding[1],) * 2))
    down, across = ((padded.shape[i + 1] - dilation[i] * (weights[i + 2] - 1) - 1) // step[i] + 1 for i in (0, 1))
    out = np.zeros((weights[0], down, across), np.float32)
    kernel(out, x, w)
    for c, i, j in np.ndindex(out.shape):
        window = padded[:, i * step[0] :, j * step[1] :][:, :: dilation[0], :: dilation[1]][:, :3, :2]
        assert out[c, i, j] == (window * w[c].astype(float)).sum()


def test_windows_of_an_unpadded_image_are_one_view():
    assert len(windows(shape_of((2, 6, 5)), (2, 3), step=(2, 1)).views) == 1


@given(shapes(2, 40, 1), st.sampled_from(["m16n8k16", "simdgroup.8x8x8", "v_mfma_f32_4x4x4f16"]))
@settings(max_examples=20, deadline=None)
def test_a_fragment_is_the_tiles_seen_through_the_lane_map(shape, name):
    mma = tensorcores.instruction(name)
    shape = (*shape, 3, 5)[:2]
    found = fragment(shape_of(shape), mma, "a")
    memory = different(prod(shape), np.int64)
    rows, columns = (-(-size // step) * step for size, step in zip(shape, (mma.m, mma.k), strict=True))
    whole = np.zeros((rows, columns), np.int64)
    whole[: shape[0], : shape[1]] = memory.reshape(shape)
    held = found.gather(memory).reshape(*found.shape[:2], mma.a.lanes, mma.a.elements)
    for t, u in np.ndindex(found.shape[:2]):
        places = mma.a.coordinates()
        tile = whole[t * mma.m :, u * mma.k :]
        assert np.array_equal(held[t, u], tile[places[..., 0], places[..., 1]])


def test_a_gate_stands_where_the_view_is_padded_and_nowhere_else():
    for view, gated in ((shape_of((64,)), False), (shape_of((60,)).pad(((4, 0),)), True)):
        lines = elementwise(lambda x: x, shape_of((64,)), view).program.lines
        (load,) = [line for line in lines if line.uop is UOps.LOAD]
        assert (len(load.sources) == 4) == gated


def test_expressions_are_kept_as_built_and_simplified():
    kernel = elementwise(lambda x: x, shape_of((8, 8)), shape_of((8, 8)))
    assert [access.simple_index.render() for access in kernel.accesses] == ["idx", "idx"]
    assert kernel.accesses[1].index.render() == "idx//8*8 + idx%8"


def test_big_views_have_wide_indices():
    kernel = elementwise(lambda x: x, shape_of((2,)), shape_of((2**20, 2**13)).shrink(((0, 2), (0, 1))).reshape((2,)))
    (load,) = [line for line in kernel.program.lines if line.uop is UOps.LOAD]
    assert kernel.program.lines[load.sources[1]].dtype == dtypes.int32  # the second element is 8192
    far = shape_of((2**20, 2**13)).shrink(((2**19, 2**19 + 2), (0, 1))).reshape((2,))
    kernel = elementwise(lambda x: x, shape_of((2,)), far)
    (load,) = [line for line in kernel.program.lines if line.uop is UOps.LOAD]
    assert kernel.program.lines[load.sources[1]].dtype == dtypes.int64


def test_mixed_types_and_an_integer_result():
    kernel = elementwise(
        lambda x, y: x.cast(dtypes.float32) < y,
        shape_of((3,)),
        shape_of((3,)),
        shape_of((3,)),
        dtype=(dtypes.int32, dtypes.float32),
        out_dtype=dtypes.bool,
    )
    out = np.zeros(3, np.bool_)
    kernel(out, np.array([1, 2, 3], np.int32), np.array([1.5, 1.5, 3.5], np.float32))
    assert out.tolist() == [True, False, True]


def test_a_reduction_may_be_named():
    out = np.zeros((), np.float32)
    reduce("ADD", (0, 1), shape_of(()), shape_of((2, 3)))(out, np.arange(6, dtype=np.float32))
    assert out == 15


def test_repr_names_the_core_and_the_launch():
    kernel = matmul(shape_of((16, 16)), shape_of((16, 8)), "m16n8k16")
    assert repr(kernel) == "<KernelFromViews matmul on m16n8k16.f32.f16: 1×1×1 workgroups of 32 lanes>"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: elementwise(lambda x: x, shape_of((2, 3)), shape_of((3, 2))),
            "operand 0 has shape (3, 2) and out (2, 3); expected one shape",
        ),
        (
            lambda: elementwise(lambda x: x, shape_of((1, 3)).expand((2, 3)), shape_of((2, 3))),
            "out is written at (0, 0) and at (1, 0), which are both element 0",
        ),
        (
            lambda: elementwise(lambda x: x, shape_of((2,)), shape_of((Variable("i", 1, 4),))),
            "operand 0 depends on i; a kernel is made for one size: give view.bind({'i': …})",
        ),
        (lambda: elementwise(lambda x: x, shape_of((2,)), (2,)), "operand 0 is (2,); expected a ShapeTracker"),
        (
            lambda: elementwise(lambda x: x, shape_of((2,)), shape_of((2,)), dtype=[dtypes.int32] * 2),
            "2 dtypes for 1 operands; give one, or one each",
        ),
        (lambda: reduce(BinaryOps.SUB, 0, shape_of(()), shape_of((2,))), "expected one of BinaryOps.ADD"),
        (lambda: reduce(BinaryOps.ADD, 2, shape_of(()), shape_of((2,))), "axes (2,) of a view with the axes 0 … 0"),
        (lambda: reduce(BinaryOps.ADD, 0, shape_of((2,)), shape_of((2, 3))), "expected one shape, and out (3,)"),
        (lambda: reduce(BinaryOps.ADD, 0, shape_of(())), "0 operands; give one, or fn to put them together"),
        (lambda: matmul((2, 3), shape_of((3, 2))), "a is (2, 3); expected a ShapeTracker"),
        (lambda: convolution(shape_of((1, 4, 4)), None), "weights is None; expected a ShapeTracker"),
        (lambda: matmul(shape_of((2, 3)), shape_of((2, 3))), "a of shape (2, 3) and b of (2, 3); expected (m, k)"),
        (
            lambda: matmul(shape_of((2, 3)), shape_of((3, 2)), out=shape_of((4,))),
            "out has shape (4,); expected (2, 2)",
        ),
        (lambda: windows(shape_of((2, 2)), (3, 3)), "the padded image is 2×2, and no window fits into it"),
        (lambda: windows(shape_of((2, 2)), (1, 1), step=(0, 1)), "sizes of at least 1"),
        (lambda: convolution(shape_of((2, 4, 4)), shape_of((1, 3, 2, 2))), "expected (channels, height, width)"),
    ],
)
def test_views_that_do_not_fit_are_explained(call, message):
    with pytest.raises(ViewKernelError) as error:
        call()
    assert message in str(error.value)


def test_what_lies_in_no_lanes_as_one_view_is_no_fragment():
    sparse = next(x for x in tensorcores.instructions() if x.sparse)
    with pytest.raises(InstructionError, match="lies in no lanes"):
        fragment(shape_of((16, 128)), sparse, "a")


def test_a_buffer_that_is_too_small_is_refused_before_anything_runs():
    kernel = elementwise(lambda x: x, shape_of((8,)), shape_of((8,)))
    with pytest.raises(LaunchError, match="in0 has 7 elements, and its view reaches element 7"):
        kernel(np.zeros(8, np.float32), np.zeros(7, np.float32))
    with pytest.raises(LaunchError, match="got 1 arrays; expected 2: out, in0"):
        kernel(np.zeros(8, np.float32))
