// A picture of 20 by 20 is covered by groups of 16 by 16, without a guard.
// RUN --groups 2,2 --image 0=rgba8[20x20]
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D picture;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
#ifdef MENDED
    if (any(greaterThanEqual(at, imageSize(picture))))
        return;
#endif
    imageStore(picture, at, vec4(1.0)); // FINDS mem
}
