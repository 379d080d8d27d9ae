"""taichi on its Vulkan backend: kernels over fields and arrays, atomics, its sorting and scanning, textures."""

import numpy as np
import taichi as ti
from harness import Answer, case, main

ti.init(arch=ti.vulkan, offline_cache=False, log_level=ti.ERROR, random_seed=1)
assert ti.lang.impl.current_cfg().arch == ti.vulkan, "taichi fell back to another backend"
rng = np.random.default_rng(1)


@case
def mandelbrot():
    width, height, limit = 320, 240, 100
    steps = ti.field(ti.i32, (height, width))

    @ti.kernel
    def paint():
        for y, x in steps:
            c = ti.Vector([x * 3.0 / width - 2.0, y * 2.0 / height - 1.0])
            z = ti.Vector([0.0, 0.0])
            n = 0
            while n < limit and z.dot(z) < 4.0:
                z = ti.Vector([z[0] * z[0] - z[1] * z[1], 2.0 * z[0] * z[1]]) + c
                n += 1
            steps[y, x] = n

    paint()
    got = steps.to_numpy()

    def want():
        y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
        c = (x * 3.0 / width - 2.0) + 1j * (y * 2.0 / height - 1.0)
        z, n = np.zeros_like(c), np.zeros(c.shape, np.int32)
        for _ in range(limit):
            inside = np.abs(z) < 2.0
            z, n = np.where(inside, z * z + c, z), n + inside
        # The border is chaotic: one pixel in two hundred may differ.
        return np.where(n != got, got, n) if (n != got).mean() < 0.005 else n

    return Answer(got, want)


@case
def n_body():
    n, steps, dt = 256, 3, 0.01
    place, speed = (ti.Vector.field(3, ti.f32, n) for _ in range(2))
    start = rng.standard_normal((n, 3)).astype(np.float32)
    place.from_numpy(start)

    @ti.kernel
    def pull():
        for i in range(n):
            force = ti.Vector([0.0, 0.0, 0.0])
            for j in range(n):
                apart = place[j] - place[i]
                force += apart / (apart.norm_sqr() + 0.01) ** 1.5
            speed[i] += force * dt

    @ti.kernel
    def move():
        for i in range(n):
            place[i] += speed[i] * dt

    for _ in range(steps):
        pull()
        move()

    def want():
        at, by = start.astype(np.float64), np.zeros((n, 3))
        for _ in range(steps):
            apart = at[None] - at[:, None]
            by += (apart / ((apart**2).sum(-1, keepdims=True) + 0.01) ** 1.5).sum(1) * dt
            at = at + by * dt
        return at

    return Answer(place.to_numpy(), want, rtol=1e-4, atol=1e-4)


@case
def mpm88():
    """The material point method: particles scatter to a grid by float atomics and gather from it."""
    n, grid, dt, steps = 2048, 64, 2e-4, 5
    dx, volume, stiffness = 1.0 / grid, (0.5 / grid) ** 2, 400.0
    x, v = ti.Vector.field(2, ti.f32, n), ti.Vector.field(2, ti.f32, n)
    affine, stretch = ti.Matrix.field(2, 2, ti.f32, n), ti.field(ti.f32, n)
    momentum, mass = ti.Vector.field(2, ti.f32, (grid, grid)), ti.field(ti.f32, (grid, grid))
    start = (rng.random((n, 2)) * 0.4 + 0.2).astype(np.float32)
    x.from_numpy(start)
    v.from_numpy(np.tile(np.array([[0.0, -1.0]], np.float32), (n, 1)))
    stretch.fill(1.0)

    @ti.kernel
    def step():
        for i, j in mass:
            mass[i, j] = 0.0
            momentum[i, j] = [0.0, 0.0]
        for p in x:
            base = (x[p] / dx - 0.5).cast(int)
            fx = x[p] / dx - base
            weights = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            stress = -dt * 4 * stiffness * volume * (stretch[p] - 1) / dx**2
            carried = ti.Matrix([[stress, 0.0], [0.0, stress]]) + volume * affine[p]
            for i, j in ti.static(ti.ndrange(3, 3)):
                offset = ti.Vector([i, j])
                weight = weights[i].x * weights[j].y
                momentum[base + offset] += weight * (volume * v[p] + carried @ ((offset - fx) * dx))
                mass[base + offset] += weight * volume
        for i, j in mass:
            if mass[i, j] > 0:
                momentum[i, j] /= mass[i, j]
            momentum[i, j].y -= dt * 9.8
            if i < 3 and momentum[i, j].x < 0 or i > grid - 3 and momentum[i, j].x > 0:
                momentum[i, j].x = 0
            if j < 3 and momentum[i, j].y < 0 or j > grid - 3 and momentum[i, j].y > 0:
                momentum[i, j].y = 0
        for p in x:
            base = (x[p] / dx - 0.5).cast(int)
            fx = x[p] / dx - base
            weights = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            new_v, new_affine = ti.Vector([0.0, 0.0]), ti.Matrix([[0.0, 0.0], [0.0, 0.0]])
            for i, j in ti.static(ti.ndrange(3, 3)):
                offset = ti.Vector([i, j])
                g = momentum[base + offset]
                weight = weights[i].x * weights[j].y
                new_v += weight * g
                new_affine += 4 * weight * g.outer_product((offset - fx) * dx) / dx**2
            v[p] = new_v
            x[p] += dt * new_v
            stretch[p] *= 1 + dt * new_affine.trace()
            affine[p] = new_affine

    for _ in range(steps):
        step()

    def want():
        at, by = start.astype(np.float64), np.tile([[0.0, -1.0]], (n, 1))
        c, j_p = np.zeros((n, 2, 2)), np.ones(n)
        cells = [(i, j) for i in range(3) for j in range(3)]
        for _ in range(steps):
            base = (at / dx - 0.5).astype(int)
            fx = at / dx - base
            w = np.stack([0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2])
            stress = -dt * 4 * stiffness * volume * (j_p - 1) / dx**2
            carried = stress[:, None, None] * np.eye(2) + volume * c
            moved, m = np.zeros((grid, grid, 2)), np.zeros((grid, grid))
            for i, j in cells:
                weight = (w[i, :, 0] * w[j, :, 1])[:, None]
                where = (base[:, 0] + i, base[:, 1] + j)
                apart = ([i, j] - fx) * dx
                np.add.at(moved, where, weight * (volume * by + np.einsum("nab,nb->na", carried, apart)))
                np.add.at(m, where, weight[:, 0] * volume)
            moved = np.where(m[..., None] > 0, moved / np.where(m > 0, m, 1)[..., None], moved)
            moved[..., 1] -= dt * 9.8
            for axis in range(2):
                flow = np.moveaxis(moved[..., axis], axis, 0)
                flow[:3] = np.maximum(flow[:3], 0)
                flow[grid - 2 :] = np.minimum(flow[grid - 2 :], 0)
            by, c = np.zeros((n, 2)), np.zeros((n, 2, 2))
            for i, j in cells:
                weight = (w[i, :, 0] * w[j, :, 1])[:, None]
                g = moved[base[:, 0] + i, base[:, 1] + j]
                by += weight * g
                c += 4 * weight[..., None] * g[:, :, None] * (([i, j] - fx) * dx)[:, None, :] / dx**2
            at = at + dt * by
            j_p = j_p * (1 + dt * np.trace(c, axis1=1, axis2=2))
        return np.concatenate([at, by], axis=1)

    got = np.concatenate([x.to_numpy(), v.to_numpy()], axis=1)
    return Answer(got, want, rtol=1e-3, atol=1e-3)


@case
def sorting():
    """taichi's own odd-even merge sort, with a value carried along."""
    n = 1 << 12
    keys, values = ti.field(ti.i32, n), ti.field(ti.f32, n)
    numbers = rng.permutation(n).astype(np.int32)
    keys.from_numpy(numbers)
    values.from_numpy(numbers.astype(np.float32) * 0.5)
    ti.algorithms.parallel_sort(keys, values)
    order = np.arange(n, dtype=np.int32)
    return [Answer(keys.to_numpy(), lambda: order), Answer(values.to_numpy(), lambda: order.astype(np.float32) * 0.5)]


@case
def reductions():
    n = 1 << 17
    data, whole = ti.field(ti.f32, n), ti.field(ti.i32, n)
    floats = rng.random(n, dtype=np.float32)
    ints = rng.integers(-1000, 1000, n, dtype=np.int32)
    data.from_numpy(floats)
    whole.from_numpy(ints)
    sums, bounds = ti.field(ti.f32, ()), ti.field(ti.i32, 2)

    @ti.kernel
    def total() -> ti.i32:
        result = 0
        for i in whole:
            result += whole[i]
        return result

    @ti.kernel
    def rest():
        bounds[0], bounds[1] = 1 << 30, -(1 << 30)
        for i in data:
            sums[None] += data[i]
        for i in whole:
            ti.atomic_min(bounds[0], whole[i])
            ti.atomic_max(bounds[1], whole[i])

    got = total()
    rest()
    return [
        Answer(np.int64(got), lambda: ints.sum(dtype=np.int64)),
        Answer(sums.to_numpy(), lambda: floats.sum(dtype=np.float64), rtol=1e-3),
        Answer(bounds.to_numpy(), lambda: np.array([ints.min(), ints.max()], np.int32)),
    ]


@case
def prefix_scan():
    """taichi's PrefixSumExecutor: shuffles in warps that it takes for 32 lanes wide."""
    n = 1 << 14
    data = ti.field(ti.i32, n)
    numbers = rng.integers(0, 100, n, dtype=np.int32)
    data.from_numpy(numbers)
    ti.algorithms.PrefixSumExecutor(n).run(data)
    return Answer(data.to_numpy(), lambda: np.cumsum(numbers, dtype=np.int32))


@case
def stencil():
    """Heat that spreads on a torus, between two arrays in turn."""
    n, steps = 128, 20
    heat = rng.random((n, n), dtype=np.float32)
    array = ti.ndarray(ti.f32, (n, n))
    other = ti.ndarray(ti.f32, (n, n))
    array.from_numpy(heat)

    @ti.kernel
    def spread(source: ti.types.ndarray(), target: ti.types.ndarray()):
        for i, j in source:
            around = source[(i + 1) % n, j] + source[(i + n - 1) % n, j] + source[i, (j + 1) % n] + source[i, (j + n - 1) % n]
            target[i, j] = source[i, j] + 0.1 * (around - 4.0 * source[i, j])

    for _ in range(steps // 2):
        spread(array, other)
        spread(other, array)

    def want():
        at = heat.astype(np.float64)
        for _ in range(steps):
            around = sum(np.roll(at, by, axis) for by in (1, -1) for axis in (0, 1))
            at = at + 0.1 * (around - 4 * at)
        return at

    return Answer(array.to_numpy(), want, rtol=1e-5, atol=1e-5)


@case
def wide_types():
    """64-bit integers and floats, 8- and 16-bit integers, a half."""
    n = 1024
    longs, doubles = ti.field(ti.i64, n), ti.field(ti.f64, n)
    bytes_, shorts, halves = ti.field(ti.u8, n), ti.field(ti.i16, n), ti.field(ti.f16, n)

    @ti.kernel
    def go():
        for i in range(n):
            longs[i] = (ti.cast(i, ti.i64) << 40) // 7 - ti.cast(i, ti.i64) * 1000003
            doubles[i] = ti.sqrt(ti.cast(i, ti.f64)) / 3.0 + 1.0
            bytes_[i] = ti.cast(i * 7, ti.u8)
            shorts[i] = ti.cast(i * 70 - 30000, ti.i16)
            halves[i] = ti.cast(i, ti.f16) * ti.cast(0.5, ti.f16)

    go()
    i = np.arange(n, dtype=np.int64)
    return [
        Answer(longs.to_numpy(), lambda: (i << 40) // 7 - i * 1000003),
        Answer(doubles.to_numpy(), lambda: np.sqrt(i.astype(np.float64)) / np.float64(np.float32(3.0)) + 1.0, rtol=1e-15),
        Answer(bytes_.to_numpy(), lambda: (i * 7).astype(np.uint8)),
        Answer(shorts.to_numpy(), lambda: (i * 70 - 30000).astype(np.int16)),
        Answer(halves.to_numpy(), lambda: (i * 0.5).astype(np.float16)),
    ]


@case
def textures():
    """A storage image written by one kernel and sampled by another."""
    size = 64
    image = ti.Texture(ti.Format.r32f, (size, size))
    out = ti.field(ti.f32, (size, size))

    @ti.kernel
    def paint(into: ti.types.rw_texture(num_dimensions=2, fmt=ti.Format.r32f, lod=0)):
        for i, j in ti.ndrange(size, size):
            into.store(ti.Vector([i, j]), ti.Vector([i + 0.25 * j, 0.0, 0.0, 0.0]))

    @ti.kernel
    def look(at: ti.types.texture(num_dimensions=2)):
        for i, j in ti.ndrange(size, size):
            out[i, j] = at.fetch(ti.Vector([j, i]), 0).x + at.sample_lod(ti.Vector([(i + 1.0) / size, (j + 0.5) / size]), 0.0).x

    paint(image)
    look(image)
    i, j = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    # Between texels i and i+1; the last column wraps to the first or holds, as the sampler says: it is left out.
    inside = np.s_[: size - 1]
    return Answer(out.to_numpy()[inside], lambda: ((j + 0.25 * i) + (i + 0.5 + 0.25 * j))[inside], atol=0.01)


if __name__ == "__main__":
    main(lambda: str(ti.lang.impl.current_cfg().arch))
