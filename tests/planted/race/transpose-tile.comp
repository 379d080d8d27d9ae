// A tile is read transposed while others still write it.
// RUN --groups 2,2 --buffer 0=f32[1024]:iota --buffer 1=f32[1024]
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer From { float from[]; };
layout(set = 0, binding = 1) writeonly buffer To { float to[]; };
shared float tile[16][17];

void main() {
    uvec2 here = gl_LocalInvocationID.xy;
    uvec2 corner = gl_WorkGroupID.xy * 16;
    tile[here.y][here.x] = from[(corner.y + here.y) * 32 + corner.x + here.x]; // PAIR
#ifdef MENDED
    barrier();
#endif
    to[(corner.x + here.y) * 32 + corner.y + here.x] = tile[here.x][here.y]; // FINDS race read-write
}
