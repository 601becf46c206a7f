"""The text of an expression: Python, C, LaTeX; and the Python text read back.

The Python text, read by `parse` or by Python itself, gives the very same expression. The C text is right under C's
division, which rounds towards zero: where the dividend may be negative it is first moved up by a multiple of the
divisor, which the quotient then gives back.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from shapetracker.errors import ExprError
from shapetracker.expr.bounds import find_bounds
from shapetracker.expr.nodes import (
    And,
    Bound,
    Comparison,
    Const,
    Eq,
    Expr,
    FloorDiv,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Ne,
    Product,
    Sum,
    Variable,
    as_expr,
)

# How tightly a text holds together: a part that is looser than its place allows is put in parentheses.
_AND, _COMPARE, _SUM, _TIMES, _ATOM = range(5)
Text = tuple[str, int]


def render(e: Expr, language: str = "python") -> str:
    """The text of the expression in "python", "c" or "latex".

    Raises
    ------
    ExprError
        The language is none of the three, or a variable has the name of a word of C.

    Examples
    --------
    >>> i, j = Variable("i", 0, 3), Variable("j", -8, 7)
    >>> e = (i * 8 - j) // 4 % 3
    >>> print(render(e), render(e, "c"), render(e, "latex"), sep=chr(10))
    (i*8 - j)//4%3
    (((i*8 - j + 8)/4 - 2) + 3)%3
    \\left\\lfloor \\frac{8 i - j}{4} \\right\\rfloor \\bmod 3
    """
    writer = _WRITERS.get(language)
    if writer is None:
        raise ExprError(f"render({language!r}): the languages are {', '.join(map(repr, _WRITERS))}")
    for name in e.names if language == "c" else ():
        if f" {name} " in _WORDS_OF_C:
            raise ExprError(f"render('c'): {name} is a word of C's own; give the variable another name")
    return writer(e)[0]


_WORDS_OF_C = (
    " auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
)


def _held(text: Text, place: int) -> str:
    return text[0] if text[1] >= place else f"({text[0]})"


def _negated(e: Expr) -> Expr | None:
    """What is behind the minus sign, when the term is written with one."""
    if type(e) is Product and type(last := e.args[-1]) is Const and last.value == -1:
        return Product.build(e.args[:-1])
    return None


def _sum_text(e: Expr, write: Callable[[Expr], Text]) -> Text:
    """Terms joined by + and −; a part with a negative sign in front is subtracted."""
    text = ""
    for term in e.args:
        sign, body = " + ", term
        if type(term) is Const:
            if term.value < 0:
                sign, body = " - ", Const(-term.value)
        elif type(term) is Product and type(last := term.args[-1]) is Const and last.value < 0:
            sign, body = " - ", Product.build((*term.args[:-1], Const(-last.value)))
        if not text:
            text = _held(write(term), _TIMES)
        else:
            text += sign + _held(write(body), _TIMES)
    return text, _SUM


def _product_text(e: Expr, write: Callable[[Expr], Text]) -> Text:
    positive = _negated(e)
    if positive is not None:
        return "-" + _held(write(positive), _ATOM), _TIMES
    first, *rest = e.args
    return "*".join([_held(write(first), _TIMES), *(_held(write(x), _ATOM) for x in rest)]), _TIMES


def _python(e: Expr) -> Text:
    match e:
        case Const():
            return str(e.value), _ATOM
        case Variable():
            return e.name, _ATOM
        case Bound():
            return f"{e.variable.name}={e.value}", _AND
        case Sum():
            return _sum_text(e, _python)
        case Product():
            return _product_text(e, _python)
        case FloorDiv() | Mod():
            symbol = "//" if isinstance(e, FloorDiv) else "%"
            return _held(_python(e.args[0]), _TIMES) + symbol + _held(_python(e.args[1]), _ATOM), _TIMES
        case Comparison():
            return f" {e.symbol} ".join(_held(_python(x), _SUM) for x in e.args), _COMPARE
        case And():
            return " & ".join(_held(_python(x), _SUM) for x in e.args), _AND
        case _:
            name = type(e).__name__.lower()
            return f"{name}({', '.join(_python(x)[0] for x in e.args)})", _ATOM


def _c_integer(value: int) -> Text:
    if not -(2**63) <= value < 2**63:
        raise ExprError(f"render('c'): the constant {value} does not fit in 64 bits")
    if value == -(2**63):  # C reads the digits first, and they alone do not fit
        return "(-9223372036854775807LL - 1)", _ATOM
    text = str(value) if -(2**31) < value < 2**31 else f"{value}LL"
    return text, _ATOM if value >= 0 else _TIMES


def _c(e: Expr) -> Text:
    match e:
        case Const():
            return _c_integer(e.value)
        case Variable():
            return e.name, _ATOM
        case Bound():
            return e.variable.name, _ATOM
        case Sum():
            return _sum_text(e, _c)
        case Product():
            return _product_text(e, _c)
        case FloorDiv() | Mod():
            return _c_division(e)
        case Comparison():
            return f" {e.symbol} ".join(_held(_c(x), _SUM) for x in e.args), _COMPARE
        case And():
            return " && ".join(_held(_c(x), _SUM) for x in e.args), _AND
        case _:
            symbol = "<" if isinstance(e, Min) else ">"
            text = _c(e.args[0])
            for x in e.args[1:]:
                left, right = _held(text, _SUM), _held(_c(x), _SUM)
                text = f"({left} {symbol} {right} ? {left} : {right})", _ATOM
            return text


def _c_division(e: Expr) -> Text:
    """C rounds towards zero, so the dividend is moved up until it is never negative, and the divisor made positive."""
    a, b = e.args
    negative = find_bounds(b)[1] < 0
    if negative:  # a // b = (−a) // (−b), and a % b = −((−a) % (−b))
        a, b = _minus(a), _minus(b)
    low, least = find_bounds(a)[0], find_bounds(b)[0]
    shift = -(low // least) if low < 0 else 0
    dividend = Sum.build((a, Product.build((b, Const(shift))))) if shift else a
    # The place of a first factor: C, too, takes * / % from left to right.
    symbol = "/" if isinstance(e, FloorDiv) else "%"
    text = _held(_c(dividend), _TIMES) + symbol + _held(_c(b), _ATOM)
    if isinstance(e, FloorDiv):
        return (f"{text} - {shift}", _SUM) if shift else (text, _TIMES)
    return (f"-({text})", _TIMES) if negative else (text, _TIMES)


def _minus(e: Expr) -> Expr:
    """The expression times −1, the sign taken into each term where that is only a matter of constants."""
    if isinstance(e, Sum):
        return Sum.build(tuple(_minus(x) for x in e.args))
    return Product.build((e, Const(-1)))


_LATEX_SYMBOLS = {Lt: "<", Le: r"\le", Gt: ">", Ge: r"\ge", Eq: "=", Ne: r"\ne"}


def _latex_name(name: str) -> str:
    head = name.rstrip("0123456789")
    digits = name[len(head) :]
    head = head.rstrip("_") or head
    letters = head if len(head) == 1 else r"\mathrm{" + head.replace("_", r"\_") + "}"
    return f"{letters}_{{{digits}}}" if digits else letters


def _latex(e: Expr) -> Text:
    match e:
        case Const():
            return str(e.value), _ATOM if e.value >= 0 else _SUM
        case Variable():
            return _latex_name(e.name), _ATOM
        case Bound():
            return _latex_name(e.variable.name), _ATOM
        case Sum():
            return _sum_text(e, _latex)
        case Product():
            return _latex_product(e)
        case FloorDiv():
            return rf"\left\lfloor \frac{{{_latex(e.args[0])[0]}}}{{{_latex(e.args[1])[0]}}} \right\rfloor", _ATOM
        case Mod():
            return rf"{_held(_latex(e.args[0]), _ATOM)} \bmod {_held(_latex(e.args[1]), _ATOM)}", _SUM
        case Comparison():
            return f" {_LATEX_SYMBOLS[type(e)]} ".join(_held(_latex(x), _SUM) for x in e.args), _COMPARE
        case And():
            return r" \land ".join(_held(_latex(x), _COMPARE) for x in e.args), _AND
        case _:
            name = type(e).__name__.lower()
            return rf"\{name}\left({', '.join(_latex(x)[0] for x in e.args)}\right)", _ATOM


def _latex_product(e: Expr) -> Text:
    """As mathematics writes it: the number first."""
    positive = _negated(e)
    if positive is not None:
        return "-" + _held(_latex(positive), _TIMES), _SUM
    factors = sorted(e.args, key=lambda x: type(x) is not Const)
    negative = type(factors[0]) is Const and factors[0].value < 0
    return " ".join(
        _held(_latex(x), _SUM if x is factors[0] and negative else _ATOM) for x in factors
    ), _SUM if negative else _TIMES


_WRITERS: dict[str, Callable[[Expr], Text]] = {"python": _python, "c": _c, "latex": _latex}


def parse(text: str, variables: Mapping[str, tuple[int, int] | Variable]) -> Expr:
    """Read the Python text of an expression. Nothing is executed.

    Parameters
    ----------
    text : str
        Integers, the given names, ``+ - * // %``, comparisons (chains too), ``and`` or ``&``, min(…), max(…).
    variables : mapping of name to (least, greatest) or to a Variable
        Both ends are included.

    Raises
    ------
    ExprError
        The text holds something else; the message says what and where.

    Examples
    --------
    >>> parse("(i*8 + j)//8", {"i": (0, 3), "j": (0, 7)}).simplify()
    i
    """
    if not isinstance(text, str):
        raise ExprError(f"parse({text!r}): a text was expected, and this is a {type(text).__name__}")
    if len(text) > _MOST_CHARACTERS:
        raise ExprError(f"parse({_shown(text)}): {len(text)} characters, and at most {_MOST_CHARACTERS} are read")
    known = _known(text, variables)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as error:
        raise ExprError(f"parse({_shown(text)}): {error.args[0]}") from None
    except (MemoryError, RecursionError):  # Python's own limits on nesting
        raise ExprError(_too_deep(text)) from None
    return _read(tree.body, text, known)


_MOST_CHARACTERS = 20_000
_MOST_LEVELS = 100  # what works on an expression takes several calls a level


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 200 else f"{text[:60]!r}…"


def _too_deep(text: str) -> str:
    return f"parse({_shown(text)}): it is nested more than {_MOST_LEVELS} levels deep"


def _known(text: str, variables: object) -> dict[str, Variable]:
    if not isinstance(variables, Mapping):
        raise ExprError(
            f"parse({_shown(text)}): the variables {variables!r} are no mapping; write {{'i': (least, greatest)}}"
        )
    known: dict[str, Variable] = {}
    for name, given in variables.items():
        if not isinstance(given, Variable) and not (isinstance(given, Sequence) and len(given) == 2):
            raise ExprError(
                f"parse({_shown(text)}): the variable {name!r} is given as {given!r}; write its range, "
                f"as {{{name!r}: (least, greatest)}}"
            )
        known[name] = given if isinstance(given, Variable) else Variable(name, *given)
    return known


_BINARY: dict[type[ast.operator], Callable[[Expr, Expr], Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.BitAnd: lambda a, b: a & b,
}
_COMPARISONS: dict[type[ast.cmpop], type[Comparison]] = {
    ast.Lt: Lt,
    ast.LtE: Le,
    ast.Gt: Gt,
    ast.GtE: Ge,
    ast.Eq: Eq,
    ast.NotEq: Ne,
}


def _read(tree: ast.expr, text: str, known: Mapping[str, Variable], level: int = 0) -> Expr:
    if level > _MOST_LEVELS:
        raise ExprError(_too_deep(text))

    def part(below: ast.expr) -> Expr:
        return _read(below, text, known, level + 1)

    match tree:
        case ast.Constant(value=int(value)):
            return as_expr(value)
        case ast.Name(id=name):
            if name not in known:
                raise ExprError(
                    f"parse({_shown(text)}): {name!r} is no variable; known are {', '.join(known) or 'none'}"
                )
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -part(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return part(operand)
        case ast.BinOp(op=op) if type(op) in _BINARY:
            return _chain(tree, text, known, level)
        case ast.BoolOp(op=ast.And(), values=values):
            return And(*[part(x) for x in values])
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _COMPARISONS for op in ops):
            chain = [part(x) for x in (left, *comparators)]
            return And(*[_COMPARISONS[type(op)](a, b) for op, a, b in zip(ops, chain, chain[1:], strict=False)])
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=args, keywords=[]) if args:
            return (Min if name == "min" else Max)(*[part(x) for x in args])
    told = ast.get_source_segment(text.strip(), tree) or text
    hint = "; integer division is written //" if isinstance(getattr(tree, "op", None), ast.Div) else ""
    raise ExprError(
        f"parse({_shown(text)}): {_shown(told)} is not allowed{hint}; allowed are integers, variables, + - * // %, "
        "comparisons, `and`, `&`, min and max"
    )


def _chain(tree: ast.BinOp, text: str, known: Mapping[str, Variable], level: int) -> Expr:
    """Operations from left to right: a long sum is no deep expression, a quotient of a quotient is."""
    steps: list[ast.BinOp] = []
    first: ast.expr = tree
    while isinstance(first, ast.BinOp) and type(first.op) in _BINARY:
        steps.append(first)
        first = first.left
    level += sum(isinstance(step.op, ast.FloorDiv | ast.Mod) for step in steps)
    found = _read(first, text, known, level + 1)
    for step in reversed(steps):
        found = _BINARY[type(step.op)](found, _read(step.right, text, known, level + 1))
    return found
