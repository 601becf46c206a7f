"""Views beside tinygrad 0.9.0: how many stacks become one view, and how long the decision takes."""

import math
import random
from collections.abc import Callable
from typing import Any

from benchmarks.measure import each, human, quantile, table
from shapetracker import ShapeTracker, View

try:
    from tinygrad.shape.shapetracker import ShapeTracker as PeerTracker
    from tinygrad.shape.view import View as PeerView
except ImportError:
    PeerTracker = PeerView = None

Plain = tuple[tuple[int, ...], tuple[int, ...], int, tuple[tuple[int, int], ...] | None]
LARGEST = 2048  # points of a view


def factors(rng: random.Random, number: int) -> tuple[int, ...]:
    """A random shape of `number` elements, of at most four axes."""
    shape: list[int] = []
    while number > 1 and len(shape) < 3:
        shape.append(rng.choice([d for d in range(2, number + 1) if number % d == 0]))
        number //= shape[-1]
    shape += [number] if number > 1 else []
    rng.shuffle(shape)
    return tuple(shape) or (1,)


def moved(rng: random.Random, view: View) -> View:
    """The view after one random movement operation that keeps it small."""
    kind = rng.choice(["permute", "pad", "shrink", "stride", "flip"])
    axes = range(len(view.shape))
    if kind == "permute":
        return view.permute(tuple(rng.sample(axes, len(view.shape))))
    if kind == "pad":
        result = view.pad(tuple((rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 1, 2])) for _ in axes))
        return result if result.size() <= LARGEST else view
    if kind == "shrink":
        begins = [rng.randint(0, min(2, size - 1)) for size in view.shape]
        return view.shrink(
            tuple((b, rng.randint(max(b + 1, s - 2), s)) for b, s in zip(begins, view.shape, strict=True))
        )
    if kind == "stride":
        return view.stride(tuple(rng.choice([1, 1, 2, -1, 3]) for _ in axes))
    return view.flip((rng.choice(axes),))


def stack(rng: random.Random, depth: int) -> list[Plain]:
    """Views stacked as chains of movement operations stack them, as plain data, innermost first."""
    shape, views = factors(rng, rng.choice([4, 6, 8, 12, 16, 24, 36, 48, 60, 64, 72, 96])), []
    for level in range(depth):
        view = View.create(shape)
        for _ in range(rng.randint(1 if level == 0 else 0, 3)):
            view = moved(rng, view)
        views.append((view.shape, view.strides, view.offset, view.mask))
        shape = factors(rng, math.prod(view.shape))
    return views


def merged(tracker: Any, view: Any, views: list[Plain]) -> Callable[[], Any]:
    """A call that builds the stack afresh with one of the two libraries and simplifies it."""
    return lambda: tracker(tuple(view.create(*plain) for plain in views)).simplify()


def clear_caches() -> None:
    """Both libraries remember results: measure cold."""
    if PeerView is not None:
        PeerView.create.cache_clear() if hasattr(PeerView.create, "cache_clear") else None
        PeerView.__add__.cache_clear() if hasattr(PeerView.__add__, "cache_clear") else None


def run(count: int = 3000, seed: int = 1) -> str:
    """The table: pairs and triples of views, and movement operations, each library on the same ones."""
    rng = random.Random(seed)
    rows = []
    for depth in (2, 3):
        stacks = [stack(rng, depth) for _ in range(count)]
        ours = [merged(ShapeTracker, View, views) for views in stacks]
        times = each(ours)
        one = sum(len(call().views) == 1 for call in ours)
        rows.append([f"{depth} views, lanewise", str(one), human(quantile(times, 0.5)), human(quantile(times, 0.99))])
        if PeerTracker is None:
            rows.append([f"{depth} views, tinygrad 0.9.0", "not installed", "", ""])
            continue
        clear_caches()
        theirs = [merged(PeerTracker, PeerView, views) for views in stacks]
        times = each(theirs)
        found = sum(len(call().views) == 1 for call in theirs)
        rows.append(
            [f"{depth} views, tinygrad 0.9.0", str(found), human(quantile(times, 0.5)), human(quantile(times, 0.99))]
        )
    return table(f"Views: {count} stacks", ["stacks of", "become one view", "median", "99th percentile"], rows)
