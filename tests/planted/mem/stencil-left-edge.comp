// The first invocation's left neighbour is at index -1.
// RUN --groups 2 --buffer 0=f32[128]:iota --buffer 1=f32[128]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { float from[]; };
layout(set = 0, binding = 1) buffer Out { float to[]; };

void main() {
    int i = int(gl_GlobalInvocationID.x);
#ifdef MENDED
    float left = from[max(i - 1, 0)];
#else
    float left = from[i - 1]; // FINDS mem
#endif
    float right = from[min(i + 1, 127)];
    to[i] = (left + from[i] + right) / 3.0;
}
