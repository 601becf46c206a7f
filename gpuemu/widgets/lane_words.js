// The words: one sentence for every eye and ear, the ledger of the dot product, the formula with the present numbers put in.

const joined = (list, last) => (list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} ${last} ${list.at(-1)}`);
const at = (id, r, c) => `${id}[${r}, ${c}]`;

/** The title and the sentence that say what is selected. */
function describe(v) {
  const S = v.state, ins = v.ins;
  if (S.lit === "none") {
    return [`C[m, n] = Σ A[m, k] ${ins.product === "mul" ? "·" : PRODUCT_SIGNS[ins.product]} B[k, n]`, `Point at an element, a register or a lane. Below, all of ${at("C", S.m, S.n)}.`];
  }
  if (S.lit === "lane") {
    const held = OPERANDS.filter((id) => ins[id]).map((id) => `${ins[id].elements * (ins[id].places > 1 ? 2 : 1)} of ${id}`);
    return [`lane ${S.lane}`, `It holds ${joined(held, "and")}.`];
  }
  if (S.lit === "dot") return [at("C", S.m, S.n), describeStep(v)];
  const [r, c] = positionOf(S, S.op), o = ins[S.op], who = holders(o, S.block, r, c);
  const title = at(S.op, r, c) + (ins.blocks > 1 ? ` of block ${S.block}` : "");
  if (!who.length) return [title, `${ins.giver[S.op] === "shared memory" ? "It lies in shared memory: no lane holds it." : "Which lane holds it is not published."}`];
  const [lane, element] = who.find(([l]) => l === S.lane) || who[0];
  const copies = who.filter(([l]) => l !== lane).map(([l]) => l);
  const also = copies.length > 1 ? `; lanes ${joined(copies, "and")} hold copies` : copies.length ? `; lane ${copies[0]} holds a copy` : "";
  if (o.places > 1) return [title, `Lane ${lane} may hold it: its index register picks two of the four in ${o.names[element]}, ${o.where[element]}.`];
  return [title, `Lane ${lane} holds it as ${o.names[element]}, ${o.where[element]}${also}.`];
}

function describeStep(v) {
  const S = v.state, ins = v.ins;
  const gives = (id, r, c) => {
    const lanes = holders(ins[id], S.block, r, c).map(([lane]) => lane);
    return `${lanes.length ? `lane ${joined(lanes, "or")}` : ins.giver[id]} gives ${at(id, r, c)}`;
  };
  const keeper = holders(ins.C, S.block, S.m, S.n)[0];
  const keeps = keeper ? ` Lane ${keeper[0]} keeps the sum in ${ins.C.where[keeper[1]]}.` : "";
  return `Step k = ${S.k}: ${gives("A", S.m, S.k)}, ${gives("B", S.k, S.n)}.${keeps}`;
}

/* ---------- the ledger: all steps of one element of C at once; play only walks it ---------- */

function buildLedger(v, ledger, pointAt) {
  const sign = PRODUCT_SIGNS[v.ins.product], heads = ["k", "A", "lane", "", "B", "lane", v.ins.product === "mul" ? "A·B" : `A ${sign} B`, "sum"];
  const row = (j) => h("div", { class: "lrow", onmouseenter: () => pointAt(v.ledgerStart + j) },
    ...heads.map((_, column) => h("span", { class: column === 2 || column === 5 ? "chip" : column === 7 ? "sum" : "" })));
  v.ledgerStart = 0;
  ledger.replaceChildren(h("div", { class: "lrow h", "aria-hidden": "true" }, ...heads.map((text) => h("span", { text }))),
    ...Array.from({ length: Math.min(v.ins.k, LEDGER_LIMIT) }, (_, j) => row(j)));
  ledger.setAttribute("aria-valuemax", v.ins.k - 1);
}

/** Where there are more steps than rows, the rows follow k. */
function writeLedger(v, ledger) {
  const S = v.state, ins = v.ins, sign = PRODUCT_SIGNS[ins.product], rest = S.lit === "none", shown = Math.min(ins.k, LEDGER_LIMIT);
  v.ledgerStart = Math.min(S.k, Math.max(v.ledgerStart, S.k - shown + 1));
  const all = steps(ins, S.block, S.m, S.n);
  const put = (span, text) => { if (span.textContent !== text) span.textContent = text; };
  const chip = (span, who) => {
    put(span, who.length ? "" + who[0][0] : "–");
    const fill = who.length ? tone(v.look, who[0][0] >> 2, (who[0][0] & 3) / 3) : "transparent";
    if (span.dataset.fill !== fill) { span.dataset.fill = fill; span.style.background = fill; }
    span.classList.toggle("none", !who.length);
  };
  for (let j = 0; j < shown; j++) {
    const k = v.ledgerStart + j, [a, b, product, sum] = all[k], line = ledger.children[j + 1], s = line.children;
    put(s[0], "" + k); put(s[1], minus(a)); put(s[3], sign); put(s[4], minus(b)); put(s[6], minus(product)); put(s[7], minus(sum));
    chip(s[2], holders(ins.A, S.block, S.m, k));
    chip(s[5], holders(ins.B, S.block, k, S.n));
    const now = !rest && S.lit !== "lane" && k === S.k;
    const name = `lrow${S.lit !== "dot" || k <= S.k ? " done" : ""}${now ? " now" : ""}${k === ins.k - 1 ? " last" : ""}`;
    if (line.className !== name) line.className = name;
  }
  const [a, b, product, sum] = all[S.k];
  ledger.setAttribute("aria-valuenow", S.k);
  ledger.setAttribute("aria-valuetext", `k ${S.k}: ${a} ${ins.product === "mul" ? "times" : ins.product} ${b} is ${product}, sum ${sum}`);
}

/* ---------- where an element lies ---------- */

const strong = (text) => h("b", { text });
const number = (text) => h("i", { text });
const digitOf = ([variable, place, size], lane, element) => Math.floor((variable === "lane" ? lane : element) / place) % size;

/** A formula in lane and i, with their present values in place of the names. */
function filledIn(text, lane, element) {
  return text.split(/\b(lane|i)\b/).map((part, j) => (j % 2 ? number(part === "lane" ? lane : element) : part));
}

/** The value of an index expression as Python writes it: whole numbers, names, + - * // % and parentheses. */
function calculate(text, values) {
  const tokens = text.match(/\d+|[a-z]+|\/\/|[-+*%()]/g), strength = { "+": 1, "-": 1, "*": 2, "//": 2, "%": 2 };
  const apply = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "//": (a, b) => Math.floor(a / b), "%": (a, b) => a - b * Math.floor(a / b) };
  let at = 0;
  const atom = () => {
    const token = tokens[at++];
    if (token === "-") return -atom();
    if (token !== "(") return token in values ? values[token] : +token;
    const inner = sum(1);
    at++;
    return inner;
  };
  const sum = (least) => {
    let left = atom();
    while (strength[tokens[at]] >= least) {
      const operator = tokens[at++];
      left = apply[operator](left, sum(strength[operator] + 1));
    }
    return left;
  };
  return sum(1);
}

/** lane and element of what is looked at, or nulls. */
function present(v, id) {
  const S = v.state;
  if (S.lit === "none" || S.lit === "lane") return [null, null];
  const [r, c] = positionOf(S, id), who = holders(v.ins[id], S.block, r, c);
  return who.find(([lane]) => lane === S.lane && S.lit !== "dot") || who[0] || [null, null];
}

/** The label of a notation, and the name that the library gives it; the first three show the present numbers. */
const NOTATIONS = [["Python", "formula"], ["C", "C function"], ["view", "View"], ["back", "formula back"], ["movement", "movement operations"],
  ["CuTe", "CuTe layout"], ["F2", "F2 bases"], ["SymPy", "SymPy expression"], ["yours", ""]];

function writeFormula(v, pre) {
  const id = v.state.lit === "dot" ? "C" : v.state.op, o = v.ins[id], kind = v.state.notation;
  if (!o) return pre.replaceChildren("no lane holds this operand");
  if (kind === "yours") return undefined;
  pre.classList.toggle("wraps", kind !== "view");                       // a table keeps its columns
  const name = NOTATIONS.find(([label]) => label === kind)[1], [lane, element] = present(v, id);
  if (o.index && kind === "Python") return pre.replaceChildren(...indexLines(o, "python", lane, element));
  if (o.index && kind === "C") return pre.replaceChildren(...indexLines(o, "c", lane, element));
  if (o.index && kind === "view") return pre.replaceChildren(...viewLines(o, lane, element));
  const [text, meaning] = o.notations[name];
  return pre.replaceChildren(strong(id), "  ", text, "\n\n", meaning);
}

function indexLines(o, language, lane, element) {
  const out = [], end = language === "c" ? ";" : "";
  for (const axis of o.index.axes) {
    const label = axis.name.padEnd(axis.name.length > 1 ? 6 : 3), text = axis[language];
    out.push(strong(label), `= ${text}${end}\n`);
    if (lane === null) continue;
    const parts = axis.terms.map((term) => calculate(term, { lane, i: element })), total = parts.reduce((a, b) => a + b, 0);
    if (Number.isNaN(total)) continue;                                  // a sparse operand: which of four is not known
    const sum = parts.length > 1 ? `= ${parts.join(" + ")} ` : "";
    out.push(" ".repeat(label.length), "= ", ...filledIn(text, lane, element), text.length > 34 ? `\n${" ".repeat(label.length)}${sum}= ` : ` ${sum}= `, strong(total), "\n");
  }
  if (lane === null) out.push("i is the element's number inside the lane");
  return out;
}

function viewLines(o, lane, element) {
  const digits = o.index.digits, have = lane !== null, strides = digits.map((d) => d[3]);
  const values = digits.map((d) => (have ? digitOf(d, lane, element) : 0)), products = values.map((q, j) => q * strides[j]);
  const widths = digits.map((d, j) => Math.max(4, ...[d[2], strides[j], products[j]].map((n) => String(n).length + 2)));
  const lanes = digits.filter((d) => d[0] === "lane").length;
  const line = (label, numbers, make = String) => [label.padEnd(8), ...numbers.flatMap((n, j) => [(j === lanes ? "  │" : "") + " ".repeat(widths[j] - String(n).length), make(n)])];
  const out = [...line("shape", digits.map((d) => d[2])), "\n"];
  if (have) out.push(...line("index", values, number), "     ", number(`lane ${lane}`), ", ", number(`i ${element}`), "\n");
  out.push(...line("stride", strides), "\n");
  if (!have) return [...out, "\nlane digits │ element digits, over row-major ", strong(o.id)];
  const offset = products.reduce((a, b) => a + b, 0);
  const row = Math.floor(offset / o.columns), lines = o.blocks > 1 ? `(${Math.floor(row / o.rows)}·${o.rows} + ${row % o.rows})` : row;
  return [...out, ...line("product", products), "     sum ", strong(offset), ` = ${lines}·${o.columns} + ${offset % o.columns}`];
}

/** What the lane holds, operand by operand. */
function writeHoldings(v, title, list) {
  const S = v.state, keeper = S.lit === "dot" ? present(v, "C")[0] : S.lit === "none" ? null : S.lane, shown = 12;
  title.textContent = keeper === null ? "what a lane holds" : `lane ${keeper} holds`;
  if (keeper === null) return list.replaceChildren(h("span"), h("span", { text: "–" }));
  const rows = OPERANDS.filter((id) => v.ins[id]).flatMap((id) => {
    const o = v.ins[id], line = h("span"), cut = o.elements > 16 ? shown : o.elements, [mr, mc] = positionOf(S, id);
    for (let element = 0; element < cut; element++) {
      const [block, r, c] = placeOf(o, keeper, element), last = o.places > 1 ? `…${placeOf(o, keeper, element, o.places - 1)[2]}` : "";
      const text = `${v.ins.blocks > 1 ? `${block}:` : ""}${r},${c}${last}`, here = S.lit !== "lane" && id === (S.lit === "dot" ? "C" : S.op) && r === mr && c === mc && block === S.block;
      line.append(here ? strong(text) : text, element < cut - 1 ? "  " : "");
    }
    if (cut < o.elements) line.append(`  … ${o.elements} in all`);
    return [strong(id), line];
  });
  list.replaceChildren(...rows);
}

/* ---------- your own formula ---------- */

/** Fields for row and column (and block); ask(operand, texts) has them checked in Python. */
function yourFormula(ask) {
  const fields = h("div", { class: "fields" }), verdict = h("div", { class: "verdict", id: `verdict-${Math.random().toString(36).slice(2)}`, role: "status" });
  const operands = choice("operand", OPERANDS.map((id) => [id, id]), "C", (id) => { of = id; build([]); ask(of, texts()); });
  const box = h("div", { class: "yours" }, fields, h("div", { class: "judged" }, operands, verdict));
  let of = "C", ins = null, timer = 0, built = "";
  const axes = () => [...(ins.blocks > 1 ? ["block"] : []), ...{ A: ["m", "k"], B: ["k", "n"], C: ["m", "n"] }[of]];
  const texts = () => { const all = [...fields.querySelectorAll("input")].map((e) => e.value.trim()); return all.every((t) => !t) ? [] : all; };
  const order = (list) => (ins.blocks > 1 ? [...list.slice(1), list[0]] : list);   // Python takes the block last
  const later = () => { clearTimeout(timer); timer = setTimeout(() => ask(of, order(texts())), 150); };
  function build(values) {
    fields.replaceChildren(...axes().map((name, j, all) => {
      const input = keysOwn(h("input", { type: "text", spellcheck: "false", autocomplete: "off", "aria-label": `your ${name} of ${of}`, "aria-describedby": verdict.id, placeholder: `${["column", "row", "block"][all.length - 1 - j]}, from lane and i`, oninput: later }));
      input.value = values[j] || "";
      return h("label", {}, h("b", { text: `${name} =` }), input);
    }));
    built = of + axes().join();
  }
  return {
    box,
    show(found, instruction, operand, given, alone) {
      ins = instruction;
      of = operand;
      operands.show(of);
      const mine = ins.blocks > 1 && given.length ? [given[given.length - 1], ...given.slice(0, -1)] : given;
      if (built !== of + axes().join() || (!fields.contains(document.activeElement) && texts().join() !== mine.join())) build(mine);
      const wrong = found.error !== undefined;
      for (const input of fields.querySelectorAll("input")) input.toggleAttribute("aria-invalid", false), wrong && input.setAttribute("aria-invalid", "true");
      if (wrong) verdict.replaceChildren(h("b", { class: "bad", text: found.error }));
      else if (!found.verdict) verdict.replaceChildren(alone ? "Checked by Python: open this in a notebook." : "Type the formula of your fragment, in Python or C, over lane and i.");
      else verdict.replaceChildren(h("b", { class: found.right ? "" : "bad", text: found.verdict }), found.first ? ` ${found.first} ${found.more}` : "");
    },
  };
}
