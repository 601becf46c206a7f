"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from math import prod
from typing import Any

from hypothesis import strategies as st

MOVEMENTS = ["reshape", "permute", "flip", "shrink", "stride", "pad", "expand"]


@st.composite
def shapes(draw: st.DrawFn, max_rank: int = 4, max_size: int = 5, min_size: int = 0) -> tuple[int, ...]:
    """A small shape; a size 0 is rare."""
    rank = draw(st.integers(0, max_rank))
    sizes = st.integers(max(1, min_size), max_size)
    if min_size == 0:
        sizes = st.one_of(*[sizes] * 9, st.just(0))
    return tuple(draw(st.lists(sizes, min_size=rank, max_size=rank)))


@st.composite
def refactored(draw: st.DrawFn, elements: int) -> tuple[int, ...]:
    """A shape with so many elements."""
    if elements == 0:
        return draw(st.sampled_from([(0,), (2, 0), (0, 3), (1, 0, 2)]))
    shape = []
    while elements > 1:
        shape.append(draw(st.sampled_from([d for d in range(2, elements + 1) if elements % d == 0])))
        elements //= shape[-1]
    return tuple(draw(st.permutations(shape + [1] * draw(st.integers(0, 1)))))


@st.composite
def movement(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[str, Any]:
    """One movement operation, with an argument that fits the shape."""
    name = draw(st.sampled_from(MOVEMENTS))
    if name == "pad" and prod(shape) > 200:
        name = "shrink"
    if name == "reshape":
        return name, draw(refactored(prod(shape)))
    if name == "permute":
        return name, tuple(draw(st.permutations(range(len(shape)))))
    if name == "flip":
        return name, tuple(axis for axis in range(len(shape)) if draw(st.booleans()))
    if name == "stride":
        return name, tuple(draw(st.sampled_from([1, 1, 2, -1, -2, 3])) for _ in shape)
    if name == "shrink":
        spans = [sorted((draw(st.integers(0, size)), draw(st.integers(0, size)))) for size in shape]
        return name, tuple((b, e) if b < e else (0, size) for (b, e), size in zip(spans, shape, strict=True))
    if name == "pad":
        return name, tuple((draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in shape)
    return name, tuple(draw(st.integers(1, 3)) if size == 1 else size for size in shape)


def shape_after(shape: tuple[int, ...], name: str, argument: Any) -> tuple[int, ...]:
    """The shape that an operation leads to."""
    if name in ("reshape", "expand"):
        return tuple(argument)
    if name == "permute":
        return tuple(shape[axis] for axis in argument)
    if name == "shrink":
        return tuple(end - begin for begin, end in argument)
    if name == "stride":
        return tuple(-(-size // abs(step)) for size, step in zip(shape, argument, strict=True))
    if name == "pad":
        return tuple(size + before + after for size, (before, after) in zip(shape, argument, strict=True))
    return shape


@st.composite
def movement_chains(draw: st.DrawFn, max_length: int = 6) -> tuple[tuple[int, ...], list[tuple[str, Any]]]:
    """A shape, and a chain of movement operations that starts there."""
    start = draw(shapes())
    shape, chain = start, []
    for _ in range(draw(st.integers(1, max_length))):
        name, argument = draw(movement(shape))
        chain.append((name, argument))
        shape = shape_after(shape, name, argument)
    return start, chain
