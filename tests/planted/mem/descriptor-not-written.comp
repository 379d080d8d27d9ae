// The second descriptor was never written.
// HOST buffer data 256 iota
// HOST buffer more 256 iota
// HOST bind 0 data
// BUG HOST bind 1 nothing
// MENDED HOST bind 1 more
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer More { uint more[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    data[i] = more[i]; // FINDS mem
}
