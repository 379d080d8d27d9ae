// A texture decides a branch, and nobody has filled it.
// RUN --groups 1 --image 0=r32ui[32]:none --buffer 1=u32[32]
// MENDED RUN --groups 1 --image 0=r32ui[32]:iota --buffer 1=u32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform utextureBuffer flags;
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint flag = texelFetch(flags, int(i)).x; // PAIR
    result[i] = flag * 2 + 1;                // FINDS init
}
