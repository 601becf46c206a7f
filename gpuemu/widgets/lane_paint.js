// Painting. Three stacked canvases: full colour, hushed, overlay. A move shows one of the first two and redraws the lit cells on
// the third, so it costs the same for 64 cells as for 16,384.
// A view `v` has: state, ins, look (theme, tokens, colours), layout, sans, departs.

/** [fill, text] of a cell: the number in a cell is what its colour says. */
function cellLook(v, o, lane, element, row, column, hush) {
  if (v.state.colour === "k") {
    const k = o.id === "A" ? column : o.id === "B" ? row : null;
    return k === null ? [v.look.tokens.wash, ""] : [ramp(v.look, v.ins.k > 1 ? k / (v.ins.k - 1) : 0, hush), k];
  }
  if (lane < 0) return [v.look.tokens.wash, ""];
  if (v.state.colour === "register") {
    const place = o.perRegister > 1 ? (o.slot[element] / (o.perRegister - 1)) * 0.75 : 0.3;
    return [tone(v.look, o.register[element], place, hush), element];
  }
  return [tone(v.look, lane >> 2, (lane & 3) / 3, hush), lane];
}

/** Who stands in a cell: [lane, element, row, column, held more than once]; lane −1 where no lane holds it. */
function occupant(v, g, r, c, lit) {
  const o = v.ins[g.op], S = v.state;
  if (g.kind === "registers") {
    const lane = r + g.lane0, p = 3 * (lane * o.elements + c) * o.places;
    return [lane, c, o.at[p + 1], o.at[p + 2], false];
  }
  if (!o) return [-1, -1, r, c, false];
  const cell = (S.block * o.rows + r) * o.columns + c, from = o.first[cell], to = o.first[cell + 1];
  if (from === to) return [-1, -1, r, c, false];
  let held = o.held[from];
  if (lit && S.lane !== null && S.lit !== "dot") {                       // the copy of the lane that is looked at, where it has one
    for (let j = from; j < to; j++) if (Math.floor(o.held[j] / o.elements) === S.lane) held = o.held[j];
  }
  return [Math.floor(held / o.elements), held % o.elements, r, c, to - from > 1];
}

function paintCell(v, ctx, g, r, c, hushed, lit = false) {
  const o = v.ins[g.op] || { id: g.op };
  const [lane, element, row, column, many] = occupant(v, g, r, c, lit);
  const bare = isBare(g), [x, y, w, h] = cellBox(g, r, c);
  const [fill, text] = cellLook(v, o, lane, element, row, column, hushed ? (bare ? "bare" : "hushed") : "full");
  const departs = v.departs && v.departs.of === g.op && lane >= 0 && v.departs.places[lane * o.elements + element];
  ctx.fillStyle = departs ? v.look.tokens.paper : fill;
  ctx.fillRect(x, y, w, h);
  if (departs && !(hushed && bare)) {                                   // your formula says something else: no fill, an error frame
    ctx.strokeStyle = v.look.tokens.error;
    ctx.lineWidth = 1;
    ctx.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  }
  if (bare) return;
  ctx.fillStyle = departs ? v.look.tokens.error : hushed ? v.look.tokens.cell_muted : v.look.tokens.cell_ink;
  const weight = departs ? "700 " : "";
  if (g.kind === "registers" && g.cw >= 36 && v.ins.blocks === 1) {
    ctx.font = `${weight}11px ${v.sans}`;
    ctx.fillText(`${row},${column}`, x + w / 2, y + g.ch / 2);
  } else if (text !== "") {
    ctx.font = `${weight}${Math.min(11.5, g.cw * (text > 99 ? 0.5 : 0.62), g.ch * 0.72)}px ${v.sans}`;
    ctx.fillText(text, x + w / 2, y + h / 2 + 0.5);
  }
  const notch = w < 20 ? 3 : 4;
  if (many && !hushed) {                                                // held twice: a notch in the corner
    ctx.beginPath();
    ctx.moveTo(x + w, y);
    ctx.lineTo(x + w - notch, y);
    ctx.lineTo(x + w, y + notch);
    ctx.fill();
  }
}

/** A big tile: one pixel a cell, enlarged, with hairlines where there is room for them. */
function paintTile(v, ctx, g, hushed) {
  const o = v.ins[g.op], tile = document.createElement("canvas"), seen = [];
  tile.width = g.columns;
  tile.height = g.rows;
  const small = tile.getContext("2d"), image = small.createImageData(g.columns, g.rows), pixels = new Uint32Array(image.data.buffer);
  for (let r = 0, p = 0; r < g.rows; r++) {
    for (let c = 0; c < g.columns; c++, p++) {
      const [lane, element, row, column] = occupant(v, g, r, c, false);
      const key = v.state.colour === "lane" ? lane + 1 : v.state.colour === "register" ? element + 1 : g.op === "A" ? column : row;
      if (seen[key] === undefined) {
        const fill = cellLook(v, o, lane, element, row, column, hushed ? "bare" : "full")[0];
        seen[key] = fill.startsWith("#") ? pack(fill) : 0;
      }
      const departs = v.departs && v.departs.of === g.op && v.departs.places[lane * o.elements + element];
      pixels[p] = departs ? pack(v.look.tokens.error) : seen[key];
    }
  }
  small.putImageData(image, 0, 0);
  ctx.fillStyle = v.look.tokens.wash;
  ctx.fillRect(g.x, g.y, gridWidth(g), gridHeight(g));
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(tile, g.x, g.y, gridWidth(g), gridHeight(g));
  ctx.fillStyle = v.look.tokens.paper;
  if (g.cw >= 6) for (let c = 1; c < g.columns; c++) ctx.fillRect(posX(g, c) - 1, g.y, 1, gridHeight(g));
  if (g.ch >= 6) for (let r = 1; r < g.rows; r++) ctx.fillRect(g.x, posY(g, r) - 1, gridWidth(g), 1);
}

function paintBackground(v, canvas, hushed) {
  const ctx = sharp(canvas, v.layout.width, v.layout.height);
  for (const g of v.layout.grids) {
    if (!v.ins[g.op] && v.state.colour !== "k") paintUnheld(v, ctx, g);
    else if (g.rows * g.columns > 2000 && !g.gx && !g.gy && isBare(g)) paintTile(v, ctx, g, hushed);
    else for (let r = 0; r < g.rows; r++) for (let c = 0; c < g.columns; c++) paintCell(v, ctx, g, r, c, hushed);
  }
  paintLabels(v, ctx);
}

function paintUnheld(v, ctx, g) {
  ctx.fillStyle = v.look.tokens.wash;
  ctx.fillRect(g.x, g.y, gridWidth(g), gridHeight(g));
  if (g.ch < 6) return;
  ctx.fillStyle = v.look.tokens.paper;
  for (let r = 1; r < g.rows; r++) ctx.fillRect(g.x, posY(g, r) - 1, gridWidth(g), 1);
}

function wrapped(ctx, text, width, font) {
  ctx.font = font;
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (ctx.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.filter(Boolean);
}

/** Labels stand at every so many cells of a size, so that each has that much room. */
const every = (size, room) => [1, 8, 16, 32, 64, 128].find((step) => step * size >= (step > 1 ? room : 11)) || 256;

function paintLabels(v, ctx) {
  const { ink, muted } = v.look.tokens;
  const label = (text, x, y, colour, font, align) => {
    ctx.fillStyle = colour;
    ctx.font = `${font} ${v.sans}`;
    ctx.textAlign = align;
    ctx.fillText(text, x, y);
  };
  for (const g of v.layout.grids) {
    const wide = g.cw >= 12;
    if (wide || g.kind === "matrix" || g.cw >= 5) {
      for (let c = 0; c < g.columns; c += wide ? 1 : every(g.cw, 28)) label(c, posX(g, c) + (wide ? g.cw / 2 - 0.5 : 0), g.y - 9, muted, "10px", wide ? "center" : "left");
    }
    if (g.kind === "matrix") {
      const tall = g.ch >= 11;
      for (let r = 0; r < g.rows; r += every(g.ch, 14)) label(r, g.x - 5, posY(g, r) + (tall ? g.ch / 2 : 4), muted, "10px", "right");
      label(g.op, g.x - 5, g.y - 9, ink, "700 13px", "right");
      const why = v.state.colour !== "k" && !v.ins[g.op] && v.ins.unheld[g.op];   // by k its cells have colours
      if (why) wrapped(ctx, why, gridWidth(g) - 20, `11px ${v.sans}`).forEach((line, j) => label(line, g.x + 10, g.y + 16 + 15 * j, muted, "11px", "left"));
    } else {
      const o = v.ins[g.op], w = gridWidth(g), registers = o.register.at(-1) + 1;
      label(g.op, g.x, g.y - 26, ink, "700 13px", "left");
      if (w > 70) label(`${o.elements} × ${o.dtype}${w > 130 && o.perRegister > 1 ? ` in ${registers} ${registers > 1 ? "registers" : "register"}` : ""}`, g.x + 14, g.y - 26, muted, "10.5px", "left");
      if (g === v.layout.grids.find((q) => q.kind === "registers" && q.lane0 === g.lane0)) {
        const tall = g.ch >= 11;
        for (let l = 0; l < g.rows; l += tall ? 1 : 16) label(l + g.lane0, g.x - 6, posY(g, l) + (tall ? g.ch / 2 : 4), muted, "10px", "right");
        label("lane", g.x - 6, g.y - 9, muted, "10px", "right");
      }
    }
  }
  ctx.textAlign = "center";
}

/* ---------- what is lit ---------- */

const matrixGrid = (v, id) => v.layout[id];
const registerGrid = (v, id, lane) => v.layout.grids.find((g) => g.kind === "registers" && g.op === id && lane >= g.lane0 && lane < g.lane0 + g.rows);
const positionOf = (S, id) => (id === "A" ? [S.m, S.k] : id === "B" ? [S.k, S.n] : [S.m, S.n]);

function ringAround(ctx, [x, y, w, h], width, colour, dash = []) {
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.setLineDash(dash);
  ctx.strokeRect(x - width / 2, y - width / 2, w + width, h + width);
  ctx.setLineDash([]);
}

/** Draws the overlay and returns how many cells it painted. */
function paintSelection(v, ctx) {
  const S = v.state, ins = v.ins, { ink, accent } = v.look.tokens;
  let painted = 0;
  const light = (g, r, c) => { paintCell(v, ctx, g, r, c, false, true); painted++; };
  const lightRegister = (id, lane, element) => { const g = registerGrid(v, id, lane); light(g, lane - g.lane0, element); };
  if (S.lit === "dot") {                                                // all that has been summed stays lit
    for (let k = 0; k <= S.k; k++) {
      for (const [id, r, c] of [["A", S.m, k], ["B", k, S.n]]) {
        light(matrixGrid(v, id), r, c);
        for (const [lane, element] of holders(ins[id], S.block, r, c)) lightRegister(id, lane, element);
      }
    }
  } else if (S.lane !== null) {                                         // all that the lane holds
    for (const id of OPERANDS) {
      const o = ins[id];
      if (!o) continue;
      for (let element = 0; element < o.elements; element++) {
        lightRegister(id, S.lane, element);
        for (let place = 0; place < o.places; place++) {
          const [block, r, c] = placeOf(o, S.lane, element, place);
          if (block === S.block) light(matrixGrid(v, id), r, c);
        }
      }
    }
  }
  if (S.lit !== "lane") {
    paintCorridors(v, ctx);
    for (const id of OPERANDS) {
      const g = matrixGrid(v, id), [r, c] = positionOf(S, id), mine = id === S.op || S.lit === "dot";
      light(g, r, c);
      ringAround(ctx, cellBox(g, r, c), mine ? 2.5 : 1.5, mine ? ink : accent);
      holders(ins[id], S.block, r, c).forEach(([lane, element], copy) => {
        const rg = registerGrid(v, id, lane), chosen = mine && (S.lit === "dot" || lane === S.lane);
        light(rg, lane - rg.lane0, element);
        ringAround(ctx, cellBox(rg, lane - rg.lane0, element), chosen ? 2.5 : 1.5, mine ? ink : accent, chosen || (copy === 0 && !mine) ? [] : [3, 2]);
      });
    }
    paintCurrentIndices(v, ctx);
  }
  if (S.lane !== null && S.lit !== "dot") paintCurrentLane(v, ctx);
  return painted + paintLens(v, ctx);
}

/** The row of A and the column of B, and the way to where they meet. */
function paintCorridors(v, ctx) {
  const { A, B, C } = v.layout, S = v.state;
  const xa = A.x - 0.5, ya = posY(A, S.m) - 0.5, xb = posX(B, S.n) - 0.5, yb = B.y - 0.5, xc = posX(C, S.n), yc = posY(C, S.m);
  ctx.strokeStyle = v.look.tokens.ink;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(xc, ya); ctx.lineTo(xa, ya); ctx.lineTo(xa, ya + A.ch); ctx.lineTo(xc, ya + A.ch);
  ctx.moveTo(xb, yc); ctx.lineTo(xb, yb); ctx.lineTo(xb + B.cw, yb); ctx.lineTo(xb + B.cw, yc);
  ctx.stroke();
}

function paintCurrentIndices(v, ctx) {
  const { A, B, C } = v.layout, S = v.state;
  ctx.font = `700 11px ${v.sans}`;
  const write = (text, x, y, align, sparse, least = 0) => {
    const width = ctx.measureText(text).width + 4;
    let start = align === "right" ? x - width + 1 : x - width / 2, end = start + width;
    for (const [from, to] of sparse) if (from < end + 2 && to > start - 2) [start, end] = [Math.min(start, from), Math.max(end, to)];   // whole labels go
    start = Math.max(least, start);
    ctx.fillStyle = v.look.tokens.paper;
    ctx.fillRect(start, y - 7, end - start, 14);
    ctx.fillStyle = v.look.tokens.ink;
    ctx.textAlign = align;
    ctx.fillText(text, x, y);
  };
  const labels = (g, i) => {                                            // from where to where the labels left and right of it stand
    const step = every(g.cw, 28), before = i - i % step;
    return [before, before + step].filter((c) => c < g.columns).map((c) => [posX(g, c) - 1, posX(g, c) + 6 * String(c).length + 1]);
  };
  const above = (g, i) => write(i, posX(g, i) + g.cw / 2 - 0.5, g.y - 9, "center", g.cw < 12 ? labels(g, i) : [], g.x - 3);
  const left = (g, i) => write(i, g.x - 5, posY(g, i) + g.ch / 2, "right", []);
  left(A, S.m); above(A, S.k); above(B, S.n); left(B, S.k); left(C, S.m); above(C, S.n);
  ctx.textAlign = "center";
}

function paintCurrentLane(v, ctx) {
  const g = v.layout.grids.find((q) => q.kind === "registers" && v.state.lane >= q.lane0 && v.state.lane < q.lane0 + q.rows);
  const y = posY(g, v.state.lane - g.lane0) + g.ch / 2;
  ctx.fillStyle = v.look.tokens.paper;
  ctx.fillRect(g.x - 27, y - 7, 25, 14);
  ctx.fillStyle = v.look.tokens.ink;
  ctx.font = `700 11px ${v.sans}`;
  ctx.textAlign = "right";
  ctx.fillText(v.state.lane, g.x - 6, y);
  ctx.textAlign = "center";
}

/** Where cells are too small for a number: a fixed magnifier left of A. */
function paintLens(v, ctx) {
  const S = v.state, id = S.lit === "dot" ? "C" : S.op, g = matrixGrid(v, id);
  if (!isBare(g) || S.lit === "lane") return 0;
  const width = 25, height = 18, x = 26, { A } = v.layout;
  const rows = Math.min(9, g.rows), columns = Math.min(5, g.columns, Math.max(1, Math.floor((A.x - x - 30) / width)));
  if (A.x - x - 30 < width) return 0;
  const [r, c] = positionOf(S, id), r0 = Math.min(g.rows - rows, Math.max(0, r - 4)), c0 = Math.min(g.columns - columns, Math.max(0, c - (columns >> 1)));
  const y = A.y + 30, box = (i, j) => [x + j * width, y + i * height, width - 1, height - 1];
  const write = (text, tx, ty, colour, font, align) => { ctx.fillStyle = colour; ctx.font = `${font} ${v.sans}`; ctx.textAlign = align; ctx.fillText(text, tx, ty); };
  ctx.fillStyle = v.look.tokens.paper;
  ctx.fillRect(0, y - 34, x + columns * width + 2, rows * height + 38);
  write(`${id}, enlarged`, x, y - 24, v.look.tokens.ink, "700 12px", "left");
  for (let j = 0; j < columns; j++) write(c0 + j, x + j * width + width / 2, y - 9, c0 + j === c ? v.look.tokens.ink : v.look.tokens.muted, c0 + j === c ? "700 10px" : "10px", "center");
  for (let i = 0; i < rows; i++) {
    write(r0 + i, x - 5, y + i * height + height / 2, r0 + i === r ? v.look.tokens.ink : v.look.tokens.muted, r0 + i === r ? "700 10px" : "10px", "right");
    for (let j = 0; j < columns; j++) {
      const [lane, element] = occupant(v, g, r0 + i, c0 + j, true), mine = lane === S.lane && lane >= 0 || (r0 + i === r && c0 + j === c);
      const [fill, text] = cellLook(v, v.ins[id] || { id }, lane, element, r0 + i, c0 + j, mine ? "full" : "hushed"), [bx, by, bw, bh] = box(i, j);
      ctx.fillStyle = fill;
      ctx.fillRect(bx, by, bw, bh);
      write(text, bx + bw / 2, by + bh / 2, mine ? v.look.tokens.cell_ink : v.look.tokens.cell_muted, "11px", "center");
    }
  }
  ringAround(ctx, box(r - r0, c - c0), 2.5, v.look.tokens.ink);
  const [gx, gy] = cellBox(g, r0, c0);
  ringAround(ctx, [gx, gy, columns * g.cw, rows * g.ch], 1, v.look.tokens.accent);
  ctx.textAlign = "center";
  return rows * columns;
}
