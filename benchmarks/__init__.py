"""Everything timed beside its peers, in one run: `python -m benchmarks`."""

import os

# The product by which numpy checks a result leaves threads that wait for another one: for a tenth of a second
# they burn as much CPU time as the kernel that is measured next
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "1")
