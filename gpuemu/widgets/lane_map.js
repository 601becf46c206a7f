// The instruction as Python sent it: where each place of each register lies, and, inverted once, who holds each element.

const OPERANDS = ["A", "B", "C"];

function bytes(view, Type) {
  return new Type(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));  // a copy: the offset may be odd
}

function unpack(data) {
  const ins = { ...data, A: null, B: null, C: null };
  for (const id of OPERANDS) {
    const sent = data.operands[id];
    if (sent) ins[id] = operandOf(id, sent, data.lanes);
  }
  ins.valuesA = bytes(data.values.A, Int8Array);
  ins.valuesB = bytes(data.values.B, Int8Array);
  return ins;
}

function operandOf(id, sent, lanes) {
  // at: (block, row, column) of each (lane, element, place); an element has one place, or four where the operand is sparse
  const o = { ...sent, id, at: bytes(sent.at, Uint16Array) };
  const cells = o.blocks * o.rows * o.columns, places = lanes * o.elements * o.places;
  const cellOf = (p) => (o.at[3 * p] * o.rows + o.at[3 * p + 1]) * o.columns + o.at[3 * p + 2];
  o.first = new Int32Array(cells + 1);                                  // the holders of cell c are held[first[c]] … held[first[c + 1] − 1]
  for (let p = 0; p < places; p++) o.first[cellOf(p) + 1]++;
  for (let c = 0; c < cells; c++) o.first[c + 1] += o.first[c];
  o.held = new Int32Array(places);                                      // lane · elements + element
  const next = o.first.slice();
  for (let p = 0; p < places; p++) o.held[next[cellOf(p)]++] = Math.floor(p / o.places);
  o.perRegister = Math.max(1, ...countBy(o.register));
  return o;
}

function countBy(numbers) {
  const counts = [];
  for (const n of numbers) counts[n] = (counts[n] || 0) + 1;
  return counts;
}

/** All [lane, element] that hold the element at (row, column) of the block; lanes ascend. */
function holders(o, block, row, column) {
  if (!o) return [];
  const c = (block * o.rows + row) * o.columns + column, found = [];
  for (let j = o.first[c]; j < o.first[c + 1]; j++) found.push([Math.floor(o.held[j] / o.elements), o.held[j] % o.elements]);
  return found;
}

/** [block, row, column] of one place of an element. */
function placeOf(o, lane, element, place = 0) {
  const p = 3 * ((lane * o.elements + element) * o.places + place);
  return [o.at[p], o.at[p + 1], o.at[p + 2]];
}

const PRODUCTS = { mul: (a, b) => a * b, and: (a, b) => a & b, xor: (a, b) => a ^ b };
const PRODUCT_SIGNS = { mul: "×", and: "&", xor: "^" };

/** The dot product of one element of C, step by step: [a, b, product, sum]. Small integers: exact in every order and every format. */
function steps(ins, block, m, n) {
  const product = PRODUCTS[ins.product], rows = [];
  for (let k = 0, sum = 0; k < ins.k; k++) {
    const a = ins.valuesA[(block * ins.m + m) * ins.k + k], b = ins.valuesB[(block * ins.k + k) * ins.n + n], p = product(a, b);
    rows.push([a, b, p, (sum += p)]);
  }
  return rows;
}
