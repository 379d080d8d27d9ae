// One invocation looks up what all use; nobody waits for it.
// RUN --groups 3 --buffer 0=u32[3]:5,6,7 --buffer 1=u32[384]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Offsets { uint offsets[]; };
layout(set = 0, binding = 1) buffer Out { uint numbers[]; };
shared uint base;

void main() {
    if (gl_LocalInvocationIndex == 0)
        base = offsets[gl_WorkGroupID.x]; // PAIR
#ifdef MENDED
    barrier();
#endif
    numbers[gl_GlobalInvocationID.x] = base + gl_LocalInvocationIndex; // FINDS race read-write
}
