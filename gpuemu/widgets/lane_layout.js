// Where everything stands: B above C, A left of C, so that a row of A and a column of B meet in C; the registers beside or below.

const SEAM = 3;                 // between groups of eight indices, of four lanes, and of registers
const HEADER_X = 22, HEADER_Y = 18, BETWEEN_X = 26, BETWEEN_Y = 21, LANE_COLUMN = 30, BETWEEN_OPERANDS = 10, FOLDED = 3;
const TALL = 1100;              // pixels: beyond, the registers rather fold than go below
const LEDGER_ROW = 16, LEDGER_LIMIT = 32;   // more steps than this scroll

const extent = (n, size, every) => n * size + (every ? Math.floor((n - 1) / every) * SEAM : 0);
const posX = (g, c) => g.x + c * g.cw + (g.gx ? Math.floor(c / g.gx) * SEAM : 0);
const posY = (g, r) => g.y + r * g.ch + (g.gy ? Math.floor(r / g.gy) * SEAM : 0);
const gridWidth = (g) => extent(g.columns, g.cw, g.gx);
const gridHeight = (g) => extent(g.rows, g.ch, g.gy);

/** The visible part of a cell: a one-pixel gap where there is room for it. */
const cellBox = (g, r, c) => [posX(g, c), posY(g, r), g.cw - (g.cw >= 6 ? 1 : 0), g.ch - (g.ch >= 6 ? 1 : 0)];
const isBare = (g) => g.cw < 12 || g.ch < 11;

/** The [row, column] under a point, relative to the grid's corner. */
function cellAt(g, x, y) {
  const index = (p, n, size, every) => {
    let i = Math.min(n - 1, Math.max(0, Math.floor(every ? p / (size + SEAM / every) : p / size)));
    const start = (j) => j * size + (every ? Math.floor(j / every) * SEAM : 0);
    while (i > 0 && p < start(i) - SEAM / 2) i--;
    while (i < n - 1 && p >= start(i + 1) - (every ? SEAM / 2 : 0)) i++;
    return i;
  };
  return [index(y, g.rows, g.ch, g.gy), index(x, g.columns, g.cw, g.gx)];
}

const LEAST_QUAD = 232, ROOMY_QUAD = 254;   // the narrowest place for the ledger, and from where it stands at its ease
const LENS = 160;              // left of A, where cells are too small for numbers

function matrixSizes(ins, width) {
  const seamed = (n, size) => (n > 8 && size >= 10 ? 8 : 0);
  const many = ins.k > LEDGER_LIMIT;
  let quad = ins.n === 16 && ins.m <= 16 ? 286 : 306;
  if (ins.k > 16 && !many && ins.n <= 16) quad = extent(ins.k, 12, 8);       // room for numbers in A
  if (many) quad = 256 + LENS;
  const wish = ins.n <= 8 ? (ins.m <= 8 ? 34 : 22) : ins.n <= 16 ? 15 : 0;    // a small C keeps its cells, and the corner gives way
  if (wish && !many) quad = Math.max(LEAST_QUAD, Math.min(quad, width - HEADER_X - BETWEEN_X - extent(ins.n, wish, seamed(ins.n, wish))));
  const room = width - HEADER_X - quad - BETWEEN_X - (wish ? 0 : 12);
  const fit = (n) => Math.max(1, Math.floor((room - (n > 8 ? extent(n, 0, 8) : 0)) / n));
  const nw = wish ? Math.min(wish, fit(ins.n)) : ins.n <= 64 ? Math.min(22, fit(ins.n)) : Math.max(1, Math.floor((2 * room) / ins.n) / 2);
  const mh = ins.m <= 8 ? 34 : ins.m <= 16 ? 17 : ins.m <= 32 ? 15 : nw >= 12 ? 11 : 6;
  const kh = ins.k <= 8 ? 29 : ins.k <= 16 ? 20 : !many ? 17 : Math.max(2, Math.floor(512 / ins.k));
  const left = many || nw < 12 || mh < 11 ? quad - LENS : quad;
  const kw = Math.max(1, Math.min(38, Math.floor((left - (left / ins.k >= 10 ? extent(ins.k, 0, 8) : 0)) / ins.k)));
  return { quad, kw, nw, mh, kh, seamed };
}

/** All grids and the measures of the page, for an instruction, a width and the operand whose registers are unfolded. */
function arrange(ins, width, unfolded) {
  const { quad, kw, nw, mh, kh, seamed } = matrixSizes(ins, width);
  const grid = (id, rows, columns, cw, ch) =>
    ({ id, kind: "matrix", op: id, rows, columns, cw, ch, gx: seamed(columns, cw), gy: seamed(rows, ch), x: 0, y: 0 });
  const A = grid("A", ins.m, ins.k, kw, mh), B = grid("B", ins.k, ins.n, nw, kh), C = grid("C", ins.m, ins.n, nw, mh);
  const words = 66 + LEDGER_ROW * Math.min(ins.k + 1, LEDGER_LIMIT + 1);   // title, sentence and ledger stand in the free corner
  B.y = Math.max(HEADER_Y, words - gridHeight(B));
  C.y = A.y = B.y + gridHeight(B) + BETWEEN_Y;
  B.x = C.x = HEADER_X + quad + BETWEEN_X;
  A.x = HEADER_X + quad - gridWidth(A);
  const right = C.x + gridWidth(C), bottom = C.y + gridHeight(C);
  const side = ins.lanes <= 32 && width - right - 24 - LANE_COLUMN >= 180 && arrangeRegisters(ins, right + 24, 34, width, unfolded);
  const under = arrangeRegisters(ins, 0, bottom + 48, width, unfolded);
  // below, when only there all numbers can be read and the page stays short, or when beside not even one operand's can
  const roomier = side && ((crowded(side) && !crowded(under) && lowestOf(under) <= TALL) || (!legible(side) && legible(under)));
  const registers = side && !roomier && side[0].cw >= FOLDED ? side : under;
  const lowest = Math.max(bottom, lowestOf(registers));
  return { grids: [A, B, C, ...registers], A, B, C, width, height: Math.ceil(lowest) + 4, cornerWidth: quad + HEADER_X, cornerHeight: B.y + gridHeight(B) };
}

const lowestOf = (grids) => Math.max(...grids.map((g) => g.y + gridHeight(g)));
const legible = (grids) => grids.some((g) => !g.folded && g.cw >= 12);
const crowded = (grids) => grids.some((g) => g.cw < 12);

/** The operand whose registers stand open at first, where not all can: the largest that stays legible. */
function firstUnfolded(ins, width) {
  const held = OPERANDS.filter((id) => ins[id]).sort((a, b) => ins[b].elements - ins[a].elements);
  return held.find((id) => arrange(ins, width, id).grids.some((g) => g.kind === "registers" && g.op === id && g.cw >= 12)) || held[0];
}

function arrangeRegisters(ins, left, top, width, unfolded) {
  const ops = OPERANDS.filter((id) => ins[id]);
  const rows = ins.lanes === 64 ? 32 : ins.lanes, columns = ins.lanes / rows;      // 64 lanes stand as two columns of 32
  const height = rows <= 32 ? 17 : 3;
  const room = (width - left - (columns - 1) * 22) / columns - LANE_COLUMN - (ops.length - 1) * BETWEEN_OPERANDS;
  const every = (o) => (o.elements > 32 && o.perRegister < 2 ? 0 : o.perRegister > 1 ? (o.elements > o.perRegister ? o.perRegister : 0) : o.elements > 8 ? 4 : 0);
  const seams = (o) => extent(o.elements, 0, every(o));
  const total = ops.reduce((sum, id) => sum + ins[id].elements, 0);
  const even = Math.min(44, (room - ops.reduce((sum, id) => sum + seams(ins[id]), 0)) / total);
  const fold = even < 13 && total <= 64;
  const grids = [];
  let x = left + LANE_COLUMN;
  for (let b = 0; b < columns; b++) {
    for (const id of ops) {
      const o = ins[id], open = !fold || id === unfolded;
      let cw = !fold ? even : open ? Math.min(22, (room - seams(o) - FOLDED * (total - o.elements)) / o.elements) : FOLDED;
      if (cw > 6) cw = Math.floor(cw * 2) / 2;
      grids.push({ id: `R${id}${b || ""}`, kind: "registers", op: id, lane0: b * rows, rows, columns: o.elements, x, y: top, cw, ch: height,
        gx: open ? every(o) : 0, gy: height >= 8 ? 4 : 0, folded: !open });
      x += gridWidth(grids.at(-1)) + BETWEEN_OPERANDS;
    }
    x += LANE_COLUMN + 22 - BETWEEN_OPERANDS;
  }
  return grids;
}
