/* Small help with the page: elements, themes, canvases. */

function h(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "text") e.textContent = value;
    else e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children);
  return e;
}

// Without this JupyterLab takes the arrow keys for moving between cells.
function keysOwn(e) {
  e.dataset.lmSuppressShortcuts = "true";
  return e;
}

// The paper is whatever is painted behind the element: so the theme of a notebook, a site or the system all work.
function paperBehind(element) {
  for (let e = element; e; e = e.parentElement || (e.getRootNode() && e.getRootNode().host)) {
    const parts = (getComputedStyle(e).backgroundColor.match(/[\d.]+/g) || []).map(Number);
    if (parts.length >= 3 && (parts.length < 4 || parts[3] > 0.5)) return parts.slice(0, 3);
  }
  const dark = /dark/.test(getComputedStyle(document.documentElement).colorScheme)
    && matchMedia("(prefers-color-scheme: dark)").matches;
  return dark ? [17, 19, 22] : [255, 255, 255];
}

function applyTheme(root, palette) {
  const [r, g, b] = paperBehind(root.parentElement || root);
  const name = 0.2126 * r + 0.7152 * g + 0.0722 * b < 110 ? "dark" : "light";
  const tokens = { ...palette[name].tokens, paper: `rgb(${r}, ${g}, ${b})` };
  if (matchMedia("(forced-colors: active)").matches) {
    Object.assign(tokens, { paper: "Canvas", ink: "CanvasText", muted: "CanvasText", hair: "CanvasText", rule: "CanvasText", accent: "Highlight", error: "CanvasText" });
  }
  for (const [key, value] of Object.entries(tokens)) root.style.setProperty(`--${key.replace("_", "-")}`, value);
  root.dataset.theme = name;
  return { name, tokens, colours: palette[name], paper: `${r},${g},${b}` };
}

// Calls back when the theme around the element may have changed; returns how to stop.
function watchTheme(changed) {
  const media = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("(forced-colors: active)")];
  const observer = new MutationObserver(changed);
  const attributes = ["data-jp-theme-light", "data-jp-theme-name", "data-theme", "class", "style"];
  for (const e of [document.documentElement, document.body]) observer.observe(e, { attributes: true, attributeFilter: attributes });
  media.forEach(m => m.addEventListener("change", changed));
  return () => { observer.disconnect(); media.forEach(m => m.removeEventListener("change", changed)); };
}

// A canvas measured in CSS pixels, cleared.
function sharp(canvas, width, height) {
  const density = window.devicePixelRatio || 1, w = Math.round(width * density), t = Math.round(height * density);
  const g = canvas.getContext("2d");
  if (canvas.width !== w || canvas.height !== t) {
    canvas.width = w; canvas.height = t; canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
  } else { g.setTransform(1, 0, 0, 1, 0, 0); g.clearRect(0, 0, w, t); }
  g.setTransform(density, 0, 0, density, 0, 0);
  g.textBaseline = "middle"; g.textAlign = "center";
  return g;
}

// Lines 6 px apart that run on from cell to cell.
function hatchPattern(canvas, colour) {
  const tile = document.createElement("canvas"), density = window.devicePixelRatio || 1, n = 6, c = sharp(tile, n, n);
  c.strokeStyle = colour; c.lineWidth = 1; c.beginPath();
  for (const k of [-n, 0, n]) { c.moveTo(k - 1, n + 1); c.lineTo(k + n + 1, -1); }
  c.stroke();
  const pattern = canvas.getContext("2d").createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / density));
  return pattern;
}

const packed = new Map();
function pack(hex) {
  let v = packed.get(hex);
  if (v === undefined) {
    const n = parseInt(hex.slice(1), 16);
    v = (255 << 24 | (n & 255) << 16 | (n >> 8 & 255) << 8 | n >> 16) >>> 0;
    packed.set(hex, v);
  }
  return v;
}

// Very many small cells: one pixel a cell, enlarged; null stays open.
function paintPixels(g, rows, columns, colourAt, x, y, cw, ch) {
  const tile = document.createElement("canvas"); tile.width = columns; tile.height = rows;
  const c = tile.getContext("2d"), image = c.createImageData(columns, rows), px = new Uint32Array(image.data.buffer);
  for (let r = 0, p = 0; r < rows; r++) for (let q = 0; q < columns; q++, p++) { const v = colourAt(r, q); if (v) px[p] = pack(v); }
  c.putImageData(image, 0, 0);
  g.imageSmoothingEnabled = false;
  g.drawImage(tile, x, y, columns * cw, rows * ch);
}

const whenIdle = window.requestIdleCallback ? f => window.requestIdleCallback(f) : f => setTimeout(f, 30);
const minus = v => v < 0 ? `\u2212${-v}` : `${v}`;
const signed = v => v > 0 ? `+${v}` : minus(v);
const product = a => a.reduce((x, y) => x * y, 1);
const tuple = a => a.length === 1 ? `(${a[0]},)` : `(${a.join(", ")})`;

function places(shape) {
  const out = Array(shape.length).fill(1);
  for (let i = shape.length - 2; i >= 0; i--) out[i] = out[i + 1] * shape[i + 1];
  return out;
}

function digits(p, shape) {
  const out = Array(shape.length);
  for (let i = shape.length - 1; i >= 0; i--) { out[i] = p % shape[i]; p = Math.floor(p / shape[i]); }
  return out;
}
