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
    // Whoever sleeps is awake again at once: nothing else goes on meanwhile.
    poll_oneoff: (asked, told, count, events) => {
      for (let n = 0; n < count; n++) {
        view().setBigUint64(told + 32 * n, view().getBigUint64(asked + 48 * n, true), true);
        view().setBigUint64(told + 32 * n + 8, 0n, true);
      }
      view().setUint32(events, count, true);
      return 0;
    },
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
  // Memory may move whenever the engine is called.
  const room = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
  const length = engine.ask();
  const answer = engine.answer();
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, answer, length));
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
    const [where, what] = said.trim().split("\n");
    const words = (what && `${what} (${where.replace(/^.*panicked at |:$/g, "")})`) || where || (e instanceof RangeError ? "the shader nests too deep for a browser" : String(e.message ?? e));
    answer = JSON.stringify({ error: `The engine stopped: ${words}` });
    said = "";
    await start();
  }
  postMessage({ id: data.id, answer });
};
