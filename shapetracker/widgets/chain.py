"""A chain of movement operations as text: what a person types, read without evaluating any code.

The explorer edits a chain; `run` applies it step by step with the library itself and keeps, for each step, the tracker
or the library's own error. `to_code` and `from_code` turn a chain into Python and back.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from shapetracker.errors import ShapeTrackerError, ViewError
from shapetracker.tracker import ShapeTracker
from shapetracker.view import View

OPERATIONS = ("reshape", "permute", "expand", "pad", "shrink", "stride", "flip")
PAIRS = {"pad": "((1, 1), (0, 2))", "shrink": "((0, 3), (1, 4))"}
"""The operations that take a (begin, end) for each axis, with an example of it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation and its arguments as typed."""

    operation: str
    text: str


@dataclass(frozen=True, slots=True)
class Chain:
    """A start (a shape, or a view as Python) and the steps after it, as typed.

    Examples
    --------
    >>> chain = Chain("(4, 6)", (Step("permute", "(1, 0)"), Step("flip", "(1,)")))
    >>> print(to_code(chain))
    ShapeTracker.from_shape((4, 6)).permute((1, 0)).flip((1,))
    >>> from_code(to_code(chain)) == chain
    True
    """

    start: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a chain gives: trackers[0] is the start's, then one a step, up to the one that failed; not simplified.

    `error` is the library's message for the step after the last tracker, or empty.
    """

    trackers: tuple[ShapeTracker, ...]
    error: str = ""


PANELS = 24
"""Blocks of the last two axes that are drawn side by side, and one under the other: more would be too small to see."""


def run(chain: Chain, limit: int, channels: int = 1) -> Outcome:
    """Apply the chain until it ends or a step fails.

    Parameters
    ----------
    chain : Chain
    limit : int
        The largest number of elements that the explorer draws.
    channels : int
        How many numbers make the colour of a pixel where memory is an image; such a last axis is no axis of a panel.

    Examples
    --------
    >>> run(Chain("(4, 6)", (Step("permute", "(1, 1)"),)), 100).error
    'permute (4, 6) by (1, 1): each of the axes 0 … 1 must appear exactly once'
    >>> run(Chain("(680, 672, 3)", (Step("pad", "((0, 0), (0, 0), (1, 0))"),)), 1 << 24, channels=3).error
    'pad (680, 672, 4): a picture of 680 panels of 672 × 4 is too large to draw; up to 24 stand side by side'
    """
    trackers: list[ShapeTracker] = []
    try:
        trackers.append(_small("the buffer", read_start(chain.start), limit, channels))
        for step in chain.steps:
            trackers.append(_small(step.operation, _apply(trackers[-1], step), limit, channels))
    except ShapeTrackerError as error:
        return Outcome(tuple(trackers), str(error))
    return Outcome(tuple(trackers))


def _small(call: str, tracker: ShapeTracker, limit: int, channels: int) -> ShapeTracker:
    if tracker.size > limit:
        raise ViewError(f"{call} {tracker.shape}: {tracker.size} elements; the explorer draws up to {limit}")
    for view in tracker.simplify().views:
        is_colour = channels > 1 and len(view.shape) > 2 and view.shape[-1] == channels
        shape = view.shape[:-1] if is_colour else view.shape
        across, down = (shape[-3:-2] or (1,))[0], prod(shape[:-3])
        if prod(shape) and max(across, down) > PANELS:
            many = f"{across * down} panels of {shape[-2]} × {shape[-1]}"
            raise ViewError(
                f"{call} {tracker.shape}: a picture of {many} is too large to draw; up to {PANELS} stand side by side"
            )
    return tracker


def _apply(tracker: ShapeTracker, step: Step) -> ShapeTracker:
    if step.operation not in OPERATIONS:
        raise ViewError(f"{step.operation}: not a movement operation; choose one of {', '.join(OPERATIONS)}")
    given = read_numbers(step.text)
    if step.operation in PAIRS:
        if not isinstance(given, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
            example = PAIRS[step.operation]
            raise ViewError(f"{step.operation} {step.text}: expected a pair for each axis, as {example}")
    elif isinstance(given, int):
        given = (given,)
    elif any(isinstance(item, tuple) for item in given):
        raise ViewError(f"{step.operation} {step.text}: expected whole numbers, as (1, 0)")
    operation: Callable[[Any], ShapeTracker] = getattr(tracker, step.operation)
    return operation(given)


def read_numbers(text: str) -> Any:
    """Whole numbers and nested tuples of them, as typed; a true minus and brackets are fine too.

    Raises
    ------
    ViewError
        When the text is anything else.

    Examples
    --------
    >>> read_numbers("((1, 1), (0, −2))")
    ((1, 1), (0, -2))
    >>> read_numbers("(1, 0")
    Traceback (most recent call last):
        ...
    shapetracker.errors.ViewError: cannot read "(1, 0": '(' was never closed
    """
    if not text.strip():
        raise ViewError('cannot read "": nothing is there; expected whole numbers, as (1, 0)')
    try:
        value = ast.literal_eval(text.strip().replace("−", "-"))
    except SyntaxError as error:
        raise ViewError(f'cannot read "{text}": {error.msg}') from None
    except (ValueError, RecursionError, MemoryError, TypeError):
        raise ViewError(f'cannot read "{text}": expected whole numbers, as (1, 0)') from None
    return _numbers(value, text)


def _numbers(value: object, text: str) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_numbers(item, text) for item in value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ViewError(f'cannot read "{text}": {value!r} is not a whole number')
    return value


def read_start(text: str) -> ShapeTracker:
    """A shape, or a view or a tracker as Python: what the chain starts from.

    Raises
    ------
    ViewError
        When it is none of these.

    Examples
    --------
    >>> read_start("(4, 6)")
    ShapeTracker(View(shape=(4, 6), strides=(6, 1), offset=0))
    >>> read_start("View.create((3, 2), strides=(1, 3))").shape
    (3, 2)
    """
    if "View" not in text and "ShapeTracker" not in text:
        shape = read_numbers(text)
        return ShapeTracker.from_shape((shape,) if isinstance(shape, int) else shape)
    views = tuple(_read_view(node, text) for node in ast.walk(_parsed(text)) if _called(node) == "View.create")
    if not views:
        raise ViewError(f'cannot read "{text}": expected a shape, as (4, 6), or View.create(…)')
    return ShapeTracker(views)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ViewError(f'cannot read "{text}": {error.msg}') from None


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _read_view(node: ast.AST, text: str) -> View:
    assert isinstance(node, ast.Call)  # noqa: S101 -- the caller looked; mypy cannot see it
    try:
        args = [ast.literal_eval(arg) for arg in node.args]
        named = {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg}
        return View.create(*args, **named)
    except (ValueError, TypeError):
        raise ViewError(f'cannot read "{text}": View.create takes shape, strides, offset and mask') from None


def write_start(tracker: ShapeTracker) -> str:
    """The text that `read_start` reads as this tracker.

    Examples
    --------
    >>> write_start(ShapeTracker.from_shape((4, 6)))
    '(4, 6)'
    >>> write_start(ShapeTracker.from_shape((4, 6)).permute((1, 0)))
    'View.create((6, 4), (1, 6))'
    """
    if tracker.contiguous:
        return str(tracker.shape)
    views = ", ".join(map(_write_view, tracker.views))
    return views if len(tracker.views) == 1 else f"ShapeTracker(({views}))"


def _write_view(view: View) -> str:
    offset = f", {view.offset}" if view.offset or view.mask else ""
    mask = f", {view.mask}" if view.mask else ""
    return f"View.create({view.shape}, {view.strides}{offset}{mask})"


def to_code(chain: Chain, upto: int | None = None) -> str:
    """The chain as one Python expression.

    Parameters
    ----------
    chain : Chain
    upto : int, optional
        How many of the steps; all of them by default.
    """
    if "View" not in chain.start:
        start = f"ShapeTracker.from_shape({_tidy(chain.start)})"
    else:
        start = chain.start if chain.start.startswith("ShapeTracker") else f"ShapeTracker(({chain.start},))"
    return start + "".join(f".{step.operation}({_tidy(step.text)})" for step in chain.steps[:upto])


def _tidy(text: str) -> str:
    """As Python writes it, where it can be read; as typed otherwise."""
    try:
        value = read_numbers(text)
    except ViewError:
        return text
    return repr(value if isinstance(value, tuple) else (value,))


def from_code(code: str) -> Chain:
    """The chain that a Python expression such as `ShapeTracker.from_shape((4, 6)).flip((0,))` writes.

    Nothing is evaluated: the text is taken apart, and only these calls are known. A `simplify()` at the end changes
    nothing, since the explorer always shows the simplified tracker.

    Raises
    ------
    ViewError
        When the expression is anything else.

    Examples
    --------
    >>> from_code("ShapeTracker.from_shape((4, 6)).flip((0,))")
    Chain(start='(4, 6)', steps=(Step(operation='flip', text='(0,)'),))
    """
    node = _parsed(code)
    steps: list[Step] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "simplify":
        node = node.func.value
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in OPERATIONS:
        if node.keywords or not node.args:
            raise ViewError(f"code: {node.func.attr} takes its arguments by position, as {node.func.attr}((1, 0))")
        given = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
        steps.append(Step(node.func.attr, ast.unparse(given)))
        node = node.func.value
    if _called(node) == "ShapeTracker.from_shape":
        assert isinstance(node, ast.Call)  # noqa: S101 -- `_called` looked; mypy cannot see it
        start = ast.unparse(node.args[0]) if len(node.args) == 1 else ""
    else:
        start = ast.unparse(node)
    read_start(start)
    return Chain(start, tuple(reversed(steps)))


def suggestion(operation: str, shape: Sequence[int]) -> str:
    """Arguments that the operation accepts for this shape and that show something.

    Examples
    --------
    >>> suggestion("permute", (4, 6)), suggestion("pad", (4, 6))
    ('(1, 0)', '((0, 0), (1, 1))')
    """
    last = len(shape) - 1
    match operation:
        case "reshape":
            return str((prod(shape),))
        case "permute":
            return str(tuple(reversed(range(len(shape)))))
        case "expand":
            return str(tuple(3 if size == 1 else size for size in shape))
        case "pad":
            return str(tuple((int(d == last), int(d == last)) for d in range(len(shape))))
        case "shrink":
            return str(tuple((0, max(1, size - 1) if size else 0) for size in shape))
        case "stride":
            return str(tuple(2 if d == last else 1 for d in range(len(shape))))
        case _:
            return str((last,)) if shape else "()"


@dataclass(frozen=True, slots=True)
class Slider:
    """How far a slider goes for one number of the arguments."""

    low: int
    high: int
    label: str
    nonzero: bool = False


def sliders(operation: str, shape: Sequence[int]) -> list[Slider]:
    """One slider for each number of the arguments, in the order written; none where sliders make no sense.

    Parameters
    ----------
    operation : str
        "buffer" is the shape that the chain starts from.
    shape : tuple of int
        What the operation is applied to.

    Examples
    --------
    >>> [(s.low, s.high, s.label) for s in sliders("pad", (4,))]
    [(0, 4, 'axis 0, before'), (0, 4, 'axis 0, after')]
    >>> sliders("permute", (4, 6))
    []
    """
    axes = list(enumerate(shape))
    match operation:
        case "buffer":
            return [Slider(1, max(16, size), f"axis {d}") for d, size in axes]
        case "pad":
            return [Slider(0, max(4, size), f"axis {d}, {side}") for d, size in axes for side in ("before", "after")]
        case "shrink":
            return [Slider(0, size, f"axis {d}, {side}") for d, size in axes for side in ("begin", "end")]
        case "stride":
            return [Slider(-4, 4, f"axis {d}", nonzero=True) for d, _ in axes]
        case "expand":
            return [Slider(*((1, 8) if size == 1 else (size, size)), f"axis {d}") for d, size in axes]
        case _:
            return []


EXAMPLES = {
    "transpose, pad, flip": Chain(
        "(4, 6)", (Step("permute", "(1, 0)"), Step("pad", "((1, 1), (1, 2))"), Step("flip", "(1,)"))
    ),
    "a reshape that needs a second view": Chain(
        "(3, 15)", (Step("stride", "(1, 4)"), Step("shrink", "((0, 3), (0, 3))"), Step("reshape", "(9,)"))
    ),
    "transpose, then flatten": Chain("(4, 6)", (Step("permute", "(1, 0)"), Step("reshape", "(3, 8)"))),
    "a sliding window": Chain(
        "(8,)",
        (
            Step("reshape", "(1, 8)"),
            Step("expand", "(5, 8)"),
            Step("reshape", "(40,)"),
            Step("shrink", "((0, 36),)"),
            Step("reshape", "(4, 9)"),
            Step("shrink", "((0, 4), (0, 5))"),
        ),
    ),
    "tiles of a matrix, 4-D": Chain("(8, 12)", (Step("reshape", "(2, 4, 3, 4)"), Step("permute", "(0, 2, 1, 3)"))),
    "64 × 64": Chain(
        "(64, 64)", (Step("permute", "(1, 0)"), Step("pad", "((0, 0), (8, 8))"), Step("stride", "(1, -1)"))
    ),
}
"""Chains that each show one idea."""
