"""Views beside tinygrad 0.9.0: which stacks become one view, against brute force, and how long the decision takes."""

import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.measure import human, quantile, table
from shapetracker import ShapeTracker, View
from shapetracker.compose import decide
from shapetracker.stack import simplify_stack

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from oracles import small_views
from oracles import view_oracle as oracle

try:
    from tinygrad.shape import view as peer_module
    from tinygrad.shape.shapetracker import ShapeTracker as PeerTracker
    from tinygrad.shape.view import View as PeerView
except ImportError:
    peer_module = PeerTracker = PeerView = None

Stack = tuple[View, ...]
LARGEST = 2048
"""Points of a view that a random movement operation may lead to."""


# --- what is asked ---------------------------------------------------------------------------------------------------


def factors(rng: random.Random, number: int) -> tuple[int, ...]:
    """A random shape of `number` elements, of at most four axes."""
    shape: list[int] = []
    while number > 1 and len(shape) < 3:
        shape.append(rng.choice([d for d in range(2, number + 1) if number % d == 0]))
        number //= shape[-1]
    shape += [number] if number > 1 else []
    rng.shuffle(shape)
    return tuple(shape) or (1,)


def movement(rng: random.Random, view: View) -> tuple[str, Any]:
    """A random movement operation that fits a view and keeps it small."""
    kind = rng.choice(["permute", "pad", "shrink", "stride", "flip"])
    axes = range(len(view.shape))
    if kind == "permute":
        return kind, tuple(rng.sample(axes, len(view.shape)))
    if kind == "pad":
        widths = tuple((rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 1, 2])) for _ in axes)
        size = math.prod(size + sum(pair) for size, pair in zip(view.shape, widths, strict=True))
        return (kind, widths) if size <= LARGEST else ("stride", (1,) * len(view.shape))
    if kind == "shrink":
        begins = [rng.randint(0, min(2, size - 1)) for size in view.shape]
        return kind, tuple((b, rng.randint(max(b + 1, s - 2), s)) for b, s in zip(begins, view.shape, strict=True))
    if kind == "stride":
        return kind, tuple(rng.choice([1, 1, 2, -1, 3]) for _ in axes)
    axis = rng.choice(axes)  # tinygrad has no flip of its own
    return "stride", tuple(-1 if at == axis else 1 for at in axes)


def after_movements(rng: random.Random, shape: tuple[int, ...], least: int) -> View:
    """The contiguous view of a shape, after up to three movement operations."""
    view = View.create(shape)
    for _ in range(rng.randint(least, 3)):
        name, argument = movement(rng, view)
        view = getattr(view, name)(argument)
    return view


def by_movements(rng: random.Random, depth: int) -> Stack:
    """Views stacked as chains of movement operations stack them, innermost first."""
    shape, views = factors(rng, rng.choice([4, 6, 8, 12, 16, 24, 36, 48, 60, 64, 72, 96])), []
    for level in range(depth):
        views.append(after_movements(rng, shape, least=not level))
        shape = factors(rng, views[-1].size())
    return tuple(views)


def of_any_strides(rng: random.Random, depth: int) -> Stack:
    """Views with arbitrary strides, offsets and masks, each inside of the one below."""
    return tuple(small_views.random_stack(rng, depth))


def reshape_with_mask(rng: random.Random) -> Stack:
    """A view, masked more often than not, and the contiguous view of the shape that it is reshaped to."""
    view = after_movements(rng, factors(rng, rng.choice([12, 24, 36, 48, 60, 64, 72, 96])), least=1)
    if view.mask is None and rng.random() < 0.7:
        padded = view.pad(tuple((rng.choice([0, 1, 2]), rng.choice([0, 0, 1])) for _ in view.shape))
        view = padded if padded.size() <= LARGEST else view
    return view, View.create(factors(rng, view.size()))


def small_pairs() -> Iterator[Stack]:
    """Every pair of a family of small views with something valid: up to two axes, of sizes 2 to 6."""
    shapes = [(n,) for n in range(2, 7)] + list(product(range(2, 7), repeat=2))
    for inner in shapes:
        rows, columns = inner[0], inner[-1]
        steps = [(1,), (2,)] if len(inner) == 1 else [(columns, 1), (1, rows), (0, 1), (-columns, 1)]
        cuts = [[(0, size), (1, size), (0, size - 1)] for size in inner]
        for strides, mask in product(steps, product(*cuts)):
            below = View.create(inner, strides, 30, mask)
            for outer in shapes:
                paces = (
                    [(1,), (2,), (3,), (-1,), (columns,)]
                    if len(outer) == 1
                    else [(outer[1], 1), (1, outer[0]), (columns, 1), (1, columns)]
                )
                for pace in dict.fromkeys(paces):
                    above = small_views.moved_into(View.create(outer, pace), below.size())
                    if above is not None and any(index is not None for index in oracle.table((below, above)).values()):
                        yield below, above


# --- how it is answered ----------------------------------------------------------------------------------------------


class Ours:
    """This project: plain views as they are."""

    name = "lanewise"

    def view(self, view: View) -> Any:
        return view

    def one(self, views: list[Any]) -> Any:
        return ShapeTracker(tuple(views)).simplify().views

    def reshape(self, view: Any, shape: tuple[int, ...]) -> Any:
        return view.reshape(shape)

    def forget(self) -> None:
        decide.cache_clear()
        simplify_stack.cache_clear()


class Tinygrad(Ours):
    """The peer, whose functions all remember their results."""

    name = "tinygrad 0.9.0"

    def __init__(self) -> None:
        owners = [*vars(peer_module).values(), *(getattr(PeerView, name) for name in vars(PeerView))]
        self.caches = [owner.cache_clear for owner in owners if hasattr(owner, "cache_clear")]

    def view(self, view: View) -> Any:
        return PeerView.create(view.shape, view.strides, view.offset, view.mask)

    def one(self, views: list[Any]) -> Any:
        return PeerTracker(tuple(views)).simplify().views

    def forget(self) -> None:
        for clear in self.caches:
            clear()


def cpu(library: Ours, call: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The least CPU time of a call that remembers nothing from before, and its result."""
    least, result = math.inf, None
    for _ in range(repeats):
        library.forget()
        start = time.process_time()
        result = call()
        least = min(least, time.process_time() - start)
    return least, result


def answers(library: Ours, stacks: list[Stack], truths: list[bool], *, by_reshape: bool = False) -> list[str]:
    """How many of the stacks that are one view are found, how many answers are wrong, median and tail of the times."""
    found = wrong = 0
    times = []
    for stack, truth in zip(stacks, truths, strict=True):
        views = [library.view(view) for view in stack]
        if by_reshape:
            seconds, one = cpu(library, lambda views=views: library.reshape(views[0], views[1].shape))
            result = tuple(views) if one is None else (one,)
        else:
            seconds, result = cpu(library, lambda views=views: library.one(views))
        times.append(seconds)
        right = oracle.table(result) == oracle.table(stack) and (truth or len(result) > 1)
        wrong += not right
        found += right and len(result) == 1
    total = sum(truths)
    share = f"{100 * found / total:.2f} %".replace("100.00 %", "100 %")
    return [
        f"{found} of {total} ({share})",
        str(wrong),
        human(statistics.median(times)),
        human(quantile(times, 0.99)),
    ]


def movements(library: Ours, count: int) -> list[str]:
    """The times of single movement operations, cold."""
    rng, times = random.Random(7), []
    for _ in range(count):
        view = after_movements(rng, factors(rng, rng.choice([12, 24, 48, 96])), least=0)
        name, argument = movement(rng, view)
        method = getattr(library.view(view), name)
        times.append(cpu(library, lambda method=method, argument=argument: method(argument), repeats=5)[0])
    return ["", "", human(statistics.median(times)), human(quantile(times, 0.99))]


def sets(count: int, every: int) -> Iterator[tuple[str, list[Stack], bool]]:
    """Each set of stacks: its name, the stacks, and whether they are reshapes."""
    rng = random.Random(1)
    yield "pairs by movement operations", [by_movements(rng, 2) for _ in range(count)], False
    yield "pairs of any strides and masks", [of_any_strides(rng, 2) for _ in range(count)], False
    family = list(small_pairs())[::every]
    yield "every small pair" if every == 1 else f"small pairs, one of {every}", family, False
    for name, depth in (("three", 3), ("four", 4)):
        made = [(by_movements, of_any_strides)[k % 2](rng, depth) for k in range(count)]
        yield f"stacks of {name} views", made, False
    yield "reshapes, most with a mask", [reshape_with_mask(rng) for _ in range(count)], True


def run(count: int = 1000, every: int = 37) -> str:
    """The table: each library on the same stacks; `count` random stacks a set, one of `every` small pairs."""
    libraries = [Ours()] + ([Tinygrad()] if PeerView is not None else [])
    rows = []
    for name, stacks, by_reshape in sets(count, every):
        truths = [oracle.is_one_view(oracle.table(stack)) for stack in stacks]
        for library in libraries:
            rows.append(
                [f"{len(stacks)} {name}", library.name, *answers(library, stacks, truths, by_reshape=by_reshape)]
            )
    for library in libraries:
        rows.append([f"{count} single movement operations", library.name, *movements(library, count)])
    header = [
        "asked",
        "library",
        "one view, of those that are one by brute force",
        "wrong",
        "median",
        "99th percentile",
    ]
    note = "" if PeerView is not None else " (tinygrad 0.9.0 is not installed)"
    return table(f"Views, CPU time, nothing remembered{note}", header, rows)


if __name__ == "__main__":
    print(run(*map(int, sys.argv[1:])))
