// A position that was not found is -1, and is shifted by.
// RUN --groups 1 --buffer 0=u32[32]:iota --buffer 1=u32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint words[]; };
layout(set = 0, binding = 1) buffer Out { uint rounded[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    int top = findMSB(words[i]);
#ifdef MENDED
    top = max(top, 0);
#endif
    rounded[i] = 1u << top; // FINDS num
}
