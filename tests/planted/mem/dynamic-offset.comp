// With a dynamic offset of 256 bytes only 64 words of the range are left, and 128 are used.
// HOST buffer data 1024 iota
// BUG HOST bind 0 data+0:256 dynamic 256
// MENDED HOST bind 0 data+0:512 dynamic 256
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    data[gl_GlobalInvocationID.x] = 3; // FINDS mem
}
