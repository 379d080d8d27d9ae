// Invocations past the end put nothing into the array that is summed.
// RUN --groups 1 --buffer 0=u32[50]:iota --buffer 1=u32[1]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint total; };
shared uint part[64];

void main() {
    uint lane = gl_LocalInvocationIndex;
    if (lane < 50)
        part[lane] = numbers[lane];
#ifdef MENDED
    else
        part[lane] = 0;
#endif
    barrier();
    for (uint width = 32; width > 0; width >>= 1) {
        if (lane < width)
            part[lane] += part[lane + width]; // PAIR
        barrier();
    }
    if (lane == 0)
        total = part[0]; // FINDS init
}
