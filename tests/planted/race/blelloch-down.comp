// The way down of a Blelloch scan has no barrier between its levels.
// RUN --groups 1 --buffer 0=u32[256]:iota
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint tree[256];

void main() {
    uint lane = gl_LocalInvocationIndex;
    tree[2 * lane] = data[2 * lane];
    tree[2 * lane + 1] = data[2 * lane + 1];
    uint offset = 1;
    for (uint width = 128; width > 0; width >>= 1) {
        barrier();
        if (lane < width)
            tree[offset * (2 * lane + 2) - 1] += tree[offset * (2 * lane + 1) - 1];
        offset <<= 1;
    }
    barrier();
    if (lane == 0)
        tree[255] = 0;
    barrier();
    for (uint width = 1; width < 256; width <<= 1) {
        offset >>= 1;
        if (lane < width) {
            uint left = offset * (2 * lane + 1) - 1;
            uint right = offset * (2 * lane + 2) - 1;
            uint kept = tree[left];       // FINDS race read-write, PAIR
            tree[left] = tree[right];     // FINDS race read-write, PAIR
            tree[right] += kept;          // FINDS race read-write, PAIR
        }
#ifdef MENDED
        barrier();
#endif
    }
    barrier();
    data[2 * lane] = tree[2 * lane];
    data[2 * lane + 1] = tree[2 * lane + 1];
}
