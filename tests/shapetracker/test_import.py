"""What importing the library brings along."""

import subprocess
import sys


def test_importing_shapetracker_imports_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); import shapetracker; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['shapetracker']"


def test_importing_gpuemu_brings_no_notebook_package() -> None:
    code = (
        "import sys, gpuemu; "
        "print([name for name in ('sympy', 'matplotlib', 'anywidget', 'ipywidgets', 'IPython') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
