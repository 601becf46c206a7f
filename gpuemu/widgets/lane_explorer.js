// The widget: state, events, and the traits that Python shares. State is a point (m, n, k), a block, and the operand that is active.

const KEYS = [["Tab", "next part"], ["←↑↓→", "move"], ["Space", "play"], ["[ ]", "step k"], ["Enter", "pin"], ["R", "matrix ↔ register"], ["D", "next holder"], ["1 2 3", "colour"], ["Esc", "clear"]];
const STEP_MS = 520, LIVE_DELAY_MS = 140;
const COLOURS = ["lane", "register", "k"];
const pauseAt = (k) => `Pause at k = ${k}`, playOf = (m, n) => `Play C[${m}, ${n}]`;

function render({ model, el }) {
  const S = { m: 0, n: 0, k: 0, block: 0, op: "C", lane: null, lit: "none", pinned: false, mine: false, playing: 0, colour: "lane", notation: "Python", unfolded: "A" };
  const v = { state: S, ins: null, look: null, departs: null, layout: null, sans: "sans-serif", ledgerStart: 0, moves: [], painted: 0 };
  let connected = !model.alone, rebuilding = false, hushedReady = false, liveTimer = 0, closed = false, mapped = null, sharing = false;

  /* ---------- the parts ---------- */
  const select = (label, changed) => keysOwn(h("select", { "aria-label": label, onchange: (event) => changed(event.target.value) }));
  const vendors = select("Vendor", (vendor) => choose(choices().find((c) => c.vendor === vendor).key));
  const instructions = select("Instruction", (key) => choose(key));
  instructions.classList.add("long");
  const blocks = select("Block", (block) => { S.block = +block; paint(); move(() => {}); });
  const blockLabel = h("label", {}, "block", blocks);
  const colours = choice("colour", COLOURS.map((c) => [c, c]), S.colour, (c) => { S.colour = c; share(); paint(); draw(); });
  const [playText, ...playSizes] = ["span", "i", "i"].map((tag) => h(tag));  // as wide as its longest texts, so that nothing beside it moves
  const play = keysOwn(h("button", { class: "btn", type: "button", onclick: () => toggle() }, playText, ...playSizes));
  const facts = h("span", { class: "facts muted" });
  const [full, hushed, over] = [0, 1, 2].map(() => h("canvas", { "aria-hidden": "true" }));
  const title = h("div", { class: "head" }), sentence = h("div", { class: "sub" });
  const ledger = keysOwn(h("div", { class: "ledger", tabindex: 0, role: "slider", "aria-label": "step k of the dot product", "aria-valuemin": 0 }));
  const corner = h("div", { class: "quad" }, title, sentence, ledger);
  const stage = h("div", { class: "stage" }, full, hushed, over, corner);
  const formula = keysOwn(h("pre", { tabindex: 0, role: "group", "aria-label": "formula" }));
  const notation = choice("as", NOTATIONS.map(([name]) => [name, name]), S.notation, (n) => { S.notation = n; showYours(); reserve(); write(); });
  const yours = yourFormula((of, texts) => {
    model.set("formula_of", of.toLowerCase());
    model.set("formula", texts);
    if (connected) model.save_changes();
  });
  function showYours() {
    formula.hidden = S.notation === "yours";
    yours.box.hidden = !formula.hidden;
  }
  function judge() {                                                    // what the checker found, from Python
    const found = model.get("_found");
    v.departs = found.places && found.places.byteLength ? { of: found.of.toUpperCase(), places: bytes(found.places, Uint8Array) } : null;
    yours.show(found, v.ins, model.get("formula_of").toUpperCase(), model.get("formula"), !connected);
    if (model.get("formula").length && S.notation !== "yours") { S.notation = "yours"; notation.show("yours"); showYours(); }
    if (v.layout) { paint(); draw(); }
  }
  const holdsTitle = h("div", { class: "h" }), holds = h("div", { class: "holds" });
  const foot = h("div", { class: "foot" },
    h("div", {}, h("div", { class: "h" }, h("span", { text: "where an element lies" }), notation), formula, yours.box), h("div", {}, holdsTitle, holds));
  const keys = h("div", { class: "keys" }, ...KEYS.map(([key, text]) => h("span", {}, ...key.split(/ (?=\S)/).map((k) => h("kbd", { text: k })), text)), h("span", { text: "The factors are small example numbers." }));
  const live = h("div", { class: "sr", role: "status", "aria-live": "polite" });
  const bar = h("div", { class: "bar" }, vendors, instructions, colours, blockLabel, play, facts);
  const root = h("div", { class: "lanewise lx", role: "group", "aria-label": "Lane explorer" }, bar, stage, foot, keys, live);

  /* ---------- the instruction ---------- */
  const choices = () => model.get("_choices");
  function fillChoices() {
    const key = model.get("instruction"), mine = choices().find((c) => c.key === key);
    vendors.replaceChildren(...[...new Set(choices().map((c) => c.vendor))].map((name) => h("option", { value: name, text: name, selected: name === mine?.vendor })));
    const groups = new Map();
    for (const c of choices().filter((q) => q.vendor === mine?.vendor)) {
      if (!groups.has(c.family)) groups.set(c.family, h("optgroup", { label: c.family }));
      groups.get(c.family).append(h("option", { value: c.key, text: c.label, title: c.name, selected: c.key === key }));
    }
    instructions.replaceChildren(...groups.values());
  }
  function choose(key) {
    stop();
    if (connected) { model.set("instruction", key); model.save_changes(); } else fillChoices();
  }
  function load() {                                                     // Python sent another instruction
    const data = model.get("_map");
    if (data === mapped) return;
    mapped = data;
    stop();
    v.ins = unpack(data);
    v.layout = null;                                                    // the old one does not fit
    fillChoices();
    [pauseAt(v.ins.k - 1), playOf(v.ins.m - 1, v.ins.n - 1)].forEach((text, j) => { playSizes[j].textContent = text; });
    blockLabel.hidden = v.ins.blocks === 1;
    blocks.replaceChildren(...Array.from({ length: v.ins.blocks }, (_, b) => h("option", { value: b, text: b })));
    S.unfolded = firstUnfolded(v.ins, 972);
    Object.assign(S, { m: 0, n: 0, k: 0, pinned: false });
    receive(true);
    judge();
    showYours();
    lay();
  }
  function showFacts() {
    facts.textContent = connected || model.alone ? `${v.ins.family} · ${v.ins.lanes} lanes` : "not connected to Python";
    facts.title = v.ins.name;
  }

  /* ---------- traits, both ways ---------- */
  function share() {                                                    // browser to Python
    const point = S.lit === "none" || S.lit === "lane" ? null : [S.m, S.n, S.k];
    const lane = S.lit === "none" || S.lit === "dot" ? null : S.lane;
    const now = { selection: point, operand: S.op.toLowerCase(), lane, block: S.block, colour: S.colour };
    const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(model.get(name)) !== JSON.stringify(value));
    sharing = true;                                                     // each set tells this view too
    for (const [name, value] of changed) model.set(name, value);
    sharing = false;
    if (changed.length && connected) model.save_changes();
  }
  function receive(quiet) {                                             // Python, or another view, to this one
    if (sharing) return;
    const point = model.get("selection"), lane = model.get("lane"), colour = model.get("colour"), block = model.get("block");
    const before = JSON.stringify([S.m, S.n, S.k, S.op, S.lane, S.block, S.lit, S.colour]);
    S.op = model.get("operand").toUpperCase();
    if (point) {
      [S.m, S.n, S.k] = point;
      if (S.lit !== "dot") { S.lit = "element"; S.lane = lane ?? firstLane(); }
    } else if (lane !== null) [S.lit, S.lane] = ["lane", lane];
    else [S.lit, S.lane] = ["none", null];
    S.m = Math.min(S.m, v.ins.m - 1); S.n = Math.min(S.n, v.ins.n - 1); S.k = Math.min(S.k, v.ins.k - 1);
    const repaint = S.colour !== colour || S.block !== block;
    S.colour = colour;
    S.block = Math.min(block, v.ins.blocks - 1);
    if (quiet) return;
    if (repaint) { colours.show(S.colour); paint(); }
    if (before === JSON.stringify([S.m, S.n, S.k, S.op, S.lane, S.block, S.lit, S.colour])) return;
    S.pinned = S.mine = false;                                          // what was pinned here is not looked at any more, and is not this view's to clear
    draw();
  }
  const firstLane = () => holders(v.ins[S.op], S.block, ...positionOf(S, S.op))[0]?.[0] ?? null;

  /* ---------- layout ---------- */
  function readPaper() {
    v.look = applyTheme(root, model.get("_palette"));
    v.sans = getComputedStyle(root).fontFamily;
  }
  function lay() {
    if (closed || !root.clientWidth) return;                            // not on the page yet: the observer of its size calls again
    rebuilding = true;
    readPaper();
    v.layout = arrange(v.ins, Math.min(1000, root.clientWidth) - 28, S.unfolded);
    stage.style.height = v.layout.height + "px";
    Object.assign(corner.style, { width: v.layout.cornerWidth + "px", height: v.layout.cornerHeight + "px" });
    corner.classList.toggle("tight", v.layout.cornerWidth < HEADER_X + ROOMY_QUAD);
    for (const old of stage.querySelectorAll(".hit")) old.remove();
    for (const g of v.layout.grids) area(g, g.kind === "matrix" ? `matrix ${g.op}, ${g.rows} rows, ${g.columns} columns` : `registers of ${g.op}, lanes ${g.lane0} to ${g.lane0 + g.rows - 1}, ${g.columns} elements`);
    const firsts = v.layout.grids.filter((g, j, all) => g.kind === "registers" && all.findIndex((q) => q.kind === "registers" && q.lane0 === g.lane0) === j);
    for (const g of firsts) area({ ...g, id: `L${g.lane0}`, kind: "lanes", op: null, columns: 1, x: g.x - 26, cw: 24, gx: 0, folded: false }, `lanes ${g.lane0} to ${g.lane0 + g.rows - 1}`);
    buildLedger(v, ledger, (k) => {
      if (S.playing) return;
      move(() => { S.k = k; if (S.lit === "none") S.lit = "dot"; if (!S.pinned && S.lit === "dot") S.op = "C"; });
    });
    showFacts();
    reserve();
    rebuilding = false;
    paint();
    draw();
  }
  function reserve() {                                                  // room for the words of any element: pointing moves nothing below
    const kept = { ...S }, parts = [formula, holds], most = [0, 0], said = [], { m, n, k, lanes } = v.ins;
    for (const part of parts) part.style.minHeight = "";
    for (const [lit, op] of [["none", "C"], ["dot", "C"], ...OPERANDS.map((id) => ["element", id])]) {
      Object.assign(S, { op, lit, lane: lanes - 1, m: m - 1, n: n - 1, k: k - 1 });
      writeFormula(v, formula);
      writeHoldings(v, holdsTitle, holds);
      said.push(describe(v)[1]);
      parts.forEach((part, j) => { most[j] = Math.max(most[j], part.offsetHeight); });
    }
    Object.assign(S, kept);
    parts.forEach((part, j) => { part.style.minHeight = `${most[j]}px`; });
    const fits = (text) => { sentence.textContent = text; return sentence.scrollHeight <= sentence.clientHeight; };
    for (const size of corner.classList.contains("tight") ? [11] : [13, 12, 11]) {
      sentence.style.fontSize = `${size}px`;                            // the largest in which two lines hold each sentence
      if (said.every(fits)) break;
    }
  }
  function area(g, label) {                                             // a transparent, focusable part over a grid
    const part = keysOwn(h("div", { class: "hit", tabindex: 0, role: "application", "aria-roledescription": "grid", "aria-label": label + ". Arrow keys move.", "data-grid": g.id }));
    Object.assign(part.style, { left: g.x + "px", top: g.y + "px", width: gridWidth(g) + "px", height: gridHeight(g) + "px" });
    const under = (event) => { const b = part.getBoundingClientRect(); return cellAt(g, event.clientX - b.left, event.clientY - b.top); };
    let last = "";
    part.addEventListener("pointermove", (event) => {
      if (S.pinned || S.playing) return;
      const [r, c] = under(event), here = `${r},${c}`;
      if (here === last && S.lit !== "none") return;
      last = here;
      move(() => go(g, r, c));
    });
    part.addEventListener("pointerleave", () => {
      last = "";
      if (S.mine && !S.pinned && !S.playing && !part.matches(":focus-visible")) move(clear);
    });
    part.addEventListener("pointerdown", (event) => {
      const before = S.pinned ? point() : "";
      stop();
      move(() => { go(g, ...under(event)); S.pinned = before !== point(); });
      if (g.folded) unfold(g.op);
    });
    part.addEventListener("focus", () => { if (part.matches(":focus-visible") && !S.playing) move(() => go(g, ...cursor(g))); });
    part.addEventListener("blur", () => { if (!rebuilding && S.mine && !S.pinned && !S.playing) move(clear); });
    part.addEventListener("keydown", (event) => pressed(event, g));
    if (g.folded) { part.style.cursor = "pointer"; part.title = `open the registers of ${g.op}`; }
    g.part = part;
    stage.append(part);
  }
  const point = () => [S.lit, S.m, S.n, S.k, S.op, S.lane, S.block].join();
  function unfold(op) { S.unfolded = op; lay(); }

  /* ---------- moving ---------- */
  function cursor(g) {                                                  // where the state lies in this grid
    const clamp = (n, size) => Math.min(size - 1, Math.max(0, n));
    if (g.kind === "lanes") return [clamp((S.lane ?? 0) - g.lane0, g.rows), 0];
    if (g.kind === "matrix") return positionOf(S, g.op);
    const who = holders(v.ins[g.op], S.block, ...positionOf(S, g.op));
    const [lane, element] = who.find(([l]) => l === S.lane) || who[0] || [0, 0];
    return [clamp(lane - g.lane0, g.rows), element];
  }
  function go(g, r, c) {
    if (g.kind === "lanes") {
      [S.lane, S.lit] = [r + g.lane0, "lane"];
      return;
    }
    let [row, column] = [r, c];
    S.op = g.op;
    S.lit = "element";
    if (g.kind === "registers") {
      S.lane = r + g.lane0;
      const [block, ...place] = placeOf(v.ins[g.op], S.lane, c);
      [row, column] = place;
      if (block !== S.block) { S.block = block; paint(); }
    }
    if (g.op === "A") [S.m, S.k] = [row, column];
    else if (g.op === "B") [S.k, S.n] = [row, column];
    else [S.m, S.n] = [row, column];
    if (g.kind === "matrix") S.lane = firstLane();
  }
  function clear() { S.lit = "none"; S.lane = null; S.pinned = false; }
  function pressed(event, g) {
    const [r, c] = cursor(g), key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { arrowup: [-1, 0], arrowdown: [1, 0], arrowleft: [0, -1], arrowright: [0, 1], home: [0, -c], end: [0, g.columns - 1 - c], pageup: [-8, 0], pagedown: [8, 0] }[key];
    if (step) {
      stop();
      S.pinned = false;
      move(() => go(g, Math.min(g.rows - 1, Math.max(0, r + step[0])), Math.min(g.columns - 1, Math.max(0, c + step[1]))));
    } else if (key === " ") toggle();
    else if (key === "enter") { S.pinned = !S.pinned; draw(); }
    else if (key === "escape") { stop(); move(clear); }
    else if (key === "r" && g.op) crossOver(g);
    else if (key === "d" && g.op) nextHolder(g);
    else if (key === "[" || key === "]") stepK(key === "]" ? 1 : -1, S.lit === "dot" ? "dot" : "element");
    else if (/^[123]$/.test(key)) recolour(key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  function recolour(key) { S.colour = COLOURS[key - 1]; colours.show(S.colour); share(); paint(); draw(); }
  function crossOver(g) {                                               // from the matrix to the register of the same element, and back
    let to = matrixGrid(v, g.op);
    if (g.kind === "matrix") {
      const who = holders(v.ins[g.op], S.block, ...positionOf(S, g.op));
      if (!who.length) return;
      const lane = (who.find(([l]) => l === S.lane) || who[0])[0];
      if (registerGrid(v, g.op, lane).folded) unfold(g.op);
      to = registerGrid(v, g.op, lane);
    }
    const lane = S.lane;
    to.part.focus({ preventScroll: true });
    move(() => { go(to, ...cursor(to)); if (to.kind === "matrix") S.lane = lane; });
  }
  function nextHolder(g) {
    const lanes = holders(v.ins[g.op], S.block, ...positionOf(S, g.op)).map(([lane]) => lane);
    if (lanes.length) move(() => { [S.op, S.lit] = [g.op, "element"]; S.lane = lanes[(lanes.indexOf(S.lane) + 1) % lanes.length]; });
  }
  function stepK(by, lit) {
    stop();
    move(() => { S.k = Math.min(v.ins.k - 1, Math.max(0, S.k + by)); S.lit = lit; if (lit === "dot") S.op = "C"; else S.lane = S.op === "C" && S.lane !== null ? S.lane : firstLane(); });
  }
  ledger.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, "]": 1, "[": -1, Home: -v.ins.k, End: v.ins.k, PageUp: -8, PageDown: 8 }[event.key];
    if (by) stepK(by, "dot");
    else if (event.key === " ") toggle();
    else if (event.key === "Enter") { S.pinned = !S.pinned; draw(); }
    else if (event.key === "Escape") { stop(); move(clear); }
    else if (/^[123]$/.test(event.key)) recolour(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  ledger.addEventListener("wheel", (event) => {
    if (v.ins.k <= LEDGER_LIMIT) return;                                // all steps are in sight
    event.preventDefault();
    stepK(event.deltaY > 0 ? 4 : -4, "dot");
  }, { passive: false });
  ledger.addEventListener("focus", () => { if (ledger.matches(":focus-visible") && !S.playing) stepK(0, "dot"); });
  for (const left of ["mouseleave", "blur"]) ledger.addEventListener(left, () => { if (S.mine && !S.pinned && !S.playing && S.lit === "dot" && !ledger.matches(":focus-visible")) move(clear); });

  /* ---------- play: k walks; what has been summed stays lit ---------- */
  function toggle() {
    if (S.playing) return stop(true);
    if (S.k >= v.ins.k - 1 || S.lit !== "dot") S.k = 0;
    Object.assign(S, { op: "C", lit: "dot", lane: null, pinned: false });
    S.playing = setInterval(() => (S.k >= v.ins.k - 1 ? stop(true) : move(() => S.k++)), STEP_MS);
    move(() => {});
  }
  function stop(redraw) {
    if (!S.playing) return;
    clearInterval(S.playing);
    S.playing = 0;
    if (redraw) { S.pinned = true; draw(); }
  }

  /* ---------- drawing ---------- */
  function paint() {                                                    // the hushed background waits until it is needed, or nothing else is to do
    if (!v.layout) return;
    sharp(over, v.layout.width, v.layout.height);
    paintBackground(v, full, false);
    hushedReady = false;
    whenIdle(() => { if (!closed) ensureHushed(); });
  }
  function ensureHushed() {
    if (hushedReady) return;
    paintBackground(v, hushed, true);
    hushedReady = true;
  }
  function move(change) {
    const start = performance.now();
    S.mine = true;
    change();
    draw();
    v.moves.push(performance.now() - start);
    if (v.moves.length > 500) v.moves.shift();
    share();
  }
  function draw() {
    if (!v.layout) return;
    const ctx = over.getContext("2d"), lit = S.lit !== "none";
    ctx.clearRect(0, 0, v.layout.width, v.layout.height);
    if (lit) ensureHushed();
    full.style.visibility = lit ? "hidden" : "visible";
    hushed.style.visibility = lit ? "visible" : "hidden";
    v.painted = lit ? paintSelection(v, ctx) : 0;
    write();
  }
  function write() {
    const [head, line] = describe(v);
    title.replaceChildren(head, ...(S.pinned && S.lit !== "none" ? [h("span", { class: "pinmark", text: "pinned" })] : []));
    title.classList.toggle("rest", S.lit === "none");
    sentence.textContent = line;
    playText.textContent = S.playing ? pauseAt(S.k) : playOf(S.m, S.n);
    if (blocks.value !== "" + S.block) blocks.value = S.block;
    writeLedger(v, ledger);
    writeFormula(v, formula);
    writeHoldings(v, holdsTitle, holds);
    clearTimeout(liveTimer);
    liveTimer = setTimeout(() => { live.textContent = S.lit === "none" ? "" : `${head}. ${line}`; }, LIVE_DELAY_MS);
  }

  /* ---------- the page around it ---------- */
  const stopTheme = watchTheme(() => {                                  // its style sheet may come later than its name
    for (const wait of [0, 150, 600]) setTimeout(() => { if (!closed && root.isConnected && v.look && paperBehind(root.parentElement || root).join() !== v.look.paper) lay(); }, wait);
  });
  let width = 0;
  const resized = new ResizeObserver(() => { if (root.clientWidth && Math.abs(root.clientWidth - width) > 2) { width = root.clientWidth; lay(); } });
  const lost = () => { connected = false; showFacts(); };
  const events = { "change:_map": load, "change:_found": judge, "change:selection change:lane change:operand change:block change:colour": () => receive(false), comm_live_update: lost };
  el.append(root);
  load();
  for (const [name, handler] of Object.entries(events)) model.on(name, handler);
  resized.observe(root);
  root.laneExplorer = {                                                 // for tests: where a cell stands, how long moves took, how many cells they painted
    view: v,
    rect(id, r, c) {
      const g = v.layout.grids.find((q) => q.id === id), s = stage.getBoundingClientRect(), [x, y, w, h] = cellBox(g, r, c);
      return { x: s.left + x, y: s.top + y, width: w, height: h };
    },
  };
  return () => {
    closed = true;
    stop();
    clearTimeout(liveTimer);
    resized.disconnect();
    stopTheme();
    for (const [name, handler] of Object.entries(events)) model.off(name, handler);
  };
}

export default { render };
