"""Hold the catalogue and the units against the GPU of this machine.

    python tests/hardware [FOLDER]

Reads the lane maps of every instruction that the GPU has; with FOLDER, records dot products there, in the format that
`gpuemu vectors FOLDER` reads. Needs nvcc and an NVIDIA GPU, and says so where they are missing.
"""

import sys
import tempfile
from functools import partial
from pathlib import Path

from cuda_source import instructions, runs_on
from dot_products import record
from gpu import Gpu, compile_probe, find, missing, run
from lane_probe import Run, check, check_copy

from gpuemu import tensorcores
from gpuemu.tensorcores.arithmetic.recorded import compare


def say(line: str) -> None:
    """Print a line now."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def lanes(gpu: Gpu, runner: Run) -> int:
    """Check every lane map; how many instructions differ."""
    copies = [x for x in tensorcores.copy_instructions() if runs_on(x.arch, gpu.capability)]
    wrong = 0
    for checks, some in ((check, instructions(gpu.capability)), (check_copy, copies)):
        for x in some:
            found = checks(x, runner)
            say("\n".join(found) or f"as in the catalogue: {x.name}")
            wrong += bool(found)
    return wrong


def main(arguments: list[str]) -> int:
    """The exit code is 1 where the GPU differs, 0 otherwise, and where nothing ran."""
    why_not, gpu = missing(), find()
    if why_not or gpu is None:
        say(f"did not run: {why_not}")
        return 0
    say(f"{gpu.name}, compute capability {gpu.capability}, driver {gpu.driver}; unit {gpu.unit}")
    with tempfile.TemporaryDirectory() as folder:
        runner = partial(run, compile_probe(gpu.capability, Path(folder)))
        wrong = lanes(gpu, runner)
        for target in map(Path, arguments[:1]):
            say(f"{record(gpu, runner, target)} sets in {target}")
            sets = compare(target)
            say("\n".join(f"{one.file}: {one}" for one in sets))
            wrong += sum(one.same < one.rows for one in sets)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
