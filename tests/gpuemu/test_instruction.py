"""The catalogue: looking instructions up, the seed's WMMA tuples, laws that every instruction keeps."""

import pickle
from collections import Counter
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from gpuemu import tensorcores
from gpuemu.errors import InstructionError, UnitError
from gpuemu.tensorcores import from_seed, instruction, instructions

EVERY = instructions()
HALF = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"


def label(x):
    return f"{x.arch}-{x.name}-{x.lanes}"


# --- every instruction ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", EVERY, ids=label)
def test_operands_have_the_sizes_of_the_instruction(x):
    sizes = {"a": (x.m, x.k), "b": (x.k, x.n), "c": (x.m, x.n), "d": (x.m, x.n)}
    for operand, lane_map in x.maps.items():
        assert lane_map.operand == operand
        assert (lane_map.rows, lane_map.columns, lane_map.blocks) == (*sizes[operand], x.blocks)
        assert len(lane_map.registers) == lane_map.elements == len(set(lane_map.registers))


@pytest.mark.parametrize("x", EVERY, ids=label)
def test_every_element_is_held_and_all_equally_often(x):
    for lane_map in x.maps.values():
        places = lane_map.coordinates().reshape(-1, 3 if x.blocks > 1 else 2)
        held = Counter(map(tuple, places.tolist()))
        assert len(held) == lane_map.rows * lane_map.columns * lane_map.blocks
        assert len(set(held.values())) == 1
        assert (held.total() > len(held)) == lane_map.duplicates


@pytest.mark.parametrize("x", EVERY, ids=label)
def test_dense_operands_are_one_view_and_sparse_ones_say_why_not(x):
    for lane_map in x.maps.values():
        assert (lane_map.view is None) == (x.sparse and lane_map.operand == "a")
        assert (lane_map.view is None) == (lane_map.not_a_view is not None)
        assert lane_map.positions.mask is None


def test_names_arch_and_lanes_identify_an_instruction():
    assert len({(x.name, x.arch, x.lanes) for x in EVERY}) == len(EVERY) == 318


@pytest.mark.parametrize("x", EVERY, ids=label)
def test_full_name_arch_and_lanes_find_the_instruction(x):
    assert instruction(x.name, arch=x.arch, lanes=x.lanes) is x
    assert instruction(x.short_name, arch=x.arch) is x


def test_units_are_those_of_the_arithmetic():
    assert {x.unit for x in EVERY} <= set(tensorcores.arithmetic.units())


# --- looking up -------------------------------------------------------------------------------------------------------


def test_shape_alone_means_half_factors_with_float32_sums():
    assert instruction("m16n8k16").name == HALF
    assert instruction("m8n8k4").name == "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"
    assert instruction("m64n128k16").name == "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"


def test_parts_of_a_name_are_enough_where_one_instruction_has_them():
    assert instruction("mma.m16n8k16.bf16").types == ("bf16", "bf16", "f32", "f32")
    assert instruction("simdgroup").vendor == "apple"
    assert instruction("M16N8K16 f16.f16").m == 16


def test_same_lanes_on_several_architectures_mean_the_oldest():
    name = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
    assert instruction(name).arch == "sm_75"
    assert instruction(name, arch="sm_80").arch == "sm_80"


def test_wrong_name_suggests_the_nearest():
    with pytest.raises(InstructionError) as error:
        instruction("m16n8k15")
    assert str(error.value).startswith("no tensor-core instruction has the name 'm16n8k15'; did you mean m16n8k16")
    with pytest.raises(KeyError, match="did you mean v_wmma_f32_16x16x16_f16"):
        instruction("v_wmma_f32_16x16x61_f16")


def test_name_like_no_other_suggests_nothing():
    with pytest.raises(InstructionError) as error:
        instruction("hello")
    assert str(error.value) == "no tensor-core instruction has the name 'hello'"


def test_name_of_several_instructions_is_an_error_that_lists_them():
    with pytest.raises(InstructionError) as error:
        instruction("m16n8k16.s32")
    assert str(error.value) == (
        "instruction 'm16n8k16.s32' may be m16n8k16.s32.s8 (sm_80, 32 lanes), m16n8k16.s32.s8.u8 (sm_80, 32 lanes), "
        "m16n8k16.s32.u8.s8 (sm_80, 32 lanes), m16n8k16.s32.u8 (sm_80, 32 lanes); "
        "say more of the name, or arch= and lanes="
    )


def test_two_wave_sizes_need_lanes():
    with pytest.raises(InstructionError, match=r"gfx1100, 32 lanes.*gfx1100, 64 lanes.*lanes="):
        instruction("v_wmma_f32_16x16x16_f16", arch="gfx1100")
    assert instruction("v_wmma_f32_16x16x16_f16", arch="gfx1100", lanes=64).lanes == 64


def test_name_on_another_architecture_is_an_error_that_says_which_have_it():
    with pytest.raises(InstructionError) as error:
        instruction(HALF, arch="sm_70")
    assert str(error.value) == f"instruction '{HALF}', arch='sm_70', lanes=None: it is on sm_80 (32 lanes)"


def test_unknown_vendor_or_architecture_is_an_error_that_lists_the_known():
    with pytest.raises(InstructionError) as error:
        instructions(vendor="amdahl")
    assert str(error.value) == "instructions: no vendor 'amdahl'; there are nvidia, amd, apple, intel"
    with pytest.raises(InstructionError, match="no arch 'gfx906'; there are gfx908, gfx90a"):
        instructions(vendor="amd", arch="gfx906")


def test_repr_is_one_line():
    assert repr(instruction("m16n8k16")) == f"<Instruction {HALF}: nvidia sm_80, 16×8×16, 32 lanes>"


def test_instructions_can_go_to_another_process():
    assert pickle.loads(pickle.dumps(instruction("m16n8k16"))) == instruction("m16n8k16")


# --- the seed's three -------------------------------------------------------------------------------------------------

METAL = ("WMMA_8_8_8_half_float", (8, 8, 8), "half", "float", (2, 2, 2), "METAL")
HSA = ("WMMA_16_16_16_half_float", (16, 16, 16), "half", "float", (16, 16, 8), "HSA")
CUDA = ("WMMA_8_16_16_half_float", (8, 16, 16), "half", "float", (8, 4, 4), "CUDA")


def holders(lane_map):
    """[row][column] -> the (lane, element) pairs that hold it."""
    return [[lane_map.where(row, col) for col in range(lane_map.columns)] for row in range(lane_map.rows)]


def test_metal_lanes_are_those_of_the_seed():
    """tinygrad 0.9.0, runtime/ops_python.py, METAL: factors by (k, row), sums by (column, row)."""
    metal = from_seed(METAL)

    def factor(along, line):
        return [(along // 2 % 2 + line % 4 * 2 + along // 4 * 8 + line // 4 * 16, along % 2)]

    assert holders(metal.a) == [[factor(k, m) for k in range(8)] for m in range(8)]
    assert holders(metal.b) == [[factor(n, k) for n in range(8)] for k in range(8)]
    for lane, element in product(range(32), range(2)):
        col = element + lane % 2 * 2 + lane // 8 % 2 * 4
        row = lane // 2 % 4 + lane // 16 * 4
        assert metal.c.coordinates()[lane, element].tolist() == [row, col]


def test_hsa_lanes_are_those_of_the_seed():
    """The same file, HSA: lanes 16 … 31 repeat the factors of lanes 0 … 15."""
    hsa = from_seed(HSA)
    assert holders(hsa.a) == [[[(m, k), (m + 16, k)] for k in range(16)] for m in range(16)]
    assert holders(hsa.b) == [[[(n, k), (n + 16, k)] for n in range(16)] for k in range(16)]
    for lane, element in product(range(32), range(8)):
        assert hsa.c.coordinates()[lane, element].tolist() == [lane // 16 + element * 2, lane % 16]


def test_cuda_lanes_are_those_of_the_seed():
    """The same file, CUDA."""
    cuda = from_seed(CUDA)

    def a(m, k):
        return [(k // 2 % 4 + m % 8 * 4, k % 2 + m // 8 * 2 + k // 8 * 4)]

    def b(k, n):
        return [(k // 2 % 4 + n * 4, k % 2 + k // 8 * 2)]

    assert holders(cuda.a) == [[a(m, k) for k in range(16)] for m in range(16)]
    assert holders(cuda.b) == [[b(k, n) for n in range(8)] for k in range(16)]
    for lane, element in product(range(32), range(4)):
        row, col = lane // 4 + element // 2 * 8, element % 2 + lane % 4 * 2
        assert cuda.c.coordinates()[lane, element].tolist() == [row, col]


@pytest.mark.parametrize("arg", [METAL, HSA, CUDA], ids=lambda arg: arg[-1])
def test_product_through_the_lanes_is_the_product(arg):
    """Each lane takes its elements of A, B and C; put together again, and multiplied, they give D."""
    core = from_seed(arg)
    rng = np.random.default_rng(0)
    full = {x: rng.integers(-8, 8, (lm.rows, lm.columns)) for x, lm in core.maps.items()}
    back = {}
    for operand, lane_map in core.maps.items():
        rows, columns = np.moveaxis(lane_map.coordinates(), -1, 0)
        fragment = full[operand][rows, columns]
        back[operand] = np.full((lane_map.rows, lane_map.columns), 99)
        back[operand][rows, columns] = fragment
    want = full["a"] @ full["b"] + full["c"]
    assert (back["a"] @ back["b"] + back["c"] == want).all()


@pytest.mark.parametrize(
    ("arg", "name", "types"),
    [
        (METAL, "simdgroup_multiply_accumulate.8x8x8", ("fp16", "fp32")),
        (
            ("", (8, 8, 8), "float", "float", (2, 2, 2), "METAL"),
            "simdgroup_multiply_accumulate.8x8x8",
            ("fp32", "fp32"),
        ),
        (("", (8, 8, 8), "half", "half", (2, 2, 2), "METAL"), "simdgroup_multiply_accumulate.8x8x8", ("fp16", "fp16")),
        (HSA, "v_wmma_f32_16x16x16_f16", ("fp16", "fp32")),
        (("", (16, 16, 16), "half", "half", (16, 16, 8), "HSA"), "v_wmma_f16_16x16x16_f16", ("fp16", "fp16")),
        (CUDA, HALF, ("fp16", "fp32")),
        (
            ("", (8, 16, 16), "__bf16", "float", (8, 4, 4), "CUDA"),
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
            ("bf16", "fp32"),
        ),
    ],
)
def test_seed_tuple_gives_the_instruction_and_its_types(arg, name, types):
    core = from_seed(arg)
    assert (core.name, core.lanes) == (name, 32)
    assert (core.a.dtype, core.b.dtype, core.c.dtype, core.d.dtype) == (types[0], types[0], types[1], types[1])


def test_seed_tuple_takes_dtype_objects():
    half, single = SimpleNamespace(name="float16"), SimpleNamespace(name="float32")
    assert from_seed(("", [8, 16, 16], half, single, [8, 4, 4], "CUDA")) == from_seed(CUDA)


@pytest.mark.parametrize(
    ("arg", "message"),
    [
        (CUDA[:5], "expected (name, (N, M, K), dtype in, dtype out, sizes of a b c, device)"),
        ((*CUDA[:5], "ROCM"), "device 'ROCM' is none of METAL, HSA, CUDA"),
        (
            ("x", (16, 8, 16), "half", "float", (8, 4, 4), "CUDA"),
            "CUDA has no such tensor core; its sizes (N, M, K) are (8, 16, 8), (8, 16, 16), ",
        ),
        (("x", (8, 16, 16), "float", "float", (8, 4, 4), "CUDA"), "CUDA has no (8, 16, 16) from float to float"),
        (
            ("x", (8, 16, 16), "half", "float", (4, 8, 4), "CUDA"),
            "the sizes of a, b, c are (4, 8, 4), expected (8, 4, 4) elements per lane",
        ),
    ],
)
def test_seed_tuple_that_fits_nothing_is_an_error_that_says_what_would(arg, message):
    with pytest.raises(InstructionError) as error:
        from_seed(arg)
    assert str(error.value).startswith(f"WMMA {arg}: ")
    assert message in str(error.value)


def test_a_vendor_in_large_letters_is_the_same() -> None:
    assert tensorcores.instructions("NVIDIA", "SM_80") == tensorcores.instructions("nvidia", "sm_80")


@pytest.mark.parametrize("name", [None, 5])
def test_what_is_no_name_is_refused(name: object) -> None:
    for call in (tensorcores.instruction, tensorcores.copy_instruction):
        with pytest.raises(InstructionError, match=f"instruction {name}: expected a name, such as 'm16n8k16'"):
            call(name)  # type: ignore[arg-type]
    with pytest.raises(UnitError, match=f"unit {name}: no unit has that name"):
        tensorcores.arithmetic.unit(name)  # type: ignore[arg-type]
