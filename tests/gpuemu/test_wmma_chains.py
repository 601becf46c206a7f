"""Loops of products on tensor cores: D of one is C of the next, and all of k in one product gives the same bits."""

from typing import Any

import numpy as np
import pytest
import wmma_kernels

from gpuemu import BinaryOps, Program, UOps, dtypes
from gpuemu.errors import HazardError, UnitError
from gpuemu.machine import lockstep
from gpuemu.machine.chains import chains
from gpuemu.machine.wmma import TensorCore, resolve
from gpuemu.tensorcores import arithmetic, instructions
from gpuemu.tensorcores.instruction import Instruction

TIMES = 3


def chained() -> list[TensorCore]:
    """Of all instructions on all units one for each way to add, each length of k, each types."""
    found: dict[Any, TensorCore] = {}
    for instruction in instructions():
        for unit in arithmetic.units():
            try:
                instruction.check_unit(unit)
                core = resolve(instruction.name, instruction.lanes)
            except (UnitError, KeyError):
                continue
            core = TensorCore(core.instruction, core.a, core.b, core.c, core.d, unit)
            if core.instruction.scales is None and not core.b_is_shared and chains(core):
                of = core.instruction
                path = of.path if of.path in arithmetic.unit(unit).paths else "mma"
                rule = arithmetic.unit(unit).rule(of.a.dtype, of.d.dtype, path, core.b.lane_map.dtype)[0]
                found.setdefault((rule, of.k, of.a.dtype, of.d.dtype), core)
    return list(found.values())


def bits_of(x: np.ndarray) -> np.ndarray:
    """The bits; one nan is as good as another."""
    bits = x.view(f"u{x.dtype.itemsize}")
    return np.where(np.isnan(x.astype(np.float64)), bits.dtype.type(1), bits)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any], *, special: bool) -> np.ndarray:
    """Numbers of exponents far apart, zeros of both signs, and rarely an infinity or a nan."""
    scale = np.exp2(rng.integers(-12, 8, shape).astype(np.float64))
    x = rng.standard_normal(shape) * scale * (rng.random(shape) > 0.2)
    if special:
        x = np.where(rng.random(shape) < 0.01, rng.choice([np.inf, -np.inf, np.nan, 1e30, 1e-40], shape), x)
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def name_of(core: TensorCore) -> str:
    return f"{core.instruction.short_name} on {core.unit}"


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("core", chained(), ids=name_of)
def test_all_of_k_in_one_product_gives_the_bits_of_one_after_the_other(core: TensorCore, special: bool) -> None:
    of, rng = core.instruction, np.random.default_rng(7)
    a = numbers(rng, (5, of.m, TIMES * of.k), core.a.dtype.numpy, special=special)
    b = numbers(rng, (5, TIMES * of.k, of.n), core.b.dtype.numpy, special=special)
    c = numbers(rng, (5, of.m, of.n), core.c.dtype.numpy, special=special)
    one_by_one = c
    for i in range(0, TIMES * of.k, of.k):
        one_by_one = of.multiply(a[..., i : i + of.k], b[:, i : i + of.k], one_by_one, core.unit)
    together = of.multiply(a, b, c, core.unit)
    np.testing.assert_array_equal(bits_of(together), bits_of(one_by_one))


def test_units_that_round_at_the_end_of_an_instruction_do_not_chain() -> None:
    assert not chains(resolve("gfx1100.wmma_f16_16x16x16_f16.w32"))
    exact = resolve("m16n8k16")
    assert not chains(TensorCore(exact.instruction, exact.a, exact.b, exact.c, exact.d, "exact"))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of k of the products that launches multiply from now on."""
    found, multiply = [], Instruction.multiply

    def counting(self: Instruction, a: Any, *args: Any, **options: Any) -> Any:
        found.append(a.shape[-1])
        return multiply(self, a, *args, **options)

    monkeypatch.setattr(Instruction, "multiply", counting)
    return found


@pytest.mark.parametrize("target", wmma_kernels.SEED_ARGS)
def test_a_loop_of_products_multiplies_along_all_of_k(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    lines, sizes = wmma_kernels.matmul(wmma_kernels.SEED_ARGS[target], 64, 64, 96)
    program, rng = Program("product", lines), np.random.default_rng(2)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((64, 96), (96, 64)))
    results = []
    for least in (4, 10**9):
        monkeypatch.setattr(lockstep, "LEAST_BATCH", least)
        lengths = counted(monkeypatch)
        results.append(np.zeros((64, 64), np.float32))
        program(results[-1], a, b, **sizes)
        k = resolve(wmma_kernels.SEED_ARGS[target]).instruction.k
        assert lengths == ([96] if least == 4 else [k] * (96 // k))
        monkeypatch.undo()
    assert results[0].tobytes() == results[1].tobytes()


def looped(warps: int, active: int) -> list[Any]:
    """A loop of six products of fragments that lie in the buffers lane by lane, in the first of the warps."""
    core, k = resolve("m16n8k16"), wmma_kernels.Lines()
    held = core.d.dtype, core.a.dtype, core.b.dtype
    out, a, b = (k.add(UOps.DEFINE_GLOBAL, dtype.scalar(), [], i) for i, dtype in enumerate(held))
    lane, warp = k.special(0, "lidx0", 32), k.special(1, "lidx1", warps)
    mine = k.plus(k.times(warp, 32), lane)
    total = k.add(UOps.DEFINE_ACC, core.d.dtype, [], 0.5)
    here = k.add(UOps.ALU, dtypes.bool, [k.plus(k.times(warp, 32), k.const(0)), k.const(32 * active)], BinaryOps.CMPLT)
    head = k.add(UOps.IF, None, [here])
    loop = k.add(UOps.RANGE, dtypes.int32, [k.const(0), k.const(6)], 0)
    place = k.plus(k.times(loop, 32 * warps), mine)
    loads = [k.add(UOps.LOAD, dtype, [x, k.times(place, dtype.count)]) for x, dtype in ((a, held[1]), (b, held[2]))]
    product = k.add(UOps.WMMA, core.d.dtype, [*loads, total], "m16n8k16")
    k.add(UOps.PHI, core.d.dtype, [total, product, loop])
    k.add(UOps.ENDRANGE, None, [loop])
    k.add(UOps.ENDIF, None, [head])
    k.add(UOps.STORE, None, [out, k.times(mine, 4), total])
    return k.lines


@pytest.mark.parametrize("active", [0, 1, 2])
def test_warps_that_skip_the_loop_keep_what_they_had(monkeypatch: pytest.MonkeyPatch, active: int) -> None:
    program, rng = Program("looped", looped(2, active)), np.random.default_rng(4)
    a, b = (rng.standard_normal(6 * 64 * n).astype(np.float16) for n in (8, 4))
    results = []
    for least in (4, 10**9):
        monkeypatch.setattr(lockstep, "LEAST_BATCH", least)
        results.append(np.zeros(64 * 4, np.float32))
        program(results[-1], a, b, local_size=(32, 2, 1))
    assert results[0].tobytes() == results[1].tobytes()
    assert (results[0].reshape(2, -1)[active:] == 0.5).all()


def test_lanes_that_differ_in_a_late_product_are_reported() -> None:
    """AMD's lanes 16 to 31 repeat lanes 0 to 15."""
    lines, sizes = wmma_kernels.matmul(wmma_kernels.SEED_ARGS["HSA"], 16, 64, 128)
    broken = list(lines)
    number, modulus = next(
        (i, line) for i, line in enumerate(lines) if line[0] is UOps.ALU and line[3] is BinaryOps.MOD
    )
    broken[number] = (UOps.ALU, dtypes.int32, [modulus[2][0], modulus[2][0]], BinaryOps.MAX)
    a, b = np.zeros((16 * 2, 128), np.float16), np.zeros((128, 64), np.float16)
    a[16:, 100] = 1.0  # rows that only the wrong lanes read, in the seventh iteration
    with pytest.raises(HazardError, match="wants A") as caught:
        Program("broken", broken)(np.zeros((16, 64), np.float32), a, b, **sizes)
    assert caught.value.reports[0].kind == "duplicate-lanes"
