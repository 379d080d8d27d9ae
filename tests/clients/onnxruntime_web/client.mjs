// ONNX Runtime Web: its WebGPU execution provider over Dawn beside its own CPU (WebAssembly) one, on models made here.

import v8 from "node:v8";
import { main, random, untimed } from "./harness.mjs";

// V8's optimising compiler takes a minute and a half for one function of ONNX Runtime's, and the first run waits for it.
v8.setFlagsFromString("--liftoff-only");

// Dawn in Node takes no memory that is shared, and ONNX Runtime's is.
const { writeBuffer } = GPUQueue.prototype;
GPUQueue.prototype.writeBuffer = function (buffer, offset, data, from = 0, size = data.length - from) {
    return writeBuffer.call(this, buffer, offset, data.slice(from, from + size));
};

const ort = await import("onnxruntime-web/webgpu");
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

// ONNX's protobuf: a number or bytes behind their field's number.
const varint = (value) => (value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))]);
const number = (field, value) => [...varint(field << 3), ...varint(value)];
const bytes = (field, value) => [...varint((field << 3) | 2), ...varint(value.length), ...value];
const text = (field, value) => bytes(field, new TextEncoder().encode(value));

const FLOAT = 1;
const INT64 = 7;
// ValueInfoProto, and AttributeProto of integers, of a float and of an integer.
const value = (name, type, dims) => [...text(1, name), ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, dims.flatMap((d) => bytes(1, number(1, d))))]))];
const ints = (name, values) => [...text(1, name), ...values.flatMap((v) => number(8, v)), ...number(20, 7)];
const float = (name, v) => [...text(1, name), ...varint((2 << 3) | 5), ...new Uint8Array(Float32Array.of(v).buffer), ...number(20, 1)];
const int = (name, v) => [...text(1, name), ...number(3, v), ...number(20, 2)];
// TensorProto of integers, and NodeProto.
const tensor = (name, values) => [...number(1, values.length), ...number(2, INT64), ...values.flatMap((v) => number(7, v)), ...text(8, name)];
const node = (op, inputs, outputs, attributes = []) => [
    ...inputs.flatMap((name) => text(1, name)), ...outputs.flatMap((name) => text(2, name)), ...text(4, op), ...attributes.flatMap((a) => bytes(5, a)),
];

// ModelProto of IR version 8 and operators of version 17. `inputs` and `outputs` are shapes by name, of floats.
function model(nodes, inputs, outputs, constants = {}) {
    const values = (field, all) => Object.entries(all).flatMap(([name, dims]) => bytes(field, value(name, FLOAT, dims)));
    const tensors = Object.entries(constants).flatMap(([name, all]) => bytes(5, tensor(name, all)));
    const graph = [...nodes.flatMap((it) => bytes(1, it)), ...text(2, "graph"), ...tensors, ...values(11, inputs), ...values(12, outputs)];
    return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, [...text(1, ""), ...number(2, 17)])]);
}

const rng = random(1);

const both = (nodes, inputs, outputs, constants, tolerance = { rtol: 1e-5, atol: 1e-5 }) => async () => {
    const made = model(nodes, inputs, outputs, constants);
    const size = (dims) => dims.reduce((a, b) => a * b, 1);
    const feeds = Object.fromEntries(Object.entries(inputs).map(([name, dims]) => [name, new ort.Tensor("float32", rng.floats(size(dims)), dims)]));
    const run = async (provider) => {
        const session = await ort.InferenceSession.create(made, { executionProviders: [provider] });
        const answers = await session.run(feeds);
        await session.release();
        return Object.keys(outputs).map((name) => answers[name].data);
    };
    const got = await run("webgpu");
    const wanted = await untimed(() => run("wasm"));
    return got.map((values, i) => ({ got: values, want: () => wanted[i], ...tolerance }));
};

const cases = {
    matrix_product: both(
        [node("MatMul", ["a", "b"], ["c"]), node("Gemm", ["c", "d"], ["e"], [int("transB", 1), float("alpha", 0.5)])],
        { a: [64, 96], b: [96, 80], d: [48, 80] }, { c: [64, 80], e: [64, 48] },
    ),
    convolution: both(
        [
            node("Conv", ["x", "w", "b"], ["y"], [ints("pads", [1, 1, 1, 1]), ints("kernel_shape", [3, 3])]),
            node("Relu", ["y"], ["r"]),
            node("MaxPool", ["r"], ["m"], [ints("kernel_shape", [2, 2]), ints("strides", [2, 2])]),
            node("Conv", ["m", "v"], ["z"], [ints("strides", [2, 2]), int("group", 8)]),
            node("GlobalAveragePool", ["z"], ["mean"]),
        ],
        { x: [1, 4, 24, 24], w: [8, 4, 3, 3], b: [8], v: [8, 1, 3, 3] }, { m: [1, 8, 12, 12], z: [1, 8, 5, 5], mean: [1, 8, 1, 1] },
    ),
    normalisation: both(
        [
            node("LayerNormalization", ["x", "scale", "bias"], ["n"], [int("axis", 2), float("epsilon", 1e-5)]),
            node("Softmax", ["n"], ["s"], [int("axis", 2)]),
            node("InstanceNormalization", ["x", "s8", "b8"], ["i"]),
        ],
        { x: [2, 8, 100], scale: [100], bias: [100], s8: [8], b8: [8] }, { n: [2, 8, 100], s: [2, 8, 100], i: [2, 8, 100] }, {}, { rtol: 1e-4, atol: 1e-4 },
    ),
    attention: both(
        [
            node("Transpose", ["k"], ["t"], [ints("perm", [0, 1, 3, 2])]),
            node("MatMul", ["q", "t"], ["scores"]),
            node("Softmax", ["scores"], ["p"], [int("axis", 3)]),
            node("MatMul", ["p", "v"], ["o"]),
        ],
        { q: [1, 4, 32, 16], k: [1, 4, 32, 16], v: [1, 4, 32, 16] }, { p: [1, 4, 32, 32], o: [1, 4, 32, 16] },
    ),
    layout: both(
        [
            node("Transpose", ["x"], ["t"], [ints("perm", [2, 0, 1])]),
            node("Concat", ["x", "x"], ["c"], [int("axis", 1)]),
            node("Slice", ["c", "starts", "ends"], ["s"]),
            node("Gather", ["x", "which"], ["g"], [int("axis", 2)]),
            node("Reshape", ["g", "shape"], ["r"]),
            node("Expand", ["r", "wide"], ["e"]),
        ],
        { x: [6, 10, 12] }, { t: [12, 6, 10], s: [4, 15, 12], e: [2, 60, 4] },
        { starts: [1, 2, 0], ends: [5, 17, 12], which: [11, 0, 5, 5], shape: [60, 4], wide: [2, 60, 4] }, {},
    ),
    elementwise: both(
        [
            node("Erf", ["x"], ["e"]), node("Sigmoid", ["x"], ["s"]), node("Mul", ["e", "y"], ["m"]), node("Add", ["m", "s"], ["a"]),
            node("Tanh", ["a"], ["h"]), node("Pow", ["s", "y"], ["p"]),
            node("ReduceSum", ["h", "axes"], ["sum"]), node("ReduceMax", ["h"], ["max"], [ints("axes", [0])]),
        ],
        { x: [40, 60], y: [60] }, { h: [40, 60], p: [40, 60], sum: [40, 1], max: [1, 60] }, { axes: [1] }, { rtol: 1e-4, atol: 1e-5 },
    ),
};

await main(cases, async () => (await navigator.gpu.requestAdapter()).info.description);
