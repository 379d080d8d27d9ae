// Bodies that attract each other, by tiles in LDS; a lattice of springs in f64.
// flags: -cl-fp32-correctly-rounded-divide-sqrt
// launch: nbody grid=128 block=64
//   f32[512]:unit f32[512]:unit f32[512]
// launch: springs grid=60 block=32
//   f64[60]:unit f64[60] f64[60]

__kernel void nbody(__global const f32x4 *position, __global const f32x4 *velocity, __global f32x4 *out) {
    SHARED f32x4 tile[64];
    u32 i = global_id(0), t = local_id(0);
    f32x4 me = position[i];
    f32x3 pull = 0.0f;
    for (u32 first = 0; first < global_size(0); first += 64) {
        tile[t] = position[first + t];
        barrier();
        for (u32 k = 0; k < 64; k++) {
            f32x3 way = tile[k].xyz - me.xyz;
            f32 square = way.x * way.x + way.y * way.y + way.z * way.z + 0.01f;
            f32 inverse = 1.0f / __builtin_sqrtf(square);
            pull += way * (tile[k].w * inverse * inverse * inverse);
        }
        barrier();
    }
    f32x3 speed = velocity[i].xyz + pull * 0.01f, place = me.xyz + speed * 0.01f;
    out[i] = (f32x4){place.x, place.y, place.z, speed.x * speed.y + speed.z};
}

// Each work-item follows a pendulum of its own with two masses.
__kernel void springs(__global const f64 *start, __global f64 *place, __global f64 *energy) {
    u32 i = global_id(0);
    f64 a = start[i] + 0.5, b = -start[i], va = 0, vb = 0.25;
    for (u32 k = 0; k < 150; k++) {
        f64 gap = a - b, force = -4.0 * a - 2.5 * gap / __builtin_sqrt(1.0 + gap * gap);
        f64 other = -3.0 * b + 2.5 * gap / __builtin_sqrt(1.0 + gap * gap);
        va += 0.01 * force, vb += 0.01 * other;
        a += 0.01 * va, b += 0.01 * vb;
    }
    place[i] = a - b;
    energy[i] = __builtin_fma(va, va, vb * vb);
}
