"""Which variables of a function change, and where a function leaves early."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

Place = tuple[int, int]


def changing(function: ast.FunctionDef) -> frozenset[str]:
    """The variables that need an accumulator: assigned more than once, or read before they are assigned.

    A variable of for loops alone, read inside them alone, needs none: it is their counter.

    >>> tree = ast.parse("def f(x):\\n  s = 0\\n  for i in range(3):\\n    s += i\\n  for i in range(2):\\n    y = i")
    >>> sorted(changing(tree.body[0]))
    ['s']
    """
    stores: dict[str, list[ast.AST]] = defaultdict(list)
    loads: dict[str, list[Place]] = defaultdict(list)
    counters: dict[str, list[ast.For]] = defaultdict(list)
    parameters = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)}
    augmented = set()
    for node in _walk(function):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                stores[node.id].append(node)
            else:
                loads[node.id].append(_place(node))
        elif isinstance(node, ast.NamedExpr):
            augmented.add(node.target.id)  # it may stand where some lanes alone come
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            augmented.add(node.target.id)
        elif isinstance(node, ast.For):
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    counters[part.id].append(node)
    found = set()
    for name, places in stores.items():
        if len(counters[name]) == len(places) and name not in parameters:
            if not all(any(_inside(place, loop) for loop in counters[name]) for place in loads[name]):
                found.add(name)
        else:
            early = any(place < _place(places[0]) for place in loads[name])
            if len(places) > 1 or name in parameters or name in augmented or early:
                found.add(name)
    return frozenset(found)


def _walk(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _place(node: ast.AST) -> Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _inside(place: Place, loop: ast.For) -> bool:
    first, last = loop.body[0], loop.body[-1]
    end = (last.end_lineno or last.lineno, last.end_col_offset or 0)
    return _place(first) <= place <= end


def returns(statements: list[ast.stmt]) -> bool:
    """Whether some statement, however deep, is a return."""
    return any(isinstance(node, ast.Return) for statement in statements for node in ast.walk(statement))


def may_end(loop: list[ast.stmt]) -> bool:
    """Whether some statement of a loop's body leaves the loop: a return, or a break that is not of a loop inside.

    >>> may_end(ast.parse("for i in range(3):\\n  break").body), may_end(ast.parse("if a:\\n  break").body)
    (False, True)
    """

    def breaks(node: ast.AST) -> bool:
        inner = not isinstance(node, ast.For | ast.While)
        return isinstance(node, ast.Break) or (inner and any(map(breaks, ast.iter_child_nodes(node))))

    return returns(loop) or any(map(breaks, loop))


def always_leaves(statements: list[ast.stmt]) -> bool:
    """Whether no lane goes on after the statements: each path returns.

    >>> always_leaves(ast.parse("if a:\\n  x = 1\\nelse:\\n  x = 2").body)
    False
    """
    for statement in statements:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If) and always_leaves(statement.body) and always_leaves(statement.orelse):
            return True
    return False


def leaves_in_order(statements: list[ast.stmt]) -> bool:
    """Whether each return can be told by nesting alone: what follows an if that returns is its else.

    False where a lane leaves from inside a loop, or from some paths of an if that is followed by more.
    """
    for number, statement in enumerate(statements):
        rest = statements[number + 1 :]
        if not returns([statement]) or isinstance(statement, ast.Return):
            continue
        if not isinstance(statement, ast.If):
            return False
        if always_leaves(statement.body):
            return leaves_in_order(statement.body) and leaves_in_order([*statement.orelse, *rest])
        if rest:
            return False
        return leaves_in_order(statement.body) and leaves_in_order(statement.orelse)
    return True
