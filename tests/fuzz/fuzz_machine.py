"""Random programs, most of them broken: their text and their lists of lines, read, checked and launched.

    python tests/fuzz/fuzz_machine.py --seconds 60 --seed 1

Well-formed programs are mutated: lines swapped, dropped and repeated, sources, dtypes and args exchanged, characters of
the text changed. Whatever comes out, it either runs or is refused with an error of this project; it never crashes,
hangs, or raises anything else. Prints each fault, then what was run; the exit status is 1 when there was a fault.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuemu import Device, Limits, Program, UOps, dtypes
from gpuemu.alu import ALU_OPS
from gpuemu.dtypes import SCALARS, DType
from gpuemu.errors import GpuEmuError
from gpuemu.uops import ATOMICS

Line = tuple[Any, Any, list[int], Any]
LIMITS = Limits(lines=2000, text=1 << 20, workgroup_bytes=1 << 22, steps=20_000)
SLOWEST = 20.0  # seconds that one case may take, on a busy machine
INT, FLOAT, HALF, BOOL = dtypes.int32, dtypes.float32, dtypes.half, dtypes.bool

SEEDS: list[list[Line]] = [
    [
        *((UOps.DEFINE_GLOBAL, FLOAT, [], (0, True)), (UOps.DEFINE_GLOBAL, FLOAT, [], (1, False))),
        *((UOps.SPECIAL, INT, [], (0, "gidx0", 2)), (UOps.SPECIAL, INT, [], (0, "lidx0", 32))),
        *((UOps.CONST, INT, [], 0), (UOps.CONST, INT, [], 5), (UOps.DEFINE_VAR, INT, [], "n")),
        *((UOps.DEFINE_ACC, FLOAT, [8], (0.0, 0)), (UOps.RANGE, INT, [4, 5], (0, 0))),
        *((UOps.LOAD, FLOAT, [1, 8], None), (UOps.ALU, FLOAT, [7, 9], "ADD"), (UOps.PHI, FLOAT, [7, 10, 8], None)),
        *((UOps.ALU, BOOL, [8, 3], "CMPLT"), (UOps.IF, None, [12], None), (UOps.BREAK, None, [], None)),
        *((UOps.ENDIF, None, [13], None), (UOps.ENDRANGE, None, [8], None), (UOps.STORE, None, [0, 3, 7], None)),
    ],
    [
        *((UOps.DEFINE_GLOBAL, INT, [], 0), (UOps.DEFINE_LOCAL, INT, [], ("tile", 64))),
        *(
            (UOps.SPECIAL, INT, [], (0, "lidx0", 32)),
            (UOps.STORE, None, [1, 2, 2], None),
            (UOps.BARRIER, None, [3], None),
        ),
        *((UOps.CONST, INT, [], 1), (UOps.SHUFFLE, INT, [2, 5], "xor"), (UOps.VOTE, dtypes.uint32, [6], "ballot")),
        *((UOps.ATOMIC, INT, [1, 2, 5], "add"), (UOps.ALU, INT, [8, 5], "DIV"), (UOps.CAST, INT.vec(2), [8, 9], None)),
        *((UOps.GEP, INT, [10], 1), (UOps.WARP_BARRIER, None, [], None), (UOps.LOAD, INT, [1, 2, 4], None)),
        *((UOps.BITCAST, FLOAT, [13], None), (UOps.STORE, None, [0, 2, 11], None)),
    ],
    [
        (UOps.DEFINE_LOCAL, HALF, [], ("tile", 512)),
        *((UOps.SPECIAL, INT, [], (0, "lidx0", 32)), (UOps.CONST, INT, [], 16), (UOps.ALU, INT, [1, 2], "MUL")),
        *((UOps.CONST, HALF.vec(16), [], 1.0), (UOps.STORE, None, [0, 3, 4], None), (UOps.BARRIER, None, [5], None)),
        *(
            (UOps.LDMATRIX, HALF.vec(8), [0, 3], "ldmatrix.x4"),
            (UOps.LDMATRIX, HALF.vec(4), [0, 3], "ldmatrix.x2.trans"),
        ),
        *((UOps.CONST, FLOAT.vec(4), [], 0.5), (UOps.WMMA, FLOAT.vec(4), [7, 8, 9], "m16n8k16")),
        (UOps.STMATRIX, None, [0, 3, 8], "stmatrix.x2"),
    ],
    [
        *((UOps.DEFINE_GLOBAL, dtypes.imageh((3, 4, 4)), [], (0, True)), (UOps.CONST, INT, [], 2)),
        *((UOps.CAST, INT.vec(2), [1, 1], None), (UOps.LOAD, FLOAT.vec(4), [0, 2], None)),
        *((UOps.ALU, FLOAT.vec(4), [3, 3], "MAX"), (UOps.STORE, None, [0, 2, 4], None)),
    ],
]
ARGS: list[Any] = [
    *(None, True, 0, 1, -1, 7, 2**31, -(2**63), 2**70, 0.5, float("nan"), float("inf"), "", "x", "gidx0", "lidx1"),
    *((), (0,), (0, True), (1, False), ("tile", 4), ("tile", 10**12), ("tile", -1), (0, "gidx0", 2), (2, "lidx2", "n")),
    *(("a", ("b", ("c",))), dtypes.half, object(), b"bytes", [1, 2], {"a": 1}, 3 + 4j, *ATOMICS, "up", "any", "ballot"),
    *("m16n8k16", "ldmatrix.x4", "stmatrix.x1", ("WMMA", (8, 16, 16), HALF, FLOAT, (8, 4, 4), "CUDA")),
    *(("WMMA", (16, 16, 16), "half", "float", (16, 16, 8), "HSA"), ("WMMA", 8, HALF, FLOAT, (2, 2), "METAL"), *ALU_OPS),
]
WIDTHS = (1, 1, 2, 4, 8, 16, 1024)
PIECES = [
    "%",
    "(",
    ")",
    ",",
    ":",
    "=",
    '"',
    "'",
    "\\",
    "#",
    "\n",
    " ",
    "x",
    "0",
    "9" * 50,
    "1e999",
    "-inf",
    "nan",
    "\x00",
    "é",
]
PIECES += [
    "RANGE",
    "ENDRANGE",
    "IF",
    "int32x4",
    "imagef(1,1,4)",
    "%0",
    "program",
    "warp",
    "0x",
    "None",
    "((((((((",
    "\\U0010ffff",
]


@dataclass
class Report:
    """What was run, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, kind: str, case: object, detail: object) -> None:
        self.faults.append(f"{kind}: {detail}\n{case}")


def random_dtype(source: random.Random) -> Any:
    dtype: DType = source.choice(list(SCALARS.values()))
    width = source.choice(WIDTHS)
    return source.choice([dtype.vec(width) if width > 1 else dtype] * 6 + [None, "int32", dtypes.imagef((2, 2, 4))])


def mutate(source: random.Random, lines: list[Line]) -> list[Any]:
    """A few changes to a list of lines."""
    lines = list(lines)
    for _ in range(source.choice((0, 1, 1, 1, 2, 3, 8))):
        i = source.randrange(len(lines)) if lines else 0
        change = source.randrange(8)
        if not lines or change == 0:
            lines.insert(i, (source.choice(list(UOps)), random_dtype(source), [], source.choice(ARGS)))
        elif change == 1:
            del lines[i]
        elif change == 2:
            lines.insert(i, source.choice(lines))
        elif change == 3:
            j = source.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        else:
            lines[i] = changed_line(source, lines[i], change, len(lines))
    return lines


def changed_line(source: random.Random, line: Any, change: int, count: int) -> Any:
    uop, dtype, sources, arg = line if isinstance(line, tuple) and len(line) == 4 else (UOps.CONST, INT, [], 0)
    if change == 4:
        dtype = random_dtype(source)
    elif change == 5:
        sources = list(sources)
        for _ in range(source.randint(1, 2)):
            sources.insert(source.randint(0, len(sources)), source.choice((source.randrange(count + 1), -1, 10**9)))
        sources = sources[source.randint(0, 1) :]
    elif change == 6:
        arg = source.choice(ARGS)
    else:
        uop = source.choice([*UOps, *UOps, "CONST", None])
    return source.choice([(uop, dtype, sources, arg)] * 20 + [(uop, dtype, sources), None, "line"])  # type: ignore[arg-type]


def mutate_text(source: random.Random, text: str) -> str:
    """A few changes to a text."""
    for _ in range(source.choice((1, 1, 2, 3, 10))):
        i = source.randint(0, len(text))
        j = min(len(text), i + source.choice((0, 0, 1, 1, 3, 20)))
        piece = source.choice([*PIECES, text[source.randint(0, len(text)) :][:30]])
        text = text[:i] + piece * source.choice((1, 1, 1, 1, 40)) + text[j:]
    return text


def launch(source: random.Random, program: Program, report: Report) -> None:
    """Run it on buffers of some size; what its checks refuse is no fault."""
    buffers = [
        np.zeros(
            int(np.prod(line.dtype.shape)) if hasattr(line.dtype, "shape") else source.choice((0, 1, 64, 64, 64, 64)),
            line.dtype.numpy,
        )
        for line in program.lines
        if line.uop is UOps.DEFINE_GLOBAL and line.dtype is not None
    ]
    vals = [source.choice((0, 1, 5, 127)) for line in program.lines if line.uop is UOps.DEFINE_VAR]
    sizes = {"global_size": (source.choice((1, 2)), 1, 1), "local_size": (source.choice((1, 32, 32, 64)), 1, 1)}
    for line in program.lines if source.random() < 0.9 else ():  # what the program says, mostly
        if line.uop is UOps.SPECIAL and isinstance(line.arg[2], int) and 0 < line.arg[2] <= 256:
            key = "global_size" if line.arg[1][0] == "g" else "local_size"
            sizes[key] = tuple(line.arg[2] if axis == line.arg[0] else n for axis, n in enumerate(sizes[key]))
    program(*buffers, **sizes, vals=vals, checks=source.choice(("default", "none")))
    report.counts["ran"] += 1


def one_list(source: random.Random, report: Report) -> object:
    """A list of lines: checked, written, read again, run."""
    lines = mutate(source, source.choice(SEEDS))
    program = Program("fuzz", lines, source.choice((32, 32, 64, 1)), LIMITS)
    report.counts["well formed"] += 1
    text = program.to_text()
    if Program.from_text(text, LIMITS).to_text() != text:
        report.fault("text", text, "does not round-trip")
    launch(source, program, report)
    return lines


def one_text(source: random.Random, report: Report) -> object:
    """A text: read, compiled to bytes, run."""
    text = mutate_text(source, Program("fuzz", source.choice(SEEDS)).to_text())
    device = Device("PYTHON", LIMITS)
    launch(source, device.runtime("fuzz", device.compiler.compile(text)), report)
    return text


def one_library(source: random.Random, report: Report) -> object:
    """Bytes, some of them changed."""
    device = Device("PYTHON", LIMITS)
    library = bytearray(device.compiler.compile(Program("fuzz", source.choice(SEEDS)).to_text()))
    for _ in range(source.choice((1, 1, 4))):
        library[source.randrange(len(library))] = source.randrange(256)
    launch(source, device.runtime("fuzz", bytes(library)), report)
    return library


def fuzz(seconds: float, seed: int, most: int | None = None) -> Report:
    """Run for this time, or this number of cases."""
    source = random.Random(seed)
    report = Report()
    end = time.monotonic() + seconds
    while time.monotonic() < end and len(report.faults) < 10 and (most is None or report.counts["tried"] < most):
        report.counts["tried"] += 1
        case_seed = source.randrange(2**63)
        run = (one_list, one_list, one_text, one_library)[report.counts["tried"] % 4]
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                run(random.Random(case_seed), report)
        except GpuEmuError as error:
            report.counts[type(error).__name__] += 1
            str(error)
        except Exception as error:
            report.fault(type(error).__name__, f"{run.__name__}, case {case_seed}", error)
        if time.monotonic() - began > SLOWEST:
            report.fault("slow", f"{run.__name__}, case {case_seed}", f"{time.monotonic() - began:.1f} s")
    return report


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60.0)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    faulthandler.enable()
    faulthandler.dump_traceback_later(given.seconds + 10 * SLOWEST, exit=True)  # a hang shows where it is
    report = fuzz(given.seconds, given.seed)
    for fault in report.faults:
        sys.stdout.write(fault + "\n")
    counts = ", ".join(f"{count} {what}" for what, count in report.counts.items())
    sys.stdout.write(f"seed {given.seed}: {counts}, {len(report.faults)} faults\n")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
