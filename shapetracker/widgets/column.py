"""The SymPy column: the same index expression in SymPy's hands, and whether both mean the same."""

from functools import lru_cache
from typing import Any

from shapetracker.equivalence import SideBySide, SymPyVerdict, Verdict, side_by_side
from shapetracker.expr import Variable
from shapetracker.tracker import ShapeTracker


@lru_cache(maxsize=256)
def sympy_column(tracker: ShapeTracker) -> dict[str, Any]:
    """SymPy's form of the index expression, SymPy's own verdict on the simplification, and this library's proof.

    Returns
    -------
    dict
        "lines": of [label, text, verdict]; "proof": what is known of the library's own simplification.

    Examples
    --------
    >>> column = sympy_column(ShapeTracker.from_shape((4, 6)).permute((1, 0)).reshape((24,)))
    >>> column["lines"], column["proof"]
    ([['SymPy', 'FloorDiv(idx0, 4) + 6*FloorMod(idx0, 4)', 'equal']], '')
    """
    try:
        both = side_by_side(tracker.expr_idxs()[0])
    except ModuleNotFoundError:
        return {"lines": [["SymPy", "not installed: pip install 'lanewise[notebook]'", ""]], "proof": ""}
    return {"lines": [["SymPy", str(both.sympy), opinion(both.sympy_opinion)]], "proof": proof(both)}


def read_sympy() -> None:
    """Read SymPy's modules, some of which it reads at its first simplification only. It takes seconds, once.

    Examples
    --------
    >>> read_sympy()
    """
    try:
        from shapetracker.sympy_bridge import to_sympy
    except ModuleNotFoundError:  # the column says so
        return
    to_sympy(Variable("i", 0, 9) // 4 * 2 + 3).simplify()


def opinion(verdict: SymPyVerdict) -> str:
    """SymPy's verdict in words: "equal", "cannot tell", or "wrong at idx0 = 3".

    Examples
    --------
    >>> opinion(SymPyVerdict("equal", True, {"idx0": 3}, "0"))
    'wrong at idx0 = 3'
    """
    if not verdict.wrong:
        return verdict.opinion
    return f"wrong{_where(verdict.counterexample)}"


def proof(both: SideBySide) -> str:
    """What is known of as built = simplified."""
    if both.built is both.simplified:
        return ""
    return verdict_words(both.verdict)


def verdict_words(verdict: Verdict) -> str:
    """A verdict in words.

    Examples
    --------
    >>> verdict_words(Verdict(True, "exhaustive", None, 24)), verdict_words(Verdict(None, "sampled", None, 8192))
    ('proven equal: all 24 points tried', 'no difference at 8192 points')
    """
    if verdict.equal is None:
        return f"no difference at {verdict.points} points"
    if not verdict.equal:
        return f"different{_where(verdict.counterexample)}"
    return f"proven equal: all {verdict.points} points tried" if verdict.points else f"proven equal by {verdict.method}"


def _where(point: dict[str, int] | None) -> str:
    return " at " + ", ".join(f"{name} = {value}" for name, value in point.items()) if point else ""
