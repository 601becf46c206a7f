"""Index expressions of the kinds that views, masks, tensor-core lanes and windows make; the same for one seed.

    python -m benchmarks.index_family > tests/data/index_expressions.json

Each record has its kind, its text, the ranges of its variables, and the fewest operations of an equal form that is
known: by `simplify`, or by the search of `benchmarks.short_search` where that finds a shorter one.
"""

import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shapetracker.expr import And, Const, Expr, Variable, as_expr

SIZES = (2, 3, 4, 5, 6, 7, 8, 11, 12, 16)
MOST_POINTS = 4096


@dataclass(frozen=True, slots=True)
class Sample:
    """One expression and its kind."""

    kind: str
    expression: Expr


def axes(rng: random.Random, least: int = 1, most: int = 3) -> list[Variable]:
    """One to three variables that count from 0, with at most MOST_POINTS points in all."""
    sizes = [rng.choice(SIZES) for _ in range(rng.randint(least, most))]
    while math.prod(sizes) > MOST_POINTS:
        sizes[sizes.index(max(sizes))] = 2
    return [Variable(f"i{k}", 0, size - 1) for k, size in enumerate(sizes)]


def flat(variables: list[Variable], gap: int = 0) -> tuple[Expr, int]:
    """The row-major position, and how many positions there are; `gap` elements are left out after each row."""
    position: Expr = Const(0)
    size = 1
    for v in reversed(variables):
        position = v * size + position
        size *= v.max + 1 + (gap if v is variables[-1] else 0)
    return position, size


def divisors(n: int) -> list[int]:
    """The numbers that divide n.

    >>> divisors(6)
    [1, 2, 3, 6]
    """
    return [d for d in range(1, n + 1) if n % d == 0]


def radix(rng: random.Random) -> Expr:
    """One digit of a row-major position, in a base that fits or does not."""
    variables = axes(rng, 2)
    position, size = flat(variables)
    low = rng.choice(divisors(size))
    high = rng.choice([d for d in divisors(size) if d % low == 0] if rng.random() < 0.8 else list(SIZES))
    return rng.choice((position // low, position % low if low > 1 else position, position // low % max(high, 2)))


def nested(rng: random.Random) -> Expr:
    """Quotients and remainders of one another."""
    e: Expr = Variable("i", 0, rng.randint(20, 100))
    for _ in range(rng.randint(2, 3)):
        n = rng.choice((2, 3, 4, 6, 8, 12))
        e = rng.choice((e // n, e % (n * rng.choice((1, 2, 3)))))
    return e * rng.choice((1, 1, 1, 4)) + rng.choice((0, 0, 3))


def put_together(rng: random.Random) -> Expr:
    """A position taken apart into digits, and put together again, at times with other strides."""
    i = Variable("i", 0, rng.randint(20, 100))
    total: Expr = Const(0)
    step = 1
    stride = rng.choice((1, 1, 2, 3))
    for _ in range(rng.randint(1, 2)):
        n = rng.choice((2, 3, 4, 5, 8))
        total = i // step % n * (step * stride) + total
        step *= n
    return i // step * (step * rng.choice((stride, stride, 1))) + total


def common_factors(rng: random.Random) -> Expr:
    """Coefficients and divisors that share a factor."""
    variables = axes(rng, 1, 3)
    g = rng.choice((2, 3, 4, 5))
    total: Expr = Const(rng.choice((0, 0, 1, g, g + 1)))
    for v in variables:
        total = total + v * (g * rng.randint(1, 6)) if rng.random() < 0.8 else total + v
    n = g * rng.choice((1, 2, 3, 4))
    return rng.choice((total // n, total % n, total // g % rng.choice((2, 3, 4))))


def negative(rng: random.Random) -> Expr:
    """Flipped axes, negative coefficients, negative divisors."""
    variables = axes(rng, 1, 2)
    total: Expr = Const(rng.randint(-12, 24))
    for v in variables:
        total = total + v * rng.choice((-1, -1, -2, -4, 1, 3))
    n = rng.choice((2, 3, 4, 8, -2, -4))
    return rng.choice((total // n, total % n, total // n * n + total % n, total // n - total % 2))


def padded(rng: random.Random) -> Expr:
    """A position behind padding, and its digits."""
    variables = axes(rng, 1, 3)
    position, _ = flat(variables, rng.choice((0, 0, 1, 2)))
    n = rng.choice((variables[-1].max + 1, *SIZES))
    shifted = position + rng.choice((-5, -2, -1, 1, 2, 3, n, n + 1))
    return rng.choice((shifted // n, shifted % n, shifted // n % rng.choice((2, 3, 4))))


def masks(rng: random.Random) -> Expr:
    """Limits on a position, on its digits, and several at once."""
    variables = axes(rng, 1, 3)
    position, _ = flat(variables)
    n = rng.choice((2, 3, 4, 5, 8, variables[-1].max + 1))
    forms = [position, position // n, position % n, variables[0], sum(variables, start=Const(0)), position + 1]

    def limit() -> Expr:
        e = rng.choice(forms)
        k = rng.randint(e.min, e.max + 1)
        return rng.choice((e < k, e >= k, e <= k, e > k))

    parts = [limit() for _ in range(rng.randint(1, 3))]
    return And(*parts) if len(parts) > 1 else as_expr(parts[0])


def stacked(rng: random.Random) -> tuple[Expr, Expr]:
    """Index and validity of a view behind another one, as a stack of views builds them."""
    outer = axes(rng, 1, 3)
    flipped = [rng.random() < 0.2 for _ in outer]
    position: Expr = Const(0)
    size = 1
    start = 0
    for v, turned in zip(reversed(outer), reversed(flipped), strict=True):
        position = v * (-size if turned else size) + position
        start += v.max * size if turned else 0
        size *= v.max + 1
    position = position + start + rng.choice((0, 0, 0, 1, 2, 4))
    inner: list[int] = []
    left = size
    while left > 1 and len(inner) < 3:
        inner.append(rng.choice(divisors(left)[1:]))
        left //= inner[-1]
    if rng.random() < 0.3:
        inner = [n + rng.choice((0, 0, 1, 2)) for n in inner]
    inner = inner or [2]
    index: Expr = Const(rng.choice((0, 0, -4, 5)))
    valid: list[Expr] = []
    step = 1
    strides = [rng.choice((1, 2, 3, 6, 8, 32, -1, -6)) for _ in inner]
    if rng.random() < 0.4:
        strides = [math.prod(inner[:k]) for k in range(len(inner))]
    for n, stride in zip(inner, strides, strict=True):
        digit = position // step % n
        index = digit * stride + index
        begin, end = sorted(rng.sample(range(n + 1), 2)) if rng.random() < 0.6 else (0, n)
        valid += [digit >= begin, digit < end]
        step *= n
    return index, And(*valid)


def stacked_index(rng: random.Random) -> Expr:
    """The index alone."""
    return stacked(rng)[0]


def stacked_validity(rng: random.Random) -> Expr:
    """The validity alone."""
    return stacked(rng)[1]


def lanes(rng: random.Random) -> Expr:
    """Row, column or address of a fragment's element, from lane and element."""
    lane, element = Variable("lane", 0, rng.choice((31, 63))), Variable("element", 0, rng.choice((3, 7)))
    q = rng.choice((4, 8, 16))
    row = lane // q + element // 2 % 2 * 8
    column = lane % q * 2 + element % 2 + element // 4 * 8
    width = rng.choice((8, 16, 32))
    return rng.choice(
        (row * width + column, (row * width + column) // 8 % 2, (row * width + column) % width, row, column)
    )


def windows(rng: random.Random) -> Expr:
    """Positions of a sliding window: convolution and pooling, through one flat position of a repeated row."""
    out, tap = Variable("out", 0, rng.choice((3, 5, 7, 11))), Variable("tap", 0, rng.choice((1, 2, 3, 4)))
    width = out.max + tap.max + rng.choice((1, 2))
    step = rng.choice((1, 1, 2))
    position = (tap.max + 1) * out + tap if rng.random() < 0.5 else out * step + tap * (width + 1)
    shifted = position - rng.choice((0, 0, 1, 2))
    return rng.choice(
        (shifted % width, shifted // width, (shifted % width < out.max) & (shifted // width < tap.max), shifted // step)
    )


KINDS: dict[str, Callable[[random.Random], Expr]] = {
    "radix": radix,
    "nested": nested,
    "put together": put_together,
    "common factors": common_factors,
    "negative": negative,
    "padding": padded,
    "masks": masks,
    "stack index": stacked_index,
    "stack validity": stacked_validity,
    "lanes": lanes,
    "windows": windows,
}


def family(seed: int, each: int) -> Iterator[Sample]:
    """`each` expressions of each kind that vary and are not trivial."""
    for kind, make in KINDS.items():
        rng = random.Random(f"{kind} {seed}")
        made: dict[Expr, None] = {}
        while len(made) < each:
            e = make(rng)
            if e.variables() and e.operations() > 1:
                made.setdefault(e)
        yield from (Sample(kind, e) for e in made)


def main() -> None:
    """Write the family with the fewest operations that are known for each."""
    from benchmarks.short_search import shorter

    records = []
    for sample in family(2024, 18):
        e = sample.expression
        fewest = e.simplify().operations()
        found = shorter(e.simplify(), fewest) if fewest > 1 else None
        ranges = {v.name: [v.min, v.max] for v in e.variables()}
        text = e.render()
        records.append({"kind": sample.kind, "text": text, "ranges": ranges, "fewest": found[0] if found else fewest})
    lines = ",\n".join(json.dumps(record) for record in records)
    sys.stdout.write(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
