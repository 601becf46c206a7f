"""The Python text reads back as the same expression; C is right for negatives; nothing but arithmetic is parsed."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from shapetracker.errors import ExprError
from shapetracker.expr import And, Const, Expr, Max, Min, Variable, evaluate_box, parse

i, j, n = Variable("i", -9, 9), Variable("j", 0, 7), Variable("n", 1, 4)
NAMES = {"i": i, "j": j, "n": n}


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (7 - i * 4, "7 - i*4"),
        (-i, "-i"),
        (-(i * j), "-(i*j)"),
        (-(i + j), "-(i + j)"),
        (i - (j - 2), "i - (j - 2)"),
        (-1 * i, "-1*i"),
        (i * -1 * j, "i*-1*j"),
        (i // 4 * 4 + i % 4, "i//4*4 + i%4"),
        (2 * (i // 3), "2*(i//3)"),
        (i // (j % 3 + 1), "i//(j%3 + 1)"),
        ((i + j) // -2 % 3, "(i + j)//-2%3"),
        (Const(-5) % n, "-5%n"),
        ((i < 3) & (j >= 1), "(i < 3) & (j >= 1)"),
        ((i < 3) * 2 - 1, "(i < 3)*2 - 1"),
        ((i < 3).eq(j > 2), "(i < 3) == (j > 2)"),
        (i.ne(j), "i != j"),
        (Min(i, j, 3) - Max(i, 2), "min(i, j, 3) - max(i, 2)"),
    ],
)
def test_python_text_reads_back_as_the_same_expression(e: Expr, text: str) -> None:
    assert repr(e) == text
    assert parse(text, NAMES) is e


def test_parse_takes_ranges_chains_and_the_word_and() -> None:
    assert repr(parse("1 <= k < 4 and +k % 2 == 1", {"k": (0, 9)})) == "(1 <= k) & (k < 4) & (k%2 == 1)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i / 2", r"'i / 2' is not allowed; integer division is written //"),
        ("i ** 2", r"'i \*\* 2' is not allowed"),
        ("__import__('os')", "is not allowed"),
        ("i.min", "'i.min' is not allowed"),
        ("i + 0.5", "'0.5' is not allowed"),
        ("i if j else 2", "is not allowed"),
        ("i or j", "is not allowed"),
        ("min()", "is not allowed"),
        ("i +", "invalid syntax"),
        ("k + 1", r"'k' is no variable; known are i, j, n"),
    ],
)
def test_what_is_no_integer_expression_is_refused(text: str, message: str) -> None:
    with pytest.raises(ExprError, match=message):
        parse(text, NAMES)


@pytest.mark.parametrize(
    ("text", "variables", "message"),
    [
        ("i" + "//2" * 3000, NAMES, r"parse\('i//2.*…\): it is nested more than 100 levels deep"),
        ("-" * 5000 + "i", NAMES, r"nested more than 100 levels deep"),
        ("-" * 300 + "i", NAMES, r"nested more than 100 levels deep"),
        ("(" * 500 + "i" + ")" * 500, NAMES, r"too many nested parentheses"),
        ("-" * 100000 + "i", NAMES, r"100001 characters, and at most 20000 are read"),
        ("i", {"i": 3}, r"the variable 'i' is given as 3; write its range, as \{'i': \(least, greatest\)\}"),
        ("i", {"i": (0, 1, 2)}, r"is given as \(0, 1, 2\)"),
        ("i", None, r"the variables None are no mapping; write \{'i': \(least, greatest\)\}"),
        (None, NAMES, r"parse\(None\): a text was expected, and this is a NoneType"),
    ],
)
def test_what_is_too_deep_or_no_text_is_an_error_of_ours(text: str, variables: Any, message: str) -> None:
    with pytest.raises(ExprError, match=message):
        parse(text, variables)


def test_a_long_sum_is_read() -> None:
    assert parse(" + ".join(["i"] * 900), NAMES).evaluate({"i": 2}) == 1800


def test_c_moves_a_negative_dividend_up() -> None:
    assert (j // 4).render("c") == "j/4"
    assert (i // 4).render("c") == "(i + 12)/4 - 3"
    assert (i % 4).render("c") == "(i + 12)%4"
    assert (i % -4).render("c") == "-((-i + 12)%4)"


def test_c_writes_wide_constants_as_long_long() -> None:
    assert (j * 2**40).render("c") == "j*1099511627776LL"
    with pytest.raises(ExprError, match="does not fit in 64 bits"):
        (j + 2**70).render("c")


def _forms() -> list[Expr]:
    divisors: list[int | Expr] = [-5, -2, 1, 3, 4, n, -n]
    forms: list[Expr] = []
    for d in divisors:
        for a in (i, -i, i * 3 - j, j - 4):
            forms += [a // d, a % d, a // d % 3 - a % d // -2]
    return [*forms, Min(i, j) - Max(i, 2), (i < 3) * 2 + And(i >= j, j.ne(2)), -(i * j) // 3]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_compiled_c_gives_pythons_values(tmp_path: Path) -> None:
    forms = _forms()
    loops = "for (long long i = -9; i <= 9; i++) for (long long j = 0; j <= 7; j++) for (long long n = 1; n <= 4; n++) "
    lines = "".join(f'{{ {loops}printf("%lld ", (long long)({e.render("c")})); puts(""); }}\n' for e in forms)
    source = tmp_path / "forms.c"
    source.write_text("#include <stdio.h>\nint main(void) {\n" + lines + "return 0; }\n")
    subprocess.run(["cc", "-w", "-o", tmp_path / "forms", source], check=True)
    printed = subprocess.run([tmp_path / "forms"], check=True, capture_output=True, text=True).stdout
    for e, line in zip(forms, printed.splitlines(), strict=True):
        assert [int(x) for x in line.split()] == evaluate_box(e, (i, j, n)).reshape(-1).tolist(), e


def test_latex_has_floors_and_mod() -> None:
    k = Variable("idx0", 0, 9)
    assert ((k * 8 + j) // 4 % 2).render("latex") == (
        r"\left\lfloor \frac{8 \mathrm{idx}_{0} + j}{4} \right\rfloor \bmod 2"
    )
    assert ((i % 4) * 3 - 1).render("latex") == r"3 \left(i \bmod 4\right) - 1".replace(r"\left(", "(").replace(
        r"\right)", ")"
    )
    assert ((i <= 3) & j.ne(2)).render("latex") == r"i \le 3 \land j \ne 2"
    assert i._repr_latex_() == "$i$"


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(ExprError, match=r"render\('rust'\): the languages are 'python', 'c', 'latex'"):
        i.render("rust")


def test_a_word_of_c_is_no_name_in_c() -> None:
    double = Variable("double", 0, 3)
    assert (double * 2).render() == "double*2"
    with pytest.raises(ExprError, match=r"render\('c'\): double is a word of C's own; give the variable another name"):
        (double * 2).render("c")
