// Dawn in Node: WGSL compute through WebGPU, and that a pipeline which draws is refused without harm.

import { main, random } from "./harness.mjs";

const rng = random(1);
let adapter;
let device;

async function open() {
    adapter = await navigator.gpu.requestAdapter();
    if (!adapter) throw new Error("Dawn takes no adapter");
    const wanted = ["shader-f16", "subgroups", "timestamp-query"].filter((name) => adapter.features.has(name));
    device = await adapter.requestDevice({ requiredFeatures: wanted });
    device.addEventListener("uncapturederror", ({ error }) => console.error(error.message));
}

function storage(data, usage = 0) {
    const flags = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST | usage;
    const buffer = device.createBuffer({ size: Math.max(data.byteLength, 4), usage: flags, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    buffer.unmap();
    return buffer;
}

async function read(source, Type, encoder = device.createCommandEncoder()) {
    const target = device.createBuffer({ size: source.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyBufferToBuffer(source, 0, target, 0, source.size);
    device.queue.submit([encoder.finish()]);
    await target.mapAsync(GPUMapMode.READ);
    return new Type(target.getMappedRange().slice(0));
}

const pipeline = (code, entryPoint = "main", constants = {}) =>
    device.createComputePipeline({ layout: "auto", compute: { module: device.createShaderModule({ code }), entryPoint, constants } });

const bind = (made, ...resources) =>
    device.createBindGroup({
        layout: made.getBindGroupLayout(0),
        entries: resources.map((it, binding) => ({ binding, resource: it instanceof GPUBuffer ? { buffer: it } : it })),
    });

// Runs [pipeline, bind group, work-groups] in order, in one pass.
function dispatch(steps, encoder = device.createCommandEncoder(), timestampWrites) {
    const pass = encoder.beginComputePass({ timestampWrites });
    for (const [made, group, groups] of steps) {
        pass.setPipeline(made);
        pass.setBindGroup(0, group);
        if (groups instanceof GPUBuffer) pass.dispatchWorkgroupsIndirect(groups, 0);
        else pass.dispatchWorkgroups(...groups);
    }
    pass.end();
    return encoder;
}

const cases = {
    async collatz() {
        const made = pipeline(`
            @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                var n = numbers[id.x];
                var steps = 0u;
                while (n > 1u) {
                    if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
                    steps += 1u;
                }
                numbers[id.x] = steps;
            }`);
        const buffer = storage(Uint32Array.from({ length: 16384 }, (_, i) => i + 1));
        const got = await read(buffer, Uint32Array, dispatch([[made, bind(made, buffer), [256]]]));
        const steps = (n) => {
            let count = 0;
            for (; n > 1; count++) n = n % 2 ? 3 * n + 1 : n / 2;
            return count;
        };
        return { got, want: () => Uint32Array.from({ length: 16384 }, (_, i) => steps(i + 1)) };
    },

    // Inclusive scan in three dispatches of one pass, with an override for the stride of the totals.
    async prefix_sum() {
        const code = `
            override stride: u32 = 7u;
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @group(0) @binding(1) var<storage, read_write> totals: array<u32>;
            var<workgroup> part: array<u32, 256>;
            @compute @workgroup_size(256) fn scan(@builtin(global_invocation_id) id: vec3u,
                    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
                part[lane] = data[id.x];
                for (var step = 1u; step < 256u; step *= 2u) {
                    workgroupBarrier();
                    let other = select(0u, part[lane - min(step, lane)], lane >= step);
                    workgroupBarrier();
                    part[lane] += other;
                }
                data[id.x] = part[lane];
                if (lane == 255u) { totals[group.x] = part[lane]; }
            }
            @compute @workgroup_size(256) fn add(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {
                if (group.x > 0u) { data[id.x] += totals[(group.x - 1u) * stride]; }
            }`;
        const numbers = rng.integers(1 << 16, 1000);
        const [data, totals, rest] = [storage(numbers), storage(new Uint32Array(256)), storage(new Uint32Array(1))];
        const [scan, add] = [pipeline(code, "scan"), pipeline(code, "add", { stride: 1 })];
        const work = dispatch([
            [scan, bind(scan, data, totals), [256]],
            [scan, bind(scan, totals, rest), [1]],
            [add, bind(add, data, totals), [256]],
        ]);
        const want = () => {
            let sum = 0;
            return numbers.map((n) => (sum += n));
        };
        return { got: await read(data, Uint32Array, work), want };
    },

    async matrix_product() {
        const [n, tile] = [128, 16];
        const made = pipeline(`
            @group(0) @binding(0) var<storage, read> a: array<f32>;
            @group(0) @binding(1) var<storage, read> b: array<f32>;
            @group(0) @binding(2) var<storage, read_write> c: array<f32>;
            var<workgroup> left: array<array<f32, ${tile}>, ${tile}>;
            var<workgroup> right: array<array<f32, ${tile}>, ${tile}>;
            @compute @workgroup_size(${tile}, ${tile}) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) at: vec3u) {
                var sum = 0.0;
                for (var k = 0u; k < ${n}u; k += ${tile}u) {
                    left[at.y][at.x] = a[id.y * ${n}u + k + at.x];
                    right[at.y][at.x] = b[(k + at.y) * ${n}u + id.x];
                    workgroupBarrier();
                    for (var i = 0u; i < ${tile}u; i++) { sum += left[at.y][i] * right[i][at.x]; }
                    workgroupBarrier();
                }
                c[id.y * ${n}u + id.x] = sum;
            }`);
        const [a, b] = [rng.floats(n * n), rng.floats(n * n)];
        const c = storage(new Float32Array(n * n));
        const got = await read(c, Float32Array, dispatch([[made, bind(made, storage(a), storage(b), c), [n / tile, n / tile]]]));
        const cell = (row, column) => {
            let sum = 0;
            for (let k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
            return sum;
        };
        return { got, want: () => Float32Array.from({ length: n * n }, (_, i) => cell(Math.floor(i / n), i % n)), rtol: 1e-5, atol: 1e-5 };
    },

    // Atomics on workgroup memory, then on storage.
    async histogram() {
        const made = pipeline(`
            @group(0) @binding(0) var<storage, read> data: array<u32>;
            @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
            var<workgroup> part: array<atomic<u32>, 256>;
            @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
                for (var i = 0u; i < 4u; i++) { atomicAdd(&part[(data[id.x] >> (8u * i)) & 255u], 1u); }
                workgroupBarrier();
                atomicAdd(&bins[lane], atomicLoad(&part[lane]));
            }`);
        const bytes = Uint8Array.from(rng.integers(1 << 18, 256));
        const bins = storage(new Uint32Array(256));
        const got = await read(bins, Uint32Array, dispatch([[made, bind(made, storage(bytes), bins), [256]]]));
        const want = () => {
            const counts = new Uint32Array(256);
            for (const byte of bytes) counts[byte]++;
            return counts;
        };
        return { got, want };
    },

    // Each subgroup's sum and scan, whatever its size.
    async subgroups() {
        const made = pipeline(`
            enable subgroups;
            @group(0) @binding(0) var<storage, read> numbers: array<u32>;
            @group(0) @binding(1) var<storage, read_write> answers: array<vec4u>;
            @compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: vec3u,
                    @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
                let n = numbers[id.x];
                answers[id.x] = vec4u(subgroupAdd(n), subgroupExclusiveAdd(n), subgroupShuffle(n, (lane + 1u) % size), size);
            }`);
        const numbers = rng.integers(4096, 1 << 20);
        const answers = storage(new Uint32Array(4 * 4096));
        const got = await read(answers, Uint32Array, dispatch([[made, bind(made, storage(numbers), answers), [32]]]));
        const want = () => {
            const size = got[3];
            if (![4, 8, 16, 32, 64, 128].includes(size)) throw new Error(`a subgroup of ${size}`);
            const answer = new Uint32Array(4 * 4096);
            for (let first = 0; first < 4096; first += size) {
                const own = numbers.subarray(first, first + size);
                const sum = own.reduce((a, b) => a + b);
                let before = 0;
                own.forEach((n, lane) => {
                    answer.set([sum, before, own[(lane + 1) % size], size], 4 * (first + lane));
                    before += n;
                });
            }
            return answer;
        };
        return { got, want };
    },

    // 16-bit floats in storage and arithmetic.
    async half() {
        const made = pipeline(`
            enable f16;
            @group(0) @binding(0) var<storage, read> xs: array<vec2u>;
            @group(0) @binding(1) var<storage, read_write> ys: array<vec4f>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                let low = bitcast<vec2h>(xs[id.x].x);
                let high = bitcast<vec2h>(xs[id.x].y);
                ys[id.x] = vec4f(vec2f(low * high), vec2f(low + high));
            }`);
        // 1 + k/1024, of which f16 has all.
        const bits = rng.integers(4096, 1024);
        const xs = Uint16Array.from(bits, (k) => 0x3c00 | k);
        const ys = storage(new Float32Array(4096));
        const got = await read(ys, Float32Array, dispatch([[made, bind(made, storage(xs), ys), [16]]]));
        const want = () => {
            const x = Array.from(bits, (k) => 1 + k / 1024);
            const four = (i) => [x[i] * x[i + 2], x[i + 1] * x[i + 3], x[i] + x[i + 2], x[i + 1] + x[i + 3]];
            return [...Array(1024).keys()].flatMap((i) => four(4 * i));
        };
        return { got, want, rtol: 2 ** -11 };
    },

    // A sampled texture read by texel and by a sampler, a storage texture written.
    async image_blur() {
        const [width, height] = [128, 64];
        const made = pipeline(`
            @group(0) @binding(0) var source: texture_2d<f32>;
            @group(0) @binding(1) var linear: sampler;
            @group(0) @binding(2) var target_: texture_storage_2d<rgba32float, write>;
            @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
                let size = vec2i(textureDimensions(source));
                var sum = vec2f();
                for (var y = -1; y <= 1; y++) { for (var x = -1; x <= 1; x++) {
                    sum += textureLoad(source, clamp(vec2i(id.xy) + vec2i(x, y), vec2i(), size - 1), 0).xy;
                } }
                // Between four texels: their mean.
                let between = textureSampleLevel(source, linear, vec2f(id.xy + 1u) / vec2f(size), 0.0).xy;
                textureStore(target_, id.xy, vec4f(sum / 9.0, between));
            }`);
        const picture = Uint8Array.from(rng.integers(4 * width * height, 256));
        const usage = GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING;
        const source = device.createTexture({ size: [width, height], format: "rgba8unorm", usage });
        device.queue.writeTexture({ texture: source }, picture, { bytesPerRow: 4 * width }, [width, height]);
        const target = device.createTexture({ size: [width, height], format: "rgba32float", usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.STORAGE_BINDING });
        const linear = device.createSampler({ magFilter: "linear", minFilter: "linear" });
        const work = dispatch([[made, bind(made, source.createView(), linear, target.createView()), [width / 8, height / 8]]]);
        const buffer = storage(new Float32Array(4 * width * height));
        work.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: 16 * width }, [width, height]);
        const got = await read(buffer, Float32Array, work);
        const texel = (x, y, channel) => {
            const [u, v] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
            return picture[4 * (v * width + u) + channel] / 255;
        };
        const mean = (x, y, channel, steps) => {
            const all = steps.flatMap((dy) => steps.map((dx) => texel(x + dx, y + dy, channel)));
            return all.reduce((a, b) => a + b) / all.length;
        };
        const pixel = (x, y) => [[-1, 0, 1], [0, 1]].flatMap((steps) => [0, 1].map((channel) => mean(x, y, channel, steps)));
        // Eight fractional bits of the weights are what Vulkan's subTexelPrecisionBits promises.
        return { got, want: () => [...Array(width * height).keys()].flatMap((i) => pixel(i % width, Math.floor(i / width))), atol: 2 / 256 };
    },

    // The work-groups come from a buffer that a dispatch wrote; what is stored behind its end is dropped, or hits its last word.
    async indirect() {
        const code = `
            @group(0) @binding(0) var<storage, read_write> groups: array<u32>;
            @compute @workgroup_size(1) fn decide() { groups[0] = 5u; groups[1] = 2u; groups[2] = 1u; groups[1000] = 9u; }`;
        const made = pipeline(`
            @group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
            @compute @workgroup_size(8) fn main(@builtin(workgroup_id) group: vec3u) { atomicAdd(&counts[group.x + 5u * group.y], 1u); }`);
        const decide = pipeline(code, "decide");
        const groups = storage(new Uint32Array(4), GPUBufferUsage.INDIRECT);
        const counts = storage(new Uint32Array(16));
        const work = dispatch([[decide, bind(decide, groups), [1]]]);
        dispatch([[made, bind(made, counts), groups]], work);
        return { got: await read(counts, Uint32Array, work), want: () => Uint32Array.from({ length: 16 }, (_, i) => (i < 10 ? 8 : 0)) };
    },

    // Two passes with timestamps around each: in order, and within a minute.
    async timestamps() {
        if (!device.features.has("timestamp-query")) throw new Error("the adapter has no timestamps");
        const made = pipeline(`
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] += id.x * id.x; }`);
        const querySet = device.createQuerySet({ type: "timestamp", count: 4 });
        const times = device.createBuffer({ size: 32, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
        const data = storage(new Uint32Array(4096));
        const work = device.createCommandEncoder();
        for (const first of [0, 2]) {
            const around = { querySet, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
            dispatch([[made, bind(made, data), [64]]], work, around);
        }
        work.resolveQuerySet(querySet, 0, 4, times, 0);
        const got = await read(data, Uint32Array, work);
        const [begin, end, again, last] = await read(times, BigUint64Array);
        const ordered = begin < end && end <= again && again < last && last < begin + 60_000_000_000n;
        if (!ordered) throw new Error(`timestamps ${begin}, ${end}, ${again}, ${last}`);
        return { got, want: () => Uint32Array.from({ length: 4096 }, (_, i) => 2 * i * i) };
    },

    // A pipeline that draws is made, or refused; either way the device goes on.
    async after_a_drawing_pipeline() {
        const module = device.createShaderModule({
            code: `@vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }
                   @fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }`,
        });
        const made = device.createRenderPipelineAsync({ layout: "auto", vertex: { module }, fragment: { module, targets: [{ format: "rgba8unorm" }] } });
        const refused = await made.then(() => null, (error) => error);
        if (refused && refused.reason !== "internal") throw refused;
        const lost = await Promise.race([device.lost, new Promise((go) => setTimeout(go, 1, null))]);
        if (lost) throw new Error(`the device is lost: ${lost.message}`);
        return cases.indirect();
    },
};

if (process.argv[2] !== "--list") await open();
await main(cases, () => adapter.info.description);
