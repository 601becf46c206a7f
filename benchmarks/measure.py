"""Timing, always beside a peer in the same run: shared machines make bare seconds worthless, ratios hold."""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """CPU seconds of one call: the least of several, and the middle one."""

    least: float
    median: float


def cpu_seconds(call: Callable[[], object], repeats: int = 5, budget: float = 20.0) -> Timing:
    """CPU time of `call()` in seconds, over at most `repeats` calls and about `budget` seconds in all."""
    times: list[float] = []
    while len(times) < repeats and sum(times) < budget:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return Timing(min(times), statistics.median(times))


def each(calls: Iterable[Callable[[], object]]) -> list[float]:
    """Seconds of each call, once and in order: for many small things, of which the median and the tail matter."""
    times = []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


def quantile(times: list[float], share: float) -> float:
    """The time that `share` of all times do not exceed."""
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def human(seconds: float) -> str:
    """Seconds as a person writes them: 45.2 µs, 3.1 ms, 1.2 s."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def table(title: str, header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with its title."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [header, *rows]]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join([f"\n## {title}", *(f"| {line} |" for line in lines)])
