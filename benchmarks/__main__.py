"""`make bench`: every table, or those that are named: `python -m benchmarks views machine`."""

import importlib
import sys

TABLES = ("views", "expressions", "machine", "arithmetic", "front_end")


def main() -> int:
    """Print the tables that were asked for."""
    wanted = sys.argv[1:] or TABLES
    unknown = [name for name in wanted if name not in TABLES]
    if unknown:
        print(f"no table is called {', '.join(unknown)}; there are {', '.join(TABLES)}", file=sys.stderr)
        return 2
    for name in wanted:
        print(importlib.import_module(f"benchmarks.{name}").run(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
