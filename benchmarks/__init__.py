"""Everything timed beside its peers, in one run: `python -m benchmarks`."""

import os

# The product by which numpy checks a result leaves threads that wait for another one: for a tenth of a second
# they burn as much CPU time as the kernel that is measured next
for _library in ("OPENBLAS", "MKL", "OMP", "VECLIB"):
    os.environ.setdefault(f"{_library}_{'MAXIMUM' if _library == 'VECLIB' else 'NUM'}_THREADS", "1")
