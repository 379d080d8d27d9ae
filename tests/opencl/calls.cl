// Functions that are really called: many arguments, structs in and out, callee-saved registers, chains of calls,
// calls from where lanes part, and functions by pointer.
// from: gfx701/refused
// launch: many_arguments grid=200 block=64
//   u32[200]:rand u32[200] f64[200]
// launch: structs grid=200 block=64
//   i32[200]:rand i32[600] f32[400]
// launch: chain grid=200 block=64
//   u32[200]:rand u32[200]
// launch: divergent grid=200 block=64
//   u32[200]:rand u32[200]
// launch: pointers grid=200 block=64
//   u32[200]:rand u32[400]

NOINLINE static u64 thirty_eight(u32 a, u32 b, u8 c, i16 d, u64 e, f32 f, f64 g, u32x4 h, u32 i, u32 j, u32 k, u32 l, u32 m, u32 n,
                                 u32 o, u32 p, u32 q, u32 r, u64 s, u32 t, u32 u, u32 v, u32 w, u32 x, f16 y, u32 z) {
    u64 sum = a + 3ul * b + 5ul * c + (u64)(i64)d + e * 7 + (u64)(f * 4.0f) + (u64)g;
    sum = sum * 31 + h.x + h.y * 3 + h.z * 5 + h.w * 7;
    sum = sum * 31 + (i ^ j ^ k ^ l) + (m & n) + (o | p) + q - r + s * 11;
    return sum * 31 + t + 2 * u + 3 * v + 4 * w + 5 * x + (u32)y + z;
}
__kernel void many_arguments(__global const u32 *in, __global u32 *out, __global f64 *wide) {
    u32 i = global_id(0), x = in[i];
    u64 sum = thirty_eight(x, i, (u8)x, (i16)(x >> 3), (u64)x << 20, (f32)(x & 1023), (f64)(x >> 7), (u32x4){x, i, 3, x >> 1}, 1, x + 2, 3,
                           i, 5, x >> 9, 7, i * 8, 9, 10, (u64)i << 33, 12, x & 13, 14, i, 16, (f16)(x & 255), 18);
    out[i] = (u32)(sum >> 32) ^ (u32)sum;
    wide[i] = (f64)(sum >> 11);
}

struct ray { f32 from[3], along[3]; };
struct hit { f32 distance; i32 id; u64 key; i8 tag; };
struct pair { i32 a, b; };

NOINLINE static struct hit intersect(struct ray ray, i32 id) {
    struct hit hit = {ray.from[0] * ray.along[0] + ray.from[1] * ray.along[1], id, (u64)id << 35 | 5, (i8)id};
    if (ray.from[2] > ray.along[2]) hit.distance = -hit.distance, hit.id = ~id;
    return hit;
}
NOINLINE static struct pair swap(struct pair p) {
    struct pair out = {p.b, p.a};
    return out;
}
NOINLINE static void fill(struct ray *ray, i32 seed) {
    for (i32 k = 0; k < 3; k++) ray->from[k] = (f32)(seed >> k & 255), ray->along[k] = (f32)(seed >> (k + 8) & 255) - 100;
}
__kernel void structs(__global const i32 *in, __global i32 *out, __global f32 *distances) {
    u32 i = global_id(0), n = global_size(0);
    struct ray ray;
    fill(&ray, in[i]);
    struct hit hit = intersect(ray, in[i] >> 4);
    ray.along[2] = 1e9f;
    struct hit again = intersect(ray, hit.tag);
    struct pair p = swap(swap(swap((struct pair){hit.id, again.id})));
    out[i] = p.a, out[n + i] = p.b;
    out[2 * n + i] = (i32)(hit.key >> 30) + again.tag;
    distances[i] = hit.distance, distances[n + i] = again.distance;
}

// Each keeps values over the next one's call, in saved registers or on the stack.
#define LINK(name, next, k)                                                            \
    NOINLINE static u32 name(u32 x, u32 y) {                                           \
        u32 a = mix(x + k), b = mix(y ^ k), c = a * b, frame[k % 5 + 1];               \
        for (u32 i = 0; i < k % 5 + 1; i++) frame[i] = a >> (i * 3);                   \
        u32 r = next(a & 1 ? b : x, c + frame[b % (k % 5 + 1)]);                       \
        return r + a + (b ^ c) + frame[r % (k % 5 + 1)];                               \
    }
NOINLINE static u32 link0(u32 x, u32 y) { return x * 3 + y; }
LINK(link1, link0, 1)
LINK(link2, link1, 2)
LINK(link3, link2, 3)
LINK(link4, link3, 4)
LINK(link5, link4, 5)
LINK(link6, link5, 6)
LINK(link7, link6, 7)
LINK(link8, link7, 8)
LINK(link9, link8, 9)
LINK(link10, link9, 10)
LINK(link11, link10, 11)
LINK(link12, link11, 12)
__kernel void chain(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0);
    out[i] = link12(in[i], i) + link9(i, in[i]);
}

NOINLINE static u32 step_up(u32 x, u32 times) {
    while (times--) x = x * 5 + 1;
    return x;
}
NOINLINE static u32 step_down(u32 x, u32 times) { return times & 1 ? step_up(x ^ 7, times / 2) : x >> 1; }
__kernel void divergent(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), x = in[i], r = 0;
    for (u32 k = 0; k < (x & 7) + 1; k++) {
        if (x >> k & 1)
            r += step_up(r + x, k);
        else if (r & 2)
            r ^= step_down(r, x >> 8 & 15);
        else
            r += step_down(x, k) + step_up(k, 2);
    }
    out[i] = r;
}

typedef u32 (*function)(u32, u32);
NOINLINE static u32 add(u32 a, u32 b) { return a + b; }
NOINLINE static u32 subtract(u32 a, u32 b) { return a - b; }
NOINLINE static u32 multiply(u32 a, u32 b) { return a * (b | 1); }
NOINLINE static u32 twist(u32 a, u32 b) { return mix(a) ^ link2(b, a); }
static function choose(u32 x) { return x == 0 ? add : x == 1 ? subtract : x == 2 ? multiply : twist; }
NOINLINE static u32 fold(function f, u32 from, u32 count) {
    for (u32 k = 0; k < count; k++) from = f(from, k);
    return from;
}
__kernel void pointers(__global const u32 *in, __global u32 *out) {
    u32 i = global_id(0), n = global_size(0), x = in[i], r = i;
    // One function for all lanes, then another for each.
    function uniform = choose(group_id(0) & 3);
    r = uniform(r, x);
    for (u32 k = 0; k < 6; k++) r = choose(x >> (2 * k) & 3)(r, x >> k);
    out[i] = r;
    function table[3] = {multiply, add, twist};
    out[n + i] = fold(table[x % 3], x, x >> 8 & 7);
}
