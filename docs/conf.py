"""The site: the notebooks as they are stored, guides, explanations, a gallery, and the reference from the docstrings.

Nothing here asks another host, while it is built or while it is read: formulas are MathML, and there is no script but
the theme's own.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import gallery  # noqa: E402 - beside this file

project = "lanewise"
copyright = "2026, the lanewise authors"
author = "The lanewise authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]

(HERE / "sheets").mkdir(exist_ok=True)  # Sphinx looks for it before `bring_sources` fills it

html_theme = "furo"
html_title = "lanewise"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["lanewise.css"]
html_extra_path = ["sheets"]  # pages to print, as they are
html_math_renderer = "mathml"
html_theme_options = {
    "light_css_variables": {"color-foreground-muted": "#586069"},  # the theme's own grey is too pale on grey
    "dark_css_variables": {"color-foreground-muted": "#a3abb3"},
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the stored outputs are shown; the tests have compared them

autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = False
# A docstring says "shape : the size of each axis"; a word there is a word, not a reference to one of several `shape`s.
suppress_warnings = ["ref.python"]


def bring_sources(_app: object) -> None:
    """Sphinx reads sources from its own folder only: bring the notebooks in, and make the gallery and the sheets."""
    target = HERE / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for source in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        shutil.copy(source, target)
    shutil.copy(HERE.parent / "notebooks" / "README.md", target)
    gallery.write(HERE / "gallery")
    gallery.write_sheets(HERE / "sheets" / "sheets")


def inline_mathml(translator: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block_mathml(translator: Any, node: nodes.math_block) -> None:
    """A formula of its own."""
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


ACCESSIBLE = {
    "<pre>": '<pre tabindex="0">',  # wide code scrolls; so the keyboard must reach it
    '<div class="math">': '<div class="math" tabindex="0">',
    'class="caption" role="heading"><': 'class="caption" role="heading" aria-level="2"><',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
}
"""What the theme and Sphinx leave out of their pages, and what stands there instead."""


def make_accessible(app: Any, error: Exception | None) -> None:
    """Amend the pages for the keyboard and for screen readers."""
    if error is not None or app.builder.name != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        if page.parent.name == "sheets":
            continue
        text = amended = page.read_text(encoding="utf-8")
        for given, wanted in ACCESSIBLE.items():
            amended = amended.replace(given, wanted)
        if amended != text:
            page.write_text(amended, encoding="utf-8")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline_mathml, None), (block_mathml, None))
    app.connect("builder-inited", bring_sources)
    app.connect("build-finished", make_accessible)
