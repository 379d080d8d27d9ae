// What a client in Node says to the runner; `harness.py` has the protocol, and the same in Python.

import fs from "node:fs";
import { create, globals } from "webgpu";

// As in a browser: the WebGPU classes are global, and `navigator.gpu` is Dawn.
Object.assign(globalThis, globals);
// Timestamps are not rounded to 65,536 ns.
const gpu = create(["disable-dawn-features=timestamp_quantization"]);
Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node", hardwareConcurrency: 1 }, configurable: true });

const say = (fields) => console.log(JSON.stringify(fields));

// Worst difference as a multiple of the tolerance; infinite where lengths, NaNs or infinities disagree.
function off({ got, want, rtol = 0, atol = 0 }) {
    const wanted = want();
    if (got.length !== wanted.length) return Infinity;
    let worst = 0;
    for (let i = 0; i < got.length; i++) {
        if (Object.is(got[i], wanted[i]) || got[i] === wanted[i]) continue;
        const by = Math.abs(got[i] - wanted[i]) / (atol + rtol * Math.abs(wanted[i]));
        if (!(by <= worst)) worst = Number.isNaN(by) ? Infinity : by;
    }
    return worst;
}

let untimedSeconds = 0;

// What is done within is no part of the case's time.
export async function untimed(act) {
    const start = performance.now();
    const result = await act();
    untimedSeconds += (performance.now() - start) / 1000;
    return result;
}

async function report(name, act) {
    const [start, before] = [performance.now(), untimedSeconds];
    const seconds = () => (performance.now() - start) / 1000 - (untimedSeconds - before);
    try {
        const answers = [await act()].flat();
        const took = seconds();
        const worst = Math.max(...answers.map(off));
        say({ case: name, seconds: took, off: worst < Infinity ? worst : null, ok: worst <= 1, why: worst <= 1 ? "" : "differs from the CPU" });
    } catch (error) {
        console.error(error);
        say({ case: name, seconds: seconds(), off: null, ok: false, why: String(error.message || error).trim().split("\n").pop().slice(0, 200) });
    }
}

// `cases`: a function for each name, which drives the device and gives an answer `{ got, want, rtol, atol }`, or a list of them:
// what the device gave, how to compute the same on the CPU, and what is allowed. Without tolerances values must be equal.
// `device` gives the name of the device in use.
export async function main(cases, device) {
    const named = process.argv.slice(2);
    if (named[0] === "--list") return console.log(Object.keys(cases).join("\n"));
    for (const name of named.length ? named : Object.keys(cases)) await report(name, cases[name]);
    const loaded = fs.readFileSync("/proc/self/maps", "utf8").includes(process.env.CLIENT_DRIVER ?? "");
    say({ device: await device(), loaded });
    // Dawn's own threads would keep the process.
    process.exit(0);
}

// Numbers that are the same in every run.
export function random(seed) {
    let state = seed >>> 0;
    const next = () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state;
    };
    return {
        integers: (count, below) => Uint32Array.from({ length: count }, () => (next() >>> 8) % below),
        floats: (count, low = -1, high = 1) => Float32Array.from({ length: count }, () => low + ((high - low) * (next() >>> 8)) / (1 << 24)),
    };
}
