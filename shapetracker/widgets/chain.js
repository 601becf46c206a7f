/* The chain of operations: one row a step, its arguments typed, dragged, or moved by sliders. */

const NUMBER = /[-\u2212]?\d+/g;
const LONG = 20;   // characters, up to which a field stands beside its operation; a longer one has a line to itself
const numberOf = text => parseInt(text.replace("\u2212", "-"), 10);

// ask(chain) sends a changed chain to Python; the rows that come back say what each step gives.
function chainEditor(ask) {
  const list = h("div", { class: "chain", role: "list", "aria-label": "chain of operations" });
  const add = h("div", { class: "add" });
  let chain = { start: "", steps: [], shown: 0 }, rows = [], open = null, operations = [];

  const changed = () => ask({ start: chain.start, steps: chain.steps.map(s => [...s]), shown: chain.shown });
  const textOf = i => i < 0 ? chain.start : chain.steps[i][1];
  function setText(i, text) { if (i < 0) chain.start = text; else chain.steps[i][1] = text; changed(); }

  function move(i, by, focus) {
    const j = i + by;
    if (j < 0 || j >= chain.steps.length) return;
    [chain.steps[i], chain.steps[j]] = [chain.steps[j], chain.steps[i]];
    open = j; build(); changed();
    if (focus) list.children[j + 1].querySelector("input").focus();
  }
  function remove(i) {
    chain.steps.splice(i, 1);
    chain.shown = Math.min(chain.shown > i ? chain.shown - 1 : chain.shown, chain.steps.length);
    open = chain.steps.length - 1; build(); changed();
    const last = list.children[Math.min(i, chain.steps.length)];
    last.querySelector("input").focus();
  }
  function append(operation) {
    const state = rows[rows.length - 1];
    chain.steps.push([operation, state && state.next ? state.next[operation] : "()"]);
    chain.shown = chain.steps.length; open = chain.steps.length - 1;
    build(); changed();
    list.lastElementChild.querySelector("input").select();
  }

  function field(i) {
    const first = i < 0, name = first ? "shape of the buffer" : `arguments of ${chain.steps[i][0]}, step ${i + 1}`;
    const e = keysOwn(h("input", { type: "text", spellcheck: "false", autocomplete: "off", "aria-label": name }));
    e.value = textOf(i);
    e.addEventListener("focus", () => { if (open !== i) { open = i; describe(); } });
    e.addEventListener("input", () => setText(i, e.value));
    e.addEventListener("keydown", event => {
      const up = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!up) return;
      event.preventDefault();
      if (event.altKey) { if (!first) move(i, -up, true); return; }
      const caret = e.selectionStart;
      for (const m of e.value.matchAll(NUMBER)) {
        if (caret < m.index || caret > m.index + m[0].length) continue;
        replace(m.index, m[0].length, numberOf(m[0]) + up * (event.shiftKey ? 10 : 1));
        break;
      }
    });
    function replace(at, length, value) {
      const text = `${value}`;
      e.value = e.value.slice(0, at) + text + e.value.slice(at + length);
      e.setSelectionRange(at, at + text.length);
      setText(i, e.value);
      return text.length;
    }
    const ruler = document.createElement("canvas").getContext("2d");
    function numberAt(x) {
      ruler.font = getComputedStyle(e).font;
      const k = Math.floor((x - e.getBoundingClientRect().left - 1 + e.scrollLeft) / ruler.measureText("0").width);
      for (const m of e.value.matchAll(NUMBER)) if (k >= m.index && k < m.index + m[0].length) return m;
      return null;
    }
    let drag = null;
    e.addEventListener("pointerdown", event => {
      const m = numberAt(event.clientX);
      drag = m && { x: event.clientX, at: m.index, from: numberOf(m[0]), value: numberOf(m[0]), length: m[0].length, on: false };
    });
    e.addEventListener("pointermove", event => {
      if (!drag || !(event.buttons & 1)) { e.style.cursor = numberAt(event.clientX) ? "ew-resize" : "text"; return; }
      if (Math.abs(event.clientX - drag.x) > 4 && !drag.on) { drag.on = true; e.setPointerCapture(event.pointerId); }
      if (!drag.on) return;
      event.preventDefault();
      const value = drag.from + Math.round((event.clientX - drag.x) / 10);
      if (value !== drag.value) { drag.value = value; drag.length = replace(drag.at, drag.length, value); }
      e.setSelectionRange(drag.at, drag.at + drag.length);
    });
    e.addEventListener("pointerup", () => { drag = null; });
    e.addEventListener("dragstart", event => event.preventDefault());
    return e;
  }

  function line(i) {
    const first = i < 0, operation = first ? "buffer" : chain.steps[i][0];
    const tool = (text, label, f, off) => keysOwn(h("button", { type: "button", text, "aria-label": label, title: label, disabled: off, onclick: f }));
    const kind = first ? h("span", { class: "op", text: "buffer" })
      : keysOwn(h("select", { class: "op", "aria-label": `operation of step ${i + 1}`, onchange: event => {
        const state = rows[i + 1], op = event.target.value;
        chain.steps[i] = [op, state && state.here && state.here[op] ? state.here[op] : "()"];
        open = i; build(); changed();
      } }, ...operations.map(o => h("option", { value: o, text: o, selected: o === operation }))));
    const number = keysOwn(h("button", { class: "n", type: "button", text: first ? "0" : `${i + 1}`, title: "look at this step", "aria-label": `look at step ${i + 1}`, onclick: () => { chain.shown = i + 1; open = i; changed(); } }));
    const tools = first ? h("span") : h("span", { class: "tools" },
      tool("\u2191", `move ${operation} up`, () => move(i, -1), i === 0),
      tool("\u2193", `move ${operation} down`, () => move(i, 1), i === chain.steps.length - 1),
      tool("\u00d7", `remove ${operation}`, () => remove(i)));
    return h("div", { class: "row", role: "listitem" }, number, kind, field(i), tools,
      h("div", { class: "sliders" }), h("div", { class: "res" }), h("div", { class: "err", id: `err-${Math.random().toString(36).slice(2)}` }));
  }

  function build() {
    list.replaceChildren(...[-1, ...chain.steps.keys()].map(line));
    add.replaceChildren("then", ...operations.map(o => keysOwn(h("button", { type: "button", text: o, "aria-label": `add ${o}`, onclick: () => append(o) }))));
    describe();
  }

  // What Python said about each step; the fields themselves stay, so that typing is not disturbed.
  function describe() {
    [...list.children].forEach((element, j) => {
      const i = j - 1, state = rows[j] || {}, wrong = state.reason !== undefined, input = element.querySelector("input");
      element.className = `row${j === chain.shown ? " now" : ""}${state.waits || j > chain.shown ? " off" : ""}${widest(input.value, state.sliders) > LONG ? " long" : ""}`;
      const error = element.querySelector(".err"), result = element.querySelector(".res");
      if (wrong) { input.setAttribute("aria-invalid", "true"); input.setAttribute("aria-describedby", error.id); }
      else { input.removeAttribute("aria-invalid"); input.removeAttribute("aria-describedby"); }
      error.hidden = !wrong;
      error.replaceChildren(...(wrong ? [state.call, h("b", { text: state.reason })] : []));
      result.hidden = wrong || i < 0;
      result.textContent = state.shape ? `\u2192 ${state.shape}${state.views > 1 ? `, ${state.views} views` : ""}` : state.waits ? "waits for the step above" : "";
      sliders(element, i, state, input);
    });
  }

  // Characters that the field may take while its sliders move, so that the row keeps its form.
  function widest(text, wanted = []) {
    let k = 0;
    return text.replace(NUMBER, number => { const w = wanted[k++]; return w ? "0".repeat(Math.max(number.length, `${w.low}`.length, `${w.high}`.length)) : number; }).length;
  }

  function sliders(element, i, state, input) {
    const box = element.querySelector(".sliders"), current = open === null ? chain.steps.length - 1 : open;
    const found = [...input.value.matchAll(NUMBER)], wanted = state.sliders || [];
    const on = i === current && wanted.length > 0 && wanted.length === found.length;
    box.hidden = !on;
    if (!on) { box.replaceChildren(); return; }
    if (box.children.length !== wanted.length) {
      box.replaceChildren(...wanted.map((w, k) => h("label", {}, h("span", { class: "muted" }), keysOwn(h("input", { type: "range", step: 1, oninput: event => slide(event, k) })), h("output", {}))));
    }
    function slide(event, k) {
      const m = [...input.value.matchAll(NUMBER)][k], was = numberOf(m[0]);
      let value = Number(event.target.value);
      if (wanted[k].nonzero && value === 0) { value = was > 0 ? -1 : 1; event.target.value = value; }
      input.value = input.value.slice(0, m.index) + value + input.value.slice(m.index + m[0].length);
      setText(i, input.value);
      event.target.nextSibling.textContent = minus(value);
    }
    wanted.forEach((w, k) => {
      const [name, range, output] = box.children[k].children, value = numberOf(found[k][0]);
      name.textContent = w.label;
      range.min = Math.min(w.low, value); range.max = Math.max(w.high, value); range.value = value;
      range.setAttribute("aria-label", `${i < 0 ? "buffer" : chain.steps[i][0]}, ${w.label}`);
      output.textContent = minus(value);
    });
  }

  return {
    list, add,
    // A chain and what Python says about it. A field that somebody types into keeps its text.
    update(next, described) {
      rows = described || rows;
      if (rows[0] && rows[0].next) operations = Object.keys(rows[0].next);
      const same = next.steps.length === chain.steps.length && next.steps.every((s, i) => s[0] === chain.steps[i][0]);
      chain = { start: next.start, steps: next.steps.map(s => [...s]), shown: next.shown };
      if (!same || !list.children.length) { if (open !== null && open >= chain.steps.length) open = null; build(); return; }
      [...list.children].forEach((element, j) => {
        const input = element.querySelector("input"), text = textOf(j - 1);
        if (input.value !== text) input.value = text;
      });
      describe();
    },
  };
}
