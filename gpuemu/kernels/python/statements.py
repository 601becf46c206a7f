"""Statements of a kernel: assignments, ifs, loops, early returns."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gpuemu import dtypes
from gpuemu.alu import BinaryOps
from gpuemu.dtypes import DType
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.expressions import Indexed, binary, element, evaluate
from gpuemu.kernels.python.scopes import always_leaves, returns
from gpuemu.kernels.python.translator import RESULT, Translator, describe
from gpuemu.kernels.python.types import Array, as_type, join, kind_of, settled
from gpuemu.uops import UOps

ENDLESS = 2**31 - 1
"""Iterations of a while loop, which ends by its condition."""

_WORDS = {
    "With": "with",
    "Try": "try",
    "Raise": "raise",
    "Assert": "assert",
    "Import": "an import",
    "ImportFrom": "an import",
    "FunctionDef": "a function in a kernel",
    "ClassDef": "a class in a kernel",
    "Delete": "del",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "AsyncFor": "async for",
    "Match": "match",
}


def block(t: Translator, statements: list[ast.stmt]) -> None:
    """Translate statements in order; what follows an if that returns is its else."""
    scope = t.scope
    for number, statement in enumerate(statements):
        rest = statements[number + 1 :]
        t.at(statement)
        if isinstance(statement, ast.Return):
            _return(t, statement)
            return
        if isinstance(statement, ast.Break | ast.Continue):
            t.k.line(UOps.BREAK if isinstance(statement, ast.Break) else UOps.CONTINUE, None)
            return
        nested = scope.returned is None and isinstance(statement, ast.If)
        if nested and rest and isinstance(statement, ast.If) and always_leaves(statement.body):
            _branch(t, statement, statement.body, [*statement.orelse, *rest])
            return
        _statement(t, statement)
        if scope.returned is not None and returns([statement]) and _goes_on(t, scope.returned.value, statement, rest):
            return


def _goes_on(t: Translator, returned: Value, statement: ast.stmt, rest: list[ast.stmt]) -> bool:
    """After a statement in which some lanes may have returned: those leave the loop too, or skip what is left."""
    if t.scope.loops:
        if isinstance(statement, ast.For | ast.While):
            with t.k.if_(returned):
                t.k.line(UOps.BREAK, None)
        return False
    if rest:
        with t.k.if_(-returned):
            block(t, rest)
    return True


def _statement(t: Translator, node: ast.stmt) -> None:
    translate = _TRANSLATE.get(type(node))
    if translate is None:
        word = _WORDS.get(type(node).__name__, type(node).__name__)
        raise t.error(node, f"{word} cannot be translated; a kernel has assignments, if, for, while and calls")
    translate(t, node)


def _return(t: Translator, node: ast.Return) -> None:
    scope = t.scope
    of_kernel = len(t.scopes) == 1
    if node.value is not None and of_kernel and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        raise t.error(node, "a kernel returns nothing; write the result into an array")
    operand = None if node.value is None or of_kernel else evaluate(t, node.value)
    if RESULT in scope.changing:
        t.assign(RESULT, operand, node)
    else:
        scope.result = operand
    if scope.returned is not None:
        scope.returned.set(True)
        if scope.loops:
            t.k.line(UOps.BREAK, None)


def _expression(t: Translator, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):  # a docstring says nothing to a lane
        evaluate(t, node.value)


def _assign(t: Translator, node: ast.Assign) -> None:
    operand = evaluate(t, node.value)
    for target in node.targets:
        _store(t, target, operand)


def _annotated(t: Translator, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _store(t, node.target, evaluate(t, node.value))


def _store(t: Translator, target: ast.expr, operand: Any) -> None:
    if isinstance(target, ast.Name):
        t.assign(target.id, operand, target)
    elif isinstance(target, ast.Tuple):
        parts = operand if isinstance(operand, tuple) else ()
        if len(parts) != len(target.elts):
            given = f"{len(parts)} values" if isinstance(operand, tuple) else describe(operand)
            raise t.error(target, f"{len(target.elts)} names for {given}")
        for part, value in zip(target.elts, parts, strict=True):
            _store(t, part, value)
    elif isinstance(target, ast.Subscript):
        _store_element(t, target, operand)
    else:
        raise t.error(target, "what is assigned to is a name or an element of an array")


def _store_element(t: Translator, target: ast.Subscript, operand: Any) -> None:
    base = evaluate(t, target.value)
    if isinstance(base, Indexed):
        base.store(t, target, evaluate(t, target.slice), operand)
        return
    if not isinstance(base, Array):
        raise t.error(target, f"[…] of {describe(base)} = …; expected an array")
    write(t, target, element(t, target, base), operand)


def write(t: Translator, node: ast.AST, place: Array, operand: Any) -> None:
    """Store a scalar into an element."""
    if place.shape:
        missing = len(place.shape)
        raise t.error(node, f"{place.name} has {missing} more {'axis' if missing == 1 else 'axes'}; index each of them")
    if not place.writable:
        raise t.error(node, f"{place.name} is read-only: the array that was given cannot be written")
    t.number(operand, node, "what is stored")
    t.at(node)
    place.memory.store(place.offset, as_type(t.k, operand, place.dtype))


def _augmented(t: Translator, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        old = t.read(target.id, target)
        t.assign(target.id, binary(t, node, node.op, old, evaluate(t, node.value)), node)
        return
    if not isinstance(target, ast.Subscript):
        raise t.error(target, "what is assigned to is a name or an element of an array")
    base = evaluate(t, target.value)
    if isinstance(base, Indexed):
        index = evaluate(t, target.slice)
        base.store(t, target, index, binary(t, node, node.op, base.load(t, target, index), evaluate(t, node.value)))
        return
    if not isinstance(base, Array):
        raise t.error(target, f"[…] of {describe(base)}; expected an array")
    place = element(t, target, base)
    if place.shape:
        write(t, target, place, 0)
    old = place.memory.load(place.offset)
    write(t, node, place, binary(t, node, node.op, old, evaluate(t, node.value)))


def _if(t: Translator, node: ast.If) -> None:
    _branch(t, node, node.body, node.orelse)


def _branch(t: Translator, node: ast.If, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
    condition = t.truth(evaluate(t, node.test), node.test)
    if not isinstance(condition, Value):
        block(t, body if condition else orelse)
        return
    t.at(node)
    condition = t.kept(condition)
    with t.k.if_(condition):
        block(t, body)
    if orelse:
        t.at(node)
        with t.k.if_(-condition):
            block(t, orelse)


def _while(t: Translator, node: ast.While) -> None:
    if node.orelse:
        raise t.error(node.orelse[0], "the else of a loop cannot be translated")
    with t.k.loop(t.k.const(ENDLESS, dtypes.int32)):
        condition = t.truth(evaluate(t, node.test), node.test)
        _leave_unless(t, condition)
        _body(t, node.body)


def _leave_unless(t: Translator, condition: Any) -> None:
    if not isinstance(condition, Value):
        if not condition:
            t.k.line(UOps.BREAK, None)
        return
    with t.k.if_(-condition):
        t.k.line(UOps.BREAK, None)


def _body(t: Translator, statements: list[ast.stmt]) -> None:
    t.scope.loops += 1
    block(t, statements)
    t.scope.loops -= 1


def _for(t: Translator, node: ast.For) -> None:
    if node.orelse:
        raise t.error(node.orelse[0], "the else of a loop cannot be translated")
    call = node.iter
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
        raise t.error(node.iter, "a kernel's for goes over range(…); index arrays by its number")
    if not isinstance(node.target, ast.Name):
        raise t.error(node.target, "the variable of a for over range(…) is one name")
    if not 1 <= len(call.args) <= 3 or call.keywords:
        raise t.error(call, f"range takes one to three integers; got {len(call.args)}")
    bounds = [_integer(t, part) for part in call.args]
    start, end, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    dtype = _counter_type(start, end, step)
    if isinstance(step, int):
        if step == 0:
            raise t.error(call, "range with a step of 0 never ends")
        trips = _trips(t, start, end, step, dtype)
    else:
        upwards = as_type(t.k, step, dtype) > 0
        trips = t.k.where(upwards, _trips(t, start, end, step, dtype), _trips(t, end, start, -step, dtype))
    plain = isinstance(step, int) and step == 1
    first, last = (as_type(t.k, x, dtype) for x in ((start, end) if plain else (0, trips)))
    with t.k.loop(last, first) as counter:
        value = counter if plain else _at(t, start, step, counter)
        t.assign(node.target.id, value, node)
        _body(t, node.body)


def _integer(t: Translator, node: ast.expr) -> Any:
    operand = t.kept(evaluate(t, node))
    kind = kind_of(operand)
    if kind != "integer" and not (isinstance(kind, DType) and kind.is_integer):
        raise t.error(node, f"a bound of range is {describe(operand)}; expected an integer")
    return operand


def _counter_type(*bounds: Any) -> DType:
    """int32 where the bounds are, or fit."""
    kinds = [kind_of(bound) for bound in bounds]
    fits = all(isinstance(b, Value) or -(2**31) <= b < 2**31 for b in bounds)
    typed = [kind for kind in kinds if isinstance(kind, DType)]
    found: Any = dtypes.int32
    for kind in typed:
        found = join(found, kind)
    found = settled(found)
    return found if fits and found.is_integer else dtypes.int64


def _trips(t: Translator, start: Any, end: Any, step: Any, dtype: DType) -> Value:
    """How often a range steps: the distance by the step, rounded up; below 1 for none."""
    if isinstance(step, int) and step < 0:
        return _trips(t, end, start, -step, dtype)
    first, last, size = (as_type(t.k, x, dtype) for x in (start, end, step))
    return t.k.alu(BinaryOps.DIV, last - first + (size - 1), size)


def _at(t: Translator, start: Any, step: Any, counter: Value) -> Value:
    first, size = (as_type(t.k, x, counter.dtype) for x in (start, step))
    value = first + counter * size
    value.nonnegative = value.nonnegative or (
        isinstance(start, int) and isinstance(step, int) and min(start, step) >= 0
    )
    return value


_TRANSLATE: dict[type[ast.stmt], Callable[[Translator, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.Pass: lambda t, node: None,
}
