"""`make bench`: every table, or those that are named: `python -m benchmarks views machine`.

Each of several tables is made in a process of its own: what one peer needs in the environment would change another's.
"""

import importlib
import subprocess
import sys

TABLES = ("views", "expressions", "machine", "arithmetic", "front_end")


def main() -> int:
    """Print the tables that were asked for."""
    wanted = sys.argv[1:] or TABLES
    unknown = [name for name in wanted if name not in TABLES]
    if unknown:
        print(f"no table is called {', '.join(unknown)}; there are {', '.join(TABLES)}", file=sys.stderr)
        return 2
    if len(wanted) > 1:
        command = [sys.executable, "-m", "benchmarks"]
        return max(subprocess.run([*command, name], check=False).returncode for name in wanted)  # noqa: S603 (our own names)
    print(importlib.import_module(f"benchmarks.{wanted[0]}").run(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
