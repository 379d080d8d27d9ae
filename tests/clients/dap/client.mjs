// The debugger, by the client that the Debug Adapter Protocol's authors test adapters with. It starts the wavepipe program beside the
// driver; it says what the runner reads (`common/harness.py`).

import assert from "node:assert";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import support from "@vscode/debugadapter-testsupport";

const say = (fields) => console.log(JSON.stringify(fields));
const program = process.env.CLIENT_WAVEPIPE;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wavepipe-dap-"));
const shader = path.join(folder, "steps.comp");
fs.writeFileSync(shader, `#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    y[i] = i * 3u;
    if ((i & 1u) == 1u) {
        y[i] += 100u;
    }
}
`);
const launch = { program: shader, cwd: folder, args: ["--buffer", "y=[64]", "--groups", "1", "--wave", "32"] };

// An adapter that has just been started.
async function debugging(act) {
    const client = new support.DebugClient(`'${program}' debug`, "--dap", "wavepipe", { shell: true });
    // Only ends what hangs.
    client.defaultTimeout = 300_000;
    await client.start();
    try {
        await act(client);
    } finally {
        await client.stop();
    }
}

const cases = {
    breakpoint: () => debugging((c) => c.hitBreakpoint(launch, { path: shader, line: 8 })),
    entry: () => debugging((c) => Promise.all([
        c.configurationSequence(), c.launch({ ...launch, stopOnEntry: true }), c.assertStoppedLocation("entry", {}),
    ])),
    to_the_end: () => debugging((c) => Promise.all([
        c.configurationSequence(), c.launch(launch), c.waitForEvent("exited"), c.waitForEvent("terminated"),
    ])),
    forwards_and_back: () => debugging(async (c) => {
        await c.hitBreakpoint(launch, { path: shader, line: 8 });
        const threads = (await c.threadsRequest()).body.threads;
        assert.strictEqual(threads.length, 2);
        const at = async () => (await c.stackTraceRequest({ threadId: 1 })).body.stackFrames[0];
        const here = await at();
        const scopes = (await c.scopesRequest({ frameId: here.id })).body.scopes;
        const wave = scopes.find((s) => s.name === "Wave");
        const exec = async (reference) => (await c.variablesRequest({ variablesReference: reference })).body.variables.find((v) => v.name === "exec").value;
        assert.strictEqual(await exec(wave.variablesReference), ".#".repeat(16));
        await Promise.all([c.nextRequest({ threadId: 1, granularity: "instruction" }), c.waitForEvent("stopped")]);
        const next = await at();
        assert.notStrictEqual(next.instructionPointerReference, here.instructionPointerReference);
        await Promise.all([c.stepBackRequest({ threadId: 1, granularity: "instruction" }), c.waitForEvent("stopped")]);
        assert.strictEqual((await at()).instructionPointerReference, here.instructionPointerReference);
        await Promise.all([c.reverseContinueRequest({ threadId: 1 }), c.waitForEvent("stopped")]);
        const code = await c.disassembleRequest({ memoryReference: here.instructionPointerReference, instructionCount: 4 });
        assert.strictEqual(code.body.instructions.length, 4);
    }),
};

const named = process.argv.slice(2);
if (named[0] === "--list") {
    console.log(Object.keys(cases).join("\n"));
} else {
    for (const name of named.length ? named : Object.keys(cases)) {
        const start = performance.now();
        let why = "";
        await cases[name]().catch((error) => (why = String(error.message || error).slice(0, 200) || "failed"));
        say({ case: name, seconds: (performance.now() - start) / 1000, off: null, ok: !why, why });
    }
    say({ device: "the program", loaded: true });
}
fs.rmSync(folder, { recursive: true, force: true });
process.exit(0);
