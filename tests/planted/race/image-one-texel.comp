// All work-groups write their own value into one texel.
// RUN --groups 4 --image 0=r32ui[16x16]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D picture;

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    ivec2 at = ivec2(i % 16, i / 16);
#else
    ivec2 at = ivec2(0, 0);
#endif
    imageStore(picture, at, uvec4(i)); // FINDS race write-write, PAIR
}
