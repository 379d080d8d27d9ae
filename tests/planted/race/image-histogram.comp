// Texels are counted up by a load and a store.
// RUN --groups 4 --buffer 0=u32[256]:iota --image 0.1=r32ui[16x1]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1, r32ui) uniform uimage2D bins;

void main() {
    ivec2 at = ivec2(numbers[gl_GlobalInvocationID.x] * 7 % 16, 0);
#ifdef MENDED
    imageAtomicAdd(bins, at, 1u);
#else
    uint count = imageLoad(bins, at).r; // PAIR
    imageStore(bins, at, uvec4(count + 1)); // FINDS race read-write
#endif
}
