// One element, three places: the fragment's lane and register, the digits of its address, and its memory cell.
// fragment_explorer.py joins the page help, the lane_*.js files and this one into one module.

const ROOM_FOR_MEMORY = 280, BETWEEN_GRIDS = 52, HEAD = 42;

/** Tile, registers and memory from left to right, in the next line where there is no room. */
function arrangeFragment(data, o, width) {
  const steps = (n, sizes) => sizes.find(([most]) => n <= most)[1];
  const grid = (id, rows, columns, cw, ch, gx, gy) => ({ id, rows, columns, cw, ch, gx: cw >= 6 ? gx : 0, gy: ch >= 6 ? gy : 0, x: 0, y: 0 });
  const seam = (n) => (n > 8 ? 8 : 0);
  const tile = grid("T", o.rows, o.columns, steps(o.columns, [[8, 24], [16, 19], [32, 13], [Infinity, Math.max(1.5, Math.floor(380 / o.columns * 2) / 2)]]),
    steps(o.rows, [[16, 17], [32, 13], [Infinity, Math.max(3, Math.floor(480 / o.rows))]]), seam(o.columns), seam(o.rows));
  const lanes = data.lanes, registers = grid("R", lanes, o.elements, steps(o.elements, [[4, 40], [8, 36], [16, 14], [Infinity, Math.max(1.5, Math.floor(380 / o.elements * 2) / 2)]]),
    steps(lanes, [[32, 17], [64, 9], [Infinity, 4]]), o.perRegister > 1 && o.elements > o.perRegister ? o.perRegister : 0, 4);
  let x = 24, y = HEAD, low = 0;
  const put = (g, margin) => {
    if (x > 24 && x + margin - 24 + gridWidth(g) > width) { x = 24; y = low + HEAD; }
    Object.assign(g, { x: x + margin - 24, y });
    x = g.x + gridWidth(g) + BETWEEN_GRIDS;
    low = Math.max(low, y + gridHeight(g));
  };
  put(tile, 24);
  put(registers, 30);
  let room = width - x - 20;
  if (room < ROOM_FOR_MEMORY || room / data.row < 3) { room = width - 44; x = 24; y = low + HEAD; }
  const lines = Math.ceil(data.size / data.row), cw = Math.max(1, Math.min(26, Math.floor((room / data.row) * 2) / 2));
  const memory = grid("M", lines, data.row, cw, cw >= 16 ? 17 : Math.max(2, Math.min(12, Math.round(cw), Math.floor(560 / lines))), 0, 0);
  put(memory, x === 24 ? 34 : 30);
  return { grids: [tile, registers, memory], width, height: Math.ceil(low) + 6 };
}

function render({ model, el }) {
  const data = model.get("_data"), o = operandOf(data.id, data.operand, data.lanes), addresses = bytes(data.addresses, Int32Array);
  const readers = new Map();                                            // address → place in the tile; the first where several read it
  addresses.forEach((a, p) => { if (a >= 0 && !readers.has(a)) readers.set(a, p); });
  let hit = null, lane = null, other = -1, pinned = false, mine = false, look, hatch = [], L = null, sans = "sans-serif", paleReady = false, timer = 0, closed = false, sharing = false;
  let connected = !model.alone;

  const [full, pale, over] = [0, 1, 2].map(() => h("canvas", { "aria-hidden": "true" }));
  const stage = h("div", { class: "stage" }, full, pale, over), say = h("p", { class: "say" }), flow = h("div", { class: "flow" });
  const formula = h("dl", { class: "exprs" }), live = h("div", { class: "sr", role: "status", "aria-live": "polite" }), note = h("span", { class: "stale quiet", role: "status" });
  const keys = h("div", { class: "keys" }, h("kbd", { text: "Tab" }), " next part \u2002 ", h("kbd", { text: "←↑↓→" }), " move \u2002 ", h("kbd", { text: "R" }), " tile, register, memory \u2002 ", h("kbd", { text: "Enter" }), " pin \u2002 ", h("kbd", { text: "Esc" }), " clear");
  const root = h("div", { class: "shapetracker-explorer fragment", role: "group", "aria-label": "Fragment explorer" },
    h("div", { class: "bar" }, h("span", { class: "muted", text: data.caption }), note), say, stage, h("div", { class: "eval" }, formula, flow), keys, live);
  el.append(root);

  /* what stands in a cell: [lane, address, text], lane −1 where nobody holds it */
  const laneOf = (p) => (o.first[p] === o.first[p + 1] ? -1 : Math.floor(o.held[o.first[p]] / o.elements));
  function occupant(g, r, c) {
    if (g.id === "T") { const p = r * o.columns + c; return [laneOf(p), addresses[p], laneOf(p)]; }
    if (g.id === "R") { const [, row, column] = placeOf(o, r, c); return [r, addresses[row * o.columns + column], g.cw >= 36 ? `${row},${column}` : r]; }
    const a = r * data.row + c, p = readers.get(a);
    return a >= data.size ? null : [p === undefined ? -1 : laneOf(p), a, a];
  }
  function cell(g, ctx, r, c, mood) {
    const found = occupant(g, r, c);
    if (!found) return;
    const [who, address, text] = found, [x, y, w, t] = cellBox(g, r, c), bare = isBare(g) || g.cw < 8 * String(g.id === "M" ? data.size - 1 : "").length * 0.78;
    if (address < 0) { ctx.fillStyle = hatch[mood === "full" ? 0 : 1]; ctx.fillRect(x, y, w, t); return; }
    ctx.fillStyle = who < 0 ? look.tokens.wash : tone(look, who >> 2, (who & 3) / 3, mood === "full" ? "full" : bare ? "bare" : "hushed");
    ctx.fillRect(x, y, w, t);
    if (bare) return;
    ctx.fillStyle = who < 0 || mood !== "full" ? look.tokens.cell_muted : look.tokens.cell_ink;
    ctx.font = `${Math.min(11, g.cw / Math.max(1.6, String(text).length * 0.7), g.ch * 0.72)}px ${sans}`;
    ctx.fillText(text, x + w / 2, y + t / 2 + 0.5);
  }
  function background(canvas, mood) {
    const ctx = sharp(canvas, L.width, L.height);
    for (const g of L.grids) for (let r = 0; r < g.rows; r++) for (let c = 0; c < g.columns; c++) cell(g, ctx, r, c, mood);
    const label = (text, x, y, colour, font, align) => { ctx.fillStyle = colour; ctx.font = `${font} ${sans}`; ctx.textAlign = align; ctx.fillText(text, x, y); };
    const titles = { T: [data.id, `${o.rows} × ${o.columns}: lanes`], R: ["lanes", `${o.elements} × ${o.dtype} each`], M: ["memory", `${data.size} elements, ${data.row} a row`] };
    for (const g of L.grids) {
      const [bold, words] = titles[g.id], tall = g.ch >= 11, every = (size) => [1, 8, 16, 32, 64, 128, 256].find((s) => s * size >= (s > 1 ? 26 : 12)) || 512;
      label(bold, g.x - (g.id === "T" ? 18 : 22), g.y - 28, look.tokens.ink, "700 13px", "left");
      const after = ctx.measureText(bold).width;
      label(words, g.x - (g.id === "T" ? 18 : 22) + after + 8, g.y - 28, look.tokens.muted, "11px", "left");
      for (let c = 0; c < g.columns; c += every(g.cw)) label(c, posX(g, c) + g.cw / 2, g.y - 9, look.tokens.muted, "10px", "center");
      for (let r = 0; r < g.rows; r += tall ? 1 : every(g.ch)) label(g.id === "M" ? r * data.row : r, g.x - 5, posY(g, r) + Math.max(4, g.ch / 2), look.tokens.muted, "10px", "right");
    }
    ctx.textAlign = "center";
  }
  function ring(g, r, c, width, colour, dash = []) {
    const ctx = over.getContext("2d"), [x, y, w, t] = cellBox(g, r, c);
    ctx.lineWidth = width; ctx.strokeStyle = colour; ctx.setLineDash(dash);
    ctx.strokeRect(x - width / 2, y - width / 2, w + width, t + width);
    ctx.setLineDash([]);
  }
  // The row and the column of the moment in the margins, where each row and column has its label.
  function mark(g, r, c) {
    const ctx = over.getContext("2d");
    const put = (text, x, y, align) => {
      const w = ctx.measureText(text).width + 4;
      ctx.fillStyle = look.tokens.paper; ctx.fillRect(align === "right" ? x - w + 1 : x - w / 2, y - 7, w, 14);
      ctx.fillStyle = look.tokens.ink; ctx.textAlign = align; ctx.fillText(text, x, y);
    };
    ctx.font = `700 11px ${sans}`;
    if (g.ch >= 12) put(r, g.x - 5, posY(g, r) + g.ch / 2, "right");
    if (g.cw >= 12) put(c, posX(g, c) + g.cw / 2, g.y - 9, "center");
    ctx.textAlign = "center";
  }
  const place = (g, a) => [Math.floor(a / data.row), a % data.row];
  function draw() {
    if (!L) return;
    const ctx = over.getContext("2d"), lit = hit !== null || other >= 0, [T, R, M] = L.grids;
    ctx.clearRect(0, 0, L.width, L.height);
    if (lit && !paleReady) { background(pale, "hushed"); paleReady = true; }
    full.style.visibility = lit ? "hidden" : "visible"; pale.style.visibility = lit ? "visible" : "hidden";
    root.fragmentExplorer.lit = 0;
    const light = (g, r, c) => { cell(g, ctx, r, c, "full"); root.fragmentExplorer.lit++; };
    if (hit !== null) {
      for (let i = 0; i < o.elements; i++) {                            // all that its lane holds, in all three places
        const [, r, c] = placeOf(o, lane, i), a = addresses[r * o.columns + c];
        light(R, lane, i); light(T, r, c);
        if (a >= 0) light(M, ...place(M, a));
      }
      const [row, column] = hit, a = addresses[row * o.columns + column];
      light(T, row, column); ring(T, row, column, 2.5, look.tokens.ink); mark(T, row, column);
      for (const [l, i] of holders(o, 0, row, column)) { light(R, l, i); ring(R, l, i, l === lane ? 2.5 : 1.5, look.tokens.ink, l === lane ? [] : [3, 2]); if (l === lane) mark(R, l, i); }
      if (a >= 0) { light(M, ...place(M, a)); ring(M, ...place(M, a), 2.5, look.tokens.ink); }
    } else if (other >= 0) ring(M, ...place(M, other), 2.5, look.tokens.ink);
    words();
  }
  function words() {
    const lines = [];
    let text = "Point at an element, a register or a memory cell: the other two light up.", parts = [], index = null;
    if (hit !== null) {
      const [row, column] = hit, a = addresses[row * o.columns + column], who = holders(o, 0, row, column), [l, i] = who.find(([q]) => q === lane) || who[0];
      index = [row + data.corner[0], column + data.corner[1]];
      const copies = who.length > 1 ? `, and so ${who.length === 2 ? "does" : "do"} lane ${who.filter(([q]) => q !== l).map(([q]) => q).join(", ")}` : "";
      text = `${data.id}[${row}, ${column}]: lane ${l} holds it as ${o.names[i]}, ${o.where[i]}${copies}. It is [${index.join(", ")}] of the matrix, ${a < 0 ? "which is masked: nothing is read" : `memory[${a}]`}.`;
      lines.push([l, i]);
    } else if (other >= 0) text = `memory[${other}]: no element of this fragment reads it.`;
    say.textContent = pinned && hit ? `${text} Pinned.` : text;
    let at = index, p = null;
    for (let layer = data.views.length - 1; layer >= 0; layer--) {
      const view = data.views[layer], below = at ? at.reduce((t, q, d) => t + q * view.strides[d], view.offset) : null;
      const made = viewTable(data, layer, at, layer === data.views.length - 1 ? null : at ? p : "p", below);
      parts.push(made.table);
      if (made.bad >= 0) break;
      if (at && layer) at = digits(below, data.views[layer - 1].shape);
      p = below;
      parts.push(h("div", { class: "to", text: layer ? "\u2192" : at ? `\u2192 memory[${below}]` : "\u2192 memory[sum]" }));
    }
    flow.replaceChildren(...parts);
    const out = [];
    for (const [label, expression] of data.formula) {
      const dd = h("dd", {}, expression);
      if (lines.length && /\b(lane|i)\b/.test(expression) && label === "address") {
        const value = calculate(expression, { lane: lines[0][0], i: lines[0][1] });
        if (!Number.isNaN(value)) dd.append(" = ", ...filledIn(expression, ...lines[0]), " = ", h("b", { text: value }));
      }
      out.push(h("dt", { text: label }), dd);
    }
    formula.replaceChildren(...out);
    note.textContent = connected || model.alone ? "" : "not connected to Python";
    clearTimeout(timer);
    timer = setTimeout(() => { live.textContent = hit || other >= 0 ? text : ""; }, 140);
  }

  /* moving */
  function go(g, r, c) {
    other = -1; mine = true;
    if (g.id === "T") { hit = [r, c]; lane = laneOf(r * o.columns + c); }
    else if (g.id === "R") { const [, row, column] = placeOf(o, r, c); hit = [row, column]; lane = r; }
    else {
      const a = r * data.row + c, p = readers.get(a);
      if (p === undefined) { hit = null; lane = null; other = Math.min(a, data.size - 1); }
      else { hit = [Math.floor(p / o.columns), p % o.columns]; lane = laneOf(p); }
    }
    finish();
  }
  function clear() { hit = null; lane = null; other = -1; pinned = false; finish(); }
  function finish() {
    const start = performance.now();
    draw();
    root.fragmentExplorer.moves.push(performance.now() - start);
    if (JSON.stringify(hit) !== JSON.stringify(model.get("selection")) || lane !== model.get("lane")) {
      sharing = true;                                                   // each set tells this view too
      model.set("selection", hit); model.set("lane", lane);
      sharing = false;
      if (connected) model.save_changes();
    }
  }
  function receive() {
    const next = model.get("selection"), l = model.get("lane");
    if (sharing) return;
    if (JSON.stringify(next) === JSON.stringify(hit) && (l === null || l === lane)) return;
    hit = next; other = -1; pinned = mine = false;                      // what was pinned here is not looked at any more, and is not this view's to clear
    lane = next === null ? null : l !== null && holders(o, 0, ...next).some(([q]) => q === l) ? l : laneOf(next[0] * o.columns + next[1]);
    draw();
  }
  function cursor(g) {
    if (g.id === "M" && other >= 0) return place(g, other);
    if (!hit) return [0, 0];
    if (g.id === "T") return hit;
    if (g.id === "R") { const [l, i] = holders(o, 0, ...hit).find(([q]) => q === lane) || [0, 0]; return [l, i]; }
    const a = addresses[hit[0] * o.columns + hit[1]];
    return a < 0 ? [0, 0] : place(g, a);
  }
  function area(g) {
    const names = { T: `fragment ${data.id}, ${g.rows} rows, ${g.columns} columns`, R: `registers, ${g.rows} lanes, ${g.columns} elements`, M: `memory, ${data.size} elements` };
    const part = keysOwn(h("div", { class: "hit", tabindex: 0, role: "application", "aria-roledescription": "grid", "aria-label": `${names[g.id]}. Arrow keys move.`, "data-grid": g.id }));
    Object.assign(part.style, { left: `${g.x}px`, top: `${g.y}px`, width: `${gridWidth(g)}px`, height: `${gridHeight(g)}px` });
    const under = (event) => { const b = part.getBoundingClientRect(); return cellAt(g, event.clientX - b.left, event.clientY - b.top); };
    let last = "";
    part.addEventListener("pointermove", (event) => { if (pinned) return; const at = under(event); if (at.join() !== last) { last = at.join(); go(g, ...at); } });
    part.addEventListener("pointerleave", () => { last = ""; if (mine && !pinned && !part.matches(":focus-visible")) clear(); });
    part.addEventListener("pointerdown", (event) => { const was = pinned; go(g, ...under(event)); pinned = !was; draw(); });
    part.addEventListener("focus", () => { if (part.matches(":focus-visible")) go(g, ...cursor(g)); });
    part.addEventListener("blur", () => { if (mine && !pinned) clear(); });
    part.addEventListener("keydown", (event) => {
      const [r, c] = cursor(g), step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -c], End: [0, g.columns - 1 - c], PageUp: [-8, 0], PageDown: [8, 0] }[event.key];
      if (step) { pinned = false; go(g, Math.min(g.rows - 1, Math.max(0, r + step[0])), Math.min(g.columns - 1, Math.max(0, c + step[1]))); }
      else if (event.key === "Enter") { pinned = !pinned; draw(); }
      else if (event.key === "Escape") clear();
      else if (event.key.toLowerCase() === "r") {
        const next = L.grids[(L.grids.indexOf(g) + 1) % 3], keep = pinned;
        pinned = true; next.part.focus(); pinned = keep; go(next, ...cursor(next));
      } else return;
      event.preventDefault(); event.stopPropagation();
    });
    g.part = part;
    stage.append(part);
  }
  function lay() {
    if (closed || !root.clientWidth) return;
    look = applyTheme(root, model.get("_palette"));
    sans = getComputedStyle(root).fontFamily;
    hatch = [look.tokens.rule, look.tokens.hair].map((colour) => hatchPattern(full, colour));
    L = arrangeFragment(data, o, Math.min(1000, root.clientWidth) - 28);
    stage.style.height = `${L.height}px`;
    const focused = stage.contains(document.activeElement) && document.activeElement.dataset.grid;
    for (const old of stage.querySelectorAll(".hit")) old.remove();
    L.grids.forEach(area);
    sharp(over, L.width, L.height);
    background(full, "full"); paleReady = false;
    if (focused) L.grids.find((g) => g.id === focused).part.focus({ preventScroll: true });
    draw();
    whenIdle(() => { if (!closed && !paleReady) { background(pale, "hushed"); paleReady = true; } });
  }
  root.fragmentExplorer = {                                             // for tests
    moves: [], lit: 0,
    middle(id, r, c) { const g = L.grids.find((q) => q.id === id), s = stage.getBoundingClientRect(), [x, y, w, t] = cellBox(g, r, c); return [s.left + x + w / 2, s.top + y + t / 2]; },
  };
  let width = 0;
  const resized = new ResizeObserver(() => { if (Math.abs(root.clientWidth - width) > 2) { width = root.clientWidth; lay(); } });
  resized.observe(root);
  const stopTheme = watchTheme(() => { for (const wait of [0, 150, 600]) setTimeout(() => { if (!closed && look && paperBehind(root.parentElement || root).join() !== look.paper) lay(); }, wait); });
  const lost = () => { connected = false; words(); }, events = { "change:selection": receive, "change:lane": receive, comm_live_update: lost };
  for (const [name, handler] of Object.entries(events)) model.on(name, handler);
  receive();
  return () => {
    closed = true; clearTimeout(timer); resized.disconnect(); stopTheme();
    for (const [name, handler] of Object.entries(events)) model.off(name, handler);
  };
}

export default { render };
