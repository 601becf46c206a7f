// Colours by lane, and a radio group. lane_explorer.py joins the page help of shapetracker's explorers and the lane_*.js files
// into one module, in its order; the palette comes from Python.

/** Fill of a cell: place t from 0 to 1 inside its group. mood: "full", "hushed" under a number, "bare" where no number fits. */
function tone(look, group, t, mood = "full") {
  const shades = look.colours.fills[mood][((group % 8) + 8) % 8];
  return shades[Math.round(t * (shades.length - 1))];
}

/** Fill of an ordered value (k), t from 0 to 1: one hue, pale to deep. */
function ramp(look, t, mood = "full") {
  const shades = look.colours.ramp[mood];
  return shades[Math.round(t * (shades.length - 1))];
}

/** A radio group that reads as words in a row. */
function choice(name, options, value, set) {
  const box = h("div", { class: "seg", role: "radiogroup", "aria-label": name }, h("span", { text: name }));
  const buttons = options.map(([v, label]) =>
    keysOwn(h("button", { type: "button", role: "radio", text: label, "data-v": v, onclick: () => pick(v) })));
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

