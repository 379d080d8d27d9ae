"""wgpu's native Python package: WGSL compute over buffers, textures, atomics, subgroups and queries."""

import numpy as np
import wgpu
from harness import Answer, case, main

WANTED = {"shader-f16", "subgroup", "timestamp-query", "float32-filterable", "shader-f64", "shader-int64"}

adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
assert adapter.info["backend_type"] == "Vulkan", f"wgpu took {adapter.info['backend_type']}, not Vulkan"
device = adapter.request_device_sync(required_features=list(WANTED & set(adapter.features)))
rng = np.random.default_rng(1)


def storage(data, usage=0):
    flags = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST | usage
    return device.create_buffer_with_data(data=np.ascontiguousarray(data), usage=flags)


def read(buffer, dtype):
    return np.frombuffer(device.queue.read_buffer(buffer), dtype)


def pipeline(code, entry="main", constants=None):
    compute = {"module": device.create_shader_module(code=code), "entry_point": entry, "constants": constants or {}}
    return device.create_compute_pipeline(layout="auto", compute=compute)


def bind(made, *resources):
    def resource(it):
        return {"buffer": it, "offset": 0, "size": it.size} if isinstance(it, wgpu.GPUBuffer) else it

    entries = [{"binding": at, "resource": resource(it)} for at, it in enumerate(resources)]
    return device.create_bind_group(layout=made.get_bind_group_layout(0), entries=entries)


def dispatch(*steps, encoder=None):
    """Runs (pipeline, bind group, work-groups) in order, in one pass."""
    encoder = encoder or device.create_command_encoder()
    work = encoder.begin_compute_pass()
    for made, group, groups in steps:
        work.set_pipeline(made)
        work.set_bind_group(0, group)
        if isinstance(groups, wgpu.GPUBuffer):
            work.dispatch_workgroups_indirect(groups, 0)
        else:
            work.dispatch_workgroups(*groups)
    work.end()
    device.queue.submit([encoder.finish()])


def texture(size, form, usage, dimension="2d", mips=1):
    flags = wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.COPY_DST | usage
    return device.create_texture(size=size, format=form, usage=flags, dimension=dimension, mip_level_count=mips)


def fill(into, level, data, size):
    data = np.ascontiguousarray(data)
    layout = {"offset": 0, "bytes_per_row": data.nbytes // (size[1] * size[2]), "rows_per_image": size[1]}
    device.queue.write_texture({"texture": into, "mip_level": level}, data, layout, size)


def pixels(source, size, dtype, channels):
    width = np.dtype(dtype).itemsize * channels
    layout = {"offset": 0, "bytes_per_row": width * size[0], "rows_per_image": size[1]}
    data = device.queue.read_texture({"texture": source, "mip_level": 0}, layout, size)
    return np.frombuffer(data, dtype).reshape(size[2], size[1], size[0], channels)


@case
def collatz():
    made = pipeline("""
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var n = numbers[id.x];
            var steps = 0u;
            while (n > 1u) {
                if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
                steps += 1u;
            }
            numbers[id.x] = steps;
        }""")
    numbers = np.arange(1, 65537, dtype=np.uint32)
    buffer = storage(numbers)
    dispatch((made, bind(made, buffer), (1024,)))

    def want():
        n, steps = numbers.astype(np.int64), np.zeros(numbers.size, np.uint32)
        while (left := n > 1).any():
            n = np.where(left, np.where(n % 2 == 0, n // 2, 3 * n + 1), n)
            steps += left
        return steps

    return Answer(read(buffer, np.uint32), want)


@case
def prefix_sum():
    """Inclusive scan in three dispatches: blocks in LDS, the blocks' totals, then the totals added."""
    code = """
        override stride: u32 = 1u;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @group(0) @binding(1) var<storage, read_write> totals: array<u32>;
        var<workgroup> part: array<u32, 256>;
        @compute @workgroup_size(256) fn scan(@builtin(global_invocation_id) id: vec3<u32>,
                @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
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
        @compute @workgroup_size(256) fn add(@builtin(global_invocation_id) id: vec3<u32>,
                @builtin(workgroup_id) group: vec3<u32>) {
            if (group.x > 0u) { data[id.x] += totals[(group.x - 1u) * stride]; }
        }"""
    numbers = rng.integers(0, 1000, 1 << 16, dtype=np.uint32)
    data, totals, rest = storage(numbers), storage(np.zeros(256, np.uint32)), storage(np.zeros(1, np.uint32))
    scan, add = pipeline(code, "scan"), pipeline(code, "add", {"stride": 1})
    dispatch(
        (scan, bind(scan, data, totals), (256,)),
        (scan, bind(scan, totals, rest), (1,)),
        (add, bind(add, data, totals), (256,)),
    )
    return Answer(read(data, np.uint32), lambda: np.cumsum(numbers, dtype=np.uint32))


@case
def matrix_product():
    made = pipeline("""
        struct Size { rows: u32, inner: u32, columns: u32, pad: u32 }
        @group(0) @binding(0) var<storage, read> a: array<f32>;
        @group(0) @binding(1) var<storage, read> b: array<f32>;
        @group(0) @binding(2) var<storage, read_write> c: array<f32>;
        @group(0) @binding(3) var<uniform> size: Size;
        var<workgroup> left: array<array<f32, 16>, 16>;
        var<workgroup> right: array<array<f32, 16>, 16>;
        @compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3<u32>,
                @builtin(local_invocation_id) at: vec3<u32>) {
            var sum = 0.0;
            for (var tile = 0u; tile < size.inner; tile += 16u) {
                left[at.y][at.x] = a[id.y * size.inner + tile + at.x];
                right[at.y][at.x] = b[(tile + at.y) * size.columns + id.x];
                workgroupBarrier();
                for (var k = 0u; k < 16u; k++) { sum = fma(left[at.y][k], right[k][at.x], sum); }
                workgroupBarrier();
            }
            c[id.y * size.columns + id.x] = sum;
        }""")
    rows, inner, columns = 192, 256, 128
    a = rng.standard_normal((rows, inner), dtype=np.float32)
    b = rng.standard_normal((inner, columns), dtype=np.float32)
    c = storage(np.zeros((rows, columns), np.float32))
    size = storage(np.array([rows, inner, columns, 0], np.uint32), wgpu.BufferUsage.UNIFORM)
    dispatch((made, bind(made, storage(a), storage(b), c, size), (columns // 16, rows // 16)))
    got = read(c, np.float32).reshape(rows, columns)
    return Answer(got, lambda: a.astype(np.float64) @ b, rtol=1e-5, atol=1e-4)


@case
def histogram():
    """Atomics in LDS, then in the buffer; the number of work-groups comes from a buffer."""
    made = pipeline("""
        @group(0) @binding(0) var<storage, read> words: array<u32>;
        @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 256>;
        var<workgroup> own: array<atomic<u32>, 256>;
        @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>,
                @builtin(local_invocation_index) lane: u32) {
            let word = words[id.x];
            for (var byte = 0u; byte < 4u; byte++) { atomicAdd(&own[extractBits(word, byte * 8u, 8u)], 1u); }
            workgroupBarrier();
            atomicAdd(&counts[lane], atomicLoad(&own[lane]));
        }""")
    data = rng.integers(0, 256, 1 << 17, dtype=np.uint8) >> rng.integers(0, 5, 1 << 17, dtype=np.uint8)
    counts = storage(np.zeros(256, np.uint32))
    groups = storage(np.array([data.size // 1024, 1, 1], np.uint32), wgpu.BufferUsage.INDIRECT)
    dispatch((made, bind(made, storage(data), counts), groups))
    return Answer(read(counts, np.uint32), lambda: np.bincount(data, minlength=256).astype(np.uint32))


@case
def functions():
    """A page of WGSL's built-in functions on a grid of numbers, the transcendental ones with WGSL's bounds."""
    made = pipeline("""
        @group(0) @binding(0) var<storage, read> xs: array<f32>;
        @group(0) @binding(1) var<storage, read_write> ys: array<array<f32, 12>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let x = xs[id.x];
            let v = vec3<f32>(x, x * 0.5, 1.0);
            ys[id.x] = array<f32, 12>(sin(x), cos(x), exp(x), log(abs(x) + 0.1), sqrt(abs(x)), inverseSqrt(abs(x) + 0.1),
                pow(abs(x) + 0.1, 1.5), tanh(x), atan2(x, 2.0), length(v), dot(v, v.zyx), fract(x) + floor(x));
        }""")
    x = np.linspace(-3.0, 3.0, 4096, dtype=np.float32)
    ys = storage(np.zeros((4096, 12), np.float32))
    dispatch((made, bind(made, storage(x), ys), (64,)))

    def want():
        d = x.astype(np.float64)
        a, v = np.abs(d), np.stack([d, d * 0.5, np.ones_like(d)])
        return np.stack([
            np.sin(d), np.cos(d), np.exp(d), np.log(a + 0.1), np.sqrt(a), 1 / np.sqrt(a + 0.1), (a + 0.1) ** 1.5,
            np.tanh(d), np.arctan2(d, 2.0), np.linalg.norm(v, axis=0), (v * v[::-1]).sum(0), d,
        ], axis=1)  # fmt: skip

    return Answer(read(ys, np.float32).reshape(4096, 12), want, rtol=2e-5, atol=2.0**-11)


@case
def subgroups():
    """Each subgroup's sum, whatever its size, and the lane after the own one."""
    assert "subgroup" in device.features, "the adapter has no subgroup operations"
    made = pipeline("""
        @group(0) @binding(0) var<storage, read> numbers: array<u32>;
        @group(0) @binding(1) var<storage, read_write> answers: array<vec4<u32>>;
        @compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: vec3<u32>,
                @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
            let n = numbers[id.x];
            answers[id.x] = vec4<u32>(subgroupAdd(n), subgroupExclusiveAdd(n), subgroupShuffle(n, (lane + 1u) % size), size);
        }""")
    numbers = rng.integers(0, 1 << 20, 4096, dtype=np.uint32)
    answers = storage(np.zeros((4096, 4), np.uint32))
    dispatch((made, bind(made, storage(numbers), answers), (32,)))
    got = read(answers, np.uint32).reshape(4096, 4)

    def want():
        size = int(got[0, 3])
        assert size in (4, 8, 16, 32, 64, 128), f"a subgroup of {size}"
        rows = numbers.reshape(-1, size)
        sums = np.repeat(rows.sum(1, dtype=np.uint32), size)
        before = (np.cumsum(rows, axis=1, dtype=np.uint32) - rows).ravel()
        return np.stack([sums, before, np.roll(rows, -1, axis=1).ravel(), np.full_like(numbers, size)], axis=1)

    return Answer(got, want)


@case
def half():
    """16-bit floats in storage and arithmetic, rounded as IEEE 754 demands."""
    assert "shader-f16" in device.features, "the adapter has no f16"
    made = pipeline("""
        enable f16;
        @group(0) @binding(0) var<storage, read> xs: array<vec4<f16>>;
        @group(0) @binding(1) var<storage, read_write> ys: array<vec4<f16>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            ys[id.x] = xs[id.x] * xs[id.x] + xs[id.x].wzyx;
        }""")
    x = rng.standard_normal((2048, 4)).astype(np.float16)
    ys = storage(np.zeros((2048, 4), np.float16))
    dispatch((made, bind(made, storage(x), ys), (32,)))
    got = read(ys, np.float16).reshape(2048, 4)
    # A fused multiply-add is allowed, so one rounding of the product is.
    return Answer(got, lambda: x.astype(np.float32) ** 2 + x[:, ::-1], rtol=2.0**-10, atol=2.0**-9)


@case
def image_blur():
    """A sampled texture read by texel, a storage texture written: rgba8unorm, packed and rounded."""
    made = pipeline("""
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var target_: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let last = vec2<i32>(textureDimensions(source)) - 1;
            var sum = vec4<f32>();
            for (var y = -1; y <= 1; y++) { for (var x = -1; x <= 1; x++) {
                sum += textureLoad(source, clamp(vec2<i32>(id.xy) + vec2<i32>(x, y), vec2<i32>(), last), 0);
            } }
            textureStore(target_, id.xy, sum / 9.0);
        }""")
    size = (128, 96, 1)
    picture = rng.integers(0, 256, (96, 128, 4), dtype=np.uint8)
    source = texture(size, "rgba8unorm", wgpu.TextureUsage.TEXTURE_BINDING)
    target = texture(size, "rgba8unorm", wgpu.TextureUsage.STORAGE_BINDING)
    fill(source, 0, picture, size)
    dispatch((made, bind(made, source.create_view(), target.create_view()), (16, 12)))

    def want():
        wide = np.pad(picture.astype(np.float64), ((1, 1), (1, 1), (0, 0)), mode="edge")
        return sum(wide[y : y + 96, x : x + 128] for y in range(3) for x in range(3)) / 9

    # Rounding to 8 bits may go either way where the sum is close to a half.
    return Answer(pixels(target, size, np.uint8, 4)[0], want, atol=0.51)


@case
def image_sampler():
    """Bilinear filtering between texels, at the edges and over mip maps, into r32float."""
    made = pipeline("""
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var filtering: sampler;
        @group(0) @binding(2) var target_: texture_storage_2d<rgba32float, write>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let at = (vec2<f32>(id.xy) + 0.5) / 64.0 * 1.5 - 0.25;
            let low = textureSampleLevel(source, filtering, at, 0.0);
            let high = textureSampleLevel(source, filtering, at, 1.0);
            let between = textureSampleLevel(source, filtering, at, 0.25);
            textureStore(target_, id.xy, vec4<f32>(low.x, high.x, between.x, low.y));
        }""")
    levels = [rng.integers(0, 256, (16 >> level, 32 >> level, 4), dtype=np.uint8) for level in range(2)]
    source = texture((32, 16, 1), "rgba8unorm", wgpu.TextureUsage.TEXTURE_BINDING, mips=2)
    for level, data in enumerate(levels):
        fill(source, level, data, (32 >> level, 16 >> level, 1))
    target = texture((64, 64, 1), "rgba32float", wgpu.TextureUsage.STORAGE_BINDING)
    modes = {"address_mode_u": "repeat", "address_mode_v": "clamp-to-edge"}
    linear = device.create_sampler(mag_filter="linear", min_filter="linear", mipmap_filter="linear", **modes)
    dispatch((made, bind(made, source.create_view(), linear, target.create_view()), (8, 8)))

    def sample(data, u, v):
        height, width = data.shape[:2]
        x, y = u * width - 0.5, v * height - 0.5
        x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
        total = 0.0
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
            weight = np.abs(1 - dx - (x - x0)) * np.abs(1 - dy - (y - y0))
            total = total + weight[..., None] * data[np.clip(y0 + dy, 0, height - 1), (x0 + dx) % width] / 255.0
        return total

    def want():
        v, u = np.meshgrid(*[(np.arange(64) + 0.5) / 64 * 1.5 - 0.25] * 2, indexing="ij")
        low, high = sample(levels[0], u, v), sample(levels[1], u, v)
        between = low * 0.75 + high * 0.25
        return np.stack([low[..., 0], high[..., 0], between[..., 0], low[..., 1]], axis=-1)

    # Eight fractional bits of the weights are what Vulkan's subTexelPrecisionBits promises here, twice.
    return Answer(pixels(target, (64, 64, 1), np.float32, 4)[0], want, atol=3 / 256)


@case
def image_zero():
    """A storage texture of which a corner is written: wgpu clears the rest, by a render pass where it can."""
    made = pipeline("""
        @group(0) @binding(0) var target_: texture_storage_2d<rgba16float, write>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            textureStore(target_, id.xy, vec4<f32>(vec2<f32>(id.xy), 0.1, -1.0));
        }""")
    size = (64, 64, 1)
    target = texture(size, "rgba16float", wgpu.TextureUsage.STORAGE_BINDING | wgpu.TextureUsage.RENDER_ATTACHMENT)
    dispatch((made, bind(made, target.create_view()), (2, 3)))

    def want():
        picture = np.zeros((64, 64, 4), np.float16)
        picture[:24, :16, 0], picture[:24, :16, 1] = np.arange(16)[None], np.arange(24)[:, None]
        picture[:24, :16, 2:] = (0.1, -1.0)
        return picture

    return Answer(pixels(target, size, np.float16, 4)[0], want, rtol=2.0**-10)


@case
def image_volume():
    """A 3D texture read and written in place, and a 2D array written by layer."""
    made = pipeline("""
        @group(0) @binding(0) var volume: texture_storage_3d<r32uint, read_write>;
        @group(0) @binding(1) var layers: texture_storage_2d_array<rgba8uint, write>;
        @compute @workgroup_size(4, 4, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let n = textureLoad(volume, id).x;
            textureStore(volume, id, vec4<u32>(n * 3u + id.z));
            textureStore(layers, id.xy, id.z, vec4<u32>(id, n & 255u));
        }""")
    size = (64, 8, 8)
    numbers = rng.integers(0, 1 << 20, (8, 8, 64), dtype=np.uint32)
    volume = texture(size, "r32uint", wgpu.TextureUsage.STORAGE_BINDING, "3d")
    layers = texture(size, "rgba8uint", wgpu.TextureUsage.STORAGE_BINDING)
    fill(volume, 0, numbers, size)
    dispatch((made, bind(made, volume.create_view(), layers.create_view(dimension="2d-array")), (16, 2, 2)))
    z, y, x = np.meshgrid(np.arange(8), np.arange(8), np.arange(64), indexing="ij")
    return [
        Answer(pixels(volume, size, np.uint32, 1)[..., 0], lambda: numbers * np.uint32(3) + z.astype(np.uint32)),
        Answer(pixels(layers, size, np.uint8, 4), lambda: np.stack([x, y, z, numbers & 255], -1).astype(np.uint8)),
    ]


@case
def timestamps():
    """Two timestamps around a dispatch: the second is later, and by less than a minute."""
    assert "timestamp-query" in device.features, "the adapter has no timestamps"
    made = pipeline("""
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = id.x * id.x; }""")
    queries = device.create_query_set(type="timestamp", count=2)
    times = device.create_buffer(size=16, usage=wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC)
    data = storage(np.zeros(4096, np.uint32))
    encoder = device.create_command_encoder()
    writes = {"query_set": queries, "beginning_of_pass_write_index": 0, "end_of_pass_write_index": 1}
    work = encoder.begin_compute_pass(timestamp_writes=writes)
    work.set_pipeline(made)
    work.set_bind_group(0, bind(made, data))
    work.dispatch_workgroups(64)
    work.end()
    encoder.resolve_query_set(queries, 0, 2, times, 0)
    device.queue.submit([encoder.finish()])
    begin, end = (int(time) for time in read(times, np.uint64))
    assert begin < end < begin + 60 * 10**9, f"from {begin} to {end}"
    return Answer(read(data, np.uint32), lambda: np.arange(4096, dtype=np.uint32) ** 2)


if __name__ == "__main__":
    main(lambda: adapter.info["device"])
