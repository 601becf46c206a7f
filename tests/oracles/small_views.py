"""Every small view, and random stacks of views whose every lookup stays in range."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from math import prod

from shapetracker import View


def masks(shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every mask of a shape with valid points, and one without."""
    spans = [[(b, e) for b in range(size) for e in range(b + 1, size + 1)] for size in shape]
    yield from product(*spans)
    if shape:
        yield ((0, 0),) * len(shape)


def small_views(shapes: list[tuple[int, ...]], strides: tuple[int, ...], offset: int = 0) -> list[View]:
    """Each view of the shapes, with these strides and every mask, once each."""
    views = {
        View.create(shape, steps, offset, mask)
        for shape in shapes
        for steps in product(strides, repeat=len(shape))
        for mask in masks(shape)
    }
    return sorted(views, key=repr)


def index_span(view: View) -> tuple[int, int] | None:
    """The least and the greatest index of a valid point, by the ends of each axis."""
    bounds = view.mask or tuple((0, size) for size in view.shape)
    if any(begin >= end for begin, end in bounds):
        return None
    ends = [sorted((step * begin, step * (end - 1))) for step, (begin, end) in zip(view.strides, bounds, strict=True)]
    return view.offset + sum(low for low, _ in ends), view.offset + sum(high for _, high in ends)


def moved_into(view: View, size: int, place: int = 0) -> View | None:
    """The view at another offset, such that it reads the indices place … of `size` elements; None if it is too wide."""
    span = index_span(view)
    if span is None:
        return view
    low, high = span
    if high - low + place >= size:
        return None
    return View.create(view.shape, view.strides, view.offset - low + place, view.mask)


def random_view(rng: random.Random, elements: int | None) -> View:
    """A random view; with `elements`, one that reads only 0 … elements − 1."""
    while True:
        shape = tuple(rng.choice([1, 2, 2, 3, 3, 4, 5, 6]) for _ in range(rng.randint(0, 3)))
        places = [prod(shape[k + 1 :]) for k in range(len(shape))]
        strides = [rng.choice([rng.choice(places), -rng.choice(places), rng.randint(-6, 13)]) for _ in shape]
        mask = None
        if rng.random() < 0.4:
            mask = tuple(
                tuple(sorted(rng.sample(range(size + 1), 2))) if rng.random() < 0.6 else (0, size) for size in shape
            )
        view = View.create(shape, strides, rng.randint(0, 5), mask)
        if elements is None:
            return view
        span = index_span(view)
        room = elements if span is None else elements - (span[1] - span[0])
        found = moved_into(view, elements, rng.randrange(room)) if room > 0 else None
        if found is not None:
            return found


def random_stack(rng: random.Random, depth: int) -> list[View]:
    """Views, innermost first, each of which reads only elements of the one before."""
    stack = [random_view(rng, None)]
    while len(stack) < depth:
        stack.append(random_view(rng, stack[-1].size()))
    return stack


def moved(rng: random.Random, view: View) -> View:
    """The view after one random movement operation."""
    shape = view.shape
    kind = rng.choice(["permute", "pad", "shrink", "stride", "flip", "expand"])
    if kind == "permute":
        return view.permute(rng.sample(range(len(shape)), len(shape)))
    if kind == "pad":
        return (
            view.pad([(rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 1])) for _ in shape]) if view.size() < 99 else view
        )
    if kind == "shrink":
        cuts = [sorted((rng.randint(0, size), rng.randint(0, size))) for size in shape]
        return view.shrink([(b, e) if b < e else (0, size) for (b, e), size in zip(cuts, shape, strict=True)])
    if kind == "stride":
        return view.stride([rng.choice([1, 1, 2, -1, -2, 3]) for _ in shape])
    if kind == "flip":
        return view.flip([axis for axis in range(len(shape)) if rng.random() < 0.5])
    return view.expand([rng.randint(1, 3) if size == 1 else size for size in shape])


def factored(rng: random.Random, elements: int) -> tuple[int, ...]:
    """A random shape with so many elements."""
    shape = []
    while elements > 1:
        divisors = [d for d in range(2, elements + 1) if elements % d == 0]
        shape.append(rng.choice(divisors))
        elements //= shape[-1]
    shape += [1] * (rng.random() < 0.2)
    rng.shuffle(shape)
    return tuple(shape)


def stack_of_movements(rng: random.Random, depth: int) -> list[View]:
    """A stack as movement operations and reshapes make it."""
    shape, stack = factored(rng, rng.choice([4, 6, 8, 12, 24, 36])), []
    for _ in range(depth):
        view = View.create(shape)
        for _ in range(rng.randint(0, 3)):
            view = moved(rng, view)
        stack.append(view)
        shape = factored(rng, view.size())
    return stack
