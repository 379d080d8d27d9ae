// A loop by four reads up to three elements past the end.
// RUN --groups 1 --buffer 0=u32[255]:iota --buffer 1=u32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, sum = 0;
    for (uint i = lane * 8; i < min(255, lane * 8 + 8); i += 4) {
        for (uint k = 0; k < 4; k++)
#ifdef MENDED
            if (i + k < 255)
#endif
                sum += numbers[i + k]; // FINDS mem
    }
    sums[lane] = sum;
}
