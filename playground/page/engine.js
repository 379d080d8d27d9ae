// Who answers: the server that the page comes from, or workers with the engine as WebAssembly.
"use strict";

/** A server that answers questions, if there is one. */
W.server = async () => {
  if (!location.protocol.startsWith("http")) return null;
  const page = crypto.getRandomValues(new Uint32Array(2)).join("");
  const ask = async (question, signal) => {
    const answer = await fetch(`ask?page=${page}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question), signal });
    if (!answer.ok) throw new Error(`the server says ${answer.status}`);
    return answer.json();
  };
  // What a server was asked it may finish; the page does not wait.
  let leave = new AbortController();
  const machine = {
    ask: (question) => ask(question, leave.signal).catch((e) => ({ error: e.name === "AbortError" ? "stopped" : String(e.message), stopped: e.name === "AbortError" })),
    stop: () => { leave.abort(); leave = new AbortController(); },
  };
  try {
    const about = await ask({ do: "about" }, AbortSignal.timeout(1500));
    return about.machines ? { about, quick: { ask, stop() {} }, machine, where: "this machine" } : null;
  } catch {
    return null;
  }
};

/** A worker that can be stopped at any time. */
W.Worker = class {
  constructor(module, source) {
    this.module = module;
    this.source = source;
    this.asked = new Map();
    this.last = 0;
  }

  start() {
    const url = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.ready = new Promise((done) => (this.started = done));
    this.worker.onmessage = ({ data }) => {
      if (data.ready) return this.started();
      this.asked.get(data.id)?.(JSON.parse(data.answer));
      this.asked.delete(data.id);
    };
    this.worker.postMessage({ module: this.module });
  }

  async ask(question) {
    if (!this.worker) this.start();
    await this.ready;
    const id = ++this.last;
    return new Promise((done) => {
      this.asked.set(id, done);
      this.worker?.postMessage({ id, question: JSON.stringify(question) });
    });
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
    for (const done of this.asked.values()) done({ error: "stopped", stopped: true });
    this.asked.clear();
  }
};

/** The engine in the page itself: module.js has it. */
W.wasm = async () => {
  if (!W.packed) {
    await new Promise((done, failed) => document.head.append(W.el("script", { src: "module.js", onload: done, onerror: () => failed(new Error("module.js is not there: build the page with scripts/playground, or open it by `wavepipe serve`")) })));
  }
  const bytes = await W.through(W.fromBase64(W.packed.module), new DecompressionStream("gzip"));
  W.packed.module = "";
  const module = await WebAssembly.compile(bytes);
  const worker = () => new W.Worker(module, W.packed.worker);
  // Typing does not wait for a run.
  const [quick, machine] = [worker(), worker()];
  return { about: await quick.ask({ do: "about" }), quick, machine, where: "this page" };
};

W.engine = async () => (await W.server()) ?? (await W.wasm());
