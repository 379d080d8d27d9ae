// Sorting: a bitonic network in LDS, and quicksort on a stack of each work-item's own.
// launch: bitonic grid=1024 block=128
//   i32[2048]:rand i32[2048]
// launch: quicksort grid=64 block=64
//   f32[3072]:rand f32[3072] u32[64]

__kernel void bitonic(__global const i32 *in, __global i32 *out) {
    SHARED i32 keys[256];
    u32 t = local_id(0), first = group_id(0) * 256;
    keys[t] = in[first + t], keys[t + 128] = in[first + t + 128];
    for (u32 block = 2; block <= 256; block *= 2)
        for (u32 step = block / 2; step; step /= 2) {
            barrier();
            u32 a = 2 * step * (t / step) + t % step, b = a + step;
            i32 x = keys[a], y = keys[b];
            if ((x > y) == ((a & block) == 0)) keys[a] = y, keys[b] = x;
        }
    barrier();
    out[first + t] = keys[t], out[first + t + 128] = keys[t + 128];
}

enum { LENGTH = 48 };

__kernel void quicksort(__global const f32 *in, __global f32 *out, __global u32 *partitions) {
    u32 i = global_id(0), count = 0;
    f32 a[LENGTH];
    for (u32 k = 0; k < LENGTH; k++) a[k] = in[i * LENGTH + k];
    i32 stack[2 * LENGTH], top = 0;
    stack[top++] = 0, stack[top++] = LENGTH - 1;
    while (top) {
        i32 high = stack[--top], low = stack[--top];
        if (low >= high) continue;
        f32 pivot = a[(low + high) / 2];
        i32 l = low, h = high;
        count++;
        while (l <= h) {
            while (a[l] < pivot) l++;
            while (a[h] > pivot) h--;
            if (l > h) break;
            f32 swap = a[l];
            a[l++] = a[h], a[h--] = swap;
        }
        stack[top++] = low, stack[top++] = h;
        stack[top++] = l, stack[top++] = high;
    }
    for (u32 k = 0; k < LENGTH; k++) out[i * LENGTH + k] = a[k];
    partitions[i] = count;
}
