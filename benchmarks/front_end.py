"""Kernels in Python: how long it takes to translate them, and to run them beside Numba's CUDA simulator.

The simulator runs the same functions in a process of its own; where it is not installed, its column says so.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import cpu_seconds, human, table

KERNELS = Path(__file__).parent.parent / "tests" / "gpuemu"
SIMULATOR = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {path!r})
import numpy as np
from course_kernels import CASES
found = {{}}
for case in CASES:
    began = time.process_time()
    try:
        right = all(np.allclose(x, y, rtol=1e-4, atol=1e-4) for x, y in case.run())
        found[case.name] = [time.process_time() - began, "right" if right else "wrong"]
    except AttributeError:
        found[case.name] = [0.0, "not in the simulator"]
print(json.dumps(found))
"""


def simulator() -> dict[str, tuple[float, str]]:
    """CPU seconds and verdict of each kernel on Numba's simulator; empty where Numba is not installed."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    python = os.environ.get("NUMBA_PYTHON", sys.executable)
    done = subprocess.run(  # noqa: S603 (our own text)
        [python, "-c", SIMULATOR.format(path=str(KERNELS))],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else {}


def run() -> str:
    """The table, with translation of the tiled matrix product and products from views above it."""
    sys.path.insert(0, str(KERNELS))
    from course_kernels import CASES

    peers, rows = simulator(), []
    for case in CASES:
        arguments, _ = case.build(np.random.default_rng(0))
        launch = case.kernel[case.blocks, case.threads]
        began = time.process_time()
        compiled = launch.compile(*arguments)
        translated = time.process_time() - began
        ours = cpu_seconds(lambda launch=launch, arguments=arguments: launch(*arguments), repeats=3, budget=2.0).least
        right = all(np.allclose(x, y, rtol=1e-4, atol=1e-4) for x, y in case.run())
        seconds, verdict = peers.get(case.name, (0.0, "not installed"))
        ratio = f"{seconds / ours:.0f}×" if verdict == "right" else "–"
        lines = str(len(compiled.program.lines))
        peer = human(seconds) if verdict == "right" else verdict
        rows.append([case.name, lines, human(translated), human(ours), "right" if right else "wrong", peer, ratio])
    header = ["kernel", "lines", "translate", "run", "result", "Numba's simulator", "ratio"]
    return table("Kernels in Python, CPU seconds", header, rows) + "\n" + from_views()


def from_views() -> str:
    """Matrix products of 128³ half from views, built and run."""
    from gpuemu import tensorcores
    from gpuemu.kernels.from_views import matmul
    from shapetracker import ShapeTracker

    view, rng, rows = ShapeTracker.from_shape((128, 128)), np.random.default_rng(0), []
    a, b = (rng.standard_normal((128, 128)).astype(np.float16) for _ in range(2))
    out = np.zeros((128, 128), np.float32)
    for target, name in (
        ("METAL", "simdgroup.8x8x8"),
        ("HSA", "gfx1100.wmma_f32_16x16x16_f16.w32"),
        ("CUDA", "m16n8k16"),
    ):
        core = tensorcores.instruction(name)
        for layout, tracker in (("row-major", view), ("transposed", view.permute((1, 0)))):
            built = cpu_seconds(lambda tracker=tracker, core=core: matmul(view, tracker, core), repeats=3).least
            kernel = matmul(view, tracker, core)
            ran = cpu_seconds(lambda kernel=kernel: kernel(out, a, b), repeats=3).least
            wanted = a.astype(np.float64) @ (b if layout == "row-major" else b.T).astype(np.float64)
            assert np.allclose(out, wanted, atol=1e-3)
            rows.append([target, f"B {layout}", human(built), human(ran)])
    return table("128³ half from views, CPU seconds", ["target", "layout", "build", "run"], rows)
