// An array of structures has one element less than there are work-items.
// RUN --grid 32 --block 32 --arg f32[124]:iota --arg f32[32]
typedef struct { float position[3]; float mass; } particle;
__kernel void momentum(__global const particle *all, __global float *out) {
    uint i = get_global_id(0);
#ifdef MENDED
    if (i >= 31)
        return;
#endif
    out[i] = all[i].mass * all[i].position[0]; // FINDS mem
}
