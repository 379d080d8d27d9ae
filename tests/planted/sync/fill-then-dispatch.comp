// A buffer is filled by a command and counted in by a dispatch, in no order.
// HOST buffer bins 64 none
// HOST buffer data 256 iota
// HOST fill bins 0
// MENDED HOST barrier
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Bins { uint bins[]; };
layout(set = 0, binding = 1) readonly buffer Data { uint data[]; };

void main() {
    atomicAdd(bins[data[gl_LocalInvocationIndex] % 16], 1); // FINDS sync
}
