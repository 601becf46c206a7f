"""Random expressions, each checked at every point: simplification, bounds, printing, parsing; some in C and SymPy.

    python tests/fuzz/fuzz_expressions.py --seconds 60 --seed 1
    python tests/fuzz/fuzz_expressions.py --seconds 60 --seed 1 --only sympy

Ranges, coefficients and divisors may be negative. Prints each fault, then what was run; the exit status is 1 when there
was a fault.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from shapetracker.expr import (
    And,
    Const,
    Eq,
    Expr,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Variable,
    evaluate_box,
    parse,
)
from shapetracker.expr.simplify import Facts
from shapetracker.expr.simplify.improve import improve

COEFFICIENTS = (-12, -7, -5, -4, -3, -2, -1, 2, 3, 4, 5, 6, 7, 8, 12)
DIVISORS = (-12, -8, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16)
RELATIONS = (Lt, Le, Gt, Ge, Eq, Ne)
MOST_POINTS = 4096


def random_variables(source: random.Random) -> list[Variable]:
    """One to three variables with small ranges, some below 0."""
    variables = []
    for name in "ijk"[: source.randint(1, 3)]:
        low = source.choice((0, 0, 0, -3, -5, 1, 2))
        variables.append(Variable(name, low, low + source.choice((0, 1, 2, 3, 4, 5, 7, 8, 11))))
    return variables


def random_expression(source: random.Random, variables: list[Variable], depth: int) -> Expr:
    """Any expression over the variables."""
    if depth == 0 or source.random() < 0.1:
        return source.choice(variables) if source.random() < 0.75 else Const(source.randint(-9, 9))

    def part() -> Expr:
        return random_expression(source, variables, depth - 1)

    kind = source.random()
    if kind < 0.3:
        return part() + part()
    if kind < 0.5:
        return part() * source.choice(COEFFICIENTS)
    if kind < 0.7:
        return part() // source.choice(DIVISORS)
    if kind < 0.88:
        return part() % source.choice(DIVISORS)
    if kind < 0.9:
        return (part() - part()) * part() if depth < 3 else part()
    if kind < 0.93:
        return source.choice((Min, Max))(part(), part())
    if kind < 0.97:
        return source.choice(RELATIONS)(part(), part())
    return random_condition(source, variables, depth - 1)


def random_condition(source: random.Random, variables: list[Variable], depth: int) -> Expr:
    """Two to four comparisons at once."""
    parts = [
        source.choice(RELATIONS)(random_expression(source, variables, depth), source.randint(-5, 12))
        for _ in range(source.randint(2, 4))
    ]
    return And(*parts)


def random_digits(source: random.Random, variables: list[Variable]) -> Expr:
    """What a stack of views makes: digits of one flat index, each with a stride."""
    flat: Expr = Const(source.randint(-6, 6))
    size = 1
    for v in reversed(variables):
        flat = flat + v * (size * source.choice((1, 1, 1, -1)))
        size *= v.max - v.min + source.choice((1, 1, 1, 2))
    total: Expr = Const(source.choice((0, 0, 3)))
    step = 1
    for _ in range(source.randint(1, 3)):
        n = source.choice((2, 3, 4, 5, 6, 8))
        total = total + flat // step % n * source.choice((step, 1, 2, 5, -3))
        step *= n
    return total + flat // step * source.choice((step, 1, 7))


def random_case(source: random.Random) -> tuple[Expr, list[Variable]]:
    """An expression and its variables."""
    variables = random_variables(source)
    kind = source.random()
    if kind < 0.6:
        return random_expression(source, variables, source.randint(2, 5)), variables
    if kind < 0.8:
        return random_digits(source, variables), variables
    return random_condition(source, variables, 3), variables


@dataclass
class Report:
    """What was run, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, kind: str, e: Expr, detail: object) -> None:
        ranges = ", ".join(v.describe() for v in e.variables())
        self.faults.append(f"{kind}: {e!r} with {ranges}: {detail}")


def check_expression(e: Expr, variables: list[Variable], report: Report) -> Expr:
    """Everything that is checked for each expression; gives the simplified one."""
    names = {v.name: v for v in variables}
    truth = evaluate_box(e, variables)
    simplified = e.simplify()
    report.counts["simplified"] += 1
    if (evaluate_box(simplified, variables) != truth).any():
        report.fault("wrong", e, simplified)
    for x in (e, simplified):
        if truth.min() < x.min or truth.max() > x.max:
            report.fault("bounds", e, f"{x!r} claims {x.min}..{x.max}, it is {truth.min()}..{truth.max()}")
        if parse(repr(x), names) is not x:
            report.fault("parse", x, parse(repr(x), names))
    if simplified.operations() > e.operations():
        report.fault("longer", e, simplified)
    if simplified.simplify() is not simplified:
        report.fault("not idempotent", simplified, simplified.simplify())
    return simplified


def check_explanation(e: Expr, simplified: Expr, report: Report) -> None:
    """The steps, where every law goes by its rule, lead to the simplified form."""
    report.counts["explained"] += 1
    reached = improve(e, Facts(trace=[]))
    if reached is not simplified:
        report.fault("explained otherwise", e, f"{reached!r}, not {simplified!r}")


def random_remainders(source: random.Random) -> Expr:
    """Remainders inside one another, by divisors at which a floating-point quotient or SymPy's own Mod goes wrong."""
    variables = [Variable(name, 0, source.choice((7, 31, 106))) for name in "ij"[: source.randint(1, 2)]]
    e: Expr = variables[0] * source.choice((1, 1, 2, 49, 103)) + source.choice((0, 0, 48, -98))
    for _ in range(source.randint(1, 4)):
        n = source.choice((4, 5, 7, 49, 98, 103, 107, -49, -5))
        e = source.choice((e // n, e % n, e % n * 2)) + source.choice((0, 0, 1)) * source.choice(variables)
    return e


def check_sympy(e: Expr, report: Report) -> None:
    """To SymPy and back, at every point; for one in a hundred also what lambdify makes of it."""
    import sympy

    from shapetracker.sympy_bridge import from_sympy, to_sympy

    variables = e.variables()
    symbols: dict[str, sympy.Symbol] = {}
    exported = to_sympy(e, symbols=symbols)
    truth = evaluate_box(e, variables)
    back = from_sympy(exported, {v.name: v for v in variables})
    report.counts["SymPy round trips"] += 1
    if (evaluate_box(back, variables) != truth).any():
        report.fault("SymPy round trip", e, back)
    if report.counts["SymPy round trips"] % 100 == 0 and variables:
        report.counts["lambdified"] += 1
        axes = np.meshgrid(*[np.arange(v.min, v.max + 1) for v in variables], indexing="ij")
        values = sympy.lambdify([symbols.get(v.name, sympy.Symbol(v.name)) for v in variables], exported)(*axes)
        if (np.broadcast_to(values, truth.shape) != truth).any():
            report.fault("lambdify", e, exported)


def check_c(expressions: list[Expr], report: Report) -> None:
    """Compile the C forms of all of them at once, and compare at every point."""
    compiler = shutil.which("cc")
    if compiler is None or not expressions:
        return
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "forms.c"), Path(folder, "forms")
        source.write_text(_c_program(expressions))
        subprocess.run([compiler, "-w", "-O0", "-o", program, source], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    for e, line in zip(expressions, printed.splitlines(), strict=True):
        values = np.array([int(x) for x in line.split()])
        report.counts["C forms"] += 1
        if (values != evaluate_box(e).reshape(-1)).any():
            report.fault("C", e, e.render("c"))


def _c_program(expressions: list[Expr]) -> str:
    functions, calls = [], []
    for k, e in enumerate(expressions):
        loops = "".join(f"for (long long {v.name} = {v.min}; {v.name} <= {v.max}; {v.name}++) " for v in e.variables())
        functions.append(
            f'static void form_{k}(void) {{ {loops}printf("%lld ", (long long)({e.render("c")})); puts(""); }}'
        )
        calls.append(f"form_{k}();")
    return "#include <stdio.h>\n" + "\n".join(functions) + "\nint main(void) { " + " ".join(calls) + " return 0; }\n"


def fuzz(seconds: float, seed: int, most: int | None = None, every: int = 100) -> Report:
    """Run for this time, or this number of expressions; each `every`-th also goes through explain, C and SymPy."""
    source = random.Random(seed)
    report = Report()
    for_c: list[Expr] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end and len(report.faults) < 10 and (most is None or report.counts["tried"] < most):
        e, variables = random_case(source)
        report.counts["tried"] += 1
        try:
            simplified = check_expression(e, variables, report)
            if report.counts["tried"] % every == 0:
                check_explanation(e, simplified, report)
                check_sympy(e, report)
                check_sympy(simplified, report)
                for_c += [e, simplified]
        except Exception as error:
            report.fault(type(error).__name__, e, error)
    check_c(for_c, report)
    return report


def fuzz_sympy(seconds: float, seed: int, most: int | None = None) -> Report:
    """Round trips alone: what views and chance make, and nested remainders."""
    source = random.Random(seed)
    report = Report()
    end = time.monotonic() + seconds
    while time.monotonic() < end and len(report.faults) < 10 and (most is None or report.counts["tried"] < most):
        e = random_remainders(source) if source.random() < 0.5 else random_case(source)[0]
        report.counts["tried"] += 1
        try:
            check_sympy(e, report)
        except Exception as error:
            report.fault(type(error).__name__, e, error)
    return report


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60.0)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", choices=("sympy",))
    given = arguments.parse_args()
    report = (fuzz_sympy if given.only else fuzz)(given.seconds, given.seed)
    for fault in report.faults:
        sys.stdout.write(fault + "\n")
    counts = ", ".join(f"{count} {what}" for what, count in report.counts.items())
    sys.stdout.write(f"seed {given.seed}: {counts}, {len(report.faults)} faults\n")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
