// A whole wave returns before the barrier of its work-group.
// RUN --groups 2 --buffer 0=u32[256]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
shared uint words[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = gl_GlobalInvocationID.x;
#ifndef MENDED
    if (lane >= 64)
        return;
#endif
    barrier(); // FINDS sync
    result[gl_GlobalInvocationID.x] = words[lane ^ 1];
}
