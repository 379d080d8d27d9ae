// An image is blurred in place: neighbours may have written already.
// RUN --groups 4,4 --image 0=r32f[32x32]
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32f) uniform image2D picture;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    float here = imageLoad(picture, at).r + float(at.x);
#ifndef MENDED
    here += imageLoad(picture, ivec2((at.x + 31) % 32, at.y)).r; // FINDS race read-write
#endif
    imageStore(picture, at, vec4(here)); // PAIR
}
