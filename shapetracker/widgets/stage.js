/* The stage: memory and every view of the stack, as cells or as images, in three canvases.
   Full colour, hushed, and on top what is selected: a move redraws only the lit cells. */

const GAP = 12;
const ARCS = 66, WRAPPED = 512;            // pixels above one row of memory; the most elements of several rows with numbers
const ROW = 22 + ARCS + 22;                // caption, arcs, cells
const BACK = /\.(stride|flip|reshape)\(/;  // what may lead backward, whatever its numbers are now: the view stays where it is
const SMALL = { width: 12, height: 11 };   // below this a cell has no room for its number

// Four axes: blocks of the last two; more axes: the leading ones together.
function fourAxes(shape) {
  const s = shape.length > 4 ? [product(shape.slice(0, -3)), ...shape.slice(-3)] : shape;
  return [...Array(4 - s.length).fill(1), ...s];
}

function int32(view) { return new Int32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)); }

// Memory, drawn in rows: one line with arcs while it fits, then wrapped at whole rows of the buffer.
function memoryLayer(picture, width, photograph) {
  const n = picture.size, strip = width - 6, one = Math.floor(strip / Math.max(1, n)), row = picture.row;
  const m = { id: -1, n, x: 3, y: 22, title: "memory", words: picture.memory, arcs: 0 };
  if (photograph) {
    const per = photograph.width * photograph.channels, scale = Math.min(240 / photograph.width, 200 / photograph.height);
    Object.assign(m, { per, step: photograph.channels, cw: scale, ch: scale, image: photograph.bitmap, cells: n / photograph.channels, columns: photograph.width, words: `${n} numbers, as the photograph stores them` });
  } else if (one >= 12) Object.assign(m, { per: n, cw: Math.min(26, one), ch: 22, arcs: ARCS });
  else if (n <= WRAPPED && strip / 26 >= 12) {
    const fit = Math.floor(strip / 22), whole = Math.max(row, Math.floor(fit / row) * row), per = whole > fit ? fit : whole;
    Object.assign(m, { per, cw: Math.min(26, Math.floor(strip / per)), ch: 19 });
  } else {
    const per = row >= 32 && row <= 160 ? row : 128;
    Object.assign(m, { per, cw: strip / per, ch: Math.min(12, Math.max(2.5, 200 / Math.ceil(n / per))) });
  }
  m.step = m.step || 1;
  m.columns = m.columns || m.per;
  m.rows = Math.max(1, Math.ceil(n / m.per));
  m.w = Math.min(n / m.step, m.columns) * m.cw; m.h = m.rows * m.ch;
  m.place = p => [m.x + Math.floor(p % m.per / m.step) * m.cw, m.y + Math.floor(p / m.per) * m.ch];
  m.find = (x, y) => {
    const c = Math.floor((x - m.x) / m.cw), r = Math.floor((y - m.y) / m.ch), p = r * m.per + c * m.step;
    return c < 0 || c >= m.columns || r < 0 || p >= n ? -1 : p;
  };
  m.moves = { right: m.step, down: m.per, block: m.per, line: m.per };
  m.address = p => p;
  return m;
}

function viewLayer(view, id, count, width, y, under) {
  const channels = view.channels || 1, shape = view.shape, drawn = channels > 1 ? shape.slice(0, -1) : shape;
  const flat = drawn.length < 2, L = { id, view, shape, n: product(shape), step: channels, x: 24, flat };
  if (Math.max(...drawn) > 100) L.x = Math.max(...drawn) > 1000 ? 38 : 30;
  let [a, b, c, d] = fourAxes(drawn);
  if (flat) { d = Math.min(Math.max(1, drawn.length ? drawn[0] : 1), Math.max(8, Math.floor((width - 24) / 26))); c = Math.ceil((drawn.length ? drawn[0] : 1) / d); }
  L.blocks = a * b > 1;
  const gap = Math.min(GAP, (width - L.x) / (2 * b));   // many panels in a narrow column still have a width
  const highest = count > 1 ? 190 : 400, cw = Math.min(34, (width - L.x - (b - 1) * gap) / (b * d));
  const tallest = Math.max(4, (highest - (a - 1) * (GAP + 14)) / (a * c));
  L.cw = cw >= 12 ? Math.floor(cw) : cw;
  L.ch = Math.min(cw >= 24 ? 24 : cw >= 12 ? 18 : cw, cw >= 12 ? Math.max(13, tallest) : Math.max(cw * 0.7, 4));
  if (L.ch > 6) L.ch = Math.floor(L.ch);
  if (view.bitmap) { L.cw = L.ch = Math.min((width - L.x - (b - 1) * gap) / (b * d), Math.max(120, 420 - (a - 1) * 30) / (a * c), 8); L.bitmap = view.bitmap; }
  Object.assign(L, { a, b, c, d, y: y + 20 + (L.blocks ? 30 : 16) });
  const bw = d * L.cw + gap, bh = c * L.ch + GAP + 14;
  L.place = p => {
    const e = Math.floor(p / channels);
    if (flat) return [L.x + e % d * L.cw, L.y + Math.floor(e / d) * L.ch];
    const q = e % (c * d), k = Math.floor(e / (c * d));
    return [L.x + k % b * bw + q % d * L.cw, L.y + Math.floor(k / b) * bh + Math.floor(q / d) * L.ch];
  };
  L.find = (px, py) => {
    px -= L.x; py -= L.y;
    if (px < 0 || py < 0) return -1;
    if (flat) { const col = Math.floor(px / L.cw), p = Math.floor(py / L.ch) * d + col; return col < d && p * channels < L.n ? p * channels : -1; }
    const B = Math.floor(px / bw), A = Math.floor(py / bh), col = Math.floor((px - B * bw) / L.cw), r = Math.floor((py - A * bh) / L.ch);
    return B < b && A < a && col < d && r < c ? (((A * b + B) * c + r) * d + col) * channels : -1;
  };
  L.w = b * bw - gap; L.h = a * bh - GAP - 14;
  L.title = count > 1 ? `view ${id + 1}` : "view"; L.words = view.words;
  L.moves = { right: channels, down: d * channels, block: flat ? d * channels : c * d * channels, line: d * channels };
  if (view.addresses) {
    L.addresses = int32(view.addresses); L.belows = int32(view.below);
    L.below = p => L.belows[p]; L.address = p => L.addresses[p];
  } else {                                  // an image: too many for tables, so the present element is looked up
    L.below = p => {
      const index = digits(p, shape);
      if (view.mask && index.some((i, k) => i < view.mask[k][0] || i >= view.mask[k][1])) return -1;
      return index.reduce((t, i, k) => t + i * view.strides[k], view.offset);
    };
    L.address = p => { const q = L.below(p); return q < 0 ? -1 : under ? under.address(q) : q; };
  }
  L.bottom = L.y + L.h + (flat ? 14 : 28);
  return L;
}

function makeStage(element, callbacks) {
  const [base, pale, over] = [0, 1, 2].map(() => h("canvas", { "aria-hidden": "true" }));
  element.append(base, pale, over);
  const stage = { layers: [], hit: null, moves: [] };
  let W = 0, H = 0, g, theme, picture, hatch = [], hatchKey = "", paleDone = false, sans, mono, shades = new Map();

  function tone(address, mood) {
    const row = picture.row, key = (Math.floor(address / row) % 8 * 65536 + address % row) * 3 + { full: 0, hushed: 1, bare: 2 }[mood];
    let v = shades.get(key);
    if (!v) {
      const t = row > 1 ? address % row / (row - 1) : 0.3, table = theme.colours.fills[mood][Math.floor(address / row) % 8];
      shades.set(key, v = table[Math.round(t * (table.length - 1))]);
    }
    return v;
  }

  function cell(L, ctx, p, quiet) {
    const [x, y] = L.place(p), a = L.address(p), gap = L.cw >= 6 ? 1 : 0, w = L.cw - gap, t = L.ch - gap;
    const bare = L.cw < SMALL.width || L.ch < SMALL.height;
    if (a < 0) { ctx.fillStyle = hatch[quiet ? 1 : 0]; ctx.fillRect(x, y, bare ? L.cw : w, bare ? L.ch : t); return; }
    ctx.fillStyle = tone(a, quiet ? (bare ? "bare" : "hushed") : "full");
    ctx.fillRect(x, y, w, t);
    if (bare) return;
    ctx.fillStyle = quiet ? theme.tokens.cell_muted : theme.tokens.cell_ink;
    ctx.font = `${Math.min(11.5, L.cw * (a > 999 ? 0.4 : a > 99 ? 0.52 : 0.7), L.ch * 0.72)}px ${sans}`;
    ctx.fillText(a, x + w / 2, y + t / 2 + 0.5);
  }

  function field(L, ctx, quiet) {
    const image = L.image || L.bitmap;
    if (image) return photograph(L, ctx, image, quiet);
    if (L.n <= 1500 || (L.cw >= SMALL.width && L.ch >= SMALL.height)) { for (let p = 0; p < L.n; p++) cell(L, ctx, p, quiet); return; }
    const columns = L.id < 0 ? L.per : L.d, lines = L.id < 0 ? L.rows : L.c, size = lines * columns, mood = quiet ? "bare" : "full";
    for (let k = 0; k * size < L.n; k++) {
      const [x, y] = L.place(k * size);
      if (L.id >= 0) { ctx.fillStyle = hatch[quiet ? 1 : 0]; ctx.fillRect(x, y, columns * L.cw, lines * L.ch); }
      paintPixels(ctx, lines, columns, (r, c) => { const q = k * size + r * columns + c, a = q < L.n ? L.address(q) : -1; return a < 0 ? null : tone(a, mood); }, x, y, L.cw, L.ch);
    }
  }

  function photograph(L, ctx, image, quiet) {
    ctx.imageSmoothingEnabled = L.cw < 4; ctx.imageSmoothingQuality = "high";
    if (L.id < 0) ctx.drawImage(image, L.x, L.y, L.w, L.h);
    else for (let k = 0; k < L.a * L.b; k++) {
      const [x, y] = L.place(k * L.c * L.d * L.step);
      const rows = Math.ceil(L.c / L.view.thin), columns = Math.ceil(L.d / L.view.thin);   // the pixels that were sent
      ctx.fillStyle = hatch[quiet ? 1 : 0]; ctx.fillRect(x, y, L.d * L.cw, L.c * L.ch);
      ctx.drawImage(image, 0, k * rows, columns, rows, x, y, L.d * L.cw, L.c * L.ch);
    }
    if (!quiet) return;
    ctx.globalAlpha = 0.45; ctx.fillStyle = theme.tokens.paper; ctx.fillRect(L.x, L.y, L.w, L.h); ctx.globalAlpha = 1;
  }

  function labels(L, ctx) {
    if (L.id < 0) return;
    ctx.fillStyle = theme.tokens.muted; ctx.font = `10px ${sans}`;
    const across = L.cw >= 12 ? 1 : L.cw >= 3 ? 8 : 64, down = L.ch >= 11 ? 1 : L.ch >= 3 ? 8 : 64, rank = L.shape.length - (L.step > 1 ? 1 : 0);
    const every = (n, by, size) => { let s = by; while (s * size < 22 && s > 1) s *= 2; return s; };
    if (L.flat) {
      ctx.textAlign = "right";
      for (let r = 0; r < L.c; r++) if (L.c > 1) ctx.fillText(r * L.d, L.x - 5, L.y + r * L.ch + L.ch / 2);
      if (L.c === 1 && rank) {
        ctx.textAlign = "center";
        for (let j = 0; j < L.d; j += every(L.d, across, L.cw)) ctx.fillText(j, L.x + j * L.cw + L.cw / 2, L.y - 9);
        ctx.textAlign = "left"; ctx.fillText("axis 0 \u2192", L.x + L.d * L.cw + 6, L.y - 9);
      }
      ctx.textAlign = "center"; return;
    }
    for (let A = 0; A < L.a; A++) for (let B = 0; B < L.b; B++) {
      const [x, y] = L.place((A * L.b + B) * L.c * L.d * L.step);
      ctx.textAlign = "center";
      if (A === 0) for (let j = 0; j < L.d; j += every(L.d, across, L.cw)) ctx.fillText(j, x + j * L.cw + L.cw / 2, y - 9);
      ctx.textAlign = "right";
      if (B === 0) for (let i = 0; i < L.c; i += every(L.c, down, L.ch)) ctx.fillText(i, x - 5, y + i * L.ch + L.ch / 2);
      ctx.textAlign = "left";
      if (!L.blocks) {
        if (x + L.d * L.cw + 44 < W) ctx.fillText(`axis ${rank - 1} \u2192`, x + L.d * L.cw + 6, y - 9);
        ctx.fillText(`axis ${rank - 2} \u2193`, 0, y + L.c * L.ch + 9);
      } else {
        const lead = L.shape.slice(0, rank - 2), index = digits(A * L.b + B, lead);
        ctx.font = `11px ${mono}`; ctx.fillText(`[${index.join(", ")}, \u00b7, \u00b7]`, x, y - (A === 0 ? 23 : 9)); ctx.font = `10px ${sans}`;
      }
    }
    ctx.textAlign = "center";
  }

  function background(canvas, quiet) {
    const ctx = sharp(canvas, W, H);
    for (const L of stage.layers) { field(L, ctx, quiet); labels(L, ctx); }
  }

  function frame(x, y, w, t, width, colour, dash) {
    g.save(); g.lineWidth = width; g.strokeStyle = colour; g.setLineDash(dash || []);
    g.strokeRect(x - width / 2, y - width / 2, w + width, t + width); g.restore();
  }
  const box = (L, p) => { const [x, y] = L.place(p), s = L.cw >= 6 ? 1 : 0; return [x, y, Math.max(L.cw - s, 1), Math.max(L.ch - s, 1)]; };
  function ring(L, p, strong, dash) {
    const [x, y, w, t] = box(L, p), grow = w < 4 ? 2 : 0;
    frame(x - grow, y - grow, w + 2 * grow, t + 2 * grow, strong ? 2.5 : 1.5, strong ? theme.tokens.ink : theme.tokens.accent, dash);
    if (grow) frame(x - grow - 2.5, y - grow - 2.5, w + 2 * grow + 5, t + 2 * grow + 5, 1.5, theme.tokens.paper);
  }

  // A stride is a jump: forward above the strip, backward below it.
  function arcs(list) {
    const m = stage.layers[0];
    if (!m.arcs) return;
    const X = p => m.place(p)[0] + m.cw / 2 - 0.5, wide = a => Math.abs(X(a.to) - X(a.from)) >= 62;
    for (const up of [true, false]) {
      const mine = list.filter(a => (a.to > a.from) === up), y = up ? m.y - 3 : m.y + m.h + 2, s = up ? -1 : 1;
      let low = 0;
      for (const a of mine.sort((p, q) => Math.abs(q.to - q.from) - Math.abs(p.to - p.from))) {
        const x1 = X(a.from), x2 = X(a.to);
        const under = !a.over && wide(a) && mine.some(b => b.from === a.from && Math.abs(b.to - b.from) > Math.abs(a.to - a.from));
        const high = Math.max(under ? 32 : 0, Math.min(up ? m.arcs - 20 : m.back - 16, 8 + Math.abs(x2 - x1) * 0.2));
        g.strokeStyle = a.colour; g.lineWidth = 1.5; g.beginPath(); g.moveTo(x1, y);
        g.bezierCurveTo(x1, y + s * high * 1.33, x2, y + s * high * 1.33, x2, y); g.stroke();
        g.beginPath(); g.moveTo(x2 - 3.2, y + s * 5); g.lineTo(x2, y - s * 0.5); g.lineTo(x2 + 3.2, y + s * 5); g.stroke();
        g.font = `700 11px ${sans}`; g.fillStyle = a.colour;
        if (wide(a) || a.over) { g.textAlign = "center"; g.fillText(a.label, (x1 + x2) / 2, y + s * (under ? high - 9 : high + 8)); continue; }
        const w = g.measureText(a.label).width, long = mine.some(wide);
        let side = up === !long ? 1 : -1;
        const edge = () => side > 0 ? Math.max(x1, x2) + 7 : Math.min(x1, x2) - 7;
        if (side < 0 && edge() - w < 0) side = 1;
        if (side > 0 && edge() + w > W) side = -1;
        g.textAlign = side > 0 ? "left" : "right"; g.fillText(a.label, edge(), y + s * (9 + 13 * low++)); g.textAlign = "center";
      }
    }
  }
  function jumps(L, p, colour) {
    if (L.step > 1 || L.id < 0) return;
    const index = digits(p, L.shape), P = places(L.shape), a = L.address(p);
    arcs(L.shape.flatMap((n, d) => {
      const b = index[d] + 1 < n ? L.address(p + P[d]) : -1;
      return b >= 0 && b !== a ? [{ from: a, to: b, label: `axis ${d}: ${signed(b - a)}`, colour }] : [];
    }));
  }
  function restJumps() {
    const L = stage.layers[stage.layers.length - 1];
    if (L.id < 0 || L.step > 1 || !L.addresses) return;
    const P = places(L.shape);
    const start = L.addresses.findIndex((a, q) => a >= 0 && digits(q, L.shape).every((i, d) => i + 1 >= L.shape[d] || L.addresses[q + P[d]] >= 0));
    if (start >= 0) jumps(L, start, theme.tokens.muted);
  }
  function witness() {
    const why = picture.why, L = stage.layers[stage.layers.length - 1], P = L.shape && places(L.shape);
    if (!why || !why.points || !L.addresses) return false;
    const flat = why.points.map(point => point.reduce((t, i, d) => t + i * P[d], 0)), { ink, error } = theme.tokens;
    if (why.kind === "hole") { frame(...box(L, flat[0]), 2, error); return false; }
    flat.forEach((p, k) => frame(...box(L, p), 1.5, k < 2 ? ink : error));
    const M = stage.layers[0];
    if (picture.views.length !== 2) return true;
    flat.forEach((p, k) => { if (L.address(p) >= 0) frame(...box(M, L.address(p)), 1.5, k < 2 ? ink : error); });
    arcs([0, 2].map(k => ({ from: L.address(flat[k]), to: L.address(flat[k + 1]), label: signed(why.steps[k / 2]), colour: k ? error : ink, over: true })));
    return true;
  }

  // The index of the moment, in the margins.
  function margins(L) {
    if (L.id < 0) return;
    const [x, y] = L.place(stage.hit.p), index = digits(stage.hit.p, L.shape), rank = L.shape.length - (L.step > 1 ? 1 : 0);
    const put = (text, px, py, right) => {   // where labels stand every few cells, none is cut in half
      g.font = `700 11px ${sans}`;
      const sparse = right ? L.ch < 11 : L.cw < 12, w = g.measureText(text).width + (sparse && !right ? 26 : 4), t = sparse && right ? 33 : 13;
      g.fillStyle = theme.tokens.paper; g.fillRect(right ? px - w + 1 : px - w / 2, py - (t + 1) / 2, w, t);
      g.fillStyle = theme.tokens.ink; g.textAlign = right ? "right" : "center"; g.fillText(text, px, py); g.textAlign = "center";
    };
    if (!rank) return;
    if (L.flat) { if (L.c === 1) put(index[0], x + L.cw / 2, L.y - 9); return; }
    put(index[rank - 1], x + L.cw / 2, L.y - 9); put(index[rank - 2], L.x - 5, y + L.ch / 2, true);
  }

  // The flat positions of the selected element in the views below its own, ending at memory.
  stage.trail = () => {
    const out = [];
    let p = stage.hit.p;
    for (let i = stage.hit.layer; i >= 0; i--) { out.push([i, p]); p = stage.layers[i + 1].below(p); if (p < 0) return out; }
    out.push([-1, p]);
    return out;
  };
  stage.readers = (address, most) => {
    const L = stage.layers[stage.layers.length - 1], out = [];
    if (L.addresses) for (let p = 0; p < L.n && out.length < most; p++) if (L.addresses[p] === address) out.push(p);
    return out;
  };

  function light(L, p, strong, dash) { if (!L.image && !L.bitmap) cell(L, g, p, false); ring(L, p, strong, dash); }

  stage.draw = () => {
    if (!g) return;
    const on = !!stage.hit;
    g.clearRect(0, 0, W, H);
    if (on && !paleDone) { background(pale, true); paleDone = true; }
    base.style.visibility = on ? "hidden" : "visible"; pale.style.visibility = on ? "visible" : "hidden";
    if (!on) { if (!witness()) restJumps(); callbacks.words(); return; }
    const own = stage.layers[stage.hit.layer + 1], address = own.address(stage.hit.p), way = stage.hit.layer >= 0 ? stage.trail() : [[-1, stage.hit.p]];
    if (address >= 0) {
      for (const L of stage.layers.slice(1)) {
        if (!L.addresses) continue;
        const mine = way.find(([layer]) => layer === L.id);
        for (let p = 0, count = 0; p < L.n && count < 600; p++) {
          if (L.addresses[p] !== address || (mine && mine[1] === p)) continue;
          light(L, p, stage.hit.layer < 0, stage.hit.layer < 0 ? null : [3, 2]); count++;
        }
      }
    }
    for (const [layer, p] of way) light(stage.layers[layer + 1], p, true);
    if (stage.hit.layer >= 0 && address >= 0) jumps(own, stage.hit.p, theme.tokens.ink);
    margins(own);
    callbacks.words();
  };

  function timed(f) { const t = performance.now(); f(); stage.moves.push(performance.now() - t); }

  stage.select = (layer, p, quiet) => {
    stage.hit = p < 0 ? null : { layer, p };
    stage.mine = !quiet;   // else another view's, or Python's, which leaving this one does not clear
    timed(stage.draw);
    if (!quiet) callbacks.selected();
  };

  function area(L) {
    const e = keysOwn(h("div", { class: "hit", tabindex: 0, role: "application", "aria-roledescription": "grid", "data-layer": L.id,
      "aria-label": `${L.title}, ${L.id < 0 ? `${L.n} elements` : `shape ${tuple(L.shape)}`}. Arrow keys move.` }));
    Object.assign(e.style, { left: `${L.x}px`, top: `${L.y}px`, width: `${Math.max(4, L.w)}px`, height: `${Math.max(4, L.h)}px` });
    const at = event => { const b = e.getBoundingClientRect(); return L.find(event.clientX - b.left + L.x, event.clientY - b.top + L.y); };
    let last = -2;
    e.addEventListener("pointermove", event => {
      if (stage.pinned) return;
      const p = at(event);
      if (p === last && stage.hit) return;
      last = p; stage.select(L.id, p);
    });
    e.addEventListener("pointerleave", () => { last = -2; if (stage.mine && !stage.pinned && !e.matches(":focus-visible")) stage.select(L.id, -1); });
    e.addEventListener("pointerdown", event => {
      const p = at(event), same = stage.pinned && stage.hit && stage.hit.layer === L.id && stage.hit.p === p;
      stage.pinned = p >= 0 && !same; stage.select(L.id, p);
    });
    e.addEventListener("focus", () => { if (e.matches(":focus-visible")) stage.select(L.id, stage.hit && stage.hit.layer === L.id ? stage.hit.p : Math.min(L.last || 0, L.n - 1)); });
    e.addEventListener("blur", () => { if (stage.mine && !stage.pinned) stage.select(L.id, -1); });
    e.addEventListener("keydown", event => {
      const p = stage.hit && stage.hit.layer === L.id ? stage.hit.p : 0, { right, down, block, line } = L.moves;
      const by = { ArrowRight: right, ArrowLeft: -right, ArrowDown: down, ArrowUp: -down, PageDown: block, PageUp: -block, Home: -(p % line), End: line - right - p % line }[event.key];
      if (by !== undefined) {
        event.preventDefault();
        if (p + by >= 0 && p + by < L.n) { stage.pinned = false; L.last = p + by; stage.select(L.id, p + by); }
      } else if (event.key === "Enter") { event.preventDefault(); if (stage.hit) { stage.pinned = !stage.pinned; stage.select(L.id, stage.hit.p); } }
      else if (event.key === "Escape") { stage.pinned = false; stage.select(L.id, -1); }
    });
    element.append(e);
  }

  stage.layout = (next, look, width, fonts, photo) => {
    picture = next; theme = look; W = width; sans = fonts.sans; mono = fonts.mono; shades = new Map();
    const m = memoryLayer(picture, W, photo), views = picture.views, why = picture.why;
    const back = BACK.test(picture.code) || views.some(v => v.strides.some(s => s < 0)) || (why && why.steps && why.steps.some(s => s < 0)) ? 46 : 0;
    m.back = m.arcs ? back : 0;
    for (const e of element.querySelectorAll(".hit, .cap")) e.remove();
    // A caption too long for one line is wrapped, and what stands below it moves down.
    const caption = (title, text, top) => {
      const e = h("div", { class: "cap", style: `left:0;top:${top}px;width:${W}px` }, h("b", { text: title }), text);
      element.append(e);
      return Math.max(0, e.offsetHeight - 16);
    };
    const lines = caption(m.title, m.words, 0);
    m.y += m.arcs + lines;
    stage.layers = [m];
    let y = m.y + m.h + m.back;   // a few wrapped rows take the room of one with its arcs, so that a slider of the buffer does not move the view
    if (!m.image && m.n <= WRAPPED) y = Math.max(y, ROW + lines + back);
    y += 20;
    views.forEach((view, i) => {
      y += caption(views.length > 1 ? `view ${i + 1}` : "view", view.words, y);
      const L = viewLayer(view, i, views.length, W, y, i ? stage.layers[i] : null);
      y = L.bottom; stage.layers.push(L);
    });
    H = Math.ceil(y + 4); element.style.height = `${H}px`;
    for (const L of stage.layers) if (L.n) area(L);
    const key = `${theme.tokens.rule} ${theme.tokens.hair} ${window.devicePixelRatio}`;
    if (hatchKey !== key) { hatch = [theme.tokens.rule, theme.tokens.hair].map(c => hatchPattern(base, c)); hatchKey = key; }
    if (stage.hit && (stage.hit.layer + 1 >= stage.layers.length || stage.hit.p >= stage.layers[stage.hit.layer + 1].n)) { stage.hit = null; stage.pinned = false; }
    background(base, false); g = sharp(over, W, H); paleDone = false;
    stage.draw();
    whenIdle(() => { if (!paleDone) { background(pale, true); paleDone = true; } });
  };

  // For tests: where the middle of an element stands on the page.
  stage.middle = (layer, p) => {
    const L = stage.layers[layer + 1], [x, y] = L.place(p), b = element.getBoundingClientRect();
    return [b.left + x + L.cw / 2, b.top + y + L.ch / 2];
  };
  return stage;
}
