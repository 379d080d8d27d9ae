// The course's puzzles: what is to be done, whether the text does it, and which are solved.
"use strict";

W.Puzzles = class {
  /** `ask(question)` gives the answer; `source()` is the text as it is; `open(puzzle)` puts a puzzle's own text into the editor. */
  constructor(select, place, { ask, source, open, changed }) {
    Object.assign(this, { select, place, ask, source, open, changed, all: new Map(), chosen: "", solved: new Set() });
    try {
      this.solved = new Set(JSON.parse(localStorage.getItem("solved") ?? "[]"));
    } catch { /* a browser that keeps nothing, or what is kept is no list */ }
    select.onchange = () => {
      const puzzle = this.all.get(select.value);
      this.show(select.value);
      if (puzzle) this.open(puzzle);
    };
  }

  /** Chapters, as the engine has them. */
  begin(chapters) {
    if (!Array.isArray(chapters)) return;
    this.chapters = chapters;
    chapters.flatMap((c) => c.puzzles).forEach((p) => this.all.set(p.puzzle, p));
    this.list();
  }

  list() {
    const mark = (p) => (this.solved.has(p.puzzle) ? "✓ " : "");
    const option = (p) => W.el("option", { value: p.puzzle, selected: p.puzzle === this.chosen }, `${mark(p)}${p.puzzle} ${p.title}`);
    this.select.replaceChildren(W.el("option", { value: "" }, `${this.solved.size} of ${this.all.size} solved`),
      ...this.chapters.map((c) => W.el("optgroup", { label: `${c.number} ${c.title}` }, ...c.puzzles.map(option))));
  }

  /** The task of this puzzle; of none it goes. */
  show(name) {
    const puzzle = this.all.get(name);
    this.chosen = puzzle ? name : "";
    this.select.value = this.chosen;
    this.place.hidden = !puzzle;
    if (!puzzle) return this.place.replaceChildren();
    this.told = W.el("div", { class: "told", role: "status", "aria-live": "polite" });
    this.button = W.el("button", { type: "button", class: "primary", onclick: () => this.check() }, "Check");
    this.place.replaceChildren(
      W.el("h2", {}, `${puzzle.puzzle} ${puzzle.title}`), ...puzzle.about.split(/\n\s*\n/).map((part) => W.el("p", {}, part)),
      W.el("div", { class: "row" },
        W.el("span", {}, this.button, " ",
          W.el("button", { type: "button", onclick: () => this.open(puzzle) }, "Start again"), " ",
          W.el("button", { type: "button", onclick: () => { this.show(""); this.changed(); } }, "Close"))),
      this.told);
  }

  async check() {
    this.button.disabled = true;
    const puzzle = this.chosen;
    const answer = await this.ask({ do: "check", puzzle, source: this.source() });
    this.button.disabled = false;
    if (answer.stopped || puzzle !== this.chosen) return;
    this.told.className = "told " + (answer.solved ? "good" : "bad");
    if (answer.error) return this.told.replaceChildren(answer.error);
    if (answer.solved) {
      this.solved.add(puzzle);
      try { localStorage.setItem("solved", JSON.stringify([...this.solved])); } catch { /* as above */ }
      this.list();
      this.select.value = puzzle;
      this.told.replaceChildren(W.el("b", {}, "Solved"), `: ${answer.figures.join("; ")}`);
    } else {
      // Of several cases the first that failed is enough.
      const failed = answer.cases.find((c) => c.status !== "passed");
      const problem = (p) => W.el("pre", {}, (p.check && p.line ? `line ${p.line}: ${p.text}` : p.text).trimEnd());
      const hint = failed.hint ? [W.el("p", { class: "hint" }, W.el("b", {}, "Hint"), ": ", failed.hint)] : [];
      this.told.replaceChildren(W.el("b", {}, "Not solved yet"), ...hint, ...failed.problems.map(problem));
    }
    document.body.dataset.checked = String(Number(document.body.dataset.checked ?? 0) + 1);
  }
};
