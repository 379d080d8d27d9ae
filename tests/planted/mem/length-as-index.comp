// The last element of an array is at its length minus one.
// RUN --groups 1 --buffer 0=u32[100]:iota --buffer 1=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint numbers[]; };
layout(set = 0, binding = 1) buffer Out { uint turned[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    uint last = numbers.length() - 1;
#else
    uint last = numbers.length();
#endif
    turned[i] = numbers[last - i]; // FINDS mem
}
