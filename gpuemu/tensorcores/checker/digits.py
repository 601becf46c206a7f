"""The digits of lane and element numbers, and how far one step of each moves: what a fragment's map is made of.

Read from the numbers themselves, so that it works for a right map and for a wrong fragment alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from gpuemu.tensorcores.lanemap import IntArray, LaneMap
from gpuemu.tensorcores.notation.formulas import expressions

Step: TypeAlias = tuple[int, ...]
"""Rows, columns (and blocks) that one step moves."""


@dataclass(frozen=True, slots=True)
class Place:
    """One digit of a number: ``of // weight % size``; `top` where no digit lies above it."""

    of: str
    weight: int
    size: int
    top: bool

    def __str__(self) -> str:
        text = f"{self.of} // {self.weight}" if self.weight > 1 else self.of
        return text if self.top else f"{text} % {self.size}"

    def value(self, numbers: IntArray) -> IntArray:
        """The digit of each number.

        >>> Place("lane", 4, 8, top=True).value(np.array([0, 5, 31])).tolist()
        [0, 1, 7]
        """
        return numbers // self.weight % self.size


def places(lane_map: LaneMap) -> tuple[Place, ...]:
    """The digits of the lane number and of the element number, most significant first.

    >>> from gpuemu import tensorcores
    >>> [str(place) for place in places(tensorcores.instruction("m16n8k16").c)]
    ['lane // 4', 'lane % 4', 'i // 2', 'i % 2']
    """
    return (*_digits("lane", lane_map.lane_shape), *_digits("i", lane_map.element_shape))


def prime_places(lane_map: LaneMap) -> tuple[Place, ...]:
    """The same, each digit split into digits of prime size: bits, where the sizes are powers of two.

    >>> from gpuemu import tensorcores
    >>> [place.weight for place in prime_places(tensorcores.instruction("m16n8k16").c)]
    [16, 8, 4, 2, 1, 2, 1]
    """
    lane, element = (
        [p for size in shape for p in _primes(size)] for shape in (lane_map.lane_shape, lane_map.element_shape)
    )
    return (*_digits("lane", lane), *_digits("i", element))


def _digits(of: str, sizes: Sequence[int]) -> Iterator[Place]:
    for number, size in enumerate(sizes):
        yield Place(of, prod(sizes[number + 1 :]), size, top=number == 0)


def _primes(size: int) -> list[int]:
    factors, divisor = [], 2
    while size > 1:
        while size % divisor == 0:
            factors.append(divisor)
            size //= divisor
        divisor += 1
    return factors


def fit(held: IntArray, digits: Sequence[Place]) -> tuple[Step, tuple[Step, ...]] | None:
    """Start and step of each digit, where the coordinates are a start plus a sum of steps; else None.

    >>> from gpuemu import tensorcores
    >>> c = tensorcores.instruction("m16n8k16").c
    >>> fit(c.coordinates(), places(c))
    ((0, 0), ((1, 0), (0, 2), (8, 0), (0, 1)))
    """
    lanes, elements = (np.arange(size, dtype=np.int64) for size in held.shape[:2])
    start, steps = held[0, 0], []
    expected = np.broadcast_to(start, held.shape).copy()
    for digit in digits:
        at = (digit.weight, 0) if digit.of == "lane" else (0, digit.weight)
        step = held[at] - start if digit.size > 1 else np.zeros_like(start)
        value = digit.value(lanes)[:, None, None] if digit.of == "lane" else digit.value(elements)[None, :, None]
        expected += value * step
        steps.append(tuple(step.tolist()))
    return (tuple(start.tolist()), tuple(steps)) if (expected == held).all() else None


def written(lane_map: LaneMap) -> str:
    """The right index formula as one line of text.

    >>> from gpuemu import tensorcores
    >>> written(tensorcores.instruction("m16n8k16").a)
    'm = lane//4 + i//2%2*8, k = lane%4*2 + i//4*8 + i%2'
    """
    found = expressions(lane_map) or {}
    return ", ".join(f"{name} = {e.render()}" for name, e in found.items())


def term(step: int, digit: Place) -> str:
    """One summand of an index formula.

    >>> term(8, Place("i", 2, 2, top=False)), term(1, Place("lane", 1, 4, top=False))
    ('8 * (i // 2 % 2)', 'lane % 4')
    """
    text = str(digit)
    if step == 1:
        return text
    return f"{step} * ({text})" if " " in text else f"{step} * {text}"


def described(step: Step) -> str:
    """A step in words.

    >>> described((8, 0)), described((0, 1)), described((1, -2)), described((0, 0))
    ('8 rows', '1 column', '1 row and −2 columns', 'nothing')
    """
    parts = [
        f"{size} {name}{'s' * (abs(size) != 1)}".replace("-", "−")
        for size, name in zip(step, ("row", "column", "block"), strict=False)
        if size
    ]
    return " and ".join(parts) or "nothing"
