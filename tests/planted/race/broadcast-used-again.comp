// The word that all read is written again before all have read it.
// RUN --groups 2 --buffer 0=u32[8]:iota --buffer 1=u32[256]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Steps { uint steps[]; };
layout(set = 0, binding = 1) buffer Out { uint numbers[]; };
shared uint step_now;

void main() {
    uint sum = 0;
    for (uint i = 0; i < 8; i++) {
        if (gl_LocalInvocationIndex == 0)
            step_now = steps[i]; // PAIR
        barrier();
        sum = sum * 3 + step_now; // FINDS race read-write
#ifdef MENDED
        barrier();
#endif
    }
    numbers[gl_GlobalInvocationID.x] = sum;
}
