// A text area whose text is drawn behind it, in colours, with line numbers, heat, marks and breakpoints beside it.
"use strict";

W.grammars = (() => {
  const shared = String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|$))|(?<number>\b(?:0x[\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[uifhlUFLH]{0,2}\b)`;
  const words = (name, list) => String.raw`(?<${name}>\b(?:${list.trim().split(/\s+/).join("|")})\b)`;
  const wgsl = [
    shared,
    String.raw`(?<attribute>@\w+)`,
    words("keyword", `alias break case const const_assert continue continuing default diagnostic discard else enable fn for if let loop
      override requires return struct switch var while true false function private workgroup uniform storage read write read_write`),
    words("type", `array atomic bool f16 f32 i32 u32 vec2 vec3 vec4 vec2f vec3f vec4f vec2u vec3u vec4u vec2i vec3i vec4i vec2h vec3h vec4h
      mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 mat2x2f mat3x3f mat4x4f ptr sampler texture_1d texture_2d texture_3d
      texture_2d_array texture_storage_1d texture_storage_2d texture_storage_3d texture_storage_2d_array`),
  ];
  const glsl = [
    shared,
    String.raw`(?<attribute>^[ \t]*\#[^\n]*)`,
    words("keyword", `layout in out inout uniform buffer shared const readonly writeonly coherent volatile restrict if else for while do
      switch case default break continue return struct true false precision highp mediump lowp`),
    words("type", `void bool int uint float double vec2 vec3 vec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 bvec2 bvec3 bvec4 dvec2 dvec3 dvec4
      mat2 mat3 mat4 float16_t f16vec2 f16vec3 f16vec4 int8_t uint8_t int16_t uint16_t int64_t uint64_t image1D image2D image3D uimage2D
      iimage2D sampler2D sampler3D texture2D sampler`),
  ];
  const toml = [String.raw`(?<comment>\#[^\n]*)`, String.raw`(?<type>^[ \t]*\[\[?[^\]\n]*\]\]?)`, String.raw`(?<keyword>^[ \t]*[\w."-]+(?=\s*=))`,
    String.raw`(?<string>"[^"\n]*")`, String.raw`(?<number>\b-?(?:0x[\da-fA-F]+|\d+\.?\d*)\b)`];
  const make = (parts) => new RegExp(parts.join("|"), "gm");
  return { wgsl: make(wgsl), glsl: make(glsl), toml: make(toml) };
})();

/** Text with its tokens in spans. */
W.coloured = (text, grammar) => {
  let out = "";
  let at = 0;
  for (const match of text.matchAll(grammar)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined) ?? [""];
    out += W.escape(text.slice(at, match.index)) + `<span class="t-${kind}">${W.escape(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return out + W.escape(text.slice(at));
};

W.Editor = class {
  /** `told`: called with the text when a person changes it. */
  constructor(place, { label, grammar, told, hovered, toggled }) {
    this.grammar = grammar;
    this.told = told;
    this.hovered = hovered;
    this.toggled = toggled;
    this.breakpoints = new Map();
    this.marks = new Map();
    this.heat = new Map();
    this.at = 0;
    this.gutter = W.el("div", { class: "gutter", "aria-hidden": toggled ? null : "true" });
    this.under = W.el("pre", { class: "under", "aria-hidden": "true" });
    this.area = W.el("textarea", {
      spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off", "aria-label": label,
      title: "", oninput: () => { this.draw(); this.told?.(this.area.value); },
      onscroll: () => this.follow(), onkeydown: (e) => this.key(e),
    });
    this.body = W.el("div", { class: "body" }, this.under, this.area);
    place.append(this.gutter, this.body);
    if (hovered) {
      this.area.addEventListener("mousemove", (e) => hovered(this.lineAt(e)));
      this.area.addEventListener("mouseleave", () => hovered(0));
      document.addEventListener("selectionchange", () => { if (document.activeElement === this.area) hovered(this.caret()); });
    }
    this.gutter.addEventListener("click", (e) => {
      const row = e.target.closest("[data-line]");
      if (row && toggled) toggled(Number(row.dataset.line));
    });
  }

  get text() { return this.area.value; }
  set text(text) {
    if (this.area.value !== text) this.area.value = text;
    this.area.scrollTop = 0;
    this.draw();
  }

  setGrammar(grammar) { this.grammar = grammar; this.draw(); }

  caret() { return this.area.value.slice(0, this.area.selectionStart).split("\n").length; }

  lineHeight() { return parseFloat(getComputedStyle(this.area).lineHeight); }

  lineAt(e) {
    const y = e.clientY - this.area.getBoundingClientRect().top + this.area.scrollTop - 8;
    const line = 1 + Math.floor(y / this.lineHeight());
    return line >= 1 && line <= this.lines ? line : 0;
  }

  key(e) {
    // Escape gives the key back to whoever moves by Tab.
    if (e.key === "Escape") { this.free = true; return; }
    if (e.key === "Tab" && !this.free && !e.shiftKey && !e.ctrlKey && !e.altKey) {
      e.preventDefault();
      document.execCommand("insertText", false, "    ");
    } else if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
      const line = this.area.value.slice(0, this.area.selectionStart).split("\n").pop();
      const indent = line.match(/^\s*/)[0] + (/[{([]\s*$/.test(line) ? "    " : "");
      if (indent) { e.preventDefault(); document.execCommand("insertText", false, "\n" + indent); }
    }
    if (e.key !== "Tab") this.free = false;
  }

  follow() {
    const { scrollTop, scrollLeft } = this.area;
    this.under.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.gutter.scrollTop = scrollTop;
  }

  draw() {
    const text = this.area.value;
    this.lines = text.split("\n").length;
    this.under.innerHTML = W.coloured(text, this.grammar) + "\n";
    this.decorate();
  }

  /** Places that are wrong: line and column from 1 on, and what is wrong. */
  setMistakes(mistakes) {
    this.marks = new Map(mistakes.filter((m) => m.line > 0).map((m) => [m.line, m]));
    this.decorate();
  }

  /** By line: a share of 0 to 1, and words. */
  setHeat(heat) { this.heat = heat; this.decorate(); }

  setCurrent(line, reveal) {
    this.at = line;
    this.decorate();
    if (line && reveal) this.reveal(line);
  }

  setLinked(line) { this.linked = line; this.band(".linked", line); }

  reveal(line) {
    const height = this.lineHeight();
    const y = (line - 1) * height;
    if (y < this.area.scrollTop + height || y > this.area.scrollTop + this.area.clientHeight - 3 * height) {
      this.area.scrollTop = Math.max(0, y - this.area.clientHeight / 3);
    }
    this.follow();
  }

  goto(line, column) {
    const lines = this.area.value.split("\n");
    const at = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.max(0, column - 1);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    this.reveal(line);
  }

  /** A band behind a line. */
  band(kind, line) {
    this.under.querySelector(kind)?.remove();
    if (!line) return;
    const band = W.el("span", { class: "band " + kind.slice(1) });
    band.style.top = `calc(8px + ${line - 1} * var(--line))`;
    this.under.prepend(band);
  }

  decorate() {
    const rows = [];
    for (let n = 1; n <= this.lines; n++) {
      const heat = this.heat.get(n);
      const mark = this.marks.get(n);
      const stop = this.breakpoints.has(n);
      const kind = [mark ? "wrong" : "", stop ? "stop" : "", this.at === n ? "current" : ""].join(" ").trim();
      const bar = heat ? `<i style="width:${(100 * heat.share).toFixed(1)}%"></i><b title="${W.escape(heat.words)}">${heat.text}</b>` : "";
      const number = this.toggled
        ? `<button type="button" tabindex="-1" aria-label="Breakpoint at line ${n}" aria-pressed="${stop}">${n}</button>` : `<span>${n}</span>`;
      rows.push(`<div class="${kind}" data-line="${n}">${this.heat.size ? `<em>${bar}</em>` : ""}${number}</div>`);
    }
    this.gutter.classList.toggle("heated", this.heat.size > 0);
    this.gutter.innerHTML = rows.join("");
    for (const old of this.under.querySelectorAll(".band, .squiggle")) old.remove();
    this.band(".current", this.at);
    this.band(".linked", this.linked);
    for (const mark of this.marks.values()) {
      const line = this.area.value.split("\n")[mark.line - 1] ?? "";
      const from = mark.column > 0 ? mark.column - 1 : line.length - line.trimStart().length;
      const word = mark.column > 0 ? (line.slice(from).match(/^\w+/)?.[0].length ?? 1) : line.trim().length;
      const squiggle = W.el("span", { class: "squiggle" });
      squiggle.style.top = `calc(8px + ${mark.line} * var(--line) - 4px)`;
      squiggle.style.left = `calc(8px + ${from}ch)`;
      squiggle.style.width = `${Math.max(1, word)}ch`;
      this.under.append(squiggle);
    }
    this.follow();
  }
};
