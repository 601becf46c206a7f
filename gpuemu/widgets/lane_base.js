// Colours and small helpers of the lane explorer. lane_explorer.py joins the lane_*.js files into one module, in its order.

// Hue names a group, lightness the place inside it. Neighbouring hues lie on opposite sides of the blue-yellow axis, which
// every common kind of colour blindness keeps; hues that one kind confuses also part in lightness (LIFT).
const HUES = [250, 68, 205, 40, 300, 108, 348, 155];
const LIFT = [0.015, 0.005, 0.035, -0.035, -0.04, 0.035, 0, -0.02];
const RANGE = { light: [0.885, 0.67], dark: [0.515, 0.375] };
const CELL_INK = { light: "#131517", dark: "#f7f8f9" };
const CELL_MUTED = { light: "#586069", dark: "#a3abb3" };

const gamma = (v) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);

/** OKLCH to #rrggbb; chroma shrinks until the colour exists in sRGB. */
function oklch(lightness, chroma, hue) {
  const t = (hue * Math.PI) / 180;
  for (let c = chroma; ; c -= 0.003) {
    c = Math.max(c, 0);
    const a = c * Math.cos(t), b = c * Math.sin(t);
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const rgb = [
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ].map(gamma);
    if (c === 0 || rgb.every((v) => v >= -0.0005 && v <= 1.0005)) {
      const byte = (v) => Math.round(255 * Math.min(1, Math.max(0, v))).toString(16).padStart(2, "0");
      return "#" + rgb.map(byte).join("");
    }
  }
}

const memo = new Map();
function remembered(key, make) {
  let value = memo.get(key);
  if (value === undefined) memo.set(key, (value = make()));
  return value;
}

/** Fill of a cell: place t from 0 to 1 inside its group. hush: "" full colour, "pale" under a number, "bare" where no number fits. */
function tone(theme, group, t, hush = "") {
  const g = ((group % 8) + 8) % 8, light = theme === "light", hue = HUES[g];
  return remembered(`${theme}${g}|${t}|${hush}`, () => {
    if (hush === "bare") return light ? oklch(0.945 - 0.02 * t, 0.035, hue) : oklch(0.3 - 0.03 * t, 0.05, hue);
    if (hush === "pale") return light ? oklch(0.978 - 0.012 * t, 0.016, hue) : oklch(0.235 - 0.02 * t, 0.022, hue);
    const [a, b] = RANGE[theme];
    return oklch(a + (b - a) * t + LIFT[g] * (light ? 1 : 0.8), light ? 0.12 : 0.105, hue);
  });
}

/** Fill of an ordered value (k), t from 0 to 1: one hue, pale to deep. */
function ramp(theme, t, hush = "") {
  const light = theme === "light";
  return remembered(`ramp${theme}|${t}|${hush}`, () => {
    if (hush === "bare") return light ? oklch(0.95 - 0.04 * t, 0.03, 230) : oklch(0.31 - 0.06 * t, 0.03, 230);
    if (hush === "pale") return light ? oklch(0.975, 0.012, 230) : oklch(0.235, 0.018, 230);
    const [a, b] = light ? [0.95, 0.66] : [0.53, 0.3];
    return oklch(a + (b - a) * t, 0.03 + 0.085 * t, 235 - 25 * (1 - t));
  });
}

/** "light" or "dark", by the luminance of the paper that is painted, whoever painted it. */
function themeOf(element) {
  const [r, g, b] = getComputedStyle(element).backgroundColor.match(/[\d.]+/g).map(Number);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 110 ? "dark" : "light";
}

function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** JupyterLab's own shortcuts would swallow the arrow keys of a focused part. */
function ownsKeys(element) {
  element.dataset.lmSuppressShortcuts = "true";
  return element;
}

/** A radio group that reads as words in a row. */
function choice(name, options, value, set) {
  const box = node("div", { class: "seg", role: "radiogroup", "aria-label": name }, node("span", { text: name }));
  const buttons = options.map(([v, label]) =>
    ownsKeys(node("button", { type: "button", role: "radio", text: label, "data-v": v, onclick: () => pick(v) })));
  box.show = (v) => buttons.forEach((b) => {
    const on = b.dataset.v === v;
    b.setAttribute("aria-checked", on);
    b.tabIndex = on ? 0 : -1;
  });
  const pick = (v) => { box.show(v); set(v); };
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = buttons.findIndex((b) => b.getAttribute("aria-checked") === "true");
    const next = buttons[(at + step + buttons.length) % buttons.length];
    pick(next.dataset.v);
    next.focus();
  });
  box.append(...buttons);
  box.show(value);
  return box;
}

/** Sizes a canvas in CSS pixels and returns its cleared context; a new bitmap costs more than a wipe. */
function fresh(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1, w = Math.round(width * ratio), h = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  } else {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, w, h);
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  return ctx;
}

const signed = (v) => (v < 0 ? "\u2212" + -v : "" + v);
const whenIdle = window.requestIdleCallback ? (f) => window.requestIdleCallback(f) : (f) => setTimeout(f, 30);
