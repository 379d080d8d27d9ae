// What is copied to the buffer that the shader reads was never written either.
// BUG HOST buffer source 256 none
// MENDED HOST buffer source 256 iota
// HOST buffer data 256 zero
// HOST buffer result 256
// HOST barrier
// HOST copy source data
// HOST barrier
// HOST bind 0 data
// HOST bind 1 result
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = data[i];    // PAIR
    result[i] = x / 3;   // FINDS init
}
