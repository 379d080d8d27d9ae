// A descriptor has half of a buffer, and the shader uses all of it.
// HOST buffer data 512 iota
// BUG HOST bind 0 data+0:256
// MENDED HOST bind 0 data+0:512
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    data[gl_GlobalInvocationID.x] += 1; // FINDS mem
}
