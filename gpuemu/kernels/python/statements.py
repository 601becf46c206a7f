"""Statements of a kernel: assignments, ifs, loops, early returns."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gpuemu import dtypes
from gpuemu.kernels.builder import Value
from gpuemu.kernels.python.expressions import element, evaluate, has_effects
from gpuemu.kernels.python.indexing import picked
from gpuemu.kernels.python.iteration import items
from gpuemu.kernels.python.names import Indexed
from gpuemu.kernels.python.operators import binary
from gpuemu.kernels.python.scopes import always_leaves, may_end, returns
from gpuemu.kernels.python.translator import RESULT, Translator, describe
from gpuemu.kernels.python.types import Array, as_type
from gpuemu.uops import UOps

ENDLESS = 2**63 - 1
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
            given = f"{len(parts)} value{'s' * (len(parts) != 1)}" if isinstance(operand, tuple) else describe(operand)
            hint = "" if isinstance(operand, tuple) else "; cuda.grid(2) gives two numbers, a.shape one for each axis"
            raise t.error(target, f"{len(target.elts)} names for {given}{hint}")
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
    place = element(t, target, base)
    colons = [part for part in ast.walk(target.slice) if isinstance(part, ast.Slice)]
    if colons and len(colons) == len(place.shape):
        _fill(t, target, place, operand)
    else:
        write(t, target, place, operand)


def _fill(t: Translator, target: ast.Subscript, place: Array, operand: Any) -> None:
    """Each element of a part of an array: a scalar, or those of an array of the same size."""
    if isinstance(operand, Array) and operand.shape and operand.shape != place.shape:
        shapes = " and ".join("×".join(map(str, array.shape)) for array in (operand, place))
        known = not any(isinstance(size, Value) for size in (*operand.shape, *place.shape))
        why = f"their sizes are {shapes}" if known else "their sizes are values of each lane; loop over the elements"
        raise t.error(target, f"{operand.name} is copied into a part of {place.name}: {why}")
    if not place.shape:
        if isinstance(operand, Array) and not operand.shape:
            operand = operand.memory.load(operand.offset)
        write(t, target, place, operand)
        return
    size = place.shape[0]
    with t.k.loop(size if isinstance(size, Value) else t.k.const(size, dtypes.int32)) as counter:
        inner = picked(t, target, operand, [counter]) if isinstance(operand, Array) else operand
        _fill(t, target, picked(t, target, place, [counter]), inner)


def write(t: Translator, node: ast.AST, place: Array, operand: Any) -> None:
    """Store a scalar into an element."""
    if place.shape:
        missing = len(place.shape)
        more = f"{missing} more {'axis' if missing == 1 else 'axes'}"
        raise t.error(
            node, f"{place.name} has {more}; index each of them, or write a colon for one that is filled as a whole"
        )
    if not place.writable:
        raise t.error(node, f"{place.name} is read-only: the array that was given cannot be written")
    t.number(operand, node, "what is stored")
    t.at(node)
    place.memory.store(place.offset, as_type(t.k, operand, place.dtype))


def _augmented(t: Translator, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        old = t.read(target.id, target)
        old = t.kept(old) if has_effects(node.value) else old
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
        raise t.error(target, f"{place.name} has axes without an index; change one element, in a loop over them")
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
    with t.k.loop(t.k.const(ENDLESS, dtypes.int64)):
        condition = t.truth(evaluate(t, node.test), node.test)
        if not isinstance(condition, Value) and condition and not may_end(node.body):
            always = (
                "" if isinstance(node.test, ast.Constant) else f"{ast.unparse(node.test)} is always true here, and "
            )
            raise t.error(node.test, f"this loop never ends: {always}nothing in it breaks or returns")
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
    found = items(t, node.iter)
    if not isinstance(found.count, Value) and found.count == 0:
        return
    first = found.start if found.start is not None else 0
    last = found.count if isinstance(found.count, Value) else t.k.const(found.count, dtypes.int32)
    with t.k.loop(last, first) as counter:
        _store(t, node.target, counter if found.start is not None else found.item(counter))
        _body(t, node.body)


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
