"""Answers that are a kernel: a function with ``@cuda.jit``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exercises.arrays import equal
from exercises.exercise import Exercise, Inputs, Judgement, kind_of
from exercises.pictures import Array, Mask, arranged, lines, number, place, table
from exercises.watching import Race, Watch, counted, watched
from gpuemu import cuda
from gpuemu.errors import DivisionError, HazardError, LaunchError, LimitError, Report
from gpuemu.kernels.errors import KernelError
from gpuemu.kernels.python.launch import Compiled, Launch
from gpuemu.kernels.python.outside import explained
from gpuemu.uops import UOps
from shapetracker.drawing.grid import Cell, Grid
from shapetracker.drawing.layout import Code
from shapetracker.drawing.picture import Part

OTHER = 1000
"""Added to the seed for the second inputs, of other sizes, which every kernel must be right for too."""
MOST_DRAWN = 400
"""Elements of a matrix that is drawn whole."""
WINDOW = 8
"""Rows and columns of a larger one that are drawn, around what is wrong."""
MEETING = 8
"""Elements that are drawn around one in which two lanes meet."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel, launched on inputs by the exercise's grid; its first parameter is ``out``, which it must fill.

    `inputs` gives the other arguments by the names that the kernel must give them, in order; `wanted` the array that
    ``out`` must hold; a mistake's `gives` what the mistaken kernel leaves there (NaN where it writes nothing). Hazards
    that a mistake can name: those of the emulator's reports, ``race``, and races by what is done first and then, such
    as ``race-read-write``.

    Attributes
    ----------
    grid
        From the inputs to (blocks, threads). A learner who gives a launch, ``kernel[blocks, threads]``, chooses alone.
    start
        What ``out`` holds before the launch; NaN shows what is never written.
    most
        From the inputs to the most accesses, by (verb, memory), such as ``{("read", "a"): 8}``.
    most_ways
        The worst bank conflict that is allowed; None: any.
    uses
        Micro-operations that the kernel must become, each with the words for it.
    drawn
        The inputs that are drawn; None: all that are arrays.
    """

    grid: Callable[[Inputs], tuple[Any, Any]]
    start: float = float("nan")
    most: Callable[[Inputs], Mapping[tuple[str, str], int]] | None = None
    most_ways: int | None = None
    uses: Mapping[UOps, str] = field(default_factory=dict)
    drawn: tuple[str, ...] | None = None

    def judge(self, exercise: Exercise, answer: Any, seed: int) -> Judgement:
        """Run it on the inputs of the seed, then on others."""
        kernel = answer.kernel if isinstance(answer, Launch) else answer
        if not isinstance(kernel, cuda.Kernel):
            if callable(answer) and not isinstance(answer, type):
                return Judgement(False, "The function is no kernel yet: write @cuda.jit in the line above its def.")
            return Judgement(False, f"{kind_of(answer)} was given; a kernel is asked for: @cuda.jit above a def.")
        first = self._run(exercise, answer, exercise.drawn(seed))
        if not first.right:
            return first
        second = self._run(exercise, answer, exercise.drawn(seed + OTHER))
        if second.right:
            return first
        return Judgement(
            False, f"It is right for the first inputs, and not for others. {second.sentence}", second.parts
        )

    def _run(self, exercise: Exercise, answer: Any, inputs: dict[str, Any]) -> Judgement:
        wanted = np.asarray(exercise.wanted(**inputs))
        out = np.full(wanted.shape, self.start if wanted.dtype.kind == "f" else _integer(self.start), wanted.dtype)
        try:
            launch = answer if isinstance(answer, Launch) else answer[self.grid(inputs)]
            compiled = launch.compile(out, *inputs.values())
        except (KernelError, LaunchError) as error:
            head, *source = str(error).split("\n")
            return Judgement(False, f"It is no kernel yet: {head}.", _source(source))
        watch, failure = watched(
            compiled.program, *_given(compiled, (out, *inputs.values())), launch.blocks, launch.threads
        )
        trial = _Trial(exercise, inputs, out, wanted, self.start, compiled, watch)
        return self._judged(trial, failure)

    def _judged(self, trial: _Trial, failure: Exception | None) -> Judgement:
        picture = trial.picture(self.drawn)
        if isinstance(failure, HazardError):
            report = explained(failure.reports[0], failure.reports[0].buffer or "")
            return Judgement(False, trial.of_report(report), (*picture, *trial.lines(report.lines)))
        if isinstance(failure, LimitError):
            if "bytes" in str(failure):
                return Judgement(False, f"It asks for too much memory: {failure}.", picture)
            return Judgement(False, "It takes too many steps: does its loop end?", picture)
        if isinstance(failure, LaunchError):
            return Judgement(False, f"It cannot be launched: {failure}.", picture)
        if isinstance(failure, DivisionError):
            return Judgement(False, "A lane divides an integer by zero.", picture)
        if failure is not None:
            raise failure
        race = next(trial.watch.races(), None)
        if race is not None and (not trial.wrong.any() or trial.knows(race) or trial.typical() is None):
            return Judgement(False, trial.of_race(race), (*picture, trial.meeting(race), *trial.lines(race.lines)))
        if trial.wrong.any():
            return Judgement(False, trial.why_wrong(), picture)
        return self._finished(trial, picture)

    def _finished(self, trial: _Trial, picture: tuple[Part, ...]) -> Judgement:
        """The numbers are right; is the way to them?"""
        counts = trial.watch.counts()
        for uop, words in self.uses.items():
            if all(line.uop is not uop for line in trial.compiled.program.lines):
                return Judgement(False, f"The numbers are right, but {words}.", picture)
        for (verb, name), most in (self.most(trial.inputs) if self.most is not None else {}).items():
            if counts.get((verb, name), 0) > most:
                done = counted({(verb, name): counts[verb, name]})
                return Judgement(False, f"The numbers are right, but with {done}; {most} are enough.", picture)
        worst = max(trial.watch.ways().items(), key=lambda pair: pair[1], default=("", 1))
        if self.most_ways is not None and worst[1] > self.most_ways:
            words = f"The numbers are right, but lanes of a warp meet in one bank of {worst[0]}: {worst[1]} ways."
            return Judgement(False, words, picture)
        return Judgement(True, f"{counted(counts)}.", picture)


@dataclass(frozen=True, slots=True)
class _Trial:
    """One launch: what was wanted, and what came out."""

    exercise: Exercise
    inputs: dict[str, Any]
    out: Array
    wanted: Array
    start: float
    compiled: Compiled
    watch: Watch

    @property
    def wrong(self) -> Mask:
        return np.asarray(~equal(self.out, self.wanted))

    @property
    def empty(self) -> Mask:
        """What was never written."""
        if self.out.dtype.kind == "f" and np.isnan(self.start):
            return np.asarray(np.isnan(self.out))
        return np.zeros(self.out.shape, bool)

    def typical(self) -> str | None:
        """The sentence of the mistake that gives just these numbers."""
        for mistake in self.exercise.mistakes:
            if mistake.gives is not None and mistake.hazard is None:
                other = np.asarray(mistake.gives(**self.inputs))
                if other.shape == self.out.shape and bool(np.all(equal(self.out, other))):
                    return mistake.says
        return None

    def why_wrong(self) -> str:
        first = tuple(int(i) for i in np.argwhere(self.wrong)[0])
        many = int(self.wrong.sum())
        typical = self.typical()
        wanted = number(self.wanted[first])
        if self.empty[first]:
            where = f"out{place(first)} is never written, and {wanted} is wanted."
            missing = int((self.empty & self.wrong).sum())
            return (
                f"{typical} First: {where}" if typical else f"{missing} of {self.out.size} are never written: {where}"
            )
        where = f"First at out{place(first)}: {number(self.out[first])}, and {wanted} is wanted."
        return f"{typical or f'{many} of {self.out.size} are wrong.'} {where}"

    def of_report(self, report: Report) -> str:
        mine = self._named(report.kind, report.buffer)
        lane = report.lanes[0] if report.lanes else None
        who = f"Lane {lane.lane} of block {lane.workgroup[0]} " if lane is not None else "A lane "
        if report.kind == "divergent-barrier":
            who = "At a barrier, "
        what = f"{who}{report.cause}."
        return f"{mine} {what}" if mine else f"{what} {report.fix}."

    def of_race(self, race: Race) -> str:
        name = self.watch.name(race.memory)
        mine = self._named_race(race)
        (one, other), (verb, then) = race.lanes, race.verbs
        blocks = f" of block {race.groups[0]}", f" of block {race.groups[1]}"
        same = race.groups[0] == race.groups[1]
        element = f"{name}{place(self._place(race))}"
        did = {"read": "reads", "write": "writes", "atomic": "changes"}
        who = f"lane {one}{'' if same else blocks[0]} {did[verb]} {element}"
        and_who = f"lane {other}{'' if same else blocks[1]} {did[then]} it, in any order" + (
            ", with no barrier between" if same else ""
        )
        right = "" if self.wrong.any() else "The numbers are right here by luck: "
        what = f"{right}{who} and {and_who}."
        return f"{mine} {what[0].upper()}{what[1:]}" if mine else f"{what[0].upper()}{what[1:]}"

    def knows(self, race: Race) -> bool:
        """Whether the exercise has a sentence for this race."""
        return self._named_race(race) is not None

    def _named_race(self, race: Race) -> str | None:
        name = self.watch.name(race.memory)
        return self._named(f"race-{race.verbs[0]}-{race.verbs[1]}", name) or self._named("race", name)

    def _place(self, race: Race) -> tuple[int, ...]:
        name = self.watch.name(race.memory)
        array = self.out if name == "out" else self.inputs.get(name)
        if isinstance(array, np.ndarray) and not self.watch.is_local(race.memory):
            return tuple(int(i) for i in np.unravel_index(race.element, array.shape))
        return (race.element,)

    def _named(self, hazard: str, buffer: str | None) -> str | None:
        return next(
            (m.says for m in self.exercise.mistakes if m.hazard == hazard and m.buffer in (None, buffer)),
            None,
        )

    def meeting(self, race: Race) -> Grid:
        """The place where two lanes meet, among its neighbours in memory."""
        name, first = self.watch.name(race.memory), max(0, race.element - MEETING // 2)
        size = self.out.size if name == "out" else self.watch.size(race.memory)
        count = MEETING if size is None else min(MEETING, size - first)
        (one, other), (verb, then) = race.lanes, race.verbs

        def cell(_: int, column: int) -> Cell:
            met = first + column == race.element
            return Cell(f"{one}, {other}", ring="error") if met else Cell("·")

        return Grid(
            1,
            count,
            cell,
            title=name,
            caption=f"in the framed element lane {one} ({verb}) and lane {other} ({then}) meet",
            row_labels=[""],
            column_labels=[str(first + column) for column in range(count)],
            width=8 * len(f"{one}, {other}") + 8,
        )

    def lines(self, numbers: tuple[int, ...]) -> tuple[Part, ...]:
        """The source lines concerned."""
        return _source([str(where) for where in self.compiled.where(numbers)])

    def picture(self, drawn: tuple[str, ...] | None) -> tuple[Part, ...]:
        """Inputs, what came out, and what was wanted."""
        arrays = {
            name: value
            for name, value in self.inputs.items()
            if isinstance(value, np.ndarray) and (drawn is None or name in drawn)
        }
        everything = [*arrays.values(), self.out]
        if all(array.ndim == 1 for array in everything):
            rows = {**arrays, "out": self.out} | ({"wanted": self.wanted} if self.wrong.any() else {})
            return (lines(rows, {"out": self.wrong}, {"out": self.empty}),)
        grids = [
            table(name, array, group=group)
            for group, (name, array) in enumerate(arrays.items())
            if array.size <= MOST_DRAWN
        ]
        corner, part = self._part()
        caption = f"from {place(corner)}" if part != (slice(None),) * self.out.ndim else ""

        def shown(title: str, array: Array, wrong: Mask | None, empty: Mask | None, group: int) -> Grid:
            return table(title, array, caption=caption, wrong=wrong, empty=empty, group=group, corner=corner)

        grids.append(shown("out", self.out[part], self.wrong[part], self.empty[part], 2))
        if self.wrong.any():
            grids.append(shown("wanted", self.wanted[part], None, None, 7))
        return (arranged(grids),)

    def _part(self) -> tuple[tuple[int, ...], tuple[slice, ...]]:
        """The corner of what is drawn of a large matrix, around the first wrong element, and its slices."""
        if self.out.size <= MOST_DRAWN or self.out.ndim != 2:
            return (0,) * self.out.ndim, (slice(None),) * self.out.ndim
        first = np.argwhere(self.wrong)[0] if self.wrong.any() else (0, 0)
        corner = tuple(
            max(0, min(int(at) - WINDOW // 2, size - WINDOW)) for at, size in zip(first, self.out.shape, strict=True)
        )
        return corner, tuple(slice(at, at + WINDOW) for at in corner)


def _given(compiled: Compiled, arguments: tuple[Any, ...]) -> tuple[tuple[Array, ...], tuple[int, ...]]:
    """The arguments as a program takes them: flat buffers, and integers."""
    pairs = list(zip(compiled.arguments, arguments, strict=True))
    buffers = tuple(
        value.reshape(-1) if argument.kind == "array" else np.array([value], argument.dtype.numpy)
        for argument, value in pairs
        if argument.kind in ("array", "float")
    )
    return buffers, tuple(int(value) for argument, value in pairs if argument.kind in ("integer", "bool"))


def _integer(start: float) -> int:
    return 0 if np.isnan(start) else int(start)


def _source(found: list[str]) -> tuple[Part, ...]:
    shown = [line for line in found if line.strip()]
    return (Code(tuple(("", line) for line in shown)),) if shown else ()
