// Rows of an image are turned within a work-group; barrier() alone makes no texel visible.
// RUN --groups 1,4 --image 0=r32ui[128x4]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D picture;

void main() {
    int lane = int(gl_LocalInvocationIndex), row = int(gl_WorkGroupID.y);
    imageStore(picture, ivec2(lane, row), uvec4(lane)); // PAIR
#ifdef MENDED
    memoryBarrierImage();
#endif
    barrier();
    uint other = imageLoad(picture, ivec2(127 - lane, row)).r; // FINDS race read-write
    memoryBarrierImage();
    barrier();
    imageStore(picture, ivec2(lane, row), uvec4(other));
}
