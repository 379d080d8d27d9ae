// All work-groups write into one texel; only what the format makes one value of is none.
// RUN --groups 4 --image 0=rgba8[16x16]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, rgba8) uniform image2D picture;

void main() {
    float value = float(gl_GlobalInvocationID.x);
#ifdef MENDED
    value += 1.0;
#else
    value /= 256.0;
#endif
    imageStore(picture, ivec2(0, 0), vec4(value)); // FINDS race write-write, PAIR
}
