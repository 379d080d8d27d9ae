// The result is copied while the dispatch still writes it.
// HOST buffer data 256
// HOST buffer result 256
// HOST bind 0 data
// HOST dispatch 1 1 1
// MENDED HOST barrier
// HOST copy data result
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    data[gl_LocalInvocationIndex] = gl_LocalInvocationIndex; // FINDS sync
}
