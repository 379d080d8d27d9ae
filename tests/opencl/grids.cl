// Three dimensions, and grids that are no multiple of their groups: what each work-item is told about itself.
// launch: three_dimensions grid=12,10,6 block=4,5,3
//   u32[720] u32[720]
// launch: partial_box grid=11,7,5 block=4,4,2
//   u32[385] u32[385] u32[385]
// launch: partial_line grid=1000 block=192
//   u32[1000]:rand u32[1000] u32[6]
// launch: less_than_a_group grid=37 block=64
//   u32[37]

__kernel void three_dimensions(__global u32 *where, __global u32 *sizes) {
    u32 i = (global_id(2) * global_size(1) + global_id(1)) * global_size(0) + global_id(0);
    where[i] = global_id(0) | global_id(1) << 4 | global_id(2) << 8 | local_id(0) << 12 | local_id(1) << 16 | local_id(2) << 20 |
               (group_id(0) + group_id(1) * 3 + group_id(2) * 7) << 24;
    sizes[i] = local_size(0) | local_size(1) << 4 | local_size(2) << 8 | group_count(0) << 12 | group_count(1) << 16 | group_count(2) << 20;
}

__kernel void partial_box(__global u32 *where, __global u32 *sizes, __global u32 *members) {
    SHARED u32 count;
    u32 i = (global_id(2) * global_size(1) + global_id(1)) * global_size(0) + global_id(0);
    if (local_id(0) + local_id(1) + local_id(2) == 0) count = 0;
    barrier();
    ATOMIC(fetch_add, &count, 1);
    barrier();
    where[i] = local_id(0) | local_id(1) << 8 | local_id(2) << 16;
    sizes[i] = local_size(0) | local_size(1) << 4 | local_size(2) << 8 | group_count(0) << 12 | group_count(1) << 16 | group_count(2) << 20;
    members[i] = count;
}

// The last group has 40 of 192 work-items; they still meet at barriers.
__kernel void partial_line(__global const u32 *in, __global u32 *out, __global u32 *totals) {
    SHARED u32 line[192];
    u32 t = local_id(0), size = local_size(0);
    line[t] = in[global_id(0)];
    barrier();
    out[global_id(0)] = line[size - 1 - t] + line[(t + 1) % size];
    if (t == 0) {
        u32 sum = 0;
        for (u32 k = 0; k < size; k++) sum += line[k];
        totals[group_id(0)] = sum;
    }
}

__kernel void less_than_a_group(__global u32 *out) {
    out[global_id(0)] = mix(local_id(0)) + local_size(0) + 1000 * group_count(0) + 10000 * full_size(0);
}
