// Pictures: Mandelbrot in f32 and f64, spheres by ray marching, a blur of bytes.
// launch: mandelbrot grid=40,24 block=8,8
//   u32[960] f64[960]
// launch: spheres grid=32,24 block=16,4
//   f32[32]:rand f32[768] u8[768]
// launch: blur grid=40,30 block=16,8
//   u8[1200]:rand u8[1200]
// flags: -cl-fp32-correctly-rounded-divide-sqrt

__kernel void mandelbrot(__global u32 *steps, __global f64 *escape) {
    u32 i = global_id(1) * global_size(0) + global_id(0), n = 0, m = 0;
    f32 cx = (f32)global_id(0) * 0.0625f - 1.75f, cy = (f32)global_id(1) * 0.09f - 1.1f, x = 0, y = 0;
    while (n < 200 && x * x + y * y < 4.0f) {
        f32 t = x * x - y * y + cx;
        y = 2.0f * x * y + cy, x = t, n++;
    }
    f64 u = 0, v = 0, r = 0;
    for (m = 0; m < 100; m++) {
        f64 t = u * u - v * v + cx;
        v = 2.0 * u * v + cy, u = t, r = u * u + v * v;
        if (r > 16.0) break;
    }
    steps[i] = n << 16 | m;
    escape[i] = r;
}

static f32 length3(f32x3 v) { return __builtin_sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }
__kernel void spheres(__global const f32 *jitter, __global f32 *depth, __global u8 *shade) {
    u32 i = global_id(1) * global_size(0) + global_id(0);
    f32x3 along = {(f32)global_id(0) / 16.0f - 1.0f, (f32)global_id(1) / 12.0f - 1.0f, 1.5f}, at = {0, 0, -4};
    along /= length3(along);
    f32 travelled = 0;
    u32 k = 0, nearest = 0;
    for (; k < 48; k++) {
        f32 closest = 100;
        for (u32 s = 0; s < 4; s++) {
            f32x3 centre = {jitter[s] * 0.01f, jitter[s + 4] * 0.01f, (f32)s * 0.5f};
            f32 d = length3(at - centre) - 0.5f;
            if (d < closest) closest = d, nearest = s;
        }
        if (closest < 0.001f) break;
        travelled += closest;
        if (travelled > 20.0f) break;
        at += along * closest;
    }
    depth[i] = travelled;
    shade[i] = (u8)(nearest * 60 + k);
}

__kernel void blur(__global const u8 *in, __global u8 *out) {
    SHARED u8 tile[10][18];
    i32 width = (i32)global_size(0), height = (i32)global_size(1);
    // Of partial groups too, each work-item loads as many cells as needed.
    u32 w = local_size(0), h = local_size(1), me = local_id(1) * w + local_id(0);
    for (u32 k = me; k < (w + 2) * (h + 2); k += w * h) {
        i32 x = (i32)(group_id(0) * 16 + k % (w + 2)) - 1, y = (i32)(group_id(1) * 8 + k / (w + 2)) - 1;
        x = min(max(x, 0), width - 1), y = min(max(y, 0), height - 1);
        tile[k / (w + 2)][k % (w + 2)] = in[y * width + x];
    }
    barrier();
    u32 sum = 0;
    for (u32 dy = 0; dy < 3; dy++)
        for (u32 dx = 0; dx < 3; dx++) sum += tile[local_id(1) + dy][local_id(0) + dx] * (dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1);
    out[global_id(1) * (u32)width + global_id(0)] = (u8)((sum + 8) / 16);
}
