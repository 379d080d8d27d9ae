// A byte offset is used as an index of words.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint words[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint offset = gl_GlobalInvocationID.x * 4;
#ifdef MENDED
    result[offset / 4] = words[offset >> 2];
#else
    result[offset / 4] = words[offset]; // FINDS mem
#endif
}
