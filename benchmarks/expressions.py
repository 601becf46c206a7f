"""Index expressions beside tinygrad 0.9.0, TVM and isl: right, short, fast; and the way to SymPy and back.

The family is `tests/data/index_expressions.json`, which `benchmarks.index_family` made.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import human, quantile, table
from shapetracker.equivalence import equivalent
from shapetracker.expr import And, Const, Expr, FloorDiv, Ge, Gt, Le, Lt, Mod, Product, Sum, Variable, parse
from shapetracker.expr.evaluate import evaluate_box
from shapetracker.expr.provers import isl_function

try:
    from tinygrad.shape import symbolic as tinygrad
except ImportError:
    tinygrad = None
try:
    import islpy
except ImportError:
    islpy = None
try:
    import tvm
    from tvm import sym as tvm_arith
    from tvm import tirx as tvm_expressions
except ImportError:
    tvm = None

FAMILY = Path(__file__).parent.parent / "tests" / "data" / "index_expressions.json"
ROUNDS = 5

Answer = tuple[float, Expr | int]  # seconds, and the form; its operations alone where it is in no form of ours


@dataclass(slots=True)
class Score:
    """What one tool made of the family."""

    wrong: int = 0
    refused: int = 0
    shortest: int = 0
    operations: int = 0
    seconds: list[float] = field(default_factory=list)

    def row(self, name: str, count: int) -> list[str]:
        """A line of the table."""
        tail = human(quantile(self.seconds, 0.99))
        shortest = f"{self.shortest} of {count}"
        return [
            name,
            str(self.wrong),
            str(self.refused),
            shortest,
            str(self.operations),
            human(quantile(self.seconds, 0.5)),
            tail,
        ]


def records() -> list[tuple[Expr, int]]:
    """Each expression, and the fewest operations of an equal form that is known."""
    found = []
    for record in json.loads(FAMILY.read_text()):
        ranges = {name: tuple(ends) for name, ends in record["ranges"].items()}
        found.append((parse(record["text"], ranges), record["fewest"]))
    return found


def score(tool: Callable[[Expr], Answer], family: list[tuple[Expr, int]]) -> Score:
    """Run a tool over the family; what it gets wrong, or cannot say, counts as it was built."""
    result = Score()
    for e, fewest in family:
        try:
            seconds, after = tool(e)
        except Exception:  # a peer's own errors are of many kinds
            result.refused += 1
            result.operations += e.operations()
            continue
        result.seconds.append(seconds)
        if isinstance(after, Expr) and (evaluate_box(after, e.variables()) != evaluate_box(e)).any():
            result.wrong += 1
            after = e
        operations = after.operations() if isinstance(after, Expr) else after
        result.operations += operations
        result.shortest += operations <= fewest
    return result


def least_time(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of the fastest of several rounds, and the result."""
    best, result = float("inf"), None
    for _ in range(ROUNDS):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def ours(e: Expr) -> Answer:
    """Build the expression anew from its variables, and simplify it.

    Each round has variables of its own names, so nothing is remembered from the round before.
    """
    recipe = steps_of(e)
    best, result, back = float("inf"), e, {}
    for number in range(ROUNDS):
        fresh = {v.name: Variable(f"{v.name}_{number}", v.min, v.max) for v in e.variables()}
        start = time.process_time()
        result = run_steps(recipe, fresh).simplify()
        best = min(best, time.process_time() - start)
        back = {fresh[v.name]: v for v in e.variables()}
    return best, result.substitute({new: old for new, old in back.items() if new in result.variables()})


_OPERATORS: dict[type[Expr], Callable[[Any, Any], Any]] = {
    Sum: lambda a, b: a + b,
    Product: lambda a, b: a * b,
    FloorDiv: lambda a, b: a // b,
    Mod: lambda a, b: a % b,
    And: lambda a, b: a & b,
    Lt: lambda a, b: a < b,
    Le: lambda a, b: a <= b,
    Gt: lambda a, b: a > b,
    Ge: lambda a, b: a >= b,
}
Steps = list[tuple[Any, ...]]


def steps_of(e: Expr) -> Steps:
    """The expression as a list of steps, so that building it again costs the operators alone."""
    steps: Steps = []

    def add(x: Expr) -> int:
        if isinstance(x, Const):
            steps.append(("number", x.value))
        elif isinstance(x, Variable):
            steps.append(("variable", x.name))
        else:
            places = [add(y) for y in x.args]
            total = places[0]
            for place in places[1:]:
                steps.append((_OPERATORS[type(x)], total, place))
                total = len(steps) - 1
            return total
        return len(steps) - 1

    add(e)
    return steps


def run_steps(steps: Steps, variables: dict[str, Any], operators: dict[Any, Any] | None = None) -> Any:
    """Build it by these operators over these variables."""
    values: list[Any] = []
    for step in steps:
        if step[0] == "number":
            values.append(step[1])
        elif step[0] == "variable":
            values.append(variables[step[1]])
        else:
            combine = step[0] if operators is None else operators[step[0]]
            values.append(combine(values[step[1]], values[step[2]]))
    return values[-1]


def by_tinygrad(e: Expr) -> Answer:
    """tinygrad simplifies while it builds; its only comparison is <."""

    def less(a: Any, b: Any) -> Any:
        return tinygrad.create_lt_node(a, b) if isinstance(a, tinygrad.Node) else int(a < b)

    def both(a: Any, b: Any) -> Any:
        return tinygrad.Node.ands([x if isinstance(x, tinygrad.Node) else tinygrad.NumNode(x) for x in (a, b)])

    meaning: dict[Any, Callable[[Any, Any], Any]] = {
        Lt: less,
        Le: lambda a, b: less(a, b + 1),
        Gt: lambda a, b: less(-a, -b),
        Ge: lambda a, b: less(-a, 1 - b),
        And: both,
    }
    operators = {combine: meaning.get(kind, combine) for kind, combine in _OPERATORS.items()}
    recipe = steps_of(e)
    ranges = {v.name: (v.min, v.max) for v in e.variables()}
    best, result = float("inf"), 0
    for _ in range(ROUNDS):
        if hasattr(tinygrad.create_node, "cache_clear"):
            tinygrad.create_node.cache_clear()
        start = time.process_time()
        result = run_steps(recipe, {n: tinygrad.Variable(n, *ends) for n, ends in ranges.items()}, operators)
        best = min(best, time.process_time() - start)
    return best, parse(result.render() if isinstance(result, tinygrad.Node) else str(int(result)), ranges)


def by_tvm(e: Expr) -> Answer:
    """TVM's arithmetic analyzer."""
    variables = {v.name: tvm_expressions.Var(v.name, "int64") for v in e.variables()}
    operators: dict[Any, Any] = {
        _OPERATORS[FloorDiv]: tvm_expressions.floordiv,
        _OPERATORS[Mod]: tvm_expressions.floormod,
        _OPERATORS[And]: tvm_expressions.all,
    }
    operators = {combine: operators.get(combine, combine) for combine in _OPERATORS.values()}
    recipe = steps_of(e)

    def simplified() -> Any:
        analyzer = tvm_arith.Analyzer()
        for v in e.variables():
            analyzer.bind(variables[v.name], tvm.ir.Range(v.min, v.max + 1))
        return analyzer.simplify(run_steps(recipe, variables, operators))

    seconds, result = least_time(simplified)
    return seconds, _from_tvm(result, dict(e.names))


_OF_TVM: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "And": lambda a, b: a & b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a.eq(b),
    "NE": lambda a, b: a.ne(b),
}


def _from_tvm(x: Any, variables: dict[str, Variable]) -> Expr:
    kind = type(x).__name__
    if kind == "IntImm":
        return Const(int(x.value))
    if kind == "Var":
        return variables[x.name]
    e: Expr = _OF_TVM[kind](_from_tvm(x.a, variables), _from_tvm(x.b, variables))
    return e


def by_isl(e: Expr) -> Answer:
    """isl's piecewise affine function over the box: its operations are counted as isl prints them."""
    variables = e.variables()
    names = [v.name for v in variables]
    limits = " and ".join(f"{v.min} <= {v.name} <= {v.max}" for v in variables)

    def simplified() -> Any:
        box = islpy.Set(f"{{ [{', '.join(names)}] : {limits} }}")
        return isl_function(e, variables).intersect_domain(box).coalesce().gist(box)

    seconds, result = least_time(simplified)
    return seconds, operations_of_isl(str(result))


_ISL_OPERATIONS = re.compile(r"floor|mod|and|or|<=|>=|!=|[<>]| = | \+ | - |\d+[a-z(]")


def operations_of_isl(text: str) -> int:
    """Operations of a function as isl prints it; of a condition's two pieces the one with the value 1.

    >>> operations_of_isl("{ [i] -> [(-1 + floor((2 + i)/4))] }")
    3
    >>> operations_of_isl("{ [i, j] -> [(0)] : j >= 9; [i, j] -> [(1)] : i <= 1 and j > 0 }")
    3
    """
    pieces = [piece.split("->", 1)[1] for piece in text.strip("{} ").split(";")]
    ones = [piece for piece in pieces if piece.strip().startswith("[(1)]")]
    if len(pieces) == 2 and ones:
        pieces = ones
    return sum(len(_ISL_OPERATIONS.findall(piece)) for piece in pieces) + len(pieces) - 1


def sympy_rows(family: list[tuple[Expr, int]]) -> list[list[str]]:
    """Export, export and verdict, round trip."""
    from shapetracker.sympy_bridge import from_sympy, to_sympy

    exports, verdicts, wrong = [], [], 0
    for e, _ in family:
        simplified = e.simplify()
        start = time.process_time()
        exported = to_sympy(e)
        middle = time.process_time()
        verdict = equivalent(e, simplified)
        verdicts.append(time.process_time() - start)
        exports.append(middle - start)
        back = from_sympy(exported, dict(e.names))
        wrong += bool(verdict.equal is not True or np.any(evaluate_box(back, e.variables()) != evaluate_box(e)))
    return [
        ["export to SymPy, median", human(quantile(exports, 0.5))],
        ["export and our verdict, median", human(quantile(verdicts, 0.5))],
        ["wrong round trips", f"{wrong} of {len(family)}"],
    ]


def run() -> str:
    """Both tables."""
    family = records()
    rows = [score(ours, family).row("lanewise", len(family))]
    for name, tool, peer in (("tinygrad 0.9.0", by_tinygrad, tinygrad), ("TVM", by_tvm, tvm), ("isl", by_isl, islpy)):
        rows.append([name, *["not installed"] * 6] if peer is None else score(tool, family).row(name, len(family)))
    header = ["tool", "wrong", "refused", "at the shortest known", "operations", "median", "99th percentile"]
    title = f"{len(family)} index expressions, CPU time to build and simplify, best of {ROUNDS}"
    fewest = sum(fewest for _, fewest in family)
    built = sum(e.operations() for e, _ in family)
    note = f"As built they take {built} operations; the shortest known forms take {fewest}."
    return "\n".join([table(title, header, rows), "", note, table("To SymPy and back", ["", ""], sympy_rows(family))])
