// A double buffer whose two halves are the same one: the index is not flipped.
// RUN --groups 2 --buffer 0=f32[1024]:iota --buffer 1=f32[128]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Stream { float stream[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { float sums[]; };
shared float half_of[2][64];

void main() {
    uint lane = gl_LocalInvocationIndex, from = gl_WorkGroupID.x * 512;
    uint now = 0;
    float sum = 0.0;
    half_of[0][lane] = stream[from + lane];
    for (uint block = 1; block <= 8; block++) {
        barrier();
#ifdef MENDED
        uint next = now ^ 1;
#else
        uint next = now;
#endif
        if (block < 8)
            half_of[next][lane] = stream[from + block * 64 + lane]; // PAIR
        sum += half_of[now][63 - lane]; // FINDS race read-write
        now = next;
    }
    sums[gl_GlobalInvocationID.x] = sum;
}
