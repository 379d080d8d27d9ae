// The engine in a thread of its own: questions and answers are JSON. It is told the compiled module first.
"use strict";

let module = null;
let engine = null;
let said = "";

/** What of WASI the engine uses: a clock, random numbers, a place for last words. */
const system = (memory) => {
  const view = () => new DataView(memory().buffer);
  const decoder = new TextDecoder();
  return {
    clock_time_get: (_clock, _precision, to) => (view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true), 0),
    random_get: (at, bytes) => (crypto.getRandomValues(new Uint8Array(memory().buffer, at, bytes)), 0),
    environ_sizes_get: (count, bytes) => (view().setUint32(count, 0, true), view().setUint32(bytes, 0, true), 0),
    environ_get: () => 0,
    fd_write: (_file, parts, count, written) => {
      let all = 0;
      for (let n = 0; n < count; n++) {
        const [at, bytes] = [view().getUint32(parts + 8 * n, true), view().getUint32(parts + 8 * n + 4, true)];
        said += decoder.decode(new Uint8Array(memory().buffer, at, bytes));
        all += bytes;
      }
      view().setUint32(written, all, true);
      return 0;
    },
    sched_yield: () => 0,
    proc_exit: (code) => { throw new Error(`the engine left with ${code}`); },
    // There are no files.
    fd_prestat_get: () => 8,
    path_open: () => 44,
    path_filestat_get: () => 44,
  };
};

const start = async () => {
  const wasi = system(() => engine.memory);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = wasi[name] ?? (() => 52);
  engine = (await WebAssembly.instantiate(module, imports)).exports;
  engine._initialize?.();
};

const ask = (question) => {
  const bytes = new TextEncoder().encode(question);
  new Uint8Array(engine.memory.buffer, engine.room(bytes.length), bytes.length).set(bytes);
  const length = engine.ask();
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.answer(), length));
};

onmessage = async ({ data }) => {
  if (data.module) {
    module = data.module;
    await start();
    postMessage({ ready: true });
    return;
  }
  let answer;
  try {
    answer = ask(data.question);
  } catch (e) {
    // A trap leaves the module in an unknown state: it begins anew.
    const words = said.trim().split("\n")[0] || (e instanceof RangeError ? "the shader nests too deep for a browser" : String(e.message ?? e));
    answer = JSON.stringify({ error: `The engine stopped: ${words}` });
    said = "";
    await start();
  }
  postMessage({ id: data.id, answer });
};
