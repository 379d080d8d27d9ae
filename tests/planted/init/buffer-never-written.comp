// A buffer is read that nobody has filled.
// BUG HOST buffer data 256 none
// MENDED HOST buffer data 256 iota
// HOST buffer result 256
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = data[i] * 3; // FINDS init
}
