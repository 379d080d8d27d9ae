// Every work-group writes its own sum into the same word.
// RUN --groups 4 --buffer 0=u32[256]:iota --buffer 1=u32[4]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint total[]; };
shared uint sum;

void main() {
    if (gl_LocalInvocationIndex == 0)
        sum = 0;
    barrier();
    atomicAdd(sum, numbers[gl_GlobalInvocationID.x]);
    barrier();
    if (gl_LocalInvocationIndex == 0) {
#ifdef MENDED
        total[gl_WorkGroupID.x] = sum;
#else
        total[0] = sum; // FINDS race write-write, PAIR
#endif
    }
}
