// TensorFlow.js: its WebGPU backend over Dawn beside its own CPU backend.

import { main, random, untimed } from "./harness.mjs";
import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-webgpu";
import "@tensorflow/tfjs-backend-cpu";

// Small tensors are computed on the device too.
tf.env().set("WEBGPU_CPU_FORWARD", false);
tf.env().set("IS_TEST", true); // no advertisement on stderr
const rng = random(1);

// A case: `compute` makes one tensor or a list of them from tensors of these shapes, on both backends.
const both = (shapes, compute, { rtol = 1e-5, atol = 1e-5, low = -1, high = 1 } = {}) => async () => {
    const data = shapes.map((shape) => rng.floats(tf.util.sizeFromShape(shape), low, high));
    const run = () => [tf.tidy(() => compute(...data.map((values, i) => tf.tensor(values, shapes[i]))))].flat();
    const got = await Promise.all(run().map((tensor) => tensor.data()));
    return untimed(async () => {
        await tf.setBackend("cpu");
        const wanted = await Promise.all(run().map((tensor) => tensor.data()));
        await tf.setBackend("webgpu");
        return got.map((values, i) => ({ got: values, want: () => wanted[i], rtol, atol }));
    });
};

const cases = {
    elementwise: both([[64, 1, 96], [1, 32, 96]], (a, b) => [
        tf.add(a, b), tf.mul(a, b), tf.maximum(a, b), tf.where(tf.greater(a, b), tf.exp(a), tf.tanh(b)), tf.squaredDifference(a, b),
    ]),
    matrix_product: both([[3, 96, 128], [3, 128, 80]], (a, b) => [tf.matMul(a, b), tf.matMul(b, a, true, true)]),
    conv2d: both([[1, 32, 32, 8], [3, 3, 8, 16]], (x, w) => [tf.conv2d(x, w, 1, "same"), tf.conv2d(x, w, 2, "valid")]),
    depthwise: both([[1, 32, 32, 8], [3, 3, 8, 2]], (x, w) => tf.depthwiseConv2d(x, w, 1, "same")),
    pooling: both([[2, 32, 32, 4]], (x) => [tf.maxPool(x, 2, 2, "valid"), tf.avgPool(x, 3, 2, "same")]),
    softmax: both([[64, 300]], (x) => [tf.softmax(x), tf.logSumExp(x, 1)], { low: -5, high: 5 }),
    reductions: both([[40, 50, 6]], (x) => [tf.sum(x), tf.mean(x, 1), tf.max(x, 0), tf.prod(x, 2), tf.argMax(x, 1)]),
    cumsum: both([[16, 200]], (x) => [tf.cumsum(x, 1), tf.cumsum(x, 0, true, true)]),
    layout: both([[12, 20, 30]], (x) => [
        tf.transpose(x, [2, 0, 1]), tf.slice(x, [3, 4, 5], [5, 6, 7]), tf.pad(x, [[1, 2], [0, 1], [3, 0]]), tf.tile(x, [1, 2, 1]),
        tf.reverse(x, 1), tf.concat([x, x], 2), tf.gather(x, tf.tensor1d([5, 0, 11, 5], "int32")),
    ]),
    resize: both([[1, 16, 20, 3]], (x) => [tf.image.resizeBilinear(x, [40, 33]), tf.image.resizeNearestNeighbor(x, [8, 60])]),
    batch_norm: both([[4, 10, 10, 8], [8], [8]], (x, mean, offset) => tf.batchNorm(x, mean, tf.add(tf.abs(offset), 0.1), offset)),
    top: both([[8, 200]], (x) => {
        const { values, indices } = tf.topk(x, 10);
        return [values, indices];
    }),
};

if (process.argv[2] !== "--list" && !(await tf.setBackend("webgpu"))) throw new Error("tfjs takes no WebGPU");
await main(cases, () => tf.backend().adapterInfo?.description ?? tf.backend().device.adapterInfo?.description ?? tf.getBackend());
