// Tiles of nine texels in steps of eight: work-groups write each other's borders.
// RUN --groups 3 --image 0=r32ui[32x9]
#version 450
layout(local_size_x = 9, local_size_y = 9) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D picture;

void main() {
    uvec2 local = gl_LocalInvocationID.xy;
#ifdef MENDED
    if (local.x == 8)
        return;
#endif
    imageStore(picture, ivec2(8 * gl_WorkGroupID.x + local.x, local.y), uvec4(gl_WorkGroupID.x + 1)); // FINDS race write-write, PAIR
}
