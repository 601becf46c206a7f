/* The view explorer: chain, stage and words, joined to the Python side by traits. Nothing is computed here that is
   not a lookup: shapes, strides, addresses, expressions and verdicts come from the library. */

const CHECK_DELAY_MS = 400;   // without a change, before the check is asked for

function render({ model, el }) {
  const root = h("div", { class: "shapetracker-explorer", role: "group", "aria-label": "View explorer" });
  el.append(root);
  const constants = model.get("_constants"), palette = constants.palette, values = constants.values;
  let look, photo = null, state = model.get("_state"), timer, waiting, checking, askedAt = 0, version = 0, sharing = false, connected = !model.alone, reserved = "";

  const note = h("span", { class: "stale", role: "status" });
  const bar = h("div", { class: "bar" });
  const names = Object.keys(constants.examples), written = c => JSON.stringify([c.start, c.steps]);
  const pick = keysOwn(h("select", { "aria-label": "example", onchange: e => { if (e.target.value) ask(constants.examples[e.target.value]); } },
    h("option", { value: "", text: "choose one\u2026" }), ...names.map(text => h("option", { value: text, text }))));
  if (names.length) bar.append(h("label", {}, "example ", pick));
  const showExample = next => { pick.value = names.find(name => written(constants.examples[name]) === written(next)) || ""; };
  bar.append(note);

  const chain = chainEditor(ask);
  const stack = h("div", { class: "stack" }), stageBox = h("div", { class: "stage" });
  const say = h("p", { class: "say" }), flow = h("div", { class: "flow" }), lines = h("dl", { class: "exprs" });
  const live = h("div", { class: "sr", role: "status", "aria-live": "polite" });
  const keys = h("div", { class: "keys" });
  const key = text => h("kbd", { text });
  keys.append(key("Tab"), " next part \u2002 ", key("\u2190\u2191\u2193\u2192"), " move \u2002 ", key("PgUp"), " ", key("PgDn"), " next block \u2002 ", key("Enter"), " pin \u2002 ", key("Esc"),
    " clear \u2002 drag a number, or ", key("\u2191"), " ", key("\u2193"), " in its field \u2002 ", key("Alt"), "+", key("\u2191"), " ", key("\u2193"), " reorder");
  root.append(bar, h("div", { class: "cols" }, h("div", {}, chain.list, chain.add, stack), stageBox), h("div", { class: "eval" }, say, lines, flow), keys, live);
  const stage = makeStage(stageBox, { words, selected: tellPython });

  /* to Python and back */
  function ask(next) {
    askedAt = performance.now();
    model.set("_chain", { ...next, asked: Date.now() + Math.random() });
    model.save_changes();
    chain.update(next);
    showExample(next);
    clearTimeout(waiting);
    waiting = setTimeout(alone, model.alone ? 0 : 4000);
  }
  function alone() { connected = false; note.className = "stale quiet"; note.textContent = "not connected to Python"; words(); }
  function tellPython() {
    const selected = stage.hit ? [stage.hit.layer, stage.hit.p] : [];
    sharing = true;   // each set tells this view too
    if (JSON.stringify(selected) !== JSON.stringify(model.get("selected"))) model.set("selected", selected);
    if (!!stage.pinned !== model.get("pinned")) model.set("pinned", !!stage.pinned);
    sharing = false;
    model.save_changes();
  }
  function fromPython() {
    if (sharing) return;
    const [layer, p] = model.get("selected");
    stage.pinned = model.get("pinned");
    if (layer === undefined ? !stage.hit : stage.hit && stage.hit.layer === layer && stage.hit.p === p) { words(); return; }
    if (layer === undefined) stage.select(0, -1, true);
    else if (layer + 1 < stage.layers.length && p < stage.layers[layer + 1].n) stage.select(layer, p, true);
  }
  async function newState() {
    clearTimeout(waiting);
    state = model.get("_state");
    note.className = "stale"; note.textContent = state.stale ? "The picture shows the last chain that worked." : "";
    chain.update(model.get("_chain"), state.rows);
    showExample(model.get("_chain"));
    const mine = ++version;
    await decode();
    if (mine !== version) return;
    layout();
    if (askedAt) root.explorer.answers.push(performance.now() - askedAt);
    askedAt = 0;
    clearTimeout(checking);
    if (model.get("_sympy").code !== state.picture.code) checking = setTimeout(askForCheck, CHECK_DELAY_MS);
  }
  // Whether the simplified expression is right, at every point, and what SymPy says: slower than a move, so it waits.
  function askForCheck() { model.set("_checked", state.picture.code); model.save_changes(); }
  const bitmapOf = png => createImageBitmap(new Blob([png], { type: "image/png" }));
  async function decode() {
    if (constants.photograph.byteLength && !photo) {
      const [height, width, channels] = constants.photograph_shape;
      photo = { bitmap: await bitmapOf(constants.photograph), width, height, channels };
    }
    for (const view of state.picture.views) if (view.png && view.png.byteLength && !view.bitmap && product(view.shape)) view.bitmap = await bitmapOf(view.png);
  }

  function layout() {
    const width = root.clientWidth;
    if (!width || !state.picture) return;
    const t = performance.now();
    look = applyTheme(root, palette);
    root.classList.toggle("narrow", width <= 760);
    const available = Math.floor(width > 760 ? Math.min(1000, width) - 28 - 322 - 24 : width - 28);
    const style = getComputedStyle(root);
    const fonts = { sans: style.fontFamily, mono: style.getPropertyValue("--mono").trim() || "monospace" };
    stage.layout(state.picture, look, available, fonts, photo);
    stackWords();
    reserve();
    root.explorer.layouts.push(performance.now() - t);
  }

  // Expressions and tables keep the room that they once took, while the chain has the same operations: neither a slider nor a
  // pointer moves what stands below for their sake.
  function reserve() {
    const now = `${root.clientWidth} ${model.get("_chain").steps.map(step => step[0])}`, parts = [lines, flow];
    if (now !== reserved) for (const part of parts) part.style.minHeight = "";
    reserved = now;
    for (const part of parts) part.style.minHeight = `${part.offsetHeight}px`;
  }

  /* words */
  const span = (text, cls) => h("span", { text, class: cls });
  function stackWords() {
    const why = state.picture.why, out = [];
    if (why) {
      const p = h("p", { class: "why" }, h("b", { text: "Why a second view? " }));
      const at = point => `[${point.join(", ")}]`;
      if (why.kind === "steps") p.append(`One view walks an axis in equal steps. Along axis ${why.axis}, the step from ${at(why.points[0])} is `, h("b", { text: signed(why.steps[0]) }), `, and the step from ${at(why.points[2])} is `, span(signed(why.steps[1]), "odd"), ". No single stride does both.");
      else if (why.kind === "hole") p.append("One view\u2019s mask is a box. The smallest box around the valid elements holds ", span(at(why.points[0]), "odd"), ", which is masked.");
      else p.append("One view cannot say it, or it is not decided for so many elements.");
      out.push(p);
    }
    out.push(h("div", { class: "head", text: "as Python" }), keysOwn(h("pre", { tabindex: 0, "aria-label": "the chain as Python", text: state.picture.code.replace(/\)\.(?=[a-z]+\()/g, ")\n  .") })));
    stack.replaceChildren(...out);
  }
  function expressionLines(index) {
    const known = model.get("_sympy"), awaited = { lines: connected ? [["SymPy", "\u2026", ""]] : [], proof: "" };   // a line is kept for what it will say
    const column = known.code === state.picture.code ? known : awaited, out = [];
    const put = (label, text, verdict) => {
      const dd = h("dd");
      text.split(/(idx\d+)/).forEach(part => { const m = /^idx(\d+)$/.exec(part); dd.append(m ? h("b", { text: index ? `${index[m[1]]}` : part }) : part); });
      if (verdict) dd.append(h("span", { class: `verdict${/wrong/.test(verdict) ? " wrong" : ""}`, text: verdict }));
      out.push(h("dt", { text: label }), dd);
    };
    for (const [label, text] of state.picture.expressions) {
      if (label === "valid if") for (const line of column.lines || []) put(...line);
      put(label, text, label === "simplified" ? column.proof : "");
    }
    lines.replaceChildren(...out);
  }
  const valueAt = a => values.length > a ? ` = ${minus(values[a])}` : "";
  function words() {
    if (!stage.layers.length) return;
    const picture = state.picture, views = picture.views, to = (kid, cls) => h("span", { class: `to ${cls || ""}` }, kid);
    let text = "", index = null, parts = [];
    const rest = () => { for (let i = views.length - 1; i >= 0; i--) parts.push(viewTable(picture, i, null, i === views.length - 1 ? null : "p").table, to("\u2192")); parts.push(to("memory[sum]")); };
    if (!stage.hit) {
      rest();
      const last = stage.layers[stage.layers.length - 1], nothing = !product(views[views.length - 1].shape) || (last.addresses && !last.addresses.some(a => a >= 0));
      say.replaceChildren(span(nothing ? "No element of this view is valid: nothing is read." : "Point at an element of the view, or of memory: its numbers fill the table.", "muted"));
    } else if (stage.hit.layer < 0) {
      rest();
      const L = stage.layers[stage.layers.length - 1], p = stage.hit.p, readers = stage.readers(p, 9);
      const named = readers.map(q => `[${digits(q, L.shape).join(", ")}]`), fit = Math.max(1, Math.min(8, Math.floor(60 / (Math.max(0, ...named.map(name => name.length)) + 1))));   // on one line
      text = `memory[${p}]${valueAt(p)}` + (L.addresses ? readers.length ? ` is read at ${named.slice(0, fit).join(" ")}${readers.length > fit ? " and at more" : ""}` : " is read by no element of this view" : "");
      say.replaceChildren(h("code", { text }));
    } else {
      const own = stage.layers[stage.hit.layer + 1], name = `[${digits(stage.hit.p, own.shape).join(", ")}]`;
      let p = stage.hit.p, bad = -1;
      for (let i = stage.hit.layer; i >= 0 && bad < 0; i--) {
        const L = stage.layers[i + 1], at = digits(p, L.shape), below = L.below(p), made = viewTable(picture, i, at, i === stage.hit.layer ? null : p, below);
        parts.push(made.table, to("\u2192"));
        bad = made.bad;
        if (bad >= 0) {
          const [begin, end] = L.view.mask[bad];
          text = `${name} is masked: axis ${bad} of ${views.length > 1 ? `view ${i + 1}` : "the view"} is valid for ${begin} \u2264 index < ${end}, and here it is ${at[bad]}`;
          parts.pop();
        }
        p = below;
      }
      if (bad < 0) {
        const others = own.addresses ? own.addresses.reduce((t, a) => t + (a === p), 0) - 1 : 0;
        text = `${name} reads memory[${p}]${valueAt(p)}${others > 0 ? `, as ${others} other element${others > 1 ? "s do" : " does"}` : ""}`;
        parts.push(to(h("code", { text: `memory[${p}]` }), "ink"));
      }
      say.replaceChildren(h("code", { text: name }), span(text.slice(name.length), bad >= 0 ? "bad" : ""), ...(stage.pinned ? [span("  pinned", "muted")] : []));
      if (stage.hit.layer === views.length - 1) index = digits(stage.hit.p, own.shape);
    }
    flow.replaceChildren(...parts);
    expressionLines(index);
    clearTimeout(timer);
    timer = setTimeout(() => { live.textContent = text; }, 140);
  }

  root.explorer = { stage, layouts: [], answers: [], state: () => state, checks: () => [model.get("_checked"), model.get("_sympy").code || ""] };   // for tests: places on the page, milliseconds, what is to be checked and what has been
  const sympy = () => { words(); reserve(); };
  model.on("change:_state", newState);
  model.on("change:_sympy", sympy);
  model.on("comm_live_update", alone);
  model.on("change:selected", fromPython);
  model.on("change:pinned", fromPython);
  const stopTheme = watchTheme(() => { if (look && paperBehind(root.parentElement || root).join() !== look.paper) layout(); });
  let width = 0;
  const resize = new ResizeObserver(() => { if (Math.abs(root.clientWidth - width) > 2) { width = root.clientWidth; layout(); } });
  resize.observe(root);
  newState().then(fromPython);
  return () => {
    stopTheme(); resize.disconnect(); clearTimeout(timer); clearTimeout(waiting); clearTimeout(checking);
    model.off("change:_state", newState); model.off("change:_sympy", sympy); model.off("comm_live_update", alone);
    model.off("change:selected", fromPython); model.off("change:pinned", fromPython);
  };
}

export default { render };
