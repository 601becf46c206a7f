"""Solutions of the exercises, one module a notebook, for those who teach; `make student` leaves this folder out.

Each module has ``SOLUTIONS``, from the name of an exercise to an answer that is right. The tests try all of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules() -> Iterator[ModuleType]:
    """The modules, in the order of the notebooks."""
    for found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        yield importlib.import_module(f"solutions.{found.name}")
