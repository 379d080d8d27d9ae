// Barriers in loops: heat that spreads between neighbours, a pipeline of stages, waves that end before others.
// launch: heat grid=256 block=128
//   f32[256]:unit u32=37 f32[256]
// launch: stages grid=320 block=160
//   u32[320]:rand u32[320]
// launch: some_leave grid=384 block=192 finding=sync/waves-absent
//   u32[384]:rand u32[384]

__kernel void heat(__global const f32 *in, u32 steps, __global f32 *out) {
    SHARED f32 bar[2][130];
    u32 t = local_id(0);
    bar[0][t + 1] = in[global_id(0)];
    if (t < 2) bar[t][0] = 1.0f, bar[t][129] = 0.0f;
    barrier();
    for (u32 k = 0; k < steps; k++) {
        f32 here = bar[k & 1][t + 1];
        bar[1 - (k & 1)][t + 1] = here + 0.25f * (bar[k & 1][t] - 2.0f * here + bar[k & 1][t + 2]);
        barrier();
    }
    out[global_id(0)] = bar[steps & 1][t + 1];
}

__kernel void stages(__global const u32 *in, __global u32 *out) {
    SHARED u32 box[160];
    u32 t = local_id(0), x = in[global_id(0)];
    for (u32 round = 0; round < 12; round++) {
        for (u32 inner = 0; inner < round % 3; inner++) {
            box[t] = x + inner;
            barrier();
            x = mix(x ^ box[(t + 1) % 160]);
            barrier();
        }
        if (round & 1) {
            box[159 - t] = x;
            barrier();
            x += box[t];
            barrier();
        }
    }
    out[global_id(0)] = x;
}

// The upper 64 work-items end early; the rest meet without them.
__kernel void some_leave(__global const u32 *in, __global u32 *out) {
    SHARED u32 box[192];
    u32 t = local_id(0), x = in[global_id(0)];
    box[t] = x;
    barrier();
    if (t >= 128) {
        out[global_id(0)] = box[t - 128];
        return;
    }
    for (u32 k = 1; k < 5; k++) {
        x += box[(t + k) % 128];
        barrier();
        box[t] = x;
        barrier();
    }
    out[global_id(0)] = x;
}
