"""slangpy: Slang's compiler and its RHI: compute kernels, functions called on arrays, tensors and their gradients, textures."""

from functools import cache

import numpy as np
import slangpy as spy
from harness import Answer, case, main, untimed
from slangpy.types import Tensor

rng = np.random.default_rng(1)
loaded = 0


@cache
def device():
    """Slang takes the first adapter; the loader is told about one driver."""
    options = {"include_paths": [spy.SHADER_PATH]}
    with untimed():
        return spy.Device(type=spy.DeviceType.vulkan, compiler_options=options, enable_print=True)


def fresh(kind):
    """A name that no module has yet."""
    global loaded
    loaded += 1
    return f"{kind}_{loaded}"


def kernel(text, types=()):
    """The kernel `main` of a module; `types` are (interface, type, number) that dynamic dispatch chooses from."""
    module = device().load_module_from_source(fresh("kernel"), text)
    return device().create_compute_kernel(device().link_program([module], [module.entry_point("main", list(types))]))


def functions(text):
    with untimed():  # Slang's own module for this takes it seconds, once
        device().load_module("slangpy")
    return spy.Module(device().load_module_from_source(fresh("functions"), 'import "slangpy";\n' + text))


def buffer(data):
    data = np.ascontiguousarray(data)
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
    return device().create_buffer(struct_size=data.itemsize, usage=usage, data=data.view(np.uint8))


def read(source, dtype):
    return source.to_numpy().view(dtype)


def texture(form, width, height, mips=1, data=None):
    usage = spy.TextureUsage.shader_resource | spy.TextureUsage.unordered_access
    made = device().create_texture(format=form, width=width, height=height, mip_count=mips, usage=usage)
    for level, texels in enumerate(data or ()):
        made.copy_from_numpy(texels, mip=level)
    return made


def with_slope(result, slope):
    """A function's result, and what a change of it is worth."""
    result = result.with_grads()
    result.grad.copy_from_numpy(np.full(result.shape.as_tuple(), slope, np.float32))
    return result


@case
def collatz():
    work = kernel("""
        [shader("compute")] [numthreads(64, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, RWStructuredBuffer<uint> numbers) {
            uint n = numbers[id.x], steps = 0;
            for (; n > 1; steps++) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
            numbers[id.x] = steps;
        }""")
    numbers = np.arange(1, 65537, dtype=np.uint32)
    data = buffer(numbers)
    work.dispatch(thread_count=[numbers.size, 1, 1], numbers=data)

    def want():
        n, steps = numbers.astype(np.int64), np.zeros(numbers.size, np.uint32)
        while (left := n > 1).any():
            n = np.where(left, np.where(n % 2 == 0, n // 2, 3 * n + 1), n)
            steps += left
        return steps

    return Answer(read(data, np.uint32), want)


@case
def structures():
    """Structures of every width, and a block of parameters with a matrix."""
    work = kernel("""
        struct Item { float3 at; half2 size; uint16_t kind; int64_t big; double fine; };
        struct Setup { float4x4 turn; float3 move; int step; };
        ParameterBlock<Setup> setup;
        [shader("compute")] [numthreads(32, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, StructuredBuffer<Item> from, RWStructuredBuffer<Item> to) {
            Item item = from[id.x];
            item.at = mul(setup.turn, float4(item.at, 1)).xyz + setup.move;
            item.size = item.size.yx * half(2);
            item.kind = uint16_t(item.kind + setup.step);
            item.big = item.big * 3 - (int64_t(item.kind) << 40);
            item.fine = item.fine / 3.0lf;
            to[id.x] = item;
        }""")
    # As Slang lays it out.
    item = np.dtype({"names": ["at", "size", "kind", "big", "fine"], "offsets": [0, 12, 16, 24, 32], "itemsize": 40,
                     "formats": [("f4", 3), ("f2", 2), "u2", "i8", "f8"]})  # fmt: skip
    count = 512
    items = np.zeros(count, item)
    items["at"] = rng.standard_normal((count, 3))
    items["size"] = rng.integers(-100, 100, (count, 2)) / 8
    items["kind"] = rng.integers(0, 65536, count)
    items["big"] = rng.integers(-(2**60), 2**60, count)
    items["fine"] = rng.standard_normal(count)
    turn = rng.standard_normal((4, 4)).astype(np.float32)
    move = np.float32([1, 2, 3])
    to = buffer(np.zeros(count, item))
    block = {"turn": spy.float4x4(turn), "move": spy.float3(*map(float, move)), "step": 7}
    work.dispatch(thread_count=[count, 1, 1], vars={"setup": block}, **{"from": buffer(items), "to": to})
    got = read(to, item).reshape(-1)

    def at():
        return items["at"] @ turn[:3, :3].T + turn[:3, 3] + move

    kind = items["kind"] + np.uint16(7)
    big = items["big"] * 3 - (kind.astype(np.int64) << 40)
    return [
        Answer(got["at"], at, rtol=1e-5, atol=1e-5),
        Answer(got["size"], lambda: items["size"][:, ::-1] * np.float16(2)),
        Answer(got["kind"], lambda: kind),
        Answer(got["big"], lambda: big),
        Answer(got["fine"], lambda: items["fine"] / 3, rtol=1e-15),
    ]


@case
def atomics():
    """A histogram in shared memory; sums of integers, 64-bit integers and floats in buffers and of floats in a texture."""
    work = kernel("""
        groupshared uint bins[64];
        RWTexture2D<uint> hits;
        [shader("compute")] [numthreads(256, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, uint lane: SV_GroupIndex, StructuredBuffer<uint> numbers,
                  RWStructuredBuffer<uint> histogram, RWStructuredBuffer<uint64_t> wide, RWByteAddressBuffer floats) {
            if (lane < 64) bins[lane] = 0;
            GroupMemoryBarrierWithGroupSync();
            uint n = numbers[id.x];
            InterlockedAdd(bins[n % 64], 1);
            InterlockedMax(hits[uint2(n % 8, 0)], n);
            InterlockedXor(hits[uint2(n % 8, 1)], n);
            InterlockedAdd(wide[n % 2], uint64_t(n) << 20);
            float before;
            floats.InterlockedAddF32(4 * (n % 4), 0.5, before);
            GroupMemoryBarrierWithGroupSync();
            if (lane < 64) InterlockedAdd(histogram[lane], bins[lane]);
        }""")
    numbers = rng.integers(0, 2**32, 16384, dtype=np.uint32)
    histogram, wide, floats = buffer(np.zeros(64, "u4")), buffer(np.zeros(2, "u8")), buffer(np.zeros(4, "f4"))
    hits = texture(spy.Format.r32_uint, 8, 2, data=[np.zeros((2, 8), "u4")])
    work.dispatch(thread_count=[numbers.size, 1, 1], vars={"hits": hits}, numbers=buffer(numbers), histogram=histogram,
                  wide=wide, floats=floats)  # fmt: skip

    def found():
        parts = [numbers[numbers % 8 == n] for n in range(8)]
        return np.array([[part.max() for part in parts], [np.bitwise_xor.reduce(part) for part in parts]], "u4")

    return [
        Answer(read(histogram, "u4"), lambda: np.bincount(numbers % 64, minlength=64).astype("u4")),
        Answer(read(wide, "u8"), lambda: np.array([(numbers[numbers % 2 == n].astype("u8") << 20).sum() for n in (0, 1)])),
        Answer(read(floats, "f4"), lambda: np.bincount(numbers % 4, minlength=4).astype("f4") / 2),
        Answer(hits.to_numpy(), found),
    ]


@case
def waves():
    """Operations over the subgroup, whatever its size."""
    work = kernel("""
        [shader("compute")] [numthreads(64, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, StructuredBuffer<uint> numbers, RWStructuredBuffer<uint4> answers) {
            uint n = numbers[id.x];
            uint odd = WaveActiveCountBits((n & 1) != 0), lanes = WaveGetLaneCount();
            answers[2 * id.x] = uint4(WaveActiveSum(n), WavePrefixSum(n), odd, WaveReadLaneAt(n, lanes - 1));
            uint rest = 0;
            if ((n & 2) != 0) rest = WaveActiveMax(n);
            answers[2 * id.x + 1] = uint4(rest, QuadReadAcrossX(n), WaveActiveBallot(n > 500).x, lanes);
        }""")
    numbers = rng.integers(0, 1000, 1024, dtype=np.uint32)
    answers = buffer(np.zeros(numbers.size * 8, "u4"))
    work.dispatch(thread_count=[numbers.size, 1, 1], numbers=buffer(numbers), answers=answers)
    got = read(answers, "u4").reshape(-1, 8)
    lanes = int(got[0, 7])

    def want():
        n = numbers.reshape(-1, lanes)
        spread = lambda values: np.repeat(values, lanes)
        most = np.where(n & 2, np.where(n & 2, n, 0).max(axis=1, keepdims=True), 0)
        ballot = ((n[:, :32] > 500).astype(np.uint64) << np.arange(min(lanes, 32), dtype=np.uint64)).sum(axis=1)
        columns = [spread(n.sum(axis=1)), (n.cumsum(axis=1) - n).ravel(), spread((n & 1).sum(axis=1)), spread(n[:, -1]),
                   most.ravel(), numbers.reshape(-1, 2)[:, ::-1].ravel(), spread(ballot), np.full(numbers.size, lanes)]  # fmt: skip
        return np.stack(columns, axis=1).astype("u4")

    return Answer(got, want)


@case
def textures():
    """Levels that are sampled and gathered from, written one from another."""
    shrink = kernel("""
        [shader("compute")] [numthreads(8, 8, 1)]
        void main(uint3 id: SV_DispatchThreadID, Texture2D<float4> from, RWTexture2D<float4> to) {
            uint2 at = id.xy * 2;
            to[id.xy] = (from[at] + from[at + uint2(1, 0)] + from[at + uint2(0, 1)] + from[at + uint2(1, 1)]) / 4;
        }""")
    sample = kernel("""
        [shader("compute")] [numthreads(8, 8, 1)]
        void main(uint3 id: SV_DispatchThreadID, Texture2D<float4> image, SamplerState linear, SamplerState nearest,
                  RWStructuredBuffer<float4> answers) {
            float2 at = (id.xy + 0.5) / 32;
            uint n = 3 * (id.y * 32 + id.x);
            answers[n] = image.SampleLevel(linear, at + 0.5 / 64, 0);
            answers[n + 1] = image.SampleLevel(nearest, at, 1);
            answers[n + 2] = image.GatherGreen(linear, at) + image.Load(int3(id.xy / 4, 3));
        }""")
    side, levels = 64, 4
    pixels = (rng.integers(0, 256, (side, side, 4)) / 256).astype(np.float32)
    image = texture(spy.Format.rgba32_float, side, side, levels, [pixels])
    for level in range(1, levels):
        views = [image.create_view(mip=n, mip_count=1) for n in (level - 1, level)]
        half = side >> level
        shrink.dispatch(thread_count=[half, half, 1], **{"from": views[0], "to": views[1]})
    linear = device().create_sampler(address_u=spy.TextureAddressingMode.wrap, address_v=spy.TextureAddressingMode.wrap)
    point = spy.TextureFilteringMode.point
    nearest = device().create_sampler(min_filter=point, mag_filter=point, mip_filter=point)
    answers = buffer(np.zeros(32 * 32 * 12, "f4"))
    sample.dispatch(thread_count=[32, 32, 1], image=image, linear=linear, nearest=nearest, answers=answers)
    got = read(answers, "f4").reshape(32, 32, 3, 4)

    def want():
        mips = [pixels]
        for _ in range(1, levels):
            mips.append(mips[-1].reshape(mips[-1].shape[0] // 2, 2, -1, 2, 4).mean(axis=(1, 3)))
        green = pixels[:, :, 1]
        quad = [green[1::2, ::2], green[1::2, 1::2], green[::2, 1::2], green[::2, ::2]]
        # A quarter of a coarse texel on lies the middle of one of level 0.
        middle = pixels[1::2, 1::2]
        small = mips[3].repeat(4, axis=0).repeat(4, axis=1)
        return np.stack([middle, mips[1], np.stack(quad, axis=2) + small], axis=2)

    return Answer(got, want, atol=1e-3)


@case
def neighbours():
    """Derivatives in compute shaders, and the level of a texture that follows from them."""
    work = kernel("""
        [shader("compute")] [numthreads(8, 8, 1)] [DerivativeGroupQuad]
        void main(uint3 id: SV_DispatchThreadID, Texture2D<float> image, SamplerState nearest,
                  RWStructuredBuffer<float4> answers) {
            float x = id.x * id.x + 3.0 * id.y * id.x;
            float2 at = (id.xy + 0.25) / 64;
            answers[id.y * 32 + id.x] = float4(ddx_fine(x), ddy_fine(x), image.Sample(nearest, at),
                                               image.Sample(nearest, at * (id.z + 4)));
        }""")
    levels = [np.full((64 >> n, 64 >> n), n, np.float32) for n in range(7)]
    point = spy.TextureFilteringMode.point
    nearest = device().create_sampler(min_filter=point, mag_filter=point, mip_filter=point)
    answers = buffer(np.zeros(32 * 32 * 4, "f4"))
    image = texture(spy.Format.r32_float, 64, 64, 7, levels)
    work.dispatch(thread_count=[32, 32, 1], image=image, nearest=nearest, answers=answers)

    def want():
        y, x = np.meshgrid(np.arange(32), np.arange(32), indexing="ij")
        f = lambda x, y: x * x + 3 * y * x
        dx, dy = f(x | 1, y) - f(x & ~1, y), f(x, y | 1) - f(x, y & ~1)
        return np.stack([dx, dy, np.zeros_like(x), np.full_like(x, 2)], axis=2).astype("f4").reshape(-1)

    return Answer(read(answers, "f4"), want)


@case
def called_functions():
    """Functions of plain Slang, called with arrays, scalars and structures; arguments are broadcast."""
    module = functions("""
        struct Ray { float3 from; float3 to; float length() { return distance(from, to); } };
        float blend(float a, float b, float t) { return lerp(a, b, t); }
        float3 cross_of(float3 a, float3 b) { return cross(a, b); }
        float measure(Ray ray, float scale) { return ray.length() * scale; }
        int sum_of(int values[4]) { return values[0] + values[1] + values[2] + values[3]; }
        T twice<T: IArithmetic>(T x) { return x + x; }
    """)
    a, b = rng.standard_normal((2, 40, 300)).astype(np.float32)
    u, v = rng.standard_normal((2, 1000, 3)).astype(np.float32)
    tensors = [Tensor.from_numpy(device(), values) for values in (a, b)]
    rows = rng.standard_normal((40, 1)).astype(np.float32)
    blended = module.blend(*tensors, Tensor.from_numpy(device(), rows).broadcast_to((40, 300)), _result="numpy")
    vectors = [Tensor.empty(device(), (1000,), "float3") for _ in range(2)]
    for tensor, values in zip(vectors, (u, v)):
        tensor.copy_from_numpy(values)
    crossed = module.cross_of(*vectors, _result="numpy")
    measured = module.measure({"from": vectors[0], "to": vectors[1]}, 2.5, _result="numpy")
    double = module.find_function("twice<float>")(tensors[0], _result="numpy")
    return [
        Answer(blended, lambda: a + (b - a) * rows, rtol=1e-5, atol=1e-6),
        Answer(crossed, lambda: np.cross(u, v), rtol=1e-5, atol=1e-5),
        Answer(measured, lambda: np.linalg.norm(u - v, axis=1) * 2.5, rtol=1e-5),
        Answer(module.sum_of([3, 4, 5, 6]), lambda: np.int64(18)),
        Answer(double, lambda: a * 2),
    ]


@case
def tensors():
    """Tensors as arguments of a function that runs once for each element of the result: a product of matrices."""
    module = functions("""
        float product(int[2] at, Tensor<float, 2> a, Tensor<float, 2> b) {
            float sum = 0;
            for (int k = 0; k < a.shape[1]; k++) sum += a[at[0], k] * b[k, at[1]];
            return sum;
        }
        void scale_rows(int row, RWTensor<float, 2> m) { for (int n = 0; n < m.shape[1]; n++) m[row, n] = m[row, n] * (row + 1); }
    """)
    a, b = rng.standard_normal((96, 128)).astype(np.float32), rng.standard_normal((128, 80)).astype(np.float32)
    left, right = (Tensor.from_numpy(device(), values) for values in (a, b))
    product = module.product(spy.grid((96, 80)), left, right, _result=Tensor)
    turned = module.product(spy.grid((80, 96)), Tensor.from_numpy(device(), np.ascontiguousarray(b.T)),
                            Tensor.from_numpy(device(), np.ascontiguousarray(a.T)), _result="numpy")  # fmt: skip
    module.scale_rows(spy.grid((96,)), left)
    return [
        Answer(product.to_numpy(), lambda: a @ b, rtol=1e-4, atol=1e-4),
        Answer(turned, lambda: (a @ b).T, rtol=1e-4, atol=1e-4),
        Answer(left.to_numpy(), lambda: a * np.arange(1, 97, dtype="f4")[:, None], rtol=1e-6),
    ]


@case
def gradients():
    """What Slang makes of functions to differentiate them backwards, one with a derivative of its own."""
    module = functions("""
        [Differentiable] float wave(float x, float3 c) { return c.x * sin(x) + c.y * x * x + exp(c.z * x); }
        [BackwardDerivative(halved)] float stairs(float x) { return floor(x); }
        void halved(inout DifferentialPair<float> x, float.Differential d) { x = diffPair(x.p, d * 0.5); }
        [Differentiable] float both(float x, float y) { return stairs(x) * y; }
    """)
    count = 5000
    x = rng.uniform(-2, 2, count).astype(np.float32)
    c = rng.uniform(-1, 1, (count, 3)).astype(np.float32)
    y = rng.uniform(1, 2, count).astype(np.float32)
    at = Tensor.from_numpy(device(), x).with_grads(zero=True)
    by = Tensor.empty(device(), (count,), "float3")
    by.copy_from_numpy(c)
    by = by.with_grads(zero=True)
    value = with_slope(module.wave(at, by, _result=Tensor), 1)
    module.wave.bwds(at, by, value)
    steps, other = (Tensor.from_numpy(device(), values).with_grads(zero=True) for values in (x, y))
    product = with_slope(module.both(steps, other, _result=Tensor), 1)
    module.both.bwds(steps, other, product)
    power = lambda: np.exp(c[:, 2] * x)
    slope = lambda: c[:, 0] * np.cos(x) + 2 * c[:, 1] * x + c[:, 2] * power()
    close = {"rtol": 1e-4, "atol": 1e-5}
    return [
        Answer(value.to_numpy(), lambda: c[:, 0] * np.sin(x) + c[:, 1] * x * x + power(), **close),
        Answer(at.grad.to_numpy(), slope, **close),
        Answer(by.grad.to_numpy(), lambda: np.stack([np.sin(x), x * x, x * power()], axis=1), **close),
        Answer(steps.grad.to_numpy(), lambda: y * np.float32(0.5), **close),
        Answer(other.grad.to_numpy(), lambda: np.floor(x), **close),
    ]


@case
def descent():
    """A small net that is trained: gradients of all samples are added up in the weights' own."""
    module = functions("""
        [Differentiable]
        float loss(no_diff float2 x, no_diff float y, DiffTensor<float, 1> w) {
            float sum = w[12];
            for (int n = 0; n < 4; n++) sum += tanh(w[n] * x.x + w[4 + n] * x.y) * w[8 + n];
            return (sum - y) * (sum - y);
        }
        void step(float slope, float rate, inout float weight) { weight -= rate * slope; }
    """)
    count, steps, rate = 512, 8, 0.02
    x = rng.uniform(-1, 1, (count, 2)).astype(np.float32)
    y = (x[:, 0] * x[:, 1]).astype(np.float32)
    start = rng.uniform(-1, 1, 13).astype(np.float32)
    samples = Tensor.empty(device(), (count,), "float2")
    samples.copy_from_numpy(x)
    wanted = Tensor.from_numpy(device(), y)
    weights = Tensor.from_numpy(device(), start).with_grads(zero=True)
    losses = []
    for _ in range(steps):
        value = module.loss(samples, wanted, weights, _result=Tensor)
        losses.append(value.to_numpy().mean())
        module.loss.bwds(samples, wanted, weights, with_slope(value, 1 / count))
        module.step(weights.grad, rate * 10, weights.detach())
        weights.grad.clear()

    def want():
        w, found = start.astype(np.float64), []
        for _ in range(steps):
            hidden = np.tanh(x @ w[:8].reshape(2, 4))
            off = hidden @ w[8:12] + w[12] - y
            found.append((off * off).mean())
            d = 2 * off / count
            inner = d[:, None] * w[8:12] * (1 - hidden * hidden)
            slope = np.concatenate([(x.T @ inner).ravel(), d @ hidden, [d.sum()]])
            w = w - rate * 10 * slope
        return np.array(found)

    return Answer(np.array(losses), want, rtol=1e-3)


@case
def dynamic_dispatch():
    """Types that a number in memory chooses."""
    text = """
        interface IShape { float area(); }
        struct Square: IShape { float side; float area() { return side * side; } };
        struct Disc: IShape { float radius; float area() { return 3.0 * radius * radius; } };
        struct Thin: IShape { float a; float area() { return 0; } };
        struct Record { uint kind; float size; };
        [shader("compute")] [numthreads(32, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, StructuredBuffer<Record> records, RWStructuredBuffer<float> areas) {
            areas[id.x] = createDynamicObject<IShape>(records[id.x].kind, records[id.x].size).area();
        }"""
    types = [spy.TypeConformance("IShape", name, number) for number, name in enumerate(("Square", "Disc", "Thin"))]
    record = np.dtype([("kind", "u4"), ("size", "f4")])
    records = np.zeros(4096, record)
    records["kind"] = rng.integers(0, 3, records.size)
    records["size"] = rng.integers(0, 100, records.size)
    areas = buffer(np.zeros(records.size, "f4"))
    kernel(text, types).dispatch(thread_count=[records.size, 1, 1], records=buffer(records), areas=areas)
    return Answer(read(areas, "f4"), lambda: np.float32([1, 3, 0])[records["kind"]] * records["size"] ** 2)


@case
def pointers():
    """A list in memory, followed by address."""
    work = kernel("""
        struct Node { Node* next; uint value; uint pad; };
        [shader("compute")] [numthreads(64, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, uniform Node* nodes, uniform uint* sums,
                  uniform uint steps) {
            Node* node = nodes + id.x;
            uint sum = 0;
            for (uint n = 0; n < steps && node != nullptr; n++, node = node->next) sum = sum * 3 + node->value;
            sums[id.x] = sum;
        }""")
    count, steps = 1024, 20
    node = np.dtype([("next", "u8"), ("value", "u4"), ("pad", "u4")])
    nodes = np.zeros(count, node)
    place = buffer(nodes)
    following = rng.integers(-1, count, count)
    nodes["value"] = rng.integers(0, 1000, count)
    nodes["next"] = np.where(following < 0, 0, place.device_address + following * node.itemsize)
    place.copy_from_numpy(nodes.view(np.uint8))
    sums = buffer(np.zeros(count, "u4"))
    work.dispatch(thread_count=[count, 1, 1], nodes=place.device_address, sums=sums.device_address, steps=steps)

    def want():
        at, sum = np.arange(count), np.zeros(count, "u4")
        for _ in range(steps):
            on = at >= 0
            sum = np.where(on, sum * np.uint32(3) + nodes["value"][at], sum)
            at = np.where(on, following[at], -1)
        return sum

    return Answer(read(sums, "u4"), want)


@case
def bindless():
    """Textures and buffers by handles that lie in memory."""
    work = kernel("""
        struct Pair { DescriptorHandle<Texture2D<float4>> image; DescriptorHandle<StructuredBuffer<float4>> color; };
        [shader("compute")] [numthreads(8, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, StructuredBuffer<Pair> pairs, RWStructuredBuffer<float4> answers) {
            Pair pair = pairs[id.x];
            answers[id.x] = (*pair.image)[uint2(1, 0)] + (*pair.color)[2];
        }""")
    count = 24
    texels = rng.random((count, 2, 2, 4)).astype(np.float32)
    colors = rng.random((count, 3, 4)).astype(np.float32)
    images = [texture(spy.Format.rgba32_float, 2, 2, data=[one]) for one in texels]
    lists = [buffer(one) for one in colors]
    pairs = device().create_buffer(element_count=count, resource_type_layout=work.reflection.main.pairs,
                                 usage=spy.BufferUsage.shader_resource)  # fmt: skip
    cursor = spy.BufferCursor(work.reflection.main.pairs.type_layout.element_type_layout, pairs, load_before_write=False)
    for n in range(count):
        cursor[n].image = images[n].descriptor_handle_ro
        cursor[n].color = lists[n].descriptor_handle_ro
    cursor.apply()
    answers = buffer(np.zeros(count * 4, "f4"))
    work.dispatch(thread_count=[count, 1, 1], pairs=pairs, answers=answers)
    return Answer(read(answers, "f4").reshape(-1, 4), lambda: texels[:, 0, 1] + colors[:, 2])


@case
def prints():
    """What a kernel prints comes to the program."""
    work = kernel("""
        import sgl.device.print;
        [shader("compute")] [numthreads(4, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID) {
            if (id.x % 2 == 1) print("{} of {}: {}", id.x, float2(id.x * 0.5, -1), id.x == 3);
        }""")
    work.dispatch(thread_count=[4, 1, 1])
    got = sorted(device().flush_print_to_string().split("\n"))
    return Answer(np.array([line for line in got if line]), lambda: np.array(["1 of {0.5, -1}: false", "3 of {1.5, -1}: true"]))


@case
def clock():
    """Timestamps around a dispatch go forward."""
    work = kernel("""
        [shader("compute")] [numthreads(64, 1, 1)]
        void main(uint3 id: SV_DispatchThreadID, RWStructuredBuffer<uint> data, uniform uint steps) {
            uint x = id.x;
            for (uint n = 0; n < steps; n++) x = x * 1664525 + 1013904223;
            data[id.x] = x | 1;
        }""")
    data = buffer(np.zeros(4096, "u4"))
    pool = device().create_query_pool(type=spy.QueryType.timestamp, count=2)
    encoder = device().create_command_encoder()
    encoder.write_timestamp(pool, 0)
    work.dispatch(thread_count=[4096, 1, 1], command_encoder=encoder, data=data, steps=1000)
    encoder.write_timestamp(pool, 1)
    device().submit_command_buffer(encoder.finish())
    device().wait()
    before, after = pool.get_results(0, 2)
    return Answer(np.array([after > before, after - before < 10 * device().info.timestamp_frequency]), lambda: np.array([True, True]))


main(lambda: device().info.adapter_name)
