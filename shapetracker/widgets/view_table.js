/* How the address of an element is computed in one view, digit by digit. */

// The table of one view: index, mask, stride, product; with names at rest and with numbers when something is selected.
function viewTable(picture, layer, index, whole, flat) {
  const views = picture.views, view = views[layer], top = layer === views.length - 1 || whole === null, P = places(view.shape);
  const table = h("table"), n = view.shape.length;
  let bad = -1;
  const row = (label, cells, cls) => table.append(h("tr", cls ? { class: cls } : {}, h("th", { text: label, scope: "row" }), ...cells));
  const cells = (texts, cls) => texts.map(text => h("td", { text, class: cls }));
  const quiet = index ? "" : "muted", name = d => index ? `${index[d]}` : top ? `idx${d}` : `d${d}`;
  const title = views.length > 1 ? `view ${layer + 1}` : "view";
  table.append(h("caption", { text: top ? title : `${title}: ${index ? whole : "p"} written in digits over ${tuple(view.shape)}` }));
  if (!n) return { table, bad, sum: view.offset };
  row("axis", cells(view.shape.map((_, d) => `${d}`), "muted"));
  if (!top) row("digit", cells(view.shape.map((size, d) => `${index ? whole : "p"}${P[d] > 1 ? ` // ${P[d]}` : ""}${d ? ` % ${size}` : ""}`), quiet));
  row("index", cells(view.shape.map((_, d) => name(d)), quiet));
  if (view.mask) {
    row("within", view.mask.map(([begin, end], d) => {
      const i = index && index[d], wrong = index && (i < begin || i >= end);
      if (wrong && bad < 0) bad = d;
      const text = index ? (i < begin ? `${i} < ${begin}` : i >= end ? `${i} \u2265 ${end}` : `${begin} \u2264 ${i} < ${end}`) : `${begin} \u2264 ${name(d)} < ${end}`;
      return h("td", { text, class: wrong ? "bad" : quiet });
    }));
  }
  row("\u00d7 stride", cells(view.strides.map(minus), quiet));
  const products = view.strides.map((s, d) => index ? minus(s * index[d]) : s === 0 ? "0" : s === 1 ? name(d) : `${name(d)}\u00b7${minus(s)}`);
  if (view.offset) products.push(`offset ${minus(view.offset)}`);
  const total = index ? (bad >= 0 ? "not read" : `sum ${flat}`) : layer ? "sum p" : "sum";
  row("product", [...cells(products, quiet), h("td", { class: index ? "total" : quiet, text: total })], "sum");
  return { table, bad };
}
