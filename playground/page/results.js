// What a run wrote, and where its cycles went.
"use strict";

/** The resources of a run. */
W.showOutput = (place, answer) => {
  const parts = [];
  if (answer.failure) parts.push(W.el("pre", { class: "failure", role: "alert" }, answer.failure));
  for (const f of answer.findings ?? []) {
    const where = f.source ? ` (${f.source})` : "";
    parts.push(W.el("p", { class: "finding" }, W.el("b", {}, f.check), " ", f.message + where, f.count > 1 ? ` ${W.count(f.count)} times` : ""));
  }
  if (answer.printed?.length) parts.push(W.el("pre", { class: "printed" }, answer.printed.join("\n")));
  const written = (o) => (o.changed ? 0 : o.written ? 1 : 2);
  for (const output of [...(answer.outputs ?? [])].sort((a, b) => written(a) - written(b))) parts.push(W.resource(output));
  place.replaceChildren(...(parts.length ? parts : [W.el("p", { class: "empty" }, "Nothing was written.")]));
};

W.resource = (output) => {
  const name = output.name || `binding ${output.binding}`;
  const place = `${output.set ? output.set + "." : ""}${output.binding}${output.element ? `[${output.element}]` : ""}`;
  const head = W.el("h3", {}, name, " ", W.el("span", { class: "note" }, `${output.type} at ${place}${output.changed ? "" : ", as it was"}`));
  const box = W.el("section", { class: "resource" + (output.changed ? " changed" : "") }, head);
  if (output.picture) {
    box.append(W.el("img", { src: output.picture, alt: `${name} as a picture`, class: "picture" }));
    return box;
  }
  const grid = W.el("div", { class: "numbers", role: "img", "aria-label": `${name}: ${output.values.slice(0, 16).join(", ")}${output.count > 16 ? " and more" : ""}` });
  let shown = 0;
  const text = (v) => (typeof v === "number" && !Number.isInteger(v) ? String(Number(v.toPrecision(6))) : String(v));
  const more = W.el("button", { type: "button", onclick: () => show(4096) });
  const show = (count) => {
    const upTo = Math.min(output.values.length, count);
    const cells = [];
    for (; shown < upTo; shown++) cells.push(W.el("span", { title: `[${shown}]` }, text(output.values[shown])));
    grid.append(...cells);
    const total = output.head + output.count * output.lanes;
    more.hidden = shown >= output.values.length;
    more.textContent = `${W.count(total - shown)} more`;
  };
  show(output.changed ? 128 : 32);
  box.append(grid, more);
  return box;
};

/** A bar of parts: name, cycles. */
W.stack = (parts, whole) => {
  const rows = parts.filter(([, n]) => n / whole >= 0.0005).map(([name, n]) => {
    const bar = W.el("i");
    bar.style.width = `${((100 * n) / whole).toFixed(2)}%`;
    return W.el("tr", {}, W.el("th", { scope: "row" }, name), W.el("td", { class: "n" }, W.count(n)), W.el("td", { class: "n" }, W.percent(n, whole)), W.el("td", { class: "bar" }, bar));
  });
  return W.el("table", { class: "stack" }, W.el("tbody", {}, ...rows));
};

/** Waves on the machine over the time of dispatches, as one drawing on one axis. */
W.timeline = (dispatches) => {
  const [width, height] = [640, 46];
  const begin = Math.min(...dispatches.map((d) => d.launched));
  const end = Math.max(...dispatches.map((d) => d.ended));
  const x = (cycle) => (width * (cycle - begin)) / Math.max(1, end - begin);
  const name = (d) => (dispatches.length > 1 ? (d.urgent ? "urgent queue" : "general queue") : "waves on the machine");
  const rows = dispatches.map((d) => {
    const { span, resident } = d.occupancy;
    const most = Math.max(1, ...resident);
    const points = [`${x(d.launched)},${height}`];
    resident.forEach((n, k) => {
      const [from, to] = [d.launched + k * span, Math.min(d.ended, d.launched + (k + 1) * span)];
      if (from >= d.ended) return;
      const y = height - (height - 4) * (n / most);
      points.push(`${x(from)},${y}`, `${x(to)},${y}`);
    });
    points.push(`${x(d.ended)},${height}`);
    const words = `${name(d)}: from cycle ${W.count(d.launched - begin)} to ${W.count(d.ended - begin)}, at most ${(most / span).toFixed(1)} waves`;
    return W.el("figure", {}, W.el("figcaption", {}, words),
      W.svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": words },
        W.svg("polygon", { points: points.join(" ") }), W.svg("line", { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 })));
  });
  return W.el("div", { class: "timeline" }, ...rows);
};

W.svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/** Where the cycles of a run went. */
W.showCycles = (place, answer) => {
  const all = answer.dispatches ?? [];
  if (!all.length) {
    place.replaceChildren(W.el("p", { class: "empty" }, answer.failure ?? "Nothing ran."));
    return;
  }
  const d = all[0];
  const fact = (value, words) => W.el("div", { class: "fact" }, W.el("b", {}, value), W.el("span", {}, words));
  const facts = [
    fact(W.count(d.cycles), "cycles"),
    fact((d.nanoseconds / 1000).toFixed(2), "µs on " + answer.machine),
    fact(W.count(d.instructions), "instructions"),
    fact(W.count(d.waves), `waves of ${W.count(d.workgroups)} groups`),
    fact((d.resident / Math.max(1, d.cycles)).toFixed(1), `waves at a time, of ${W.count(d.slots)}`),
  ];
  if (d.lane_instructions) facts.push(fact((d.lanes / d.lane_instructions).toFixed(1), "lanes on, on average"));
  if (d.lds) facts.push(fact(W.count(d.conflicts), `cycles of bank conflicts, of ${W.count(d.lds)} of LDS`));
  const kinds = d.kinds.map(([name, n]) => `${W.count(n)} ${name}`).join(", ");
  place.replaceChildren(
    W.el("div", { class: "facts" }, ...facts),
    W.timeline(all),
    W.el("h3", {}, "Where the waves' time went"),
    W.stack([["issued", d.issued], ...d.stalls], d.resident),
    W.el("p", { class: "note" }, kinds + "."),
  );
};
