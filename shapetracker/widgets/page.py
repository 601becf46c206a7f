"""What the explorers share: a little script help, and a file of its own that needs neither kernel nor network."""

import base64
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

_HIDDEN = ".title { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }"
_MODEL = """
const decode = v => v && v.$bytes !== undefined
  ? new DataView(Uint8Array.from(atob(v.$bytes), c => c.charCodeAt(0)).buffer)
  : Array.isArray(v) ? v.map(decode)
  : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, decode(x)])) : v;
const state = decode(JSON.parse(document.getElementById("state").textContent)), handlers = {};
const model = {
  alone: true,
  get: name => state[name],
  set(name, value) { state[name] = value; (handlers[`change:${name}`] || new Set()).forEach(f => f()); },
  save_changes() {},
  on(names, f) { for (const name of names.split(" ")) (handlers[name] ||= new Set()).add(f); },
  off(names, f) { for (const name of names.split(" ")) handlers[name]?.delete(f); },
};
"""


def page_help() -> str:
    """The script that explorers share: elements, themes, canvases, and the table of one view."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("dom.js", "view_table.js"))


def view_style() -> str:
    """The style sheet of the view explorer, and of what looks like it."""
    return (HERE / "view_explorer.css").read_text(encoding="utf-8")


def standalone(title: str, script: str, style: str, state: Mapping[str, Any], still: str) -> str:
    """An explorer as one HTML file: it answers to pointer and keys, and loads nothing.

    Parameters
    ----------
    title : str
    script : str
        An ES module whose default export has `render`, as anywidget takes it.
    style : str
        CSS.
    state : mapping
        The traits that `render` reads; bytes are allowed.
    still : str
        HTML for where no script runs.

    Examples
    --------
    >>> page = standalone("t", "export default { render };", "", {"png": b"x"}, "<p>still</p>")
    >>> '{"png": {"$bytes": "eA=="}}' in page
    True
    """
    data = json.dumps(state, default=_bytes).replace("<", "\\u003c")
    module = script.replace("export default", "const explorer =") + _MODEL + "explorer.render({ model, el });\n"
    module = module.replace("</script", "<\\/script")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>\n'
        f"<style>html {{ color-scheme: light dark; }} body {{ margin: 0; background: Canvas; }} {_HIDDEN}\n"
        f"{style}</style></head>\n"
        f'<body><main><h1 class="title">{escape(title)}</h1><div id="explorer"></div>\n'
        f"<noscript>{still}</noscript></main>\n"
        f'<script type="application/json" id="state">{data}</script>\n'
        f'<script type="module">const el = document.getElementById("explorer");\n{module}</script></body></html>\n'
    )


def _bytes(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"$bytes": base64.b64encode(bytes(value)).decode()}
    raise TypeError(f"{type(value).__name__} is no plain data")
