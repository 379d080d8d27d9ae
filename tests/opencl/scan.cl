// Prefix sums of a group: Hillis and Steele's with two buffers, Blelloch's up and down a tree.
// launch: inclusive grid=1024 block=128
//   u32[1024]:rand u32[1024]
// launch: exclusive grid=1024 block=128
//   u64[2048]:rand u64[2048]

__kernel void inclusive(__global const u32 *in, __global u32 *out) {
    SHARED u32 buffer[2][128];
    u32 t = local_id(0), size = local_size(0), from = 0;
    buffer[0][t] = in[global_id(0)];
    barrier();
    for (u32 step = 1; step < size; step *= 2) {
        buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
        from = 1 - from;
        barrier();
    }
    out[global_id(0)] = buffer[from][t];
}

__kernel void exclusive(__global const u64 *in, __global u64 *out) {
    SHARED u64 tree[256];
    u32 t = local_id(0), first = group_id(0) * 256, step = 1;
    tree[2 * t] = in[first + 2 * t], tree[2 * t + 1] = in[first + 2 * t + 1];
    for (u32 count = 128; count; count /= 2, step *= 2) {
        barrier();
        if (t < count) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) tree[255] = 0;
    for (u32 count = 1; count <= 128; count *= 2) {
        step /= 2;
        barrier();
        if (t < count) {
            u64 left = tree[step * (2 * t + 1) - 1];
            tree[step * (2 * t + 1) - 1] = tree[step * (2 * t + 2) - 1];
            tree[step * (2 * t + 2) - 1] += left;
        }
    }
    barrier();
    out[first + 2 * t] = tree[2 * t], out[first + 2 * t + 1] = tree[2 * t + 1];
}
