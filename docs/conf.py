"""The site: the notebooks as they are stored, guides, and the reference from the docstrings."""

import shutil
from pathlib import Path

HERE = Path(__file__).parent

project = "lanewise"
copyright = "2026, the lanewise authors"
author = "The lanewise authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "lanewise"
html_copy_source = False

myst_enable_extensions = ["dollarmath", "colon_fence"]
nb_execution_mode = "off"  # the stored outputs are shown; the tests have compared them

autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = False
# A docstring says "shape : the size of each axis"; a word there is a word, not a reference to one of several `shape`s.
suppress_warnings = ["ref.python"]


def copy_notebooks(_app: object) -> None:
    """Sphinx reads sources from its own folder only: bring the notebooks in."""
    target = HERE / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for notebook in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        shutil.copy(notebook, target)


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", copy_notebooks)  # type: ignore[attr-defined]
