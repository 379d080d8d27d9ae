// A dispatch that is stepped: controls, what it stops for, waves as rows, variables, registers, LDS.
"use strict";

W.Steps = class {
  /** `ask(question)` gives the answer; `arrived(state)` is told where it is, `again()` begins; `clock(on)` chooses the card's order. `stops`: lines and what is watched, with their conditions. */
  constructor(place, { ask, arrived, again, clock, stops }) {
    Object.assign(this, { place, ask, arrived, again, clock, stops, typed: "", opened: new Set(), form: "hex", lanes: 0, before: null, state: null });
  }

  async begin(question) {
    this.form = question.floats ? "f32" : this.form;
    this.before = null;
    this.most = 0;
    this.seen = null;
    this.take(await this.ask({ ...question, ...this.stops.asked(), do: "begin" }));
  }

  async go(how, back = false, to = 0) {
    if (!this.state || this.busy) return;
    this.busy = true;
    try {
      this.take(await this.ask({ do: "step", how, back, to, wave: how === "look" ? this.seen : null, ...this.stops.asked() }), how === "look");
    } finally {
      this.busy = false;
    }
  }

  take(state, same) {
    if (state.error) {
      this.said = state.error;
      if (this.state) this.draw();
      else this.place.replaceChildren(this.stopping(), W.el("pre", { class: "failure", role: "alert" }, state.error));
      return;
    }
    this.said = "";
    this.before = same ? null : this.state?.seen;
    this.state = state;
    this.most = Math.max(this.most, state.position, this.total ?? 0);
    this.draw();
    this.arrived(state);
  }

  end() {
    this.state = null;
    this.place.replaceChildren(W.el("p", { class: "empty" }, "Step begins in front of the first instruction."));
  }

  draw() {
    const kept = [...this.place.querySelectorAll("[data-scroll]")].map((e) => [e.dataset.scroll, e.scrollLeft, e.scrollTop]);
    const focused = this.place.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const top = this.place.scrollTop;
    this.place.replaceChildren(this.controls(), this.stopping(), W.el("div", { class: "stepped" }, this.waves(), this.registers()));
    this.place.scrollTop = top;
    for (const [name, left, down] of kept) {
      const e = this.place.querySelector(`[data-scroll="${name}"]`);
      if (e) [e.scrollLeft, e.scrollTop] = [left, down];
    }
    if (focused) this.place.querySelector(`[data-focus="${focused}"]`)?.focus();
  }

  controls() {
    const button = (label, how, back, key, words) =>
      W.el("button", { type: "button", "data-focus": how + back, title: `${words} (${back ? "Shift+" : ""}${key})`, "aria-label": words, onclick: () => this.go(how, back) }, label);
    const slider = W.el("input", {
      type: "range", min: 0, max: this.most, value: this.state.position, "aria-label": "Instructions executed", "data-focus": "slider",
      onchange: (e) => this.go("to", false, Number(e.target.value)),
    });
    const reasons = { ended: "the dispatch has ended", begin: "at the begin", breakpoint: `breakpoint at line ${this.state.breakpoint}`, watchpoint: this.changed(this.state.watch) };
    const words = this.said || (reasons[this.state.reason] ?? this.state.reason ?? "");
    return W.el("div", { class: "controls", role: "toolbar", "aria-label": "Stepping" },
      button("◂ instruction", "instruction", true, "I", "Back an instruction"),
      button("instruction ▸", "instruction", false, "I", "On an instruction"),
      button("◂ line", "line", true, "L", "Back a line"),
      button("line ▸", "line", false, "L", "On a line"),
      button("wave ▸", "wave", false, "W", "To the next wave's turn"),
      button("barrier ▸", "barrier", false, "B", "Until a barrier opens"),
      button("group ▸", "group", false, "G", "To the next work-group's turn"),
      button("◂ cycle", "cycle", true, "T", "Back to the last cycle in which something issued"),
      button("cycle ▸", "cycle", false, "T", "To the next cycle in which something issues"),
      button("◂◂", "run", true, "R", "Back to a breakpoint or the begin"),
      button("▸▸", "run", false, "R", "On to a breakpoint or the end"),
      slider,
      W.el("output", { class: "n" }, W.count(this.state.position)),
      W.el("label", { class: "clock", title: "Waves take turns as on the card, each instruction in its cycle there; begins again" },
        W.el("input", { type: "checkbox", checked: this.clock(), "data-focus": "clock", onchange: (e) => this.clock(e.target.checked) }), "card's order"),
      ...(this.state.cycle === null ? [] : [W.el("span", { class: "n", id: "cycle" }, `cycle ${W.count(this.state.cycle)}`)]),
      W.el("span", { class: this.said ? "failure" : "note", role: "status", "aria-live": "polite" }, words));
  }

  /** What was watched that changed. */
  changed(watch) {
    if (!watch) return "";
    return `${watch.dword}: ${watch.old} → ${watch.new}, by group ${watch.group}, wave ${watch.wave}${watch.line ? `, line ${watch.line}` : ""}`;
  }

  /** Lines and memory that it stops for; the gutter beside the shader sets lines. */
  stopping() {
    const chip = (name, focus, label, { when }, condition, remove) => W.el("span", { class: "chip" }, name,
      W.el("input", { value: when ?? "", placeholder: "if v0[5] > 3", "aria-label": label.condition, "data-focus": "when" + focus, onchange: (e) => { condition(e.target.value); this.look(); } }),
      W.el("button", { type: "button", "aria-label": label.remove, onclick: () => { remove(); this.look(); } }, "×"));
    const line = ([at, stop]) => chip(`line ${at}`, at, { condition: `Condition at line ${at}`, remove: `No stop at line ${at}` }, stop,
      (when) => this.stops.when(at, when), () => this.stops.toggle(at));
    const watch = ([what, stop]) => chip(what, what, { condition: `Condition of ${what}`, remove: `Watch ${what} no more` }, stop,
      (when) => this.stops.watch(what, when), () => this.stops.unwatch(what));
    const add = W.el("input", {
      class: "watch", value: this.typed, placeholder: "watch out[3] or lds[0x40]", "aria-label": "Stop behind a change of", "data-focus": "watch",
      oninput: (e) => { this.typed = e.target.value; },
      onkeydown: async (e) => {
        const what = e.target.value.trim();
        if (e.key !== "Enter" || !what || this.stops.watches.has(what)) return;
        this.typed = "";
        this.stops.watch(what);
        await this.look();
        // What cannot be watched is told, and can be mended.
        if (this.said) {
          this.typed = what;
          this.stops.unwatch(what);
          this.take({ error: this.said });
        }
      },
    });
    return W.el("div", { class: "stopping", role: "group", "aria-label": "What it stops for" }, ...[...this.stops.lines].map(line), ...[...this.stops.watches].map(watch), add);
  }

  /** Where it stands, with the stops that there are now; where stepping could not begin for them, it is tried anew. */
  look() { return this.state ? this.go("look") : this.again(); }

  /** A mask as cells, lane 0 first. */
  strip([low, high], lanes, words) {
    const cells = [];
    let on = 0;
    for (let lane = 0; lane < lanes; lane++) {
      const live = ((lane < 32 ? low : high) >>> lane % 32) & 1;
      on += live;
      cells.push(live ? "<i></i>" : "<s></s>");
    }
    const strip = W.el("span", { class: "strip", role: "img", "aria-label": `${words}: ${on} of ${lanes} lanes on` });
    strip.innerHTML = cells.join("");
    return strip;
  }

  waves() {
    const { waves, turn, seen } = this.state;
    const is = (w, of) => of && w.group === of.group && w.wave === of.wave;
    const next = turn && { group: turn[0], wave: turn[1] };
    const rows = waves.map((w) => W.el("tr", {
      class: [is(w, seen) ? "seen" : "", is(w, next) ? "next" : ""].join(" ").trim(), tabindex: 0, "data-focus": `wave${w.group}.${w.wave}`,
      "aria-selected": String(Boolean(is(w, seen))),
      onclick: () => { this.seen = [w.group, w.wave]; this.go("look"); },
      onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); this.seen = [w.group, w.wave]; this.go("look"); } },
    },
    W.el("td", { class: "turn", "aria-label": is(w, next) ? "its turn" : null }, is(w, next) ? "▸" : ""),
    W.el("td", { class: "n" }, w.id.join(",")), W.el("td", { class: "n" }, String(w.wave)),
    W.el("td", {}, this.strip(w.exec, w.lanes, "EXEC")),
    W.el("td", { class: "n" }, w.line ? String(w.line) : ""), W.el("td", { class: "n" }, w.offset.toString(16).padStart(4, "0")),
    W.el("td", { class: "status" }, w.status)));
    const head = W.el("tr", {}, ...["", "group", "wave", "EXEC", "line", "at", ""].map((h) => W.el("th", { scope: "col" }, h)));
    const more = this.state.more_waves ? [W.el("p", { class: "note" }, `${this.state.more_waves} more waves`)] : [];
    return W.el("section", { class: "waves", "data-scroll": "waves", "aria-label": "Waves" }, W.el("table", {}, W.el("thead", {}, head), W.el("tbody", {}, ...rows)), ...more, this.machine());
  }

  /** Cycle, queues, and on the clock caches and accesses under way. */
  machine() {
    const row = ([name, what]) => W.el("tr", {}, W.el("th", { scope: "row" }, name), W.el("td", {}, what));
    return W.el("table", { class: "machine", "aria-label": "Machine" }, W.el("tbody", {}, ...this.state.machine.map(row)));
  }

  registers() {
    const { seen } = this.state;
    if (!seen) return W.el("section", { class: "registers" }, W.el("p", { class: "empty" }, "All waves have ended."));
    const old = this.before && this.before.group === seen.group && this.before.wave === seen.wave ? this.before : null;
    const wave = this.state.waves.find((w) => w.group === seen.group && w.wave === seen.wave);
    const lanes = wave?.lanes ?? 32;
    const text = W.forms[this.form];
    // Scalars are addresses, masks and counts.
    const whole = this.form === "f32" ? W.forms.hex : text;
    const forms = W.el("div", { class: "segments", role: "radiogroup", "aria-label": "How registers are written" },
      ...Object.keys(W.forms).map((f) => W.el("button", { type: "button", role: "radio", "data-value": f, "data-focus": "form" + f, "aria-checked": String(f === this.form), tabindex: f === this.form ? 0 : -1 }, f)));
    W.segments(forms, (f) => { this.form = f; this.draw(); });
    const masks = W.el("table", { class: "masks" }, ...[["exec", "EXEC"], ["vcc", "VCC"]].map(([key, name]) =>
      W.el("tr", { class: old && String(old[key]) !== String(seen[key]) ? "changed" : "" }, W.el("th", { scope: "row" }, name), W.el("td", {}, this.strip(seen[key], lanes, name)))));
    const scalar = (name, value, was) => `<span class="${was !== undefined && was !== value ? "changed" : ""}"><b>${name}</b>${value === null || value === undefined ? "" : whole(value)}</span>`;
    const scalars = W.el("div", { class: "scalars" });
    scalars.innerHTML = [
      `<span class="${old && old.scc !== seen.scc ? "changed" : ""}"><b>scc</b>${seen.scc}</span>`, scalar("m0", seen.m0, old?.m0),
      ...seen.sgprs.map((value, n) => scalar("s" + n, value, old?.sgprs[n])),
    ].join("");
    const live = (lane) => ((lane < 32 ? seen.exec[0] : seen.exec[1]) >>> lane % 32) & 1;
    const columns = Array.from({ length: lanes }, (_, lane) => lane);
    const head = `<tr><th scope="col">lane</th>${columns.map((l) => `<th scope="col" class="${live(l) ? "" : "off"}">${l}</th>`).join("")}</tr>`;
    const rows = seen.vgprs.map((words, n) => `<tr><th scope="row">v${n}</th>${columns.map((l) => {
      const kind = [live(l) ? "" : "off", old && old.vgprs[n]?.[l] !== words[l] ? "changed" : ""].join(" ").trim();
      return `<td class="${kind}">${text(words[l])}</td>`;
    }).join("")}</tr>`);
    const vectors = W.el("div", { class: "vectors", "data-scroll": "vectors", tabindex: 0, role: "region", "aria-label": "Vector registers by lane" });
    vectors.innerHTML = `<table><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>`;
    const parts = [W.el("div", { class: "row" }, masks, forms), ...this.variables(seen.variables, old?.variables, columns, live), scalars, vectors];
    if (seen.lds.length) parts.push(...this.lds(seen.lds, old?.lds, text));
    return W.el("section", { class: "registers", "aria-label": `Registers of group ${seen.group}, wave ${seen.wave}` }, ...parts);
  }

  /** Source variables by lane, the innermost scope's first; what has many numbers is opened by its name. */
  variables(all, before, columns, live) {
    if (!all.length) return [];
    const key = (v) => v.function + " " + v.name;
    const was = new Map((before ?? []).flatMap((v) => v.parts.map((p) => [key(v) + p.path, p.lanes])));
    const note = (text) => `<td class="off" colspan="${columns.length}">${text}</td>`;
    const line = (name, type, cells) => `<tr><th scope="row">${name}</th>${type}${cells}</tr>`;
    const lanes = (v, p) => {
      const old = was.get(key(v) + p.path);
      return p.lanes
        ? columns.map((l) => `<td class="${[live(l) ? "" : "off", old && old[l] !== p.lanes[l] ? "changed" : ""].join(" ").trim()}">${W.escape(p.lanes[l] ?? "")}</td>`).join("")
        : note("kept nowhere here");
    };
    const rows = all.flatMap((v, n) => {
      // Of variables of one name the innermost call's is meant by it.
      const hidden = all.findIndex((w) => w.name === v.name) < n;
      const words = W.escape(v.type + (hidden ? " in " + v.function : ""));
      const part = (type) => (p) => line(W.escape(v.name + p.path), type, lanes(v, p));
      // The numbers of a vector are always shown.
      if (v.parts.length <= 4) return v.parts.map((p, n) => part(n ? "" : `<td class="type" rowspan="${v.parts.length}">${words}</td>`)(p));
      const open = this.opened.has(key(v));
      const button = `<button type="button" data-variable="${n}" data-focus="variable${n}" aria-expanded="${open}">${W.escape(v.name)}</button>`;
      const more = v.more_parts ? [line("", "<td></td>", note(`and ${W.count(v.more_parts)} more`))] : [];
      const count = note(`${W.count(v.parts.length + v.more_parts)} numbers`);
      return [line(button, `<td class="type">${words}</td>`, count), ...(open ? [...v.parts.map(part("<td></td>")), ...more] : [])];
    });
    const head = `<tr><th scope="col">variable</th><th scope="col" class="type">type</th>${columns.map((l) => `<th scope="col" class="${live(l) ? "" : "off"}">${l}</th>`).join("")}</tr>`;
    const table = W.el("div", {
      class: "vectors variables", "data-scroll": "variables", tabindex: 0, role: "region", "aria-label": "Variables by lane",
      onclick: (e) => {
        const button = e.target.closest("[data-variable]");
        if (!button) return;
        const chosen = key(all[button.dataset.variable]);
        if (!this.opened.delete(chosen)) this.opened.add(chosen);
        button.focus();
        this.draw();
      },
    });
    table.innerHTML = `<table><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>`;
    return [table];
  }

  /** Words of LDS, a row for all banks once. */
  lds(words, old, text) {
    const rows = [];
    for (let at = 0; at < Math.min(words.length, 1024); at += 32) {
      const cells = words.slice(at, at + 32).map((w, n) => `<td class="${old && old[at + n] !== w ? "changed" : w ? "" : "off"}">${text(w)}</td>`);
      rows.push(`<tr><th scope="row">${(4 * at).toString(16).padStart(4, "0")}</th>${cells.join("")}</tr>`);
    }
    const head = `<tr><th scope="col">bank</th>${Array.from({ length: 32 }, (_, n) => `<th scope="col">${n}</th>`).join("")}</tr>`;
    const lds = W.el("div", { class: "vectors", "data-scroll": "lds", tabindex: 0, role: "region", "aria-label": "Shared memory by bank" });
    lds.innerHTML = `<table><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>`;
    return [W.el("h3", {}, "LDS ", W.el("span", { class: "note" }, `${W.count(4 * words.length)} bytes, a column for each bank`)), lds];
  }
};
