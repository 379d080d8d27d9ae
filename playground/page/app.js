// The page: what is typed goes to the engine, what comes back to the panes. Its whole state is in the address.
"use strict";

(async () => {
  const { $ } = W;
  const state = { language: "wgsl", source: "", job: "", gpu: "", wave: 0, beside: "", check: false, clock: false, files: {} };
  let drafted = "";
  let about = null;
  let engine = null;
  let last = null;

  // -- what stepping stops for
  const breakpoints = new Map();
  const stops = {
    lines: breakpoints,
    watches: new Map(),
    asked: () => ({ breakpoints: [...breakpoints.values()], watches: [...stops.watches.values()] }),
    toggle: (line) => {
      if (!breakpoints.delete(line)) breakpoints.set(line, { line });
      stops.changed();
    },
    when: (line, when) => { breakpoints.set(line, { line, when }); stops.changed(); },
    watch: (what, when = "") => { stops.watches.set(what, { what, when }); stops.changed(); },
    unwatch: (what) => { stops.watches.delete(what); stops.changed(); },
    changed: () => {
      shader.decorate();
      remember();
    },
  };

  // -- panes
  const link = (line, from) => {
    shader.setLinked(line);
    listing.setLinked(line, from === "shader");
  };
  const shader = new W.Editor($("shader"), {
    label: "Shader. Tab indents; Escape, then Tab, leaves.", grammar: W.grammars.wgsl,
    told: (text) => { state.source = text; changed(); },
    hovered: (line) => link(line, "shader"),
    toggled: (line) => {
      stops.toggle(line);
      if (steps.state) steps.draw();
    },
  });
  const job = new W.Editor($("job"), { label: "Job file: groups, push constants, buffers, pictures", grammar: W.grammars.toml, told: (text) => { state.job = text; changed(); } });
  const listing = new W.Listing($("listing"), { hovered: (line) => link(line, "code") });
  const show = W.tabs(document.querySelector("[role=tablist]"));
  shader.breakpoints = breakpoints;
  const steps = new W.Steps($("step"), {
    stops,
    ask: (question) => busy("stepping", () => engine.machine.ask(question)),
    again: () => debug(),
    clock: (on) => { if (on !== undefined) { state.clock = on; remember(); debug(); } return state.clock; },
    arrived: (at) => {
      const wave = at.seen && at.waves.find((w) => w.group === at.seen.group && w.wave === at.seen.wave);
      shader.setCurrent(wave?.line ?? 0, true);
      listing.setCurrent(wave ? wave.offset : -1);
    },
  });

  // -- busy, and stopped
  const busy = async (what, work) => {
    const timer = setTimeout(() => { $("status").textContent = what + "…"; $("stop").hidden = false; }, 300);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      $("stop").hidden = true;
      if ($("status").textContent === what + "…") $("status").textContent = "";
    }
  };
  $("stop").onclick = () => { engine.machine.stop(); steps.end(); $("status").textContent = "stopped"; };

  // -- the machine code, as it is typed
  const shading = () => ({ language: state.language, source: state.source, job: state.job, gpu: state.gpu, wave: state.wave, files: state.files });
  let typed = 0;
  let asking = false;
  const compile = async () => {
    // While one is under way only the last text counts.
    if (asking) return;
    asking = true;
    for (let seen = -1; seen !== typed; ) {
      seen = typed;
      const begin = performance.now();
      const answer = await engine.quick.ask({ do: "code", ...shading() });
      if (seen === typed) take(answer, performance.now() - begin);
    }
    asking = false;
  };
  const say = (place, mistakes, editor) => {
    place.replaceChildren(...mistakes.map((m) => W.el("button", { type: "button", onclick: () => editor.goto(m.line || 1, m.column || 1) },
      m.line ? W.el("b", {}, m.column ? `${m.line}:${m.column}` : String(m.line)) : null, " ", m.message)));
  };
  const take = (answer, took) => {
    const mistakes = answer.error ? [{ line: 0, column: 0, message: answer.error }] : answer.mistakes;
    shader.setMistakes(mistakes);
    say($("mistakes"), mistakes, shader);
    if (answer.draft !== undefined) {
      // A job that nobody has touched follows the shader.
      if (state.job === drafted || !state.job.trim()) {
        const old = state.job;
        [drafted, state.job] = [answer.draft, answer.draft];
        if (old !== state.job) { job.text = state.job; remember(); if (answer.job) return void changed(); }
      }
      state.draft = answer.draft;
    }
    const wrong = answer.job ? [{ line: Number(/line (\d+)/.exec(answer.job)?.[1] ?? 0), column: 0, message: answer.job.split("\n").filter((l) => !/^\s*(\d+ )?\|/.test(l)).join(" ") }] : [];
    job.setMistakes(wrong);
    say($("job-mistakes"), wrong, job);
    document.body.classList.toggle("stale", mistakes.length > 0);
    $("took").textContent = `${took < 10 ? took.toFixed(1) : Math.round(took)} ms`;
    if (!answer.code) return;
    $("wants").textContent = answer.entry.resources.map((r) => `${r.name || r.binding}: ${r.type}`).join("   ");
    const figure = (name) => answer.statistics.find((s) => s.name === name)?.value ?? 0;
    const words = [`wave${answer.wave}`, `${W.count(figure("Instructions"))} instructions`, `${W.count(figure("Code size"))} bytes`, `${figure("VGPRs")} VGPRs`, `${figure("SGPRs")} SGPRs`];
    if (figure("LDS size")) words.push(`${W.count(figure("LDS size"))} bytes of LDS`);
    if (figure("Scratch size")) words.push(`${W.count(figure("Scratch size"))} bytes of scratch`);
    words.push(`${figure("Subgroups per SIMD")} waves a SIMD`);
    $("figures").textContent = words.join(" · ");
    $("figures").title = answer.statistics.map((s) => `${s.name}: ${s.value} (${s.about})`).join("\n");
    waves.set(answer.wave);
    listing.set(answer.code);
    document.body.dataset.compiled = String(Number(document.body.dataset.compiled ?? 0) + 1);
  };
  const changed = () => {
    typed++;
    shader.setHeat(new Map());
    shader.setCurrent(0);
    if (steps.state) {
      steps.end();
      show("output");
    }
    compile();
    remember();
  };

  // -- puzzles
  const puzzles = new W.Puzzles($("puzzle"), $("task"), {
    ask: (question) => busy("checking", () => engine.machine.ask(question)),
    source: () => state.source,
    open: ({ puzzle, language, source, job }) => { $("example").value = ""; restore({ language, source, job, files: {}, puzzle }); },
    changed: () => remember(),
  });

  // -- runs
  const run = async () => {
    $("run").disabled = true;
    const begin = performance.now();
    const answer = await busy("running", () => engine.machine.ask({ do: "run", ...shading(), check: state.check, beside: state.beside || null }));
    $("run").disabled = false;
    if (answer.stopped) return;
    last = answer.error ? { failure: answer.error } : answer;
    W.showOutput($("output"), last);
    W.showCycles($("cycles"), last);
    if (last.instructions) {
      listing.setCosts(last.instructions);
      shader.setHeat(listing.heat());
      steps.total = last.dispatches?.[0]?.instructions;
      $("status").textContent = `${W.count(last.dispatches?.[0]?.cycles ?? 0)} cycles, run in ${Math.round(performance.now() - begin)} ms by ${engine.where}`;
    }
    if (!$("step").hidden) show("output");
    document.body.dataset.ran = String(Number(document.body.dataset.ran ?? 0) + 1);
  };
  const debug = async () => {
    show("step");
    steps.state = null;
    await steps.begin({ ...shading(), clock: state.clock, floats: /\bf32\b|\bfloat\b|\bvec[234]f\b|\bvec[234]\b(?!<[ui])/.test(state.source) });
    $("step").querySelector("button")?.focus({ preventScroll: true });
  };
  // The page of all of it opens beside this one, and can be kept: it needs nothing else.
  let kept = null;
  const whole_page = async () => {
    $("page").disabled = true;
    const answer = await busy("making the page", () => engine.machine.ask({ do: "page", ...shading() }));
    $("page").disabled = false;
    if (answer.stopped) return;
    if (answer.error) { $("status").textContent = answer.error; return; }
    if (kept) URL.revokeObjectURL(kept);
    kept = URL.createObjectURL(new Blob([answer.html], { type: "text/html;charset=utf-8" }));
    const open = W.el("a", { id: "opened", href: kept, target: "_blank" }, "the page");
    $("status").replaceChildren(open, " ", W.el("a", { id: "saved", href: kept, download: `${answer.name}.html` }, "save it"));
    open.click();
  };
  $("page").onclick = whole_page;
  $("run").onclick = run;
  $("debug").onclick = debug;
  document.addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === "Enter") {
      e.preventDefault();
      if (e.shiftKey) debug();
      else run();
      return;
    }
    if (!steps.state || e.ctrlKey || e.metaKey || e.altKey || /^(TEXTAREA|INPUT|SELECT)$/.test(document.activeElement?.tagName)) return;
    const how = { i: "instruction", l: "line", w: "wave", b: "barrier", g: "group", t: "cycle", r: "run" }[e.key.toLowerCase()];
    if (how) { e.preventDefault(); steps.go(how, e.shiftKey); }
  });

  // -- what is chosen
  const languages = W.segments($("language"), (value) => { state.language = value; shader.setGrammar(W.grammars[value]); changed(); });
  const waves = W.segments($("wave"), (value) => { state.wave = Number(value); changed(); });
  const machine = () => about.machines.find((m) => m.name === state.gpu) ?? about.machines[0];
  const allow = () => {
    const sizes = machine().waves;
    if (state.wave && !sizes.includes(state.wave)) state.wave = 0;
    waves.allow(sizes.map(String));
    waves.set(state.wave || sizes[0]);
  };
  $("gpu").onchange = (e) => { state.gpu = e.target.value; allow(); changed(); };
  $("beside").onchange = (e) => { state.beside = e.target.value; remember(); };
  $("check").onchange = (e) => { state.check = e.target.checked; remember(); };
  $("example").onchange = (e) => {
    const example = about.examples.find((x) => x.name === e.target.value);
    if (example) restore({ language: example.language, source: example.source, job: example.job, files: {} });
  };
  $("draft").onclick = () => { if (state.draft !== undefined) { [drafted, state.job] = [state.draft, state.draft]; job.text = state.job; changed(); } };

  // -- files
  const files = () => $("files").replaceChildren(...Object.keys(state.files).map((name) => W.el("span", { class: "chip" }, name,
    W.el("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => { delete state.files[name]; files(); changed(); } }, "×"))));
  const add = async (file) => {
    if (file.size > 1 << 20) { $("status").textContent = `${file.name} is larger than a MiB`; return; }
    state.files[file.name] = W.toBase64(new Uint8Array(await file.arrayBuffer()));
    files();
    changed();
  };
  $("file").onchange = (e) => { [...e.target.files].forEach(add); e.target.value = ""; };
  $("file").parentElement.onkeydown = (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); $("file").click(); } };
  $("job-pane").ondragover = (e) => e.preventDefault();
  $("job-pane").ondrop = (e) => { e.preventDefault(); [...e.dataTransfer.files].forEach(add); };

  // -- the address carries everything
  const whole = () => ({ language: state.language, source: state.source, job: state.job, gpu: state.gpu, wave: state.wave, beside: state.beside, check: state.check, clock: state.clock, files: state.files, puzzle: puzzles.chosen, ...stops.asked() });
  const remember = W.later(400, async () => history.replaceState(null, "", "#" + (await W.pack(whole()))));
  $("share").onclick = async () => {
    history.replaceState(null, "", "#" + (await W.pack(whole())));
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    $("status").textContent = copied ? "the link is in the clipboard" : "the address is the link";
  };
  const restore = ({ breakpoints: lines = [], watches = [], puzzle = "", ...from }) => {
    Object.assign(state, from);
    if (puzzle !== puzzles.chosen) puzzles.show(puzzle);
    drafted = "";
    breakpoints.clear();
    lines.forEach((at) => breakpoints.set(at.line, at));
    stops.watches = new Map(watches.map((w) => [w.what, w]));
    languages.set(state.language);
    shader.grammar = W.grammars[state.language];
    shader.text = state.source;
    job.text = state.job;
    $("gpu").value = state.gpu || about.machines[0].name;
    $("beside").value = state.beside;
    $("check").checked = state.check;
    allow();
    files();
    changed();
  };

  // -- light and dark
  const theme = (name) => { if (name) document.documentElement.dataset.theme = name; };
  try { theme(localStorage.getItem("theme")); } catch { /* a browser that keeps nothing */ }
  $("theme").onclick = () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    theme(dark ? "light" : "dark");
    try { localStorage.setItem("theme", dark ? "light" : "dark"); } catch { /* as above */ }
  };

  // -- begin
  $("status").textContent = "loading the engine…";
  try {
    engine = await W.engine();
  } catch (e) {
    $("status").textContent = "";
    $("output").replaceChildren(W.el("pre", { class: "failure", role: "alert" }, String(e.message ?? e)));
    return;
  }
  about = engine.about;
  puzzles.begin(await engine.quick.ask({ do: "puzzles" }));
  $("status").textContent = "";
  $("example").append(W.el("option", { value: "" }, "…"), ...about.examples.map((x) => W.el("option", { value: x.name, title: x.about }, `${x.name} — ${x.about}`)));
  $("gpu").append(...about.machines.map((m) => W.el("option", { value: m.name }, `${m.product.replace("Radeon ", "")} · ${m.isa}`)));
  const first = about.examples[0];
  let begun = { ...state, language: first.language, source: first.source, job: first.job };
  if (location.hash.length > 1) {
    try {
      begun = { ...state, ...(await W.unpack(location.hash.slice(1))) };
    } catch {
      $("status").textContent = "the link is damaged";
    }
  }
  $("example").value = about.examples.find((x) => x.source === begun.source)?.name ?? "";
  restore(begun);
  window.addEventListener("hashchange", async () => {
    try { restore(await W.unpack(location.hash.slice(1))); } catch { $("status").textContent = "the link is damaged"; }
  });
  document.body.dataset.ready = engine.where;
})();
