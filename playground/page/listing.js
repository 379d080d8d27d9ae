// Machine code: rows by source line, with what each instruction cost.
"use strict";

W.Listing = class {
  constructor(place, { hovered }) {
    this.place = place;
    this.rows = [];
    this.costs = new Map();
    place.addEventListener("mouseover", (e) => {
      const row = e.target.closest("tr[data-offset]");
      hovered(row ? Number(row.dataset.line) || 0 : 0);
    });
    place.addEventListener("mouseleave", () => hovered(0));
    place.addEventListener("click", (e) => {
      const to = e.target.closest("a[data-label]");
      if (!to) return;
      e.preventDefault();
      this.place.querySelector(`tr[data-here="${to.dataset.label}"]`)?.scrollIntoView({ block: "center" });
    });
  }

  set(rows) {
    this.rows = rows;
    this.costs = new Map();
    this.draw();
  }

  /** What the clock counted, by instruction. */
  setCosts(instructions) {
    this.costs = new Map(instructions.map((i) => [i.offset, i]));
    this.draw();
  }

  draw() {
    const all = [...this.costs.values()].reduce((sum, c) => sum + c.cycles, 0);
    const most = Math.max(1, ...[...this.costs.values()].map((c) => c.cycles));
    const costly = this.costs.size > 0;
    const text = (row) => {
      const [mnemonic, rest] = [row.text.split(" ")[0], row.text.slice(row.text.split(" ")[0].length)];
      const operands = row.target
        ? W.escape(rest).replace(row.target, `<a href="#" tabindex="-1" data-label="${row.target}">${row.target}</a>`)
        : W.escape(rest);
      return `<span class="mnemonic">${W.escape(mnemonic)}</span>${operands}`;
    };
    let last = -1;
    const out = [];
    for (const row of this.rows) {
      if (row.label) out.push(`<tr class="label" data-here="${row.label}"><td></td><td></td><td colspan="${costly ? 5 : 1}">${row.label}:</td></tr>`);
      const cost = this.costs.get(row.offset);
      let cells = "";
      if (costly) {
        const heat = cost ? (100 * cost.cycles) / most : 0;
        const waits = cost ? cost.stalls.slice(0, 2).map(([name, n]) => `${name} ${W.count(n)}`) : [];
        if (cost?.conflicts) waits.push(`${W.count(cost.conflicts)} of bank conflicts`);
        if (cost?.lines) waits.push(`${(cost.lines / cost.requests).toFixed(1)} lines each`);
        cells = `<td class="n heat"><i style="width:${heat.toFixed(1)}%"></i><span>${cost ? W.percent(cost.cycles, all) : ""}</span></td>` +
          `<td class="n">${cost ? W.count(cost.issued) : ""}</td>` +
          `<td class="n">${cost?.lane_instructions ? (cost.lanes / cost.lane_instructions).toFixed(1) : ""}</td>` +
          `<td class="waits" title="${W.escape(waits.join(", "))}">${W.escape(waits.join(", "))}</td>`;
      }
      const line = row.line && row.line !== last ? row.line : "";
      last = row.line;
      out.push(`<tr data-offset="${row.offset}" data-line="${row.line ?? ""}"${line ? ' class="first"' : ""}>` +
        `<td class="n line">${line}</td><td class="offset" title="${row.words.join(" ")}">${row.offset.toString(16).padStart(4, "0")}</td>` +
        `<td class="text">${text(row)}</td>${cells}</tr>`);
    }
    const head = costly
      ? `<thead><tr><th scope="col" class="n">line</th><th scope="col">at</th><th scope="col">instruction</th><th scope="col" class="n">cycles</th><th scope="col" class="n">issued</th><th scope="col" class="n">lanes</th><th scope="col">waited for</th></tr></thead>`
      : `<thead><tr><th scope="col" class="n">line</th><th scope="col">at</th><th scope="col">instruction</th></tr></thead>`;
    this.place.innerHTML = `<table>${head}<tbody>${out.join("")}</tbody></table>`;
    this.setLinked(this.linked ?? 0);
    this.setCurrent(this.current ?? -1, false);
  }

  setLinked(line, reveal) {
    this.linked = line;
    for (const old of this.place.querySelectorAll("tr.linked")) old.classList.remove("linked");
    if (!line) return;
    const rows = this.place.querySelectorAll(`tr[data-line="${line}"]`);
    rows.forEach((row) => row.classList.add("linked"));
    if (reveal && rows.length) this.show(rows[0]);
  }

  show(row) {
    const [box, here] = [this.place.getBoundingClientRect(), row.getBoundingClientRect()];
    if (here.top < box.top + 24 || here.bottom > box.bottom - 24) {
      this.place.scrollTop += here.top - box.top - box.height / 3;
    }
  }

  /** The instruction that is next. */
  setCurrent(offset, reveal = true) {
    this.current = offset;
    this.place.querySelector("tr.current")?.classList.remove("current");
    const row = this.place.querySelector(`tr[data-offset="${offset}"]`);
    row?.classList.add("current");
    if (row && reveal) this.show(row);
  }

  /** Cycles by source line. */
  heat() {
    const lines = new Map();
    const all = [...this.costs.values()].reduce((sum, c) => sum + c.cycles, 0);
    for (const row of this.rows) {
      const cost = this.costs.get(row.offset);
      if (!cost || !row.line) continue;
      const sum = lines.get(row.line) ?? { cycles: 0, lanes: 0, vector: 0, conflicts: 0 };
      sum.cycles += cost.cycles;
      sum.lanes += cost.lanes;
      sum.vector += cost.lane_instructions;
      sum.conflicts += cost.conflicts;
      lines.set(row.line, sum);
    }
    const most = Math.max(1, ...[...lines.values()].map((l) => l.cycles));
    return new Map([...lines].map(([line, sum]) => {
      const lanes = sum.vector ? `, ${(sum.lanes / sum.vector).toFixed(1)} lanes` : "";
      const conflicts = sum.conflicts ? `, ${W.count(sum.conflicts)} cycles of bank conflicts` : "";
      return [line, { share: sum.cycles / most, text: W.percent(sum.cycles, all), words: `${W.count(sum.cycles)} cycles of waves${lanes}${conflicts}` }];
    }));
  }
};
