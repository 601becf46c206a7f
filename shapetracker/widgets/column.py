"""The SymPy column: the same index expression in SymPy's hands, and whether both mean the same."""

from functools import lru_cache
from typing import Any

from shapetracker.tracker import ShapeTracker


@lru_cache(maxsize=256)
def sympy_column(tracker: ShapeTracker) -> dict[str, Any]:
    """SymPy's form of the index expression, what SymPy makes of it, and the verdicts.

    Returns
    -------
    dict
        "lines": [label, text, verdict] with verdict "equal", "cannot tell", "wrong at …" or ""; "simplified" says
        whether the library's own simplification is proven.
    """
    try:
        import sympy

        from shapetracker.equivalence import equivalent
        from shapetracker.sympy_bridge import to_sympy
    except ImportError:
        return {"lines": [["SymPy", "not installed: pip install 'lanewise[notebook]'", ""]], "proof": ""}
    index, _ = tracker.expr_idxs()
    simple = index.simplify()
    ours, theirs = to_sympy(index), to_sympy(simple)
    difference = sympy.simplify(ours - theirs)
    verdict = "equal" if difference == 0 else "cannot tell"
    proven = equivalent(index, simple)
    words = {True: f"proven equal at {proven.points} points", False: "wrong", None: "not decided"}[proven.equal]
    return {"lines": [["SymPy", str(ours), verdict]], "proof": words}
