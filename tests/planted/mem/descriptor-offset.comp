// A descriptor begins in the middle of a buffer, and the count is that of the whole.
// HOST buffer data 512 iota
// BUG HOST bind 0 data+256
// MENDED HOST bind 0 data
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    data[i] = i; // FINDS mem
}
