// Each work-group writes one element more than it has, into the next one's.
// RUN --groups 4 --buffer 0=u32[260]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint out_of[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, first = gl_WorkGroupID.x * 64;
    out_of[first + lane] = gl_GlobalInvocationID.x * 3; // PAIR
#ifndef MENDED
    if (lane == 63)
        out_of[first + 64] = 7; // FINDS race write-write
#endif
}
