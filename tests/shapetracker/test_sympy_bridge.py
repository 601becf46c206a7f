"""To SymPy and back without a change of value; lambdify divides integers as integers."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy

from shapetracker.errors import ExprError
from shapetracker.expr import Const, Expr, Max, Min, Variable, evaluate_box
from shapetracker.sympy_bridge import FloorDiv, FloorMod, SymPyModWarning, from_sympy, operations_of, to_sympy

i, j = Variable("i", -9, 9), Variable("j", 0, 7)


def _forms() -> list[Expr]:
    forms: list[Expr] = [i - j, i * j * 3 - 7, Min(i, j) - Max(i, 2), (i < 3) & (j >= 1), i.eq(j), i.ne(j)]
    for d in (-7, -2, 2, 5, 49):
        forms += [i // d, i % d, (i * 8 + j) // d % 3, 2 * (i % d) % d, (i // d < 1) * 4 + j]
    return forms


@pytest.mark.parametrize("e", _forms(), ids=repr)
def test_the_way_to_sympy_and_back_keeps_every_value(e: Expr) -> None:
    back = from_sympy(to_sympy(e), {"i": i, "j": j})
    assert (evaluate_box(back, (i, j)) == evaluate_box(e, (i, j))).all()


@pytest.mark.parametrize("e", _forms(), ids=repr)
def test_lambdify_gives_the_same_values_on_arrays(e: Expr) -> None:
    symbols: dict[str, sympy.Symbol] = {}
    exported = to_sympy(e + i * 0 + (i + j) * 0, symbols=symbols)
    to_sympy(i + j, symbols=symbols)
    function = sympy.lambdify([symbols["i"], symbols["j"]], exported, "numpy")
    a, b = np.meshgrid(np.arange(-9, 10), np.arange(8), indexing="ij")
    assert (np.broadcast_to(function(a, b), (19, 8)).astype(int) == evaluate_box(e, (i, j))).all()


@pytest.mark.parametrize("divisor", [49, 98, 103, 107])
def test_lambdify_divides_exactly_where_sympys_own_floor_does_not(divisor: int) -> None:
    n = Variable("n", 0, 1000)
    exported = to_sympy(n // divisor)
    (symbol,) = exported.free_symbols
    function = sympy.lambdify(symbol, exported)
    assert [function(x) for x in range(1001)] == [x // divisor for x in range(1001)]


def test_nested_remainders_are_left_alone() -> None:
    n = Variable("n", 0, 9)
    exported = to_sympy(2 * (n % 5) % 5)
    (symbol,) = exported.free_symbols
    assert [exported.subs(symbol, x) for x in range(10)] == [2 * (x % 5) % 5 for x in range(10)]


def test_functions_fold_numbers_only() -> None:
    x = sympy.Symbol("x", integer=True)
    assert FloorDiv(-21, 5) == -5
    assert FloorMod(21, -5) == -4
    assert FloorDiv(8 * x, 8) != x


def test_rewriting_to_floor_gives_pure_sympy() -> None:
    x = sympy.Symbol("x", integer=True)
    pure = FloorMod(FloorDiv(x, 4), 3).rewrite(sympy.floor)
    assert not pure.atoms(FloorDiv, FloorMod)
    assert [pure.subs(x, n) for n in range(-9, 9)] == [n // 4 % 3 for n in range(-9, 9)]


def test_latex_has_floors_and_mod() -> None:
    x = sympy.Symbol("x", integer=True)
    assert sympy.latex(FloorDiv(x + 1, 4)) == r"\left\lfloor \frac{x + 1}{4} \right\rfloor"
    assert r"\bmod 4" in sympy.latex(FloorMod(x + 1, 4) ** 2)


def test_one_table_of_symbols_serves_several_exports() -> None:
    symbols: dict[str, sympy.Symbol] = {}
    a, b = to_sympy(i + j, symbols=symbols), to_sympy(i - j, symbols=symbols)
    assert set(symbols) == {"i", "j"}
    assert a + b == 2 * symbols["i"]


def test_sympys_own_mod_comes_with_a_warning() -> None:
    with pytest.warns(SymPyModWarning, match=r"Mod\(2\*Mod\(i, 5\), 5\) into 2\*Mod\(i, 5\)"):
        exported = to_sympy(j % 5, mode="mod")
    assert exported.has(sympy.Mod)


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"mode='fast'.*the modes are 'functions' and 'mod'"):
        to_sympy(i, mode="fast")


def test_sympys_own_floor_mod_and_powers_can_be_read() -> None:
    x, y = sympy.symbols("i j", integer=True)
    for form, truth in (
        (sympy.floor((x + 2) / 4) * 4 + 1, (i + 2) // 4 * 4 + 1),
        (sympy.floor(x / 2 + y / 3), (i * 3 + j * 2) // 6),
        (sympy.Mod(x, 5) - x**2, i % 5 - i * i),
        (sympy.Or(x < 1, y > 2), Max(i < 1, j > 2)),
        (sympy.Not(sympy.And(x < 1, y > 2)), 1 - ((i < 1) & (j > 2))),
    ):
        assert (evaluate_box(from_sympy(form, {"i": i, "j": j}), (i, j)) == evaluate_box(truth, (i, j))).all()


def test_a_symbol_without_a_range_is_an_error() -> None:
    with pytest.raises(ExprError, match="k has no range; known are i"):
        from_sympy(sympy.Symbol("k") + 1, {"i": i})


def test_what_is_no_integer_expression_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"sin\(i\) \(sin\) is no integer expression"):
        from_sympy(sympy.sin(sympy.Symbol("i")), {"i": i})
    with pytest.raises(ExprError, match=r"1/2 \(Half\) is no integer expression"):
        from_sympy(sympy.Rational(1, 2), {})


def test_operations_are_counted_as_ours_are() -> None:
    for e in ((i * 8 - j) // 4 % 3, (i < 3) & (j >= 1), Min(i, j, 2)):
        assert operations_of(to_sympy(e)) == e.operations()


def test_importing_shapetracker_does_not_import_sympy() -> None:
    code = "import shapetracker, shapetracker.equivalence, sys; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_latex_says_what_the_remainder_is_taken_of() -> None:
    k = Variable("k", 0, 9)
    assert sympy.latex(to_sympy(k % 5 * 2)) == r"2 \left(k \bmod 5\right)"
    assert sympy.latex(to_sympy(k * 2 % 5)) == r"\left(2 k\right) \bmod 5"
    assert sympy.latex(to_sympy((k % 5) * (k % 5))) == r"\left(k \bmod 5\right)^{2}"


def test_a_condition_that_sympy_rewrites_without_end_is_exported() -> None:
    i, j, k = Variable("i", 1, 2), Variable("j", -5, -4), Variable("k", 0, 7)
    e = (k - i * 12 >= (j + 8) // 6).ne(-5)
    back = from_sympy(to_sympy(e), {"i": i, "j": j, "k": k})
    assert (evaluate_box(back, (i, j, k)) == evaluate_box(e, (i, j, k))).all()


def test_a_text_is_not_evaluated(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    with pytest.raises(ExprError, match=r"got a str; expected an expression of SymPy; shapetracker\.parse reads text"):
        from_sympy(text, {})
    assert not mark.exists()
    assert from_sympy(3, {}) is Const(3)
    for other in (None, [1], object(), b"1"):
        with pytest.raises(ExprError, match=r"^from_sympy: "):
            from_sympy(other, {})
