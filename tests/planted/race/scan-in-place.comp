// A Hillis-Steele scan reads and writes one array with only one barrier a step.
// RUN --groups 2 --buffer 0=u32[256]:iota --buffer 1=u32[256]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };
shared uint scan[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    scan[lane] = numbers[gl_GlobalInvocationID.x];
    for (uint offset = 1; offset < 128; offset <<= 1) {
        barrier();
        uint before = lane >= offset ? scan[lane - offset] : 0; // PAIR
#ifdef MENDED
        barrier();
#endif
        scan[lane] += before; // FINDS race read-write
    }
    sums[gl_GlobalInvocationID.x] = scan[lane];
}
